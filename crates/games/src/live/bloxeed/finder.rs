//! Finds the generators: first by the content of RAM, then for certain by its changes.

use crate::game::bloxeed_states::{
    CHANCE, MAX_GAME_PIECES, MAX_ITEMS, MAX_PAIRS, States, dealt, locate, long, mains_before,
};
use crate::game::sega::State;
use std::cmp::Reverse;

/// Samples between two searches of a RAM without a result: half a second at 60 Hz.
const SEARCH_EVERY: u32 = 30;
/// The most calls between two samples: pieces are dealt one by one, but samples may be missed.
pub(super) const MAX_STEP: u32 = 16;
/// Plausible changes before a pair is accepted: each is one of 16 values of 2^32.
const MIN_CHANGES: u32 = 2;
/// Consecutive implausible samples before a pair is dropped: a long is written in two halves, and the seed before the state.
const MAX_IMPLAUSIBLE: u32 = 3;

/// The generators, as offsets in RAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cells {
    /// The seed of the pieces.
    pub seed: usize,
    /// The state of the pieces.
    pub state: usize,
    /// The main generator.
    pub main: Option<usize>,
    /// Whether their changes have confirmed them.
    pub sure: bool,
}

/// The cells that the profile defines.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub seed: Option<usize>,
    pub state: Option<usize>,
    pub main: Option<usize>,
    /// The seed of the first game after the battery RAM was cleared.
    pub first: Option<State>,
}

/// Two longs, the second of which follows from the first.
#[derive(Debug, Clone)]
struct Candidate {
    seed_at: usize,
    state_at: usize,
    seed: State,
    state: State,
    /// How often the state advanced by a few calls, or returned to the seed.
    steps: u32,
    /// How often seed and state changed together.
    games: u32,
    implausible: u32,
}

/// The main generator, once the pair is certain.
#[derive(Debug, Clone)]
struct Main {
    at: usize,
    state: State,
    implausible: u32,
}

/// Searches all pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Finder {
    candidates: Vec<Candidate>,
    wait: u32,
    /// By the content of RAM.
    likely: Option<Cells>,
    /// By the changes of RAM.
    confirmed: Option<(usize, usize)>,
    mains: Vec<Main>,
    mains_of: Option<State>,
}

impl Finder {
    /// Processes a sample of RAM in bus order.
    pub fn update(&mut self, ram: &[u8], known: &Known) -> Option<Cells> {
        if let Some((seed_at, state_at)) = self.confirmed {
            let main = known.main.or_else(|| self.main(ram, long(ram, seed_at)?));
            return Some(Cells { seed: seed_at, state: state_at, main, sure: true });
        }
        self.candidates.retain_mut(|one| one.update(ram));
        self.confirmed = self.decide(ram);
        if self.confirmed.is_some() {
            self.candidates = Vec::new();
            self.wait = 0;
            return self.update(ram, known);
        }
        if self.wait == 0 {
            self.wait = SEARCH_EVERY;
            self.search(ram, known);
        }
        self.wait -= 1;
        self.likely
    }

    /// Rejects the cells found by content; the search by changes continues.
    pub fn reject_likely(&mut self) {
        (self.likely, self.wait) = (None, 0);
    }

    fn search(&mut self, ram: &[u8], known: &Known) {
        let allowed = |known: Option<usize>, at: usize| known.is_none_or(|known| known == at);
        if let (None, Some(first)) = (self.likely, known.first) {
            let located = locate(ram, first, CHANCE).filter(|found| {
                allowed(known.seed, found.pair.seed) && allowed(known.state, found.pair.state)
            });
            self.likely = located.map(|found| Cells {
                seed: found.pair.seed,
                state: found.pair.state,
                main: known.main.or(found.main),
                sure: false,
            });
        }
        // Pairs with plausible changes remain.
        self.candidates.retain(|one| one.steps + one.games > 0);
        let states = States::of(ram);
        for pair in states.pairs(MAX_GAME_PIECES).take(MAX_PAIRS) {
            let watched =
                self.candidates.iter().any(|one| (one.seed_at, one.state_at) == (pair.seed, pair.state));
            let (Some(seed), Some(state)) = (long(ram, pair.seed), long(ram, pair.state)) else { continue };
            if !watched && allowed(known.seed, pair.seed) && allowed(known.state, pair.state) {
                let (seed_at, state_at) = (pair.seed, pair.state);
                self.candidates.push(Candidate {
                    seed_at,
                    state_at,
                    seed,
                    state,
                    steps: 0,
                    games: 0,
                    implausible: 0,
                });
            }
        }
    }

