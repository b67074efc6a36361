//! The result of a search as a table, JSON and comma-separated values.

use crate::games::GameId;
use crate::games::mean_bean::generator::generate;
use crate::games::mean_bean::rng::{REACHABLE, State};
use crate::games::mean_bean::seeds::origin::Origin;
use crate::games::mean_bean::seeds::query::{Impossible, Observations};
use crate::games::mean_bean::seeds::run::MAX_STATES;
use crate::games::mean_bean::seeds::search::FoundStates;
use crate::games::mean_bean::{Round, generate_interrupted};
use crate::json::{self, Coding, Envelope, FoundState, Kind, Searched, codes};
use crate::seeds::text::grouped;
use nextscope_boards::{POOL_PAIRS, Pair};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;

/// Coming pairs that are listed.
const NEXT: u32 = 16;

#[derive(Debug, Clone, Serialize)]
struct QueryReport {
    /// Letters, `?` for an unknown bean.
    pairs: Vec<String>,
    at: u32,
    unordered: bool,
    relabel: bool,
    mode: &'static str,
    level: u8,
    known_bytes: usize,
}

/// The states found and what they deal.
#[derive(Debug)]
pub struct Report {
    game: GameId,
    query: Option<QueryReport>,
    impossible: Option<String>,
    method: &'static str,
    count: usize,
    complete: bool,
    stopped: bool,
    /// The listed states with the numbers of their rounds, from 1.
    listed: Vec<(State, Option<usize>, FoundState)>,
    /// The number of different rounds, and the pair (from 0) at which they first differ; None if not compared.
    compared: Option<(usize, Option<u32>)>,
    /// The number of the first of the next pairs, from 0.
    next_at: u32,
    next: Vec<Pair>,
    /// What the vertical interrupt did in the generation, if it was found with one.
    interrupted: Option<String>,
    seconds: f64,
}

/// The name of a mode on the command line.
fn mode_name(observed: &Observations) -> &'static str {
    match (observed.setup.is_versus(), observed.setup.stage) {
        (true, _) => "versus",
        (false, 0..3) => "lesson",
        (false, _) => "story",
    }
}

impl Report {
    /// The report of a search.
    #[must_use]
    pub fn new(
        game: GameId,
        observed: &Observations,
        known_bytes: usize,
        found: &FoundStates,
        limit: usize,
        seconds: f64,
    ) -> Self {
        let round = |index: usize| (found.states[index], generate(found.states[index], observed.setup));
        let compared = found.is_comparable();
        let states = (found.states.len(), found.complete, found.stopped);
        Self::of(game, observed, known_bytes, states, (round, compared), limit, seconds)
    }

    /// The report on generations that were found by complete pools.
    #[must_use]
    pub fn of_origins(
        game: GameId,
        observed: &Observations,
        known_bytes: usize,
        origins: &[Origin],
        limit: usize,
        seconds: f64,
    ) -> Self {
        let round = |index: usize| {
            let Origin { before, extra_steps, .. } = &origins[index];
            (*before, generate_interrupted(*before, observed.setup, extra_steps))
        };
        let interrupted = origins.first().map(|origin| describe_extra_steps(&origin.extra_steps));
        let states = (origins.len(), true, false);
        Self { interrupted, ..Self::of(game, observed, known_bytes, states, (round, true), limit, seconds) }
    }

    fn of(
        game: GameId,
        observed: &Observations,
        known_bytes: usize,
        (count, complete, stopped): (usize, bool, bool),
        (round, compared): (impl Fn(usize) -> (State, Round) + Sync, bool),
        limit: usize,
        seconds: f64,
    ) -> Self {
        let dealer = observed.dealer();
        let next_at = observed.next_pair();
        let pairs = |round: &Round, numbers: std::ops::Range<u32>| -> Vec<Pair> {
            numbers.filter_map(|number| dealer.pair(&round.pools, number)).collect()
        };
        #[expect(clippy::cast_possible_truncation, reason = "128")]
        let cycle = 0..POOL_PAIRS as u32;
        let deal = |index: usize| -> Vec<u8> {
            let dealt = pairs(&round(index).1, cycle.clone());
            dealt.iter().flat_map(|pair| [pair.axis.0, pair.child.0]).collect()
        };
        let dealt: Vec<Vec<u8>> = (0..if compared { count } else { 0 }).into_par_iter().map(deal).collect();
        let mut numbers: HashMap<&[u8], usize> = HashMap::new();
        let number_of_each: Vec<usize> = dealt
            .iter()
            .map(|dealt| {
                let known = numbers.len() + 1;
                *numbers.entry(dealt).or_insert(known)
            })
            .collect();
        let differences =
            dealt.par_iter().filter_map(|one| dealt[0].iter().zip(one).position(|(one, other)| one != other));
        let differ_at = differences.min().and_then(|byte| u32::try_from(byte / 2).ok());
        let listed = (0..count.min(limit)).map(|index| {
            let (state, round) = round(index);
            let next = pairs(&round, next_at..next_at.saturating_add(NEXT));
            let number = number_of_each.get(index).copied();
            let found = FoundState {
                state: state.to_string(),
                state_after: Some(round.after.to_string()),
                game: number,
                next_codes: codes(&next, Some(Coding::Colors)),
                next: next.into_iter().map(Pair::letters).collect(),
                ..FoundState::default()
            };
            (state, number, found)
        });
        let listed = listed.collect();
        let certain_until = differ_at.unwrap_or(u32::MAX);
        let next = (compared && count > 0).then(|| {
            pairs(&round(0).1, next_at..next_at.saturating_add(NEXT).min(certain_until.max(next_at)))
        });
        Self {
            game,
            query: Some(QueryReport {
                pairs: observed.pairs.iter().map(|(_, pair)| pair.letters()).collect(),
                at: observed.pairs.first().map_or(0, |(number, _)| *number) + 1,
                unordered: observed.unordered,
                relabel: observed.relabel,
                mode: mode_name(observed),
                level: observed.level.0 + 1,
                known_bytes,
            }),
            impossible: None,
            method: "all-states",
            count,
            complete,
            stopped,
            listed,
            compared: compared.then_some((numbers.len(), differ_at)),
            next_at,
            next: next.unwrap_or_default(),
            interrupted: None,
            seconds,
        }
    }

