//! What can be measured: randomizers of single pieces, and those of pairs.

use crate::games::piece::{AnyDealer, Piece};
use nextscope_boards::Pool;
use serde::Serialize;

/// The rating of a randomizer in seed document 002, out of five. It is the author's opinion, not a measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Rating {
    /// "Puzzle factor".
    pub puzzle: u8,
    /// "Flood prevention".
    pub flood_prevention: u8,
    /// "Drought prevention".
    pub drought_prevention: u8,
}

/// What is known of a randomizer of pieces before it is measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFacts {
    /// The id of its game.
    pub game: &'static str,
    /// Its variant; None for a game without variants.
    pub variant: Option<&'static str>,
    /// The id of the profile that declares it; None for one in the program.
    pub profile: Option<String>,
    /// Its name in a table.
    pub label: String,
    /// The largest seed, of those of 32 bits.
    pub largest_seed: u32,
    /// The pieces that it can deal.
    pub kinds: Vec<Piece>,
    /// The rating of its author.
    pub rating: Option<Rating>,
}

/// The name of a randomizer that a profile declares, in tables and settings.
pub fn declared_name(game: &str, profile: &str) -> String {
    format!("{game}:{profile}")
}

/// A randomizer of single pieces.
pub trait PieceSource: Send + Sync {
    /// What is known of it.
    fn facts(&self) -> SourceFacts;

    /// The dealer of a seed before its first piece; None for an invalid seed.
    fn dealer(&self, seed: u32) -> Option<AnyDealer>;
}

impl PieceSource for Box<dyn PieceSource> {
    fn facts(&self) -> SourceFacts {
        (**self).facts()
    }

    fn dealer(&self, seed: u32) -> Option<AnyDealer> {
        (**self).dealer(seed)
    }
}

/// What is known of a randomizer of pairs before it is measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolFacts {
    /// The id of its game.
    pub game: &'static str,
    /// The id of the profile that declares it; None for one in the program.
    pub profile: Option<String>,
    /// The largest seed, of those of 32 bits.
    pub largest_seed: u32,
    /// The number of colours of each of its pools, ascending.
    pub colors: Vec<u8>,
}

/// A randomizer of pairs: the pools of its seeds, or the first pairs of each in the form of a pool.
pub trait PoolSource: Send + Sync {
    /// What is known of it.
    fn facts(&self) -> PoolFacts;

    /// The pools of a seed, one for each number of colours; none for an invalid seed.
    ///
    /// # Errors
    /// The seed deals nothing; says why.
    fn pools(&self, seed: u32) -> Result<Vec<Pool>, String>;
}

impl PoolSource for Box<dyn PoolSource> {
    fn facts(&self) -> PoolFacts {
        (**self).facts()
    }

    fn pools(&self, seed: u32) -> Result<Vec<Pool>, String> {
        (**self).pools(seed)
    }
}

/// A randomizer of either kind.
pub enum Source {
    /// Deals single pieces.
    Pieces(Box<dyn PieceSource>),
    /// Deals pairs.
    Pairs(Box<dyn PoolSource>),
}

/// Why there are no statistics.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMeasured {
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A seed that the randomizer does not have.
    #[error("{label} has no seed {seed:#X}")]
    NoSeed {
        /// The randomizer.
        label: String,
        /// The seed.
        seed: u32,
    },
    /// A seed that deals nothing.
    #[error("{label}: from seed {seed:#X} {why}")]
    Stuck {
        /// The randomizer.
        label: String,
        /// The seed.
        seed: u32,
        /// What keeps it from dealing.
        why: String,
    },
}
