//! What was dealt, as a player or a cell of RAM tells it.

use nextscope_games::games::declared::{Deals, Symbol};

/// A deal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObservedDeal {
    /// The number of the first sample in which it was observed.
    pub sample: usize,
    /// The piece, or the axis of a pair: an index in the kinds.
    pub kind: u8,
    /// The child of a pair; not used for pieces.
    pub child: u8,
}

/// Deals in order, without a gap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observations {
    /// What is dealt.
    pub deals: Deals,
    /// The kinds, 2 to 16.
    pub kinds: Vec<Symbol>,
    /// The numbers by which the game stores the kinds, if they are known: as many, or none.
    pub codes: Vec<u8>,
    /// The deals.
    pub dealt: Vec<ObservedDeal>,
    /// Whether the first one is the first of a game.
    pub from_start: bool,
}

/// Why deals cannot be learned from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ObservationError {
    /// The number of kinds is not that of a game.
    #[error("{0} kinds; a game has 2 to 16, each with a code or none")]
    Kinds(usize),
    /// A deal of a kind that is not listed.
    #[error("deal {deal} is of kind {kind}, and there are {kinds}")]
    Kind {
        /// The deal, from 1.
        deal: usize,
        /// Its kind.
        kind: u8,
        /// How many there are.
        kinds: usize,
    },
    /// Deals are not in the order of their samples.
    #[error("deal {0} is not in a later sample than the one before it")]
    Order(usize),
    /// A deal in a sample that there is not.
    #[error("deal {deal} is in sample {sample}, and there are {samples}")]
    Sample {
        /// The deal, from 1.
        deal: usize,
        /// Its sample.
        sample: usize,
        /// How many there are.
        samples: usize,
    },
    /// Too few.
    #[error("{0} deals are too few to learn a rule; play until there are {LEAST}")]
    TooFew(usize),
}

/// Deals that a rule is learned from, at least.
pub const LEAST: usize = 12;

impl Observations {
    /// The kinds of all deals one after the other: one for a piece, the axis and the child of a pair.
    pub(super) fn units(&self) -> Vec<u8> {
        match self.deals {
            Deals::Pieces => self.dealt.iter().map(|dealt| dealt.kind).collect(),
            Deals::Pairs => self.dealt.iter().flat_map(|dealt| [dealt.kind, dealt.child]).collect(),
        }
    }

    /// How many units a deal has.
    pub(super) const fn group(&self) -> usize {
        match self.deals {
            Deals::Pieces => 1,
            Deals::Pairs => 2,
        }
    }

    /// The number of kinds.
    pub(super) const fn count(&self) -> usize {
        self.kinds.len()
    }

    /// # Errors
    /// [`ObservationError`], for a series of so many samples.
    pub fn check(&self, samples: usize) -> Result<(), ObservationError> {
        let kinds = self.kinds.len();
        if !(2..=16).contains(&kinds) || (!self.codes.is_empty() && self.codes.len() != kinds) {
            return Err(ObservationError::Kinds(kinds));
        }
        for (at, dealt) in self.dealt.iter().enumerate() {
            let deal = at + 1;
            let used = if self.deals == Deals::Pairs { dealt.kind.max(dealt.child) } else { dealt.kind };
            if usize::from(used) >= kinds {
                return Err(ObservationError::Kind { deal, kind: used, kinds });
            }
            if at > 0 && self.dealt[at - 1].sample >= dealt.sample {
                return Err(ObservationError::Order(deal));
            }
            if dealt.sample >= samples {
                return Err(ObservationError::Sample { deal, sample: dealt.sample, samples });
            }
        }
        if self.dealt.len() < LEAST {
            return Err(ObservationError::TooFew(self.dealt.len()));
        }
        Ok(())
    }
}
