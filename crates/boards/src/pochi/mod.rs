//! Pochi & Nyaa: the value of an ignition, under the rules of the arcade game (MVS) and of the PlayStation 2 port.
//!
//! A needle ignites the blocks of its colour that it touches. From each of them a wave runs through the blocks of that colour, one
//! block at a time. Where it cannot continue it leaves a tail, whose value is sent to the opponent (seed document 003; reference 5.1).
//!
//! [`evaluate`](fn@evaluate) gives the full derivation, wave by wave, with the open questions; [`Board`] computes the same values with sets
//! of cells, for rankings and searches; [`build`](fn@build) searches for the best structure with a number of blocks.

mod build;
mod code;
mod evaluate;
mod explore;
pub mod export;
mod field;
mod gallery;
mod ignition;
mod report;
mod rules;
mod sets;

pub use build::{BuildLimits, BuildProgress, BuildResult, MAX_BLOCKS, build};
pub use code::{CodeError, LINK, TextError, from_code, from_grid_or_code, is_code, to_code, to_link};
pub use evaluate::{Evaluation, OpenQuestion, ReachedBlock, Structure, Tail, evaluate};
pub use explore::{Needle, one_more, rank};
pub use field::{Color, Field, FieldError, GridCell, HEIGHT, MAX_SIDE, WIDTH};
pub use gallery::{Example, gallery};
pub use ignition::{Ignition, IgnitionError, MAX_STARTS};
pub use rules::{Choice, NeedleRule, RuleQuestion, Rules, Ruleset};
pub use sets::{Board, Values};
