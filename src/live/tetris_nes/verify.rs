//! Emulator against model, sample by sample.
//!
//! The generator's place in its cycle less the frames that went by, its phase, changes only by steps beside those of the frames: in
//! play that is the second roll of a pick. A sample may fall into the middle of an interrupt or of a pick; what two samples in
//! different frames show alike is complete, and only that is judged.

use super::judge::{Judged, Picked};
use super::{Observation, Work};
use crate::game::piece::{Piece, letters};
use crate::game::tetris_nes::{PERIOD, Spawner, TABLE, piece_of};
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use std::sync::Arc;

/// Samples that disagree with one another before what came in between is given up.
const PENDING_MOST: usize = 12;
/// Samples in a row, each in a frame of its own, that must agree before they are judged. Some emulators do other work while the
/// interrupt is under way, so that one or two samples in a row are half done.
const ALIKE: usize = 3;
/// The same for a generator that is one step behind the frames: that is how a sample looks in which the frame is counted and the step is
/// to come.
const ALIKE_BEHIND: usize = 6;
/// Frames between two samples after which nothing is judged: a whole game may have passed unseen.
const GAP_MOST: u64 = 100;
/// Samples in a row whose state never occurs before it is believed.
const NEVER_MOST: u32 = 2;

const CHECKS: [CheckId; 5] = [
    CheckId::GeneratorSteps,
    CheckId::SpawnCount,
    CheckId::DealtPiece,
    CheckId::CurrentPiece,
    CheckId::Statistics,
];

/// One sample.
#[derive(Debug, Clone)]
struct Sample {
    seen: Arc<Observation>,
    frame: u64,
    /// Steps of the generator less frames.
    phase: u16,
    /// Whether the main loop's work of this frame is over without doubt.
    done: bool,
}

impl Sample {
    fn agrees(&self, other: &Self) -> bool {
        let (one, two) = (&self.seen, &other.seen);
        self.frame != other.frame
            && self.phase == other.phase
            && one.in_play() == two.in_play()
            && (one.spawner.count, one.spawner.last, one.next)
                == (two.spawner.count, two.spawner.last, two.next)
            && one.statistics == two.statistics
    }
}

/// Holds samples against the model and against one another.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    previous: Option<(Arc<Observation>, u64)>,
    /// The newest sample that agreed with another one.
    settled: Option<Sample>,
    /// Those since then that did not.
    pending: Vec<Sample>,
    never: u32,
    games: u64,
    in_game: bool,
    standing: [Option<(Status, String)>; CHECKS.len()],
}

impl Verifier {
    /// Forgets what was seen: the emulator was reset, another game came, the connection was lost.
    pub fn restart(&mut self) {
        *self = Self { games: self.games, ..Self::default() };
    }

    /// Takes the next sample. `frame` is the game's own frame count, extended over the wraps of its cell.
    pub fn step(&mut self, now: &Arc<Observation>, frame: u64, totals: &mut Totals) -> Vec<Mismatch> {
        let done = self.previous.as_ref().is_some_and(|(before, then)| done(before, *then, now, frame));
        self.previous = Some((Arc::clone(now), frame));
        self.in_game &= now.in_play();
        let mut found = Vec::new();
        let Some(place) = now.spawner.state.steps_from_boot() else {
            self.never += 1; // a sample between the writes of its two bytes sees nonsense once
            if self.never == NEVER_MOST && now.in_play() {
                let state = now.spawner.state;
                let what = format!("the generator stands at {state}, which never occurs");
                found.push(self.mismatch(
                    CheckId::GeneratorSteps,
                    what,
                    "a state of the cycle",
                    state.to_string(),
                    now.dealt(),
                    frame,
                ));
                self.forget();
            }
            totals.mismatches += found.len() as u64;
            return found;
        };
        self.never = 0;
        let period = u64::from(PERIOD);
        let phase = (u64::from(place) + period - frame % period) % period;
        let sample = Sample { seen: Arc::clone(now), frame, phase: u16::try_from(phase).unwrap_or(0), done };
        self.take(sample, totals, &mut found);
        totals.mismatches += found.len() as u64;
        found
    }

    fn forget(&mut self) {
        self.settled = None;
        self.pending.clear();
    }

