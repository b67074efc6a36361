//! Live trackers: from a sample to an observation, a prediction, a verdict and mismatches.
//!
//! Each step is a separate function that depends only on the steps before it. Each game implements them in its own module; all games
//! share one display format ([`PredictionView`]).

pub mod bloxeed;
mod failures;
mod nearest;
pub mod pochi_nyaa;
mod prediction_view;
pub mod puyo_20th;
pub mod puyo_tsu;
mod queue;
mod reader;
mod route_start;
pub mod sega;
pub mod tetris_nes;
pub mod tgm;
mod tracker;
mod verdict;

pub use prediction_view::{
    Board, Chain, FirstPairs, FollowUpGame, FrameOdds, NO_PREDICTOR, PieceChances, PiecePlayer, Player, Pool,
    PredictionView, Start,
};
pub use reader::ObserveError;
pub use route_start::RouteStart;
pub(crate) use tracker::AnyTracker;
pub use tracker::{
    FoundField, GameObservation, GamePrediction, GameTracker, Never, Observation, ObservedBoard, Prediction,
    SampleContext, Step, Tracker, Update,
};
pub use verdict::{Check, CheckId, Mismatch, Status, Totals, Verdict};
