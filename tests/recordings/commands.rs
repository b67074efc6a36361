//! The command line.

use super::support::{Game, header, profile, written};
#[cfg(unix)]
use crate::cli_support::follows_overwrite_rule;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

pub fn nextscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nextscope")).args(arguments).output().expect("nextscope runs")
}

/// Its output, line by line, after checking its exit status.
pub fn lines(arguments: &[&str], status: i32) -> Vec<Value> {
    let output = nextscope(&[arguments, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

pub fn answer(arguments: &[&str], status: i32) -> Value {
    let mut lines = lines(arguments, status);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines.remove(0)
}

pub fn refused(arguments: &[&str]) -> String {
    let output = nextscope(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A game without faults in a file.
fn played(folder: &Path, config: &str, frames: usize) -> PathBuf {
    let mut game = Game::new(config);
    let samples: Vec<_> = (0..frames).map(|_| game.sample()).collect();
    let file = folder.join("played.nsrec");
    std::fs::write(&file, written(&header(&profile("puyo-tsu-genesis")), &samples)).unwrap();
    file
}

#[test]
fn a_recording_is_made_summarized_verified_and_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made.nsrec");
    let file = text(&file);
    let made = answer(&["record", file, "--demo", "--speed", "4", "--seconds", "4"], 0);
    let samples = made["samples"].as_u64().unwrap();
    assert!(samples > 20, "{made}");
    assert_eq!(made["bytes"], std::fs::metadata(file).unwrap().len());
    assert_eq!((&made["error"], &made["left_out"]), (&Value::Null, &0.into()));

    let summary = answer(&["replay", file], 0);
    assert_eq!(
        (&summary["samples"], &summary["ended"], &summary["format"]),
        (&samples.into(), &true.into(), &1.into())
    );
    assert_eq!(summary["connections"][0]["profile"], "puyo-tsu-genesis");
    assert_eq!(summary["damage"], serde_json::json!([]));
    assert_eq!(summary["totals"]["mismatches"], 0);

    assert!(refused(&["record", file, "--demo"]).contains("--force"));
    assert!(refused(&["record", "x.nsrec", "--replay", file]).contains("running emulator"));
    // If nothing can be recorded, the existing file stays.
    assert_eq!(nextscope(&["record", file, "--force", "--pid", "4194305"]).status.code(), Some(3));
    assert_eq!(answer(&["replay", file], 0)["samples"], samples);
    let again = nextscope(&["record", file, "--force", "--demo", "--seconds", "1", "--json"]);
    let errors = String::from_utf8_lossy(&again.stderr).into_owned();
    let again: Value = serde_json::from_slice(&again.stdout).expect(&errors);
    assert!(again["samples"].as_u64().unwrap() < samples);
    // The process that it took, while it records.
    let named = format!("recording {} (", again["emulator"].as_str().unwrap());
    assert!(
        errors.lines().any(|line| line.starts_with(&named) && line.contains("Puyo Puyo Tsu")),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn the_time_until_it_attaches_is_not_part_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("late.nsrec");
    let program = env!("CARGO_BIN_EXE_nextscope");
    // The inner `sleep` keeps the console's standard input open; bash becomes the console.
    let script = format!("sleep 3; exec {program} demo-console < <(sleep 20)");
    let began = Instant::now();
    let record = ["record", text(&file), "--seconds", "2", "--json", "--", "bash", "-c", &script];
    let output = nextscope(&record);
    let took = began.elapsed().as_secs_f64();
    let made: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let recorded = made["elapsed_seconds"].as_f64().unwrap();
    assert!(recorded >= 2.0 && recorded + 3.0 <= took, "{took}: {made}");
    assert!(made["samples"].as_u64().unwrap() > 60, "{made}");
}

#[cfg(unix)]
#[test]
fn recordings_and_exports_follow_the_overwrite_rule() {
    let folder = tempfile::tempdir().unwrap();
    let played = played(folder.path(), "deal1=5,deal2=7,pairs=40,menu=20", 300);
    let run = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let of = text(&played);
    follows_overwrite_rule(".nsrec", &|file| {
        run(&["replay", of, "--cut", file, "--from", "10", "--to", "20"])
    });
    follows_overwrite_rule(".bin", &|file| run(&["replay", of, "--dump", "10", file]));
    follows_overwrite_rule(".html", &|file| run(&["verify", "--replay", of, "--report", file]));
    follows_overwrite_rule(".nsrec", &|file| {
        run(&["record", file, "--demo", "--speed", "4", "--seconds", "1"])
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_shown_lossily() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(std::ffi::OsStr::from_bytes(b"a\xFFb.nsrec"));
    std::fs::rename(played(folder.path(), "menu=20", 60), &file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
    let output = command.arg("replay").arg(&file).arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(summary["file"].as_str().unwrap().ends_with("a\u{FFFD}b.nsrec"), "{summary}");
}

/// A file may have no more than 24 KiB here, as on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn samples_that_a_full_disk_rejected_are_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("full.nsrec");
    let script = "trap '' XFSZ; ulimit -f 48; exec \"$0\" record \"$1\" --demo --speed 8 --seconds 30 --json";
    let output =
        Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_nextscope")]).arg(&file).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("the samples written before it can be read"), "{errors}");
    // The recorded samples, and then the error.
    let objects = String::from_utf8(output.stdout).unwrap();
    let objects: Vec<Value> = objects.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [made, error] = &objects[..] else { panic!("{objects:?}") };
    assert_eq!((&error["kind"], &error["status"]), (&"error".into(), &2.into()));
    let summary = answer(&["replay", text(&file)], 1);
    assert_eq!(made["samples"], summary["samples"], "{made}");
    assert!(made["left_out"].as_u64().unwrap() > 0, "{made}");
}

#[test]
fn verify_and_watch_treat_a_recording_like_a_running_game() {
    let folder = tempfile::tempdir().unwrap();
    let good = played(folder.path(), "deal1=5,deal2=7,pairs=40,menu=20", 1500);
    let report = answer(&["verify", "--replay", text(&good)], 0);
    assert_eq!((&report["result"], &report["connection"]), (&"verified".into(), &"replaying".into()));
    assert!(report["totals"]["verified"].as_u64().unwrap() > 50, "{report}");
    assert_eq!(report["totals"]["frames_missed"], 0);
    let two = answer(&["verify", "--replay", text(&good), "--rounds", "1"], 0);
    assert!(two["totals"]["frames"].as_u64() < report["totals"]["frames"].as_u64());

    let watched = lines(&["watch", "--replay", text(&good), "--speed", "0"], 0);
    assert!(watched.len() > 50);
    assert!(watched.iter().all(|line| line["connection"] == "replaying" && line["sample"].is_u64()));
    assert_eq!(watched.last().unwrap()["totals"]["rounds"], report["totals"]["rounds"]);

    let bad = played(folder.path(), "faults=both,fault-every=5,deal1=5,deal2=7,pairs=40,menu=20", 1500);
    let report = answer(&["verify", "--replay", text(&bad)], 1);
    assert_eq!(report["result"], "mismatch");
    let summary = answer(&["replay", text(&bad)], 0);
    assert_eq!(
        summary["mismatches"].as_array().unwrap().len() as u64,
        report["totals"]["mismatches"].as_u64().unwrap()
    );
    let first = answer(&["verify", "--replay", text(&bad), "--fail-fast"], 1);
    assert_eq!(first["mismatches"][0]["frame"], summary["mismatches"][0]["frame"]);
}

#[test]
fn a_shorter_recording_and_a_frames_ram_are_exported() {
    let folder = tempfile::tempdir().unwrap();
    let file = played(folder.path(), "deal1=5,deal2=7,pairs=40,menu=20", 900);
    let (file, out) = (text(&file), folder.path().join("short.nsrec"));
    let out = text(&out);
    let cut = answer(&["replay", file, "--cut", out, "--from", "100", "--to", "299"], 0);
    assert_eq!(cut["samples"], 200);
    let summary = answer(&["replay", out], 0);
    assert_eq!(
        (&summary["first_frame"], &summary["last_frame"], &summary["samples"]),
        (&100.into(), &299.into(), &200.into())
    );
    assert!(summary["length_seconds"].as_f64().unwrap() < 3.5);
    assert!(refused(&["replay", file, "--cut", out]).contains("--force"));
    assert!(refused(&["replay", file, "--cut", file, "--force"]).contains("itself"));
    lines(&["replay", file, "--cut", "x.nsrec", "--from", "5000"], 1);

    // The same frame from both, and the commands that take a dump.
    let (one, other) = (folder.path().join("one.bin"), folder.path().join("other.bin"));
    lines(&["replay", file, "--dump", "250", text(&one)], 0);
    lines(&["replay", out, "--dump", "250", text(&other)], 0);
    let ram = std::fs::read(&one).unwrap();
    assert_eq!(ram.len(), 0x1_0000);
    assert_eq!(ram, std::fs::read(&other).unwrap());
    lines(&["replay", file, "--dump", "5000", text(&other), "--force"], 1);
    let state = |arguments: &[&str]| answer(arguments, 0)["game"]["state"].as_str().unwrap().to_owned();
    assert_eq!(state(&["watch", "--dump", file, "--frame", "250"]), state(&["watch", "--dump", text(&one)]),);
    let found = |dump: &[&str]| answer(&[&["find", "puyo-tsu"], dump].concat(), 0);
    assert_eq!(
        found(&["--dump", file, "--frame", "250"])["states"],
        found(&["--dump", text(&one)])["states"]
    );
    let route = ["route", "puyo-tsu", "--goal", "chain", "--pairs", "3", "--width", "20", "--dump"];
    let planned = answer(&[&route[..], &[file, "--frame", "250"]].concat(), 0);
    assert_eq!(planned["pairs_used"], answer(&[&route[..], &[text(&one)]].concat(), 0)["pairs_used"]);
    assert!(
        refused(&["watch", "--dump", text(&one), "--frame", "250"]).contains("--frame needs a recording")
    );
    assert!(refused(&["watch", "--dump", file, "--frame", "5000"]).contains("frame 5000"));
}

#[test]
fn a_recording_is_searched_like_ram() {
    let folder = tempfile::tempdir().unwrap();
    let file = played(folder.path(), "menu=20", 400);
    let steps = ["unknown", "wait 7", "by +7", "wait 30", "by +30", "rows 20"];
    let said = lines(&[&["scan", "--replay", text(&file), "--frame", "50"], &steps[..]].concat(), 0);
    let rows = said.last().unwrap()["rows"].as_array().unwrap().clone();
    assert!(rows.iter().any(|row| row["address"] == "0xFFA069"), "the frame counter is found: {rows:?}");
    let past = nextscope(&["scan", "--replay", text(&file), "unknown", "wait 500", "changed"]);
    assert_eq!(past.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&past.stderr).contains("the recording ends"));
}

#[test]
fn damage_is_reported_and_the_rest_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = played(folder.path(), "deal1=5,deal2=7,pairs=40,menu=20", 900);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let summary = answer(&["replay", text(&file)], 1);
    assert_eq!(summary["ended"], false);
    assert_eq!(summary["damage"].as_array().unwrap().len(), 1);
    let output = nextscope(&["verify", "--replay", text(&file)]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is truncated"));
    std::fs::write(&file, b"\x89NSREC\r\n\x09\0\0\0").unwrap();
    assert!(refused(&["replay", text(&file)]).contains("update nextscope"));
    std::fs::write(&file, b"something").unwrap();
    assert!(refused(&["watch", "--replay", text(&file)]).contains("not a recording"));
    assert!(refused(&["verify", "--replay", "/nonexistent"]).contains("cannot be read"));
}

#[test]
fn the_frame_to_wait_for_is_searched_among_the_passed_states() {
    let folder = tempfile::tempdir().unwrap();
    let file = played(folder.path(), "", 400);
    let options = ["--goal", "chain", "--pairs", "6", "--width", "20"];
    let summary = answer(&[&["route", "puyo-tsu", "--states-from", text(&file)][..], &options].concat(), 0);
    assert_eq!((&summary["complete"], &summary["stopped"]), (&true.into(), &false.into()));
    let best = summary["best"].as_array().unwrap();
    assert!(best.len() > 1, "{summary}");
    for entry in best.iter().take(3) {
        // The state in the RAM of that frame, which no earlier frame has.
        let out = folder.path().join("frame.bin");
        let frame = entry["frame"].as_u64().unwrap();
        let state = |frame: u64| {
            let arguments = ["replay", text(&file), "--dump", &frame.to_string(), text(&out), "--force"];
            assert_eq!(nextscope(&arguments).status.code(), Some(0), "{arguments:?}");
            u32::from_be_bytes(std::fs::read(&out).unwrap()[0xA134..0xA138].try_into().unwrap())
        };
        let seed = format!("0x{:08X}", state(frame));
        assert!(frame == 1 || state(frame - 1) != state(frame), "frame {frame}");
        assert_eq!(entry["seed"].as_str().unwrap().trim_start_matches("0x"), &seed[2..]);
        let alone = answer(&[&["route", "puyo-tsu", "--seed", &seed][..], &options].concat(), 0);
        assert_eq!(
            (&alone["chain"], &alone["placements"][0]["pair"]),
            (&entry["chain"], &entry["placements"][0]["pair"])
        );
    }
    assert!(refused(&["route", "puyo-20th", "--states-from", text(&file)]).contains("--seeds all"));
}
