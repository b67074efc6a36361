//! Puyo Puyo!! 20th Anniversary: which of its 65,536 games were seen, and what they deal next.
//!
//! One direction: [`Query`] says what was seen, [`Table`] holds the games' pairs as sets of seeds, [`search`] narrows them down,
//! [`Answer`] says which remain and what comes next. Nothing is kept on disk: what a query needs of the games is made when
//! it is first asked for, in milliseconds.

mod bits;
mod forecast;
mod patterns;
mod query;
mod report;
mod rounds;
mod search;
mod table;
mod trace;

pub use forecast::{Chance, upcoming};
pub use query::{Impossible, PieceError, Query, Seen, parse_pieces};
pub use report::{Report, certain, named, your_names};
pub use rounds::{Rounds, every_round};
pub use search::{Answer, FirstFailure, Labels, Narrowing, labels, search};
pub use table::Table;

/// How many games there are: one for every 16-bit seed.
pub const GAMES: usize = 1 << 16;
