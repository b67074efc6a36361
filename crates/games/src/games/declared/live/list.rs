//! Games whose pieces to come are a list in RAM: what is listed is the prediction, and what comes must be what was listed.

mod entries;
#[cfg(test)]
mod tests;
mod verify;
mod view;

pub use view::Prediction;

use super::ram::{Fields, deals_in};
use crate::games::declared::{Kinds, PieceCodes};
use crate::live::{ObserveError, SampleContext, Step, Totals, Verdict};
use std::sync::Arc;
use verify::Verifier;

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

fn observe(kinds: &Arc<Kinds>, codes: &PieceCodes, fields: Fields<'_>) -> Result<Observation, ObserveError> {
    let (next, _) = fields.bytes("next")?.ok_or_else(|| fields.missing("next"))?;
    let current = fields.bytes("current")?;
    let mut list = deals_in(next, kinds, codes.distance() as usize);
    if codes.reversed {
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

/// The kinds of a profile with their codes, and the digest of the profile.
#[derive(Debug, Clone)]
struct Declared {
    kinds: Arc<Kinds>,
    digest: String,
}

/// Processes the samples of a game in order.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    declared: Option<Declared>,
    verifier: Verifier,
}

impl Tracker {
    pub fn reset(&mut self) {
        self.verifier.reset();
    }

    fn kinds(&mut self, codes: &PieceCodes, digest: &str) -> Arc<Kinds> {
        if let Some(known) = self.declared.as_ref().filter(|known| known.digest == digest) {
            return Arc::clone(&known.kinds);
        }
        self.verifier.reset();
        let kinds = Arc::new(Kinds::new(codes.deals, &codes.kinds, &codes.codes));
        self.declared = Some(Declared { kinds: Arc::clone(&kinds), digest: digest.to_owned() });
        kinds
    }

    pub fn update(
        &mut self,
        sample: &SampleContext<'_>,
        totals: &mut Totals,
    ) -> Step<Observation, Prediction> {
        let SampleContext { snapshot, profile, frame } = *sample;
        let Some(codes) = &profile.piece_codes else {
            return Step::unreadable(&format!("profile {} has no [piece_codes]", profile.id));
        };
        let kinds = self.kinds(codes, &profile.digest);
        let observation = match observe(&kinds, codes, Fields { snapshot, profile }) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.verifier.reset();
                return Step::unreadable(&error);
            }
        };
        let mismatches = self.verifier.step(&observation, frame, totals);
        let prediction = self.verifier.predict(&observation).map(Arc::new);
        Step { observation: Ok(observation), prediction, mismatches }
    }

    pub fn round(&self) -> u64 {
        self.verifier.round()
    }

    pub fn verdict(&self) -> Verdict {
        self.verifier.verdict()
    }
}
