//! RAM in files: dumps, save states, frames of recordings.

use super::arguments::Global;
use super::exit::Failure;
use super::{files, interrupt, library, output};
use crate::console::Snapshot;
use crate::emulator::save_state::{StateError, StateRam, locate, unpack};
use crate::emulator::{identify_ram, indistinguishable_profiles};
use crate::file::DUMP_LIMIT;
use crate::games::GameId;
use crate::live::{ReplayVerifier, replay_profile};
use crate::profile::Profile;
use crate::recording::{Recording, Sample, is_recording};
use std::path::Path;
use std::sync::Arc;

pub use crate::options::NO_KNOWN_GAME;

/// Opens a recording; damaged parts are reported on standard error.
pub fn recording(path: &Path) -> anyhow::Result<Arc<Recording>> {
    let recording = Recording::open(path).map_err(|error| files::failure(path, error))?;
    for damage in recording.damage() {
        output::warning(format_args!("{}: {damage}", path.display()));
    }
    Ok(Arc::new(recording))
}

/// Verifies a recording until it ends or is interrupted.
pub fn verifier(global: &Global, path: &Path, recording: &Arc<Recording>) -> anyhow::Result<ReplayVerifier> {
    let verifier = ReplayVerifier::new(Arc::clone(recording), library::replacements(global)?);
    Ok(verifier.map_err(|error| files::failure(path, error))?.stopped_by(&interrupt::flag()))
}

/// The index and the sample of a frame, or of the first sample.
pub fn sample(path: &Path, recording: &Recording, frame: Option<u64>) -> Result<(u64, Sample), Failure> {
    let index = frame.map_or(Some(0), |frame| recording.index_of_frame(frame));
    let sample = index.and_then(|index| Some((index, recording.sample(index).ok()?)));
    let sample = sample.filter(|(_, sample)| frame.is_none_or(|frame| sample.frame == frame));
    sample.ok_or_else(|| match frame {
        Some(frame) => files::failure(path, no_such_frame(frame)),
        None => files::failure(path, "the recording has no samples"),
    })
}

pub fn no_such_frame(frame: u64) -> String {
    format!("frame {frame} is not in the recording; run `nextscope replay` for its range")
}

/// The failure of `--frame` with a file that is not a recording.
pub fn no_frames(path: &Path) -> Failure {
    let what = format!("{}: --frame needs a recording, and this file is not one", path.display());
    Failure::BadInput(what)
}

/// Prints what is uncertain about the RAM in a save state.
pub fn print_caution(path: &Path, caution: Option<&str>) {
    if let Some(caution) = caution {
        output::warning(format_args!("{}: {caution}", path.display()));
    }
}

/// Refuses RAM of another game.
pub fn require_game(path: &Path, profile: &Profile, game: GameId) -> Result<(), Failure> {
    if profile.game == game {
        return Ok(());
    }
    let (path, name, expected) = (path.display(), &profile.name, game.id());
    Err(Failure::BadInput(format!(
        "{path}: this is RAM of {name} ({}), not of {expected}; run `nextscope watch --dump` to see what it contains",
        profile.game.id()
    )))
}

/// The name of the game in a dump; several names if the content matches several profiles equally.
pub fn game_names(
    global: &Global,
    path: &Path,
    snapshot: &Snapshot,
    profile: &Arc<Profile>,
) -> anyhow::Result<String> {
    let mut names = vec![profile.name.clone()];
    if !is_recording(path) {
        let others = indistinguishable_profiles(snapshot, profile, library::load(global)?.profiles());
        names.extend(others.iter().map(|other| other.name.clone()));
    }
    Ok(names.join(" or "))
}

/// The RAM in a dump, a save state or a frame of a recording, and the profile that matches it; None if none does.
pub fn open(
    global: &Global,
    path: &Path,
    frame: Option<u64>,
) -> anyhow::Result<Option<(Snapshot, Arc<Profile>)>> {
    if is_recording(path) {
        return recorded_frame(global, path, frame).map(Some);
    }
    if frame.is_some() {
        return Err(no_frames(path).into());
    }
    let library = library::load(global)?;
    let profiles = library.profiles();
    let bytes = files::read(path, DUMP_LIMIT)?;
    if let Some(known) = identify_ram(&bytes, profiles) {
        return Ok(Some(known));
    }
    let size = bytes.len();
    let failure = |error: StateError| files::failure(path, error);
    let state = unpack(bytes).map_err(failure)?;
    let found = locate(&state, profiles).map_err(failure)?;
    if let Some(StateRam { snapshot, profile: Some(profile), caution, .. }) = found {
        print_caution(path, caution);
        return Ok(Some((snapshot, profile)));
    }
    let is_dump = |profile: &Arc<Profile>| profile.console.domain().len as usize == size;
    if !state.formats.is_empty() || profiles.iter().any(is_dump) {
        return Ok(None);
    }
    let mut sizes: Vec<String> = profiles
        .iter()
        .map(|profile| profile.console.domain())
        .map(|domain| format!("{} for {}", domain.len, domain.name))
        .collect();
    sizes.sort();
    sizes.dedup();
    let what = format!(
        "{}: {size} bytes are not the size of a RAM dump ({}), and no RAM of a known game was found in it as a save state",
        path.display(),
        sizes.join(", ")
    );
    Err(Failure::BadInput(what).into())
}

fn recorded_frame(
    global: &Global,
    path: &Path,
    frame: Option<u64>,
) -> anyhow::Result<(Snapshot, Arc<Profile>)> {
    let recording = recording(path)?;
    let (index, sample) = sample(path, &recording, frame)?;
    let profile = replay_profile(&recording, recording.section_of(index), &library::replacements(global)?);
    Ok((sample.snapshot, profile.map_err(|error| files::failure(path, error))?))
}
