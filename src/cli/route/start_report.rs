//! What `route --states-from` says of the recordings: when rounds started, and how far the wait is the same each time.

use super::waiting::Starts;
use crate::round_starts::{Generation, Origin, Press, Run, Wait};
use crate::text::{counted, frames_text};
use serde::Serialize;

const LONGER_WAIT: &str = "record a second wait that is longer, with the same buttons before it";

/// The JSON of measured starts. All frames but `recorded_frame` are those of the game's clock.
#[derive(Serialize)]
pub struct ListedStarts {
    /// The number of the round since power on, from 1.
    round: usize,
    runs: Vec<ListedRun>,
    waits: Vec<ListedWait>,
    /// Why no press can be timed; None if one can be.
    unknown: Option<String>,
}

#[derive(Serialize)]
struct ListedRun {
    /// The number of the recording, from 1.
    recording: usize,
    begins: &'static str,
    /// Whether it belongs to one of the waits.
    used: bool,
    frames: Option<(u64, u64)>,
    missed: u64,
    /// The last frame in which the game held its clock.
    clock_held: Option<u64>,
    starts: Vec<ListedStart>,
    /// Rounds that begin without a press.
    unpressed: Vec<ListedUnpressed>,
}

#[derive(Serialize)]
struct ListedUnpressed {
    generated_frame: u64,
    first_pair_frame: Option<u64>,
}

#[derive(Serialize)]
struct ListedStart {
    pressed: String,
    press_frame: u64,
    recorded_frame: u64,
    generated_frame: u64,
    /// Frames from the press to the generation, the fewest and the most.
    delay: Option<(u64, u64)>,
    /// The state from which the round was generated.
    state: Option<String>,
    first_pair_frame: Option<u64>,
    first_pair_delay: Option<(u64, u64)>,
}

#[derive(Serialize)]
struct ListedWait {
    /// The numbers of the runs, from 1.
    runs: Vec<usize>,
    /// The first and the last frame in which a button can be pressed.
    frames: (u64, u64),
    starts: usize,
    delay: Option<(u64, u64)>,
    first_pair_delay: Option<(u64, u64)>,
    contradiction: bool,
    compared: u64,
    unsettled: u64,
    differs_at: Option<u64>,
    offsets: Vec<i64>,
    states: usize,
}

pub fn listed(starts: &Starts) -> ListedStarts {
    let run = |(number, run): (usize, &Run)| ListedRun {
        recording: run.recording + 1,
        begins: match run.origin {
            Origin::PowerOn => "power-on",
            Origin::Reset => "reset",
            Origin::Later => "later",
        },
        used: starts.uses(number),
        frames: run.frames(),
        missed: run.missed(),
        clock_held: run.held_at,
        starts: run.starts().filter_map(listed_start).collect(),
        unpressed: unpressed(run)
            .map(|round| ListedUnpressed { generated_frame: round.frame, first_pair_frame: round.first_pair })
            .collect(),
    };
    let wait = |wait: &Wait| ListedWait {
        runs: wait.runs.iter().map(|run| run + 1).collect(),
        frames: wait.frames,
        starts: wait.starts.len(),
        delay: wait.delay(),
        first_pair_delay: wait.first_pair_delay(),
        contradiction: is_contradiction(wait.delay()),
        compared: wait.agreement.compared,
        unsettled: wait.agreement.unsettled,
        differs_at: wait.agreement.differs_at,
        offsets: wait.offsets.clone(),
        states: wait.offers.len(),
    };
    let is_known = starts.waits.iter().any(|wait| !wait.offers.is_empty());
    ListedStarts {
        round: starts.round,
        runs: starts.runs.iter().enumerate().map(run).collect(),
        waits: starts.waits.iter().map(wait).collect(),
        unknown: (!is_known).then(|| starts.why_none()),
    }
}

fn listed_start(generation: &Generation) -> Option<ListedStart> {
    let press = generation.press?;
    Some(ListedStart {
        pressed: press.names(),
        press_frame: press.frame,
        recorded_frame: press.recorded,
        generated_frame: generation.frame,
        delay: generation.delay(),
        state: generation.state.map(|state| format!("0x{state:08X}")),
        first_pair_frame: generation.first_pair,
        first_pair_delay: generation.first_pair_delay(),
    })
}

fn is_contradiction(frames: Option<(u64, u64)>) -> bool {
    frames.is_some_and(|(least, most)| least > most)
}

/// The rounds of a run that begin without a press: a game that starts by itself, or a demo.
fn unpressed(run: &Run) -> impl Iterator<Item = &Generation> {
    run.generations.iter().filter(|round| round.press.is_none())
}

/// A number of frames, which is uncertain if samples are missing.
fn duration_text((least, most): (u64, u64)) -> String {
    if least == most { counted(least, "frame") } else { format!("{least} to {most} frames") }
}

/// The lines before the ranking.
pub fn text(starts: &Starts) -> String {
    let mut text = String::new();
    for (number, run) in starts.runs.iter().enumerate() {
        text += &format!("run {}: {}\n", number + 1, run_text(run, starts, starts.uses(number)));
        for round in &run.generations {
            text += &round.press.map_or_else(|| unpressed_text(round), |press| start_text(round, press));
        }
    }
    for wait in starts.waits.iter().filter(|wait| !wait.starts.is_empty() || wait.runs.len() > 1) {
        text += &wait_text(wait, starts.round);
    }
    if starts.waits.iter().all(|wait| wait.offers.is_empty()) {
        text += &format!(
            "No press can be timed: {}. The frames below are those in which a round would have to be generated.\n",
            starts.why_none()
        );
    }
    text
}

