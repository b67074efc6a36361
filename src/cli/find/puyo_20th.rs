//! `find puyo-20th`: which games deal the pairs that were seen, and what they deal next.

use super::super::generate::parse_state;
use super::super::{Exit, Failure, Global, output};
use crate::game::puyo_20th::{PoolId, State};
use crate::seeds::puyo_20th::{Query, Report, Table, parse_pieces, search};
use clap::Args;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Number of colours of the game, which decides the pool that is dealt from
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    colors: u8,
    /// The pairs as they were dealt, axis first: "BG GG ?Y BB"; ? is a puyo that is not known
    #[arg(long, value_name = "PAIRS", required_unless_present = "state")]
    pieces: Option<String>,
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
    let text = arguments.pieces.as_deref().unwrap_or_default();
    let pieces = parse_pieces(text).map_err(|error| Failure::BadInput(format!("--pieces: {error}")))?;
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
    output::text(&match (global.json, arguments.csv) {
        (true, _) => report.json(),
        (false, true) => report.csv(),
        (false, false) => report.table(),
    })?;
    Ok(if result.is_ok_and(|answer| !answer.seeds.is_empty()) { Exit::Yes } else { Exit::No })
}
