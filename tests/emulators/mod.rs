//! Real emulators for tests: each started with a private home, killed when dropped.

#![allow(dead_code, clippy::expect_used, clippy::unwrap_used)]

use nextscope::process::Pid;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The built ROM of our own cartridge.
pub const ROM: &[u8] = include_bytes!("../cartridges/genesis-tsu/genesis-tsu.bin");

/// An emulator that a test can start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The console that Nextscope brings along.
    Embedded,
    /// BlastEm without a window, as fast as it goes.
    BlastEmUnthrottled,
    /// BlastEm in a window.
    BlastEmWindow,
    /// BlastEm without a window under a name that nobody knows.
    Renamed,
    /// Mednafen's `md`.
    Mednafen,
    /// MAME's `genesis`.
    Mame,
    /// RetroArch with Genesis Plus GX.
    RetroArchGpgx,
    /// RetroArch with PicoDrive.
    RetroArchPicoDrive,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::Embedded,
        Self::BlastEmUnthrottled,
        Self::BlastEmWindow,
        Self::Renamed,
        Self::Mednafen,
        Self::Mame,
        Self::RetroArchGpgx,
        Self::RetroArchPicoDrive,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded console",
            Self::BlastEmUnthrottled => "BlastEm -b",
            Self::BlastEmWindow => "BlastEm in a window",
            Self::Renamed => "BlastEm under an unknown name",
            Self::Mednafen => "Mednafen md",
            Self::Mame => "MAME genesis",
            Self::RetroArchGpgx => "RetroArch, Genesis Plus GX",
            Self::RetroArchPicoDrive => "RetroArch, PicoDrive",
        }
    }

    /// Why it cannot be started here, when it cannot.
    pub fn missing(self) -> Option<String> {
        let needs: &[&str] = match self {
            Self::Embedded => &[],
            Self::BlastEmUnthrottled | Self::Renamed => &["blastem"],
            Self::BlastEmWindow => &["blastem", "Xvfb"],
            Self::Mednafen => &["mednafen"],
            Self::Mame => &["mame"],
            Self::RetroArchGpgx | Self::RetroArchPicoDrive => &["retroarch"],
        };
        let absent = needs.iter().find(|program| which(program).is_none());
        absent.map(|program| format!("{program} is not installed")).or_else(|| {
            let core = self.core()?;
            (!core.is_file()).then(|| format!("no core at {}", core.display()))
        })
    }

    fn core(self) -> Option<PathBuf> {
        let file = match self {
            Self::RetroArchGpgx => "genesis_plus_gx_libretro.so",
            Self::RetroArchPicoDrive => "picodrive_libretro.so",
            _ => return None,
        };
        let folder = std::env::var_os("NEXTSCOPE_TEST_CORES")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-cores"), PathBuf::from);
        Some(folder.join(file))
    }

    /// Starts it with a ROM.
    pub fn start(self, rom: &[u8]) -> Running {
        let home = tempfile::tempdir().expect("a temporary folder");
        let rom_path = home.path().join("cartridge.md");
        std::fs::write(&rom_path, rom).expect("the ROM is written");
        let mut display = None;
        let mut command = match self {
            Self::Embedded => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
                command.arg("demo-console").arg("--rom").arg(&rom_path);
                command
            }
            Self::BlastEmUnthrottled => {
                let mut command = Command::new(which("blastem").unwrap());
                command.args(["-b", "1000000000"]).arg(&rom_path);
                command
            }
            Self::Renamed => {
                let renamed = home.path().join("some-game-player");
                std::fs::copy(which("blastem").unwrap(), &renamed).expect("the emulator is copied");
                let other = home.path().join("data.bin"); // BlastEm crashes on a path without extension
                std::fs::rename(&rom_path, &other).expect("the ROM is renamed");
                let mut command = Command::new(renamed);
                command.args(["-b", "1000000000"]).arg(other);
                command
            }
            Self::BlastEmWindow => {
                let xvfb = Display::start();
                let mut command = Command::new(which("blastem").unwrap());
                command.arg(&rom_path).env("DISPLAY", &xvfb.name).env("LIBGL_ALWAYS_SOFTWARE", "1");
                display = Some(xvfb);
                command
            }
            Self::Mednafen => {
                let mut command = Command::new(which("mednafen").unwrap());
                command.args(["-sound", "0", "-force_module", "md"]).arg(&rom_path);
                command.env("SDL_VIDEODRIVER", "dummy").env("MEDNAFEN_HOME", home.path());
                command
            }
            Self::Mame => {
                let mut command = Command::new(which("mame").unwrap());
                command.args(["genesis", "-cart"]).arg(&rom_path).args([
                    "-video",
                    "none",
                    "-sound",
                    "none",
                    "-skip_gameinfo",
                    "-seconds_to_run",
                    "100000",
                ]);
                command.env("SDL_VIDEODRIVER", "dummy");
                command
            }
            Self::RetroArchGpgx | Self::RetroArchPicoDrive => {
                let config = home.path().join("retroarch.cfg");
                std::fs::write(&config, RETROARCH_CONFIG).expect("the configuration is written");
                let mut command = Command::new(which("retroarch").unwrap());
                command.arg("--config").arg(config).arg("-L").arg(self.core().unwrap()).arg(&rom_path);
                command
            }
        };
        command
            .current_dir(home.path())
            .env("HOME", home.path())
            .env("SDL_AUDIODRIVER", "dummy")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if self == Self::Embedded {
            command.stdout(Stdio::piped());
        }
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        if let Some(out) = child.stdout.take() {
            let mut ready = String::new();
            BufReader::new(out).read_line(&mut ready).expect("the console says that it is ready");
            assert!(ready.starts_with("ready"), "{ready:?}");
        }
        Running { kind: self, child, _home: home, _display: display }
    }
}

