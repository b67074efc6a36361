//! `scan`: the RAM search from the command line, step by step, and the searches by structure.

mod ground;
mod language;
mod tell;

use super::{Exit, Failure, Global, source};
use crate::research::{
    Condition, Kind, Outcome, Painted, Progress, Samples, Search, SearchError, Settings, Source, Tracker,
    ValueType, find_board, find_generators, find_pools, find_sequence,
};
use anyhow::Context;
use clap::Args;
use ground::{Asked, Ground};
use language::{Pause, STEPS, Step};
use std::io::{IsTerminal, Read as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tell::Teller;

/// How often a long step says how far it is.
const TELL_EVERY: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
#[command(after_long_help = STEPS)]
pub struct Arguments {
    /// Search the console's RAM in this emulator
    #[arg(long, conflicts_with = "dump")]
    pid: Option<u32>,
    /// Search all memory of the process, whatever it is
    #[arg(long, requires = "pid")]
    whole: bool,
    /// Search a dump; given several times, `wait` goes from one to the next
    #[arg(long, value_name = "FILE")]
    dump: Vec<PathBuf>,
    /// The console that the dumps are of, so that cells have its addresses (genesis, nds, nes ...)
    #[arg(long, value_name = "ID", requires = "dump")]
    console: Option<String>,
    /// The dumps have the bytes of each word swapped, as some emulators store them
    #[arg(long, requires = "console")]
    swapped: bool,
    /// Type of the values: u8 i16 u32be f32 bcd2 nibble ...
    #[arg(long = "type", value_name = "TYPE", default_value = "u8")]
    ty: String,
    /// Cells begin at multiples of so many bytes
    #[arg(long, default_value_t = 1, value_name = "BYTES")]
    align: u64,
    /// Read steps from this file as well, a line each, after those given; - for standard input
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Steps in order, each in quotes: unknown, "wait 60", changed, "= 5", "rows 20" ... (--help lists them)
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
}

/// A search under way.
struct Session {
    ground: Ground,
    settings: Settings,
    search: Option<Search>,
    tracker: Option<Tracker>,
    stop: Arc<AtomicBool>,
    teller: Teller,
    /// Whether what was asked last was found.
    found: bool,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let asked = Asked {
        pid: arguments.pid,
        whole: arguments.whole,
        dumps: &arguments.dump,
        console: arguments.console.as_deref(),
        swapped: arguments.swapped,
    };
    let steps = steps(arguments)?;
    if steps.is_empty() {
        return Err(bad("say at least one step, for example: unknown \"wait 60\" changed rows"));
    }
    let ground = Ground::open(global, &asked)?;
    let ty = language::value_type(&arguments.ty, ground.order()).map_err(Failure::BadInput)?;
    // Everything that was typed is understood before anything is begun.
    let mut checked = ty;
    for step in &steps {
        match language::parse(step, checked).map_err(|error| Failure::BadInput(error.to_string()))? {
            Step::Type(ty) => checked = ty,
            Step::Match(pattern) => checked = of_bytes(pattern.len(), checked)?,
            _ => {}
        }
    }
    let teller = Teller::new(global.json, ty);
    teller.ground(&ground.name())?;
    let settings = Settings { alignment: arguments.align, ..Settings::new(ty) };
    let mut session = Session {
        ground,
        settings,
        search: None,
        tracker: None,
        stop: source::stop_flag(),
        teller,
        found: false,
    };
    for text in &steps {
        let step = language::parse(text, session.settings.ty)
            .map_err(|error| Failure::BadInput(error.to_string()))?;
        if !session.step(text, step)? {
            return Err(Failure::BadInput(format!("stopped at step `{text}`")).into());
        }
    }
    Ok(if session.found { Exit::Yes } else { Exit::No })
}

fn bad(what: impl Into<String>) -> anyhow::Error {
    Failure::BadInput(what.into()).into()
}

fn of_bytes(len: u16, like: ValueType) -> anyhow::Result<ValueType> {
    ValueType::new(Kind::Bytes { len }, like.order()).map_err(|error| bad(error.to_string()))
}

/// The steps on the command line and in the script; empty lines and what follows a # at the beginning of a line are left out.
fn steps(arguments: &Arguments) -> anyhow::Result<Vec<String>> {
    let mut steps = arguments.steps.clone();
    if let Some(path) = &arguments.script {
        let text = if path.as_os_str() == "-" {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
            text
        } else {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
        };
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        steps.extend(lines.map(str::to_owned));
    }
    Ok(steps)
}

/// Does something long in a thread of its own, says how far it is, and cancels it when the user asks to stop.
fn with_progress<T: Send>(stop: &AtomicBool, work: impl FnOnce(&Progress) -> T + Send) -> anyhow::Result<T> {
    let progress = Progress::default();
    let told = std::io::stderr().is_terminal();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| work(&progress));
        let mut next = Instant::now() + TELL_EVERY;
        let mut said = false;
        while !worker.is_finished() {
            std::thread::park_timeout(Duration::from_millis(1));
            if stop.load(Ordering::Relaxed) {
                progress.cancel.store(true, Ordering::Relaxed);
            }
            if told && Instant::now() >= next {
                eprint!("\r{:3.0} %", progress.share() * 100.0);
                (next, said) = (Instant::now() + TELL_EVERY, true);
            }
        }
        if said {
            eprint!("\r      \r");
        }
        worker.join().map_err(|_| anyhow::anyhow!("the search ended in an error of this program"))
    })
}

