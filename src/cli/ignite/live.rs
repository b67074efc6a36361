//! The field of a game that runs, or of a dump of its RAM.

use crate::cli::{Failure, Global, source};
use crate::console::{ReadPlan, Snapshot};
use crate::emulator::{DetectionOutcome, detect};
use crate::live::pochi_nyaa::observe;
use crate::pochi::Field;
use crate::process::{Pid, process_info};
use crate::profile::Profile;
use crate::recording::is_recording;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct Live {
    /// The field as it stands in the game that runs in this process
    #[arg(long, conflicts_with_all = ["grid", "dump", "gallery", "build"])]
    pid: Option<u32>,
    /// The field in a dump of the console's whole RAM, or in a save state
    #[arg(long, value_name = "FILE", conflicts_with_all = ["grid", "gallery", "build"])]
    dump: Option<PathBuf>,
    /// The dump is a recording: look at this frame of it
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// With --pid and --dump: whose field
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    player: u8,
}

impl Live {
    /// The field, where one is asked for.
    pub fn field(&self, global: &Global) -> anyhow::Result<Option<Field>> {
        let found = match (&self.dump, self.pid) {
            (Some(path), _) => in_dump(global, path, self.frame)?,
            (None, Some(pid)) => in_process(global, pid)?,
            (None, None) => return Ok(None),
        };
        let (snapshot, profile) = found;
        let seen = observe(&snapshot, &profile).map_err(Failure::BadInput)?;
        let player = seen.players.get(usize::from(self.player) - 1).ok_or_else(|| {
            let what = "where the second player's field stands is not known: `nextscope profile locate --player 2` finds it";
            Failure::BadInput(what.into())
        })?;
        let field = player.field.clone();
        Ok(Some(field.map_err(|why| {
            Failure::BadInput(format!("what stands at {} is {why}; try again in a moment", player.address))
        })?))
    }
}

/// The profiles by which a field can be read.
fn profiles(global: &Global) -> anyhow::Result<Vec<Arc<Profile>>> {
    let mut profiles = source::profiles(global)?;
    profiles.retain(|profile| profile.board.is_some());
    if profiles.is_empty() {
        let what = "no profile says where the field stands: `nextscope profile locate --profile pochi-nyaa-mvs --board FILE --remember` finds it";
        return Err(Failure::BadInput(what.into()).into());
    }
    Ok(profiles)
}

fn not_there(place: &str) -> Failure {
    Failure::Unreachable(format!(
        "no field of the game was recognised in {place}: there must be eight blocks in it, of two colours at least, and none may be falling"
    ))
}

fn in_dump(global: &Global, path: &Path, frame: Option<u64>) -> anyhow::Result<(Snapshot, Arc<Profile>)> {
    if !is_recording(path) {
        profiles(global)?;
    }
    let found = source::dump(global, path, frame)?.filter(|(_, profile)| profile.board.is_some());
    Ok(found.ok_or_else(|| not_there(&path.display().to_string()))?)
}

fn in_process(global: &Global, pid: u32) -> anyhow::Result<(Snapshot, Arc<Profile>)> {
    let profiles = profiles(global)?;
    if process_info(Pid(pid)).is_none() {
        return Err(source::no_process(pid).into());
    }
    let unreachable = |error: crate::process::ReadError| Failure::Unreachable(error.to_string());
    match detect(Pid(pid), &profiles).outcome {
        DetectionOutcome::Found(found) | DetectionOutcome::Paused(found) => {
            let whole = ReadPlan::full(found.ram.domain);
            Ok((found.ram.sample(&whole).map_err(unreachable)?, found.profile))
        }
        DetectionOutcome::Unreadable(error) => Err(unreachable(error).into()),
        _ => Err(not_there(&format!("process {pid}")).into()),
    }
}
