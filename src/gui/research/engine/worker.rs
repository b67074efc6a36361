//! The worker thread: jobs first, then background work for the window.

use super::super::text::{self, cells};
use super::{
    Busy, DRAWN_WITHIN, DumpOptions, Found, HistoryStep, Job, JobQueue, MemoryInfo, PREVIEW_EVERY, Preview,
    READ_EVERY, SETTLED, SearchTarget, SearchView, Shared, Values, lock,
};
use crate::file::{DUMP_LIMIT, read_regular};
use crate::recording::is_recording;
use crate::research::watch::Watch;
use crate::research::{
    Address, Condition, Dump, Kind, MemorySource, MemoryView, Pause, Progress, Recurrence, Search, Session,
    SessionError, Settings, SnapshotReader, SourceError, Step, StepOutcome, Tracker, ValueType,
};
use eframe::egui;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Frames per wait: a tenth of a second.
const FRAMES: u32 = 6;

enum Task {
    Job(Job, Arc<Progress>),
    Count(bool),
    Rows(Range<u64>),
    Preview(Condition, Arc<Progress>),
    Frames(Option<Condition>, Arc<Progress>),
    AutoEnds,
    Quit,
}

#[derive(Default)]
struct Done {
    /// The rows read last, the state of the search and the time.
    rows: Option<(Range<u64>, u64, Instant)>,
    /// The last preview, the state of the search, the time and the duration.
    preview: Option<(Condition, u64, Instant, Duration)>,
}

/// The thread.
pub struct Work {
    shared: Arc<Shared>,
    ctx: egui::Context,
    session: Option<Session>,
    /// The memory to open last was not available: the session, if any, is of the previous one.
    unavailable: bool,
    shown: SearchView,
    done: Done,
    /// Incremented with every change of rows or preview.
    state: u64,
    steps: Vec<HistoryStep>,
    published: Instant,
}

impl Work {
    pub fn new(shared: Arc<Shared>, ctx: egui::Context) -> Self {
        Self {
            shared,
            ctx,
            session: None,
            unavailable: false,
            shown: SearchView::default(),
            done: Done::default(),
            state: 0,
            steps: Vec::new(),
            published: Instant::now(),
        }
    }

    pub fn run(mut self) {
        loop {
            match self.next() {
                Task::Quit => return,
                Task::Job(job, progress) => self.job(job, &progress),
                Task::Count(count) => self.count(count),
                Task::Rows(rows) => self.rows(rows),
                Task::Preview(condition, progress) => self.preview(condition, &progress),
                Task::Frames(auto, progress) => self.frames(auto.as_ref(), &progress),
                Task::AutoEnds => {
                    (self.shown.auto, self.shown.no_frames) = (None, false);
                    self.update_view();
                    self.publish();
                }
            }
            lock(&self.shared.queue).running = None;
        }
    }

    fn next(&self) -> Task {
        let mut queue = lock(&self.shared.queue);
        loop {
            let now = Instant::now();
            let wait = match self.choose(&mut queue, now) {
                Ok(task) => return task,
                Err(until) => until.map(|until| until.saturating_duration_since(now)),
            };
            let condvar = &self.shared.condvar;
            queue = match wait {
                Some(wait) => match condvar.wait_timeout(queue, wait) {
                    Ok((queue, _)) => queue,
                    Err(poisoned) => poisoned.into_inner().0,
                },
                None => condvar.wait(queue).unwrap_or_else(std::sync::PoisonError::into_inner),
            };
        }
    }

