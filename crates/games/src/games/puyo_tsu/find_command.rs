//! `find puyo-tsu`: the states before a round from its pools, pairs, a RAM dump or the state afterwards.

use super::options::{DEALING, MODE, POP_COUNT, RANK, SHUFFLE, dealing, level, setup};
use crate::games::puyo_tsu::live::observe;
use crate::games::puyo_tsu::seeds::{
    Effort, FoundStates, Impossible, MAX_COMPARED, Method, Observations, ObservedPair, Query, Report,
    classes, color_set_of, find_streaming, walk_back,
};
use crate::games::puyo_tsu::{Color, POOL_LEN, PoolId, Setup, State, flaws, looks_generated};
use crate::options::{NamedBytes, NamedRam, OptionKind, OptionSpec, OptionValues};
use crate::pairs::{FindError, FindOutcome, Format, PairSearch, StateStream};
use crate::seeds::text::{parse_hex, parse_state};
use nextscope_task::Progress;
use std::num::NonZeroUsize;
use std::time::Instant;

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "pools",
        OptionKind::File,
        "Pools as in RAM: 768 bytes (3-, 4- and 5-colour pool) or 256 (the 4-colour pool), raw or as hexadecimal text in which ?? is an unknown byte",
    )
    .value_name("FILE")
    .conflicts_with(&["dump"]),
    OptionSpec::new(
        "color-set",
        OptionKind::Text,
        "Colour set: 8 bytes or the first 5, such as 0400050301",
    )
    .value_name("HEX")
    .conflicts_with(&["dump"]),
    OptionSpec::new(
        "pieces",
        OptionKind::Text,
        "Observed pairs in order, axis first, such as \"RB GG ?Y\" of R Y G P B; ? is unknown",
    )
    .value_name("PAIRS")
    .conflicts_with(&["dump"]),
    OptionSpec::new("unordered", OptionKind::Flag, "Axis and child of each pair may be exchanged")
        .requires("pieces"),
    OptionSpec::new("at", OptionKind::Number(1, 1_000_000), "Number of the first of these pairs in the round")
        .value_name("N")
        .default("1")
        .requires("pieces"),
    OptionSpec::new(
        "dump",
        OptionKind::Dump,
        "Take colour set, pools and state from a dump of work RAM (65,536 bytes), a save state or a recording",
    )
    .value_name("RAM")
    .conflicts_with(&["after"]),
    OptionSpec::new(
        "frame",
        OptionKind::Frame,
        "Frame to read, if the dump is a recording [default: the first]",
    ).value_name("FRAME")
    .requires("dump"),
    OptionSpec::new(
        "after",
        OptionKind::Text,
        "State right after the round was generated; the state before it is computed without a search",
    )
    .value_name("STATE"),
    OptionSpec::new(
        "level",
        OptionKind::Number(1, 5),
        "Level of the player of the observed pairs, which selects the pool in versus [default: 3]",
    ).value_name("LEVEL"),
    MODE.conflicts_with(&["dump"]),
    RANK.conflicts_with(&["dump"]),
    POP_COUNT.conflicts_with(&["dump"]),
    DEALING,
    SHUFFLE,
    OptionSpec::new("threads", OptionKind::Number(1, 1024), "Number of threads [default: one per core]")
        .value_name("N"),
    OptionSpec::new("limit", OptionKind::Number(0, u32::MAX), "Maximum number of states to print")
        .value_name("N")
        .default("100"),
    OptionSpec::new("csv", OptionKind::Flag, "Print the states as CSV").conflicts_with(&["json"]),
    OptionSpec::new(
        "stream",
        OptionKind::Flag,
        "Print each state as soon as it is found, one per line, in no order and without --limit, then the summary",
    )
    .conflicts_with(&["after", "dump"]),
];

pub(super) fn prepare(values: &OptionValues, format: Format) -> Result<Box<dyn PairSearch>, FindError> {
    let (observed, after) = match values.dump("dump") {
        Some(ram) => {
            let (observed, state) = from_dump(ram, values)?;
            (Ok(observed), Some(state))
        }
        None => {
            let after = values.text("after").map(parse_state).transpose().map_err(FindError::BadInput)?;
            (from_values(values)?, after.map(State))
        }
    };
    let ready = observed.and_then(|observed| Ok((Query::new(&observed)?, observed)));
    let (query, observed) = match ready {
        Ok(ready) => ready,
        Err(why) => {
            let report = Report::impossible(values.number("at").unwrap_or(1), &why);
            return Ok(Box::new(FindOutcome::impossible(format, &why, report.table(), report.json())));
        }
    };
    if after.is_none() && query.known_bytes() == 0 {
        let what = "nothing to search for: give --pieces, --pools, --dump or --after";
        return Err(FindError::BadInput(what.into()));
    }
    let mut effort = Effort::default();
    if let Some(threads) = values.number("threads").and_then(|n| NonZeroUsize::new(n as usize)) {
        effort.threads = threads;
    }
    let limit = values.number("limit").map_or(usize::MAX, |limit| limit as usize);
    let stream = StateStream::new(values, format);
    let progress = Progress::default();
    let searched_after = values.has("after");
    Ok(Box::new(Search { observed, query, after, searched_after, effort, limit, format, progress, stream }))
}

struct Search {
    observed: Observations,
    query: Query,
    /// The state after the round, if known.
    after: Option<State>,
    /// Whether that state alone is the question, so that there is nothing to search if no state leads to it.
    searched_after: bool,
    effort: Effort,
    limit: usize,
    format: Format,
    progress: Progress,
    stream: Option<StateStream<State>>,
}

