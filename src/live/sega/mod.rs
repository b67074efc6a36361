//! Sega Tetris and Flash Point live: the buffer of a game's thousand pieces is found by what stands in it, which tells the game
//! and all games after it; where the next piece is in it is found by watching what counts.

mod counter;
mod observe;
mod series;

pub use counter::{CounterFinder, FoundIndex};
pub use observe::{Buffer, Observation};
pub use series::{Forecast, Series};

use super::{Look, Step, Totals, Verdict};
use observe::Observer;
use std::sync::Arc;

/// Follows a game from sample to sample.
#[derive(Debug, Default)]
pub struct Tracker {
    observer: Observer,
    series: Series,
    counter: CounterFinder,
    last: Option<(Arc<Observation>, u64)>,
    forecast: Option<Arc<Forecast>>,
}

impl Tracker {
    /// Forgets what was seen, but for what was counted.
    pub fn restart(&mut self) {
        self.observer = Observer::default();
        self.series.restart();
        self.counter = CounterFinder::default();
        (self.last, self.forecast) = (None, None);
    }

    /// Takes the next sample. A buffer is judged once two samples of different frames show it alike: a game fills it
    /// code by code.
    pub fn look(&mut self, look: &Look<'_>, totals: &mut Totals) -> Step<Observation, Forecast> {
        let ram = look.snapshot.all();
        let now = match self.observer.observe(look.snapshot, look.profile) {
            Ok(now) => now,
            Err(error) => {
                return Step { observation: Err(error.to_string()), forecast: None, mismatches: Vec::new() };
            }
        };
        let moved = self.last.as_ref().is_none_or(|(_, frame)| *frame != look.frame);
        let stands =
            self.last.as_ref().is_some_and(|(last, _)| last.buffer == now.buffer && now.buffer.is_some());
        let mut mismatches = Vec::new();
        if stands && moved {
            self.series.see(&now, look.profile, look.frame, totals, &mut mismatches);
            if let (Some(game), false) = (self.series.game(), now.index.is_some()) {
                self.counter.look(ram, game.number, &game.codes);
            }
        }
        let mut now = now;
        if now.index.is_none() {
            now.found_index = self.counter.found(look.snapshot.domain());
            now.index = now.found_index.and_then(|found| {
                let bytes = look.snapshot.bytes(found.address, found.bytes).ok()?;
                Some(bytes.iter().fold(0, |value, byte| value << 8 | usize::from(*byte)))
            });
        }
        let now = Arc::new(now);
        self.forecast = self.series.forecast(&now, self.forecast.as_ref());
        self.last = Some((Arc::clone(&now), look.frame));
        totals.mismatches += mismatches.len() as u64;
        Step { observation: Ok(now), forecast: self.forecast.clone(), mismatches }
    }

    /// How the checks stand.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.series.verdict(self.last.as_ref().map(|(last, _)| last.as_ref()))
    }
}