    /// The task to do now, or the time of the next one if known.
    fn choose(&self, queue: &mut JobQueue, now: Instant) -> Result<Task, Option<Instant>> {
        if queue.quit {
            return Ok(Task::Quit);
        }
        let mut begin = |gives_way| {
            let progress = Arc::new(Progress::default());
            queue.running = Some((Arc::clone(&progress), gives_way));
            progress
        };
        if let Some(job) = queue.jobs.pop_front() {
            return Ok(Task::Job(job, begin(false)));
        }
        let Some(session) = &self.session else { return Err(None) };
        if queue.requests.count != session.tracker().is_some() {
            return Ok(Task::Count(queue.requests.count));
        }
        let live = self.shown.memory.as_ref().is_some_and(|memory| memory.live);
        let watched =
            queue.requests.last_drawn.is_some_and(|at| now.saturating_duration_since(at) < DRAWN_WITHIN);
        let mut next: Option<Instant> = None;
        let mut later = |at: Instant| next = Some(next.map_or(at, |next| next.min(at)));
        if session.search().is_some() {
            let requests = &queue.requests;
            match &self.done.rows {
                Some((rows, state, at)) if *rows == requests.rows && *state == self.state => {
                    if live && watched && now >= *at + READ_EVERY {
                        return Ok(Task::Rows(requests.rows.clone()));
                    }
                    if live && watched {
                        later(*at + READ_EVERY);
                    }
                }
                _ => return Ok(Task::Rows(requests.rows.clone())),
            }
            if let (Some((condition, since)), None) = (&requests.preview, &requests.auto) {
                // The slower a preview, the less often it is repeated.
                let due = match &self.done.preview {
                    Some((asked, state, at, took)) if asked == condition => match *state == self.state {
                        true => (live && watched).then(|| *at + PREVIEW_EVERY.max(*took * 10)),
                        false => Some(*at + *took * 10),
                    },
                    _ => Some(*since + SETTLED),
                };
                match due {
                    Some(due) if now >= due => {
                        let condition = condition.clone();
                        return Ok(Task::Preview(condition, begin(true)));
                    }
                    Some(due) => later(due),
                    None => {}
                }
            }
        }
        if queue.requests.auto.is_none() && self.shown.auto.is_some() {
            return Ok(Task::AutoEnds);
        }
        if live && (queue.requests.auto.is_some() || queue.requests.count) {
            let auto = queue.requests.auto.clone();
            return Ok(Task::Frames(auto, begin(true)));
        }
        Err(next)
    }

    fn publish(&mut self) {
        self.published = Instant::now();
        *lock(&self.shared.shown) = Arc::new(self.shown.clone());
        self.ctx.request_repaint();
    }

    fn job(&mut self, job: Job, progress: &Arc<Progress>) {
        let what = match &job {
            Job::Open(..) => "Opening memory".to_owned(),
            Job::Step(_, what) | Job::Exclude(_, what) => what.clone(),
            Job::Settings(_) | Job::Go(_) => String::new(),
            Job::Board(_) => "board".into(),
        };
        self.shown.busy = Some(Busy { what, progress: Arc::clone(progress), since: Instant::now() });
        self.publish();
        self.shown.error = None;
        match job {
            Job::Open(target, settings) => self.open(&target, settings),
            Job::Settings(settings) => self.set(settings),
            Job::Step(step, what) => self.step(&step, what, progress),
            Job::Go(to) => self.go(to, progress),
            Job::Exclude(places, what) => self.run_session(what, |session| session.exclude(&places)),
            Job::Board(painted) => {
                self.run_session("board".into(), |session| session.board(&painted, progress))
            }
        }
        self.shown.busy = None;
        self.update_view();
        self.publish();
    }

    /// Opens memory. The search continues in the same console or with more dumps.
    fn open(&mut self, target: &SearchTarget, settings: Settings) {
        let memory = match target {
            SearchTarget::Console(pid, profile) => MemorySource::console(*pid, &[Arc::clone(profile)]),
            SearchTarget::AnyGame(pid, asked) => MemorySource::any_game(*pid, *asked),
            SearchTarget::Whole(pid) => MemorySource::process(*pid),
            SearchTarget::Recording(snapshot) => {
                MemorySource::recording(SnapshotReader::new(snapshot.clone()))
            }
            SearchTarget::Dumps(paths, of) => dumps(paths, of),
        };
        let memory = match memory {
            Ok(memory) => memory,
            Err(error) => {
                self.shown.error = Some(error.to_string());
                (self.unavailable, self.shown.memory) = (true, None);
                return;
            }
        };
        self.unavailable = false;
        self.state += 1;
        let continues = |old: &Session| old.search().is_some() && same_domain(old.memory(), &memory);
        if let Some(session) = self.session.as_mut().filter(|session| continues(session)) {
            let at = session.memory().dump_number().map_or(0, |(at, _)| at - 1);
            session.move_to(match memory {
                MemorySource::Dumps(dumps, _) => {
                    let last = dumps.len() - 1;
                    MemorySource::Dumps(dumps, at.min(last))
                }
                other => other,
            });
        } else {
            let ty = ValueType::new(settings.ty.kind(), memory.order()).unwrap_or(settings.ty);
            self.session = Some(Session::new(memory, Settings { ty, ..settings }));
            self.reset();
            self.shown.message = String::new();
        }
    }

