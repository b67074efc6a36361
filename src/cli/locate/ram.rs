//! The RAM that is searched: of a dump, a save state, a recording, or a running game.

use super::arguments::Arguments;
use crate::cli::arguments::parse_seconds;
use crate::cli::exit::Failure;
use crate::cli::{files, interrupt, ram_file, session};
use crate::console::{ConsoleId, Snapshot, StorageOrder};
use crate::emulator::{Outcome, find};
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

/// What is made of a file in the first order of bytes in which it holds something.
pub fn in_dump<T>(
    arguments: &Arguments,
    path: &Path,
    profile: &Arc<Profile>,
    still: &mut dyn FnMut(&Snapshot) -> Option<T>,
) -> anyhow::Result<Option<T>> {
    let rams = rams(path, arguments.frame, profile, None)?;
    Ok(rams.iter().find_map(|(_, snapshot)| still(snapshot)))
}

/// The whole RAM in a file, and how it was stored: of a dump in each order that it may have, or in the one that is asked for; of a
/// save state; of a frame in a recording, the first when none is named.
pub fn rams(
    path: &Path,
    frame: Option<u64>,
    profile: &Arc<Profile>,
    asked: Option<StorageOrder>,
) -> anyhow::Result<Vec<(StorageOrder, Snapshot)>> {
    let domain = profile.console.domain();
    if is_recording(path) {
        let recording = ram_file::recording(path)?;
        let (index, sample) = ram_file::sample(path, &recording, frame)?;
        let order = recording.sections()[recording.section_of(index)].header.order;
        return Ok(vec![(order, whole(path, profile, sample.snapshot)?)]);
    }
    if frame.is_some() {
        return Err(ram_file::no_frames(path).into());
    }
    let bytes = files::read(path, DUMP_LIMIT)?;
    if bytes.len() == domain.len as usize {
        let orders = domain.orders.iter().filter(|order| asked.is_none_or(|asked| asked == **order));
        let stored =
            |order: &StorageOrder| Ok((*order, Snapshot::from_stored(domain, *order, bytes.clone())?));
        return orders.map(stored).collect();
    }
    let opened = Dump::open_told(bytes, Some(profile.console), false, std::slice::from_ref(profile));
    match opened.map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))? {
        (Dump::Console(snapshot), Some(SaveState { found: Some(found), .. })) => {
            ram_file::print_caution(path, found.caution);
            Ok(vec![(found.order, snapshot)])
        }
        _ => Ok(Vec::new()),
    }
}

/// RAM of a recording, when it is that of the profile's console, and all of it.
fn whole(path: &Path, profile: &Profile, snapshot: Snapshot) -> Result<Snapshot, Failure> {
    let (domain, wanted) = (snapshot.domain(), profile.console.domain());
    let what = if domain != wanted {
        let console = ConsoleId::ALL.iter().find(|console| console.domain() == domain);
        let name = console.map_or(domain.name, |console| console.name());
        format!(
            "it is a recording of the {name}, and profile {} is for the {}",
            profile.id,
            profile.console.name()
        )
    } else if snapshot.all().is_empty() {
        "only parts of RAM are recorded in it".to_owned()
    } else {
        return Ok(snapshot);
    };
    Err(Failure::BadInput(format!("{}: {what}", path.display())))
}

/// Shows RAM that moves to `look`, of a recording or of a running game, until that says that it is enough.
pub fn in_motion(
    arguments: &Arguments,
    profile: &Arc<Profile>,
    mut look: impl FnMut(&Snapshot, u64) -> bool,
) -> anyhow::Result<()> {
    let Some(path) = &arguments.dump else {
        return in_process(Pid(arguments.pid.unwrap_or_default()), profile, arguments.seconds, look);
    };
    let recording = ram_file::recording(path)?;
    let stop = interrupt::flag();
    let mut cursor = Cursor::default();
    for index in (0..recording.len()).take_while(|_| !stop.load(Ordering::Relaxed)) {
        // What is damaged was named when it was opened.
        let Ok(sample) = cursor.sample(&recording, index) else { continue };
        if look(&whole(path, profile, sample.snapshot)?, sample.frame) {
            break;
        }
    }
    Ok(())
}

/// Shows the RAM of a running game to `look` with the number of the look, until that says that it is enough.
fn in_process(
    pid: Pid,
    profile: &Arc<Profile>,
    seconds: f64,
    mut look: impl FnMut(&Snapshot, u64) -> bool,
) -> anyhow::Result<()> {
    let length = parse_seconds("--seconds", seconds)?;
    if crate::process::process_info(pid).is_none() {
        return Err(session::no_process(pid.0).into());
    }
    // Who asks for the game by its name knows that it is played there, be it the first one or not.
    let mut wanted = profile.as_ref().clone();
    for anchor in &mut wanted.anchors {
        if let Anchor::States { later_games, .. } = anchor {
            *later_games = true;
        }
    }
    let found = match find(pid, &[Arc::new(wanted)]).outcome {
        Outcome::Found(found) | Outcome::Paused(found) => found,
        Outcome::Unreadable(error) => return Err(Failure::Unreachable(error.to_string()).into()),
        _ => return Ok(()),
    };
    let stop = interrupt::flag();
    let started = Instant::now();
    let mut frame = 0;
    while started.elapsed() < length && !stop.load(Ordering::Relaxed) {
        let snapshot =
            found.ram.sample(&profile.plan()).map_err(|error| Failure::Unreachable(error.to_string()))?;
        if look(&snapshot, frame) {
            break;
        }
        frame += 1;
        std::thread::sleep(SAMPLE_INTERVAL);
    }
    Ok(())
}
