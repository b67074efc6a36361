//! `nextscope frames measure` on recordings of the cartridge, and the check of the times.

use super::cli_support::{answer, errors, nextscope, status, text};
use super::play::{Set, TABLES, play, profile};
use super::support::{header, micros, written};
use nextscope::console::ConsoleAddr;
use nextscope::frames::Part;
use nextscope::profile::{FrameStatus, Profile, parse};
use nextscope::recording::Sample;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A recording of rounds with these tables, one after the other.
fn recorded(folder: &Path, name: &str, sets: &[Set], frames: usize) -> PathBuf {
    let mut samples = Vec::new();
    for (seed, set) in (1..).zip(sets) {
        let before = samples.last().map_or(0, |sample: &Sample| sample.frame);
        play(*set, seed, frames, |pass, snapshot, _| {
            let counter = snapshot.u8(ConsoleAddr(0xFF_A069)).unwrap().into();
            let frame = before + pass;
            samples.push(Sample { snapshot, frame, counter, elapsed: micros(frame * 16_689) });
        });
    }
    let file = folder.join(name);
    std::fs::write(&file, written(&header(&profile()), &samples)).unwrap();
    file
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn profile_in(file: &Path) -> Profile {
    parse(&std::fs::read_to_string(file).unwrap(), "written").0.expect("a valid profile")
}

fn frames(answer: &Value, part: Part) -> Option<u64> {
    let (key, rows) = part.key();
    let rows = rows.map_or(Value::Null, Value::from);
    let parts = answer["parts"].as_array().unwrap();
    parts.iter().find(|one| one["part"] == key && one["rows"] == rows)?["frames"].as_u64()
}

#[test]
fn a_recording_is_measured_and_written_into_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let set = Set { lock: 7, next: 5, fall: 2, garbage_rows: &[9], ..TABLES[3] };
    let recording = recorded(folder.path(), "run.nsrec", &[set], 16_000);
    let file = path(&recording);
    let measured = answer(&["frames", "measure", file], 0);
    assert_eq!(answer(&["frames", "measure", "--replay", file], 0)["parts"], measured["parts"]);
    let single = [Part::Press, Part::Release, Part::Fall, Part::FallWithoutDown, Part::Lock(0), Part::Next];
    for part in single.into_iter().chain([Part::Lock(1), Part::Chain(0), Part::Chain(1)]) {
        assert_eq!(frames(&measured, part), Some(set.of(part).into()), "{part}: {measured}");
    }
    for part in Part::all() {
        if let Some(frames) = frames(&measured, part) {
            assert_eq!(frames, u64::from(set.of(part)), "{part}: {measured}");
        }
    }
    let printed = nextscope(&["frames", "measure", file]);
    let printed = text(&printed);
    let lock = printed.lines().find(|line| line.starts_with("lock ")).expect(&printed);
    let cells: Vec<&str> = lock.split_whitespace().take(3).collect();
    assert_eq!(cells, ["lock", "7", "exact"], "{printed}");
    assert!(printed.contains("Evidence: ") && printed.contains("split, 1 row "), "{printed}");

    // A copy of the built-in profile, which keeps the numbers that were not measured.
    let mine = folder.path().join("a new folder").join("mine.toml");
    let written = answer(&["frames", "measure", file, "--write", path(&mine)], 0);
    assert_eq!(written["written"]["status"], "partly-confirmed");
    let as_before = written["written"]["as_before"].to_string();
    assert!(as_before.contains("chain, ") && as_before.contains(" to 12 rows"), "{as_before}");
    let times = profile_in(&mine).frames.expect("a table");
    assert!(times.note.is_some(), "some numbers are those that it is about");
    assert_eq!((times.press.frames.get(), times.release.frames.get(), times.lock.frames), (2, 3, 7));
    assert!(times.lock.source.contains("run.nsrec, player 1") && times.lock.source.contains(" times"));
    assert_eq!(times.split.frames[..4], [0, 0, 7, 7]);
    assert_eq!(times.chain.frames.len(), 13, "as before");
    assert!(times.chain.source.contains("as before: ") && times.chain.source.contains("puyo-camp"));
    assert_eq!(times.fall_without_down.expect("added").frames.get(), 5);

    // In the same file, only what was measured.
    let only = &["frames", "measure", file, "--write", path(&mine), "--only-measured"];
    assert_eq!(answer(only, 0)["written"]["status"], "measured");
    let times = profile_in(&mine).frames.expect("a table");
    assert_eq!(times.status, FrameStatus::Measured);
    assert_eq!((times.note, times.player.map(std::num::NonZero::get)), (None, Some(1)));
    for (rows, frames) in times.chain.frames.iter().enumerate() {
        assert_eq!(*frames, set.of(Part::Chain(rows)), "{rows} rows");
    }
    assert!(times.chain.frames.len() < 13 && times.chain.frames.len() > 2);
}

