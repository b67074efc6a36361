//! `generate puyo-20th` and `find puyo-20th` as scripts see them: output, exit status, error messages.

use crate::cli_support::{answer, errors, joined, nextscope, status, text};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn generate_prints_the_vectors() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/puyo_20th/vectors.json")).unwrap();
    for row in vectors["generator"].as_array().unwrap() {
        let printed = answer(&["generate", "puyo-20th", "--seed", row["seed"].as_str().unwrap()], 0);
        assert_eq!(printed["game"], "puyo-20th");
        for key in ["seed", "state_after"] {
            assert_eq!(printed[key], row[key], "{key} of {row}");
        }
        assert_eq!(printed["color_order"]["letters"], row["color_map"], "{row}");
        for (pool, colors) in printed["pools"].as_array().unwrap().iter().zip(["3", "4", "5"]) {
            assert_eq!(pool["colors"].to_string(), colors);
            let codes = joined(&pool["codes"]);
            assert_eq!((codes.len(), &codes[..32]), (256, row["pools"][colors]["first32"].as_str().unwrap()));
        }
    }
}

#[test]
fn generate_deals_from_the_pool_of_the_number_of_colours() {
    let deal = |colors: &str| {
        let printed =
            answer(&["generate", "puyo-20th", "--seed", "24857", "--colors", colors, "--count", "4"], 0);
        printed["pairs"].clone()
    };
    // Seed 0x6119, map YRGBP; pools 20001211, 20000322, 20001001.
    assert_eq!(deal("3"), json!(["GY", "YY", "RG", "RR"]));
    assert_eq!(deal("4"), json!(["GY", "YY", "YB", "GG"]));
    assert_eq!(deal("5"), json!(["GY", "YY", "RY", "YR"]));
    let people = text(&nextscope(&["generate", "puyo-20th", "--seed", "0x6119"]));
    for part in ["0x6119", "YRGBP", "0x29282724", "GY YY YB GG"] {
        assert!(people.contains(part), "{part} in {people}");
    }
}

#[test]
fn all_seeds_stream_in_order_and_match_the_published_digest() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/puyo_20th/vectors.json")).unwrap();
    let output = nextscope(&["generate", "puyo-20th", "--seed", "all", "--csv", "--count", "0"]);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let text = text(&output);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("seed,color_map,pool_3,pool_4,pool_5,state_after,pairs"));
    let mut digest = Sha256::new();
    for (seed, line) in (0..65536).zip(lines.by_ref()) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], format!("0x{seed:04X}"));
        digest.update(cells[3]);
        digest.update("\n");
    }
    assert_eq!(lines.next(), None);
    let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, vectors["all_65536_lines_sha256"]["4"]);
}

#[test]
fn a_range_of_seeds_has_a_line_each_and_a_closed_pipe_is_no_failure() {
    let output = nextscope(&["generate", "puyo-20th", "--seed", "0x00FE..0x0101", "--json"]);
    let seeds: Vec<Value> = text(&output)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["seed"].clone())
        .collect();
    assert_eq!(seeds, ["0x00FE", "0x00FF", "0x0100", "0x0101"]);

    let mut child = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(["generate", "puyo-20th", "--seed", "all", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nextscope runs");
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("\"0x0000\""), "{first}");
    let output = child.wait_with_output().unwrap();
    assert_eq!((status(&output), errors(&output)), (0, String::new()));
}

#[test]
fn the_published_sequence_is_found() {
    let pieces = "BG GG GY BB BB RB RY BY RR BY GB YG RB YY";
    let find = |extra: &[&str], expected| {
        answer(&[&["find", "puyo-20th", "--pieces", pieces], extra].concat(), expected)
    };
    let found = find(&["--relabel", "--next", "3"], 0);
    assert_eq!(found["count"], 1);
    let game = &found["states"][0];
    assert_eq!((&game["state"], &game["color_order"]["letters"]), (&json!("0x6119"), &json!("YRGBP")));
    let names = [("B", "G"), ("G", "Y"), ("R", "R"), ("Y", "B")];
    assert_eq!(game["names"], json!(names.map(|(name, color)| json!({"name": name, "colors": [color]}))));
    // Pairs 15 on: digits 0101 ... of the 4-colour pool in real colours; its first 32 digits end there.
    assert_eq!(&game["next"].as_array().unwrap()[..2], [json!("YR"), json!("YR")]);
    assert_eq!((&found["next_at"], &found["first_failure"]), (&json!(15), &Value::Null));
    // In the query's own names: yellow is G, red R.
    assert_eq!(found["chances"], json!([{"next": "GR", "count": 1, "chance": 1.0}]));
    assert_eq!(found["certain"][0], "GR");
    assert!(found["search"]["elapsed_seconds"].as_f64().unwrap() > 0.0);

    let none = find(&[], 1);
    assert_eq!((&none["count"], &none["states"]), (&json!(0), &json!([])));
    assert!(none["first_failure"]["index"].as_u64().unwrap() > 1, "{none}");
    assert!(none["first_failure"]["left_before"].as_u64().unwrap() > 0, "{none}");
}

