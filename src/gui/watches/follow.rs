//! The thread that updates the watches every frame, independent of the window's frame rate.

use crate::console::{ConsoleAddr, Domain, ReadPlan, Snapshot};
use crate::live::{Connection, Target, View};
use crate::process::{HostAddr, Pid, Process, ReadError};
use crate::research::watch::WatchList;
use crate::research::{
    Address, MemorySource, Pause, ReplaySnapshot, SnapshotReader, Source, SourceError, Span,
};
use eframe::egui;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long to wait for a new frame before checking whether the list was edited. Without new frames the game is paused.
const WAIT_TIME: f64 = 0.2;
/// Retry interval after a failure while the emulator is attached.
const RETRY_INTERVAL: Duration = Duration::from_secs(3);
/// Minimum interval between repaints for changed values.
const MIN_REPAINT_INTERVAL: Duration = Duration::from_millis(100);

/// The list, shared by window and thread. Locks are held only while cells are read.
#[derive(Default)]
pub struct Shared {
    list: Mutex<WatchList>,
    /// Revision of the list, from 1.
    revision: AtomicU64,
    /// The frame of the last update, counted since the game was attached.
    frame: AtomicU64,
    /// Whether the list was drawn since the last repaint request.
    drawn: AtomicBool,
}

impl Shared {
    pub fn read<R>(&self, read: impl FnOnce(&WatchList) -> R) -> R {
        read(&self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn edit<R>(&self, edit: impl FnOnce(&mut WatchList) -> R) -> R {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        self.revision.fetch_add(1, Ordering::Release);
        edit(&mut list)
    }

    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    pub fn frame(&self) -> u64 {
        self.frame.load(Ordering::Relaxed)
    }

    /// Marks the list as visible: changes need a repaint.
    pub fn drawn(&self) {
        self.drawn.store(true, Ordering::Relaxed);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing to follow: no watches, or no emulator.
    Idle,
    /// The RAM is being located.
    Seeking,
    Following,
    /// No new frames.
    Paused,
    Ended(String),
}

/// The followed source; it changes when the game moves to another address.
#[derive(PartialEq, Eq, Clone)]
struct Which {
    pid: Pid,
    ram: String,
    profile: String,
    /// The name of the recording.
    recording: Option<String>,
}

impl Which {
    fn of(target: &Target, view: &View) -> Self {
        let recording = view.replay.as_ref().map(|replay| replay.name.clone());
        Self { pid: target.pid, ram: target.ram.clone(), profile: target.profile.id.clone(), recording }
    }
}

struct Running {
    of: Which,
    stop: Arc<AtomicBool>,
    state: Arc<Mutex<State>>,
    /// When it ended.
    ended: Option<Instant>,
}

impl Drop for Running {
    /// The thread stops by itself: it may be searching, and the window must not wait.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Starts the thread when needed, and stops it otherwise.
#[derive(Default)]
pub struct Follower {
    running: Option<Running>,
}

impl Follower {
    /// Call this every frame.
    pub fn update_thread(
        &mut self,
        ctx: &egui::Context,
        shared: &Arc<Shared>,
        view: &View,
        played: &ReplaySnapshot,
    ) {
        let attached = matches!(
            view.connection,
            Connection::Live | Connection::Paused { .. } | Connection::Replaying { .. }
        );
        let target = view.target.as_ref().filter(|_| attached);
        let watched = shared.read(|list| list.watches().next().is_some());
        let Some(target) = target.filter(|_| watched) else {
            self.running = None;
            return;
        };
        let of = Which::of(target, view);
        let ended = matches!(self.state(), State::Ended(_));
        if let Some(running) = self.running.as_mut().filter(|running| running.of == of) {
            let since = ended.then(|| running.ended.get_or_insert_with(Instant::now).elapsed());
            match since {
                Some(since) if since >= RETRY_INTERVAL => {}
                Some(since) => return ctx.request_repaint_after(RETRY_INTERVAL - since),
                None => return,
            }
        }
        let (stop, state) = (Arc::<AtomicBool>::default(), Arc::new(Mutex::new(State::Seeking)));
        let following = Following {
            ctx: ctx.clone(),
            shared: Arc::clone(shared),
            stop: Arc::clone(&stop),
            state: Arc::clone(&state),
        };
        let (pid, profile) = (target.pid, Arc::clone(&target.profile));
        let played = of.recording.is_some().then(|| played.clone());
        let spawned = std::thread::Builder::new().name("watches".into()).spawn(move || {
            following.run(match played {
                Some(played) => MemorySource::recording(SnapshotReader::new(played)),
                None => MemorySource::console(pid, &[profile]),
            });
        });
        if let Err(error) = spawned {
            set(&state, State::Ended(format!("cannot start a thread: {error}")));
        }
        self.running = Some(Running { of, stop, state, ended: None });
    }

    pub fn state(&self) -> State {
        let state = self.running.as_ref().map(|running| &running.state);
        state.map_or(State::Idle, |state| state.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

fn set(state: &Mutex<State>, new: State) -> bool {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let different = *state != new;
    *state = new;
    different
}

struct Following {
    ctx: egui::Context,
    shared: Arc<Shared>,
    stop: Arc<AtomicBool>,
    state: Arc<Mutex<State>>,
}

impl Following {
    fn run(&self, memory: Result<MemorySource, SourceError>) {
        let why = match memory {
            Ok(memory) => self.follow(memory).err(),
            Err(error) => Some(error),
        };
        if let Some(why) = why {
            self.set_state(State::Ended(why.to_string()));
        }
    }

    fn set_state(&self, state: State) {
        if set(&self.state, state) {
            self.ctx.request_repaint_after(Duration::from_millis(1));
        }
    }

    /// Runs until stopped; returns why nothing can be read any more.
    fn follow(&self, mut memory: MemorySource) -> Result<(), SourceError> {
        let mut reads = Reads::default();
        while !self.stop.load(Ordering::Relaxed) {
            let mut moved = false;
            memory.wait(Pause::Seconds(WAIT_TIME), &self.stop, |memory, frames| {
                moved = true;
                self.update(memory, &mut reads, frames)
            })?;
            if !moved {
                self.update(&memory, &mut reads, 0)?;
            }
            self.set_state(if moved { State::Following } else { State::Paused });
        }
        Ok(())
    }

    fn update(&self, memory: &MemorySource, reads: &mut Reads, frames: u32) -> Result<(), SourceError> {
        let Some(domain) = memory.domain() else { return Ok(()) };
        reads.plan(&self.shared, domain);
        reads.frame += u64::from(frames);
        let (snapshot, process) = match memory {
            MemorySource::Console(found) => (found.ram.sample(&reads.plan)?, Some(&*found.process)),
            MemorySource::Recording(recording) => (recording.current()?, None),
            _ => return Ok(()),
        };
        let cells = Cells { snapshot: &snapshot, process };
        let mut list = self.shared.list.lock().unwrap_or_else(PoisonError::into_inner);
        if self.stop.load(Ordering::Relaxed) || self.shared.revision() != reads.planned {
            return Ok(()); // a newer thread follows, or the list changed since the plan was made
        }
        let different = list.update(&cells, reads.frame);
        drop(list);
        self.shared.frame.store(reads.frame, Ordering::Relaxed);
        if different && self.shared.drawn.swap(false, Ordering::Relaxed) {
            self.ctx.request_repaint_after(MIN_REPAINT_INTERVAL);
        }
        Ok(())
    }
}

/// The reads of an update, and the frame count.
#[derive(Default)]
struct Reads {
    plan: ReadPlan,
    /// The list revision of the plan; 0 without a plan.
    planned: u64,
    frame: u64,
}

impl Reads {
    fn plan(&mut self, shared: &Shared, domain: &'static Domain) {
        if self.planned == shared.revision() {
            return;
        }
        let cells: Vec<_> = shared.read(|list| {
            self.planned = shared.revision();
            list.watches().filter_map(|watch| span(domain, watch.address, watch.ty.width())).collect()
        });
        self.plan = ReadPlan::of(domain, cells, Vec::new());
    }
}

/// Ranges as offsets in a domain; mirrors map to the same range.
pub fn span(domain: &Domain, address: Address, len: usize) -> Option<std::ops::Range<usize>> {
    domain.span(ConsoleAddr(u32::try_from(address.0).ok()?), len)
}

/// Reads console addresses from the snapshot and all others from the emulator; a recording has only the former.
struct Cells<'a> {
    snapshot: &'a Snapshot,
    process: Option<&'a Process>,
}

impl Source for Cells<'_> {
    fn spans(&self) -> Result<Vec<Span>, ReadError> {
        Source::spans(self.snapshot)
    }

    fn read(&self, address: Address, buf: &mut [u8]) -> Result<(), ReadError> {
        let domain = self.snapshot.domain();
        if let (None, Some(process)) = (span(domain, address, 1), self.process) {
            return process.read_exact(HostAddr(address.0), buf);
        }
        let bytes = span(domain, address, buf.len()).and_then(|span| self.snapshot.at(span));
        let pid = self.process.map_or(Pid(0), Process::pid);
        let outside = ReadError::NotMapped { pid, addr: HostAddr(address.0) };
        buf.copy_from_slice(bytes.ok_or(outside)?);
        Ok(())
    }
}
