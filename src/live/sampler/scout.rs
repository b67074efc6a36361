//! The thread that lists processes and looks for console RAM in those that may be emulators.

use super::Wish;
use crate::emulator::{
    DetectedGame, DetectionOutcome, DetectionReport, Detector, EmulatorInfo, describe_ambiguity,
    likely_emulators,
};
use crate::live::{EmulatorRow, RowState};
use crate::process::{Pid, ProcessInfo, ProcessList};
use crate::profile::Profile;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// While nothing is attached, processes are listed this often.
const SEEK_EVERY: Duration = Duration::from_millis(100);
/// While something is attached, this often.
const GLANCE_EVERY: Duration = Duration::from_secs(2);
/// A process in which nothing was found is looked into again after this long, and then after ever
/// twice as long up to the second figure: a game may be loaded at any time, but most programs are no emulators.
const AGAIN_FIRST: Duration = Duration::from_millis(200);
const AGAIN_LAST: Duration = Duration::from_secs(20);
/// For programs that are known to be emulators.
const AGAIN_LAST_KNOWN: Duration = Duration::from_millis(400);

#[derive(Debug)]
struct Probe {
    /// Its name is that of an emulator.
    known: bool,
    started: u64,
    program: String,
    report: Option<Arc<DetectionReport>>,
    next: Instant,
    wait: Duration,
}

#[derive(Debug)]
struct Shared {
    profiles: Vec<Arc<Profile>>,
    wish: Wish,
    attached: Option<Pid>,
    /// What was attached to last, while it runs and nothing else is asked for: a game that goes on in it comes before others.
    kept: Option<Pid>,
    /// The attached process is to be looked into all the same: it stands still.
    recheck: bool,
    /// Processes were listed since something was let go of: what is known is the whole picture.
    listed: bool,
    probes: BTreeMap<Pid, Probe>,
    /// The rows last made; None once anything that they show has changed.
    rows: Option<Arc<Vec<EmulatorRow>>>,
}

#[derive(Debug)]
struct Board {
    shared: Mutex<Shared>,
    wake: Condvar,
    quit: AtomicBool,
}

