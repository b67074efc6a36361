//! `generate` for the games that deal single pieces.

use crate::cli::arguments::{Global, parse_number, random_number};
use crate::cli::exit::{Exit, Failure};
use crate::cli::{games, output};
use crate::games::piece::{Dealer, letters};
use crate::games::pieces::PieceOptions;
use crate::json::{Envelope, Generated, Kind};
use crate::seeds::pieces::{Between, PieceGame};
use clap::Args;
use serde::Serialize;
use std::io::Write;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Seed of the generator, such as 0x43B7 or decimal, 32 bits (tetris-nes: the 16 bits of its register, 0x8988 after
    /// power-on; Sega's games: the state in battery RAM, 0 if it was cleared)
    #[arg(long, value_name = "SEED", required_unless_present = "random", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Use a random seed, which is printed
    #[arg(long, conflicts_with = "seed")]
    random: bool,
    /// Number of pieces to deal
    #[arg(long, default_value_t = 70, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    count: u32,
    /// Variant of the game, where sources disagree; an unknown name lists them [default: the first]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    variant: String,
    /// Generator steps before each pick (one per frame) [default: 1]
    #[arg(long, value_name = "K")]
    steps: Option<u32>,
    /// Number of consecutive games to deal
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,
    /// A monkey is shown after the game, which takes one more random number: after every game, or after these (--monkey=1,3)
    #[arg(long, value_name = "GAMES", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "all")]
    monkey: Option<Vec<String>>,
    /// Number of items drawn in each game, such as 3,0,5; each takes a random number of the generator that seeds the next
    /// game [default: 0]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    items: Vec<u32>,
    /// The player continues after this many pieces, and the game deals the same pieces again
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    continued: Option<u32>,
    /// Print CSV, one line per game
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

#[derive(Serialize)]
struct Options {
    /// NES Tetris: generator steps before each pick.
    steps: Option<u32>,
    /// Bloxeed: items drawn in this game.
    items: Option<u32>,
    /// Bloxeed: whether `items` is the default, not given.
    items_assumed: Option<bool>,
    /// Bloxeed: number of pieces after which the player continues.
    continued: Option<u32>,
    /// Sega Tetris and Flash Point, for several games: whether a monkey is shown after this one.
    monkey: Option<bool>,
}

type Answer = Generated<Options>;

/// Events that change the seed of the next game.
struct SeriesEvents {
    monkeys: Option<Vec<u32>>,
    every_monkey: bool,
    items: Vec<u32>,
}

impl SeriesEvents {
    fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let given = arguments.monkey.as_deref().unwrap_or_default();
        let every_monkey = given == ["all"];
        let number = |text: &String| {
            text.parse().ok().filter(|number| *number > 0).ok_or_else(|| {
                Failure::BadInput(format!(
                    "invalid game {text:?} in --monkey: expected numbers from 1, such as --monkey=1,3"
                ))
            })
        };
        let monkeys =
            (!every_monkey && arguments.monkey.is_some()).then(|| given.iter().map(number).collect());
        Ok(Self { monkeys: monkeys.transpose()?, every_monkey, items: arguments.items.clone() })
    }

    fn monkey_after(&self, number: u32) -> bool {
        self.every_monkey || self.monkeys.as_ref().is_some_and(|games| games.contains(&number))
    }

    fn items_in(&self, number: u32) -> u32 {
        self.items.get(number as usize - 1).copied().unwrap_or(0)
    }
}

