//! `route`: plans placements of known pairs that reach a goal.

mod arguments;
mod check;
mod choices;
mod many;
mod merge;
mod outlook;
mod placement;
mod ranking;
mod seed_setup;
mod start_position;
mod start_report;
mod timed_movie;
mod waiting;

pub use arguments::Command;

use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, Failure, bail_input};
use crate::cli::progress::ProgressLine;
use crate::cli::{files, interrupt, library, output};
use crate::json::Kind;
use crate::profile::{FrameStatus, Profile};
use crate::route::export::{FileError, FileOptions, LeadIn, ListedBoard, ListedPair, Listing, route_file};
use crate::route::{
    Choice, EXAMPLE, FrameTable, Goal, Outcome, Outlook, PlanStatus, Route, Timing, UNCERTAIN_INPUTS,
    goals_id, goals_text, parse_goals, plan_goals, why_ruled_out,
};
use crate::text::{capitalized, counted};
use arguments::{Arguments, Order, limits, plan_failure};
use choices::ListedChoice;
use outlook::ListedOutlook;
use placement::Placement;
use serde::Serialize;
use start_position::StartPosition;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub fn run(global: &Global, command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Plan(arguments) => plan(global, arguments),
        Command::Check(arguments) => check::run(global, arguments),
        Command::Merge(arguments) => merge::run(global, arguments),
    }
}

fn plan(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let goals =
        parse_goals(&arguments.goal).map_err(|error| Failure::BadInput(format!("--goal: {error}")))?;
    let profile = profile(global, arguments)?;
    let stop = interrupt::flag();
    for file in &arguments.out {
        files::check(file, arguments.force)?;
    }
    if arguments.many.seeds.is_some() || !arguments.many.states_from.is_empty() {
        let [goal] = goals[..] else { bail_input!("--goal: a search over many games has one goal") };
        if matches!(goal, Goal::PointsPerFrame | Goal::Survive) {
            bail_input!("--goal {}: not for a search over many games; choose one game", goal.id());
        }
        return many::run(global, arguments, goal, profile.as_deref(), &stop);
    }
    // All arguments are checked before anything is started.
    let limits = limits(arguments)?;
    let table = profile.as_deref().and_then(FrameTable::of);
    let timing = timing(arguments, &goals, table.as_ref())?;
    if arguments.choose > arguments.routes {
        bail_input!("--choose {}: --routes {} asks for fewer", arguments.choose, arguments.routes);
    }
    choices::check_order(arguments, table.as_ref())?;
    let start = start_position::find(global, &arguments.game, &arguments.pairs)?;
    let started = Instant::now();
    let mut line = ProgressLine::new();
    let mut show = |progress: PlanStatus<'_>| line.show(|| progress_text(&progress));
    let (attacks, timing) = (&arguments.garbage, timing.as_ref());
    let outcome = plan_goals(&start.start, attacks, &goals, &limits, timing, &stop, &mut show);
    line.clear();
    let outcome = outcome.map_err(|error| plan_failure(&error))?;
    let choices = choices::ranked(&outcome, arguments, table.as_ref())?;
    let choice = choices::chosen(&choices, arguments.choose)?;
    let listing = choice.map(|choice| Listing::of(&choice.route, table.as_ref())).transpose()?;
    let report = Report {
        start: &start,
        goals: &goals,
        outcome: &outcome,
        chosen: choice.zip(listing.as_ref()).map(|(choice, listing)| (&choice.route, listing)),
        choices: if arguments.routes > 1 { &choices } else { &[] },
        is_best: arguments.choose == 1 && arguments.sort == Order::Goal,
        seconds: started.elapsed().as_secs_f64(),
    };
    if let Some(Choice { route, .. }) = choice {
        for file in &arguments.out {
            let options = file_options(arguments, profile.as_deref(), LeadIn::idle(arguments.lead_in));
            write(file, route, options, arguments.force)?;
        }
    }
    if global.json {
        let routes = choices::listed(report.choices, table.as_ref())?;
        output::object(Kind::Route, report.json(arguments.steps, routes))?;
    } else {
        output::text(&report.text(arguments.steps))?;
    }
    Ok(match &outcome.route {
        _ if outcome.cancelled => Exit::Interrupted,
        Some(_) => Exit::Success,
        None => Exit::Negative,
    })
}

fn file_options<'a>(arguments: &Arguments, profile: Option<&'a Profile>, lead_in: LeadIn) -> FileOptions<'a> {
    FileOptions { profile, moving: arguments.animated, lead_in, player: arguments.pairs.player_index() }
}

