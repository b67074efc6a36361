//! The newest samples in memory: the evidence for a mismatch that occurs now.

use super::Sample;
use super::coding::ByteReader;
use super::flat_snapshot::{FlatSnapshot, Layout, read_changes, write_changes};
use nextscope_memory::console::{Domain, Snapshot};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The number of samples retained from before a round: the generator state it started from was sampled some frames earlier.
const LEAD: u64 = 60;
/// The approximate size of a change in addition to its bytes.
const OVERHEAD: usize = 96;

/// A ring buffer of the newest samples: since the beginning of the previous round, within limits of memory and time.
#[derive(Debug)]
pub struct SampleRing {
    max_bytes: usize,
    max_time: Duration,
    content: RingSnapshot,
    last: FlatSnapshot,
    /// The numbers of the first samples of the last two rounds.
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

#[derive(Debug)]
struct Change {
    frame: u64,
    counter: u32,
    elapsed: Duration,
    /// The layout, if it differs from the previous one.
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
    /// Advances by a sample; false if the change does not fit, which cannot happen.
    fn advance(&mut self, change: &Change) -> bool {
        if let Some(layout) = &change.layout {
            self.flat = self.flat.with_layout(layout);
        }
        (self.frame, self.counter, self.elapsed) = (change.frame, change.counter, change.elapsed);
        let (spans, bits) = (&mut ByteReader(&change.spans), &mut ByteReader(&change.bits));
        read_changes(&mut self.flat.bytes, spans, bits, |_| ()).is_some()
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

impl SampleRing {
    /// A ring buffer of at most this many bytes and this much time.
    pub fn new(max_bytes: usize, max_time: Duration) -> Self {
        Self {
            max_bytes,
            max_time,
            content: RingSnapshot::default(),
            last: FlatSnapshot::default(),
            rounds: [0; 2],
            bytes: 0,
        }
    }

    /// Removes all samples.
    pub fn clear(&mut self) {
        *self = Self::new(self.max_bytes, self.max_time);
    }

    /// The number of samples.
    pub fn len(&self) -> u64 {
        self.content.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Adds the next sample.
    pub fn push(&mut self, snapshot: &Snapshot, frame: u64, counter: u32, elapsed: Duration) {
        let domain = snapshot.domain();
        if self.content.base.as_ref().is_some_and(|base| base.domain != domain) {
            self.clear();
        }
        let flat = FlatSnapshot::of(snapshot);
        if self.content.base.is_none() {
            self.bytes = 2 * flat.bytes.len();
            self.last = flat.clone();
            self.content.base = Some(Base { domain, flat, frame, counter, elapsed });
            return;
        }
        let layout = (self.last.layout != flat.layout).then(|| flat.layout.clone());
        if let Some(layout) = &layout {
            self.last = self.last.with_layout(layout);
        }
        let (mut spans, mut bits) = (Vec::new(), Vec::new());
        write_changes(&self.last.bytes, &flat.bytes, &mut spans, &mut bits);
        let change = Change { frame, counter, elapsed, layout, spans: spans.into(), bits: bits.into() };
        self.bytes += change.bytes();
        self.content.changes.push_back(Arc::new(change));
        self.last = flat;
        self.shrink(elapsed);
    }

    /// Marks the newest sample as the first of a round.
    pub fn begin_round(&mut self) {
        self.rounds = [self.rounds[1], self.newest()];
    }

    fn shrink(&mut self, now: Duration) {
        let Some(base) = &mut self.content.base else { return };
        let from = self.rounds[0].saturating_sub(LEAD);
        while self.content.first < from
            || self.bytes > self.max_bytes
            || now.saturating_sub(base.elapsed) > self.max_time
        {
            let Some(change) = self.content.changes.pop_front() else { return };
            self.bytes -= change.bytes();
            self.content.first += 1;
            if !base.advance(&change) {
                self.clear();
                return;
            }
        }
    }

    /// The number of the newest sample, counted from the first one ever added.
    pub fn newest(&self) -> u64 {
        (self.content.first + self.len()).saturating_sub(1)
    }

    /// The current content. Copies only the oldest sample; later samples do not change it.
    pub fn snapshot(&self) -> RingSnapshot {
        RingSnapshot { includes_previous_round: self.content.first <= self.rounds[0], ..self.content.clone() }
    }
}

/// The content of a [`SampleRing`] at one moment, oldest sample first.
#[derive(Debug, Clone, Default)]
pub struct RingSnapshot {
    base: Option<Base>,
    changes: VecDeque<Arc<Change>>,
    /// The number of the oldest sample, counted from the first one ever added.
    pub first: u64,
    /// Whether it reaches back to the beginning of the previous round, or of the connection.
    pub includes_previous_round: bool,
}

impl RingSnapshot {
    /// The number of samples.
    pub fn len(&self) -> u64 {
        self.base.as_ref().map_or(0, |_| 1 + self.changes.len() as u64)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.base.is_none()
    }

    /// The samples.
    pub fn samples(&self) -> impl Iterator<Item = Sample> {
        let mut base = self.base.clone();
        let mut changes = self.changes.iter();
        let first = base.as_ref().and_then(Base::sample);
        first.into_iter().chain(std::iter::from_fn(move || {
            let (base, change) = (base.as_mut()?, changes.next()?);
            base.advance(change).then(|| base.sample())?
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_memory::console::ConsoleId;

    /// A sample with changing bytes and changing parts.
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

    fn push(ring: &mut SampleRing, numbers: std::ops::Range<u64>) {
        for sample in numbers.map(sample) {
            ring.push(&sample.snapshot, sample.frame, sample.counter, sample.elapsed);
        }
    }

    fn assert_content(ring: &SampleRing, numbers: std::ops::Range<u64>) {
        let samples: Vec<Sample> = ring.snapshot().samples().collect();
        assert_eq!(samples, numbers.map(sample).collect::<Vec<_>>());
        assert_eq!(ring.len(), samples.len() as u64);
    }

    #[test]
    fn samples_since_the_previous_round_are_retained() {
        let mut ring = SampleRing::new(1 << 20, Duration::from_secs(300));
        push(&mut ring, 0..500);
        assert_content(&ring, 0..500);
        ring.begin_round(); // with 499
        push(&mut ring, 500..800);
        assert_content(&ring, 0..800);
        ring.begin_round(); // with 799
        push(&mut ring, 800..900);
        assert_content(&ring, 439..900);
        assert!(ring.snapshot().includes_previous_round);
        ring.begin_round();
        push(&mut ring, 900..901);
        assert_content(&ring, 739..901);
        ring.clear();
        assert!(ring.is_empty() && ring.snapshot().is_empty());
        push(&mut ring, 3..9);
        assert_content(&ring, 3..9);
    }

    #[test]
    fn time_and_memory_are_limited() {
        let mut ring = SampleRing::new(1 << 20, Duration::from_secs(2));
        push(&mut ring, 0..1000);
        assert_content(&ring, 874..1000);
        let mut ring = SampleRing::new(20_000, Duration::from_secs(300));
        push(&mut ring, 0..3000);
        let len = ring.len();
        assert!((50..200).contains(&len), "{len}");
        assert_content(&ring, 3000 - len..3000);
        assert!(ring.bytes <= 20_000);
        // A snapshot does not change.
        let snapshot = ring.snapshot();
        push(&mut ring, 3000..4000);
        assert_eq!(snapshot.samples().last(), Some(sample(2999)));
    }
}
