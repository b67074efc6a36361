//! Pairs, pieces and pools: the same for every game.

use crate::game::piece::Piece;
use crate::game::puyo::{Color, Pair, PoolId};
use crate::game::puyo_20th::ColorMap;
use serde::{Serialize, Serializer};

/// How a game itself writes a pair: one digit for the axis, one for the child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code([u8; 2]);

impl Code {
    /// From two values of one hexadecimal digit each.
    #[must_use]
    pub fn hex(axis: u8, child: u8) -> Self {
        let digit = |value: u8| match value & 15 {
            low @ 0..=9 => b'0' + low,
            high => b'A' + high - 10,
        };
        Self([digit(axis), digit(child)])
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.0).unwrap_or("??"))
    }
}

/// How a Puyo game writes colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// By the codes of the colours (Puyo Puyo Tsu).
    Colors,
    /// By the places of the colours in the round's colour map (Puyo Puyo!! 20th Anniversary).
    Mapped(ColorMap),
}

impl Coding {
    /// The code of a pair; None for a colour without one.
    #[must_use]
    pub fn code(self, pair: Pair) -> Option<Code> {
        match self {
            Self::Colors => Some(Code::hex(pair.axis.0, pair.child.0)),
            Self::Mapped(map) => Some(Code::hex(map.digit(pair.axis)?, map.digit(pair.child)?)),
        }
    }
}

/// The codes of pairs; None where the game's coding is not known.
#[must_use]
pub fn codes(pairs: &[Pair], coding: Option<Coding>) -> Option<Vec<Code>> {
    let coding = coding?;
    pairs.iter().map(|&pair| coding.code(pair)).collect()
}

/// One pool of a Puyo game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Pool {
    /// The number of colours that it is named after: 3, 4, 5.
    pub colors: usize,
    /// Its 128 pairs.
    pub pairs: Vec<Pair>,
    /// The same in the game's own codes; None where its coding is not known.
    pub codes: Option<Vec<Code>>,
}

impl Pool {
    /// The pool with these pairs.
    pub fn new(id: PoolId, pairs: impl IntoIterator<Item = Pair>, coding: Option<Coding>) -> Self {
        let pairs: Vec<Pair> = pairs.into_iter().collect();
        Self { colors: id.colors(), codes: codes(&pairs, coding), pairs }
    }
}

/// The order of the colours in a round, from which its pools are made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ColorOrder {
    /// Five letters of R Y G P B.
    pub letters: String,
    /// The same in the game's own codes, hexadecimal.
    pub codes: String,
}

impl ColorOrder {
    /// Of Puyo Puyo Tsu's colour set, of which the first five bytes are drawn.
    #[must_use]
    pub fn of_set(set: &[u8]) -> Self {
        Self {
            letters: set.iter().take(5).map(|&byte| Color(byte).letter()).collect(),
            codes: set.iter().map(|byte| format!("{byte:02X}")).collect(),
        }
    }

    /// Of the colour map of Puyo Puyo!! 20th Anniversary.
    #[must_use]
    pub fn of_map(map: ColorMap) -> Self {
        Self { letters: map.letters(), codes: map.0.iter().map(|number| format!("{number:02X}")).collect() }
    }
}

/// How likely it is that this comes next.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Chance {
    /// The pair or piece.
    pub next: String,
    /// The games or ways in which it comes next; None where they are not counted.
    pub count: Option<u64>,
    /// 0 to 1.
    pub chance: f64,
}

/// The chances of single pieces, the likeliest first.
#[must_use]
pub fn piece_chances(likeliest: &[(Piece, f32)]) -> Vec<Chance> {
    let chance = |&(piece, chance): &(Piece, f32)| Chance {
        next: piece.to_string(),
        count: None,
        // Through its decimal digits, so that 0.1 stays 0.1.
        chance: chance.to_string().parse().unwrap_or_else(|_| chance.into()),
    };
    likeliest.iter().map(chance).collect()
}

/// A field code; None for that of an empty board, which is empty.
#[must_use]
pub fn field_code(code: Option<String>) -> Option<String> {
    code.filter(|code| !code.is_empty())
}
