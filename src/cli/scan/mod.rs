//! `scan`: the RAM search from the command line, step by step, and the searches by structure.

mod found;
mod lists;
mod tell;

use super::{Exit, Failure, Global, files, progress::Work, source, suggest};
use crate::console::ConsoleId;
use crate::file::DUMP_LIMIT;
use crate::process::Pid;
use crate::recording::{Walk, is_recording};
use crate::research::{
    Dump, MemorySource, Progress, STEPS, Session, SessionError, Settings, SourceError, Step, parse_step,
    type_of_pattern, value_type,
};
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use tell::Teller;

#[derive(Debug, Args)]
#[command(after_long_help = STEPS)]
pub struct Arguments {
    /// Search the console's RAM in this emulator
    #[arg(long, conflicts_with_all = ["dump", "replay"])]
    pid: Option<u32>,
    /// Search a recording: `wait 60` goes 60 frames ahead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dump", "console"])]
    replay: Option<PathBuf>,
    /// Start at this frame of the recording; with --dump, search this frame of each recording
    #[arg(long, value_name = "FRAME", conflicts_with = "pid")]
    frame: Option<u64>,
    /// Search all memory of the process
    #[arg(long, requires = "pid")]
    whole: bool,
    /// Search a dump, the RAM in a save state, or a frame of a recording; repeat it for a series, in which `wait` goes to the next
    #[arg(long, value_name = "FILE")]
    dump: Vec<PathBuf>,
    /// The console (genesis, nds, nes ...) of dumps, or of an emulator that runs a game without a profile
    #[arg(long, value_name = "ID", conflicts_with = "whole")]
    console: Option<String>,
    /// The bytes of each word are swapped in the dumps or the emulator's RAM, as most emulators store them
    #[arg(long, requires = "console")]
    swapped: bool,
    /// The emulator stores the console's RAM in bus order, if that cannot be detected
    #[arg(long, requires_all = ["console", "pid"], conflicts_with = "swapped")]
    unswapped: bool,
    /// The start of the console's RAM in the emulator's memory, if it cannot be detected
    #[arg(long, value_name = "ADDRESS", requires_all = ["console", "pid"])]
    at: Option<String>,
    /// Type of the values: u8 i16 u32be f32 bcd2 nibble ...
    #[arg(long = "type", value_name = "TYPE", default_value = "u8")]
    ty: String,
    /// Cells start at multiples of this many bytes
    #[arg(long, default_value_t = 1, value_name = "BYTES")]
    align: u64,
    /// Read more steps from this file, one per line; - for standard input
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Overwrite files that exist, with save-watches and save-paths
    #[arg(long)]
    force: bool,
    /// Steps in order, each in quotes: unknown, "wait 60", changed, "= 5", "rows 20" ... (--help lists them)
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let steps = steps(arguments)?;
    if steps.is_empty() {
        return Err(bad("at least one step is required, e.g. unknown \"wait 60\" changed rows"));
    }
    let teller = Teller::new(global.json);
    let memory = memory(global, arguments, &teller)?;
    let ty = value_type(&arguments.ty, memory.order()).map_err(Failure::BadInput)?;
    // Parse all steps before starting.
    let mut checked = ty;
    for step in &steps {
        match parse_step(step, checked).map_err(|error| Failure::BadInput(error.to_string()))? {
            Step::Type(ty) => checked = ty,
            Step::SaveWatches(file) | Step::SavePaths(file) => files::check(&file, arguments.force)?,
            Step::Match(pattern) => checked = type_of_pattern(pattern.len(), checked).map_err(failure)?,
            _ => {}
        }
    }
    teller.memory(&memory)?;
    let settings = Settings { alignment: arguments.align, ..Settings::new(ty) };
    let mut session = Session::new(memory, settings);
    session.overwrite(files::overwrite(arguments.force));
    let stop = source::stop_flag();
    let mut found = false;
    for text in &steps {
        let step =
            parse_step(text, session.settings().ty).map_err(|error| Failure::BadInput(error.to_string()))?;
        let progress = Progress::default();
        let work = Work {
            stop: &stop,
            cancel: &progress.cancel,
            told: true,
            share: &|| progress.share(),
            doing: text,
        };
        let said = work.done(|| session.step(&step, &progress))?;
        let said = match said {
            Err(SessionError::Cancelled) if stop.load(Ordering::Relaxed) => {
                return Err(Failure::Interrupted(format!("stopped at step `{text}`")).into());
            }
            said => said.map_err(failure)?,
        };
        found = match step {
            Step::New => false,
            Step::Pointers { .. } | Step::Paths(_) | Step::Recheck(_) => {
                session.paths().is_some_and(|paths| !paths.file.paths.is_empty())
            }
            _ => said.has_results().unwrap_or(found),
        };
        teller.said(text, &said, &session)?;
    }
    Ok(if found { Exit::Yes } else { Exit::No })
}

