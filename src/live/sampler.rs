//! The thread that samples an attached emulator and publishes views, and the thread that scans for emulators.

mod analysis;
mod attached;
mod pace;
mod player;
mod recorder;
mod scanner;
mod stillness;

use super::{
    Connection, DurationMeter, EarlierTarget, EmulatorRow, EvidenceFolder, MeasuredDurations, RecordingState,
    RoundHistory, Subscriber, Target, Totals, View, latest, topic,
};
use crate::console::Ram;
use crate::emulator::{DetectedGame, DetectionOutcome, EmulatorInfo};
use crate::file::Overwrite;
use crate::process::{Pid, ReadError};
use crate::profile::Profile;
use crate::recording::Recording;
use attached::{Attached, Ended, SampleUsers};
use recorder::Recorder;
use scanner::ProcessScanner;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The sampler's settings.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Attach to this process only.
    pub pid: Option<Pid>,
    /// Maximum ticks per second; None adapts to the game's speed.
    pub rate_hz: Option<f64>,
    /// The profiles of the games to search for.
    pub profiles: Vec<Arc<Profile>>,
    /// The folder for evidence of mismatches; None saves none.
    pub evidence: Option<PathBuf>,
    /// Record the samples to this file.
    pub record: Option<PathBuf>,
    /// Whether the recording may replace an existing file.
    pub overwrite: Overwrite,
    /// Replay this recording instead of attaching to an emulator. A profile replaces the recording's own profile of the same id.
    pub replay: Option<Arc<Recording>>,
}

/// A command to a running sampler.
#[derive(Debug, Clone)]
pub enum SamplerCommand {
    /// Attach to this process.
    Attach(Pid),
    /// Attach automatically when exactly one emulator runs a known game (the default).
    Automatic,
    /// Detach and stay detached.
    Detach,
    /// Use these profiles.
    Profiles(Vec<Arc<Profile>>),
    /// Also read these bytes of RAM (offsets in the memory domain), because the user displays them.
    ReadRam(Option<Range<usize>>),
    /// Record the samples to this new file; None stops the recording.
    Record(Option<PathBuf>),
    /// Measure the durations of the pairs of this player (0 or 1), from the start; None stops, and the view keeps what was measured.
    /// Ignored while detached and for a game whose durations cannot be measured.
    Measure(Option<usize>),
    /// Control the replay of a recording; ignored without one.
    Replay(ReplayCommand),
}

/// A playback command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReplayCommand {
    /// Start playback.
    Play,
    /// Pause playback.
    Pause,
    /// Set the playback speed; 1 is the recorded speed.
    Speed(f64),
    /// Move by this many samples, forwards or backwards, and pause.
    Step(i64),
    /// Go to this sample, from 0.
    Seek(u64),
    /// Go to the next sample with a mismatch and pause.
    NextMismatch,
    /// Go to the previous sample with a mismatch and pause.
    PreviousMismatch,
    /// Go to the next start of a round and pause.
    NextRound,
    /// Go to the previous start of a round and pause; within a round, to its start.
    PreviousRound,
}

/// Which process to attach to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttachMode {
    Automatic,
    Process(Pid),
    Nothing,
}

/// A running sampler. Dropping it stops its threads.
pub struct Sampler {
    command_sender: Sender<SamplerCommand>,
    view: Subscriber<View>,
    quit: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    /// Starts sampling.
    ///
    /// # Errors
    /// When no thread can be created.
    pub fn start(options: Options) -> std::io::Result<Self> {
        let (publisher, view) = latest(View::default());
        let (command_sender, commands) = mpsc::channel();
        let quit = Arc::new(AtomicBool::new(false));
        let thread_quit = Arc::clone(&quit);
        let thread = std::thread::Builder::new().name("sampler".into()).spawn(move || {
            if let Some(recording) = &options.replay {
                return player::play(recording, &options.profiles, publisher, &commands, &thread_quit);
            }
            let mode = options.pid.map_or(AttachMode::Automatic, AttachMode::Process);
            let evidence = options.evidence.clone().map(EvidenceFolder::new);
            let scanner = ProcessScanner::start(options.profiles.clone(), mode);
            let mut sampler = SamplerLoop {
                publisher,
                view: View::default(),
                totals: Totals::default(),
                commands,
                quit: thread_quit,
                mode,
                evidence,
                rate_hz: options.rate_hz,
                profiles: options.profiles,
                displayed: None,
                scanner,
                recorder: options.record.map(|path| Recorder::start(path, options.overwrite)),
                meter: None,
                ending: Vec::new(),
                idle: None,
                attached_to: None,
            };
            sampler.run();
        })?;
        Ok(Self { command_sender, view, quit, thread: Some(thread) })
    }

