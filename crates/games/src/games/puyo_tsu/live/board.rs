//! The players' boards: decodes them from RAM and predicts chains.

use nextscope_boards::puyo::reference::{self, Step};
use nextscope_boards::puyo::{COLUMNS, Cell, Field, ROWS, Rules, Simulator};
use std::sync::Arc;

/// Bytes of a board in RAM (reference 1.5): 14 rows of 6 cells, two bytes a cell, the top row first.
pub const BOARD_LEN: usize = ROWS * COLUMNS * CELL_LEN;
/// The first byte of a cell is its content, the second what was last drawn on screen.
const CELL_LEN: usize = 2;
/// The bit of every occupied cell (reference 1.4).
const TAKEN: u8 = 0x80;

/// An invalid cell: the address is not a board, or another profile fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("row {row}, column {column} of the board is {byte:02X}, which is not a cell")]
pub struct BadCell {
    /// Its row in RAM, from 1 at the top, the two hidden ones included.
    pub row: usize,
    /// Its column, from 1 at the left.
    pub column: usize,
    /// The byte.
    pub byte: u8,
}

/// Decodes a cell of RAM: 0 when empty, otherwise 0x80, the colour in bits 4 to 6, and the links to its neighbours in the
/// low four bits (reference 1.4). None for any other byte.
fn cell(byte: u8) -> Option<Cell> {
    use nextscope_boards::Color;
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
/// [`BadCell`] for the first invalid byte.
pub fn decode(bytes: &[u8; BOARD_LEN]) -> Result<Field, BadCell> {
    let mut field = Field::default();
    for (nth, word) in bytes.chunks_exact(CELL_LEN).enumerate() {
        let (row, column) = (nth / COLUMNS, nth % COLUMNS);
        let byte = word[0];
        let cell = cell(byte).ok_or(BadCell { row: row + 1, column: column + 1, byte })?;
        if cell != Cell::Empty {
            field.set(column, ROWS - 1 - row, cell);
        }
    }
    Ok(field)
}

/// The game's rules; None for a group size that is not modelled.
pub fn rules(pop_count: u8) -> Option<Rules> {
    (2..=6).contains(&pop_count).then(|| Rules { group: u32::from(pop_count), ..Rules::TSU })
}

/// A chain, predicted from the board on which it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Its steps.
    pub steps: Arc<[Step]>,
    /// Steps that have popped already.
    pub done: usize,
    /// The board after it.
    pub after: Field,
}

impl Chain {
    /// The chain on a board; None when nothing pops.
    pub fn on(field: &Field, rules: Rules) -> Option<Self> {
        // Most boards do not pop, and this check is much faster than computing the steps.
        let mut after = *field;
        if Simulator::new(rules).fire(&mut after).chain == 0 {
            return None;
        }
        let mut after = *field;
        let steps = reference::fire(&mut after, rules);
        (!steps.is_empty()).then(|| Self { steps: steps.into(), done: 0, after })
    }

    /// Points of all steps.
    pub fn points(&self) -> u32 {
        self.steps.iter().map(|step| step.points).sum()
    }
}

/// The motion of a board without the pair in play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Motion {
    /// Nothing pops and nothing floats.
    Rests,
    /// Puyos float without a known chain.
    Floats,
    /// A chain is in progress.
    Pops(Chain),
}

/// A player's board and its prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardPrediction {
    /// The current board.
    pub field: Field,
    /// Its rules; None for a group size that is not modelled, for which there is no prediction.
    pub rules: Option<Rules>,
    /// Its motion.
    pub motion: Motion,
    /// The board when the pair in play was dealt; None when it was not sampled.
    dealt_on: Option<Field>,
}

impl BoardPrediction {
    /// The prediction for a board. `before` is that of an earlier sample with the same pair in play.
    pub(super) fn new(field: Field, rules: Option<Rules>, before: Option<&Self>) -> Self {
        // Most samples change no board, and what follows from an unchanged one is the same again.
        if let Some(before) = before.filter(|before| before.field == field && before.rules == rules) {
            return before.clone();
        }
        let motion = motion(&field, rules, before);
        let dealt_on = match before {
            // An emptied board is a new one.
            Some(before) if !field.is_empty() => before.dealt_on,
            _ => (motion == Motion::Rests).then_some(field),
        };
        Self { field, rules, motion, dealt_on }
    }

    /// Whether the pair in play has not landed yet.
    pub fn pair_in_the_air(&self) -> bool {
        self.motion == Motion::Rests && self.dealt_on == Some(self.field)
    }

    /// The chain in progress.
    pub fn chain(&self) -> Option<&Chain> {
        match &self.motion {
            Motion::Pops(chain) => Some(chain),
            Motion::Rests | Motion::Floats => None,
        }
    }
}

fn motion(field: &Field, rules: Option<Rules>, before: Option<&BoardPrediction>) -> Motion {
    let Some(rules) = rules else { return Motion::Rests };
    let mut fallen = *field;
    fallen.settle();
    let floats = fallen != *field;
    // Steps count from the board on which the chain started.
    if let Some(chain) = before.filter(|before| before.rules == Some(rules)).and_then(BoardPrediction::chain)
    {
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
