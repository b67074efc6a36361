//! Puyo Puyo Tsu: the states that give pools seen in RAM, by trying all 2^32.

use crate::game::puyo_tsu::{POOL_LEN, Pool, PoolId, Setup, State, Step, generate, set_of_draws};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};

/// What the states must give.
#[derive(Debug, Clone)]
pub struct Target {
    /// The round for which the answer is wanted; handed back, not looked at.
    pub round: u64,
    /// Colour set in RAM.
    pub color_set: [u8; 8],
    /// Pools in RAM order.
    pub pools: [Pool; 3],
    /// The setup.
    pub setup: Setup,
}

/// A generated round that differs from the pools in RAM by no more than this many bytes is their origin, with a fault:
/// two unrelated rounds differ in more than half of 768 bytes.
pub const NEAR: usize = 64;

/// How far a search is, and the wish to stop it.
#[derive(Debug, Default)]
pub struct Progress {
    /// States tried so far, of 2^32.
    pub tried: AtomicU64,
    /// Set to end the search early.
    pub cancel: AtomicBool,
}

/// States tried between two looks at the wish to stop.
const BLOCK: u64 = 1 << 20;
/// States worked on side by side, so that the compiler can keep them in vectors.
const LANES: usize = 16;
type Lanes = [u32; LANES];

/// Bytes of the pool shuffled first that are traced back before a whole round is made, none among those that are copied
/// over (0 to 7); and how many of them must be right. An unrelated state passes one time in forty, and one whose pools hold a
/// few wrong bytes does not fail.
const TRACED: [u8; 8] = [8, 9, 10, 11, 128, 129, 254, 255];
const TRACED_RIGHT: u8 = 5;

/// All states that give exactly these pools, or, when none does, those that come within [`NEAR`] bytes; ascending. None when
/// it was cancelled.
#[must_use]
pub fn search(target: &Target, progress: &Progress) -> Option<Vec<State>> {
    search_range(target, 0, 1 << 32, progress)
}

/// The same among the `count` states from `first` on, as far as there are so many; `count` is rounded up to whole
/// blocks of 16.
#[must_use]
pub fn search_range(target: &Target, first: u32, count: u64, progress: &Progress) -> Option<Vec<State>> {
    let mut sieve = Sieve::new(target);
    let end = u64::from(first).saturating_add(count).min(1 << 32);
    let mut next = u64::from(first);
    while next < end {
        if progress.cancel.load(Ordering::Relaxed) {
            return None;
        }
        let length = (end - next).min(BLOCK);
        sieve.block(next, length);
        next += length;
        progress.tried.store(next - u64::from(first), Ordering::Relaxed);
    }
    sieve.flush();
    Some(sieve.states())
}

/// States pass ever finer tests: colour set, some bytes of the first pool, everything.
struct Sieve<'a> {
    target: &'a Target,
    wanted_draws: Vec<bool>,
    /// The pool that is shuffled first, what it is filled with, and its first step.
    first_pool: &'a Pool,
    colors: usize,
    first_step: Step,
    /// States that draw the colour set, waiting until all lanes are full.
    waiting: Vec<u32>,
    exact: Vec<State>,
    near: Vec<State>,
}

impl<'a> Sieve<'a> {
    fn new(target: &'a Target) -> Self {
        let first = target.setup.shuffled_first();
        Self {
            target,
            wanted_draws: draws_of(target.color_set),
            first_pool: &target.pools[first.index()],
            colors: target.setup.colors()[first.index()].unwrap_or(1),
            first_step: target.setup.first_step(),
            waiting: Vec::with_capacity(2 * LANES),
            exact: Vec::new(),
            near: Vec::new(),
        }
    }

