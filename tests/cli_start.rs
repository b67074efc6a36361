//! `start`: saved commands, wrappers, failed starts.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod waiting;

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const NEXTSCOPE: &str = env!("CARGO_BIN_EXE_nextscope");

/// With its own configuration folder.
fn nextscope(home: &Path, arguments: &[&str]) -> Output {
    Command::new(NEXTSCOPE)
        .args(arguments)
        .env("XDG_CONFIG_HOME", home)
        .current_dir(home)
        .output()
        .expect("it runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The pids of all live lines; the emulators of this test are terminated.
fn watched(output: &Output) -> Vec<u64> {
    let live = |line: &Value| line["connection"] == "live";
    let mut pids: Vec<u64> =
        lines(output).iter().filter(|line| live(line)).filter_map(|line| line["pid"].as_u64()).collect();
    pids.dedup();
    for pid in &pids {
        let raw = nix::unistd::Pid::from_raw(i32::try_from(*pid).expect("a process number"));
        let group = nix::unistd::getpgid(Some(raw)).expect("it survives the end of nextscope");
        // With the shell and the sleep of its script.
        nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL).expect("it is ours");
    }
    pids
}

/// The embedded console behind two shells, of which the outer one ends: saved, listed, started by name,
/// followed, and still running afterwards.
#[test]
fn a_wrapped_emulator_is_saved_started_by_name_and_followed() {
    let home = tempfile::tempdir().unwrap();
    // The console ends with its parent, or with its input: the inner shell stays alive, and its input never
    // ends.
    let script = home.path().join("play.sh");
    std::fs::write(&script, format!("#!/bin/sh\n(sleep 600 | '{NEXTSCOPE}' demo-console; true) &\n"))
        .unwrap();
    let begin = ["start", "--terminal", "--seconds", "6", "--json"];
    let save = [&begin[..], &["--save", "demo", "--", "sh", "play.sh"]].concat();
    let first = nextscope(home.path(), &save);
    assert!(errors(&first).contains("saved as \"demo\""), "{}", errors(&first));
    assert_eq!(watched(&first).len(), 1, "{}", errors(&first));
    let list = nextscope(home.path(), &["start", "--list", "--json"]);
    let list = &lines(&list)[0];
    assert_eq!(list["commands"][0]["command"], serde_json::json!(["sh", "play.sh"]));
    assert_eq!(list["commands"][0]["folder"], home.path().canonicalize().unwrap().display().to_string());
    // From another folder: it starts where it was saved.
    let again = [&begin[..], &["demo"]].concat();
    let again = Command::new(NEXTSCOPE)
        .args(again)
        .env("XDG_CONFIG_HOME", home.path())
        .current_dir("/")
        .output()
        .unwrap();
    assert_eq!(watched(&again).len(), 1, "{}", errors(&again));
    assert_eq!(nextscope(home.path(), &["start", "--forget", "demo"]).status.code(), Some(0));
    let unknown = nextscope(home.path(), &["start", "demo"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(errors(&unknown).contains("no saved command \"demo\""), "{}", errors(&unknown));
    assert_eq!(nextscope(home.path(), &["start", "--list"]).status.code(), Some(1));
}

/// The output of `serve --start demo` as soon as the console is live.
fn served(home: &Path) -> Value {
    let mut serving = Command::new(NEXTSCOPE)
        .args(["serve", "--start", "demo", "--port", "0", "--json"])
        .env("XDG_CONFIG_HOME", home)
        .current_dir("/")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut ready = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    let ready: Value = serde_json::from_str(&ready).expect("JSON");
    let (_, path) = ready["state"].as_str().unwrap().split_once("//").unwrap();
    let (host, path) = path.split_once('/').unwrap();
    let state = waiting::eventually_ok(|| {
        let mut stream = TcpStream::connect(host).expect("it listens");
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let state: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).expect("JSON");
        if state["connection"] == "live" { Ok(state) } else { Err(format!("it is live: {state}")) }
    });
    let pid = nix::unistd::Pid::from_raw(i32::try_from(serving.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("it serves until it is stopped");
    assert_eq!(serving.wait().unwrap().code(), Some(0));
    state
}

/// The commands that sample accept the name of a saved command as well.
#[test]
fn watch_verify_record_and_serve_start_saved_commands() {
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("play.sh");
    std::fs::write(
        &script,
        format!("#!/bin/sh\necho $$ >> begun\nsleep 600 | exec '{NEXTSCOPE}' demo-console\n"),
    )
    .unwrap();
    let save = ["start", "--terminal", "--seconds", "1", "--json", "--save", "demo", "--", "sh", "play.sh"];
    watched(&nextscope(home.path(), &save));
    let from_elsewhere = |arguments: &[&str]| {
        Command::new(NEXTSCOPE)
            .args(arguments)
            .env("XDG_CONFIG_HOME", home.path())
            .current_dir("/")
            .output()
            .unwrap()
    };
    let watch = from_elsewhere(&["watch", "--start", "demo", "--seconds", "6", "--json"]);
    assert_eq!(watched(&watch).len(), 1, "{}", errors(&watch));
    let file = home.path().join("run.nsrec");
    let file = file.to_str().unwrap();
    let record = from_elsewhere(&["record", file, "--start", "demo", "--seconds", "6", "--json"]);
    assert_eq!(record.status.code(), Some(0), "{}", errors(&record));
    assert!(lines(&record)[0]["samples"].as_u64().unwrap() > 10);
    let verify = from_elsewhere(&["verify", "--start", "demo", "--seconds", "6", "--json"]);
    assert_eq!(verify.status.code(), Some(0), "{}", errors(&verify));
    assert_eq!(lines(&verify)[0]["profile"], "puyo-tsu-genesis", "{}", errors(&verify));
    let state = served(home.path());
    assert_eq!((&state["connection"], &state["profile"]), (&"live".into(), &"puyo-tsu-genesis".into()));
    let begun = std::fs::read_to_string(home.path().join("begun")).expect("in the folder where it was saved");
    assert_eq!(begun.lines().count(), 5);
    for shell in begun.lines() {
        let raw = nix::unistd::Pid::from_raw(shell.parse().unwrap());
        if let Ok(group) = nix::unistd::getpgid(Some(raw)) {
            // Some have ended with the command that watched them.
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
    }
    for arguments in [
        &["watch", "--start", "other"][..],
        &["verify", "--start", "other"],
        &["record", "x.nsrec", "--start", "other"],
        &["serve", "--start", "other", "--port", "0"],
    ] {
        let unknown = nextscope(home.path(), arguments);
        assert_eq!(unknown.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&unknown).contains("no saved command \"other\""), "{}", errors(&unknown));
    }
    for arguments in [
        &["watch", "--start", "demo", "--pid", "1"][..],
        &["watch", "--start", "demo", "--", "sh"],
        &["watch", "--in-namespace"],
    ] {
        assert_eq!(nextscope(home.path(), arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert!(!home.path().join("x.nsrec").exists());
}

#[test]
fn an_emulator_that_ends_at_once_is_reported_with_status_and_output() {
    let home = tempfile::tempdir().unwrap();
    let output = nextscope(
        home.path(),
        &["start", "--terminal", "--", "sh", "-c", "echo cannot open game.md >&2; exit 7"],
    );
    assert_eq!(output.status.code(), Some(3));
    let said = errors(&output);
    assert!(
        said.contains("sh ended after ")
            && said.contains("exit status: 7")
            && said.contains("\n    cannot open game.md"),
        "{said}"
    );
    let none = nextscope(home.path(), &["start", "--terminal", "--", "no-such-emulator"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(errors(&none).contains("no-such-emulator cannot be started"), "{}", errors(&none));
    assert_eq!(nextscope(home.path(), &["start"]).status.code(), Some(2));
}

#[test]
fn suggestions_are_the_emulators_installed_for_the_file() {
    let home = tempfile::tempdir().unwrap();
    let emulator = home.path().join("blastem");
    std::fs::write(&emulator, "").unwrap();
    let path = format!("{}:{}", home.path().display(), std::env::var("PATH").unwrap());
    let run = |game: &str| {
        let output = Command::new(NEXTSCOPE)
            .args(["start", "--json", "--suggest", game])
            .env("PATH", &path)
            .output()
            .unwrap();
        lines(&output).remove(0)
    };
    let found = run("/games/a b.md");
    let row = found["emulators"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["emulator"] == "BlastEm")
        .expect("it is there");
    assert_eq!(row["command"], serde_json::json!([emulator.display().to_string(), "/games/a b.md"]));
    assert!(run("x.nds")["emulators"].as_array().unwrap().iter().all(|row| row["emulator"] != "BlastEm"));
}
