//! The worker thread: runs jobs in order, and standing requests between them.

use super::super::words::{self, cells};
use super::order::{MAX_SORTED, RowOrder, rows as ordered};
use super::sources::{dumps, same_domain, watches};
use super::{
    Busy, Found, HistoryStep, Job, JobQueue, MemorySummary, Origin, PREVIEW_EVERY, Preview, READ_EVERY,
    SETTLED, Shared, Shown, VIEWED_WITHIN, Values, lock,
};
use crate::research::{
    Condition, MemorySource, MemoryView, Pause, Search, Session, SessionError, Settings, SnapshotReader,
    SourceError, Step, StepOutcome, Tracker, ValueType,
};
use crate::task::Progress;
use eframe::egui;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Frames per wait: a tenth of a second.
const FRAMES: u32 = 6;

/// The next work item.
enum WorkItem {
    Job(Job, Arc<Progress>),
    Count(bool),
    Sort,
    Rows(Range<u64>),
    Preview(Condition, Arc<Progress>),
    Frames(Option<Condition>, Arc<Progress>),
    AutoEnds,
    Quit,
}

/// When recurring tasks ran last.
#[derive(Default)]
struct Done {
    /// The rows read, the state of the search, and the time.
    rows: Option<(Range<u64>, u64, Instant)>,
    /// The previewed condition, the state of the search, the time, and the duration.
    preview: Option<(Condition, u64, Instant, Duration)>,
}

pub struct Work {
    shared: Arc<Shared>,
    ctx: egui::Context,
    session: Option<Session>,
    /// The last source could not be opened; the session, if any, is of the previous one.
    unreachable: bool,
    shown: Shown,
    done: Done,
    /// Incremented by every change of rows or preview.
    state: u64,
    steps: Vec<HistoryStep>,
    /// The steps of the search that "Start over" discarded.
    discarded: Vec<HistoryStep>,
    published: Instant,
}

impl Work {
    pub fn new(shared: Arc<Shared>, ctx: egui::Context) -> Self {
        Self {
            shared,
            ctx,
            session: None,
            unreachable: false,
            shown: Shown::default(),
            done: Done::default(),
            state: 0,
            steps: Vec::new(),
            discarded: Vec::new(),
            published: Instant::now(),
        }
    }

    /// Runs until quit.
    pub fn run(mut self) {
        loop {
            match self.next() {
                WorkItem::Quit => return,
                WorkItem::Job(job, progress) => self.job(job, &progress),
                WorkItem::Count(count) => self.count(count),
                WorkItem::Sort => {
                    self.state += 1;
                    self.take_over();
                    self.publish();
                }
                WorkItem::Rows(rows) => self.rows(rows),
                WorkItem::Preview(condition, progress) => self.preview(condition, &progress),
                WorkItem::Frames(auto, progress) => self.frames(auto.as_ref(), &progress),
                WorkItem::AutoEnds => {
                    (self.shown.auto, self.shown.still) = (None, false);
                    self.take_over();
                    self.publish();
                }
            }
            lock(&self.shared.queue).running = None;
        }
    }

