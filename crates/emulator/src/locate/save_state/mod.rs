//! Save states: files that contain console RAM among other emulator state.
//!
//! A file is unpacked as far as its formats are known ([`unpack`]), and then searched for the RAM of a known game by its content, as a
//! process is ([`locate`](fn@locate)). Two locations that both match are an error that names them.

mod container;
mod locate;
#[cfg(test)]
mod tests;

pub use container::{UnpackedState, unpack};
pub use locate::{StateRam, can_locate, locate};

/// Why a save state cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum StateError {
    #[error("the {format} is damaged: {why}")]
    Damaged { format: &'static str, why: String },
    #[error("the {format} unpacks to more than {} MiB: not a save state", container::MAX_UNPACKED >> 20)]
    TooLong { format: &'static str },
    /// A zip without a core's state.
    #[error("{why}")]
    NoCore {
        /// What it contains instead, and what to do.
        why: &'static str,
    },
    #[error("several locations in the {format} look like the game's RAM and cannot be told apart: {}", places.join("; "))]
    Ambiguous { format: String, places: Vec<String> },
}
