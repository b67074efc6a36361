//! Emulators that play movies, from power on: what a cartridge shows whenever the count of player 1's pairs changes.

use super::nds::python_packages;
use super::which;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where a cartridge has its count of pairs (a 16-bit number) and the board of player 1.
#[derive(Debug, Clone, Copy)]
pub struct Cells {
    pub count: u32,
    pub board: u32,
    pub board_bytes: usize,
}

/// The frames that were run when the count changed, from power on, and the bytes of the board at that time.
pub type Changes = Vec<(u32, Vec<u8>)>;

/// Frames to run after a movie: its last pair falls, and a chain follows.
const AFTER_THE_MOVIE: u32 = 200;

/// Plays a .dsm in DeSmuME as a library of Python (py-desmume).
pub fn play_in_desmume(rom: &[u8], movie: &[u8], cells: Cells) -> Changes {
    let home = tempfile::tempdir().expect("a temporary folder");
    let [card, file] = ["card.nds", "movie.dsm"].map(|name| home.path().join(name));
    std::fs::write(&card, rom).unwrap();
    std::fs::write(&file, movie).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators/desmume_movie.py");
    let output = Command::new(which("python3").unwrap())
        .arg(script)
        .args([&card, &file])
        .args([cells.count, cells.board].map(|address| format!("{address:#x}")))
        .args([cells.board_bytes.to_string(), AFTER_THE_MOVIE.to_string()])
        .env("PYTHONPATH", python_packages())
        .env("HOME", home.path())
        .env("SDL_VIDEODRIVER", "dummy")
        .env("SDL_AUDIODRIVER", "dummy")
        .stdin(Stdio::null())
        .output()
        .expect("Python starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    parse_changes(&text)
}

/// The lines `appeared FRAMES HEX` among what an emulator prints.
fn parse_changes(text: &str) -> Changes {
    let change = |line: &str| {
        let (frame, hex) = line.strip_prefix("appeared ")?.split_once(' ')?;
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        Some((frame.parse().unwrap(), (0..hex.trim().len()).step_by(2).map(byte).collect()))
    };
    text.lines().filter_map(change).collect()
}
