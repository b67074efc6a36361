//! The command line: one file per subcommand, the same engine as the window.

mod boards;
mod demo;
mod evidence;
mod files;
mod find;
mod generate;
mod ignite;
mod list;
mod locate;
mod output;
mod piece_games;
mod profile;
mod profile_add;
mod progress;
mod record;
mod replay;
mod route;
mod scan;
mod serve;
mod simulate;
mod source;
mod start;
mod stats;
mod stop;
mod suggest;
mod usage;
mod verify;
mod watch;
mod width;

use crate::gui::NoWindow;
use crate::gui::log::Log;
use crate::json as object;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Predicts every coming piece of a falling-block puzzle game in a running emulator, and checks the emulator
/// against an exact model. Without a subcommand it opens the window.
#[derive(Debug, Parser)]
#[command(name = "nextscope", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    /// Open the window on a recording instead of a running emulator
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options of every subcommand.
#[derive(Debug, Args)]
struct Global {
    /// Print one stable JSON object (or one a line where it streams) instead of a table
    #[arg(long, global = true)]
    json: bool,
    /// Look for profiles of your own in this folder instead of the usual one
    #[arg(long, global = true, value_name = "DIR")]
    profiles: Option<PathBuf>,
    /// Say more on standard error (twice: everything)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the embedded console, attach to it as to any emulator, predict and verify
    Demo(demo::Arguments),
    /// List the emulators running now, and how their RAM was found or why it was not
    List(list::Arguments),
    /// Start an emulator, so that it may be read also where reading is restricted, and watch it; remember how it is started
    Start(start::Arguments),
    /// Show the coming pairs, the state and the verdicts, live
    Watch(watch::Arguments),
    /// Check emulator against model; status 1 on any mismatch
    Verify(verify::Arguments),
    /// Record what is sampled of an emulator into a file
    Record(record::Arguments),
    /// Tell what is in a recording, cut a shorter one out of it, write a frame's RAM; status 1 when some of it is damaged
    Replay(replay::Arguments),
    /// Read the evidence of a mismatch: judge it again, tell it, make a report of it; status 1 when it does not come again
    Evidence(evidence::Arguments),
    /// Serve the live state to overlays and bots on this machine: a page for OBS, JSON, WebSocket
    Serve(serve::Arguments),
    /// Compute what a seed gives: colours, pools, pairs, state afterwards
    #[command(subcommand)]
    Generate(generate::Game),
    /// Find the seed from what was seen of a game, and what comes next; status 1 when no game shows it
    #[command(subcommand)]
    Find(find::Game),
    /// Measure randomizers side by side: droughts, floods, how well the next piece can be foretold
    Stats(stats::Arguments),
    /// Search RAM step by step, or for pools, sequences, boards and generators; status 1 when nothing is left
    Scan(scan::Arguments),
    /// Plan where to put known pairs so that a goal is reached; status 1 when nothing reaches it
    Route(route::Arguments),
    /// Tell what an ignition in Pochi & Nyaa is worth under both rules, and why; status 1 when nothing ignites
    Ignite(ignite::Arguments),
    /// Play a Puyo board's chain: steps, points, and what is left; status 1 when nothing pops
    Simulate(simulate::Arguments),
    /// Check, list and begin profiles, and add what was found to them
    #[command(subcommand)]
    Profile(profile::Action),
    /// The embedded console itself; `demo` starts it
    #[command(name = "demo-console", hide = true)]
    DemoConsole {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

/// How a command ended, as the exit status tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It holds, or was found.
    Yes,
    /// It does not hold, or was not found.
    No,
    /// It was interrupted before it was done; what was found until then was printed.
    Interrupted,
}

impl Exit {
    /// This one; interrupted, when it was asked to stop. For work that ends by itself.
    fn unless_stopped(self) -> Self {
        if stop::is_requested() { Self::Interrupted } else { self }
    }

    fn status(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Interrupted => 130,
        }
    }
}

/// An error with an exit status of its own. The first line of its text says what is wrong, the lines after it what to do.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Wrong use or bad input: status 2.
    #[error("{0}")]
    BadInput(String),
    /// The emulator or its memory could not be reached: status 3.
    #[error("{0}")]
    Unreachable(String),
    /// It was interrupted before there was anything to print: status 130.
    #[error("{0}")]
    Interrupted(String),
}

impl Failure {
    fn status(&self) -> u8 {
        match self {
            Self::BadInput(_) => 2,
            Self::Unreachable(_) => 3,
            Self::Interrupted(_) => Exit::Interrupted.status(),
        }
    }

    /// The same, with what to do.
    #[must_use]
    pub fn with_hint(mut self, hint: &str) -> Self {
        let (Self::BadInput(text) | Self::Unreachable(text) | Self::Interrupted(text)) = &mut self;
        text.push('\n');
        text.push_str(hint);
        self
    }
}

/// Reports an error on standard error and, where JSON is asked for, as an object on standard output.
fn report_error(json: bool, status: u8, message: &str, hint: Option<&str>) -> ExitCode {
    output::error(message, hint);
    report_object(json, status, message, hint)
}

