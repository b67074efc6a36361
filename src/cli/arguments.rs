//! What several commands accept: the global options, numbers, addresses, durations.

pub use crate::seeds::text::{parse_number, parse_range};

use super::exit::Failure;
use crate::seeds::text::parse_named;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Options of every subcommand.
#[derive(Debug, Args)]
pub struct Global {
    /// Print JSON instead of text: one object, or one per line for streams
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// Load your own profiles from this folder instead of the default one
    #[arg(long, global = true, help_heading = "Global options", value_name = "DIR")]
    pub profiles: Option<PathBuf>,
    /// Print more log messages to standard error (-vv: all)
    #[arg(short, long, global = true, help_heading = "Global options", action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// A 32-bit seed, in the notations of [`parse_number`].
pub fn parse_seed(text: &str) -> Result<u32, Failure> {
    parse_named("seed", text.trim()).map_err(Failure::BadInput)
}

/// A random 32-bit number; all bits are equally random.
pub fn random_number() -> u32 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library seeds its hash tables with random numbers of the system.
    let number = std::collections::hash_map::RandomState::new().build_hasher().finish();
    (number >> 32) as u32
}

/// An address of a process, with 0x.
pub fn parse_address(text: &str) -> Result<u64, Failure> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.ok_or_else(|| {
        Failure::BadInput(format!("invalid address {text:?}: expected 0x and hexadecimal digits"))
    })
}

/// A time in seconds, 0 or more.
pub fn parse_seconds(option: &str, seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| Failure::BadInput(format!("{option} must be 0 or more seconds")))
}

/// A time in seconds, more than 0.
pub fn parse_time_limit(seconds: f64) -> Result<Duration, Failure> {
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| Failure::BadInput("--seconds must be more than 0 seconds".into()))
}
