//! JSON that several forms of `ignite` share.

use crate::pochi::{Example, Place, Ruleset};
use serde::Serialize;

/// A cell: column and row, from 0 at the top left.
pub type Cell = [u8; 2];

/// A place as column and row.
pub fn place(at: Place) -> Cell {
    [at.x, at.y]
}

/// The rules as they are named on the command line.
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
    /// Which of the two the document states itself.
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

/// The best structure of so many blocks.
#[derive(Serialize)]
pub struct BuiltStructure {
    pub rules: &'static str,
    /// Blocks that were asked for, and those of the structure.
    pub asked: u32,
    pub blocks: u32,
    pub value: u32,
    /// What none is worth more than; None where that is not known.
    pub bound: Option<u32>,
    pub proven: bool,
    pub stopped: bool,
    /// Shapes tried.
    pub tried: u64,
    /// Cells in which blocks of other colours must stand.
    pub supports: Vec<Cell>,
    pub elapsed_seconds: f64,
}