    /// The report that no game can match.
    #[must_use]
    pub fn impossible(game: GameId, at: u32, why: &Impossible) -> Self {
        Self {
            game,
            query: None,
            impossible: Some(why.to_string()),
            method: "none",
            count: 0,
            complete: true,
            stopped: false,
            listed: Vec::new(),
            compared: None,
            next_at: at.saturating_sub(1),
            next: Vec::new(),
            interrupted: None,
            seconds: 0.0,
        }
    }

    /// The object that `find --json` prints, on one line.
    #[must_use]
    pub fn json(&self) -> String {
        let body = json::Found {
            game: self.game.id(),
            variant: None,
            query: self.query.clone(),
            starts: REACHABLE.into(),
            count: self.count as u64,
            complete: self.complete,
            stopped: self.stopped,
            impossible: self.impossible.clone(),
            first_failure: None,
            games: self.compared.map(|(games, _)| games as u64),
            differ_at: self.compared.and_then(|(_, at)| Some(u64::from(at?) + 1)),
            seeds_each: 1,
            states: self.listed.iter().map(|(_, _, found)| found.clone()).collect(),
            next_at: Some(u64::from(self.next_at) + 1),
            certain: self.compared.map(|_| self.next.iter().map(|pair| pair.letters()).collect()),
            chances: None,
            search: Searched {
                method: self.method,
                simd: None,
                threads: None,
                elapsed_seconds: self.seconds,
            },
        };
        Envelope::new(Kind::Find, body).text() + "\n"
    }

    /// One line per state, after a header line.
    #[must_use]
    pub fn csv(&self) -> String {
        let game = |game: &Option<usize>| game.map(|number| number.to_string()).unwrap_or_default();
        let lines = self.listed.iter().map(|(state, number, _)| format!("{state},{}\n", game(number)));
        std::iter::once("state,game\n".to_owned()).chain(lines).collect()
    }

    /// A summary, the states, and the coming pairs that are certain.
    #[must_use]
    pub fn table(&self) -> String {
        let mut all = self.sentence() + "\n";
        if self.impossible.is_some() {
            return all;
        }
        let several = self.compared.is_some_and(|(games, _)| games > 1);
        for (state, game, _) in &self.listed {
            let game = game.filter(|_| several).map(|number| format!("  game {number}")).unwrap_or_default();
            all += &format!("{state}{game}\n");
        }
        if self.count > self.listed.len() {
            all += &format!("... and {} more (--limit)\n", self.count - self.listed.len());
        }
        if let Some(interrupted) = &self.interrupted {
            all += &format!("{interrupted}\n");
        }
        if !self.next.is_empty() {
            let next: Vec<String> = self.next.iter().map(|pair| pair.letters()).collect();
            all += &format!("pairs {} on  {}\n", self.next_at + 1, next.join(" "));
        }
        let states = if self.stopped { "stopped after" } else { "all 2^28 states in" };
        all + &format!("{states} {:.1} s\n", self.seconds)
    }

    /// A one-sentence summary.
    #[must_use]
    pub fn sentence(&self) -> String {
        if let Some(why) = &self.impossible {
            return format!("no seed produces this: {why}");
        }
        let count = self.count;
        let (states, matches) =
            if count == 1 { ("1 state".to_owned(), "matches") } else { (format!("{count} states"), "match") };
        if self.stopped {
            return format!("{states} found before the search was stopped; there may be more");
        }
        match (self.complete, count, self.compared) {
            (false, ..) => format!("more than {MAX_STATES} states match: enter more pairs"),
            (true, 0, _) => {
                format!("no seed produces this: all {} states were tried", grouped(REACHABLE.into()))
            }
            (true, _, None) => format!("{states} match, too many to compare: enter more pairs"),
            (true, 1, _) => format!("{states} {matches}"),
            (true, _, Some((games, Some(at)))) => {
                format!("{states} match, with {games} different rounds that first differ at pair {}", at + 1)
            }
            (true, _, Some((_, None))) => format!("{states} match, all with the same pairs"),
        }
    }
}

/// Where the vertical interrupt stepped the generator.
#[must_use]
pub fn describe_extra_steps(draws: &[u16]) -> String {
    let numbers: Vec<String> = draws.iter().map(|draw| (draw + 1).to_string()).collect();
    match numbers.as_slice() {
        [] => "no vertical interrupt stepped the generator in the generation".into(),
        [draw] => format!("the vertical interrupt stepped the generator before draw {draw}"),
        [draws @ .., last] => {
            format!(
                "the vertical interrupt stepped the generator before draws {} and {last}",
                draws.join(", ")
            )
        }
    }
}
