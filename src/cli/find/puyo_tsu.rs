//! `find puyo-tsu`: from pools, pairs, a RAM dump or the state afterwards to the states before a round.

use crate::cli::arguments::{Global, parse_state};
use crate::cli::exit::{Exit, Failure};
use crate::cli::generate::Mode;
use crate::cli::progress::ProgressLine;
use crate::cli::{files, interrupt, output, ram_file};
use crate::file::TEXT_LIMIT;
use crate::game::GameId;
use crate::game::puyo_tsu::{
    Color, Dealing, Level, POOL_LEN, PoolId, Setup, Shuffle, State, flaws, looks_generated,
};
use crate::json::Kind;
use crate::live::puyo_tsu::observe;
use crate::seeds::puyo_tsu::{
    COMPARED, Effort, Found, Impossible, Method, Progress, Query, Report, Seen, SeenPair, classes,
    color_set_of, find, walk_back,
};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Pools as they stand in RAM: 768 bytes (3-, 4- and 5-colour pool) or 256 (the 4-colour pool), raw or as hexadecimal
    /// text in which ?? is an unknown byte
    #[arg(long, value_name = "FILE", conflicts_with = "dump")]
    pools: Option<PathBuf>,
    /// The colour set, 8 bytes or the 5 that are drawn: 0400050301
    #[arg(long, value_name = "HEX", conflicts_with = "dump")]
    color_set: Option<String>,
    /// Pairs as they were dealt, axis first: "RB GG ?Y" of R Y G P B, ? for what was not seen
    #[arg(long, value_name = "PAIRS", conflicts_with = "dump")]
    pieces: Option<String>,
    /// Axis and child of the pairs may be the other way round
    #[arg(long, requires = "pieces")]
    unordered: bool,
    /// Number of the first of these pairs in the round
    #[arg(long, default_value_t = 1, value_name = "N", requires = "pieces", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    at: u32,
    /// 65,536 bytes of work RAM, or a recording, of which colour set, pools and state are taken
    #[arg(long, value_name = "RAM", conflicts_with = "after")]
    dump: Option<PathBuf>,
    /// The dump is a recording: look at this frame of it
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// The state just after the round was generated: what comes before it is walked to at once
    #[arg(long, value_name = "STATE")]
    after: Option<String>,
    /// Level of the player whose pairs were seen, which decides the pool in versus [default: 3]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=5))]
    level: Option<u8>,
    /// Which pools the game makes
    #[arg(long, value_enum, default_value_t = Mode::Versus, conflicts_with = "dump")]
    mode: Mode,
    /// Story rank; from 2 on, five colours
    #[arg(long, default_value_t = 0, conflicts_with = "dump")]
    rank: u8,
    /// Puyos that pop together (option menu)
    #[arg(long, default_value_t = 4, value_name = "N", conflicts_with = "dump")]
    pop_count: u8,
    /// Which reading of the first three pairs: from the 3-colour pool, as the disassembled game deals them, or from the pool of the
    /// level, as a reading of the wiki's page has it
    #[arg(long, value_parser = ["first-three-from-pool-3", "all-from-level-pool"], default_value = "first-three-from-pool-3")]
    dealing: String,
    /// Which reading of the shuffle: one stream of random indices for the 3- and the 5-colour pool together, as the disassembled
    /// game shuffles; or a shuffle of its own for each pool, as the wiki's page says
    #[arg(long, value_parser = ["shared-index-stream", "three-shuffles"], default_value = "shared-index-stream")]
    shuffle: String,
    /// Threads at work; without it, one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// States to print
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: usize,
    /// Print the states as comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print each state as soon as it is found, a line each in no order and without --limit, then what they come to
    #[arg(long, conflicts_with_all = ["after", "dump"])]
    stream: bool,
}

