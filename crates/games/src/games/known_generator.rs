//! What a game states of its generator, by which the RAM search recognizes the state in unknown memory.

use super::lcg::Steps;

/// A generator that is recognized by how its state moves.
#[derive(Debug, Clone, Copy)]
pub struct KnownGenerator {
    /// Its name; for a generator that is not linear, with its recurrence.
    pub name: &'static str,
    /// How the state is stored.
    pub cell: StateCell,
    /// How the state moves.
    pub movement: Movement,
}

/// How a state is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateCell {
    /// 16 bits, in either byte order.
    Bits16,
    /// 32 bits, in either byte order.
    Bits32,
    /// As a 68000 stores a long: big-endian, at an even address.
    Long68000,
}

/// How a state moves.
#[derive(Debug, Clone, Copy)]
pub enum Movement {
    /// By steps of a linear generator modulo 2^32 with the full period.
    Linear(Steps),
    /// By steps that can be counted: those from one state to another, and the bits of the period; None if none lead there.
    Counted(fn(u32, u32) -> Option<(u32, u32)>),
    /// By calls that mix in values of the caller, so that only some changes can be recognized.
    Calls(CallsCheck),
}

/// Recognizes calls that mix in values of the caller.
#[derive(Debug, Clone, Copy)]
pub struct CallsCheck {
    /// Whether a call may change the state this way. Fast, for all cells of a memory.
    pub is_possible: fn(before: u32, after: u32) -> bool,
    /// What explains the changes of a cell; None if it is not the state.
    pub explain: fn(changes: &[(u32, u32)]) -> Option<ExplainedCalls>,
}

/// Which changes are calls.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedCalls {
    /// What the calls were for, and how many changes they explain.
    pub counts: Vec<(&'static str, usize)>,
    /// How unlikely these are by chance: bits.
    pub bits: f64,
}
