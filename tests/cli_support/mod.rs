//! The command line as scripts see it: how to run it, and what came of it.
#![allow(clippy::expect_used, dead_code)]

use serde_json::Value;
use std::process::{Command, Output};

/// Runs it.
pub fn nextscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nextscope")).args(arguments).output().expect("nextscope runs")
}

/// The exit status.
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
