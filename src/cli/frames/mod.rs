//! `frames measure`: the durations of a game, measured from what its RAM shows.

mod collect;
mod print;
mod write;

use super::arguments::Global;
use super::exit::{Exit, bail_input};
use super::session::Source;
use super::{interrupt, output, record};
use crate::frames::TableOptions;
use clap::{Args, Subcommand, ValueEnum};
use collect::collect;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Action {
    /// Measure how long pairs take, from a recording or while you play (Ctrl+C ends it)
    ///
    /// Play as usual: tap the buttons briefly, and hold Down until a pair locks. The more chains of different shapes, the more is known.
    /// What is measured live is also recorded: that is the evidence. Status 1 if nothing could be measured, if values contradict each other,
    /// or if the table for --write would be incomplete.
    Measure(Box<Arguments>),
}

#[derive(Debug, Args)]
pub struct Arguments {
    /// Recording to measure [default: a running emulator]
    #[arg(value_name = "FILE", conflicts_with_all = ["pid", "paced", "dump", "launched"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
    /// Player whose pairs are measured: a person, because the buttons are read
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    player: u8,
    /// Record what is measured live to this file [default with --write: beside the profile]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite an existing recording
    #[arg(long)]
    force: bool,
    /// Write the numbers into the `[frames]` of this profile; if there is no such file, of a copy of the profile that was used
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// With --write, what to do with a number whose values contradict each other, or that was seen fewer than three times [default: do not write it]
    #[arg(long, value_name = "WHICH", requires = "write")]
    take: Option<Take>,
    /// With --write, shorten lists to the rows that were measured instead of keeping the profile's other numbers
    #[arg(long, requires = "write")]
    only_measured: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Take {
    /// The value that was seen most often
    MostFrequent,
}

/// A recording that nobody asked for.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!("{} is left behind: {error}", self.0.display());
        }
    }
}

pub fn run(global: &Global, action: &Action) -> anyhow::Result<Exit> {
    let Action::Measure(arguments) = action;
    measure(global, arguments)
}

fn measure(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.source.dump.is_some() {
        bail_input!("`frames measure` needs a recording or a running emulator: a dump is a single frame");
    }
    if arguments.source.evidence.is_some() {
        bail_input!("--evidence is not for `frames measure`: --record keeps what was measured");
    }
    let given = arguments.file.as_deref().or(arguments.source.replay.as_deref());
    if given.is_some() && arguments.record.is_some() {
        bail_input!("--record is for a running emulator, and this is a recording already");
    }
    // A wrong file is reported before the long work.
    arguments.write.as_deref().map(write::prepare).transpose()?;
    let mut temporary = None;
    let path = match (given, &arguments.record, &arguments.write) {
        (Some(path), ..) => path.to_owned(),
        (None, Some(path), _) => path.clone(),
        (None, None, Some(profile)) => profile.with_extension(crate::recording::EXTENSION),
        (None, None, None) => {
            let name = format!("nextscope-frames-{}.{}", std::process::id(), crate::recording::EXTENSION);
            let path = std::env::temp_dir().join(name);
            temporary = Some(Temporary(path.clone()));
            path
        }
    };
    if given.is_none() {
        let made = record::make(global, &arguments.source, &path, arguments.force)?;
        if let Some(failed) = made.failed {
            output::warning(failed);
        }
        // Ctrl+C ended the recording; from here on it ends the command.
        interrupt::flag().store(false, std::sync::atomic::Ordering::Relaxed);
    }
    let measured = collect(global, &path, usize::from(arguments.player - 1))?;
    let options =
        TableOptions { most_frequent: arguments.take.is_some(), only_measured: arguments.only_measured };
    let shown = if temporary.is_some() { None } else { Some(path.as_path()) };
    let written = arguments.write.as_deref().map(|profile| write::write(profile, &measured, options, &path));
    let written = written.transpose()?;
    print::print(global, &measured, shown, written.as_ref())?;
    let complete = written.is_none_or(|written| written.refused.is_none());
    let answer = measured.is_measured() && !measured.contradicts() && complete;
    Ok(Exit::from_answer(answer).unless_interrupted())
}
