//! `scan`: RAM search, step by step and by structure.

mod found;
mod lists;
mod printer;

use super::arguments::Global;
use super::exit::{Exit, Failure, bail_input};
use super::games::console;
use super::progress::Work;
use super::{files, interrupt, library, ram_file, session};
use crate::file::DUMP_LIMIT;
use crate::process::Pid;
use crate::recording::is_recording;
use crate::research::{
    Dump, MemorySource, RecordingWalk, STEPS, Session, SessionError, Settings, SourceError, Step, parse_step,
    type_of_pattern, value_type,
};
use crate::task::Progress;
use clap::Args;
use printer::Printer;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

#[derive(Debug, Args)]
#[command(after_long_help = STEPS)]
pub struct Arguments {
    /// Search the console's RAM in this emulator
    #[arg(long, conflicts_with_all = ["dump", "replay"])]
    pid: Option<u32>,
    /// Search a recording; `wait 60` advances it by 60 frames
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dump", "console"])]
    replay: Option<PathBuf>,
    /// First frame of the recording; for dumps that are recordings, the frame to search
    #[arg(long, value_name = "FRAME", conflicts_with = "pid")]
    frame: Option<u64>,
    /// Search all memory of the process
    #[arg(long = "all-memory", alias = "whole", requires = "pid")]
    whole: bool,
    /// Search a dump, a save state, or a frame of a recording; repeatable, `wait` advances to the next one
    #[arg(long, value_name = "FILE")]
    dump: Vec<PathBuf>,
    /// Console of the dumps, or of an emulator with an unknown game, so that results are console addresses (genesis, nds, nes
    /// ...)
    #[arg(long, value_name = "ID", conflicts_with = "whole")]
    console: Option<String>,
    /// The bytes of each word are swapped, as in most emulators
    #[arg(long, requires = "console")]
    swapped: bool,
    /// The bytes of the emulator's RAM are in the console's order
    #[arg(long, requires_all = ["console", "pid"], conflicts_with = "swapped")]
    unswapped: bool,
    /// Address of the console's RAM in the emulator, if Nextscope does not find it
    #[arg(long = "ram-address", alias = "at", value_name = "ADDRESS", requires_all = ["console", "pid"])]
    at: Option<String>,
    /// Value type: u8 i16 u32be f32 bcd2 nibble ...
    #[arg(long = "type", value_name = "TYPE", default_value = "u8")]
    ty: String,
    /// Alignment of the addresses to search
    #[arg(long, default_value_t = 1, value_name = "BYTES")]
    align: u64,
    /// Read further steps from this file, one per line; - for standard input
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Overwrite existing files with save-watches and save-paths
    #[arg(long)]
    force: bool,
    /// Steps, each in quotes: unknown, "wait 60", changed, "= 5", "rows 20" ... (--help lists them)
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let steps = steps(arguments)?;
    if steps.is_empty() {
        bail_input!("at least one step is required, such as: unknown \"wait 60\" changed rows");
    }
    let printer = Printer { json: global.json };
    let memory = memory(global, arguments, &printer)?;
    let ty = value_type(&arguments.ty, memory.order()).map_err(Failure::BadInput)?;
    // All steps are parsed before the first one runs.
    let mut checked = ty;
    for step in &steps {
        match parse_step(step, checked).map_err(|error| Failure::BadInput(error.to_string()))? {
            Step::Type(ty) => checked = ty,
            Step::SaveWatches(file) | Step::SavePaths(file) => files::check(&file, arguments.force)?,
            Step::Match(pattern) => checked = type_of_pattern(pattern.len(), checked).map_err(failure)?,
            _ => {}
        }
    }
    printer.memory(&memory)?;
    let settings = Settings { alignment: arguments.align, ..Settings::new(ty) };
    let mut search = Session::new(memory, settings);
    search.overwrite(files::overwrite(arguments.force));
    let stop = interrupt::flag();
    let mut found = false;
    for text in &steps {
        let step =
            parse_step(text, search.settings().ty).map_err(|error| Failure::BadInput(error.to_string()))?;
        let progress = Progress::default();
        let on_interrupt = Progress::cancel;
        let work = Work { progress: &progress, on_interrupt, show_progress: true, label: text };
        let result = work.run(|| search.step(&step, &progress))?;
        let result = match result {
            Err(SessionError::Cancelled) if stop.load(Ordering::Relaxed) => {
                return Err(Failure::Interrupted(format!("interrupted at step `{text}`")).into());
            }
            result => result.map_err(failure)?,
        };
        found = match step {
            Step::New => false,
            Step::Pointers { .. } | Step::Paths(_) | Step::Recheck(_) => {
                search.paths().is_some_and(|paths| !paths.file.paths.is_empty())
            }
            _ => result.has_results().unwrap_or(found),
        };
        printer.step(text, &result, &search)?;
    }
    Ok(Exit::from_answer(found))
}

