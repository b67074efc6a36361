//! From single pieces that were seen to the states of the generator that deal them, and to the pieces that come next.
//!
//! Every game's whole space of different starts is tried, so an answer is exact: what is found is everything there is.
//! - Arika's games: 2^25 states, as no draw depends on more bits (`game::arika`). A game's first draw settles most of them at
//!   once; from the middle of TGM1 or TAP, with the game's beginning unknown, four pieces in a row are the whole history, and
//!   the 2^25 states after them are tried.
//! - NES Tetris: 32,767 states, the spawn count and the piece before. The frames between picks are known, or within ranges: then
//!   all places are kept where the game can stand (`gaps`).
//! - Sega's games: 2^22 states (Bloxeed 2^23), as no piece depends on more bits.
//! - Games whose own generator is not documented: all 2^32 seeds of the generator that takes its place.

pub mod arika;
mod bounded;
mod game;
mod gaps;
mod narrowing;
mod nes;
mod question;
mod report;
mod rule;
mod scan;
mod sega;
mod spaces;
mod steps;
mod uniform;

pub(crate) use bounded::Seeds as BoundedSeeds;
pub(crate) use game::USUAL;
pub use game::{Between, PieceGame, PieceOption, PieceRules, PieceSearch};
pub use narrowing::Narrowing;
pub(crate) use nes::Search as NesSearch;
pub use question::{Answer, At, Question, Reject, SignError, agreed, games, parse_pieces, piece_letters};
pub use report::{Listed, Report};
pub use rule::Broken;
pub use scan::{Progress, Scan};
pub(crate) use sega::Search as SegaSearch;
pub use steps::{Steps, StepsError};
pub(crate) use uniform::Seeds as UniformSeeds;

/// States are compared with each other from this number on; above it they are counted, and only the first of them are kept.
pub const KEPT: usize = 1 << 14;
/// Coming pieces by which two games are told apart.
pub const COMPARED_PIECES: usize = 100;
