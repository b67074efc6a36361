//! Start options of games that deal single pieces.

use std::fmt;

/// Start options besides the seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceOptions {
    /// Steps of the generator before each pick (`tetris-nes`, whose generator runs every frame).
    pub steps: u32,
    /// Limits that replace those of the variant, for a game with limits.
    pub limits: Option<Limits>,
}

impl Default for PieceOptions {
    fn default() -> Self {
        Self { steps: 1, limits: None }
    }
}

/// A list of readings as (name, description), the default first.
pub type Variants = &'static [(&'static str, &'static str)];

/// Limits on droughts and repetitions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// The longest drought: other pieces between two equal ones, and before the first.
    pub drought: u8,
    /// The longest run of one piece.
    pub flood: u8,
    /// The longest run of nothing but S and Z; None for no limit.
    pub snakes: Option<u8>,
    /// How strongly recent pieces are avoided: the weight of a piece is the number of pieces since it was dealt, including the new
    /// one and at most 16, to this power. 0 means no memory: all allowed pieces are equally likely.
    pub memory: u8,
}

/// A limit that is out of range, and the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name} {given} is not possible: give {low} to {high}; {why}")]
pub struct BadLimit {
    name: &'static str,
    given: u8,
    low: u8,
    high: u8,
    why: &'static str,
}

impl Limits {
    /// Checks that the limits can be met.
    ///
    /// # Errors
    /// The first limit that is out of range, and the reason.
    pub fn checked(self) -> Result<Self, BadLimit> {
        let limits = [
            (
                "a drought limit of",
                self.drought,
                6,
                200,
                "seven pieces cannot all appear more often than every seventh",
            ),
            ("a flood limit of", self.flood, 1, 200, "one piece is already a run of one"),
            (
                "a snake limit of",
                self.snakes.unwrap_or(2),
                2,
                200,
                "S and Z must be able to follow each other",
            ),
            ("a memory of", self.memory, 0, 3, "3 already avoids recent pieces nearly always"),
        ];
        match limits.into_iter().find(|&(_, given, low, high, _)| given < low || given > high) {
            Some((name, given, low, high, why)) => Err(BadLimit { name, given, low, high, why }),
            None => Ok(self),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { drought: 12, flood: 2, snakes: Some(4), memory: 1 }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "drought {}, flood {}, ", self.drought, self.flood)?;
        match self.snakes {
            Some(snakes) => write!(f, "snakes {snakes}, ")?,
            None => write!(f, "snakes any, ")?,
        }
        write!(f, "memory {}", self.memory)
    }
}
