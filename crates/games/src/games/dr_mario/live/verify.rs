//! Compares emulator and model, sample by sample.
//!
//! A sample can fall into the middle of a step, a throw or a preparation. Each takes a small part of a frame, so values that agree in
//! samples of two frames are complete. Only those are checked.

use crate::games::Unit;
use crate::games::dr_mario::live::{AHEAD, CHECKS, Mode, Observation, PlayerObservation, Prediction};
use crate::games::dr_mario::{Bottle, CELLS, Capsule, Levels, PERIOD, Reserve, Round, State};
use crate::games::dr_mario::{starts, starts::frames_between};
use crate::live::queue::{self, QueueTrack};
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use nextscope_boards::Pair;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Cells of a reserve that may differ from the model's for the model's still to be the one that the game made.
const MAX_WRONG: usize = 16;
/// A step too many is only believed if it explains so many capsules that a few changed cells can't look like it.
const MIN_EXTRA_STEP_PLACE: usize = 4;

/// The longest gap in frames for which steps on the options screen are checked.
const MAX_GAP: u64 = 600;

/// Frames between two rounds in which nobody can have been on the options screen.
const NO_OPTIONS: u64 = 60;

/// From where the next round starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Nothing is known.
    Unknown,
    /// The options screen had this state in this frame.
    Options(State, u64),
    /// In this state, which the previous round left; it was in play until this frame.
    Exactly(State, u64),
}

/// From what a reserve was made.
#[derive(Debug, Clone, Copy)]
struct Start {
    state: State,
    predicted: bool,
    /// The place of the first capsule that is wrong because the generator made one step too many.
    extra_step: Option<usize>,
}

/// A round in play.
#[derive(Debug, Clone)]
struct Current {
    round: Arc<Round>,
    number: u64,
    /// The frame of the last sample.
    frame: u64,
    queues: [QueueTrack; 2],
    /// Capsules thrown, with the repetitions of the reserve.
    thrown: [Option<u16>; 2],
    /// Whether the viruses were compared when all were in their places.
    viruses_verified: [bool; 2],
    /// Wrong cells, capsules and states in the last sample, which a second sample confirms.
    suspects: Vec<Suspect>,
    reported: BTreeSet<(CheckId, usize, u32)>,
}

/// A difference that becomes a mismatch if the next sample confirms it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Suspect {
    check: CheckId,
    player: usize,
    index: u32,
    expected: String,
    actual: String,
    what: String,
    field: String,
}

/// Compares samples with the model and with one another.
#[derive(Debug, Clone)]
pub struct Verifier {
    last: Option<(Arc<Observation>, u64)>,
    expected: Expected,
    /// The last state on the options screen that was accepted, and a later one that was not.
    option_state: Option<(State, u64)>,
    doubtful: Option<(State, u64)>,
    current: Option<Current>,
    /// A reserve that no state makes.
    unknown: Option<Reserve>,
    rounds: u64,
    results: [Option<(Status, String)>; 6],
    two_players: bool,
}

impl Default for Verifier {
    fn default() -> Self {
        Self {
            last: None,
            expected: Expected::Unknown,
            option_state: None,
            doubtful: None,
            current: None,
            unknown: None,
            rounds: 0,
            results: Default::default(),
            two_players: false,
        }
    }
}

impl Verifier {
    /// Discards the samples so far after a reset, another game or a lost connection.
    pub fn reset(&mut self) {
        *self = Self { rounds: self.rounds, ..Self::default() };
    }

    /// Processes the next sample. `frame` is the number of frames since attaching; `before` is the prediction of the previous
    /// sample, which is compared with the capsules that come.
    pub fn step(
        &mut self,
        now: &Arc<Observation>,
        frame: u64,
        before: Option<&Prediction>,
        totals: &mut Totals,
    ) -> Vec<Mismatch> {
        let mut found = Vec::new();
        let last = self.last.replace((Arc::clone(now), frame));
        let last = last.filter(|(_, then)| *then != frame);
        self.two_players = now.player_count == 2;
        match now.mode {
            Mode::Options => self.options(now, frame, totals, &mut found),
            Mode::Preparing => {
                self.leave_round(totals);
                self.option_state = None;
            }
            Mode::Other => {
                self.end_round(totals);
                (self.expected, self.option_state) = (Expected::Unknown, None);
            }
            Mode::Viruses | Mode::Play => {
                self.option_state = None;
                if let Some((last, _)) = last.filter(|(last, _)| last.reserve == now.reserve) {
                    self.in_round(&last, now, frame, before, totals, &mut found);
                }
            }
        }
        totals.mismatches += found.len() as u64;
        found
    }