fn searched<T>(result: Result<T, SearchError>) -> anyhow::Result<Option<T>> {
    match result {
        Ok(done) => Ok(Some(done)),
        Err(SearchError::Cancelled) => Ok(None),
        Err(SearchError::Read(error)) => Err(Failure::Unreachable(error.to_string()).into()),
        Err(error) => Err(bad(error.to_string())),
    }
}

impl Session {
    /// False when the user stopped it.
    fn step(&mut self, text: &str, step: Step) -> anyhow::Result<bool> {
        match step {
            Step::Narrow(condition) => return self.narrow(text, &condition),
            Step::Match(pattern) => {
                if self.search.is_none() {
                    self.settings.ty = of_bytes(pattern.len(), self.settings.ty)?;
                    self.teller.ty = self.settings.ty;
                }
                return self.narrow(text, &Condition::Matches { pattern, not: false });
            }
            Step::Preview(condition) => return self.preview(text, &condition),
            Step::Auto(frames, condition) => return self.auto(text, frames, &condition),
            Step::Wait(pause) => return self.wait(pause),
            Step::Undo | Step::Redo => {
                let search = self.search.as_mut().ok_or_else(|| bad("nothing was searched yet"))?;
                let undone = if step == Step::Undo { search.undo() } else { search.redo() };
                let undone = undone.ok_or_else(|| bad(format!("there is nothing to {text}")))?;
                self.found = undone.left > 0;
                self.teller.undone(text, &undone)?;
            }
            Step::New => (self.search, self.tracker, self.found) = (None, None, false),
            Step::Type(ty) => {
                if self.search.is_some() {
                    return Err(bad("a search keeps its type; say `new` before `type`"));
                }
                (self.settings.ty, self.teller.ty, self.tracker) = (ty, ty, None);
            }
            Step::Align(bytes) => {
                if self.search.is_some() {
                    return Err(bad("a search keeps its alignment; say `new` before `align`"));
                }
                self.settings.alignment = bytes;
            }
            Step::Track => {
                let look = self.ground.look()?;
                let tracker = match &self.search {
                    Some(search) => Tracker::candidates(search),
                    None => Tracker::whole(look.source(), self.settings.ty),
                };
                let mut tracker = tracker.map_err(|error| bad(error.to_string()))?;
                tracker.frame(look.source()).map_err(|error| Failure::Unreachable(error.to_string()))?;
                self.tracker = Some(tracker);
            }
            Step::Rows(most) => {
                let search = self.search.as_ref().ok_or_else(|| bad("nothing was searched yet"))?;
                let look = self.ground.look()?;
                self.teller.rows(search, look.source(), self.tracker.as_ref(), most)?;
            }
            Step::Drop(place) => {
                let search = self.search.as_mut().ok_or_else(|| bad("nothing was searched yet"))?;
                let gone = search.exclude(&[place]);
                let outcome = Outcome { left: search.len(), gone, ..Outcome::default() };
                self.found = outcome.left > 0;
                self.teller.narrowed(text, &outcome, Duration::ZERO)?;
            }
            Step::Pools | Step::Sequence(_) | Step::Board(_) => return self.structure(step),
            Step::Rng(frames) => return self.rng(frames),
        }
        Ok(true)
    }

    fn narrow(&mut self, text: &str, condition: &Condition) -> anyhow::Result<bool> {
        let look = self.ground.look()?;
        let source = look.source();
        let began = Instant::now();
        let (settings, tracker) = (self.settings, self.tracker.as_ref());
        let outcome = match &mut self.search {
            Some(search) => {
                let step = |progress: &Progress| search.step(source, condition, tracker, progress);
                searched(with_progress(&self.stop, step)?)?
            }
            None => {
                let start =
                    |progress: &Progress| Search::start(source, settings, condition, tracker, progress);
                let search = searched(with_progress(&self.stop, start)?)?;
                search.map(|search| {
                    let outcome = Outcome { left: search.len(), read: search.bytes(), ..Outcome::default() };
                    self.search = Some(search);
                    outcome
                })
            }
        };
        let Some(outcome) = outcome else { return Ok(false) };
        self.found = outcome.left > 0;
        self.teller.narrowed(text, &outcome, began.elapsed())?;
        Ok(true)
    }

