//! The library of built-in and user profiles, and its reload, with real files.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use nextscope::profile::{Code, Library, MAX_FILE_BYTES, Origin, WatchError, Watcher, built_in_files};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const GOOD: &str = include_str!("../profiles/good.toml");
const ID: &str = "puyo-tsu-genesis";

/// A user's version of the built-in Genesis profile.
fn of_user(name: &str) -> String {
    GOOD.replace("id = \"small\"", &format!("id = {ID:?}")).replace("A small profile", name)
}

fn codes(library: &Library) -> Vec<Code> {
    library
        .diagnostics()
        .iter()
        .flat_map(|file| file.diagnostics.iter().map(|diagnostic| diagnostic.code))
        .collect()
}

#[test]
fn built_in_profiles_are_always_available() {
    let library = Library::built_in();
    assert_eq!(library.diagnostics(), []);
    let ids: Vec<&str> = library.profiles().iter().map(|profile| &*profile.id).collect();
    let expected = [
        ID,
        "puyo-tsu-arcade",
        "puyo-20th-nds",
        "mean-bean-genesis",
        "puyo-puyo-1-genesis",
        "tetris-nes",
        "dr-mario",
        "tgmj",
        "tgm2p",
        "sega-tetris",
        "flash-point",
        "bloxeed",
        "pochi-nyaa-mvs",
    ];
    assert_eq!(ids, expected);
    assert_eq!(built_in_files().len(), ids.len());
    assert!(library.profiles().iter().all(|profile| profile.origin == Origin::BuiltIn));
    assert!(library.by_id("none").is_none());
}

#[test]
fn users_profile_replaces_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, of_user("Mine")).unwrap();
    std::fs::write(folder.path().join("new.toml"), GOOD).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "no profile").unwrap();
    std::fs::write(folder.path().join(".mine.toml"), "an editor's").unwrap();
    std::fs::create_dir(folder.path().join("folder.toml")).unwrap();
    let library = Library::load(Some(folder.path()));
    assert_eq!(library.diagnostics(), []);
    assert_eq!(library.profiles().len(), built_in_files().len() + 1);
    assert_eq!(library.by_id(ID).unwrap().name, "Mine");
    assert_eq!(library.by_id(ID).unwrap().origin, Origin::File(path));
    assert_eq!(library.by_id("small").unwrap().name, "A small profile");
}

#[test]
fn invalid_user_file_never_hides_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a.toml", of_user("Mine").replace("u32", "u33").as_bytes());
    write("b.toml", b"");
    write("c.toml", b"id = \"\xFF\"");
    write("d.toml", &vec![b'#'; MAX_FILE_BYTES + 1]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("e.toml")).unwrap();
    let library = Library::load(Some(folder.path()));
    assert_eq!(library.by_id(ID).unwrap().origin, Origin::BuiltIn);
    assert_eq!(library.profiles().len(), built_in_files().len());
    let mut expected = vec![Code::UnknownName, Code::Empty, Code::NotUtf8, Code::TooLarge];
    expected.extend(cfg!(unix).then_some(Code::Unreadable));
    assert_eq!(codes(&library), expected);
    let first = &library.diagnostics()[0];
    assert!(first.failed());
    assert!(first.render(false).contains("a.toml:15:"), "{}", first.render(false));
}

#[test]
fn second_file_of_an_id_is_reported_and_not_used() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.toml"), of_user("First")).unwrap();
    std::fs::write(folder.path().join("b.toml"), of_user("Second")).unwrap();
    let library = Library::load(Some(folder.path()));
    assert_eq!(library.by_id(ID).unwrap().name, "First");
    assert_eq!(codes(&library), [Code::Duplicate]);
    assert_eq!(library.profiles().len(), built_in_files().len());
}

#[test]
fn missing_explicit_folder_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::load(Some(&folder.path().join("none")));
    assert_eq!(codes(&library), [Code::Unreadable]);
    assert_eq!(library.profiles().len(), built_in_files().len());
    assert_eq!(library.reload(), library);
}