fn bad(what: impl Into<String>) -> anyhow::Error {
    Failure::BadInput(what.into()).into()
}

fn failure(error: SessionError) -> Failure {
    match error {
        SessionError::Source(error) => source_failure(error),
        error => Failure::BadInput(error.to_string()),
    }
}

fn source_failure(error: SourceError) -> Failure {
    match error {
        SourceError::Unreachable(_) | SourceError::NoFrames => Failure::Unreachable(error.to_string()),
        SourceError::Invalid(what) => Failure::BadInput(what),
    }
}

fn memory(global: &Global, arguments: &Arguments, teller: &Teller) -> anyhow::Result<MemorySource> {
    if let Some(pid) = arguments.pid {
        let memory = match &arguments.console {
            _ if arguments.whole => MemorySource::process(Pid(pid)),
            Some(id) => {
                let at = arguments.at.as_deref();
                let asked = source::ram_asked(console(id)?, at, arguments.swapped, arguments.unswapped)?;
                MemorySource::any_game(Pid(pid), asked)
            }
            None => MemorySource::console(Pid(pid), &source::profiles(global)?),
        };
        return Ok(memory.map_err(source_failure)?);
    }
    if let Some(path) = &arguments.replay {
        let recording = source::recording(path)?;
        let from = arguments.frame.map_or(Some(0), |frame| recording.index_of_frame(frame));
        let from = from.ok_or_else(|| bad(format!("{}: no such frame", path.display())))?;
        return Ok(Walk::new(recording, from).and_then(MemorySource::recording).map_err(source_failure)?);
    }
    if arguments.dump.is_empty() {
        return Err(bad("choose what to search: --pid PID, --pid PID --whole, --dump FILE or --replay FILE"));
    }
    let console = arguments.console.as_deref().map(console).transpose()?;
    let profiles = source::profiles(global)?;
    let mut dumps = Vec::new();
    for path in &arguments.dump {
        if is_recording(path) {
            let (_, sample) = source::sample(path, &*source::recording(path)?, arguments.frame)?;
            dumps.push(Dump::Console(sample.snapshot));
            continue;
        }
        if arguments.frame.is_some() {
            return Err(source::no_frames(path).into());
        }
        let bytes = files::read(path, DUMP_LIMIT)?;
        let opened = Dump::open_with_state(bytes, console, arguments.swapped, &profiles);
        let (dump, state) = opened.map_err(|error| bad(format!("{}: {error}", path.display())))?;
        if let Some(state) = state {
            teller.state(path, &state)?;
        }
        dumps.push(dump);
    }
    Ok(MemorySource::dumps(dumps).map_err(source_failure)?)
}

fn console(id: &str) -> Result<ConsoleId, Failure> {
    ConsoleId::ALL.iter().find(|console| console.id() == id).copied().ok_or_else(|| {
        let known: Vec<&str> = ConsoleId::ALL.iter().map(|console| console.id()).collect();
        suggest::unknown(format!("there is no console {id:?}"), "console", id, &known)
    })
}

/// The steps on the command line and in the script, without empty lines and comments.
fn steps(arguments: &Arguments) -> anyhow::Result<Vec<String>> {
    let mut steps = arguments.steps.clone();
    if let Some(path) = &arguments.script {
        let text = files::text(path)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        steps.extend(lines.map(str::to_owned));
    }
    Ok(steps)
}
