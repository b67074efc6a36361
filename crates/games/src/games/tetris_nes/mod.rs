//! Tetris for the NES (Nintendo, 1989): a 15-bit generator that steps every frame, and the selection of a piece.
//!
//! Source: the disassembled routines `generateNextPseudorandomNumber`, `pickRandomTetrimino` and
//! `gameModeState_initGameState`; reference 3.2.

mod definition;
pub mod live;
pub(crate) mod seeds;

pub(super) use definition::GAME;

mod gaps;
mod human_timed;
#[cfg(test)]
mod vectors;

pub use human_timed::HumanTimedGame;

pub use crate::games::shift_register::{BOOT_STATE, PERIOD, State};

use crate::games::piece::{Chances, Dealer, GameDealer, Piece};
use crate::games::{FieldSpec, GameId, VariantSpec, field};

/// The id of the game.
pub const ID: GameId = GameId::new("tetris-nes");

/// The fields of the model.
pub const FIELDS: &[FieldSpec] = &[
    field("rng_state", 2, true, "state of the random number generator, high byte first"),
    field("spawn_id", 1, true, "orientation of the piece picked last, which the next pick avoids"),
    field("spawn_count", 1, true, "pieces picked since power-on, modulo 256"),
    field("frame_counter", 2, true, "incremented every vertical blank"),
    field("next_piece", 1, true, "orientation of the piece after the one in play"),
    field("current_piece", 1, true, "orientation of the piece in play"),
    field("game_mode", 1, true, "0 legal screen, 1 title, 2 and 3 menus, 4 play, 5 demo"),
    field("statistics", 14, true, "pieces that came into play: T J Z O S L I, two bytes each"),
    field("playfield", 200, true, "20 rows of 10 cells, empty cells are EF"),
    field("game_mode_state", 1, false, "step within the mode; in play, 0 and 1 prepare the game"),
    field("vblank_flag", 1, false, "0 while the main loop waits for the next frame"),
    field(
        "sound",
        128,
        false,
        "cells of the sound engine, which change every pass of the main loop while music plays",
    ),
];

/// The points on which document and code disagree.
pub const VARIANTS: &[VariantSpec] = &[VariantSpec { name: "pick", choices: Pick::CHOICES }];

/// The spawn table: the pieces in its order, with their spawn orientations (routine `spawnTable`).
pub const TABLE: [(Piece, u8); 7] = [
    (Piece::T, 0x02),
    (Piece::J, 0x07),
    (Piece::Z, 0x08),
    (Piece::O, 0x0A),
    (Piece::S, 0x0B),
    (Piece::L, 0x0E),
    (Piece::I, 0x12),
];

/// The orientation of a hidden piece: while rows are cleared, and after game over.
pub const HIDDEN: u8 = 0x13;

/// An empty cell of the playfield.
pub const EMPTY: u8 = 0xEF;

/// Other tiles of the playfield: the three tiles of pieces, and the curtain that falls at game over.
const TILES: [u8; 4] = [0x7B, 0x7C, 0x7D, 0x4F];

/// The piece with this orientation, 0 to 12 (hexadecimal).
pub fn piece_of(orientation: u8) -> Option<Piece> {
    Some(match orientation {
        0x00..=0x03 => Piece::T,
        0x04..=0x07 => Piece::J,
        0x08 | 0x09 => Piece::Z,
        0x0A => Piece::O,
        0x0B | 0x0C => Piece::S,
        0x0D..=0x10 => Piece::L,
        0x11 | 0x12 => Piece::I,
        _ => return None,
    })
}

/// The spawn orientation of a piece.
pub fn spawn_orientation(piece: Piece) -> u8 {
    TABLE.iter().find(|(other, _)| *other == piece).map_or(HIDDEN, |(_, orientation)| *orientation)
}

/// How a piece is selected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Pick {
    /// As in the code.
    #[default]
    Code,
    /// As in the history of randomizers: one of seven; if it equals the last piece, one of seven again, accepted unconditionally.
    /// The random numbers come from this game's generator and spawn count, which the document does not mention.
    Document,
}

impl Pick {
    /// Names and descriptions, the default first.
    pub const CHOICES: &'static [(&'static str, &'static str)] = &[
        (
            "code",
            "an eighth number counts as a repeat, and the second roll is added to the last piece's orientation",
        ),
        ("document", "one of seven, drawn once more if it equals the last piece (not what the game does)"),
    ];

    /// The method with that name.
    pub fn from_id(id: &str) -> Option<Self> {
        match id {
            "code" => Some(Self::Code),
            "document" => Some(Self::Document),
            _ => None,
        }
    }
}

