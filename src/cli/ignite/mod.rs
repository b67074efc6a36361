//! `ignite`: what an ignition in Pochi & Nyaa is worth under both rules, and why.

mod answer;
mod build;
mod examples;
mod given;
mod grid;
mod json;
mod json_parts;
mod live;
mod rank;
mod report;
mod request;

use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{files, output};
use crate::json::Kind;
use crate::pochi::Ruleset;
use crate::pochi::export::{Picture, png, svg};
use answer::{Answer, Options};
use clap::Args;
use given::Given;
use request::Request;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    live: live::Live,
    /// An example of the document that the rules are from: without N a list of them
    #[arg(long, value_name = "N", conflicts_with = "grid")]
    gallery: Option<Option<usize>>,
    #[command(flatten)]
    build: build::Building,
    #[command(flatten)]
    rank: rank::Ranking,
    /// With --rank and --build: under these rules [default: mvs]
    #[arg(long, value_name = "RULES")]
    rules: Option<Under>,
    /// Show every wave
    #[arg(long)]
    waves: bool,
    /// Show what one more block of the needle's colour would add, for every empty cell
    #[arg(long)]
    one_more: bool,
    /// Print the field and its ignition as a code, and as a link that the window opens
    #[arg(long)]
    code: bool,
    /// Write a picture as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a picture as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Overwrite pictures that exist
    #[arg(long)]
    force: bool,
}

/// A ruleset on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Under {
    /// The arcade game
    Mvs,
    /// The PlayStation 2 port
    Ps2,
}

impl Arguments {
    fn ruleset(&self) -> Ruleset {
        match self.rules {
            None | Some(Under::Mvs) => Ruleset::Mvs,
            Some(Under::Ps2) => Ruleset::Ps2,
        }
    }
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    for file in [&arguments.svg, &arguments.png].into_iter().flatten() {
        files::check(file, arguments.force)?;
    }
    let rules = given::rules(&arguments.given.answer)?.with_needle(arguments.given.needle_rule());
    if arguments.rules.is_some() && !arguments.rank.rank && arguments.build.build.is_none() {
        let what = "--rules belongs to --rank and --build; without them both rules are told";
        return Err(Failure::BadInput(what.into()).into());
    }
    let mut request = if let Some(blocks) = arguments.build.build {
        build::built(&arguments.build, blocks, arguments.ruleset(), rules)?
    } else {
        match arguments.gallery {
            Some(None) => return examples::list(global),
            Some(Some(number)) => examples::example(number, rules)?,
            None => {
                let live = arguments.live.field(global)?.map(|field| (field, None));
                Request::new(live.map_or_else(|| arguments.given.field(), Ok)?, rules)
            }
        }
    };
    if let Some(ignition) = arguments.given.ignition()? {
        request.ignition = Some(ignition);
    }
    if arguments.rank.rank {
        let color = arguments.given.color()?;
        return rank::run(global, &arguments.rank, &request.field, color, arguments.ruleset(), rules);
    }
    request.set_color(arguments.given.color()?)?;
    let options = Options {
        waves: arguments.waves,
        one_more: arguments.one_more,
        code: arguments.code,
        picture: arguments.svg.is_some() || arguments.png.is_some(),
    };
    let answer = Answer::of(&request, &options)?;
    for (file, is_png) in [(&arguments.svg, false), (&arguments.png, true)] {
        let Some(file) = file else { continue };
        let picture = match (&request.ignition, &answer.evaluations) {
            (Some(ignition), Some(told)) => Picture::told(&request.field, ignition, told.clone()),
            _ => Picture::of_field(&request.field),
        };
        let bytes = if is_png { png(&picture)? } else { svg(&picture).into_bytes() };
        files::write(file, &bytes, arguments.force)?;
        output::stderr_line(format_args!("wrote {}", file.display()));
    }
    if global.json {
        output::object(Kind::Ignite, answer.json(&request, &options))?;
    } else {
        output::text(&answer.text(&request, &options))?;
    }
    let exit = answer.exit();
    // A search that was stopped has printed the best that it had found.
    Ok(if arguments.build.build.is_some() { exit.unless_interrupted() } else { exit })
}
