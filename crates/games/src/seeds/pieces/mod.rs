//! From a list of single pieces to the generator states that deal them, and to the pieces that follow.
//!
//! The search covers all different starts of a game, so its result is complete.
//! - Arika's games: 2^25 states, because no draw depends on more bits (`game::arika`). A game's first draw excludes most of them at
//!   once; in the middle of TGM1 or TAP, with the start of the game unknown, four pieces in a row are the entire history, and
//!   the 2^25 states after them are tried.
//! - NES Tetris: 32,767 states, the spawn count and the previous piece. The frames between picks are either known or given as ranges;
//!   for ranges the search tracks all possible positions (`gaps`).
//! - Sega's games: 2^22 states (Bloxeed 2^23), because no piece depends on more bits.
//! - Games whose own generator is not documented: all 2^32 seeds of the generator that replaces it.

pub(crate) mod answer;
#[cfg(test)]
mod exhaustive;
pub(crate) mod game;
pub(crate) mod narrowing;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod rule;
pub(crate) mod scan;
pub(crate) mod spaces;
pub(crate) mod steps;
pub(crate) mod uniform;

pub use answer::Answer;
pub use game::{
    Between, GamePosition, PieceGame, PieceOption, PieceQuery, PieceRules, PieceSearch, QueryError,
};
pub use narrowing::Narrowing;
pub use query::{SignError, agreed, games, parse_pieces, piece_letters};
pub use report::{ListedState, Report};
pub use rule::Broken;
pub use scan::Scan;
pub(crate) use spaces::DEFAULTS;
pub use steps::{Steps, StepsError};
pub(crate) use uniform::UniformSeeds;

/// The most states that are stored and compared with each other; above this number they are only counted, and the first are stored.
pub const MAX_STORED: usize = 1 << 14;
/// NextPieces pieces that are compared to distinguish two games.
pub const COMPARED_PIECES: usize = 100;
