//! `generate puyo-20th`: one seed, a range of them, or all.

use super::options::{COLORS, pool};
use crate::games::puyo_20th::seeds::Rounds;
use crate::games::puyo_20th::{CALLS, Color, ID, POOL_LEN, POOL_PAIRS, Pair, PoolId, Round, Seed};
use crate::json::{self, Envelope, Generated, Kind};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{Format, Parts};
use crate::seeds::text::parse_range;
use serde::Serialize;

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "seed",
        OptionKind::Seed,
        "Seed, 0x0000 to 0xFFFF or decimal; a range such as 0x0000..0x00FF, both ends included; or all",
    ).value_name("SEED")
    .required_unless(&["random"]),
    OptionSpec::new("random", OptionKind::Flag, "Use a random seed, which is printed")
        .conflicts_with(&["seed"]),
    OptionSpec::new(
        "digits",
        OptionKind::Flag,
        "Print pools and pairs as digits 0 to 4, before the colour map is applied, instead of letters",
    )
    .conflicts_with(&["json"]),
    COLORS,
    OptionSpec::new(
        "count",
        OptionKind::Number(0, 1_000_000),
        "Number of pairs to print for each seed; they repeat after 128 [default: 128, in a table of several seeds 12]",
    )
    .value_name("N"),
    OptionSpec::new("csv", OptionKind::Flag, "Print CSV, one line per seed").conflicts_with(&["json"]),
];

#[derive(Serialize)]
struct Options {
    colors: u8,
}

/// The pairs to print of every seed.
#[derive(Clone, Copy)]
struct Pairs {
    pool: PoolId,
    count: u32,
    digits: bool,
}

impl Pairs {
    fn of(self, round: &Round) -> Vec<Pair> {
        (0..self.count).filter_map(|number| round.pair(self.pool, number)).collect()
    }

    /// The pairs as letters or digits.
    fn texts(self, round: &Round) -> Vec<String> {
        if !self.digits {
            return self.of(round).into_iter().map(Pair::letters).collect();
        }
        let (pool, _) = round.pool(self.pool).as_chunks::<2>();
        let digits = pool.iter().cycle().take(self.count as usize);
        digits.map(|[axis, child]| format!("{axis}{child}")).collect()
    }
}

/// The first and the last seed of a seed, a range or `all`.
fn parse_seeds(text: &str) -> Result<(Seed, Seed), String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok((Seed::MIN, Seed::MAX));
    }
    let seeds = parse_range(text)
        .and_then(|(first, last)| Some((Seed::try_from(first).ok()?, Seed::try_from(last).ok()?)));
    seeds.ok_or_else(|| {
        format!("invalid seed {text:?}: expected 0x0000 to 0xFFFF or 0 to 65535, a range such as 0x0000..0x00FF, or all")
    })
}

pub(super) fn run(values: &OptionValues, format: Format) -> Result<Parts, String> {
    let (first, last) = match values.text("seed") {
        Some(text) => parse_seeds(text)?,
        None => {
            let seed = Seed::try_from(values.random() & u32::from(Seed::MAX)).unwrap_or(Seed::MIN);
            (seed, seed)
        }
    };
    let rounds = Rounds::between(first, last);
    let several = rounds.len() > 1;
    let default = if several && format == Format::Text { 12 } else { 128 };
    let count = values.number("count").unwrap_or(default);
    let pairs = Pairs { pool: pool(values), count, digits: values.has("digits") };
    let head = match format {
        Format::Csv => Some("seed,color_map,pool_3,pool_4,pool_5,state_after,pairs\n".to_owned()),
        Format::Text if several => {
            Some(format!("seed    colours  pairs of a game of {} colours, axis first\n", pairs.pool.colors()))
        }
        Format::Text | Format::Json => None,
    };
    let part = move |(number, round): (u32, Round)| match format {
        Format::Json => object(&round, pairs, number),
        Format::Csv => csv(&round, pairs),
        Format::Text if several => {
            let words = pairs.texts(&round).join(" ");
            format!("0x{:04X}  {}    {words}\n", round.seed, round.color_map.letters())
        }
        Format::Text => table(&round, pairs),
    };
    Ok(Box::new(head.into_iter().chain((1..).zip(rounds).map(part))))
}

fn csv(round: &Round, pairs: Pairs) -> String {
    let mut line = format!("0x{:04X},{}", round.seed, round.color_map.letters());
    for pool in &round.pools {
        let digits: [u8; POOL_LEN] = pool.map(|digit| b'0' + digit);
        line.push(',');
        line += std::str::from_utf8(&digits).unwrap_or_default();
    }
    line + &format!(",{},{}\n", round.after, pairs.texts(round).join(" "))
}

fn object(round: &Round, pairs: Pairs, number: u32) -> String {
    let map = round.color_map;
    let coding = Some(map.coding());
    let pool = |id: PoolId| {
        let pairs = (0..).map_while(|number| round.pair(id, number)).take(POOL_PAIRS);
        json::Pool::new(id, pairs, coding)
    };
    let dealt = pairs.of(round);
    let answer = Generated {
        game: ID.id(),
        variant: None,
        options: Options { colors: u8::try_from(pairs.pool.colors()).unwrap_or_default() },
        number,
        seed: format!("0x{:04X}", round.seed),
        state_after: round.after.to_string(),
        piece_seed: None,
        color_order: Some(map.order()),
        pools: PoolId::ALL.map(pool).into(),
        codes: json::codes(&dealt, coding),
        pairs: Some(dealt),
        pieces: None,
        boards: Vec::new(),
    };
    Envelope::new(Kind::Generate, answer).text() + "\n"
}

fn table(round: &Round, pairs: Pairs) -> String {
    let mut all = format!("seed         0x{:04X}\n", round.seed);
    all += &format!("colour map   {}\n", round.color_map.letters());
    for (id, pool) in PoolId::ALL.into_iter().zip(&round.pools) {
        for (row, digits) in pool.chunks(64).enumerate() {
            let name = if row == 0 { id.field() } else { "" };
            let letter = |&digit: &u8| match round.color_map.color(digit) {
                _ if pairs.digits => char::from(b'0' + digit),
                color => color.map_or('?', Color::letter),
            };
            all += &format!("{name:12} {}\n", digits.iter().map(letter).collect::<String>());
        }
    }
    all += &format!("state after  {}  ({CALLS} draws)\n", round.after);
    all += &format!("pairs as dealt ({} colours), axis first:\n", pairs.pool.colors());
    for (row, words) in pairs.texts(round).chunks(16).enumerate() {
        all += &format!("{:6}  {}\n", row * 16 + 1, words.join(" "));
    }
    all
}