pub fn run(global: &Global, game: PieceGame, arguments: &Arguments) -> anyhow::Result<Exit> {
    let variant = games::variant(game, &arguments.variant)?;
    let defaults = PieceOptions::default();
    let options = PieceOptions { steps: arguments.steps.unwrap_or(defaults.steps), ..defaults };
    let rules = game.rules();
    let bits = rules.seed_bits;
    let fits = |seed: &u32| bits == 32 || *seed < 1 << 16;
    let seed = match &arguments.seed {
        Some(text) => parse_number(text).filter(fits).ok_or_else(|| {
            let most = if bits == 32 { "0xFFFFFFFF" } else { "0xFFFF" };
            Failure::BadInput(format!("invalid seed {text:?}: expected 0x0 to {most}, or decimal"))
        })?,
        None => (rules.usable_seed)(random_number()),
    };
    if let Some(note) = (rules.seed_note)(seed) {
        output::note(format_args!("{note}"));
    }
    let events = SeriesEvents::new(arguments)?;
    let monkeys = game.has_option("monkey") && arguments.games > 1;
    let draws_items = game.has_option("items");
    let mut out = output::buffered();
    if arguments.csv {
        writeln!(out, "game,variant,seed,state_after,pieces")?;
    }
    let mut seed = seed;
    for number in 1..=arguments.games {
        let missing = || anyhow::anyhow!("internal error: {game} has no dealer for the variant {variant}");
        let mut dealer = game.dealer(variant, seed, options).ok_or_else(missing)?;
        let start = dealer.clone();
        let mut pieces = Vec::new();
        while pieces.len() < arguments.count as usize {
            let left = arguments.count as usize - pieces.len();
            // A continued game deals the same pieces again.
            dealer = start.clone();
            pieces
                .extend(dealer.deal_many(arguments.continued.map_or(left, |after| left.min(after as usize))));
        }
        let items = events.items_in(number);
        let answer = Answer {
            game: game.id(),
            variant: Some(variant),
            options: Options {
                steps: game.has_option("steps").then_some(options.steps),
                items: draws_items.then_some(items),
                items_assumed: draws_items.then_some(events.items.is_empty()),
                continued: arguments.continued,
                monkey: monkeys.then(|| events.monkey_after(number)),
            },
            number,
            seed: if bits == 16 { format!("0x{seed:04X}") } else { format!("0x{seed:08X}") },
            state_after: dealer.state_after(),
            piece_seed: rules.piece_seed.map(|piece_seed| piece_seed(variant, seed)),
            color_order: None,
            pools: Vec::new(),
            pairs: None,
            codes: None,
            pieces: Some(pieces),
            boards: Vec::new(),
        };
        if global.json {
            output::write_json(&mut out, &Envelope::new(Kind::Generate, &answer))?;
        } else if arguments.csv {
            let Answer { game, seed, state_after, .. } = &answer;
            writeln!(out, "{game},{variant},{seed},{state_after},{}", piece_letters(&answer))?;
        } else {
            print(&mut out, &answer, arguments.games > 1)?;
        }
        seed = (rules.next_seed)(variant, seed, Between { monkey: events.monkey_after(number), items });
    }
    out.flush()?;
    Ok(Exit::Success)
}

fn piece_letters(answer: &Answer) -> String {
    letters(answer.pieces.as_deref().unwrap_or_default())
}

fn print(out: &mut impl Write, answer: &Answer, numbered: bool) -> std::io::Result<()> {
    if numbered {
        writeln!(out, "game         {}", answer.number)?;
    }
    writeln!(out, "seed         {}", answer.seed)?;
    writeln!(out, "variant      {}", answer.variant.unwrap_or_default())?;
    if let Some(steps) = answer.options.steps {
        writeln!(out, "steps        {steps} before each pick")?;
    }
    if let Some(seed) = &answer.piece_seed {
        writeln!(out, "piece seed   {seed}")?;
    }
    if let Some(items) = answer.options.items {
        let assumed =
            if answer.options.items_assumed == Some(true) { " (assumed; set with --items)" } else { "" };
        writeln!(out, "items        {items} drawn in this game{assumed}")?;
    }
    if let Some(shown) = answer.options.monkey {
        writeln!(out, "monkey       {} after this game", if shown { "shown" } else { "not shown" })?;
    }
    writeln!(out, "state after  {}", answer.state_after)?;
    let pieces = piece_letters(answer);
    let pieces = pieces.as_bytes();
    for (row, pieces) in pieces.chunks(70).enumerate() {
        let tens: Vec<&str> = pieces.chunks(10).filter_map(|ten| std::str::from_utf8(ten).ok()).collect();
        writeln!(out, "{:11}  {}", row * 70 + 1, tens.join(" "))?;
    }
    Ok(())
}
