//! Save states: files in which an emulator keeps console RAM among much else.
//!
//! A file is unpacked as far as its formats are known ([`unpack`]), and then searched for the RAM of a game that a profile knows, as
//! a process is: what stands there decides ([`locate`]). Two places that both fit are an error that names them.

mod container;
mod place;
#[cfg(test)]
mod tests;

pub use container::{Unpacked, unpack};
pub use place::{Located, locate, tell_the_place};

/// Why a save state cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// It is of that format, but cannot be unpacked.
    #[error("the {format} is damaged: {why}")]
    Damaged {
        /// The format.
        format: &'static str,
        /// What is wrong.
        why: String,
    },
    /// It claims to be, or is, longer than any state.
    #[error("the {format} unpacks to more than {} MiB: this is no save state", container::UNPACKED_MOST >> 20)]
    TooLong {
        /// The format.
        format: &'static str,
    },
    /// A zip without what belongs in a state.
    #[error("{why}")]
    NoCore {
        /// What is there instead, and what to do.
        why: &'static str,
    },
    /// RAM of a known game seems to stand at several places.
    #[error("the game's RAM seems to stand at several places of the {format}, and which is meant cannot be told: {}", places.join("; "))]
    Ambiguous {
        /// The file's format.
        format: String,
        /// Each with what speaks for it.
        places: Vec<String>,
    },
}
