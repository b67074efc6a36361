//! Real emulators for tests: each started with a private home, killed when dropped.

#![allow(dead_code, unused_imports, clippy::expect_used, clippy::unwrap_used)]

mod bean;
mod genesis;
mod mario;
pub mod movies;
mod nds;
mod nes;
pub mod session;
#[cfg(unix)]
pub mod unguided;
pub mod windows;

pub use bean::{
    BEAN_ROM, BeanConfig, BeanFault, BeanFaultKind, BeanGeneration, PUYO_ROM, bean_cells, bean_faults,
};
pub use genesis::{Config, ROM};
pub use mario::{MARIO_ROM, MarioConfig, MarioFault, MarioFaultKind, MarioGame, mario_cells};
pub use nes::{NES_ROM, NesConfig, NesFault, nes_cells};

pub use nds::{NDS_ROM, NdsConfig, NdsFault, NdsFaultKind, SeedRule, cells};

use nextscope::process::Pid;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How fast an emulator runs that leaves the choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As the console does, 60 frames per second.
    Console,
    /// As fast as it goes.
    Unthrottled,
}

/// An emulator that a test can start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The console that Nextscope brings along; RAM is stored with the bytes of each word swapped.
    Embedded,
    /// The same with RAM stored as it is on the bus.
    EmbeddedUnswapped,
    /// BlastEm without a window, as fast as it goes.
    BlastEmUnthrottled,
    /// BlastEm in a window.
    BlastEmWindow,
    /// BlastEm without a window under a name that nobody knows.
    Renamed,
    /// Mednafen's `md`.
    Mednafen,
    /// The same in a window, which takes keys.
    MednafenWindow,
    /// MAME's `genesis`.
    Mame,
    /// RetroArch with Genesis Plus GX.
    RetroArchGpgx,
    /// Genesis Plus GX as a library, which plays movies (see [`movies`]).
    GenesisPlusGx,
    /// RetroArch with PicoDrive.
    RetroArchPicoDrive,
    /// RetroArch with Genesis Plus GX, which takes network commands at this port.
    RetroArchCommanded(u16),
    /// DeSmuME's `desmume-cli`.
    DesmumeCli(Pace),
    /// RetroArch with DeSmuME.
    RetroArchDesmume(Pace),
    /// RetroArch with melonDS.
    RetroArchMelonDs(Pace),
    /// Mednafen's `nes`.
    MednafenNes,
    /// FCEUX, in a window.
    Fceux,
    /// MAME's `nes`.
    MameNes(Pace),
    /// RetroArch with Nestopia.
    RetroArchNestopia(Pace),
    /// RetroArch with FCEUmm.
    RetroArchFceumm(Pace),
    /// DeSmuME as a library of Python; knows `reset` (see [`Running::tell`]).
    PyDesmume(Pace),
    /// A program of our own with an emulator's DLL or with memory, on Windows or in Wine (see [`windows`]); it knows `reset`.
    Windows(windows::Host, Pace),
}

impl Kind {
    /// Those that run the Genesis cartridge.
    pub const GENESIS: [Self; 8] = [
        Self::Embedded,
        Self::BlastEmUnthrottled,
        Self::BlastEmWindow,
        Self::Renamed,
        Self::Mednafen,
        Self::Mame,
        Self::RetroArchGpgx,
        Self::RetroArchPicoDrive,
    ];

    /// Those that run the NDS cartridge, at 60 frames per second.
    pub const NDS: [Self; 4] = Self::nds(Pace::Console);

    /// The same as fast as they go.
    pub const NDS_UNTHROTTLED: [Self; 4] = Self::nds(Pace::Unthrottled);

    /// Those that run the NES cartridge, at 60 frames per second.
    pub const NES: [Self; 5] = [
        Self::MednafenNes,
        Self::Fceux,
        Self::MameNes(Pace::Console),
        Self::RetroArchNestopia(Pace::Console),
        Self::RetroArchFceumm(Pace::Console),
    ];

    /// The same as fast as they go, as far as they support it.
    pub const NES_UNTHROTTLED: [Self; 3] = [
        Self::MameNes(Pace::Unthrottled),
        Self::RetroArchNestopia(Pace::Unthrottled),
        Self::RetroArchFceumm(Pace::Unthrottled),
    ];

