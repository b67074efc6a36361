//! The buttons from power on until the first pair can be moved, for a press in another frame than the recorded one.

use super::{Origin, PadButtons, Run, Wait};
use crate::text::frames_text;
use std::ops::RangeInclusive;

/// A gap of so many frames is filled with the buttons around it, if these are the same.
const MAX_GAP: u64 = 2;

/// The buttons of both pads, frame by frame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opening {
    /// From frame 1 of the clock to the one in which the first pair appears.
    pub frames: Vec<[PadButtons; 2]>,
    /// The frame of the press.
    pub press: u64,
    /// Frames that were not sampled: the buttons before and after them are the same.
    pub assumed: Vec<RangeInclusive<u64>>,
}

/// Why the buttons are unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The recording begins later.
    #[error(
        "the recording begins {0} frames after the game's clock, so that the buttons before are unknown: record from power on"
    )]
    NotFromPowerOn(u64),
    /// Frames are missing.
    #[error(
        "the buttons in {} are unknown, because {} not sampled: record the wait again",
        frames_text(*.0, *.1),
        if .0 == .1 { "it was" } else { "they were" }
    )]
    Gap(u64, u64),
    /// The clock was held.
    #[error(
        "the game holds its clock in frame {0}, so that the frames of the buttons before are unknown: press nothing until then"
    )]
    Held(u64),
    /// No start has a first pair.
    #[error(
        "no recording shows a round from the press to its first pair, so that the buttons and the time between are unknown: record until the first pair appears"
    )]
    NoFirstPair,
}

/// The buttons of a wait with the press in this frame, and then those of the start that took longest until the first pair.
///
/// # Errors
/// If buttons are unknown.
pub fn opening(runs: &[Run], wait: &Wait, frame: u64) -> Result<Opening, OpeningError> {
    let shown = wait.starts.iter().filter_map(|start| {
        let press = start.generation.press.filter(super::Press::is_exact)?;
        Some((start.generation.first_pair?, press.frame, &runs[start.run]))
    });
    let longest = shown.max_by_key(|(first_pair, press, _)| first_pair - press);
    let (first_pair, press, started) = longest.ok_or(OpeningError::NoFirstPair)?;
    // They wait after the same buttons, so each frame may come from another of them. What begins at power on is best.
    let mut waiting: Vec<Source<'_>> =
        wait.runs.iter().map(|run| Source::waiting(runs, wait, *run)).collect();
    waiting.sort_by_key(|source| source.run.origin != Origin::PowerOn);
    let mut opening = held(&waiting, 1..=frame.saturating_sub(1))?;
    let started = held(&[Source { run: started, end: u64::MAX }], press..=first_pair)?;
    opening.frames.extend(started.frames);
    opening.assumed.extend(started.assumed);
    Ok(Opening { press: frame, ..opening })
}

/// The frames of a run before this one.
struct Source<'a> {
    run: &'a Run,
    end: u64,
}

impl<'a> Source<'a> {
    /// The frames in which a run certainly waits.
    fn waiting(runs: &'a [Run], wait: &Wait, run: usize) -> Self {
        let start = wait.starts.iter().find(|start| start.run == run);
        let press = start.and_then(|start| start.generation.press);
        let end = press.map_or(u64::MAX, |press| press.before.map_or(0, |before| before + 1));
        Self { run: &runs[run], end }
    }
}

/// The buttons in these frames.
fn held(sources: &[Source<'_>], frames: RangeInclusive<u64>) -> Result<Opening, OpeningError> {
    let held_at = sources.iter().filter_map(|source| source.run.held_at);
    let held_clock = held_at.filter(|held| frames.contains(held)).max();
    let mut opening = Opening::default();
    for frame in frames {
        let found = sources.iter().filter(|source| frame < source.end).map(|source| pads(source.run, frame));
        // The first source in which they were sampled, or else are assumed; without one, the first says best why.
        let best =
            found.min_by_key(|found| found.as_ref().map_or(2, |(_, is_assumed)| u8::from(*is_assumed)));
        let (pads, is_assumed) = best.unwrap_or(Err(OpeningError::Gap(frame, frame)))?;
        if let Some(held) = held_clock.filter(|held| frame <= *held && pads.iter().any(|pad| !pad.is_none()))
        {
            return Err(OpeningError::Held(held));
        }
        opening.frames.push(pads);
        if is_assumed {
            opening.assume(frame);
        }
    }
    Ok(opening)
}

impl Opening {
    fn assume(&mut self, frame: u64) {
        match self.assumed.last_mut() {
            Some(last) if last.end() + 1 == frame => *last = *last.start()..=frame,
            _ => self.assumed.push(frame..=frame),
        }
    }
}

/// The buttons in a frame, and whether they are those before and after it.
fn pads(run: &Run, frame: u64) -> Result<([PadButtons; 2], bool), OpeningError> {
    let at = run.seen.partition_point(|seen| seen.clock < frame);
    let next = run.seen.get(at);
    if let Some(seen) = next.filter(|seen| seen.clock == frame) {
        return Ok((seen.pads, false));
    }
    let before = at.checked_sub(1).and_then(|before| run.seen.get(before));
    match (before, next) {
        (Some(before), Some(next)) => {
            let is_short = next.clock - before.clock - 1 <= MAX_GAP && before.pads == next.pads;
            let gap = OpeningError::Gap(before.clock + 1, next.clock - 1);
            if is_short { Ok((before.pads, true)) } else { Err(gap) }
        }
        // Before the first sample: the game has just been switched on.
        (None, Some(_)) if run.origin == Origin::PowerOn => Ok(([PadButtons::NONE; 2], true)),
        (None, Some(next)) => Err(OpeningError::NotFromPowerOn(next.clock)),
        (Some(before), None) => Err(OpeningError::Gap(before.clock + 1, frame)),
        (None, None) => Err(OpeningError::Gap(frame, frame)),
    }
}
