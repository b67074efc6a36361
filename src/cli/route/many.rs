//! `route --seeds`: which of many games reaches the goal best.

use super::arguments::{Arguments, Many, limits, plan_failure};
use super::placement::Placement;
use super::waiting::{Waited, states};
use crate::cli::arguments::{Global, parse_range};
use crate::cli::exit::{Exit, Failure};
use crate::cli::progress::ProgressLine;
use crate::cli::{files, output};
use crate::file::{DUMP_LIMIT, Overwrite, check, write};
use crate::game::GameId;
use crate::json::Kind;
use crate::route::Goal;
use crate::route::seeds::{Entry, Race, RaceError, Standing, run as race};
use crate::text::counted;
use anyhow::Context;
use serde::Serialize;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often what stands is kept.
const KEEP_EVERY: Duration = Duration::from_secs(5);
/// Widths when nothing is said: an answer at once, and a better one later.
const WIDTHS: [usize; 3] = [10, 100, 1000];

pub fn run(global: &Global, arguments: &Arguments, goal: Goal, stop: &AtomicBool) -> anyhow::Result<Exit> {
    let Many { seeds, waiting, keep } = &arguments.many;
    let of_seed = arguments.pairs.many(&arguments.game)?;
    let waited = waiting.as_deref().map(|path| states(path, &arguments.game, stop)).transpose()?;
    let seeds = match &waited {
        // The numbers of the states, in the order in which they came.
        Some(waited) => 0..=u32::try_from(waited.len() - 1).context("too many states")?,
        None => parse(&arguments.game, seeds.as_deref().unwrap_or_default())?,
    };
    let start = |seed: u32| match &waited {
        Some(waited) => of_seed(waited.get(seed as usize)?.state.0),
        None => of_seed(seed),
    };
    let widths = arguments.width.map_or(WIDTHS.to_vec(), |width| vec![width as usize]);
    let task = serde_json::to_string(&Task {
        game: &arguments.game,
        goal: goal.id(),
        pairs: format!("{:?}", arguments.pairs),
        seeds: [*seeds.start(), *seeds.end()],
        waiting: waited.as_deref(),
        widths: &widths,
    })?;
    let threads = limits(arguments)?.threads;
    let search = Race { start: &start, seeds, goal, widths: &widths, threads };
    if let Some(file) = keep {
        // A file of an earlier run is replaced again and again; what is no such file is refused when it is read.
        check(file, Overwrite::Replace).map_err(|error| files::write_failure(file, &error))?;
    }
    let mut standing = match keep.as_deref().filter(|file| file.exists()) {
        Some(file) => go_on(file, &task, &search)?,
        None => Standing::begin(task, &search.seeds),
    };
    let begun = Instant::now();
    let mut line = ProgressLine::new();
    let mut kept = Instant::now();
    let mut failed = None;
    let ran = race(&search, &mut standing, stop, &mut |standing| {
        if let Some(file) = keep
            && kept.elapsed() >= KEEP_EVERY
        {
            kept = Instant::now();
            if let Err(error) = write(file, standing.text().as_bytes(), Overwrite::Replace) {
                failed = Some(error);
                stop.store(true, Ordering::Relaxed);
            }
        }
        let best = || standing.best.first().map_or("nothing yet".into(), |best| told(goal, best));
        line.show_search(standing.share(&search), || format!("best: {}", best()));
    });
    drop(line);
    ran.map_err(|error| plan_failure(&error))?;
    if let Some(file) = keep {
        failed = failed.or(write(file, standing.text().as_bytes(), Overwrite::Replace).err());
        if let Some(error) = failed {
            return Err(files::write_failure(file, &error).into());
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    if global.json {
        let hex = |seed: u32| format!("{seed:#06X}");
        let best = standing.best.iter().map(|entry| Best::of(entry, &search, waited.as_deref())).collect();
        let seeds = waited.is_none().then(|| [hex(*search.seeds.start()), hex(*search.seeds.end())]);
        let answer = Raced {
            game: &arguments.game,
            goal: goal.id(),
            seeds,
            states: waited.as_ref().map(Vec::len),
            share: standing.share(&search),
            complete: standing.round == widths.len(),
            stopped: stop.load(Ordering::Relaxed),
            widths: &widths,
            nodes: standing.nodes,
            elapsed_seconds: seconds,
            best,
        };
        output::object(Kind::RouteSeeds, answer)?;
    } else {
        let mut text = format!("{goal}, {:.1} % done in {seconds:.1} s\n", 100.0 * standing.share(&search));
        for entry in &standing.best {
            text += &format!("{}  {}\n", name(entry, waited.as_deref()), told(goal, entry));
        }
        if standing.best.is_empty() {
            text += "nothing found\n";
        }
        output::text(&text)?;
    }
    Ok(match standing.best.as_slice() {
        _ if standing.round < widths.len() && stop.load(Ordering::Relaxed) => Exit::Interrupted,
        [] => Exit::Negative,
        _ => Exit::Success,
    })
}

fn go_on(file: &Path, task: &str, search: &Race<'_>) -> anyhow::Result<Standing> {
    let wrong = |error: String| Failure::BadInput(format!("{}: {error}", file.display()));
    let text = String::from_utf8(files::read(file, DUMP_LIMIT)?).map_err(|error| wrong(error.to_string()))?;
    Ok(Standing::read(&text, task, search).map_err(|error: RaceError| wrong(error.to_string()))?)
}

fn parse(game: &str, text: &str) -> Result<RangeInclusive<u32>, Failure> {
    let most = if game == GameId::Puyo20th.id() { 0xFFFF } else { u32::MAX };
    if text.eq_ignore_ascii_case("all") {
        return Ok(0..=most);
    }
    let range = parse_range(text).filter(|(_, last)| *last <= most).map(|(first, last)| first..=last);
    range.ok_or_else(|| {
        Failure::BadInput(format!(
            "--seeds: invalid range {text:?}: expected all, or two numbers up to {most:#X}, such as 0x0000..0x00FF"
        ))
    })
}

fn told(goal: Goal, entry: &Entry) -> String {
    let pairs = counted(entry.placements.len() as u64, "pair");
    let points = counted(entry.score.into(), "point");
    match goal {
        Goal::Chain | Goal::Score => format!("chain {}, {points}, {pairs}", entry.chain),
        _ => format!("{pairs}, chain {}, {points}", entry.chain),
    }
}

/// The seed; of a state, with the frame to wait for.
fn name(entry: &Entry, waited: Option<&[Waited]>) -> String {
    match waited.and_then(|waited| waited.get(entry.seed as usize)) {
        Some(Waited { state, frame }) => format!("frame {frame:6}  {state}"),
        None => format!("{:#06X}", entry.seed),
    }
}

/// What a search is for, as it stands in its file.
#[derive(Serialize)]
struct Task<'a> {
    game: &'a str,
    goal: String,
    pairs: String,
    seeds: [u32; 2],
    waiting: Option<&'a [Waited]>,
    widths: &'a [usize],
}

/// The body of `route --seeds`.
#[derive(Serialize)]
struct Raced<'a> {
    game: &'a str,
    goal: String,
    /// The first and the last one; None for the states of a recording.
    seeds: Option<[String; 2]>,
    /// The states of a recording; None for seeds.
    states: Option<usize>,
    /// Of the work that is done, 0 to 1.
    share: f64,
    /// All widths were tried with all seeds.
    complete: bool,
    /// It was interrupted.
    stopped: bool,
    widths: &'a [usize],
    nodes: u64,
    elapsed_seconds: f64,
    /// The best first.
    best: Vec<Best>,
}

/// A seed's best route.
#[derive(Serialize)]
struct Best {
    seed: String,
    /// The frame of the recording to wait for; None of a seed.
    frame: Option<u64>,
    pairs_used: usize,
    chain: u32,
    score: u32,
    placements: Vec<Placement>,
}

impl Best {
    fn of(entry: &Entry, search: &Race<'_>, waited: Option<&[Waited]>) -> Self {
        let route = entry.route(search).ok();
        let placed = |step: &crate::route::Step| Placement {
            pair: step.pair.letters(),
            column: step.placement.column() + 1,
            rotation: step.placement.rotation(),
            inputs: None,
        };
        let waited = waited.and_then(|waited| waited.get(entry.seed as usize));
        Self {
            seed: waited.map_or_else(|| format!("{:#06X}", entry.seed), |waited| waited.state.to_string()),
            frame: waited.map(|waited| waited.frame),
            pairs_used: entry.placements.len(),
            chain: entry.chain,
            score: entry.score,
            placements: route.iter().flat_map(|route| &route.steps).map(placed).collect(),
        }
    }
}
