//! `ignite --build`: the best structure of a number of blocks.

use super::json_parts::BuiltStructure;
use super::request::Request;
use crate::cli::arguments::parse_time_limit;
use crate::cli::{interrupt, progress};
use crate::pochi::{BuildLimits, BuildProgress, BuildResult, MAX_BLOCKS, Rules, Ruleset, build};
use crate::text::counted;
use clap::Args;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct BuildArguments {
    /// Find the best structure of this many blocks of one colour, and its needle
    #[arg(
        long,
        value_name = "BLOCKS",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BLOCKS)),
        conflicts_with_all = ["grid", "gallery", "needle", "ignited", "color", "needle_rule"]
    )]
    pub build: Option<u32>,
    /// With --build: only structures that need no blocks of other colours below
    #[arg(long = "freestanding", alias = "standing", requires = "build")]
    freestanding: bool,
    /// With --build: only structures whose needle can fall into its cell
    #[arg(long = "reachable", alias = "open", requires = "build")]
    open: bool,
    /// With --build: search time [default: a fixed effort, so that the result is the same on every machine]
    #[arg(long, alias = "time", value_name = "N", requires = "build")]
    seconds: Option<f64>,
}

pub fn run(
    arguments: &BuildArguments,
    blocks: u32,
    ruleset: Ruleset,
    rules: Rules,
) -> anyhow::Result<Request> {
    let time = arguments.seconds.map(parse_time_limit).transpose()?;
    let effort = if time.is_some() { u64::MAX } else { BuildLimits::default().effort };
    let limits = BuildLimits { freestanding: arguments.freestanding, open: arguments.open, effort };
    let stop = interrupt::flag();
    let started = Instant::now();
    let mut line = progress::ProgressLine::new();
    let built = build(blocks, ruleset, rules, limits, &mut |progress| {
        line.show(|| progress_text(progress, started.elapsed(), time));
        !stop.load(Ordering::Relaxed) && time.is_none_or(|time| started.elapsed() < time)
    });
    line.clear();
    let introduction = summary(&built, blocks, ruleset);
    let structure = BuiltStructure {
        rules: ruleset,
        asked: blocks,
        blocks: built.blocks,
        value: built.value,
        bound: built.bound,
        proven: built.is_proven,
        stopped: built.is_cancelled,
        tried: built.tried,
        supports: built.supports.clone(),
        elapsed_seconds: started.elapsed().as_secs_f64(),
    };
    Ok(Request {
        field: built.field,
        ignition: Some(built.ignition),
        rules,
        supports: built.supports,
        introduction,
        build: Some(structure),
        ..Request::default()
    })
}

fn progress_text(progress: &BuildProgress<'_>, spent: Duration, time: Option<Duration>) -> String {
    let seconds = spent.as_secs_f64();
    let far = match time {
        Some(time) => format!("{seconds:5.1} s of {:.1}", time.as_secs_f64()),
        None => format!("{seconds:5.1} s, {} of {} shapes at most", progress.tried, progress.of),
    };
    let doing = if progress.proving { "proving" } else { "searching" };
    format!("{far}, {doing}; best: {}", progress.best.value)
}

fn summary(built: &BuildResult, asked: u32, ruleset: Ruleset) -> String {
    let plural = |blocks: u32| counted(blocks.into(), "block");
    let fewer = if built.blocks < asked {
        format!(" (of {}: more do not help)", plural(asked))
    } else {
        String::new()
    };
    let proof = if built.is_proven {
        "proven to be the best".to_owned()
    } else {
        let bound = built.bound.map_or(String::new(), |bound| format!("; none exceeds {bound}"));
        let stopped =
            if built.is_cancelled { "interrupted before the proof" } else { "not proven to be the best" };
        format!("{stopped}{bound}")
    };
    format!(
        "{}{fewer} worth {} under {ruleset}, {proof}. {} shapes tried.\n\n",
        plural(built.blocks),
        built.value,
        built.tried
    )
}
