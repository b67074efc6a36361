//! `profile add`: the result of a search is added to a user's profile and is available at once.

use crate::cli_support::{errors, nextscope, status, text};
use nextscope::profile::{FieldKind, Library, Origin, Watcher};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const FOUND: [&str; 6] = ["profile", "add", "puyo-tsu-genesis", "pairs_dealt", "0xFF101E", "u16"];

fn add(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let folder = folder.to_str().unwrap();
    nextscope(&[arguments, &["--profiles", folder]].concat())
}

#[test]
fn a_field_is_shown_written_and_used() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("puyo-tsu-genesis.toml");
    let note = ["--note", "goes up by one with every \"pair\""];
    let output = add(home.path(), &[&FOUND[..], &note, &["--dry-run"]].concat());
    assert_eq!(status(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("[fields.pairs_dealt]") && text(&output).contains("would be created"));
    assert!(!file.exists(), "a dry run writes nothing");

    let output = add(home.path(), &[&FOUND[..], &note, &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!((json["written"].as_bool(), json["copied"].as_bool()), (Some(true), Some(true)));
    let added: Vec<&str> = json["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["text"].as_str().unwrap_or_default())
        .collect();
    assert!(added.contains(&"[fields.pairs_dealt]") && added.contains(&"address = 0xFF101E"), "{added:?}");
    // The complete built-in text, followed by these lines.
    let built_in =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles/puyo-tsu-genesis.toml"))
            .unwrap();
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.starts_with(built_in.trim_end()));
    assert_eq!(written.lines().count() - built_in.lines().count(), added.len());

    let library = Library::load(Some(home.path()));
    assert!(library.diagnostics().is_empty());
    let profile = library.by_id("puyo-tsu-genesis").unwrap();
    assert_eq!(profile.origin, Origin::File(file.clone()));
    let field = profile.field("pairs_dealt").unwrap();
    assert_eq!((field.address.0, field.kind, field.confirmed), (0xFF_101E, FieldKind::U16, false));
    assert_eq!(field.source, "found by a RAM search (nextscope scan)");
    assert_eq!(status(&nextscope(&["profile", "check", file.to_str().unwrap()])), 0);

    // Once more: refused, then replaced in its place.
    let moved = [&FOUND[..4], &["$FF1020", "bytes", "--length", "4"]].concat();
    let output = add(home.path(), &moved);
    assert_eq!(status(&output), 2);
    assert!(errors(&output).contains("--replace"), "{}", errors(&output));
    let output = add(home.path(), &[&moved[..], &["--replace", "--confirmed"]].concat());
    assert_eq!(status(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("changed"), "{}", text(&output));
    let library = library.reload();
    let field = library.by_id("puyo-tsu-genesis").unwrap().field("pairs_dealt").unwrap().clone();
    assert_eq!(
        (field.address.0, field.kind, field.confirmed),
        (0xFF_1020, FieldKind::Bytes { length: 4 }, true)
    );
}

#[test]
fn invalid_fields_are_refused_and_nothing_is_written() {
    let home = tempfile::tempdir().unwrap();
    let field = |rest: &[&'static str]| [&["profile", "add"][..], rest].concat();
    for (arguments, message) in [
        (field(&["puyo", "a", "0xFF0000", "u8"]), "unknown profile \"puyo\"; known: puyo-tsu-genesis"),
        (field(&["puyo-tsu-genesis", "a", "here", "u8"]), "invalid address \"here\""),
        (field(&["puyo-tsu-genesis", "a", "0x10", "u8"]), "the profile would not be valid"),
        (field(&["puyo-tsu-genesis", "a", "0xFFFFFF", "u32"]), "the profile would not be valid"),
        (field(&["puyo-tsu-genesis", "A B", "0xFF0000", "u8"]), "the profile would not be valid"),
        (field(&["puyo-tsu-genesis", "a", "0xFF0000", "u24"]), "invalid type \"u24\": expected u8 u16"),
        (field(&["puyo-tsu-genesis", "a", "0xFF0000", "bcd"]), "bcd needs --length"),
        (field(&["puyo-tsu-genesis", "a", "0xFF0000", "u8", "--length", "2"]), "u8 always has 1 byte;"),
        (field(&["puyo-tsu-genesis", "rng_state", "0xFF0000", "u32"]), "already has a field rng_state"),
    ] {
        let output = add(home.path(), &arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", text(&output));
        assert!(errors(&output).contains(message), "{arguments:?}: {}", errors(&output));
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    // A file that is no profile is not overwritten by the copy.
    let file = home.path().join("puyo-tsu-genesis.toml");
    std::fs::write(&file, "mine = ").unwrap();
    let output = add(home.path(), &FOUND);
    assert_eq!(status(&output), 2);
    assert!(errors(&output).contains("exists and is not this profile"), "{}", errors(&output));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine = ");
}

#[test]
fn folder_watchers_get_it_at_once() {
    let home = tempfile::tempdir().unwrap();
    let (send, libraries) = channel();
    let watcher = Watcher::start(Library::load(Some(home.path())), move |library| {
        let _ = send.send(library);
    })
    .unwrap();
    assert_eq!(status(&add(home.path(), &FOUND)), 0);
    let library = libraries.recv_timeout(Duration::from_secs(10)).expect("the new library");
    assert!(library.by_id("puyo-tsu-genesis").unwrap().field("pairs_dealt").is_some());
    assert!(library.diagnostics().is_empty(), "never partially written");
    drop(watcher);
}

/// Killed when a test ends, however it ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A colour set that is read elsewhere is another one: `watch` shows it without a restart.
#[test]
fn a_running_watch_reloads_it() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().to_str().unwrap();
    let watch = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(["watch", "--demo", "--json", "--seconds", "40", "--profiles", folder])
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut watch = Ended(watch);
    let mut said = BufReader::new(watch.0.stdout.take().unwrap()).lines();
    let deadline = Instant::now() + Duration::from_secs(35);
    let mut until = |what: &str, condition: &dyn Fn(&serde_json::Value) -> bool| loop {
        assert!(Instant::now() < deadline, "{what}");
        let line = said.next().unwrap_or_else(|| panic!("{what}: the output ended")).unwrap();
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        if condition(&line) {
            break line;
        }
    };
    let set = |line: &serde_json::Value| line["game"]["color_order"]["codes"].as_str().map(str::to_owned);
    let known = |line: &serde_json::Value| set(line).is_some_and(|set| set != "0000000000000000");
    until("a round", &|line| line["connection"] == "live" && known(line));
    let elsewhere = [
        "profile",
        "add",
        "puyo-tsu-genesis",
        "color_set",
        "0xFF4A00",
        "bytes",
        "--length",
        "8",
        "--replace",
    ];
    let output = add(home.path(), &elsewhere);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    // This address is empty.
    let after = until("the other colour set", &|line| !known(line) && line["connection"] == "live");
    assert_eq!(after["profile"], "puyo-tsu-genesis");
}
