#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod attack;
mod batch_eval;
mod beam;
pub mod check;
mod choices;
pub mod export;
mod frame_costs;
mod frames;
mod goal;
mod inputs;
mod letters;
mod outlook;
mod plan;
mod planning;
mod played_board;
pub mod seeds;
mod selection;
mod solutions;
mod steps;
mod under_attack;
mod value;

pub use attack::{Attack, AttackError};
pub use choices::{Choice, ChoiceOrder, ranked};
pub use frame_costs::Timing;
pub use frames::{FrameTable, Frames};
pub use goal::{Goal, GoalError, goals_id, goals_text, parse_goals};
pub use inputs::{Input, PairInputs, UnreachablePlacement, find_all_inputs, find_inputs};
pub use letters::{LettersError, pairs_from_letters};
pub use outlook::{Certainty, EXAMPLE, Outlook, UNCERTAIN_INPUTS};
pub use plan::{plan, plan_goals, plan_in_frames};
pub use planning::{Limits, MAX_WIDTH, Outcome, PlanError, PlanStatus, why_ruled_out};
pub use played_board::{BoardMatch, PlayedBoard, without_garbage};
pub use steps::{Route, RouteError, Start, Step, StepGarbage};
