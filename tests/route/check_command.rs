//! `route check`: a movie of the command is played on the cartridge and recorded, and the recording compared with the route that the command
//! wrote.

use super::movie_files::lead_in;
use crate::movies::genesis::{SEED, SETTINGS, profile_text, rom};
use crate::movies::readers::read_bk2;
use crate::movies::waits::record;
use crate::recordings;
use nextscope::console::{Snapshot, StorageOrder};
use nextscope::demo::Buttons;
use nextscope::recording::{Header, Sample};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// Frames after the movie: until the next pair is in play.
const AFTER_THE_MOVIE: usize = 120;

/// A route, the buttons that play it, and the folder of both.
struct Planned {
    folder: tempfile::TempDir,
    pads: Vec<Buttons>,
}

fn nextscope(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
    command.arg("--profiles").arg(folder.join("profiles")).args(arguments).current_dir(folder);
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

impl Planned {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("profiles")).unwrap();
        std::fs::write(folder.path().join("profiles/puyo-tsu-genesis.toml"), profile_text()).unwrap();
        let seed = format!("{SEED:#X}");
        let lead_in = lead_in(SEED).to_string();
        let plan = ["route", "puyo-tsu", "--seed", &seed, "--level", "3", "--pairs", "12", "--width", "100"];
        let out = ["--lead-in", &lead_in, "--out", "route.json", "--out", "route.bk2"];
        let output = nextscope(folder.path(), &[&plan[..], &out].concat());
        assert!(output.status.success(), "{}", text(&output));
        let frames = read_bk2(&std::fs::read(folder.path().join("route.bk2")).unwrap()).unwrap();
        let pads = frames.iter().map(|frame| frame.pads[0]).collect();
        Self { folder, pads }
    }

    fn route(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.folder.path().join("route.json")).unwrap()).unwrap()
    }

    fn pairs(&self) -> usize {
        self.route()["steps"].as_array().unwrap().len()
    }

    fn recording(&self, samples: &[Sample]) -> PathBuf {
        let header = recordings::header(&recordings::profile("puyo-tsu-genesis"));
        let path = self.folder.path().join("play.nsrec");
        std::fs::write(&path, recordings::written(&header, samples)).unwrap();
        path
    }

    /// Runs `route check`: the exit status, the object, and the text.
    fn check(&self, samples: &[Sample], arguments: &[&str]) -> (i32, Value, String) {
        self.recording(samples);
        let check = [&["route", "check", "route.json", "--replay", "play.nsrec"], arguments].concat();
        let shown = nextscope(self.folder.path(), &check);
        let json = nextscope(self.folder.path(), &[&["--json"], &check[..]].concat());
        assert_eq!(shown.status.code(), json.status.code(), "{}{}", text(&shown), text(&json));
        let object = serde_json::from_slice(&json.stdout).unwrap();
        (shown.status.code().unwrap(), object, text(&shown))
    }
}

/// The buttons are held from power on.
fn played(pads: &[Buttons]) -> Vec<Sample> {
    let held = |frame: u32| pads.get(frame as usize - 1).copied().unwrap_or(Buttons::NONE);
    record(rom(SEED, SETTINGS), &held, u32::try_from(pads.len() + AFTER_THE_MOVIE).unwrap())
}

fn count(object: &Value, key: &str) -> usize {
    object[key].as_u64().unwrap_or_else(|| panic!("{key}: {object}")).try_into().unwrap()
}

fn results(object: &Value) -> Vec<&str> {
    object["steps"].as_array().unwrap().iter().map(|pair| pair["result"].as_str().unwrap()).collect()
}

