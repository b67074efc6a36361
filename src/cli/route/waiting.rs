//! `route --states-from`: the generator states in a recording of a game that waits for the next round.

use crate::cli::exit::{Failure, bail_input};
use crate::cli::{files, ram_file};
use crate::pairs::PairGame;
use crate::recording::Cursor;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedState {
    pub state: u32,
    /// The state as it is displayed.
    #[serde(skip)]
    pub name: String,
    /// The first frame of the recording with it.
    pub frame: u64,
}

/// The distinct states of a recording, in the order of its frames. There is no model of how waiting changes the state, so only a
/// recording has them.
pub fn states(path: &Path, game: PairGame, stop: &AtomicBool) -> anyhow::Result<Vec<RecordedState>> {
    let wrong = |what: String| files::failure(path, what);
    let Some(seed_in_ram) = game.rules().seed_in_ram else {
        let known = PairGame::all().filter(|game| game.rules().seed_in_ram.is_some());
        let known: Vec<&str> = known.map(PairGame::id).collect();
        let (known, game) = (known.join(" and "), game.id());
        bail_input!("--states-from is only for {known}; for {game}, --seeds all searches every seed");
    };
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
        let Ok(sample) = recording.sample_at(&mut cursor, index) else { continue };
        let profile = &profiles[recording.section_of(index)];
        if profile.game == game.game()
            && let Some(state) = seed_in_ram(&sample.snapshot, profile)
            && distinct.insert(state)
        {
            let name = (game.rules().seed_text)(state);
            states.push(RecordedState { state, name, frame: sample.frame });
        }
    }
    if states.is_empty() {
        return Err(wrong(format!("the recording has no frame of {}", game.game().name())).into());
    }
    Ok(states)
}
