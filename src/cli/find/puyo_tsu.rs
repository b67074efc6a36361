//! `find puyo-tsu`: the states before a round from its pools, pairs, a RAM dump or the state afterwards.

use crate::cli::arguments::{Global, parse_state};
use crate::cli::exit::{Exit, Failure};
use crate::cli::generate::Mode;
use crate::cli::progress::ProgressLine;
use crate::cli::{files, interrupt, output, ram_file};
use crate::file::TEXT_LIMIT;
use crate::games::puyo_tsu::live::observe;
use crate::games::puyo_tsu::seeds::{
    Effort, FoundStates, Impossible, MAX_COMPARED, Method, Observations, ObservedPair, Query, Report,
    classes, color_set_of, find_streaming, walk_back,
};
use crate::games::puyo_tsu::{
    Color, Dealing, Level, POOL_LEN, PoolId, Setup, Shuffle, State, flaws, looks_generated,
};
use crate::json::Kind;
use crate::task::Progress;
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
    /// Pools as in RAM: 768 bytes (3-, 4- and 5-colour pool) or 256 (the 4-colour pool), raw or as hexadecimal text in which
    /// ?? is an unknown byte
    #[arg(long, value_name = "FILE", conflicts_with = "dump")]
    pools: Option<PathBuf>,
    /// Colour set: 8 bytes or the first 5, such as 0400050301
    #[arg(long, value_name = "HEX", conflicts_with = "dump")]
    color_set: Option<String>,
    /// Observed pairs in order, axis first, such as "RB GG ?Y" of R Y G P B; ? is unknown
    #[arg(long, value_name = "PAIRS", conflicts_with = "dump")]
    pieces: Option<String>,
    /// Axis and child of each pair may be exchanged
    #[arg(long, requires = "pieces")]
    unordered: bool,
    /// Number of the first of these pairs in the round
    #[arg(long, default_value_t = 1, value_name = "N", requires = "pieces", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    at: u32,
    /// Take colour set, pools and state from a dump of work RAM (65,536 bytes), a save state or a recording
    #[arg(long, value_name = "RAM", conflicts_with = "after")]
    dump: Option<PathBuf>,
    /// Frame to read, if the dump is a recording [default: the first]
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// State right after the round was generated; the state before it is computed without a search
    #[arg(long, value_name = "STATE")]
    after: Option<String>,
    /// Level of the player of the observed pairs, which selects the pool in versus [default: 3]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=5))]
    level: Option<u8>,
    /// Game mode, which decides which pools are generated
    #[arg(long, value_enum, default_value_t = Mode::Versus, conflicts_with = "dump")]
    mode: Mode,
    /// Story rank; 2 and above have five colours
    #[arg(long, default_value_t = 0, conflicts_with = "dump")]
    rank: u8,
    /// Number of puyos that form a group (option menu)
    #[arg(long, default_value_t = 4, value_name = "N", conflicts_with = "dump")]
    pop_count: u8,
    /// Pool of the first three pairs: the 3-colour pool, as in the disassembled game, or the pool of the level, as on the wiki
    #[arg(long, value_parser = ["first-three-from-pool-3", "all-from-level-pool"], default_value = "first-three-from-pool-3")]
    dealing: String,
    /// Shuffle: one stream of random indices for the 3- and the 5-colour pool, as in the disassembled game, or a separate
    /// shuffle for each pool, as on the wiki
    #[arg(long, value_parser = ["shared-index-stream", "three-shuffles"], default_value = "shared-index-stream")]
    shuffle: String,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Maximum number of states to print
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: usize,
    /// Print the states as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print each state as soon as it is found, one per line, in no order and without --limit, then the summary
    #[arg(long, conflicts_with_all = ["after", "dump"])]
    stream: bool,
}

