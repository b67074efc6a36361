//! `route merge`: joins the checkpoint files of the parts of a search.

use super::arguments::MergeArguments;
use super::many::{checkpoint_text, parse_seeds};
use super::ranking::{Best, ends, lines, range_text};
use super::seed_setup::SeedSetup;
use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{files, output};
use crate::json::{Envelope, Kind};
use crate::route::Start;
use crate::route::export::puyop_link;
use crate::route::seeds::{Merged, Missing, Overlap, SeedSearchProgress, merge};
use crate::text::counted;
use serde::Serialize;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub fn run(global: &Global, arguments: &MergeArguments) -> anyhow::Result<Exit> {
    let format = arguments.out.as_deref().map(|file| OutputFormat::of(file, arguments.force)).transpose()?;
    let parts = read(&arguments.files)?;
    let (Some(file), Some(first)) = (arguments.files.first(), parts.first()) else {
        return Err(Failure::BadInput("no files to merge".into()).into());
    };
    let damaged = |error: String| files::failure(file, format!("the saved search is damaged: {error}"));
    let setup = SeedSetup::from_map(&first.task.deal).map_err(damaged)?;
    let all = setup.all_seeds().map_err(damaged)?;
    let start = setup.start().map_err(damaged)?;
    let expected = arguments.seeds.as_deref().map(|text| parse_seeds(text, all.clone())).transpose()?;
    let merged = merge(&parts, expected.as_ref()).map_err(|error| {
        let path = arguments.files.get(error.part).unwrap_or(file);
        let error = format!("{error}: it cannot be merged with {}", file.display());
        files::failure(path, error)
    })?;
    let Some(merged) = merged else { return Ok(Exit::Negative) };
    for (file, part) in arguments.files.iter().zip(&parts) {
        if part.task.whole.end() > all.end() {
            return Err(files::failure(file, "the saved search is damaged: there are no such seeds").into());
        }
        part.verify(&start).map_err(|error| files::failure(file, error))?;
    }
    let joined = Joined { files: &arguments.files, parts: &parts, first, merged: &merged, setup: &setup };
    if let (Some(file), Some(format)) = (&arguments.out, format) {
        files::write(file, &joined.file(format, &start)?, arguments.force)?;
        output::stderr_line(format_args!("wrote {}", file.display()));
    }
    if global.json {
        output::object(Kind::RouteMerge, joined.json(&start))?;
    } else {
        output::text(&joined.text())?;
    }
    Ok(Exit::from_answer(merged.missing.is_empty() && !merged.best.is_empty()))
}

fn read(files: &[PathBuf]) -> Result<Vec<SeedSearchProgress>, Failure> {
    let read = |file: &PathBuf| {
        SeedSearchProgress::parse(&checkpoint_text(file)?).map_err(|error| files::failure(file, error))
    };
    files.iter().map(read).collect()
}

/// The format of `--out`.
#[derive(Clone, Copy)]
enum OutputFormat {
    Json,
    Csv,
}

impl OutputFormat {
    fn of(file: &Path, force: bool) -> Result<Self, Failure> {
        let extension = file.extension().map(OsStr::to_ascii_lowercase);
        let format = match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("json") => Self::Json,
            Some("csv") => Self::Csv,
            _ => return Err(files::failure(file, "unknown file extension: use .json or .csv")),
        };
        files::check(file, force)?;
        Ok(format)
    }
}

struct Joined<'a> {
    files: &'a [PathBuf],
    parts: &'a [SeedSearchProgress],
    /// Any part: what it searches is the same in all of them.
    first: &'a SeedSearchProgress,
    merged: &'a Merged,
    setup: &'a SeedSetup,
}

