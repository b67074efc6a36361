//! `demo`: prediction and verification without an emulator.

use super::arguments::Global;
use super::exit::{Exit, Failure};
use super::session::Source;
use super::window::{WindowSource, has_display};
use super::{launch, watch, window};
use crate::demo::{DemoOptions, OPTIONS, serve};
use crate::log::Log;
use clap::Args;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Speed of the embedded console: 1 is real time, 0 as fast as possible
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Print to the terminal even if there is a display
    #[arg(long)]
    terminal: bool,
    /// Stop after this many seconds (needs --terminal)
    #[arg(long, value_name = "N", requires = "terminal")]
    seconds: Option<f64>,
}

pub fn run(global: &Global, log: Log, arguments: &Arguments) -> anyhow::Result<Exit> {
    let options = launch::demo_options(arguments.speed)?;
    if !arguments.terminal && !global.json && has_display() {
        return window::open(global, log, WindowSource::Demo(options));
    }
    let source =
        Source { demo: true, speed: arguments.speed, seconds: arguments.seconds, ..Source::default() };
    watch::run(global, &watch::Arguments { source, pairs: 12 })
}

/// The options of [`console`], for its help.
pub fn console_options() -> String {
    let option =
        |(name, value, does): (&str, &str, &str)| format!("  {:28} {does}", format!("{name} <{value}>"));
    format!("Options:\n{}", OPTIONS.map(option).join("\n"))
}

pub fn console(arguments: &[String]) -> anyhow::Result<Exit> {
    let options = DemoOptions::parse(arguments).map_err(Failure::BadInput)?;
    serve(&options)?;
    Ok(Exit::Success)
}
