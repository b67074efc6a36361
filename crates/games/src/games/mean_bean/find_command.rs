//! `find mean-bean` and `find puyo-puyo-1`: the states before a round from its pairs, its pools or a RAM dump.

use super::options::{MODES, PUYO_MODES, level, setup};
use crate::games::GameId;
use crate::games::mean_bean::live::observe;
use crate::games::mean_bean::seeds::{Observations, Origin, Query, Report, find, origin_after, origins};
use crate::games::mean_bean::{Setup, State, miscounted};
use crate::options::{NamedBytes, NamedRam, OptionKind, OptionSpec, OptionValues};
use crate::pairs::{FindError, FindOutcome, Format, PairSearch, StateStream, parse_pieces};
use crate::seeds::text::parse_state;
use nextscope_boards::Vectors;
use nextscope_boards::{POOL_LEN, Pool};
use nextscope_task::Progress;
use std::time::Instant;

const BEFORE_MODE: [OptionSpec; 9] = [
    OptionSpec::new(
        "pieces",
        OptionKind::Text,
        "Observed pairs in order, axis first, such as \"RB GG ?Y\" of R Y G P B; ? is unknown",
    )
    .value_name("PAIRS")
    .conflicts_with(&["dump"]),
    OptionSpec::new("unordered", OptionKind::Flag, "Axis and child of each pair may be exchanged")
        .requires("pieces"),
    OptionSpec::new(
        "relabel",
        OptionKind::Flag,
        "Ignore actual colours: match any renaming, the same for all pairs",
    )
    .requires("pieces"),
    OptionSpec::new("at", OptionKind::Number(1, 1_000_000), "Number of the first of these pairs in the round")
        .value_name("N")
        .default("1")
        .requires("pieces"),
    OptionSpec::new(
        "pools",
        OptionKind::File,
        "Pools as in RAM: 512 bytes (both pools) or 256 (the first), raw or as hexadecimal text in which ?? is an unknown byte",
    )
    .value_name("FILE")
    .conflicts_with(&["dump"]),
    OptionSpec::new(
        "after",
        OptionKind::Text,
        "State right after the round was generated, with complete pools: the generation that ends there",
    )
    .value_name("STATE")
    .requires("pools"),
    OptionSpec::new(
        "dump",
        OptionKind::Dump,
        "Take the pools from a dump of work RAM (65,536 bytes), a save state or a recording",
    )
    .value_name("RAM"),
    OptionSpec::new(
        "frame",
        OptionKind::Frame,
        "Frame to read, if the dump is a recording [default: the first]",
    )
    .value_name("FRAME")
    .requires("dump"),
    OptionSpec::new(
        "level",
        OptionKind::Number(1, 5),
        "Level of the player of the observed pairs, which selects the pool in versus",
    )
    .value_name("N")
    .default("3"),
];

const AFTER_MODE: [OptionSpec; 3] = [
    OptionSpec::new("limit", OptionKind::Number(0, u32::MAX), "Maximum number of states to print")
        .value_name("N")
        .default("100"),
    OptionSpec::new("csv", OptionKind::Flag, "Print the states as CSV").conflicts_with(&["json"]),
    OptionSpec::new(
        "stream",
        OptionKind::Flag,
        "Print each state as soon as it is found, one per line, in no order and without --limit, then the summary",
    )
    .conflicts_with(&["dump"]),
];

const fn with_mode(mode: OptionSpec) -> [OptionSpec; 13] {
    let [pieces, unordered, relabel, at, pools, after, dump, frame, level] = BEFORE_MODE;
    let [limit, csv, stream] = AFTER_MODE;
    let mode = mode.conflicts_with(&["dump"]);
    [pieces, unordered, relabel, at, pools, after, dump, frame, level, mode, limit, csv, stream]
}

pub(super) const OPTIONS: &[OptionSpec] = &with_mode(MODES[1]);
pub(super) const PUYO_OPTIONS: &[OptionSpec] = &with_mode(PUYO_MODES[1]);

struct Search {
    game: GameId,
    observed: Observations,
    query: Query,
    /// Complete pools, for which interrupted generations are tried as well.
    complete: Option<[Pool; 2]>,
    after: Option<State>,
    limit: usize,
    format: Format,
    progress: Progress,
    stream: Option<StateStream<State>>,
}

pub(super) fn prepare(
    game: GameId,
    values: &OptionValues,
    format: Format,
) -> Result<Box<dyn PairSearch>, FindError> {
    let observed = match values.dump("dump") {
        Some(ram) => from_dump(ram, values)?,
        None => from_values(values).map_err(FindError::BadInput)?,
    };
    let after = values.text("after").map(parse_state).transpose().map_err(FindError::BadInput)?;
    let query = match Query::new(&observed) {
        Ok(query) => query,
        Err(why) => {
            let report = Report::impossible(game, values.number("at").unwrap_or(1), &why);
            return Ok(Box::new(FindOutcome::impossible(format, &why, report.table(), report.json())));
        }
    };
    if query.known_bytes() == 0 {
        return Err(FindError::BadInput("nothing to search for: give --pieces, --pools or --dump".into()));
    }
    let complete = complete_pools(&observed);
    if after.is_some() && complete.is_none() {
        let what = "--after: this needs complete pools, both of them in versus";
        return Err(FindError::BadInput(what.into()));
    }
    let limit = values.number("limit").map_or(usize::MAX, |limit| limit as usize);
    let (progress, stream) = (Progress::default(), StateStream::new(values, format));
    let after = after.map(State);
    Ok(Box::new(Search { game, observed, query, complete, after, limit, format, progress, stream }))
}