#[test]
fn other_files_are_not_overwritten_and_other_sources_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let recording = recorded(folder.path(), "run.nsrec", &[Set::BUILT], 600);
    let file = path(&recording);
    let at = |name: &str, text: &str| {
        let at = folder.path().join(name);
        std::fs::write(&at, text).unwrap();
        at
    };
    let notes = at("notes.toml", "mine = 1\n");
    let other = at("other.toml", &profile().text.replace("id = \"puyo-tsu-genesis\"", "id = \"another\""));
    for (file_to_write, message) in [(&notes, "not a valid profile"), (&other, "this is the profile another")]
    {
        let before = std::fs::read(file_to_write).unwrap();
        let refused = nextscope(&["frames", "measure", file, "--write", path(file_to_write)]);
        assert_eq!(status(&refused), 2);
        assert!(errors(&refused).contains(message), "{}", errors(&refused));
        assert_eq!(std::fs::read(file_to_write).unwrap(), before);
    }
    for (arguments, message) in [
        (&["--dump", file][..], "a dump is a single frame"),
        (&[file, "--record", "x.nsrec"], "this is a recording already"),
        (&["no-such.nsrec"], "no-such.nsrec"),
        (&[file, "--player", "3"], "1..=2"),
    ] {
        let refused = nextscope(&[&["frames", "measure"], arguments].concat());
        assert_eq!(status(&refused), 2, "{arguments:?}");
        assert!(errors(&refused).contains(message), "{}", errors(&refused));
    }
    // Nothing was played by player 2.
    assert_eq!(answer(&["frames", "measure", file, "--player", "2"], 1)["pairs"], 0);
}

#[test]
fn contradictions_are_shown_and_not_written_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let later = Set { chain: 60, ..Set::BUILT };
    let recording = recorded(folder.path(), "both.nsrec", &[Set::BUILT, Set::BUILT, later], 6000);
    let file = path(&recording);
    let measured = answer(&["frames", "measure", file], 1);
    let chain = measured["parts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|part| part["part"] == "chain" && part["rows"] == 2);
    let chain = chain.expect("such a step");
    assert_eq!((&chain["certainty"], &chain["frames"]), (&"contradiction".into(), &Value::Null));
    let values = chain["values"].as_array().unwrap().iter().filter(|value| value["least"] == value["most"]);
    let values: Vec<_> = values.map(|value| value["least"].as_u64().unwrap()).collect();
    assert_eq!(values, [24, 60], "nothing is averaged away");
    let mine = folder.path().join("mine.toml");
    answer(&["frames", "measure", file, "--write", path(&mine)], 1);
    let chain = profile_in(&mine).frames.expect("a table").chain;
    assert_eq!(chain.frames[2], 82, "as before");
    answer(&["frames", "measure", file, "--write", path(&mine), "--take", "most-frequent"], 1);
    let chain = profile_in(&mine).frames.expect("a table").chain;
    assert_eq!(chain.frames[2], 24);
    assert!(chain.source.contains("most frequent of 24 "), "{}", chain.source);
}

#[test]
fn a_pair_that_takes_another_time_than_a_measured_table_is_a_mismatch() {
    let folder = tempfile::tempdir().unwrap();
    let set = Set { lock: 5, ..Set::BUILT };
    let recording = recorded(folder.path(), "run.nsrec", &[set], 6000);
    let file = path(&recording);
    let profiles = folder.path().join("profiles");
    std::fs::create_dir(&profiles).unwrap();
    let mine = profiles.join("mine.toml");
    answer(&["frames", "measure", file, "--write", path(&mine), "--only-measured"], 0);
    let verify = |expected| answer(&["verify", "--replay", file, "--profiles", path(&profiles)], expected);
    let times = |report: &Value| {
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["id"] == "times-p1").cloned()
    };
    let good = verify(0);
    let check = times(&good).expect("the table is measured");
    assert_eq!(check["status"], "verified", "{good}");

    let text = std::fs::read_to_string(&mine).unwrap();
    let lock = "lock = { frames = 5,";
    assert!(text.contains(lock), "{text}");
    for (wrong, repeated) in [("lock = { frames = 9,", false), ("lock = { frames = 4,", true)] {
        std::fs::write(&mine, text.replace(lock, wrong)).unwrap();
        let report = verify(1);
        let mismatch = &report["mismatches"][0];
        assert_eq!((&mismatch["check"], &mismatch["actual"]), (&"times-p1".into(), &"5".into()));
        let what = mismatch["what"].as_str().unwrap();
        assert!(what.contains("locking took 5 frames, not "), "{what}");
        assert_eq!(what.contains("several times in a row"), repeated, "{what}");
    }
    // Another player may be the computer, who plays at another speed.
    let of_the_other = text.replace("player = 1\n", "player = 2\n");
    assert_ne!(of_the_other, text);
    std::fs::write(&mine, of_the_other.replace(lock, "lock = { frames = 9,")).unwrap();
    let check = times(&verify(0)).expect("named");
    let why = "the times in [frames] were measured from player 2 only";
    assert_eq!((&check["status"], &check["detail"]), (&"nothing".into(), &why.into()));

    // A table that does not come from the game is not checked.
    let unconfirmed = text.replace("status = \"measured\"", "status = \"unconfirmed\"");
    std::fs::write(&mine, unconfirmed.replace(lock, "lock = { frames = 9,")).unwrap();
    assert_eq!(times(&verify(0)), None);
}
