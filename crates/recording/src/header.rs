//! The origin of a recording's samples.

use nextscope_games::profile::{Diagnostic, Profile, parse};
use nextscope_memory::Pid;
use nextscope_memory::console::{
    ConsoleId, DetectionEvidence, DetectionMethod, Domain, EmulatorInfo, StorageOrder,
};
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// The profile at the time of the samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileText {
    /// Its id.
    pub id: String,
    /// Its digest, as in reports.
    pub digest: String,
    /// The content of the file.
    pub text: String,
}

impl ProfileText {
    /// The text of a profile.
    pub fn of(profile: &Profile) -> Self {
        Self { id: profile.id.clone(), digest: profile.digest.clone(), text: profile.text.to_string() }
    }

    /// Parses the profile.
    ///
    /// # Errors
    /// The errors in the text for this version of the program.
    pub fn profile(&self) -> Result<Profile, Vec<Diagnostic>> {
        let (profile, diagnostics) = parse(&self.text, &format!("{}.toml of the recording", self.id));
        profile.ok_or(diagnostics)
    }
}

/// A connection to an emulator. A recording has a header for each connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the program that wrote the recording.
    pub nextscope: String,
    /// The start of the connection in seconds since 1970, UTC.
    pub started: u64,
    /// The emulator.
    pub emulator: EmulatorInfo,
    /// Its process number.
    pub pid: Pid,
    /// How its RAM was located.
    pub found_by: DetectionMethod,
    /// Why that location was accepted.
    #[serde(rename = "proof")]
    pub evidence: DetectionEvidence,
    /// The address and byte order of the RAM, in words.
    pub ram: String,
    /// The console.
    pub console: ConsoleId,
    /// The order in which the emulator stored the bytes. The recording stores them in bus order.
    pub order: StorageOrder,
    /// The profile.
    pub profile: ProfileText,
}

impl Header {
    /// The domain of the samples.
    pub fn domain(&self) -> &'static Domain {
        self.console.domain()
    }

    /// The current time for [`Self::started`].
    pub fn now() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
    }
}
