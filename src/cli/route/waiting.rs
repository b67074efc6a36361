//! `route --states-from`: the generator states in a recording of a game that waits for the next round.

use crate::cli::exit::{Failure, bail_input};
use crate::cli::ram_file;
use crate::console::Snapshot;
use crate::games::puyo_tsu::live::observe;
use crate::games::puyo_tsu::{self, State};
use crate::profile::Profile;
use crate::recording::Cursor;
use serde::Serialize;
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RecordedState {
    pub state: State,
    /// The first frame of the recording with it.
    pub frame: u64,
}

/// The distinct states of a recording, in the order of its frames. There is no model of how waiting changes the state, so only a
/// recording has them.
pub fn states(path: &Path, game: &str, stop: &AtomicBool) -> anyhow::Result<Vec<RecordedState>> {
    let wrong = |what: String| Failure::BadInput(format!("{}: {what}", path.display()));
    if game != puyo_tsu::ID.id() {
        bail_input!("--states-from is only for puyo-tsu; for puyo-20th, --seeds all searches every seed");
    }
    let recording = ram_file::recording(path)?;
    let mut profiles = Vec::new();
    for section in recording.sections() {
        let profile = section.header.profile.profile();
        let id = &section.header.profile.id;
        profiles.push(profile.map_err(|_| wrong(format!("the profile {id} in the recording is invalid")))?);
    }
    let (mut cursor, mut distinct, mut states) = (Cursor::default(), HashSet::new(), Vec::new());
    for index in 0..recording.len() {
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted("interrupted before the end of the recording".into()).into());
        }
        // Opening the recording reported the damage.
        let Ok(sample) = cursor.sample(&recording, index) else { continue };
        let profile = &profiles[recording.section_of(index)];
        if let Some(state) = state(&sample.snapshot, profile)
            && distinct.insert(state.0)
        {
            states.push(RecordedState { state, frame: sample.frame });
        }
    }
    if states.is_empty() {
        return Err(wrong("the recording has no frame of Puyo Puyo Tsu".to_owned()).into());
    }
    Ok(states)
}

fn state(snapshot: &Snapshot, profile: &Profile) -> Option<State> {
    if profile.game != puyo_tsu::ID {
        return None;
    }
    observe(snapshot, profile).ok().map(|observation| observation.state)
}
