//! JSON that several forms of `ignite` share.

use crate::pochi::{Example, GridCell, Ruleset};
use serde::Serialize;

#[derive(Serialize)]
pub struct ListedExample {
    pub number: usize,
    #[serde(flatten)]
    pub example: &'static Example,
}

#[derive(Serialize)]
pub struct BuiltStructure {
    pub rules: Ruleset,
    pub asked: u32,
    pub blocks: u32,
    pub value: u32,
    /// An upper bound of the value, if known.
    pub bound: Option<u32>,
    pub proven: bool,
    pub stopped: bool,
    pub tried: u64,
    /// Cells that need blocks of other colours.
    pub supports: Vec<GridCell>,
    pub elapsed_seconds: f64,
}
