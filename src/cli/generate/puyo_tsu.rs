//! `generate puyo-tsu`.

use crate::cli::arguments::{Global, parse_state, random_number};
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::games::puyo_tsu::{
    Color, Dealer, Dealing, Level, Pair, PoolId, Round, Setup, Shuffle, State, generate,
};
use crate::json::{self, Coding, ColorOrder, Generated, Kind};
use crate::text::hex;
use clap::{Args, ValueEnum};
use serde::Serialize;

#[derive(Debug, Args)]
pub struct Arguments {
    /// State from which the round is generated, such as 0x35879DE2 or decimal
    #[arg(long, value_name = "STATE", required_unless_present = "random", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Use a random state, which is printed
    #[arg(long, conflicts_with = "seed")]
    random: bool,
    /// Print pools and pairs as the game's colour codes instead of letters
    #[arg(long, conflicts_with = "json")]
    digits: bool,
    /// Game mode, which decides which pools are generated
    #[arg(long, value_enum, default_value_t = Mode::Versus)]
    mode: Mode,
    /// Story rank; 2 and above have five colours
    #[arg(long, default_value_t = 0)]
    rank: u8,
    /// Number of puyos that form a group (option menu)
    #[arg(long, default_value_t = 4, value_name = "N")]
    pop_count: u8,
    /// Player level, which selects the pool in versus
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    level: u8,
    /// Number of pairs to print
    #[arg(long, default_value_t = 128, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    count: u32,
    /// Pool of the first three pairs: the 3-colour pool, as in the disassembled game, or the pool of the level, as on the wiki
    #[arg(long, value_parser = ["first-three-from-pool-3", "all-from-level-pool"], default_value = "first-three-from-pool-3")]
    dealing: String,
    /// Shuffle: one stream of random indices for the 3- and the 5-colour pool, as in the disassembled game, or a separate
    /// shuffle for each pool, as on the wiki
    #[arg(long, value_parser = ["shared-index-stream", "three-shuffles"], default_value = "shared-index-stream")]
    shuffle: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    Versus,
    Story,
}

#[derive(Serialize)]
struct Options {
    mode: &'static str,
    rank: u8,
    pop_count: u8,
    level: u8,
    dealing: &'static str,
    shuffle: Shuffle,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let seed = State(match &arguments.seed {
        Some(text) => parse_state(text)?,
        None => random_number(),
    });
    let shuffle = match arguments.shuffle.as_str() {
        "three-shuffles" => Shuffle::ThreeShuffles,
        _ => Shuffle::SharedIndexStream,
    };
    let mode = u8::from(arguments.mode == Mode::Versus);
    let setup = Setup { mode, rank: arguments.rank, pop_count: arguments.pop_count, shuffle };
    let round = generate(seed, setup);
    let dealing = Dealing::from_id(&arguments.dealing).unwrap_or_default();
    let dealer = Dealer { mode, level: Level(arguments.level - 1), dealing };
    let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
    let pairs: Vec<Pair> = (0..arguments.count).filter_map(|n| dealer.pair(&pools, n)).collect();
    if global.json {
        let coding = Some(Coding::Colors);
        let pool = |id: PoolId| {
            let (pairs, _) = round.pool(id)?.as_chunks::<2>();
            Some(json::Pool::new(
                id,
                pairs.iter().map(|&[axis, child]| Pair::from_bytes(axis, child)),
                coding,
            ))
        };
        let options = Options {
            mode: if setup.is_versus() { "versus" } else { "story" },
            rank: arguments.rank,
            pop_count: arguments.pop_count,
            level: arguments.level,
            dealing: dealing.id(),
            shuffle,
        };
        let answer = Generated {
            game: crate::games::puyo_tsu::ID.id(),
            variant: None,
            options,
            number: 1,
            seed: seed.to_string(),
            state_after: round.after.to_string(),
            piece_seed: None,
            color_order: Some(ColorOrder::of_set(&round.color_set)),
            pools: PoolId::ALL.into_iter().filter_map(pool).collect(),
            codes: json::codes(&pairs, coding),
            pairs: Some(pairs),
            pieces: None,
        };
        output::object(Kind::Generate, answer)?;
    } else {
        print(&round, setup, &pairs, arguments)?;
    }
    Ok(Exit::Success)
}

fn print(round: &Round, setup: Setup, pairs: &[Pair], arguments: &Arguments) -> anyhow::Result<()> {
    let letters = |bytes: &[u8]| bytes.iter().map(|&byte| Color(byte).letter()).collect::<String>();
    let pool_text = |bytes: &[u8]| match arguments.digits {
        true => bytes.iter().map(|byte| char::from(b'0' + byte % 10)).collect(),
        false => letters(bytes),
    };
    output::line(format!("seed         {}", round.before))?;
    output::line(format!("colour set   {}  ({})", hex(&round.color_set), letters(&round.color_set[..5])))?;
    for (id, colors) in PoolId::ALL.into_iter().zip(setup.colors()) {
        let (Some(pool), Some(colors)) = (round.pool(id), colors) else { continue };
        let field = id.field();
        for (row, bytes) in pool.chunks(64).enumerate() {
            let name = if row == 0 { format!("{field} ({colors})") } else { String::new() };
            output::line(format!("{name:12} {}", pool_text(bytes)))?;
        }
    }
    output::line(format!("state after  {}", round.after))?;
    let mode = if setup.is_versus() { format!("level {}", arguments.level) } else { "story".into() };
    output::line(format!("pairs as dealt ({mode}), axis first:"))?;
    for (row, pairs) in pairs.chunks(16).enumerate() {
        let word = |pair: &Pair| if arguments.digits { pair.codes() } else { pair.letters() };
        let pairs: Vec<String> = pairs.iter().map(word).collect();
        output::line(format!("{:6}  {}", row * 16, pairs.join(" ")))?;
    }
    Ok(())
}
