//! The interface of a game's tracker: it takes samples and returns an observation, a prediction, a verdict and mismatches.
//!
//! A game implements [`GameTracker`] with its own types for what it reads ([`GameObservation`]) and predicts ([`GamePrediction`]). All other
//! code uses [`Tracker`], [`Observation`] and [`Prediction`], which are the same for every game; `get` returns the game's own types.

use crate::games::GameId;
use crate::json::Coding;
use crate::live::failures::Failures;
use crate::live::prediction_view::Start;
use crate::live::{Mismatch, PredictionView, RouteStart, Totals, Verdict};
use crate::profile::Profile;
use nextscope_boards::pochi::Field;
use nextscope_boards::puyo::Rules;
use nextscope_memory::console::{ConsoleAddr, Snapshot};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// One sample and its context.
#[derive(Debug, Clone, Copy)]
pub struct SampleContext<'a> {
    /// The RAM.
    pub snapshot: &'a Snapshot,
    /// The profile with the addresses of its fields.
    pub profile: &'a Profile,
    /// Frames since attaching, by the game's own counter; unlike that counter, it does not wrap.
    pub frame: u64,
}

/// The result of one sample.
#[derive(Debug, Clone)]
pub struct Step<O, P> {
    /// The typed fields, or why they cannot be read.
    pub observation: Result<Arc<O>, String>,
    /// The prediction; None before the first round.
    pub prediction: Option<Arc<P>>,
    /// The mismatches found with this sample.
    pub mismatches: Vec<Mismatch>,
}

impl<O, P> Step<O, P> {
    /// The result for a sample whose fields cannot be read.
    pub fn unreadable(why: &impl ToString) -> Self {
        Self { observation: Err(why.to_string()), prediction: None, mismatches: Vec::new() }
    }
}

/// The typed fields of a game at one moment.
pub trait GameObservation: Debug + PartialEq + Send + Sync + 'static {
    /// What the game predicts from them.
    type Prediction: GamePrediction;

    /// The prediction in display format.
    fn view(&self, prediction: &Self::Prediction) -> PredictionView;

    /// The text shown while there is no prediction.
    fn without_prediction(&self) -> String;

    /// What a round that started now would deal, for the time before the first round; None where this is unknown.
    fn first_start(&self) -> Option<Start> {
        None
    }

    /// The values that only this game has, for `watch --json`: an object.
    fn details(&self, prediction: Option<&Self::Prediction>) -> serde_json::Value;

    /// Whether the pools or the pieces are the same, so that the display stays the same.
    fn same_pools(&self, other: &Self) -> bool;

    /// Bytes that distinguish two rounds with the same captions and counts.
    fn round_key(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The fields that the profile lacks and that were found by their content.
    fn found_fields(&self) -> Vec<FoundField> {
        Vec::new()
    }

    /// How the game encodes a pair in RAM; None when unknown, and for pieces.
    fn coding(&self) -> Option<Coding> {
        None
    }

    /// Why the fields that the prediction requires cannot be read; None when they can.
    fn unreadable(&self) -> Option<String> {
        None
    }

    /// The rules of the players' boards, for the route planner; None for games without such boards.
    fn board_rules(&self) -> Option<Rules> {
        None
    }

    /// The players' boards in a game without predictions.
    fn boards(&self) -> Vec<ObservedBoard> {
        Vec::new()
    }

    /// Frames to wait until Start makes the round of this generator state, as the user wrote it, or what is wrong with it. None when the
    /// round does not depend on the frame of Start, or no round can be started now.
    fn frames_until(&self, _state: &str) -> Option<Result<u64, String>> {
        None
    }
}

/// The prediction of a game.
pub trait GamePrediction: Debug + PartialEq + Send + Sync + 'static {
    /// Whether the players get the same pairs or pieces. What a round that started now would deal is ignored, because it may change
    /// every frame.
    fn same_items(&self, other: &Self) -> bool {
        self == other
    }

    /// The position of a player (0 or 1) for the route planner; None when unknown.
    fn route_start(&self, _player: usize) -> Option<RouteStart> {
        None
    }
}

/// The prediction type of a game without predictions: it has no values.
#[derive(Debug, PartialEq, Eq)]
pub enum Never {}

impl GamePrediction for Never {}