    const fn nds(pace: Pace) -> [Self; 4] {
        [
            Self::DesmumeCli(pace),
            Self::RetroArchDesmume(pace),
            Self::RetroArchMelonDs(pace),
            Self::PyDesmume(pace),
        ]
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded console",
            Self::EmbeddedUnswapped => "embedded console, unswapped",
            Self::BlastEmUnthrottled => "BlastEm -b",
            Self::BlastEmWindow => "BlastEm in a window",
            Self::Renamed => "BlastEm under an unknown name",
            Self::Mednafen => "Mednafen md",
            Self::MednafenWindow => "Mednafen md in a window",
            Self::Mame => "MAME genesis",
            Self::RetroArchGpgx => "RetroArch, Genesis Plus GX",
            Self::GenesisPlusGx => "Genesis Plus GX",
            Self::RetroArchPicoDrive => "RetroArch, PicoDrive",
            Self::RetroArchCommanded(_) => "RetroArch, Genesis Plus GX, by commands",
            Self::DesmumeCli(Pace::Console) => "DeSmuME",
            Self::DesmumeCli(Pace::Unthrottled) => "DeSmuME, unthrottled",
            Self::RetroArchDesmume(Pace::Console) => "RetroArch, DeSmuME",
            Self::RetroArchDesmume(Pace::Unthrottled) => "RetroArch, DeSmuME, fast",
            Self::RetroArchMelonDs(Pace::Console) => "RetroArch, melonDS",
            Self::RetroArchMelonDs(Pace::Unthrottled) => "RetroArch, melonDS, fast",
            Self::MednafenNes => "Mednafen nes",
            Self::Fceux => "FCEUX",
            Self::MameNes(Pace::Console) => "MAME nes",
            Self::MameNes(Pace::Unthrottled) => "MAME nes, unthrottled",
            Self::RetroArchNestopia(Pace::Console) => "RetroArch, Nestopia",
            Self::RetroArchNestopia(Pace::Unthrottled) => "RetroArch, Nestopia, fast",
            Self::RetroArchFceumm(Pace::Console) => "RetroArch, FCEUmm",
            Self::RetroArchFceumm(Pace::Unthrottled) => "RetroArch, FCEUmm, fast",
            Self::PyDesmume(Pace::Console) => "py-desmume",
            Self::PyDesmume(Pace::Unthrottled) => "py-desmume, unthrottled",
            Self::Windows(dll, pace) => dll.name(pace),
        }
    }

    /// Whether it runs the NDS cartridge.
    pub fn is_nds(self) -> bool {
        Self::NDS.contains(&self)
            || Self::NDS_UNTHROTTLED.contains(&self)
            || matches!(self, Self::Windows(windows::Host::Desmume(_), _))
    }

    /// Whether it runs the NES cartridge.
    pub fn is_nes(self) -> bool {
        Self::NES.contains(&self)
            || Self::NES_UNTHROTTLED.contains(&self)
            || matches!(self, Self::Windows(windows::Host::Fceumm, _))
    }

    /// Whether it runs as fast as it goes.
    pub fn is_unthrottled(self) -> bool {
        matches!(self, Self::BlastEmUnthrottled | Self::Renamed | Self::Windows(_, Pace::Unthrottled))
            || Self::NDS_UNTHROTTLED.contains(&self)
            || Self::NES_UNTHROTTLED.contains(&self)
    }

    /// Why it cannot be started here, when it cannot.
    pub fn missing(self) -> Option<String> {
        let needs: &[&str] = match self {
            Self::Embedded | Self::EmbeddedUnswapped => &[],
            Self::BlastEmUnthrottled | Self::Renamed => &["blastem"],
            Self::BlastEmWindow => &["blastem", "Xvfb"],
            Self::Mednafen | Self::MednafenNes => &["mednafen"],
            Self::MednafenWindow => &["mednafen", "Xvfb", "xdotool"],
            Self::Mame | Self::MameNes(_) => &["mame"],
            Self::Fceux => &["fceux", "Xvfb"],
            Self::RetroArchGpgx
            | Self::RetroArchPicoDrive
            | Self::RetroArchCommanded(_)
            | Self::RetroArchDesmume(_)
            | Self::RetroArchMelonDs(_)
            | Self::RetroArchNestopia(_)
            | Self::RetroArchFceumm(_) => &["retroarch"],
            Self::DesmumeCli(_) => &["desmume-cli"],
            Self::PyDesmume(_) | Self::GenesisPlusGx => &["python3"],
            Self::Windows(dll, _) => return dll.missing(),
        };
        let absent = needs.iter().find(|program| which(program).is_none());
        absent.map(|program| format!("{program} is not installed")).or_else(|| {
            let (what, file) = match self {
                Self::PyDesmume(_) => ("py-desmume", nds::python_packages().join("desmume/libdesmume.so")),
                _ => ("core", self.core()?),
            };
            (!file.is_file()).then(|| format!("no {what} at {}", file.display()))
        })
    }

    fn core(self) -> Option<PathBuf> {
        let file = match self {
            Self::RetroArchGpgx | Self::RetroArchCommanded(_) | Self::GenesisPlusGx => {
                "genesis_plus_gx_libretro.so"
            }
            Self::RetroArchPicoDrive => "picodrive_libretro.so",
            Self::RetroArchMelonDs(_) => "melonds_libretro.so",
            Self::RetroArchFceumm(_) => "fceumm_libretro.so",
            Self::RetroArchNestopia(_) => return Some(packaged_core("nestopia_libretro.so")),
            Self::RetroArchDesmume(_) => return Some(packaged_core("desmume_libretro.so")),
            _ => return None,
        };
        let folder =
            std::env::var_os("NEXTSCOPE_TEST_CORES").map_or_else(|| target("test-cores"), PathBuf::from);
        Some(folder.join(file))
    }

    /// Starts it with a ROM.
    pub fn start(self, rom: &[u8]) -> Running {
        self.start_with(rom, &[])
    }

    /// Starts it with a ROM, and with these arguments after it.
    pub fn start_with(self, rom: &[u8], arguments: &[&OsStr]) -> Running {
        let home = tempfile::tempdir().expect("a temporary folder");
        let ending = if self.is_nds() {
            "nds"
        } else if self.is_nes() {
            "nes"
        } else {
            "md"
        };
        let rom_path = home.path().join(format!("cartridge.{ending}"));
        std::fs::write(&rom_path, rom).expect("the ROM is written");
        let (mut command, display) = if let Self::Windows(dll, pace) = self {
            (dll.command(pace, &rom_path), None)
        } else if self.is_nds() {
            (nds::command(self, home.path(), &rom_path), None)
        } else if self.is_nes() {
            nes::command(self, home.path(), &rom_path)
        } else {
            genesis::command(self, home.path(), &rom_path)
        };
        command
            .args(arguments)
            .current_dir(home.path())
            .env("HOME", home.path())
            .env_remove("XDG_CONFIG_HOME")
            .env("SDL_AUDIODRIVER", "dummy")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if matches!(self, Self::Embedded | Self::EmbeddedUnswapped | Self::Windows(..)) {
            command.stdout(Stdio::piped());
        }
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        if let Some(out) = child.stdout.take() {
            let mut ready = String::new();
            BufReader::new(out).read_line(&mut ready).expect("the console says that it is ready");
            assert!(ready.starts_with("ready"), "{}: instead of \"ready\" it said {ready:?}", self.name());
        }
        Running { kind: self, child, home, display }
    }
}