    /// A reader of the published views.
    pub fn view(&self) -> Subscriber<View> {
        self.view.clone()
    }

    /// Sends a command, which is handled at the next tick.
    pub fn send(&self, command: SamplerCommand) {
        // Fails only when the sampler has ended.
        let _ = self.command_sender.send(command);
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.quit.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The state of the sampler thread.
struct SamplerLoop {
    publisher: super::Publisher<View>,
    view: View,
    totals: Totals,
    commands: Receiver<SamplerCommand>,
    quit: Arc<AtomicBool>,
    mode: AttachMode,
    evidence: Option<EvidenceFolder>,
    rate_hz: Option<f64>,
    profiles: Vec<Arc<Profile>>,
    displayed: Option<Range<usize>>,
    scanner: ProcessScanner,
    recorder: Option<Recorder>,
    /// A measurement, and whether the samples of this connection are for it.
    meter: Option<(DurationMeter, bool)>,
    /// Stopped recordings that are still being written.
    ending: Vec<Recorder>,
    /// The changeable parts of the last view published while detached.
    idle: Option<Idle>,
    /// The RAM of the attached emulator.
    attached_to: Option<Ram>,
}

/// The parts of a view that may change while detached.
struct Idle {
    connection: &'static str,
    emulators: Arc<Vec<EmulatorRow>>,
    recording: Option<RecordingState>,
}

impl Idle {
    fn equals(&self, other: &Self) -> bool {
        self.connection == other.connection
            && Arc::ptr_eq(&self.emulators, &other.emulators)
            && self.recording == other.recording
    }
}

/// Whether the connection continues after a command.
enum Next {
    Continue,
    Detach,
}

impl SamplerLoop {
    fn run(&mut self) {
        while !self.quit.load(Ordering::Relaxed) {
            let Some(found) = self.search() else { continue };
            let ended = self.attach(&found);
            if let Some(why) = ended {
                tracing::warn!(target: topic::CONNECTION, "{why}");
                self.view.connection = Connection::Lost { why, since: Instant::now() };
            } else {
                self.view.connection = Connection::Searching;
            }
            self.publish();
        }
    }

    /// Publishes a view while detached, if anything changed.
    fn publish_idle(&mut self) {
        let idle = Idle {
            connection: self.view.connection.word(),
            emulators: self.scanner.rows(),
            recording: self.recorder.as_ref().or(self.ending.last()).map(Recorder::state),
        };
        if self.idle.as_ref().is_none_or(|last| !last.equals(&idle)) {
            self.publish();
            // The rows may have changed since they were read above; compare with those in the published view.
            self.idle = Some(Idle { emulators: Arc::clone(&self.view.emulators), ..idle });
        }
    }

    fn publish(&mut self) {
        self.idle = None;
        self.view.sequence += 1;
        self.view.totals = self.totals;
        self.view.emulators = self.scanner.rows();
        if let Some(recorder) = self.recorder.as_ref().or(self.ending.last()) {
            self.view.recording = Some(recorder.state());
        }
        self.publisher.publish(self.view.clone());
    }

    /// Waits until the scanner finds a process to attach to.
    fn search(&mut self) -> Option<Arc<crate::emulator::DetectionReport>> {
        self.scanner.seek(self.mode);
        let deadline = Instant::now() + Duration::from_millis(50);
        loop {
            self.handle_command(deadline.saturating_duration_since(Instant::now()));
            self.publish_finished_recording();
            if self.quit.load(Ordering::Relaxed) || Instant::now() >= deadline {
                break;
            }
        }
        let chosen = self.scanner.choice(self.mode);
        if !matches!(self.view.connection, Connection::Lost { .. }) || self.scanner.must_choose(self.mode) {
            self.view.connection = if self.scanner.must_choose(self.mode) {
                Connection::Choosing
            } else {
                Connection::Searching
            };
        }
        self.publish_idle();
        chosen
    }

    /// Waits for a command for at most `wait` and handles it.
    fn handle_command(&mut self, wait: Duration) -> Next {
        let command = match self.commands.recv_timeout(wait) {
            Ok(command) => command,
            Err(RecvTimeoutError::Timeout) => return Next::Continue,
            Err(RecvTimeoutError::Disconnected) => {
                // No sender is left; sleep, so that the loop does not spin until it is dropped.
                std::thread::sleep(wait);
                return Next::Continue;
            }
        };
        match command {
            SamplerCommand::Attach(pid) => self.mode = AttachMode::Process(pid),
            SamplerCommand::Automatic => self.mode = AttachMode::Automatic,
            SamplerCommand::Detach => self.mode = AttachMode::Nothing,
            SamplerCommand::ReadRam(offsets) => {
                self.displayed = offsets;
                return Next::Continue;
            }
            SamplerCommand::Record(path) => {
                self.record(path);
                return Next::Continue;
            }
            SamplerCommand::Measure(player) => {
                self.measure(player);
                return Next::Continue;
            }
            SamplerCommand::Replay(_) => return Next::Continue, // no recording is replayed
            SamplerCommand::Profiles(profiles) => {
                self.scanner.use_profiles(profiles.clone());
                self.profiles = profiles;
            }
        }
        self.scanner.seek(self.mode);
        Next::Detach
    }

    /// Stops the current recording and starts a new one if there is a `path`.
    fn record(&mut self, path: Option<PathBuf>) {
        if let Some(mut recorder) = self.recorder.take() {
            // Sampling continues while the rest is written, which may be slow.
            recorder.end();
            self.ending.push(recorder);
        }
        if let Some(path) = path {
            let mut recorder = Recorder::start(path, Overwrite::Refuse);
            if let (Some(ram), Some(target)) = (&self.attached_to, &self.view.target) {
                recorder.attached(target, ram);
            }
            self.recorder = Some(recorder);
        }
        self.publish();
    }

    /// Stops the current measurement and starts a new one if there is a `player`.
    fn measure(&mut self, player: Option<usize>) {
        if let Some((meter, _)) = self.meter.take() {
            self.view.durations = Some(Arc::new(MeasuredDurations { running: false, ..meter.measured() }));
        }
        let target = self.view.target.as_ref().filter(|_| self.attached_to.is_some());
        if let (Some(player), Some(target)) = (player, target) {
            match DurationMeter::new(&target.profile, player) {
                Ok(meter) => {
                    self.view.durations = Some(Arc::new(meter.measured()));
                    self.meter = Some((meter, true));
                }
                Err(why) => tracing::warn!("{why}"),
            }
        }
        self.publish();
    }

    /// Publishes the final state of recordings that are now completely written.
    fn publish_finished_recording(&mut self) {
        let (over, going): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.ending).into_iter().partition(Recorder::is_over);
        self.ending = going;
        if let Some(last) = over.last() {
            self.view.recording = Some(last.state());
            self.publish();
        }
    }

    /// Samples until the connection ends. Returns the reason, or None after a command.
    fn attach(&mut self, report: &crate::emulator::DetectionReport) -> Option<String> {
        let (DetectionOutcome::Found(found) | DetectionOutcome::Paused(found)) = &report.outcome else {
            return None;
        };
        let found: &DetectedGame = found;
        let target = Target {
            pid: found.process.pid(),
            identity: found.identity.clone(),
            profile: Arc::clone(&found.profile),
            method: found.method,
            proof: found.evidence.clone(),
            ram: format!("{:?}", found.ram),
            elapsed: report.elapsed,
        };
        self.continue_counts(&target);
        tracing::info!(
            target: topic::CONNECTION,
            "attached to {} ({}), {}, by {} in {} ms",
            target.identity.name,
            target.pid,
            target.profile.name,
            target.method,
            target.elapsed.as_millis()
        );
        if let Some(evidence) = &mut self.evidence {
            evidence.attached(recorder::header(&target, &found.ram));
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.attached(&target, &found.ram);
        }
        if let Some((meter, of_profile)) = &mut self.meter {
            *of_profile = meter.connect(&target.profile);
        }
        self.view.target = Some(Arc::new(target));
        self.attached_to = Some(found.ram.clone());
        let ended = self.sample(report, found);
        self.attached_to = None;
        if let Some(recorder) = &mut self.recorder {
            recorder.lost(ended.as_deref().unwrap_or("detached on request"));
        }
        ended
    }

    /// Continues the counts for the same game in the same process, or starts new ones.
    fn continue_counts(&mut self, target: &Target) {
        if let Some(last) = self.view.target.clone().filter(|last| !last.is_same_game(target)) {
            let (totals, mismatches) = (self.totals, std::mem::take(&mut self.view.mismatches));
            EarlierTarget::add(&mut self.view.earlier, EarlierTarget { target: last, totals, mismatches });
            self.totals = self.totals.of_another_target();
            self.view.rounds = RoundHistory::default();
            (self.view.data, self.view.searching) = (None, None);
        }
        self.totals.attachments += 1;
    }

    fn sample(&mut self, report: &crate::emulator::DetectionReport, found: &DetectedGame) -> Option<String> {
        self.scanner.attached(found.process.pid());
        let running = matches!(report.outcome, DetectionOutcome::Found(_));
        let mut attached = match Attached::new(found, running, self.rate_hz) {
            Ok(attached) => attached,
            Err(why) => return Some(why),
        };
        let mut was_still = false;
        let ended = loop {
            if self.quit.load(Ordering::Relaxed) {
                break None;
            }
            if let Next::Detach = self.handle_command(attached.pause()) {
                let same = self.mode == AttachMode::Process(found.process.pid());
                let automatic = self.mode == AttachMode::Automatic;
                match self.profiles.iter().find(|profile| profile.id == found.profile.id) {
                    // The profile is unchanged: keep the tracker's state.
                    Some(profile) if (same || automatic) && attached.uses(profile) => {}
                    Some(profile) if same || automatic => {
                        if let Some(recorder) = &mut self.recorder {
                            recorder.profile(profile);
                        }
                        attached.use_profile(profile);
                        if let Some((meter, of_profile)) = &mut self.meter {
                            *of_profile = meter.connect(profile);
                        }
                        if let Some(evidence) = &mut self.evidence {
                            evidence.use_profile(profile);
                        }
                        // The view's target uses the new profile too.
                        if let Some(target) = &mut self.view.target
                            && !Arc::ptr_eq(&target.profile, profile)
                        {
                            Arc::make_mut(target).profile = Arc::clone(profile);
                        }
                    }
                    _ => break None,
                }
            }
            self.publish_finished_recording();
            attached.set_displayed(self.displayed.clone());
            let users = SampleUsers {
                evidence: self.evidence.as_mut(),
                recorder: self.recorder.as_mut(),
                meter: self.meter.as_mut().filter(|(_, of_profile)| *of_profile).map(|(meter, _)| meter),
            };
            match attached.tick(&mut self.view, &mut self.totals, users) {
                Ok(true) => self.publish(),
                Ok(false) => {}
                Err(Ended(why)) => {
                    let closed = matches!(found.process.check_running(), Err(ReadError::Gone { .. }));
                    break Some(if closed { closed_text(&found.identity) } else { why });
                }
            }
            if attached.is_still() {
                was_still = true;
                if let Some(why) = self.scanner.found_elsewhere(found) {
                    break Some(why);
                }
            } else if std::mem::take(&mut was_still) {
                self.scanner.moved();
            }
        };
        self.scanner.detached(found.process.pid());
        if let Some(evidence) = &mut self.evidence {
            evidence.ended();
        }
        ended
    }
}

/// Why the connection to a process that does not run any more has ended.
fn closed_text(emulator: &EmulatorInfo) -> String {
    let name = if emulator.name.is_empty() { "The emulator" } else { &emulator.name };
    format!("{name} has closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_detached_a_view_is_published_only_after_a_change() {
        let sampler = Sampler::start(Options::default()).unwrap();
        let mut views = sampler.view();
        let mut last = views.next(Duration::from_secs(60)).expect("a first view");
        let end = Instant::now() + Duration::from_millis(400);
        while let Some(view) = views.next(end.saturating_duration_since(Instant::now())) {
            let same = last.connection.word() == view.connection.word()
                && Arc::ptr_eq(&last.emulators, &view.emulators)
                && last.recording == view.recording;
            // A view between the two may have been missed; only consecutive ones can be compared.
            let next = view.sequence == last.sequence + 1;
            assert!(!(next && same), "{:?} was published again as {}", view.connection, view.sequence);
            last = view;
        }
    }
}
