//! All needles, the best first.

use super::super::{Exit, Global, output};
use crate::pochi::{Field, Rules, Ruleset, rank};
use clap::Args;
use serde_json::json;

#[derive(Debug, Args)]
pub struct Ranking {
    /// Show what every needle would be worth, the best first
    #[arg(
        long,
        conflicts_with_all = ["needle", "ignited", "waves", "one_more", "code", "svg", "png", "build"]
    )]
    pub rank: bool,
    /// With --rank: so many at most
    #[arg(long, value_name = "N", requires = "rank")]
    limit: Option<usize>,
    /// With --rank: only cells where a needle that falls comes to rest
    #[arg(long, requires = "rank")]
    resting: bool,
}

pub fn run(
    global: &Global,
    wanted: &Ranking,
    field: &Field,
    color: Option<crate::pochi::Color>,
    ruleset: Ruleset,
    rules: Rules,
) -> anyhow::Result<Exit> {
    let mut needles = rank(field, ruleset, rules);
    needles.retain(|needle| {
        (needle.rests || !wanted.resting) && color.is_none_or(|color| needle.color == color)
    });
    let found = needles.len();
    needles.truncate(wanted.limit.unwrap_or(usize::MAX));
    if global.json {
        let list = needles.iter().map(|needle| {
            json!({
                "x": needle.at.x, "y": needle.at.y, "color": needle.color.letter().to_string(),
                "mvs": needle.values.mvs, "ps2": needle.values.ps2, "rests": needle.rests,
            })
        });
        let rules = ruleset.name().to_ascii_lowercase();
        output::json(&json!({ "rules": rules, "needles": found, "rank": list.collect::<Vec<_>>() }))?;
    } else if found == 0 {
        output::line("no needle would touch a block")?;
    } else {
        let rows: Vec<Vec<String>> = needles
            .iter()
            .map(|needle| {
                vec![
                    needle.at.to_string(),
                    needle.color.to_string(),
                    needle.values.mvs.to_string(),
                    needle.values.ps2.to_string(),
                    if needle.rests { "comes to rest" } else { "" }.to_owned(),
                ]
            })
            .collect();
        output::table(&["needle", "colour", "MVS", "PS2", ""], &rows)?;
        if needles.len() < found {
            output::line(format!("and {} more", found - needles.len()))?;
        }
    }
    Ok(if found > 0 { Exit::Yes } else { Exit::No })
}
