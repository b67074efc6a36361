//! Recordings of only parts of RAM, such as those of the Nintendo DS: recorded parts are searched, missing
//! ones are reported.

use super::commands::{answer, lines, nextscope, refused, text};
use crate::nds_game::{BASE, BLOCK, FRAMES, POINTER, POOLS, SEED, STATE, recorded, round};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The block's first position, and then a slightly later one.
const AWAY: u32 = 0x0230_0004;
const NEAR: u32 = AWAY + 0x100;

fn played(folder: &Path) -> PathBuf {
    let file = folder.join("ds.nsrec");
    std::fs::write(&file, recorded(200, &[(60, AWAY), (120, NEAR)])).unwrap();
    file
}

/// The output of `scan` on the steps, after that on the parts.
fn scan(file: &Path, frame: u64, steps: &[&str], status: i32) -> Vec<Value> {
    let frame = frame.to_string();
    let begin = ["scan", "--replay", text(file), "--frame", &frame];
    let mut said = lines(&[&begin[..], steps].concat(), status);
    let parts = said.remove(0);
    assert_eq!((&parts["ram"], &parts["bytes"]), (&"Main RAM".into(), &0x40_0000.into()), "{parts}");
    said
}

fn hex(address: u32) -> String {
    format!("0x{address:X}")
}