/// Writes a route to a file in the format of its extension.
fn write(file: &Path, route: &Route, options: FileOptions<'_>, force: bool) -> anyhow::Result<()> {
    let bytes = route_file(file, route, options).map_err(|why| {
        let message = format!("{}: {why}", file.display());
        match why {
            FileError::Export(_) => anyhow::anyhow!(message),
            FileError::Form | FileError::NoTable(_) | FileError::NoProfile => {
                Failure::BadInput(message).into()
            }
        }
    })?;
    files::write(file, &bytes, force)?;
    output::stderr_line(format_args!("wrote {}", file.display()));
    Ok(())
}

/// The profile whose frame table and addresses are used.
fn profile(global: &Global, arguments: &Arguments) -> anyhow::Result<Option<Arc<Profile>>> {
    let profiles = library::profiles(global)?;
    let Some(id) = &arguments.profile else {
        let of_game = |profile: &&Arc<Profile>| profile.game.id() == arguments.game;
        // Those with a frame table first, and consoles before arcades, because routes are played back on consoles.
        let order = |profile: &&Arc<Profile>| (profile.frames.is_none(), profile.id.contains("arcade"));
        return Ok(profiles.iter().filter(of_game).min_by_key(order).cloned());
    };
    let found = profiles.iter().find(|profile| profile.id == *id).cloned();
    Ok(Some(found.ok_or_else(|| library::unknown_profile(id))?))
}

/// The frame limit and goal; None if the arguments have neither. Under attack frames are counted if there is a table.
fn timing(
    arguments: &Arguments,
    goals: &[Goal],
    table: Option<&FrameTable>,
) -> Result<Option<Timing>, Failure> {
    let needed = if goals.contains(&Goal::PointsPerFrame) {
        Some("--goal points-per-frame needs")
    } else if arguments.frames.is_some() || arguments.fewest_frames {
        Some("--frames and --fewest-frames need")
    } else {
        None
    };
    let Some(table) = table.filter(|_| needed.is_some() || !arguments.garbage.is_empty()) else {
        let missing =
            |needed| Failure::BadInput(format!("{needed} a profile with a frame table: give --profile"));
        return needed.map_or(Ok(None), |needed| Err(missing(needed)));
    };
    let (max_frames, soonest) = (arguments.frames, arguments.fewest_frames);
    Ok(Some(Timing { table: table.clone(), max_frames, soonest }))
}

fn progress_text(progress: &PlanStatus<'_>) -> String {
    format!(
        "{:5.1} s  width {}, pair {} of {}; best: {}",
        progress.time.as_secs_f64(),
        progress.width,
        progress.depth,
        progress.pairs,
        progress.best.map_or("none yet".to_owned(), summary)
    )
}

fn summary(route: &Route) -> String {
    let (points, pairs) = (counted(route.score.into(), "point"), counted(route.steps.len() as u64, "pair"));
    format!("chain {}, {points}, {pairs}", route.chain)
}

/// The pairs of a route, with `steps` the board after each, its time and its link.
fn route_text(route: &Route, listing: &Listing, steps: bool) -> String {
    let rows = listing.steps.iter().map(|step| {
        let number = |of: u32| if step.chain > 0 { of.to_string() } else { String::new() };
        vec![
            step.number.to_string(),
            step.pair.clone(),
            step.column.to_string(),
            step.rotation.name().to_owned(),
            if step.inputs_certain { step.inputs.clone() } else { UNCERTAIN_INPUTS.into() },
            number(step.chain),
            number(step.score),
            step.garbage.to_string(),
        ]
    });
    let head = ["pair", "", "column", "child", "inputs", "chain", "points", "garbage"];
    let mut text = crate::text::table(&head, &rows.collect::<Vec<_>>());
    for (nth, step) in route.steps.iter().enumerate().filter(|_| steps) {
        let (pair, placement) = (step.pair.letters(), step.placement);
        let is_example = !route.certainty(nth).after;
        let example = if is_example { format!(", {EXAMPLE}") } else { String::new() };
        text += &format!("After pair {} ({pair}, {placement}){example}:\n", nth + 1);
        text += &crate::puyo::to_rows(&step.after).iter().map(|row| format!("  {row}\n")).collect::<String>();
    }
    if let Some(frames) = listing.frames_text() {
        text += &format!("{frames}\n");
    }
    if let Some(link) = &listing.puyop {
        text += &format!("{link}\n");
    }
    text
}

