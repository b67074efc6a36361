//! The generation at the start of every round: colour set, pools, final state.
//!
//! Source: Mega Drive routine 0x4AD2; reference 1.2. Checked against a 68000 emulation of the transcribed
//! routine (vectors) and against our own cartridge, which is written in assembly from the specification.

use crate::games::puyo_tsu::rng::{State, Step};
use nextscope_boards::{POOL_LEN, Pool, PoolId};
use serde::Serialize;
use std::sync::LazyLock;

/// The colours before they are shuffled (routine 0x4AD2): the six valid colours, then two entries that never move.
const UNSHUFFLED: [u8; 8] = [0, 1, 3, 5, 4, 6, 2, 0];

/// The two accounts of the shuffle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shuffle {
    /// The code: the 4-colour pool with 256 draws, then the 3- and 5-colour pools with another 256, shared.
    #[default]
    SharedIndexStream,
    /// The seed document taken literally: the 3-, 4- and 5-colour pools one after another, 256 draws each. The document
    /// does not define d0; here the first pool and the later ones get it as in the code.
    ThreeShuffles,
}

/// Inputs of the generator besides the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Setup {
    /// The mode byte M: 1 is versus, any other value makes the story's pools.
    pub mode: u8,
    /// Story rank K: five colours from 2 on.
    pub rank: u8,
    /// Option N: the group size that pops; from 5 on, one colour fewer in versus.
    pub pop_count: u8,
    /// The account of the shuffle.
    pub shuffle: Shuffle,
}

impl Setup {
    /// Versus with the default options.
    pub const VERSUS: Self = Self { mode: 1, rank: 0, pop_count: 4, shuffle: Shuffle::SharedIndexStream };

    /// Whether the three versus pools are made.
    pub fn is_versus(self) -> bool {
        self.mode == 1
    }

    /// Colours in each pool, in RAM order; the story leaves the third pool of an earlier round unchanged.
    pub fn colors(self) -> [Option<usize>; 3] {
        match (self.is_versus(), self.pop_count >= 5) {
            (true, false) => [Some(3), Some(4), Some(5)],
            (true, true) => [Some(2), Some(3), Some(4)],
            (false, _) if self.rank >= 2 => [Some(5), Some(5), None],
            (false, _) => [Some(4), Some(4), None],
        }
    }

    /// All steps of the generator in order; a state can be carried through them forward or backward.
    pub fn steps(self) -> impl DoubleEndedIterator<Item = Step> {
        let pools = match (self.is_versus(), self.shuffle) {
            (false, _) => 1,
            (true, Shuffle::SharedIndexStream) => 2,
            (true, Shuffle::ThreeShuffles) => 3,
        };
        let first = self.first_step();
        let draws = (0..pools * POOL_LEN).map(move |draw| match (draw, draw % POOL_LEN) {
            (0, _) => first,
            (_, 0) => Step::NextPool,
            _ => Step::Pool,
        });
        std::iter::repeat_n(Step::COLOR, 5).chain(draws)
    }

    /// The pool that is shuffled first.
    pub fn shuffled_first(self) -> PoolId {
        match (self.is_versus(), self.shuffle) {
            (true, Shuffle::ThreeShuffles) => PoolId::Three,
            _ => PoolId::Four,
        }
    }

    /// The first draw of that pool; its d0 contains 256 mod the number of colours.
    pub fn first_step(self) -> Step {
        let colors = self.colors()[self.shuffled_first().index()];
        Step::FirstPool { remainder: u32::from(matches!(colors, Some(3 | 5))) }
    }
}

/// A generated round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The state before the generation.
    pub before: State,
    /// The shuffled colours.
    pub color_set: [u8; 8],
    /// The pools in RAM order; None for a pool that the generator leaves unchanged.
    pub pools: [Option<Pool>; 3],
    /// The state after the generation.
    pub after: State,
}