    /// Waits for the next task.
    fn next(&self) -> WorkItem {
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

    /// The task to run now, or the time of the next one if known.
    fn choose(&self, queue: &mut JobQueue, now: Instant) -> Result<WorkItem, Option<Instant>> {
        if queue.quit {
            return Ok(WorkItem::Quit);
        }
        let mut begin = |gives_way| {
            let progress = Arc::new(Progress::default());
            queue.running = Some((Arc::clone(&progress), gives_way));
            progress
        };
        if let Some(job) = queue.jobs.pop_front() {
            return Ok(WorkItem::Job(job, begin(false)));
        }
        let Some(session) = &self.session else { return Err(None) };
        if queue.requests.count != session.tracker().is_some() {
            return Ok(WorkItem::Count(queue.requests.count));
        }
        let live = self.shown.memory.as_ref().is_some_and(|memory| memory.live);
        let watched =
            queue.requests.viewed.is_some_and(|at| now.saturating_duration_since(at) < VIEWED_WITHIN);
        let mut next: Option<Instant> = None;
        let mut later = |at: Instant| next = Some(next.map_or(at, |next| next.min(at)));
        if let Some(search) = session.search() {
            let requests = &queue.requests;
            let sort = requests.sort.filter(|_| search.len() <= MAX_SORTED);
            if sort != self.shown.order.as_ref().map(|order| order.sort) {
                return Ok(WorkItem::Sort);
            }
            match &self.done.rows {
                Some((rows, state, at)) if *rows == requests.rows && *state == self.state => {
                    if live && watched && now >= *at + READ_EVERY {
                        return Ok(WorkItem::Rows(requests.rows.clone()));
                    }
                    if live && watched {
                        later(*at + READ_EVERY);
                    }
                }
                _ => return Ok(WorkItem::Rows(requests.rows.clone())),
            }
            if let (Some((condition, since)), None) = (&requests.preview, &requests.auto) {
                // Previews of large memory are less frequent.
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
                        return Ok(WorkItem::Preview(condition, begin(true)));
                    }
                    Some(due) => later(due),
                    None => {}
                }
            }
        }
        if queue.requests.auto.is_none() && self.shown.auto.is_some() {
            return Ok(WorkItem::AutoEnds);
        }
        if live && (queue.requests.auto.is_some() || queue.requests.count) {
            let auto = queue.requests.auto.clone();
            return Ok(WorkItem::Frames(auto, begin(true)));
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
            Job::Open(..) => "Locating memory".to_owned(),
            Job::Step(_, what) | Job::Exclude(_, what) => what.clone(),
            Job::Settings(_) | Job::Go(_) | Job::Restore => String::new(),
            Job::Board(_) => "board".into(),
        };
        self.shown.busy = Some(Busy { what, progress: Arc::clone(progress), since: Instant::now() });
        self.publish();
        self.shown.error = None;
        match job {
            Job::Open(origin, settings) => self.open(&origin, settings),
            Job::Settings(settings) => self.set(settings),
            Job::Step(step, what) => self.step(&step, what, progress),
            Job::Go(to) => self.go(to, progress),
            Job::Restore => self.step(&Step::Undo, "Undone: start over".into(), progress),
            Job::Exclude(places, what) => self.with(what, |session| session.exclude(&places)),
            Job::Board(painted) => self.with("board".into(), |session| session.board(&painted, progress)),
        }
        self.shown.busy = None;
        self.take_over();
        self.publish();
    }

    /// Opens a source. The search continues if it is the same console again, or the same dumps with more appended.
    fn open(&mut self, origin: &Origin, settings: Settings) {
        let memory = match origin {
            Origin::Console(pid, profile) => MemorySource::console(*pid, &[Arc::clone(profile)]),
            Origin::AnyGame(pid, asked) => MemorySource::any_game(*pid, *asked),
            Origin::Whole(pid) => MemorySource::process(*pid),
            Origin::Recording(played) => MemorySource::recording(SnapshotReader::new(played.clone())),
            Origin::Dumps(paths, of) => dumps(paths, of),
        };
        let memory = match memory {
            Ok(memory) => memory,
            Err(error) => {
                self.shown.error = Some(error.to_string());
                (self.unreachable, self.shown.memory) = (true, None);
                return;
            }
        };
        self.unreachable = false;
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
            self.restart();
            self.shown.message = String::new();
        }
    }

    /// Sets type and alignment of the next search.
    fn set(&mut self, settings: Settings) {
        let Some(session) = &mut self.session else { return };
        let align = session.search().is_none().then_some(Step::Align(settings.alignment));
        for step in [Step::Type(settings.ty)].into_iter().chain(align) {
            if let Err(error) = session.step(&step, &Progress::default()) {
                self.shown.error = Some(error.to_string());
            }
        }
        self.state += 1;
    }

    fn restart(&mut self) {
        self.steps.clear();
        (self.shown.preview, self.shown.auto, self.shown.at) = (None, None, 0);
        self.done = Done::default();
        lock(&self.shared.queue).requests.auto = None;
    }

    fn step(&mut self, step: &Step, what: String, progress: &Progress) {
        if *step == Step::Track {
            lock(&self.shared.queue).requests.count = true;
        }
        let restores = *step == Step::Undo && self.session.as_ref().is_some_and(Session::can_restore);
        if *step == Step::New && self.session.as_ref().is_some_and(|session| session.search().is_some()) {
            self.discarded = std::mem::take(&mut self.steps);
        }
        if *step == Step::New || restores {
            self.restart();
        }
        if restores {
            self.steps = std::mem::take(&mut self.discarded);
        }
        if let (Step::Match(_), Some(session)) = (step, &mut self.session)
            && session.search().is_none()
        {
            session.stop_tracking(); // of cells of another type; those of the search are counted from now on
        }
        self.with(what, |session| session.step(step, progress));
    }

    /// Runs an action on the session and publishes its result.
    fn with(&mut self, what: String, act: impl FnOnce(&mut Session) -> Result<StepOutcome, SessionError>) {
        let Some(session) = self.session.as_mut().filter(|_| !self.unreachable) else {
            self.shown.error = Some("Nothing to search: attach to an emulator or open a dump".into());
            return;
        };
        let began = Instant::now();
        let result = act(session);
        self.state += 1;
        match result {
            Ok(result) => self.report(what, &result, began.elapsed()),
            Err(SessionError::Cancelled) => {
                self.shown.message = format!("{what} was cancelled; the previous results remain");
            }
            Err(error) => self.shown.error = Some(error.to_string()),
        }
    }

    fn report(&mut self, what: String, result: &StepOutcome, took: Duration) {
        if let Some(table) = result.table() {
            let found = Found { what, table, watches: watches(result), took };
            self.shown.message = String::new();
            self.shown.found = Some(Arc::new(found));
            return;
        }
        match result {
            StepOutcome::Narrowed { outcome, took } => {
                let lost = match outcome.unreadable {
                    0 => String::new(),
                    lost => format!(", {} no longer readable", cells(lost)),
                };
                self.shown.message =
                    format!("{what}: {} left{lost} ({})", cells(outcome.left), exactly(*took));
                self.note(what);
            }
            StepOutcome::Previewed { outcome, .. } => {
                self.shown.message = format!("{what}: would leave {}", cells(outcome.left));
            }
            StepOutcome::Undone(undone) => {
                let lost = if undone.values_known {
                    ""
                } else {
                    "; some of the previous values are no longer known"
                };
                self.shown.message = format!("{what}: {} left{lost}", cells(undone.left));
                self.shown.at = self.session.as_ref().and_then(Session::search).map_or(0, Search::undos);
            }
            _ => self.shown.message = String::new(),
        }
    }

    /// Adds a step to the history if the search has it. Steps that the search merged into the previous one, as with "Every
    /// frame", are not added.
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

    /// Publishes the state of the session.
    fn take_over(&mut self) {
        let shown = &mut self.shown;
        let Some(session) = &self.session else { return };
        let memory = session.memory();
        shown.memory = (!self.unreachable).then(|| MemorySummary {
            name: memory.name(),
            domain: memory.domain(),
            partial: memory.partial(),
            live: memory.dump_number().is_none(),
            dump: memory.dump_number(),
        });
        shown.settings = Some(*session.settings());
        shown.search = session.search().map(|search| Arc::new(search.without_history()));
        let (sort, names) = {
            let requests = &lock(&self.shared.queue).requests;
            (requests.sort, requests.names.clone())
        };
        let order = session.search().zip(sort).and_then(|(search, sort)| {
            RowOrder::new(search, sort, memory, session.tracker(), names.as_ref())
        });
        shown.order = order.map(Arc::new);
        shown.restorable = session.can_restore();
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
        self.take_over();
        self.publish();
    }

    /// Reads the visible cells.
    fn rows(&mut self, rows: Range<u64>) {
        let Some(session) = &self.session else { return };
        let Some(search) = session.search() else { return };
        let ty = search.settings().ty;
        let mut values = Values { counted: session.tracker().is_some(), ..Values::default() };
        let look = session.memory().view();
        for row in ordered(search, self.shown.order.as_deref(), rows.clone()) {
            let place = row.cell;
            let mut bytes = vec![0; ty.width()];
            let source = look.as_ref().ok().map(MemoryView::source);
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
        let began = Instant::now();
        let left = match session.step(&Step::Preview(condition.clone()), progress) {
            Ok(StepOutcome::Previewed { outcome, .. }) => Ok(outcome.left),
            Ok(_) | Err(SessionError::Cancelled) => return,
            Err(error) => Err(error.to_string()),
        };
        self.done.preview = Some((condition.clone(), self.state, Instant::now(), began.elapsed()));
        let preview = Some(Preview { condition, left });
        if self.shown.preview != preview {
            self.shown.preview = preview;
            self.publish();
        }
    }

    /// Waits a few frames; counts changes, and narrows the candidates at each frame if requested.
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
        let was_still = std::mem::take(&mut self.shown.still);
        match ended {
            Ok(_) => {
                self.shown.auto = self.shown.auto.map(|frames| frames + u64::from(FRAMES));
            }
            Err(SessionError::Cancelled) => {}
            Err(SessionError::Source(SourceError::NoFrames)) => self.shown.still = true,
            Err(error) => {
                self.shown.error = Some(error.to_string());
                let mut queue = lock(&self.shared.queue);
                (queue.requests.auto, queue.requests.count) = (None, false);
            }
        }
        self.state += 1;
        if let Some(condition) = auto {
            let ty = self.session.as_ref().map(|session| session.settings().ty);
            let what = ty.map_or_else(String::new, |ty| words::of_condition(condition, ty));
            self.note(format!("every frame: {what}"));
        }
        // A fast-forwarding game is not drawn more often.
        if self.published.elapsed() >= READ_EVERY / 2 || was_still != self.shown.still {
            match auto {
                Some(_) => self.take_over(),
                None => self.shown.counting = self.session.as_ref().and_then(frames_counted),
            }
            self.publish();
        }
    }
}

/// Number of frames with counted changes.
fn frames_counted(session: &Session) -> Option<u64> {
    session.tracker().map(Tracker::frames)
}

/// A duration as text: "2.3 ms".
fn exactly(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
