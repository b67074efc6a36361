//! `stats GAME...`: compares randomizers.

use super::arguments::{Global, parse_range, parse_seed};
use super::exit::{Exit, Failure, bail_input};
use super::game_options::{Given, OwnStats};
use super::games::{unknown_piece_game, unknown_variant};
use super::progress::Work;
use super::{library, output};
use crate::games::GameId;
use crate::games::pieces::Limits;
use crate::json::Kind;
use crate::pairs::{Format, PairGame};
use crate::profile::Profile;
use crate::seeds::pieces::PieceGame;
use crate::stats::{
    Choices, DEFINITIONS, MAX_OVER, MAX_PIECES, NotMeasured, PieceSource, PoolFacts, PoolFigures, PoolSource,
    SampleSize, Source, Subject, SweepRow, UnknownSubject, csv, json, measure, measure_pools,
    pool_definitions, pool_table, sweep, sweep_csv, sweep_table, table,
};
use crate::task::Progress;
use clap::Args;
use serde::Serialize;
use std::ops::RangeInclusive;
use std::sync::Arc;

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
    /// declared: profile with the [randomizer], its id or a .toml file; may be repeated
    #[arg(long, value_name = "PROFILE")]
    profile: Vec<String>,
    /// tetris-nes: generator steps before each pick; the seed is then the generator's state [default: random]. declared: as for `generate declared`
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

/// The game of profiles that declare their randomizer.
fn declared_game() -> &'static str {
    GameId::of_declared_randomizers().map_or("", GameId::id)
}

/// The profile of a declared randomizer, or the game.
fn name(facts: &PoolFacts) -> String {
    facts.profile.clone().unwrap_or_else(|| facts.game.to_owned())
}

/// The games with pools, as a list in a sentence.
fn games_with_pools() -> String {
    let games: Vec<&str> = PairGame::with_pools().map(PairGame::id).collect();
    games.join(" and ")
}

fn games_help() -> String {
    format!(
        "Games, or all; GAME:VARIANT for a variant, such as tgm1:3-passes; bag:14 for a bag of 14, two of each piece; {} for the randomizers of profiles; or {}, for statistics of their pools; or {}, for all its starts",
        declared_game(),
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
    let declared = std::iter::once((declared_game(), "Randomizers of profiles, with --profile PROFILE"));
    let all: String = games.chain(declared).chain(own).chain(pools).map(line).collect();
    Failure::BadInput("no game given".into()).with_hint(&format!("available games, or all:{all}"))
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.games.is_empty() {
        return Err(no_game().into());
    }
    let is_declared = |id: &String| GameId::of_declared_name(id).is_some();
    if !arguments.profile.is_empty() && !arguments.games.iter().any(is_declared) {
        let game = declared_game();
        bail_input!("--profile is only for {game}: nextscope stats {game} --profile PROFILE");
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
    let (subjects, pools) = sources(global, arguments)?;
    if !pools.is_empty() {
        if !subjects.is_empty() {
            let pairs: Vec<String> = pools.iter().map(|source| name(&source.facts())).collect();
            bail_input!(
                "pairs are measured of {}, single pieces of the others: run `stats` for each kind separately",
                pairs.join(" and ")
            );
        }
        return run_pools(global, arguments, &pools);
    }
    let seeds = seeds(arguments, 1..=1)?;
    for facts in subjects.iter().map(PieceSource::facts) {
        let with = if arguments.steps.is_some() && facts.profile.is_none() { " with --steps" } else { "" };
        if *seeds.end() > facts.largest_seed {
            bail_input!("{}{with} has seeds 0 to {}", facts.label, facts.largest_seed);
        }
    }
    let sample = SampleSize { seeds, pieces: arguments.count.unwrap_or(DEFAULT_COUNT) };
    let progress = Progress::default();
    let measuring = || unless_cancelled(measure(&subjects, &sample, &progress));
    let measured = run_with_progress(&progress, Progress::stop, measuring)?;
    let mut measured =
        measured.transpose().map_err(|why| Failure::BadInput(why.to_string()))?.unwrap_or_default();
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
        ("--steps", arguments.steps.is_some() && arguments.profile.is_empty()),
        ("--droughts-over", arguments.droughts_over.is_some()),
        ("--csv", arguments.csv),
    ];
    match pieces_only.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::BadInput(format!("{option} is only for games of single pieces"))),
        None => Ok(()),
    }
}

