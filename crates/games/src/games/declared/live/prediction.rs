//! The prediction: certain where only deals step the generator, and otherwise by the steps that come before the next deal.

use super::observe::Observation;
use crate::games::declared::dealer::MAX_LIVE_DRAWS;
use crate::games::declared::{Clock, DeclaredDealer};
use crate::live::GamePrediction;
use std::ops::RangeInclusive;

/// Deals computed ahead.
pub const AHEAD: usize = 14;
/// Frames computed ahead: one second.
pub const FRAMES: usize = 60;
/// Numbers of other calls for which the next deal is computed.
const CALLS: usize = 16;

/// The next deal by what happens before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conditional {
    /// If it is drawn in 1, 2, ... frames.
    Frames(Vec<u8>),
    /// If 0, 1, ... other calls come before it, and whether more are possible.
    Calls(Vec<u8>, bool),
}

/// The prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The one in play, if it is known.
    pub current: Option<u8>,
    /// The coming ones that are certain.
    pub certain: Vec<u8>,
    /// How many of them are in RAM.
    pub listed: usize,
    /// How many were drawn in this game, with those that are in RAM; since the first sample, if the game had begun before.
    pub dealt: u64,
    /// Whether the game had begun before the first sample.
    pub joined_late: bool,
    /// Whether the game seems to have started a moment ago, which more deals have to confirm.
    pub tentative: bool,
    /// The deal after the certain ones.
    pub conditional: Option<Conditional>,
    /// The generator's state.
    pub state: String,
}

impl GamePrediction for Prediction {
    fn same_items(&self, other: &Self) -> bool {
        (self.current, &self.certain, self.dealt) == (other.current, &other.certain, other.dealt)
    }
}

/// The next deals; fewer if they take too many draws.
fn next_deals(dealer: &DeclaredDealer) -> Vec<u8> {
    let mut dealing = dealer.clone();
    let mut deals = Vec::new();
    while deals.len() < AHEAD && dealing.draws_since(dealer) <= MAX_LIVE_DRAWS {
        let deal = dealing.deal_number();
        if dealing.is_stuck() {
            break;
        }
        deals.push(deal);
    }
    deals
}

/// The next deal after each of these numbers of steps; fewer if they take too many draws.
fn after_steps(dealer: &DeclaredDealer, steps: RangeInclusive<usize>) -> Vec<u8> {
    let mut waiting = dealer.clone();
    (0..*steps.start()).for_each(|_| waiting.step());
    let (mut deals, mut draws) = (Vec::new(), 0);
    for _ in steps {
        let mut dealing = waiting.clone();
        let deal = dealing.deal_number();
        draws += dealing.draws_since(&waiting);
        if dealing.is_stuck() || draws > MAX_LIVE_DRAWS {
            break;
        }
        deals.push(deal);
        waiting.step();
    }
    deals
}

/// The prediction of a dealer that stands after the last deal in RAM.
pub(super) fn predict(
    observation: &Observation,
    dealer: &DeclaredDealer,
    dealt: u64,
    joined_late: bool,
    tentative: bool,
) -> Prediction {
    // A code that means nothing is not a deal, and nothing after it has a known place.
    let mut certain: Vec<u8> = observation.coming().iter().map_while(|deal| *deal).collect();
    let listed = certain.len();
    let description = dealer.program().description();
    let conditional = match description.clock {
        Clock::Frames | Clock::Both => Some(Conditional::Frames(after_steps(dealer, 1..=FRAMES))),
        Clock::Deals if description.other_calls > 0 => {
            let most = usize::from(description.other_calls);
            Some(Conditional::Calls(after_steps(dealer, 0..=most.min(CALLS)), most > CALLS))
        }
        Clock::Deals => {
            certain.extend(next_deals(dealer));
            None
        }
    };
    Prediction {
        current: observation.current(),
        certain,
        listed,
        dealt,
        joined_late,
        tentative,
        conditional,
        state: observation.state_text(),
    }
}
