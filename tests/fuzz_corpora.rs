//! The fuzzer's corpora, run through its targets by an ordinary compiler: every input that ever was of interest, and every one that was a
//! finding, on every run of the tests. No panic, no second of the processor, no 256 MiB.

#![allow(clippy::expect_used, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

#[path = "../fuzz/gauge.rs"]
mod gauge;
#[path = "../fuzz/targets.rs"]
mod targets;

use std::path::Path;
use std::time::Duration;

#[global_allocator]
static GAUGE: gauge::Gauge = gauge::Gauge::new();

/// The longest that an input may take of the processor.
const LONGEST: Duration = Duration::from_secs(1);
/// Files that a target has at least: its corpus cannot have been lost.
const FILES_LEAST: usize = 5;

#[test]
fn every_file_of_the_corpora_is_taken_quickly_and_in_little_memory() {
    // What is made once and kept is not any input's.
    for (_, target) in targets::TARGETS {
        target(&[]);
    }
    for (name, target) in targets::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        assert!(files.len() >= FILES_LEAST, "{name} has {} files", files.len());
        let (mut slowest, mut largest) = (Default::default(), Default::default());
        for file in &files {
            let bytes = std::fs::read(file).unwrap();
            // Shown when the test fails: a panic inside does not say which file it was.
            println!("{}", file.display());
            let (time, held) = GAUGE.check(LONGEST, || target(&bytes));
            slowest = std::cmp::max(slowest, (time, file.clone()));
            largest = std::cmp::max(largest, (held, file.clone()));
        }
        let of = |file: &Path| file.file_name().unwrap().to_string_lossy().into_owned();
        println!(
            "{name}: {} files; at most {:?} ({}) and {} KiB ({})",
            files.len(),
            slowest.0,
            of(&slowest.1),
            largest.0 >> 10,
            of(&largest.1)
        );
    }
}

#[test]
fn every_target_is_run_by_the_fuzzer() {
    let manifest = include_str!("../fuzz/Cargo.toml");
    for (name, _) in targets::TARGETS {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), targets::TARGETS.len());
}
