//! Puyo Puyo Tsu: the states before a round that match the observations of it.
//!
//! The observations ([`Observations`]) become a [`Query`], unless no game can match them ([`Impossible`]). From the state just after a
//! generation the search walks directly back to the states before it ([`walk_back`]); without that state all 2^32 are tried ([`find`]). States
//! collide, so the answer is a class of them, and [`classes()`] reports whether they all generate the same round or where the rounds differ.

mod backward;
mod check;
mod classes;
#[cfg(test)]
mod exhaustive;
mod filter;
mod merged;
mod observations;
mod plan;
mod query;
mod report;
mod search;
#[cfg(test)]
mod tests;
mod walk;

pub use backward::walk_back;
pub use check::{Impossible, ObservationPosition};
pub use classes::{Answer, Class, RoundDifference, classes};
pub use observations::{Observations, ObservedPair};
pub use plan::MAX_DIFFERENCES;
pub use query::{Query, color_set_of};
pub use report::{MAX_COMPARED, Method, Report, certain, describe_difference, first_unobserved};
pub use search::{
    Effort, FoundStates, MAX_STATES, find, find_in_range, find_reference, find_streaming, search,
    search_range,
};

use crate::games::puyo_tsu::{Pool, Setup};

/// The required result of a generation.
#[derive(Debug, Clone)]
pub struct Target {
    /// An identifier of the round, returned unchanged.
    pub round: u64,
    /// Colour set in RAM.
    pub color_set: [u8; 8],
    /// Pools in RAM order.
    pub pools: [Pool; 3],
    /// The setup.
    pub setup: Setup,
}
