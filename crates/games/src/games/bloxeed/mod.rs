//! Bloxeed (System 16, 1989): each piece is drawn from a separate generator.
//!
//! Source: the wiki's pages on the randomizer and on the game, and another program, TGMsim; reference 4.2. When a game starts,
//! the main generator is called once, and the full long it returns seeds the piece generator. The game stores this seed, so
//! a continued game gets the same pieces again. The main generator then supplies the items.

mod anchor;
mod definition;
pub mod live;
pub mod states;

pub(super) use definition::GAME;

use crate::games::piece::{Chances, Dealer, GameDealer, Piece, of_results};
use crate::games::sega::sega_tetris::CODES;
use crate::games::sega::{Carry, LATER_DEFAULT, Routine, State, ZeroTest, period};
use crate::games::{GameId, VariantSpec};

/// The id of the game.
pub const ID: GameId = GameId::new("bloxeed");

/// The bits of a result that select the piece: seven in this game (reference 4.2).
const MASK: u32 = 0x7F;
/// The piece quirk applies from this value on: 0x70 to 0x7F (reference 4.2).
const QUIRK_FROM: u32 = 0x70;

/// The number of low bits of the piece generator's state that pieces depend on.
pub const STATE_BITS: u32 = 16 + MASK.count_ones();

/// How a seven-bit value maps to a piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Table {
    /// The value modulo 7, except that values from 0x70 on give I in place of Z and S. The default: the wiki's page on the game
    /// describes how the program sets a flag above 0x6F and then turns the remainders 1 and 2 into 0, and lists the resulting
    /// shares; TGMsim does the same, and its author compared it with the first 100 pieces of the game's power-on pattern, where
    /// the two readings differ at the 27th. The wiki's page on the randomizer does not mention remainders. No recording has been
    /// published, so the other reading remains available.
    #[default]
    FewerSnakes,
    /// The value modulo 7 without exceptions, as in Sega Tetris.
    Plain,
}

impl Table {
    /// Both tables.
    pub const ALL: [Self; 2] = [Self::FewerSnakes, Self::Plain];

    /// The piece of a result.
    pub const fn piece(self, result: u32) -> Piece {
        let value = result & MASK;
        let code = value % 7;
        let quirk = matches!(self, Self::FewerSnakes) && value >= QUIRK_FROM && (code == 1 || code == 2);
        CODES[if quirk { 0 } else { code as usize }]
    }

    /// The id used in profiles and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::FewerSnakes => "table",
        }
    }

    /// The table with this id; the default for any other id.
    pub fn from_id(id: &str) -> Self {
        Self::ALL.into_iter().find(|table| table.id() == id).unwrap_or_default()
    }
}

/// One choice for each point on which the sources disagree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reading {
    /// How a value maps to a piece.
    pub table: Table,
    /// What the routine tests for zero.
    pub zero: ZeroTest,
    /// What happens to the carry in the result that seeds the pieces.
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

/// All readings by name. Three base names can be combined with "+".
const READINGS: [(&str, Reading); 8] = {
    use Carry::{Dropped, Retained};
    use Table::{FewerSnakes, Plain};
    use ZeroTest::{LowWord, WholeLong};
    const fn reading(table: Table, carry: Carry, zero: ZeroTest) -> Reading {
        Reading { table, zero, carry }
    }
    [
        ("table", reading(FewerSnakes, Dropped, LowWord)),
        ("plain", reading(Plain, Dropped, LowWord)),
        ("carry", reading(FewerSnakes, Retained, LowWord)),
        ("whole-long", reading(FewerSnakes, Dropped, WholeLong)),
        ("plain+carry", reading(Plain, Retained, LowWord)),
        ("plain+whole-long", reading(Plain, Dropped, WholeLong)),
        ("carry+whole-long", reading(FewerSnakes, Retained, WholeLong)),
        ("document", reading(Plain, Retained, WholeLong)),
    ]
};

/// The canonical name of a combination such as "plain+carry", in any order; None if a part is unknown.
pub fn variant(name: &str) -> Option<&'static str> {
    let mut combined = Reading::default();
    for part in name.split('+') {
        let (_, part) = READINGS[..4].iter().chain(&READINGS[7..]).find(|(known, _)| *known == part)?;
        let usual = Reading::default();
        combined.table = if part.table == usual.table { combined.table } else { part.table };
        combined.zero = if part.zero == usual.zero { combined.zero } else { part.zero };
        combined.carry = if part.carry == usual.carry { combined.carry } else { part.carry };
    }
    READINGS.iter().find(|(_, reading)| *reading == combined).map(|(name, _)| *name)
}