#[test]
fn a_movie_that_plays_the_route_is_as_planned_in_its_frames() {
    let planned = Planned::new();
    let (status, object, text) = planned.check(&played(&planned.pads), &[]);
    assert_eq!(status, 0, "{text}");
    let pairs = planned.pairs();
    assert_eq!(results(&object), vec!["as-planned"; pairs], "{text}");
    assert_eq!((count(&object, "as_planned"), count(&object, "unplayed")), (pairs, 0));
    assert!(object["first_difference"].is_null());
    // The recording counts from 5000.
    let first = 5000 + u64::from(lead_in(SEED));
    for (pair, step) in
        object["steps"].as_array().unwrap().iter().zip(planned.route()["steps"].as_array().unwrap())
    {
        let frame = first + step["at_frame"].as_u64().unwrap();
        assert_eq!(
            (pair["in_play"]["frame"].as_u64(), pair["planned_frame"].as_u64()),
            (Some(frame), Some(frame))
        );
        let frames = &step["frames"];
        let until_landed: u64 =
            ["move", "fall", "lock"].iter().map(|part| frames[part].as_u64().unwrap()).sum();
        assert_eq!(pair["placed"]["frame"].as_u64(), Some(frame + until_landed), "{pair}");
        assert_eq!((&pair["board"], &pair["played_column"]), (&step["after"]["rows"], &step["column"]));
        assert_eq!(pair["played_rotation"], step["rotation"]);
    }
    assert!(text.contains(&format!("\n{pairs} of {pairs} boards as planned\n")), "{text}");
    assert!(text.contains("Player 1, round 1 of 1, from frame "), "{text}");
    assert!(!text.contains("planned frame"), "all are in time: {text}");

    // What the command prints is a route as well, and so is a route of a list of seeds.
    let seed = format!("{SEED:#X}");
    for seeds in [["--seed", &seed], ["--seeds", &format!("{seed}..{seed}")]] {
        let plan =
            ["--json", "route", "puyo-tsu", "--level", "3", "--pairs", "12", "--width", "100", "--steps"];
        let printed = nextscope(planned.folder.path(), &[&plan[..], &seeds[..]].concat());
        std::fs::write(planned.folder.path().join("printed.json"), &printed.stdout).unwrap();
        let check = ["route", "check", "printed.json", "--replay", "play.nsrec"];
        let output = nextscope(planned.folder.path(), &check);
        assert_eq!(output.status.code(), Some(0), "{seeds:?}: {}", self::text(&output));
    }
    println!("{text}");
}

#[test]
fn a_tap_that_is_lost_is_the_first_difference() {
    let planned = Planned::new();
    let mut pads = planned.pads.clone();
    let is_tap = |pad: &Buttons| *pad != Buttons::NONE && *pad != Buttons::DOWN;
    let tap = pads.iter().position(is_tap).expect("a tap");
    pads[tap] = Buttons::NONE;
    let (status, object, text) = planned.check(&played(&pads), &[]);
    assert_eq!(status, 1, "{text}");
    let steps = planned.route()["steps"].clone();
    let expected = steps.as_array().unwrap().iter().position(|step| step["inputs"] != "").unwrap();
    assert_eq!(count(&object, "first_difference"), expected + 1, "{text}");
    let pair = &object["steps"][expected];
    assert_eq!(pair["result"], "board-differs");
    assert!(pair["board"] != pair["planned_board"] && !pair["played_column"].is_null(), "{pair}");
    assert_eq!(count(&object, "as_planned"), expected);
    let frame = pair["in_play"]["frame"].as_u64().unwrap();
    let difference = format!(
        "First difference: pair {} ({}), in play from frame {frame}: planned ",
        expected + 1,
        pair["pair"].as_str().unwrap()
    );
    assert!(text.contains(&difference) && text.contains("  planned   played\n"), "{text}");
    println!("{text}");
}

#[test]
fn a_late_movie_is_as_planned_in_later_frames() {
    let planned = Planned::new();
    // While the first pair falls nothing is pressed for three frames, then the movie goes on.
    let mut pads = planned.pads.clone();
    let lead_in = lead_in(SEED) as usize;
    pads.splice(lead_in..lead_in, [Buttons::NONE; 3]);
    let (status, object, text) = planned.check(&played(&pads), &[]);
    assert_eq!((status, count(&object, "as_planned")), (0, planned.pairs()), "{text}");
    assert!(
        text.contains("Pair 2 is the first that was not in play in its planned frame: 3 frames late"),
        "{text}"
    );
}

