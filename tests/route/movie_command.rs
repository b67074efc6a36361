//! The way of a user from `route` to a movie, as docs/routes.md says, with a profile of his own: the movie is played from power on, and compared
//! with what the command printed.

use super::movie_files::{lead_in, replay};
use crate::movies::genesis::{SEED, SETTINGS, console, profile_text};
use crate::movies::readers::{read_bk2, read_gmv, read_inp, read_mcm};
use nextscope::puyo::field_from_rows;
use serde_json::Value;
use std::process::Command;

#[test]
fn the_command_writes_movies_that_end_on_the_boards_that_it_prints() {
    let folder = tempfile::tempdir().unwrap();
    let profiles = folder.path().join("profiles");
    std::fs::create_dir(&profiles).unwrap();
    // A profile of the same id replaces the built-in one.
    std::fs::write(profiles.join("puyo-tsu-genesis.toml"), profile_text()).unwrap();
    let lead_in = lead_in(SEED);
    let movie = |ending: &str| folder.path().join(format!("route.{ending}"));
    let output = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .arg("--json")
        .arg("--profiles")
        .arg(&profiles)
        .args(["route", "puyo-tsu", "--seed", &format!("{SEED:#X}"), "--level", "3", "--pairs", "12"])
        .args(["--width", "100", "--steps", "--lead-in", &lead_in.to_string()])
        .args(
            ["bk2", "gmv", "mcm", "inp"]
                .map(movie)
                .iter()
                .flat_map(|file| ["--out".as_ref(), file.as_os_str()]),
        )
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let route: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(route["frames_confirmed"], true, "the table of the user's profile");
    let steps = route["steps"].as_array().unwrap();
    assert!(route["chain"].as_u64().unwrap() > 1 && steps.len() > 4);

    let read = |ending| std::fs::read(movie(ending)).unwrap();
    let frames = read_bk2(&read("bk2")).unwrap();
    assert!(read_gmv(&read("gmv")).unwrap() == frames);
    assert!(read_mcm(&read("mcm")).unwrap() == frames);
    assert!(read_inp(&read("inp")).unwrap() == frames);

    let seen = replay(console(SEED, SETTINGS), &frames);
    for (number, (step, pair)) in (1..).zip(steps.iter().zip(&seen)) {
        let at = step["at_frame"].as_u64().unwrap() + u64::from(lead_in);
        assert_eq!(u64::from(pair.frame), at, "pair {number}");
    }
    for (number, (step, next)) in (1..).zip(steps.iter().zip(&seen[1..])) {
        let rows: Vec<&str> =
            step["after"]["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
        assert_eq!(next.board, field_from_rows(&rows).unwrap(), "the board after pair {number}");
    }
    assert_eq!(seen.len(), steps.len() + 1);
}
