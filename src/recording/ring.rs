//! The newest samples in memory: what a mismatch that comes now rests on.

use super::Sample;
use super::coding::ByteReader;
use super::flat_snapshot::{FlatSnapshot, Layout, put_changes, take_changes};
use crate::console::{Domain, Snapshot};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Samples that are kept from before the beginning of a round: the state that made it was seen some frames earlier.
const LEAD: u64 = 60;
/// What a change takes beside its bytes, roughly.
const OVERHEAD: usize = 96;

/// The newest samples: since the beginning of the round before this one, and no more of them than fit.
#[derive(Debug)]
pub struct Ring {
    most_bytes: usize,
    most_time: Duration,
    kept: RingSnapshot,
    last: FlatSnapshot,
    /// The numbers of the samples with which the last two rounds began.
    rounds: [u64; 2],
    bytes: usize,
}

/// The oldest sample.
#[derive(Debug, Clone)]
struct Base {
    domain: &'static Domain,
    flat: FlatSnapshot,
    frame: u64,
    counter: u32,
    elapsed: Duration,
}

/// What came with a sample.
#[derive(Debug)]
struct Change {
    frame: u64,
    counter: u32,
    elapsed: Duration,
    /// Where it differs from the one before.
    layout: Option<Layout>,
    spans: Box<[u8]>,
    bits: Box<[u8]>,
}

impl Change {
    fn bytes(&self) -> usize {
        let layout = self.layout.as_ref().map_or(0, |layout| size_of_val(layout.as_slice()));
        OVERHEAD + self.spans.len() + self.bits.len() + layout
    }
}

impl Base {
    /// Goes on by a sample; false when what changed does not fit, which is never so.
    fn go_on(&mut self, change: &Change) -> bool {
        if let Some(layout) = &change.layout {
            self.flat = self.flat.laid_out(layout);
        }
        (self.frame, self.counter, self.elapsed) = (change.frame, change.counter, change.elapsed);
        take_changes(&mut self.flat.bytes, &mut ByteReader(&change.spans), &mut ByteReader(&change.bits))
            .is_some()
    }

    fn sample(&self) -> Option<Sample> {
        Some(Sample {
            snapshot: self.flat.snapshot(self.domain)?,
            frame: self.frame,
            counter: self.counter,
            elapsed: self.elapsed,
        })
    }
}

impl Ring {
    /// One that holds so many bytes and so long a time at most.
    #[must_use]
    pub fn new(most_bytes: usize, most_time: Duration) -> Self {
        Self {
            most_bytes,
            most_time,
            kept: RingSnapshot::default(),
            last: FlatSnapshot::default(),
            rounds: [0; 2],
            bytes: 0,
        }
    }

    /// Forgets all samples.
    pub fn clear(&mut self) {
        *self = Self::new(self.most_bytes, self.most_time);
    }

    /// Samples in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.kept.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Takes the next sample.
    pub fn push(&mut self, snapshot: &Snapshot, frame: u64, counter: u32, elapsed: Duration) {
        let domain = snapshot.domain();
        if self.kept.base.as_ref().is_some_and(|base| base.domain != domain) {
            self.clear();
        }
        let flat = FlatSnapshot::of(snapshot);
        if self.kept.base.is_none() {
            self.bytes = 2 * flat.bytes.len();
            self.last = flat.clone();
            self.kept.base = Some(Base { domain, flat, frame, counter, elapsed });
            return;
        }
        let layout = (self.last.layout != flat.layout).then(|| flat.layout.clone());
        if let Some(layout) = &layout {
            self.last = self.last.laid_out(layout);
        }
        let (mut spans, mut bits) = (Vec::new(), Vec::new());
        put_changes(&self.last.bytes, &flat.bytes, &mut spans, &mut bits);
        let change = Change { frame, counter, elapsed, layout, spans: spans.into(), bits: bits.into() };
        self.bytes += change.bytes();
        self.kept.changes.push_back(Arc::new(change));
        self.last = flat;
        self.shrink(elapsed);
    }

    /// The newest sample is the first of a round.
    pub fn begin_round(&mut self) {
        self.rounds = [self.rounds[1], self.newest()];
    }

    fn shrink(&mut self, now: Duration) {
        let Some(base) = &mut self.kept.base else { return };
        let from = self.rounds[0].saturating_sub(LEAD);
        while self.kept.first < from
            || self.bytes > self.most_bytes
            || now.saturating_sub(base.elapsed) > self.most_time
        {
            let Some(change) = self.kept.changes.pop_front() else { return };
            self.bytes -= change.bytes();
            self.kept.first += 1;
            if !base.go_on(&change) {
                self.clear();
                return;
            }
        }
    }

