//! Puyo Puyo Tsu: the states that give pools seen in RAM, by trying all 2^32.

use crate::game::puyo_tsu::{A7_COLORS, Pool, PoolId, Setup, State, generate};
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

/// States tried between two looks at the wish to stop, and how many such blocks there are.
const BLOCK: u32 = 1 << 20;
const BLOCKS: u32 = 1 << 12;
/// States stirred side by side.
const LANES: usize = 16;
const LANE_NUMBERS: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// All states that give exactly these pools, or, when none does, those that come within [`NEAR`] bytes; ascending. None when
/// it was cancelled.
#[must_use]
pub fn search(target: &Target, progress: &Progress) -> Option<Vec<State>> {
    let wanted = draws_of(target.color_set);
    let (mut exact, mut near) = (Vec::new(), Vec::new());
    for block in 0..BLOCKS {
        if progress.cancel.load(Ordering::Relaxed) {
            return None;
        }
        let first = block * BLOCK;
        for lanes in (first..=first + (BLOCK - 1)).step_by(LANES) {
            for (state, draws) in (lanes..).zip(draws_from(lanes)) {
                if !wanted[draws as usize] {
                    continue;
                }
                match distance(State(state), target) {
                    0 => exact.push(State(state)),
                    1..=NEAR => near.push(State(state)),
                    _ => {}
                }
            }
        }
        progress.tried.store(u64::from(block + 1) * u64::from(BLOCK), Ordering::Relaxed);
    }
    Some(if exact.is_empty() { near } else { exact })
}

/// The sequences of five draws, each 0 to 3, that make a colour set, as a table over all 1024.
fn draws_of(color_set: [u8; 8]) -> Vec<bool> {
    (0..1024usize)
        .map(|draws| {
            let mut set = [0, 1, 3, 5, 4, 6, 2, 0];
            for i in 0..5 {
                set.swap(i, (draws >> (2 * i)) & 3);
            }
            set == color_set
        })
        .collect()
}

/// The five colour draws, two bits each, from [`LANES`] states side by side, so that the compiler can keep them in vectors.
fn draws_from(first: u32) -> [u32; LANES] {
    let mut states: [u32; LANES] = std::array::from_fn(|lane| first.wrapping_add(LANE_NUMBERS[lane]));
    let mut draws = [0; LANES];
    for i in 0..5 {
        for (state, draws) in states.iter_mut().zip(&mut draws) {
            *state = State(*state).stirred(4, A7_COLORS).0;
            *draws |= ((*state >> 14) & 3) << (2 * i);
        }
    }
    draws
}

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
    use crate::game::puyo_tsu::color_set;

    #[test]
    fn states_are_kept_exactly_when_they_draw_the_colour_set() {
        let wanted_set = color_set(State(0x1234_5678)).0;
        let wanted = draws_of(wanted_set);
        for first in [0, 0x1234_5670, 0xFFFF_FFF0, 0x8000_0000] {
            for (state, draws) in (first..=first + 15).zip(draws_from(first)) {
                assert_eq!(wanted[draws as usize], color_set(State(state)).0 == wanted_set, "{state:08X}");
            }
        }
        let share = (0..1024).filter(|&draws| wanted[draws]).count();
        assert!((1..64).contains(&share), "a table that keeps everything would pass the loop above");
    }

    #[test]
    fn a_cancelled_search_ends_without_an_answer() {
        let round = generate(State(1), Setup::VERSUS);
        let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
        let target = Target { round: 1, color_set: round.color_set, pools, setup: Setup::VERSUS };
        let progress = Progress::default();
        progress.cancel.store(true, Ordering::Relaxed);
        assert_eq!(search(&target, &progress), None);
    }
}
