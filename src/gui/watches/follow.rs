//! The thread that follows the watches from frame to frame, however slowly the window draws.

use crate::console::{ConsoleAddr, Domain, Plan, Snapshot};
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

/// How long new frames are waited for before the thread looks whether the list was edited. It looks without a new frame only when
/// there was none: the game is paused.
const ROUND: f64 = 0.2;
/// After this time what could not be followed is tried again, as long as the emulator is attached.
const TRY_AGAIN: Duration = Duration::from_secs(3);
/// Values that changed are drawn no sooner than this: more frames a second nobody reads.
const DRAWN_WITHIN: Duration = Duration::from_millis(100);

/// The list as window and thread share it. Nobody holds it for longer than it takes to read the cells of a snapshot.
#[derive(Default)]
pub struct Shared {
    list: Mutex<WatchList>,
    /// One more with every edit; the first makes it 1.
    revision: AtomicU64,
    /// The frame of the last look, counted since the game was found.
    frame: AtomicU64,
    /// Whether the list was drawn since the thread asked for a frame.
    drawn: AtomicBool,
}

impl Shared {
    /// Reads the list.
    pub fn read<R>(&self, read: impl FnOnce(&WatchList) -> R) -> R {
        read(&self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the list.
    pub fn edit<R>(&self, edit: impl FnOnce(&mut WatchList) -> R) -> R {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        self.revision.fetch_add(1, Ordering::Release);
        edit(&mut list)
    }

    /// One more with every edit.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// The frame of the last look.
    pub fn frame(&self) -> u64 {
        self.frame.load(Ordering::Relaxed)
    }

    /// Says that the list is in sight: changes are worth a frame of the window.
    pub fn drawn(&self) {
        self.drawn.store(true, Ordering::Relaxed);
    }
}

/// How the thread is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing to follow: nothing is watched, or no emulator is attached.
    Idle,
    /// The RAM is being found.
    Seeking,
    /// Every frame is looked at.
    Following,
    /// No new frame comes.
    Standing,
    /// It cannot be followed, and why.
    Ended(String),
}

/// What is followed: another one when the game moved to another place.
#[derive(PartialEq, Eq, Clone)]
struct Which {
    pid: Pid,
    ram: String,
    profile: String,
    /// The recording's name, where one is played.
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
    /// When it was seen to have ended.
    ended: Option<Instant>,
}

impl Drop for Running {
    /// The thread ends by itself: it may be in the middle of a search, and the window does not wait.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Starts the thread when there is something to follow, and stops it when there is not.
#[derive(Default)]
pub struct Follower {
    running: Option<Running>,
}

impl Follower {
    /// To be called with every frame of the window.
    pub fn keep(&mut self, ctx: &egui::Context, shared: &Arc<Shared>, view: &View, played: &ReplaySnapshot) {
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
                Some(since) if since >= TRY_AGAIN => {}
                Some(since) => return ctx.request_repaint_after(TRY_AGAIN - since),
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
            set(&state, State::Ended(format!("the system gives no thread: {error}")));
        }
        self.running = Some(Running { of, stop, state, ended: None });
    }

    /// How it is doing.
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
            self.tell(State::Ended(why.to_string()));
        }
    }

    fn tell(&self, state: State) {
        if set(&self.state, state) {
            self.ctx.request_repaint_after(Duration::from_millis(1));
        }
    }

    /// Until it is to stop; an error says why nothing can be read any more.
    fn follow(&self, mut memory: MemorySource) -> Result<(), SourceError> {
        let mut looks = Looks::default();
        while !self.stop.load(Ordering::Relaxed) {
            let mut moved = false;
            memory.wait(Pause::Seconds(ROUND), &self.stop, |memory, frames| {
                moved = true;
                self.look(memory, &mut looks, frames)
            })?;
            if !moved {
                self.look(&memory, &mut looks, 0)?;
            }
            self.tell(if moved { State::Following } else { State::Standing });
        }
        Ok(())
    }

    fn look(&self, memory: &MemorySource, looks: &mut Looks, frames: u32) -> Result<(), SourceError> {
        let Some(domain) = memory.domain() else { return Ok(()) };
        looks.plan(&self.shared, domain);
        looks.frame += u64::from(frames);
        let (snapshot, process) = match memory {
            MemorySource::Console(found) => (found.ram.sample(&looks.plan)?, Some(&*found.process)),
            MemorySource::Recording(recording) => (recording.current()?, None),
            _ => return Ok(()),
        };
        let cells = Cells { snapshot: &snapshot, process };
        let mut list = self.shared.list.lock().unwrap_or_else(PoisonError::into_inner);
        if self.stop.load(Ordering::Relaxed) || self.shared.revision() != looks.planned {
            return Ok(()); // another thread follows by now, or other cells are watched than were read
        }
        let different = list.update(&cells, looks.frame);
        drop(list);
        self.shared.frame.store(looks.frame, Ordering::Relaxed);
        if different && self.shared.drawn.swap(false, Ordering::Relaxed) {
            self.ctx.request_repaint_after(DRAWN_WITHIN);
        }
        Ok(())
    }
}

/// What is read with each look, and how many frames passed.
#[derive(Default)]
struct Looks {
    plan: Plan,
    /// The edit of the list for which the plan is made; 0 for none.
    planned: u64,
    frame: u64,
}

impl Looks {
    fn plan(&mut self, shared: &Shared, domain: &'static Domain) {
        if self.planned == shared.revision() {
            return;
        }
        let cells: Vec<_> = shared.read(|list| {
            self.planned = shared.revision();
            list.watches().filter_map(|watch| span(domain, watch.address, watch.ty.width())).collect()
        });
        self.plan = Plan::of(domain, cells, Vec::new());
    }
}

/// Where bytes stand in a domain, as offsets; a mirror leads to the same place.
pub fn span(domain: &Domain, address: Address, len: usize) -> Option<std::ops::Range<usize>> {
    domain.span(ConsoleAddr(u32::try_from(address.0).ok()?), len)
}

/// The cells of a console by its addresses, and for any other address those of the emulator itself; a recording has none of those.
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
