//! What a recording says of where its samples come from.

use crate::console::{ConsoleId, DetectionEvidence, DetectionMethod, Domain, EmulatorInfo, StorageOrder};
use crate::process::Pid;
use crate::profile::{Diagnostic, Profile, parse};
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// A profile as it was when the samples were taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileText {
    /// Its id.
    pub id: String,
    /// Its digest, as reports have it.
    pub digest: String,
    /// The whole file.
    pub text: String,
}

impl ProfileText {
    /// The text that a profile was read from.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        Self { id: profile.id.clone(), digest: profile.digest.clone(), text: profile.text.to_string() }
    }

    /// The profile again.
    ///
    /// # Errors
    /// What is wrong with the text, for this version of the program.
    pub fn profile(&self) -> Result<Profile, Vec<Diagnostic>> {
        let (profile, diagnostics) = parse(&self.text, &format!("{}.toml of the recording", self.id));
        profile.ok_or(diagnostics)
    }
}

/// What one connection to an emulator was. A recording has one for each time the connection was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the program that recorded.
    pub nextscope: String,
    /// When the connection's first sample was about to be recorded: seconds since 1970, UTC.
    pub started: u64,
    /// The emulator, with its Build-ID where it has one.
    pub emulator: EmulatorInfo,
    /// Its process then.
    pub pid: Pid,
    /// How its RAM was found.
    pub found_by: DetectionMethod,
    /// Why that was believed.
    #[serde(rename = "proof")]
    pub evidence: DetectionEvidence,
    /// Where the RAM stood and in which order, in words.
    pub ram: String,
    /// The console.
    pub console: ConsoleId,
    /// The order in which the emulator stored the bytes. In the recording they stand as on the bus.
    pub order: StorageOrder,
    /// The profile.
    pub profile: ProfileText,
}

impl Header {
    /// The RAM of which the samples are.
    #[must_use]
    pub fn domain(&self) -> &'static Domain {
        self.console.domain()
    }

    /// The time for [`Self::started`], now.
    #[must_use]
    pub fn now() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
    }
}
