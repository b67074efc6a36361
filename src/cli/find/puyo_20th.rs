//! `find puyo-20th`: which games deal the pairs that were seen, and what they deal next.

use crate::cli::arguments::{Global, parse_state};
use crate::cli::exit::{Exit, Failure};
use crate::cli::{output, ram_file};
use crate::game::GameId;
use crate::game::puyo_20th::{ColorMap, PoolId, State};
use crate::live::puyo_20th::observe;
use crate::seeds::puyo_20th::{Query, Report, Seen, Table, parse_pieces, search};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Args)]
#[command(
    override_usage = "nextscope find puyo-20th --pieces <PAIRS> [OPTIONS]\n       nextscope find puyo-20th --dump <FILE> [OPTIONS]\n       \
                            nextscope find puyo-20th --state <STATE> [OPTIONS]"
)]
pub struct Arguments {
    /// Number of colours of the game, which decides the pool that is dealt from
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    colors: u8,
    /// The pairs as they were dealt, axis first: "BG GG ?Y BB"; ? is a puyo that is not known
    #[arg(long, value_name = "PAIRS", required_unless_present_any = ["state", "dump"])]
    pieces: Option<String>,
    /// The pairs of the pool that stands in a dump of RAM, in a save state, or in a frame of a recording
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pieces", "state", "relabel", "unordered", "at"])]
    dump: Option<PathBuf>,
    /// The dump is a recording: look at this frame of it
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// The colours are only names: any renaming fits, the same for all pairs
    #[arg(long)]
    relabel: bool,
    /// Each pair may be the other way round
    #[arg(long)]
    unordered: bool,
    /// Number of the first pair given, when earlier ones were missed
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    at: u32,
    /// State of the random number generator after the generation, 0x29282724 or decimal
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// Games to print at most; the count is always that of all
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Coming pairs to print for each game
    #[arg(long, default_value_t = 12, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    next: u32,
    /// Print comma-separated values, a line for each game
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let began = Instant::now();
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
    let seconds = began.elapsed().as_secs_f64();
    let report = Report::new(&query, result.as_ref(), arguments.limit, arguments.next, seconds);
    match (global.json, arguments.csv) {
        (true, _) => output::json(&report.object())?,
        (false, true) => output::text(&report.csv())?,
        (false, false) => output::text(&report.table())?,
    }
    Ok(Exit::from_answer(result.is_ok_and(|answer| !answer.seeds.is_empty())))
}

/// The pairs of a pool in RAM, as its colour map colours them.
fn in_dump(global: &Global, path: &Path, frame: Option<u64>, pool: PoolId) -> anyhow::Result<Vec<Seen>> {
    let wrong = |what: &str| Failure::BadInput(format!("{}: {what}", path.display()));
    let found = ram_file::open(global, path, frame)?;
    let (snapshot, profile) = found.ok_or_else(|| wrong("no anchor of any profile stands in this RAM"))?;
    ram_file::require_game(path, &profile, GameId::Puyo20th)?;
    let block = observe(&snapshot, &profile)?.block.map_err(|error| wrong(&error.to_string()))?;
    let map = ColorMap::from_cells(block.map_cells);
    let map =
        map.ok_or_else(|| wrong("no round was generated yet, or its colour map is none; try another frame"))?;
    let digits = block.pools[pool.index()];
    Ok(digits
        .chunks_exact(2)
        .map(|pair| Seen { axis: map.color(pair[0]), child: map.color(pair[1]) })
        .collect())
}
