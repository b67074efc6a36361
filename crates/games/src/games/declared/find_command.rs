//! `find declared`: the seeds that deal observed pieces or pairs.

use super::options::{Chosen, PROFILE, STEPS};
use super::search::{Given, MAX_BITS, Matches, Query};
use super::{Deals, ID, Program, Symbol};
use crate::json::{Chance, Envelope, FirstFailure, Found, FoundState, Kind, Searched};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{FindError, FindOutcome, Format, PairSearch, StateStream, parse_pieces as parse_pairs};
use crate::seeds::pieces::parse_pieces;
use crate::seeds::text::{grouped, table};
use nextscope_task::Progress;
use serde::Serialize;
use std::time::Instant;

/// Deals for which all seeds are tried at once, without a progress bar.
const QUICK: u64 = 1 << 24;
/// The most coming deals that are listed as certain.
const CERTAIN: usize = 100;

pub(super) const OPTIONS: &[OptionSpec] = &[
    PROFILE,
    OptionSpec::new(
        "pieces",
        OptionKind::Text,
        "Observed pieces or pairs in order, such as \"JTOLS?ZIL\" or \"RG BY ?P\" (axis first); ? is unknown",
    )
    .value_name("PIECES"),
    OptionSpec::new("at", OptionKind::Number(1, 1_000_000), "Number of the first of them in the game")
        .value_name("N")
        .default("1"),
    STEPS,
    OptionSpec::new(
        "limit",
        OptionKind::Number(0, u32::MAX),
        "Maximum number of seeds to print, up to 16384; the count is always of all seeds",
    )
    .value_name("N")
    .default("20"),
    OptionSpec::new(
        "next",
        OptionKind::Number(0, 1_000_000),
        "Number of coming pieces or pairs to print for each seed",
    )
    .value_name("N")
    .default("28"),
    OptionSpec::new(
        "stream",
        OptionKind::Flag,
        "Print each seed as soon as it is found, one per line, in no order and without --limit, then the summary",
    ),
    OptionSpec::new("csv", OptionKind::Flag, "Print CSV, one line per seed").conflicts_with(&["json"]),
];

#[derive(Clone, Serialize)]
struct QueryReport {
    profile: String,
    /// Letters, `?` for what is unknown; None for the other unit.
    pairs: Option<Vec<String>>,
    pieces: Option<Vec<String>>,
    at: u32,
    steps: Option<u32>,
}

struct Search {
    query: Query,
    report: QueryReport,
    limit: usize,
    next: usize,
    format: Format,
    progress: Progress,
    stream: Option<StateStream<String>>,
}

pub(super) fn prepare(values: &OptionValues, format: Format) -> Result<Box<dyn PairSearch>, FindError> {
    let chosen = Chosen::new(values).map_err(FindError::BadInput)?;
    let text = values.text("pieces").unwrap_or_default();
    let (given, letters) =
        observed(&chosen.program, text).map_err(|error| FindError::BadInput(format!("--pieces: {error}")))?;
    if given.iter().all(|given| given.mask == 0) {
        let example = match chosen.program.deals() {
            Deals::Pieces => "give at least one piece, as in --pieces JTOLS",
            Deals::Pairs => "give at least one puyo, as in --pieces \"RG B? ??\"",
        };
        return Err(FindError::BadInput(example.into()));
    }
    let bits = chosen.program.description().seed.bits;
    if bits > MAX_BITS {
        return Err(FindError::BadInput(format!(
            "profile {} has seeds of {bits} bits, which cannot all be tried: `find` tries up to 2^{MAX_BITS}. If the game sets fewer \
             bits, write their number as `seed.bits`",
            chosen.profile
        )));
    }
    let at = values.number("at").unwrap_or(1);
    let (pairs, pieces) = match chosen.program.deals() {
        Deals::Pieces => (None, Some(letters)),
        Deals::Pairs => (Some(letters), None),
    };
    let report = QueryReport { profile: chosen.profile.clone(), pairs, pieces, at, steps: chosen.steps };
    Ok(Box::new(Search {
        query: Query { chosen, given, at },
        report,
        limit: values.number("limit").map_or(usize::MAX, |limit| limit as usize),
        next: values.number("next").unwrap_or(0) as usize,
        format,
        progress: Progress::default(),
        stream: StateStream::new(values, format),
    }))
}