    fn take(&mut self, sample: Sample, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let alike = self.pending.iter().rev().take_while(|other| other.agrees(&sample)).count() + 1;
        let behind = |settled: &Sample| (sample.phase + 1) % PERIOD == settled.phase;
        let needed = if self.settled.as_ref().is_some_and(behind) { ALIKE_BEHIND } else { ALIKE };
        if alike >= needed {
            let pending = std::mem::take(&mut self.pending);
            match self.settled.take() {
                Some(before) => self.judge(&before, &pending, &sample, totals, found),
                None => self.begin(&sample, totals),
            }
            self.settled = Some(sample);
        } else if self.settled.as_ref().is_some_and(|settled| settled.agrees(&sample)) {
            // What was seen in between was half done: an interrupt under way.
            self.pending.clear();
            if sample.seen.in_play() {
                self.holds(CheckId::GeneratorSteps, || "one step a frame".into());
            }
            self.settled = Some(sample);
        } else {
            if self.pending.len() >= PENDING_MOST {
                let before = self.settled.take();
                let missed = before.filter(|before| before.seen.in_play() && sample.seen.in_play());
                let missed =
                    missed.map_or(0, |before| sample.seen.dealt().saturating_sub(before.seen.dealt()));
                totals.pairs_unseen += u64::from(missed);
                self.pending.clear();
            }
            self.pending.push(sample);
        }
    }

    /// The first thing that is certain since the connection was made.
    fn begin(&mut self, now: &Sample, totals: &mut Totals) {
        if now.seen.in_play() && !self.in_game {
            self.new_game(totals);
        }
    }

    /// What was found of the game before says nothing of this one.
    fn new_game(&mut self, totals: &mut Totals) {
        self.in_game = true;
        self.games += 1;
        totals.rounds += 1;
        self.standing = Default::default();
    }

    /// Some samples agree on something that differs from what was settled before.
    fn judge(
        &mut self,
        before: &Sample,
        between: &[Sample],
        now: &Sample,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let (old, new) = (&before.seen, &now.seen);
        if !new.in_play() {
            self.in_game = false;
            return;
        }
        let gap = now.frame.saturating_sub(before.frame) > GAP_MOST;
        if old.in_play() && (gap || !self.in_game) {
            // Another game, or too long unseen to tell.
            totals.pairs_unseen += u64::from(new.dealt().saturating_sub(old.dealt()));
            self.begin(now, totals);
            return;
        }
        let extra = if now.phase >= before.phase {
            now.phase - before.phase
        } else {
            PERIOD - before.phase + now.phase
        };
        let changed = |sample: &&Sample| {
            sample.seen.spawner.count != old.spawner.count || sample.seen.statistics != old.statistics
        };
        let last = between.iter().find(changed).unwrap_or(now).frame;
        let picked = Picked {
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
            if new.dealt() == 1 && counted == 2 && (1..=Picked::START_STEPS).contains(&extra) {
                self.started(&picked, now, totals, found);
            } else {
                totals.pairs_unseen += u64::from(new.dealt()) + 1;
            }
            return;
        }
        let index = new.dealt();
        match new.dealt() - old.dealt() {
            0 if counted != 0 => self.wrong_count(now, old.spawner.count, index, found),
            0 if (old.next, old.spawner.last) != (new.next, new.spawner.last) => {
                let what = format!("piece {} changed without being picked anew", index + 1);
                let (was, is) = (shown(old.next), shown(new.next));
                found.push(self.mismatch(CheckId::DealtPiece, what, &was, is, index, now.frame));
            }
            0 => self.wrong_steps(extra, 0, now, index, found),
            1 => {
                self.came_into_play(old, between.last(), now, index, found);
                if counted != 1 {
                    self.wrong_count(now, old.spawner.count.wrapping_add(1), index, found);
                } else if extra > 1 {
                    self.wrong_steps(extra, 1, now, index, found);
                } else {
                    self.holds(CheckId::SpawnCount, || format!("{} picks since power-on", new.spawner.count));
                    self.dealt(&picked, now, totals, found);
                }
            }
            several => totals.pairs_unseen += u64::from(several),
        }
    }

    fn started(&mut self, picked: &Picked, now: &Sample, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let (Some(current), Some(next)) = (now.seen.current_piece(), now.seen.next_piece()) else {
            totals.pairs_unseen += 2;
            return;
        };
        match picked.start(current, next) {
            Judged::Right => {
                totals.pairs_verified += 2;
                totals.rounds_verified += 1;
                self.holds(CheckId::DealtPiece, || {
                    format!("the game began with {current} and {next}, as it must")
                });
            }
            Judged::Open => totals.pairs_unseen += 2,
            Judged::Wrong(possible) => {
                let what = format!("the game began with {current} and {next}: not what the generator picks");
                let actual = format!("{current}{next}");
                let expected = letters(&possible);
                let told = self.mismatch(CheckId::DealtPiece, what, &expected, actual, 0, now.frame);
                found.push(Mismatch { one_of: true, ..told });
            }
        }
    }

