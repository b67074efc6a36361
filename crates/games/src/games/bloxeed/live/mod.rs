//! Bloxeed live. The states of its two generators are found by the relation between them and by their changes. They determine the
//! upcoming pieces, the pieces after a continue, and the next game.

mod checks;
mod finder;
mod history;
mod locate;
mod observe;
mod pieces;
mod prediction;
mod view;

pub(crate) use checks::CHECKS;
pub(crate) use locate::LOCATE;

pub use history::GameHistory;
pub use observe::{Found, FoundPiece, Observation, Values};
pub use prediction::Prediction;

use crate::live::{GameTracker, SampleContext, Step, Totals, Verdict};
use observe::Observer;
use pieces::PieceFinder;
use std::sync::Arc;

/// Frames for which the states must not change before they are checked: samples are 14 ms apart, and a game may draw a piece and
/// store it in different frames.
const STABLE_FRAMES: u64 = 2;

/// Processes the samples of a game in order.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    observer: Observer,
    history: GameHistory,
    pieces: PieceFinder,
    /// The last observation, its frame, and the frame since which the values have not changed.
    last: Option<(Arc<Observation>, u64, u64)>,
    prediction: Option<Arc<Prediction>>,
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Prediction;

    fn reset(&mut self) {
        self.observer = Observer::default();
        self.history.reset();
        self.pieces = PieceFinder::default();
        (self.last, self.prediction) = (None, None);
    }

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Prediction> {
        let now = match self.observer.observe(sample.snapshot, sample.profile, self.pieces.found()) {
            Ok(now) => Arc::new(now),
            Err(error) => {
                return Step::unreadable(&error);
            }
        };
        let before = self.last.as_ref().and_then(|(last, ..)| last.found);
        if let (Some(before), Some(found)) = (before, now.found) {
            if (before.seed, before.state) != (found.seed, found.state) {
                // The finder has switched to other cells by their changes.
                self.history.reset();
                self.pieces = PieceFinder::default();
            } else if before.main != found.main {
                self.history.forget_main();
            }
        }
        let (moved, since) = match &self.last {
            Some((last, frame, since)) if last.values == now.values => (*frame != sample.frame, *since),
            _ => (true, sample.frame),
        };
        let mut mismatches = Vec::new();
        if let (true, Some(values)) = (moved && sample.frame - since >= STABLE_FRAMES, now.values) {
            let counted = *totals;
            let drawn = self.history.see(&values, sample, totals, &mut mismatches);
            if !mismatches.is_empty() && now.found.is_some_and(|found| !found.certain) {
                // The wrong cells: at the first piece, a copy of the state looks like the seed.
                mismatches.clear();
                *totals = Totals { rounds: totals.rounds, ..counted };
                self.observer.reject_likely();
                self.history.reset();
            }
            if let (Some(drawn), None) = (drawn, now.piece_cell(sample.profile)) {
                self.pieces.update(sample.snapshot.all(), drawn);
            }
            if self.history.is_lost() && !now.is_known() {
                self.observer.search_again();
                self.history.reset();
            }
        }
        self.prediction = match now.values {
            // Two equal samples exclude a half-written long.
            Some(values) if sample.frame > since => {
                let (reading, decided) = self.history.reading(sample.profile);
                Some(Prediction::again(self.prediction.as_ref(), &values, reading, decided))
            }
            Some(_) => self.prediction.take(),
            None => None,
        };
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
