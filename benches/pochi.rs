//! Ignitions on one core, compared with their limits and with the values computed wave by wave: `cargo bench
//! --bench pochi`
//!
//! The limits: one evaluation, under both rules, in 2 microseconds; every needle position of a full board in
//! a millisecond.
#![allow(clippy::expect_used, clippy::cast_precision_loss, missing_docs)]

use nextscope::games::uniform::Uniform;
use nextscope::pochi::{
    Board, Color, Field, GridCell, HEIGHT, Ignition, Rules, Ruleset, Values, WIDTH, evaluate, rank,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The limits, in nanoseconds.
const ONE: f64 = 2_000.0;
const EVERY: f64 = 1_000_000.0;

/// A field with blocks where `is_block` is true, in the colours that `color` chooses.
fn field(is_block: impl Fn(u8, u8) -> bool, mut color: impl FnMut() -> Color) -> Field {
    let mut field = Field::default();
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            if is_block(x, y) {
                field.set(GridCell::new(x, y), Some(color()));
            }
        }
    }
    field
}

/// Full boards of one to four colours, and the shapes with the longest paths and the most tails.
fn boards() -> Vec<(&'static str, Field)> {
    let mut random = Uniform::SplitMix64(7);
    let mut of = |colors: u32| {
        field(|_, _| true, || Color::ALL[usize::try_from(random.below(colors)).expect("small")])
    };
    let four = of(4);
    let (three, two) = (of(3), of(2));
    let blue = || Color::Blue;
    vec![
        ("full, one colour", field(|_, _| true, blue)),
        ("full, two colours", two),
        ("full, three colours", three),
        ("full, four colours", four),
        // Horizontal lines from side to side, joined at alternate ends.
        ("snake", field(|x, y| y % 2 == 0 || x == if y % 4 == 1 { 6 } else { 0 }, blue)),
        ("snake, upright", field(|x, y| x % 2 == 0 || y == if x % 4 == 1 { 11 } else { 0 }, blue)),
        ("comb, lying", field(|x, y| y == 5 || x % 2 == 0, blue)),
        ("comb, upright", field(|x, y| x == 3 || y % 2 == 0, blue)),
        // Merging waves with tails everywhere, each of which has visited nearly everything before it.
        ("ladder", field(|x, y| x == 2 || x == 4 || y % 2 == 0, blue)),
        ("net", field(|x, y| x % 2 == 0 || y % 2 == 0, blue)),
        ("chequered", field(|x, y| (x + y) % 3 != 0, blue)),
    ]
}

/// The median time of this many runs.
fn each(of: u32, mut act: impl FnMut()) -> Duration {
    let mut taken: Vec<Duration> = (0..31)
        .map(|_| {
            let began = Instant::now();
            act();
            began.elapsed() / of
        })
        .collect();
    taken.sort_unstable();
    taken[15]
}

fn nanoseconds(taken: Duration) -> f64 {
    taken.as_secs_f64() * 1e9
}

fn main() {
    let rules = Rules::default();
    let (mut worst, mut worst_all) = (0.0f64, 0.0f64);
    println!(
        "board: the slowest needle, of the limit of {ONE} ns; wave by wave; all needles, of the limit of {EVERY} ns"
    );
    for (name, field) in boards() {
        let board = Board::new(&field).expect("it fits");
        let needles: Vec<(GridCell, Color)> =
            rank(&field, Ruleset::Mvs, rules).iter().map(|one| (one.at, one.color)).collect();
        let one = |(at, color): (GridCell, Color)| {
            nanoseconds(each(200, || {
                for _ in 0..200 {
                    black_box(black_box(&board).needle(black_box(at), color, rules));
                }
            }))
        };
        let reference = |(at, color): (GridCell, Color)| {
            let ignition = Ignition::Needle { at, color: Some(color) };
            let value = |ruleset| evaluate(&field, &ignition, ruleset, rules).expect("good").value;
            Values { mvs: value(Ruleset::Mvs), ps2: value(Ruleset::Ps2) }
        };
        let (slowest, needle) = needles
            .iter()
            .map(|needle| (one(*needle), *needle))
            .max_by(|one, other| one.0.total_cmp(&other.0))
            .expect("a needle");
        assert_eq!(reference(needle), board.needle(needle.0, needle.1, rules));
        let waves = nanoseconds(each(4, || {
            for _ in 0..4 {
                black_box(reference(black_box(needle)));
            }
        }));
        let all = nanoseconds(each(4, || {
            for _ in 0..4 {
                black_box(rank(black_box(&field), Ruleset::Mvs, rules));
            }
        }));
        println!(
            "{name}: {slowest:.0} ns at {}, {:.2} of the limit; wave by wave {waves:.0} ns, {:.0} times as long; {} needles {all:.0} ns, \
             {:.3} of the limit",
            needle.0,
            slowest / ONE,
            waves / slowest,
            needles.len(),
            all / EVERY
        );
        worst = worst.max(slowest);
        worst_all = worst_all.max(all);
    }
    println!(
        "the worst: one evaluation {worst:.0} ns, {:.2} of the limit; all needles {worst_all:.0} ns, {:.3} of the limit",
        worst / ONE,
        worst_all / EVERY
    );
}
