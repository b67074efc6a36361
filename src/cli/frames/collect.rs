//! Measures a recording.

use crate::cli::arguments::Global;
use crate::cli::exit::Failure;
use crate::cli::progress::ProgressLine;
use crate::cli::{files, interrupt, library, output, ram_file};
use crate::frames::{Certainty, Measurement, MissingField, PartTimer, Times};
use crate::live::{Clock, replay_profile};
use crate::profile::Profile;
use crate::recording::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a recording says.
pub struct Collected {
    pub profile: Arc<Profile>,
    /// From 1.
    pub player: usize,
    pub times: Times,
    /// Pairs from deal to deal, and those of them that could not be timed.
    pub pairs: (u64, u64),
    /// Frames between samples, and those without a sample.
    pub frames: u64,
    pub frames_missed: u64,
    /// Jumps of the game's clock.
    pub jumps: u64,
    pub missing: Vec<MissingField>,
}

impl Collected {
    /// Whether anything was measured.
    pub fn is_measured(&self) -> bool {
        self.times.iter().any(|(_, estimate)| !estimate.seen.is_empty())
    }

    /// Whether values of a part contradict each other.
    pub fn contradicts(&self) -> bool {
        self.times.iter().any(|(_, estimate)| estimate.certainty == Certainty::Contradiction)
    }
}

/// Measures the pairs of a player (0 or 1), until the end of the recording or Ctrl+C.
pub fn collect(global: &Global, path: &Path, player: usize) -> anyhow::Result<Collected> {
    let recording = ram_file::recording(path)?;
    let given = library::replacements(global)?;
    let of_section =
        |section| replay_profile(&recording, section, &given).map_err(|error| files::failure(path, error));
    let profile = of_section(0)?;
    let Some(reader) = profile.game.definition().moments else {
        let what = format!(
            "{}: durations of {} cannot be measured: Nextscope does not know how its board, its falling pair and its queue lie in RAM",
            path.display(),
            profile.game.name()
        );
        return Err(Failure::BadInput(what).into());
    };
    let missing = (reader.missing)(&profile, player);
    if let Some(needed) = missing.iter().find(|missing| missing.all) {
        let what =
            format!("profile {} lacks {}, without which nothing can be measured", profile.id, needed.fields);
        return Err(Failure::BadInput(what)
            .with_hint(
                "find their addresses with `nextscope scan`, and add them with `nextscope profile add`",
            )
            .into());
    }
    let stop = interrupt::flag();
    let (mut cursor, mut line) = (Cursor::default(), ProgressLine::new());
    let (mut timer, mut measurement, mut clock) =
        (PartTimer::default(), Measurement::default(), Clock::default());
    let (mut section, mut last) = (0, None);
    let mut of_player = true;
    let mut collected = Collected {
        profile: Arc::clone(&profile),
        player: player + 1,
        times: Times::new(),
        pairs: (0, 0),
        frames: 0,
        frames_missed: 0,
        jumps: 0,
        missing,
    };
    let mut unreadable = None;
    for index in 0..recording.len() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if index % 256 == 0 {
            #[expect(clippy::cast_precision_loss, reason = "a displayed share")]
            line.show_share("Measuring", index as f64 / recording.len() as f64);
        }
        if recording.section_of(index) != section {
            section = recording.section_of(index);
            // Another connection: nothing of it continues what was before, and it may be another game.
            of_player = of_section(section)?.id == profile.id;
            (clock, last) = (Clock::default(), None);
            timer.reset();
        }
        if !of_player {
            continue;
        }
        let sample = match recording.sample_at(&mut cursor, index) {
            Ok(sample) => sample,
            Err(error) => {
                output::warning(format_args!("{}: {error}", path.display()));
                timer.reset();
                continue;
            }
        };
        let passed = last.map_or(1, |last| sample.frame.saturating_sub(last));
        last = Some(sample.frame);
        collected.frames += passed;
        collected.frames_missed += passed.saturating_sub(1);
        collected.jumps += u64::from(clock.update(&sample.snapshot, &profile, sample.elapsed).is_some());
        if !clock.runs() {
            // A reset or a loaded state, perhaps.
            timer.reset();
            continue;
        }
        match (reader.read)(&sample.snapshot, &profile, player) {
            Ok(moment) => {
                timer.step(sample.frame, &moment).iter().for_each(|time| measurement.add(time));
            }
            Err(why) => {
                timer.reset();
                unreadable = Some(why);
            }
        }
    }
    line.clear();
    if let (Some(why), true) = (unreadable, measurement.is_empty()) {
        output::warning(format_args!("{}: {why}", path.display()));
    }
    collected.times = measurement.times();
    collected.pairs = timer.pairs();
    Ok(collected)
}
