//! `find dr-mario`: which starts give the observed capsules and viruses.

use super::options::{LEVEL, LEVEL_2, parse_state};
use super::starts::{BottlePattern, Query, frames_between, search};
use super::{BOOT_STATE, COLORS, COLUMNS, ID, Levels, PERIOD, ROWS, Round, State, virus_count};
use crate::json::{Envelope, Found, FoundState, Kind, Searched};
use crate::options::{BoardSpec, OptionKind, OptionSpec, OptionValues};
use crate::pairs::{FindError, FindOutcome, Format, PairSearch, parse_pieces};
use crate::seeds::text::{grouped, table};
use serde::Serialize;
use std::time::Instant;

const BOTTLE: BoardSpec = BoardSpec { columns: COLUMNS, rows: ROWS, signs: &['?', '.', 'Y', 'R', 'B', '*'] };

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "capsules",
        OptionKind::Text,
        "Observed capsules in the order in which they fall, left half first, such as \"YR B? ??\"",
    )
    .value_name("PAIRS")
    .required_unless(&["bottle", "bottle-2"]),
    OptionSpec::new(
        "bottle",
        OptionKind::Board(&BOTTLE),
        "Viruses at the start of the round: rows of 8 cells from the top, separated by /, such as \"..?...R./.Y*.B...\"; \
        empty rows at the top can be left out. Y, R, B: a virus; *: a virus of unknown colour; .: empty; ?: unknown",
    )
    .value_name("ROWS"),
    OptionSpec::new(
        "bottle-2",
        OptionKind::Board(&BOTTLE),
        "The viruses of player 2, for two players on different levels",
    )
    .value_name("ROWS")
    .requires("level-2"),
    OptionSpec { help: "Level [default: by the number of viruses, if no cell is unknown]", ..LEVEL },
    LEVEL_2,
    OptionSpec::new("unordered", OptionKind::Flag, "The halves of each capsule may be exchanged"),
    OptionSpec::new(
        "at",
        OptionKind::Number(1, 1_000_000),
        "Number of the first capsule given, if earlier ones were missed",
    )
    .value_name("N")
    .default("1"),
    OptionSpec::new(
        "now",
        OptionKind::Text,
        "State on the options screen from which frames are counted [default: 0x8988, after power-on]",
    )
    .value_name("STATE"),
    OptionSpec::new(
        "limit",
        OptionKind::Number(0, u32::MAX),
        "Maximum number of starts to print; the count is always of all starts",
    )
    .value_name("N")
    .default("20"),
    OptionSpec::new(
        "next",
        OptionKind::Number(0, 1_000_000),
        "Number of coming capsules to print for each start",
    )
    .value_name("N")
    .default("12"),
    OptionSpec::new("csv", OptionKind::Flag, "Print CSV, one line per start").conflicts_with(&["json"]),
];

#[derive(Clone, Serialize)]
struct QueryReport {
    /// Letters, `?` for an unknown half.
    pairs: Vec<String>,
    at: u32,
    unordered: bool,
    level: Option<u8>,
    level_2: Option<u8>,
    bottle: Option<String>,
    bottle_2: Option<String>,
    now: String,
}

struct Search {
    query: Query,
    report: QueryReport,
    now: State,
    limit: usize,
    next: u32,
    format: Format,
}

/// A start that matches.
struct Start {
    state: State,
    after: State,
    frames: u16,
    next: Vec<String>,
}

pub(super) fn prepare(values: &OptionValues, format: Format) -> Result<Box<dyn PairSearch>, FindError> {
    let bad = FindError::BadInput;
    let capsules = parse_pieces(values.text("capsules").unwrap_or_default())
        .map_err(|error| bad(format!("--capsules: {error}")))?;
    if capsules.iter().flat_map(|capsule| capsule.known()).any(|color| !COLORS.contains(&color)) {
        return Err(bad("--capsules: a capsule is yellow, red or blue: use Y, R, B, or ?".into()));
    }
    let mut bottles = [None; 2];
    for (bottle, name) in bottles.iter_mut().zip(["bottle", "bottle-2"]) {
        let parse = |text| BottlePattern::parse(text).map_err(|error| bad(format!("--{name}: {error}")));
        *bottle = values.text(name).map(parse).transpose()?;
    }
    if capsules.iter().all(|capsule| capsule.known().count() == 0) && bottles == [None; 2] {
        let example = "give at least one capsule, as in --capsules \"YR B? ??\", or --bottle";
        return Err(bad(example.into()));
    }
    let level = values.byte("level").or_else(|| bottles[0].and_then(|bottle| level_of(&bottle)));
    if level.is_none() && bottles[0].is_some() {
        return Err(bad("give --level: the number of viruses does not decide it".into()));
    }
    let level_2 = values.byte("level-2");
    let first = level.unwrap_or(0);
    let now = values.text("now").map(parse_state).transpose().map_err(bad)?.unwrap_or(BOOT_STATE);
    let now = if now.is_reachable() { now } else { now.step() };
    let at = values.number("at").unwrap_or(1);
    let report = QueryReport {
        pairs: capsules.iter().map(|capsule| capsule.letters()).collect(),
        at,
        unordered: values.has("unordered"),
        level,
        level_2,
        bottle: values.text("bottle").map(str::to_owned),
        bottle_2: values.text("bottle-2").map(str::to_owned),
        now: now.to_string(),
    };
    let query = Query {
        capsules,
        at: at.saturating_sub(1),
        unordered: values.has("unordered"),
        bottles,
        levels: level_2.map_or(Levels::One(first), |other| Levels::Two(first, other)),
    };
    let limit = values.number("limit").map_or(usize::MAX, |limit| limit as usize);
    let next = values.number("next").unwrap_or(0);
    Ok(Box::new(Search { query, report, now, limit, next, format }))
}

