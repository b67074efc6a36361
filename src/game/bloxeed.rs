//! Bloxeed (System 16, 1989): pieces are drawn one by one, from a generator of their own.
//!
//! Source: the wiki's pages of the randomizer and of the game, and another program, TGMsim; reference 4.2. When a game starts,
//! the main generator is called once, and the whole long that it returns seeds the generator of the pieces. It is kept, so that
//! who continues gets the same pieces again. The main generator goes on with the items.

use super::VariantSpec;
use super::piece::{Dealer, Piece};
use super::sega::{Routine, State, period};
use super::sega_tetris::CODES;

/// The bits of a result that decide the piece: seven here (reference 4.2).
const MASK: u32 = 0x7F;
/// From this value on the table of the quirk holds: 0x70 to 0x7F (reference 4.2).
const QUIRK_FROM: u32 = 0x70;

/// The lowest bits of the piece generator's state on which all pieces depend.
pub const STATE_BITS: u32 = 16 + MASK.count_ones();

/// How a value of seven bits becomes a piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Table {
    /// The remainder of 7, but from 0x70 on an I in the place of Z and S. The default: the wiki's page of the game tells how the
    /// program sets a flag above 0x6F and turns the remainders 1 and 2 into 0 then, with the shares that come of it; TGMsim does
    /// the same, and its author held it against the first 100 pieces of the game's power-on pattern, where both readings
    /// part at the 27th. The wiki's page of the randomizer says nothing of remainders at all. Nobody has shown a recording, so the
    /// other reading stays.
    #[default]
    FewerSnakes,
    /// The remainder of 7 and nothing else, as in Sega Tetris.
    Plain,
}

impl Table {
    /// Both.
    pub const ALL: [Self; 2] = [Self::FewerSnakes, Self::Plain];

    /// The piece of a result.
    #[must_use]
    pub const fn piece(self, result: u32) -> Piece {
        let value = result & MASK;
        let code = value % 7;
        let quirk = matches!(self, Self::FewerSnakes) && value >= QUIRK_FROM && (code == 1 || code == 2);
        CODES[if quirk { 0 } else { code as usize }]
    }

    /// The name in profiles and on the command line.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::FewerSnakes => "table",
        }
    }

    /// The table of that name; the default for any other.
    #[must_use]
    pub fn from_id(id: &str) -> Self {
        Self::ALL.into_iter().find(|table| table.id() == id).unwrap_or_default()
    }
}

/// Where the sources disagree.
pub const PIECE_VARIANTS: &[(&str, &str)] = &[
    (
        "table",
        "an I in the place of Z and S for values from 0x70 on (the wiki's page of the game; another program, held against 100 pieces)",
    ),
    (
        "plain",
        "the remainder of 7 and nothing else, as in Sega Tetris (no source says so; one tells of no exception)",
    ),
];

/// The same, for profiles.
pub const VARIANTS: &[VariantSpec] = &[VariantSpec { name: "table", choices: PIECE_VARIANTS }];

/// One game: the two generators, and what is kept for who continues.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Game {
    routine: Routine,
    table: Table,
    /// State of the generator that items are drawn from.
    pub main: State,
    /// State of the generator that pieces are drawn from.
    pub pieces: State,
    kept: State,
}

impl Game {
    /// A game that starts while the main generator stands at `main`.
    #[must_use]
    pub const fn new(table: Table, main: State) -> Self {
        let (main, seed) = Routine::LATER.call(main);
        Self::from_piece_seed(table, main, State(seed))
    }

    /// A game whose pieces have that seed.
    #[must_use]
    pub const fn from_piece_seed(table: Table, main: State, seed: State) -> Self {
        Self { routine: Routine::LATER, table, main, pieces: seed, kept: seed }
    }

    /// How results become pieces.
    #[must_use]
    pub const fn table(&self) -> Table {
        self.table
    }

    /// The seed of the pieces, kept for who continues.
    #[must_use]
    pub const fn piece_seed(&self) -> State {
        self.kept
    }

    /// The game as it goes on when somebody continues: the same pieces from the first on, the items wherever they are.
    #[must_use]
    pub const fn continued(self) -> Self {
        Self { pieces: self.kept, ..self }
    }

    /// The game as it is when the next one starts.
    #[must_use]
    pub const fn next_game(self) -> Self {
        Self::new(self.table, self.main)
    }

    /// Draws from the main generator, as items do.
    pub const fn draw_item(&mut self) -> u32 {
        let result;
        (self.main, result) = self.routine.call(self.main);
        result
    }

    /// Takes back the last piece.
    pub const fn undeal(&mut self) {
        self.pieces = self.pieces.previous();
    }

    /// After how many pieces they come again; 65,536 in the first game after the battery RAM was cleared.
    #[must_use]
    pub const fn piece_period(&self) -> u32 {
        period(self.routine.effective(self.kept).0, STATE_BITS)
    }
}

impl Dealer for Game {
    fn deal(&mut self) -> Piece {
        let result;
        (self.pieces, result) = self.routine.call(self.pieces);
        self.table.piece(result)
    }
}
