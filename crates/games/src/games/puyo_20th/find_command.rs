//! `find puyo-20th`: which seeds deal the observed pairs, and what they deal next.

use super::options::{COLORS, pool};
use crate::games::puyo_20th::live::observe;
use crate::games::puyo_20th::seeds::{Query, Report, Table, search};
use crate::games::puyo_20th::{ColorMap, PoolId, State};
use crate::options::{NamedRam, OptionKind, OptionSpec, OptionValues};
use crate::pairs::{FindError, FindOutcome, Format, PairSearch, PartialPair, parse_pieces};
use crate::seeds::text::parse_state;
use std::time::Instant;

pub(super) const OPTIONS: &[OptionSpec] = &[
    COLORS,
    OptionSpec::new(
        "pieces",
        OptionKind::Text,
        "Observed pairs in order, axis first, such as \"BG GG ?Y BB\"; ? is an unknown puyo",
    )
    .value_name("PAIRS")
    .required_unless(&["state", "dump"]),
    OptionSpec::new(
        "dump",
        OptionKind::Dump,
        "Use the pool in a RAM dump, a save state, or a frame of a recording",
    )
    .value_name("FILE")
    .conflicts_with(&["pieces", "state", "relabel", "unordered", "at"]),
    OptionSpec::new(
        "frame",
        OptionKind::Frame,
        "Frame to read, if the dump is a recording [default: the first]",
    )
    .value_name("FRAME")
    .requires("dump"),
    OptionSpec::new(
        "relabel",
        OptionKind::Flag,
        "Ignore actual colours: match any renaming, the same for all pairs",
    ),
    OptionSpec::new("unordered", OptionKind::Flag, "Axis and child of each pair may be exchanged"),
    OptionSpec::new(
        "at",
        OptionKind::Number(1, 1_000_000),
        "Number of the first pair given, if earlier ones were missed",
    )
    .value_name("N")
    .default("1"),
    OptionSpec::new(
        "state",
        OptionKind::Text,
        "State of the generator after the round was generated, such as 0x29282724 or decimal",
    )
    .value_name("STATE"),
    OptionSpec::new(
        "limit",
        OptionKind::Number(0, u32::MAX),
        "Maximum number of seeds to print; the count is always of all seeds",
    )
    .value_name("N")
    .default("20"),
    OptionSpec::new(
        "next",
        OptionKind::Number(0, 1_000_000),
        "Number of coming pairs to print for each seed",
    )
    .value_name("N")
    .default("12"),
    OptionSpec::new("csv", OptionKind::Flag, "Print CSV, one line per seed").conflicts_with(&["json"]),
];

struct Search {
    query: Query,
    limit: usize,
    next: u32,
    format: Format,
}

pub(super) fn prepare(values: &OptionValues, format: Format) -> Result<Box<dyn PairSearch>, FindError> {
    let pool = pool(values);
    let pieces = match values.dump("dump") {
        Some(ram) => in_dump(ram, pool)?,
        None => parse_pieces(values.text("pieces").unwrap_or_default())
            .map_err(|error| FindError::BadInput(format!("--pieces: {error}")))?,
    };
    if pieces.is_empty() && !values.has("state") {
        let example = "give at least one pair, as in --pieces \"BG GG ?Y BB\", or --state";
        return Err(FindError::BadInput(example.into()));
    }
    let state = values.text("state").map(parse_state).transpose().map_err(FindError::BadInput)?;
    let at = values.number("at").unwrap_or(1);
    let query = Query {
        relabel: values.has("relabel"),
        unordered: values.has("unordered"),
        state: state.map(State),
        ..Query::sequence(pool, at.saturating_sub(1), &pieces)
    };
    let limit = values.number("limit").map_or(usize::MAX, |limit| limit as usize);
    Ok(Box::new(Search { query, limit, next: values.number("next").unwrap_or(0), format }))
}

impl PairSearch for Search {
    fn run(&self) -> Option<FindOutcome> {
        let started = Instant::now();
        let result = search(Table::shared(), &self.query);
        let seconds = started.elapsed().as_secs_f64();
        let report = Report::new(&self.query, result.as_ref(), self.limit, self.next, seconds);
        let output = match self.format {
            Format::Json => report.json(),
            Format::Csv => report.csv(),
            Format::Text => report.table(),
        };
        let count = result.map_or(0, |answer| answer.seeds.len());
        Some(FindOutcome { output, note: None, count, stopped: false })
    }
}

/// The pairs of a pool in RAM, with the colours of its colour map.
fn in_dump(ram: &NamedRam, pool: PoolId) -> Result<Vec<PartialPair>, FindError> {
    let wrong = |what: &str| FindError::BadInput(format!("{}: {what}", ram.name));
    let (snapshot, profile) = ram.found.as_ref().ok_or_else(|| FindError::BadInput(ram.no_known_game()))?;
    let block = observe(snapshot, profile)?.block.map_err(|error| wrong(&error.to_string()))?;
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
