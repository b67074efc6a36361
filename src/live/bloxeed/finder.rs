//! Where the generators stand: first by what a RAM holds, then for certain by how it moves.

use crate::game::bloxeed_states::{
    CHANCE, MAX_GAME_PIECES, MAX_ITEMS, MAX_PAIRS, States, dealt, locate, long, mains_before,
};
use crate::game::sega::State;
use std::cmp::Reverse;

/// A RAM in which nothing was found is searched again after so many looks: half a second at 60 Hz.
const SEARCH_EVERY: u32 = 30;
/// Calls that a state makes from one look to the next, at most: pieces are dealt one by one, but looks may be missed.
pub(super) const STEP_MOST: u32 = 16;
/// Movements after which a pair is believed: each is one of 16 values of 2^32.
const SURE: u32 = 2;
/// Looks in a row that made no sense before a pair is given up: a long is written in two halves, and the seed before the state.
const NONSENSE: u32 = 3;

/// The generators, as offsets in RAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    /// The seed of the pieces.
    pub seed: usize,
    /// The state of the pieces.
    pub state: usize,
    /// The main generator.
    pub main: Option<usize>,
    /// Whether the way they move has shown that they are meant.
    pub sure: bool,
}

/// What the profile says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub seed: Option<usize>,
    pub state: Option<usize>,
    pub main: Option<usize>,
    /// The seed of the first game after the battery RAM was cleared.
    pub first: Option<State>,
}

/// Two longs of which the second follows from the first.
#[derive(Debug, Clone)]
struct Candidate {
    seed_at: usize,
    state_at: usize,
    seed: State,
    state: State,
    /// How often the state moved by a few calls, or went back to the seed.
    steps: u32,
    /// How often the seed changed, and the state with it.
    games: u32,
    nonsense: u32,
}

/// The main generator, once the pair is certain.
#[derive(Debug, Clone)]
struct Main {
    at: usize,
    state: State,
    nonsense: u32,
}

/// Watches all pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Finder {
    candidates: Vec<Candidate>,
    wait: u32,
    /// By what the RAM holds.
    likely: Option<Places>,
    /// By how it moves.
    sure: Option<(usize, usize)>,
    mains: Vec<Main>,
    mains_of: Option<State>,
}

impl Finder {
    /// Takes the next look at a RAM in bus order.
    pub fn look(&mut self, ram: &[u8], known: &Known) -> Option<Places> {
        if let Some((seed_at, state_at)) = self.sure {
            let main = known.main.or_else(|| self.main(ram, long(ram, seed_at)?));
            return Some(Places { seed: seed_at, state: state_at, main, sure: true });
        }
        self.candidates.retain_mut(|one| one.look(ram));
        self.sure = self.decide(ram);
        if self.sure.is_some() {
            self.candidates = Vec::new();
            self.wait = 0;
            return self.look(ram, known);
        }
        if self.wait == 0 {
            self.wait = SEARCH_EVERY;
            self.search(ram, known);
        }
        self.wait -= 1;
        self.likely
    }

    /// What the RAM held was taken for the wrong cells; what moves goes on being watched.
    pub fn doubt(&mut self) {
        (self.likely, self.wait) = (None, 0);
    }

    fn search(&mut self, ram: &[u8], known: &Known) {
        let wanted = |known: Option<usize>, at: usize| known.is_none_or(|known| known == at);
        if let (None, Some(first)) = (self.likely, known.first) {
            let located = locate(ram, first, CHANCE)
                .filter(|found| wanted(known.seed, found.pair.seed) && wanted(known.state, found.pair.state));
            self.likely = located.map(|found| Places {
                seed: found.pair.seed,
                state: found.pair.state,
                main: known.main.or(found.main),
                sure: false,
            });
        }
        // What has moved already stays.
        self.candidates.retain(|one| one.steps + one.games > 0);
        let states = States::of(ram);
        for pair in states.pairs(MAX_GAME_PIECES).take(MAX_PAIRS) {
            let watched =
                self.candidates.iter().any(|one| (one.seed_at, one.state_at) == (pair.seed, pair.state));
            let (Some(seed), Some(state)) = (long(ram, pair.seed), long(ram, pair.state)) else { continue };
            if !watched && wanted(known.seed, pair.seed) && wanted(known.state, pair.state) {
                let (seed_at, state_at) = (pair.seed, pair.state);
                self.candidates.push(Candidate {
                    seed_at,
                    state_at,
                    seed,
                    state,
                    steps: 0,
                    games: 0,
                    nonsense: 0,
                });
            }
        }
    }

    /// The pair that is meant, once one has moved as only it can. Items make the main generator move like the pieces': it
    /// follows from some long by chance, but that one is not the seed that it made.
    fn decide(&self, ram: &[u8]) -> Option<(usize, usize)> {
        let moved: Vec<&Candidate> =
            self.candidates.iter().filter(|one| one.steps + one.games >= SURE && one.nonsense == 0).collect();
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

    /// The main generator: what follows from a state that makes the seed, and goes on doing so.
    fn main(&mut self, ram: &[u8], seed: State) -> Option<usize> {
        self.mains.retain_mut(|one| one.look(ram));
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
            let new = |(at, _)| Some(Main { at, state: long(ram, at)?, nonsense: 0 });
            self.mains = States::of(ram).mains(seed).filter_map(new).collect();
        }
        // The one furthest on: behind it stand copies of what it was.
        let calls = |one: &Main| {
            let before = mains_before(seed).filter_map(|before| before.distance_to(one.state));
            before.filter(|calls| *calls <= MAX_ITEMS).max()
        };
        self.mains.iter().max_by_key(|one| (calls(one), Reverse(one.at))).map(|one| one.at)
    }
}

impl Candidate {
    /// Whether it still may be the pair.
    fn look(&mut self, ram: &[u8]) -> bool {
        let (Some(seed), Some(state)) = (long(ram, self.seed_at), long(ram, self.state_at)) else {
            return false;
        };
        if (seed, state) == (self.seed, self.state) {
            self.nonsense = 0;
            return true;
        }
        let near = |from: State, to: State| dealt(from, to, STEP_MOST).is_some();
        let drawn = seed.0 & 0xFFFF != 0;
        let step = seed == self.seed && (near(self.state, state) || near(seed, state));
        // What goes on by calls itself is a copy of the state.
        let game = seed != self.seed && drawn && near(seed, state) && !near(self.seed, seed);
        if !step && !game {
            self.nonsense += 1;
            return self.nonsense < NONSENSE;
        }
        self.steps += u32::from(step);
        self.games += u32::from(game);
        (self.seed, self.state, self.nonsense) = (seed, state, 0);
        true
    }
}

impl Main {
    fn look(&mut self, ram: &[u8]) -> bool {
        let Some(state) = long(ram, self.at) else { return false };
        if dealt(self.state, state, MAX_ITEMS).is_some() {
            (self.state, self.nonsense) = (state, 0);
            return true;
        }
        self.nonsense += 1;
        self.nonsense < NONSENSE
    }
}