/// JSON of `route`. The details are None if no route was found.
#[derive(Serialize)]
struct Planned<'a> {
    game: &'a str,
    seed: Option<&'a str>,
    goal: String,
    found: bool,
    /// Whether all placements were tried.
    complete: bool,
    stopped: bool,
    /// Widths of the completed searches.
    widths: &'a [usize],
    /// Placements tried.
    nodes: u64,
    elapsed_seconds: f64,
    pairs_known: usize,
    pairs_used: Option<usize>,
    chain: Option<u32>,
    /// The most steps for which the board and the pairs have puyos.
    chain_limit: u32,
    score: Option<u32>,
    /// Points of the longest chain alone.
    chain_score: Option<u32>,
    garbage: Option<u32>,
    frames: Option<u32>,
    frames_confirmed: Option<bool>,
    frames_status: Option<FrameStatus>,
    /// Whether the frames contain those of falling garbage.
    frames_complete: Option<bool>,
    /// With `--garbage`: the attacks, and how far the result depends on drawn columns.
    under_attack: Option<ListedOutlook>,
    /// A link that plays the route on puyop.com.
    link: Option<String>,
    placements: Vec<Placement>,
    board: Option<Vec<String>>,
    /// With `--steps`: the board before the first pair.
    start: Option<ListedBoard>,
    /// With `--steps`: everything about each pair.
    steps: Option<Vec<ListedPair>>,
    /// With `--routes`: the routes to choose from.
    routes: Option<Vec<ListedChoice>>,
}

struct Report<'a> {
    start: &'a StartPosition,
    goals: &'a [Goal],
    outcome: &'a Outcome,
    chosen: Option<(&'a Route, &'a Listing)>,
    /// With `--routes`: all of them.
    choices: &'a [Choice],
    /// Whether the choice is the best one for the goal.
    is_best: bool,
    seconds: f64,
}

impl Report<'_> {
    fn json(&self, steps: bool, routes: Vec<ListedChoice>) -> Planned<'_> {
        let Self { start, outcome, .. } = self;
        let (route, listing) = self.chosen.unzip();
        Planned {
            game: &start.game,
            seed: start.seed.as_deref(),
            goal: goals_id(self.goals),
            found: route.is_some(),
            complete: outcome.complete,
            stopped: outcome.cancelled,
            widths: &outcome.widths,
            nodes: outcome.nodes,
            elapsed_seconds: self.seconds,
            pairs_known: start.start.pairs.len(),
            pairs_used: listing.map(|listing| listing.pairs_used),
            chain: listing.map(|listing| listing.chain),
            chain_limit: start.start.chain_limit(),
            score: listing.map(|listing| listing.score),
            chain_score: route.map(|route| route.longest().map_or(0, |step| step.fired.score)),
            garbage: listing.map(|listing| listing.garbage),
            frames: listing.and_then(|listing| listing.frames),
            frames_confirmed: listing.and_then(|listing| listing.frames_confirmed),
            frames_status: listing.and_then(|listing| listing.frames_status),
            frames_complete: listing.and_then(|listing| listing.frames_complete),
            under_attack: route.and_then(ListedOutlook::of),
            link: listing.and_then(|listing| listing.puyop.clone()),
            placements: listing.iter().flat_map(|listing| &listing.steps).map(Placement::of).collect(),
            board: route.map(|route| crate::puyo::to_rows(&route.end())),
            start: listing.filter(|_| steps).map(|listing| listing.start.clone()),
            steps: listing.filter(|_| steps).map(|listing| listing.steps.clone()),
            routes: Some(routes).filter(|routes| !routes.is_empty()),
        }
    }

    fn text(&self, steps: bool) -> String {
        let Self { start, outcome, .. } = self;
        let searched = format!(
            "{} placements tried in {:.1} s, widths {:?}{}\n",
            outcome.nodes,
            self.seconds,
            outcome.widths,
            if outcome.cancelled { ", interrupted" } else { "" }
        );
        let goal = goals_text(self.goals);
        let Some((route, listing)) = self.chosen else {
            let why = if let Some(why) = why_ruled_out(&start.start, self.goals) {
                format!("not reachable with these pairs: {why}")
            } else if outcome.complete {
                "not reachable with these pairs (all placements were tried)".into()
            } else {
                "no route found; try more --seconds or more --pairs".into()
            };
            return format!("{goal}: {why}\n{searched}");
        };
        let mut text = format!("{}, {goal}: {}\n", start.name(), summary(route));
        if !self.choices.is_empty() {
            text = choices::table(self.choices) + "\n" + &text;
        }
        text += &route_text(route, listing, steps);
        for sentence in route.outlook_under_attack().map(Outlook::sentences).unwrap_or_default() {
            text += &format!("{sentence}\n");
        }
        if outcome.complete && self.is_best {
            text += "This is optimal: all placements were tried.\n";
        } else if self.goals == [Goal::Chain] {
            let is_longest = route.chain == start.start.chain_limit();
            let so = if is_longest { ": no longer chain is possible" } else { "" };
            text += &format!("{}{so}.\n", capitalized(&start.start.chain_limit_text()));
        }
        text + &searched
    }
}
