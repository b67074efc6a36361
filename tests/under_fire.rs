//! Emulators killed, stopped, reset and replaced at random moments while a session is attached: nothing stale is shown as live,
//! and the session attaches again within a second.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod emulators;

use emulators::{Config, Kind, Running};
use nextscope::live::{Connection, Latest, Options, Sampler, View};
use nextscope::process::Pid;
use nextscope::profile::Library;
use nix::sys::signal::Signal;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;
/// How soon after an emulator has died or stopped nothing may be called live any more.
const NOTICED_WITHIN: Duration = Duration::from_millis(400);
const ATTACHED_WITHIN: Duration = Duration::from_secs(1);

/// splitmix64 (Steele, Lea, Flood 2014): random moments that can be had again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

struct Session {
    sampler: Sampler,
    views: Latest<View>,
    slowest: BTreeMap<&'static str, Duration>,
}

impl Session {
    fn live_in(view: &View, pid: Pid) -> bool {
        matches!(view.connection, Connection::Live)
            && view.target.as_ref().is_some_and(|target| target.pid == pid)
    }

    /// Waits until this process is attached to and live; how long it took is noted.
    fn attached(&mut self, pid: Pid, since: Instant, limit: Duration, after: &'static str) {
        let mut view = self.views.get();
        while !Self::live_in(&view, pid) {
            assert!(
                since.elapsed() < limit,
                "{after}: not attached within {limit:?}: {:?} {:#?}",
                view.connection,
                view.emulators
            );
            if let Some(newer) = self.views.next(Duration::from_millis(5)) {
                view = newer;
            }
        }
        let slowest = self.slowest.entry(after).or_default();
        *slowest = since.elapsed().max(*slowest);
    }

    /// Nothing of this process is called live from a moment after `since` on, for as long as `watch`.
    fn not_live(&mut self, pid: Pid, since: Instant, watch: Duration, after: &'static str) {
        while since.elapsed() < NOTICED_WITHIN + watch {
            let view = self.views.get();
            let late = since.elapsed() > NOTICED_WITHIN;
            assert!(
                !late || !Self::live_in(&view, pid),
                "{after}: still called live {:?} later",
                since.elapsed()
            );
            if !Self::live_in(&view, pid) && !late {
                let slowest = self.slowest.entry("noticed").or_default();
                *slowest = since.elapsed().max(*slowest);
                std::thread::sleep(watch);
                assert!(!Self::live_in(&self.views.get(), pid), "{after}: called live again");
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn check_data(&mut self) -> Arc<View> {
        let view = self.views.get();
        assert!(view.mismatches.is_empty(), "a mismatch without a fault: {:#?}", view.mismatches);
        view
    }
}

fn start(kind: Kind) -> Running {
    kind.start(&Config { frames_per_deal: [10, 14], ..Config::default() }.rom())
}

#[test]
fn killed_stopped_reset_and_swapped_two_hundred_times() {
    let seed =
        std::env::var("NEXTSCOPE_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_261_121);
    println!("random moments from seed {seed}");
    let mut random = Random(seed);
    let kinds: Vec<Kind> = [Kind::Embedded, Kind::BlastEmUnthrottled, Kind::Mednafen]
        .into_iter()
        .filter(|kind| kind.missing().is_none())
        .collect();
    let options = Options { profiles: Library::built_in().profiles().to_vec(), ..Options::default() };
    let sampler = Sampler::start(options).expect("a thread");
    let views = sampler.view();
    let mut session = Session { sampler, views, slowest: BTreeMap::new() };
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut running = start(Kind::Embedded);
    session.attached(running.pid(), Instant::now(), Duration::from_secs(5), "first start");
    let mut garbage: Vec<u8> =
        (0..0x4000u32).map(|i| i.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    garbage[0x100..0x110].copy_from_slice(b"SEGA MEGA DRIVE ");
    let folder = tempfile::tempdir().unwrap();
    let other_game = folder.path().join("other.md");
    std::fs::write(&other_game, &garbage).unwrap();
    for _ in 0..ROUNDS {
        std::thread::sleep(Duration::from_millis(random.below(300)));
        let embedded = running.kind == Kind::Embedded;
        let now = Instant::now();
        let (what, pid) = (random.below(if embedded { 4 } else { 2 }), running.pid());
        let name = match what {
            0 => {
                drop(running);
                session.not_live(pid, now, Duration::from_millis(random.below(100)), "killed");
                let kind = kinds[usize::try_from(random.below(kinds.len() as u64)).unwrap()];
                let began = Instant::now();
                running = start(kind);
                session.attached(running.pid(), began, ATTACHED_WITHIN, "killed and started again");
                "killed"
            }
            1 => {
                running.signal(Signal::SIGSTOP);
                session.not_live(pid, now, Duration::from_millis(random.below(300)), "stopped");
                let began = Instant::now();
                running.signal(Signal::SIGCONT);
                session.attached(pid, began, ATTACHED_WITHIN, "stopped and continued");
                "stopped"
            }
            2 => {
                running.tell(["reset", "load"][usize::try_from(random.below(2)).unwrap()]);
                std::thread::sleep(Duration::from_millis(50));
                session.attached(pid, now, ATTACHED_WITHIN, "reset");
                "reset"
            }
            _ => {
                running.tell(&format!("load {}", other_game.display()));
                session.not_live(pid, now, Duration::from_millis(random.below(200)), "another game");
                let began = Instant::now();
                running.tell("load");
                session.attached(pid, began, ATTACHED_WITHIN, "another game and back");
                "swapped"
            }
        };
        *counts.entry(name).or_default() += 1;
        session.check_data();
    }
    let view = session.check_data();
    println!("{ROUNDS} times: {counts:?}");
    for (what, slowest) in &session.slowest {
        println!("slowest, {what}: {} ms", slowest.as_millis());
    }
    println!("attached {} times; {:?}", view.totals.attachments, view.totals);
    assert!(view.totals.jumps > 0, "resets are noticed by the game's clock");
    drop(session.sampler);
}
