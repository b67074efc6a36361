//! Emulators that play movies, from power on: what a cartridge shows whenever the count of player 1's pairs changes.

use super::nds::python_packages;
use super::session::built_in;
use super::{Kind, Running, which};
use crate::waiting::{eventually, eventually_some};
use nextscope::console::{ConsoleAddr, Ram};
use nextscope::demo::Buttons;
use nextscope::emulator::{DetectionOutcome, detect};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

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
    let mut command = Command::new(which("python3").unwrap());
    command
        .arg(script)
        .args([&card, &file])
        .args([cells.count, cells.board].map(|address| format!("{address:#x}")))
        .args([cells.board_bytes.to_string(), AFTER_THE_MOVIE.to_string()])
        .env("PYTHONPATH", python_packages());
    changes_of_script(&mut command, home.path())
}

/// Plays the buttons of pad 1 frame by frame in Genesis Plus GX, which is the core of BizHawk for the Mega Drive.
pub fn play_in_genesis_plus_gx(rom: &[u8], pad: &[Buttons], cells: Cells) -> Changes {
    let home = tempfile::tempdir().expect("a temporary folder");
    let [cartridge, inputs] = ["cartridge.md", "inputs.txt"].map(|name| home.path().join(name));
    std::fs::write(&cartridge, rom).unwrap();
    let lines: String = pad.iter().map(|pressed| pressed.names() + "\n").collect();
    std::fs::write(&inputs, lines).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators/libretro_movie.py");
    let mut command = Command::new(which("python3").unwrap());
    command
        .arg(script)
        .arg(std::path::absolute(Kind::GenesisPlusGx.core().unwrap()).unwrap())
        .args([&cartridge, &inputs])
        .args([cells.count, cells.board].map(|address| format!("{:#x}", address & 0xFFFF)))
        .args([cells.board_bytes.to_string(), AFTER_THE_MOVIE.to_string()])
        .current_dir(home.path());
    changes_of_script(&mut command, home.path())
}

