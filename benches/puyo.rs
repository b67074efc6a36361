//! Chains on one core, compared with the best public simulator: `cargo bench --bench puyo`
//!
//! The public figures are those of reference (performance) 2, measured on a machine of this kind: nova, with
//! score, 411 ns for the board of nineteen steps and 13.4 ns for a board of random play.
#![allow(clippy::expect_used, clippy::cast_precision_loss, missing_docs)]

use nextscope::puyo::{COLUMNS, Cell, Field, Fired, Rules, Simulator, field_from_rows, reference};
use nextscope_boards::{Color, Vectors};
use std::hint::black_box;
use std::time::{Duration, Instant};

const KNOWN: [&str; 13] = [
    ".G.BRG", "GBRRYR", "RRYYBY", "RGYRBR", "YGYRBY", "YGBGYR", "GRBGYR", "BRBYBY", "RYYBYY", "BRBYBR",
    "BGBYRR", "YGBGBG", "RBGBGG",
];
const BOARDS: usize = 16_384;
/// Number of boards copied and played at a time, as a search does with the successors of a board.
const BLOCK: usize = 512;

/// Random play with four colours; the pair that just fell has not popped yet.
fn random_play() -> Vec<Field> {
    let mut state = 0x1234_5678_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(((state >> 33) * below) >> 31).expect("small")
    };
    let (mut field, mut played) = (Field::default(), Vec::with_capacity(BOARDS));
    while played.len() < BOARDS {
        let column = random(COLUMNS as u64);
        let other = [column, column + 1, column, column.wrapping_sub(1)][random(4)];
        if other >= COLUMNS {
            continue;
        }
        let mut drop = |column| field.drop(column, Cell::Puyo(Color::PAIR_COLORS[random(4)]));
        let fits = drop(column) && drop(other);
        if !fits || (0..COLUMNS).any(|column| field.height(column) > 12) {
            field = Field::default();
            continue;
        }
        played.push(field);
        reference::fire(&mut field, Rules::TSU);
    }
    played
}

/// The median time of this many runs, in nanoseconds.
fn each(of: u32, mut act: impl FnMut()) -> f64 {
    let mut taken: Vec<Duration> = (0..31)
        .map(|_| {
            let began = Instant::now();
            act();
            began.elapsed()
        })
        .collect();
    taken.sort_unstable();
    taken[15].as_secs_f64() * 1e9 / f64::from(of)
}

fn print_result(what: &str, nanoseconds: f64, limit: f64, peer: f64) {
    println!(
        "{what}: {nanoseconds:.1} ns, {:.2} of the limit ({limit} ns); the best public one takes {peer} ns: {:.1} times as long",
        nanoseconds / limit,
        peer / nanoseconds
    );
}

fn main() {
    let known = field_from_rows(&KNOWN).expect("a board");
    let boards = random_play();
    let count = u32::try_from(BOARDS).expect("small");
    let (mut copies, mut fired) = ([Field::default(); BLOCK], vec![Fired::default(); BOARDS]);
    for vectors in Vectors::all() {
        let (name, simulator) = (vectors.name(), Simulator::with(Rules::TSU, vectors));
        let limits = if name == "AVX-512" { [250.0, 5.0] } else { [350.0, 7.0] };
        let mut copy = known;
        assert_eq!(simulator.fire(&mut copy), Fired { chain: 19, score: 175_080 });
        let taken = each(10_000, || {
            for _ in 0..10_000 {
                let mut field = black_box(known);
                black_box(simulator.fire(&mut field));
            }
        });
        print_result(&format!("{name}: the chain of nineteen"), taken, limits[0], 411.0);
        let taken = each(count, || {
            for (boards, fired) in boards.chunks(BLOCK).zip(fired.chunks_mut(BLOCK)) {
                copies.copy_from_slice(boards);
                simulator.fire_each(black_box(&mut copies), fired);
            }
            black_box(&fired);
        });
        print_result(&format!("{name}: a board of random play"), taken, limits[1], 13.4);
    }
    let still = fired.iter().filter(|fired| fired.chain == 0).count();
    let points: u64 = fired.iter().map(|fired| u64::from(fired.score)).sum();
    println!(
        "{BOARDS} boards of random play: {:.1} % do not pop, {points} points",
        still as f64 / BOARDS as f64 * 100.0
    );
    let taken = each(count, || {
        for board in &boards {
            let mut field = *board;
            black_box(reference::fire(&mut field, Rules::TSU));
        }
    });
    println!("the plain version: {taken:.0} ns a board");
}