    /// Holds the piece that was picked against those that could be.
    fn dealt(&mut self, picked: &Picked, now: &Sample, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let index = now.seen.dealt();
        let number = index + 1;
        let Some(piece) = now.seen.next_piece().filter(|_| now.seen.next == now.seen.spawner.last) else {
            let what = format!("piece {number} of the game is not the one that was picked");
            let (was, is) = (shown(now.seen.spawner.last), shown(now.seen.next));
            found.push(self.mismatch(CheckId::DealtPiece, what, &was, is, index, now.frame));
            return;
        };
        match picked.piece(piece) {
            Judged::Right => {
                totals.pairs_verified += 1;
                self.holds(CheckId::DealtPiece, || {
                    format!("piece {number} of the game is {piece}, as its frame says")
                });
            }
            Judged::Open => totals.pairs_unseen += 1,
            Judged::Wrong(possible) => {
                let could =
                    if possible.is_empty() { "no pick fits the steps".into() } else { letters(&possible) };
                let what =
                    format!("piece {number} of the game: {piece} was picked, the generator picks {could}");
                let actual = piece.to_string();
                let told = self.mismatch(CheckId::DealtPiece, what, &could, actual, index, now.frame);
                found.push(Mismatch { one_of: possible.len() > 1, ..told });
            }
        }
    }

    /// The next piece became the one in play, and was counted.
    fn came_into_play(
        &mut self,
        old: &Observation,
        earlier: Option<&Sample>,
        now: &Sample,
        index: u32,
        found: &mut Vec<Mismatch>,
    ) {
        let Some(right) = old.next_piece() else { return };
        let new = &now.seen;
        // The next deal may be under way, which begins with this cell.
        let stands =
            |current: &Piece| earlier.is_some_and(|earlier| earlier.seen.current_piece() == Some(*current));
        if let Some(current) = new.current_piece().filter(stands) {
            if current == right {
                self.holds(CheckId::CurrentPiece, || format!("{current} came into play after it was next"));
            } else {
                let what = format!("piece {index} of the game: {right} was next, {current} came into play");
                let right = right.to_string();
                found.push(self.mismatch(
                    CheckId::CurrentPiece,
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
            self.holds(CheckId::Statistics, || format!("{index} pieces counted"));
        } else {
            let what = format!("piece {index} of the game is {right}, counted was {}", letters(&counted));
            let right = right.to_string();
            found.push(self.mismatch(CheckId::Statistics, what, &right, letters(&counted), index, now.frame));
        }
    }

    fn wrong_count(&mut self, now: &Sample, right: u8, index: u32, found: &mut Vec<Mismatch>) {
        let is = now.seen.spawner.count;
        let what = format!("piece {} of the game: the count of picks is {is}, {right} is right", index + 1);
        found.push(self.mismatch(
            CheckId::SpawnCount,
            what,
            &right.to_string(),
            is.to_string(),
            index,
            now.frame,
        ));
    }

    fn wrong_steps(&mut self, extra: u16, most: u16, now: &Sample, index: u32, found: &mut Vec<Mismatch>) {
        let Spawner { state, .. } = now.seen.spawner;
        let what = format!(
            "the generator at {state} made {extra} steps beside those of the frames, {most} at most are right"
        );
        found.push(self.mismatch(
            CheckId::GeneratorSteps,
            what,
            &most.to_string(),
            extra.to_string(),
            index,
            now.frame,
        ));
    }

    fn holds(&mut self, id: CheckId, detail: impl FnOnce() -> String) {
        self.stands(id, Status::Holds, detail());
    }

    fn stands(&mut self, id: CheckId, status: Status, detail: String) {
        if let Some(at) = CHECKS.iter().position(|check| *check == id) {
            self.standing[at] = Some((status, detail));
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
        self.stands(check, Status::Mismatch, what.clone());
        let field = match check {
            CheckId::GeneratorSteps => "rng_state",
            CheckId::SpawnCount => "spawn_count",
            CheckId::CurrentPiece => "current_piece",
            CheckId::Statistics => "statistics",
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

    /// The round under way, or the last one, counted from 1 since attaching; 0 before the first.
    #[must_use]
    pub const fn round(&self) -> u64 {
        self.games
    }

    /// How the checks stand now.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let check = |(id, standing): (CheckId, &Option<(Status, String)>)| match standing {
            Some((status, detail)) => Check { id, status: *status, detail: detail.clone() },
            None if self.in_game => Check { id, status: Status::NotVerified, detail: "not seen yet".into() },
            None => Check { id, status: Status::Nothing, detail: "no game yet".into() },
        };
        Verdict { checks: CHECKS.into_iter().zip(&self.standing).map(check).collect() }
    }
}

/// Whether the pass of this frame is over: the loop waits, and its cells changed since it waited one frame earlier. That it waits
/// alone is said too soon while the interrupt that begins the frame is under way.
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