#[derive(Serialize)]
struct Streamed {
    state: String,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let (observed, after) = match &arguments.dump {
        Some(path) => match from_dump(global, path, arguments)? {
            Some((observed, state)) => (observed, Some(state)),
            None => {
                let what = format!("{}: {}", path.display(), ram_file::NO_KNOWN_GAME);
                return output::negative(global.json, what);
            }
        },
        None => {
            let after = arguments.after.as_deref().map(parse_state).transpose()?.map(State);
            (from_arguments(arguments)?, after)
        }
    };
    let observed = match observed {
        Ok(observed) => observed,
        Err(impossible) => return report_impossible(global, arguments, &impossible),
    };
    let query = match Query::new(&observed) {
        Ok(query) => query,
        Err(impossible) => return report_impossible(global, arguments, &impossible),
    };
    if after.is_none() && query.known_bytes() == 0 {
        let what = "nothing to search for: give --pieces, --pools, --dump or --after";
        return Err(Failure::BadInput(what.into()).into());
    }
    let started = Instant::now();
    let mut effort = Effort::default();
    if let Some(threads) = arguments.threads.and_then(|n| NonZeroUsize::new(n.into())) {
        effort.threads = threads;
    }
    let walked = after.map(|after| walk_back(after, &query)).unwrap_or_default();
    let (found, method) = if arguments.after.is_some() || !walked.is_empty() {
        (FoundStates { states: walked, complete: true, stopped: false }, Method::WalkedBack)
    } else {
        let found = search(global, arguments, &query, effort)?.context("the search was cancelled")?;
        (found, Method::Searched(effort))
    };
    if found.stopped {
        output::note("interrupted before all states were searched");
    }
    let seconds = started.elapsed().as_secs_f64();
    let answer = (found.complete && found.states.len() <= MAX_COMPARED)
        .then(|| classes(&found.states, query.setup(), query.dealer()));
    let report = Report::new(&observed, &query, &found, answer.as_ref(), method, arguments.limit, seconds);
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

/// Reports that no state is possible, and why.
fn report_impossible(
    global: &Global,
    arguments: &Arguments,
    impossible: &Impossible,
) -> anyhow::Result<Exit> {
    let report = Report::impossible(arguments.at, impossible);
    if global.json {
        output::json(&report.object())?;
    } else if arguments.csv {
        output::note(format_args!("no seed produces this: {impossible}"));
    } else {
        output::text(&report.table())?;
    }
    Ok(Exit::Negative)
}

/// Searches all states; with `--stream`, prints each one as it is found. Ctrl+C ends the search with the states found so far.
fn search(
    global: &Global,
    arguments: &Arguments,
    query: &Query,
    effort: Effort,
) -> anyhow::Result<Option<FoundStates>> {
    let stop = interrupt::flag();
    let progress = Progress::default();
    let (sender, states) = channel();
    let sink = arguments.stream.then_some(sender);
    let mut line = ProgressLine::new();
    if arguments.stream && arguments.csv {
        output::line("state")?;
    }
    let (found, printed) = std::thread::scope(|scope| {
        let search = scope.spawn(|| find_streaming(query, effort, &progress, sink.as_ref()));
        let mut printed = Ok(());
        while printed.is_ok() {
            let ended = search.is_finished();
            if stop.load(Ordering::Relaxed) {
                progress.stop();
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
            progress.cancel();
        }
        (search.join(), printed)
    });
    drop(line);
    printed?;
    found.map_err(|_| {
        anyhow::anyhow!("internal error: the search panicked; please report it with the command used")
    })
}

type Input = Result<Observations, Impossible>;

fn from_arguments(arguments: &Arguments) -> anyhow::Result<Input> {
    let mut observed = Observations::empty(Setup {
        mode: u8::from(arguments.mode == Mode::Versus),
        rank: arguments.rank,
        pop_count: arguments.pop_count,
        shuffle: match arguments.shuffle.as_str() {
            "three-shuffles" => Shuffle::ThreeShuffles,
            _ => Shuffle::SharedIndexStream,
        },
    });
    observed.level = Level(arguments.level.unwrap_or(3) - 1);
    observed.dealing = Dealing::from_id(&arguments.dealing).unwrap_or_default();
    observed.unordered = arguments.unordered;
    if let Some(path) = &arguments.pools {
        observed.pools = read_pools(path)?;
        if !observed.setup.is_versus() {
            observed.pools[PoolId::Five.index()] = None; // story mode leaves the pool of an earlier round
        }
    }
    if let Some(text) = &arguments.pieces {
        observed.pairs = parse_pairs(text, arguments.at - 1)?;
    }
    if let Some(text) = &arguments.color_set {
        let bytes = parse_hex(text)
            .and_then(|bytes| bytes.into_iter().collect::<Option<Vec<u8>>>())
            .filter(|bytes| matches!(bytes.len(), 5 | 8))
            .ok_or_else(|| {
                Failure::BadInput(format!(
                    "invalid colour set {text:?}: expected 8 bytes or the first 5, such as 0400050301"
                ))
            })?;
        match color_set_of(&bytes) {
            Ok(set) => observed.color_set = Some(set),
            Err(impossible) => return Ok(Err(impossible)),
        }
    }
    Ok(Ok(observed))
}

/// Colour set, pools and state of a RAM dump; None if no known game is in it.
fn from_dump(global: &Global, path: &Path, arguments: &Arguments) -> anyhow::Result<Option<(Input, State)>> {
    let Some((snapshot, profile)) = ram_file::open(global, path, arguments.frame)? else { return Ok(None) };
    ram_file::require_game(path, &profile, crate::games::puyo_tsu::ID)?;
    let observation = observe(&snapshot, &profile)?;
    let mut setup = observation.setup;
    // Mode and options may have changed since the round started; the pools show what they were.
    if !flaws(observation.color_set, &observation.pools, setup).is_empty()
        && let Some(used) = looks_generated(observation.color_set, &observation.pools)
    {
        setup = Setup { shuffle: setup.shuffle, ..used };
    }
    let mut observed = Observations::empty(setup);
    observed.level = arguments.level.map_or(observation.players[0].level, |level| Level(level - 1));
    observed.dealing = observation.dealing;
    observed.color_set = Some(observation.color_set);
    for id in PoolId::ALL {
        let exists = setup.colors()[id.index()].is_some();
        observed.pools[id.index()] = exists.then(|| observation.pools[id.index()].map(Some));
    }
    Ok(Some((Ok(observed), observation.state)))
}

/// Bytes from hexadecimal digits; ignores white space; `??` is an unknown byte.
fn parse_hex(text: &str) -> Option<Vec<Option<u8>>> {
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

fn read_pools(path: &Path) -> anyhow::Result<KnownPools> {
    let bytes = files::read(path, TEXT_LIMIT)?;
    let known: Vec<Option<u8>> = match bytes.len() {
        POOL_LEN | 768 => bytes.into_iter().map(Some).collect(),
        _ => std::str::from_utf8(&bytes).ok().and_then(parse_hex).unwrap_or_default(),
    };
    let (pools, rest) = known.as_chunks::<POOL_LEN>();
    match (pools, rest) {
        ([four], []) => Ok([None, Some(*four), None]),
        ([three, four, five], []) => Ok([Some(*three), Some(*four), Some(*five)]),
        _ => Err(Failure::BadInput(format!(
            "{}: expected pools of 768 or 256 bytes, raw or as hexadecimal digits",
            path.display()
        ))
        .into()),
    }
}

/// Pairs from letters; the first one has the index `first` in the round.
fn parse_pairs(text: &str, first: u32) -> Result<Vec<ObservedPair>, Failure> {
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
                Some(&[axis, child]) => Ok(ObservedPair { deal_index, axis, child }),
                _ => Err(Failure::BadInput(format!(
                    "invalid pair {word:?} (pair {} of --pieces): expected two of R Y G P B, or ? for unknown",
                    deal_index - first + 1
                ))),
            }
        })
        .collect()
}