/// Everything that the next pick depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Spawner {
    /// The generator.
    pub state: State,
    /// Pieces picked since power-on, modulo 256.
    pub count: u8,
    /// Orientation of the piece picked last; 0 at the start of a game, when none is avoided.
    pub last: u8,
}

impl Default for Spawner {
    /// The state after power-on.
    fn default() -> Self {
        Self { state: BOOT_STATE, count: 0, last: 0 }
    }
}

impl Spawner {
    /// Picks a piece; also returns whether a second roll was needed, which steps the generator once.
    pub fn pick(&mut self) -> (Piece, bool) {
        self.pick_by(Pick::Code)
    }

    /// Picks a piece with the given method.
    pub fn pick_by(&mut self, how: Pick) -> (Piece, bool) {
        self.count = self.count.wrapping_add(1);
        let roll = |spawner: &Self| spawner.state.high().wrapping_add(spawner.count);
        let first = match how {
            Pick::Code => usize::from(roll(self) & 7),
            Pick::Document => usize::from(roll(self) % 7),
        };
        if let Some(&(piece, orientation)) = TABLE.get(first)
            && orientation != self.last
        {
            self.last = orientation;
            return (piece, false);
        }
        self.state = self.state.step();
        let second = match how {
            Pick::Code => ((self.state.high() & 7) + self.last) % 7,
            Pick::Document => roll(self) % 7,
        };
        let (piece, orientation) = TABLE[usize::from(second)];
        self.last = orientation;
        (piece, true)
    }

    /// Starts a game: returns the piece in play and the next one.
    pub fn start(&mut self) -> (Piece, Piece) {
        self.last = 0;
        let (current, _) = self.pick();
        self.state = self.state.step();
        (current, self.pick().0)
    }

    /// The spawner after `frames` frames.
    #[must_use]
    pub fn after(mut self, frames: u64) -> Self {
        self.state = self.state.jump(frames);
        self
    }
}

/// Deals pieces with a fixed number of frames between picks, as for a player who drops each piece at the same height.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Randomizer {
    /// The state that the next pick depends on.
    pub spawner: Spawner,
    /// Steps of the generator before each pick: the frames since the last one.
    pub steps: u32,
    /// How a piece is selected.
    pub how: Pick,
}

impl Randomizer {
    /// Starts from a state, with the rest as after power-on.
    pub fn new(state: State, steps: u32, how: Pick) -> Self {
        Self { spawner: Spawner { state, ..Spawner::default() }, steps, how }
    }
}

impl Dealer for Randomizer {
    fn deal(&mut self) -> Piece {
        self.spawner.state = self.spawner.state.jump(self.steps.into());
        self.spawner.pick_by(self.how).0
    }
}

impl GameDealer for Randomizer {
    fn state_after(&self) -> String {
        self.spawner.state.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        Some(chances(self))
    }
}

/// The chances in the NES game, whose spawn count a player can know. The first roll shows three bits of the state, two of which are in the
/// second roll again (reference 3.2): four bits make both. For the document's method, ideal random numbers are assumed.
fn chances(dealer: &Randomizer) -> Chances {
    let mut chances = [0.0; 7];
    let last = dealer.spawner.last;
    if dealer.how == Pick::Document {
        for (piece, orientation) in TABLE {
            chances[piece.index()] = if last == 0 {
                1.0 / 7.0
            } else if orientation == last {
                1.0 / 49.0
            } else {
                8.0 / 49.0
            };
        }
        return chances;
    }
    let count = dealer.spawner.count.wrapping_add(1);
    for bits in 0..16u8 {
        let first = TABLE.get(usize::from(bits.wrapping_add(count) & 7)).filter(|(_, other)| *other != last);
        let second = || &TABLE[usize::from(((bits >> 1) + last) % 7)];
        chances[first.unwrap_or_else(second).0.index()] += 1.0 / 16.0;
    }
    chances
}

