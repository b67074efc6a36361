//! Compares emulator and model, sample by sample.
//!
//! The phase is the generator's position in its cycle minus the frames. It changes only with steps in addition to one per frame: in
//! play, the reroll of a draw. A sample may fall into the middle of an interrupt or a draw. Values that agree in samples of several
//! frames are complete, and only those are checked.

use crate::games::piece::{Piece, letters};
use crate::games::tetris_nes::live::draw::{DrawResult, DrawWindow};
use crate::games::tetris_nes::live::{Observation, Work};
use crate::games::tetris_nes::{PERIOD, Spawner, TABLE, piece_of};
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use std::sync::Arc;

/// Samples that disagree with one another before verification starts again.
const MAX_PENDING: usize = 12;
/// Consecutive samples in different frames that must agree before they are checked. Some emulators do other work during the
/// interrupt, so that one or two consecutive samples are incomplete.
const AGREEING: usize = 3;
/// The same for a generator that is one step behind the frames, as in a sample after the frame is counted but before the step.
const AGREEING_BEHIND: usize = 6;
/// The longest gap in frames that is checked; in a longer one an entire game may have passed.
const MAX_GAP: u64 = 100;
/// Consecutive samples with an impossible state before it is reported.
const MAX_IMPOSSIBLE: u32 = 2;

const CHECKS: [CheckId; 5] = [
    CheckId::GENERATOR_STEPS,
    CheckId::SPAWN_COUNT,
    CheckId::DEALT_PIECE,
    CheckId::CURRENT_PIECE,
    CheckId::STATISTICS,
];

/// One sample.
#[derive(Debug, Clone)]
struct Sample {
    observation: Arc<Observation>,
    frame: u64,
    /// Steps of the generator minus frames.
    phase: u16,
    /// Whether the main loop has certainly finished this frame.
    done: bool,
}

impl Sample {
    fn agrees(&self, other: &Self) -> bool {
        let (one, two) = (&self.observation, &other.observation);
        self.frame != other.frame
            && self.phase == other.phase
            && one.in_play() == two.in_play()
            && (one.spawner.count, one.spawner.last, one.next)
                == (two.spawner.count, two.spawner.last, two.next)
            && one.statistics == two.statistics
    }
}

/// Compares samples with the model and with one another.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    previous: Option<(Arc<Observation>, u64)>,
    /// The newest sample that others confirmed.
    settled: Option<Sample>,
    /// Samples since then that are not confirmed.
    pending: Vec<Sample>,
    impossible: u32,
    games: u64,
    in_game: bool,
    results: [Option<(Status, String)>; CHECKS.len()],
}

impl Verifier {
    /// Discards the samples so far after a reset, another game or a lost connection.
    pub fn reset(&mut self) {
        *self = Self { games: self.games, ..Self::default() };
    }

    /// Processes the next sample. `frame` is the number of frames since attaching.
    pub fn step(&mut self, now: &Arc<Observation>, frame: u64, totals: &mut Totals) -> Vec<Mismatch> {
        let done = self.previous.as_ref().is_some_and(|(before, then)| done(before, *then, now, frame));
        self.previous = Some((Arc::clone(now), frame));
        self.in_game &= now.in_play();
        let mut found = Vec::new();
        let Some(place) = now.spawner.state.steps_from_boot() else {
            self.impossible += 1; // a sample between the writes of its two bytes is invalid once
            if self.impossible == MAX_IMPOSSIBLE && now.in_play() {
                let state = now.spawner.state;
                let what = format!("the generator has the state {state}, which never occurs");
                found.push(self.mismatch(
                    CheckId::GENERATOR_STEPS,
                    what,
                    "a state of the cycle",
                    state.to_string(),
                    now.dealt(),
                    frame,
                ));
                self.discard();
            }
            totals.mismatches += found.len() as u64;
            return found;
        };
        self.impossible = 0;
        let period = u64::from(PERIOD);
        let phase = (u64::from(place) + period - frame % period) % period;
        let sample =
            Sample { observation: Arc::clone(now), frame, phase: u16::try_from(phase).unwrap_or(0), done };
        self.process(sample, totals, &mut found);
        totals.mismatches += found.len() as u64;
        found
    }