/// No picture and no sound, 60 frames per second by the dummy audio driver.
const RETROARCH_CONFIG: &str = r#"
video_driver = "null"
audio_driver = "sdl2"
input_driver = "null"
menu_driver = "null"
pause_nonactive = "false"
config_save_on_exit = "false"
network_cmd_enable = "false"
"#;

/// A running emulator.
#[derive(Debug)]
pub struct Running {
    pub kind: Kind,
    pub child: Child,
    _home: tempfile::TempDir,
    _display: Option<Display>,
}

impl Running {
    pub fn pid(&self) -> Pid {
        Pid(self.child.id())
    }

    /// A line for the embedded console.
    pub fn tell(&mut self, line: &str) {
        use std::io::Write;
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("the console listens");
    }

    pub fn signal(&self, signal: nix::sys::signal::Signal) {
        let pid = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
        nix::sys::signal::kill(pid, signal).expect("the emulator runs");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An X server without a screen.
#[derive(Debug)]
struct Display {
    name: String,
    child: Child,
}

impl Display {
    fn start() -> Self {
        let mut child = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut number).expect("a display number");
        Self { name: format!(":{}", number.trim()), child }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let games = PathBuf::from("/usr/games");
    std::env::split_paths(&path).chain([games]).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// The cartridge's configuration block, patched into a copy of the ROM (offsets: the cartridge's README).
#[derive(Debug, Clone, Copy)]
pub struct Config {
    pub faults: u16,
    pub frames_per_deal: [u16; 2],
    pub pairs_per_round: u16,
    pub menu_frames: u16,
    pub state: u32,
    pub draws_per_fault: u16,
    /// Chance in 256, each pass, that something steps the generator; None leaves the cartridge's own.
    pub event_rate: Option<u16>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            faults: 0,
            frames_per_deal: [4, 6],
            pairs_per_round: 140,
            menu_frames: 20,
            state: 0,
            draws_per_fault: 8,
            event_rate: None,
        }
    }
}

impl Config {
    pub fn rom(self) -> Vec<u8> {
        let mut rom = ROM.to_vec();
        assert_eq!(&rom[0x200..0x204], b"NXCF", "the cartridge has its configuration block");
        let mut word = |at: usize, value: u16| rom[at..at + 2].copy_from_slice(&value.to_be_bytes());
        word(0x204, self.faults);
        word(0x206, self.frames_per_deal[0]);
        word(0x208, self.frames_per_deal[1]);
        word(0x20A, self.pairs_per_round);
        word(0x20E, self.menu_frames);
        word(0x214, self.draws_per_fault);
        if let Some(rate) = self.event_rate {
            word(0x216, rate);
        }
        rom[0x210..0x214].copy_from_slice(&self.state.to_be_bytes());
        rom
    }
}
