//! Sega Tetris and Flash Point live: the buffer of a game's thousand pieces is found by what stands in it, which tells the game
//! and all games after it; where the next piece is in it is found by watching what counts.

mod counter;
mod observe;
mod series;
mod view;

pub use counter::{CounterFinder, FoundIndex};
pub use observe::{Buffer, Observation};
pub use series::{Forecast, Series};

use super::{GameTracker, SampleContext, Step, Totals, Verdict};
use crate::console::Endian;
use observe::Observer;
use std::sync::Arc;

/// Frames for which a buffer must stand before it is judged: samples come 14 ms apart, and what a game has drawn of it when an
/// emulator rests between two frames stands for 17 ms.
const STANDS_FOR: u64 = 2;

/// Follows a game from sample to sample.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    observer: Observer,
    series: Series,
    counter: CounterFinder,
    /// What the last look showed, its frame, and the frame since which the buffer is as it is.
    last: Option<(Arc<Observation>, u64, u64)>,
    forecast: Option<Arc<Forecast>>,
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Forecast;

    fn reset(&mut self) {
        self.observer = Observer::default();
        self.series.restart();
        self.counter = CounterFinder::default();
        (self.last, self.forecast) = (None, None);
    }

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Forecast> {
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
        if now.index.is_none() {
            now.found_index = self.counter.found(sample.snapshot.domain());
            now.index = now.found_index.and_then(|found| {
                let bytes = sample.snapshot.bytes(found.address, found.bytes).ok()?;
                usize::try_from(Endian::Big.number(bytes)).ok()
            });
        }
        let mut mismatches = Vec::new();
        if moved && now.buffer.is_some() && sample.frame - since >= STANDS_FOR {
            self.series.see(&now, sample.profile, sample.frame, totals, &mut mismatches);
            if let (Some(game), false) = (self.series.game(), now.index.is_some()) {
                self.counter.look(ram, game.number, &game.codes);
            }
        }
        let now = Arc::new(now);
        self.forecast = self.series.forecast(&now, self.forecast.as_ref());
        self.last = Some((Arc::clone(&now), sample.frame, since));
        totals.mismatches += mismatches.len() as u64;
        Step { observation: Ok(now), prediction: self.forecast.clone(), mismatches }
    }

    fn round(&self) -> u64 {
        self.series.round()
    }

    fn verdict(&self) -> Verdict {
        self.series.verdict(self.last.as_ref().map(|(last, ..)| last.as_ref()))
    }
}
