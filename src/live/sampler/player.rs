//! Replays a recording in place of an emulator and publishes the same views.

use super::analysis::{CHECKPOINT_EVERY, Mark, RecordingAnalysis};
use super::{ReplayCommand, SamplerCommand};
use crate::live::replay::{Checkpoint, ReplayError, ReplayVerifier, VerifiedSample, replay_profile};
use crate::live::{Connection, Publisher, ReplayState, View, topic};
use crate::profile::Profile;
use crate::recording::{Cursor, Recording};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Commands are handled at least this often.
const SLICE: Duration = Duration::from_millis(10);
/// The shortest time between views; a window at 60 Hz needs no more.
const PUBLISH_EVERY: Duration = Duration::from_millis(7);
/// How often the progress of the verification is published while nothing else changes.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// A longer gap in the recording is shortened to this.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The slowest and the fastest playback speed.
const SPEEDS: (f64, f64) = (0.01, 1000.0);

/// The target of a seek.
#[derive(Debug, Clone, Copy)]
enum SeekTarget {
    Sample(u64),
    /// The first such mark after this sample, once it is known.
    After(Mark, u64),
}

/// The result of a step.
enum Step {
    Done,
    End,
    /// The analysis thread has not verified the sample yet.
    NotYet,
}

pub struct Player<'a> {
    recording: Arc<Recording>,
    publisher: Publisher<View>,
    view: View,
    inbox: &'a Receiver<SamplerCommand>,
    quit: &'a AtomicBool,
    analysis: RecordingAnalysis,
    verifier: ReplayVerifier,
    peek: Cursor,
    current: Option<VerifiedSample>,
    seek_target: Option<SeekTarget>,
    playing: bool,
    speed: f64,
    /// A moment, and the recording time that corresponds to it.
    anchor: (Instant, Duration),
    published: Instant,
    changed: bool,
}

/// Publishes the recording until `quit`.
pub fn play(
    recording: &Arc<Recording>,
    given: &[Arc<Profile>],
    publisher: Publisher<View>,
    inbox: &Receiver<SamplerCommand>,
    quit: &AtomicBool,
) {
    match Player::new(recording, given, publisher, inbox, quit) {
        Ok(mut player) => player.run(),
        Err((publisher, error)) => {
            tracing::error!("{error}");
            let connection = Connection::Lost { why: error.to_string(), since: Instant::now() };
            publisher.publish(View { sequence: 1, connection, ..View::default() });
            while !quit.load(Ordering::Relaxed) {
                std::thread::sleep(SLICE);
            }
        }
    }
}

impl<'a> Player<'a> {
    fn new(
        recording: &Arc<Recording>,
        given: &[Arc<Profile>],
        publisher: Publisher<View>,
        inbox: &'a Receiver<SamplerCommand>,
        quit: &'a AtomicBool,
    ) -> Result<Self, (Publisher<View>, ReplayError)> {
        let new_verifier = || ReplayVerifier::new(Arc::clone(recording), given.to_vec());
        let (analysis, verifier) = match (new_verifier(), new_verifier()) {
            (Ok(analysis), Ok(verifier)) => (RecordingAnalysis::start(analysis), verifier),
            (Err(error), _) | (_, Err(error)) => return Err((publisher, error)),
        };
        let now = Instant::now();
        let verifier = verifier.stopped_by(&analysis.quit);
        Ok(Self {
            recording: Arc::clone(recording),
            publisher,
            view: View::default(),
            inbox,
            quit,
            analysis,
            verifier,
            peek: Cursor::default(),
            current: None,
            seek_target: Some(SeekTarget::Sample(0)),
            playing: false,
            speed: 1.0,
            anchor: (now, Duration::ZERO),
            published: now.checked_sub(PUBLISH_EVERY).unwrap_or(now),
            changed: true,
        })
    }

    fn run(&mut self) {
        while !self.quit.load(Ordering::Relaxed) {
            self.handle_commands();
            if self.seek_target.is_some() {
                self.seek();
            } else if self.playing {
                self.advance();
            }
            let since_published = self.published.elapsed();
            if (self.changed && since_published >= PUBLISH_EVERY)
                || (since_published >= PROGRESS_EVERY && !self.is_complete_published())
            {
                self.publish();
            }
        }
    }

    fn index(&self) -> u64 {
        match (&self.current, self.seek_target) {
            (Some(current), _) => current.index,
            (None, Some(SeekTarget::Sample(index))) => index,
            (None, _) => 0,
        }
    }

    fn last(&self) -> u64 {
        self.recording.len().saturating_sub(1)
    }

    /// Handles the pending commands; waits for one when there is nothing else to do.
    fn handle_commands(&mut self) {
        let wait = match (self.seek_target, self.playing) {
            (Some(_), _) => Duration::ZERO,
            (None, true) => self.until_next().min(SLICE),
            (None, false) => SLICE,
        };
        match self.inbox.recv_timeout(wait) {
            Ok(order) => self.handle_command(order),
            Err(RecvTimeoutError::Timeout) => return,
            Err(RecvTimeoutError::Disconnected) => return std::thread::sleep(wait),
        }
        while let Ok(order) = self.inbox.try_recv() {
            self.handle_command(order);
        }
    }