#[derive(Debug)]
pub struct Scout {
    board: Arc<Board>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Scout {
    fn drop(&mut self) {
        self.board.quit.store(true, Ordering::Relaxed);
        self.board.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Scout {
    pub fn start(profiles: Vec<Arc<Profile>>, wish: Wish) -> Self {
        let shared = Shared {
            profiles,
            wish,
            attached: None,
            kept: None,
            recheck: false,
            listed: false,
            probes: BTreeMap::new(),
            rows: None,
        };
        let board = Arc::new(Board {
            shared: Mutex::new(shared),
            wake: Condvar::new(),
            quit: AtomicBool::new(false),
        });
        let seen = Arc::clone(&board);
        let thread = std::thread::Builder::new().name("scout".into()).spawn(move || seen.run());
        if let Err(error) = &thread {
            tracing::error!("no thread to look for emulators: {error}");
        }
        Self { board, thread: thread.ok() }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Shared) -> T) -> T {
        act(&mut self.board.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn use_profiles(&self, profiles: Vec<Arc<Profile>>) {
        self.with(|shared| {
            shared.profiles = profiles;
            shared.listed = false;
            shared.probes.clear();
            shared.rows = None;
        });
        self.board.wake.notify_all();
    }

    pub fn seek(&self, wish: Wish) {
        let changed = self.with(|shared| {
            let changed = std::mem::replace(&mut shared.wish, wish) != wish;
            if changed {
                shared.kept = None;
            }
            changed
        });
        if changed {
            self.board.wake.notify_all();
        }
    }

    pub fn attached(&self, pid: Pid) {
        self.with(|shared| {
            shared.attached = Some(pid);
            shared.kept = Some(pid);
            shared.recheck = false;
            shared.rows = None;
        });
    }

    /// Forgets what was found in a process, so that it is looked into anew, at once.
    pub fn detached(&self, pid: Pid) {
        self.with(|shared| {
            shared.attached = None;
            shared.listed = false;
            shared.probes.remove(&pid);
            shared.rows = None;
        });
        self.board.wake.notify_all();
    }

    /// Asks for another look into the attached process; true when the game was found alive at another place.
    pub fn found_elsewhere(&self, now: &DetectedGame) -> bool {
        self.with(|shared| {
            let first = !std::mem::replace(&mut shared.recheck, true);
            if first {
                shared.probes.remove(&now.process.pid());
                shared.rows = None;
                self.board.wake.notify_all();
                return false;
            }
            let report = shared.probes.get(&now.process.pid()).and_then(|probe| probe.report.as_ref());
            let alive = report.and_then(|report| match &report.outcome {
                DetectionOutcome::Found(found) => Some(found),
                _ => None,
            });
            alive.is_some_and(|found| found.ram.base != now.ram.base || found.profile.id != now.profile.id)
        })
    }

    /// The one search result that satisfies the wish, when there is exactly one.
    pub fn choice(&self, wish: Wish) -> Option<Arc<DetectionReport>> {
        self.with(|shared| match wish {
            Wish::Nothing => None,
            Wish::Process(pid) => {
                let report = shared.probes.get(&pid)?.report.clone()?;
                matches!(report.outcome, DetectionOutcome::Found(_) | DetectionOutcome::Paused(_))
                    .then_some(report)
            }
            // One that was not looked into yet may run a game as well: then there would be a choice to ask for.
            Wish::Automatic if !shared.is_settled() => None,
            Wish::Automatic => {
                let (running, paused) = shared.candidates();
                the_one(&running, &paused, shared.kept).cloned()
            }
        })
    }

    pub fn must_choose(&self, wish: Wish) -> bool {
        wish == Wish::Automatic
            && self.with(|shared| {
                let (running, paused) = shared.candidates();
                running.len() + paused.len() > 0 && the_one(&running, &paused, shared.kept).is_none()
            })
    }

    pub fn rows(&self) -> Arc<Vec<EmulatorRow>> {
        self.with(|shared| {
            if let Some(rows) = &shared.rows {
                return Arc::clone(rows);
            }
            let row = |(pid, probe): (&Pid, &Probe)| EmulatorRow {
                pid: *pid,
                identity: probe.report.as_ref().map_or_else(EmulatorInfo::default, |r| r.identity.clone()),
                program: probe.program.clone(),
                state: row_state(probe, shared.attached == Some(*pid)),
                report: probe.report.clone(),
            };
            let mut rows: Vec<EmulatorRow> = shared.probes.iter().map(row).collect();
            rows.sort_by_key(|row| {
                let rank = match row.state {
                    RowState::Attached => 0,
                    RowState::Candidate => 1,
                    _ if row.identity.known => 2,
                    _ => 3,
                };
                (rank, row.pid)
            });
            Arc::clone(shared.rows.insert(Arc::new(rows)))
        })
    }
}

fn row_state(probe: &Probe, attached: bool) -> RowState {
    let said = |report: &DetectionReport| {
        report.attempts.iter().map(|a| format!("{}: {}", a.method, a.message)).collect::<Vec<_>>().join("\n")
    };
    if attached {
        return RowState::Attached;
    }
    let Some(report) = &probe.report else { return RowState::New };
    match &report.outcome {
        DetectionOutcome::Found(_) | DetectionOutcome::Paused(_) => RowState::Candidate,
        DetectionOutcome::NoGame => RowState::NoGame,
        DetectionOutcome::NotFound => RowState::NotFound(said(report)),
        DetectionOutcome::Ambiguous(places) => RowState::NotFound(describe_ambiguity(places)),
        DetectionOutcome::Unreadable(crate::process::ReadError::Refused(refusal)) => {
            RowState::Refused(refusal.to_string())
        }
        DetectionOutcome::Unreadable(error) => RowState::NotFound(error.to_string()),
    }
}

type Candidates = Vec<(Pid, Arc<DetectionReport>)>;

/// The one to attach to without asking: of several, the one that was attached to last. What runs comes before what stands still.
fn the_one<'a, T>(running: &'a [(Pid, T)], paused: &'a [(Pid, T)], kept: Option<Pid>) -> Option<&'a T> {
    let candidates = if running.is_empty() { paused } else { running };
    match candidates {
        [(_, one)] => Some(one),
        several => several.iter().find(|(pid, _)| Some(*pid) == kept).map(|(_, one)| one),
    }
}

impl Shared {
    /// Whether every emulator that is known by its name was looked into. For programs of unknown name nobody waits: there are many, and
    /// some take long.
    fn is_settled(&self) -> bool {
        self.listed && self.probes.values().all(|probe| !probe.known || probe.report.is_some())
    }

    /// Reports of processes in which a known game runs, and of those in which one stands still.
    fn candidates(&self) -> (Candidates, Candidates) {
        let (mut running, mut paused) = (Vec::new(), Vec::new());
        for (&pid, probe) in &self.probes {
            let Some(report) = &probe.report else { continue };
            match report.outcome {
                DetectionOutcome::Found(_) => running.push((pid, Arc::clone(report))),
                // A program nobody knows, in which nothing moves, may just hold a copy: a hex editor, a recording.
                DetectionOutcome::Paused(_) if report.identity.known => {
                    paused.push((pid, Arc::clone(report)));
                }
                _ => {}
            }
        }
        (running, paused)
    }

    fn wants(&self, pid: Pid) -> bool {
        match (self.wish, self.attached) {
            (_, Some(attached)) => pid != attached || self.recheck,
            (Wish::Process(wished), None) => pid == wished,
            (Wish::Automatic, None) => true,
            (Wish::Nothing, None) => false,
        }
    }
}

impl Board {
    fn run(&self) {
        let mut running = ProcessList::default();
        let mut detector = Detector::default();
        let mut listed: Option<Instant> = None;
        while !self.quit.load(Ordering::Relaxed) {
            // Between any two searches, so that a new emulator need not wait for a row of big programs.
            if listed.is_none_or(|at| at.elapsed() >= SEEK_EVERY) {
                self.list_processes(&mut running);
                listed = Some(Instant::now());
            }
            if let Some((pid, profiles)) = self.next_due() {
                let report = detector.detect(pid, &profiles);
                self.note(pid, report);
                continue;
            }
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            let idle = shared.attached.is_some() && !shared.recheck;
            let wait = if idle { GLANCE_EVERY } else { SEEK_EVERY };
            drop(self.wake.wait_timeout(shared, wait));
        }
    }

    fn list_processes(&self, running: &mut ProcessList) {
        let ourselves = Pid(std::process::id());
        let wish = self.shared.lock().unwrap_or_else(PoisonError::into_inner).wish;
        let mut processes = running.refresh();
        processes.retain(|info| info.pid != ourselves);
        let wished: Vec<ProcessInfo> =
            processes.iter().filter(|info| wish == Wish::Process(info.pid)).cloned().collect();
        let known = likely_emulators(processes.clone(), false);
        let mut chosen = likely_emulators(processes, true);
        for info in wished {
            if !chosen.iter().any(|known| known.pid == info.pid) {
                chosen.push(info);
            }
        }
        let now = Instant::now();
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.listed = true;
        let alive = |pid: &Pid, probe: &Probe| {
            chosen.iter().any(|info| info.pid == *pid && info.started == probe.started)
        };
        let before = shared.probes.len();
        shared.probes.retain(|pid, probe| alive(pid, probe));
        shared.kept = shared.kept.filter(|kept| chosen.iter().any(|info| info.pid == *kept));
        let mut changed = shared.probes.len() != before;
        for info in &chosen {
            let known = known.iter().any(|known| known.pid == info.pid);
            changed |= !shared.probes.contains_key(&info.pid);
            shared.probes.entry(info.pid).or_insert_with(|| Probe {
                known,
                started: info.started,
                program: info.exe.as_ref().map_or_else(|| info.name.clone(), |exe| exe.display().to_string()),
                report: None,
                next: now,
                wait: AGAIN_FIRST,
            });
        }
        if changed {
            shared.rows = None;
        }
    }

    fn next_due(&self) -> Option<(Pid, Vec<Arc<Profile>>)> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let due = shared.probes.iter().filter(|(pid, probe)| probe.next <= now && shared.wants(**pid));
        let pid = due
            .min_by_key(|(_, probe)| (!probe.known, probe.report.is_some(), probe.next))
            .map(|(pid, _)| *pid)?;
        Some((pid, shared.profiles.clone()))
    }

    fn note(&self, pid: Pid, report: DetectionReport) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.rows = None;
        let Some(probe) = shared.probes.get_mut(&pid) else { return };
        let last = if report.identity.known { AGAIN_LAST_KNOWN } else { AGAIN_LAST };
        probe.next = Instant::now() + probe.wait;
        probe.wait = (probe.wait * 2).min(last);
        probe.report = Some(Arc::new(report));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_games_the_one_attached_to_last_is_chosen_or_none() {
        let [a, b, c] = [1, 2, 3].map(|pid| (Pid(pid), pid));
        assert_eq!(the_one(&[a], &[b, c], None), Some(&1));
        assert_eq!(the_one(&[a, b], &[c], None), None);
        assert_eq!(the_one(&[a, b], &[c], Some(Pid(2))), Some(&2), "it went on at another place in memory");
        assert_eq!(the_one(&[a, b], &[c], Some(Pid(3))), None, "it stands still, and others run");
        assert_eq!(the_one(&[], &[b, c], Some(Pid(3))), Some(&3));
        assert_eq!(the_one(&[], &[b, c], None), None);
        assert_eq!(the_one::<u32>(&[], &[], Some(Pid(1))), None);
    }
}
