//! `route --waiting`: the states that a running game passes while one waits, out of a recording.

use crate::cli::exit::Failure;
use crate::cli::ram_file;
use crate::console::Snapshot;
use crate::game::GameId;
use crate::game::puyo_tsu::State;
use crate::live::puyo_tsu;
use crate::profile::Profile;
use crate::recording::Cursor;
use serde::Serialize;
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// A state, and when it stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Waited {
    /// The state of the generator.
    pub state: State,
    /// The first frame of the recording with it.
    pub frame: u64,
}

/// The states of a recording in the order of its frames, each once. What moves them nobody has modelled (reference 1.6), so that only
/// who has waited knows them.
pub fn states(path: &Path, game: &str, stop: &AtomicBool) -> anyhow::Result<Vec<Waited>> {
    let wrong = |what: String| Failure::BadInput(format!("{}: {what}", path.display()));
    if game != GameId::PuyoTsu.id() {
        let what = "--waiting is for puyo-tsu; of puyo-20th --seeds all looks at every game".to_owned();
        return Err(Failure::BadInput(what).into());
    }
    let recording = ram_file::recording(path)?;
    let mut profiles = Vec::new();
    for section in recording.sections() {
        let profile = section.header.profile.profile();
        let id = &section.header.profile.id;
        profiles.push(profile.map_err(|_| wrong(format!("its profile {id} is not understood")))?);
    }
    let (mut cursor, mut known, mut states) = (Cursor::default(), HashSet::new(), Vec::new());
    for index in 0..recording.len() {
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted("stopped before all of the recording was read".into()).into());
        }
        // What is damaged was told when it was opened.
        let Ok(sample) = cursor.sample(&recording, index) else { continue };
        let profile = &profiles[recording.section_of(index)];
        if let Some(state) = state(&sample.snapshot, profile)
            && known.insert(state.0)
        {
            states.push(Waited { state, frame: sample.frame });
        }
    }
    if states.is_empty() {
        return Err(wrong("no frame of Puyo Puyo Tsu is in it".to_owned()).into());
    }
    Ok(states)
}

fn state(snapshot: &Snapshot, profile: &Profile) -> Option<State> {
    if profile.game != GameId::PuyoTsu {
        return None;
    }
    puyo_tsu::observe(snapshot, profile).ok().map(|seen| seen.state)
}
