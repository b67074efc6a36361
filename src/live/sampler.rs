//! The thread that samples an attached emulator and publishes what it sees; and the one that looks for emulators.

mod attached;
mod clock;
mod player;
mod recorder;
mod scout;
mod stillness;
mod whole;

use super::{
    Connection, EarlierTarget, EmulatorRow, EvidenceFolder, Latest, RecordingState, Target, Totals, View,
    latest, topic,
};
use crate::console::Ram;
use crate::emulator::{DetectedGame, DetectionOutcome};
use crate::file::Overwrite;
use crate::process::Pid;
use crate::profile::Profile;
use crate::recording::Recording;
use attached::{Attached, Ended};
pub(super) use clock::Clock;
use recorder::Recorder;
use scout::Scout;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What the sampler is to do.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Attach to this process and no other.
    pub pid: Option<Pid>,
    /// Ticks per second at most; None adapts to the speed at which the game runs.
    pub rate_hz: Option<f64>,
    /// The profiles to look for.
    pub profiles: Vec<Arc<Profile>>,
    /// Where evidence of mismatches is saved; None saves none.
    pub evidence: Option<PathBuf>,
    /// Record what is sampled in this file.
    pub record: Option<PathBuf>,
    /// Whether a file that exists is replaced by that recording.
    pub overwrite: Overwrite,
    /// Look at this recording; then nothing is attached to. Each of the profiles takes the place of the recording's own one of its id.
    pub replay: Option<Arc<Recording>>,
}

/// What a face can ask of a running sampler.
#[derive(Debug, Clone)]
pub enum Order {
    /// Attach to this process.
    Attach(Pid),
    /// Attach by itself to the only emulator with a known game (the default).
    Automatic,
    /// Let go and stay so until told otherwise.
    Detach,
    /// Use these profiles from now on.
    Profiles(Vec<Arc<Profile>>),
    /// Read these bytes of RAM too, by offsets in the domain, beside what the game is made of: somebody looks at them.
    LookAt(Option<Range<usize>>),
    /// Record what is sampled in this new file from now on; None ends the recording.
    Record(Option<PathBuf>),
    /// Where to be in the recording that is looked at; of no meaning without one.
    Replay(ReplayOrder),
}

/// How to move about in a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReplayOrder {
    /// Go on by itself.
    Play,
    /// Stand still.
    Pause,
    /// Play so fast; 1 is as fast as it was recorded.
    Speed(f64),
    /// Go so many samples on, or back, and stand still.
    Step(i64),
    /// Go to the sample of this number, from 0.
    Seek(u64),
    /// Go to the next sample at which a mismatch was noticed, and stand still.
    NextMismatch,
    /// Go to the one before.
    PreviousMismatch,
    /// Go to the next sample at which a round begins, and stand still.
    NextRound,
    /// Go to the one before: within a round, to where it begins.
    PreviousRound,
}

/// Which process is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Automatic,
    Process(Pid),
    Nothing,
}

