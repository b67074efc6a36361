//! The cost of attaching and sampling, compared with the limit: one complete read of the console's RAM.
//!
//! After criterion's own figures a table is printed with the ratio to that limit, measured in the same run,
//! and the median attach time for every emulator that is installed (`tests/install-emulators all`).

#![allow(clippy::expect_used, clippy::unwrap_used, missing_docs)]

#[path = "../tests/emulators/mod.rs"]
mod emulators;
#[path = "../tests/waiting/mod.rs"]
mod waiting;

use criterion::Criterion;
use emulators::{Config, Kind, NdsConfig, NesConfig, Running};
use nextscope::emulator::{DetectedGame, DetectionOutcome, detect};
use nextscope::games::puyo_tsu::live::{Verifier, observe, predict};
use nextscope::games::puyo_tsu::seeds::{Target, search_range};
use nextscope::live::Totals;
use nextscope::profile::{Library, Profile};
use nextscope::task::Progress;
use nextscope_boards::Vectors;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Percentage of a core that the session may use at 60 Hz, and frames of 1,000 that it may miss on a quiet
/// machine.
const MOST_SHARE: f64 = 1.0;
const MOST_MISSED: f64 = 1.0;

/// A frame of the consoles.
const FRAME: Duration = Duration::from_micros(16_667);

fn profiles() -> Vec<Arc<Profile>> {
    Library::built_in().profiles().to_vec()
}

fn found(running: &Running) -> Box<DetectedGame> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let DetectionOutcome::Found(found) = detect(running.pid(), &profiles()).outcome {
            return found;
        }
        assert!(Instant::now() < deadline, "{} is not found", running.kind.name());
    }
}

/// A complete read of RAM into an existing buffer: no sampler can be faster.
fn whole_read(found: &DetectedGame, buffer: &mut [u8]) {
    found.process.read_exact(found.ram.base, buffer).expect("RAM is readable");
}

/// One sample as the sampler takes it, without publishing it.
struct Sampling<'a> {
    found: &'a DetectedGame,
    verifier: Verifier,
    totals: Totals,
    frame: u64,
}

impl<'a> Sampling<'a> {
    fn new(found: &'a DetectedGame) -> Self {
        Self { found, verifier: Verifier::default(), totals: Totals::default(), frame: 0 }
    }

    fn sample(&mut self) {
        self.frame += 1;
        let snapshot = self.found.ram.snapshot().expect("RAM is readable");
        let observation = Arc::new(observe(&snapshot, &self.found.profile).expect("all fields are there"));
        black_box(self.verifier.step(&observation, self.frame, None, &mut self.totals));
        black_box(predict(&observation, self.verifier.pools_setup(), None));
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
    criterion.bench_function("one read of 64 KiB (the limit)", |b| {
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
    println!("\none read of 64 KiB: {limit:?}; one sample: {sample:?}, {ratio:.2} times the read");
    println!("at 60 samples a second: {:.3} % of one core", sample.as_secs_f64() * 6000.0);
    drop(running);
    #[cfg(target_os = "linux")]
    a_minute();

    println!(
        "\n{:30} {:28} {:>14} {:>14} {:>14}",
        "from pid to proven RAM", "by", "at any moment", "after a frame", "whole reads"
    );
    let genesis = Kind::GENESIS.map(|kind| (kind, Config::default().rom()));
    let nes = Kind::NES.map(|kind| (kind, NesConfig::default().rom()));
    let nds = Kind::NDS.map(|kind| (kind, NdsConfig::default().rom()));
    for (kind, rom) in genesis.into_iter().chain(nes).chain(nds) {
        if let Some(reason) = kind.missing() {
            println!("left out: {} ({reason})", kind.name());
            continue;
        }
        let running = kind.start(&rom);
        let place = found(&running);
        // RAM is proven by a frame that changes it. A search that follows another begins right after one, and waits for all of the next.
        let search = || drop(black_box(detect(running.pid(), &profiles())));
        let after_a_frame = timed(21, search);
        let at_any_moment = median(
            (0..21)
                .map(|nth| {
                    std::thread::sleep(FRAME * nth / 21);
                    timed(1, search)
                })
                .collect(),
        );
        let reads = at_any_moment.as_secs_f64() / limit.as_secs_f64();
        let method = place.method.to_string();
        println!(
            "{:30} {method:28} {at_any_moment:>14.1?} {after_a_frame:>14.1?} {reads:>14.0}",
            kind.name()
        );
    }
}

/// One minute of `verify` at 60 Hz: the share of a core and the missed frames, compared with the delays that
/// a thread has which only sleeps.
#[cfg(target_os = "linux")]
fn a_minute() {
    let running = Kind::Embedded.start(&Config { frames_per_deal: [40, 56], ..Config::default() }.rom());
    let spent = || {
        let usage =
            nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).expect("usage");
        let time = |t: nix::sys::time::TimeVal| {
            Duration::new(t.tv_sec().unsigned_abs(), 0) + Duration::from_micros(t.tv_usec().unsigned_abs())
        };
        time(usage.user_time()) + time(usage.system_time())
    };
    let (before, began) = (spent(), Instant::now());
    let verify = std::process::Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(["verify", "--pid", &running.pid().to_string(), "--seconds", "60", "--json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("nextscope runs");
    let (mut longest_pause, mut pauses) = (Duration::ZERO, 0);
    while began.elapsed() < Duration::from_secs(59) {
        let before = Instant::now();
        std::thread::sleep(Duration::from_millis(2));
        longest_pause = longest_pause.max(before.elapsed());
        pauses += u32::from(before.elapsed() > Duration::from_millis(16));
    }
    let output = verify.wait_with_output().expect("nextscope ends");
    // The console itself keeps running, so that only the session is counted.
    let share = (spent() - before).as_secs_f64() / began.elapsed().as_secs_f64() * 100.0;
    assert!(output.status.success(), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let totals = &report["totals"];
    let [frames, missed] = ["frames", "frames_missed"].map(|name| totals[name].as_f64().expect("a count"));
    let per_thousand = 1000.0 * missed / frames;
    println!("\n60 s at 60 Hz, {frames} frames                     measured    limit    ratio");
    println!(
        "percent of one core                    {share:>12.2} {MOST_SHARE:>8} {:>8.2}",
        share / MOST_SHARE
    );
    println!(
        "frames missed of 1,000                 {per_thousand:>12.2} {MOST_MISSED:>8} {:>8.2}",
        per_thousand / MOST_MISSED
    );
    println!(
        "a thread that slept for 2 ms was resumed more than a frame late {pauses} times, {:.1} ms at worst",
        longest_pause.as_secs_f64() * 1000.0
    );
}

/// A round whose state is not in the searched range.
fn unrelated() -> Target {
    use nextscope::games::puyo_tsu::{Setup, State, generate};
    let round = generate(State(0x8000_0000), Setup::VERSUS);
    let pools = round.pools.map(|pool| pool.expect("versus makes all three"));
    Target { round: 1, color_set: round.color_set, pools, setup: Setup::VERSUS }
}