fn run_text(run: &Run, starts: &Starts, is_used: bool) -> String {
    let begins = match run.origin {
        Origin::PowerOn => "from power on",
        Origin::Reset => "from a reset, not used",
        Origin::Later if is_used => "begins later",
        Origin::Later => "begins later and continues no run from power on, not used",
    };
    let (first, last) = run.frames().unwrap_or_default();
    let path = starts.paths.get(run.recording).map(|path| path.display().to_string()).unwrap_or_default();
    let missed = match run.missed() {
        0 => String::new(),
        missed => format!(", {missed} of them not sampled"),
    };
    let held = match run.held_at {
        None => String::new(),
        Some(frame) => format!("; the game held its clock, last in frame {frame}"),
    };
    format!("{path}, {begins}, {} of the game's clock{missed}{held}", frames_text(first, last))
}

fn start_text(start: &Generation, press: Press) -> String {
    let delay = start.delay().map(duration_text).unwrap_or_default();
    let state = match start.state {
        Some(state) => format!("from state 0x{state:08X}"),
        None => "from a state that no sample shows".into(),
    };
    let first_pair = match start.first_pair.zip(start.first_pair_delay()) {
        Some((frame, after)) => {
            format!("first pair in frame {frame}, {} after the press", duration_text(after))
        }
        None => "no first pair recorded".into(),
    };
    format!(
        "  {} in frame {} (recording: {}), generated {delay} later {state}, {first_pair}\n",
        press.names(),
        press.frame,
        press.recorded
    )
}

fn unpressed_text(round: &Generation) -> String {
    let first_pair = match round.first_pair {
        Some(frame) => format!("first pair in frame {frame}"),
        None => "no first pair recorded".into(),
    };
    format!("  a round without a press, generated in frame {}, {first_pair}\n", round.frame)
}

fn wait_text(wait: &Wait, round: usize) -> String {
    let runs = wait.runs.iter().map(|run| (run + 1).to_string()).collect::<Vec<_>>().join(", ");
    let (first, last) = wait.frames;
    let agreement = &wait.agreement;
    let agree = match agreement.differs_at {
        _ if wait.runs.len() < 2 => {
            "not compared with a second recording, so it is unknown whether it is the same each time".into()
        }
        Some(frame) => format!(
            "the same up to frame {} in all runs; from there on they differ, and these states are not used",
            frame.saturating_sub(1)
        ),
        None => format!("the same in all {} that were compared", counted(agreement.compared, "frame")),
    };
    let unsettled = match agreement.unsettled {
        0 => String::new(),
        frames => format!(" (but {} in which they are a frame apart, not used)", counted(frames, "frame")),
    };
    let mut text =
        format!("wait for round {round}, {} (runs {runs}): {agree}{unsettled}\n", frames_text(first, last));
    let contradicts = |what: &str, frames: Option<(u64, u64)>| match frames {
        Some((least, most)) if least > most => {
            format!("contradiction: {what} took {most} and {least} frames\n")
        }
        _ => String::new(),
    };
    text += &contradicts("from the press to the generation it", wait.delay());
    text += &contradicts("from the press to the first pair it", wait.first_pair_delay());
    if let (Some(first), Some(last)) = (wait.offsets.first(), wait.offsets.last()) {
        let used = match (*first, *last) {
            (-1, -1) => "of the frame before the press".to_owned(),
            (-1, last) => format!("of the frame before the press, or of a frame up to {last} after it"),
            (first, last) if first == last => format!("that the wait has {first} frames after the press"),
            (first, last) => format!("that the wait has {first} to {last} frames after the press"),
        };
        text += &format!(
            "the round is generated from the state {used} (measured in {})\n",
            counted(wait.starts.len() as u64, "start")
        );
    }
    text
}

impl Starts {
    /// Whether the run with this index belongs to one of the waits.
    fn uses(&self, run: usize) -> bool {
        self.waits.iter().any(|wait| wait.runs.contains(&run))
    }

    /// Why no press can be timed.
    pub fn why_none(&self) -> String {
        if let (true, Some(missing)) = (self.runs.is_empty(), &self.missing) {
            return missing.clone();
        }
        let starts: Vec<&Generation> =
            self.waits.iter().flat_map(|wait| &wait.starts).map(|start| &start.generation).collect();
        let exact = || starts.iter().filter(|start| start.press.is_some_and(|press| press.is_exact()));
        if self.runs.is_empty() {
            "no two samples of the game follow each other".into()
        } else if starts.is_empty() {
            format!("no recording shows the press that starts round {} after power on", self.round)
        } else if exact().next().is_none() {
            "the frame before the press was not sampled: record the start again".into()
        } else if exact().all(|start| start.state.is_none()) {
            "no sampled state generates the pools, so the state moved just before: record the start again"
                .into()
        } else if self.waits.iter().any(|wait| wait.agreement.differs_at.is_some()) {
            "the recordings differ before the press, so the wait is not the same each time".into()
        } else if self.waits.iter().all(|wait| wait.offsets.is_empty()) {
            format!("the state moves between the press and the generation; {LONGER_WAIT}")
        } else {
            format!(
                "whether the state would have moved between the press and the generation without the press is unknown; {LONGER_WAIT}"
            )
        }
    }
}
