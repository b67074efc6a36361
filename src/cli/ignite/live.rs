//! The field of a running game or a RAM dump.

use crate::cli::arguments::Global;
use crate::cli::exit::{Failure, bail_input};
use crate::cli::{library, ram_file, session};
use crate::console::{ReadPlan, Snapshot};
use crate::emulator::{DetectionOutcome, detect};
use crate::live::{SampleContext, Totals, Tracker};
use crate::pochi::Field;
use crate::process::{Pid, process_info};
use crate::profile::Profile;
use crate::recording::is_recording;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct Live {
    /// Use the field of the game in this process
    #[arg(long, conflicts_with_all = ["grid", "dump", "gallery", "build"])]
    pid: Option<u32>,
    /// Use the field in a dump of the console's full RAM, a save state or a recording
    #[arg(long, value_name = "FILE", conflicts_with_all = ["grid", "gallery", "build"])]
    dump: Option<PathBuf>,
    /// Frame to read, if the dump is a recording [default: the first]
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// With --pid and --dump: the player of the field
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    player: u8,
}

impl Live {
    /// The field of --pid or --dump.
    pub fn field(&self, global: &Global) -> anyhow::Result<Option<Field>> {
        let found = match (&self.dump, self.pid) {
            (Some(path), _) => in_dump(global, path, self.frame)?,
            (None, Some(pid)) => in_process(global, pid)?,
            (None, None) => return Ok(None),
        };
        let (snapshot, profile) = found;
        let sample = SampleContext { snapshot: &snapshot, profile: &profile, frame: 0 };
        let update = Tracker::new(profile.game).update(&sample, &mut Totals::default());
        let boards = update.observation.map_err(Failure::BadInput)?.boards();
        let player = boards.into_iter().nth(usize::from(self.player) - 1).ok_or_else(|| {
            let what = "the address of the second player's field is unknown; detect it with `nextscope profile locate --player 2`";
            Failure::BadInput(what.into())
        })?;
        let address = player.address;
        Ok(Some(
            player
                .field
                .map_err(|why| Failure::BadInput(format!("no valid field at {address}: {why}; try again")))?,
        ))
    }
}

/// The profiles that have the address of the field.
fn profiles(global: &Global) -> anyhow::Result<Vec<Arc<Profile>>> {
    let mut profiles = library::profiles(global)?;
    profiles.retain(|profile| profile.board.is_some());
    if profiles.is_empty() {
        bail_input!(
            "no profile has the address of the field; detect it with `nextscope profile locate --profile pochi-nyaa-mvs --board FILE --save`"
        );
    }
    Ok(profiles)
}

fn no_field(place: &str) -> Failure {
    Failure::Unreachable(format!(
        "no field found in {place}: it needs eight blocks of at least two colours, none of them falling"
    ))
}

fn in_dump(global: &Global, path: &Path, frame: Option<u64>) -> anyhow::Result<(Snapshot, Arc<Profile>)> {
    if !is_recording(path) {
        profiles(global)?;
    }
    let found = ram_file::open(global, path, frame)?.filter(|(_, profile)| profile.board.is_some());
    Ok(found.ok_or_else(|| no_field(&path.display().to_string()))?)
}

fn in_process(global: &Global, pid: u32) -> anyhow::Result<(Snapshot, Arc<Profile>)> {
    let profiles = profiles(global)?;
    if process_info(Pid(pid)).is_none() {
        return Err(session::no_process(pid).into());
    }
    let unreachable = |error: crate::process::ReadError| Failure::Unreachable(error.to_string());
    match detect(Pid(pid), &profiles).outcome {
        DetectionOutcome::Found(found) | DetectionOutcome::Paused(found) => {
            let plan = ReadPlan::full(found.ram.domain);
            Ok((found.ram.sample(&plan).map_err(unreachable)?, found.profile))
        }
        DetectionOutcome::Unreadable(error) => Err(unreachable(error).into()),
        _ => Err(no_field(&format!("process {pid}")).into()),
    }
}