    /// The prediction for a sample after [`Self::step`].
    pub fn predict(&self, now: &Observation, before: Option<&Prediction>) -> Option<Prediction> {
        match (now.mode, &self.current) {
            (Mode::Options, _) => {
                let (state, levels) = Prediction::starts(now)?;
                Some(Prediction::of_options(state, levels, before))
            }
            (Mode::Viruses | Mode::Play, Some(current)) => {
                Some(Prediction::of_round(&current.round, current.thrown, before))
            }
            _ => None,
        }
    }

    /// The generator steps once per frame on the options screen, and less often when the game is slow.
    fn options(&mut self, now: &Observation, frame: u64, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        self.end_round(totals);
        let steps = |(state, then): (State, u64)| {
            let steps = state.distance(now.state).map(u64::from);
            let right = |steps: u64| frame < then || frame - then > MAX_GAP || steps <= frame - then + 1;
            (steps.is_some_and(right), steps, frame.saturating_sub(then))
        };
        match self.option_state.map(steps) {
            None if !now.state.is_reachable() => return,
            None => {}
            Some((true, ..)) => self.verified(CheckId::OPTION_STEPS, "one step per frame".into()),
            Some((false, made, frames)) => {
                // A sample in the middle of a step has a state of its own; the next sample agrees with the one before it again.
                let again = self.doubtful.replace((now.state, frame)).map(steps);
                if !again.is_some_and(|(right, ..)| right) {
                    return;
                }
                let made = made.map_or_else(|| "an impossible number of".into(), |steps| steps.to_string());
                let what =
                    format!("the generator made {made} steps in {frames} frames (state {})", now.state);
                let right = format!("at most {}", frames + 1);
                found.push(self.mismatch(CheckId::OPTION_STEPS, what, right, made, "rng_state", None, frame));
            }
        }
        self.doubtful = None;
        self.option_state = Some((now.state, frame));
        self.expected = Expected::Options(now.state, frame);
    }

    /// The round is over: the next one starts in the state that it left.
    fn leave_round(&mut self, totals: &mut Totals) {
        if let Some(current) = self.end_round(totals) {
            self.expected = Expected::Exactly(current.round.viruses.after, current.frame);
        }
    }

    fn end_round(&mut self, totals: &mut Totals) -> Option<Current> {
        let current = self.current.take()?;
        current.queues.iter().for_each(|queue| queue.end(totals));
        Some(current)
    }

    /// Two samples with the same reserve.
    fn in_round(
        &mut self,
        last: &Observation,
        now: &Observation,
        frame: u64,
        before: Option<&Prediction>,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        if !matches!(last.mode, Mode::Viruses | Mode::Play) {
            return;
        }
        if self.current.as_ref().is_some_and(|current| current.round.reserve != now.reserve) {
            let current = self.current.as_ref();
            let differ = current.map_or(0, |current| differing(&current.round.reserve, &now.reserve));
            // A few wrong cells are a fault in this round, and not another round.
            if differ > MAX_WRONG {
                self.leave_round(totals);
            }
        }
        if self.current.is_none() && self.unknown != Some(now.reserve) {
            self.begin(now, frame, totals, found);
        }
        let Some(mut current) = self.current.take() else { return };
        self.check_round(&mut current, now, frame, before, totals, found);
        self.current = Some(current);
    }

