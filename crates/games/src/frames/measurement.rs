//! Collects measured durations.

use super::estimate::{Certainty, Estimate, SeenValue, merged};
use super::part::{Part, PartTime, Span};
use std::collections::BTreeMap;

/// The measured durations of all parts.
#[derive(Clone, Debug, Default)]
pub struct Measurement {
    /// By part, duration, and the frames for which the button was held.
    seen: BTreeMap<Part, BTreeMap<(Span, u32), SeenValue>>,
}

/// What is known about each part, in the order of [`Part`]: all parts without rows, `Lock(0)`, and the others that were seen. Other than
/// in a [`PartTime`], nothing is contained in two parts: a `Lock` with rows is the time in addition to `Lock(0)`, `OnlyChain` is in `Chain`
/// without `Next`, and `AllClear` and `Garbage` are in addition to the time of other pairs.
pub type Times = Vec<(Part, Estimate)>;

impl Measurement {
    /// Counts a duration.
    pub fn add(&mut self, time: &PartTime) {
        let values = self.seen.entry(time.part).or_default();
        let value = values.entry((time.frames, time.held)).or_insert_with(|| SeenValue::new(time.frames));
        value.add(time.at);
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// What is known about each part.
    pub fn times(&self) -> Times {
        let lock = self.lock();
        let next = self.estimate(Part::Next, |_, _| true);
        let flat = self.chain(0, &next);
        let seen = self.seen.keys().map(|part| match part {
            Part::OnlyChain(rows) => Part::Chain(*rows),
            part => *part,
        });
        let mut parts: Vec<Part> = Part::SINGLE.into_iter().chain([Part::Lock(0)]).chain(seen).collect();
        parts.sort_unstable();
        parts.dedup();
        let estimate = |part| match part {
            Part::Release => self.release(),
            Part::Lock(0) => lock.clone(),
            Part::Lock(_) => self.split(part, &lock),
            Part::Next => next.clone(),
            Part::Chain(rows) => self.chain(rows, &next),
            Part::AllClear if self.seen.contains_key(&part) => {
                let all = self.estimate(part, |_, _| true);
                all.beyond(&next, Part::Next).beyond(&flat, Part::Chain(0))
            }
            Part::Garbage(_) => self.estimate(part, |_, _| true).beyond(&next, Part::Next),
            Part::Press => self.estimate(part, |_, _| true).at_most(),
            part => self.estimate(part, |_, _| true),
        };
        let times = parts.into_iter().map(|part| (part, estimate(part)));
        let listed = |(part, estimate): &(Part, Estimate)| {
            Part::SINGLE.contains(part) || *part == Part::Lock(0) || !estimate.seen.is_empty()
        };
        times.filter(listed).collect()
    }

    /// All that was seen of a part for which the button was held as required, by frames and held frames.
    fn estimate(&self, part: Part, counts: impl Fn(Span, u32) -> bool) -> Estimate {
        let all = self.seen.get(&part).into_iter().flatten();
        let counted = all.filter(|((frames, held), _)| counts(*frames, *held));
        Estimate::of(merged(counted.map(|(_, value)| value.clone())))
    }

    /// The steps of longer chains, and chains of one step without the time to the next pair.
    fn chain(&self, rows: usize, next: &Estimate) -> Estimate {
        let later = self.estimate(Part::Chain(rows), |_, _| true);
        let only = self.estimate(Part::OnlyChain(rows), |_, _| true);
        match next.possible {
            _ if only.seen.is_empty() => later,
            _ if later.seen.is_empty() => only.beyond(next, Part::Next),
            None => later,
            Some(base) => Estimate::of(merged(later.seen.into_iter().chain(only.shifted(base)))),
        }
    }

    /// With Down held all the time.
    fn lock(&self) -> Estimate {
        self.estimate(Part::Lock(0), |frames, held| frames.exact() == Some(held))
    }

    /// With Down held at least as long as it takes to lock.
    fn split(&self, part: Part, lock: &Estimate) -> Estimate {
        let Some(most) = lock.possible.map(|possible| possible.most) else {
            let all = self.estimate(part, |_, _| true);
            return Estimate { certainty: Certainty::Needs(Part::Lock(0)), possible: None, ..all };
        };
        self.estimate(part, |_, held| held >= most).beyond(lock, Part::Lock(0))
    }

    /// The shortest release that was enough, and longer than all that were not: those before a press that was long enough itself.
    fn release(&self) -> Estimate {
        let press = self.estimate(Part::Press, |_, _| true).possible.map(|possible| possible.most);
        let all = self.estimate(Part::Release, |frames, held| {
            frames.most != u32::MAX || press.is_some_and(|press| held >= press)
        });
        all.at_most()
    }
}
