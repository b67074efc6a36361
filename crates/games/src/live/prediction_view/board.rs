//! The display format of a player's board.

use nextscope_boards::puyo::{Field, to_code, to_rows};
use serde::Serialize;

/// A player's current board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// Its cells, including the two hidden rows.
    pub field: Field,
    /// The chain in progress.
    pub chain: Option<Chain>,
}

/// A chain in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// All steps of the chain.
    pub steps: usize,
    /// Steps that have popped already.
    pub done: usize,
    /// Points of all steps.
    pub points: u32,
}

impl Board {
    /// Its rows as letters, top row first, without the empty rows above the topmost puyo.
    pub fn rows(&self) -> Vec<String> {
        to_rows(&self.field)
    }

    /// Its field code; None when a code cannot represent the board.
    pub fn code(&self) -> Option<String> {
        to_code(&self.field).ok()
    }

    /// The chain in progress as a caption.
    pub fn caption(&self) -> Option<String> {
        let Chain { steps, done, points } = self.chain?;
        let popped = if done == 0 { String::new() } else { format!(", {done} popped") };
        Some(format!("{steps}-chain for {points} points{popped}"))
    }
}
