//! `scan`: the RAM search from the command line, step by step, and the searches by structure.

mod found;
mod lists;
mod tell;

use super::{Exit, Failure, Global, files, progress::Work, source, suggest};
use crate::console::ConsoleId;
use crate::file::DUMP_LIMIT;
use crate::process::Pid;
use crate::recording::is_recording;
use crate::research::{
    Dump, Ground, GroundError, Progress, RecordingWalk, STEPS, Session, SessionError, Settings, Step,
    parse_step, type_of_pattern, value_type,
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
    /// Search a recording: `wait 60` goes 60 frames on in it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dump", "console"])]
    replay: Option<PathBuf>,
    /// Begin at this frame of the recording; of dumps that are recordings, search this frame of each
    #[arg(long, value_name = "FRAME", conflicts_with = "pid")]
    frame: Option<u64>,
    /// Search all memory of the process, whatever it is
    #[arg(long, requires = "pid")]
    whole: bool,
    /// Search a dump, the RAM in a save state, or a frame of a recording; given several times, `wait` goes from one to the next
    #[arg(long, value_name = "FILE")]
    dump: Vec<PathBuf>,
    /// The console whose RAM it is, so that cells have its addresses (genesis, nds, nes ...): of dumps, or of an emulator with a
    /// game that no profile knows
    #[arg(long, value_name = "ID", conflicts_with = "whole")]
    console: Option<String>,
    /// The dumps, or the emulator's RAM, have the bytes of each word swapped, as most emulators store them
    #[arg(long, requires = "console")]
    swapped: bool,
    /// The emulator's RAM has its bytes as the console has them, where that is not known
    #[arg(long, requires_all = ["console", "pid"], conflicts_with = "swapped")]
    unswapped: bool,
    /// The console's RAM begins here in the emulator's memory, where that is not known
    #[arg(long, value_name = "ADDRESS", requires_all = ["console", "pid"])]
    at: Option<String>,
    /// Type of the values: u8 i16 u32be f32 bcd2 nibble ...
    #[arg(long = "type", value_name = "TYPE", default_value = "u8")]
    ty: String,
    /// Cells begin at multiples of so many bytes
    #[arg(long, default_value_t = 1, value_name = "BYTES")]
    align: u64,
    /// Read steps from this file as well, a line each, after those given; - for standard input
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
        return Err(bad("say at least one step, for example: unknown \"wait 60\" changed rows"));
    }
    let teller = Teller::new(global.json);
    let ground = ground(global, arguments, &teller)?;
    let ty = value_type(&arguments.ty, ground.order()).map_err(Failure::BadInput)?;
    // Everything that was typed is understood before anything is begun.
    let mut checked = ty;
    for step in &steps {
        match parse_step(step, checked).map_err(|error| Failure::BadInput(error.to_string()))? {
            Step::Type(ty) => checked = ty,
            Step::SaveWatches(file) | Step::SavePaths(file) => files::check(&file, arguments.force)?,
            Step::Match(pattern) => checked = type_of_pattern(pattern.len(), checked).map_err(failure)?,
            _ => {}
        }
    }
    teller.ground(&ground)?;
    let settings = Settings { alignment: arguments.align, ..Settings::new(ty) };
    let mut session = Session::new(ground, settings);
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
            _ => said.found().unwrap_or(found),
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
        SessionError::Ground(error) => no_ground(error),
        error => Failure::BadInput(error.to_string()),
    }
}

fn no_ground(error: GroundError) -> Failure {
    match error {
        GroundError::Unreachable(_) | GroundError::Still => Failure::Unreachable(error.to_string()),
        GroundError::Wrong(what) => Failure::BadInput(what),
    }
}

/// What the command line says to search.
fn ground(global: &Global, arguments: &Arguments, teller: &Teller) -> anyhow::Result<Ground> {
    if let Some(pid) = arguments.pid {
        let ground = match &arguments.console {
            _ if arguments.whole => Ground::whole(Pid(pid)),
            Some(id) => {
                let at = arguments.at.as_deref();
                let asked = source::ram_asked(console(id)?, at, arguments.swapped, arguments.unswapped)?;
                Ground::told(Pid(pid), asked)
            }
            None => Ground::console(Pid(pid), &source::profiles(global)?),
        };
        return Ok(ground.map_err(no_ground)?);
    }
    if let Some(path) = &arguments.replay {
        let recording = source::recording(path)?;
        let from = arguments.frame.map_or(Some(0), |frame| recording.index_of_frame(frame));
        let from = from.ok_or_else(|| bad(format!("{}: it has no such frame", path.display())))?;
        return Ok(RecordingWalk::new(recording, from).and_then(Ground::recording).map_err(no_ground)?);
    }
    if arguments.dump.is_empty() {
        return Err(bad("say what to search: --pid PID, --pid PID --whole, --dump FILE or --replay FILE"));
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
        let opened = Dump::open_told(bytes, console, arguments.swapped, &profiles);
        let (dump, state) = opened.map_err(|error| bad(format!("{}: {error}", path.display())))?;
        if let Some(state) = state {
            teller.state(path, &state)?;
        }
        dumps.push(dump);
    }
    Ok(Ground::dumps(dumps).map_err(no_ground)?)
}

fn console(id: &str) -> Result<ConsoleId, Failure> {
    ConsoleId::ALL.iter().find(|console| console.id() == id).copied().ok_or_else(|| {
        let known: Vec<&str> = ConsoleId::ALL.iter().map(|console| console.id()).collect();
        suggest::unknown(format!("there is no console {id:?}"), "console", id, &known)
    })
}

/// The steps on the command line and in the script; empty lines and what follows a # at the beginning of a line are left out.
fn steps(arguments: &Arguments) -> anyhow::Result<Vec<String>> {
    let mut steps = arguments.steps.clone();
    if let Some(path) = &arguments.script {
        let text = files::text(path)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        steps.extend(lines.map(str::to_owned));
    }
    Ok(steps)
}