impl Round {
    /// A pool; None for the third in story mode.
    pub fn pool(&self, id: PoolId) -> Option<&Pool> {
        self.pools[id.index()].as_ref()
    }
}

/// The colour draws alone: the shuffled set and the state after five steps.
pub fn color_set(before: State) -> ([u8; 8], State) {
    let mut set = UNSHUFFLED;
    let mut state = before;
    for i in 0..5 {
        let (next, j) = state.random(4, super::rng::A7_COLORS);
        set.swap(i, usize::from(j));
        state = next;
    }
    (set, state)
}

/// All 96 colour sets that five draws can make, ascending. The fifth colour is never purple (4).
pub fn reachable_color_sets() -> &'static [[u8; 8]] {
    static SETS: LazyLock<Vec<[u8; 8]>> = LazyLock::new(all_color_sets);
    &SETS
}

/// The colour set of five draws, given as two bits each, the first draw lowest.
pub fn set_of_draws(draws: u16) -> [u8; 8] {
    let mut set = UNSHUFFLED;
    for i in 0..5 {
        set.swap(i, usize::from(draws >> (2 * i)) & 3);
    }
    set
}

fn all_color_sets() -> Vec<[u8; 8]> {
    let mut sets: Vec<[u8; 8]> = (0..1024).map(set_of_draws).collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

fn filled(set: &[u8; 8], colors: usize) -> Pool {
    std::array::from_fn(|i| set[i % colors])
}

/// 256 draws; every given pool is shuffled with the same indices.
fn shuffle<const N: usize>(mut state: State, first: Step, mut pools: [&mut Pool; N]) -> State {
    let mut step = first;
    for i in (0..POOL_LEN).rev() {
        state = state.advance(step);
        let j = (state.0 & 0xFF) as usize;
        for pool in &mut pools {
            pool.swap(i, j);
        }
        step = Step::Pool;
    }
    state
}

/// Generates a round.
pub fn generate(before: State, setup: Setup) -> Round {
    let (set, state) = color_set(before);
    let first = setup.first_step();
    let [three, four, five] = setup.colors().map(|colors| colors.map(|n| filled(&set, n)));
    // The story makes one pool and copies it; versus makes all three.
    let (Some(mut three), Some(mut four)) = (three, four) else {
        return Round { before, color_set: set, pools: [None; 3], after: state };
    };
    let Some(mut five) = five else {
        let after = shuffle(state, first, [&mut four]);
        return Round { before, color_set: set, pools: [Some(four), Some(four), None], after };
    };
    let after = match setup.shuffle {
        Shuffle::SharedIndexStream => {
            let between = shuffle(state, first, [&mut four]);
            shuffle(between, Step::NextPool, [&mut three, &mut five])
        }
        Shuffle::ThreeShuffles => {
            let state = shuffle(state, first, [&mut three]);
            let state = shuffle(state, Step::NextPool, [&mut four]);
            shuffle(state, Step::NextPool, [&mut five])
        }
    };
    four[..4].copy_from_slice(&three[..4]);
    five[..4].copy_from_slice(&three[..4]);
    five[4..8].copy_from_slice(&four[4..8]);
    Round { before, color_set: set, pools: [Some(three), Some(four), Some(five)], after }
}

/// The state after a generation from `before`, without making the pools.
pub fn state_after(before: State, setup: Setup) -> State {
    setup.steps().fold(before, State::advance)
}

/// Every state from which a generation ends in `after`, in ascending order: all paths are walked backward.
/// `limit` bounds the number of states in memory at once (states merge forward, so they fan out backward; some
/// hundreds are usual); None if it was exceeded.
pub fn states_before(after: State, setup: Setup, limit: usize) -> Option<Vec<State>> {
    let mut states = vec![after];
    for step in setup.steps().rev() {
        states = states.iter().flat_map(|state| state.predecessors(step)).collect();
        states.sort_unstable();
        states.dedup();
        if states.len() > limit {
            return None;
        }
    }
    Some(states)
}