    /// Sets the type and alignment of the next search.
    fn set(&mut self, settings: Settings) {
        let Some(session) = &mut self.session else { return };
        for step in [Step::Type(settings.ty), Step::Align(settings.alignment)] {
            if let Err(error) = session.step(&step, &Progress::default()) {
                self.shown.error = Some(error.to_string());
            }
        }
        self.state += 1;
    }

    fn reset(&mut self) {
        self.steps.clear();
        (self.shown.preview, self.shown.auto, self.shown.at) = (None, None, 0);
        self.done = Done::default();
        lock(&self.shared.queue).requests.auto = None;
    }

    fn step(&mut self, step: &Step, what: String, progress: &Progress) {
        if *step == Step::Track {
            lock(&self.shared.queue).requests.count = true;
        }
        if *step == Step::New {
            self.reset();
        }
        if let (Step::Match(_), Some(session)) = (step, &mut self.session)
            && session.search().is_none()
        {
            session.stop_tracking(); // its cells have another type
        }
        self.run_session(what, |session| session.step(step, progress));
    }

    /// Runs an action on the session and reports its result.
    fn run_session(
        &mut self,
        what: String,
        act: impl FnOnce(&mut Session) -> Result<StepOutcome, SessionError>,
    ) {
        let Some(session) = self.session.as_mut().filter(|_| !self.unavailable) else {
            self.shown.error = Some("Nothing to search: attach to an emulator or open a dump".into());
            return;
        };
        let start = Instant::now();
        let said = act(session);
        self.state += 1;
        match said {
            Ok(said) => self.report(what, &said, start.elapsed()),
            Err(SessionError::Cancelled) => {
                self.shown.message = format!("{what} was cancelled; the earlier results are kept");
            }
            Err(error) => self.shown.error = Some(error.to_string()),
        }
    }

    fn report(&mut self, what: String, said: &StepOutcome, took: Duration) {
        if let Some(table) = said.table() {
            let found = Found { what, table, watches: watches(said), took };
            self.shown.message = String::new();
            self.shown.found = Some(Arc::new(found));
            return;
        }
        match said {
            StepOutcome::Narrowed { outcome, took } => {
                let lost = match outcome.unreadable {
                    0 => String::new(),
                    lost => format!(", {} no longer readable", cells(lost)),
                };
                self.shown.message =
                    format!("{what}: {} left{lost} ({})", cells(outcome.left), milliseconds(*took));
                self.note(what);
            }
            StepOutcome::Previewed { outcome, .. } => {
                self.shown.message = format!("{what}: would leave {}", cells(outcome.left));
            }
            StepOutcome::UndoOutcome(undone) => {
                let lost = if undone.values_known { "" } else { "; some previous values are unknown" };
                self.shown.message = format!("{what}: {} left{lost}", cells(undone.left));
                self.shown.at = self.session.as_ref().and_then(Session::search).map_or(0, Search::undos);
            }
            _ => self.shown.message = String::new(),
        }
    }