/// A state as soon as it is found.
#[derive(Serialize)]
struct Streamed {
    state: String,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let (seen, after) = match &arguments.dump {
        Some(path) => match from_dump(global, path, arguments)? {
            Some((seen, state)) => (seen, Some(state)),
            None => {
                let what = format!("{}: no anchor of any profile stands in this RAM", path.display());
                return output::negative(global.json, what);
            }
        },
        None => {
            let after = arguments.after.as_deref().map(parse_state).transpose()?.map(State);
            (from_arguments(arguments)?, after)
        }
    };
    let seen = match seen {
        Ok(seen) => seen,
        Err(impossible) => return no_game(global, arguments, &impossible),
    };
    let query = match Query::new(&seen) {
        Ok(query) => query,
        Err(impossible) => return no_game(global, arguments, &impossible),
    };
    if after.is_none() && query.known_bytes() == 0 {
        let what = "there is nothing to find states by: give --pieces, --pools, --dump or --after";
        return Err(Failure::BadInput(what.into()).into());
    }
    let began = Instant::now();
    let mut effort = Effort::default();
    if let Some(threads) = arguments.threads.and_then(|n| NonZeroUsize::new(n.into())) {
        effort.threads = threads;
    }
    let walked = after.map(|after| walk_back(after, &query)).unwrap_or_default();
    let (found, method) = if arguments.after.is_some() || !walked.is_empty() {
        (Found { states: walked, complete: true, stopped: false }, Method::WalkedBack)
    } else {
        let found = search(global, arguments, &query, effort)?.context("the search was given up")?;
        (found, Method::Searched(effort))
    };
    if found.stopped {
        output::note("stopped before all states were tried");
    }
    let seconds = began.elapsed().as_secs_f64();
    let answer = (found.complete && found.states.len() <= COMPARED)
        .then(|| classes(&found.states, query.setup(), query.dealer()));
    let report = Report::new(&seen, &query, &found, answer.as_ref(), method, arguments.limit, seconds);
    if global.json {
        output::json(&report.object())?;
    } else if !arguments.csv {
        output::text(&report.table())?;
    } else if !arguments.stream {
        output::text(&report.csv())?;
    }
    Ok(match found.states.as_slice() {
        _ if found.stopped => Exit::Interrupted,
        [] => Exit::Negative,
        _ => Exit::Success,
    })
}

/// Says that no game shows what was seen, and why.
fn no_game(global: &Global, arguments: &Arguments, impossible: &Impossible) -> anyhow::Result<Exit> {
    let report = Report::impossible(arguments.at, impossible);
    if global.json {
        output::json(&report.object())?;
    } else if arguments.csv {
        output::note(format_args!("no game does this: {impossible}"));
    } else {
        output::text(&report.table())?;
    }
    Ok(Exit::Negative)
}

