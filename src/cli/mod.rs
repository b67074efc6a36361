//! The command line: one file or folder per subcommand.
//!
//! Imports go one way: this file uses the commands, the commands use the shared files (`arguments`, `output`, `session` ...), and
//! those use nothing above them.

mod arguments;
mod boards;
#[cfg(windows)]
mod console;
mod demo;
mod described_games;
mod dump_verification;
mod evidence;
mod exit;
mod files;
mod find;
mod frames;
mod game_options;
mod games;
mod generate;
mod ignite;
mod interrupt;
mod launch;
mod learn;
mod library;
mod list;
mod locate;
mod output;
mod piece_games;
mod profile;
mod profile_add;
mod progress;
mod ram_file;
mod record;
mod replay;
mod route;
mod scan;
mod serve;
mod session;
mod simulate;
mod start;
mod stats;
mod suggest;
mod usage;
mod verdict;
mod verify;
mod watch;
mod window;

use arguments::Global;
use clap::{Parser, Subcommand};
use exit::{Exit, Failure, bail_input};
use std::path::PathBuf;
use std::process::ExitCode;
use window::WindowSource;

/// Predicts every coming piece of a falling-block puzzle game in a running emulator, and verifies the emulator against an exact
/// model. Without a subcommand, opens the window.
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

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the embedded console, attach to it like to an emulator, predict and verify
    Demo(demo::Arguments),
    /// List running emulators, and how their RAM was found or why it was not
    List(list::Arguments),
    /// Start an emulator, so that Nextscope may read it even if ptrace is restricted, and watch it; save the command
    Start(start::Arguments),
    /// Show the coming pairs, the state and the verdicts, live
    Watch(watch::Arguments),
    /// Verify an emulator against the model (exit 1 on a mismatch)
    Verify(verify::Arguments),
    /// Record the samples of an emulator to a file
    Record(record::Arguments),
    /// Measure how many frames things take in a game, for the profile's [frames] (exit 1 if nothing is measured)
    #[command(subcommand)]
    Frames(frames::Action),
    /// Inspect, trim or extract frames from a recording (exit 1 if damaged)
    Replay(replay::Arguments),
    /// Show the evidence of a mismatch, verify it again, write a report (exit 1 if it is not reproduced)
    Evidence(evidence::Arguments),
    /// Serve the live state to overlays and bots on this machine: a page for OBS, JSON, WebSocket
    Serve(serve::Arguments),
    /// Compute what a seed deals: colours, pools, pairs or pieces, and the state afterwards
    #[command(subcommand)]
    Generate(generate::Game),
    /// Find the seed from observed pools, pairs or pieces, and what comes next (exit 1 if there is none)
    #[command(subcommand)]
    Find(find::Game),
    /// Compare randomizers: droughts, floods, predictability of the next piece
    Stats(stats::Arguments),
    /// Search RAM step by step, or for pools, sequences, boards and generators (exit 1 if nothing is left)
    Scan(scan::Arguments),
    /// Learn how an unknown game deals, from the pieces that came: generator, rule, profile (exit 1 if it is not certain)
    Learn(learn::Arguments),
    /// Plan placements of known pairs that reach a goal (exit 1 if there are none)
    Route(route::Command),
    /// Calculate the value of an ignition in Pochi & Nyaa under both rules (exit 1 if nothing ignites)
    Ignite(ignite::Arguments),
    /// Play the chain of a Puyo board: steps, points, and the final board (exit 1 if nothing pops)
    Simulate(simulate::Arguments),
    /// Check, list and create profiles, and add fields to them
    #[command(subcommand)]
    Profile(profile::Action),
    /// The process of the embedded console, which `demo` starts
    #[command(name = "demo-console", hide = true, after_help = demo::console_options())]
    DemoConsole {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
        arguments: Vec<String>,
    },
}

/// Parses the command line, runs the command, reports its error.
pub fn main() -> ExitCode {
    #[cfg(windows)]
    console::attach();
    output::init();
    let (cli, json) = match usage::parse::<Cli>(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    match run(cli) {
        Ok(exit) => ExitCode::from(exit.status()),
        Err(error) if output::is_broken_pipe(&error) => {
            ExitCode::from(Exit::Success.unless_interrupted().status())
        }
        Err(error) => {
            let text = output::error_chain(&error);
            let (message, hint) =
                text.split_once('\n').map_or((&*text, None), |(text, hint)| (text, Some(hint)));
            output::report_error(json, error.downcast_ref().map_or(2, Failure::status), message, hint)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<Exit> {
    let global = cli.global;
    let log = crate::log::start(global.verbose);
    if let (Some(_), Some(_)) = (&cli.replay, &cli.command) {
        bail_input!("--replay before a subcommand opens the window; write it after the subcommand");
    }
    let Some(command) = cli.command else {
        let source = cli.replay.map_or(WindowSource::Automatic, WindowSource::Recording);
        return window::open(&global, log, source);
    };
    match command {
        Command::Demo(arguments) => demo::run(&global, log, &arguments),
        Command::List(arguments) => list::run(&global, &arguments),
        Command::Start(arguments) => start::run(&global, log, &arguments),
        Command::Watch(arguments) => watch::run(&global, &arguments),
        Command::Verify(arguments) => verify::run(&global, &arguments),
        Command::Record(arguments) => record::run(&global, &arguments),
        Command::Frames(action) => frames::run(&global, &action),
        Command::Replay(arguments) => replay::run(&global, &arguments),
        Command::Evidence(arguments) => evidence::run(&global, &arguments),
        Command::Serve(arguments) => serve::run(&global, &arguments),
        Command::Generate(game) => generate::run(&global, &game),
        Command::Find(game) => find::run(&global, &game),
        Command::Stats(arguments) => stats::run(&global, &arguments),
        Command::Scan(arguments) => scan::run(&global, &arguments),
        Command::Learn(arguments) => learn::run(&global, &arguments),
        Command::Route(command) => route::run(&global, &command),
        Command::Ignite(arguments) => ignite::run(&global, &arguments),
        Command::Simulate(arguments) => simulate::run(&global, &arguments),
        Command::Profile(action) => profile::run(&global, &action),
        Command::DemoConsole { arguments } => demo::console(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn earlier_option_names_are_accepted() {
        for words in [
            "route puyo-tsu --waiting a.nsrec --keep b.json",
            "scan --pid 1 --whole unknown",
            "scan --pid 1 --console nes --at 0x10 unknown",
            "profile locate --pid 1 --board a --places b --take 0x10 --remember --at 0x20",
            "serve --clients 3 --messages 5",
            "ignite --build 3 --standing --open --time 1",
            "route puyo-tsu --time 3",
        ] {
            let parsed = Cli::try_parse_from(std::iter::once("nextscope").chain(words.split(' ')));
            assert!(parsed.is_ok(), "{words}: {:?}", parsed.err());
        }
    }
}