    /// The number of the newest sample, counted from the first that was ever taken; the newest in there is that of
    /// [`RingSnapshot::first`] and as many on as are kept.
    #[must_use]
    pub fn newest(&self) -> u64 {
        (self.kept.first + self.len()).saturating_sub(1)
    }

    /// What is in it now; what comes later does not change it. Costs no copy but that of the oldest sample.
    #[must_use]
    pub fn kept(&self) -> RingSnapshot {
        RingSnapshot { to_round_before: self.kept.first <= self.rounds[0], ..self.kept.clone() }
    }
}

/// Samples that were kept, oldest first.
#[derive(Debug, Clone, Default)]
pub struct RingSnapshot {
    base: Option<Base>,
    changes: VecDeque<Arc<Change>>,
    /// The number of the oldest, counted from the first sample that was ever taken.
    pub first: u64,
    /// Whether they reach back to the beginning of the round before, or of the connection.
    pub to_round_before: bool,
}

impl RingSnapshot {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.base.as_ref().map_or(0, |_| 1 + self.changes.len() as u64)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.base.is_none()
    }

    /// Each of them.
    pub fn samples(&self) -> impl Iterator<Item = Sample> {
        let mut base = self.base.clone();
        let mut changes = self.changes.iter();
        let first = base.as_ref().and_then(Base::sample);
        first.into_iter().chain(std::iter::from_fn(move || {
            let (base, change) = (base.as_mut()?, changes.next()?);
            base.go_on(change).then(|| base.sample())?
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::ConsoleId;

    /// RAM of which parts change, and with it which parts are read.
    fn sample(number: u64) -> Sample {
        let domain = ConsoleId::Genesis.domain();
        let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33).to_le_bytes()[0]
        };
        let mut low = vec![7; 300];
        (0..5).for_each(|_| low[usize::from(next())] = next());
        let mut parts: Vec<(usize, Box<[u8]>)> = vec![(100, low.into())];
        if number % 7 < 3 {
            parts.push((0x8000, vec![next(); 40].into()));
        }
        Sample {
            snapshot: Snapshot::from_parts(domain, parts).unwrap(),
            frame: 10 + number,
            counter: u32::try_from(number % 256).unwrap(),
            elapsed: Duration::from_millis(16 * number),
        }
    }

    fn push(ring: &mut Ring, numbers: std::ops::Range<u64>) {
        for sample in numbers.map(sample) {
            ring.push(&sample.snapshot, sample.frame, sample.counter, sample.elapsed);
        }
    }

    fn assert_holds(ring: &Ring, numbers: std::ops::Range<u64>) {
        let kept: Vec<Sample> = ring.kept().samples().collect();
        assert_eq!(kept, numbers.map(sample).collect::<Vec<_>>());
        assert_eq!(ring.len(), kept.len() as u64);
    }

    #[test]
    fn samples_come_back_from_the_round_before_on() {
        let mut ring = Ring::new(1 << 20, Duration::from_secs(300));
        push(&mut ring, 0..500);
        assert_holds(&ring, 0..500);
        ring.begin_round(); // with 499
        push(&mut ring, 500..800);
        assert_holds(&ring, 0..800);
        ring.begin_round(); // with 799
        push(&mut ring, 800..900);
        assert_holds(&ring, 439..900);
        assert!(ring.kept().to_round_before);
        ring.begin_round();
        push(&mut ring, 900..901);
        assert_holds(&ring, 739..901);
        ring.clear();
        assert!(ring.is_empty() && ring.kept().is_empty());
        push(&mut ring, 3..9);
        assert_holds(&ring, 3..9);
    }

    #[test]
    fn time_and_memory_have_limits() {
        let mut ring = Ring::new(1 << 20, Duration::from_secs(2));
        push(&mut ring, 0..1000);
        assert_holds(&ring, 874..1000);
        let mut ring = Ring::new(20_000, Duration::from_secs(300));
        push(&mut ring, 0..3000);
        let held = ring.len();
        assert!((50..200).contains(&held), "{held}");
        assert_holds(&ring, 3000 - held..3000);
        assert!(ring.bytes <= 20_000);
        // What was kept does not change any more.
        let kept = ring.kept();
        push(&mut ring, 3000..4000);
        assert_eq!(kept.samples().last(), Some(sample(2999)));
    }
}
