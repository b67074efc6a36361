//! Games whose pieces to come are a list in RAM: what is listed is the prediction, and what comes must be what was listed.
//!
//! A list that was made when the game started does not move. What comes after the entry in play is taken for a list that does, with the number
//! of that entry as the count of the deals.

mod entries;
#[cfg(test)]
mod still_tests;
#[cfg(test)]
mod tests;
mod verify;
mod view;

pub(super) use verify::Verifier;
pub use view::Prediction;

use super::ram::{Count, Fields, deals_in};
use crate::games::declared::definition::MAX_LIST;
use crate::games::declared::{Kinds, ListEnd, PieceCodes, Position};
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
    /// How many were drawn, with those of the list; of a list that does not move without them.
    pub deals: Option<Count>,
    /// Whether the list in RAM does not move.
    pub is_still: bool,
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
        // Of a list that does not move the last entry is in play when none comes after it.
        let is_at_end = self.is_still && self.deals.is_some() && self.current.is_some();
        !self.is_cleared && (is_at_end || self.list.iter().any(Option::is_some))
    }
}

/// How RAM has the list.
#[derive(Debug, Clone)]
pub struct Listed {
    kinds: Arc<Kinds>,
    /// Bytes from one entry to the next.
    distance: usize,
    is_reversed: bool,
    position: Option<Position>,
}

impl Listed {
    fn new(codes: &PieceCodes) -> Self {
        Self {
            kinds: Arc::new(Kinds::new(codes.deals, &codes.kinds, &codes.codes)),
            distance: codes.distance() as usize,
            is_reversed: codes.reversed,
            position: codes.position,
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
        let is_cleared = list.len() >= CLEARED_LEAST && is_zero(next);
        let (list, deals) = match self.position {
            None => (list, fields.deals()?),
            Some(position) => {
                let value = fields.bytes("position")?.ok_or_else(|| fields.missing("position"))?;
                after(&list, position, fields.number(value))
            }
        };
        Ok(Observation {
            kinds: Arc::clone(kinds),
            has_current: current.is_some(),
            current: current.and_then(|(bytes, _)| kinds.deal(bytes)),
            is_cleared,
            list,
            deals,
            is_still: self.position.is_some(),
        })
    }
}

/// The entries of a list that does not move after the one in play, always as many, and the count of the deals with that one. What is after the
/// end of the list is not known, nor anything of a position outside of it.
fn after(list: &[Option<u8>], position: Position, value: u64) -> (Vec<Option<u8>>, Option<Count>) {
    let repeats = position.then == ListEnd::Repeat && list.len() > 1;
    let shown = (list.len() - usize::from(repeats)).min(MAX_LIST as usize);
    let entries = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let entry = position.entry(value).filter(|entry| repeats || (-1..entries).contains(entry));
    let Some(entry) = entry else { return (vec![None; shown], None) };
    let place = |nth: i64| {
        let place = entry + 1 + nth;
        usize::try_from(if repeats { place.rem_euclid(entries) } else { place }).ok()
    };
    let listed = (0..).map_while(place).take(shown).map(|place| list.get(place).copied().flatten());
    let count = if position.then == ListEnd::Unknown {
        Count { number: (entry + 1).cast_unsigned(), last: u64::MAX }
    } else {
        Count { number: (entry + 1).rem_euclid(entries).cast_unsigned(), last: entries.cast_unsigned() - 1 }
    };
    (listed.collect(), Some(count))
}
