//! Whether pairs take as long as a profile's `[frames]` says.

use super::moment::Moment;
use super::part::{Part, PartTime};
use super::table::expected;
use super::timer::PartTimer;
use crate::profile::FrameTimes;
use std::collections::BTreeMap;

/// A difference that is a mismatch at once: more than samples in the middle of the game's work can make.
const CERTAIN: u32 = 3;
/// A smaller difference is a mismatch when the same part differs in the same direction this many times in a row.
const IN_A_ROW: u32 = 3;

/// Compares the pairs of one player with a table.
#[derive(Clone, Debug, Default)]
pub struct TimeCheck {
    timer: PartTimer,
    /// For each part: whether it took longer than the table says, and how many times in a row.
    small: BTreeMap<Part, (bool, u32)>,
    matched: u64,
    last: Option<TimeDifference>,
}

/// A part that took another time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeDifference {
    /// The part.
    pub part: Part,
    /// Frames by the table.
    pub expected: u32,
    /// Frames in the game.
    pub actual: u32,
    /// Whether it was seen several times in a row.
    pub repeated: bool,
}

impl TimeCheck {
    /// Forgets the pair in play.
    pub fn reset(&mut self) {
        self.timer.reset();
        self.small.clear();
    }

    /// Starts another round: its result does not depend on earlier ones.
    pub fn begin_round(&mut self) {
        (self.matched, self.last) = (0, None);
    }

    /// The parts that took as long as the table says, and the last difference.
    pub fn results(&self) -> (u64, Option<TimeDifference>) {
        (self.matched, self.last)
    }

    /// Processes a sample. Parts during which frames were lost are not compared.
    pub fn step(&mut self, frame: u64, moment: &Moment, table: &FrameTimes) -> Vec<TimeDifference> {
        let times = self.timer.step(frame, moment);
        let found: Vec<_> = times.iter().filter_map(|time| self.compare(time, table)).collect();
        self.last = found.last().copied().or(self.last);
        found
    }

    fn compare(&mut self, time: &PartTime, table: &FrameTimes) -> Option<TimeDifference> {
        let actual = time.frames.exact()?;
        let expected = expected(table, time.part)?;
        if !counts(time, actual, table) {
            return None;
        }
        let difference = actual.abs_diff(expected);
        if difference == 0 {
            self.matched += 1;
            self.small.remove(&time.part);
            return None;
        }
        let longer = actual > expected;
        let (direction, count) = self.small.entry(time.part).or_insert((longer, 0));
        *count = if *direction == longer { *count + 1 } else { 1 };
        *direction = longer;
        let repeated = *count >= IN_A_ROW;
        if !repeated && difference < CERTAIN {
            return None;
        }
        *count = 0;
        Some(TimeDifference { part: time.part, expected, actual, repeated })
    }
}

/// Whether Down was held for long enough to be the time of the table.
fn counts(time: &PartTime, actual: u32, table: &FrameTimes) -> bool {
    match time.part {
        Part::Lock(0) => time.held == actual,
        Part::Lock(_) => time.held >= table.lock.frames,
        _ => true,
    }
}
