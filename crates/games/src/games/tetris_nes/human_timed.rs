//! The game with human timing: its pieces depend on the frames in which they are picked.

use crate::games::piece::{Chances, Dealer, GameDealer, Piece};
use crate::games::tetris_nes::{BOOT_STATE, Pick, Randomizer};
use crate::games::uniform::Uniform;

/// The least number of frames between two picks: about the time a piece needs to fall and lock.
const SHORTEST_WAIT: u32 = 32;
/// The number of different waits, all equally likely: more than enough to lose track of a 15-bit generator.
const WAITS: u32 = 64;

/// The NES game from power-on, with a random number of frames between picks: its generator runs every frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HumanTimedGame {
    /// The game.
    pub randomizer: Randomizer,
    waits: Uniform,
}

impl HumanTimedGame {
    /// The seed determines the time each piece takes.
    pub fn new(seed: u32, how: Pick) -> Self {
        Self { randomizer: Randomizer::new(BOOT_STATE, 0, how), waits: Uniform::SplitMix64(seed.into()) }
    }
}

impl Dealer for HumanTimedGame {
    fn deal(&mut self) -> Piece {
        self.randomizer.steps = SHORTEST_WAIT + self.waits.below(WAITS);
        self.randomizer.deal()
    }
}

impl GameDealer for HumanTimedGame {
    fn state_after(&self) -> String {
        self.randomizer.state_after()
    }

    fn chances(&self) -> Option<Chances> {
        self.randomizer.chances()
    }
}
