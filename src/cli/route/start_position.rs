//! The start of a route: board, pairs and rules, from a seed, a text, a running game or a dump.

use super::seed_setup::{
    GROUPS, PAIR_COUNTS, PAIR_NUMBERS, SeedSetup, TARGET_POINTS, options_text, rules_of,
};
use crate::cli::arguments::Global;
use crate::cli::boards::board;
use crate::cli::dump_verification::verify_ram_dump;
use crate::cli::exit::{Failure, bail_input};
use crate::cli::game_options::{Deal, Given};
use crate::cli::games::only_built_in;
use crate::cli::session::{Session, Source};
use crate::cli::{files, ram_file};
use crate::live::{Connection, RouteStart, Totals, View, route_start};
use crate::pairs::PairGame;
use crate::profile::Profile;
use crate::puyo::{Rules, to_rows};
use crate::route::{Start, pairs_from_letters};
use clap::Args;
use nextscope_boards::Pair;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The field of a profile with which boards can be read.
pub const BOARD_FIELD: &str = "p1_board";
/// Default of --pairs: enough to fill a board.
const DEFAULT_PAIRS: u32 = 40;

fn seed_help() -> String {
    // Games of one family have the same seeds.
    let mut seeds: Vec<(&str, Vec<&str>)> = Vec::new();
    for (game, _) in PairGame::with_boards() {
        let help = game.rules().seed_help;
        match seeds.iter_mut().find(|(known, _)| *known == help) {
            Some((_, games)) => games.push(game.id()),
            None => seeds.push((help, vec![game.id()])),
        }
    }
    let of = |(help, games): (&str, Vec<&str>)| format!("for {} {help}", games.join(" and "));
    format!("Seed: {}", seeds.into_iter().map(of).collect::<Vec<_>>().join("; "))
}

#[derive(Debug, Args)]
pub struct Pairs {
    #[arg(long, value_name = "SEED", help = seed_help(), group = "pairs-from", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Pairs, axis first, such as "RB GG YR"
    #[arg(long, value_name = "PAIRS", group = "pairs-from")]
    pieces: Option<String>,
    /// Take board and pairs from this running emulator
    #[arg(long, value_name = "PID", group = "pairs-from")]
    pid: Option<u32>,
    /// Start the embedded console and take board and pairs from it (puyo-tsu)
    #[arg(long, group = "pairs-from")]
    demo: bool,
    /// Take board and pairs from a RAM dump, a save state, or a frame of a recording
    #[arg(long, value_name = "FILE", group = "pairs-from")]
    dump: Option<PathBuf>,
    /// Frame to read, if the dump is a recording [default: the first]
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// Player whose board and pairs to take from a game, and who plays a .lua script
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    player: u8,
    #[command(flatten)]
    options: Given<Deal>,
    /// Number of pairs to use [default: 40, or all of --pieces]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(PAIR_COUNTS))]
    pairs: Option<u32>,
    /// Number of the first pair, if earlier ones are on the board already
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(PAIR_NUMBERS))]
    from: u32,
    /// Board to start with: a file, - for standard input, code:CODE (a puyop.com field code) or a puyop.com link [default:
    /// empty]
    #[arg(long, value_name = "FILE|CODE")]
    board: Option<String>,
    /// Number of puyos that form a group, if changed in the game's options
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(GROUPS))]
    group: Option<u32>,
    /// Points per garbage puyo
    #[arg(long, default_value_t = Start::TARGET_POINTS, value_name = "N", value_parser = clap::value_parser!(u32).range(TARGET_POINTS))]
    target_points: u32,
}

pub struct StartPosition {
    pub game: String,
    pub seed: Option<String>,
    pub start: Start,
}

impl StartPosition {
    /// Game and seed.
    pub fn name(&self) -> String {
        self.seed.as_ref().map_or_else(|| self.game.clone(), |seed| format!("{} {seed}", self.game))
    }
}

pub fn find(global: &Global, game: &str, pairs: &Pairs) -> anyhow::Result<StartPosition> {
    let mut rules = pairs.rules(game)?;
    let field = pairs.board.as_deref().map(board).transpose()?;
    let mut seed = None;
    let (field, known) = if let Some(text) = &pairs.seed {
        let game = pair_game(game)?;
        let number = (game.rules().parse_seed)(text).map_err(Failure::BadInput)?;
        seed = Some((game.rules().seed_text)(number));
        (field.unwrap_or_default(), pairs.of_seed(game, number))
    } else if let Some(text) = &pairs.pieces {
        (
            field.unwrap_or_default(),
            pairs_from_letters(text).map_err(|why| Failure::BadInput(format!("--pieces: {why}")))?,
        )
    } else if pairs.is_from_game() {
        let live = match &pairs.dump {
            Some(path) => in_dump(global, game, path, pairs)?,
            None => in_game(global, game, pairs)?,
        };
        // The game's own setting, unless --group overrides it.
        rules = Rules { group: pairs.group.unwrap_or(live.rules.group), ..rules };
        (field.unwrap_or(live.field), live.pairs)
    } else {
        bail_input!("no source of pairs: give --seed, --pieces, --pid, --demo or --dump");
    };
    let all = pairs.pieces.is_some();
    let most =
        pairs.pairs.map_or(if all { usize::MAX } else { DEFAULT_PAIRS as usize }, |pairs| pairs as usize);
    let skipped = if pairs.is_from_game() { 0 } else { pairs.from as usize - 1 };
    let known = known.into_iter().skip(if all { skipped } else { 0 }).take(most).collect();
    let start = Start { field, pairs: known, rules, target_points: pairs.target_points };
    Ok(StartPosition { game: game.to_owned(), seed, start })
}