    fn discard(&mut self) {
        self.settled = None;
        self.pending.clear();
    }

    fn process(&mut self, sample: Sample, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let alike = self.pending.iter().rev().take_while(|other| other.agrees(&sample)).count() + 1;
        let behind = |settled: &Sample| (sample.phase + 1) % PERIOD == settled.phase;
        let needed = if self.settled.as_ref().is_some_and(behind) { AGREEING_BEHIND } else { AGREEING };
        if alike >= needed {
            let pending = std::mem::take(&mut self.pending);
            match self.settled.take() {
                Some(before) => self.check(&before, &pending, &sample, totals, found),
                None => self.begin(&sample, totals),
            }
            self.settled = Some(sample);
        } else if self.settled.as_ref().is_some_and(|settled| settled.agrees(&sample)) {
            // The samples in between were incomplete: an interrupt was running.
            self.pending.clear();
            if sample.observation.in_play() {
                self.verified(CheckId::GENERATOR_STEPS, || "one step per frame".into());
            }
            self.settled = Some(sample);
        } else {
            if self.pending.len() >= MAX_PENDING {
                let before = self.settled.take();
                let missed =
                    before.filter(|before| before.observation.in_play() && sample.observation.in_play());
                let missed = missed.map_or(0, |before| {
                    sample.observation.dealt().saturating_sub(before.observation.dealt())
                });
                totals.pairs_missed += u64::from(missed);
                self.pending.clear();
            }
            self.pending.push(sample);
        }
    }

    /// Starts from the first confirmed sample.
    fn begin(&mut self, now: &Sample, totals: &mut Totals) {
        if now.observation.in_play() && !self.in_game {
            self.new_game(totals);
        }
    }

    /// Starts a game and clears the results of the previous one.
    fn new_game(&mut self, totals: &mut Totals) {
        self.in_game = true;
        self.games += 1;
        totals.rounds += 1;
        self.results = Default::default();
    }

    /// Checks confirmed samples that differ from those confirmed before.
    fn check(
        &mut self,
        before: &Sample,
        between: &[Sample],
        now: &Sample,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let (old, new) = (&before.observation, &now.observation);
        if !new.in_play() {
            self.in_game = false;
            return;
        }
        let gap = now.frame.saturating_sub(before.frame) > MAX_GAP;
        if old.in_play() && (gap || !self.in_game) {
            // Another game, or the gap is too long to check.
            totals.pairs_missed += u64::from(new.dealt().saturating_sub(old.dealt()));
            self.begin(now, totals);
            return;
        }
        let extra = if now.phase >= before.phase {
            now.phase - before.phase
        } else {
            PERIOD - before.phase + now.phase
        };
        let changed = |sample: &&Sample| {
            sample.observation.spawner.count != old.spawner.count
                || sample.observation.statistics != old.statistics
        };
        let last = between.iter().find(changed).unwrap_or(now).frame;
        let picked = DrawWindow {
            phase: before.phase,
            frames: (before.frame + u64::from(before.done), last),
            first_unlikely: !before.done && old.work == Work::Waits,
            before: old.spawner,
            extra,
            how: new.how,
        };
        let counted = new.spawner.count.wrapping_sub(old.spawner.count);
        if !old.in_play() || new.dealt() < old.dealt() {
            self.new_game(totals);
            if new.dealt() == 1 && counted == 2 && (1..=DrawWindow::START_STEPS).contains(&extra) {
                self.started(&picked, now, totals, found);
            } else {
                totals.pairs_missed += u64::from(new.dealt()) + 1;
            }
            return;
        }
        let index = new.dealt();
        match new.dealt() - old.dealt() {
            0 if counted != 0 => self.wrong_count(now, old.spawner.count, index, found),
            0 if (old.next, old.spawner.last) != (new.next, new.spawner.last) => {
                let what = format!("piece {} changed without a draw", index + 1);
                let (was, is) = (shown(old.next), shown(new.next));
                found.push(self.mismatch(CheckId::DEALT_PIECE, what, &was, is, index, now.frame));
            }
            0 => self.wrong_steps(extra, 0, now, index, found),
            1 => {
                self.came_into_play(old, between.last(), now, index, found);
                if counted != 1 {
                    self.wrong_count(now, old.spawner.count.wrapping_add(1), index, found);
                } else if extra > 1 {
                    self.wrong_steps(extra, 1, now, index, found);
                } else {
                    self.verified(CheckId::SPAWN_COUNT, || {
                        format!("{} draws since power-on", new.spawner.count)
                    });
                    self.dealt(&picked, now, totals, found);
                }
            }
            several => totals.pairs_missed += u64::from(several),
        }
    }

