//! The arguments of `profile locate`.

use crate::recording::is_recording;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The profile with the recipe
    #[arg(long, default_value = "sega-tetris")]
    pub profile: String,
    /// Look into this emulator while the game is played
    #[arg(long, required_unless_present = "dump", conflicts_with = "dump")]
    pub pid: Option<u32>,
    /// Look into a dump of the console's whole RAM, or a recording; into a save state if the profile has an anchor at an address
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// Of a recording: only at this frame, instead of through all of it
    #[arg(long, value_name = "FRAME", requires = "dump")]
    pub frame: Option<u64>,
    /// Watch a running game for so long for the cell that counts its pieces, or holds the one drawn
    #[arg(long, value_name = "N", default_value_t = 60.0)]
    pub seconds: f64,
    /// Write a profile with the addresses found into this file
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Overwrite a profile that exists
    #[arg(long, requires = "write")]
    pub force: bool,
    /// Pochi & Nyaa: the field as it stands on the screen, lines of R G B Y and dots, the top row first; - for standard input
    #[arg(long, value_name = "FILE")]
    pub board: Option<PathBuf>,
    /// With --board: whose field it is
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2), requires = "board")]
    pub player: u8,
    /// With --board: keep the places in this file and, when it is there, look only at those that it holds
    #[arg(long, value_name = "FILE", requires = "board")]
    pub places: Option<PathBuf>,
    /// With --board: of several places, it is this one
    #[arg(long, value_name = "ADDRESS", requires = "board")]
    pub take: Option<String>,
    /// With --board: keep the place in your own copy of the profile, by which it is read from now on
    #[arg(long, requires = "board", conflicts_with = "write")]
    pub remember: bool,
    /// With --board: also when the profile has the field elsewhere
    #[arg(long, requires = "board")]
    pub replace: bool,
    /// With --board: RAM begins here in the emulator's memory, where that is not known
    #[arg(long, value_name = "ADDRESS", requires_all = ["board", "pid"])]
    pub at: Option<String>,
    /// With --board: RAM has the bytes of each word swapped; otherwise both orders are tried
    #[arg(long, requires = "board")]
    pub swapped: bool,
    /// With --board: RAM has its bytes as the console has them
    #[arg(long, requires = "board", conflicts_with = "swapped")]
    pub unswapped: bool,
}

impl Arguments {
    /// The file whose RAM does not move.
    pub fn static_dump(&self) -> Option<&Path> {
        self.dump.as_deref().filter(|path| self.frame.is_some() || !is_recording(path))
    }
}
