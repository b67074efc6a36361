//! `stats GAME...`: compares randomizers.

use super::arguments::{Global, parse_range, parse_seed};
use super::exit::{Exit, Failure, bail_input};
use super::game_options::{Given, OwnStats};
use super::games::{only_built_in, unknown_piece_game, unknown_variant};
use super::output;
use super::progress::Work;
use crate::games::pieces::Limits;
use crate::json::Kind;
use crate::pairs::{Format, PairGame};
use crate::seeds::pieces::PieceGame;
use crate::stats::{
    Choices, DEFINITIONS, MAX_OVER, MAX_PIECES, PoolFigures, SampleSize, Subject, SweepRow, UnknownSubject,
    csv, json, measure, measure_pools, pool_definitions, pool_table, sweep, sweep_csv, sweep_table, table,
};
use crate::task::Progress;
use clap::Args;
use serde::Serialize;
use std::ops::RangeInclusive;

/// Default of --count: enough for three digits.
const DEFAULT_COUNT: u32 = 200_000;
/// More seeds do not add a digit to the figures.
const MAX_POOL_SEEDS: u32 = 1_000_000;
/// Default of --count with --sweep, for each combination.
const SWEEP_COUNT: u32 = 100_000;

#[derive(Debug, Args)]
#[command(after_long_help = format!("{DEFINITIONS}\n\n{}", pool_definitions()))]
pub struct Arguments {
    #[arg(value_name = "GAME", help = games_help())]
    games: Vec<String>,
    /// Number of pieces for each seed [default: 200000; with --sweep 100000]
    #[arg(long, alias = "pieces", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PIECES)))]
    count: Option<u32>,
    /// Seed, hexadecimal with 0x or decimal [default: 1; for Puyo games the seeds 0 to 9999]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Range of seeds, both ends included, such as 0..9999
    #[arg(long, value_name = "A..B", conflicts_with = "seed")]
    seeds: Option<String>,
    /// Variant of the games that are given without one
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// tetris-nes: generator steps before each pick; the seed is then the generator's state [default: random]
    #[arg(long, value_name = "K")]
    steps: Option<u32>,
    /// Also count droughts of more than this many pieces; 30 is a long one in NES Tetris
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_OVER)))]
    droughts_over: Option<u32>,
    /// bounded: the longest drought
    #[arg(long, value_name = "D")]
    drought: Option<u8>,
    /// bounded: the most equal pieces in a row
    #[arg(long, value_name = "F")]
    flood: Option<u8>,
    /// bounded: the most S and Z in a row; 0 for no limit
    #[arg(long, value_name = "K")]
    snakes: Option<u8>,
    /// bounded: how strongly recent pieces are avoided, 0 to 3
    #[arg(long, value_name = "M")]
    memory: Option<u8>,
    /// bounded: compare the entropy of every combination of limits with the maximum that the limits allow
    #[arg(long, conflicts_with_all = ["seeds", "drought", "flood", "memory", "variant"])]
    sweep: bool,
    #[command(flatten)]
    own: Given<OwnStats>,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// The games with statistics of their own.
fn own_stats() -> impl Iterator<Item = PairGame> {
    PairGame::all().filter(|game| game.rules().stats.is_some())
}

/// The games with pools, as a list in a sentence.
fn games_with_pools() -> String {
    let games: Vec<&str> = PairGame::with_pools().map(PairGame::id).collect();
    games.join(" and ")
}

fn games_help() -> String {
    format!(
        "Games, or all; GAME:VARIANT for a variant, such as tgm1:3-passes; bag:14 for a bag of 14, two of each piece; or {}, for statistics of their pools; or {}, for all its starts",
        games_with_pools(),
        own_stats().map(PairGame::id).collect::<Vec<_>>().join(" or ")
    )
}

#[derive(Serialize)]
struct Pools<'a> {
    first_seed: String,
    last_seed: String,
    pools: &'a [PoolFigures],
}

#[derive(Serialize)]
struct Sweep<'a> {
    pieces: u32,
    seed: String,
    /// Whether all combinations were measured.
    complete: bool,
    stopped: bool,
    limits: &'a [SweepRow],
}

