//! `generate mean-bean` and `generate puyo-puyo-1`.

use super::options::{MODES, PUYO_MODES, level, setup};
use crate::games::GameId;
use crate::games::mean_bean::seeds::describe_extra_steps;
use crate::games::mean_bean::{
    Dealer, Level, Round, Setup, State, exercise_pair, exercise_start, generate_interrupted,
};
use crate::json::{self, Coding, Envelope, Generated, Kind};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{Format, Parts};
use crate::seeds::text::parse_state;
use nextscope_boards::{Color, Pair, PoolId};
use serde::Serialize;

const COMMON: [OptionSpec; 6] = [
    OptionSpec::new(
        "seed",
        OptionKind::Seed,
        "State from which the round is generated, such as 0x7FE7B46A or decimal; those of the game end in A",
    )
    .value_name("STATE")
    .required_unless(&["random"]),
    OptionSpec::new("random", OptionKind::Flag, "Use a random state, which is printed")
        .conflicts_with(&["seed"]),
    OptionSpec::new(
        "digits",
        OptionKind::Flag,
        "Print pools and pairs as the game's colour codes instead of letters",
    )
    .conflicts_with(&["json"]),
    OptionSpec::new(
        "level",
        OptionKind::Number(1, 5),
        "Player level: in versus 1 selects the first pool and 2 to 5 the second; in exercise 1 has four colours",
    )
    .value_name("N")
    .default("3"),
    OptionSpec::new("count", OptionKind::Number(0, 1_000_000), "Number of pairs to print")
        .value_name("N")
        .default("128"),
    OptionSpec::new(
        "extra-steps",
        OptionKind::Text,
        "Draws, from 1, before which a vertical interrupt steps the generator once more, such as 288 or 40,301",
    )
    .value_name("DRAWS"),
];

const fn with_mode(mode: OptionSpec) -> [OptionSpec; 7] {
    let [seed, random, digits, level, count, extra_steps] = COMMON;
    [seed, random, digits, mode, level, count, extra_steps]
}

pub(super) const OPTIONS: &[OptionSpec] = &with_mode(MODES[0]);
pub(super) const PUYO_OPTIONS: &[OptionSpec] = &with_mode(PUYO_MODES[0]);

#[derive(Serialize)]
struct Options {
    mode: String,
    level: u8,
    /// The draws, from 1, before which the generator was stepped once more.
    extra_steps: Vec<u16>,
}

/// What was generated, for the output.
struct Output {
    game: GameId,
    seed: State,
    after: State,
    /// With the number of colours of each; none in a mode without pools.
    pools: Vec<(usize, nextscope_boards::Pool)>,
    pairs: Vec<Pair>,
    options: Options,
}

pub(super) fn run(game: GameId, values: &OptionValues, format: Format) -> Result<Parts, String> {
    let seed = State(match values.text("seed") {
        Some(text) => parse_state(text)?,
        None => values.random() & !0xF | 0xA,
    });
    let extra_steps = values.text("extra-steps").map_or(Ok(Vec::new()), draws)?;
    let (level, count) = (level(values), values.number("count").unwrap_or(128));
    let mode = values.text("mode").unwrap_or_default().to_owned();
    let options =
        Options { mode, level: level.0 + 1, extra_steps: extra_steps.iter().map(|draw| draw + 1).collect() };
    let output = match setup(values) {
        Some(setup) => {
            let draws = setup.draws();
            if extra_steps.iter().any(|draw| usize::from(*draw) >= draws) {
                return Err(format!("--extra-steps: a round of this mode has {draws} draws"));
            }
            of_round(game, &generate_interrupted(seed, setup, &extra_steps), setup, level, count, options)
        }
        None if extra_steps.is_empty() => of_exercise(game, seed, level, count, options),
        None => return Err("--extra-steps: this mode generates no pools".into()),
    };
    let text = match format {
        Format::Json => output.object(),
        Format::Text | Format::Csv => output.table(values.has("digits")),
    };
    Ok(Box::new(std::iter::once(text)))
}