    /// Tries `length` states from `first` on, all below 2^32; `length` is rounded up to whole lanes, which wrap.
    fn block(&mut self, first: u64, length: u64) {
        for offset in (0..length).step_by(LANES) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "states have 32 bits, and both are below 2^32"
            )]
            let start = (first + offset) as u32;
            let states: Lanes = LANE_NUMBERS.map(|lane| start.wrapping_add(lane));
            for (state, draws) in states.into_iter().zip(draws_from(states)) {
                if self.wanted_draws[draws as usize] {
                    self.waiting.push(state);
                }
            }
            if self.waiting.len() >= LANES {
                let rest = self.waiting.split_off(LANES);
                self.trace();
                self.waiting = rest;
            }
        }
    }

    /// Sends all that still wait through the finer tests.
    fn flush(&mut self) {
        while !self.waiting.is_empty() {
            let rest = self.waiting.split_off(self.waiting.len().min(LANES));
            self.trace();
            self.waiting = rest;
        }
    }

    fn trace(&mut self) {
        let mut states: Lanes = std::array::from_fn(|lane| self.waiting.get(lane).copied().unwrap_or(0));
        for _ in 0..5 {
            for state in &mut states {
                *state = State(*state).advance(Step::COLOR).0;
            }
        }
        let indices = shuffle_indices(states, self.first_step);
        let mut right = [0u8; LANES];
        for (at, origins) in TRACED.into_iter().zip(origins(&indices)) {
            let wanted = self.first_pool[usize::from(at)];
            for (right, origin) in right.iter_mut().zip(origins) {
                let color = self.target.color_set[usize::from(origin) % self.colors];
                *right += u8::from(color == wanted);
            }
        }
        for (&state, right) in self.waiting.iter().zip(right) {
            if right < TRACED_RIGHT {
                continue;
            }
            match distance(State(state), self.target) {
                0 => self.exact.push(State(state)),
                1..=NEAR => self.near.push(State(state)),
                _ => {}
            }
        }
    }

    fn states(self) -> Vec<State> {
        if self.exact.is_empty() { self.near } else { self.exact }
    }
}

const LANE_NUMBERS: Lanes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The sequences of five draws, each 0 to 3, that make a colour set, as a table over all 1024.
fn draws_of(color_set: [u8; 8]) -> Vec<bool> {
    (0..1024).map(|draws| set_of_draws(draws) == color_set).collect()
}

/// The five colour draws, two bits each.
fn draws_from(mut states: Lanes) -> Lanes {
    let mut draws = [0; LANES];
    for i in 0..5 {
        for (state, draws) in states.iter_mut().zip(&mut draws) {
            *state = State(*state).advance(Step::COLOR).0;
            *draws |= ((*state >> 14) & 3) << (2 * i);
        }
    }
    draws
}

/// The 256 indices by which a pool is shuffled, `[i]` being the one that is swapped with i.
fn shuffle_indices(mut states: Lanes, first: Step) -> [[u8; LANES]; POOL_LEN] {
    let mut indices = [[0; LANES]; POOL_LEN];
    let [others @ .., last] = &mut indices;
    let mut draw = |row: &mut [u8; LANES], step: Step| {
        for (index, state) in row.iter_mut().zip(&mut states) {
            *state = State(*state).advance(step).0;
            *index = state.to_le_bytes()[0];
        }
    };
    draw(last, first);
    for row in others.iter_mut().rev() {
        draw(row, Step::Pool);
    }
    indices
}

/// Where the bytes that end at [`TRACED`] stood in the fill: the swaps taken back, last one first.
fn origins(indices: &[[u8; LANES]; POOL_LEN]) -> [[u8; LANES]; TRACED.len()] {
    let mut places = TRACED.map(|at| [at; LANES]);
    for (&i, row) in ALL_BYTES.iter().zip(indices) {
        for places in &mut places {
            for (place, &j) in places.iter_mut().zip(row) {
                let moved = if *place == j { i } else { *place };
                *place = if *place == i { j } else { moved };
            }
        }
    }
    places
}

/// 0 to 255.
const ALL_BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut i = 1;
    while i < 256 {
        bytes[i] = bytes[i - 1] + 1;
        i += 1;
    }
    bytes
};

/// Bytes in which the round of a state differs from the pools.
fn distance(state: State, target: &Target) -> usize {
    let round = generate(state, target.setup);
    PoolId::ALL
        .into_iter()
        .filter_map(|id| {
            Some(round.pool(id)?.iter().zip(&target.pools[id.index()]).filter(|(a, b)| a != b).count())
        })
        .sum()
}

/// A search on a thread of its own. Dropping it cancels it.
#[derive(Debug)]
pub struct BackgroundSearch {
    round: u64,
    progress: Arc<Progress>,
    result: Receiver<Vec<State>>,
}