#[test]
fn find_prints_the_count_and_the_next_pairs() {
    let some = answer(&["find", "puyo-20th", "--pieces", "GY YY Y?", "--limit", "2"], 0);
    let count = some["count"].as_u64().unwrap();
    assert!(count > 2);
    assert_eq!(some["states"].as_array().unwrap().len(), 2);
    let next = some["chances"].as_array().unwrap();
    assert_eq!(next.iter().map(|next| next["count"].as_u64().unwrap()).sum::<u64>(), count);
    let chances: f64 = next.iter().map(|next| next["chance"].as_f64().unwrap()).sum();
    assert!((chances - 1.0).abs() < 1e-9, "{chances}");
    let query = json!({"pairs": ["GY", "YY", "Y?"], "at": 1, "colors": 4, "relabel": false, "unordered": false, "state": null});
    assert_eq!(some["query"], query);

    let people = nextscope(&["find", "puyo-20th", "--pieces", "gy,yy y?", "--limit", "2"]);
    let shown = text(&people);
    assert!(
        shown.contains(&format!("{count} of 65536 games remain")) && shown.contains("chances of pair 4"),
        "{shown}"
    );
    let csv = text(&nextscope(&[
        "find",
        "puyo-20th",
        "--pieces",
        "GY YY Y?",
        "--limit",
        "2",
        "--csv",
        "--next",
        "1",
    ]));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "seed,color_map,next"));

    // Pairs missed at first, in either order, the second lap of the pool, and by the state.
    for arguments in [
        &["--pieces", "YB GG GG RG RB GB", "--at", "3"][..],
        &["--pieces", "YG YY BY GG GG GR BR BG RR GB", "--unordered"],
        &["--pieces", "GY YY YB GG GG RG RB GB", "--at", "129"],
        &["--state", "0x29282724"],
        &["--state", "$29282724", "--pieces", "GY"],
    ] {
        // By the digits of the vectors: map YRGBP, pool 2000 0322 2212 1323 1123.
        let found = answer(&[&["find", "puyo-20th"], arguments].concat(), 0);
        assert_eq!(
            (&found["count"], &found["states"][0]["state"]),
            (&json!(1), &json!("0x6119")),
            "{arguments:?}"
        );
    }
}

#[test]
fn impossible_pairs_exit_1_with_their_position() {
    for (arguments, pair, words) in [
        (&["--pieces", "RG BY"][..], 2, "3-colour pool"),
        (&["--pieces", "RG RG BY PP"], 4, "5 colours"),
        (&["--pieces", "RG RG BB YY", "--colors", "3"], 4, "game of 3 colours"),
        (&["--state", "0x29282724", "--pieces", "GY YG"], 2, "pair 2"),
    ] {
        let arguments = [&["find", "puyo-20th"], arguments].concat();
        let none = answer(&arguments, 1);
        assert_eq!(
            (&none["count"], &none["first_failure"]["index"]),
            (&json!(0), &json!(pair)),
            "{arguments:?}"
        );
        let people = nextscope(&arguments);
        assert_eq!(status(&people), 1);
        let shown = text(&people);
        assert!(shown.contains("no seed produces this") && shown.contains(words), "{arguments:?}: {shown}");
    }
    let none = answer(&["find", "puyo-20th", "--state", "0x29282725"], 1);
    assert_eq!(none["first_failure"], json!({"index": null, "given": "0x29282725", "left_before": null}));
}

#[test]
fn bad_arguments_exit_2_with_a_remedy() {
    for (arguments, words) in [
        (&["find", "puyo-20th", "--pieces", "BG GX"][..], "R, G, B, Y, P"),
        (&["find", "puyo-20th", "--pieces", "BG G"], "axis and child"),
        (&["find", "puyo-20th", "--pieces", "  "], "at least one pair"),
        (&["find", "puyo-20th"], "--pieces"),
        (&["find", "puyo-20th", "--pieces", "BG", "--at", "0"], "1..="),
        (&["find", "puyo-20th", "--pieces", "BG", "--colors", "6"], "3..=5"),
        (&["find", "puyo-20th", "--pieces", "BG", "--state", "green"], "0xFFFFFFFF"),
        (&["find", "puyo-20th", "--pieces", "BG", "--csv", "--json"], "--csv"),
        (&["find", "tetris-2000", "--pieces", "BG"], "puyo-20th"),
        (&["generate", "tetris-2000", "--seed", "1"], "puyo-20th"),
        (&["generate", "puyo-20th"], "--seed"),
        (&["generate", "puyo-20th", "--seed", "0x10000"], "0xFFFF"),
        (&["generate", "puyo-20th", "--seed", "5..3"], "a range such as 0x0000..0x00FF"),
        (&["generate", "puyo-20th", "--seed", "0x0..0x1FFFF"], "0xFFFF"),
        (&["generate", "puyo-20th", "--seed", ".."], "0xFFFF"),
        (&["generate", "puyo-20th", "--seed", "1", "--colors", "2"], "3..=5"),
    ] {
        let output = nextscope(arguments);
        let json = arguments.contains(&"--json");
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(words), "{arguments:?}: {}", errors(&output));
        let object = text(&output).contains("\"kind\":\"error\"");
        assert_eq!((text(&output).is_empty(), object), (!json, json), "{arguments:?}");
    }
}
