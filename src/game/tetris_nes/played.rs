//! The game as somebody plays it: its pieces depend on when they are asked for.

use super::{BOOT_STATE, Pick, Randomizer};
use crate::game::piece::{Chances, Dealer, GameDealer, Piece};
use crate::game::uniform::Uniform;

/// Frames between two picks: from this many on, about as a piece needs to fall and to lock.
const SHORTEST_WAIT: u32 = 32;
/// So many different waits, each as likely: more than enough to lose track of a generator of fifteen bits.
const WAITS: u32 = 64;

/// The NES game from power-on, with as many frames between two picks as chance has it: its generator runs in every frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Played {
    /// The game.
    pub randomizer: Randomizer,
    waits: Uniform,
}

impl Played {
    /// The seed decides how long each piece takes.
    #[must_use]
    pub fn new(seed: u32, how: Pick) -> Self {
        Self { randomizer: Randomizer::new(BOOT_STATE, 0, how), waits: Uniform::SplitMix64(seed.into()) }
    }
}

impl Dealer for Played {
    fn deal(&mut self) -> Piece {
        self.randomizer.steps = SHORTEST_WAIT + self.waits.below(WAITS);
        self.randomizer.deal()
    }
}

impl GameDealer for Played {
    fn state_after(&self) -> String {
        self.randomizer.state_after()
    }

    fn chances(&self) -> Option<Chances> {
        self.randomizer.chances()
    }
}
