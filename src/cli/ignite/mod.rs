//! `ignite`: what an ignition in Pochi & Nyaa is worth under both rules, and why.

mod build;
mod examples;
mod given;
mod grid;
mod json;
mod live;
mod rank;
mod told;

use super::{Exit, Failure, Global, files, output};
use crate::json::Kind;
use crate::pochi::export::{Picture, png, svg};
use crate::pochi::{
    Evaluation, Field, Ignition, Place, Rules, Ruleset, Values, evaluate, one_more, to_code, to_link,
};
use clap::Args;
use given::Given;
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
    let mut asked = if let Some(blocks) = arguments.build.build {
        build::built(&arguments.build, blocks, arguments.ruleset(), rules)?
    } else {
        match arguments.gallery {
            Some(None) => return examples::list(global),
            Some(Some(number)) => examples::example(number, rules)?,
            None => {
                let live = arguments.live.field(global)?.map(|field| (field, None));
                Asked::plain(live.map_or_else(|| arguments.given.field(), Ok)?, rules)
            }
        }
    };
    if let Some(ignition) = arguments.given.ignition()? {
        asked.ignition = Some(ignition);
    }
    if arguments.rank.rank {
        let color = arguments.given.color()?;
        return rank::run(global, &arguments.rank, &asked.field, color, arguments.ruleset(), rules);
    }
    asked.color(arguments.given.color()?)?;
    let answer = Answer::of(&asked, arguments)?;
    for (file, is_png) in [(&arguments.svg, false), (&arguments.png, true)] {
        let Some(file) = file else { continue };
        let picture = match (&asked.ignition, &answer.evaluations) {
            (Some(ignition), Some(told)) => Picture::told(&asked.field, ignition, told.clone()),
            _ => Picture::of_field(&asked.field),
        };
        let bytes = if is_png { png(&picture)? } else { svg(&picture).into_bytes() };
        files::write(file, &bytes, arguments.force)?;
        output::say(format_args!("wrote {}", file.display()));
    }
    if global.json {
        output::object(Kind::Ignite, answer.json(&asked, arguments))?;
    } else {
        output::text(&answer.text(&asked, arguments))?;
    }
    let exit = answer.exit();
    // A search that was stopped has printed the best that it had found.
    Ok(if arguments.build.build.is_some() { exit.unless_stopped() } else { exit })
}

/// What is looked at.
struct Asked {
    field: Field,
    ignition: Option<Ignition>,
    rules: Rules,
    /// Cells that blocks of other colours must stand in.
    supports: Vec<Place>,
    /// What is told of it before, for people.
    before: String,
    /// The example of the document that it is.
    example: Option<json::ListedExample>,
    /// How it was built.
    build: Option<json::BuiltStructure>,
}

impl Asked {
    fn plain((field, ignition): (Field, Option<Ignition>), rules: Rules) -> Self {
        Self {
            field,
            ignition,
            rules,
            supports: Vec::new(),
            before: String::new(),
            example: None,
            build: None,
        }
    }

    /// The needle has this colour.
    fn color(&mut self, given: Option<crate::pochi::Color>) -> Result<(), Failure> {
        let Some(given) = given else { return Ok(()) };
        match &mut self.ignition {
            Some(Ignition::Needle { color, .. }) => {
                *color = Some(given);
                Ok(())
            }
            _ => Err(Failure::BadInput("--color is a needle's: give --needle x,y as well".into())),
        }
    }
}

/// What came of it.
struct Answer {
    evaluations: Option<[Evaluation; 2]>,
    /// What one more block in each empty cell would make of it.
    more: Option<Vec<(Place, Values)>>,
    /// The code and the link.
    codes: Option<[String; 2]>,
}

impl Answer {
    fn of(asked: &Asked, arguments: &Arguments) -> anyhow::Result<Self> {
        let Asked { field, ignition, rules, .. } = asked;
        let refused = |error: crate::pochi::IgnitionError| Failure::BadInput(error.to_string());
        let written = arguments.svg.is_some() || arguments.png.is_some() || arguments.code;
        let only_field = written && !arguments.waves && !arguments.one_more;
        let (evaluations, more) = match ignition {
            Some(ignition) => {
                let [mvs, ps2] = Ruleset::ALL.map(|ruleset| evaluate(field, ignition, ruleset, *rules));
                let more = arguments.one_more.then(|| one_more(field, ignition, *rules)).transpose();
                (Some([mvs.map_err(refused)?, ps2.map_err(refused)?]), more.map_err(refused)?)
            }
            None if only_field => (None, None),
            None => {
                let what = "where is the needle? Give --needle x,y (column and row from 0 at the top left), or --ignited x,y;x,y; \
                            --rank shows what every needle is worth";
                return Err(Failure::BadInput(what.into()).into());
            }
        };
        let codes = if arguments.code {
            Some([to_code(field, ignition.as_ref())?, to_link(field, ignition.as_ref())?])
        } else {
            None
        };
        Ok(Self { evaluations, more, codes })
    }

    /// Status 1 where nothing ignites.
    fn exit(&self) -> Exit {
        match &self.evaluations {
            Some([mvs, _]) if mvs.structures.is_empty() => Exit::No,
            _ => Exit::Yes,
        }
    }
}