    fn started(&mut self, picked: &DrawWindow, now: &Sample, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let (Some(current), Some(next)) = (now.observation.current_piece(), now.observation.next_piece())
        else {
            totals.pairs_missed += 2;
            return;
        };
        match picked.start(current, next) {
            DrawResult::Right => {
                totals.pairs_verified += 2;
                totals.rounds_verified += 1;
                self.verified(CheckId::DEALT_PIECE, || {
                    format!("the game started with {current} and {next} as predicted")
                });
            }
            DrawResult::Open => totals.pairs_missed += 2,
            DrawResult::Wrong(possible) => {
                let what =
                    format!("the game started with {current} and {next}, which the generator does not draw");
                let actual = format!("{current}{next}");
                let expected = letters(&possible);
                let mismatch = self.mismatch(CheckId::DEALT_PIECE, what, &expected, actual, 0, now.frame);
                found.push(Mismatch { one_of: true, ..mismatch });
            }
        }
    }

    /// Compares the drawn piece with the possible ones.
    fn dealt(&mut self, picked: &DrawWindow, now: &Sample, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let index = now.observation.dealt();
        let number = index + 1;
        let Some(piece) =
            now.observation.next_piece().filter(|_| now.observation.next == now.observation.spawner.last)
        else {
            let what = format!("piece {number} of the game is not the one that was drawn");
            let (was, is) = (shown(now.observation.spawner.last), shown(now.observation.next));
            found.push(self.mismatch(CheckId::DEALT_PIECE, what, &was, is, index, now.frame));
            return;
        };
        match picked.piece(piece) {
            DrawResult::Right => {
                totals.pairs_verified += 1;
                self.verified(CheckId::DEALT_PIECE, || {
                    format!("piece {number} of the game is {piece} as predicted for its frame")
                });
            }
            DrawResult::Open => totals.pairs_missed += 1,
            DrawResult::Wrong(possible) => {
                let could =
                    if possible.is_empty() { "no draw matches the steps".into() } else { letters(&possible) };
                let what =
                    format!("piece {number} of the game: the game drew {piece}, the generator draws {could}");
                let actual = piece.to_string();
                let mismatch = self.mismatch(CheckId::DEALT_PIECE, what, &could, actual, index, now.frame);
                found.push(Mismatch { one_of: possible.len() > 1, ..mismatch });
            }
        }
    }

    /// Checks the piece that came into play, and its count.
    fn came_into_play(
        &mut self,
        old: &Observation,
        earlier: Option<&Sample>,
        now: &Sample,
        index: u32,
        found: &mut Vec<Mismatch>,
    ) {
        let Some(right) = old.next_piece() else { return };
        let new = &now.observation;
        // The next deal starts with this cell and may be in progress.
        let confirmed = |current: &Piece| {
            earlier.is_some_and(|earlier| earlier.observation.current_piece() == Some(*current))
        };
        if let Some(current) = new.current_piece().filter(confirmed) {
            if current == right {
                self.verified(CheckId::CURRENT_PIECE, || format!("{current} was next and came into play"));
            } else {
                let what = format!("piece {index} of the game: {right} was next, {current} came into play");
                let right = right.to_string();
                found.push(self.mismatch(
                    CheckId::CURRENT_PIECE,
                    what,
                    &right,
                    current.to_string(),
                    index,
                    now.frame,
                ));
            }
        }
        let counts = old.statistics.iter().zip(&new.statistics).zip(TABLE);
        let counted: Vec<Piece> =
            counts.filter(|((old, new), _)| old != new).map(|(_, (piece, _))| piece).collect();
        if counted == [right] {
            self.verified(CheckId::STATISTICS, || format!("{index} pieces counted"));
        } else {
            let what =
                format!("piece {index} of the game is {right}, but the game counted {}", letters(&counted));
            let right = right.to_string();
            found.push(self.mismatch(CheckId::STATISTICS, what, &right, letters(&counted), index, now.frame));
        }
    }

