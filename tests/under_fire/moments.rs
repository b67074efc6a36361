//! Emulators killed, stopped, reset, state-loaded and replaced at random moments.

use super::emulators::{Config, Kind, Running};
use super::support::{NOTICED_WITHIN, Random, Session, number};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many, unless `NEXTSCOPE_FIRE_MOMENTS` is set.
const MOMENTS: usize = 150;
/// The time limit for attaching again: late attaches are counted, and one in fifty may be late on a busy
/// machine.
const ATTACHED_WITHIN: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Killed,
    Stopped,
    Replaced,
    Reset,
    StateLoaded,
    Swapped,
}

impl Moment {
    fn possible(kind: Kind) -> &'static [Self] {
        use Moment::{Killed, Replaced, Reset, StateLoaded, Stopped, Swapped};
        match kind {
            Kind::Embedded => &[Killed, Stopped, Replaced, Reset, Swapped],
            Kind::RetroArchCommanded(_) => &[Killed, Stopped, Replaced, Reset, StateLoaded, StateLoaded],
            Kind::Windows(..) => &[Killed, Stopped, Replaced, Reset],
            _ => &[Killed, Stopped, Replaced],
        }
    }
}

fn start(kind: Kind) -> Running {
    let kind = match kind {
        Kind::RetroArchCommanded(_) => Kind::RetroArchCommanded(free_port()),
        other => other,
    };
    kind.start(&Config { frames_per_deal: [10, 14], ..Config::default() }.rom())
}

/// A port without a listener.
fn free_port() -> u16 {
    std::net::UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port()
}

/// Commands for RetroArch.
fn command(running: &Running, words: &str) {
    let Kind::RetroArchCommanded(port) = running.kind else {
        panic!("{} takes no commands", running.kind.name())
    };
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.send_to(words.as_bytes(), ("127.0.0.1", port)).expect("it is sent");
}

