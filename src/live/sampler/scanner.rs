//! The thread that lists processes and searches those that may be emulators for console RAM.

use super::AttachMode;
use super::stillness::LONG_PAUSE;
use crate::emulator::{
    DetectedGame, DetectionOutcome, DetectionReport, Detector, EmulatorInfo, describe_ambiguity, forked_from,
    likely_emulators,
};
use crate::live::{EmulatorRow, RowState, topic};
use crate::process::{Pid, ProcessInfo, ProcessList};
use crate::profile::Profile;
use crate::task::{Progress, Task};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often processes are listed while detached.
const DETACHED_EVERY: Duration = Duration::from_millis(100);
/// How often processes are listed while attached.
const ATTACHED_EVERY: Duration = Duration::from_secs(2);
/// How long a list is taken for complete then, if none of the numbers in use changes.
const ATTACHED_LIFETIME: Duration = Duration::from_secs(20);
/// The same while detached.
const DETACHED_LIFETIME: Duration = Duration::from_secs(5);
/// How often processes are listed when the attached game has not moved for a while.
const PAUSED_EVERY: Duration = Duration::from_secs(10);
/// A process without a game is scanned again after the first interval, which then doubles up to the second: a game may be
/// loaded at any time, but most programs are not emulators.
const RESCAN_FIRST: Duration = Duration::from_millis(200);
const RESCAN_LAST: Duration = Duration::from_secs(20);
/// The longest interval for known emulators.
const RESCAN_LAST_KNOWN: Duration = Duration::from_millis(400);
/// The same two while a game runs in the attached process: what else runs is only listed, and the intervals grow twice as fast.
const RESCAN_LAST_BESIDE: Duration = Duration::from_secs(120);
const RESCAN_LAST_KNOWN_BESIDE: Duration = Duration::from_secs(2);
/// The longest interval for the attached process when its game has not moved for a while: it is probably only paused. Most emulators that load
/// another game use the same memory or release it, and both is noticed without a scan.
const RESCAN_LAST_PAUSED: Duration = Duration::from_secs(16);
/// How long the end of the scanner's thread is waited for. It ends between two reads, but the system may not answer: Wine asks a thread of the
/// other program about its memory, and that has been seen to wait for ever.
const END_WITHIN: Duration = Duration::from_secs(2);

#[derive(Debug)]
struct Probe {
    /// Whether its name is that of a known emulator.
    known: bool,
    started: u64,
    program: String,
    /// The emulator of which it is a forked copy, as for a message box.
    copy_of: Option<Pid>,
    report: Option<Arc<DetectionReport>>,
    next: Instant,
    wait: Duration,
}

impl Probe {
    /// What was scanned rarely beside a game is scanned as often as any other from now on.
    fn hurry(&mut self, now: Instant) {
        let last = if self.known { RESCAN_LAST_KNOWN } else { RESCAN_LAST };
        self.wait = self.wait.min(last);
        self.next = self.next.min(now + last);
    }
}

#[derive(Debug)]
struct Shared {
    profiles: Vec<Arc<Profile>>,
    mode: AttachMode,
    attached: Option<Pid>,
    /// The process attached last, while it runs and no other is requested; it takes precedence over other candidates.
    preferred: Option<Pid>,
    /// Since when the attached process is scanned too, because its game does not move.
    recheck: Option<Instant>,
    /// The mode for which processes were listed; None since the last detach, because the list may lack some.
    listed: Option<AttachMode>,
    probes: BTreeMap<Pid, Probe>,
    /// The cached rows; None after a change.
    rows: Option<Arc<Vec<EmulatorRow>>>,
}

#[derive(Debug)]
struct SharedState {
    shared: Mutex<Shared>,
    wake: Condvar,
}

#[derive(Debug)]
pub struct ProcessScanner {
    state: Arc<SharedState>,
    task: Task<()>,
}

impl Drop for ProcessScanner {
    fn drop(&mut self) {
        self.task.progress().cancel();
        self.state.wake.notify_all();
        self.task.wait(END_WITHIN);
    }
}

