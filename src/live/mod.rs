//! The sampler: attach, take snapshots, observe, predict, verify, publish; reattach after a lost connection.
//!
//! Bytes become a `Snapshot`, a snapshot an [`Observation`], an observation a [`Prediction`], both together
//! a [`Verdict`]. Each step is a separate function that depends only on the steps before it. Each game implements
//! them in its own module; all games share one display format ([`PredictionView`]).

pub mod bloxeed;
mod evidence;
mod failures;
mod line;
mod nearest;
pub mod pochi_nyaa;
mod prediction_view;
mod publish;
pub mod puyo_20th;
pub mod puyo_tsu;
mod queue;
mod reader;
mod replay;
mod route_start;
mod sampler;
pub mod sega;
pub mod tetris_nes;
pub mod tgm;
pub mod topic;
mod tracker;
mod verdict;
mod view;

pub use evidence::{EVIDENCE, Evidence, EvidenceFolder, ReplayResult};
pub use line::{Line, line, line_of};
pub use prediction_view::{
    Board, Chain, FirstPairs, FollowUpGame, FrameOdds, NO_PREDICTOR, PieceChances, PiecePlayer, Player, Pool,
    PredictionView, Start,
};
pub use publish::{Publisher, Subscriber, latest};
pub use reader::ObserveError;
pub use replay::{ReplayError, ReplayVerifier, Searching, VerifiedSample, replay_profile};
pub use route_start::{RouteStart, route_start};
pub use sampler::{Options, ReplayCommand, Sampler, SamplerCommand};
pub(crate) use tracker::AnyTracker;
pub use tracker::{
    FoundField, GameObservation, GamePrediction, GameTracker, Never, Observation, ObservedBoard, Prediction,
    SampleContext, Step, Tracker, Update,
};
pub use verdict::{Check, CheckId, Mismatch, Status, Totals, Verdict};
pub use view::{
    Connection, Data, DetectedAt, EarlierTarget, EmulatorRow, RecordingState, ReplaySource, ReplayState,
    RoundMark, RowState, Target, View,
};