/// A running sampler. Dropping it ends its threads.
pub struct Sampler {
    orders: Sender<Order>,
    view: Latest<View>,
    quit: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    /// Starts sampling.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(options: Options) -> std::io::Result<Self> {
        let (publisher, view) = latest(View::default());
        let (orders, inbox) = mpsc::channel();
        let quit = Arc::new(AtomicBool::new(false));
        let quit_seen = Arc::clone(&quit);
        let thread = std::thread::Builder::new().name("sampler".into()).spawn(move || {
            if let Some(recording) = &options.replay {
                return player::play(recording, &options.profiles, publisher, &inbox, &quit_seen);
            }
            let wish = options.pid.map_or(Wish::Automatic, Wish::Process);
            let evidence = options.evidence.clone().map(EvidenceFolder::new);
            let scout = Scout::start(options.profiles.clone(), wish);
            let mut desk = Desk {
                publisher,
                view: View::default(),
                totals: Totals::default(),
                inbox,
                quit: quit_seen,
                wish,
                evidence,
                rate_hz: options.rate_hz,
                profiles: options.profiles,
                looked_at: None,
                scout,
                recorder: options.record.map(|path| Recorder::start(path, options.overwrite)),
                ending: Vec::new(),
                idle: None,
                attached_to: None,
            };
            desk.run();
        })?;
        Ok(Self { orders, view, quit, thread: Some(thread) })
    }

    /// A reading end for what is published.
    #[must_use]
    pub fn view(&self) -> Latest<View> {
        self.view.clone()
    }

    /// Gives an order; it is carried out at the next tick.
    pub fn order(&self, order: Order) {
        // A sampler that has ended has nobody left to obey.
        let _ = self.orders.send(order);
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

/// The sampler's own state: what is published, what was counted, what is wished.
struct Desk {
    publisher: super::Publisher<View>,
    view: View,
    totals: Totals,
    inbox: Receiver<Order>,
    quit: Arc<AtomicBool>,
    wish: Wish,
    evidence: Option<EvidenceFolder>,
    rate_hz: Option<f64>,
    profiles: Vec<Arc<Profile>>,
    looked_at: Option<Range<usize>>,
    scout: Scout,
    recorder: Option<Recorder>,
    /// Recordings to which nothing is added any more, until all of them is written.
    ending: Vec<Recorder>,
    /// What the last view showed while nothing was attached.
    idle: Option<Idle>,
    /// The RAM of the emulator that is attached to.
    attached_to: Option<Ram>,
}

/// What a view shows that may change while nothing is attached.
struct Idle {
    connection: &'static str,
    emulators: Arc<Vec<EmulatorRow>>,
    recording: Option<RecordingState>,
}

impl Idle {
    fn same(&self, other: &Self) -> bool {
        self.connection == other.connection
            && Arc::ptr_eq(&self.emulators, &other.emulators)
            && self.recording == other.recording
    }
}

/// Whether to go on with what one is doing.
enum Next {
    Stay,
    LetGo,
}

impl Desk {
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

    /// Publishes what is seen while nothing is attached, when it is something new.
    fn publish_idle(&mut self) {
        let idle = Idle {
            connection: self.view.connection.word(),
            emulators: self.scout.rows(),
            recording: self.recorder.as_ref().or(self.ending.last()).map(Recorder::state),
        };
        if self.idle.as_ref().is_none_or(|last| !last.same(&idle)) {
            self.publish();
            // The rows may have changed since they were asked for above: those in the view count.
            self.idle = Some(Idle { emulators: Arc::clone(&self.view.emulators), ..idle });
        }
    }

    fn publish(&mut self) {
        self.idle = None;
        self.view.sequence += 1;
        self.view.totals = self.totals;
        self.view.emulators = self.scout.rows();
        if let Some(recorder) = self.recorder.as_ref().or(self.ending.last()) {
            self.view.recording = Some(recorder.state());
        }
        self.publisher.publish(self.view.clone());
    }

    /// Waits for the scout to find what is wished.
    fn search(&mut self) -> Option<Arc<crate::emulator::DetectionReport>> {
        self.scout.seek(self.wish);
        let deadline = Instant::now() + Duration::from_millis(50);
        loop {
            self.obey(deadline.saturating_duration_since(Instant::now()));
            self.recorded();
            if self.quit.load(Ordering::Relaxed) || Instant::now() >= deadline {
                break;
            }
        }
        let chosen = self.scout.choice(self.wish);
        if !matches!(self.view.connection, Connection::Lost { .. }) || self.scout.must_choose(self.wish) {
            self.view.connection =
                if self.scout.must_choose(self.wish) { Connection::Choosing } else { Connection::Searching };
        }
        self.publish_idle();
        chosen
    }

    /// Takes orders for as long as `wait`; the first one ends the wait.
    fn obey(&mut self, wait: Duration) -> Next {
        let order = match self.inbox.recv_timeout(wait) {
            Ok(order) => order,
            Err(RecvTimeoutError::Timeout) => return Next::Stay,
            Err(RecvTimeoutError::Disconnected) => {
                // Nobody can give orders any more; sleep, so that the loop does not spin until it is dropped.
                std::thread::sleep(wait);
                return Next::Stay;
            }
        };
        match order {
            Order::Attach(pid) => self.wish = Wish::Process(pid),
            Order::Automatic => self.wish = Wish::Automatic,
            Order::Detach => self.wish = Wish::Nothing,
            Order::LookAt(offsets) => {
                self.looked_at = offsets;
                return Next::Stay;
            }
            Order::Record(path) => {
                self.record(path);
                return Next::Stay;
            }
            Order::Replay(_) => return Next::Stay, // there is no recording to move about in
            Order::Profiles(profiles) => {
                self.scout.use_profiles(profiles.clone());
                self.profiles = profiles;
            }
        }
        self.scout.seek(self.wish);
        Next::LetGo
    }

    /// Ends the recording there is, and begins another one.
    fn record(&mut self, path: Option<PathBuf>) {
        if let Some(mut recorder) = self.recorder.take() {
            // A slow disk may take long with what it has: sampling goes on meanwhile.
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

    /// Publishes that a recording is written to its end.
    fn recorded(&mut self) {
        let (over, going): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.ending).into_iter().partition(Recorder::is_over);
        self.ending = going;
        if let Some(last) = over.last() {
            self.view.recording = Some(last.state());
            self.publish();
        }
    }

    /// Samples until the connection ends; the reason, unless it ended by order.
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
        self.count_from(&target);
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
        self.view.target = Some(Arc::new(target));
        self.attached_to = Some(found.ram.clone());
        let ended = self.sample(report, found);
        self.attached_to = None;
        if let Some(recorder) = &mut self.recorder {
            recorder.lost(ended.as_deref().unwrap_or("let go by order"));
        }
        ended
    }

    /// What was counted of this game in this process goes on; another one begins at nothing.
    fn count_from(&mut self, target: &Target) {
        if let Some(last) = self.view.target.clone().filter(|last| !last.is_same_game(target)) {
            let (totals, mismatches) = (self.totals, std::mem::take(&mut self.view.mismatches));
            EarlierTarget::add(&mut self.view.earlier, EarlierTarget { target: last, totals, mismatches });
            self.totals = self.totals.of_another_target();
            self.view.data = None;
        }
        self.totals.attachments += 1;
    }

    fn sample(&mut self, report: &crate::emulator::DetectionReport, found: &DetectedGame) -> Option<String> {
        self.scout.attached(found.process.pid());
        let running = matches!(report.outcome, DetectionOutcome::Found(_));
        let mut attached = match Attached::new(found, running, self.rate_hz) {
            Ok(attached) => attached,
            Err(why) => return Some(why),
        };
        let ended = loop {
            if self.quit.load(Ordering::Relaxed) {
                break None;
            }
            if let Next::LetGo = self.obey(attached.pause()) {
                let same = self.wish == Wish::Process(found.process.pid());
                let automatic = self.wish == Wish::Automatic;
                match self.profiles.iter().find(|profile| profile.id == found.profile.id) {
                    // The same as before: nothing that was seen is forgotten.
                    Some(profile) if (same || automatic) && attached.uses(profile) => {}
                    Some(profile) if same || automatic => {
                        if let Some(recorder) = &mut self.recorder {
                            recorder.profile(profile);
                        }
                        attached.use_profile(profile);
                        if let Some(evidence) = &mut self.evidence {
                            evidence.use_profile(profile);
                        }
                        // What is shown is read by it too.
                        if let Some(target) = &mut self.view.target
                            && !Arc::ptr_eq(&target.profile, profile)
                        {
                            Arc::make_mut(target).profile = Arc::clone(profile);
                        }
                    }
                    _ => break None,
                }
            }
            self.recorded();
            attached.look_at(self.looked_at.clone());
            match attached.tick(
                &mut self.view,
                &mut self.totals,
                self.evidence.as_mut(),
                self.recorder.as_mut(),
            ) {
                Ok(true) => self.publish(),
                Ok(false) => {}
                Err(Ended(why)) => break Some(why),
            }
            if attached.stands_still() && self.scout.found_elsewhere(found) {
                break Some("the game goes on at another place in memory".into());
            }
        };
        self.scout.detached(found.process.pid());
        if let Some(evidence) = &mut self.evidence {
            evidence.ended();
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_nothing_is_attached_only_what_is_new_is_published() {
        let sampler = Sampler::start(Options::default()).unwrap();
        let mut views = sampler.view();
        let mut last = views.next(Duration::from_secs(60)).expect("a first view");
        let end = Instant::now() + Duration::from_millis(400);
        while let Some(view) = views.next(end.saturating_duration_since(Instant::now())) {
            let same = last.connection.word() == view.connection.word()
                && Arc::ptr_eq(&last.emulators, &view.emulators)
                && last.recording == view.recording;
            // Where one between them was not taken in time, nothing is known of it.
            let next = view.sequence == last.sequence + 1;
            assert!(!(next && same), "{:?} was published again as {}", view.connection, view.sequence);
            last = view;
        }
    }
}
