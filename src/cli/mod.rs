//! The command line: one file per subcommand, the same engine as the window.

mod demo;
mod generate;
mod list;
mod output;
mod profile;
mod source;
mod verify;
mod watch;

use crate::gui::LogBuffer;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Predicts every coming piece of a falling-block puzzle game in a running emulator, and checks the emulator
/// against an exact model. Without a subcommand it opens the window.
#[derive(Debug, Parser)]
#[command(name = "nextscope", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
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
    /// Show the coming pairs, the state and the verdicts, live
    Watch(watch::Arguments),
    /// Check emulator against model; status 1 on any mismatch
    Verify(verify::Arguments),
    /// Compute what a seed gives: colour set, pools, pairs, state afterwards
    Generate(generate::Arguments),
    /// Check, list and begin profiles
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
}

/// An error with an exit status of its own.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Wrong use or bad input: status 2.
    #[error("{0}")]
    BadInput(String),
    /// The emulator or its memory could not be reached: status 3.
    #[error("{0}")]
    Unreachable(String),
}

/// Runs what the command line asks for.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let log = start_log(cli.global.verbose);
    match run(cli, log) {
        Ok(Exit::Yes) => ExitCode::SUCCESS,
        Ok(Exit::No) => ExitCode::from(1),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nextscope: {error:#}");
            let unreachable = matches!(error.downcast_ref(), Some(Failure::Unreachable(_)));
            ExitCode::from(if unreachable { 3 } else { 2 })
        }
    }
}

/// What is logged goes into the window's log and, as far as it is asked for, to standard error.
fn start_log(verbose: u8) -> LogBuffer {
    let log = LogBuffer::default();
    let level = match verbose {
        0 => LevelFilter::ERROR,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let terminal = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layers = tracing_subscriber::registry().with(terminal.with_filter(level)).with(log.layer());
    if layers.try_init().is_err() {
        eprintln!("nextscope: somebody else keeps the log already");
    }
    log
}

fn run(cli: Cli, log: LogBuffer) -> anyhow::Result<Exit> {
    let global = cli.global;
    match cli.command {
        None => window(&global, log, None),
        Some(Command::Demo(arguments)) => demo::run(&global, log, &arguments),
        Some(Command::List(arguments)) => list::run(&global, &arguments),
        Some(Command::Watch(arguments)) => watch::run(&global, &arguments),
        Some(Command::Verify(arguments)) => verify::run(&global, &arguments),
        Some(Command::Generate(arguments)) => generate::run(&global, &arguments),
        Some(Command::Profile(action)) => profile::run(&global, &action),
        Some(Command::DemoConsole { arguments }) => demo::console(&arguments),
    }
}

/// Opens the window, attached to the embedded console when `demo` says how to run it.
fn window(global: &Global, log: LogBuffer, demo: Option<crate::demo::Options>) -> anyhow::Result<Exit> {
    let _ = (global, log, demo);
    anyhow::bail!("no window yet")
}