#[test]
fn pairs_after_the_end_of_the_recording_are_unplayed() {
    let planned = Planned::new();
    let samples = played(&planned.pads);
    let (_, whole, _) = planned.check(&samples, &[]);
    // While the fourth pair falls.
    let end = whole["steps"][3]["in_play"]["frame"].as_u64().unwrap() + 2;
    let end = samples.iter().position(|sample| sample.frame == end).unwrap();
    let (status, object, text) = planned.check(&samples[..end], &[]);
    let left = planned.pairs() - 3;
    assert_eq!((status, count(&object, "as_planned"), count(&object, "unplayed")), (1, 3, left), "{text}");
    assert!(object["first_difference"].is_null(), "nothing was played differently");
    let last = format!("3 of {} boards as planned; {left} pairs left unplayed", planned.pairs());
    assert!(text.contains(&last), "{text}");
}

#[test]
fn the_round_with_the_pairs_is_found_and_the_last_of_several() {
    let planned = Planned::new();
    // After other power ons another round is played, and the same one again.
    let other =
        record(rom(77, SETTINGS), &|frame| if frame % 40 < 20 { Buttons::DOWN } else { Buttons::NONE }, 600);
    let rounds = [played(&planned.pads), other, played(&planned.pads)];
    let samples: Vec<Sample> = rounds
        .into_iter()
        .flatten()
        .zip(1..)
        .map(|(sample, frame)| Sample { frame, elapsed: Duration::from_micros(frame * 16_689), ..sample })
        .collect();
    let (status, object, text) = planned.check(&samples, &[]);
    assert_eq!((status, count(&object, "round"), count(&object, "rounds")), (0, 3, 3), "{text}");
    assert_eq!(object["matching_rounds"], serde_json::json!([1, 3]));
    assert!(
        text.contains("round 3 of 3, from frame ")
            && text.contains("rounds with the same pairs: 1 (--round)"),
        "{text}"
    );
    let (status, object, _) = planned.check(&samples, &["--round", "1"]);
    assert_eq!((status, count(&object, "round")), (0, 1));
    assert!(object["steps"][0]["in_play"]["frame"].as_u64().unwrap() < 600);
    let (status, object, text) = planned.check(&samples, &["--round", "2"]);
    assert_eq!((status, count(&object, "round")), (1, 2), "{text}");
    assert!(
        text.contains("its pairs are not those of the route") && results(&object).contains(&"other-pair"),
        "{text}"
    );
    let output = nextscope(
        planned.folder.path(),
        &["route", "check", "route.json", "--replay", "play.nsrec", "--round", "4"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(self::text(&output).contains("the recording has 3 rounds of player 1"), "{output:?}");
}

#[test]
fn without_a_round_that_has_the_pairs_the_rounds_are_listed() {
    let planned = Planned::new();
    let samples = record(rom(77, SETTINGS), &|_| Buttons::DOWN, 400);
    let (status, object, text) = planned.check(&samples, &[]);
    assert_eq!(
        (status, &object["round"], &object["steps"]),
        (1, &Value::Null, &serde_json::json!([])),
        "{text}"
    );
    assert!(text.contains("No round of player 1 has the pairs of the route: "), "{text}");
    assert!(text.contains("  round 1, from frame ") && text.contains("--player"), "{text}");
    let (status, object, text) = planned.check(&samples, &["--player", "2"]);
    assert_eq!((status, count(&object, "rounds"), &object["round"]), (1, 0, &Value::Null), "{text}");
    assert!(text.starts_with("Player 2 placed no pair in the recording"), "{text}");
}

#[test]
fn a_recording_of_a_game_without_boards_is_refused_with_the_reason() {
    let planned = Planned::new();
    let profile = recordings::profile("puyo-20th-nds");
    let domain = profile.console.domain();
    let stored = vec![0; domain.len as usize];
    let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, stored).unwrap();
    let sample = Sample { snapshot, frame: 1, counter: 0, elapsed: Duration::ZERO };
    let header = Header { order: StorageOrder::AsOnBus, ..recordings::header(&profile) };
    let path = planned.folder.path().join("nds.nsrec");
    std::fs::write(path, recordings::written(&header, &[sample])).unwrap();
    let check = ["route", "check", "route.json", "--replay", "nds.nsrec"];
    let output = nextscope(planned.folder.path(), &check);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("whose board addresses are unknown"), "{}", text(&output));
}