/// The counts of the statistics, in the order of [`TABLE`]: the low byte has two decimal digits, the high byte counts the hundreds
/// (routine `incrementPieceStat`).
pub fn statistics(cells: &[u8; 14]) -> [u16; 7] {
    let mut counts = [0; 7];
    for (count, bytes) in counts.iter_mut().zip(cells.chunks_exact(2)) {
        *count = u16::from(bytes[1]) * 100 + u16::from(bytes[0] >> 4) * 10 + u16::from(bytes[0] & 0xF);
    }
    counts
}

/// Whether these cells are possible in the game, from the first game or demo on: `statistics` of 14 bytes, `playfield` of 200.
pub fn looks_played(
    spawner: &Spawner,
    current: u8,
    next: u8,
    game_mode: u8,
    statistics: &[u8],
    playfield: &[u8],
) -> bool {
    let spawns = |orientation: u8| TABLE.iter().any(|(_, known)| *known == orientation);
    let decimal = |count: &[u8]| count[0] >> 4 <= 9 && count[0] & 0xF <= 9;
    // The picture shown after a type B game is drawn into the field, six rows high.
    const MAX_OTHER: usize = 60;
    let known = |cell: &&u8| **cell == EMPTY || TILES.contains(*cell);
    spawner.state.is_reachable()
        && (spawner.last == 0 || spawns(spawner.last))
        && spawns(next)
        && current <= HIDDEN
        && game_mode <= 6
        && statistics.len() == 14
        && statistics.chunks_exact(2).all(decimal)
        && statistics.iter().any(|byte| *byte != 0)
        && playfield.len() == 200
        && playfield.len() - playfield.iter().filter(known).count() <= MAX_OTHER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_and_pieces_agree() {
        for (piece, orientation) in TABLE {
            assert_eq!(piece_of(orientation), Some(piece));
            assert_eq!(spawn_orientation(piece), orientation);
        }
        assert_eq!((piece_of(HIDDEN), piece_of(0xFF)), (None, None));
    }

    #[test]
    fn a_game_starts_with_two_picks_one_step_apart() {
        let mut spawner = Spawner::default();
        assert_eq!(spawner.start(), (Piece::Z, Piece::I)); // reference 3.2
        assert_eq!((spawner.state, spawner.count, spawner.last), (State(0x44C4), 2, 0x12));
    }

    #[test]
    fn repeats_are_as_rare_as_the_reference_states() {
        // Over all states and counts: 1/32 after T J Z L I, 1/16 after O S (reference 3.2).
        for (piece, last) in TABLE {
            let mut repeats = 0;
            for (count, state) in (0..8).flat_map(|count| BOOT_STATE.orbit().map(move |state| (count, state)))
            {
                repeats += u32::from(Spawner { state, count, last }.pick().0 == piece);
            }
            let share = f64::from(repeats) / f64::from(PERIOD) / 8.0;
            let stated = if matches!(piece, Piece::O | Piece::S) { 1.0 / 16.0 } else { 1.0 / 32.0 };
            assert!((share - stated).abs() < 0.002, "{piece}: {share}");
        }
    }

    #[test]
    fn only_possible_cells_look_played() {
        let mut playfield = [EMPTY; 200];
        playfield[190] = 0x7B;
        let mut statistics = [0; 14];
        statistics[0] = 0x42;
        let spawner = Spawner { last: 0x12, ..Spawner::default() };
        let looks = |spawner: &Spawner, current, next, mode, statistics: &[u8], playfield: &[u8]| {
            looks_played(spawner, current, next, mode, statistics, playfield)
        };
        assert!(looks(&spawner, 0x0A, 0x12, 4, &statistics, &playfield));
        assert!(looks(&spawner, HIDDEN, 0x02, 5, &statistics, &[0x4F; 200]));
        assert!(!looks(&spawner, 0x0A, 0x11, 4, &statistics, &playfield), "not a spawn orientation");
        assert!(!looks(&spawner, 0x14, 0x12, 4, &statistics, &playfield), "not an orientation");
        assert!(!looks(&spawner, 0x0A, 0x12, 7, &statistics, &playfield), "not a mode");
        assert!(!looks(&spawner, 0x0A, 0x12, 4, &[0x0A; 14], &playfield), "not decimal");
        assert!(!looks(&spawner, 0x0A, 0x12, 4, &statistics, &[0; 200]), "not a playfield");
        let never = Spawner { state: State(0x8000), ..spawner };
        assert!(!looks(&never, 0x0A, 0x12, 4, &statistics, &playfield), "not a state");
    }
}
