//! Hundreds of mismatches in one recording: bounded, and cancelled on request.

use crate::cli_support::{answer, errors, nextscope, status};
use crate::played::nes::Game;
use crate::support::Session;
use crate::waiting::eventually;
use nextscope::games::tetris_nes::TABLE;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A game in which every piece is wrong.
fn recording(folder: &Path, pieces: usize) -> PathBuf {
    let mut game = Game::new();
    game.recorded = Some(Vec::new());
    let mut game = game.begin();
    for _ in 0..pieces {
        game.count();
        game.step();
        game.deal();
        let place = TABLE.iter().position(|(piece, _)| *piece == game.next).unwrap();
        let (piece, orientation) = TABLE[(place + 1) % 7];
        game.spawner.last = orientation;
        game.put();
        game.show_next(piece);
        game.rest();
        game.sample();
        game.frames(5);
    }
    assert_eq!(game.found.len(), pieces);
    let mut session = Session::new(&game.profile, &folder.join("live"));
    for (snapshot, frame) in game.recorded.unwrap() {
        session.sample(&snapshot, frame);
    }
    let (found, bytes) = session.end();
    assert_eq!(found.len(), pieces);
    let path = folder.join("many.nsrec");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(sessions) = std::fs::read_dir(folder) else { return Vec::new() };
    let inside = sessions.flat_map(|session| std::fs::read_dir(session.unwrap().path()).unwrap());
    inside.map(|file| file.unwrap().path()).collect()
}

#[test]
fn of_hundreds_the_first_fifty_are_listed_and_the_rest_counted() {
    let root = tempfile::tempdir().unwrap();
    let (path, page) = (recording(root.path(), 600), root.path().join("out.html"));
    let (path, page) = (path.to_str().unwrap(), page.to_str().unwrap());
    let start = Instant::now();
    let result = answer(&["verify", "--replay", path, "--report", page], 1);
    let (taken, page) = (start.elapsed(), std::fs::read_to_string(page).unwrap());
    assert_eq!(result["totals"]["mismatches"], 600);
    assert_eq!(page.matches("<h2>Mismatch ").count(), 50);
    assert!(page.contains("Further mismatches: 550."));
    assert_eq!(page.matches("RAM before and after").count(), 50, "each with its RAM");
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(taken < Duration::from_secs(30), "{taken:?}");
    eprintln!("600 mismatches: {taken:?}, a page of {} bytes", page.len());
}

#[test]
fn evidence_of_a_recording_is_bounded_like_that_of_a_session() {
    let root = tempfile::tempdir().unwrap();
    let (path, late) = (recording(root.path(), 220), root.path().join("late"));
    let start = Instant::now();
    let result =
        answer(&["verify", "--replay", path.to_str().unwrap(), "--evidence", late.to_str().unwrap()], 1);
    let written = files(&late);
    assert_eq!(written.len(), 200, "the maximum of a session");
    let result = result["mismatches"].as_array().unwrap();
    let with: Vec<bool> = result.iter().map(|one| one["evidence"].is_string()).collect();
    assert_eq!(
        with,
        [vec![true; 200], vec![false; 20]].concat(),
        "none is left out while others are written"
    );
    for number in [0, 120, 199] {
        let file = answer(&["evidence", result[number]["evidence"].as_str().unwrap()], 0);
        assert_eq!(file["mismatch"]["index"], result[number]["index"]);
    }
    eprintln!("200 files: {:?}", start.elapsed());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_soon_and_leaves_complete_files() {
    let root = tempfile::tempdir().unwrap();
    let (path, late) = (recording(root.path(), 600), root.path().join("late"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(["verify", "--replay", path.to_str().unwrap(), "--evidence", late.to_str().unwrap()])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    eventually("three files", || {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        files(&late).len() >= 3
    });
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let start = Instant::now();
    let ended = child.wait().unwrap();
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    assert_eq!(ended.code(), Some(130), "interrupted, after printing the results");
    let written = files(&late);
    assert!(written.len() < 200, "{} files", written.len());
    for file in written {
        let name = file.to_str().unwrap();
        assert!(name.ends_with(".nsrec"), "no half-written file is left: {name}");
        let output = nextscope(&["replay", name]);
        assert_eq!(status(&output), 0, "{}", errors(&output));
    }
}