/// The level with that number of viruses.
fn level_of(bottle: &BottlePattern) -> Option<u8> {
    let viruses = bottle.viruses()?;
    (0..=20).find(|level| u32::from(virus_count(*level)) == viruses)
}

impl PairSearch for Search {
    fn run(&self) -> Option<FindOutcome> {
        let started = Instant::now();
        let mut found = search(&self.query);
        found.sort_by_key(|state| frames_between(self.now, *state));
        let seconds = started.elapsed().as_secs_f64();
        let starts: Vec<Start> = found.iter().take(self.limit).map(|state| self.start(*state)).collect();
        let output = match self.format {
            Format::Json => self.json(found.len(), &starts, seconds),
            Format::Csv => csv(&starts),
            Format::Text => self.text(found.len(), &starts),
        };
        Some(FindOutcome { output, note: None, count: found.len(), stopped: false })
    }
}

impl Search {
    fn start(&self, state: State) -> Start {
        let round = Round::new(state, self.query.levels);
        let first = self.query.next();
        let next = (first..first + self.next).map(|number| round.reserve.capsule(number).pair().letters());
        Start {
            state,
            after: round.viruses.after,
            frames: frames_between(self.now, state).unwrap_or(PERIOD),
            next: next.collect(),
        }
    }

    fn text(&self, count: usize, starts: &[Start]) -> String {
        if count == 0 {
            return "no start gives these capsules and viruses\n".into();
        }
        let row = |start: &Start| {
            vec![format!("{:6}", start.frames), start.state.to_string(), start.next.join(" ")]
        };
        let coming = format!("from capsule {} on", self.query.next() + 1);
        let mut all = table(
            &["frames", "state", if self.next == 0 { "" } else { &coming }],
            &starts.iter().map(row).collect::<Vec<_>>(),
        );
        let shown = if count > starts.len() { format!(", {} printed", starts.len()) } else { String::new() };
        let from = if self.now == BOOT_STATE { "power-on".into() } else { format!("state {}", self.now) };
        all += &format!(
            "{} of {} starts{shown}; frames on the options screen after {from}\n",
            grouped(count as u64),
            grouped(PERIOD.into())
        );
        all
    }

    fn json(&self, count: usize, starts: &[Start], seconds: f64) -> String {
        let known = (self.query.bottles != [None; 2] || self.report.level.is_some()).then_some(());
        let state = |start: &Start| FoundState {
            state: start.state.to_string(),
            state_after: known.map(|()| start.after.to_string()),
            frames: Some(start.frames),
            next: start.next.clone(),
            ..FoundState::default()
        };
        let next = starts.first().filter(|_| count == 1).map(|start| start.next.clone());
        let body = Found {
            game: ID.id(),
            variant: None,
            query: Some(self.report.clone()),
            starts: PERIOD.into(),
            count: count as u64,
            complete: true,
            stopped: false,
            impossible: None,
            first_failure: None,
            games: None,
            differ_at: None,
            seeds_each: 1,
            states: starts.iter().map(state).collect(),
            next_at: Some(u64::from(self.query.next()) + 1),
            certain: next,
            chances: None,
            search: Searched { method: "all-states", simd: None, threads: None, elapsed_seconds: seconds },
        };
        Envelope::new(Kind::Find, body).text() + "\n"
    }
}

fn csv(starts: &[Start]) -> String {
    let line = |start: &Start| format!("{},{},{}\n", start.frames, start.state, start.next.join(" "));
    std::iter::once("frames,state,next\n".to_owned()).chain(starts.iter().map(line)).collect()
}
