//! The detector on real processes: this test program starts itself again as an emulator that it invents.
#![allow(clippy::expect_used, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod invented_emulator;

use invented_emulator::{Emulator, profile};
use nextscope::console::StorageOrder;
use nextscope::emulator::{DetectionMethod, DetectionOutcome, Detector, describe_ambiguity};
use nextscope::process::Pid;

#[test]
fn emulator() {
    invented_emulator::play();
}

#[test]
fn a_program_of_unknown_name_is_found_by_its_heap_or_content() {
    let emulator = Emulator::start("heap");
    let report = emulator.find();
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
    let report = emulator.find();
    assert!(matches!(report.outcome, DetectionOutcome::Found(_)), "{report:?}");
    assert!(resident(emulator.0.id()) < before + 16 * 1024, "the search must not make it grow");
}

/// KiB of a process in memory.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn copies_that_stand_still_do_not_matter() {
    let emulator = Emulator::start("copies");
    let report = emulator.find();
    assert!(matches!(report.outcome, DetectionOutcome::Found(_)), "{report:?}");
}

#[test]
fn two_games_in_one_process_are_ambiguous() {
    let emulator = Emulator::start("two");
    let report = emulator.find();
    let DetectionOutcome::Ambiguous(places) = &report.outcome else { panic!("{report:?}") };
    assert_eq!(places.len(), 2);
    let told = describe_ambiguity(places);
    assert!(places.iter().all(|place| told.contains(&place.ram.base.to_string())), "{told}");
    let told = describe_ambiguity(&[places.as_slice(); 100].concat());
    assert!(told.contains("200 places") && told.matches("0x").count() == 3, "{told}");
}

#[test]
fn a_game_that_stands_still_is_paused() {
    let emulator = Emulator::start("stopped");
    let report = emulator.find();
    assert!(matches!(report.outcome, DetectionOutcome::Paused(_)), "{report:?}");
}

#[test]
fn a_program_without_a_game_is_searched_in_vain_and_not_over_and_over() {
    let emulator = Emulator::start("nothing");
    let mut detector = Detector::default();
    let first = detector.detect(Pid(emulator.0.id()), &[profile()]);
    assert!(matches!(first.outcome, DetectionOutcome::NotFound), "{first:?}");
    assert_eq!(first.attempts.len(), 7, "every method says something");
    let second = detector.detect(Pid(emulator.0.id()), &[profile()]);
    assert!(matches!(second.outcome, DetectionOutcome::NotFound), "{second:?}");
    assert!(second.attempts.iter().any(|attempt| attempt.message.contains("a moment ago")), "{second:?}");
}

#[test]
fn a_place_that_proved_right_is_remembered() {
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
fn a_process_that_has_ended_is_unreadable() {
    let mut emulator = Emulator::start("nothing");
    emulator.0.kill().unwrap();
    emulator.0.wait().unwrap();
    assert!(matches!(emulator.find().outcome, DetectionOutcome::Unreadable(_)));
}
