//! What attaching and sampling cost, beside the limit: one whole read of the console's RAM.
//!
//! After criterion's own figures a table is printed with the ratio to that limit, measured in the same run, and the median
//! attach time for every emulator that is installed (`tests/install-emulators all`).

#![allow(clippy::expect_used, clippy::unwrap_used, missing_docs)]

#[path = "../tests/emulators/mod.rs"]
mod emulators;

use criterion::Criterion;
use emulators::{Config, Kind, Running};
use nextscope::emulator::{Found, Outcome, find};
use nextscope::live::Totals;
use nextscope::live::puyo_tsu::{Verifier, forecast, observe};
use nextscope::profile::{Library, Profile};
use nextscope::seeds::puyo_tsu::{Progress, Target, Vectors, search_range};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn profiles() -> Vec<Arc<Profile>> {
    Library::built_in().profiles().to_vec()
}

fn found(running: &Running) -> Box<Found> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Outcome::Found(found) = find(running.pid(), &profiles()).outcome {
            return found;
        }
        assert!(Instant::now() < deadline, "{} is not found", running.kind.name());
    }
}

/// A whole read of RAM into a buffer that is there: nobody can sample for less.
fn whole_read(found: &Found, buffer: &mut [u8]) {
    found.process.read_exact(found.ram.base, buffer).expect("RAM is readable");
}

/// One sample as the sampler takes it, without publishing it.
struct Sampling<'a> {
    found: &'a Found,
    verifier: Verifier,
    totals: Totals,
    frame: u64,
}

impl<'a> Sampling<'a> {
    fn new(found: &'a Found) -> Self {
        Self { found, verifier: Verifier::default(), totals: Totals::default(), frame: 0 }
    }

    fn sample(&mut self) {
        self.frame += 1;
        let snapshot = self.found.ram.snapshot().expect("RAM is readable");
        let seen = Arc::new(observe(&snapshot, &self.found.profile).expect("all fields are there"));
        black_box(self.verifier.step(&seen, self.frame, None, &mut self.totals));
        black_box(forecast(&seen, self.verifier.pools_setup(), None));
        black_box(self.verifier.verdict());
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn timed(times: usize, mut act: impl FnMut()) -> Duration {
    median(
        (0..times)
            .map(|_| {
                let began = Instant::now();
                act();
                began.elapsed()
            })
            .collect(),
    )
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(50);
    let running = Kind::Embedded.start(&Config { frames_per_deal: [40, 56], ..Config::default() }.rom());
    let place = found(&running);
    std::thread::sleep(Duration::from_secs(2)); // into the first round
    let mut buffer = vec![0; place.ram.domain.len as usize];
    criterion.bench_function("one whole read of 64 KiB (the limit)", |b| {
        b.iter(|| whole_read(&place, &mut buffer));
    });
    let mut sampling = Sampling::new(&place);
    criterion.bench_function("one sample: read, order, observe, verify, forecast", |b| {
        b.iter(|| sampling.sample());
    });
    let target = unrelated();
    criterion.bench_function("2^20 of the 2^32 states", |b| {
        b.iter(|| search_range(&target, 0, 1 << 20, Vectors::widest(), &Progress::default()));
    });
    criterion.final_summary();

    let limit = timed(2001, || whole_read(&place, &mut buffer));
    let mut sampling = Sampling::new(&place);
    let sample = timed(2001, || sampling.sample());
    let ratio = sample.as_secs_f64() / limit.as_secs_f64();
    println!(
        "\none whole read of 64 KiB: {limit:?}; one whole sample: {sample:?}, {ratio:.2} times the read"
    );
    println!("at 60 samples a second: {:.3} % of one core", sample.as_secs_f64() * 6000.0);
    drop(running);

    println!("\n{:30} {:28} {:>12} {:>14}", "from pid to proven RAM", "by", "median", "whole reads");
    for kind in Kind::GENESIS {
        if let Some(reason) = kind.missing() {
            println!("left out: {} ({reason})", kind.name());
            continue;
        }
        let running = kind.start(&Config::default().rom());
        let place = found(&running);
        let took = timed(21, || drop(black_box(find(running.pid(), &profiles()))));
        let reads = took.as_secs_f64() / limit.as_secs_f64();
        println!("{:30} {:28} {:>12.1?} {:>14.0}", kind.name(), place.method.to_string(), took, reads);
    }
}

/// A round whose state is not in the range that is searched.
fn unrelated() -> Target {
    use nextscope::game::puyo_tsu::{Setup, State, generate};
    let round = generate(State(0x8000_0000), Setup::VERSUS);
    let pools = round.pools.map(|pool| pool.expect("versus makes all three"));
    Target { round: 1, color_set: round.color_set, pools, setup: Setup::VERSUS }
}
