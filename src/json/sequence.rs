//! Pairs, pieces and pools: the same for every game.

use crate::game::piece::Piece;
use crate::game::puyo::{Pair, PoolId};
use serde::{Serialize, Serializer};

/// How a game itself writes a pair: one digit for the axis, one for the child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code([u8; 2]);

impl Code {
    /// From two values of one hexadecimal digit each.
    #[must_use]
    pub fn hex(axis: u8, child: u8) -> Self {
        let digit = |value: u8| if value < 10 { b'0' + value } else { b'A' + (value & 15) - 10 };
        Self([digit(axis), digit(child)])
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.0).unwrap_or("??"))
    }
}

/// One pool of a Puyo game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Pool {
    /// The number of colours that it is named after: 3, 4, 5.
    pub colors: usize,
    /// Its 128 pairs.
    pub pairs: Vec<Pair>,
    /// The same in the game's own codes.
    pub codes: Vec<Code>,
}

impl Pool {
    /// The pool with these pairs; `code` says how the game writes one.
    pub fn new(id: PoolId, pairs: impl IntoIterator<Item = Pair>, code: impl Fn(Pair) -> Code) -> Self {
        let pairs: Vec<Pair> = pairs.into_iter().collect();
        let codes = pairs.iter().map(|&pair| code(pair)).collect();
        Self { colors: id.colors(), pairs, codes }
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
