//! `find puyo-tsu` as scripts see it: states from pools, pairs, dumps and the state afterwards.

use nextscope::console::StorageOrder;
use nextscope::demo::console::Console;
use nextscope::games::puyo_tsu::{PoolId, Setup, State, generate};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// States all over the 2^32, always the same ones (splitmix64).
fn states(count: u64) -> Vec<State> {
    let mix = |n: u64| {
        let z = (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (n >> 3)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        State(u32::try_from(((z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB)) >> 32).unwrap())
    };
    (1..=count).map(mix).collect()
}

fn nextscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .arg("find")
        .arg("puyo-tsu")
        .args(arguments)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn the_command_finds_states_from_pools() {
    let folder = tempfile::tempdir().unwrap();
    let round = generate(State(0x1234_5678), Setup::VERSUS);
    let pools = round.pools.map(Option::unwrap);
    let raw = file(folder.path(), "pools.bin", &pools.concat());
    let output = nextscope(&["--pools", &raw, "--color-set", "0004010503060200", "--json"]);
    let answer = json(&output);
    assert_eq!(output.status.code(), Some(0), "{answer}");
    let states: Vec<&str> =
        answer["states"].as_array().unwrap().iter().map(|found| found["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["0x12345678", "0x6789ABCD"]);
    assert_eq!((&answer["games"], &answer["differ_at"]), (&1.into(), &Value::Null), "the same game");
    assert_eq!(answer["certain"][0], "PP", "{answer}"); // reference 1.7: the third pair of AD00 is dealt first
    // The 4-colour pool alone, as text with a gap.
    let mut text: String = pools[PoolId::Four.index()].iter().map(|byte| format!("{byte:02x}")).collect();
    text.replace_range(20..24, "????");
    let text = file(folder.path(), "pool.txt", text.as_bytes());
    let output = nextscope(&["--pools", &text, "--csv"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "state,game\n0x12345678,1\n0x6789ABCD,1\n");
}

#[test]
fn the_command_prints_states_as_it_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    let pools = generate(State(0x1234_5678), Setup::VERSUS).pools.map(Option::unwrap);
    let raw = file(folder.path(), "pools.bin", &pools.concat());
    let output = nextscope(&["--pools", &raw, "--color-set", "0004010503", "--stream", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.pop().unwrap()["count"], 2, "{text}");
    let mut states: Vec<&str> = lines.iter().map(|line| line["state"].as_str().unwrap()).collect();
    states.sort_unstable();
    assert_eq!(states, ["0x12345678", "0x6789ABCD"]);

    // Reading only the first lines ends the search with them: one pair leaves a 25th of all states.
    let mut search = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(["find", "puyo-tsu", "--pieces", "RB", "--stream", "--csv"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(search.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().as_deref(), Some("state"));
    assert!(lines.next().unwrap().starts_with("0x"));
    drop(lines);
    assert_eq!(search.wait().unwrap().code(), Some(0));
}

#[test]
fn the_command_walks_back() {
    // Reference 1.7: this is the state after the round of 12345678.
    let output = nextscope(&["--after", "0xF02F4CA9", "--color-set", "0004010503", "--limit", "100000"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("0x12345678") && text.contains("walked back"), "{text}");
    let output = nextscope(&["--after", "0xF02F4CA9", "--pieces", "RR PP RR PP RR PP"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_command_reads_a_dump_and_searches_when_the_state_has_moved_on() {
    let mut rom = nextscope::demo::ROM.to_vec();
    rom[0x216..0x218].fill(0); // the cartridge's event rate
    let mut console = Console::with_order(rom, StorageOrder::AsOnBus).unwrap();
    while console.ram()[0xAF00..0xB000].iter().all(|&byte| byte == 0) {
        console.run_frame();
    }
    (0..20).for_each(|_| console.run_frame());
    let mut ram = console.ram().to_vec();
    let folder = tempfile::tempdir().unwrap();
    let answer = json(&nextscope(&["--dump", &file(folder.path(), "ram", &ram), "--json"]));
    assert_eq!(answer["search"]["method"], "walked-back", "{answer}");
    let walked = answer["states"].as_array().unwrap().clone();
    let swapped: Vec<u8> = ram.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
    let again = json(&nextscope(&["--dump", &file(folder.path(), "swapped", &swapped), "--json"]));
    assert_eq!(again["states"], answer["states"]);
    ram[0xA137] ^= 0x55;
    let searched = json(&nextscope(&["--dump", &file(folder.path(), "moved", &ram), "--json"]));
    assert_eq!(searched["search"]["method"], "all-states", "{searched}");
    let searched = searched["states"].as_array().unwrap();
    assert!(!walked.is_empty() && walked.iter().all(|state| searched.contains(state)), "{searched:?}");
}

#[test]
fn impossible_pools_are_status_1_with_the_position() {
    let folder = tempfile::tempdir().unwrap();
    let noise: Vec<u8> = states(256).iter().map(|state| state.0.to_le_bytes()[0]).collect();
    let noise = file(folder.path(), "noise", &noise);
    for (arguments, words) in [
        (&["--pieces", "RG GY PB"][..], "pair 3"),
        (&["--pieces", "RG GY RR RB"], "pair 4"),
        (&["--pieces", "RG", "--color-set", "0001030504"], "colour set"),
        (&["--pools", &noise], "byte 0"),
    ] {
        let output = nextscope(arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.contains("no seed produces this") && text.contains(words), "{arguments:?}: {text}");
        let answer = json(&nextscope(&[arguments, &["--json"]].concat()));
        assert!(answer["impossible"].as_str().unwrap().contains(words), "{answer}");
        assert_eq!(answer["count"], 0);
    }
}

#[test]
fn usage_errors_are_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let short = file(folder.path(), "short", &[0; 100]);
    for (arguments, words) in [
        (&[][..], "--pieces"),
        (&["--pieces", "RB XX"], "\"XX\""),
        (&["--pieces", "?? ??"], "nothing to search for"),
        (&["--pieces", "RBG"], "\"RBG\""),
        (&["--pools", "no-such-file"], "no-such-file"),
        (&["--pools", &short], "768"),
        (&["--pieces", "RB", "--color-set", "00010"], "colour set"),
        (&["--after", "red"], "0xFFFFFFFF"),
        (&["--pieces", "RB", "--level", "6"], "6"),
        (&["--at", "3"], "--pieces"),
    ] {
        let output = nextscope(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
}