    /// A new reserve: finds the state from which it was made.
    fn begin(&mut self, now: &Observation, frame: u64, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let expected = std::mem::replace(&mut self.expected, Expected::Unknown);
        let Some(levels) = now.levels().filter(|_| now.reserve.is_plausible()) else { return };
        let start = self.start(now, expected, frame);
        self.unknown = None;
        self.rounds += 1;
        totals.rounds += 1;
        self.results = Default::default();
        let Some(Start { state, predicted, extra_step }) = start else {
            self.unknown = Some(now.reserve);
            let what = "no state of the generator makes these capsules".to_owned();
            let actual = digits(&now.reserve);
            found.push(self.mismatch(
                CheckId::GENERATION,
                what,
                "capsules that a state makes".into(),
                actual,
                "reserve",
                None,
                frame,
            ));
            return;
        };
        // After a round that was won, the number of the level is already that of the next one.
        let earlier = match levels {
            Levels::One(level) => Levels::One(level.saturating_sub(1)),
            Levels::Two(..) => levels,
        };
        let made = |levels: Levels| match extra_step {
            None => Round::new(state, levels),
            Some(place) => Round::with_extra_step(state, place, levels),
        };
        let mut round = made(levels);
        if now.mode == Mode::Play && round.viruses.after != now.state {
            let other = made(earlier);
            if other.viruses.after == now.state {
                round = other;
            }
        }
        totals.rounds_predicted += u64::from(predicted);
        if let Expected::Exactly(right, then) = expected
            && right != state
            && frame.saturating_sub(then) <= NO_OPTIONS
        {
            let what = format!("the round was made from state {state}, the previous one left {right}");
            let (right, actual) = (right.to_string(), state.to_string());
            found.push(self.mismatch(CheckId::GENERATION, what, right, actual, "rng_state", None, frame));
        }
        let wrong = changed_places(&round.reserve, &now.reserve);
        if let Some(place) = extra_step {
            let what = format!(
                "the generator made one step too many before the capsule at place {place}: the capsules from there to place 0 come \
                 from later states than predicted"
            );
            let to = |reserve: &Reserve| digits(reserve)[..=place].to_owned();
            let (right, actual) = (to(&Reserve::new(state).0), to(&now.reserve));
            let index = u32::try_from(place).ok();
            found.push(self.mismatch(CheckId::GENERATION, what, right, actual, "reserve", index, frame));
        } else if let Some(first) = wrong.first().map(|suspect| suspect.index) {
            let what = format!(
                "{} of the 128 capsules differ from those that state {state} makes, the first at place {first}",
                wrong.len()
            );
            let from = |reserve: &Reserve| digits(reserve).split_off(first as usize);
            let index = Some(first);
            let (right, actual) = (from(&round.reserve), from(&now.reserve));
            found.push(self.mismatch(CheckId::GENERATION, what, right, actual, "reserve", index, frame));
        } else if found.is_empty() {
            totals.rounds_verified += 1;
            let how = if predicted { ", as predicted" } else { "" };
            self.verified(CheckId::GENERATION, format!("capsules and viruses from state {state}{how}"));
        }
        self.current = Some(Current {
            round: Arc::new(round),
            number: self.rounds,
            frame,
            queues: Default::default(),
            thrown: [None; 2],
            viruses_verified: [false; 2],
            suspects: Vec::new(),
            // They are in the mismatch above.
            reported: wrong.iter().map(|suspect| (CheckId::GENERATION, 0, suspect.index)).collect(),
        });
    }

    /// From what the reserve was made.
    fn start(&self, now: &Observation, expected: Expected, frame: u64) -> Option<Start> {
        let exact = || Some((starts::of_reserve(&now.reserve)?, None));
        let with_extra_step = || {
            let (state, place) = starts::of_reserve_with_extra_step(&now.reserve)?;
            (place >= MIN_EXTRA_STEP_PLACE).then_some((state, Some(place)))
        };
        let like = |state: &State| differing(&Reserve::new(*state).0, &now.reserve) <= MAX_WRONG;
        let nearest = |from: State| {
            let like = || Some((from.orbit().find(like)?, None));
            exact().or_else(with_extra_step).or_else(like)
        };
        let expected_state = match expected {
            Expected::Exactly(state, _) => state,
            Expected::Options(state, _) => state.step(),
            Expected::Unknown => now.state.step(),
        };
        let (state, extra_step) = nearest(expected_state)?;
        let predicted = match expected {
            Expected::Exactly(expected, _) => state == expected,
            Expected::Options(earlier, then) => {
                let frames = frames_between(earlier, state).unwrap_or(PERIOD);
                let in_time = u64::from(frames) <= frame.saturating_sub(then) + 1;
                in_time && frames <= AHEAD
            }
            Expected::Unknown => false,
        };
        Some(Start { state, predicted: predicted && extra_step.is_none(), extra_step })
    }