    fn handle_command(&mut self, order: SamplerCommand) {
        match order {
            SamplerCommand::Replay(replay) => {
                self.changed = true;
                self.handle_replay(replay);
            }
            SamplerCommand::Profiles(profiles) => self.use_profiles(&profiles),
            // These do not apply to a recording.
            SamplerCommand::Attach(_)
            | SamplerCommand::Automatic
            | SamplerCommand::Detach
            | SamplerCommand::ReadRam(_)
            | SamplerCommand::Record(_)
            | SamplerCommand::Measure(_) => {}
        }
    }

    /// Verifies the recording again if the profiles changed for it.
    fn use_profiles(&mut self, given: &[Arc<Profile>]) {
        let sections = self.recording.sections().len().max(1);
        let read = |given: &[Arc<Profile>]| -> Result<Vec<Arc<Profile>>, ReplayError> {
            (0..sections).map(|number| replay_profile(&self.recording, number, given)).collect()
        };
        if read(given) == read(self.verifier.given()) {
            return;
        }
        let new_verifier = || ReplayVerifier::new(Arc::clone(&self.recording), given.to_vec());
        let (analysis, verifier) = match (new_verifier(), new_verifier()) {
            (Ok(analysis), Ok(verifier)) => (RecordingAnalysis::start(analysis), verifier),
            (Err(error), _) | (_, Err(error)) => {
                return tracing::error!(target: topic::PROFILE, "the edited profile was not applied: {error}");
            }
        };
        tracing::info!(
            target: topic::PROFILE,
            "verifying {} again with the edited profile",
            self.recording.name()
        );
        self.seek_target = Some(SeekTarget::Sample(self.index()));
        self.verifier = verifier.stopped_by(&analysis.quit);
        (self.analysis, self.current, self.changed) = (analysis, None, true);
    }

    fn handle_replay(&mut self, order: ReplayCommand) {
        match order {
            ReplayCommand::Play => {
                if self.index() >= self.last() {
                    self.seek_target = Some(SeekTarget::Sample(0));
                }
                self.playing = true;
            }
            ReplayCommand::Pause => self.playing = false,
            ReplayCommand::Speed(speed) if speed.is_nan() => {}
            ReplayCommand::Speed(speed) if speed <= 0.0 => self.speed = 0.0,
            ReplayCommand::Speed(speed) => self.speed = speed.clamp(SPEEDS.0, SPEEDS.1),
            ReplayCommand::Step(samples) => {
                // Relative to the target of the previous step if that is not reached yet.
                let from = match self.seek_target {
                    Some(SeekTarget::Sample(to)) => to,
                    _ => self.index(),
                };
                self.playing = false;
                self.seek_target =
                    Some(SeekTarget::Sample(from.saturating_add_signed(samples).min(self.last())));
            }
            ReplayCommand::Seek(to) => self.seek_target = Some(SeekTarget::Sample(to.min(self.last()))),
            ReplayCommand::NextMismatch => self.seek_after(Mark::Mismatch),
            ReplayCommand::PreviousMismatch => self.seek_before(Mark::Mismatch),
            ReplayCommand::NextRound => self.seek_after(Mark::Round),
            ReplayCommand::PreviousRound => self.seek_before(Mark::Round),
        }
        self.anchor = (Instant::now(), self.elapsed());
    }

    fn seek_after(&mut self, mark: Mark) {
        self.playing = false;
        self.seek_target = Some(SeekTarget::After(mark, self.index()));
    }

    fn seek_before(&mut self, mark: Mark) {
        self.playing = false;
        let here = self.index();
        self.seek_target = self.analysis.with(|known| known.before(mark, here)).map(SeekTarget::Sample);
    }

    /// The time of the current sample.
    fn elapsed(&self) -> Duration {
        self.current.as_ref().map_or(Duration::ZERO, |current| current.sample.elapsed)
    }

