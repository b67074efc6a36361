//! Route quality per time, compared with the best public search, and placements per second.
//!
//! The games are those that the public search was measured on: 20 seeds of the 20th Anniversary's pool of
//! four colours, 40 pairs, empty board. Its figures (one core of this kind of machine, quiet): mean 131,072
//! points and chain 15.55 in 1.95 s a game, 143,918 and 16.50 in 7.25 s, 153,858 and 17.00 in 35 s; 0.9 to
//! 1.3 million placements a second (reference, performance 2).

#![allow(clippy::expect_used)]

use nextscope::games::puyo_20th::generate;
use nextscope::puyo::Rules;
use nextscope::route::{Goal, Limits, Start, plan};
use nextscope_boards::{PoolId, Vectors};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Games to plan: all 20, or only the first ones.
fn games() -> u16 {
    std::env::var("GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(20)
}

/// The start of one of the 20 games.
fn start(nth: u16) -> Start {
    let round = generate(nth.wrapping_mul(0xCCD));
    let pairs = (0..40).map(|number| round.pair(PoolId::Four, number).expect("128 pairs")).collect();
    Start::empty(pairs, Rules::TWENTIETH)
}

/// Placements per second on one core with each instruction set, compared with the widest.
fn measure_vectors(games: u16) {
    let mut widest = None;
    for vectors in Vectors::all() {
        let limits = Limits { time: None, width: 4000, threads: 1, vectors, ..Limits::default() };
        let (mut nodes, mut time) = (0, Duration::ZERO);
        for nth in 0..games {
            let outcome = plan(&start(nth), Goal::Chain, &limits, &AtomicBool::new(false), &mut |_| {});
            let outcome = outcome.expect("a plan");
            nodes += outcome.nodes;
            time += outcome.time;
        }
        #[expect(clippy::cast_precision_loss, reason = "to be read")]
        let rate = nodes as f64 / time.as_secs_f64() / 1e6;
        let share = rate / *widest.get_or_insert(rate);
        let name = vectors.name();
        println!(
            "route, {name}: {rate:.2} million placements a second, {share:.2} of the widest (AVX2: limit 0.70)"
        );
    }
}

fn measure(seconds: f64, threads: usize, games: u16, target: (u32, f64), peer: &str) {
    let limits = Limits { time: Some(Duration::from_secs_f64(seconds)), threads, ..Limits::default() };
    let (mut points, mut steps, mut allowed, mut nodes, mut time, mut longest) = (0, 0, 0, 0, 0.0, 0.0_f64);
    for nth in 0..games {
        let start = start(nth);
        allowed += start.chain_limit();
        let outcome = plan(&start, Goal::Chain, &limits, &AtomicBool::new(false), &mut |_| {});
        let outcome = outcome.expect("a plan");
        let route = outcome.route.expect("a chain");
        points += route.longest().map_or(0, |step| step.fired.score);
        steps += route.chain;
        nodes += outcome.nodes;
        time += outcome.time.as_secs_f64();
        longest = longest.max(outcome.time.as_secs_f64());
    }
    let games = f64::from(games);
    let (points, steps, allowed) =
        (f64::from(points) / games, f64::from(steps) / games, f64::from(allowed) / games);
    #[expect(clippy::cast_precision_loss, reason = "to be read")]
    let rate = nodes as f64 / time / 1e6;
    println!(
        "route {seconds:4.0} s, {threads} thread(s), {games} games: mean {points:7.0} points ({:.2} of the target {}), \
         chain {steps:.2} ({:.2} of the target {}; the colours allow {allowed:.2}); \
         {:.2} s a game, at most {longest:.2}; {rate:.2} million placements a second; {peer}",
        points / f64::from(target.0),
        target.0,
        steps / target.1,
        target.1,
        time / games,
    );
}

fn main() {
    // `cargo test --benches` only checks that it runs.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let games = games();
    measure_vectors(games.div_ceil(4));
    measure(2.0, 1, games, (160_000, 16.0), "public search 131,072 and 15.55 in 1.95 s");
    measure(7.0, 1, games, (152_000, 17.0), "public search 143,918 and 16.50 in 7.25 s");
    measure(3.0, 2, games, (150_000, 17.0), "two cores");
    measure(5.0, 2, games, (165_000, 17.0), "two cores");
    measure(10.0, 2, games, (165_000, 18.0), "two cores");
    // A quarter of the games: all of them take ten or twenty minutes.
    measure(30.0, 1, games.div_ceil(4), (160_000, 17.0), "public search 153,858 and 17.00 in 35 s");
    measure(60.0, 2, games.div_ceil(4), (165_000, 18.4), "two cores");
}
