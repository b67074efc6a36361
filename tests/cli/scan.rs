//! `scan` as a user runs it: on RAM that our own cartridge made on the embedded console, as dumps and live.

use crate::cli_support::{errors, nextscope, status};
use nextscope::console::StorageOrder;
use nextscope::demo::console::Console;
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Where the cartridge has things (its `ram.inc`), as offsets.
const PAIRS_DEALT: usize = 0x85A6;
const BOARD: usize = 0x8000;

/// Each line of standard output as JSON.
fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(read).collect()
}

/// RAM as the 68000 sees it, at every pair that player 1 is dealt: so many pairs.
fn ram_at_each_pair(pairs: u16) -> Vec<Vec<u8>> {
    let mut console = Console::with_order(nextscope::demo::ROM.to_vec(), StorageOrder::AsOnBus).unwrap();
    let dealt = |console: &Console| {
        u16::from_be_bytes(console.ram()[PAIRS_DEALT..PAIRS_DEALT + 2].try_into().unwrap())
    };
    let mut looks = Vec::new();
    for frame in 0..20_000 {
        console.run_frame();
        // Three pairs are in the queue before play begins.
        if dealt(&console) >= 4 && dealt(&console) - 4 >= u16::try_from(looks.len()).unwrap() {
            looks.push(console.ram().to_vec());
        }
        if looks.len() == usize::from(pairs) {
            return looks;
        }
        assert!(frame < 19_999, "the cartridge deals pairs");
    }
    looks
}