impl Pairs {
    /// Whether board and pairs come from RAM.
    fn is_from_game(&self) -> bool {
        self.pid.is_some() || self.demo || self.dump.is_some()
    }

    /// The player, 0 or 1.
    pub fn player_index(&self) -> usize {
        usize::from(self.player) - 1
    }

    /// What a search over many seeds of the game deals, with these options.
    pub fn seed_setup(&self, game: &str) -> anyhow::Result<SeedSetup> {
        self.rules(game)?;
        let field = self.board.as_deref().map(board).transpose()?.unwrap_or_default();
        let of = pair_game(game)?;
        Ok(SeedSetup {
            game: game.to_owned(),
            options: options_text(of, &self.options.values(of)),
            pairs: self.pairs.unwrap_or(DEFAULT_PAIRS),
            from: self.from,
            board: to_rows(&field),
            group: self.group,
            target_points: self.target_points,
            states: None,
        })
    }

    fn rules(&self, game: &str) -> Result<Rules, Failure> {
        rules_of(game, self.group)
    }

    fn of_seed(&self, game: PairGame, seed: u32) -> Vec<Pair> {
        let first = self.from - 1;
        let numbers = first..first.saturating_add(self.pairs.unwrap_or(DEFAULT_PAIRS));
        self.options.dealer(game, self.group)(seed, numbers)
    }
}

/// The game of pairs with that id.
pub fn pair_game(id: &str) -> Result<PairGame, Failure> {
    PairGame::from_id(id).ok_or_else(|| Failure::BadInput(format!("{id} deals no pairs from a seed")))
}

/// The rules are those of the game that was named: another one in RAM is a mistake.
fn check_game(named: &str, profile: &Profile) -> Result<(), Failure> {
    let game = profile.game;
    if game.id() == named {
        return Ok(());
    }
    only_built_in(
        "route",
        game.id(),
        &format!("the RAM is of {}, whose profile declares its randomizer", profile.name),
    )?;
    let what = format!("the RAM is of {}, not of {named}: give `route {}`", profile.name, game.id());
    Err(Failure::BadInput(what))
}

fn in_dump(global: &Global, game: &str, path: &Path, pairs: &Pairs) -> anyhow::Result<RouteStart> {
    let none = |what: &str| files::failure(path, what);
    let found = ram_file::open(global, path, pairs.frame)?;
    let (snapshot, profile) = found.ok_or_else(|| none(ram_file::NO_KNOWN_GAME))?;
    check_game(game, &profile)?;
    if profile.field(BOARD_FIELD).is_none() {
        let what = format!(
            "this is RAM of {}, whose board addresses are unknown; give --seed or --pieces",
            profile.name
        );
        return Err(none(&what).into());
    }
    let mut totals = Totals::default();
    let data = verify_ram_dump(&snapshot, &profile, &mut totals)?.data;
    let connection = Connection::Paused { since: Instant::now() };
    let view = View { connection, data: Some(data), totals, ..View::default() };
    let start = route_start(&view, pairs.player_index());
    let start = start.filter(|start| start.settled && !start.pairs.is_empty());
    Ok(start.ok_or_else(|| none("no settled board with coming pairs in this RAM; try another frame"))?)
}

/// Board and pairs of a running game, as soon as the board is settled.
fn in_game(global: &Global, game: &str, pairs: &Pairs) -> anyhow::Result<RouteStart> {
    let source =
        Source { pid: pairs.pid, demo: pairs.demo, speed: 1.0, wait: Some(20.0), ..Source::default() };
    let mut session = Session::start(global, &source, None)?;
    let mut views = session.sampler.view();
    let player = pairs.player_index();
    let mut waited = Duration::ZERO;
    let timeout = Duration::from_secs(20);
    while !session.is_over() && waited < timeout {
        let tick = Duration::from_millis(100);
        let Some(view) = views.next(tick) else {
            waited += tick;
            continue;
        };
        session.check_timeout(&view)?;
        if !matches!(view.connection, Connection::Live | Connection::Paused { .. }) {
            continue;
        }
        if let Some(target) = &view.target {
            check_game(game, &target.profile)?;
        }
        if let Some(found) =
            route_start(&view, player).filter(|found| found.settled && !found.pairs.is_empty())
        {
            return Ok(found);
        }
        waited += Duration::from_millis(16);
    }
    if session.interrupted.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted("interrupted before a settled board was sampled".into()).into());
    }
    let what = format!("no settled board of player {} was sampled; start a round", pairs.player);
    Err(Failure::Unreachable(what).into())
}