    fn check_round(
        &mut self,
        current: &mut Current,
        now: &Observation,
        frame: u64,
        before: Option<&Prediction>,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let before =
            before.filter(|before| before.round.as_ref().is_some_and(|round| *round == current.round));
        current.frame = frame;
        let mut suspects = changed_places(&current.round.reserve, &now.reserve);
        for (number, player) in now.playing() {
            self.check_viruses(current, (number, player), now.mode, &mut suspects);
            if now.mode == Mode::Play {
                let sample = (number, player, frame, before);
                found.extend(self.check_queue(current, sample, totals));
                self.check_falling(current, (number, player), &mut suspects);
            }
        }
        if now.mode == Mode::Play {
            let after = current.round.viruses.after;
            if now.state == after {
                self.verified(CheckId::OPTION_STEPS, "no step in play".into());
            } else {
                suspects.push(Suspect {
                    check: CheckId::OPTION_STEPS,
                    player: 0,
                    index: u32::from(now.state.0),
                    expected: after.to_string(),
                    actual: now.state.to_string(),
                    what: format!(
                        "the generator has the state {}, after the viruses it was {after}",
                        now.state
                    ),
                    field: "rng_state".into(),
                });
            }
        }
        for suspect in &suspects {
            let index = (suspect.check, suspect.player, suspect.index);
            if current.suspects.contains(suspect) && current.reported.insert(index) {
                let Suspect { check, index, expected, actual, what, field, .. } = suspect.clone();
                let index = (check != CheckId::OPTION_STEPS).then_some(index);
                found.push(self.mismatch(check, what, expected, actual, &field, index, frame));
            }
        }
        current.suspects = suspects;
    }

    /// Viruses appear and vanish, but none is where the model has none of its colour; before the first throw, all are there.
    fn check_viruses(
        &mut self,
        current: &mut Current,
        (number, player): (usize, &PlayerObservation),
        mode: Mode,
        suspects: &mut Vec<Suspect>,
    ) {
        let right = &current.round.viruses.bottles[number];
        let actual = Bottle::of_field(&player.field);
        let complete = mode == Mode::Play
            && player.thrown() == 0
            && current.thrown[number].unwrap_or(0) == 0
            && player.to_place == 0;
        let count = suspects.len();
        for at in 0..CELLS {
            let (expected, virus) = (right.virus(at), actual.virus(at));
            if virus == expected || virus.is_none() && !complete {
                continue;
            }
            let name = |virus: Option<u8>| {
                let color = virus.and_then(|code| crate::games::dr_mario::COLORS.get(usize::from(code)));
                color.map_or_else(|| "no virus".to_owned(), |color| format!("a {} virus", color.name()))
            };
            let (expected, actual) = (name(expected), name(virus));
            suspects.push(Suspect {
                check: CheckId::VIRUSES,
                player: number,
                index: u32::try_from(at).unwrap_or(0),
                what: format!(
                    "player {}, row {}, column {}: predicted {expected}, the bottle has {actual}",
                    number + 1,
                    at / 8 + 1,
                    at % 8 + 1
                ),
                expected,
                actual,
                field: format!("p{}_field", number + 1),
            });
        }
        if complete && suspects.len() == count {
            current.viruses_verified[number] = true;
        }
        if suspects.len() == count && current.viruses_verified[number] {
            self.verified(CheckId::VIRUSES, format!("{} viruses as predicted", right.count()));
        }
    }

    /// The next capsule.
    fn check_queue(
        &mut self,
        current: &mut Current,
        (number, player, frame, before): (usize, &PlayerObservation, u64, Option<&Prediction>),
        totals: &mut Totals,
    ) -> Vec<Mismatch> {
        let thrown = u16::from(player.thrown());
        let earlier = current.thrown[number].unwrap_or(thrown);
        // The count of the reserve's repetitions goes on when the index starts again.
        let repeats = earlier / 128 + u16::from(thrown + 64 < earlier % 128);
        let thrown = thrown + 128 * repeats;
        current.thrown[number] = Some(thrown);
        let Some(next) = player.next() else { return Vec::new() };
        let pair = |number: u16| current.round.reserve.capsule(number.into()).pair();
        let coming: Option<(u16, Vec<Pair>)> = before
            .and_then(|before| before.thrown[number])
            .map(|thrown| (thrown, (thrown..thrown + 8).map(pair).collect()));
        let sample = queue::Sample {
            player: number,
            observed: queue::ObservedQueue {
                pairs: vec![next.pair()],
                pairs_dealt: thrown,
                pool_index: None,
            },
            expected: Ok(queue::Expected { pairs: vec![(pair(thrown), None)], pool_index: None }),
            frame,
            frame_moved: true,
            before: coming.as_ref().map(|(thrown, pairs)| (*thrown, pairs.as_slice())),
            round: current.number,
            text: Pair::letters,
            unit: Unit::Capsules,
        };
        let mut found = current.queues[number].step(&sample, totals);
        for mismatch in &mut found {
            mismatch.field = format!("p{}_next", number + 1);
            self.set_result(mismatch.check, Status::Mismatch, mismatch.what.clone());
        }
        found
    }