impl Joined<'_> {
    fn name(&self, part: usize) -> String {
        self.files.get(part).map(|file| file.display().to_string()).unwrap_or_default()
    }

    /// The widths of the first passes.
    fn widths(&self, passes: usize) -> &[usize] {
        self.first.task.widths.get(..passes).unwrap_or_default()
    }

    fn text(&self) -> String {
        let (merged, goal) = (self.merged, self.first.task.goal);
        let mut text = format!(
            "{goal}, {}, {:.1} % done in {}\n{}",
            range_text(&merged.whole),
            100.0 * merged.share,
            counted(self.files.len() as u64, "file"),
            lines(&merged.best, goal, self.setup)
        );
        for Overlap { parts: [one, other], seeds } in &merged.overlaps {
            text +=
                &format!("overlap: {} in {} and {}\n", range_text(seeds), self.name(*one), self.name(*other));
        }
        let unfinished = self.parts.iter().enumerate().filter(|(_, part)| !part.is_complete());
        for (nth, part) in unfinished {
            let (name, done) = (self.name(nth), 100.0 * part.share());
            text += &format!("unfinished: {name}, {}, {done:.1} % done\n", range_text(&part.task.seeds));
        }
        for Missing { seeds, passes } in &merged.missing {
            let count = counted(u64::from(seeds.end() - seeds.start()) + 1, "seed");
            let done = match self.widths(*passes) {
                [] => "not searched".to_owned(),
                widths => format!("searched only with widths {widths:?}"),
            };
            text += &format!("missing: {}, {count}, {done}\n", range_text(seeds));
        }
        text
    }

    fn json(&self, start: &dyn Fn(u32) -> Option<Start>) -> MergedSeeds<'_> {
        let (merged, task) = (self.merged, &self.first.task);
        let file = |(nth, part): (usize, &SeedSearchProgress)| MergedFile {
            file: self.name(nth),
            seeds: ends(&part.task.seeds),
            share: part.share(),
            complete: part.is_complete(),
        };
        let overlap = |overlap: &Overlap| MergedOverlap {
            files: overlap.parts.map(|part| self.name(part)),
            seeds: ends(&overlap.seeds),
        };
        let missing = |missing: &Missing| MergedMissing {
            seeds: ends(&missing.seeds),
            widths: self.widths(missing.passes).to_vec(),
        };
        MergedSeeds {
            game: &self.setup.game,
            goal: task.goal.id(),
            seeds: ends(&merged.whole),
            states: self.setup.states.as_ref().map(Vec::len),
            share: merged.share,
            complete: merged.missing.is_empty(),
            widths: &task.widths,
            nodes: merged.nodes,
            files: self.parts.iter().enumerate().map(file).collect(),
            overlaps: merged.overlaps.iter().map(overlap).collect(),
            missing: merged.missing.iter().map(missing).collect(),
            best: merged.best.iter().map(|entry| Best::of(entry, self.setup, start)).collect(),
        }
    }

    fn file(&self, format: OutputFormat, start: &dyn Fn(u32) -> Option<Start>) -> anyhow::Result<Vec<u8>> {
        match format {
            OutputFormat::Json => {
                let mut bytes = Vec::new();
                output::write_json(&mut bytes, &Envelope::new(Kind::RouteMerge, self.json(start)))?;
                Ok(bytes)
            }
            OutputFormat::Csv => Ok(self.csv(start).into_bytes()),
        }
    }

    /// A line for each route, the best first. No value has a comma or a quotation mark.
    fn csv(&self, start: &dyn Fn(u32) -> Option<Start>) -> String {
        let mut text = "rank,seed,frame,pairs_used,chain,score,link\n".to_owned();
        for (entry, rank) in self.merged.best.iter().zip(1..) {
            let link = entry.route(start).ok().and_then(|route| puyop_link(&route).ok()).unwrap_or_default();
            let Best { seed, frame, pairs_used, chain, score, .. } = Best::of(entry, self.setup, start);
            let frame = frame.map(|frame| frame.to_string()).unwrap_or_default();
            text += &format!("{rank},{seed},{frame},{pairs_used},{chain},{score},{link}\n");
        }
        text
    }
}

#[derive(Serialize)]
struct MergedSeeds<'a> {
    game: &'a str,
    goal: String,
    /// The first and the last seed that the files should cover; of the states of a recording, their indices.
    seeds: [String; 2],
    /// The number of states in a recording; None for seeds.
    states: Option<usize>,
    share: f64,
    /// Whether nothing is missing.
    complete: bool,
    widths: &'a [usize],
    nodes: u64,
    files: Vec<MergedFile>,
    overlaps: Vec<MergedOverlap>,
    missing: Vec<MergedMissing>,
    /// The best first.
    best: Vec<Best>,
}

#[derive(Serialize)]
struct MergedFile {
    file: String,
    seeds: [String; 2],
    share: f64,
    complete: bool,
}

#[derive(Serialize)]
struct MergedOverlap {
    files: [String; 2],
    seeds: [String; 2],
}

#[derive(Serialize)]
struct MergedMissing {
    seeds: [String; 2],
    /// The widths with which all of them were searched.
    widths: Vec<usize>,
}
