//! The players' boards: the bytes in RAM as a field, and what a field does by itself.

use crate::puyo::reference::{self, Step};
use crate::puyo::{COLUMNS, Cell, Field, ROWS, Rules, Simulator};
use std::sync::Arc;

/// Bytes of a board in RAM (reference 1.5): 14 rows of 6 cells, two bytes a cell, the top row first.
pub const BOARD_LEN: usize = ROWS * COLUMNS * CELL_LEN;
/// The first byte of a cell is what stands there, the second what was drawn there last.
const CELL_LEN: usize = 2;
/// The bit that every cell has in which something stands (reference 1.4).
const TAKEN: u8 = 0x80;

/// A byte that stands for no cell: something else is in this place, or another profile fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("row {row}, column {column} of the board holds {byte:02X}, which is no cell")]
pub struct BadCell {
    /// Its row in RAM, from 1 at the top, the two hidden ones included.
    pub row: usize,
    /// Its column, from 1 at the left.
    pub column: usize,
    /// The byte.
    pub byte: u8,
}

/// What stands in a cell of RAM: 0 for nothing, otherwise 0x80, the colour in bits 4 to 6, and in the low four bits how the
/// puyo is joined to its neighbours (reference 1.4). None for any other byte.
fn cell(byte: u8) -> Option<Cell> {
    use crate::game::puyo::Color;
    match (byte & TAKEN, byte >> 4 & 7) {
        (0, _) => (byte == 0).then_some(Cell::Empty),
        (_, 6) => Some(Cell::Ojama),
        (_, 7) => Some(Cell::Hard),
        (_, color) => Some(Cell::Puyo(Color(color))),
    }
}

/// Reads a board.
///
/// # Errors
/// [`BadCell`] for the first byte that stands for no cell.
pub fn decode(bytes: &[u8; BOARD_LEN]) -> Result<Field, BadCell> {
    let mut field = Field::default();
    for (nth, word) in bytes.chunks_exact(CELL_LEN).enumerate() {
        let (row, column) = (nth / COLUMNS, nth % COLUMNS);
        let byte = word[0];
        let cell = cell(byte).ok_or(BadCell { row: row + 1, column: column + 1, byte })?;
        field.set(column, ROWS - 1 - row, cell);
    }
    Ok(field)
}

/// The rules by which this game plays, when puyos pop in groups that are modelled.
#[must_use]
pub fn rules(pop_count: u8) -> Option<Rules> {
    (2..=6).contains(&pop_count).then(|| Rules { group: u32::from(pop_count), ..Rules::TSU })
}

/// A chain that was foretold on the board on which it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Its steps.
    pub steps: Arc<[Step]>,
    /// Steps that have popped already.
    pub done: usize,
    /// The board that it leaves.
    pub after: Field,
}

impl Chain {
    /// The chain that goes off on a board; None when nothing pops.
    #[must_use]
    pub fn on(field: &Field, rules: Rules) -> Option<Self> {
        // Most boards do not pop, and that is told much faster than the steps are.
        let mut after = *field;
        if Simulator::new(rules).fire(&mut after).chain == 0 {
            return None;
        }
        let mut after = *field;
        let steps = reference::fire(&mut after, rules);
        (!steps.is_empty()).then(|| Self { steps: steps.into(), done: 0, after })
    }

    /// Points of all steps.
    #[must_use]
    pub fn points(&self) -> u32 {
        self.steps.iter().map(|step| step.points).sum()
    }
}

/// What a board does by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Motion {
    /// Nothing pops and nothing floats.
    Rests,
    /// Puyos float, and no chain is known that they belong to.
    Floats,
    /// A chain goes off.
    Pops(Chain),
}

/// A player's board, and what will come of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardForecast {
    /// The board as it stands.
    pub field: Field,
    /// The rules that hold for it; None for groups of a size that is not modelled, of which nothing is foretold.
    pub rules: Option<Rules>,
    /// What it does.
    pub motion: Motion,
    /// The board on which the pair in play was dealt; None when it was not seen.
    dealt_on: Option<Field>,
}

impl BoardForecast {
    /// From a board that was seen. `before` is the forecast from an earlier sample, when the same pair was in play.
    pub(super) fn new(field: Field, rules: Option<Rules>, before: Option<&Self>) -> Self {
        let motion = motion(&field, rules, before);
        let dealt_on = match before {
            // A board that is emptied is a new one, whatever the pair in play did.
            Some(before) if !field.is_empty() => before.dealt_on,
            _ => (motion == Motion::Rests).then_some(field),
        };
        Self { field, rules, motion, dealt_on }
    }

    /// Whether the pair in play has not come down yet.
    #[must_use]
    pub fn pair_in_the_air(&self) -> bool {
        self.motion == Motion::Rests && self.dealt_on == Some(self.field)
    }

    /// The chain that goes off.
    #[must_use]
    pub fn chain(&self) -> Option<&Chain> {
        match &self.motion {
            Motion::Pops(chain) => Some(chain),
            Motion::Rests | Motion::Floats => None,
        }
    }
}

fn motion(field: &Field, rules: Option<Rules>, before: Option<&BoardForecast>) -> Motion {
    let Some(rules) = rules else { return Motion::Rests };
    let mut fallen = *field;
    fallen.settle();
    let floats = fallen != *field;
    // Steps are counted from the board on which the chain began: what follows in it is the same chain.
    if let Some(chain) = before.filter(|before| before.rules == Some(rules)).and_then(BoardForecast::chain) {
        let at = chain.steps.iter().position(|step| step.before == *field);
        if let Some(done) = at.or(floats.then_some(chain.done)) {
            return Motion::Pops(Chain { done, ..chain.clone() });
        }
    }
    if floats {
        return Motion::Floats;
    }
    Chain::on(field, rules).map_or(Motion::Rests, Motion::Pops)
}
