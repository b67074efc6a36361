//! Declared games live: those of a profile with `[randomizer]`, whose generator is followed, and those with `[piece_codes]`, whose list of the
//! pieces to come is read.

mod checks;
mod details;
mod follower;
mod list;
mod observe;
mod prediction;
mod ram;
#[cfg(test)]
mod tests;
mod verify;
mod view;

pub(super) use checks::CHECKS;

use crate::games::declared::Program;
use crate::live::{
    GameObservation, GamePrediction, GameTracker, PredictionView, SampleContext, Step, Totals, Verdict,
};
use follower::{Follower, Verify as _};
use std::sync::Arc;

/// Processes the samples of a game in order, as its profile declares it.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    generated: Follower<verify::Verifier, Program>,
    list: Follower<list::Verifier, list::Listed>,
    /// Which of the two follows the last sample.
    is_list: bool,
}

/// What is read of a game.
#[derive(Debug, PartialEq)]
pub enum Observation {
    Generated(Arc<observe::Observation>),
    List(Arc<list::Observation>),
}

/// What is predicted of a game.
#[derive(Debug, PartialEq, Eq)]
pub enum Prediction {
    Generated(Arc<prediction::Prediction>),
    List(Arc<list::Prediction>),
}

impl GamePrediction for Prediction {
    fn same_items(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Generated(one), Self::Generated(other)) => one.same_items(other),
            (Self::List(one), Self::List(other)) => one.same_items(other),
            _ => false,
        }
    }
}

impl Prediction {
    fn generated(&self) -> Option<&prediction::Prediction> {
        if let Self::Generated(prediction) = self { Some(prediction) } else { None }
    }

    fn list(&self) -> Option<&list::Prediction> {
        if let Self::List(prediction) = self { Some(prediction) } else { None }
    }
}

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        let view = match self {
            Self::Generated(now) => prediction.generated().map(|prediction| now.view(prediction)),
            Self::List(now) => prediction.list().map(|prediction| now.view(prediction)),
        };
        view.unwrap_or_default()
    }

    fn without_prediction(&self) -> String {
        match self {
            Self::Generated(now) => now.without_prediction(),
            Self::List(now) => now.without_prediction(),
        }
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        match self {
            Self::Generated(now) => now.details(prediction.and_then(Prediction::generated)),
            Self::List(now) => now.details(prediction.and_then(Prediction::list)),
        }
    }

    fn same_pools(&self, _: &Self) -> bool {
        true
    }
}

/// A step of one of the trackers as that of both.
fn either<O, P>(
    step: Step<O, P>,
    observation: fn(Arc<O>) -> Observation,
    prediction: fn(Arc<P>) -> Prediction,
) -> Step<Observation, Prediction> {
    Step {
        observation: step.observation.map(|now| Arc::new(observation(now))),
        prediction: step.prediction.map(|items| Arc::new(prediction(items))),
        mismatches: step.mismatches,
    }
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Prediction;

    fn reset(&mut self) {
        self.generated.verifier.reset();
        self.list.verifier.reset();
    }

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Prediction> {
        self.is_list = sample.profile.piece_codes.is_some();
        if self.is_list {
            either(self.list.update(sample, totals), Observation::List, Prediction::List)
        } else {
            either(self.generated.update(sample, totals), Observation::Generated, Prediction::Generated)
        }
    }

    fn round(&self) -> u64 {
        if self.is_list { self.list.verifier.round() } else { self.generated.verifier.round() }
    }

    fn verdict(&self) -> Verdict {
        if self.is_list { self.list.verifier.verdict() } else { self.generated.verifier.verdict() }
    }
}
