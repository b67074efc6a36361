//! `route --seeds`: which of many seeds has the best route.

use super::arguments::{Arguments, Many, Order, limits, plan_failure};
use super::choices::{self, ListedChoice};
use super::ranking::{Best, ends, lines, name, summary};
use super::seed_setup::SeedSetup;
use super::start_position::pair_game;
use super::start_report::{self, ListedStarts};
use super::timed_movie::TimedMovies;
use super::waiting::{Starts, recorded};
use super::{progress_text, route_text, summary as route_summary};
use crate::cli::arguments::{Global, parse_range, parse_time_limit};
use crate::cli::exit::{Exit, Failure, bail_input};
use crate::cli::progress::ProgressLine;
use crate::cli::{files, output};
use crate::file::{DUMP_LIMIT, Overwrite, WriteError, check, write};
use crate::json::Kind;
use crate::profile::Profile;
use crate::route::export::{ListedBoard, ListedPair, Listing};
use crate::route::seeds::{Entry, SearchTask, SeedSearch, SeedSearchProgress, run as search_seeds};
use crate::route::{Choice, FrameTable, Goal, PlanStatus, Route, Start, plan_goals};
use crate::text::counted;
use serde::Serialize;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two writes of the checkpoint file.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(5);
/// Default widths: a first result soon, and better ones later.
const DEFAULT_WIDTHS: [usize; 3] = [10, 100, 1000];

pub fn run(
    global: &Global,
    arguments: &Arguments,
    goal: Goal,
    profile: Option<&Profile>,
    stop: &AtomicBool,
) -> anyhow::Result<Exit> {
    let table = profile.and_then(FrameTable::of);
    choices::check_order(arguments, table.as_ref())?;
    let (setup, starts) = setup(arguments, stop)?;
    let movies = TimedMovies::of(arguments, profile, starts.as_ref())?;
    let task = task(arguments, &setup, goal)?;
    let start = setup.start().map_err(Failure::BadInput)?;
    let threads = limits(arguments)?.threads;
    let limit = arguments.seconds.map(parse_time_limit).transpose()?;
    let file = arguments.many.checkpoint.as_deref();
    let mut progress = match file {
        Some(file) => resume(file, task, &start)?,
        None => SeedSearchProgress::new(task),
    };
    let started = Instant::now();
    let mut timed_out = false;
    let mut line = ProgressLine::new();
    let mut saver = Saver { file, saved: None, error: None };
    let search = SeedSearch { start: &start, threads };
    let ran = search_seeds(&search, &mut progress, stop, &mut |progress| {
        if !saver.save_if_due(progress) {
            stop.store(true, Ordering::Relaxed);
        }
        if limit.is_some_and(|limit| started.elapsed() >= limit) {
            timed_out = true;
            stop.store(true, Ordering::Relaxed);
        }
        let best = || progress.best.first().map_or("none yet".into(), |best| summary(goal, best));
        line.show_search(progress.share(), || format!("best: {}", best()));
    });
    drop(line);
    ran.map_err(|error| plan_failure(&error))?;
    let interrupted = stop.load(Ordering::Relaxed) && !timed_out;
    saver.finish(&progress)?;
    let chosen = progress.best.get(usize::from(arguments.choose).saturating_sub(1));
    if chosen.is_none() && !progress.best.is_empty() {
        let found = counted(progress.best.len() as u64, "state");
        bail_input!("--choose {}: only {found} with a route", arguments.choose);
    }
    // After the time of the search, that of the routes begins.
    if timed_out {
        stop.store(false, Ordering::Relaxed);
    }
    let chosen = chosen.map(|entry| Chosen::of(entry, arguments, goal, table.as_ref(), &start, stop));
    let chosen = chosen.transpose()?;
    if let Some(chosen) = &chosen {
        movies.write(&chosen.route, setup.state(chosen.entry.seed))?;
    }
    let is_cancelled = chosen.as_ref().is_some_and(|chosen| chosen.is_cancelled);
    let interrupted = interrupted || is_cancelled;
    let ended = Ended { interrupted, seconds: started.elapsed().as_secs_f64(), chosen: chosen.as_ref() };
    if global.json {
        let routes =
            choices::listed(chosen.as_ref().map_or(&[][..], |chosen| &chosen.choices), table.as_ref())?;
        let json = ended.json(arguments, &progress, &setup, starts.as_ref(), &start);
        let routes = Some(routes).filter(|routes| !routes.is_empty());
        output::object(Kind::RouteSeeds, SearchedSeeds { routes, ..json })?;
    } else {
        let done = 100.0 * progress.share();
        let ranking = lines(&progress.best, goal, &setup);
        let starts = starts.as_ref().map(start_report::text).unwrap_or_default();
        let details = chosen.as_ref().map(|chosen| chosen.text(&setup)).unwrap_or_default();
        output::text(&format!(
            "{starts}{goal}, {done:.1} % done in {:.1} s\n{ranking}{details}",
            ended.seconds
        ))?;
    }
    Ok(match progress.best.as_slice() {
        _ if is_cancelled || (!progress.is_complete() && interrupted) => Exit::Interrupted,
        [] => Exit::Negative,
        _ => Exit::Success,
    })
}

