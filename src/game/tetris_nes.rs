//! Tetris for the NES (Nintendo, 1989): the generator of 15 bits that every frame steps, and the pick of a piece from it.
//!
//! Source: the disassembled routines `generateNextPseudorandomNumber`, `pickRandomTetrimino` and
//! `gameModeState_initGameState`; reference 3.2.

mod played;
mod rng;

pub use played::Played;
pub use rng::{BOOT_STATE, PERIOD, State};

use super::piece::{Chances, Dealer, GameDealer, Piece};
use super::{FieldSpec, GameId, VariantSpec, field};

/// The id of the game.
pub const ID: GameId = GameId::new("tetris-nes");

/// What the model reads.
pub const FIELDS: &[FieldSpec] = &[
    field("rng_state", 2, true, "state of the random number generator, the first byte counts most"),
    field("spawn_id", 1, true, "orientation of the piece picked last, which the next pick avoids"),
    field("spawn_count", 1, true, "pieces picked since power-on, modulo 256"),
    field("frame_counter", 2, true, "one more with every vertical blank"),
    field("next_piece", 1, true, "orientation of the piece after the one in play"),
    field("current_piece", 1, true, "orientation of the piece in play"),
    field("game_mode", 1, true, "0 legal screen, 1 title, 2 and 3 menus, 4 play, 5 demo"),
    field("statistics", 14, true, "pieces that came into play: T J Z O S L I, two bytes each"),
    field("playfield", 200, true, "20 rows of 10 cells, EF where empty"),
    field("game_mode_state", 1, false, "what the mode does; in play 0 and 1 prepare the game"),
    field("vblank_flag", 1, false, "0 while the main loop waits for the next frame"),
    field(
        "sound",
        128,
        false,
        "cells of the sound engine, which every pass of the main loop changes while music plays",
    ),
];

/// Where document and code disagree.
pub const VARIANTS: &[VariantSpec] = &[VariantSpec { name: "pick", choices: Pick::CHOICES }];

/// The spawn table: the pieces in its order, with their orientations at the top (routine `spawnTable`).
pub const TABLE: [(Piece, u8); 7] = [
    (Piece::T, 0x02),
    (Piece::J, 0x07),
    (Piece::Z, 0x08),
    (Piece::O, 0x0A),
    (Piece::S, 0x0B),
    (Piece::L, 0x0E),
    (Piece::I, 0x12),
];

/// The orientation that stands for no piece on the screen: while rows are cleared, and when the game is over.
pub const HIDDEN: u8 = 0x13;

/// An empty cell of the playfield.
pub const EMPTY: u8 = 0xEF;

/// What else stands in the playfield: the three tiles of pieces, and the curtain that falls when the game is over.
const TILES: [u8; 4] = [0x7B, 0x7C, 0x7D, 0x4F];

/// The piece that has this orientation, of 0 to 12 (hexadecimal).
#[must_use]
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

/// The orientation in which a piece comes.
#[must_use]
pub fn spawn_orientation(piece: Piece) -> u8 {
    TABLE.iter().find(|(other, _)| *other == piece).map_or(HIDDEN, |(_, orientation)| *orientation)
}

/// How a piece is picked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Pick {
    /// As the code does.
    #[default]
    Code,
    /// As the history of randomizers tells it: one of seven; when it is the last one, one of seven again, taken as it comes.
    /// Its dice are this game's generator and spawn count, which the document does not speak of.
    Document,
}

impl Pick {
    /// The names and meanings, the default first.
    pub const CHOICES: &'static [(&'static str, &'static str)] = &[
        (
            "code",
            "an eighth number counts as a repeat, and the second roll is added to the last piece's orientation",
        ),
        ("document", "one of seven, and once more when it is the last piece (not what the game does)"),
    ];

    /// The one of that name.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        match id {
            "code" => Some(Self::Code),
            "document" => Some(Self::Document),
            _ => None,
        }
    }
}

/// All that the next pick depends on.
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
    /// As after power-on.
    fn default() -> Self {
        Self { state: BOOT_STATE, count: 0, last: 0 }
    }
}

impl Spawner {
    /// Picks a piece; whether a second roll was needed, which steps the generator once.
    pub fn pick(&mut self) -> (Piece, bool) {
        self.pick_by(Pick::Code)
    }

    /// Picks a piece one way or the other.
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