fn written(folder: &Path, looks: &[Vec<u8>]) -> Vec<String> {
    let write = |(number, bytes): (usize, &Vec<u8>)| {
        let path = folder.join(format!("ram{number}.bin"));
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    looks.iter().enumerate().map(write).collect()
}

#[test]
fn a_counter_is_found_by_its_changes() {
    let folder = tempfile::tempdir().unwrap();
    let dumps = written(folder.path(), &ram_at_each_pair(12));
    let mut arguments = vec!["scan", "--json", "--type", "u16be", "--align", "2"];
    for dump in &dumps {
        arguments.extend(["--dump", dump]);
    }
    // "It goes up by one with every pair": and nothing else does.
    arguments.push("unknown");
    for _ in 1..dumps.len() {
        arguments.extend(["wait", "by +1"]);
    }
    arguments.extend(["preview changed", "rows 50", "undo", "redo"]);
    let output = nextscope(&arguments);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let results = lines(&output);
    let left: Vec<u64> = results.iter().filter_map(|line| line["left"].as_u64()).collect();
    assert_eq!(left[0], 0x8000, "every aligned word");
    assert!(left[..12].is_sorted_by(|one, other| one >= other), "{left:?}");
    let rows = results.iter().find_map(|line| line["rows"].as_array()).expect("rows");
    let found: Vec<&str> = rows.iter().map(|row| row["address"].as_str().unwrap()).collect();
    assert!(found.contains(&"0xFF85A6"), "{found:?}");
    assert!(found.len() <= 4, "the total of both players may count alike, little else: {found:?}");
    assert_eq!(
        results.last().unwrap()["left"],
        results[results.len() - 3]["left"],
        "taken back and done again"
    );
}

#[test]
fn pools_boards_and_sequences_are_found_by_structure() {
    let folder = tempfile::tempdir().unwrap();
    let looks = ram_at_each_pair(20);
    let ram = looks.last().unwrap();
    let dump = written(folder.path(), std::slice::from_ref(ram)).remove(0);
    // A board as a player would paint it: letters of his own for the colours, dots for nothing.
    let cell = |row: usize, column: usize| ram[BOARD + 12 * row + 2 * column];
    let letter = |code: u8| match code {
        0x00 => '.',
        code => char::from(b'a' + (code >> 4 & 7)),
    };
    let rows: Vec<String> =
        (2..14).map(|row| (0..6).map(|column| letter(cell(row, column))).collect()).collect();
    assert!(rows.last().unwrap().contains(|c| c != '.'), "puyos lie on the floor: {rows:?}");
    let board = folder.path().join("board.txt");
    std::fs::write(&board, rows.join("\n")).unwrap();
    // The first ten pairs of the four-colour pool, by the letters of someone who has no names for its colours.
    let pool: String = ram[0xAE00..0xAE14].iter().map(|code| char::from(b'p' + code)).collect();

    let board_step = format!("board {}", board.display());
    let sequence = format!("sequence {pool}");
    let output = nextscope(&["scan", "--json", "--dump", &dump, "pools", &board_step, &sequence]);
    assert_eq!(status(&output), 0, "{} {}", errors(&output), String::from_utf8_lossy(&output.stdout));
    let results = lines(&output);
    let addresses = |line: &Value| -> Vec<String> {
        let found = line["found"].as_array().expect("a list");
        found.iter().map(|hit| hit["address"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(addresses(&results[0]), ["0xFFAD00"]);
    assert_eq!(results[0]["found"][0]["color_sets"][0]["address"], "0xFFA4E2", "{}", results[0]);
    // Every first round after switching on is made from the same state.
    let output = nextscope(&["scan", "--json", "--dump", &dump, "pools states"]);
    let states = lines(&output)[0]["found"][0]["states"].clone();
    let first = serde_json::json!({ "state": "0x35879DE2", "state_after": "0x5E1D19AE" });
    assert_eq!(states[0], first, "{states}");
    let boards = addresses(&results[1]);
    assert!(boards.contains(&"0xFF8018".to_owned()), "the third row of the board: {}", results[1]);
    let sequences = addresses(&results[2]);
    assert!(sequences.contains(&"0xFFAE00".to_owned()), "{}", results[2]);
}

/// A ROM has the length of a System 16's RAM, and longs in it are related like those of a game by chance.
#[test]
fn a_file_without_a_known_game_has_offsets() {
    let folder = tempfile::tempdir().unwrap();
    let dump = written(folder.path(), &[nextscope::demo::ROM.to_vec()]).remove(0);
    let output = nextscope(&["scan", "--json", "--dump", &dump, "text NXCF", "rows"]);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let results = lines(&output);
    assert_eq!(results[1]["rows"][0]["address"], "0x200", "{results:?}");
}

#[test]
fn bad_arguments_are_rejected_before_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let dump = written(folder.path(), &[vec![0; 100]]).remove(0);
    for (arguments, expected) in [
        (vec!["scan", "unknown"], "no memory to search"),
        (vec!["scan", "--dump", dump.as_str()], "at least one step is required"),
        (vec!["scan", "--dump", dump.as_str(), "unknown", "bigger"], "step `bigger`: unknown step `bigger`"),
        (vec!["scan", "--dump", dump.as_str(), "= 256"], "256 is out of range: 8-bit unsigned is 0 to 255"),
        (vec!["scan", "--dump", dump.as_str(), "undo"], "no search yet"),
        (vec!["scan", "--dump", dump.as_str(), "unknown", "undo"], "there is nothing to undo"),
        (vec!["scan", "--dump", dump.as_str(), "changed"], "the first search has no previous values"),
        (vec!["scan", "--dump", dump.as_str(), "unknown", "wait"], "there is no dump after number 1"),
        (vec!["scan", "--dump", dump.as_str(), "--type", "u9", "unknown"], "unknown type `u9`"),
        (vec!["scan", "--dump", dump.as_str(), "--align", "3", "unknown"], "invalid alignment 3"),
        (vec!["scan", "--dump", dump.as_str(), "--console", "snes", "unknown"], "unknown console \"snes\""),
        (vec!["scan", "--dump", dump.as_str(), "--console", "nes", "unknown"], "a dump of RAM has 2048"),
        (vec!["scan", "--dump", dump.as_str(), "board nowhere.txt"], "cannot read nowhere.txt"),
        (vec!["scan", "--dump", dump.as_str(), "sequence AAAA"], "match too many places"),
    ] {
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
    }
    let output = nextscope(&["scan", "--pid", "4194303", "unknown"]);
    assert_eq!(status(&output), 3, "{}", errors(&output));
    let output = nextscope(&["scan", "--dump", &dump, "--type", "u16", "= 7"]);
    assert_eq!(status(&output), 1, "nothing is left: {}", errors(&output));
    let script = folder.path().join("steps.txt");
    std::fs::write(&script, "# all that are zero\n= 0\n\ntype u16\n").unwrap();
    let output = nextscope(&["scan", "--dump", &dump, "--script", script.to_str().unwrap()]);
    assert_eq!(status(&output), 2);
    assert!(errors(&output).contains("a search keeps the size of its values"), "{}", errors(&output));
}

#[test]
fn live_ram_is_narrowed_from_frame_to_frame() {
    let options = nextscope::demo::DemoOptions::default();
    let program = Path::new(env!("CARGO_BIN_EXE_nextscope"));
    let console = nextscope::demo::spawn_program(program, &options).unwrap();
    let pid = console.pid().0.to_string();
    // The frame counter: another at every frame.
    let output = nextscope(&[
        "scan",
        "--json",
        "--pid",
        &pid,
        "--type",
        "u32",
        "--align",
        "2",
        "wait 0.3s",
        "unknown",
        "track",
        "auto 40 changed",
        "changes >= 30",
        "rows 200",
    ]);
    assert_eq!(status(&output), 0, "{} {:?}", errors(&output), lines(&output));
    let results = lines(&output);
    let rows = results.iter().find_map(|line| line["rows"].as_array()).expect("rows");
    let counter = rows.iter().find(|row| row["address"] == "0xFFA000");
    assert!(counter.is_some_and(|row| row["changes"].as_u64() >= Some(30)), "{rows:?}");
    // The same memory without knowing the console.
    let output =
        nextscope(&["scan", "--json", "--pid", &pid, "--all-memory", "--type", "u32be", "= 0x35879DE2"]);
    let results = lines(&output);
    assert!(results[0]["bytes_read"].as_u64().unwrap() > 100_000, "{results:?}");
}
