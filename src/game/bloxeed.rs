//! Bloxeed (System 16, 1989): pieces are drawn one by one, from a generator of their own.
//!
//! Source: the wiki's pages of the randomizer and of the game, and another program, TGMsim; reference 4.2. When a game starts,
//! the main generator is called once, and the whole long that it returns seeds the generator of the pieces. It is kept, so that
//! who continues gets the same pieces again. The main generator goes on with the items.

use super::piece::{Chances, Dealer, GameDealer, Piece, of_results};
use super::sega::{Carry, LATER_DEFAULT, Routine, State, ZeroTest, period};
use super::sega_tetris::CODES;
use super::{GameId, VariantSpec};

/// The id of the game.
pub const ID: GameId = GameId::new("bloxeed");

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

/// Where sources disagree, all answers together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reading {
    /// How a value becomes a piece.
    pub table: Table,
    /// What the routine takes for zero.
    pub zero: ZeroTest,
    /// What becomes of the carry in the result that seeds the pieces.
    pub carry: Carry,
}

impl Default for Reading {
    fn default() -> Self {
        Self { table: Table::default(), zero: Routine::LATER.zero, carry: Routine::LATER.carry }
    }
}

impl From<Table> for Reading {
    fn from(table: Table) -> Self {
        Self { table, ..Self::default() }
    }
}

/// All readings by name: three that can be taken for themselves, put together with +.
const READINGS: [(&str, Reading); 8] = {
    use Carry::{Dropped, Kept};
    use Table::{FewerSnakes, Plain};
    use ZeroTest::{LowWord, WholeLong};
    const fn reading(table: Table, carry: Carry, zero: ZeroTest) -> Reading {
        Reading { table, zero, carry }
    }
    [
        ("table", reading(FewerSnakes, Dropped, LowWord)),
        ("plain", reading(Plain, Dropped, LowWord)),
        ("carry", reading(FewerSnakes, Kept, LowWord)),
        ("whole-long", reading(FewerSnakes, Dropped, WholeLong)),
        ("plain+carry", reading(Plain, Kept, LowWord)),
        ("plain+whole-long", reading(Plain, Dropped, WholeLong)),
        ("carry+whole-long", reading(FewerSnakes, Kept, WholeLong)),
        ("document", reading(Plain, Kept, WholeLong)),
    ]
};

/// The name of a combination such as "plain+carry", in any order; None for one with a part that is not known.
#[must_use]
pub fn variant(name: &str) -> Option<&'static str> {
    let mut wanted = Reading::default();
    for part in name.split('+') {
        let (_, part) = READINGS[..4].iter().chain(&READINGS[7..]).find(|(known, _)| *known == part)?;
        let usual = Reading::default();
        wanted.table = if part.table == usual.table { wanted.table } else { part.table };
        wanted.zero = if part.zero == usual.zero { wanted.zero } else { part.zero };
        wanted.carry = if part.carry == usual.carry { wanted.carry } else { part.carry };
    }
    READINGS.iter().find(|(_, reading)| *reading == wanted).map(|(name, _)| *name)
}

impl Reading {
    /// The reading of a variant's name; the default for any other.
    #[must_use]
    pub fn from_id(id: &str) -> Self {
        let name = variant(id);
        READINGS
            .iter()
            .find(|(known, _)| Some(*known) == name)
            .map_or_else(Self::default, |(_, reading)| *reading)
    }

    /// The reading that a profile goes by, from the names of its three variants.
    #[must_use]
    pub fn of_profile<'a>(variant: impl Fn(&'static str) -> &'a str) -> Self {
        let zero = if variant("zero_test") == "whole-long" { ZeroTest::WholeLong } else { ZeroTest::LowWord };
        let carry = if variant("carry") == "kept" { Carry::Kept } else { Carry::Dropped };
        Self { table: Table::from_id(variant("table")), zero, carry }
    }

    /// The generator's routine.
    #[must_use]
    pub const fn routine(self) -> Routine {
        Routine { default: LATER_DEFAULT, zero: self.zero, carry: self.carry }
    }
}

/// Where the sources disagree; more than one is put together with +, such as plain+carry.
pub const PIECE_VARIANTS: &[(&str, &str)] = &[
    TABLES[0],
    TABLES[1],
    (
        "carry",
        "bit 16 of the result that seeds the pieces holds the carry, as in the wiki's C listing (the 68000 routine loses it)",
    ),
    (
        "whole-long",
        "0x2A6D365B stands in for a state that is zero as a whole, as the wiki's C listing tests it",
    ),
    ("document", "plain+carry+whole-long: all as in the wiki's C listing and its text"),
];

