//! `find puyo-20th`: which seeds deal the observed pairs, and what they deal next.

use crate::cli::arguments::{Global, parse_state};
use crate::cli::exit::{Exit, Failure};
use crate::cli::{output, ram_file};
use crate::games::puyo_20th::live::observe;
use crate::games::puyo_20th::seeds::{PartialPair, Query, Report, Table, parse_pieces, search};
use crate::games::puyo_20th::{ColorMap, PoolId, State};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Args)]
#[command(
    override_usage = "nextscope find puyo-20th --pieces <PAIRS> [OPTIONS]\n       nextscope find puyo-20th --dump <FILE> [OPTIONS]\n       \
                            nextscope find puyo-20th --state <STATE> [OPTIONS]"
)]
pub struct Arguments {
    /// Number of colours, which selects the pool
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    colors: u8,
    /// Observed pairs in order, axis first, such as "BG GG ?Y BB"; ? is an unknown puyo
    #[arg(long, value_name = "PAIRS", required_unless_present_any = ["state", "dump"])]
    pieces: Option<String>,
    /// Use the pool in a RAM dump, a save state, or a frame of a recording
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pieces", "state", "relabel", "unordered", "at"])]
    dump: Option<PathBuf>,
    /// Frame to read, if the dump is a recording [default: the first]
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// Ignore actual colours: match any renaming, the same for all pairs
    #[arg(long)]
    relabel: bool,
    /// Axis and child of each pair may be exchanged
    #[arg(long)]
    unordered: bool,
    /// Number of the first pair given, if earlier ones were missed
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    at: u32,
    /// State of the generator after the round was generated, such as 0x29282724 or decimal
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// Maximum number of seeds to print; the count is always of all seeds
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Number of coming pairs to print for each seed
    #[arg(long, default_value_t = 12, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    next: u32,
    /// Print CSV, one line per seed
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let pool = PoolId::of_colors(usize::from(arguments.colors)).unwrap_or(PoolId::Four);
    let pieces = match &arguments.dump {
        Some(path) => in_dump(global, path, arguments.frame, pool)?,
        None => {
            let text = arguments.pieces.as_deref().unwrap_or_default();
            parse_pieces(text).map_err(|error| Failure::BadInput(format!("--pieces: {error}")))?
        }
    };
    if pieces.is_empty() && arguments.state.is_none() {
        let example = "give at least one pair, as in --pieces \"BG GG ?Y BB\", or --state";
        return Err(Failure::BadInput(example.into()).into());
    }
    let state = arguments.state.as_deref().map(parse_state).transpose()?.map(State);
    let query = Query {
        relabel: arguments.relabel,
        unordered: arguments.unordered,
        state,
        ..Query::sequence(pool, arguments.at - 1, &pieces)
    };
    let result = search(Table::shared(), &query);
    let seconds = started.elapsed().as_secs_f64();
    let report = Report::new(&query, result.as_ref(), arguments.limit, arguments.next, seconds);
    match (global.json, arguments.csv) {
        (true, _) => output::json(&report.object())?,
        (false, true) => output::text(&report.csv())?,
        (false, false) => output::text(&report.table())?,
    }
    Ok(Exit::from_answer(result.is_ok_and(|answer| !answer.seeds.is_empty())))
}

/// The pairs of a pool in RAM, with the colours of its colour map.
fn in_dump(
    global: &Global,
    path: &Path,
    frame: Option<u64>,
    pool: PoolId,
) -> anyhow::Result<Vec<PartialPair>> {
    let wrong = |what: &str| Failure::BadInput(format!("{}: {what}", path.display()));
    let found = ram_file::open(global, path, frame)?;
    let (snapshot, profile) = found.ok_or_else(|| wrong(ram_file::NO_KNOWN_GAME))?;
    ram_file::require_game(path, &profile, crate::games::puyo_20th::ID)?;
    let block = observe(&snapshot, &profile)?.block.map_err(|error| wrong(&error.to_string()))?;
    let map = ColorMap::from_cells(block.map_cells);
    let map = map.ok_or_else(|| {
        wrong("no round was generated yet, or its colour map is invalid; try another frame")
    })?;
    let digits = block.pools[pool.index()];
    Ok(digits
        .chunks_exact(2)
        .map(|pair| PartialPair { axis: map.color(pair[0]), child: map.color(pair[1]) })
        .collect())
}
