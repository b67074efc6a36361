//! The cost of the full search for the state of a round of Puyo Puyo Tsu and of Mean Bean Machine, compared with
//! its limits and, for Tsu, with the plain version.
//!
//! After criterion's own figures a table is printed: nanoseconds of one core for each state with every
//! instruction set of this machine, the resulting time for all 2^32 states on all cores, the plain version in
//! the same run, and one complete search each.

#![allow(clippy::expect_used, clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, Throughput};
use nextscope::games::mean_bean;
use nextscope::games::puyo_tsu::seeds::{
    Effort, Observations, ObservedPair, Query, classes, find, find_in_range, find_reference, walk_back,
};
use nextscope::games::puyo_tsu::{Level, Setup, Shuffle, State, generate};
use nextscope::pairs::PartialPair;
use nextscope::task::Progress;
use nextscope_boards::Vectors;
use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The planted state, outside the timed ranges.
const PLANTED: State = State(0x8765_4321);

/// States in a timed range, and in one for the plain version.
const RANGE: u64 = 1 << 24;
const PLAIN_RANGE: u32 = 1 << 18;

/// A search: its name, the query, and the seconds that the complete search may take on two cores with AVX-512, and without.
fn queries() -> [(&'static str, Query, [f64; 2]); 3] {
    let round = generate(PLANTED, Setup::VERSUS);
    let pools = round.pools.map(|pool| pool.expect("versus makes all three"));
    let mut pool = Observations { color_set: Some(round.color_set), ..Observations::empty(Setup::VERSUS) };
    pool.pools[1] = Some(pools[1].map(Some));
    let pairs = dealt(Observations::empty(Setup::VERSUS), 0..10);
    let query = |observations: &Observations| Query::new(observations).expect("a real round");
    [
        ("colour set and 4-colour pool", query(&pool), [1.2; 2]),
        ("10 pairs", query(&pairs), [3.0; 2]),
        ("11 pairs of five colours", query(&story(0)), [10.0, 16.0]),
    ]
}

/// These pairs of the planted state's round.
fn dealt(mut observed: Observations, deals: Range<u32>) -> Observations {
    let pools = generate(PLANTED, observed.setup).pools.map(|pool| pool.unwrap_or([0; 256]));
    let dealer = observed.dealer();
    observed.pairs = deals
        .map(|deal_index| {
            let pair = dealer.pair(&pools, deal_index).expect("the level has a pool");
            ObservedPair { deal_index, axis: Some(pair.axis), child: Some(pair.child) }
        })
        .collect();
    observed
}

/// Eleven pairs of the story from rank 2 on: any colour set can be theirs.
fn story(first: u32) -> Observations {
    dealt(Observations::empty(Setup { mode: 0, rank: 2, ..Setup::VERSUS }), first..first + 11)
}

/// Eleven pairs of level 4 in versus from the 21st on: they are of a later shuffle, and those before it have to be gone through.
fn late_in_versus(shuffle: Shuffle) -> Observations {
    let observed = Observations::empty(Setup { shuffle, ..Setup::VERSUS });
    dealt(Observations { level: Level(4), ..observed }, 20..31)
}

/// Five colours with other pairs known than the first: what is different, the query, and the seconds that it may take with AVX-512, and
/// without. Less than all of the first pairs may take twice as long, and no question longer than 30 s.
fn other_queries() -> [(&'static str, Query, [f64; 2]); 6] {
    let (mut few, mut halves, mut unordered) = (story(0), story(0), story(0));
    few.pairs.truncate(4);
    halves.pairs.iter_mut().step_by(2).for_each(|pair| pair.axis = None);
    unordered.unordered = true;
    let partial = [20.0, 30.0];
    let questions = [
        ("the first 4 pairs", few, partial),
        ("every second with an unknown half", halves, partial),
        ("unordered", unordered, partial),
        ("from the 21st on", story(20), partial),
        ("versus, from the 21st on", late_in_versus(Shuffle::SharedIndexStream), [30.0; 2]),
        ("the same with three shuffles", late_in_versus(Shuffle::ThreeShuffles), [30.0; 2]),
    ];
    questions.map(|(name, observed, limits)| (name, Query::new(&observed).expect("a real round"), limits))
}

fn median(times: usize, mut act: impl FnMut()) -> Duration {
    let mut taken: Vec<Duration> = (0..times)
        .map(|_| {
            let began = Instant::now();
            act();
            began.elapsed()
        })
        .collect();
    taken.sort_unstable();
    taken[times / 2]
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut group = criterion.benchmark_group("states of Tsu, one core");
    for (name, query, _) in queries() {
        for vectors in Vectors::all() {
            group.throughput(Throughput::Elements(RANGE));
            group.bench_function(format!("{name}, {}", vectors.name()), |b| {
                b.iter(|| find_in_range(&query, 0, RANGE, vectors, &Progress::default()));
            });
        }
        group.throughput(Throughput::Elements(u64::from(PLAIN_RANGE)));
        group.bench_function(format!("{name}, plain version"), |b| {
            b.iter(|| find_reference(&query, 0, PLAIN_RANGE));
        });
    }
    group.finish();
    let round = generate(PLANTED, Setup::VERSUS);
    let all_pools = Observations {
        color_set: Some(round.color_set),
        pools: round.pools.map(|pool| Some(pool?.map(Some))),
        ..Observations::empty(Setup::VERSUS)
    };
    let all_pools = Query::new(&all_pools).expect("a real round");
    criterion.bench_function("walking back from the state afterwards", |b| {
        b.iter(|| walk_back(black_box(round.after), &all_pools));
    });
    criterion.final_summary();

    println!("\none core, {RANGE} states one by one (the complete search tries 56 % of them):");
    for (name, query, limits) in queries() {
        let plain = median(3, || drop(black_box(find_reference(&query, 0, PLAIN_RANGE))));
        let plain = plain.as_secs_f64() / f64::from(PLAIN_RANGE);
        let all = 2f64.powi(32);
        println!("{name}: plain version {:.2} ns a state, {:.0} s for all", plain * 1e9, plain * all);
        for vectors in Vectors::all() {
            let taken =
                median(5, || drop(black_box(find_in_range(&query, 0, RANGE, vectors, &Progress::default()))));
            #[expect(clippy::cast_precision_loss, reason = "2^24")]
            let each = taken.as_secs_f64() / RANGE as f64;
            println!(
                "  {:8} {:.3} ns a state, {:.0} times the plain version",
                vectors.name(),
                each * 1e9,
                plain / each
            );
        }
        for vectors in Vectors::all() {
            let effort = Effort { vectors, ..Effort::default() };
            let limit = limits[usize::from(vectors.name() != "AVX-512")];
            let began = Instant::now();
            let found = find(&query, effort, &Progress::default()).expect("it is not cancelled");
            let taken = began.elapsed().as_secs_f64();
            assert!(found.states.contains(&PLANTED), "the planted state is found");
            let answer = classes(&found.states, query.setup(), query.dealer());
            println!(
                "  all 2^32, {} on {} threads: {taken:.2} s, {:.2} of the limit of {limit} s, {:.0} times faster than the plain version on as many; {} states, {} games",
                vectors.name(),
                effort.threads,
                taken / limit,
                plain * all / effort.threads.get() as f64 / taken,
                found.states.len(),
                answer.classes.len()
            );
        }
    }
    println!("\nfive colours, other pairs known, all 2^32 on all cores:");
    for (name, query, limits) in other_queries() {
        for vectors in Vectors::all() {
            let effort = Effort { vectors, ..Effort::default() };
            let limit = limits[usize::from(vectors.name() != "AVX-512")];
            let began = Instant::now();
            let found = find(&query, effort, &Progress::default()).expect("it is not cancelled");
            let taken = began.elapsed().as_secs_f64();
            assert!(found.states.contains(&PLANTED) || !found.complete, "the planted state is found");
            println!(
                "  {name}, {}: {taken:.1} s, {:.2} of the limit of {limit} s",
                vectors.name(),
                taken / limit
            );
        }
    }
    mean_bean_machine();
}

/// All 2^28 states of Mean Bean Machine, from nothing but pairs of the second shuffle, or of both: the most work.
fn mean_bean_machine() {
    use mean_bean::seeds::{Observations, Query, find};
    use mean_bean::{Level, Setup, State, generate};
    const PLANTED: State = State(0x3DC9_3DDA);
    const LIMIT: f64 = 1.0;
    println!("\nMean Bean Machine, all 2^28 states on all cores, limit {LIMIT} s:");
    // The first pair and how many, and every which pair has an unknown half.
    for (first, count, holes) in [(4, 8, None), (4, 3, None), (4, 8, Some(2)), (2, 8, None)] {
        for (unordered, relabel) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut observed =
                Observations { unordered, relabel, ..Observations::empty(Setup::VERSUS, Level(2)) };
            let pools = generate(PLANTED, observed.setup).pools;
            observed.pairs = (first..first + count)
                .map(|number| {
                    let pair = observed.dealer().pair(&pools, number).expect("versus has pools");
                    let mut pair = PartialPair::from(pair);
                    if holes.is_some_and(|holes| number % holes == 0) {
                        pair.axis = None;
                    }
                    (number, pair)
                })
                .collect();
            let query = Query::new(&observed).expect("a real round");
            let times: Vec<String> = Vectors::all()
                .into_iter()
                .map(|vectors| {
                    let began = Instant::now();
                    let found =
                        find(&query, vectors, &Progress::default(), None).expect("it is not cancelled");
                    let taken = began.elapsed().as_secs_f64();
                    assert!(found.states.contains(&PLANTED) || !found.complete, "the planted state is found");
                    format!("{} {taken:.2} s, {:.2} of the limit", vectors.name(), taken / LIMIT)
                })
                .collect();
            println!(
                "  {count} pairs from {}{}{}{}: {}",
                first + 1,
                if holes.is_some() { ", unknown halves" } else { "" },
                if unordered { ", unordered" } else { "" },
                if relabel { ", renamed" } else { "" },
                times.join("; ")
            );
        }
    }
}
