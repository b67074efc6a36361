//! The sampler: attach, take snapshots, observe, predict, verify, publish; reattach after a lost connection.
//!
//! Bytes become a `Snapshot`, a snapshot an [`Observation`], an observation a [`Prediction`], both together
//! a [`Verdict`]. Each step is a separate function that depends only on the steps before it. Each game implements
//! them in its own module; all games share one display format ([`Shown`]).

mod evidence;
mod line;
mod publish;
mod replay;
mod route_start;
mod sampler;
pub mod topic;
mod view;

pub use evidence::{EVIDENCE, Evidence, EvidenceFolder, Judged};
pub use line::{Line, line, line_of};
pub use nextscope_games::live::*;
pub use publish::{Latest, Publisher, latest};
pub use replay::{Judge, ReplayError, Searching, Seen, replay_profile};
pub use route_start::route_start;
pub use sampler::{Options, Order, ReplayOrder, Sampler};
pub use view::{
    Connection, Data, EarlierTarget, EmulatorRow, Noticed, RecordingState, ReplayState, Replayed, RoundMark,
    RowState, Target, View,
};