/// Another cartridge: noise behind a header.
fn another_game(folder: &std::path::Path) -> std::path::PathBuf {
    let mut noise: Vec<u8> = (0..0x4000u32).map(|i| i.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    noise[0x100..0x110].copy_from_slice(b"SEGA MEGA DRIVE ");
    let file = folder.join("other.md");
    std::fs::write(&file, &noise).unwrap();
    file
}

#[test]
fn emulators_killed_stopped_reset_state_loaded_and_replaced_at_random_moments() {
    let moments = number("NEXTSCOPE_FIRE_MOMENTS").unwrap_or(MOMENTS);
    let mut random = Random::of_test();
    let all = [Kind::Embedded, Kind::BlastEmUnthrottled, Kind::Mednafen, Kind::RetroArchCommanded(0)];
    let kinds = super::emulators::session::present(&all);
    let mut session = Session::start();
    let mut counts: BTreeMap<&'static str, BTreeMap<&'static str, usize>> = BTreeMap::new();
    let mut running = start(Kind::Embedded);
    session.attached(running.pid(), Instant::now(), "first start");
    let folder = tempfile::tempdir().unwrap();
    let other_game = another_game(folder.path());
    let mut saved = false;
    let begin = Instant::now();
    for nth in 0..moments {
        std::thread::sleep(random.ms_below(300)); // things happen at any moment
        let (kind, pid) = (running.kind, running.pid());
        let what = random.one_of(Moment::possible(kind));
        if what == Moment::StateLoaded && !saved {
            command(&running, "SAVE_STATE");
            std::thread::sleep(Duration::from_millis(100 + random.below(200))); // the game resumes from it
            saved = true;
        }
        let now = Instant::now();
        let name = match what {
            Moment::Killed => {
                let now = end(&mut running);
                session.not_live(pid, now, random.ms_below(100));
                let began = Instant::now();
                // The files of the old one are removed later: that takes some time on a busy disk.
                let _old = std::mem::replace(&mut running, start(random.one_of(&kinds)));
                session.attached(running.pid(), began, after_start(running.kind));
                "killed"
            }
            Moment::Replaced => {
                // The next one starts before the first has ended, as when a game is started twice by mistake.
                let next = start(random.one_of(&kinds));
                std::thread::sleep(random.ms_below(500)); // the two run in parallel
                session.attached(pid, Instant::now(), "another one started beside it");
                let now = end(&mut running);
                session.not_live(pid, now, Duration::ZERO);
                let _old = std::mem::replace(&mut running, next);
                session.attached(running.pid(), now, "replaced");
                "replaced"
            }
            Moment::Stopped => {
                running.suspend();
                session.not_live(pid, now, random.ms_below(300));
                let began = Instant::now();
                running.resume();
                session.attached(pid, began, "stopped and continued");
                "stopped"
            }
            Moment::Reset => {
                match kind {
                    Kind::Embedded => running.tell(random.one_of(&["reset", "load"])),
                    Kind::Windows(..) => running.tell("reset"),
                    _ => command(&running, "RESET"),
                }
                std::thread::sleep(Duration::from_millis(50)); // the emulator does it with its next frame
                session.attached(pid, now, "reset");
                "reset"
            }
            Moment::StateLoaded => {
                command(&running, "LOAD_STATE");
                std::thread::sleep(Duration::from_millis(50)); // the emulator does it with its next frame
                session.attached(pid, now, "state loaded");
                "state loaded"
            }
            Moment::Swapped => {
                running.tell(&format!("load {}", other_game.display()));
                session.not_live(pid, now, random.ms_below(200));
                let began = Instant::now();
                running.tell("load");
                session.attached(pid, began, "another game and back");
                "another game"
            }
        };
        saved &= running.pid() == pid;
        *counts.entry(kind.name()).or_default().entry(name).or_default() += 1;
        session.no_mismatch();
        if nth % 100 == 99 {
            println!("{} of {moments} after {} s", nth + 1, begin.elapsed().as_secs());
        }
    }
    let view = session.no_mismatch();
    // Each process is counted separately.
    let counted: Vec<_> = view.earlier.iter().map(|earlier| earlier.totals).chain([view.totals]).collect();
    let (jumps, mismatches) = counted
        .iter()
        .fold((0, 0), |(jumps, mismatches), totals| (jumps + totals.jumps, mismatches + totals.mismatches));
    println!("\n{moments} moments in {} s", begin.elapsed().as_secs());
    for (emulator, counts) in &counts {
        println!("{emulator}: {counts:?}");
    }
    println!("noticed: {}", session.noticed.said(NOTICED_WITHIN));
    let (mut all, mut late) = (0, 0);
    for (after, times) in &session.attached {
        println!("attached, {after}: {}", times.said(ATTACHED_WITHIN));
        all += times.len();
        late += times.len() - times.within(ATTACHED_WITHIN);
    }
    println!(
        "stale shown as live {}; late because our threads waited for a core {} (longest {} ms); wrong mismatches {}",
        session.stale,
        session.machine_late,
        session.longest_wait.as_millis(),
        mismatches
    );
    println!("attached {} times; {jumps} jumps; the last {:?}", view.totals.attachments, view.totals);
    assert_eq!((session.stale, mismatches), (0, 0));
    assert!(late * 50 <= all, "{late} of {all} attached late");
    assert!(jumps > 0, "the game's clock reveals resets and loaded states");
}

/// Kills it; returns when it ended. On a busy machine a process takes some time to end, and is alive until
/// then.
fn end(running: &mut Running) -> Instant {
    running.child.kill().expect("it is ours");
    running.child.wait().expect("it is ours");
    Instant::now()
}

/// RetroArch itself needs longer to start than the others.
fn after_start(kind: Kind) -> &'static str {
    match kind {
        Kind::RetroArchCommanded(_) => "RetroArch started",
        _ => "started",
    }
}
