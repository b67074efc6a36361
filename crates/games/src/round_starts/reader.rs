//! From the samples of a recording to runs.

use super::run::Seen;
use super::{Generation, Origin, PadButtons, Press, Run, WaitMoment};

/// The most frames by which the clock may be ahead of the frames of a recording: more is a loaded state. The recording counts passes of the main
/// loop, which are fewer while a round is generated.
const MAX_AHEAD: u64 = 120;
/// The clock of a run that begins with a reset is at most this, in the first sample.
const FIRST_FRAME: u64 = 2;
/// Frames in which the game sets its generator after power on.
const BOOT_FRAMES: u64 = 60;
/// How many of the last different states may be the one that a round is generated from.
const CANDIDATES: usize = 4;
/// Frames within which the pools of a generation are complete.
const GENERATION_FRAMES: u64 = 30;

/// Joins the moments of one recording to runs.
#[derive(Debug)]
pub struct RunReader {
    recording: usize,
    power_on_state: u32,
    runs: Vec<Run>,
    current: Option<Current>,
    /// The last sample, if its clock does not follow. The clock is written in two halves, and a sample may fall between them: the next sample
    /// decides.
    doubtful: Option<(Seen, WaitMoment)>,
}

/// The run that goes on.
#[derive(Debug)]
struct Current {
    run: Run,
    last: Seen,
    pools: u64,
    press: Option<Press>,
    /// The last different states, the latest last, before the generation that is going on.
    states: Vec<u32>,
    generating: bool,
    /// Whether no pair of the last generated round has been dealt, and this was seen.
    undealt: bool,
}

impl RunReader {
    /// For the recording with this number.
    pub fn new(recording: usize, power_on_state: u32) -> Self {
        Self { recording, power_on_state, runs: Vec::new(), current: None, doubtful: None }
    }

    /// What follows is not continuous with what was before: another connection.
    pub fn interrupt(&mut self) {
        self.doubtful = None;
        // A single sample may be one whose clock was half written.
        let run = self.current.take().map(|current| current.run).filter(|run| run.seen.len() > 1);
        if let Some(run) = run {
            let origin = self.origin(&run);
            self.runs.push(Run { origin, ..run });
        }
    }

    /// All runs.
    pub fn finish(mut self) -> Vec<Run> {
        self.interrupt();
        self.runs
    }

    /// Processes the sample of a frame of the recording. `generates` says whether the pools in it are those of a state.
    pub fn sample(&mut self, recorded: u64, moment: &WaitMoment, generates: &dyn Fn(u32) -> bool) {
        // While the clock is 0, the game has not begun.
        let Some(clock) = moment.clock.filter(|clock| *clock > 0) else { return };
        let seen = Seen { clock, recorded, state: moment.state, pads: moment.pads };
        if let Some(current) = &self.current
            && !follows(&current.last, &seen)
        {
            match self.doubtful.take() {
                Some((first, doubtful)) if follows(&first, &seen) => {
                    self.interrupt();
                    self.current = Some(Current::begin(self.recording, first, &doubtful));
                }
                _ => {
                    self.doubtful = Some((seen, *moment));
                    return;
                }
            }
        }
        self.doubtful = None;
        match &mut self.current {
            None => self.current = Some(Current::begin(self.recording, seen, moment)),
            Some(current) => current.sample(seen, moment, generates),
        }
    }

    fn origin(&self, run: &Run) -> Origin {
        let first = run.seen.first().map_or(0, |seen| seen.clock);
        let mut boot = run.seen.iter().take_while(|seen| seen.clock <= BOOT_FRAMES.max(first));
        if boot.any(|seen| seen.state == self.power_on_state) {
            Origin::PowerOn
        } else if first <= FIRST_FRAME {
            Origin::Reset
        } else {
            Origin::Later
        }
    }
}

fn pressed(held: [PadButtons; 2], seen: &Seen, before: Option<u64>) -> Option<Press> {
    let buttons = [0, 1].map(|pad| seen.pads[pad].pressed_since(held[pad]));
    let any = buttons.iter().any(|buttons| !buttons.is_none());
    any.then_some(Press { frame: seen.clock, before, recorded: seen.recorded, buttons })
}

fn follows(last: &Seen, seen: &Seen) -> bool {
    let passed = seen.recorded.saturating_sub(last.recorded);
    seen.clock.checked_sub(last.clock).is_some_and(|frames| frames <= passed + MAX_AHEAD)
}

impl Current {
    fn begin(recording: usize, seen: Seen, moment: &WaitMoment) -> Self {
        let held_at = moment.is_clock_held.then_some(seen.clock);
        let run =
            Run { recording, origin: Origin::Later, held_at, generations: Vec::new(), seen: vec![seen] };
        let press = pressed([PadButtons::NONE; 2], &seen, None);
        let states = vec![seen.state];
        Self { run, last: seen, pools: moment.pools, press, states, generating: false, undealt: false }
    }

    fn sample(&mut self, seen: Seen, moment: &WaitMoment, generates: &dyn Fn(u32) -> bool) {
        let last = std::mem::replace(&mut self.last, seen);
        if moment.is_clock_held {
            self.run.held_at = Some(seen.clock);
        }
        self.press = pressed(last.pads, &seen, Some(last.clock)).or(self.press);
        if moment.pools != self.pools && !self.generating {
            self.generating = true;
            self.run.generations.push(Generation {
                press: self.press.take(),
                frame: seen.clock,
                before: last.clock,
                state: None,
                first_pair: None,
                before_first_pair: last.clock,
            });
            self.undealt = false;
        }
        self.pools = moment.pools;
        if self.generating {
            self.continue_generation(&seen, generates);
        } else if self.states.last() != Some(&seen.state) {
            self.states.push(seen.state);
            let outdated = self.states.len().saturating_sub(CANDIDATES);
            self.states.drain(..outdated);
        }
        self.wait_for_the_first_pair(&seen, moment.dealt);
        // The last sample of a frame shows most of what the game did in it.
        match self.run.seen.last_mut() {
            Some(same) if same.clock == seen.clock => *same = seen,
            _ => self.run.seen.push(seen),
        }
    }

    fn continue_generation(&mut self, seen: &Seen, generates: &dyn Fn(u32) -> bool) {
        let Some(generation) = self.run.generations.last_mut() else { return };
        generation.state = self.states.iter().rev().copied().find(|state| generates(*state));
        if generation.state.is_some() || seen.clock - generation.frame >= GENERATION_FRAMES {
            self.generating = false;
            self.states = vec![seen.state];
        }
    }

    fn wait_for_the_first_pair(&mut self, seen: &Seen, dealt: u16) {
        let Some(generation) = self.run.generations.last_mut() else { return };
        if generation.first_pair.is_some() {
            return;
        }
        if dealt == 0 {
            self.undealt = true;
            generation.before_first_pair = seen.clock;
        } else if self.undealt {
            generation.first_pair = Some(seen.clock);
        }
    }
}
