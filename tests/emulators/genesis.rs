//! The Genesis cartridge and the emulators that run it.

use super::{Display, Kind, which};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The built ROM of our own cartridge.
pub const ROM: &[u8] = include_bytes!("../cartridges/genesis-tsu/genesis-tsu.bin");

/// What starts `kind` with the ROM at `rom_path`, and the display that it needs.
pub(super) fn command(kind: Kind, home: &Path, rom_path: &Path) -> (Command, Option<Display>) {
    let mut display: Option<Display> = None;
    let command = match kind {
        Kind::Embedded | Kind::EmbeddedUnswapped => {
            let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
            command.arg("demo-console").arg("--rom").arg(rom_path);
            command.arg("--order").arg(if kind == Kind::Embedded { "swapped" } else { "bus" });
            command
        }
        Kind::BlastEmUnthrottled => {
            let mut command = Command::new(which("blastem").unwrap());
            command.args(["-b", "1000000000"]).arg(rom_path);
            command
        }
        Kind::Renamed => {
            let renamed = home.join("some-game-player");
            // By another program: a file that this one has open for writing would also be open in what another thread starts at that
            // moment, and could not be run.
            let copied = Command::new("cp").arg(which("blastem").unwrap()).arg(&renamed).status();
            assert!(copied.is_ok_and(|status| status.success()), "the emulator is copied");
            let other = home.join("data.bin"); // BlastEm crashes on a path without extension
            std::fs::rename(rom_path, &other).expect("the ROM is renamed");
            let mut command = Command::new(renamed);
            command.args(["-b", "1000000000"]).arg(other);
            command
        }
        Kind::BlastEmWindow => {
            let xvfb = Display::start();
            // Without a card, Mesa has no swap control, and BlastEm asks in a dialog whether that is all right. It takes its
            // own file of settings instead of the system's, not beside it.
            if let Ok(usual) = std::fs::read_to_string("/etc/blastem/default.cfg") {
                let settings = home.join(".config/blastem");
                std::fs::create_dir_all(&settings).expect("a folder in our own");
                std::fs::write(settings.join("blastem.cfg"), usual.replace("\tgl on\n", "\tgl off\n"))
                    .expect("a file in our own folder");
            }
            let mut command = Command::new(which("blastem").unwrap());
            command.arg(rom_path).env("DISPLAY", &xvfb.name).env("LIBGL_ALWAYS_SOFTWARE", "1");
            display = Some(xvfb);
            command
        }
        Kind::Mednafen => {
            let mut command = Command::new(which("mednafen").unwrap());
            command.args(["-sound", "0", "-force_module", "md"]).arg(rom_path);
            command.env("SDL_VIDEODRIVER", "dummy").env("MEDNAFEN_HOME", home);
            command
        }
        Kind::MednafenWindow => {
            let xvfb = Display::start();
            let mut command = Command::new(which("mednafen").unwrap());
            // A movie is called cartridge.mcm; without this setting its name contains the ROM's checksum.
            command.args(["-sound", "0", "-video.driver", "softfb", "-filesys.fname_movie", "%f.%x"]);
            command.args(["-force_module", "md"]).arg(rom_path);
            command.env("DISPLAY", &xvfb.name).env("MEDNAFEN_HOME", home);
            display = Some(xvfb);
            command
        }
        Kind::Mame => {
            let mut command = Command::new(which("mame").unwrap());
            command.args(["genesis", "-cart"]).arg(rom_path).args([
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
        Kind::RetroArchGpgx | Kind::RetroArchPicoDrive | Kind::RetroArchCommanded(_) => {
            super::retroarch(kind, home, rom_path)
        }
        _ => unreachable!("{} is no Genesis emulator", kind.name()),
    };
    (command, display)
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
        // Deals that follow faster than a step of a chain need the whole chain in one pass: no game deals while one runs.
        if self.frames_per_deal[0] < 40 {
            word(0x21A, 0);
        }
        word(0x214, self.draws_per_fault);
        if let Some(rate) = self.event_rate {
            word(0x216, rate);
        }
        rom[0x210..0x214].copy_from_slice(&self.state.to_be_bytes());
        rom
    }
}
