//! The sampler: attach, take snapshots, observe, predict, verify, publish; reattach after a lost connection.
//!
//! Bytes become a `Snapshot`, a snapshot an [`Observation`], an observation a [`Prediction`], both together
//! a [`Verdict`]. Each step is a separate function that depends only on the steps before it. Each game implements
//! them in its own module; all games share one display format ([`PredictionView`]).

mod clock;
mod durations;
mod evidence;
mod line;
mod publish;
mod replay;
mod rounds;
mod route_start;
mod sampler;
pub mod topic;
mod view;

pub use clock::Clock;
pub use durations::{DurationMeter, MeasureError, MeasuredDurations, NotMeasurable, measure_recording};
pub use evidence::{EVIDENCE, Evidence, EvidenceFolder, ReplayResult};
pub use line::{Line, line, line_of};
pub use nextscope_games::live::*;
pub use publish::{Publisher, Subscriber, latest};
pub use replay::{ReplayError, ReplayVerifier, Searching, VerifiedSample, replay_profile};
pub use rounds::{RoundHistory, RoundResult};
pub use route_start::route_start;
pub use sampler::{Options, ReplayCommand, Sampler, SamplerCommand};
pub use view::{
    Connection, Data, DetectedAt, EarlierTarget, EmulatorRow, RecordingState, ReplaySource, ReplayState,
    RoundMark, RowState, Target, View,
};
