//! The RAM that is searched: of a dump, a save state, a recording, or a running game.

use super::arguments::Arguments;
use crate::cli::arguments::parse_seconds;
use crate::cli::exit::Failure;
use crate::cli::{files, interrupt, ram_file, session};
use crate::console::{ConsoleId, Snapshot, StorageOrder};
use crate::emulator::{DetectionOutcome, detect};
use crate::file::DUMP_LIMIT;
use crate::process::Pid;
use crate::profile::{Anchor, Profile};
use crate::recording::{Cursor, is_recording};
use crate::research::{Dump, SaveState};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two samples of a running game.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(14);

/// The result of `search` for the first byte order of a file that has one.
pub fn in_dump<T>(
    arguments: &Arguments,
    path: &Path,
    profile: &Arc<Profile>,
    search: &mut dyn FnMut(&Snapshot) -> Option<T>,
) -> anyhow::Result<Option<T>> {
    let rams = rams(path, arguments.frame, profile, None)?;
    Ok(rams.iter().find_map(|(_, snapshot)| search(snapshot)))
}

/// The full RAM in a file, and its byte order: of a dump in `order` or in each possible order; of a save state; of a frame of a
/// recording, by default the first.
pub fn rams(
    path: &Path,
    frame: Option<u64>,
    profile: &Arc<Profile>,
    order: Option<StorageOrder>,
) -> anyhow::Result<Vec<(StorageOrder, Snapshot)>> {
    let domain = profile.console.domain();
    if is_recording(path) {
        let recording = ram_file::recording(path)?;
        let (index, sample) = ram_file::sample(path, &recording, frame)?;
        let order = recording.sections()[recording.section_of(index)].header.order;
        return Ok(vec![(order, full_ram(path, profile, sample.snapshot)?)]);
    }
    if frame.is_some() {
        return Err(ram_file::no_frames(path).into());
    }
    let bytes = files::read(path, DUMP_LIMIT)?;
    if bytes.len() == domain.len as usize {
        let orders = domain.orders.iter().filter(|one| order.is_none_or(|order| order == **one));
        let stored =
            |order: &StorageOrder| Ok((*order, Snapshot::from_stored(domain, *order, bytes.clone())?));
        return orders.map(stored).collect();
    }
    let opened = Dump::open_with_state(bytes, Some(profile.console), false, std::slice::from_ref(profile));
    match opened.map_err(|error| files::failure(path, error))? {
        (Dump::Console(snapshot), Some(SaveState { found: Some(found), .. })) => {
            ram_file::print_caution(path, found.caution);
            Ok(vec![(found.order, snapshot)])
        }
        _ => Ok(Vec::new()),
    }
}

/// The RAM of a recorded sample, if it is complete and of the profile's console.
fn full_ram(path: &Path, profile: &Profile, snapshot: Snapshot) -> Result<Snapshot, Failure> {
    let (domain, expected) = (snapshot.domain(), profile.console.domain());
    let what = if domain != expected {
        let console = ConsoleId::ALL.iter().find(|console| console.domain() == domain);
        let name = console.map_or(domain.name, |console| console.name());
        format!("a recording of the {name}, but profile {} is for the {}", profile.id, profile.console.name())
    } else if snapshot.all().is_empty() {
        "the recording contains only parts of RAM".to_owned()
    } else {
        return Ok(snapshot);
    };
    Err(files::failure(path, what))
}

/// Passes the frames of a recording or of a running game to `process`, until it returns true.
pub fn in_motion(
    arguments: &Arguments,
    profile: &Arc<Profile>,
    mut process: impl FnMut(&Snapshot, u64) -> bool,
) -> anyhow::Result<()> {
    let Some(path) = &arguments.dump else {
        return in_process(Pid(arguments.pid.unwrap_or_default()), profile, arguments.seconds, process);
    };
    let recording = ram_file::recording(path)?;
    let stop = interrupt::flag();
    let mut cursor = Cursor::default();
    for index in (0..recording.len()).take_while(|_| !stop.load(Ordering::Relaxed)) {
        // Opening the recording reported the damage.
        let Ok(sample) = recording.sample_at(&mut cursor, index) else { continue };
        if process(&full_ram(path, profile, sample.snapshot)?, sample.frame) {
            break;
        }
    }
    Ok(())
}

/// Passes samples of a running game, with their number, to `process`, until it returns true.
fn in_process(
    pid: Pid,
    profile: &Arc<Profile>,
    seconds: f64,
    mut process: impl FnMut(&Snapshot, u64) -> bool,
) -> anyhow::Result<()> {
    let length = parse_seconds("--seconds", seconds)?;
    if crate::process::process_info(pid).is_none() {
        return Err(session::no_process(pid.0).into());
    }
    // The user names the game, so weaker anchors are enough.
    let mut relaxed = profile.as_ref().clone();
    for anchor in &mut relaxed.anchors {
        if let Anchor::RngPair { later_games, .. } = anchor {
            *later_games = true;
        }
    }
    let found = match detect(pid, &[Arc::new(relaxed)]).outcome {
        DetectionOutcome::Found(found) | DetectionOutcome::Paused(found) => found,
        DetectionOutcome::Unreadable(error) => return Err(Failure::Unreachable(error.to_string()).into()),
        _ => return Ok(()),
    };
    let stop = interrupt::flag();
    let started = Instant::now();
    let mut frame = 0;
    while started.elapsed() < length && !stop.load(Ordering::Relaxed) {
        let snapshot =
            found.ram.sample(&profile.plan()).map_err(|error| Failure::Unreachable(error.to_string()))?;
        if process(&snapshot, frame) {
            break;
        }
        frame += 1;
        std::thread::sleep(SAMPLE_INTERVAL);
    }
    Ok(())
}
