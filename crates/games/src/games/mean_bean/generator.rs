//! The generation of the pools before every round.
//!
//! Source: routine `GenPuyoOrder` of the disassembly; reference A.3, checked against a 68000 emulation of the transcribed routine.

use crate::games::mean_bean::rng::{State, bounded};
use nextscope_boards::{POOL_LEN, Pool};
use serde::Serialize;

/// The colours of pairs in the order in which pools are filled (reference A.3). Teal (2) and garbage (6) never come from the
/// generator.
pub const COLORS: [u8; 5] = [0, 1, 3, 4, 5];

/// Draws for a pool of 256 bytes.
pub const FIRST_DRAWS: usize = POOL_LEN;
/// Bytes at the start of the second versus pool that are copied from the first: four pairs.
pub const COPIED: usize = 8;
/// Draws for the rest of the second versus pool.
pub const SECOND_DRAWS: usize = POOL_LEN - COPIED;

/// Versus, the only mode with two different pools (reference A.5).
const VERSUS: u8 = 1;
/// Stages below this one are lessons of Puyo Puyo, with four colours.
const LESSONS: u8 = 3;

/// Inputs of the generator besides the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Setup {
    /// The mode byte M: 0 story, 1 versus, 2 exercise, 3 options, 4 demo or tutorial.
    pub mode: u8,
    /// The stage byte L: 0 to 2 are the lessons of Puyo Puyo, 3 is the first opponent.
    pub stage: u8,
}

impl Setup {
    /// Versus.
    pub const VERSUS: Self = Self { mode: VERSUS, stage: LESSONS };
    /// The story against an opponent.
    pub const STORY: Self = Self { mode: 0, stage: LESSONS };
    /// A lesson of Puyo Puyo's story.
    pub const LESSON: Self = Self { mode: 0, stage: 0 };

    /// The setups that generate different pools.
    pub const ALL: [Self; 3] = [Self::VERSUS, Self::STORY, Self::LESSON];

    /// Whether two different pools are generated.
    #[must_use]
    pub const fn is_versus(self) -> bool {
        self.mode == VERSUS
    }

    /// The colours in the first and in the second pool.
    #[must_use]
    pub const fn colors(self) -> [usize; 2] {
        match (self.is_versus(), self.stage < LESSONS) {
            (true, _) => [4, 5],
            (false, true) => [4, 4],
            (false, false) => [5, 5],
        }
    }

    /// The number of draws.
    #[must_use]
    pub const fn draws(self) -> usize {
        if self.is_versus() { FIRST_DRAWS + SECOND_DRAWS } else { FIRST_DRAWS }
    }
}

/// A generated round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The state before the generation.
    pub before: State,
    /// The pools of player 1 and player 2; in versus those of level 1 and of the higher levels.
    pub pools: [Pool; 2],
    /// The state after the generation.
    pub after: State,
}

/// Generates a round without a vertical interrupt inside.
#[must_use]
pub fn generate(before: State, setup: Setup) -> Round {
    generate_interrupted(before, setup, &[])
}

/// Generates a round during which the vertical interrupt steps the generator once more before each of these draws, counted from 0
/// (reference A.4).
#[must_use]
pub fn generate_interrupted(before: State, setup: Setup, extra_steps: &[u16]) -> Round {
    let (mut state, mut draw) = (before, 0);
    let mut next = || {
        let extra = extra_steps.iter().filter(|at| **at == draw).count();
        for _ in 0..=extra {
            state = state.next();
        }
        draw += 1;
        state.drawn()
    };
    let mut first: Pool = filled(setup.colors()[0]);
    shuffle(&mut first, || usize::from(next() & 0xFF));
    let mut second = first;
    if setup.is_versus() {
        let mut rest: [u8; SECOND_DRAWS] = filled(setup.colors()[1]);
        shuffle(&mut rest, || second_index(next()));
        second[COPIED..].copy_from_slice(&rest);
    }
    Round { before, pools: [first, second], after: state }
}

/// The index that a random number gives in the second versus pool.
#[must_use]
pub fn second_index(drawn: u16) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "248")]
    const LEN: u16 = SECOND_DRAWS as u16;
    bounded(drawn, LEN).into()
}

/// The colours in a cycle, as a pool is filled before it is shuffled.
#[must_use]
pub fn filled<const N: usize>(colors: usize) -> [u8; N] {
    std::array::from_fn(|at| COLORS[at % colors.clamp(1, COLORS.len())])
}

/// A draw for each place, from the last to the first; its content is exchanged with that of any place.
fn shuffle(cells: &mut [u8], mut index: impl FnMut() -> usize) {
    for at in (0..cells.len()).rev() {
        cells.swap(at, index());
    }
}