/// Statistics of the pools of Puyo games, and of the pairs of declared randomizers.
fn run_pools(
    global: &Global,
    arguments: &Arguments,
    sources: &[Box<dyn PoolSource>],
) -> anyhow::Result<Exit> {
    reject_piece_options(arguments)?;
    let seeds = seeds(arguments, 0..=9999)?;
    for facts in sources.iter().map(PoolSource::facts) {
        if *seeds.end() > facts.largest_seed {
            bail_input!("{} has seeds 0 to {}", name(&facts), facts.largest_seed);
        }
    }
    if seeds.end() - seeds.start() >= MAX_POOL_SEEDS {
        bail_input!(
            "at most {MAX_POOL_SEEDS} seeds can be measured at once; use a smaller range, such as 0..99999"
        );
    }
    let progress = Progress::default();
    let pools = || unless_cancelled(measure_pools(sources, &seeds, &progress));
    let measured = run_with_progress(&progress, Progress::cancel, pools)?;
    let Some(measured) = measured.transpose().map_err(|why| Failure::BadInput(why.to_string()))? else {
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

/// The randomizers of single pieces, and those of pairs.
type Sources = (Vec<Box<dyn PieceSource>>, Vec<Box<dyn PoolSource>>);

fn sources(global: &Global, arguments: &Arguments) -> anyhow::Result<Sources> {
    let (mut pieces, mut pairs): Sources = (Vec::new(), Vec::new());
    let all: Vec<String> = PieceGame::ALL.iter().map(|game| game.id().to_owned()).collect();
    let games = if arguments.games == ["all"] { &all } else { &arguments.games };
    for id in games {
        if let Some(game) = GameId::of_declared_name(id) {
            if id != game.id() {
                bail_input!("{game} has no variants: give --profile with a profile that has a [randomizer]");
            }
            for source in declared_sources(global, arguments, game)? {
                match source {
                    Source::Pieces(source) => pieces.push(source),
                    Source::Pairs(source) => pairs.push(source),
                }
            }
        } else if let Some(game) = PairGame::with_pools().find(|game| game.id() == id) {
            pairs.push(Box::new(game));
        } else {
            pieces.push(Box::new(subject(arguments, id)?));
        }
    }
    Ok((pieces, pairs))
}

/// The randomizers of all profiles that were given.
fn declared_sources(global: &Global, arguments: &Arguments, game: GameId) -> anyhow::Result<Vec<Source>> {
    let Some(declared) = &game.definition().declared else { return Ok(Vec::new()) };
    let named = arguments.profile.iter().map(|name| library::known_or_file(global, name));
    let profiles: Vec<Arc<Profile>> = named.collect::<Result<_, _>>()?;
    // Without one, the game says what it needs.
    let given: Vec<Option<&Profile>> =
        if profiles.is_empty() { vec![None] } else { profiles.iter().map(|one| Some(&**one)).collect() };
    let source = |profile| (declared.source)(profile, arguments.steps).map_err(Failure::BadInput);
    Ok(given.into_iter().map(source).collect::<Result<_, _>>()?)
}

/// The built-in randomizer of that name.
fn subject(arguments: &Arguments, id: &str) -> anyhow::Result<Subject> {
    let name = match &arguments.variant {
        Some(variant) if !id.contains(':') => format!("{id}:{variant}"),
        _ => id.to_owned(),
    };
    let subject = Subject::parse(&name, Choices::default()).map_err(|why| unknown_subject(&why))?;
    let own = subject.game.rules().limits;
    let limits = own.map(|of| limits(arguments, of(subject.variant))).transpose()?;
    Ok(Subject { choices: Choices { steps: arguments.steps, limits }, ..subject })
}

/// What was measured; None if it was cancelled.
fn unless_cancelled<T>(measured: Result<T, NotMeasured>) -> Option<Result<T, NotMeasured>> {
    Some(measured).filter(|measured| !matches!(measured, Err(NotMeasured::Cancelled)))
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
