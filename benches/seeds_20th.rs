//! The games of Puyo Puyo!! 20th Anniversary: all games, one query, and the complete command, each compared
//! with its limit.
//!
//! After criterion's own figures a table is printed: median wall times, processor time where threads are
//! used, and the ratio to the plain generator measured in the same run. The command is the binary that cargo
//! built for this bench.

#![allow(clippy::expect_used, clippy::unwrap_used, missing_docs)]

use criterion::Criterion;
use nextscope::games::puyo_20th::seeds::{
    GAMES, Narrowing, PartialPair, Query, Rounds, Table, every_round, search, upcoming,
};
use nextscope::games::puyo_20th::{PoolId, Round, Seed, generate};
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// All games with their three pools, on two processors.
const ALL_GAMES: Duration = Duration::from_millis(60);
/// A query of eight pairs with a warm table.
const WARM: Duration = Duration::from_micros(5);
/// `find puyo-20th` with eight pairs, from process start to exit.
const COMMAND: Duration = Duration::from_millis(30);

/// Consumes every byte of a game, so that the optimizer removes none of it.
fn digest(round: &Round) -> u64 {
    let words = round.pools.iter().flat_map(|pool| pool.as_chunks::<8>().0);
    words.fold(u64::from(round.after.0), |sum, word| sum.rotate_left(5) ^ u64::from_le_bytes(*word))
}

fn plain() -> u64 {
    (0..=Seed::MAX).map(|seed| digest(&generate(seed))).fold(0, u64::wrapping_add)
}

fn on_one_core() -> u64 {
    Rounds::between(0, Seed::MAX).map(|round| digest(&round)).fold(0, u64::wrapping_add)
}

fn on_all_cores() -> u64 {
    every_round(|rounds| rounds.map(|round| digest(&round)).fold(0, u64::wrapping_add))
        .into_iter()
        .fold(0, u64::wrapping_add)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn timed<T>(times: usize, mut act: impl FnMut() -> T) -> Duration {
    let once = |_| {
        let began = Instant::now();
        black_box(act());
        began.elapsed()
    };
    median((0..times).map(once).collect())
}

/// Processor time of this process's threads so far (Linux; zero elsewhere): more stable than wall time on a
/// shared machine.
fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanos = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

fn line(what: &str, time: Duration, limit: Duration) {
    let verdict = if time <= limit { "within" } else { "OVER" };
    println!("{what:58} {time:>10.2?}  {verdict} {limit:?}");
}

/// The first pairs of a game as a player sees them.
fn dealt_pairs(seed: Seed, pool: PoolId, count: u32) -> Vec<PartialPair> {
    let pairs = upcoming(seed, pool, 0, count).1;
    pairs.into_iter().map(|pair| PartialPair { axis: Some(pair.axis), child: Some(pair.child) }).collect()
}

/// Eight pairs of the 4-colour pool of some games, in one of four query modes.
fn queries(relabel: bool, unordered: bool, count: u32) -> Vec<Query> {
    let games = (0..64u16).map(|n| n.wrapping_mul(40_503));
    games
        .map(|seed| {
            let pairs = dealt_pairs(seed, PoolId::Four, count);
            Query { relabel, unordered, ..Query::sequence(PoolId::Four, 0, &pairs) }
        })
        .collect()
}

const KINDS: [(&str, bool, bool); 4] = [
    ("real colours, in order", false, false),
    ("real colours, either order", false, true),
    ("colours by name only, in order", true, false),
    ("colours by name only, either order", true, true),
];

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    assert_eq!(plain(), on_one_core());
    assert_eq!(plain(), on_all_cores());
    criterion.bench_function("all games, plain", |b| b.iter(plain));
    criterion.bench_function("all games, one core", |b| b.iter(on_one_core));
    criterion.bench_function("all games, all cores", |b| b.iter(on_all_cores));

    let table = Table::new();
    table.warm(PoolId::Four, 0..16);
    for (name, relabel, unordered) in KINDS {
        let queries = queries(relabel, unordered, 8);
        let mut turn = queries.iter().cycle();
        criterion.bench_function(&format!("warm query of 8 pairs: {name}"), |b| {
            b.iter(|| search(&table, turn.next().expect("a query")));
        });
    }
    criterion.bench_function("16 pairs of the 4-colour pool of all games, from nothing", |b| {
        b.iter(|| Table::new().warm(PoolId::Four, 0..16));
    });
    criterion.final_summary();
    table_of_limits(&table);
}

fn table_of_limits(table: &Table) {
    println!("\nMedians beside their limits\n");
    let before = processor_time();
    let slow = timed(9, plain);
    let slow_cpu = (processor_time() - before) / 9;
    let before = processor_time();
    let one = timed(9, on_one_core);
    let one_cpu = (processor_time() - before) / 9;
    let before = processor_time();
    let fast = timed(15, on_all_cores);
    let fast_cpu = (processor_time() - before) / 15;
    println!(
        "all games, plain generator: {slow:.2?} (processor {slow_cpu:.2?}, {:.2?} a game)",
        slow_cpu.div_f64(GAMES as f64)
    );
    println!("all games, side by side, one core: {one:.2?} (processor {one_cpu:.2?})");
    line("all games, side by side, all cores", fast, ALL_GAMES);
    println!(
        "  processor {fast_cpu:.2?}; {:.1} times the plain generator in wall time, {:.1} in processor time",
        slow.as_secs_f64() / fast.as_secs_f64(),
        slow_cpu.as_secs_f64() / fast_cpu.as_secs_f64()
    );

    for (name, relabel, unordered) in KINDS {
        for count in [1, 2, 3, 4, 8] {
            let queries = queries(relabel, unordered, count);
            let each = timed(31, || {
                queries.iter().map(|q| search(table, q).expect("possible").seeds.len()).sum::<usize>()
            });
            line(&format!("warm query, {count} pairs: {name}"), each.div_f64(queries.len() as f64), WARM);
        }
    }
    let pairs = dealt_pairs(0x6119, PoolId::Four, 8);
    let mut typed = Narrowing::new(table, Query::sequence(PoolId::Four, 0, &pairs[..7]));
    let step = timed(1001, || {
        typed.push(pairs[7]);
        typed.pop()
    });
    line("one pair typed, of eight", step / 2, WARM);

    let text = pairs.iter().map(|pair| pair.letters()).collect::<Vec<_>>().join(" ");
    for extra in [&[][..], &["--relabel"], &["--relabel", "--unordered"]] {
        let run = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
            command.args(["find", "puyo-20th", "--pieces", &text, "--json"]).args(extra);
            let done =
                command.stdout(Stdio::piped()).stderr(Stdio::null()).output().expect("the command runs");
            assert!(String::from_utf8_lossy(&done.stdout).contains("0x6119"));
        };
        line(&format!("find puyo-20th, 8 pairs, whole command {}", extra.join(" ")), timed(21, run), COMMAND);
    }
    let floor = timed(21, || {
        Command::new(env!("CARGO_BIN_EXE_nextscope"))
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .expect("it runs")
    });
    println!("  of which starting the process and doing nothing (--version): {floor:.2?}");
}