/// The readings of the table.
const TABLES: &[(&str, &str)] = &[
    (
        "table",
        "an I in the place of Z and S for values from 0x70 on (the wiki's page of the game; another program, held against 100 \
         pieces); the default, though the wiki's page of the randomizer knows no such table",
    ),
    (
        "plain",
        "the remainder of 7 and nothing else, as in Sega Tetris (no source says so; one tells of no exception)",
    ),
];

/// The same, for profiles.
pub const VARIANTS: &[VariantSpec] = &[
    VariantSpec { name: "table", choices: TABLES },
    VariantSpec { name: "zero_test", choices: super::flash_point::PIECE_VARIANTS },
    VariantSpec {
        name: "carry",
        choices: &[
            (
                "dropped",
                "the carry of the sum that makes the seed of the pieces is lost, as in the 68000 routine",
            ),
            ("kept", "it is bit 16 of the seed, as in the wiki's C listing"),
        ],
    },
];

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
    pub fn new(reading: impl Into<Reading>, main: State) -> Self {
        let reading = reading.into();
        let (main, seed) = reading.routine().call(main);
        Self::from_piece_seed(reading, main, State(seed))
    }

    /// A game whose pieces have that seed.
    #[must_use]
    pub fn from_piece_seed(reading: impl Into<Reading>, main: State, seed: State) -> Self {
        let reading = reading.into();
        Self { routine: reading.routine(), table: reading.table, main, pieces: seed, kept: seed }
    }

    /// What it goes by where sources disagree.
    #[must_use]
    pub const fn reading(&self) -> Reading {
        Reading { table: self.table, zero: self.routine.zero, carry: self.routine.carry }
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
    pub fn next_game(self) -> Self {
        Self::new(self.reading(), self.main)
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

impl GameDealer for Game {
    fn state_after(&self) -> String {
        self.pieces.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        // Seven bits of a result.
        Some(of_results(128, |result| Some(self.table().piece(result))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::piece::letters;

    /// The wiki's C listing, as it stands there.
    fn listing(state: &mut u32) -> u32 {
        let mut temp = if *state == 0 { LATER_DEFAULT.0 } else { *state };
        let old = temp;
        temp = temp.wrapping_mul(41);
        *state = temp.wrapping_add(temp << 16);
        ((temp & 0xFFFF) + (temp >> 16)) | (old & 0xFFFF_0000)
    }

    #[test]
    fn the_document_is_the_wikis_listing_and_parts_from_the_default_in_the_second_game() {
        let document = Reading::from_id("document");
        let mut game = Game::new(document, State(0));
        let mut main = 0;
        for _ in 0..2000 {
            let seed = listing(&mut main);
            assert_eq!((game.piece_seed(), game.main), (State(seed), State(main)));
            let mut pieces = seed;
            for _ in 0..20 {
                let code = (listing(&mut pieces) & 0x7F) % 7;
                assert_eq!(game.deal(), CODES[code as usize]);
            }
            game = game.next_game();
        }
        let second = |reading: &str| {
            let mut game = Game::new(Reading::from_id(reading), State(0)).next_game();
            (game.piece_seed().to_string(), letters(&game.deal_many(20)))
        };
        assert_eq!(second("plain"), ("0x80106E37".into(), "IITLTZLZZOSTIJIOZTLI".into()));
        assert_eq!(second("plain+carry"), ("0x80116E37".into(), "TOLOIZZOJLSOSLTTIITL".into()));
    }

    #[test]
    fn readings_are_put_together_in_any_order() {
        for (name, reading) in READINGS {
            assert_eq!((variant(name), Reading::from_id(name)), (Some(name), reading));
        }
        for name in ["plain+carry+whole-long", "whole-long+plain+carry", "document+plain"] {
            assert_eq!(variant(name), Some("document"), "{name}");
        }
        assert_eq!(variant("carry+plain"), Some("plain+carry"));
        for unknown in ["", "+", "plain+", "low", "plain,carry"] {
            assert_eq!(variant(unknown), None, "{unknown:?}");
        }
        let low_zero = State(0x1234_0000);
        let main = |reading: &str| Game::new(Reading::from_id(reading), low_zero).main;
        assert_eq!(main("table"), Game::new(Table::Plain, State(0)).main, "the default stands in");
        assert_eq!(main("whole-long"), low_zero.next());
    }
}
