//! What a route begins with: board, pairs and rules, from a seed, from a text, or from a live game.

use crate::cli::arguments::{Global, parse_number, parse_state};
use crate::cli::boards::{board, rules};
use crate::cli::dump_verification::verify_ram_dump;
use crate::cli::exit::Failure;
use crate::cli::ram_file;
use crate::cli::session::{Session, Source};
use crate::game::GameId;
use crate::game::puyo::{Pair, PoolId};
use crate::game::puyo_20th::Seed;
use crate::game::puyo_tsu::{Dealer, Dealing, Level, Setup, Shuffle, State};
use crate::live::{Connection, RouteStart, Totals, View, route_start};
use crate::puyo::Rules;
use crate::route::{Deal, Start, pairs_from_letters};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Pairs that a route uses when nothing is said: as many as fill a board.
const USUAL_PAIRS: u32 = 40;

#[derive(Debug, Args)]
pub struct Pairs {
    /// The game's seed: for puyo-20th 0x0000 to 0xFFFF, for puyo-tsu the state from which the round is generated
    #[arg(long, value_name = "SEED", group = "pairs-from", allow_negative_numbers = true)]
    seed: Option<String>,
    /// The pairs themselves, axis first: "RB GG YR"
    #[arg(long, value_name = "PAIRS", group = "pairs-from")]
    pieces: Option<String>,
    /// Take board and pairs from this running emulator (puyo-tsu)
    #[arg(long, value_name = "PID", group = "pairs-from")]
    pid: Option<u32>,
    /// Start the embedded console and take board and pairs from it (puyo-tsu)
    #[arg(long, group = "pairs-from")]
    demo: bool,
    /// Take board and pairs from a dump of RAM, a save state, or a frame of a recording (puyo-tsu)
    #[arg(long, value_name = "FILE", group = "pairs-from")]
    dump: Option<PathBuf>,
    /// The dump is a recording: take this frame of it
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// Whose board and pairs, of a running game
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    player: u8,
    /// Number of colours of a game of puyo-20th, which decides the pool
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    colors: u8,
    /// Level of a versus game of puyo-tsu, which decides the pool
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    level: u8,
    /// A story game of puyo-tsu, of this rank
    #[arg(long, value_name = "RANK")]
    story: Option<u8>,
    /// Which reading of the first three pairs of puyo-tsu
    #[arg(long, value_parser = ["first-three-from-pool-3", "all-from-level-pool"], default_value = "first-three-from-pool-3")]
    dealing: String,
    /// Pairs to use [default: 40, or all that --pieces gives]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pairs: Option<u32>,
    /// Number of the first pair, when earlier ones are on the board already
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    from: u32,
    /// The board to begin with: a file, - for standard input, code:CODE (a field code of puyop.com) or a link to it [default:
    /// empty]
    #[arg(long, value_name = "FILE|CODE")]
    board: Option<String>,
    /// Puyos that make a group, where an option of the game changes it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=6))]
    group: Option<u32>,
    /// Points that one garbage puyo costs
    #[arg(long, default_value_t = Start::TARGET_POINTS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    target_points: u32,
}

/// Where a route begins, and how that is called.
pub struct StartPosition {
    pub game: String,
    pub seed: Option<String>,
    pub start: Start,
}

impl StartPosition {
    /// Game and seed, for people.
    pub fn name(&self) -> String {
        self.seed.as_ref().map_or_else(|| self.game.clone(), |seed| format!("{} {seed}", self.game))
    }
}

pub fn find(global: &Global, game: &str, pairs: &Pairs) -> anyhow::Result<StartPosition> {
    let mut rules = pairs.rules(game)?;
    let field = pairs.board.as_deref().map(board).transpose()?;
    let mut seed = None;
    let (field, known) = if let Some(text) = &pairs.seed {
        let number = pairs.number(game, text)?;
        seed = Some(if game == GameId::Puyo20th.id() {
            format!("0x{number:04X}")
        } else {
            State(number).to_string()
        });
        (field.unwrap_or_default(), pairs.of_seed(game, number))
    } else if let Some(text) = &pairs.pieces {
        (
            field.unwrap_or_default(),
            pairs_from_letters(text).map_err(|why| Failure::BadInput(format!("--pieces: {why}")))?,
        )
    } else if pairs.is_of_a_game() {
        let live = match &pairs.dump {
            Some(path) => still(global, path, pairs)?,
            None => live(global, pairs)?,
        };
        // What the game has been set to counts, unless something else is asked for.
        rules = Rules { group: pairs.group.unwrap_or(live.rules.group), ..rules };
        (field.unwrap_or(live.field), live.pairs)
    } else {
        let what = "where do the pairs come from? Give --seed, --pieces, --pid, --demo or --dump";
        return Err(Failure::BadInput(what.into()).into());
    };
    let all = pairs.pieces.is_some();
    let most =
        pairs.pairs.map_or(if all { usize::MAX } else { USUAL_PAIRS as usize }, |pairs| pairs as usize);
    let skipped = if pairs.is_of_a_game() { 0 } else { pairs.from as usize - 1 };
    let known = known.into_iter().skip(if all { skipped } else { 0 }).take(most).collect();
    let start = Start { field, pairs: known, rules, target_points: pairs.target_points };
    Ok(StartPosition { game: game.to_owned(), seed, start })
}

