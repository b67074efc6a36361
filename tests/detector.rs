//! The detector on real processes: this test program starts itself again as a fake emulator.
#![allow(clippy::expect_used, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod fake_emulator;

use fake_emulator::{Emulator, profile};
use nextscope::console::StorageOrder;
use nextscope::emulator::{DetectionMethod, DetectionOutcome, Detector, describe_ambiguity};
use nextscope::process::Pid;

#[test]
fn emulator() {
    fake_emulator::run();
}

#[test]
fn a_game_in_an_unknown_program_is_found_by_heap_block_or_content() {
    let emulator = Emulator::start("heap");
    let report = emulator.detect();
    let DetectionOutcome::Found(found) = &report.outcome else { panic!("{report:?}") };
    assert!(matches!(found.method, DetectionMethod::MallocChunk | DetectionMethod::ContentAnchor));
    assert_eq!(found.ram.order, StorageOrder::SwappedWords);
    assert!(!report.identity.known);
    assert!(found.evidence.liveness.starts_with("frame_counter"), "{:?}", found.evidence);
}

#[test]
fn a_gigabyte_that_was_never_touched_is_not_read() {
    let emulator = Emulator::start("large");
    let before = resident(emulator.0.id());
    let report = emulator.detect();
    assert!(matches!(report.outcome, DetectionOutcome::Found(_)), "{report:?}");
    assert!(resident(emulator.0.id()) < before + 16 * 1024, "the search must not make it grow");
}

/// Resident memory of a process in KiB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn stopped_copies_are_ignored() {
    let emulator = Emulator::start("copies");
    let report = emulator.detect();
    assert!(matches!(report.outcome, DetectionOutcome::Found(_)), "{report:?}");
}

#[test]
fn two_games_in_one_process_are_ambiguous() {
    let emulator = Emulator::start("two");
    let report = emulator.detect();
    let DetectionOutcome::Ambiguous(games) = &report.outcome else { panic!("{report:?}") };
    assert_eq!(games.len(), 2);
    let text = describe_ambiguity(games);
    assert!(games.iter().all(|game| text.contains(&game.ram.base.to_string())), "{text}");
    let text = describe_ambiguity(&[games.as_slice(); 100].concat());
    assert!(text.contains("200 addresses") && text.matches("0x").count() == 3, "{text}");
}

#[test]
fn a_stopped_game_is_paused() {
    let emulator = Emulator::start("stopped");
    let report = emulator.detect();
    assert!(matches!(report.outcome, DetectionOutcome::Paused(_)), "{report:?}");
}

#[test]
fn a_program_without_a_game_is_not_searched_again_immediately() {
    let emulator = Emulator::start("nothing");
    let mut detector = Detector::default();
    let first = detector.detect(Pid(emulator.0.id()), &[profile()]);
    assert!(matches!(first.outcome, DetectionOutcome::NotFound), "{first:?}");
    assert_eq!(first.attempts.len(), 7, "every method reports something");
    let second = detector.detect(Pid(emulator.0.id()), &[profile()]);
    assert!(matches!(second.outcome, DetectionOutcome::NotFound), "{second:?}");
    assert!(second.attempts.iter().any(|attempt| attempt.message.contains("a moment ago")), "{second:?}");
}

#[test]
fn a_found_location_is_remembered() {
    let emulator = Emulator::start("heap");
    let mut detector = Detector::default();
    let first = detector.detect(Pid(emulator.0.id()), &[profile()]);
    let second = detector.detect(Pid(emulator.0.id()), &[profile()]);
    let (DetectionOutcome::Found(first), DetectionOutcome::Found(second)) = (&first.outcome, &second.outcome)
    else {
        panic!("{first:?} {second:?}")
    };
    assert_eq!(first.ram.base, second.ram.base);
    assert_eq!(second.method, DetectionMethod::Remembered);
}

#[test]
fn an_ended_process_is_unreadable() {
    let mut emulator = Emulator::start("nothing");
    emulator.0.kill().unwrap();
    emulator.0.wait().unwrap();
    assert!(matches!(emulator.detect().outcome, DetectionOutcome::Unreadable(_)));
}