impl PairSearch for Search {
    fn is_quick(&self) -> bool {
        self.searched_after
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
        let walked = self.after.map(|after| walk_back(after, &self.query)).unwrap_or_default();
        let (found, method) = if self.searched_after || !walked.is_empty() {
            (FoundStates { states: walked, complete: true, stopped: false }, Method::WalkedBack)
        } else {
            let found = find_streaming(&self.query, self.effort, &self.progress, sink)?;
            (found, Method::Searched(self.effort))
        };
        let seconds = started.elapsed().as_secs_f64();
        let answer = (found.complete && found.states.len() <= MAX_COMPARED)
            .then(|| classes(&found.states, self.query.setup(), self.query.dealer()));
        let (observed, query, answer) = (&self.observed, &self.query, answer.as_ref());
        let report = Report::new(observed, query, &found, answer, method, self.limit, seconds);
        let output = match self.format {
            Format::Json => report.json(),
            Format::Text => report.table(),
            Format::Csv if self.stream.is_none() => report.csv(),
            Format::Csv => String::new(),
        };
        Some(FindOutcome { output, note: None, count: found.states.len(), stopped: found.stopped })
    }
}

fn from_values(values: &OptionValues) -> Result<Result<Observations, Impossible>, FindError> {
    let mut observed = Observations::empty(setup(values));
    observed.level = level(values).unwrap_or(observed.level);
    observed.dealing = dealing(values);
    observed.unordered = values.has("unordered");
    if let Some(file) = values.file("pools") {
        observed.pools = read_pools(file).map_err(FindError::BadInput)?;
        if !observed.setup.is_versus() {
            observed.pools[PoolId::Five.index()] = None; // story mode leaves the pool of an earlier round
        }
    }
    if let Some(text) = values.text("pieces") {
        let first = values.number("at").unwrap_or(1).saturating_sub(1);
        observed.pairs = parse_pairs(text, first).map_err(FindError::BadInput)?;
    }
    if let Some(text) = values.text("color-set") {
        let bytes = color_set_bytes(text).ok_or_else(|| {
            FindError::BadInput(format!(
                "invalid colour set {text:?}: expected 8 bytes or the first 5, such as 0400050301"
            ))
        })?;
        match color_set_of(&bytes) {
            Ok(set) => observed.color_set = Some(set),
            Err(impossible) => return Ok(Err(impossible)),
        }
    }
    Ok(Ok(observed))
}

/// The bytes of a colour set, all or the first five.
pub(super) fn color_set_bytes(text: &str) -> Option<Vec<u8>> {
    let bytes: Option<Vec<u8>> = parse_hex(text)?.into_iter().collect();
    bytes.filter(|bytes| matches!(bytes.len(), 5 | 8))
}

/// Colour set, pools and state of a RAM dump.
fn from_dump(ram: &NamedRam, values: &OptionValues) -> Result<(Observations, State), FindError> {
    let Some((snapshot, profile)) = &ram.found else {
        return Err(FindError::Negative(ram.no_known_game()));
    };
    let observation = observe(snapshot, profile)?;
    let mut setup = observation.setup;
    // Mode and options may have changed since the round started; the pools show what they were.
    if !flaws(observation.color_set, &observation.pools, setup).is_empty()
        && let Some(used) = looks_generated(observation.color_set, &observation.pools)
    {
        setup = Setup { shuffle: setup.shuffle, ..used };
    }
    let mut observed = Observations::empty(setup);
    observed.level = level(values).unwrap_or(observation.players[0].level);
    observed.dealing = observation.dealing;
    observed.color_set = Some(observation.color_set);
    for id in PoolId::ALL {
        let exists = setup.colors()[id.index()].is_some();
        observed.pools[id.index()] = exists.then(|| observation.pools[id.index()].map(Some));
    }
    Ok((observed, observation.state))
}

type KnownPools = [Option<[Option<u8>; POOL_LEN]>; 3];

fn read_pools(file: &NamedBytes) -> Result<KnownPools, String> {
    let known = file.known_bytes(&[POOL_LEN, 768]);
    let (pools, rest) = known.as_chunks::<POOL_LEN>();
    match (pools, rest) {
        ([four], []) => Ok([None, Some(*four), None]),
        ([three, four, five], []) => Ok([Some(*three), Some(*four), Some(*five)]),
        _ => Err(format!("{}: expected pools of 768 or 256 bytes, raw or as hexadecimal digits", file.name)),
    }
}

/// Pairs from letters; the first one has the index `first` in the round.
fn parse_pairs(text: &str, first: u32) -> Result<Vec<ObservedPair>, String> {
    let color = |letter: char| match letter.to_ascii_uppercase() {
        'R' => Some(Some(Color(0))),
        'Y' => Some(Some(Color(1))),
        'G' => Some(Some(Color(3))),
        'P' => Some(Some(Color(4))),
        'B' => Some(Some(Color(5))),
        '?' => Some(None),
        _ => None,
    };
    let words = text.split([' ', ',', ';', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    (first..)
        .zip(words)
        .map(|(deal_index, word)| {
            let letters: Option<Vec<_>> = word.chars().map(color).collect();
            match letters.as_deref() {
                Some(&[axis, child]) => Ok(ObservedPair { deal_index, axis, child }),
                _ => Err(format!(
                    "invalid pair {word:?} (pair {} of --pieces): expected two of R Y G P B, or ? for unknown",
                    deal_index - first + 1
                )),
            }
        })
        .collect()
}