impl BackgroundSearch {
    /// Starts searching.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(target: Target) -> std::io::Result<Self> {
        let (sender, result) = mpsc::channel();
        let progress = Arc::new(Progress::default());
        let seen = Arc::clone(&progress);
        let round = target.round;
        std::thread::Builder::new().name("state search".into()).spawn(move || {
            if let Some(states) = search(&target, &seen) {
                let _ = sender.send(states); // nobody waits for it any more: it was cancelled
            }
        })?;
        Ok(Self { round, progress, result })
    }

    /// The round that it is for.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.round
    }

    /// The share of all states tried, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a share for people")]
        let tried = self.progress.tried.load(Ordering::Relaxed) as f64;
        tried / (1u64 << 32) as f64
    }

    /// The states, once they are all tried.
    #[must_use]
    pub fn take_result(&self) -> Option<Vec<State>> {
        self.result.try_recv().ok()
    }
}

impl Drop for BackgroundSearch {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::puyo_tsu::{Shuffle, color_set};

    fn target(seed: u32, setup: Setup) -> Target {
        let round = generate(State(seed), setup);
        let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
        Target { round: 1, color_set: round.color_set, pools, setup }
    }

    /// The plain search: every state by the generator itself.
    fn plainly(target: &Target, states: std::ops::Range<u32>) -> Vec<State> {
        let gives_set = |state: &State| color_set(*state).0 == target.color_set;
        let apart = |state: &State| distance(*state, target);
        let candidates: Vec<State> = states.map(State).filter(gives_set).collect();
        let exact: Vec<State> = candidates.iter().copied().filter(|state| apart(state) == 0).collect();
        if !exact.is_empty() {
            return exact;
        }
        candidates.into_iter().filter(|state| apart(state) <= NEAR).collect()
    }

    const SETUPS: [Setup; 5] = [
        Setup::VERSUS,
        Setup { pop_count: 5, ..Setup::VERSUS },
        Setup { mode: 0, ..Setup::VERSUS },
        Setup { mode: 0, rank: 2, ..Setup::VERSUS },
        Setup { shuffle: Shuffle::ThreeShuffles, ..Setup::VERSUS },
    ];

    fn sieved(target: &Target, first: u32, count: u64) -> Vec<State> {
        search_range(target, first, count, &Progress::default()).unwrap()
    }

    #[test]
    fn the_sieve_finds_what_the_plain_search_finds() {
        for setup in SETUPS {
            for seed in [0x1234_5678, 0x0000_0007, 0xFFFF_E123] {
                let target = target(seed, setup);
                let first = seed & !0xFFF;
                let found = sieved(&target, first, 0x1000);
                assert_eq!(found, plainly(&target, first..first + 0x1000), "{setup:?}");
                assert!(found.contains(&State(seed)), "{setup:?}");
            }
        }
    }

    #[test]
    fn a_few_wrong_bytes_do_not_hide_the_state() {
        for setup in SETUPS {
            let mut target = target(0x1234_5678, setup);
            for at in [9, 40, 41, 129, 255] {
                for pool in &mut target.pools {
                    pool[at] = if pool[at] == 5 { 3 } else { 5 };
                }
            }
            assert_eq!(sieved(&target, 0x1234_5000, 0x1000), [State(0x1234_5678)], "{setup:?}");
        }
    }

    #[test]
    fn states_are_kept_exactly_when_they_draw_the_colour_set() {
        let wanted_set = color_set(State(0x1234_5678)).0;
        let wanted = draws_of(wanted_set);
        for first in [0, 0x1234_5670, 0xFFFF_FFF0, 0x8000_0000] {
            let states: Lanes = LANE_NUMBERS.map(|lane| first + lane);
            for (state, draws) in states.into_iter().zip(draws_from(states)) {
                assert_eq!(wanted[draws as usize], color_set(State(state)).0 == wanted_set, "{state:08X}");
            }
        }
        let share = (0..1024).filter(|&draws| wanted[draws]).count();
        assert!((1..64).contains(&share), "a table that keeps everything would pass the loop above");
    }

    #[test]
    fn a_cancelled_search_ends_without_an_answer() {
        let progress = Progress::default();
        progress.cancel.store(true, Ordering::Relaxed);
        assert_eq!(search(&target(1, Setup::VERSUS), &progress), None);
    }
}
