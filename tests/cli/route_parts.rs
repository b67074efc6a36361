//! Parts of a search over seeds, as jobs on many computers run them: `route --part`, kills, `route merge`.

use crate::cli_support::{answer, errors, follows_overwrite_rule, nextscope, status, text};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A search over few games.
const SEARCH: [&str; 10] =
    ["route", "puyo-20th", "--goal", "all-clear", "--pairs", "6", "--width", "8", "--threads", "2"];

/// A folder with checkpoint files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Searches these seeds, and gives the file and the answer.
    fn search(&self, name: &str, seeds: &[&str]) -> (String, Value) {
        let file = self.file(name);
        let answer = answer(&[&SEARCH[..], seeds, &["--checkpoint", &file]].concat(), 0);
        (file, answer)
    }
}

fn merge(files: &[&str], expected: i32) -> Value {
    answer(&[&["route", "merge"], files].concat(), expected)
}

fn shown(arguments: &[&str]) -> Vec<String> {
    text(&nextscope(arguments)).lines().map(str::to_owned).collect()
}

/// A saved search as JSON.
fn saved(file: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The text of merged searches for an all clear, from their JSON.
fn lines_of(merged: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let range = |value: &Value| {
        format!("{}..{}", value["seeds"][0].as_str().unwrap(), value["seeds"][1].as_str().unwrap())
    };
    let percent = |value: &Value| format!("{:.1} % done", 100.0 * value["share"].as_f64().unwrap());
    let counted = |number: u64, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let files = list(&merged["files"]);
    let head = (range(merged), percent(merged), counted(files.len() as u64, "file"));
    let mut lines = vec![format!("all clear soonest, {}, {} in {}", head.0, head.1, head.2)];
    lines.extend(list(&merged["best"]).iter().map(|best| {
        let pairs = counted(best["pairs_used"].as_u64().unwrap(), "pair");
        let points = counted(best["score"].as_u64().unwrap(), "point");
        format!("{}  {pairs}, chain {}, {points}", best["seed"].as_str().unwrap(), best["chain"])
    }));
    lines.extend(list(&merged["overlaps"]).iter().map(|overlap| {
        let [one, two] = [0, 1].map(|nth| overlap["files"][nth].as_str().unwrap());
        format!("overlap: {} in {one} and {two}", range(overlap))
    }));
    lines.extend(files.iter().filter(|file| file["complete"] == false).map(|file| {
        format!("unfinished: {}, {}, {}", file["file"].as_str().unwrap(), range(file), percent(file))
    }));
    lines.extend(list(&merged["missing"]).iter().map(|missing| {
        let number = |nth: usize| {
            let seed = missing["seeds"][nth].as_str().unwrap();
            u64::from_str_radix(seed.strip_prefix("0x").unwrap(), 16).unwrap()
        };
        let widths = list(&missing["widths"]);
        let searched = match widths.is_empty() {
            true => "not searched".to_owned(),
            false => format!("searched only with widths {}", missing["widths"]),
        };
        format!("missing: {}, {}, {searched}", range(missing), counted(number(1) - number(0) + 1, "seed"))
    }));
    lines
}

#[test]
fn parts_merge_to_the_ranking_of_a_single_run() {
    let folder = Folder::new();
    let seeds = ["--seeds", "0x0100..0x02FF"];
    let (single, whole) = folder.search("single.json", &seeds);
    let parts: Vec<(String, Value)> = (1..=3)
        .map(|nth| {
            folder.search(&format!("{nth}.json"), &[&seeds[..], &["--part", &format!("{nth}/3")]].concat())
        })
        .collect();
    let ranges: Vec<&Value> = parts.iter().map(|(_, answer)| &answer["seeds"]).collect();
    assert_eq!(
        ranges,
        [&json!(["0x0100", "0x01A9"]), &json!(["0x01AA", "0x0254"]), &json!(["0x0255", "0x02FF"])]
    );
    assert_eq!((&parts[1].1["part"], &whole["part"]), (&json!("2/3"), &Value::Null));
    let search = &saved(&parts[1].0)["search"];
    assert_eq!((&search["seeds"], &search["whole"]), (&json!([0x1AA, 0x254]), &json!([0x100, 0x2FF])));

    let (one, two, three) = (&*parts[0].0, &*parts[1].0, &*parts[2].0);
    let merged = merge(&[three, one, two], 0);
    assert_eq!(merged["best"], whole["best"]);
    assert_eq!(merged["best"].as_array().unwrap().len(), 20);
    assert_eq!((&merged["complete"], &merged["share"]), (&json!(true), &json!(1.0)));
    assert_eq!((&merged["missing"], &merged["overlaps"]), (&json!([]), &json!([])));
    let lines = shown(&["route", "merge", one, two, three]);
    let run = shown(&[&SEARCH[..], &seeds, &["--checkpoint", &single]].concat());
    assert_eq!(lines[1..], run[1..], "the same lines");
    assert_eq!(lines[0], "all clear soonest, 0x0100..0x02FF, 100.0 % done in 3 files");
    // The option may be anywhere.
    let json = text(&nextscope(&["route", "--json", "merge", three, one, two]));
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), merged);
    assert_eq!((&merged["kind"], &merged["schema"]), (&json!("route-merge"), &json!(1)));
    for arguments in [["--json", "route", "merge"], ["route", "merge", "--json"]] {
        assert_eq!(text(&nextscope(&[&arguments[..], &[three, one, two]].concat())), json);
    }

    assert_eq!(lines, lines_of(&merged), "text and JSON say the same");

    // Both say the same of a ranking in files.
    let (csv, other) = (folder.file("a.csv"), folder.file("b.csv"));
    for (out, files) in [(&csv, vec![one, two, three]), (&other, vec![&*single])] {
        assert_eq!(status(&nextscope(&[&["route", "merge", "--out", out], &files[..]].concat())), 0);
    }
    let csv = std::fs::read_to_string(csv).unwrap();
    assert_eq!(csv, std::fs::read_to_string(other).unwrap());
    assert_eq!(csv.lines().next(), Some("rank,seed,frame,pairs_used,chain,score,link"));
    let first: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((first[0], Some(first[1])), ("1", whole["best"][0]["seed"].as_str()));
    assert!(first[6].contains("puyop.com"), "{csv}");
    let out = folder.file("merged.json");
    let printed = answer(&["route", "merge", one, two, three, "--out", &out], 0);
    assert_eq!(saved(&out), printed);
}