/// What was observed, and its letters.
fn observed(program: &Program, text: &str) -> Result<(Vec<Given>, Vec<String>), String> {
    let kinds = &program.description().kinds;
    let number = |is: &dyn Fn(&Symbol) -> bool, letter: char| {
        let place = (0_u8..).zip(kinds).find(|(_, kind)| is(kind)).map(|(number, _)| number);
        place.ok_or_else(|| {
            let known: Vec<String> = kinds.iter().map(|kind| format!("{kind:?}")).collect();
            format!("{letter} is never dealt: the kinds of this randomizer are {}", known.join(", "))
        })
    };
    match program.deals() {
        Deals::Pieces => {
            let pieces = parse_pieces(text).map_err(|error| error.to_string())?;
            let given = pieces.iter().map(|piece| {
                let Some(piece) = piece else { return Ok(Given::default()) };
                let value = number(&|kind| kind.piece() == Some(*piece), piece.letter())?;
                Ok(Given { mask: 0xFF, value })
            });
            let letters =
                pieces.iter().map(|piece| piece.map_or('?', nextscope_boards::Piece::letter).to_string());
            Ok((given.collect::<Result<_, String>>()?, letters.collect()))
        }
        Deals::Pairs => {
            let pairs = parse_pairs(text).map_err(|error| error.to_string())?;
            let half = |color: Option<nextscope_boards::Color>| {
                let Some(color) = color else { return Ok(Given::default()) };
                let value = number(&|kind| kind.color() == Some(color), color.letter())?;
                Ok::<Given, String>(Given { mask: 0xF, value })
            };
            let given = pairs.iter().map(|pair| {
                let (axis, child) = (half(pair.axis)?, half(pair.child)?);
                Ok(Given { mask: axis.mask << 4 | child.mask, value: axis.value << 4 | child.value })
            });
            Ok((given.collect::<Result<_, String>>()?, pairs.iter().map(|pair| pair.letters()).collect()))
        }
    }
}

impl PairSearch for Search {
    fn is_quick(&self) -> bool {
        let deals = u64::from(self.query.at) + self.query.given.len() as u64;
        self.stream.is_none() && self.query.seeds().saturating_mul(deals) <= QUICK
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
        let found = match &self.stream {
            None => self.query.search(&self.progress, None),
            Some(stream) => std::thread::scope(|scope| {
                let (sink, seeds) = std::sync::mpsc::channel::<Vec<u64>>();
                // The stream has seeds as text.
                scope.spawn(move || {
                    for seeds in seeds {
                        let texts = seeds.iter().map(|seed| self.query.chosen.seed_text(*seed)).collect();
                        let _ = stream.sink.send(texts); // whoever listened has ended
                    }
                });
                self.query.search(&self.progress, Some(&sink))
            }),
        }?;
        let report = Report::new(self, &found, started.elapsed().as_secs_f64());
        let output = match self.format {
            Format::Json => report.json(),
            Format::Csv if self.stream.is_some() => String::new(),
            Format::Csv => report.csv(),
            Format::Text => report.text(),
        };
        let note = report.no_match().filter(|_| self.format == Format::Csv);
        let count = usize::try_from(found.count).unwrap_or(usize::MAX);
        Some(FindOutcome { output, note, count, stopped: !report.complete })
    }
}

/// A seed that matches.
struct Listed {
    seed: String,
    after: String,
    next: Vec<String>,
}

struct Report<'a> {
    search: &'a Search,
    found: &'a Matches,
    seeds: Vec<Listed>,
    /// The coming deals on which all seeds agree; None if not all seeds are known.
    certain: Option<Vec<String>>,
    complete: bool,
    seconds: f64,
}

impl<'a> Report<'a> {
    fn new(search: &'a Search, found: &'a Matches, seconds: f64) -> Self {
        let (query, program) = (&search.query, &search.query.chosen.program);
        let letters =
            |deals: &[u8]| -> Vec<String> { deals.iter().map(|deal| program.letters(*deal)).collect() };
        let listed = found.stored.iter().take(search.limit).map(|&seed| {
            let mut dealer = query.dealer_after(seed);
            let after = query.chosen.state_text(&dealer);
            let next: Vec<u8> = (0..search.next).map(|_| dealer.deal_number()).collect();
            Listed { seed: query.chosen.seed_text(seed), after, next: letters(&next) }
        });
        let complete = search.progress.is_complete();
        let has_all = complete && found.count == found.stored.len() as u64;
        let certain = has_all.then(|| letters(&agreed(query, &found.stored)));
        Self { search, found, seeds: listed.collect(), certain, complete, seconds }
    }

    fn next_number(&self) -> u64 {
        u64::from(self.search.query.at) + self.search.query.given.len() as u64
    }

