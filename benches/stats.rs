//! The lab on one core: 10 million pieces of every model through the complete accumulator, each compared with
//! the limit of one second. `cargo bench --bench stats`
#![allow(clippy::expect_used, clippy::cast_precision_loss, missing_docs)]

use criterion::{Criterion, Throughput};
use nextscope::games::piece::Dealer;
use nextscope::seeds::pieces::PieceGame;
use nextscope::stats::{Choices, SampleSize, Subject, measure};
use nextscope::task::Progress;
use std::time::{Duration, Instant};

/// Pieces that must be processed in [`LIMIT`], also with the slowest model.
const PIECES: u32 = 10_000_000;
const LIMIT: Duration = Duration::from_secs(1);

fn subjects() -> Vec<Subject> {
    let of_game = |game: &PieceGame| {
        let game = *game;
        game.variants().iter().map(move |&(variant, _)| Subject {
            game,
            variant,
            choices: Choices::default(),
        })
    };
    PieceGame::ALL.iter().flat_map(of_game).collect()
}

fn run(subject: &Subject, pieces: u32) {
    let sample = SampleSize { seeds: 1..=1, pieces };
    let measured = measure(std::slice::from_ref(subject), &sample, &Progress::default());
    assert!(std::hint::black_box(measured).is_ok(), "it is not cancelled");
}

fn main() {
    // One seed is one part, so that a single core does all the work.
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut group = criterion.benchmark_group("lab, one core");
    group.throughput(Throughput::Elements(1_000_000));
    for name in ["tetris-worlds", "tgm3", "bounded"] {
        let subject = Subject::parse(name, Choices::default()).expect("a model");
        group.bench_function(name, |b| b.iter(|| run(&subject, 1_000_000)));
    }
    group.finish();
    criterion.final_summary();

    println!("\n{PIECES} pieces of one seed, dealt and measured on one core:");
    let mut slowest = (Duration::ZERO, String::new());
    for subject in subjects() {
        let began = Instant::now();
        run(&subject, PIECES);
        let taken = began.elapsed();
        let alone = subject.game.dealer(subject.variant, 1, Default::default()).map(|mut dealer| {
            let began = Instant::now();
            for _ in 0..PIECES {
                std::hint::black_box(dealer.deal());
            }
            began.elapsed()
        });
        println!(
            "{:26} {:.3} s, {:.2} of the limit; dealing alone {:.3} s",
            subject.label(),
            taken.as_secs_f64(),
            taken.as_secs_f64() / LIMIT.as_secs_f64(),
            alone.unwrap_or_default().as_secs_f64()
        );
        slowest = slowest.max((taken, subject.label()));
    }
    println!("slowest: {}, {:.2} of the limit", slowest.1, slowest.0.as_secs_f64() / LIMIT.as_secs_f64());
}
