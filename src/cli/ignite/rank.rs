//! `ignite --rank`: all needles, the best first.

use crate::cli::arguments::Global;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::json::Kind;
use crate::pochi::{Field, GridCell, Needle, Rules, Ruleset, Values, rank};
use clap::Args;
use serde::Serialize;

#[derive(Debug, Args)]
pub struct RankArguments {
    /// List all needles by their value, the best first
    #[arg(
        long,
        conflicts_with_all = ["needle", "ignited", "waves", "one_more", "code", "svg", "png", "build"]
    )]
    pub rank: bool,
    /// With --rank: maximum number of needles
    #[arg(long, value_name = "N", requires = "rank")]
    limit: Option<usize>,
    /// With --rank: only cells where a falling needle comes to rest
    #[arg(long, requires = "rank")]
    resting: bool,
}

#[derive(Serialize)]
struct Ranked {
    rules: Ruleset,
    /// The number of all needles.
    count: usize,
    /// At most --limit of them, the best first.
    needles: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    needle: GridCell,
    color: char,
    #[serde(flatten)]
    values: Values,
    rests: bool,
}

pub fn run(
    global: &Global,
    arguments: &RankArguments,
    field: &Field,
    color: Option<crate::pochi::Color>,
    ruleset: Ruleset,
    rules: Rules,
) -> anyhow::Result<Exit> {
    let mut needles = rank(field, ruleset, rules);
    needles.retain(|needle| {
        (needle.rests || !arguments.resting) && color.is_none_or(|color| needle.color == color)
    });
    let found = needles.len();
    needles.truncate(arguments.limit.unwrap_or(usize::MAX));
    if global.json {
        let row = |needle: &Needle| Row {
            needle: needle.at,
            color: needle.color.letter(),
            values: needle.values,
            rests: needle.rests,
        };
        let needles = needles.iter().map(row).collect();
        output::object(Kind::IgniteRank, Ranked { rules: ruleset, count: found, needles })?;
    } else if found == 0 {
        output::line("No needle can touch a block")?;
    } else {
        let row = |needle: &Needle| {
            vec![
                needle.at.to_string(),
                needle.color.to_string(),
                needle.values.mvs.to_string(),
                needle.values.ps2.to_string(),
                if needle.rests { "comes to rest" } else { "" }.to_owned(),
            ]
        };
        output::table(&["needle", "colour", "MVS", "PS2", ""], needles.iter().map(row))?;
        if needles.len() < found {
            output::line(format!("... and {} more", found - needles.len()))?;
        }
    }
    Ok(Exit::from_answer(found > 0))
}