    fn unit(&self) -> &'static str {
        self.search.query.chosen.program.deals().unit()
    }

    fn separator(&self) -> &'static str {
        if self.unit() == "piece" { "" } else { " " }
    }

    /// Why no seed matches; None if one does.
    fn no_match(&self) -> Option<String> {
        if self.found.count > 0 || !self.complete {
            return None;
        }
        let (unit, matched, given) = (self.unit(), self.found.matched, self.failed());
        Some(format!(
            "no seed produces this sequence: it fails at {unit} {} of the input, {given}",
            matched + 1
        ))
    }

    /// The given deal at which no seed is left.
    fn failed(&self) -> String {
        let QueryReport { pairs, pieces, .. } = &self.search.report;
        let given = pairs.as_ref().or(pieces.as_ref()).and_then(|given| given.get(self.found.matched));
        given.cloned().unwrap_or_default()
    }

    fn chances(&self) -> Vec<Chance> {
        let program = &self.search.query.chosen.program;
        let counts = (0..=u8::MAX).zip(&self.found.next).filter(|(_, count)| **count > 0);
        let mut chances: Vec<Chance> = counts
            .map(|(deal, &count)| Chance {
                next: program.letters(deal),
                count: Some(count),
                #[expect(clippy::cast_precision_loss, reason = "a chance")]
                chance: count as f64 / self.found.count as f64,
            })
            .collect();
        chances.sort_by(|one, other| other.chance.total_cmp(&one.chance));
        chances
    }

    fn csv(&self) -> String {
        let line = |listed: &Listed| {
            format!("{},{},{}\n", listed.seed, listed.after, listed.next.join(self.separator()))
        };
        "seed,state_after,next\n".to_owned() + &self.seeds.iter().map(line).collect::<String>()
    }

    fn text(&self) -> String {
        let seeds = grouped(self.search.query.seeds());
        if let Some(why) = self.no_match() {
            return format!("{why} ({seeds} seeds tried)\n");
        }
        let mut all = String::new();
        if !self.seeds.is_empty() && self.search.stream.is_none() {
            let row = |listed: &Listed| {
                vec![listed.seed.clone(), listed.after.clone(), listed.next.join(self.separator())]
            };
            let rows: Vec<Vec<String>> = self.seeds.iter().map(row).collect();
            let coming = format!("from {} {} on", self.unit(), self.next_number());
            all += &table(&["seed", "state after", if self.search.next == 0 { "" } else { &coming }], &rows);
            if (self.seeds.len() as u64) < self.found.count {
                all += &format!("... (first {} shown)\n", self.seeds.len());
            }
        }
        let remain = if self.found.count == 1 { "remains" } else { "remain" };
        all += &format!("{} of {seeds} seeds {remain}\n", grouped(self.found.count));
        if !self.complete {
            return all + "the search was stopped early; there may be more\n";
        }
        match self.certain.as_deref().filter(|certain| !certain.is_empty()) {
            Some(certain) => all += &format!("certain: {}\n", certain.join(self.separator())),
            None => {
                let chance = |chance: &Chance| format!("{} {:.1} %", chance.next, 100.0 * chance.chance);
                let chances: Vec<String> = self.chances().iter().map(chance).collect();
                all +=
                    &format!("chances of {} {}: {}\n", self.unit(), self.next_number(), chances.join(", "));
            }
        }
        all
    }

    fn json(&self) -> String {
        let state = |listed: &Listed| FoundState {
            state: listed.seed.clone(),
            state_after: Some(listed.after.clone()),
            next: listed.next.clone(),
            ..FoundState::default()
        };
        let failed = self.no_match().map(|_| FirstFailure {
            index: Some(self.found.matched + 1),
            given: self.failed(),
            left_before: None,
        });
        let body = Found {
            game: ID.id(),
            variant: None,
            query: Some(self.search.report.clone()),
            starts: self.search.query.seeds(),
            count: self.found.count,
            complete: self.complete,
            stopped: !self.complete,
            impossible: None,
            first_failure: failed,
            games: None,
            differ_at: None,
            seeds_each: 1,
            states: self.seeds.iter().map(state).collect(),
            next_at: Some(self.next_number()),
            certain: self.certain.clone(),
            chances: Some(self.chances()),
            search: Searched {
                method: "all-states",
                simd: None,
                threads: None,
                elapsed_seconds: self.seconds,
            },
        };
        Envelope::new(Kind::Find, body).text() + "\n"
    }
}

/// The coming deals, at most [`CERTAIN`], on which all seeds agree.
fn agreed(query: &Query, seeds: &[u64]) -> Vec<u8> {
    let Some((first, others)) = seeds.split_first() else { return Vec::new() };
    let mut dealer = query.dealer_after(*first);
    let mut deals: Vec<u8> = (0..CERTAIN).map(|_| dealer.deal_number()).collect();
    for seed in others {
        let mut dealer = query.dealer_after(*seed);
        let same = deals.iter().take_while(|deal| dealer.deal_number() == **deal).count();
        deals.truncate(same);
    }
    deals
}
