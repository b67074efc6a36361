//! Puyo Puyo!! 20th Anniversary: which of its 65,536 games match the observed pairs, and what they deal next.
//!
//! The data flow: a [`Query`] with the observed pairs, a [`Table`] with the games' pairs as sets of seeds, [`search`](fn@search) to intersect them,
//! and an [`Answer`] with the matching games and the next pairs. Nothing is stored on disk: the parts of the table are computed
//! on first use, in milliseconds.

mod bits;
#[cfg(test)]
mod exhaustive;
mod forecast;
mod patterns;
mod query;
mod report;
mod rounds;
mod search;
mod table;
mod trace;

pub use forecast::{Chance, upcoming};
pub use query::{Impossible, Query};

pub use crate::pairs::{PartialPair, PieceError, parse_pieces};
pub use report::{Report, certain, color_names, named};
pub use rounds::{Rounds, every_round};
pub use search::{Answer, FirstFailure, Labels, Narrowing, labels, search};
pub use table::Table;

/// The number of games: one for every 16-bit seed.
pub const GAMES: usize = 1 << 16;