/// Both pools if every byte is known. One is enough in the story.
fn complete_pools(observed: &Observations) -> Option<[Pool; 2]> {
    let known = |pool: usize| -> Option<Pool> {
        let bytes: Option<Vec<u8>> = observed.pools[pool]?.into_iter().collect();
        bytes?.try_into().ok()
    };
    let first = known(0)?;
    let second = if observed.setup.is_versus() { known(1)? } else { known(1).unwrap_or(first) };
    (observed.pairs.is_empty()).then_some([first, second])
}

impl Search {
    /// The generations of complete pools inside which the generator was stepped once more.
    fn interrupted(&self) -> Vec<Origin> {
        let Some(pools) = &self.complete else { return Vec::new() };
        let setup = self.observed.setup;
        let all = match self.after {
            Some(after) => origin_after(pools, setup, after).into_iter().collect(),
            None => origins(pools, setup, self.progress.cancel_flag()).unwrap_or_default(),
        };
        all.into_iter().filter(|origin| origin.wrong == 0).collect()
    }
}

impl PairSearch for Search {
    fn is_quick(&self) -> bool {
        self.after.is_some()
    }

    fn share(&self) -> f64 {
        self.progress.share()
    }

    fn end(&self, with_result: bool) {
        if with_result { self.progress.stop() } else { self.progress.cancel() }
    }

    fn found(&self) -> Vec<String> {
        self.stream.as_ref().map(StateStream::lines).unwrap_or_default()
    }

    fn run(&self) -> Option<FindOutcome> {
        let started = Instant::now();
        let sink = self.stream.as_ref().map(|stream| &stream.sink);
        let found = if self.after.is_some() {
            None
        } else {
            Some(find(&self.query, Vectors::widest(), &self.progress, sink)?)
        };
        let none = found.as_ref().is_none_or(|found| found.states.is_empty() && !found.stopped);
        let interrupted = if none { self.interrupted() } else { Vec::new() };
        if self.progress.is_cancelled() {
            return None;
        }
        let seconds = started.elapsed().as_secs_f64();
        let (game, known, limit) = (self.game, self.query.known_bytes(), self.limit);
        let (report, count, stopped) = match found.filter(|_| interrupted.is_empty()) {
            Some(found) => (
                Report::new(game, &self.observed, known, &found, limit, seconds),
                found.states.len(),
                found.stopped,
            ),
            None => (
                Report::of_origins(game, &self.observed, known, &interrupted, limit, seconds),
                interrupted.len(),
                false,
            ),
        };
        let output = match self.format {
            Format::Json => report.json(),
            Format::Text => report.table(),
            Format::Csv if self.stream.is_none() => report.csv(),
            Format::Csv => String::new(),
        };
        Some(FindOutcome { output, note: None, count, stopped })
    }
}

fn from_values(values: &OptionValues) -> Result<Observations, String> {
    let setup = setup(values).unwrap_or(Setup::VERSUS);
    let mut observed = Observations::empty(setup, level(values));
    observed.unordered = values.has("unordered");
    observed.relabel = values.has("relabel");
    if let Some(file) = values.file("pools") {
        observed.pools = read_pools(file)?;
    }
    if let Some(text) = values.text("pieces") {
        let pairs = parse_pieces(text).map_err(|error| format!("--pieces: {error}"))?;
        let first = values.number("at").unwrap_or(1).saturating_sub(1);
        observed.pairs = (first..).zip(pairs).collect();
    }
    Ok(observed)
}

/// The pools of a RAM dump. They show the mode in which they were generated.
fn from_dump(ram: &NamedRam, values: &OptionValues) -> Result<Observations, FindError> {
    let Some((snapshot, profile)) = &ram.found else {
        return Err(FindError::Negative(ram.no_known_game()));
    };
    let observation = observe(snapshot, profile)?;
    let pools = &observation.pools;
    let generated = |setup: &Setup| miscounted(pools, *setup) == Some(0);
    let setup = std::iter::once(observation.setup).chain(Setup::ALL).find(generated);
    let mut observed = Observations::empty(setup.unwrap_or(observation.setup), level(values));
    observed.pools = pools.map(|pool| Some(pool.map(Some)));
    Ok(observed)
}

fn read_pools(file: &NamedBytes) -> Result<[Option<[Option<u8>; POOL_LEN]>; 2], String> {
    let known = file.known_bytes(&[POOL_LEN, 512]);
    let (pools, rest) = known.as_chunks::<POOL_LEN>();
    match (pools, rest) {
        ([first], []) => Ok([Some(*first), None]),
        ([first, second], []) => Ok([Some(*first), Some(*second)]),
        _ => Err(format!("{}: expected pools of 512 or 256 bytes, raw or as hexadecimal digits", file.name)),
    }
}
