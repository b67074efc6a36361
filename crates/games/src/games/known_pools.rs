//! What a game states of its pools, by which the RAM search recognizes them in unknown memory.

use nextscope_boards::{Pool, PoolId};
use nextscope_task::Progress;

/// Pools that are recognized by their content.
#[derive(Debug, Clone, Copy)]
pub struct KnownPools {
    /// Whether a pool can have just these colour codes, one bit each. Codes are below 6.
    pub has_codes: fn(codes: u32) -> bool,
    /// The most bytes of a colour that a pool has more or fewer than an even fill, because they are copied from another pool.
    pub copied: usize,
    /// The exact check.
    pub check: PoolCheck,
}

/// How pools with plausible colours are recognized.
#[derive(Debug, Clone, Copy)]
pub enum PoolCheck {
    /// Each alone: which pool it is, and the seeds of the games that have it; None if no game has it.
    Seeds(SeedsCheck),
    /// With those that follow it.
    Round(RoundCheck),
}

/// Recognizes the three pools of a round, in either byte order.
#[derive(Debug, Clone, Copy)]
pub struct RoundCheck {
    /// The kind of round that has these pools. Of a round with two pools, the third is arbitrary.
    pub kind: fn(&[Pool; 3]) -> Option<RoundKind>,
    /// The colour sets with which these pools form a round of that kind.
    pub color_sets: fn(RoundKind, &[Pool; 3]) -> Vec<[u8; 8]>,
    /// All states of the generator that produce the round, each with the state after it, from pools in bus order and the colour set,
    /// if it is known; None if the search was cancelled.
    pub states: StateSearch,
}

/// Checks a pool of [`PoolCheck::Seeds`].
pub type SeedsCheck = fn(&Pool) -> Option<(PoolId, Vec<u32>)>;

/// Searches the [states](RoundCheck::states) of a round.
pub type StateSearch = fn(RoundKind, &[Pool; 3], Option<[u8; 8]>, &Progress) -> Option<Vec<(u32, u32)>>;

/// A kind of round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundKind {
    /// "versus".
    pub name: &'static str,
    /// Its number among the game's own kinds.
    pub number: usize,
}
