//! Puyo Puyo Tsu: the states before a round that give what was seen of it.
//!
//! What was seen ([`Seen`]) becomes a [`Query`], unless no game can show it ([`Impossible`]). From the state just after a
//! generation the states before it are walked to at once ([`walk_back`]); without it all 2^32 are tried ([`find`]). States
//! collide, so the answer is a class of them, and [`classes()`] says whether they all mean the same game or where they part.

mod backward;
mod check;
mod classes;
mod plan;
mod query;
mod report;
mod search;
mod sieve;
#[cfg(test)]
mod tests;

pub use backward::walk_back;
pub use check::{Impossible, Place};
pub use classes::{Answer, Class, Parting, classes};
pub use plan::NEAR;
pub use query::{Query, Seen, SeenPair, color_set_of};
pub use report::{COMPARED, Method, Report, certain, first_unseen, parting_in_words};
pub use search::{
    BackgroundSearch, Effort, Found, MOST_STATES, Progress, Vectors, find, find_in_range, find_plainly,
    search, search_range,
};

use crate::game::puyo_tsu::{Pool, Setup};

/// What the states must give.
#[derive(Debug, Clone)]
pub struct Target {
    /// The round for which the answer is wanted; handed back, not looked at.
    pub round: u64,
    /// Colour set in RAM.
    pub color_set: [u8; 8],
    /// Pools in RAM order.
    pub pools: [Pool; 3],
    /// The setup.
    pub setup: Setup,
}
