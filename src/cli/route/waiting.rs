//! `route --states-from`: the generator states in recordings of a game that waits for a round.

use crate::cli::exit::{Failure, bail_input};
use crate::cli::{files, ram_file};
use crate::console::Snapshot;
use crate::pairs::PairGame;
use crate::profile::Profile;
use crate::recording::{Cursor, Recording, Sample};
use crate::round_starts::{Run, RunReader, StartReader, Wait, WaitMoment, waits};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedState {
    pub state: u32,
    /// The state as it is displayed.
    #[serde(skip)]
    pub name: String,
    /// The frame of the recording: in which a button is pressed for the state or, if no start was measured, the first one with it. None if
    /// it was not sampled.
    pub frame: Option<u64>,
    /// The number of the recording, from 0.
    #[serde(default)]
    pub recording: usize,
    /// The same frame by the game's clock.
    #[serde(default)]
    pub clock_frame: Option<u64>,
    /// The press for the state, if starts were measured.
    #[serde(default)]
    pub press: Option<PressFrames>,
}

/// A press, by the frames of the game's clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PressFrames {
    /// The index of the wait.
    pub wait: usize,
    /// The names of the buttons.
    pub buttons: String,
    pub first: u64,
    /// The last one in a row that gives the same state.
    pub last: u64,
    /// The frame in which the pools appear for a press in the first one.
    pub generated: Option<u64>,
}

/// What recordings show of a wait.
pub struct Recorded {
    pub states: Vec<RecordedState>,
    /// None for a game whose starts cannot be measured.
    pub starts: Option<Starts>,
}

/// When rounds start.
pub struct Starts {
    pub paths: Vec<PathBuf>,
    /// The number of the round since power on, from 1.
    pub round: usize,
    pub runs: Vec<Run>,
    pub waits: Vec<Wait>,
    /// What a profile lacks, so that its samples were not used.
    pub missing: Option<String>,
}

/// The distinct states of recordings: those from which a press can start the round, or if that is unknown, all of them.
pub fn recorded(
    paths: &[PathBuf],
    game: PairGame,
    round: usize,
    stop: &AtomicBool,
) -> anyhow::Result<Recorded> {
    let Some(seed_in_ram) = game.rules().seed_in_ram else {
        let known = PairGame::all().filter(|game| game.rules().seed_in_ram.is_some());
        let known: Vec<&str> = known.map(PairGame::id).collect();
        let (known, game) = (known.join(" and "), game.id());
        bail_input!("--states-from is only for {known}; for {game}, --seeds all searches every seed");
    };
    let reader = game.game().definition().round_starts;
    let (mut states, mut distinct, mut runs, mut missing) = (Vec::new(), HashSet::new(), Vec::new(), None);
    for (number, path) in paths.iter().enumerate() {
        let (mut samples, mut is_readable) = (Samples::open(path, game)?, false);
        let mut run = reader.map(|reader| (reader, RunReader::new(number, reader.power_on_state)));
        while let Some((section, sample)) = samples.next(stop)? {
            let profile = &samples.profiles[section];
            if let Some((_, run)) = &mut run
                && samples.is_new_section
            {
                run.interrupt();
            }
            let Some(state) = seed_in_ram(&sample.snapshot, profile) else { continue };
            is_readable = true;
            let mut clock_frame = None;
            if let Some((reader, run)) = &mut run {
                match moment(reader, &sample.snapshot, profile) {
                    Ok(moment) => {
                        clock_frame = moment.clock;
                        let generates = |state| (reader.generates)(&sample.snapshot, profile, state);
                        run.sample(sample.frame, &moment, &generates);
                    }
                    Err(why) => missing = missing.or(Some(why)),
                }
            }
            if distinct.insert(state) {
                let name = (game.rules().seed_text)(state);
                let frame = Some(sample.frame);
                states.push(RecordedState {
                    state,
                    name,
                    frame,
                    recording: number,
                    clock_frame,
                    press: None,
                });
            }
        }
        if !is_readable {
            let what = format!("the recording has no frame of {}", game.game().name());
            return Err(files::failure(path, what).into());
        }
        runs.extend(run.into_iter().flat_map(|(_, run)| run.finish()));
    }
    let starts =
        reader.map(|_| Starts { paths: paths.to_vec(), round, waits: waits(&runs, round), runs, missing });
    let offered = starts.as_ref().map(|starts| starts.states(game)).unwrap_or_default();
    Ok(Recorded { states: if offered.is_empty() { states } else { offered }, starts })
}

fn moment(reader: &StartReader, snapshot: &Snapshot, profile: &Profile) -> Result<WaitMoment, String> {
    let missing = (reader.missing)(profile);
    if !missing.is_empty() {
        return Err(format!("profile {} lacks {}", profile.id, missing.join(", ")));
    }
    (reader.read)(snapshot, profile)
}

impl Starts {
    /// The states that a press gives, each with its earliest press.
    fn states(&self, game: PairGame) -> Vec<RecordedState> {
        let mut distinct = HashSet::new();
        let mut states: Vec<RecordedState> = Vec::new();
        for (number, wait) in self.waits.iter().enumerate() {
            let longest = wait.runs.first().copied().unwrap_or(0);
            let press = wait.starts.iter().find_map(|start| start.generation.press);
            let buttons = press.map(|press| press.names()).unwrap_or_default();
            let new = wait.offers.iter().filter(|offer| distinct.insert(offer.state));
            states.extend(new.map(|offer| RecordedState {
                state: offer.state,
                name: (game.rules().seed_text)(offer.state),
                frame: offer.recorded.map(|(_, frame)| frame),
                recording: self.runs[offer.recorded.map_or(longest, |(run, _)| run)].recording,
                clock_frame: Some(offer.frame),
                press: Some(PressFrames {
                    wait: number,
                    buttons: buttons.clone(),
                    first: offer.frame,
                    last: offer.last,
                    generated: offer.generated,
                }),
            }));
        }
        states
    }
}

/// The samples of a recording that are of the game.
struct Samples {
    recording: Arc<Recording>,
    profiles: Vec<Profile>,
    game: PairGame,
    cursor: Cursor,
    index: u64,
    section: usize,
    /// Whether the last sample is of another connection than the one before.
    is_new_section: bool,
}

impl Samples {
    fn open(path: &Path, game: PairGame) -> anyhow::Result<Self> {
        let recording = ram_file::recording(path)?;
        let mut profiles = Vec::new();
        for section in recording.sections() {
            let text = &section.header.profile;
            let invalid =
                |_| files::failure(path, format!("the profile {} in the recording is invalid", text.id));
            profiles.push(text.profile().map_err(invalid)?);
        }
        let cursor = Cursor::default();
        Ok(Self { recording, profiles, game, cursor, index: 0, section: 0, is_new_section: false })
    }

    /// The next sample, and the index of its profile.
    fn next(&mut self, stop: &AtomicBool) -> Result<Option<(usize, Sample)>, Failure> {
        self.is_new_section = false;
        while self.index < self.recording.len() {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted("interrupted before the end of the recording".into()));
            }
            let index = self.index;
            self.index += 1;
            let section = self.recording.section_of(index);
            self.is_new_section |= section != self.section;
            self.section = section;
            // Opening the recording reported the damage.
            let Ok(sample) = self.recording.sample_at(&mut self.cursor, index) else { continue };
            if self.profiles[section].game == self.game.game() {
                return Ok(Some((section, sample)));
            }
        }
        Ok(None)
    }
}