/// Draws from their numbers, which count from 1.
fn draws(text: &str) -> Result<Vec<u16>, String> {
    let draw = |word: &str| word.trim().parse::<u16>().ok()?.checked_sub(1);
    let draws: Option<Vec<u16>> = text.split(',').map(draw).collect();
    draws.ok_or_else(|| format!("invalid draws {text:?}: expected numbers from 1, such as 288 or 40,301"))
}

fn of_round(game: GameId, round: &Round, setup: Setup, level: Level, count: u32, options: Options) -> Output {
    let dealer = Dealer::first_player(setup, level);
    let pairs = (0..count).filter_map(|number| dealer.pair(&round.pools, number)).collect();
    let pools = setup.colors().into_iter().zip(round.pools);
    // The story has the same pool twice.
    let pools = pools.take(if setup.is_versus() { 2 } else { 1 }).collect();
    Output { game, seed: round.before, after: round.after, pools, pairs, options }
}

fn of_exercise(game: GameId, seed: State, level: Level, count: u32, options: Options) -> Output {
    let (mut after, start) = exercise_start(seed, level);
    let mut pairs = start.to_vec();
    while pairs.len() < count as usize {
        let (next, pair) = exercise_pair(after, level);
        pairs.push(pair);
        after = next;
    }
    pairs.truncate(count as usize);
    Output { game, seed, after, pools: Vec::new(), pairs, options }
}

impl Output {
    fn object(self) -> String {
        let coding = Some(Coding::Colors);
        let pools = self.pools.iter().filter_map(|(colors, pool)| {
            let pairs = pool.chunks_exact(2).map(|pair| Pair::from_bytes(pair[0], pair[1]));
            Some(json::Pool::new(PoolId::of_colors(*colors)?, pairs, coding))
        });
        let answer = Generated {
            game: self.game.id(),
            variant: None,
            number: 1,
            seed: self.seed.to_string(),
            state_after: self.after.to_string(),
            piece_seed: None,
            color_order: None,
            pools: pools.collect(),
            codes: json::codes(&self.pairs, coding),
            pairs: Some(self.pairs),
            pieces: None,
            boards: Vec::new(),
            options: self.options,
        };
        Envelope::new(Kind::Generate, answer).text() + "\n"
    }

    fn table(&self, digits: bool) -> String {
        let cells = |bytes: &[u8]| -> String {
            let letter =
                |byte: &u8| if digits { char::from(b'0' + byte % 10) } else { Color(*byte).letter() };
            bytes.iter().map(letter).collect()
        };
        let mut all = format!("seed         {}\n", self.seed);
        for (colors, pool) in &self.pools {
            for (row, bytes) in pool.chunks(64).enumerate() {
                let name = if row == 0 { format!("{colors} colours") } else { String::new() };
                all += &format!("{name:12} {}\n", cells(bytes));
            }
        }
        all += &format!("state after  {}\n", self.after);
        let Options { mode, level, extra_steps } = &self.options;
        if !extra_steps.is_empty() {
            let draws: Vec<u16> = extra_steps.iter().map(|draw| draw - 1).collect();
            all += &format!("{}\n", describe_extra_steps(&draws));
        }
        let what = match mode.as_str() {
            "story" | "lesson" => mode.clone(),
            "versus" => format!("level {level}"),
            mode => format!("{mode}, level {level}, without a frame in between"),
        };
        all += &format!("pairs as dealt ({what}), axis first:\n");
        for (row, pairs) in self.pairs.chunks(16).enumerate() {
            let word = |pair: &Pair| if digits { pair.codes() } else { pair.letters() };
            let pairs: Vec<String> = pairs.iter().map(word).collect();
            all += &format!("{:6}  {}\n", row * 16, pairs.join(" "));
        }
        all
    }
}
