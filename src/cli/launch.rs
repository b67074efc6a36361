//! Processes that commands start: the embedded console, and emulators.

use super::exit::Failure;
use crate::demo::{DemoOptions, DemoProcess, spawn};
use crate::process::{Launch, LaunchError};
use crate::start::{CommandsError, LaunchedEmulator, SavedCommands};

pub fn demo_options(speed: f64) -> Result<DemoOptions, Failure> {
    DemoOptions::parse(&["--speed".into(), speed.to_string()]).map_err(Failure::BadInput)
}

/// Starts the embedded console in a process of its own.
pub fn demo(speed: f64) -> anyhow::Result<DemoProcess> {
    spawn(&demo_options(speed)?).map_err(|error| Failure::Unreachable(error.to_string()).into())
}

pub fn emulator(launch: &Launch) -> Result<LaunchedEmulator, Failure> {
    LaunchedEmulator::start(launch).map_err(|error| match error {
        LaunchError::Namespace { .. } => Failure::Unreachable(error.to_string()),
        LaunchError::Nothing | LaunchError::Start { .. } => Failure::BadInput(error.to_string()),
    })
}

pub fn saved_commands() -> Result<SavedCommands, Failure> {
    SavedCommands::load().map_err(commands_failure)
}

/// A saved command; in its own namespace if it was saved that way or `in_namespace` is set.
pub fn saved_command(name: &str, in_namespace: bool) -> Result<Launch, Failure> {
    let launch = saved_commands()?.get(name).map_err(commands_failure)?.launch();
    Ok(Launch { in_namespace: launch.in_namespace || in_namespace, ..launch })
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn commands_failure(error: CommandsError) -> Failure {
    Failure::BadInput(error.to_string())
}
