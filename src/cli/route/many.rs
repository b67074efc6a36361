//! `route --seeds`: which of many seeds has the best route.

use super::arguments::{Arguments, Many, limits, plan_failure};
use super::placement::Placement;
use super::start_position::pair_game;
use super::waiting::{RecordedState, states};
use crate::cli::arguments::parse_time_limit;
use crate::cli::arguments::{Global, parse_range};
use crate::cli::exit::{Exit, Failure};
use crate::cli::progress::ProgressLine;
use crate::cli::{files, output};
use crate::file::{DUMP_LIMIT, Overwrite, check, write};
use crate::json::Kind;
use crate::pairs::PairGame;
use crate::route::Goal;
use crate::route::seeds::{Entry, SeedSearch, SeedSearchError, SeedSearchProgress, run as race};
use crate::text::counted;
use anyhow::Context;
use serde::Serialize;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two writes of the checkpoint file.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(5);
/// Default widths: a first result soon, and better ones later.
const DEFAULT_WIDTHS: [usize; 3] = [10, 100, 1000];

pub fn run(global: &Global, arguments: &Arguments, goal: Goal, stop: &AtomicBool) -> anyhow::Result<Exit> {
    let Many { seeds, states_from, checkpoint } = &arguments.many;
    let of_seed = arguments.pairs.many(&arguments.game)?;
    let game = pair_game(&arguments.game)?;
    let recorded = states_from.as_deref().map(|path| states(path, game, stop)).transpose()?;
    let seeds = match &recorded {
        // Indices of the states, in the order of the frames.
        Some(recorded) => 0..=u32::try_from(recorded.len() - 1).context("too many states")?,
        None => parse(game, seeds.as_deref().unwrap_or_default())?,
    };
    let start = |seed: u32| match &recorded {
        Some(recorded) => of_seed(recorded.get(seed as usize)?.state),
        None => of_seed(seed),
    };
    let widths = arguments.width.map_or(DEFAULT_WIDTHS.to_vec(), |width| vec![width as usize]);
    let task = serde_json::to_string(&Task {
        game: &arguments.game,
        goal: goal.id(),
        pairs: format!("{:?}", arguments.pairs),
        seeds: [*seeds.start(), *seeds.end()],
        waiting: recorded.as_deref(),
        widths: &widths,
    })?;
    let threads = limits(arguments)?.threads;
    let search = SeedSearch { start: &start, seeds, goal, widths: &widths, threads };
    if let Some(file) = checkpoint {
        // The file is replaced repeatedly. Reading it below refuses one that is not a checkpoint.
        check(file, Overwrite::Replace).map_err(|error| files::write_failure(file, &error))?;
    }
    let mut search_state = match checkpoint.as_deref().filter(|file| file.exists()) {
        Some(file) => resume(file, &task, &search)?,
        None => SeedSearchProgress::new(task, &search.seeds),
    };
    let started = Instant::now();
    let limit = arguments.seconds.map(parse_time_limit).transpose()?;
    let mut timed_out = false;
    let mut line = ProgressLine::new();
    let mut saved = Instant::now();
    let mut failed = None;
    let ran = race(&search, &mut search_state, stop, &mut |search_state| {
        if let Some(file) = checkpoint
            && saved.elapsed() >= CHECKPOINT_INTERVAL
        {
            saved = Instant::now();
            if let Err(error) = write(file, search_state.text().as_bytes(), Overwrite::Replace) {
                failed = Some(error);
                stop.store(true, Ordering::Relaxed);
            }
        }
        if limit.is_some_and(|limit| started.elapsed() >= limit) {
            timed_out = true;
            stop.store(true, Ordering::Relaxed);
        }
        let best = || search_state.best.first().map_or("none yet".into(), |best| summary(goal, best));
        line.show_search(search_state.share(&search), || format!("best: {}", best()));
    });
    drop(line);
    ran.map_err(|error| plan_failure(&error))?;
    let interrupted = stop.load(Ordering::Relaxed) && !timed_out;
    if let Some(file) = checkpoint {
        failed = failed.or(write(file, search_state.text().as_bytes(), Overwrite::Replace).err());
        if let Some(error) = failed {
            return Err(files::write_failure(file, &error).into());
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    if global.json {
        let seed_text = |seed: u32| format!("{seed:#06X}");
        let best =
            search_state.best.iter().map(|entry| Best::of(entry, &search, recorded.as_deref())).collect();
        let seeds =
            recorded.is_none().then(|| [seed_text(*search.seeds.start()), seed_text(*search.seeds.end())]);
        let answer = Raced {
            game: &arguments.game,
            goal: goal.id(),
            seeds,
            states: recorded.as_ref().map(Vec::len),
            share: search_state.share(&search),
            complete: search_state.round == widths.len(),
            stopped: interrupted,
            widths: &widths,
            nodes: search_state.nodes,
            elapsed_seconds: seconds,
            best,
        };
        output::object(Kind::RouteSeeds, answer)?;
    } else {
        let mut text =
            format!("{goal}, {:.1} % done in {seconds:.1} s\n", 100.0 * search_state.share(&search));
        for entry in &search_state.best {
            text += &format!("{}  {}\n", name(entry, recorded.as_deref()), summary(goal, entry));
        }
        if search_state.best.is_empty() {
            text += "no route found\n";
        }
        output::text(&text)?;
    }
    Ok(match search_state.best.as_slice() {
        _ if search_state.round < widths.len() && interrupted => Exit::Interrupted,
        [] => Exit::Negative,
        _ => Exit::Success,
    })
}

fn resume(file: &Path, task: &str, search: &SeedSearch<'_>) -> anyhow::Result<SeedSearchProgress> {
    let wrong = |error: String| Failure::BadInput(format!("{}: {error}", file.display()));
    let text = String::from_utf8(files::read(file, DUMP_LIMIT)?).map_err(|error| wrong(error.to_string()))?;
    Ok(SeedSearchProgress::read(&text, task, search)
        .map_err(|error: SeedSearchError| wrong(error.to_string()))?)
}

fn parse(game: PairGame, text: &str) -> Result<RangeInclusive<u32>, Failure> {
    let most = game.largest_seed();
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

fn summary(goal: Goal, entry: &Entry) -> String {
    let pairs = counted(entry.placements.len() as u64, "pair");
    let points = counted(entry.score.into(), "point");
    match goal {
        Goal::Chain | Goal::Score => format!("chain {}, {points}, {pairs}", entry.chain),
        _ => format!("{pairs}, chain {}, {points}", entry.chain),
    }
}

/// The seed, or the frame to wait for and its state.
fn name(entry: &Entry, recorded: Option<&[RecordedState]>) -> String {
    match recorded.and_then(|recorded| recorded.get(entry.seed as usize)) {
        Some(RecordedState { name, frame, .. }) => format!("frame {frame:6}  {name}"),
        None => format!("{:#06X}", entry.seed),
    }
}

/// Identifies a search in its checkpoint file.
#[derive(Serialize)]
struct Task<'a> {
    game: &'a str,
    goal: String,
    pairs: String,
    seeds: [u32; 2],
    waiting: Option<&'a [RecordedState]>,
    widths: &'a [usize],
}

#[derive(Serialize)]
struct Raced<'a> {
    game: &'a str,
    goal: String,
    /// The first and the last seed; None for the states of a recording.
    seeds: Option<[String; 2]>,
    /// The number of states in a recording; None for seeds.
    states: Option<usize>,
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
}

/// The best route of a seed.
#[derive(Serialize)]
struct Best {
    seed: String,
    /// The frame of the recording to wait for; None for a seed.
    frame: Option<u64>,
    pairs_used: usize,
    chain: u32,
    score: u32,
    placements: Vec<Placement>,
}

impl Best {
    fn of(entry: &Entry, search: &SeedSearch<'_>, recorded: Option<&[RecordedState]>) -> Self {
        let route = entry.route(search).ok();
        let placed = |step: &crate::route::Step| Placement {
            pair: step.pair.letters(),
            column: step.placement.column() + 1,
            rotation: step.placement.rotation(),
            inputs: None,
        };
        let recorded = recorded.and_then(|recorded| recorded.get(entry.seed as usize));
        Self {
            seed: recorded.map_or_else(|| format!("{:#06X}", entry.seed), |recorded| recorded.name.clone()),
            frame: recorded.map(|recorded| recorded.frame),
            pairs_used: entry.placements.len(),
            chain: entry.chain,
            score: entry.score,
            placements: route.iter().flat_map(|route| &route.steps).map(placed).collect(),
        }
    }
}