    /// Starts a game: the piece in play, and the next one.
    pub fn start(&mut self) -> (Piece, Piece) {
        self.last = 0;
        let (current, _) = self.pick();
        self.state = self.state.step();
        (current, self.pick().0)
    }

    /// The same, some frames later.
    #[must_use]
    pub fn after(mut self, frames: u64) -> Self {
        self.state = self.state.jump(frames);
        self
    }
}

/// Deals pieces with a fixed number of frames between picks, as a player does who drops each piece at the same height.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Randomizer {
    /// What the next pick depends on.
    pub spawner: Spawner,
    /// Steps of the generator before each pick: the frames since the last one.
    pub steps: u32,
    /// How a piece is picked.
    pub how: Pick,
}

impl Randomizer {
    /// From a state, as after power-on otherwise.
    #[must_use]
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

/// The NES game, whose spawn count a player can know. The first roll shows three bits of the state, of which two are in the
/// second roll again (reference 3.2): four bits make both. Of the document's way the dice count as ideal.
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

/// What the statistics count, in the order of [`TABLE`]: the lower byte has two decimal digits, the upper one counts the hundreds
/// (routine `incrementPieceStat`).
#[must_use]
pub fn statistics(cells: &[u8; 14]) -> [u16; 7] {
    let mut counts = [0; 7];
    for (count, bytes) in counts.iter_mut().zip(cells.chunks_exact(2)) {
        *count = u16::from(bytes[1]) * 100 + u16::from(bytes[0] >> 4) * 10 + u16::from(bytes[0] & 0xF);
    }
    counts
}

/// Whether cells hold what the game can make, from the first game or demo on: `statistics` of 14 bytes, `playfield` of 200.
#[must_use]
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
    // The picture of success in a game of type B is drawn into the field, six rows high.
    const OTHER_MOST: usize = 60;
    let known = |cell: &&u8| **cell == EMPTY || TILES.contains(*cell);
    spawner.state.occurs()
        && (spawner.last == 0 || spawns(spawner.last))
        && spawns(next)
        && current <= HIDDEN
        && game_mode <= 6
        && statistics.len() == 14
        && statistics.chunks_exact(2).all(decimal)
        && statistics.iter().any(|byte| *byte != 0)
        && playfield.len() == 200
        && playfield.len() - playfield.iter().filter(known).count() <= OTHER_MOST
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
    fn a_game_starts_with_two_picks_and_a_step_between() {
        let mut spawner = Spawner::default();
        assert_eq!(spawner.start(), (Piece::Z, Piece::I)); // reference 3.2
        assert_eq!((spawner.state, spawner.count, spawner.last), (State(0x44C4), 2, 0x12));
    }

    #[test]
    fn repeats_are_as_rare_as_the_reference_says() {
        // Over all states and counts: 1/32 after T J Z L I, 1/16 after O S (reference 3.2).
        for (piece, last) in TABLE {
            let mut repeats = 0;
            for (count, state) in (0..8).flat_map(|count| BOOT_STATE.cycle().map(move |state| (count, state)))
            {
                repeats += u32::from(Spawner { state, count, last }.pick().0 == piece);
            }
            let share = f64::from(repeats) / f64::from(PERIOD) / 8.0;
            let stated = if matches!(piece, Piece::O | Piece::S) { 1.0 / 16.0 } else { 1.0 / 32.0 };
            assert!((share - stated).abs() < 0.002, "{piece}: {share}");
        }
    }

    #[test]
    fn only_cells_that_the_game_can_make_look_played() {
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
        assert!(!looks(&spawner, 0x0A, 0x11, 4, &statistics, &playfield), "no piece comes so");
        assert!(!looks(&spawner, 0x14, 0x12, 4, &statistics, &playfield), "no orientation");
        assert!(!looks(&spawner, 0x0A, 0x12, 7, &statistics, &playfield), "no mode");
        assert!(!looks(&spawner, 0x0A, 0x12, 4, &[0x0A; 14], &playfield), "not decimal");
        assert!(!looks(&spawner, 0x0A, 0x12, 4, &statistics, &[0; 200]), "no playfield");
        let never = Spawner { state: State(0x8000), ..spawner };
        assert!(!looks(&never, 0x0A, 0x12, 4, &statistics, &playfield), "no state");
    }
}
