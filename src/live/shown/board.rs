//! A player's board as the faces show it.

use crate::puyo::{Field, to_code, to_rows};
use serde::Serialize;

/// A player's board as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// What stands on it, the two hidden rows included.
    pub field: Field,
    /// The chain that goes off.
    pub chain: Option<Chain>,
}

/// A chain that goes off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// Its steps.
    pub steps: usize,
    /// Steps that have popped already.
    pub done: usize,
    /// Points of all steps.
    pub points: u32,
}

impl Board {
    /// Its rows as letters, the top one first; empty rows above the highest thing are left out.
    #[must_use]
    pub fn rows(&self) -> Vec<String> {
        to_rows(&self.field)
    }

    /// Its field code; None for what a code cannot hold.
    #[must_use]
    pub fn code(&self) -> Option<String> {
        to_code(&self.field).ok()
    }

    /// What goes off, in short words.
    #[must_use]
    pub fn caption(&self) -> Option<String> {
        let Chain { steps, done, points } = self.chain?;
        let so_far = if done == 0 { String::new() } else { format!(", {done} popped") };
        Some(format!("{steps}-chain for {points} points{so_far}"))
    }
}
