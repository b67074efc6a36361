//! Live trackers: from a sample to an observation, a prediction, a verdict and mismatches.
//!
//! Each step is a separate function that depends only on the steps before it. Each game implements them in its own module; all games
//! share one display format ([`PredictionView`]).

pub(crate) mod failures;
pub(crate) mod nearest;
pub(crate) mod prediction_view;
pub(crate) mod queue;
pub(crate) mod reader;
pub(crate) mod route_start;
pub(crate) mod tracker;
pub(crate) mod verdict;

pub use prediction_view::{
    Board, Chain, ComputedRound, FirstPairs, FollowUpGame, FollowUpRound, FrameOdds, Grid, GridItem,
    NO_PREDICTOR, PieceChances, PiecePlayer, Player, Pool, PredictionView, Start,
};
pub use reader::ObserveError;
pub use route_start::RouteStart;
pub(crate) use tracker::AnyTracker;
pub use tracker::{
    FoundField, GameObservation, GamePrediction, GameTracker, Never, Observation, ObservedBoard, Prediction,
    SampleContext, Step, Tracker, Update,
};
pub use verdict::{Check, CheckId, Mismatch, Status, Totals, Verdict};
