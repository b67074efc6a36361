//! Dr. Mario for the NES (Nintendo, 1990): capsules and viruses.
//!
//! The generator steps once per frame on the options screen and then only to make the capsules and viruses of a round: from the
//! moment Start is pressed, all levels until the options screen comes back are fixed.
//!
//! Sources: the disassembled routines `randomNumberGenerator`, `generatePillsReserve`, `generateNextPill`, `levelIntro` and
//! `addVirus`; "reference B" is part B of the project's notes on more games.

mod bottle;
mod capsule;
mod definition;
mod find_command;
mod generate_command;
mod pairs;
pub mod starts;
mod stats_command;
#[cfg(test)]
mod vectors;

pub use crate::games::shift_register::{BOOT_STATE, PERIOD, State};
pub(super) use definition::GAME;

pub use bottle::{Bottle, CELLS, COLUMNS, Cell, Levels, MAX_LEVEL, ROWS, Viruses, top_row, virus_count};
pub use capsule::{Capsule, NUMBERS, RESERVE, Reserve};

use crate::games::GameId;
use nextscope_boards::Color;

/// The id of the game.
pub const ID: GameId = GameId::new("dr-mario");

/// The colours by their codes in RAM.
pub const COLORS: [Color; 3] = [Color::YELLOW, Color::RED, Color::BLUE];

/// A round: the capsules of both players, and the viruses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The state from which it is made.
    pub state: State,
    /// The capsules.
    pub reserve: Reserve,
    /// The viruses.
    pub viruses: Viruses,
}

impl Round {
    /// The round that starts in this state.
    #[must_use]
    pub fn new(state: State, levels: Levels) -> Self {
        let (reserve, before_viruses) = Reserve::new(state);
        Self { state, reserve, viruses: Viruses::new(before_viruses, levels) }
    }

    /// The next round of the game: nothing steps the generator in between. One player goes on to the next level; two players
    /// play the same levels again.
    #[must_use]
    pub fn next(&self) -> Self {
        Self::new(self.viruses.after, self.viruses.levels.next())
    }
}

/// Frames on the options screen after power-on until a round that is made from this state starts: at least one. None for a
/// state that the generator does not reach.
#[must_use]
pub fn option_frames(state: State) -> Option<u16> {
    state.steps_from_boot().map(|steps| if steps == 0 { PERIOD } else { steps })
}
