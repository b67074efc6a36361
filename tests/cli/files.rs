//! Files on the command line: overwrite rule and size limits.
#![cfg(unix)]

use crate::cli_support::{errors, follows_overwrite_rule, nextscope, status, text};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn pictures_routes_and_profiles_follow_the_overwrite_rule() {
    follows_overwrite_rule(".svg", &|file| words(&["ignite", "--gallery", "1", "--svg", file]));
    follows_overwrite_rule(".png", &|file| words(&["ignite", "--gallery", "1", "--png", file]));
    follows_overwrite_rule(".csv", &|file| {
        words(&["route", "puyo-tsu", "--pieces", "RR RR", "--width", "9", "--out", file])
    });
    follows_overwrite_rule(".toml", &|file| words(&["profile", "new", "mine", "-o", file]));
}

#[test]
fn scan_files_follow_the_overwrite_rule() {
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join("ram.bin");
    std::fs::write(&dump, [0, 0, 0, 12].repeat(0x4000)).unwrap();
    let dump = dump.to_str().unwrap();
    let scan = ["scan", "--dump", dump, "--console", "genesis"];
    let saving = |steps: [&str; 2], file: &str| {
        words(&[&scan[..], &["unknown", steps[0], &format!("{} {file}", steps[1])]].concat())
    };
    for ending in [".csv", ".wch"] {
        follows_overwrite_rule(ending, &|file| saving(["watch @FF85A6 u16 pairs", "save-watches"], file));
    }
    let paths = folder.path().join("paths.txt");
    std::fs::write(&paths, "").unwrap();
    follows_overwrite_rule(".txt", &|file| saving(["pointers @FF0010 depth 1", "save-paths"], file));
    // What a run wrote itself it may write again.
    let (file, steps) = (folder.path().join("twice.csv"), "watch @FF85A6 u8 a");
    let save = format!("save-watches {}", file.display());
    let twice = nextscope(&[&scan[..], &["unknown", steps, &save, &save]].concat());
    assert_eq!(status(&twice), 0, "{}", errors(&twice));
}

#[test]
fn a_checkpoint_replaces_only_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keep.json");
    let run = |file: &str| {
        nextscope(&[
            "route",
            "puyo-20th",
            "--seeds",
            "0..3",
            "--pairs",
            "3",
            "--width",
            "5",
            "--checkpoint",
            file,
        ])
    };
    for _ in 0..2 {
        let output = run(file.to_str().unwrap());
        assert!(status(&output) < 2, "{}", errors(&output));
    }
    std::fs::write(&file, "mine").unwrap();
    assert_eq!(status(&run(file.to_str().unwrap())), 2);
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let refused = run(fifo.to_str().unwrap());
    assert!(status(&refused) == 2 && errors(&refused).contains("not a regular file"), "{}", errors(&refused));
}

#[test]
fn a_new_profile_creates_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config/nextscope/profiles/mine.toml");
    let made = nextscope(&["profile", "new", "mine", "-o", file.to_str().unwrap()]);
    assert_eq!(status(&made), 0, "{}", errors(&made));
    assert!(std::fs::read_to_string(&file).unwrap().contains("id = \"mine\""));
}

#[test]
fn every_input_has_a_size_limit() {
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join("ram.bin");
    std::fs::write(&dump, vec![0; 0x1_0000]).unwrap();
    let dump = dump.to_str().unwrap();
    let list = folder.path().join("list.csv");
    std::os::unix::fs::symlink("/dev/zero", &list).unwrap();
    let watches = format!("watches {}", list.display());
    for arguments in [
        vec!["find", "puyo-tsu", "--dump", "/dev/urandom"],
        vec!["watch", "--dump", "/dev/zero"],
        vec!["verify", "--dump", "/dev/zero"],
        vec!["find", "puyo-tsu", "--pools", "/dev/zero"],
        vec!["scan", "--dump", dump, "board /dev/zero"],
        vec!["scan", "--dump", dump, &watches],
        vec!["scan", "--dump", "/dev/zero", "unknown"],
        vec!["scan", "--dump", dump, "--script", "/dev/zero"],
        vec!["profile", "locate", "--dump", "/dev/zero"],
        vec!["profile", "locate", "--profile", "pochi-nyaa-mvs", "--dump", dump, "--board", "/dev/zero"],
        vec!["ignite", "--grid", "/dev/zero"],
        vec!["demo-console", "--rom", "/dev/zero"],
        vec!["demo-console", "--input", "/dev/zero"],
    ] {
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains("larger than"), "{arguments:?}: {}", errors(&output));
    }
    let large = std::fs::File::create(folder.path().join("large.bin")).unwrap();
    large.set_len(20 << 30).unwrap();
    let large = folder.path().join("large.bin");
    let output = nextscope(&["scan", "--dump", large.to_str().unwrap(), "unknown"]);
    assert!(status(&output) == 2 && errors(&output).contains("larger than 256 MiB"), "{}", errors(&output));
}

#[test]
fn a_dump_can_be_read_from_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || std::fs::write(fifo, [1; 1000]).unwrap()
    });
    let output = nextscope(&["scan", "--dump", fifo.to_str().unwrap(), "= 1"]);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("1000") || text(&output).contains("1,000"), "{}", text(&output));
    writer.join().unwrap();
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    for argument in ["--help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
        let output = command.arg(argument).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(status(&output), 2, "{argument}");
        assert!(errors(&output).contains("No space left"), "{argument}: {}", errors(&output));
        assert_eq!(status(&nextscope(&[argument])), 0);
    }
    assert_eq!(status(&nextscope(&["nonsense"])), 2);
}

#[test]
fn an_error_prints_its_cause_once() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    for (arguments, cause) in [
        (vec!["serve", "--demo", "--port", &port], "Address already in use"),
        (vec!["serve", "--demo", "--token-file", folder.path().to_str().unwrap()], "directory"),
    ] {
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert_eq!(errors(&output).matches(cause).count(), 1, "{}", errors(&output));
    }
}

#[test]
fn an_emulators_arguments_need_not_be_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let script = format!("printf %s \"$1\" > {}", out.display());
    let name = OsStr::from_bytes(b"game \xFF.md");
    let run = |before: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
        command
            .env("XDG_CONFIG_HOME", folder.path())
            .args(before)
            .args(["--", "/bin/sh", "-c", &script, "sh"]);
        command.arg(name).output().unwrap()
    };
    let started = run(&["start", "--terminal"]);
    assert_eq!(status(&started), 3, "it ended and was no emulator: {}", errors(&started));
    assert_eq!(std::fs::read(&out).unwrap(), name.as_bytes());
    let saved = run(&["start", "--terminal", "--save", "it"]);
    assert!(status(&saved) == 2 && errors(&saved).contains("is not UTF-8"), "{}", errors(&saved));
}

#[test]
fn times_beyond_the_clock_mean_no_limit() {
    let planned = nextscope(&["route", "puyo-tsu", "--pieces", "RR RR", "--seconds", "1e19"]);
    assert_eq!(status(&planned), 0, "{}", errors(&planned));
    let verify = ["verify", "--demo", "--speed", "8", "--pairs", "1", "--seconds", "1e19", "--wait", "1e19"];
    let verified = nextscope(&verify);
    assert!(status(&verified) < 3, "{}", errors(&verified));
}