/// Plays an .inp of so many frames in MAME, as fast as it goes.
pub fn play_in_mame(rom: &[u8], movie: &[u8], frames: u32, cells: Cells) -> Changes {
    let home = tempfile::tempdir().expect("a temporary folder");
    let [cartridge, script] = ["cartridge.md", "watch.lua"].map(|name| home.path().join(name));
    std::fs::write(&cartridge, rom).unwrap();
    std::fs::write(home.path().join("movie.inp"), movie).unwrap();
    let Cells { count, board, board_bytes } = cells;
    let seconds = (frames + AFTER_THE_MOVIE) / 59;
    std::fs::write(
        &script,
        format!(
            r#"local frames, count = 0, 0
emu.register_frame_done(function()
  frames = frames + 1
  local ram = manager.machine.devices[":maincpu"].spaces["program"]
  local now = ram:read_u16({count})
  if now ~= count then
    count = now
    local board = {{}}
    for at = 0, {board_bytes} - 1 do board[#board + 1] = string.format("%02x", ram:read_u8({board} + at)) end
    print("appeared " .. frames .. " " .. table.concat(board))
  end
end)
"#
        ),
    )
    .unwrap();
    let mut command = Command::new(which("mame").unwrap());
    command
        .args(["genesis", "-cart"])
        .arg(&cartridge)
        .args(["-video", "none", "-sound", "none", "-skip_gameinfo", "-nothrottle"])
        .args(["-seconds_to_run", &seconds.to_string(), "-playback", "movie.inp", "-input_directory"])
        .arg(home.path())
        .arg("-autoboot_script")
        .arg(&script)
        .args(["-autoboot_delay", "0"])
        .current_dir(home.path());
    let output = finished(&mut command, home.path());
    let text = String::from_utf8_lossy(&output.stdout);
    // "Out of sync" ends the playback early. The status tells nothing: MAME 0.251 crashes on exit when a script has watched its frames.
    let played = format!("Total playback frames: {frames}\n");
    assert!(text.contains(&played), "{text}{}", String::from_utf8_lossy(&output.stderr));
    parse_changes(&text)
}

/// What the Genesis cartridge shows while Mednafen plays a movie.
#[derive(Debug)]
pub struct Passes {
    /// The passes of the main loop in which the count changed, and the bytes of the board at that time.
    pub changes: Changes,
    /// The pass in which a button of pad 1 is pressed first.
    pub first_pressed: u32,
}

/// The long with the passes of the Genesis cartridge since power on, and the byte with the buttons of pad 1 (its README).
const PASSES: ConsoleAddr = ConsoleAddr(0xFF_1018);
const PAD: ConsoleAddr = ConsoleAddr(0xFF_F070);

/// Plays an .mcm of the Genesis cartridge in Mednafen, started with its key, until the count has changed so many times. None if the cartridge
/// was not read in every frame: then it is not known when something changed.
pub fn play_in_mednafen(rom: &[u8], movie: &[u8], cells: Cells, changes: usize) -> Option<Passes> {
    let running = Kind::MednafenWindow.start(rom);
    let folder = running.home.path().join("mcm");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("cartridge.mcm"), movie).unwrap();
    let ram =
        eventually_some("Mednafen runs the cartridge", || match detect(running.pid(), &built_in()).outcome {
            DetectionOutcome::Found(game) => Some(game.ram),
            _ => None,
        });
    let before = u32_at(&ram, PASSES);
    press_keys(&running, &["shift", "F7"]);
    eventually("Mednafen starts the movie", || u32_at(&ram, PASSES) < before);

    let mut passes = Passes { changes: Vec::new(), first_pressed: 0 };
    let mut last_pass = u32_at(&ram, PASSES);
    let mut was_read_in_every_frame = true;
    eventually("the movie ends", || {
        let mut bytes = vec![0; cells.board_bytes];
        let [mut count, mut pad] = [[0; 2], [0; 2]];
        let pass = u32_at(&ram, PASSES);
        ram.read(ConsoleAddr(cells.count), &mut count).unwrap();
        ram.read(ConsoleAddr(cells.board), &mut bytes).unwrap();
        ram.read(PAD, &mut pad).unwrap();
        if u32_at(&ram, PASSES) != pass {
            return false; // read again, within one pass
        }
        if usize::from(u16::from_be_bytes(count)) > passes.changes.len() {
            passes.changes.push((pass, bytes));
            was_read_in_every_frame &= pass <= last_pass + 1;
        }
        if pad[0] != 0 && passes.first_pressed == 0 {
            passes.first_pressed = pass;
            was_read_in_every_frame &= pass <= last_pass + 1;
        }
        last_pass = pass;
        passes.changes.len() >= changes
    });
    was_read_in_every_frame.then_some(passes)
}

fn u32_at(ram: &Ram, address: ConsoleAddr) -> u32 {
    let mut bytes = [0; 4];
    ram.read(address, &mut bytes).expect("the emulator runs");
    u32::from_be_bytes(bytes)
}

/// Presses keys together in the window of an emulator, for several of its frames.
fn press_keys(running: &Running, keys: &[&str]) {
    let display = &running.display.as_ref().expect("a window").name;
    let xdotool = |arguments: &[&str]| {
        let output = Command::new("xdotool").args(arguments).env("DISPLAY", display).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let pid = running.pid().0.to_string();
    let window = eventually_some("a window", || {
        let windows = xdotool(&["search", "--pid", &pid]);
        windows.lines().last().map(str::to_owned)
    });
    xdotool(&["windowfocus", "--sync", &window]);
    keys.iter().for_each(|key| drop(xdotool(&["keydown", key])));
    std::thread::sleep(Duration::from_millis(100));
    keys.iter().rev().for_each(|key| drop(xdotool(&["keyup", key])));
}

/// Runs a program to its end without a screen and a speaker.
fn finished(command: &mut Command, home: &Path) -> Output {
    command.env("HOME", home).env("SDL_VIDEODRIVER", "dummy").env("SDL_AUDIODRIVER", "dummy");
    command.stdin(Stdio::null()).output().expect("the program starts")
}

fn changes_of_script(command: &mut Command, home: &Path) -> Changes {
    let output = finished(command, home);
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
