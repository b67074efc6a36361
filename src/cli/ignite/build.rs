//! The best structure of so many blocks.

use super::json_parts as json;
use super::request::Request;
use crate::cli::arguments::parse_time_limit;
use crate::cli::{interrupt, progress};
use crate::pochi::{BLOCKS_MOST, BuildLimits, BuildProgress, Built, Rules, Ruleset, build};
use crate::text::counted;
use clap::Args;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Building {
    /// Look for the best structure of so many blocks of one colour, and the needle for it
    #[arg(
        long,
        value_name = "BLOCKS",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(BLOCKS_MOST)),
        conflicts_with_all = ["grid", "gallery", "needle", "ignited", "color", "needle_rule"]
    )]
    pub build: Option<u32>,
    /// With --build: it stands by itself, without blocks of other colours below it
    #[arg(long, requires = "build")]
    standing: bool,
    /// With --build: the needle can fall into its cell
    #[arg(long, requires = "build")]
    open: bool,
    /// With --build: seconds to look for it [default: a fixed effort, so that the answer is the same on every machine]
    #[arg(long, value_name = "SECONDS", requires = "build")]
    time: Option<f64>,
}

/// Looks for it.
pub fn built(wanted: &Building, blocks: u32, ruleset: Ruleset, rules: Rules) -> anyhow::Result<Request> {
    let time = wanted.time.map(parse_time_limit).transpose()?;
    let effort = if time.is_some() { u64::MAX } else { BuildLimits::default().effort };
    let limits = BuildLimits { standing: wanted.standing, open: wanted.open, effort };
    let stop = interrupt::flag();
    let begun = Instant::now();
    let mut line = progress::ProgressLine::new();
    let built = build(blocks, ruleset, rules, limits, &mut |progress| {
        line.show(|| told(progress, begun.elapsed(), time));
        !stop.load(Ordering::Relaxed) && time.is_none_or(|time| begun.elapsed() < time)
    });
    line.clear();
    let mut request = Request::new((built.field.clone(), Some(built.ignition.clone())), rules);
    request.introduction = summary(&built, blocks, ruleset);
    request.build = Some(json::BuiltStructure {
        rules: json::rules(ruleset),
        asked: blocks,
        blocks: built.blocks,
        value: built.value,
        bound: built.bound,
        proven: built.is_proven,
        stopped: built.is_cancelled,
        tried: built.tried,
        supports: built.supports.iter().map(|place| json::place(*place)).collect(),
        elapsed_seconds: begun.elapsed().as_secs_f64(),
    });
    request.supports = built.supports;
    Ok(request)
}

fn told(progress: &BuildProgress<'_>, spent: Duration, time: Option<Duration>) -> String {
    let seconds = spent.as_secs_f64();
    let far = match time {
        Some(time) => format!("{seconds:5.1} s of {:.1}", time.as_secs_f64()),
        None => format!("{seconds:5.1} s, {} of {} shapes at most", progress.tried, progress.of),
    };
    let doing = if progress.proving { "proving" } else { "looking" };
    format!("{far}, {doing}; best: {}", progress.best.value)
}

fn summary(built: &Built, asked: u32, ruleset: Ruleset) -> String {
    let plural = |blocks: u32| counted(blocks.into(), "block");
    let fewer = if built.blocks < asked {
        format!(" (of {}: no more are of use)", plural(asked))
    } else {
        String::new()
    };
    let proof = if built.is_proven {
        "proven: no structure of so many is worth more".to_owned()
    } else {
        let bound = built.bound.map_or(String::new(), |bound| format!("; none passes {bound}"));
        let stopped =
            if built.is_cancelled { "stopped before its proof" } else { "not proven to be the best" };
        format!("{stopped}{bound}")
    };
    format!(
        "{}{fewer} worth {} under {ruleset}, {proof}. {} shapes tried.\n\n",
        plural(built.blocks),
        built.value,
        built.tried
    )
}