    fn preview(&mut self, text: &str, condition: &Condition) -> anyhow::Result<bool> {
        let search = self.search.as_ref().ok_or_else(|| bad("nothing was searched yet"))?;
        let look = self.ground.look()?;
        let (source, tracker) = (look.source(), self.tracker.as_ref());
        let began = Instant::now();
        let preview = |progress: &Progress| search.preview(source, condition, tracker, progress);
        let Some(outcome) = searched(with_progress(&self.stop, preview)?)? else { return Ok(false) };
        self.teller.narrowed(text, &outcome, began.elapsed())?;
        Ok(true)
    }

    fn wait(&mut self, pause: Pause) -> anyhow::Result<bool> {
        let tracker = &mut self.tracker;
        self.ground.wait(pause, &self.stop, |ground| {
            if let Some(tracker) = tracker {
                let look = ground.look()?;
                tracker.frame(look.source()).map_err(|error| Failure::Unreachable(error.to_string()))?;
            }
            Ok(())
        })
    }

    fn auto(&mut self, text: &str, frames: u32, condition: &Condition) -> anyhow::Result<bool> {
        let search =
            self.search.as_mut().ok_or_else(|| bad("nothing was searched yet: begin with `unknown`"))?;
        let tracker = &mut self.tracker;
        let began = Instant::now();
        let before = search.len();
        let progress = Progress::default();
        let mut read = 0;
        let whole = self.ground.wait(Pause::Frames(frames), &self.stop, |ground| {
            let look = ground.look()?;
            if let Some(tracker) = tracker {
                tracker.frame(look.source()).map_err(|error| Failure::Unreachable(error.to_string()))?;
            }
            let outcome = searched(search.auto_step(look.source(), condition, tracker.as_ref(), &progress))?;
            read += outcome.map_or(0, |outcome| outcome.read);
            Ok(())
        })?;
        let left = search.len();
        self.found = left > 0;
        let outcome = Outcome { left, gone: before - left, read, ..Outcome::default() };
        self.teller.narrowed(text, &outcome, began.elapsed())?;
        Ok(whole)
    }

    /// Searches that need no earlier step.
    fn structure(&mut self, step: Step) -> anyhow::Result<bool> {
        let look = self.ground.look()?;
        let source: &dyn Source = look.source();
        let stop = &self.stop;
        let cancelled = || stop.load(Ordering::Relaxed);
        match step {
            Step::Pools => {
                let found = with_progress(stop, |progress| find_pools(source, progress))?;
                if cancelled() {
                    return Ok(false);
                }
                let found = found.map_err(|error| Failure::Unreachable(error.to_string()))?;
                self.found = !found.is_empty();
                self.teller.pools(&found)?;
            }
            Step::Sequence(pieces) => {
                let found = with_progress(stop, |progress| find_sequence(source, &pieces, progress))?;
                if cancelled() {
                    return Ok(false);
                }
                let found = found.map_err(|error| bad(error.to_string()))?;
                self.found = !found.is_empty();
                self.teller.sequences(&found)?;
            }
            Step::Board(file) => {
                let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
                let painted = Painted::from_text(&text).map_err(|error| bad(format!("{file}: {error}")))?;
                let found = with_progress(stop, |progress| find_board(source, &painted, progress))?;
                if cancelled() {
                    return Ok(false);
                }
                let found = found.map_err(|error| bad(error.to_string()))?;
                self.found = !found.is_empty();
                self.teller.boards(&found)?;
            }
            _ => {}
        }
        Ok(true)
    }

    /// Generators need samples some frames apart.
    fn rng(&mut self, frames: u32) -> anyhow::Result<bool> {
        let mut samples: Option<Samples> = None;
        let mut frame = 0;
        let mut take = |ground: &Ground| -> anyhow::Result<()> {
            let look = ground.look()?;
            let spans = look.source().spans().map_err(|error| Failure::Unreachable(error.to_string()))?;
            let [span] = spans.as_slice() else {
                return Err(bad(
                    "generators are searched in a console's RAM or a dump, not in a whole process",
                ));
            };
            let mut bytes = vec![0; usize::try_from(span.len).unwrap_or(0)];
            let read = look.source().read(span.start, &mut bytes);
            read.map_err(|error| Failure::Unreachable(error.to_string()))?;
            let samples = samples.get_or_insert_with(|| Samples::new(span.start));
            frame += 1;
            samples.push(frame, bytes).map_err(|error| bad(error.to_string()))
        };
        take(&self.ground)?;
        for _ in 1..frames {
            let more = match &self.ground {
                Ground::Dumps(dumps, at) => at + 1 < dumps.len(),
                _ => true,
            };
            if !more {
                break;
            }
            if !self.ground.wait(Pause::Next, &self.stop, |_| Ok(()))? {
                return Ok(false);
            }
            take(&self.ground)?;
        }
        let Some(samples) = samples else { return Ok(true) };
        let found = find_generators(&samples).map_err(|error| bad(error.to_string()))?;
        self.found = !found.is_empty();
        self.teller.generators(&found)?;
        Ok(true)
    }
}