/// Tries all states, with the share of them that is done on standard error, and, if it is wanted, each state as it is found on
/// standard output. Ctrl+C ends it with what was found until then.
fn search(
    global: &Global,
    arguments: &Arguments,
    query: &Query,
    effort: Effort,
) -> anyhow::Result<Option<Found>> {
    let stop = interrupt::flag();
    let (progress, states) =
        if arguments.stream { Progress::streaming() } else { (Progress::default(), channel().1) };
    let mut line = ProgressLine::new();
    if arguments.stream && arguments.csv {
        output::line("state")?;
    }
    let (found, printed) = std::thread::scope(|scope| {
        let search = scope.spawn(|| find(query, effort, &progress));
        let mut printed = Ok(());
        while printed.is_ok() {
            let ended = search.is_finished();
            if stop.load(Ordering::Relaxed) {
                progress.stop.store(true, Ordering::Relaxed);
            } else {
                line.show_share("searching all states", progress.share());
            }
            printed = states.try_iter().flatten().try_for_each(|state| {
                if global.json {
                    output::object(Kind::FindState, Streamed { state: state.to_string() })
                } else {
                    output::line(state)
                }
            });
            if ended {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        if printed.is_err() {
            progress.cancel.store(true, Ordering::Relaxed);
        }
        (search.join(), printed)
    });
    drop(line);
    printed?;
    found.map_err(|_| anyhow::anyhow!("the search ended in a panic; please report it with the command used"))
}

type Given = Result<Seen, Impossible>;

fn from_arguments(arguments: &Arguments) -> anyhow::Result<Given> {
    let mut seen = Seen::nothing(Setup {
        mode: u8::from(arguments.mode == Mode::Versus),
        rank: arguments.rank,
        pop_count: arguments.pop_count,
        shuffle: match arguments.shuffle.as_str() {
            "three-shuffles" => Shuffle::ThreeShuffles,
            _ => Shuffle::SharedIndexStream,
        },
    });
    seen.level = Level(arguments.level.unwrap_or(3) - 1);
    seen.dealing = Dealing::from_id(&arguments.dealing).unwrap_or_default();
    seen.unordered = arguments.unordered;
    if let Some(path) = &arguments.pools {
        seen.pools = pools(path)?;
        if !seen.setup.is_versus() {
            seen.pools[PoolId::Five.index()] = None; // the story leaves what an earlier round made
        }
    }
    if let Some(text) = &arguments.pieces {
        seen.pairs = pieces(text, arguments.at - 1)?;
    }
    if let Some(text) = &arguments.color_set {
        let bytes = hexadecimal(text)
            .and_then(|bytes| bytes.into_iter().collect::<Option<Vec<u8>>>())
            .filter(|bytes| matches!(bytes.len(), 5 | 8))
            .ok_or_else(|| {
                Failure::BadInput(format!(
                    "{text:?} is no colour set: give 8 bytes or the first 5, such as 0400050301"
                ))
            })?;
        match color_set_of(&bytes) {
            Ok(set) => seen.color_set = Some(set),
            Err(impossible) => return Ok(Err(impossible)),
        }
    }
    Ok(Ok(seen))
}

/// Colour set, pools and state of a RAM dump; None when no game is recognised in it.
fn from_dump(global: &Global, path: &Path, arguments: &Arguments) -> anyhow::Result<Option<(Given, State)>> {
    let Some((snapshot, profile)) = ram_file::open(global, path, arguments.frame)? else { return Ok(None) };
    ram_file::require_game(path, &profile, GameId::PuyoTsu)?;
    let observation = observe(&snapshot, &profile)?;
    let mut setup = observation.setup;
    // Mode and options may have changed since the round began; the pools say what they were.
    if !flaws(observation.color_set, &observation.pools, setup).is_empty()
        && let Some(made_with) = looks_generated(observation.color_set, &observation.pools)
    {
        setup = Setup { shuffle: setup.shuffle, ..made_with };
    }
    let mut seen = Seen::nothing(setup);
    seen.level = arguments.level.map_or(observation.players[0].level, |level| Level(level - 1));
    seen.dealing = observation.dealing;
    seen.color_set = Some(observation.color_set);
    for id in PoolId::ALL {
        let made = setup.colors()[id.index()].is_some();
        seen.pools[id.index()] = made.then(|| observation.pools[id.index()].map(Some));
    }
    Ok(Some((Ok(seen), observation.state)))
}

/// Hexadecimal digits, white space apart; `??` is an unknown byte.
fn hexadecimal(text: &str) -> Option<Vec<Option<u8>>> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    pairs
        .iter()
        .map(|&[high, low]| {
            if high == '?' && low == '?' {
                return Some(None);
            }
            u8::try_from(high.to_digit(16)? * 16 + low.to_digit(16)?).ok().map(Some)
        })
        .collect()
}

type KnownPools = [Option<[Option<u8>; POOL_LEN]>; 3];

/// The pools of a file.
fn pools(path: &Path) -> anyhow::Result<KnownPools> {
    let bytes = files::read(path, TEXT_LIMIT)?;
    let known: Vec<Option<u8>> = match bytes.len() {
        POOL_LEN | 768 => bytes.into_iter().map(Some).collect(),
        _ => std::str::from_utf8(&bytes).ok().and_then(hexadecimal).unwrap_or_default(),
    };
    let (whole, rest) = known.as_chunks::<POOL_LEN>();
    match (whole, rest) {
        ([four], []) => Ok([None, Some(*four), None]),
        ([three, four, five], []) => Ok([Some(*three), Some(*four), Some(*five)]),
        _ => Err(Failure::BadInput(format!(
            "{} holds no pools: it wants 768 or 256 bytes, or their hexadecimal digits",
            path.display()
        ))
        .into()),
    }
}

/// Pairs from letters, the first being number `first` of the round, from 0.
fn pieces(text: &str, first: u32) -> Result<Vec<SeenPair>, Failure> {
    let color = |letter: char| match letter.to_ascii_uppercase() {
        'R' => Some(Some(Color(0))),
        'Y' => Some(Some(Color(1))),
        'G' => Some(Some(Color(3))),
        'P' => Some(Some(Color(4))),
        'B' => Some(Some(Color(5))),
        '?' => Some(None),
        _ => None,
    };
    let words = text.split([' ', ',', ';', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    (first..)
        .zip(words)
        .map(|(deal_index, word)| {
            let letters: Option<Vec<_>> = word.chars().map(color).collect();
            match letters.as_deref() {
                Some(&[axis, child]) => Ok(SeenPair { deal_index, axis, child }),
                _ => Err(Failure::BadInput(format!(
                    "{word:?} (pair {} of --pieces) is no pair: two of R Y G P B, ? for what was not seen",
                    deal_index - first + 1
                ))),
            }
        })
        .collect()
}
