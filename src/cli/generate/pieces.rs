//! `generate` for the games that deal single pieces.

use super::super::{Exit, Failure, Global, output, suggest};
use super::{parse_number, random_number};
use crate::game::piece::{Dealer, letters};
use crate::game::pieces::PieceOptions;
use crate::json::{Envelope, Generated, Kind};
use crate::seeds::pieces::{Between, PieceGame};
use clap::Args;
use serde::Serialize;
use std::io::Write;

#[derive(Debug, Args)]
pub struct Arguments {
    /// What the generator begins with: 0x43B7 or decimal, 32 bits (tetris-nes: the 16 bits of its register, 0x8988 after
    /// power-on; Sega's games: the state in battery RAM, 0 where that is cleared)
    #[arg(long, value_name = "SEED", required_unless_present = "random", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Begin with a random seed, which is printed
    #[arg(long, conflicts_with = "seed")]
    random: bool,
    /// Pieces to deal
    #[arg(long, default_value_t = 70, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    count: u32,
    /// Which reading of the game, where sources disagree; an unknown name lists them [default: the first]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    variant: String,
    /// Steps of the generator before each pick, one in every frame [default: 1]
    #[arg(long, value_name = "K")]
    steps: Option<u32>,
    /// So many games one after another, a line for each
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,
    /// The monkey is shown after a game, which draws once more: after each, or after the games of these numbers (--monkey=1,3)
    #[arg(long, value_name = "GAMES", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "all")]
    monkey: Option<Vec<String>>,
    /// Items drawn in each game, from the first one on: 3,0,5; each draws once from the generator that seeds the next game.
    /// Without it none is drawn
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    items: Vec<u32>,
    /// Each game is continued after so many pieces: it deals its first piece again then, and all that follow it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    continued: Option<u32>,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// What was chosen beside the variant.
#[derive(Serialize)]
struct Options {
    /// `tetris-nes`: steps of the generator before each pick.
    steps: Option<u32>,
    /// Bloxeed: items drawn in this game.
    items: Option<u32>,
    /// Bloxeed: whether only the usual assumption says so.
    items_assumed: Option<bool>,
    /// Bloxeed: pieces after which the player continues, which begins the game anew.
    continued: Option<u32>,
    /// Sega Tetris and Flash Point, of several games: whether the monkey is shown after this one.
    monkey: Option<bool>,
}

type Answer = Generated<Options>;

/// What happens in and after each game of a series, and decides the seed of the next one.
struct Happenings {
    monkeys: Option<Vec<u32>>,
    every_monkey: bool,
    items: Vec<u32>,
}

impl Happenings {
    fn of(arguments: &Arguments) -> Result<Self, Failure> {
        let given = arguments.monkey.as_deref().unwrap_or_default();
        let every_monkey = given == ["all"];
        let number = |text: &String| {
            text.parse().ok().filter(|number| *number > 0).ok_or_else(|| {
                Failure::BadInput(format!(
                    "--monkey={text:?} is no game: give their numbers from 1, such as --monkey=1,3"
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
    let variant = known_variant(game, &arguments.variant)?;
    let usual = PieceOptions::default();
    let options = PieceOptions { steps: arguments.steps.unwrap_or(usual.steps), ..usual };
    let rules = game.rules();
    let bits = rules.seed_bits;
    let fits = |seed: &u32| bits == 32 || *seed < 1 << 16;
    let seed = match &arguments.seed {
        Some(text) => parse_number(text).filter(fits).ok_or_else(|| {
            let most = if bits == 32 { "0xFFFFFFFF" } else { "0xFFFF" };
            Failure::BadInput(format!("invalid seed {text:?}: expected 0x0 to {most}, or the decimal number"))
        })?,
        None => (rules.usable_seed)(random_number()),
    };
    if let Some(note) = (rules.seed_note)(seed) {
        output::note(format_args!("{note}"));
    }
    let between = Happenings::of(arguments)?;
    let monkeys = game.has_option("monkey") && arguments.games > 1;
    let draws_items = game.has_option("items");
    let mut out = output::buffered();
    if arguments.csv {
        writeln!(out, "game,variant,seed,state_after,pieces")?;
    }
    let mut seed = seed;
    for number in 1..=arguments.games {
        let missing = || anyhow::anyhow!("{game} has no dealer of the variant {variant}");
        let mut dealer = game.dealer(variant, seed, options).ok_or_else(missing)?;
        let start = dealer.clone();
        let mut pieces = Vec::new();
        while pieces.len() < arguments.count as usize {
            let left = arguments.count as usize - pieces.len();
            // Who continues gets the same pieces again.
            dealer = start.clone();
            pieces
                .extend(dealer.deal_many(arguments.continued.map_or(left, |after| left.min(after as usize))));
        }
        let items = between.items_in(number);
        let answer = Answer {
            game: game.id(),
            variant: Some(variant),
            options: Options {
                steps: game.has_option("steps").then_some(options.steps),
                items: draws_items.then_some(items),
                items_assumed: draws_items.then_some(between.items.is_empty()),
                continued: arguments.continued,
                monkey: monkeys.then(|| between.monkey_after(number)),
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
        };
        if global.json {
            serde_json::to_writer(&mut out, &Envelope::new(Kind::Generate, &answer))?;
            writeln!(out)?;
        } else if arguments.csv {
            let Answer { game, seed, state_after, .. } = &answer;
            writeln!(out, "{game},{variant},{seed},{state_after},{}", dealt(&answer))?;
        } else {
            print(&mut out, &answer, arguments.games > 1)?;
        }
        seed = (rules.next_seed)(variant, seed, Between { monkey: between.monkey_after(number), items });
    }
    out.flush()?;
    Ok(Exit::Yes)
}

/// The pieces as letters, without spaces.
fn dealt(answer: &Answer) -> String {
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
            if answer.options.items_assumed == Some(true) { " (assumed; --items says how many)" } else { "" };
        writeln!(out, "items        {items} drawn in this game{assumed}")?;
    }
    if let Some(shown) = answer.options.monkey {
        writeln!(out, "monkey       {} after this game", if shown { "shown" } else { "not shown" })?;
    }
    writeln!(out, "state after  {}", answer.state_after)?;
    let pieces = dealt(answer);
    let pieces = pieces.as_bytes();
    for (row, pieces) in pieces.chunks(70).enumerate() {
        let tens: Vec<&str> = pieces.chunks(10).filter_map(|ten| std::str::from_utf8(ten).ok()).collect();
        writeln!(out, "{:11}  {}", row * 70 + 1, tens.join(" "))?;
    }
    Ok(())
}

/// The variant of that name, the default for an empty one; the failure lists those that there are.
pub fn known_variant(game: PieceGame, name: &str) -> Result<&'static str, Failure> {
    game.variant(name).ok_or_else(|| unknown_variant(game, name))
}

/// The failure of a name that is no variant's.
pub fn unknown_variant(game: PieceGame, name: &str) -> Failure {
    let names: Vec<&str> = game.variants().iter().map(|(name, _)| *name).collect();
    let tip =
        suggest::closest(name, &names).map(|meant| format!("tip: a similar variant exists: '{meant}'\n"));
    let all: Vec<String> =
        game.variants().iter().map(|(name, meaning)| format!("\n  {name}: {meaning}")).collect();
    Failure::BadInput(format!("{} has no variant {name:?}", game.id())).with_hint(&format!(
        "{}there are:{}",
        tip.unwrap_or_default(),
        all.concat()
    ))
}

/// The failure of a name that is no game's of single pieces.
pub fn unknown_piece_game(name: &str) -> Failure {
    let known: Vec<&str> = PieceGame::ALL.iter().map(|game| game.id()).collect();
    suggest::unknown(format!("no model of {name:?}"), "game", name, &known)
}
