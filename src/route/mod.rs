//! The route planner: where to put the pairs that are known to come, so that a goal is reached.
//!
//! A [`Start`] is a board and the pairs to come, a [`Goal`] what is wanted of them, a [`Route`] the placements that reach it, each
//! proven by the plain simulator. [`plan`] finds it: by beam search, of growing width while there is time. [`carry`] tells the buttons
//! that a step takes, [`FrameTable`] the frames, and [`export`] writes routes down.

mod beam;
pub mod export;
mod frames;
mod goal;
mod inputs;
mod lanes;
mod plan;
mod steps;
mod value;

pub use frames::{FrameTable, Frames};
pub use goal::Goal;
pub use inputs::{Button, Carried, Input, OutOfReach, carry, carry_all};
pub use plan::{Limits, MOST_WIDTH, Outcome, PlanError, Progress, plan};
pub use steps::{Route, RouteError, Start, Step};
