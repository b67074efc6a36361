//! Games whose pieces to come are a list in RAM: what is listed is the prediction, and what comes must be what was listed.

mod entries;
#[cfg(test)]
mod tests;
mod verify;
mod view;

pub(super) use verify::Verifier;
pub use view::Prediction;

use super::ram::{Fields, deals_in};
use crate::games::declared::{Kinds, PieceCodes};
use crate::live::ObserveError;
use std::sync::Arc;

/// Entries from which on a list of zeros is cleared RAM, and no list of the same piece: one in 2401 has that for seven kinds.
const CLEARED_LEAST: usize = 4;

/// The fields at one moment.
#[derive(Debug, Clone)]
pub struct Observation {
    pub kinds: Arc<Kinds>,
    /// Whether the profile has the piece in play.
    pub has_current: bool,
    /// The piece in play; None for a code that means nothing.
    pub current: Option<u8>,
    /// Those to come, the next one first.
    pub list: Vec<Option<u8>>,
    /// How many were drawn, and the bytes of that count.
    pub deals: Option<(u64, u32)>,
    /// Whether RAM is cleared.
    pub is_cleared: bool,
}

impl PartialEq for Observation {
    fn eq(&self, other: &Self) -> bool {
        (self.current, &self.list, self.deals) == (other.current, &other.list, other.deals)
    }
}

impl Observation {
    /// Whether the fields can be those of a game.
    fn is_game(&self) -> bool {
        !self.is_cleared && self.list.iter().any(Option::is_some)
    }
}

/// How RAM has the list.
#[derive(Debug, Clone)]
pub struct Listed {
    kinds: Arc<Kinds>,
    /// Bytes from one entry to the next.
    distance: usize,
    is_reversed: bool,
}

impl Listed {
    fn new(codes: &PieceCodes) -> Self {
        Self {
            kinds: Arc::new(Kinds::new(codes.deals, &codes.kinds, &codes.codes)),
            distance: codes.distance() as usize,
            is_reversed: codes.reversed,
        }
    }

    fn observe(&self, fields: Fields<'_>) -> Result<Observation, ObserveError> {
        let kinds = &self.kinds;
        let (next, _) = fields.bytes("next")?.ok_or_else(|| fields.missing("next"))?;
        let current = fields.bytes("current")?;
        let mut list = deals_in(next, kinds, self.distance);
        if self.is_reversed {
            list.reverse();
        }
        let is_zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
        Ok(Observation {
            kinds: Arc::clone(kinds),
            has_current: current.is_some(),
            current: current.and_then(|(bytes, _)| kinds.deal(bytes)),
            is_cleared: list.len() >= CLEARED_LEAST && is_zero(next),
            list,
            deals: fields.deals()?,
        })
    }
}
