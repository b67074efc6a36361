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
pub mod live;
mod options;
mod pairs;
pub mod starts;
mod stats_command;
#[cfg(test)]
mod vectors;

pub use crate::games::shift_register::{BOOT_STATE, PERIOD, State};
pub(super) use definition::GAME;

pub use bottle::{Bottle, CELLS, COLUMNS, Cell, Levels, MAX_LEVEL, ROWS, Viruses, top_row, virus_count};
pub use capsule::{Capsule, NUMBERS, RESERVE, Reserve};

use crate::games::{FieldSpec, GameId, field};
use nextscope_boards::Color;

/// The id of the game.
pub const ID: GameId = GameId::new("dr-mario");

/// The fields of the model.
pub const FIELDS: &[FieldSpec] = &[
    field("rng_state", 2, true, "state of the random number generator, high byte first"),
    field("frame_counter", 1, true, "incremented every vertical blank"),
    field(
        "screen",
        1,
        true,
        "1 options screen, 2 and 3 preparation, 8 viruses appear, 4 play, 5 and 7 end of a game",
    ),
    field("demo", 1, true, "0 unless the demo runs, which has capsules and viruses of its own"),
    field("players", 1, true, "number of players"),
    field("victories_needed", 1, true, "rounds that win a game of two players, always 3"),
    field("reserve", 128, true, "the capsules: 3 times the left colour plus the right one"),
    field("p1_capsule", 2, true, "player 1: colours of the falling capsule, left and right half"),
    field("p1_next", 2, true, "player 1: colours of the next capsule"),
    field("p1_index", 1, true, "player 1: place in the reserve of the capsule after the next one"),
    field("p1_level", 1, true, "player 1: level"),
    field("p1_to_place", 1, true, "player 1: viruses that are still to appear"),
    field("p1_field", 128, true, "player 1: the bottle, 16 rows of 8 cells"),
    field("p2_capsule", 2, false, "player 2: colours of the falling capsule, left and right half"),
    field("p2_next", 2, false, "player 2: colours of the next capsule"),
    field("p2_index", 1, false, "player 2: place in the reserve of the capsule after the next one"),
    field("p2_level", 1, false, "player 2: level"),
    field("p2_to_place", 1, false, "player 2: viruses that are still to appear"),
    field("p2_field", 128, false, "player 2: the bottle, 16 rows of 8 cells"),
];

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
    pub fn new(state: State, levels: Levels) -> Self {
        Self::of_reserve(state, Reserve::new(state), levels)
    }

    /// The round if the generator makes one step too many before it draws for this place of the reserve.
    pub fn with_extra_step(state: State, place: usize, levels: Levels) -> Self {
        Self::of_reserve(state, Reserve::with_extra_step(state, place), levels)
    }

    fn of_reserve(state: State, (reserve, before_viruses): (Reserve, State), levels: Levels) -> Self {
        Self { state, reserve, viruses: Viruses::new(before_viruses, levels) }
    }

    /// The next round of the game: nothing steps the generator in between.
    pub fn next(&self) -> Self {
        Self::new(self.viruses.after, self.viruses.levels.next())
    }
}

/// Frames on the options screen after power-on until a round that is made from this state starts: at least one. None for a
/// state that the generator does not reach.
pub fn option_frames(state: State) -> Option<u16> {
    state.steps_from_boot().map(|steps| if steps == 0 { PERIOD } else { steps })
}