/// The failure without a game; lists them all.
fn no_game() -> Failure {
    let games = PieceGame::ALL.iter().map(|game| (game.id(), game.rules().about));
    let own = own_stats().map(|game| (game.id(), game.rules().short_name));
    let pools = PairGame::with_pools().map(|game| (game.id(), game.rules().short_name));
    let line = |(id, about): (&str, &str)| format!("\n  {id:14} {about}");
    let all: String = games.chain(own).chain(pools).map(line).collect();
    Failure::BadInput("no game given".into()).with_hint(&format!("available games, or all:{all}"))
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.games.is_empty() {
        return Err(no_game().into());
    }
    for game in &arguments.games {
        only_built_in(
            "stats",
            game.split(':').next().unwrap_or_default(),
            "it measures the models in the program",
        )?;
    }
    if arguments.sweep {
        return run_sweep(global, arguments);
    }
    if let Some(game) = own_stats().find(|game| arguments.games.iter().any(|id| game.id() == id)) {
        return run_own(global, arguments, game);
    }
    if let Some(option) = arguments.own.first() {
        let games = own_stats().map(PairGame::id).collect::<Vec<_>>().join(" and ");
        bail_input!("--{option} is only for {games}");
    }
    let with_pools = |id: &String| PairGame::with_pools().find(|game| game.id() == id);
    if arguments.games.iter().any(|game| with_pools(game).is_some()) {
        let games: Option<Vec<PairGame>> = arguments.games.iter().map(with_pools).collect();
        let mixed = || {
            let games = games_with_pools();
            let what = format!(
                "{games} have pools, the other games single pieces: run `stats` for each kind separately"
            );
            Failure::BadInput(what)
        };
        return run_pools(global, arguments, &games.ok_or_else(mixed)?);
    }
    let subjects = subjects(arguments)?;
    let seeds = seeds(arguments, 1..=1)?;
    for subject in &subjects {
        let largest = subject.largest_seed();
        if *seeds.end() > largest {
            bail_input!("{} with --steps has 16-bit seeds: expected at most {largest}", subject.game);
        }
    }
    let sample = SampleSize { seeds, pieces: arguments.count.unwrap_or(DEFAULT_COUNT) };
    let progress = Progress::default();
    let measured = run_with_progress(&progress, Progress::stop, || measure(&subjects, &sample, &progress))?;
    let mut measured = measured.unwrap_or_default();
    let complete = measured.len() == subjects.len() && measured.iter().all(|one| one.complete);
    if !complete {
        let (dealt, total) = (progress.done(), progress.total());
        output::note(format_args!(
            "interrupted after {dealt} of {total} pieces; the statistics are of these pieces"
        ));
    }
    for one in &mut measured {
        one.droughts_over = arguments.droughts_over.map(|pieces| one.figures.drought.over(pieces));
    }
    output::text(&if global.json {
        json(&measured)
    } else if arguments.csv {
        csv(&measured)
    } else {
        table(&measured)
    })?;
    Ok(if complete { Exit::Success } else { Exit::Interrupted })
}

/// Statistics that the game makes itself.
fn run_own(global: &Global, arguments: &Arguments, game: PairGame) -> anyhow::Result<Exit> {
    reject_piece_options(arguments)?;
    let seeds = [("--seed", arguments.seed.is_some()), ("--seeds", arguments.seeds.is_some())];
    if let Some((option, _)) = seeds.into_iter().find(|(_, given)| *given) {
        bail_input!("{option} is not for {}, of which all starts are measured", game.id());
    }
    if arguments.games.len() > 1 {
        bail_input!("{} has statistics of its own: give it alone", game.id());
    }
    let Some(stats) = &game.rules().stats else { return Ok(Exit::Negative) };
    let format = if global.json { Format::Json } else { Format::Text };
    let text = (stats.run)(&arguments.own.values(game), format).map_err(Failure::BadInput)?;
    output::text(&text)?;
    Ok(Exit::Success)
}

fn reject_piece_options(arguments: &Arguments) -> Result<(), Failure> {
    let pieces_only = [
        ("--count", arguments.count.is_some()),
        ("--variant", arguments.variant.is_some()),
        ("--steps", arguments.steps.is_some()),
        ("--droughts-over", arguments.droughts_over.is_some()),
        ("--csv", arguments.csv),
    ];
    match pieces_only.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::BadInput(format!("{option} is only for games of single pieces"))),
        None => Ok(()),
    }
}

/// Statistics of the pools of Puyo games.
fn run_pools(global: &Global, arguments: &Arguments, games: &[PairGame]) -> anyhow::Result<Exit> {
    reject_piece_options(arguments)?;
    let seeds = seeds(arguments, 0..=9999)?;
    if let Some(game) =
        games.iter().find(|game| *seeds.start() > game.largest_seed() || *seeds.end() > game.largest_seed())
    {
        let most = game.largest_seed();
        bail_input!("{} has seeds 0 to {most}", game.id());
    }
    if seeds.end() - seeds.start() >= MAX_POOL_SEEDS {
        bail_input!(
            "at most {MAX_POOL_SEEDS} seeds can be measured at once; use a smaller range, such as 0..99999"
        );
    }
    let progress = Progress::default();
    let pools = || measure_pools(games, &seeds, &progress);
    let Some(measured) = run_with_progress(&progress, Progress::cancel, pools)? else {
        return Err(Failure::Interrupted("interrupted before all pools were generated".into()).into());
    };
    if global.json {
        let hex = |seed: &u32| format!("0x{seed:08X}");
        let (first_seed, last_seed) = (hex(seeds.start()), hex(seeds.end()));
        output::object(Kind::StatsPools, Pools { first_seed, last_seed, pools: &measured })?;
    } else {
        output::text(&pool_table(&measured))?;
    }
    Ok(Exit::Success)
}

