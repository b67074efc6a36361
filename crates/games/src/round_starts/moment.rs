//! What a sample shows of a game that waits for a round.

use super::PadButtons;
use crate::profile::Profile;
use nextscope_memory::console::Snapshot;

/// How a game is read while it waits for a round.
#[derive(Debug, Clone, Copy)]
pub struct StartReader {
    /// Reads a moment, or says why that is not possible.
    pub read: fn(&Snapshot, &Profile) -> Result<WaitMoment, String>,
    /// What a profile lacks for it; empty if nothing.
    pub missing: fn(&Profile) -> Vec<&'static str>,
    /// Whether the pools in RAM are those that a generation from this state makes, with the mode and the options in RAM.
    pub generates: fn(&Snapshot, &Profile, u32) -> bool,
    /// The state after power on. Another one with which the clock begins means a reset.
    pub power_on_state: u32,
}

/// What one sample shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitMoment {
    /// Frames since the game's clock began; None for a value that the clock never has.
    pub clock: Option<u64>,
    /// Whether the game holds its clock.
    pub is_clock_held: bool,
    /// The buttons that the game has read.
    pub pads: [PadButtons; 2],
    /// The state of the generator.
    pub state: u32,
    /// Different for different pools.
    pub pools: u64,
    /// Pairs dealt to player 1 in the round, including the one in play.
    pub dealt: u16,
}