    /// Adds a step to the history if the search has it, too. A step at every frame that the search joined to the one before it only
    /// updates that one.
    fn note(&mut self, what: String) {
        let Some(search) = self.session.as_ref().and_then(Session::search) else { return };
        let (undos, redos, left) = (search.undos(), search.redos(), search.len());
        if self.steps.is_empty() || undos > self.shown.at {
            self.steps.truncate(undos);
            self.steps.push(HistoryStep { what, left });
        } else if let Some(step) = self.steps.get_mut(undos) {
            step.left = left;
            if redos == 0 {
                self.steps.truncate(undos + 1);
            }
        }
        self.shown.at = undos;
    }

    fn go(&mut self, to: usize, progress: &Progress) {
        loop {
            let Some(search) = self.session.as_ref().and_then(Session::search) else { return };
            let at = search.undos();
            let (step, what) = match at.cmp(&to) {
                std::cmp::Ordering::Equal => return,
                std::cmp::Ordering::Greater => (Step::Undo, format!("Undone: {}", self.name_of(at))),
                std::cmp::Ordering::Less => (Step::Redo, format!("Redone: {}", self.name_of(at + 1))),
            };
            self.step(&step, what, progress);
            if self.shown.error.is_some() {
                return;
            }
        }
    }

    fn name_of(&self, step: usize) -> &str {
        self.steps.get(step).map_or("", |step| &step.what)
    }

    /// Updates the view from the session.
    fn update_view(&mut self) {
        let shown = &mut self.shown;
        let Some(session) = &self.session else { return };
        let memory = session.memory();
        shown.memory = (!self.unavailable).then(|| MemoryInfo {
            name: memory.name(),
            domain: memory.domain(),
            partial: memory.partial(),
            live: memory.dump_number().is_none(),
            dump: memory.dump_number(),
        });
        shown.settings = Some(*session.settings());
        shown.search = session.search().map(|search| Arc::new(search.without_history()));
        shown.at = session.search().map_or(0, Search::undos);
        shown.steps = Arc::new(self.steps.clone());
        shown.counting = frames_counted(session);
    }

    fn count(&mut self, count: bool) {
        let Some(session) = &mut self.session else { return };
        if !count {
            session.stop_tracking();
        } else if let Err(error) = session.step(&Step::Track, &Progress::default()) {
            self.shown.error = Some(error.to_string());
            lock(&self.shared.queue).requests.count = false;
        }
        self.state += 1;
        self.update_view();
        self.publish();
    }

    /// Reads the visible cells.
    fn rows(&mut self, rows: Range<u64>) {
        let Some(session) = &self.session else { return };
        let Some(search) = session.search() else { return };
        let ty = search.settings().ty;
        let mut values = Values { counted: session.tracker().is_some(), ..Values::default() };
        let view = session.memory().view();
        for row in search.rows(rows.clone()) {
            let place = row.cell;
            let mut bytes = vec![0; ty.width()];
            let source = view.as_ref().ok().map(MemoryView::source);
            let read = source.and_then(|source| source.read(place.address, &mut bytes).ok());
            values.now.insert(place, read.and_then(|()| ty.read(&bytes, place.part)));
            if let Some(changes) = session.tracker().and_then(|tracker| tracker.changes(place)) {
                values.changes.insert(place, changes);
            }
        }
        self.done.rows = Some((rows, self.state, Instant::now()));
        if *self.shown.values != values {
            self.shown.values = Arc::new(values);
            self.publish();
        }
    }

    fn preview(&mut self, condition: Condition, progress: &Progress) {
        let Some(session) = &mut self.session else { return };
        let start = Instant::now();
        let left = match session.step(&Step::Preview(condition.clone()), progress) {
            Ok(StepOutcome::Previewed { outcome, .. }) => Ok(outcome.left),
            Ok(_) | Err(SessionError::Cancelled) => return,
            Err(error) => Err(error.to_string()),
        };
        self.done.preview = Some((condition.clone(), self.state, Instant::now(), start.elapsed()));
        let preview = Some(Preview { condition, left });
        if self.shown.preview != preview {
            self.shown.preview = preview;
            self.publish();
        }
    }

