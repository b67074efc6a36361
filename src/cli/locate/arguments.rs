//! The arguments of `profile locate`.

use crate::games::GAMES;
use crate::recording::is_recording;
use clap::Args;
use std::path::{Path, PathBuf};

/// That of the first game with addresses to locate, which has the game's id.
fn default_profile() -> &'static str {
    GAMES.iter().find(|game| game.locate.is_some()).map_or("", |game| game.id.id())
}

#[derive(Debug, Args)]
pub struct Arguments {
    /// Profile that says what to search for
    #[arg(long, default_value = default_profile())]
    pub profile: String,
    /// Search this emulator while the game is played
    #[arg(long, required_unless_present = "dump", conflicts_with = "dump")]
    pub pid: Option<u32>,
    /// Search a dump of the console's full RAM, a recording, or a save state if the profile has an anchor at an address
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// Search only this frame of the recording, instead of all frames
    #[arg(long, value_name = "FRAME", requires = "dump")]
    pub frame: Option<u64>,
    /// How long to watch a running game for the address of its piece counter or current piece
    #[arg(long, value_name = "N", default_value_t = 60.0)]
    pub seconds: f64,
    /// Write a profile with the addresses found to this file
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Overwrite an existing profile
    #[arg(long, requires = "write")]
    pub force: bool,
    /// Pochi & Nyaa: file with the field on the screen, lines of R G B Y and dots, top row first; - for standard input
    #[arg(long, value_name = "FILE")]
    pub board: Option<PathBuf>,
    /// With --board: the player of the field
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2), requires = "board")]
    pub player: u8,
    /// With --board: save the candidate addresses to this file; if it exists, search only the candidates in it
    #[arg(long, alias = "places", value_name = "FILE", requires = "board")]
    pub candidates: Option<PathBuf>,
    /// With --board: choose this address of several candidates
    #[arg(long, alias = "take", value_name = "ADDRESS", requires = "board")]
    pub address: Option<String>,
    /// With --board: save the address to your own copy of the profile, which is used from then on
    #[arg(long, alias = "remember", requires = "board", conflicts_with = "write")]
    pub save: bool,
    /// With --board: replace a different address in the profile
    #[arg(long, requires = "board")]
    pub replace: bool,
    /// With --board: address of the console's RAM in the emulator, if Nextscope does not find it
    #[arg(long, alias = "at", value_name = "ADDRESS", requires_all = ["board", "pid"])]
    pub ram_address: Option<String>,
    /// With --board: the bytes of each word of RAM are swapped [default: try both orders]
    #[arg(long, requires = "board")]
    pub swapped: bool,
    /// With --board: the bytes of RAM are in the console's order
    #[arg(long, requires = "board", conflicts_with = "swapped")]
    pub unswapped: bool,
}

impl Arguments {
    /// The file, unless it is a recording whose frames are all searched.
    pub fn static_dump(&self) -> Option<&Path> {
        self.dump.as_deref().filter(|path| self.frame.is_some() || !is_recording(path))
    }
}