    /// The falling capsule is the one before the next.
    fn check_falling(
        &mut self,
        current: &Current,
        (number, player): (usize, &PlayerObservation),
        suspects: &mut Vec<Suspect>,
    ) {
        let Some(thrown) = current.thrown[number].and_then(|thrown| thrown.checked_sub(1)) else { return };
        let right = current.round.reserve.capsule(thrown.into());
        let letters = |capsule: Capsule| capsule.pair().letters();
        match player.falling() {
            Some(falling) if falling == right => {
                self.verified(CheckId::FALLING_CAPSULE, format!("capsule {} of the round falls", thrown + 1));
            }
            falling => {
                let (expected, actual) = (letters(right), falling.map_or_else(|| "none".into(), letters));
                suspects.push(Suspect {
                    check: CheckId::FALLING_CAPSULE,
                    player: number,
                    index: thrown.into(),
                    what: format!(
                        "player {}, capsule {} of the round: {expected} was next, {actual} falls",
                        number + 1,
                        thrown + 1
                    ),
                    expected,
                    actual,
                    field: format!("p{}_capsule", number + 1),
                });
            }
        }
    }

    fn verified(&mut self, id: CheckId, detail: String) {
        self.set_result(id, Status::Verified, detail);
    }

    fn set_result(&mut self, id: CheckId, status: Status, detail: String) {
        if let Some(at) = CHECKS.iter().position(|check| *check == id) {
            self.results[at] = Some((status, detail));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a mismatch")]
    fn mismatch(
        &mut self,
        check: CheckId,
        what: String,
        expected: String,
        actual: String,
        field: &str,
        index: Option<u32>,
        frame: u64,
    ) -> Mismatch {
        self.set_result(check, Status::Mismatch, what.clone());
        Mismatch {
            check,
            what,
            expected,
            actual,
            field: field.into(),
            index,
            frame,
            round: self.rounds,
            evidence: None,
            one_of: false,
        }
    }

    /// The number of the current or last round, from 1 since attaching; 0 before the first.
    pub const fn round(&self) -> u64 {
        self.rounds
    }

    /// The results of the checks.
    pub fn verdict(&self) -> Verdict {
        let check = |(id, result): (&CheckId, &Option<(Status, String)>)| {
            let player = [CheckId::QUEUE_P1, CheckId::QUEUE_P2].iter().position(|queue| queue == id);
            match (player, &self.current, result) {
                (Some(1), _, _) if !self.two_players => {
                    Check { id: *id, status: Status::Nothing, detail: "one player".into() }
                }
                (Some(player), Some(current), _) => current.queues[player].check(*id, true),
                (_, _, Some((status, detail))) => Check { id: *id, status: *status, detail: detail.clone() },
                (_, Some(_), None) => {
                    Check { id: *id, status: Status::NotVerified, detail: "not checked yet".into() }
                }
                (_, None, None) => Check { id: *id, status: Status::Nothing, detail: "no round yet".into() },
            }
        };
        Verdict { checks: CHECKS.iter().zip(&self.results).map(check).collect() }
    }
}

/// The number of places in which two reserves differ.
fn differing(one: &Reserve, other: &Reserve) -> usize {
    one.0.iter().zip(&other.0).filter(|(one, other)| one != other).count()
}

/// The places of a reserve that changed after it was made.
fn changed_places(right: &Reserve, actual: &Reserve) -> Vec<Suspect> {
    let places = (0_u32..).zip(right.0.iter().zip(&actual.0));
    let changed = places.filter(|(_, (right, actual))| right != actual);
    let suspect = |(place, (right, actual)): (u32, (&u8, &u8))| {
        let letters = |number: u8| Capsule(number).pair().letters();
        let (expected, actual) = (letters(*right), letters(*actual));
        Suspect {
            check: CheckId::GENERATION,
            player: 0,
            index: place,
            what: format!("place {place} of the reserve: predicted {expected}, the cell has {actual}"),
            expected,
            actual,
            field: "reserve".into(),
        }
    };
    changed.map(suspect).collect()
}

fn digits(reserve: &Reserve) -> String {
    reserve.0.iter().map(|number| format!("{number:X}")).collect()
}