/// Processes the samples of a game in order: observes, predicts, verifies.
pub trait GameTracker: Debug + Send + 'static {
    /// What it reads.
    type Observation: GameObservation<Prediction = Self::Prediction>;
    /// What it predicts.
    type Prediction: GamePrediction;

    /// Discards the samples so far but not the round count, after a profile change or a lost connection.
    fn reset(&mut self);

    /// Processes the next sample.
    fn update(
        &mut self,
        sample: &SampleContext<'_>,
        totals: &mut Totals,
    ) -> Step<Self::Observation, Self::Prediction>;

    /// An independent copy, to return to this sample. A background search that is running starts again in the copy.
    fn checkpoint(&self) -> Self
    where
        Self: Sized;

    /// The results of the checks.
    fn verdict(&self) -> Verdict;

    /// The number of the current or last round, from 1 as in [`Mismatch::round`]; 0 before the first.
    fn round(&self) -> u64 {
        0
    }

    /// Starts long searches at once instead of waiting for more samples. For RAM that does not change.
    fn set_synchronous(&mut self) {}

    /// The progress of the running searches, 0 to 1; None when none is running.
    fn search_progress(&self) -> Option<f64> {
        None
    }

    /// Continues the running searches. Returns the mismatches found, or None when neither the verdict nor [`Self::prediction`] changed.
    fn poll_background(&mut self, _frame: u64, _totals: &mut Totals) -> Option<Vec<Mismatch>> {
        None
    }

    /// The prediction after [`Self::poll_background`]; None when it is still that of the last sample.
    fn prediction(&self) -> Option<Arc<Self::Prediction>> {
        None
    }
}

/// A field that the profile lacks and that was found by its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundField {
    /// Its name, as in mismatches and profiles.
    pub field: String,
    /// Its address.
    pub address: ConsoleAddr,
    /// Its length.
    pub bytes: u32,
}

/// A board of a game without predictions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedBoard {
    /// "Player 1".
    pub title: String,
    /// The address of its first cell.
    pub address: ConsoleAddr,
    /// The board, or why it cannot be read.
    pub field: Result<Field, String>,
}

impl ObservedBoard {
    /// Its rows as letters and dots, top row first; or why it cannot be read.
    pub fn rows(&self) -> Result<Vec<String>, String> {
        let field = self.field.as_ref().map_err(String::clone)?;
        Ok(field.to_text().lines().map(str::to_owned).collect())
    }
}

/// [`GameObservation`] without the type of the game.
trait AnyObservation: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn equals(&self, other: &dyn AnyObservation) -> bool;
    fn same_pools(&self, other: &dyn AnyObservation) -> bool;
    fn view(&self, prediction: &dyn AnyPrediction) -> Option<PredictionView>;
    fn details(&self, prediction: Option<&dyn AnyPrediction>) -> serde_json::Value;
    fn without_prediction(&self) -> String;
    fn first_start(&self) -> Option<Start>;
    fn round_key(&self) -> Vec<u8>;
    fn found_fields(&self) -> Vec<FoundField>;
    fn coding(&self) -> Option<Coding>;
    fn unreadable(&self) -> Option<String>;
    fn board_rules(&self) -> Option<Rules>;
    fn boards(&self) -> Vec<ObservedBoard>;
    fn frames_until(&self, state: &str) -> Option<Result<u64, String>>;
}

impl<T: GameObservation> AnyObservation for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn AnyObservation) -> bool {
        other.as_any().downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn same_pools(&self, other: &dyn AnyObservation) -> bool {
        other.as_any().downcast_ref::<T>().is_some_and(|other| GameObservation::same_pools(self, other))
    }

    fn view(&self, prediction: &dyn AnyPrediction) -> Option<PredictionView> {
        prediction.as_any().downcast_ref().map(|prediction| GameObservation::view(self, prediction))
    }

    fn details(&self, prediction: Option<&dyn AnyPrediction>) -> serde_json::Value {
        let prediction = prediction.and_then(|prediction| prediction.as_any().downcast_ref());
        GameObservation::details(self, prediction)
    }

    fn without_prediction(&self) -> String {
        GameObservation::without_prediction(self)
    }

    fn first_start(&self) -> Option<Start> {
        GameObservation::first_start(self)
    }

    fn round_key(&self) -> Vec<u8> {
        GameObservation::round_key(self)
    }

    fn found_fields(&self) -> Vec<FoundField> {
        GameObservation::found_fields(self)
    }

    fn coding(&self) -> Option<Coding> {
        GameObservation::coding(self)
    }

    fn unreadable(&self) -> Option<String> {
        GameObservation::unreadable(self)
    }

    fn board_rules(&self) -> Option<Rules> {
        GameObservation::board_rules(self)
    }

    fn boards(&self) -> Vec<ObservedBoard> {
        GameObservation::boards(self)
    }

    fn frames_until(&self, state: &str) -> Option<Result<u64, String>> {
        GameObservation::frames_until(self, state)
    }
}

/// The typed fields of any game at one moment. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Observation(Arc<dyn AnyObservation>);