    /// Waits for a few frames, counting changes and optionally narrowing at each.
    fn frames(&mut self, auto: Option<&Condition>, progress: &Progress) {
        if auto.is_some() && self.shown.auto.is_none() {
            self.shown.auto = Some(0);
            self.publish();
        }
        let Some(session) = &mut self.session else { return };
        let step = match auto {
            Some(condition) => Step::Auto(FRAMES, condition.clone()),
            None => Step::Wait(Pause::Frames(FRAMES)),
        };
        let ended = session.step(&step, progress);
        let had_no_frames = std::mem::take(&mut self.shown.no_frames);
        match ended {
            Ok(_) => {
                self.shown.auto = self.shown.auto.map(|frames| frames + u64::from(FRAMES));
            }
            Err(SessionError::Cancelled) => {}
            Err(SessionError::Source(SourceError::NoFrames)) => self.shown.no_frames = true,
            Err(error) => {
                self.shown.error = Some(error.to_string());
                let mut queue = lock(&self.shared.queue);
                (queue.requests.auto, queue.requests.count) = (None, false);
            }
        }
        self.state += 1;
        if let Some(condition) = auto {
            let ty = self.session.as_ref().map(|session| session.settings().ty);
            let what = ty.map_or_else(String::new, |ty| text::of_condition(condition, ty));
            self.note(format!("at every frame: {what}"));
        }
        // A game at a higher speed is not drawn more often.
        if self.published.elapsed() >= READ_EVERY / 2 || had_no_frames != self.shown.no_frames {
            match auto {
                Some(_) => self.update_view(),
                None => self.shown.counting = self.session.as_ref().and_then(frames_counted),
            }
            self.publish();
        }
    }
}

fn frames_counted(session: &Session) -> Option<u64> {
    session.tracker().map(Tracker::frames)
}

/// Whether a search continues from one memory in the other.
fn same_domain(old: &MemorySource, new: &MemorySource) -> bool {
    let is_live = |memory: &MemorySource| memory.dump_number().is_none();
    match (old.domain(), new.domain()) {
        (Some(old_domain), Some(new_domain)) => {
            is_live(old) == is_live(new) && std::ptr::eq(old_domain, new_domain)
        }
        (None, None) => !is_live(old) && !is_live(new),
        _ => false,
    }
}

fn dumps(paths: &[PathBuf], of: &DumpOptions) -> Result<MemorySource, SourceError> {
    let mut dumps = Vec::new();
    for path in paths {
        let wrong = |what: String| SourceError::Invalid(format!("{}: {what}", path.display()));
        if is_recording(path) {
            let what = "this is a recording: open it from the File menu, then search Console RAM";
            return Err(wrong(what.into()));
        }
        let bytes = read_regular(path, DUMP_LIMIT).map_err(|error| wrong(error.to_string()))?;
        let dump = Dump::open(bytes, of.console, of.swapped, &of.profiles);
        dumps.push(dump.map_err(|error| wrong(error.to_string()))?);
    }
    MemorySource::dumps(dumps)
}

/// A watch for each result.
fn watches(said: &StepOutcome) -> Vec<Watch> {
    let of = |address: Address, kind: Kind, order, label: &str| {
        let ty = ValueType::new(kind, order).ok()?;
        Some(Watch { label: label.to_owned(), ..Watch::new(address, ty) })
    };
    let byte = |address: Address, label: &str| of(address, Kind::U8, crate::console::Endian::Big, label);
    match said {
        StepOutcome::Pools(found) => found.iter().filter_map(|pool| byte(pool.address, "pool")).collect(),
        StepOutcome::Sequences(found) => {
            found.iter().filter_map(|hit| byte(hit.address, "sequence")).collect()
        }
        StepOutcome::Boards(found) => found.iter().filter_map(|hit| byte(hit.address, "board")).collect(),
        StepOutcome::Generators(found) => {
            let watch = |hit: &crate::research::RngHit| {
                let kind = match hit.recurrence {
                    Recurrence::Linear { bits: 16, .. } | Recurrence::TetrisNes => Kind::U16,
                    _ => Kind::U32,
                };
                of(hit.address, kind, hit.order, "generator")
            };
            found.iter().filter_map(watch).collect()
        }
        _ => Vec::new(),
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
