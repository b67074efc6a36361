//! `route`: from known pairs and a goal to placements.

mod begin;
mod many;
mod waiting;

use super::output::count;
use super::progress::Line;
use super::{Exit, Failure, Global, files, output, source};
use crate::json::Kind;
use crate::profile::Profile;
use crate::puyo::Rotation;
use crate::route::export::{FileError, FileOptions, Listed, ListedBoard, Listing, route_file};
use crate::route::{FrameTable, Goal, Limits, Outcome, PlanError, Progress, Route, Timing, plan_in_frames};
use begin::{Beginning, Pairs};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The game: puyo-tsu or puyo-20th
    #[arg(value_name = "GAME")]
    game: String,
    #[command(flatten)]
    pairs: Pairs,
    /// What is wanted: chain, score, points:N or garbage:N (at least N, soonest), all-clear (soonest), exact-chain:N (soonest)
    #[arg(long, default_value = "chain", value_name = "GOAL")]
    goal: String,
    /// Seconds to plan; the width grows as long as there is time [default: 5; without limit when --width is given]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Boards kept after each pair, in one search: the answer is then the same on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2_000_000), conflicts_with = "time")]
    width: Option<u32>,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Frames that the route may take at most, by the frame table of the profile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    frames: Option<u32>,
    /// Soonest means in the fewest frames, not in the fewest pairs
    #[arg(long)]
    fewest_frames: bool,
    /// Write the route to a file, in the form its ending names: .csv .json .url (links) .svg .png .apng .bk2 .gmv .dsm
    /// .log (BizHawk's input log) .txt (the embedded console's script); may be given several times
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Overwrite files that exist
    #[arg(long, requires = "out")]
    force: bool,
    /// Pictures move: .svg with --animated shows pair after pair
    #[arg(long)]
    animated: bool,
    /// Frames in which nothing is held, before the first pair, in movies
    #[arg(long, default_value_t = 0, value_name = "FRAMES")]
    lead_in: u32,
    /// The profile whose frame table times the route [default: the first one of the game]
    #[arg(long, value_name = "ID")]
    profile: Option<String>,
    /// Show the board after every pair, and in JSON everything about each
    #[arg(long)]
    steps: bool,
    #[command(flatten)]
    many: many::Many,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let goal: Goal = arguments.goal.parse().map_err(|error| Failure::BadInput(format!("--goal: {error}")))?;
    let profile = profile(global, arguments)?;
    let stop = source::stop_flag();
    if arguments.many.seeds.is_some() || arguments.many.waiting.is_some() {
        return many::run(global, arguments, goal, &stop);
    }
    for file in &arguments.out {
        files::check(file, arguments.force)?;
    }
    // All arguments are checked before anything is started.
    let limits = limits(arguments)?;
    let table = profile.as_deref().and_then(FrameTable::of);
    let timing = timing(arguments, table.as_ref())?;
    let beginning = begin::begin(global, &arguments.game, &arguments.pairs)?;
    let begun = Instant::now();
    let mut line = Line::new();
    let outcome = plan_in_frames(&beginning.start, goal, &limits, timing.as_ref(), &stop, &mut |progress| {
        line.tell(|| far(&progress));
    });
    line.clear();
    let outcome = outcome.map_err(|error| refused(&error))?;
    let told = Told {
        beginning: &beginning,
        goal,
        outcome: &outcome,
        table: table.as_ref(),
        seconds: begun.elapsed().as_secs_f64(),
    };
    if let Some(route) = &outcome.route {
        for file in &arguments.out {
            let options = FileOptions {
                profile: profile.as_deref(),
                moving: arguments.animated,
                lead_in: arguments.lead_in,
            };
            write(file, route, options, arguments.force)?;
        }
    }
    if global.json {
        output::object(Kind::Route, told.json(arguments.steps)?)?;
    } else {
        output::text(&told.text(arguments.steps)?)?;
    }
    Ok(match &outcome.route {
        _ if outcome.cancelled => Exit::Interrupted,
        Some(_) => Exit::Yes,
        None => Exit::No,
    })
}