#[test]
fn overlaps_and_missing_seeds_are_named() {
    let folder = Folder::new();
    let (low, _) = folder.search("low.json", &["--seeds", "0x0000..0x00FF"]);
    let (middle, _) = folder.search("middle.json", &["--seeds", "0x00C0..0x017F"]);
    let (high, _) = folder.search("high.json", &["--seeds", "0x0200..0x02FF"]);
    let merged = merge(&[&high, &low, &middle], 1);
    assert_eq!(merged["overlaps"], json!([{"files": [low, middle], "seeds": ["0x00C0", "0x00FF"]}]));
    assert_eq!(merged["missing"], json!([{"seeds": ["0x0180", "0x01FF"], "widths": []}]));
    assert_eq!((&merged["complete"], &merged["seeds"]), (&json!(false), &json!(["0x0000", "0x02FF"])));
    let mut seeds: Vec<&str> =
        merged["best"].as_array().unwrap().iter().map(|best| best["seed"].as_str().unwrap()).collect();
    let count = seeds.len();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!((seeds.len(), count), (20, 20), "no seed is ranked twice");
    let more = ["route", "merge", &high, &low, &middle, "--seeds", "0..0x3FF"];
    let lines = shown(&more);
    assert_eq!(lines, lines_of(&answer(&more, 1)), "text and JSON say the same");
    for line in [
        format!("overlap: 0x00C0..0x00FF in {low} and {middle}"),
        "missing: 0x0180..0x01FF, 128 seeds, not searched".into(),
        "missing: 0x0300..0x03FF, 256 seeds, not searched".into(),
    ] {
        assert!(lines.contains(&line), "{line}: {lines:#?}");
    }
    // The union of what overlaps is that of a single run.
    let (_, both) = folder.search("both.json", &["--seeds", "0x0000..0x017F"]);
    assert_eq!(merge(&[&middle, &low], 0)["best"], both["best"]);

    // A part that is not finished: the time is over after the first seeds.
    let part = folder.file("part.json");
    let arguments = ["--seeds", "0x0180..0x01FF", "--seconds", "0.000001", "--checkpoint", &part];
    let search: Vec<&str> = SEARCH.iter().copied().filter(|word| !["--width", "8"].contains(word)).collect();
    let stopped = nextscope(&[&search[..], &arguments].concat());
    assert!(status(&stopped) < 2, "{}", errors(&stopped));
    let lines = shown(&["route", "merge", &part]);
    assert_eq!(lines, lines_of(&merge(&[&part], 1)), "text and JSON say the same");
    let named = |start: &str| lines.iter().any(|line| line.starts_with(start));
    assert!(named(&format!("unfinished: {part}, 0x0180..0x01FF, 0.")), "{lines:#?}");
    assert!(named("missing: 0x0180..0x01BF, 64 seeds, searched only with widths [10]"), "{lines:#?}");
    assert!(named("missing: 0x01C0..0x01FF, 64 seeds, not searched"), "{lines:#?}");
}

