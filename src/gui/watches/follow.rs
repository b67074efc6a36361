//! The thread that updates the watches every frame, independent of the window's frame rate.

use crate::console::{ConsoleAddr, Domain, ReadPlan, Snapshot};
use crate::gui::repaint;
use crate::live::{Connection, Target, View};
use crate::process::{HostAddr, Pid, Process, ReadError};
use crate::research::watch::WatchList;
use crate::research::{
    Address, MemorySource, Pause, ReplaySnapshot, SnapshotReader, Source, SourceError, Span,
};
use crate::task::{Handle, Task};
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

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum State {
    /// Nothing to follow: no watches, or no emulator.
    Idle,
    /// The RAM is being located.
    #[default]
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
    /// Its result is why it ended.
    task: Task<String, State>,
    /// When it ended.
    ended: Option<Instant>,
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
        if let Some(running) = self.running.as_mut().filter(|running| running.of == of) {
            if let Some(ended) = running.task.poll() {
                let why = ended.unwrap_or_else(|error| format!("the update of the watches {error}"));
                *running.task.note() = State::Ended(why);
                running.ended = Some(Instant::now());
            }
            match running.ended.map(|at| at.elapsed()) {
                Some(since) if since >= RETRY_INTERVAL => {}
                Some(since) => return ctx.request_repaint_after(RETRY_INTERVAL - since),
                None => return,
            }
        }
        let (pid, profile) = (target.pid, Arc::clone(&target.profile));
        let played = of.recording.is_some().then(|| played.clone());
        let (shared, repaint_ctx) = (Arc::clone(shared), ctx.clone());
        let task = Task::start("watches", repaint::waker(ctx), move |task| {
            let memory = match played {
                Some(played) => MemorySource::recording(SnapshotReader::new(played)),
                None => MemorySource::console(pid, &[profile]),
            };
            let following = Following { ctx: repaint_ctx, shared, task };
            let ended = memory.and_then(|memory| following.follow(memory));
            ended.err().map_or_else(String::new, |why| why.to_string())
        });
        self.running = Some(Running { of, task, ended: None });
    }

    pub fn state(&self) -> State {
        self.running.as_ref().map_or(State::Idle, |running| running.task.note().clone())
    }
}

struct Following<'a> {
    ctx: egui::Context,
    shared: Arc<Shared>,
    task: &'a Handle<State>,
}

impl Following<'_> {
    fn set_state(&self, state: State) {
        let mut now = self.task.note();
        if *now != state {
            *now = state;
            drop(now);
            self.ctx.request_repaint_after(Duration::from_millis(1));
        }
    }

    /// Runs until stopped; returns why nothing can be read any more.
    fn follow(&self, mut memory: MemorySource) -> Result<(), SourceError> {
        let mut reads = Reads::default();
        let progress = self.task.progress();
        while !progress.is_cancelled() {
            let mut moved = false;
            memory.wait(Pause::Seconds(WAIT_TIME), progress, |memory, frames| {
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
        if self.task.progress().is_cancelled() || self.shared.revision() != reads.planned {
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
