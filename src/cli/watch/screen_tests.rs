//! The live view at several terminal sizes, of a round of the embedded console.
#![allow(clippy::expect_used, reason = "a test may panic")]

use super::*;
use crate::cli::dump_verification::verify_ram_dump;
use crate::console::{ConsoleId, Snapshot};
use crate::demo::DemoOptions;
use crate::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
use crate::live::{CheckId, Mismatch, Target};
use crate::process::Pid;
use crate::profile::Library;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The embedded console deals pairs within this time.
const FRAMES: u32 = 2000;

/// A live view with boards, of an emulator with this name.
fn live(name: &str) -> View {
    let mut console = DemoOptions::default().console().expect("our cartridge");
    let library = Library::load(None);
    let profile =
        library.profiles().iter().find(|profile| profile.id == "puyo-tsu-genesis").expect("built-in");
    let mut totals = Totals::default();
    let mut data = None;
    for frame in 0..FRAMES {
        console.run_frame();
        if frame % 100 != 99 {
            continue;
        }
        let (domain, order) = (ConsoleId::Genesis.domain(), DemoOptions::default().order);
        let snapshot = Snapshot::from_stored(domain, order, console.ram().to_vec()).expect("its RAM");
        totals = Totals::default();
        let verified = verify_ram_dump(&snapshot, profile, &mut totals).expect("it can be read");
        let shown = verified.data.view();
        let is_complete = |shown: &PredictionView| {
            shown.players.len() == 2 && shown.players.iter().all(|player| matches!(player.board, Some(Ok(_))))
        };
        if shown.is_some_and(is_complete) {
            data = Some(verified.data);
            break;
        }
    }
    let target = Target {
        pid: Pid(4711),
        identity: EmulatorInfo { name: name.into(), known: true, ..EmulatorInfo::default() },
        profile: Arc::clone(profile),
        method: DetectionMethod::KnownBuild,
        proof: DetectionEvidence { anchors: Vec::new(), liveness: String::new() },
        ram: String::new(),
        elapsed: Duration::ZERO,
    };
    View {
        connection: Connection::Live,
        target: Some(Arc::new(target)),
        data: Some(data.expect("a round starts")),
        totals,
        ..View::default()
    }
}

fn without_colours(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        text += before;
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    text + rest
}

/// The layout, after checking that it fits.
fn fits(view: &View, rows: usize, columns: usize) -> Vec<String> {
    let lines = layout(view, "waiting", 12, rows, columns);
    assert!(lines.len() <= rows, "{rows}x{columns}: it would scroll\n{}", lines.join("\n"));
    for line in &lines {
        assert!(display_width(line) <= columns, "{rows}x{columns}: {line}");
        assert!(!line.contains('\n'), "{line:?}");
    }
    lines.iter().map(|line| without_colours(line)).collect()
}

fn has(lines: &[String], what: &str) -> bool {
    lines.iter().any(|line| line.contains(what))
}

#[test]
fn coming_pairs_come_first_at_every_size() {
    let view = live("Nextscope demo console");
    for (rows, columns) in [(10, 40), (24, 80), (50, 146)] {
        let lines = fits(&view, rows, columns);
        assert!(lines[0].starts_with("Player 1  now "), "{lines:?}");
        assert!(lines[1].starts_with("Player 2  now "), "{lines:?}");
        for player in &lines[..2] {
            let (_, next) = player.split_once("  next ").expect("the next pairs");
            let (next, then) = next.split_once("  then ").expect("the pairs after them");
            assert_eq!(next.len(), "RR GG".len(), "two pairs: {next}");
            assert!(then.len() >= "RR".len(), "{then}");
        }
        assert!(lines[2].starts_with("live   0 mismatches"), "{lines:?}");
        assert_eq!(lines.last().map(String::as_str), Some("Press Ctrl+C to stop"));
    }
}

#[test]
fn boards_are_left_out_before_checks() {
    let view = live("Nextscope demo console");
    let board =
        |lines: &[String]| lines.iter().filter(|line| line.len() == "  ......    ......".len()).count();
    let large = fits(&view, 50, 146);
    assert!(has(&large, "Pool counts") && board(&large) >= 13, "{large:?}");
    let usual = fits(&view, 24, 80);
    assert!(has(&usual, "Pool counts") && board(&usual) == 0, "{usual:?}");
    let small = fits(&view, 10, 40);
    assert!(!has(&small, "Pool counts") && board(&small) == 0, "{small:?}");
    assert!(has(&small, "verified"), "the checks in a line: {small:?}");
}

#[test]
fn a_failed_check_is_shown_even_if_the_others_are_left_out() {
    let mut view = live("Nextscope demo console");
    let mismatch = Mismatch {
        check: CheckId::QUEUE_P1,
        what: "forecast RR".into(),
        expected: "00".into(),
        one_of: false,
        actual: "05".into(),
        field: "p1_queue".into(),
        index: Some(3),
        frame: 7,
        round: 1,
        evidence: None,
    };
    view.mismatches = Arc::new(vec![mismatch]);
    view.totals.mismatches = 1;
    if let Some(data) = &mut view.data {
        let verdict = Arc::make_mut(&mut data.verdict);
        for check in verdict.checks.iter_mut().filter(|check| check.id == CheckId::QUEUE_P1) {
            check.status = Status::Mismatch;
        }
    }
    let lines = fits(&view, 12, 60);
    assert!(has(&lines, "live   1 mismatch   "), "{lines:?}");
    assert!(has(&lines, "last mismatch: Queue, player 1") && has(&lines, "expected 00  actual 05"));
    assert!(has(&lines, "1 MISMATCH") && has(&lines, "Queue, player 1    MISMATCH"), "{lines:?}");
}

#[test]
fn nothing_scrolls_at_any_size() {
    let view = live("a\x1b[31mRED\x1b]0;pwn\x07\n\u{9b}2Jb");
    for rows in 1..60 {
        for columns in [1, 2, 20, 40, 80, 200] {
            let lines = fits(&view, rows, columns);
            assert!(lines.iter().all(|line| !line.contains(char::is_control)), "{lines:?}");
        }
    }
    let searching = View::default();
    assert_eq!(fits(&searching, 24, 80)[..2], ["waiting", "searching"]);
    let since = Instant::now();
    let why = "process 7 has ended\nand more".into();
    let lost = View { connection: Connection::Lost { why, since }, ..live("BlastEm") };
    assert!(fits(&lost, 24, 80)[0].starts_with("Lost: process 7 has ended"));
}