    /// Seeks to the target, for a slice of time.
    fn seek(&mut self) {
        let target = match self.seek_target {
            Some(SeekTarget::Sample(target)) => target,
            Some(SeekTarget::After(mark, index)) => {
                match self.analysis.with(|known| (known.after(mark, index), known.complete)) {
                    (Some(target), _) => target,
                    (None, true) => {
                        self.seek_target = None;
                        return;
                    }
                    (None, false) => return std::thread::sleep(SLICE),
                }
            }
            None => return,
        };
        if self.recording.is_empty() || self.current.as_ref().is_some_and(|current| current.index == target) {
            self.arrived();
            return;
        }
        let here = Some(self.verifier.next_index()).filter(|next| *next <= target);
        let (checkpoint, complete) = self.analysis.with(|known| {
            let after = known.checkpoints.partition_point(|checkpoint| checkpoint.next <= target);
            let checkpoint = after.checked_sub(1).and_then(|at| known.checkpoints.get(at));
            // The current position is used when it is nearer.
            let checkpoint = checkpoint.filter(|checkpoint| here.is_none_or(|here| here < checkpoint.next));
            (checkpoint.map(Checkpoint::duplicate), known.complete)
        });
        match checkpoint {
            Some(checkpoint) => self.verifier.position = checkpoint,
            None if here.is_none() => {
                match ReplayVerifier::new(Arc::clone(&self.recording), self.verifier.given().to_vec()) {
                    Ok(verifier) => self.verifier = verifier.stopped_by(&self.analysis.quit),
                    Err(error) => {
                        tracing::error!("{error}");
                        self.seek_target = None;
                        return;
                    }
                }
            }
            None => {}
        }
        if !complete && target - self.verifier.next_index() > 2 * CHECKPOINT_EVERY {
            // The analysis thread will pass there and leave a nearer checkpoint.
            return std::thread::sleep(Duration::from_millis(2));
        }
        let until = Instant::now() + SLICE;
        while self.verifier.next_index() <= target
            && Instant::now() < until
            && !self.quit.load(Ordering::Relaxed)
        {
            self.step();
        }
        if self.verifier.next_index() > target {
            self.arrived();
        }
    }

    fn arrived(&mut self) {
        self.seek_target = None;
        self.anchor = (Instant::now(), self.elapsed());
        self.changed = true;
    }

    /// Processes one sample, after the analysis thread: then the samples that take long are known.
    fn step(&mut self) -> Step {
        let index = self.verifier.next_index();
        let (ready, known) = self.analysis.with(|known| {
            let at = known.long.binary_search_by_key(&index, |(current, _)| current.index).ok();
            let long = at.and_then(|at| known.long.get(at));
            let long = long.map(|(current, checkpoint)| (current.clone(), checkpoint.duplicate()));
            (known.complete || index < known.verified, long)
        });
        if !ready {
            return Step::NotYet;
        }
        if let Some((current, checkpoint)) = known {
            self.verifier.position = checkpoint;
            self.current = Some(current);
            return Step::Done;
        }
        match self.verifier.step() {
            Ok(Some(current)) => self.current = Some(current),
            Ok(None) => return Step::End,
            Err(error) => tracing::debug!("{error}"),
        }
        Step::Done
    }

    /// The time until the next sample is due.
    fn until_next(&mut self) -> Duration {
        let Ok(next) = self.recording.elapsed_at(&mut self.peek, self.verifier.next_index()) else {
            return Duration::ZERO;
        };
        if self.speed <= 0.0 {
            return Duration::ZERO;
        }
        let (since, from) = self.anchor;
        let due = Duration::try_from_secs_f64(next.saturating_sub(from).as_secs_f64() / self.speed);
        let wait = due.unwrap_or(Duration::MAX).saturating_sub(since.elapsed());
        if wait > LONGEST_WAIT {
            let moment = Instant::now();
            self.anchor = (moment, next.saturating_sub(LONGEST_WAIT.mul_f64(self.speed)));
            return LONGEST_WAIT;
        }
        wait
    }

    /// Processes the samples that are due.
    fn advance(&mut self) {
        let until = Instant::now() + SLICE;
        while self.until_next().is_zero() {
            match self.step() {
                Step::Done => self.changed = true,
                Step::End => {
                    (self.playing, self.changed) = (false, true);
                    return;
                }
                Step::NotYet => {
                    self.anchor = (Instant::now(), self.elapsed());
                    return std::thread::sleep(Duration::from_millis(2));
                }
            }
            if Instant::now() >= until {
                // Too slow for this speed: continue from here instead of catching up.
                self.anchor = (Instant::now(), self.elapsed());
                return;
            }
        }
    }

    /// Whether the last view contains the complete analysis.
    fn is_complete_published(&self) -> bool {
        self.view.replay.as_ref().is_some_and(|replay| replay.complete)
    }

    fn publish(&mut self) {
        let (verified, complete, (mismatches, rounds)) = self.analysis.with(|known| {
            if known.shared.0.len() != known.mismatches.len() {
                known.shared.0 = known.mismatches.as_slice().into();
            }
            if known.shared.1.len() != known.rounds.len() {
                known.shared.1 = known.rounds.as_slice().into();
            }
            (known.verified, known.complete, known.shared.clone())
        });
        let shown = match &self.current {
            Some(current) => self.verifier.view(current),
            None => self.view.clone(), // while the recording is verified again
        };
        let state = ReplayState {
            index: self.index(),
            samples: self.recording.len(),
            frame: self.current.as_ref().map_or(0, |current| current.sample.frame),
            elapsed: self.elapsed(),
            length: self.recording.length(),
            speed: self.speed,
            mismatches,
            rounds,
            verified,
            complete,
            searching: self.analysis.searching.share(),
            name: self.recording.name().to_owned(),
            damage: self.recording.damage_summary(),
        };
        self.view = View {
            sequence: self.view.sequence + 1,
            connection: Connection::Replaying { playing: self.playing },
            replay: Some(state),
            ..shown
        };
        self.publisher.publish(self.view.clone());
        self.published = Instant::now();
        self.changed = false;
    }
}
