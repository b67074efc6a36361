//! Pairs, pieces and pools, in the same format for every game.

use crate::games::piece::Piece;
use nextscope_boards::{Color, Pair, PoolId};
use serde::{Serialize, Serializer};

/// A pair in a game's own encoding: one digit for the axis, one for the child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code([u8; 2]);

impl Code {
    /// From two values of one hexadecimal digit each.
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

/// How a game encodes the colours of pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// By the codes of the colours.
    Colors,
    /// By their places in this round's list of colours.
    Places([Option<Color>; 5]),
}

impl Coding {
    /// The code of a pair; None for a colour without one.
    pub fn code(self, pair: Pair) -> Option<Code> {
        match self {
            Self::Colors => Some(Code::hex(pair.axis.0, pair.child.0)),
            Self::Places(colors) => {
                let place =
                    |color| (0..).zip(colors).find_map(|(at, one)| (one == Some(color)).then_some(at));
                Some(Code::hex(place(pair.axis)?, place(pair.child)?))
            }
        }
    }
}

/// The codes of pairs; None when the game's coding is unknown.
pub fn codes(pairs: &[Pair], coding: Option<Coding>) -> Option<Vec<Code>> {
    let coding = coding?;
    pairs.iter().map(|&pair| coding.code(pair)).collect()
}

/// One pool of a Puyo game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Pool {
    /// The number of colours that names the pool: 3, 4, 5.
    pub colors: usize,
    /// Its 128 pairs.
    pub pairs: Vec<Pair>,
    /// The pairs in the game's own codes; None when its coding is unknown.
    pub codes: Option<Vec<Code>>,
}

impl Pool {
    /// The pool with these pairs.
    pub fn new(id: PoolId, pairs: impl IntoIterator<Item = Pair>, coding: Option<Coding>) -> Self {
        let pairs: Vec<Pair> = pairs.into_iter().collect();
        Self { colors: id.colors(), codes: codes(&pairs, coding), pairs }
    }
}

/// The order of the colours in a round, from which its pools are generated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ColorOrder {
    /// Five letters of R Y G P B.
    pub letters: String,
    /// The order in the game's own codes, hexadecimal.
    pub codes: String,
}

impl ColorOrder {
    /// From a set of colour codes, of which the first five are drawn.
    pub fn of_set(set: &[u8]) -> Self {
        Self {
            letters: set.iter().take(5).map(|&byte| Color(byte).letter()).collect(),
            codes: set.iter().map(|byte| format!("{byte:02X}")).collect(),
        }
    }
}

/// The chance of a next pair or piece.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Chance {
    /// The pair or piece.
    pub next: String,
    /// The number of games or ways with it as the next; None when not counted.
    pub count: Option<u64>,
    /// 0 to 1.
    pub chance: f64,
}

/// The chances of single pieces, likeliest first.
pub fn piece_chances(likeliest: &[(Piece, f32)]) -> Vec<Chance> {
    let chance = |&(piece, chance): &(Piece, f32)| Chance {
        next: piece.to_string(),
        count: None,
        // Converted through decimal text, so that 0.1 stays 0.1.
        chance: chance.to_string().parse().unwrap_or_else(|_| chance.into()),
    };
    likeliest.iter().map(chance).collect()
}

/// A field code; None for the empty code of an empty board.
pub fn field_code(code: Option<String>) -> Option<String> {
    code.filter(|code| !code.is_empty())
}
