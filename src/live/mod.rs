//! The sampler: attach, take snapshots, observe, predict, verify, publish; reattach after a lost connection.
//!
//! Bytes become a `Snapshot`, a snapshot an [`Observation`], an observation a [`Prediction`], both together
//! a [`Verdict`]. Each step is a separate function that depends only on the steps before it. Each game implements
//! them in its own module; all games share one display format ([`Shown`]).

pub mod bloxeed;
mod evidence;
mod failures;
mod line;
mod nearest;
pub mod pochi_nyaa;
mod publish;
pub mod puyo_20th;
pub mod puyo_tsu;
mod queue;
mod reader;
mod replay;
mod route_start;
mod sampler;
pub mod sega;
mod shown;
pub mod tetris_nes;
pub mod tgm;
pub mod topic;
mod tracker;
mod verdict;
mod view;

pub use evidence::{EVIDENCE, Evidence, EvidenceFolder, Judged};
pub use line::{Line, line, line_of};
pub use publish::{Latest, Publisher, latest};
pub use reader::ObserveError;
pub use replay::{Judge, ReplayError, Searching, Seen, replay_profile};
pub use route_start::{RouteStart, route_start};
pub use sampler::{Options, Order, ReplayOrder, Sampler};
pub use shown::{
    Board, Chain, FirstPairs, Later, NOTHING_FORETOLD, PieceChances, PiecePlayer, Player, Pool, Shown, Start,
    Waits,
};
pub(crate) use tracker::AnyTracker;
pub use tracker::{
    FoundField, GameObservation, GamePrediction, GameTracker, Never, Observation, ObservedBoard, Prediction,
    SampleContext, Step, Tracker, Update,
};
pub use verdict::{Check, CheckId, Mismatch, Status, Totals, Verdict};
pub use view::{
    Connection, Data, EarlierTarget, EmulatorRow, Noticed, RecordingState, ReplayState, Replayed, RoundMark,
    RowState, Target, View,
};