fn run_sweep(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let limited = PieceGame::with_limits().map_or("", PieceGame::id);
    if arguments.games != [limited] {
        bail_input!("--sweep is only for `{limited}`, alone: nextscope stats {limited} --sweep");
    }
    let seed = arguments.seed.as_deref().map_or(Ok(1), parse_seed)?;
    let snakes = limits(arguments, Limits::default())?.snakes;
    let count = arguments.count.unwrap_or(SWEEP_COUNT);
    let progress = Progress::default();
    let trades = run_with_progress(&progress, Progress::stop, || sweep(snakes, seed, count, &progress))?
        .unwrap_or_default();
    let complete = trades.len() as u64 * u64::from(count) >= progress.total();
    if !complete {
        output::note("interrupted before all limits were measured");
    }
    if global.json {
        let seed = format!("0x{seed:08X}");
        let stopped = !complete;
        output::object(Kind::StatsSweep, Sweep { pieces: count, seed, complete, stopped, limits: &trades })?;
    } else if arguments.csv {
        output::text(&sweep_csv(&trades))?;
    } else {
        output::text(&sweep_table(&trades))?;
    }
    Ok(if complete { Exit::Success } else { Exit::Interrupted })
}

/// Runs work with a progress line.
fn run_with_progress<T: Send>(
    progress: &Progress,
    on_interrupt: fn(&Progress),
    work: impl FnOnce() -> Option<T> + Send,
) -> anyhow::Result<Option<T>> {
    Work { progress, on_interrupt, show_progress: true, label: "dealing" }.run(work)
}

fn subjects(arguments: &Arguments) -> anyhow::Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    let games: Vec<String> = match arguments.games.as_slice() {
        [all] if all == "all" => PieceGame::ALL.iter().map(|game| game.id().to_owned()).collect(),
        games => games.to_vec(),
    };
    for game in games {
        let name = match &arguments.variant {
            Some(variant) if !game.contains(':') => format!("{game}:{variant}"),
            _ => game,
        };
        let subject = Subject::parse(&name, Choices::default()).map_err(|why| unknown_subject(&why))?;
        let own = subject.game.rules().limits;
        let limits = own.map(|of| limits(arguments, of(subject.variant))).transpose()?;
        subjects.push(Subject { choices: Choices { steps: arguments.steps, limits }, ..subject });
    }
    Ok(subjects)
}

fn unknown_subject(why: &UnknownSubject) -> Failure {
    match why {
        UnknownSubject::Game(name, _) => unknown_piece_game(name),
        UnknownSubject::Variant(game, name, _) => match PieceGame::from_id(game) {
            Some(game) => unknown_variant(game, name),
            None => Failure::BadInput(why.to_string()),
        },
    }
}

/// The limits of the variant, overridden by the arguments.
fn limits(arguments: &Arguments, variant: Limits) -> Result<Limits, Failure> {
    let limits = Limits {
        drought: arguments.drought.unwrap_or(variant.drought),
        flood: arguments.flood.unwrap_or(variant.flood),
        snakes: match arguments.snakes {
            Some(0) => None,
            Some(most) => Some(most),
            None => variant.snakes,
        },
        memory: arguments.memory.unwrap_or(variant.memory),
    };
    limits.checked().map_err(|why| Failure::BadInput(why.to_string()))
}

/// The seeds of --seed or --seeds, or the default ones.
fn seeds(arguments: &Arguments, default: RangeInclusive<u32>) -> Result<RangeInclusive<u32>, Failure> {
    let Some(text) = &arguments.seeds else {
        let Some(text) = &arguments.seed else { return Ok(default) };
        let seed = parse_seed(text)?;
        return Ok(seed..=seed);
    };
    parse_range(text).map(|(first, last)| first..=last).ok_or_else(|| {
        Failure::BadInput(format!(
            "invalid range of seeds {text:?}: expected the first and the last, such as 0..9999 or 0x0..0xFFFF"
        ))
    })
}
