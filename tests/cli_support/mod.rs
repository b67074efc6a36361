//! Runs the command line, and checks its output and exit status.
#![allow(clippy::expect_used, dead_code)]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

/// Runs it.
pub fn nextscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nextscope")).args(arguments).output().expect("nextscope runs")
}

/// The exit status; a signal fails the test.
pub fn status(output: &Output) -> i32 {
    output.status.code().expect("no signal, no panic")
}

/// What it printed.
pub fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// What it printed as errors.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The answer as JSON, after checking the exit status.
pub fn answer(arguments: &[&str], expected: i32) -> Value {
    let output = nextscope(&[arguments, &["--json"]].concat());
    assert_eq!(status(&output), expected, "{arguments:?}: {}", errors(&output));
    serde_json::from_str(&text(&output)).expect("one JSON object")
}

/// Runs a command that writes a file in every situation, and checks the overwrite rule: a file that exists is
/// replaced only with `--force`, through links, and with its permissions; other kinds of files are refused and not changed.
/// `command` gives the arguments for a file, whose name ends in `ending`.
#[cfg(unix)]
pub fn follows_overwrite_rule(ending: &str, command: &dyn Fn(&str) -> Vec<String>) {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(format!("{name}{ending}"));
    let run = |name: &str, force: bool| {
        let mut arguments = command(at(name).to_str().expect("text"));
        arguments.extend(force.then(|| "--force".to_owned()));
        let output = nextscope(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        (status(&output), format!("{arguments:?}: {}", errors(&output)))
    };
    let works = |name: &str, force: bool| {
        let (status, message) = run(name, force);
        assert_eq!(status, 0, "{message}");
        let bytes = std::fs::read(at(name)).expect("the file");
        assert!(!bytes.is_empty() && bytes != b"mine", "{message}");
    };
    let refused = |name: &str, force: bool, why: &str| {
        let (status, message) = run(name, force);
        assert_eq!(status, 2, "{message}");
        assert!(message.contains(why), "{message}");
    };
    works("new", false);
    for name in ["old", "target"] {
        std::fs::write(at(name), "mine").expect("a file");
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o640)).expect("permissions");
    }
    symlink(at("target"), at("link")).expect("a link");
    for name in ["old", "link"] {
        refused(name, false, "file exists (use --force to overwrite)");
        assert_eq!(std::fs::read(at(name)).expect("the file"), b"mine");
        works(name, true);
    }
    assert_ne!(std::fs::read(at("target")).expect("what the link leads to"), b"mine");
    assert_eq!(std::fs::metadata(at("target")).expect("it").permissions().mode() & 0o777, 0o640);
    // A link that leads nowhere yet, relative to its own folder.
    symlink(format!("made{ending}"), at("dangling")).expect("a link");
    works("dangling", false);
    assert!(std::fs::read(at("made")).is_ok());
    for link in ["link", "dangling"] {
        assert!(std::fs::symlink_metadata(at(link)).expect("it").is_symlink(), "{link} is a link still");
    }
    std::fs::create_dir(at("folder")).expect("a folder");
    let made = Command::new("mkfifo").arg(at("fifo")).status().expect("mkfifo");
    assert!(made.success());
    symlink(at("fifo"), at("to-fifo")).expect("a link");
    let listener = std::os::unix::net::UnixListener::bind(at("socket")).expect("a socket");
    let mut special = vec!["folder", "fifo", "to-fifo", "socket"];
    // Only a superuser can make one.
    let device = Command::new("mknod").arg(at("device")).args(["c", "1", "3"]).output();
    if device.is_ok_and(|made| made.status.success()) {
        special.push("device");
    }
    for name in special {
        for force in [false, true] {
            let before = std::fs::symlink_metadata(at(name)).expect("it");
            refused(name, force, "not a regular file");
            let after = std::fs::symlink_metadata(at(name)).expect("it is there still");
            assert_eq!(before.file_type(), after.file_type(), "{name}");
            assert!(!std::fs::metadata(at(name)).expect("it").is_file());
        }
    }
    assert!(std::fs::metadata(at("to-fifo")).expect("it").file_type().is_fifo());
    drop(listener);
    let beside = std::fs::read_dir(folder.path()).expect("the folder").flatten();
    let beside: Vec<_> =
        beside.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b".")).collect();
    assert!(beside.is_empty(), "{beside:?} is left over");
}

/// The pieces or pairs of an array of letters, one after another: `["J","T"]` is "JT".
pub fn joined(array: &Value) -> String {
    array.as_array().expect("an array").iter().map(|one| one.as_str().expect("letters")).collect()
}

/// `serve` on any free port, and the first line that it prints.
pub fn serve(arguments: &[&str]) -> (Child, Value) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(["serve", "--port", "0", "--json"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("nextscope runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    (child, serde_json::from_str(&line).expect("JSON"))
}

/// The state that a server sends, by the first line that it printed.
pub fn served_state(ready: &Value) -> Value {
    let port = ready["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    let token = ready["token"].as_str().expect("a token");
    write!(stream, "GET /state?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
}
