//! The route planner: where to put the pairs that are known to come, so that a goal is reached.
//!
//! A [`Start`] is a board and the pairs to come, a [`Goal`] what is wanted of them, a [`Route`] the placements that reach it, each
//! proven by the plain simulator. [`plan`] finds it: by beam search, of growing width while there is time. [`seeds`] searches
//! many beginnings. [`carry`] tells the buttons
//! that a step takes, [`FrameTable`] the frames, and [`export`] writes routes down.

mod beam;
mod deal;
pub mod export;
mod frames;
mod goal;
mod inputs;
mod lanes;
mod pace;
mod plan;
pub mod seeds;
mod steps;
mod value;

pub use deal::{Deal, LettersError, pairs_from_letters};
pub use frames::{FrameTable, Frames};
pub use goal::{Goal, GoalError};
pub use inputs::{Carried, Input, OutOfReach, carry, carry_all};
pub use pace::Timing;
pub use plan::{Limits, MOST_WIDTH, Outcome, PlanError, Progress, plan, plan_in_frames};
pub use steps::{Route, RouteError, Start, Step};
