//! A known attack of the opponent.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Garbage that waits for the player from when a pair has landed: the chain of this pair offsets it in games with that rule, and the rest
/// begins to fall before the next pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Attack {
    /// Garbage puyos, 1 to 10,000.
    #[serde(rename = "garbage")]
    puyos: u32,
    /// The number of the pair, from 1.
    pair: usize,
}

impl Attack {
    /// The most garbage of one attack: more than any chain makes.
    pub const MAX_PUYOS: u32 = 10_000;

    /// An attack; None if a number is out of range.
    pub fn new(puyos: u32, pair: usize) -> Option<Self> {
        ((1..=Self::MAX_PUYOS).contains(&puyos) && pair > 0).then_some(Self { puyos, pair })
    }

    /// Garbage puyos, 1 to 10,000.
    pub fn puyos(self) -> u32 {
        self.puyos
    }

    /// The number of the pair, from 1.
    pub fn pair(self) -> usize {
        self.pair
    }

    /// The garbage that arrives with a pair, by its number from 1.
    pub(super) fn arriving(attacks: &[Self], pair: usize) -> u32 {
        attacks.iter().filter(|attack| attack.pair == pair).map(|attack| attack.puyos).sum()
    }
}

impl fmt::Display for Attack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.puyos, self.pair)
    }
}

/// Text that is not an attack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid attack {0:?}: expected N@M, N garbage puyos (1 to {max}) that wait when pair M has landed, such as 30@5",
    max = Attack::MAX_PUYOS
)]
pub struct AttackError(String);

impl FromStr for Attack {
    type Err = AttackError;

    fn from_str(text: &str) -> Result<Self, AttackError> {
        let numbers = text
            .split_once('@')
            .and_then(|(puyos, pair)| Self::new(puyos.trim().parse().ok()?, pair.trim().parse().ok()?));
        numbers.ok_or_else(|| AttackError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_round_trip_through_text() {
        for text in ["30@5", "1@1", "10000@40"] {
            assert_eq!(text.parse::<Attack>().map(|attack| attack.to_string()), Ok(text.into()));
        }
        for wrong in ["", "30", "30@", "@5", "0@5", "30@0", "10001@1", "-1@1", "30@5@6", "30x5"] {
            assert!(wrong.parse::<Attack>().is_err(), "{wrong}");
        }
        let attacks = ["30@5", "6@5", "1@6"].map(|text| text.parse().expect("an attack"));
        assert_eq!([4, 5, 6].map(|pair| Attack::arriving(&attacks, pair)), [0, 36, 1]);
    }
}
