//! `demo`: the main job without an emulator.

use super::source::Source;
use super::{Exit, Failure, Global, watch};
use crate::demo::{DemoOptions, DemoProcess, serve, spawn as start};
use crate::gui::log::Log;
use clap::Args;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Speed of the embedded console, 1 is real time, 0 as fast as it goes
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Stay on the terminal even where there is a display
    #[arg(long)]
    terminal: bool,
    /// Stop after this many seconds (on the terminal)
    #[arg(long, value_name = "N", requires = "terminal")]
    seconds: Option<f64>,
}

pub fn run(global: &Global, log: Log, arguments: &Arguments) -> anyhow::Result<Exit> {
    let options = options(arguments.speed)?;
    if !arguments.terminal && !global.json && has_display() {
        return super::window(global, log, super::Begin::Demo(options));
    }
    let source =
        Source { demo: true, speed: arguments.speed, seconds: arguments.seconds, ..Source::default() };
    watch::run(global, &watch::Arguments { source, pairs: 12 })
}

pub fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

fn options(speed: f64) -> Result<DemoOptions, Failure> {
    DemoOptions::parse(&["--speed".into(), speed.to_string()]).map_err(Failure::BadInput)
}

/// Starts the embedded console as a process of its own.
pub fn spawn(speed: f64) -> anyhow::Result<DemoProcess> {
    start(&options(speed)?).map_err(|error| Failure::Unreachable(error.to_string()).into())
}

/// The console's process.
pub fn console(arguments: &[String]) -> anyhow::Result<Exit> {
    let options = DemoOptions::parse(arguments).map_err(Failure::BadInput)?;
    serve(&options)?;
    Ok(Exit::Yes)
}
