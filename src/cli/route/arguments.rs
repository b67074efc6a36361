//! The arguments of `route`.

use super::start_position::Pairs;
use crate::cli::arguments::parse_time_limit;
use crate::cli::exit::Failure;
use crate::route::{Limits, PlanError};
use clap::Args;
use std::path::PathBuf;

/// Default of --time.
const DEFAULT_SECONDS: f64 = 5.0;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The game: puyo-tsu or puyo-20th
    #[arg(value_name = "GAME")]
    pub game: String,
    #[command(flatten)]
    pub pairs: Pairs,
    /// What is wanted: chain, score, points:N or garbage:N (at least N, soonest), all-clear (soonest), exact-chain:N (soonest)
    #[arg(long, default_value = "chain", value_name = "GOAL")]
    pub goal: String,
    /// Seconds to plan; the width grows as long as there is time [default: 5; without limit when --width is given]
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<f64>,
    /// Boards kept after each pair, in one search: the answer is then the same on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2_000_000), conflicts_with = "time")]
    pub width: Option<u32>,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Frames that the route may take at most, by the frame table of the profile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,
    /// Soonest means in the fewest frames, not in the fewest pairs
    #[arg(long)]
    pub fewest_frames: bool,
    /// Write the route to a file, in the form its ending names: .csv .json .url (links) .svg .png .apng .bk2 .gmv .dsm
    /// .log (BizHawk's input log) .txt (the embedded console's script); may be given several times
    #[arg(long, value_name = "FILE")]
    pub out: Vec<PathBuf>,
    /// Overwrite files that exist
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Pictures move: .svg with --animated shows pair after pair
    #[arg(long)]
    pub animated: bool,
    /// Frames in which nothing is held, before the first pair, in movies
    #[arg(long, default_value_t = 0, value_name = "FRAMES")]
    pub lead_in: u32,
    /// The profile whose frame table times the route [default: the first one of the game]
    #[arg(long, value_name = "ID")]
    pub profile: Option<String>,
    /// Show the board after every pair, and in JSON everything about each
    #[arg(long)]
    pub steps: bool,
    #[command(flatten)]
    pub many: Many,
}

#[derive(Debug, Args)]
pub struct Many {
    /// Search over seeds as well: all, or a range such as 0x0000..0x00FF with both ends (states, for puyo-tsu)
    #[arg(long, value_name = "SEEDS", conflicts_with_all = ["pairs-from", "time", "out", "frames", "fewest_frames"])]
    pub seeds: Option<String>,
    /// Search over the states that the frames of this recording have, as seeds: which frame to wait for (puyo-tsu)
    #[arg(long, value_name = "RECORDING", conflicts_with_all = ["seeds", "pairs-from", "time", "out", "frames", "fewest_frames"])]
    pub waiting: Option<PathBuf>,
    /// Keep how far it is in this file, and go on from it
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
}

/// How long and how widely to search.
pub fn limits(arguments: &Arguments) -> Result<Limits, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = arguments.threads.map_or(cores, usize::from);
    if let Some(width) = arguments.width {
        return Ok(Limits { time: None, width: width as usize, threads });
    }
    let time = parse_time_limit(arguments.time.unwrap_or(DEFAULT_SECONDS))?;
    Ok(Limits { time: Some(time), threads, ..Limits::default() })
}

pub fn plan_failure(error: &PlanError) -> Failure {
    Failure::BadInput(error.to_string())
}
