//! The route planner: where to put the pairs that are known to come, so that a goal is reached.
//!
//! A [`Start`] is a board and the pairs to come, a [`Goal`] what is wanted of them, a [`Route`] the placements that reach it, each
//! proven by the plain simulator.

mod goal;
mod steps;

pub use goal::Goal;
pub use steps::{Route, RouteError, Start, Step};
