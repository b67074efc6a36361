//! How RAM was located: the emulator, the method and the evidence. Views, reports and recordings keep it with the samples.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Which emulator a process is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EmulatorInfo {
    /// The emulator's name ("BlastEm"), or the executable's name when no known emulator matches.
    pub name: String,
    /// The libretro core's file name, if one is loaded.
    pub core: Option<String>,
    /// The game file on the command line, if there is one.
    pub content: Option<String>,
    /// Whether the name is that of a known emulator, or a libretro core is loaded.
    pub known: bool,
    /// The build ID of the executable, in hexadecimal, if it has one: the linker's (ELF), or the time and size of the image (PE).
    pub build_id: Option<String>,
}

/// A way to locate console RAM, in the order in which they are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DetectionMethod {
    /// The libretro core's own `retro_get_memory_data(2)`, evaluated without running it.
    LibretroExport,
    /// A mapping that the emulator named.
    NamedMapping,
    /// A symbol that the emulator exports.
    ExportedSymbol,
    /// A build known by its build ID.
    KnownBuild,
    /// The location that an earlier search found in the same build.
    Remembered,
    /// A block of the right size in a heap.
    MallocChunk,
    /// The profile's anchors, searched for in all memory.
    ContentAnchor,
    /// RetroArch's network commands.
    RetroArchNetwork,
}

impl fmt::Display for DetectionMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LibretroExport => "libretro export",
            Self::NamedMapping => "named mapping",
            Self::ExportedSymbol => "exported symbol",
            Self::KnownBuild => "known build",
            Self::Remembered => "earlier search",
            Self::MallocChunk => "heap block of the right size",
            Self::ContentAnchor => "content",
            Self::RetroArchNetwork => "RetroArch network commands",
        })
    }
}

/// Why a location is taken for the running game's RAM.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DetectionEvidence {
    /// The profile's anchors that match there, in words.
    pub anchors: Vec<String>,
    /// The field that changed as the game's main loop changes it, in words.
    #[serde(rename = "moved")]
    pub liveness: String,
}