impl ProcessScanner {
    pub fn start(profiles: Vec<Arc<Profile>>, mode: AttachMode) -> Self {
        let shared = Shared {
            profiles,
            mode,
            attached: None,
            preferred: None,
            recheck: None,
            listed: None,
            probes: BTreeMap::new(),
            rows: None,
        };
        let state = Arc::new(SharedState { shared: Mutex::new(shared), wake: Condvar::new() });
        let scan = Arc::clone(&state);
        let task = Task::start("scanner", || (), move |task| scan.run(task.progress()));
        Self { state, task }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Shared) -> T) -> T {
        act(&mut self.state.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn use_profiles(&self, profiles: Vec<Arc<Profile>>) {
        self.with(|shared| {
            shared.profiles = profiles;
            shared.listed = None;
            shared.probes.clear();
            shared.rows = None;
        });
        self.state.wake.notify_all();
    }

    pub fn seek(&self, mode: AttachMode) {
        let changed = self.with(|shared| {
            let changed = std::mem::replace(&mut shared.mode, mode) != mode;
            if changed {
                shared.preferred = None;
            }
            changed
        });
        if changed {
            self.state.wake.notify_all();
        }
    }

    pub fn attached(&self, pid: Pid) {
        self.with(|shared| {
            shared.attached = Some(pid);
            shared.preferred = Some(pid);
            shared.recheck = None;
            shared.rows = None;
        });
    }

    /// Discards the scan of a process, so that it is scanned again at once.
    pub fn detached(&self, pid: Pid) {
        self.with(|shared| {
            shared.attached = None;
            shared.listed = None;
            shared.probes.remove(&pid);
            let now = Instant::now();
            shared.probes.values_mut().for_each(|probe| probe.hurry(now));
            shared.rows = None;
        });
        self.state.wake.notify_all();
    }

    /// Requests a rescan of the attached process. Returns what it found, if that is another game or the same game at another address.
    pub fn found_elsewhere(&self, now: &DetectedGame) -> Option<String> {
        self.with(|shared| {
            if shared.recheck.is_none() {
                shared.recheck = Some(Instant::now());
                shared.probes.remove(&now.process.pid());
                shared.rows = None;
                self.state.wake.notify_all();
                return None;
            }
            let report = shared.probes.get(&now.process.pid()).and_then(|probe| probe.report.as_ref());
            let alive = report.and_then(|report| match &report.outcome {
                DetectionOutcome::Found(found) => Some(found),
                _ => None,
            });
            let found = alive?;
            if found.profile.id != now.profile.id {
                Some(format!("{} runs there now", found.profile.name))
            } else if found.ram.base != now.ram.base {
                Some("the game now runs at another address in memory".to_owned())
            } else {
                None
            }
        })
    }

    /// Call this when the attached game moves again.
    pub fn moved(&self) {
        self.with(|shared| shared.recheck = None);
        self.state.wake.notify_all();
    }

    /// The process to attach to, when the mode allows exactly one.
    pub fn choice(&self, mode: AttachMode) -> Option<Arc<DetectionReport>> {
        if let Some(Err(error)) = self.task.poll() {
            tracing::error!(target: topic::CONNECTION, "the scan for emulators {error}");
        }
        self.with(|shared| match mode {
            AttachMode::Nothing => None,
            AttachMode::Process(pid) => {
                let report = shared.probes.get(&pid)?.report.clone()?;
                matches!(report.outcome, DetectionOutcome::Found(_) | DetectionOutcome::Paused(_))
                    .then_some(report)
            }
            // A process that was not scanned yet may run a game too; then the user must choose.
            AttachMode::Automatic if !shared.is_settled() => None,
            AttachMode::Automatic => {
                let (running, paused) = shared.candidates();
                single_candidate(&running, &paused, shared.preferred).cloned()
            }
        })
    }

    pub fn must_choose(&self, mode: AttachMode) -> bool {
        mode == AttachMode::Automatic
            && self.with(|shared| {
                let (running, paused) = shared.candidates();
                running.len() + paused.len() > 0
                    && single_candidate(&running, &paused, shared.preferred).is_none()
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
            let listed = |(pid, probe): &(&Pid, &Probe)| {
                shared.attached == Some(**pid)
                    || shared.mode == AttachMode::Process(**pid)
                    || !shared.is_idle_copy(probe)
            };
            let mut rows: Vec<EmulatorRow> = shared.probes.iter().filter(listed).map(row).collect();
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
    let attempts = |report: &DetectionReport| {
        report.attempts.iter().map(|a| format!("{}: {}", a.method, a.message)).collect::<Vec<_>>().join("\n")
    };
    if attached {
        return RowState::Attached;
    }
    let Some(report) = &probe.report else { return RowState::New };
    match &report.outcome {
        DetectionOutcome::Found(_) | DetectionOutcome::Paused(_) => RowState::Candidate,
        DetectionOutcome::NoGame => RowState::NoGame,
        DetectionOutcome::NotFound => RowState::NotFound(attempts(report)),
        DetectionOutcome::Ambiguous(places) => RowState::NotFound(describe_ambiguity(places)),
        DetectionOutcome::Unreadable(crate::process::ReadError::Refused(refusal)) => {
            RowState::Refused(refusal.to_string())
        }
        DetectionOutcome::Unreadable(error) => RowState::NotFound(error.to_string()),
    }
}

type Candidates = Vec<(Pid, Arc<DetectionReport>)>;

/// The candidate to attach to without asking: of several, the one attached last. Running games take precedence over paused ones.
fn single_candidate<'a, T>(
    running: &'a [(Pid, T)],
    paused: &'a [(Pid, T)],
    preferred: Option<Pid>,
) -> Option<&'a T> {
    let candidates = if running.is_empty() { paused } else { running };
    match candidates {
        [(_, one)] => Some(one),
        several => several.iter().find(|(pid, _)| Some(*pid) == preferred).map(|(_, one)| one),
    }
}

impl Shared {
    /// Whether every known emulator was scanned. Programs of unknown name do not count: there are many, and some take long.
    fn is_settled(&self) -> bool {
        self.listed.is_some() && self.probes.values().all(|probe| !probe.known || probe.report.is_some())
    }

    /// Whether it is a forked copy of another emulator in which no game runs.
    fn is_idle_copy(&self, probe: &Probe) -> bool {
        let runs = || {
            let outcome = probe.report.as_ref().map(|report| &report.outcome);
            matches!(outcome, Some(DetectionOutcome::Found(_)))
        };
        probe.copy_of.is_some_and(|original| self.probes.contains_key(&original)) && !runs()
    }

    /// Reports of processes with a running known game, and of those with a paused one.
    fn candidates(&self) -> (Candidates, Candidates) {
        let (mut running, mut paused) = (Vec::new(), Vec::new());
        for (&pid, probe) in &self.probes {
            let Some(report) = probe.report.as_ref().filter(|_| !self.is_idle_copy(probe)) else { continue };
            match report.outcome {
                DetectionOutcome::Found(_) => running.push((pid, Arc::clone(report))),
                // An unknown program in which nothing changes may only contain a copy: a hex editor, a recording.
                DetectionOutcome::Paused(_) if report.identity.known => {
                    paused.push((pid, Arc::clone(report)));
                }
                _ => {}
            }
        }
        (running, paused)
    }

    /// Whether the attached game has not moved for a while.
    fn is_paused(&self) -> bool {
        self.recheck.is_some_and(|since| since.elapsed() > LONG_PAUSE)
    }

    fn should_scan(&self, pid: Pid) -> bool {
        match (self.mode, self.attached) {
            (_, Some(attached)) => pid != attached || self.recheck.is_some(),
            (AttachMode::Process(requested), None) => pid == requested,
            (AttachMode::Automatic, None) => true,
            (AttachMode::Nothing, None) => false,
        }
    }
}

impl SharedState {
    fn run(&self, progress: &Progress) {
        let mut running = ProcessList::default();
        let mut detector = Detector::default();
        let mut listed: Option<Instant> = None;
        while !progress.is_cancelled() {
            // Listed between any two scans, so that a new emulator does not wait for a series of large programs.
            if listed.is_none_or(|at| at.elapsed() >= DETACHED_EVERY) {
                self.list_processes(&mut running);
                listed = Some(Instant::now());
            }
            if let Some((pid, profiles)) = self.next_due() {
                let report = detector.detect(pid, &profiles);
                self.note(pid, report);
                continue;
            }
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            let wait = match shared.attached {
                Some(_) if shared.recheck.is_none() => ATTACHED_EVERY,
                Some(_) if shared.is_paused() => PAUSED_EVERY,
                _ => DETACHED_EVERY,
            };
            drop(self.wake.wait_timeout(shared, wait));
        }
    }

    /// Lists the processes again, unless none has started or ended since they were listed for this mode.
    fn list_processes(&self, running: &mut ProcessList) {
        let ourselves = Pid(std::process::id());
        let (mode, listed, lifetime) = {
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            let is_attached = shared.attached.is_some();
            (shared.mode, shared.listed, if is_attached { ATTACHED_LIFETIME } else { DETACHED_LIFETIME })
        };
        let mut processes = if listed == Some(mode) {
            let Some(processes) = running.refresh_if_changed(lifetime) else { return };
            processes
        } else {
            running.refresh()
        };
        processes.retain(|info| info.pid != ourselves);
        let requested: Vec<ProcessInfo> =
            processes.iter().filter(|info| mode == AttachMode::Process(info.pid)).cloned().collect();
        let known = likely_emulators(processes.clone(), false);
        let mut chosen = likely_emulators(processes, true);
        for info in requested {
            if !chosen.iter().any(|known| known.pid == info.pid) {
                chosen.push(info);
            }
        }
        let now = Instant::now();
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.listed = Some(mode);
        let alive = |pid: &Pid, probe: &Probe| {
            chosen.iter().any(|info| info.pid == *pid && info.started == probe.started)
        };
        let before = shared.probes.len();
        shared.probes.retain(|pid, probe| alive(pid, probe));
        shared.preferred =
            shared.preferred.filter(|preferred| chosen.iter().any(|info| info.pid == *preferred));
        let mut changed = shared.probes.len() != before;
        for info in &chosen {
            let known = known.iter().any(|known| known.pid == info.pid);
            changed |= !shared.probes.contains_key(&info.pid);
            let copy_of = forked_from(info, &chosen);
            let probe = shared.probes.entry(info.pid).or_insert_with(|| Probe {
                known,
                started: info.started,
                copy_of,
                program: info.exe.as_ref().map_or_else(|| info.name.clone(), |exe| exe.display().to_string()),
                report: None,
                next: now,
                wait: RESCAN_FIRST,
            });
            // A launched program is a copy of its launcher until it calls `exec`.
            changed |= std::mem::replace(&mut probe.copy_of, copy_of) != copy_of;
        }
        if changed {
            shared.rows = None;
        }
    }

    fn next_due(&self) -> Option<(Pid, Vec<Arc<Profile>>)> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let due = shared.probes.iter().filter(|(pid, probe)| probe.next <= now && shared.should_scan(**pid));
        let pid = due
            .min_by_key(|(_, probe)| (!probe.known, probe.report.is_some(), probe.next))
            .map(|(pid, _)| *pid)?;
        Some((pid, shared.profiles.clone()))
    }

    fn note(&self, pid: Pid, report: DetectionReport) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.rows = None;
        let paused = shared.attached == Some(pid) && shared.is_paused();
        let beside = shared.attached.is_some_and(|attached| attached != pid) && shared.recheck.is_none();
        let Some(probe) = shared.probes.get_mut(&pid) else { return };
        let (growth, last) = match (report.identity.known, beside) {
            (false, false) => (2, RESCAN_LAST),
            (false, true) => (4, RESCAN_LAST_BESIDE),
            (true, false) if paused => (2, RESCAN_LAST_PAUSED),
            (true, false) => (2, RESCAN_LAST_KNOWN),
            (true, true) => (4, RESCAN_LAST_KNOWN_BESIDE),
        };
        probe.next = Instant::now() + probe.wait;
        probe.wait = (probe.wait * growth).min(last);
        probe.report = Some(Arc::new(report));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulator_with_a_message_box_is_listed_once() {
        let scanner = ProcessScanner::start(Vec::new(), AttachMode::Nothing);
        let probe = |copy_of: Option<u32>| Probe {
            known: true,
            started: 0,
            program: "emulator".into(),
            copy_of: copy_of.map(Pid),
            report: None,
            next: Instant::now(),
            wait: RESCAN_FIRST,
        };
        scanner.with(|shared| {
            // The copy of an emulator that has ended is all that is left of it.
            shared.probes =
                [(7, None), (8, Some(7)), (9, Some(6))].map(|(pid, of)| (Pid(pid), probe(of))).into();
            let idle = |pid| shared.is_idle_copy(&shared.probes[&Pid(pid)]);
            assert_eq!([7, 8, 9].map(idle), [false, true, false]);
        });
    }

    #[test]
    fn what_was_scanned_rarely_beside_a_game_is_scanned_soon_after_it() {
        let now = Instant::now();
        for (known, soon) in [(true, RESCAN_LAST_KNOWN), (false, RESCAN_LAST)] {
            let mut probe = Probe {
                known,
                started: 0,
                program: String::new(),
                copy_of: None,
                report: None,
                next: now + RESCAN_LAST_BESIDE,
                wait: RESCAN_LAST_BESIDE,
            };
            probe.hurry(now);
            assert_eq!((probe.next, probe.wait), (now + soon, soon));
            probe.next = now;
            probe.hurry(now);
            assert_eq!(probe.next, now);
        }
    }

    #[test]
    fn of_several_games_only_the_one_attached_last_is_chosen() {
        let [a, b, c] = [1, 2, 3].map(|pid| (Pid(pid), pid));
        assert_eq!(single_candidate(&[a], &[b, c], None), Some(&1));
        assert_eq!(single_candidate(&[a, b], &[c], None), None);
        assert_eq!(
            single_candidate(&[a, b], &[c], Some(Pid(2))),
            Some(&2),
            "it continues at another address"
        );
        assert_eq!(single_candidate(&[a, b], &[c], Some(Pid(3))), None, "it is paused, and others run");
        assert_eq!(single_candidate(&[], &[b, c], Some(Pid(3))), Some(&3));
        assert_eq!(single_candidate(&[], &[b, c], None), None);
        assert_eq!(single_candidate::<u32>(&[], &[], Some(Pid(1))), None);
    }
}