#[test]
fn last_good_version_stays_until_the_file_is_fixed_or_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, of_user("Mine")).unwrap();
    let mut library = Library::load(Some(folder.path()));
    for _ in 0..2 {
        std::fs::write(&path, "id = ").unwrap();
        library = library.reload();
        assert_eq!(library.by_id(ID).unwrap().name, "Mine");
        let message = library.diagnostics()[0].render(false);
        assert!(message.contains("the last valid version of `puyo-tsu-genesis` stays in use"), "{message}");
        assert!(codes(&library).contains(&Code::Syntax));
        assert_eq!(library.reload(), library);
    }
    std::fs::write(&path, of_user("Better")).unwrap();
    library = library.reload();
    assert_eq!((library.by_id(ID).unwrap().name.as_str(), codes(&library)), ("Better", vec![]));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(library.reload().by_id(ID).unwrap().origin, Origin::BuiltIn);
}

struct Watched {
    watcher: Option<Watcher>,
    libraries: Receiver<Arc<Library>>,
}

fn watch(folder: &Path) -> Watched {
    let (send, libraries) = channel();
    let library = Library::load(Some(folder));
    let deliver = move |library| send.send(library).unwrap();
    Watched { watcher: Some(Watcher::start(library, deliver).unwrap()), libraries }
}

impl Watched {
    fn until(&self, what: &str, condition: impl Fn(&Library) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.libraries.recv_timeout(left) {
                Ok(library) if condition(&library) => return,
                Ok(_) => {}
                Err(error) => panic!("{what}: {error}"),
            }
        }
    }

    fn until_name(&self, name: &str) {
        self.until(name, |library| library.by_id(ID).is_some_and(|profile| profile.name == name));
    }
}

#[test]
fn edits_are_reloaded_whatever_way_editors_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let mut watched = watch(folder.path());
    std::fs::write(&path, of_user("Created")).unwrap();
    watched.until_name("Created");
    // Written to a temporary file and renamed over the old one.
    let aside = folder.path().join("mine.toml~");
    std::fs::write(&aside, of_user("Replaced")).unwrap();
    std::fs::rename(&aside, &path).unwrap();
    watched.until_name("Replaced");
    // Invalid content: the last good one and the reason.
    std::fs::write(&path, of_user("Wrong").replace("u32", "u33")).unwrap();
    watched.until("the invalid file is reported", |library| {
        library.by_id(ID).is_some_and(|profile| profile.name == "Replaced")
            && codes(library).contains(&Code::UnknownName)
    });
    std::fs::write(&path, of_user("Right again")).unwrap();
    watched.until("it is valid again", |library| {
        library.by_id(ID).is_some_and(|profile| profile.name == "Right again") && codes(library).is_empty()
    });
    std::fs::remove_file(&path).unwrap();
    watched.until("the built-in one is back", |library| {
        library.by_id(ID).is_some_and(|profile| profile.origin == Origin::BuiltIn)
    });
    // Nothing is delivered once the watcher is dropped: the sender is dropped with it.
    drop(watched.watcher.take());
    std::fs::write(&path, of_user("Late")).unwrap();
    let last = watched.libraries.iter().last();
    assert!(last.is_none_or(|library| library.by_id(ID).is_some_and(|profile| profile.name != "Late")));
}

#[test]
fn folder_may_appear_disappear_and_be_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("profiles");
    let watched = watch(&folder);
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("mine.toml"), of_user("Came")).unwrap();
    watched.until_name("Came");
    // Another folder gets the name while the old one still exists.
    let other = parent.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("mine.toml"), of_user("Other")).unwrap();
    std::fs::rename(&folder, parent.path().join("old")).unwrap();
    std::fs::rename(&other, &folder).unwrap();
    watched.until_name("Other");
    std::fs::write(folder.join("mine.toml"), of_user("Other, edited")).unwrap();
    watched.until_name("Other, edited");
    std::fs::remove_dir_all(&folder).unwrap();
    watched.until("gone", |library| {
        codes(library) == [Code::Unreadable] && library.profiles().len() == built_in_files().len()
    });
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("mine.toml"), of_user("Back")).unwrap();
    watched.until_name("Back");
}

#[test]
fn built_in_profiles_need_no_watcher() {
    let watcher = Watcher::start(Library::built_in(), |_| {});
    assert!(matches!(watcher, Err(WatchError::NoFolder)));
}