    fn wrong_count(&mut self, now: &Sample, right: u8, index: u32, found: &mut Vec<Mismatch>) {
        let is = now.observation.spawner.count;
        let what = format!("piece {} of the game: the spawn count is {is}, not {right}", index + 1);
        found.push(self.mismatch(
            CheckId::SPAWN_COUNT,
            what,
            &right.to_string(),
            is.to_string(),
            index,
            now.frame,
        ));
    }

    fn wrong_steps(&mut self, extra: u16, most: u16, now: &Sample, index: u32, found: &mut Vec<Mismatch>) {
        let Spawner { state, .. } = now.observation.spawner;
        let what = format!(
            "the generator made {extra} steps in addition to one per frame, at most {most} are right (state {state})"
        );
        found.push(self.mismatch(
            CheckId::GENERATOR_STEPS,
            what,
            &most.to_string(),
            extra.to_string(),
            index,
            now.frame,
        ));
    }

    fn verified(&mut self, id: CheckId, detail: impl FnOnce() -> String) {
        self.set_result(id, Status::Verified, detail());
    }

    fn set_result(&mut self, id: CheckId, status: Status, detail: String) {
        if let Some(at) = CHECKS.iter().position(|check| *check == id) {
            self.results[at] = Some((status, detail));
        }
    }

    fn mismatch(
        &mut self,
        check: CheckId,
        what: String,
        expected: &str,
        actual: String,
        index: u32,
        frame: u64,
    ) -> Mismatch {
        self.set_result(check, Status::Mismatch, what.clone());
        let field = match check {
            CheckId::GENERATOR_STEPS => "rng_state",
            CheckId::SPAWN_COUNT => "spawn_count",
            CheckId::CURRENT_PIECE => "current_piece",
            CheckId::STATISTICS => "statistics",
            _ => "next_piece",
        };
        Mismatch {
            check,
            what,
            expected: expected.to_owned(),
            actual,
            field: field.into(),
            index: Some(index),
            frame,
            round: self.games,
            evidence: None,
            one_of: false,
        }
    }

    /// The number of the current or last round, from 1 since attaching; 0 before the first.
    pub const fn round(&self) -> u64 {
        self.games
    }

    /// The results of the checks.
    pub fn verdict(&self) -> Verdict {
        let check = |(id, results): (CheckId, &Option<(Status, String)>)| match results {
            Some((status, detail)) => Check { id, status: *status, detail: detail.clone() },
            None if self.in_game => {
                Check { id, status: Status::NotVerified, detail: "not checked yet".into() }
            }
            None => Check { id, status: Status::Nothing, detail: "no game yet".into() },
        };
        Verdict { checks: CHECKS.into_iter().zip(&self.results).map(check).collect() }
    }
}

/// Whether the main loop has finished this frame: it waits, and its cells changed since it waited one frame earlier. Waiting alone is
/// not enough, because it is also reported during the interrupt that starts the frame.
fn done(before: &Observation, then: u64, now: &Observation, frame: u64) -> bool {
    frame == then + 1
        && before.work == Work::Waits
        && now.work == Work::Waits
        && now.sound.is_some()
        && before.sound != now.sound
}

fn shown(orientation: u8) -> String {
    piece_of(orientation).map_or_else(|| format!("{orientation:02X}"), |piece| piece.to_string())
}
