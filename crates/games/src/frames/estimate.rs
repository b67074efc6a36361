//! What several measurements of one duration say together. Nothing is averaged: every value counts as it was seen.

use super::part::{Part, Span};
use std::collections::BTreeMap;

/// Frames listed for each value.
const LISTED: usize = 5;
/// A value explains others that are a frame shorter and a frame longer if it is at least this many times as frequent as all of them.
const EXPLAINS: u32 = 4;
/// The same if the others are all shorter or all longer: two values may be right then, so more is needed.
const EXPLAINS_ONE_SIDE: u32 = 8;
/// A value is exact if it was seen this many times: a sample in the middle of the game's work shows one that is off by a frame now and then.
const ENOUGH: u32 = 3;

/// A value, how often it was seen, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenValue {
    /// The value; more than one if frames were lost.
    pub frames: Span,
    /// How often.
    pub count: u32,
    /// The first frames at which it ended.
    pub at: Vec<u64>,
}

impl SeenValue {
    /// A value that was not seen yet.
    pub(super) fn new(frames: Span) -> Self {
        Self { frames, count: 0, at: Vec::new() }
    }

    /// Counts those of another one.
    pub(super) fn merge(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.at.extend(&other.at);
        self.at.sort_unstable();
        self.at.truncate(LISTED);
    }

    /// Counts another one.
    pub(super) fn add(&mut self, at: u64) {
        self.count = self.count.saturating_add(1);
        if self.at.len() < LISTED {
            self.at.push(at);
        }
    }
}

/// How sure a duration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// One value fits everything, and was seen several times.
    Exact,
    /// One value fits everything, but was seen too rarely: it may be off by a frame.
    Few,
    /// One value fits everything if some samples show the game in the middle of a frame: nearly all saw it, the others differ by one.
    WithinAFrame,
    /// It is the upper limit: so much was enough, and less was not tried.
    AtMost,
    /// Several values fit everything, because frames were lost.
    Between,
    /// No value fits everything.
    Contradiction,
    /// It was not seen.
    NotSeen,
    /// It is the difference to another part, which is not known.
    Needs(Part),
}

/// What is known about a duration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// All values, in ascending order.
    pub seen: Vec<SeenValue>,
    /// How sure it is.
    pub certainty: Certainty,
    /// The values that are possible; None if none fits everything, and if it was not seen.
    pub possible: Option<Span>,
    /// The same if every event may have happened a frame earlier or later than it was sampled.
    pub possible_within_a_frame: Option<Span>,
}

impl Estimate {
    /// A duration that was not seen.
    pub(super) fn unknown(certainty: Certainty) -> Self {
        Self { seen: Vec::new(), certainty, possible: None, possible_within_a_frame: None }
    }

    /// From all values that were seen.
    pub(super) fn of(seen: Vec<SeenValue>) -> Self {
        if seen.is_empty() {
            return Self::unknown(Certainty::NotSeen);
        }
        let all = |each: fn(Span) -> Span| {
            let mut spans = seen.iter().map(|value| each(value.frames));
            let first = spans.next()?;
            spans.try_fold(first, Span::and)
        };
        let (exactly, within) = (all(|frames| frames), all(Span::widened));
        let frequent = most_frequent(&seen);
        let explained = frequent.filter(|value| {
            let (with, without): (Vec<&SeenValue>, Vec<&SeenValue>) =
                seen.iter().partition(|seen| seen.frames.contains(*value));
            let count = |values: &[&SeenValue]| values.iter().map(|value| value.count).sum::<u32>();
            let enough = if within.and_then(Span::exact).is_some() { EXPLAINS } else { EXPLAINS_ONE_SIDE };
            within.is_some_and(|within| within.contains(*value)) && count(&with) / enough >= count(&without)
        });
        let (certainty, possible) = match (exactly, explained) {
            (Some(exactly), _) => match exactly.exact() {
                Some(value) if agreeing(&seen, value) >= ENOUGH || within == Some(exactly) => {
                    (Certainty::Exact, Some(exactly))
                }
                Some(_) => (Certainty::Few, within),
                None => (Certainty::Between, within),
            },
            (None, Some(value)) => (Certainty::WithinAFrame, Some(Span::exactly(value))),
            (None, None) => (Certainty::Contradiction, None),
        };
        Self { seen, certainty, possible, possible_within_a_frame: within }
    }

    /// A limit: the shortest duration that was enough.
    pub(super) fn at_most(self) -> Self {
        let most = self.seen.iter().map(|value| value.frames.most).min();
        match (self.certainty, self.possible, most) {
            (Certainty::Between, Some(possible), Some(most)) if most != u32::MAX => {
                Self { certainty: Certainty::AtMost, possible: Some(Span { most, ..possible }), ..self }
            }
            _ => self,
        }
    }

    /// The time in addition to another part.
    pub(super) fn beyond(self, other: &Self, part: Part) -> Self {
        let Some(base) = other.possible else {
            return Self { certainty: Certainty::Needs(part), possible: None, ..self };
        };
        let shorter = self.seen.iter().any(|value| value.frames.after(base).is_none());
        let all = Self::of(self.shifted(base));
        if shorter { Self { certainty: Certainty::Contradiction, possible: None, ..all } } else { all }
    }

    /// The values without the time of another part; nothing is left of one that is shorter.
    pub(super) fn shifted(&self, base: Span) -> Vec<SeenValue> {
        merged(self.seen.iter().map(|value| {
            let frames = value.frames.after(base).unwrap_or(Span::exactly(0));
            SeenValue { frames, ..value.clone() }
        }))
    }

    /// The value, if only one is left.
    pub fn value(&self) -> Option<u32> {
        match self.certainty {
            Certainty::Few | Certainty::Between => None,
            Certainty::AtMost => self.possible.map(|possible| possible.most),
            _ => self.possible.and_then(Span::exact),
        }
    }

    /// The value that was seen most often, of those that were seen without lost frames. None if two were seen equally often.
    pub fn most_frequent(&self) -> Option<u32> {
        most_frequent(&self.seen)
    }

    /// How often it was seen.
    pub fn count(&self) -> u32 {
        self.seen.iter().map(|value| value.count).sum()
    }
}

/// How many times this value was seen, or was the limit of what was enough or was not. The ends of a range in which frames were lost agree
/// with it by chance.
fn agreeing(seen: &[SeenValue], value: u32) -> u32 {
    let agrees = |frames: Span| match (frames.least, frames.most) {
        (least, u32::MAX) => least == value,
        (0, most) => most == value,
        _ => frames.exact() == Some(value),
    };
    seen.iter().filter(|seen| agrees(seen.frames)).map(|seen| seen.count).sum()
}

/// Equal values as one.
pub(super) fn merged(values: impl IntoIterator<Item = SeenValue>) -> Vec<SeenValue> {
    let mut all: BTreeMap<Span, SeenValue> = BTreeMap::new();
    for value in values {
        all.entry(value.frames).or_insert_with(|| SeenValue::new(value.frames)).merge(&value);
    }
    all.into_values().collect()
}

fn most_frequent(seen: &[SeenValue]) -> Option<u32> {
    let exact = || seen.iter().filter_map(|value| Some((value.frames.exact()?, value.count)));
    let (value, count) = exact().max_by_key(|(_, count)| *count)?;
    (exact().filter(|(_, other)| *other == count).count() == 1).then_some(value)
}