#[test]
fn files_of_other_searches_and_damaged_files_are_refused() {
    let folder = Folder::new();
    let (good, _) = folder.search("good.json", &["--seeds", "0x0000..0x003F"]);
    let other = |name: &str, more: &[&str]| {
        let file = folder.file(name);
        let search =
            ["route", "puyo-20th", "--seeds", "0x0040..0x007F", "--goal", "all-clear", "--checkpoint"];
        let output = nextscope(&[&search[..], &[&file], more].concat());
        assert!(status(&output) < 2, "{}", errors(&output));
        file
    };
    let pairs = other("pairs.json", &["--pairs", "5", "--width", "8"]);
    let widths = other("widths.json", &["--pairs", "6", "--width", "9"]);
    let colors = other("colors.json", &["--pairs", "6", "--width", "8", "--colors", "3"]);
    let text = std::fs::read_to_string(&good).unwrap();
    let damaged = |name: &str, text: &str| {
        let file = folder.file(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let cut = damaged("cut.json", &text[..text.len() / 2]);
    let flipped = damaged("flipped.json", &text.replacen("\"seeds\":[0,63]", "\"seeds\":[0,62]", 1));
    let none = damaged("none.json", "");
    let old = damaged("old.json", r#"{"version":1,"task":"x","round":1,"next":0,"best":[],"nodes":0}"#);
    let bytes = folder.file("bytes.json");
    std::fs::write(&bytes, [0xFF; 100]).unwrap();
    let gone = folder.file("gone.json");
    for (file, why) in [
        (&pairs, "(pairs: 5 instead of 6)"),
        (&widths, "(widths: [9] instead of [8])"),
        (&colors, "another search (options"),
        (&cut, "the saved search is damaged"),
        (&flipped, "the checksum is wrong"),
        (&none, "the saved search is damaged"),
        (&old, "version 1 of its format"),
        (&bytes, "invalid utf-8"),
        (&gone, "cannot read"),
    ] {
        let out = folder.file("out.csv");
        let output = nextscope(&["route", "merge", &good, file, "--out", &out]);
        assert_eq!(status(&output), 2, "{file}");
        let error = errors(&output);
        assert!(error.contains(why) && error.contains(file.as_str()), "{why}: {error}");
        assert!(output.stdout.is_empty() && !Path::new(&out).exists());
    }
    // A damaged file is not overwritten by the search either.
    for file in [&cut, &old] {
        let before = std::fs::read(file).unwrap();
        let output = nextscope(&[&SEARCH[..], &["--seeds", "0..63", "--checkpoint", file]].concat());
        assert_eq!((status(&output), std::fs::read(file).unwrap()), (2, before), "{}", errors(&output));
    }
    for (arguments, why) in [
        (vec!["route", "merge"], "<FILE>"),
        (vec!["route", "merge", &good, "--out", "a.doc"], "unknown file extension"),
        (vec!["route", "merge", &good, "--seeds", "5..1"], "invalid range"),
        (vec!["route", "puyo-20th", "--seeds", "0..9", "--part", "0/3"], "I from 1 to N"),
        (vec!["route", "puyo-20th", "--seeds", "0..9", "--part", "1/11"], "give fewer parts"),
        (vec!["route", "puyo-20th", "--seed", "0", "--part", "1/2"], "cannot be used with"),
        (vec!["route", "puyo-20th", "merge", &good], "cannot be used with 'merge'"),
        (vec!["route", "--width", "8", "merge", &good], "'--width <N>' cannot be used with 'merge'"),
        (vec!["route"], "<GAME>"),
    ] {
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(why), "{arguments:?}: {}", errors(&output));
    }
}

#[test]
#[cfg(unix)]
fn the_merged_ranking_replaces_a_file_only_on_request() {
    let folder = Folder::new();
    let (file, _) = folder.search("part.json", &["--seeds", "0x0000..0x003F"]);
    for ending in [".csv", ".json"] {
        follows_overwrite_rule(ending, &|out| {
            ["route", "merge", &file, "--out", out].map(str::to_owned).into()
        });
    }
}

#[test]
fn parts_of_all_states_of_puyo_tsu_reach_the_last_one() {
    let folder = Folder::new();
    let file = folder.file("last.json");
    let search =
        ["route", "puyo-tsu", "--seeds", "all", "--pairs", "3", "--width", "2", "--goal", "points:40"];
    let part = ["--part", "16777216/16777216", "--checkpoint", &file];
    let last = answer(&[&search[..], &part].concat(), 0);
    assert_eq!((&last["seeds"], &last["complete"]), (&json!(["0xFFFFFF00", "0xFFFFFFFF"]), &json!(true)));
    let merged = merge(&[&file], 1);
    assert_eq!(merged["missing"], json!([{"seeds": ["0x0000", "0xFFFFFEFF"], "widths": []}]));
    assert_eq!(merged["best"], last["best"]);
}

/// A search that is killed when the test fails.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_search_that_is_killed_resumes_to_the_same_result() {
    let folder = Folder::new();
    let search =
        "route puyo-20th --seeds 0x0000..0x03FF --goal chain --pairs 14 --width 12 --threads 2 --checkpoint";
    let arguments: Vec<&str> = search.split(' ').collect();
    let (killed, whole) = (folder.file("killed.json"), folder.file("whole.json"));
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut positions = vec![];
    for _ in 0..6 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
        let command = command.args(&arguments).arg(&killed).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = Killed(command.spawn().unwrap());
        // The first write is after the first seeds.
        while !Path::new(&killed).exists() && running.0.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(random.next_u64() % 300));
        drop(running);
        // What is there is a search that can be read, never half a file.
        assert!(status(&nextscope(&["route", "merge", &killed])) < 2);
        let search = &saved(&killed)["search"];
        positions.push((search["pass"].as_u64().unwrap(), search["next"].as_u64().unwrap()));
    }
    assert!(positions.is_sorted() && positions[0].0 == 0, "killed before the end: {positions:?}");
    for file in [&killed, &whole] {
        answer(&[&arguments[..], &[file]].concat(), 0);
    }
    let (killed, whole) = (std::fs::read_to_string(killed).unwrap(), std::fs::read_to_string(whole).unwrap());
    assert_eq!(killed, whole, "killed at {positions:?}");
}
