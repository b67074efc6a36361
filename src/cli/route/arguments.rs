//! The arguments of `route`.

use super::start_position::Pairs;
use crate::cli::arguments::parse_time_limit;
use crate::cli::exit::Failure;
use crate::pairs::PairGame;
use crate::route::seeds::Part;
use crate::route::{Attack, ChoiceOrder, Limits, PlanError};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, FromArgMatches};
use std::path::PathBuf;

/// Default of --seconds.
const DEFAULT_SECONDS: f64 = 5.0;
/// How many of the best routes for the goal are searched for each one that another order shows.
const OTHER_ORDERS: usize = 10;

fn game_help() -> String {
    let games: Vec<&str> = PairGame::with_boards().map(|(game, _)| game.id()).collect();
    format!("Game: {}", games.join(" or "))
}

/// `route GAME`, `route check` or `route merge`.
#[derive(Debug)]
pub enum Command {
    Plan(Box<Arguments>),
    Check(CheckArguments),
    Merge(MergeArguments),
}

const CHECK: &str = "check";
const MERGE: &str = "merge";

impl Args for Command {
    fn augment_args(command: clap::Command) -> clap::Command {
        let check = "Compare a recording of a route that is played with the route, pair by pair (exit 1 if a board is not as planned)";
        let merge = "Join the checkpoint files of parts of a search (exit 1 if seeds are missing or there is no route)";
        Arguments::augment_args(command)
            .override_usage("nextscope route [OPTIONS] <GAME>\n       nextscope route <COMMAND>")
            .subcommand_negates_reqs(true)
            .disable_help_subcommand(true)
            .subcommand(CheckArguments::augment_args(clap::Command::new(CHECK).about(check)))
            .subcommand(MergeArguments::augment_args(clap::Command::new(MERGE).about(merge)))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Command {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match matches.subcommand() {
            Some((CHECK, check)) => {
                reject_arguments(matches, CHECK)?;
                CheckArguments::from_arg_matches(check).map(Self::Check)
            }
            Some((MERGE, merge)) => {
                reject_arguments(matches, MERGE)?;
                MergeArguments::from_arg_matches(merge).map(Self::Merge)
            }
            _ => Arguments::from_arg_matches(matches).map(|plan| Self::Plan(Box::new(plan))),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Arguments of a search do not go with a subcommand. clap's own setting for that also rejects the options of all commands, such as `--json`.
fn reject_arguments(matches: &ArgMatches, subcommand: &'static str) -> Result<(), clap::Error> {
    let mut search = Arguments::augment_args(clap::Command::new(subcommand).disable_help_flag(true));
    // Without this an argument has no text.
    search.build();
    let given =
        |argument: &&Arg| matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine);
    search.get_arguments().find(given).map_or(Ok(()), |argument| {
        let message = format!("the argument '{argument}' cannot be used with '{subcommand}'");
        Err(clap::Error::raw(ErrorKind::ArgumentConflict, message))
    })
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Route that `route --out FILE.json` wrote, or `route --json --steps`; - for standard input
    #[arg(value_name = "ROUTE")]
    pub route: PathBuf,
    /// Recording of the playback
    #[arg(long, value_name = "RECORDING")]
    pub replay: PathBuf,
    /// Player who plays the route
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub player: u8,
    /// Round to compare, of those in the recording in which the player placed a pair [default: the last one with the pairs of the route]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub round: Option<u16>,
}

#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Files that `route --seeds --checkpoint` wrote, finished or not
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Report these seeds as missing if no file has them: all, or a range [default: the --seeds of the files]
    #[arg(long, value_name = "SEEDS")]
    pub seeds: Option<String>,
    /// Write the result to a file: .json (the object of --json) or .csv (a line for each route)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(value_name = "GAME", help = game_help())]
    pub game: String,
    #[command(flatten)]
    pub pairs: Pairs,
    /// Goal: chain, score, points-per-frame, points:N or garbage:N (at least N, soonest), all-clear (soonest), exact-chain:N (soonest),
    /// survive; several one after another as "exact-chain:3 then all-clear"
    #[arg(long, default_value = "chain", value_name = "GOAL")]
    pub goal: String,
    /// Known attack: N garbage puyos that wait when pair M of the route has landed, such as 30@5; repeatable
    #[arg(long, value_name = "N@M", conflicts_with_all = ["seeds", "states_from"])]
    pub garbage: Vec<Attack>,
    /// Search time; the beam width grows until it is over [default: 5; no limit with --width, --seeds and --states-from]
    #[arg(long, alias = "time", value_name = "N")]
    pub seconds: Option<f64>,
    /// Beam width: boards to keep after each pair, in a single search; the result is then the same on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2_000_000), conflicts_with = "seconds")]
    pub width: Option<u32>,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Maximum length of the route in frames, by the frame table of the profile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,
    /// Reach the goal in the fewest frames instead of the fewest pairs
    #[arg(long)]
    pub fewest_frames: bool,
    /// Show the N best routes to choose from; no two differ only in the last pair. With --seeds and --states-from: of the seed or state that
    /// --choose names, searched for --seconds [default: 5] more; --out and --steps use the first of them
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub routes: u8,
    /// Order of --routes
    #[arg(long, value_enum, default_value_t, value_name = "BY")]
    pub sort: Order,
    /// Use route N of --routes for the list of pairs and for --out; with --seeds and --states-from, the seed or state N of the best
    /// [default: 1]
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub choose: u8,
    /// Write the route to a file; the extension selects the format: .csv .json .url (links) .svg .png .apng .lua (BizHawk) .bk2 .gmv .mcm
    /// .inp .dsm (movies) .log (BizHawk input log) .txt (script of the embedded console); repeatable
    #[arg(long, value_name = "FILE")]
    pub out: Vec<PathBuf>,
    /// Overwrite existing files
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Animate the .svg file, pair by pair
    #[arg(long)]
    pub animated: bool,
    /// Frames without input before the first pair, in movies
    #[arg(long, default_value_t = 0, value_name = "FRAMES")]
    pub lead_in: u32,
    /// Profile whose frame table and addresses are used [default: the first one of the game]
    #[arg(long, value_name = "ID")]
    pub profile: Option<String>,
    /// Show the board after every pair; in JSON, all details of each pair. With --seeds and --states-from: of the best route, or that of
    /// --choose
    #[arg(long)]
    pub steps: bool,
    #[command(flatten)]
    pub many: Many,
}

/// The order of routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Order {
    /// The best for the goal first
    #[default]
    Goal,
    /// The shortest time first; needs a frame table
    Frames,
    /// The most points first
    Points,
    /// The most points in relation to the time first; needs a frame table
    PointsPerFrame,
    /// The easiest to play first: the fewest taps per pair
    Taps,
}

impl From<Order> for ChoiceOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::Goal => Self::Goal,
            Order::Frames => Self::Frames,
            Order::Points => Self::Points,
            Order::PointsPerFrame => Self::PointsPerFrame,
            Order::Taps => Self::Taps,
        }
    }
}