impl Pairs {
    /// Whether board and pairs are those of a game that somebody plays or played.
    fn is_of_a_game(&self) -> bool {
        self.pid.is_some() || self.demo || self.dump.is_some()
    }

    /// What each of many seeds begins with: a board, and pairs of a game of the seed.
    pub fn many(&self, game: &str) -> anyhow::Result<impl Fn(u32) -> Option<Start> + Sync + use<>> {
        let rules = self.rules(game)?;
        let field = self.board.as_deref().map(board).transpose()?.unwrap_or_default();
        let target_points = self.target_points;
        let deal = self.dealer(game);
        let (from, count) = (self.from - 1, self.pairs.unwrap_or(USUAL_PAIRS));
        Ok(move |seed| Some(Start { field, pairs: deal(seed, from, count), rules, target_points }))
    }

    fn rules(&self, game: &str) -> Result<Rules, Failure> {
        let rules = rules(game)?;
        Ok(Rules { group: self.group.unwrap_or(rules.group), ..rules })
    }

    fn number(&self, game: &str, text: &str) -> Result<u32, Failure> {
        if game != GameId::Puyo20th.id() {
            return parse_state(text);
        }
        let number = parse_number(text.trim()).filter(|number| Seed::try_from(*number).is_ok());
        number.ok_or_else(|| {
            Failure::BadInput(format!("invalid seed {text:?}: expected 0x0000 to 0xFFFF, or 0 to 65535"))
        })
    }

    fn of_seed(&self, game: &str, seed: u32) -> Vec<Pair> {
        self.dealer(game)(seed, self.from - 1, self.pairs.unwrap_or(USUAL_PAIRS))
    }

    /// Deals so many pairs of a seed's game from one on.
    fn dealer(&self, game: &str) -> impl Fn(u32, u32, u32) -> Vec<Pair> + Sync + use<> {
        let twentieth = game == GameId::Puyo20th.id();
        let pool = PoolId::of_colors(usize::from(self.colors)).unwrap_or(PoolId::Four);
        let setup = Setup {
            mode: u8::from(self.story.is_none()),
            rank: self.story.unwrap_or(0),
            pop_count: u8::try_from(self.group.unwrap_or(4)).unwrap_or(4),
            shuffle: Shuffle::SharedIndexStream,
        };
        let dealing = Dealing::from_id(&self.dealing).unwrap_or_default();
        let dealer = Dealer { mode: setup.mode, level: Level(self.level - 1), dealing };
        let deal = if twentieth { Deal::Anniversary(pool) } else { Deal::Tsu(setup, dealer) };
        move |seed, from, count| deal.pairs(seed, from..from.saturating_add(count))
    }
}

/// Board and pairs in RAM that does not move.
fn still(global: &Global, path: &Path, pairs: &Pairs) -> anyhow::Result<RouteStart> {
    let none = |what: &str| Failure::BadInput(format!("{}: {what}", path.display()));
    let found = ram_file::open(global, path, pairs.frame)?;
    let (snapshot, profile) = found.ok_or_else(|| none("no anchor of any profile stands in this RAM"))?;
    if profile.game != GameId::PuyoTsu {
        let what =
            format!("this is RAM of {}, whose boards are not known: give --seed or --pieces", profile.name);
        return Err(none(&what).into());
    }
    let mut totals = Totals::default();
    let data = verify_ram_dump(&snapshot, &profile, &mut totals)?.data;
    let connection = Connection::Paused { since: Instant::now() };
    let view = View { connection, data: Some(data), totals, ..View::default() };
    let start = route_start(&view, usize::from(pairs.player) - 1);
    let start = start.filter(|start| start.settled && !start.pairs.is_empty());
    Ok(start.ok_or_else(|| none("no board that stands, with pairs to come, is in it; try another frame"))?)
}

/// Board and pairs of a running game, as soon as they are known.
fn live(global: &Global, pairs: &Pairs) -> anyhow::Result<RouteStart> {
    let source =
        Source { pid: pairs.pid, demo: pairs.demo, speed: 1.0, wait: Some(20.0), ..Source::default() };
    let mut session = Session::start(global, &source, None)?;
    let mut views = session.sampler.view();
    let player = usize::from(pairs.player) - 1;
    let mut waited = Duration::ZERO;
    let patience = Duration::from_secs(20);
    while !session.is_over() && waited < patience {
        let tick = Duration::from_millis(100);
        let Some(view) = views.next(tick) else {
            waited += tick;
            continue;
        };
        session.check_timeout(&view)?;
        if !matches!(view.connection, Connection::Live | Connection::Paused { .. }) {
            continue;
        }
        if let Some(found) =
            route_start(&view, player).filter(|found| found.settled && !found.pairs.is_empty())
        {
            return Ok(found);
        }
        waited += Duration::from_millis(16);
    }
    if session.interrupted.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted("stopped before a board and pairs were seen".into()).into());
    }
    let what = format!("no board and pairs of player {} were seen: no round is being played", pairs.player);
    Err(Failure::Unreachable(what).into())
}