/// Writes a route into a file, in the form that the end of its name asks for.
fn write(file: &Path, route: &Route, options: FileOptions<'_>, force: bool) -> anyhow::Result<()> {
    let bytes = route_file(file, route, options).map_err(|why| {
        let told = format!("{}: {why}", file.display());
        match why {
            FileError::Export(_) => anyhow::anyhow!(told),
            FileError::Form | FileError::NoTable(_) => Failure::BadInput(told).into(),
        }
    })?;
    files::write(file, &bytes, force)?;
    output::say(format_args!("wrote {}", file.display()));
    Ok(())
}

fn refused(error: &PlanError) -> Failure {
    Failure::BadInput(error.to_string())
}

/// The profile whose frame table counts.
fn profile(global: &Global, arguments: &Arguments) -> anyhow::Result<Option<Arc<Profile>>> {
    let profiles = source::profiles(global)?;
    let Some(id) = &arguments.profile else {
        let of_game =
            |profile: &&Arc<Profile>| profile.game.id() == arguments.game && profile.frames.is_some();
        // Consoles before arcades: that is where routes are played back.
        let console = |profile: &&Arc<Profile>| usize::from(profile.id.contains("arcade"));
        return Ok(profiles.iter().filter(of_game).min_by_key(console).cloned());
    };
    let found = profiles.iter().find(|profile| profile.id == *id).cloned();
    let unknown =
        || Failure::BadInput(format!("there is no profile {id:?}; `nextscope profile list` shows them"));
    Ok(Some(found.ok_or_else(unknown)?))
}

/// What frames are to be counted for; none when nothing asks for it.
fn timing(arguments: &Arguments, table: Option<&FrameTable>) -> Result<Option<Timing>, Failure> {
    if arguments.frames.is_none() && !arguments.fewest_frames {
        return Ok(None);
    }
    let missing = "--frames and --fewest-frames need a profile with a frame table: give --profile";
    let table = table.ok_or_else(|| Failure::BadInput(missing.into()))?.clone();
    Ok(Some(Timing { table, most: arguments.frames, soonest: arguments.fewest_frames }))
}

fn limits(arguments: &Arguments) -> Result<Limits, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = arguments.threads.map_or(cores, usize::from);
    if let Some(width) = arguments.width {
        return Ok(Limits { time: None, width: width as usize, threads });
    }
    let time = Duration::try_from_secs_f64(arguments.time.unwrap_or(5.0));
    let time = time.ok().filter(|time| !time.is_zero());
    let wrong = || Failure::BadInput("--time wants a number of seconds above 0".into());
    Ok(Limits { time: Some(time.ok_or_else(wrong)?), threads, ..Limits::default() })
}

/// How far it is.
fn far(progress: &Progress<'_>) -> String {
    format!(
        "{:5.1} s  width {}, pair {} of {}; best: {}",
        progress.time.as_secs_f64(),
        progress.width,
        progress.depth,
        progress.pairs,
        progress.best.map_or("nothing yet".to_owned(), summary)
    )
}

/// A route in a few words.
fn summary(route: &Route) -> String {
    let (points, pairs) = (count(route.score.into(), "point"), count(route.steps.len() as u64, "pair"));
    format!("chain {}, {points}, {pairs}", route.chain)
}

/// The body of `route`. What is of a route is None when none was found.
#[derive(Serialize)]
struct Planned<'a> {
    game: &'a str,
    seed: Option<&'a str>,
    goal: String,
    found: bool,
    /// Every placement of every pair was tried.
    complete: bool,
    /// It was interrupted.
    stopped: bool,
    /// Widths of the searches that were made to their end.
    widths: &'a [usize],
    /// Placements tried.
    nodes: u64,
    elapsed_seconds: f64,
    pairs_known: usize,
    pairs_used: Option<usize>,
    chain: Option<u32>,
    score: Option<u32>,
    /// Points of the longest chain alone.
    chain_score: Option<u32>,
    garbage: Option<u32>,
    frames: Option<u32>,
    frames_confirmed: Option<bool>,
    /// The link that plays it on puyop.com.
    link: Option<String>,
    placements: Vec<Placed>,
    /// The board at its end.
    board: Option<Vec<String>>,
    /// With `--steps`: the board before the first pair.
    start: Option<ListedBoard>,
    /// With `--steps`: everything about each pair.
    steps: Option<Vec<Listed>>,
}