impl PartialEq for Observation {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_ref())
    }
}

impl Observation {
    /// An observation of a game.
    pub fn new<T: GameObservation>(observation: Arc<T>) -> Self {
        Self(observation)
    }

    /// The game's own type, when it is of that game.
    pub fn get<T: GameObservation>(&self) -> Option<&T> {
        self.0.as_any().downcast_ref()
    }

    /// As [`GameObservation::found_fields`].
    pub fn found_fields(&self) -> Vec<FoundField> {
        self.0.found_fields()
    }

    /// As [`GameObservation::same_pools`]; false for different games.
    pub fn same_pools(&self, other: &Self) -> bool {
        self.0.same_pools(other.0.as_ref())
    }

    /// As [`GameObservation::round_key`].
    pub fn round_key(&self) -> Vec<u8> {
        self.0.round_key()
    }

    /// As [`GameObservation::without_prediction`].
    pub fn without_prediction(&self) -> String {
        self.0.without_prediction()
    }

    /// As [`GameObservation::first_start`].
    pub fn first_start(&self) -> Option<Start> {
        self.0.first_start()
    }

    /// As [`GameObservation::details`].
    pub fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        self.0.details(prediction.map(|prediction| prediction.0.items.as_ref()))
    }

    /// As [`GameObservation::coding`].
    pub fn coding(&self) -> Option<Coding> {
        self.0.coding()
    }

    /// As [`GameObservation::unreadable`].
    pub fn unreadable(&self) -> Option<String> {
        self.0.unreadable()
    }

    /// As [`GameObservation::board_rules`].
    pub fn board_rules(&self) -> Option<Rules> {
        self.0.board_rules()
    }

    /// As [`GameObservation::boards`].
    pub fn boards(&self) -> Vec<ObservedBoard> {
        self.0.boards()
    }

    /// As [`GameObservation::frames_until`].
    pub fn frames_until(&self, state: &str) -> Option<Result<u64, String>> {
        self.0.frames_until(state)
    }
}

/// [`GamePrediction`] without the type of the game.
trait AnyPrediction: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn equals(&self, other: &dyn AnyPrediction) -> bool;
    fn same_items(&self, other: &dyn AnyPrediction) -> bool;
    fn route_start(&self, player: usize) -> Option<RouteStart>;
}

impl<T: GamePrediction> AnyPrediction for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn AnyPrediction) -> bool {
        other.as_any().downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn same_items(&self, other: &dyn AnyPrediction) -> bool {
        other.as_any().downcast_ref::<T>().is_some_and(|other| GamePrediction::same_items(self, other))
    }

    fn route_start(&self, player: usize) -> Option<RouteStart> {
        GamePrediction::route_start(self, player)
    }
}

/// The prediction of any game, and the observation that it belongs to. Cheap to clone. Its view is built once, on first use, and
/// shared.
#[derive(Debug, Clone)]
pub struct Prediction(Arc<Predicted>);

#[derive(Debug)]
struct Predicted {
    observation: Observation,
    items: Arc<dyn AnyPrediction>,
    view: OnceLock<PredictionView>,
}

impl PartialEq for Prediction {
    fn eq(&self, other: &Self) -> bool {
        self.0.items.equals(other.0.items.as_ref())
    }
}

impl Prediction {
    /// A prediction of a game.
    pub fn new<T: GameObservation>(observation: Arc<T>, prediction: Arc<T::Prediction>) -> Self {
        Self::of(Observation(observation), prediction)
    }

    fn of(observation: Observation, items: Arc<dyn AnyPrediction>) -> Self {
        Self(Arc::new(Predicted { observation, items, view: OnceLock::new() }))
    }

    /// The game's own type, when it is of that game.
    pub fn get<T: GamePrediction>(&self) -> Option<&T> {
        self.0.items.as_any().downcast_ref()
    }

    /// The prediction in display format.
    pub fn view(&self) -> &PredictionView {
        let Predicted { observation, items, view } = self.0.as_ref();
        view.get_or_init(|| observation.0.view(items.as_ref()).unwrap_or_default())
    }

    /// As [`GamePrediction::same_items`]; false for different games.
    pub fn same_items(&self, other: &Self) -> bool {
        self.0.items.same_items(other.0.items.as_ref())
    }

    /// As [`GamePrediction::route_start`].
    pub fn route_start(&self, player: usize) -> Option<RouteStart> {
        self.0.items.route_start(player)
    }
}

/// The result of one sample of any game.
#[derive(Debug, Clone)]
pub struct Update {
    /// The typed fields, or why they cannot be read.
    pub observation: Result<Observation, String>,
    /// The prediction; None before the first round.
    pub prediction: Option<Prediction>,
    /// The mismatches found with this sample.
    pub mismatches: Vec<Mismatch>,
}

