//! What a mismatch rests on, saved so that it can be shown to others.

use super::{Mismatch, Target};
use crate::console::Snapshot;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Files are written for this many mismatches of a session at most; a broken emulator would fill the disk.
const MOST: usize = 200;

/// The folder of one session, made when the first mismatch comes.
#[derive(Debug)]
pub struct EvidenceFolder {
    root: PathBuf,
    session: Option<PathBuf>,
    saved: usize,
}

#[derive(Serialize)]
struct Report<'a> {
    nextscope: &'static str,
    unix_seconds: u64,
    mismatch: &'a Mismatch,
    emulator: Option<&'a crate::emulator::Identity>,
    found_by: Option<String>,
    profile: Option<&'a str>,
    profile_digest: Option<&'a str>,
    domain: &'static str,
    /// Offset and length of each part of the RAM that was read; the rest of the files is zero.
    parts: Vec<[usize; 2]>,
    ram_before: Option<&'static str>,
    ram: &'static str,
}

impl EvidenceFolder {
    /// Evidence goes into a new folder under `root`.
    #[must_use]
    pub fn new(root: PathBuf) -> Self {
        Self { root, session: None, saved: 0 }
    }

    /// Saves RAM before and at the mismatch, and a report, and notes in the mismatch where. A disk that
    /// refuses is logged: the mismatch itself is not lost by it.
    pub fn save(
        &mut self,
        mismatch: &mut Mismatch,
        target: Option<&Target>,
        before: Option<&Snapshot>,
        now: &Snapshot,
    ) {
        if self.saved >= MOST {
            return;
        }
        match self.write(mismatch, target, before, now) {
            Ok(folder) => {
                mismatch.evidence = Some(folder);
                self.saved += 1;
            }
            Err(error) => tracing::error!("evidence could not be saved in {}: {error}", self.root.display()),
        }
    }

    fn write(
        &mut self,
        mismatch: &Mismatch,
        target: Option<&Target>,
        before: Option<&Snapshot>,
        now: &Snapshot,
    ) -> std::io::Result<PathBuf> {
        let unix_seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let session = self
            .session
            .get_or_insert_with(|| self.root.join(format!("{unix_seconds}-{}", std::process::id())));
        let folder = session.join(format!("{:03}", self.saved + 1));
        std::fs::create_dir_all(&folder)?;
        let write = |name: &str, bytes: &[u8]| std::fs::write(Path::new(&folder).join(name), bytes);
        write("ram.bin", &now.filled())?;
        if let Some(before) = before {
            write("ram-before.bin", &before.filled())?;
        }
        let report = Report {
            nextscope: env!("CARGO_PKG_VERSION"),
            unix_seconds,
            mismatch,
            emulator: target.map(|target| &target.identity),
            found_by: target.map(|target| target.method.to_string()),
            profile: target.map(|target| target.profile.id.as_str()),
            profile_digest: target.map(|target| target.profile.digest.as_str()),
            domain: now.domain().name,
            parts: now.parts().map(|(offset, bytes)| [offset, bytes.len()]).collect(),
            ram_before: before.map(|_| "ram-before.bin"),
            ram: "ram.bin",
        };
        write("report.json", &serde_json::to_vec_pretty(&report)?)?;
        Ok(folder)
    }
}