impl Reading {
    /// The reading of a variant's name; the default for any other name.
    pub fn from_id(id: &str) -> Self {
        let name = variant(id);
        READINGS
            .iter()
            .find(|(known, _)| Some(*known) == name)
            .map_or_else(Self::default, |(_, reading)| *reading)
    }

    /// The reading selected by a profile's three variants.
    pub fn of_profile<'a>(variant: impl Fn(&'static str) -> &'a str) -> Self {
        let zero = if variant("zero_test") == "whole-long" { ZeroTest::WholeLong } else { ZeroTest::LowWord };
        let carry = if variant("carry") == "kept" { Carry::Retained } else { Carry::Dropped };
        Self { table: Table::from_id(variant("table")), zero, carry }
    }

    /// The generator routine of this reading.
    pub const fn routine(self) -> Routine {
        Routine { default: LATER_DEFAULT, zero: self.zero, carry: self.carry }
    }
}

/// The points on which the sources disagree; several are combined with "+", as in "plain+carry".
pub const PIECE_VARIANTS: &[(&str, &str)] = &[
    TABLES[0],
    TABLES[1],
    (
        "carry",
        "bit 16 of the result that seeds the pieces keeps the carry, as in the wiki's C listing (the 68000 routine drops it)",
    ),
    (
        "whole-long",
        "0x2A6D365B replaces a state whose 32 bits are all zero, as tested in the wiki's C listing",
    ),
    ("document", "plain+carry+whole-long: everything as in the wiki's C listing and text"),
];

/// The readings of the table.
const TABLES: &[(&str, &str)] = &[
    (
        "table",
        "values from 0x70 on give I in place of Z and S (the wiki's page on the game; another program, compared with 100 \
        pieces); the default, although the wiki's page on the randomizer has no such table",
    ),
    (
        "plain",
        "the value modulo 7 without exceptions, as in Sega Tetris (no source describes this; one mentions no exception)",
    ),
];

/// The variants for profiles.
pub const VARIANTS: &[VariantSpec] = &[
    VariantSpec { name: "table", choices: TABLES },
    VariantSpec { name: "zero_test", choices: crate::games::sega::flash_point::PIECE_VARIANTS },
    VariantSpec {
        name: "carry",
        choices: &[
            ("dropped", "the carry of the sum that makes the piece seed is lost, as in the 68000 routine"),
            ("kept", "the carry is bit 16 of the seed, as in the wiki's C listing"),
        ],
    },
];

/// One game: the two generators and the seed stored for a continue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Game {
    routine: Routine,
    table: Table,
    /// State of the generator that supplies items.
    pub main: State,
    /// State of the generator that supplies pieces.
    pub pieces: State,
    stored: State,
}

impl Game {
    /// A game that starts with the main generator in state `main`.
    pub fn new(reading: impl Into<Reading>, main: State) -> Self {
        let reading = reading.into();
        let (main, seed) = reading.routine().call(main);
        Self::from_piece_seed(reading, main, State(seed))
    }

    /// A game with this piece seed.
    pub fn from_piece_seed(reading: impl Into<Reading>, main: State, seed: State) -> Self {
        let reading = reading.into();
        Self { routine: reading.routine(), table: reading.table, main, pieces: seed, stored: seed }
    }

    /// The reading this game follows.
    pub const fn reading(&self) -> Reading {
        Reading { table: self.table, zero: self.routine.zero, carry: self.routine.carry }
    }

    /// How results map to pieces.
    pub const fn table(&self) -> Table {
        self.table
    }

    /// The seed of the pieces, stored for a continue.
    pub const fn piece_seed(&self) -> State {
        self.stored
    }

    /// The game after a continue: the same pieces from the first one, the items from the current state.
    #[must_use]
    pub const fn continued(self) -> Self {
        Self { pieces: self.stored, ..self }
    }

    /// The next game.
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

    /// The number of pieces after which they repeat; 65,536 in the first game after the battery RAM was cleared.
    pub const fn piece_period(&self) -> u32 {
        period(self.routine.effective(self.stored).0, STATE_BITS)
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
    use crate::games::piece::letters;

    /// The wiki's C listing, verbatim in its arithmetic.
    fn listing(state: &mut u32) -> u32 {
        let mut temp = if *state == 0 { LATER_DEFAULT.0 } else { *state };
        let old = temp;
        temp = temp.wrapping_mul(41);
        *state = temp.wrapping_add(temp << 16);
        ((temp & 0xFFFF) + (temp >> 16)) | (old & 0xFFFF_0000)
    }

    #[test]
    fn the_document_reading_matches_the_wiki_listing_and_differs_from_the_default_in_the_second_game() {
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
    fn readings_combine_in_any_order() {
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
        assert_eq!(main("table"), Game::new(Table::Plain, State(0)).main, "the default replaces zero");
        assert_eq!(main("whole-long"), low_zero.next());
    }
}
