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

/// The drawn cells of a terminal of this size.
fn cells(view: &View, choices: &mut Choices, palette: Palette, rows: u16, columns: u16) -> Buffer {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    let around = Surroundings { waiting: "waiting", pairs: 12, keys: true, warning: None };
    draw(view, &around, choices, palette, area, &mut buffer);
    buffer
}

fn text(buffer: &Buffer) -> Vec<String> {
    let row =
        |y| (0..buffer.area.width).filter_map(|x| Some(buffer.cell((x, y))?.symbol())).collect::<String>();
    (0..buffer.area.height).map(|y| row(y).trim_end().to_owned()).collect()
}

/// The lines on a terminal of this size.
fn fits(view: &View, rows: u16, columns: u16) -> Vec<String> {
    text(&cells(view, &mut Choices::default(), Palette::Full, rows, columns))
}

fn press(choices: &mut Choices, code: KeyCode) -> Pressed {
    choices.press(KeyEvent::new(code, KeyModifiers::NONE), 2, 10)
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
        assert!(lines.last().is_some_and(|keys| keys.starts_with("q quit   d details")), "{lines:?}");
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
fn names_cannot_control_the_terminal_at_any_size() {
    let view = live("a\x1b[31mRED\x1b]0;pwn\x07\n\u{9b}2Jb");
    for rows in 1..60 {
        for columns in [1, 2, 20, 40, 80, 200] {
            for details in [false, true] {
                let mut choices = Choices { details, ..Choices::default() };
                let lines = text(&cells(&view, &mut choices, Palette::Full, rows, columns));
                assert!(lines.iter().all(|line| !line.contains(char::is_control)), "{lines:?}");
            }
        }
    }
    let searching = View::default();
    assert_eq!(fits(&searching, 24, 80)[..2], ["waiting", "searching"]);
    let since = Instant::now();
    let why = "process 7 has ended\nand more".into();
    let lost = View { connection: Connection::Lost { why, since }, ..live("BlastEm") };
    assert!(fits(&lost, 24, 80)[0].starts_with("Lost: process 7 has ended"));
}

#[test]
fn keys_choose_a_player_and_scroll_the_details() {
    let view = live("Nextscope demo console");
    let mut choices = Choices::default();
    let shown = |choices: &mut Choices| text(&cells(&view, choices, Palette::Full, 10, 40));
    assert_eq!(press(&mut choices, KeyCode::Char('2')), Pressed::Redraw);
    let lines = shown(&mut choices);
    assert!(lines[0].starts_with("Player 2") && !has(&lines, "Player 1"), "{lines:?}");
    assert_eq!(press(&mut choices, KeyCode::Char('3')), Pressed::Nothing, "there are two players");
    assert_eq!(press(&mut choices, KeyCode::Tab), Pressed::Redraw, "after the last player, all of them");
    assert!(has(&shown(&mut choices), "Player 1"));

    press(&mut choices, KeyCode::Char('d'));
    let mut all = Vec::new();
    let mut lines = shown(&mut choices);
    assert!(lines.last().is_some_and(|keys| keys.contains("lines 1-9 of ")), "{lines:?}");
    for _ in 0..100 {
        all.extend(lines);
        press(&mut choices, KeyCode::PageDown);
        lines = shown(&mut choices);
    }
    for part in ["Player 1", "live", "verified", "Pool counts", "......", "A round starting now"] {
        assert!(has(&all, part), "{part} is in the details: {all:?}");
    }
    let end = choices.clone();
    press(&mut choices, KeyCode::Down);
    assert_eq!(shown(&mut choices), lines, "it ends at the last line");
    assert_eq!(choices, end);
    press(&mut choices, KeyCode::Home);
    assert!(has(&shown(&mut choices), "lines 1-9 of "));

    press(&mut choices, KeyCode::Char('?'));
    assert!(has(&shown(&mut choices), "end: q, Esc, Ctrl+C"));
    assert_eq!(press(&mut choices, KeyCode::Esc), Pressed::Redraw, "closes the list of keys");
    assert_eq!(press(&mut choices, KeyCode::Esc), Pressed::End);
    assert_eq!(press(&mut choices, KeyCode::Char('q')), Pressed::End);
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(choices.press(ctrl_c, 2, 10), Pressed::End);
}

#[test]
fn colours_are_those_that_the_terminal_has_and_letters_stay() {
    let view = live("Nextscope demo console");
    let drawn = |palette| cells(&view, &mut Choices::default(), palette, 24, 80);
    let colors = |buffer: &Buffer| {
        let mut colors: Vec<Color> = buffer.content.iter().flat_map(|cell| [cell.fg, cell.bg]).collect();
        colors.retain(|color| *color != Color::Reset);
        colors
    };
    let indexed = |color: &Color| matches!(color, Color::Indexed(_));
    let (full, basic, none) = (drawn(Palette::Full), drawn(Palette::Basic), drawn(Palette::None));
    assert!(colors(&full).iter().any(indexed));
    assert!(!colors(&basic).is_empty() && !colors(&basic).iter().any(indexed), "{:?}", colors(&basic));
    assert_eq!(colors(&none), []);
    let letters = |buffer: &Buffer| -> Vec<String> {
        text(buffer).into_iter().filter(|line| !line.ends_with("ms old")).collect()
    };
    assert_eq!((letters(&full), letters(&basic)), (letters(&none), letters(&none)));
}