/// [`GameTracker`] without the type of the game.
pub(crate) trait AnyTracker: Debug + Send {
    fn reset(&mut self);
    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Update;
    fn checkpoint(&self) -> Box<dyn AnyTracker>;
    fn verdict(&self) -> Verdict;
    fn round(&self) -> u64;
    fn set_synchronous(&mut self);
    fn search_progress(&self) -> Option<f64>;
    fn poll_background(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>>;
    fn prediction(&self, observation: &Observation) -> Option<Prediction>;
}

impl<T: GameTracker> AnyTracker for T {
    fn reset(&mut self) {
        GameTracker::reset(self);
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Update {
        let Step { observation, prediction, mismatches } = GameTracker::update(self, sample, totals);
        let observation = observation.map(Observation::new);
        let prediction = observation.as_ref().ok().zip(prediction);
        let prediction = prediction.map(|(observation, items)| Prediction::of(observation.clone(), items));
        Update { observation, prediction, mismatches }
    }

    fn checkpoint(&self) -> Box<dyn AnyTracker> {
        Box::new(GameTracker::checkpoint(self))
    }

    fn verdict(&self) -> Verdict {
        GameTracker::verdict(self)
    }

    fn round(&self) -> u64 {
        GameTracker::round(self)
    }

    fn set_synchronous(&mut self) {
        GameTracker::set_synchronous(self);
    }

    fn search_progress(&self) -> Option<f64> {
        GameTracker::search_progress(self)
    }

    fn poll_background(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        GameTracker::poll_background(self, frame, totals)
    }

    fn prediction(&self, observation: &Observation) -> Option<Prediction> {
        GameTracker::prediction(self).map(|items| Prediction::of(observation.clone(), items))
    }
}

/// Processes the samples of any game in order.
#[derive(Debug)]
pub struct Tracker {
    game: Box<dyn AnyTracker>,
    failures: Failures,
    /// The observation of the last readable sample.
    last: Option<Observation>,
}

impl Tracker {
    /// A tracker for a game.
    pub fn new(game: GameId) -> Self {
        Self { game: game.tracker(), failures: Failures::default(), last: None }
    }

    /// As [`GameTracker::reset`].
    pub fn reset(&mut self) {
        self.game.reset();
        (self.failures, self.last) = (Failures::default(), None);
    }

    /// Processes the next sample.
    pub fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Update {
        let update = self.game.update(sample, totals);
        self.failures.note(&update.mismatches);
        self.last = update.observation.as_ref().ok().cloned().or_else(|| self.last.take());
        update
    }

    /// As [`GameTracker::checkpoint`].
    pub fn checkpoint(&self) -> Self {
        Self { game: self.game.checkpoint(), failures: self.failures.clone(), last: self.last.clone() }
    }

    /// As [`GameTracker::set_synchronous`].
    pub fn set_synchronous(&mut self) {
        self.game.set_synchronous();
    }

    /// As [`GameTracker::search_progress`].
    pub fn search_progress(&self) -> Option<f64> {
        self.game.search_progress()
    }

    /// As [`GameTracker::prediction`].
    pub fn prediction(&self) -> Option<Prediction> {
        self.game.prediction(self.last.as_ref()?)
    }

    /// The results of the checks. A check that failed in the current round stays failed until the round is over.
    pub fn verdict(&self) -> Verdict {
        let mut verdict = self.game.verdict();
        self.failures.mark(self.game.round(), &mut verdict);
        verdict
    }

    /// As [`GameTracker::poll_background`].
    pub fn poll_background(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        let mismatches = self.game.poll_background(frame, totals)?;
        self.failures.note(&mismatches);
        Some(mismatches)
    }

    /// Completes the running searches, unless `stop` is set. `report` receives their progress, 0 to 1. Returns the mismatches found,
    /// or None when neither the verdict nor the [prediction](Self::prediction) changed.
    pub fn finish(
        &mut self,
        frame: u64,
        totals: &mut Totals,
        stop: &AtomicBool,
        mut report: impl FnMut(f64),
    ) -> Option<Vec<Mismatch>> {
        let mut found = None;
        while let Some(share) = self.search_progress().filter(|_| !stop.load(Ordering::Relaxed)) {
            report(share);
            if let Some(mismatches) = self.poll_background(frame, totals) {
                found.get_or_insert_with(Vec::new).extend(mismatches);
            } else if self.search_progress() == Some(share) {
                std::thread::sleep(Duration::from_millis(1)); // other threads are searching
            }
        }
        found
    }
}