fn failure(error: SessionError) -> Failure {
    match error {
        SessionError::Source(error) => memory_failure(error),
        error => Failure::BadInput(error.to_string()),
    }
}

fn memory_failure(error: SourceError) -> Failure {
    match error {
        SourceError::Unreachable(_) | SourceError::NoFrames => Failure::Unreachable(error.to_string()),
        SourceError::Invalid(what) => Failure::BadInput(what),
    }
}

fn memory(global: &Global, arguments: &Arguments, printer: &Printer) -> anyhow::Result<MemorySource> {
    if let Some(pid) = arguments.pid {
        let memory = match &arguments.console {
            _ if arguments.whole => MemorySource::process(Pid(pid)),
            Some(id) => {
                let at = arguments.at.as_deref();
                let query = session::ram_query(console(id)?, at, arguments.swapped, arguments.unswapped)?;
                MemorySource::any_game(Pid(pid), query)
            }
            None => MemorySource::console(Pid(pid), &library::profiles(global)?),
        };
        return Ok(memory.map_err(memory_failure)?);
    }
    if let Some(path) = &arguments.replay {
        let recording = ram_file::recording(path)?;
        let from = arguments.frame.map_or(Some(0), |frame| recording.index_of_frame(frame));
        let no_such_frame = || ram_file::no_such_frame(arguments.frame.unwrap_or_default());
        let from = from.ok_or_else(|| files::failure(path, no_such_frame()))?;
        return Ok(RecordingWalk::new(recording, from)
            .and_then(MemorySource::recording)
            .map_err(memory_failure)?);
    }
    if arguments.dump.is_empty() {
        bail_input!(
            "no memory to search: give --pid PID, --pid PID --all-memory, --dump FILE or --replay FILE"
        );
    }
    let console = arguments.console.as_deref().map(console).transpose()?;
    let profiles = library::profiles(global)?;
    let mut dumps = Vec::new();
    for path in &arguments.dump {
        if is_recording(path) {
            let (_, sample) = ram_file::sample(path, &*ram_file::recording(path)?, arguments.frame)?;
            dumps.push(Dump::Console(sample.snapshot));
            continue;
        }
        if arguments.frame.is_some() {
            return Err(ram_file::no_frames(path).into());
        }
        let bytes = files::read(path, DUMP_LIMIT)?;
        let opened = Dump::open_with_state(bytes, console, arguments.swapped, &profiles);
        let (dump, state) = opened.map_err(|error| files::failure(path, error))?;
        if let Some(state) = state {
            printer.save_state(path, &state)?;
        }
        dumps.push(dump);
    }
    Ok(MemorySource::dumps(dumps).map_err(memory_failure)?)
}

/// The steps on the command line and in the script, without empty lines and lines that start with #.
fn steps(arguments: &Arguments) -> anyhow::Result<Vec<String>> {
    let mut steps = arguments.steps.clone();
    if let Some(path) = &arguments.script {
        let text = files::text(path)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        steps.extend(lines.map(str::to_owned));
    }
    Ok(steps)
}
