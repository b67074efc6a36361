//! Durations measured in real emulators, against those that are set in the cartridge's ROM.

use crate::emulators::Kind;
use crate::emulators::session::present;
use crate::play::TABLES;
use nextscope::frames::Part;
use serde_json::Value;
use std::process::Command;

const KINDS: [Kind; 8] = [
    Kind::Embedded,
    Kind::BlastEmWindow,
    Kind::Mednafen,
    Kind::Mame,
    Kind::RetroArchGpgx,
    Kind::RetroArchPicoDrive,
    Kind::BlastEmUnthrottled,
    Kind::Renamed,
];

/// Pairs are played for so many seconds: at the speed of the console, and as fast as it goes.
const SECONDS: [&str; 2] = ["40", "10"];

/// How many parts have a value, which is right.
fn measured(kind: Kind, nth: usize) -> usize {
    let (name, set) = (kind.name(), TABLES[nth]);
    let running = kind.start(&set.rom(1, true));
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("measured.nsrec");
    let output = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args([
            "frames",
            "measure",
            "--pid",
            &running.pid().to_string(),
            "--seconds",
            SECONDS[usize::from(kind.is_unthrottled())],
            "--wait",
            "60",
        ])
        .arg("--record")
        .arg(&recording)
        .arg("--json")
        .output()
        .expect("nextscope runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{name}: {:?} {text} {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_str(&text).expect("an object");
    let mut right = 0;
    println!(
        "{name}, table {nth}: {} pairs, {} not timed; {} frames, {} missed",
        report["pairs"], report["pairs_untimed"], report["frames"], report["frames_missed"]
    );
    for row in report["parts"].as_array().unwrap() {
        println!(
            "  {} {} {} {} {}",
            row["part"], row["rows"], row["frames"], row["certainty"], row["values"]
        );
        let rows = row["rows"].as_u64().map(|rows| usize::try_from(rows).unwrap());
        let part =
            Part::all().find(|part| part.key() == (row["part"].as_str().unwrap(), rows)).expect("a part");
        let expected = u64::from(set.of(part));
        if let Some(frames) = row["frames"].as_u64() {
            // So much was enough, and less was not seen, because frames were lost.
            let is_limit = row["certainty"] == "at-most" && expected <= frames;
            assert!(frames == expected || is_limit, "{name}: expected {expected}, {row}");
            right += 1;
        } else if let (Some(least), most) =
            (row["possible"]["least"].as_u64(), row["possible"]["most"].as_u64())
        {
            assert!(least <= expected && most.is_none_or(|most| expected <= most), "{name}: {row}");
        }
    }
    right
}

#[test]
fn what_is_measured_in_an_emulator_is_what_is_set() {
    let tables: Vec<(Kind, usize)> = present(&KINDS).into_iter().zip([3, 1].into_iter().cycle()).collect();
    // Emulators at the speed of the console leave most of two processors unused.
    for three in tables.chunks(3) {
        std::thread::scope(|scope| {
            for (kind, nth) in three {
                scope.spawn(|| {
                    let right = measured(*kind, *nth);
                    // Where frames are lost, less is sure; nothing is wrong.
                    assert!(right >= 3 || kind.is_unthrottled(), "{}: {right} parts", kind.name());
                });
            }
        });
    }
}