/// A folder among what the build has made.
fn target(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join(folder)
}

/// A libretro core where Debian's packages put it, /usr/lib/ARCHITECTURE/libretro.
fn packaged_core(file: &str) -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let found = folders.map(|entry| entry.path().join("libretro").join(file)).find(|core| core.is_file());
    found.unwrap_or_else(|| Path::new("/usr/lib/libretro").join(file))
}

/// RetroArch with the core of `kind`.
fn retroarch(kind: Kind, home: &Path, rom_path: &Path) -> Command {
    // The dummy audio driver takes sound at the speed at which it would be heard, and so sets the pace.
    let audio = if kind.is_unthrottled() { "null" } else { "sdl2" };
    let config = home.join("retroarch.cfg");
    let commands = match kind {
        Kind::RetroArchCommanded(port) => {
            format!("network_cmd_enable = \"true\"\nnetwork_cmd_port = \"{port}\"\n")
        }
        _ => "network_cmd_enable = \"false\"\n".to_owned(),
    };
    // In large blocks, so that frames come in bursts, of which one is not seen; for the Mega Drive in small ones, so that they come evenly, as
    // with a display.
    let latency = match kind {
        Kind::RetroArchGpgx | Kind::RetroArchPicoDrive => 16,
        _ => 64,
    };
    let settings =
        format!("{RETROARCH_CONFIG}audio_driver = \"{audio}\"\naudio_latency = \"{latency}\"\n{commands}");
    std::fs::write(&config, settings).expect("the configuration is written");
    let mut command = Command::new(which("retroarch").unwrap());
    command.arg("--config").arg(config).arg("-L").arg(kind.core().unwrap()).arg(rom_path);
    command
}

/// No picture.
const RETROARCH_CONFIG: &str = r#"
video_driver = "null"
input_driver = "null"
menu_driver = "null"
pause_nonactive = "false"
config_save_on_exit = "false"
"#;

/// A running emulator.
#[derive(Debug)]
pub struct Running {
    pub kind: Kind,
    pub child: Child,
    home: tempfile::TempDir,
    display: Option<Display>,
}

impl Running {
    pub fn pid(&self) -> Pid {
        Pid(self.child.id())
    }

    /// A line for the embedded console or for py-desmume.
    pub fn tell(&mut self, line: &str) {
        use std::io::Write;
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("the console listens");
    }

    /// Keeps all of its threads from running.
    pub fn suspend(&self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGSTOP);
        #[cfg(windows)]
        windows::suspend(&self.child);
    }

    /// Ends [`Self::suspend`].
    pub fn resume(&self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGCONT);
        #[cfg(windows)]
        windows::resume(&self.child);
    }

    #[cfg(unix)]
    fn signal(&self, signal: nix::sys::signal::Signal) {
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
