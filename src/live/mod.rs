//! The sampler: attach, snapshot, observe, forecast, verify, publish; and attach again.
//!
//! Bytes become a `Snapshot`, a snapshot an [`Observation`], an observation a [`Forecast`], both together
//! a [`Verdict`]. Each step is a function of its own, and no stage reaches back.

mod evidence;
mod forecast;
mod observe;
mod publish;
mod sampler;
mod verdict;
mod verify;
mod view;

pub use evidence::EvidenceFolder;
pub use forecast::{Forecast, PlayerForecast, forecast};
pub use observe::{Observation, ObserveError, PlayerObservation, observe};
pub use publish::{Latest, Publisher, latest};
pub use sampler::{Options, Order, Sampler};
pub use verdict::{Check, CheckId, Mismatch, Status, Totals, Verdict};
pub use verify::{SearchResult, Verifier};
pub use view::{Connection, Data, EmulatorRow, RowState, Target, View};
