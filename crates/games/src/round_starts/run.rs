//! What recordings show of the time since power on.

use super::PadButtons;

/// What the sample of a frame shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    /// The frame since the clock began.
    pub clock: u64,
    /// The frame of the recording.
    pub recorded: u64,
    pub state: u32,
    pub pads: [PadButtons; 2],
}

/// What a run begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The state is that after power on.
    PowerOn,
    /// The clock has just begun, with another state: a reset, not power on.
    Reset,
    /// Neither: the recording begins later.
    Later,
}

/// A button that was not held before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Press {
    /// The first frame in which it is held, since the clock began.
    pub frame: u64,
    /// The last frame in which it is certain not to be held; None if it is held in the first sample.
    pub before: Option<u64>,
    /// The frame of the recording.
    pub recorded: u64,
    /// The buttons of both pads that are pressed.
    pub buttons: [PadButtons; 2],
}

impl Press {
    /// Whether the frame is certain, because the one before was sampled.
    pub fn is_exact(&self) -> bool {
        self.before == self.frame.checked_sub(1)
    }

    /// The names of the buttons.
    pub fn names(&self) -> String {
        let [one, two] = self.buttons.map(PadButtons::names);
        match (one.is_empty(), two.is_empty()) {
            (_, true) => one,
            (true, false) => format!("{two} of pad 2"),
            (false, false) => format!("{one}, and {two} of pad 2"),
        }
    }
}

/// A generation of pools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Generation {
    /// The press before it; None if nothing was pressed since the generation before, as in a demo.
    pub press: Option<Press>,
    /// The first frame in which the pools are others.
    pub frame: u64,
    /// The last frame in which they are the old ones.
    pub before: u64,
    /// The state from which the pools were generated; None if no sampled state generates them.
    pub state: Option<u32>,
    /// The frame in which the first pair of player 1 appears; None if the recording ends before.
    pub first_pair: Option<u64>,
    /// The last frame in which it was certainly not there.
    pub before_first_pair: u64,
}

impl Generation {
    /// Frames from the press to the generation: the fewest and the most that fit.
    pub fn delay(&self) -> Option<(u64, u64)> {
        self.since_press(self.before, self.frame)
    }

    /// Frames from the press to the first pair, likewise.
    pub fn first_pair_delay(&self) -> Option<(u64, u64)> {
        self.since_press(self.before_first_pair, self.first_pair?)
    }

    fn since_press(&self, before: u64, at: u64) -> Option<(u64, u64)> {
        let press = self.press?;
        let earliest = press.before.map_or(0, |before| before + 1);
        Some(((before + 1).saturating_sub(press.frame), at.saturating_sub(earliest)))
    }
}

/// The time from one power on, or from the beginning of a recording, to the end or the next power on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The number of the recording, from 0.
    pub recording: usize,
    /// What it begins with.
    pub origin: Origin,
    /// The last frame in which the game held its clock, while frames of the console passed.
    pub held_at: Option<u64>,
    /// The generations, in order.
    pub generations: Vec<Generation>,
    /// By clock, which increases.
    pub(super) seen: Vec<Seen>,
}

impl Run {
    /// The first and the last sampled frame since the clock began. None for a run without samples.
    pub fn frames(&self) -> Option<(u64, u64)> {
        Some((self.seen.first()?.clock, self.seen.last()?.clock))
    }

    /// Frames between the first and the last that were not sampled.
    pub fn missed(&self) -> u64 {
        let sampled = self.seen.len() as u64;
        self.frames().map_or(0, |(first, last)| (last - first + 1).saturating_sub(sampled))
    }

    /// The generations after a press, which are those of rounds and not of demos.
    pub fn starts(&self) -> impl Iterator<Item = &Generation> {
        self.generations.iter().filter(|generation| generation.press.is_some())
    }

    pub(super) fn at(&self, frame: u64) -> Option<&Seen> {
        let index = self.seen.binary_search_by_key(&frame, |seen| seen.clock).ok()?;
        self.seen.get(index)
    }

    pub(super) fn state(&self, frame: u64) -> Option<u32> {
        self.at(frame).map(|seen| seen.state)
    }
}
