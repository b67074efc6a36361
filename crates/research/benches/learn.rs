//! Learning from made-up games: how many rules are right, how many are called certain, and how long it takes.
//!
//! `cargo bench -p nextscope-research --bench learn [-- PART_OF_A_NAME] [SEED]` learns every game of the catalogue of the tests, in both byte
//! orders, from 40 deals; then 200 games by rules that the language does not have. It fails if a wrong rule is called certain.

#[allow(clippy::cast_possible_truncation, dead_code, reason = "shared with the tests")]
#[path = "../src/learn/tests/catalog.rs"]
mod catalog;
#[allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "shared with the tests"
)]
#[path = "../src/learn/tests/games.rs"]
mod games;

/// What the shared files take from the crate that they are tests of.
mod learn {
    pub use nextscope_research::learn::*;
}
mod source {
    pub use nextscope_research::Address;
}

use games::{Game, is_right};
use learn::{Verdict, learn};
use nextscope_task::Progress;
use std::process::ExitCode;
use std::time::Instant;

/// Games by rules that the language does not have.
const OUTSIDE: u64 = 200;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let seed = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(1000);
    let part = arguments.iter().find(|argument| argument.parse::<u64>().is_err());
    let games = catalog::catalog_from(seed).into_iter();
    let games: Vec<Game> =
        games.filter(|game| part.is_none_or(|part| game.name.contains(part.as_str()))).collect();
    let (mut right, mut certain, mut wrong, mut longest) = (0, 0, 0, 0.0_f64);
    for game in &games {
        let (is_right, is_certain, seconds, verdict) = measure(game);
        (right, certain) = (right + u32::from(is_right), certain + u32::from(is_certain));
        wrong += u32::from(is_certain && !is_right);
        longest = longest.max(seconds);
        let word = if is_right { "right" } else { "wrong" };
        println!("{:<40} {:?}-endian  {word}  {seconds:5.2} s  {verdict:?}", game.name, game.order);
    }
    println!("{right} of {} are right, {certain} are certain, at most {longest:.2} s each", games.len());
    if part.is_none() {
        let started = Instant::now();
        let called = catalog::outside(OUTSIDE).iter().filter(|game| measure(game).1).count();
        wrong += u32::try_from(called).unwrap_or(u32::MAX);
        println!(
            "{called} of {OUTSIDE} rules outside of the language are called certain, {:.0} s",
            started.elapsed().as_secs_f64()
        );
    }
    if wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether the rule is right, whether it is called certain, and the seconds.
fn measure(game: &Game) -> (bool, bool, f64, Verdict) {
    let played = game.play();
    let started = Instant::now();
    let Ok(report) = learn(&played.series, &played.observed, &Progress::default()) else {
        return (false, false, 0.0, Verdict::None);
    };
    let seconds = started.elapsed().as_secs_f64();
    (is_right(&report, &played), report.is_certain(), seconds, report.verdict)
}
