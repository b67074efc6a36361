//! `ignite`: calculates ignitions of Pochi & Nyaa under both rules.

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
use crate::cli::exit::{Exit, bail_input};
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
    /// Use example N of the rules document; without N, list the examples
    #[arg(long, value_name = "N", conflicts_with = "grid")]
    gallery: Option<Option<usize>>,
    #[command(flatten)]
    build: build::BuildArguments,
    #[command(flatten)]
    rank: rank::RankArguments,
    /// Rules for --rank and --build [default: mvs]
    #[arg(long, value_name = "RULES")]
    rules: Option<RulesArgument>,
    /// Show every wave
    #[arg(long)]
    waves: bool,
    /// Show how the value changes with one more block of the needle's colour, for every empty cell
    #[arg(long)]
    one_more: bool,
    /// Print the field and its ignition as a code and as a link for the window
    #[arg(long)]
    code: bool,
    /// Write a picture in SVG format
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a picture in PNG format
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Overwrite existing pictures
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum RulesArgument {
    /// The arcade game
    Mvs,
    /// The PlayStation 2 port
    Ps2,
}

impl Arguments {
    fn ruleset(&self) -> Ruleset {
        match self.rules {
            None | Some(RulesArgument::Mvs) => Ruleset::Mvs,
            Some(RulesArgument::Ps2) => Ruleset::Ps2,
        }
    }
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    for file in [&arguments.svg, &arguments.png].into_iter().flatten() {
        files::check(file, arguments.force)?;
    }
    let rules = given::rules(&arguments.given.answer)?.with_needle(arguments.given.needle_rule());
    if arguments.rules.is_some() && !arguments.rank.rank && arguments.build.build.is_none() {
        bail_input!("--rules needs --rank or --build; otherwise the result is for both rules");
    }
    let mut request = if let Some(blocks) = arguments.build.build {
        build::run(&arguments.build, blocks, arguments.ruleset(), rules)?
    } else {
        match arguments.gallery {
            Some(None) => return examples::list(global),
            Some(Some(number)) => examples::example(number, rules)?,
            None => {
                let live = arguments.live.field(global)?.map(|field| (field, None));
                let (field, ignition) = live.map_or_else(|| arguments.given.field(), Ok)?;
                Request { field, ignition, rules, ..Request::default() }
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
            (Some(ignition), Some(both)) => Picture::from_evaluations(&request.field, ignition, both.clone()),
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
    // An interrupted search has printed its best result.
    Ok(if arguments.build.build.is_some() { exit.unless_interrupted() } else { exit })
}
