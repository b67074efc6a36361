//! The text file of `serve` and the script that draws it.

use crate::cli_support::{errors, nextscope, serve, served_state, status, text};
use crate::lua::{self, LUA};
use crate::waiting::eventually;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The lines of the players in the file, from that state.
fn lines(state: &Value) -> Vec<String> {
    let line = |player: &Value| {
        let next: Vec<&str> =
            player["next"].as_array().unwrap().iter().map(|next| next.as_str().unwrap()).collect();
        let next = if next.is_empty() { "-".into() } else { next.join(" ") };
        format!(
            "{}: {} > {next}",
            player["title"].as_str().unwrap(),
            player["current"].as_str().unwrap_or("-")
        )
    };
    state["players"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn the_file_has_the_coming_pairs_and_says_when_serve_has_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("players.txt");
    let (mut child, ready) =
        serve(&["--demo", "--pairs", "5", "--seconds", "60", "--file", file.to_str().unwrap()]);
    let read = || std::fs::read_to_string(&file).unwrap();
    eventually("the file has the pairs of the state", || {
        let (content, state) = (read(), served_state(&ready));
        let mut written = content.lines();
        let live = written.next().is_some_and(|head| head.trim_end() == "Nextscope: live");
        let written: Vec<&str> = written.collect();
        live && written.len() == 2 && written[0].split(' ').count() == 9 && written == lines(&state)
    });
    // No other file is left, whenever one looks.
    let first = read();
    eventually("it is written again", || read() != first);
    // Ctrl+C
    #[cfg(unix)]
    {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        assert!(child.wait().unwrap().success());
        assert_eq!(read(), "Nextscope: stopped\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    #[cfg(not(unix))]
    child.kill().unwrap();
}

#[test]
fn files_of_others_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = |file: &str, companion: &str| {
        nextscope(&[
            "serve",
            "--demo",
            "--port",
            "0",
            "--seconds",
            "0.1",
            "--file",
            file,
            "--companion",
            companion,
        ])
    };
    let (file, script) = (path("players.txt"), path("companion.lua"));
    for _ in 0..2 {
        let output = run(&file, &script);
        assert!(status(&output) < 2, "{}", errors(&output));
    }
    std::fs::write(&script, "-- mine").unwrap();
    let refused = run(&file, &script);
    assert_eq!(status(&refused), 2);
    assert!(
        errors(&refused).contains("companion.lua: file exists, and Nextscope did not write it"),
        "{}",
        errors(&refused)
    );
    assert_eq!(std::fs::read_to_string(&script).unwrap(), "-- mine");
    std::fs::write(&file, "notes").unwrap();
    assert_eq!(status(&run(&file, &path("other.lua"))), 2);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "notes");
    assert!(!Path::new(&path("other.lua")).exists());
    assert_eq!(
        status(&nextscope(&["serve", "--demo", "--companion", &path("other.lua")])),
        2,
        "without --file"
    );
}

/// A companion script and its file, in a folder whose name needs escapes.
struct Companion {
    _folder: tempfile::TempDir,
    file: PathBuf,
    script: PathBuf,
}

impl Companion {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("a \"quoted\" \u{e9}");
        std::fs::create_dir(&inside).unwrap();
        let (file, script) = (inside.join("players.txt"), folder.path().join("companion.lua"));
        let arguments =
            ["serve", "--demo", "--port", "0", "--seconds", "0.1", "--file", file.to_str().unwrap()];
        let output = nextscope(&[&arguments[..], &["--companion", script.to_str().unwrap()]].concat());
        assert!(status(&output) < 2, "{}", errors(&output));
        Self { _folder: folder, file, script }
    }

    /// What it draws in the last of these frames; the file is written twice, or once.
    fn drawn(&self, emulator: &str, content: &str, times: u8, frames: &str, seconds: &str) -> Vec<String> {
        std::fs::write(&self.file, content).unwrap();
        let file = (times == 2).then_some(self.file.as_path());
        self.run(emulator, frames, seconds, file)
    }

    fn run(&self, emulator: &str, frames: &str, seconds: &str, file: Option<&Path>) -> Vec<String> {
        let layer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/screen.lua");
        let output = Command::new(LUA)
            .arg(layer)
            .arg(emulator)
            .arg(&self.script)
            .args([frames, seconds])
            .args(file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{emulator}: {}", errors(&output));
        text(&output).lines().map(str::to_owned).collect()
    }
}

#[test]
fn the_companion_draws_the_coming_pairs_in_all_emulators() {
    if !lua::is_installed() {
        return;
    }
    let companion = Companion::new();
    let live = "Nextscope: live \nPlayer 1: RB > GY PP\nPlayer 2: - > T\n";
    let paused = live.replace("live", "paused");
    for (emulator, right) in [("bizhawk", 306), ("fceux", 242), ("desmume", 242), ("mesen", 242)] {
        let draw =
            |content, times, frames, seconds| companion.drawn(emulator, content, times, frames, seconds);
        let child_first = [
            // GY: the child, then the axis below it.
            "box 3 24 13 34 F0E442".to_owned(),
            "text 6 26 Y".to_owned(),
            "box 3 35 13 45 009E73".to_owned(),
            "text 6 37 G".to_owned(),
            "box 3 50 13 60 CC79A7".to_owned(),
            "text 6 52 P".to_owned(),
            "box 3 61 13 71 CC79A7".to_owned(),
            "text 6 63 P".to_owned(),
            format!("box {right} 24 {} 34 CC79A7", right + 10),
            format!("text {} 26 T", right + 3),
        ];
        assert_eq!(draw(live, 2, "25", "0.01"), child_first, "{emulator}");
        // All of the most that it draws is on the screen.
        let most = "Nextscope: live\nPlayer 1: RB > GY PP RR BB YY GB RR\nPlayer 2: - > -\n";
        assert_eq!(draw(most, 2, "25", "0.01").len(), 24, "{emulator}");

        let paused = draw(&paused, 2, "25", "0.01");
        assert_eq!(paused[0], "text 3 10 Nextscope: paused");
        assert!(paused.iter().filter(|line| line.starts_with("box")).all(|line| line.ends_with(" 808080")));
        assert_eq!(paused.len(), child_first.len() + 1);

        // Killed while the script ran, and before: the file does not change any more.
        assert_eq!(draw(live, 2, "30", "1"), ["text 3 10 Nextscope: stopped"]);
        assert_eq!(draw(live, 1, "30", "1"), ["text 3 10 Nextscope: waiting"]);
        assert_eq!(draw("Nextscope: lost\n", 1, "1", "0"), ["text 3 10 Nextscope: lost"]);
        assert_eq!(draw("\0\u{7}: \n: >", 1, "1", "0"), ["text 3 10 Nextscope: unreadable"]);
        std::fs::remove_file(&companion.file).unwrap();
        let missing = companion.run(emulator, "1", "0", None);
        assert_eq!(missing, ["text 3 10 Nextscope: no file players.txt"]);
    }
    let refused = companion.run("sandboxed mesen", "1", "0", None);
    assert!(refused[0].contains("Allow access to I/O and OS functions"), "{refused:?}");
}