/// Where a pair is put.
#[derive(Serialize)]
struct Placed {
    pair: String,
    column: usize,
    rotation: Rotation,
    /// None where nothing is pressed, and where inputs are not told.
    inputs: Option<String>,
}

/// What came of it, to be told.
struct Told<'a> {
    beginning: &'a Beginning,
    goal: Goal,
    outcome: &'a Outcome,
    table: Option<&'a FrameTable>,
    seconds: f64,
}

impl Told<'_> {
    fn json(&self, steps: bool) -> anyhow::Result<Planned<'_>> {
        let Self { beginning, outcome, .. } = self;
        let route = outcome.route.as_ref();
        let listing = route.map(|route| Listing::of(route, self.table)).transpose()?;
        let placed = |step: &Listed| Placed {
            pair: step.pair.clone(),
            column: step.column,
            rotation: step.rotation,
            inputs: Some(step.inputs.clone()).filter(|inputs| !inputs.is_empty()),
        };
        let listed = listing.as_ref();
        Ok(Planned {
            game: &beginning.game,
            seed: beginning.seed.as_deref(),
            goal: self.goal.id(),
            found: route.is_some(),
            complete: outcome.complete,
            stopped: outcome.cancelled,
            widths: &outcome.widths,
            nodes: outcome.nodes,
            elapsed_seconds: self.seconds,
            pairs_known: beginning.start.pairs.len(),
            pairs_used: listed.map(|listing| listing.pairs_used),
            chain: listed.map(|listing| listing.chain),
            score: listed.map(|listing| listing.score),
            chain_score: route.map(|route| route.longest().map_or(0, |step| step.fired.score)),
            garbage: listed.map(|listing| listing.garbage),
            frames: listed.and_then(|listing| listing.frames),
            frames_confirmed: listed.and_then(|listing| listing.frames_confirmed),
            link: listed.and_then(|listing| listing.puyop.clone()),
            placements: listed.iter().flat_map(|listing| &listing.steps).map(placed).collect(),
            board: route.map(|route| crate::puyo::to_rows(&route.end())),
            start: listed.filter(|_| steps).map(|listing| listing.start.clone()),
            steps: listing.filter(|_| steps).map(|listing| listing.steps),
        })
    }

    fn text(&self, steps: bool) -> anyhow::Result<String> {
        let Self { beginning, outcome, .. } = self;
        let searched = format!(
            "{} placements tried in {:.1} s, widths {:?}{}\n",
            outcome.nodes,
            self.seconds,
            outcome.widths,
            if outcome.cancelled { ", stopped" } else { "" }
        );
        let Some(route) = &outcome.route else {
            let why = if outcome.complete {
                "every placement was tried: these pairs do not reach it"
            } else {
                "nothing found; more time, or more pairs, may find it"
            };
            return Ok(format!("{}: {why}\n{searched}", self.goal));
        };
        let mut text = format!("{}, {}: {}\n", beginning.name(), self.goal, summary(route));
        let listing = Listing::of(route, self.table)?;
        let rows = listing.steps.iter().map(|step| {
            let number = |of: u32| if step.chain > 0 { of.to_string() } else { String::new() };
            vec![
                step.number.to_string(),
                step.pair.clone(),
                step.column.to_string(),
                step.rotation.name().to_owned(),
                step.inputs.clone(),
                number(step.chain),
                number(step.score),
            ]
        });
        let head = ["pair", "", "column", "child", "inputs", "chain", "points"];
        text += &crate::seeds::text::table(&head, &rows.collect::<Vec<_>>());
        if steps {
            for (nth, step) in route.steps.iter().enumerate() {
                text += &format!("After pair {} ({}, {}):\n", nth + 1, step.pair.letters(), step.placement);
                text += &crate::puyo::to_rows(&step.after)
                    .iter()
                    .map(|row| format!("  {row}\n"))
                    .collect::<String>();
            }
        }
        if let Some(frames) = listing.frames {
            let estimate = if listing.frames_confirmed == Some(true) {
                ""
            } else {
                " (an estimate: the frame table is not confirmed)"
            };
            text += &format!("{frames} frames{estimate}\n");
        }
        if let Some(link) = &listing.puyop {
            text += &format!("{link}\n");
        }
        if outcome.complete {
            text += "Every placement was tried: there is nothing better.\n";
        }
        Ok(text + &searched)
    }
}