    /// The pair, once its changes have confirmed it. Items make the main generator change like that of the pieces: it
    /// follows from some long by chance, but that long is not a seed that it generated.
    fn decide(&self, ram: &[u8]) -> Option<(usize, usize)> {
        let moved: Vec<&Candidate> = self
            .candidates
            .iter()
            .filter(|one| one.steps + one.games >= MIN_CHANGES && one.implausible == 0)
            .collect();
        if moved.is_empty() {
            return None;
        }
        let states = States::of(ram);
        let made = |one: &&&Candidate| states.mains(one.seed).next().is_some();
        let played = |one: &&&Candidate| one.games > 0;
        let mut best: Vec<&Candidate> = moved.iter().filter(made).copied().collect();
        if best.is_empty() {
            best = moved.iter().filter(played).copied().collect();
        }
        let first = best.first()?;
        if best.iter().any(|one| one.seed != first.seed) {
            return None;
        }
        let furthest = best
            .iter()
            .max_by_key(|one| (dealt(one.seed, one.state, u32::MAX), Reverse((one.seed_at, one.state_at))))?;
        Some((furthest.seed_at, furthest.state_at))
    }

    /// The main generator: a long that follows from a state that generates the seed, and continues to do so.
    fn main(&mut self, ram: &[u8], seed: State) -> Option<usize> {
        self.mains.retain_mut(|one| one.update(ram));
        if self.mains_of.replace(seed) != Some(seed) {
            let made = |state: State| {
                mains_before(seed).any(|before| {
                    before.distance_to(state).is_some_and(|calls| (1..=MAX_ITEMS).contains(&calls))
                })
            };
            self.mains.retain(|one| made(one.state));
        }
        if self.mains.is_empty() {
            if self.wait > 0 {
                self.wait -= 1;
                return None;
            }
            self.wait = SEARCH_EVERY;
            let new = |(at, _)| Some(Main { at, state: long(ram, at)?, implausible: 0 });
            self.mains = States::of(ram).mains(seed).filter_map(new).collect();
        }
        // The most advanced one; the others are older copies.
        let calls = |one: &Main| {
            let before = mains_before(seed).filter_map(|before| before.distance_to(one.state));
            before.filter(|calls| *calls <= MAX_ITEMS).max()
        };
        self.mains.iter().max_by_key(|one| (calls(one), Reverse(one.at))).map(|one| one.at)
    }
}

impl Candidate {
    /// Whether this can still be the pair.
    fn update(&mut self, ram: &[u8]) -> bool {
        let (Some(seed), Some(state)) = (long(ram, self.seed_at), long(ram, self.state_at)) else {
            return false;
        };
        if (seed, state) == (self.seed, self.state) {
            self.implausible = 0;
            return true;
        }
        let near = |from: State, to: State| dealt(from, to, MAX_STEP).is_some();
        let drawn = seed.0 & 0xFFFF != 0;
        let step = seed == self.seed && (near(self.state, state) || near(seed, state));
        // A seed that advances by calls is a copy of the state.
        let game = seed != self.seed && drawn && near(seed, state) && !near(self.seed, seed);
        if !step && !game {
            self.implausible += 1;
            return self.implausible < MAX_IMPLAUSIBLE;
        }
        self.steps += u32::from(step);
        self.games += u32::from(game);
        (self.seed, self.state, self.implausible) = (seed, state, 0);
        true
    }
}

impl Main {
    fn update(&mut self, ram: &[u8]) -> bool {
        let Some(state) = long(ram, self.at) else { return false };
        if dealt(self.state, state, MAX_ITEMS).is_some() {
            (self.state, self.implausible) = (state, 0);
            return true;
        }
        self.implausible += 1;
        self.implausible < MAX_IMPLAUSIBLE
    }
}
