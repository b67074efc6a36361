//! JSON that several forms of `ignite` share.

use crate::pochi::{Example, GridCell, Ruleset};
use serde::Serialize;

/// Column and row, from 0 at the top left.
pub type Cell = [u8; 2];

pub fn place(at: GridCell) -> Cell {
    [at.x, at.y]
}

/// The name on the command line.
pub fn rules(ruleset: Ruleset) -> &'static str {
    match ruleset {
        Ruleset::Mvs => "mvs",
        Ruleset::Ps2 => "ps2",
    }
}

/// An example of the document.
#[derive(Serialize)]
pub struct ListedExample {
    number: usize,
    name: &'static str,
    needle: Cell,
    ignited: Vec<Cell>,
    mvs: u32,
    ps2: u32,
    /// The rules whose value the document states.
    stated: Vec<&'static str>,
    note: &'static str,
}

impl ListedExample {
    pub fn of(number: usize, example: &Example) -> Self {
        Self {
            number,
            name: example.name,
            needle: place(example.needle),
            ignited: example.ignited.iter().map(|block| place(*block)).collect(),
            mvs: example.mvs,
            ps2: example.ps2,
            stated: example.stated.iter().map(|ruleset| rules(*ruleset)).collect(),
            note: example.note,
        }
    }
}

/// The result of --build.
#[derive(Serialize)]
pub struct BuiltStructure {
    pub rules: &'static str,
    /// The number of blocks given.
    pub asked: u32,
    pub blocks: u32,
    pub value: u32,
    /// An upper bound of the value, if known.
    pub bound: Option<u32>,
    pub proven: bool,
    pub stopped: bool,
    /// The number of shapes tried.
    pub tried: u64,
    /// Cells that need blocks of other colours.
    pub supports: Vec<Cell>,
    pub elapsed_seconds: f64,
}
