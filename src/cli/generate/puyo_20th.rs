//! `generate puyo-20th`: one seed, a range of them, or all.

use crate::cli::arguments::{Global, parse_range, random_number};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::game::puyo_20th::{CALLS, Color, POOL_LEN, Pair, Pool, PoolId, Round, Seed};
use crate::json::{self, Coding, ColorOrder, Envelope, Generated, Kind};
use crate::seeds::puyo_20th::Rounds;
use clap::Args;
use nextscope_boards::POOL_PAIRS;
use serde::Serialize;
use std::io::Write;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Seed, 0x0000 to 0xFFFF or decimal; a range such as 0x0000..0x00FF, both ends included; or all
    #[arg(long, value_name = "SEED", required_unless_present = "random", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Use a random seed, which is printed
    #[arg(long, conflicts_with = "seed")]
    random: bool,
    /// Print pools and pairs as digits 0 to 4, before the colour map is applied, instead of letters
    #[arg(long, conflicts_with = "json")]
    digits: bool,
    /// Number of colours, which selects the pool
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    colors: u8,
    /// Number of pairs to print for each seed; they repeat after 128 [default: 128, in a table of several seeds 12]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    count: Option<u32>,
    /// Print CSV, one line per seed
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

#[derive(Serialize)]
struct Options {
    colors: u8,
}

/// A pool as digits. Does not allocate: there are 65,536 games.
struct Digits<'a>(&'a Pool);

impl Digits<'_> {
    fn write<T>(&self, to: impl FnOnce(&str) -> T) -> T {
        let digits: [u8; POOL_LEN] = self.0.map(|digit| b'0' + digit);
        to(std::str::from_utf8(&digits).unwrap_or_default())
    }
}

/// The pairs in dealing order.
struct Pairs<'a> {
    round: &'a Round,
    pool: PoolId,
    count: u32,
    digits: bool,
}

impl Pairs<'_> {
    fn each(&self) -> impl Iterator<Item = Pair> + '_ {
        (0..self.count).filter_map(|number| self.round.pair(self.pool, number))
    }

    /// The pairs as letters or digits.
    fn texts(&self) -> Vec<String> {
        if !self.digits {
            return self.each().map(Pair::letters).collect();
        }
        let (pool, _) = self.round.pools[self.pool.index()].as_chunks::<2>();
        let digits = pool.iter().cycle().take(self.count as usize);
        digits.map(|[axis, child]| format!("{axis}{child}")).collect()
    }

    fn words(&self) -> String {
        self.texts().join(" ")
    }
}

/// The first and the last seed of a seed, a range or `all`.
fn parse_seeds(text: &str) -> Result<(Seed, Seed), Failure> {
    if text.eq_ignore_ascii_case("all") {
        return Ok((Seed::MIN, Seed::MAX));
    }
    let seeds = parse_range(text)
        .and_then(|(first, last)| Some((Seed::try_from(first).ok()?, Seed::try_from(last).ok()?)));
    seeds.ok_or_else(|| {
        Failure::BadInput(format!(
            "invalid seed {text:?}: expected 0x0000 to 0xFFFF or 0 to 65535, a range such as 0x0000..0x00FF, or all"
        ))
    })
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let (first, last) = match &arguments.seed {
        Some(text) => parse_seeds(text)?,
        None => {
            let seed = Seed::try_from(random_number() & 0xFFFF).unwrap_or(Seed::MIN);
            (seed, seed)
        }
    };
    let pool = PoolId::of_colors(usize::from(arguments.colors)).unwrap_or(PoolId::Four);
    let rounds = Rounds::between(first, last);
    let several = rounds.len() > 1;
    let as_text = !global.json && !arguments.csv;
    let default = if several && as_text { 12 } else { 128 };
    let count = arguments.count.unwrap_or(default);
    let mut out = output::buffered();
    if arguments.csv {
        writeln!(out, "seed,color_map,pool_3,pool_4,pool_5,state_after,pairs")?;
    } else if several && as_text {
        writeln!(out, "seed    colours  pairs of a game of {} colours, axis first", arguments.colors)?;
    }
    for (number, round) in (1..).zip(rounds) {
        let pairs = Pairs { round: &round, pool, count, digits: arguments.digits };
        let color_map = round.color_map.letters();
        if global.json {
            let answer = answer(&round, &pairs, number);
            output::write_json(&mut out, &Envelope::new(Kind::Generate, &answer))?;
        } else if arguments.csv {
            write!(out, "0x{:04X},{color_map}", round.seed)?;
            for pool in &round.pools {
                Digits(pool).write(|digits| write!(out, ",{digits}"))?;
            }
            writeln!(out, ",{},{}", round.after, pairs.words())?;
        } else if several {
            writeln!(out, "0x{:04X}  {color_map}    {}", round.seed, pairs.words())?;
        } else {
            print(&mut out, &round, &pairs)?;
        }
    }
    out.flush()?;
    Ok(Exit::Success)
}

fn answer(round: &Round, pairs: &Pairs<'_>, number: u32) -> Generated<Options> {
    let map = round.color_map;
    let coding = Some(Coding::Mapped(map));
    let pool = |id: PoolId| {
        let pairs = (0..).map_while(|number| round.pair(id, number)).take(POOL_PAIRS);
        json::Pool::new(id, pairs, coding)
    };
    let dealt: Vec<Pair> = pairs.each().collect();
    Generated {
        game: crate::game::puyo_20th::ID.id(),
        variant: None,
        options: Options { colors: u8::try_from(pairs.pool.colors()).unwrap_or_default() },
        number,
        seed: format!("0x{:04X}", round.seed),
        state_after: round.after.to_string(),
        piece_seed: None,
        color_order: Some(ColorOrder::of_map(map)),
        pools: PoolId::ALL.map(pool).into(),
        codes: json::codes(&dealt, coding),
        pairs: Some(dealt),
        pieces: None,
    }
}

fn print(out: &mut impl Write, round: &Round, pairs: &Pairs<'_>) -> std::io::Result<()> {
    writeln!(out, "seed         0x{:04X}", round.seed)?;
    writeln!(out, "colour map   {}", round.color_map.letters())?;
    for (id, pool) in PoolId::ALL.into_iter().zip(&round.pools) {
        for (row, digits) in pool.chunks(64).enumerate() {
            let name = if row == 0 { id.field() } else { "" };
            let letter = |&digit: &u8| match round.color_map.color(digit) {
                _ if pairs.digits => char::from(b'0' + digit),
                color => color.map_or('?', Color::letter),
            };
            writeln!(out, "{name:12} {}", digits.iter().map(letter).collect::<String>())?;
        }
    }
    writeln!(out, "state after  {}  ({CALLS} draws)", round.after)?;
    writeln!(out, "pairs as dealt ({} colours), axis first:", pairs.pool.colors())?;
    let words = pairs.texts();
    for (row, words) in words.chunks(16).enumerate() {
        writeln!(out, "{:6}  {}", row * 16 + 1, words.join(" "))?;
    }
    Ok(())
}
