//! Hours of emulated play at the highest speed: memory use stays constant, and no round is missed.

use super::emulators::{Config, Kind};
use super::support::{Session, number, resident};
use nextscope::console::ConsoleAddr;
use nextscope::live::{Totals, View};
use std::time::{Duration, Instant};

/// Hours played, unless `NEXTSCOPE_FIRE_HOURS` is set.
const HOURS: f64 = 0.05;
/// Frames a second of the console itself.
const FRAMES_PER_SECOND: f64 = 59.92;
/// By how many percent memory may grow or shrink after the first tenth of a run.
const FLAT_WITHIN: f64 = 2.0;
/// From how many hours on memory is judged: a new session is still filling its buffers.
const JUDGED_FROM: f64 = 1.0;
/// The cartridge's own count of rounds (its README).
const ROUND: ConsoleAddr = ConsoleAddr(0xFF_1014);

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn hours_of(totals: &Totals) -> f64 {
    totals.frames as f64 / FRAMES_PER_SECOND / 3600.0
}

fn round_of(view: &View) -> Option<i64> {
    Some(view.data.as_ref()?.snapshot.u32(ROUND).ok()?.into())
}

/// The console's round minus the session's: as long as none is missed or counted twice this stays constant,
/// except for the moment between the console's counting and ours.
fn ahead(view: &View) -> Option<i64> {
    Some(round_of(view)? - i64::try_from(view.totals.rounds).unwrap())
}

#[test]
fn hours_of_play_use_constant_memory_and_miss_no_round() {
    let hours: f64 = number("NEXTSCOPE_FIRE_HOURS").unwrap_or(HOURS);
    let longest = Duration::from_secs(60 * number("NEXTSCOPE_FIRE_MINUTES").unwrap_or(60));
    let kind = match std::env::var("NEXTSCOPE_FIRE_EMULATOR").as_deref() {
        Ok("blastem") => Kind::BlastEmUnthrottled,
        _ => Kind::Embedded,
    };
    if let Some(reason) = kind.missing() {
        return println!("left out: {} ({reason})", kind.name());
    }
    let mut running = kind.start(&Config { frames_per_deal: [20, 28], ..Config::default() }.rom());
    let mut session = Session::start();
    session.attached(running.pid(), Instant::now(), "first start");
    let first = session.wait("a round", |view| view.totals.rounds > 0 && ahead(view).is_some());
    if kind == Kind::Embedded {
        running.tell("speed 0");
    }
    let (skew, began) = (ahead(&first).unwrap(), Instant::now());
    let (counted_before, seen_before) = (round_of(&first).unwrap(), first.totals.rounds);
    let mut curve: Vec<(f64, u64)> = Vec::new();
    let (mut farthest, mut next_mark) = (0, 0.0);
    let mut view = first;
    while hours_of(&view.totals) < hours && began.elapsed() < longest {
        if let Some(newer) = session.views.next(Duration::from_millis(20)) {
            view = newer;
        }
        if let Some(ahead) = ahead(&view) {
            farthest = farthest.max((ahead - skew).abs());
        }
        let played = hours_of(&view.totals);
        if played >= next_mark {
            let memory = resident(std::process::id());
            curve.push((played, memory));
            println!(
                "{played:.2} h played in {} s: {} rounds, {:.1} MB, {} frames missed",
                began.elapsed().as_secs(),
                view.totals.rounds,
                memory as f64 / 1e6,
                view.totals.frames_missed
            );
            next_mark = played + hours / 24.0;
        }
    }
    let played = hours_of(&view.totals);
    // A round that has just started is counted a moment later: wait for the middle of one.
    let last = session.wait("the rounds agree again", |view| ahead(view) == Some(skew));
    let view = session.no_mismatch();
    let t = view.totals;
    println!(
        "\n{}: {played:.2} h of play in {} s, {:.0} frames a second; {} rounds by the console's own count, {} by the session",
        kind.name(),
        began.elapsed().as_secs(),
        t.frames as f64 / began.elapsed().as_secs_f64(),
        round_of(&last).unwrap() - counted_before,
        last.totals.rounds - seen_before,
    );
    println!("the two counts were never more than {farthest} apart, and agree at the end; {t:?}");
    assert_eq!(t.attachments, 1, "the connection was never lost");
    assert!(farthest <= 1, "{farthest} rounds apart");
    let settled: Vec<u64> =
        curve.iter().filter(|(at, _)| *at >= played / 10.0).map(|(_, memory)| *memory).collect();
    let (least, most) = (settled.iter().min().unwrap(), settled.iter().max().unwrap());
    let spread = (*most as f64 / *least as f64 - 1.0) * 100.0;
    println!(
        "memory after the first tenth: {:.2} to {:.2} MB, {spread:.2} % apart",
        *least as f64 / 1e6,
        *most as f64 / 1e6
    );
    if played >= JUDGED_FROM {
        assert!(spread <= FLAT_WITHIN, "{spread:.2} %");
    }
}