fn setup(arguments: &Arguments, stop: &AtomicBool) -> anyhow::Result<(SeedSetup, Option<Starts>)> {
    let mut setup = arguments.pairs.seed_setup(&arguments.game)?;
    let Many { states_from, round, .. } = &arguments.many;
    if states_from.is_empty() {
        return Ok((setup, None));
    }
    let recorded = recorded(states_from, pair_game(&arguments.game)?, usize::from(*round), stop)?;
    setup.states = Some(recorded.states);
    Ok((setup, recorded.starts))
}

fn task(arguments: &Arguments, setup: &SeedSetup, goal: Goal) -> Result<SearchTask, Failure> {
    let Many { seeds, part, .. } = &arguments.many;
    let all = setup.all_seeds().map_err(Failure::BadInput)?;
    let whole = match seeds {
        Some(text) => parse_seeds(text, all)?,
        None => all,
    };
    let seeds = match part {
        Some(part) => part.seeds(&whole).ok_or_else(|| {
            Failure::BadInput(format!("--part {part}: --seeds has fewer seeds than that: give fewer parts"))
        })?,
        None => whole.clone(),
    };
    let widths = arguments.width.map_or(DEFAULT_WIDTHS.to_vec(), |width| vec![width as usize]);
    Ok(SearchTask { deal: setup.to_map(), goal, widths, whole, seeds })
}

/// The seeds that `--seeds` names.
pub fn parse_seeds(text: &str, all: RangeInclusive<u32>) -> Result<RangeInclusive<u32>, Failure> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(all);
    }
    let most = *all.end();
    let range = parse_range(text).filter(|(_, last)| *last <= most).map(|(first, last)| first..=last);
    range.ok_or_else(|| {
        Failure::BadInput(format!(
            "--seeds: invalid range {text:?}: expected all, or two numbers up to {most:#X}, such as 0x0000..0x00FF"
        ))
    })
}

/// The progress in a checkpoint file, or that of a new search.
fn resume(
    file: &Path,
    task: SearchTask,
    start: &dyn Fn(u32) -> Option<Start>,
) -> Result<SeedSearchProgress, Failure> {
    // The file is replaced repeatedly. Reading it refuses one that is not a checkpoint.
    check(file, Overwrite::Replace).map_err(|error| files::write_failure(file, &error))?;
    if !file.exists() {
        return Ok(SeedSearchProgress::new(task));
    }
    let text = checkpoint_text(file)?;
    SeedSearchProgress::read(&text, &task, start).map_err(|error| files::failure(file, error))
}

pub fn checkpoint_text(file: &Path) -> Result<String, Failure> {
    String::from_utf8(files::read(file, DUMP_LIMIT)?).map_err(|error| files::failure(file, error))
}

/// Writes the checkpoint file.
struct Saver<'a> {
    file: Option<&'a Path>,
    /// None before the first write.
    saved: Option<Instant>,
    error: Option<WriteError>,
}

impl Saver<'_> {
    fn save(&mut self, progress: &SeedSearchProgress) {
        let Some(file) = self.file else { return };
        self.error = self.error.take().or(write(file, progress.text().as_bytes(), Overwrite::Replace).err());
    }

    /// Saves at once the first time, then once an interval; false if the file cannot be written.
    fn save_if_due(&mut self, progress: &SeedSearchProgress) -> bool {
        if self.saved.is_none_or(|saved| saved.elapsed() >= CHECKPOINT_INTERVAL) {
            self.saved = Some(Instant::now());
            self.save(progress);
        }
        self.error.is_none()
    }

    fn finish(mut self, progress: &SeedSearchProgress) -> Result<(), Failure> {
        self.save(progress);
        match (self.file, self.error) {
            (Some(file), Some(error)) => Err(files::write_failure(file, &error)),
            _ => Ok(()),
        }
    }
}