fn addresses(said: &Value) -> Vec<String> {
    let rows = said["rows"].as_array().or(said["found"].as_array()).expect("rows");
    rows.iter().map(|row| row["address"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_recorded_parts_are_searched_and_the_missing_ones_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = played(folder.path());
    let output =
        nextscope(&["scan", "--replay", text(&file), "unknown", "wait 5", "changed", "wait 1", "changed"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout.matches("of the 4194304 bytes of Main RAM were recorded").count(), 1, "{stdout}");
    assert!(stdout.contains(&format!("1200 at {}", hex(BASE + BLOCK.start))), "{stdout}");
    assert!(stdout.contains("are not searched"), "{stdout}");
    let parts = lines(&["scan", "--replay", text(&file), "unknown"], 0).remove(0);
    let bytes = |part: &Value| part["bytes"].as_u64().unwrap();
    let sum: u64 = parts["parts"].as_array().unwrap().iter().map(bytes).sum();
    assert_eq!(parts["recorded"], sum);

    let steps = ["type u32", "unknown", "wait 7", "by +7", "wait 20", "by +20", "rows 9"];
    let said = scan(&file, 3, &steps, 0);
    assert_eq!(addresses(said.last().unwrap()), [hex(FRAMES)]);
    let steps = ["type u32", "align 4", "unknown", "track", "wait 9", "changes = 9", "rows 9"];
    let said = scan(&file, 3, &steps, 0);
    assert_eq!(addresses(said.last().unwrap()), [hex(BASE + STATE), hex(FRAMES)]);
    let said = scan(&file, 3, &["= 84", "auto 30 unchanged", "preview changed", "undo", "redo"], 0);
    assert_eq!(said[1]["left"], said[4]["left"]);
    assert_eq!(said[2]["left"], 0);
    assert!(
        refused(&["scan", "--replay", text(&file), "unknown", "= @02000000"]).contains("were not recorded")
    );
    let past = refused(&["scan", "--replay", text(&file), "unknown", "wait 500", "changed"]);
    assert!(past.contains("the recording ends at frame 200"), "{past}");
}

#[test]
fn only_cells_that_are_no_longer_recorded_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let file = played(folder.path());
    let block = u64::from(BLOCK.end - BLOCK.start);
    // The complete block is dropped, and cells elsewhere stay.
    let said = scan(&file, 50, &["unknown", "wait 30", "unknown", "undo"], 0);
    let all = said[0]["left"].as_u64().unwrap();
    assert_eq!((&said[1]["unreadable"], &said[1]["left"]), (&block.into(), &(all - block).into()));
    assert_eq!(said[2]["left"], all, "and they return");
    // It moves by 256 bytes: those at its beginning are no longer recorded, the others are.
    let said = scan(&file, 110, &["unknown", "wait 30", "unknown", "rows 5000"], 0);
    let all = said[0]["left"].as_u64().unwrap();
    assert_eq!((&said[1]["unreadable"], &said[1]["left"]), (&0x100.into(), &(all - 0x100).into()));
    let left = addresses(said.last().unwrap());
    for (address, stays) in
        [(AWAY + BLOCK.start + 0xFF, false), (NEAR + BLOCK.start, true), (AWAY + BLOCK.end - 1, true)]
    {
        assert_eq!(left.contains(&hex(address)), stays, "{}", hex(address));
    }
    // Wide cells that lost a byte are dropped, and changes are counted on in the rest.
    let said = scan(&file, 110, &["type u32", "unknown", "wait 30", "unknown"], 0);
    assert_eq!(said[1]["unreadable"], 0x100);
    let said = scan(
        &file,
        110,
        &["type u32", "align 4", "unknown", "track", "wait 30", "changes >= 20", "rows 99"],
        0,
    );
    let left = addresses(said.last().unwrap());
    assert!(left.contains(&hex(NEAR + STATE)) && left.contains(&hex(FRAMES)), "{left:?}");
}

#[test]
fn structures_are_found_in_parts_of_ram() {
    let folder = tempfile::tempdir().unwrap();
    let file = played(folder.path());
    let found = scan(&file, 3, &["pools"], 0).remove(0);
    let pools: Vec<String> = POOLS.iter().map(|pool| hex(BASE + pool)).collect();
    assert_eq!(addresses(&found), pools);
    assert!(found.to_string().contains(&format!("\"0x{SEED:04X}\"")), "{found}");
    let pool = round().pools[0];
    let sign = |digit: &u8| char::from(b'R' + digit);
    let sequence: String = pool[..24].iter().map(sign).collect();
    let found = scan(&file, 3, &[&format!("sequence {sequence}")], 0).remove(0);
    assert!(addresses(&found).contains(&hex(BASE + POOLS[0])), "{found}");
    let board = folder.path().join("board.txt");
    let rows: Vec<String> = pool[..64].chunks(16).map(|row| row.iter().map(sign).collect()).collect();
    std::fs::write(&board, rows.join("\n")).unwrap();
    let found = scan(&file, 3, &[&format!("board {}", board.display())], 0).remove(0);
    assert!(addresses(&found).contains(&hex(BASE + POOLS[0])), "{found}");

    // The pointer refers to the head of the block, which is not recorded, and still does after the block has
    // moved.
    let paths = folder.path().join("paths.txt");
    let steps = [format!("pointers @{:X} depth 1", BASE + STATE), format!("save-paths {}", paths.display())];
    let found = scan(&file, 3, &[&steps[0], &steps[1]], 0).remove(0);
    assert_eq!(found["paths"].as_array().map(Vec::len), Some(1), "{found}");
    let written = std::fs::read_to_string(&paths).unwrap();
    assert!(written.contains(&hex(POINTER)), "{written}");
    let moved = scan(&file, 90, &[&format!("paths {}", paths.display())], 0).remove(0);
    assert_eq!(moved["paths"][0]["leads_to"], hex(AWAY + STATE), "{moved}");

    // A generator, as long as its cell is recorded; across a move neither place has it in all samples.
    let found = scan(&file, 3, &["rng 40"], 0).remove(0);
    let row =
        found["found"].as_array().unwrap().iter().find(|row| row["address"] == hex(BASE + STATE)).cloned();
    assert!(row.expect("it is found")["generator"].as_str().unwrap().contains("20th"), "{found}");
    let found = lines(&["scan", "--replay", text(&file), "--frame", "40", "rng 40"], 1).pop().unwrap();
    assert_eq!(found["found"], serde_json::json!([]), "{found}");
}

#[test]
fn commands_that_take_a_dump_take_one_of_its_frames_or_report_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let file = played(folder.path());
    let at = |frame: &str, more: &[&str]| {
        [more, &["--dump", text(&file), "--frame", frame]]
            .concat()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let run = |arguments: &[String], status: i32| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        lines(&arguments, status)
    };
    // By the addresses of that frame.
    for (frame, base) in [("30", BASE), ("90", AWAY), ("150", NEAR)] {
        let said = run(&[at(frame, &["scan"]), vec!["pools".into()]].concat(), 0);
        assert_eq!(addresses(&said[1])[0], hex(base + POOLS[0]));
        let found = run(&at(frame, &["find", "puyo-20th"]), 0).remove(0);
        assert!(found.to_string().contains(&format!("0x{SEED:04X}")), "{found}");
        let watched = run(&at(frame, &["watch"]), 0).remove(0);
        assert!(watched.to_string().contains(&format!("the seed 0x{SEED:04X} ")), "{watched}");
    }
    let dumps = ["--dump", text(&file), "--dump", text(&file), "--frame", "30", "unknown", "wait", "changed"];
    assert_eq!(lines(&[&["scan"], &dumps[..]].concat(), 1).last().unwrap()["left"], 0);
    let wrong = |command: &[&str]| {
        let arguments = at("30", command);
        refused(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(wrong(&["find", "puyo-tsu"]).contains("not of puyo-tsu"));
    assert!(wrong(&["route", "puyo-20th"]).contains("board addresses are unknown"));
    let frame = refused(&["scan", "--dump", text(&file), "--frame", "5000", "pools"]);
    assert!(frame.contains("frame 5000 is not in the recording"), "{frame}");
    let ram = folder.path().join("ram.bin");
    answer(
        &["replay", text(&file), "--cut", text(&folder.path().join("cut.nsrec")), "--from", "1", "--to", "9"],
        0,
    );
    lines(&["replay", text(&file), "--dump", "30", text(&ram)], 0);
    let none = refused(&["scan", "--dump", text(&ram), "--console", "nds", "--frame", "30", "pools"]);
    assert!(none.contains("--frame needs a recording"), "{none}");
}