#[derive(Debug, Args)]
pub struct Many {
    /// Search many seeds for the best route: all, or a range such as 0x0000..0x00FF, both ends included (puyo-tsu: states)
    #[arg(long, value_name = "SEEDS", conflicts_with_all = ["pairs-from", "out", "frames", "fewest_frames"])]
    pub seeds: Option<String>,
    /// Search only this part of --seeds, such as 3/1000 for the third of a thousand equal parts; `route merge` joins them
    #[arg(long, value_name = "I/N", requires = "seeds", conflicts_with_all = ["pairs-from", "states_from"])]
    pub part: Option<Part>,
    /// Search the states in this recording as seeds, to learn in which frame to press the button that starts the round (puyo-tsu); repeatable,
    /// to compare recordings of the same wait
    #[arg(long, alias = "waiting", value_name = "RECORDING", conflicts_with_all = ["seeds", "pairs-from", "frames", "fewest_frames", "lead_in"])]
    pub states_from: Vec<PathBuf>,
    /// The round since power on that --states-from waits for
    #[arg(long, value_name = "N", default_value_t = 1, requires = "states_from", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub round: u8,
    /// Frames of a movie of --states-from before the first frame that the game's clock counts; differs between emulators
    #[arg(long, value_name = "FRAMES", requires = "states_from")]
    pub clock_offset: Option<u32>,
    /// Save the progress of --seeds to this file, and resume from it
    #[arg(long, alias = "keep", value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
}

pub fn limits(arguments: &Arguments) -> Result<Limits, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = arguments.threads.map_or(cores, usize::from);
    // The easiest or fastest route is seldom among the very best for the goal.
    let routes = usize::from(arguments.routes) * if arguments.sort == Order::Goal { 1 } else { OTHER_ORDERS };
    let limits = Limits { threads, routes, ..Limits::default() };
    if let Some(width) = arguments.width {
        return Ok(Limits { time: None, width: width as usize, ..limits });
    }
    let time = parse_time_limit(arguments.seconds.unwrap_or(DEFAULT_SECONDS))?;
    Ok(Limits { time: Some(time), ..limits })
}

pub fn plan_failure(error: &PlanError) -> Failure {
    Failure::BadInput(error.to_string())
}