/// The seed or state that `--choose` names.
struct Chosen<'a> {
    entry: &'a Entry,
    /// The best of its routes, in the order of `--sort`.
    route: Route,
    /// With `--routes`: several of them.
    choices: Vec<Choice>,
    /// Whether the search for them was interrupted.
    is_cancelled: bool,
    /// With `--steps`: the details of the route.
    listing: Option<Listing>,
}

impl<'a> Chosen<'a> {
    fn of(
        entry: &'a Entry,
        arguments: &Arguments,
        goal: Goal,
        table: Option<&FrameTable>,
        start: &dyn Fn(u32) -> Option<Start>,
        stop: &AtomicBool,
    ) -> anyhow::Result<Self> {
        let (mut choices, mut is_cancelled) = (Vec::new(), false);
        let asks_for_others = arguments.routes > 1 || arguments.sort != Order::Goal;
        if let (Some(start), true) = (start(entry.seed), asks_for_others) {
            let mut line = ProgressLine::new();
            let mut show = |progress: PlanStatus<'_>| line.show(|| progress_text(&progress));
            let outcome = plan_goals(&start, &[], &[goal], &limits(arguments)?, None, stop, &mut show);
            line.clear();
            let outcome = outcome.map_err(|error| plan_failure(&error))?;
            is_cancelled = outcome.cancelled;
            choices = choices::ranked(&outcome, arguments, table)?;
        }
        let route = match choices.first() {
            Some(choice) => choice.route.clone(),
            None => entry.route(start).map_err(anyhow::Error::msg)?,
        };
        let listing = arguments.steps.then(|| Listing::of(&route, table)).transpose()?;
        if arguments.routes == 1 {
            choices.clear();
        }
        Ok(Self { entry, route, choices, is_cancelled, listing })
    }

    fn text(&self, setup: &SeedSetup) -> String {
        let name = name(self.entry, setup);
        let mut text = String::new();
        if !self.choices.is_empty() {
            text += &format!("\nRoutes of {name}\n{}", choices::table(&self.choices));
        }
        if let Some(listing) = &self.listing {
            let summary = route_summary(&self.route);
            text += &format!("\nRoute of {name}: {summary}\n{}", route_text(&self.route, listing, true));
        }
        text
    }
}

struct Ended<'a> {
    interrupted: bool,
    seconds: f64,
    chosen: Option<&'a Chosen<'a>>,
}

impl Ended<'_> {
    fn json<'a>(
        &self,
        arguments: &'a Arguments,
        progress: &'a SeedSearchProgress,
        setup: &SeedSetup,
        starts: Option<&Starts>,
        start: &dyn Fn(u32) -> Option<Start>,
    ) -> SearchedSeeds<'a> {
        let listing = self.chosen.and_then(|chosen| chosen.listing.as_ref());
        SearchedSeeds {
            game: &arguments.game,
            goal: progress.task.goal.id(),
            seeds: setup.states.is_none().then(|| ends(&progress.task.seeds)),
            part: arguments.many.part.map(|part| part.to_string()),
            states: setup.states.as_ref().map(Vec::len),
            starts: starts.map(start_report::listed),
            share: progress.share(),
            complete: progress.is_complete(),
            stopped: self.interrupted,
            widths: &progress.task.widths,
            nodes: progress.nodes,
            elapsed_seconds: self.seconds,
            best: progress.best.iter().map(|entry| Best::of(entry, setup, start)).collect(),
            start: listing.map(|listing| listing.start.clone()),
            steps: listing.map(|listing| listing.steps.clone()),
            routes: None,
        }
    }
}

#[derive(Serialize)]
struct SearchedSeeds<'a> {
    game: &'a str,
    goal: String,
    /// The first and the last seed; None for the states of a recording.
    seeds: Option<[String; 2]>,
    /// `--part`.
    part: Option<String>,
    /// The number of states in a recording; None for seeds.
    states: Option<usize>,
    /// What recordings show of starts; None for seeds, and for games whose starts cannot be measured.
    starts: Option<ListedStarts>,
    /// The share of the work that is done, 0 to 1.
    share: f64,
    /// Whether all widths were searched for all seeds.
    complete: bool,
    stopped: bool,
    widths: &'a [usize],
    nodes: u64,
    elapsed_seconds: f64,
    /// The best first.
    best: Vec<Best>,
    /// With `--steps`: the board before the first pair of the chosen one's route.
    start: Option<ListedBoard>,
    /// With `--steps`: everything about each of its pairs.
    steps: Option<Vec<ListedPair>>,
    /// With `--routes`: the routes of the chosen one.
    routes: Option<Vec<ListedChoice>>,
}
