//! Sega Tetris and Flash Point live. The buffer with the 1,000 pieces of a game is found by its content, which determines this game
//! and all following ones. The index of the next piece is found by its changes.

mod checks;
mod counter;
mod history;
mod locate;
mod observe;
mod view;

pub(crate) use checks::CHECKS;
pub(crate) use locate::LOCATE;

pub use counter::{CounterFinder, FoundIndex};
pub use history::{GameHistory, Prediction};
pub use observe::{Buffer, Observation};

use crate::live::{GameTracker, SampleContext, Step, Totals, Verdict};
use nextscope_memory::console::Endian;
use observe::Observer;
use std::sync::Arc;

/// Frames for which a buffer must not change before it is checked: samples are 14 ms apart, and a partly drawn buffer can last 17 ms
/// while the emulator waits between two frames.
const STABLE_FRAMES: u64 = 2;

/// Processes the samples of a game in order.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    observer: Observer,
    history: GameHistory,
    counter: CounterFinder,
    /// The last observation, its frame, and the frame since which the buffer has not changed.
    last: Option<(Arc<Observation>, u64, u64)>,
    prediction: Option<Arc<Prediction>>,
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Prediction;

    fn reset(&mut self) {
        self.observer = Observer::default();
        self.history.reset();
        self.counter = CounterFinder::default();
        (self.last, self.prediction) = (None, None);
    }

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Prediction> {
        let ram = sample.snapshot.all();
        let mut now = match self.observer.observe(sample.snapshot, sample.profile) {
            Ok(now) => now,
            Err(error) => {
                return Step::unreadable(&error);
            }
        };
        let (moved, since) = match &self.last {
            Some((last, frame, since)) if last.buffer == now.buffer => (*frame != sample.frame, *since),
            _ => (true, sample.frame),
        };
        // A counter that was found is followed further, and given up if it is another one.
        let is_searched = now.index.is_none();
        if is_searched {
            now.found_index = self.counter.found(sample.snapshot.domain());
            now.index = now.found_index.and_then(|found| {
                let bytes = sample.snapshot.bytes(found.address, found.bytes).ok()?;
                usize::try_from(Endian::Big.number(bytes)).ok()
            });
        }
        let mut mismatches = Vec::new();
        if moved && now.buffer.is_some() && sample.frame - since >= STABLE_FRAMES {
            self.history.see(&now, sample.profile, sample.frame, totals, &mut mismatches);
            if let (Some(game), true) = (self.history.game(), is_searched) {
                self.counter.update(ram, game.number, &game.codes);
            }
        }
        let now = Arc::new(now);
        self.prediction = self.history.predict(&now, self.prediction.as_ref());
        self.last = Some((Arc::clone(&now), sample.frame, since));
        totals.mismatches += mismatches.len() as u64;
        Step { observation: Ok(now), prediction: self.prediction.clone(), mismatches }
    }

    fn round(&self) -> u64 {
        self.history.round()
    }

    fn verdict(&self) -> Verdict {
        self.history.verdict(self.last.as_ref().map(|(last, ..)| last.as_ref()))
    }
}