fn report_object(json: bool, status: u8, message: &str, hint: Option<&str>) -> ExitCode {
    if json {
        // Where standard output takes nothing, standard error has the message.
        let body = object::Failure { status, message: message.to_owned(), hint: hint.map(str::to_owned) };
        let _ = output::object(object::Kind::Error, body);
    }
    ExitCode::from(status)
}

/// Runs what the command line asks for.
#[must_use]
pub fn main() -> ExitCode {
    output::begin();
    let (cli, json) = match usage::parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let log = crate::gui::log::start(cli.global.verbose);
    match run(cli, log) {
        Ok(exit) => ExitCode::from(exit.status()),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::from(Exit::Yes.unless_stopped().status()),
        Err(error) => {
            let text = output::causes(&error);
            let (message, hint) =
                text.split_once('\n').map_or((&*text, None), |(text, hint)| (text, Some(hint)));
            report_error(json, error.downcast_ref().map_or(2, Failure::status), message, hint)
        }
    }
}

fn run(cli: Cli, log: Log) -> anyhow::Result<Exit> {
    let global = cli.global;
    if let (Some(_), Some(_)) = (&cli.replay, &cli.command) {
        let what = "--replay before a subcommand opens the window; write it after the subcommand";
        return Err(Failure::BadInput(what.into()).into());
    }
    match cli.command {
        None => window(&global, log, cli.replay.map_or(Begin::Automatic, Begin::Recording)),
        Some(Command::Demo(arguments)) => demo::run(&global, log, &arguments),
        Some(Command::List(arguments)) => list::run(&global, &arguments),
        Some(Command::Start(arguments)) => start::run(&global, log, &arguments),
        Some(Command::Watch(arguments)) => watch::run(&global, &arguments),
        Some(Command::Verify(arguments)) => verify::run(&global, &arguments),
        Some(Command::Record(arguments)) => record::run(&global, &arguments),
        Some(Command::Replay(arguments)) => replay::run(&global, &arguments),
        Some(Command::Evidence(arguments)) => evidence::run(&global, &arguments),
        Some(Command::Serve(arguments)) => serve::run(&global, &arguments),
        Some(Command::Generate(game)) => generate::run(&global, &game),
        Some(Command::Find(game)) => find::run(&global, &game),
        Some(Command::Stats(arguments)) => stats::run(&global, &arguments),
        Some(Command::Scan(arguments)) => scan::run(&global, &arguments),
        Some(Command::Route(arguments)) => route::run(&global, &arguments),
        Some(Command::Ignite(arguments)) => ignite::run(&global, &arguments),
        Some(Command::Simulate(arguments)) => simulate::run(&global, &arguments),
        Some(Command::Profile(action)) => profile::run(&global, &action),
        Some(Command::DemoConsole { arguments }) => demo::console(&arguments),
    }
}

/// What the window begins with.
enum Begin {
    /// Whatever emulator runs.
    Automatic,
    /// The embedded console, run like this.
    Demo(crate::demo::DemoOptions),
    /// This recording.
    Recording(PathBuf),
    /// An emulator that was started.
    Started(crate::start::LaunchedEmulator),
}

/// Opens the window.
fn window(global: &Global, log: Log, begin: Begin) -> anyhow::Result<Exit> {
    let no_window = |why: NoWindow| Failure::Unreachable(why.to_string());
    if !demo::has_display() {
        return Err(no_window(NoWindow::NotSet).into());
    }
    let library = source::library(global)?;
    let (mut demo, mut started, mut replay) = (None, None, None);
    match begin {
        Begin::Automatic => {}
        Begin::Demo(options) => demo = Some(options),
        Begin::Recording(path) => replay = Some(source::recording(&path)?),
        Begin::Started(emulator) => started = Some(emulator),
    }
    let mut console = demo.map(|options| crate::demo::spawn(&options)).transpose()?;
    let theirs = started.as_ref().map(crate::start::LaunchedEmulator::pid);
    let sampler = crate::live::Options {
        pid: console.as_ref().map(crate::demo::DemoProcess::pid).or(theirs),
        evidence: data_folder("evidence"),
        replay,
        ..crate::live::Options::default()
    };
    let start_demo = move || {
        if let Some(running) = &mut console
            && running.is_running()
        {
            return Ok(running.pid());
        }
        Ok(console.insert(crate::demo::spawn(&crate::demo::DemoOptions::default())?).pid())
    };
    let start_demo: Option<crate::gui::StartDemo> = Some(Box::new(start_demo));
    crate::gui::run(crate::gui::Options {
        sampler,
        library: Some(library),
        log,
        start_demo,
        started,
        recordings: data_folder("recordings"),
        judge_by_library: global.profiles.is_some(),
    })
    .map_err(|error| error.downcast().map_or_else(|error| error, |why| no_window(why).into()))?;
    Ok(Exit::Yes)
}

/// Where the window saves something: a folder of that name in the user's data folder.
fn data_folder(name: &str) -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", crate::gui::APP_ID)?;
    Some(folders.data_dir().join(name))
}
