//! The emulators that run NES cartridges; the Tetris cartridge and its log of the faults that it made.

use super::{Display, Kind, Pace, retroarch, which};
use std::path::Path;
use std::process::Command;

/// The built image of our own cartridge.
pub const NES_ROM: &[u8] = include_bytes!("../cartridges/nes-tetris/nes-tetris.nes");

/// What starts `kind` with the cartridge at `rom`, and the display that it needs.
pub(super) fn command(kind: Kind, home: &Path, rom: &Path) -> (Command, Option<Display>) {
    let mut display = None;
    let command = match kind {
        Kind::MednafenNes => {
            let mut command = Command::new(which("mednafen").unwrap());
            command.args(["-sound", "0", "-force_module", "nes"]).arg(rom);
            command.env("SDL_VIDEODRIVER", "dummy").env("MEDNAFEN_HOME", home);
            command
        }
        Kind::Fceux => {
            // Without a display it crashes, whatever the settings of Qt.
            let xvfb = Display::start();
            let mut command = Command::new(which("fceux").unwrap());
            command.args(["--no-config", "1", "--sound", "0"]).arg(rom).env("DISPLAY", &xvfb.name);
            command.env("LIBGL_ALWAYS_SOFTWARE", "1");
            display = Some(xvfb);
            command
        }
        Kind::MameNes(pace) => {
            let mut command = Command::new(which("mame").unwrap());
            command.args(["nes", "-cart"]).arg(rom);
            command.args(["-video", "none", "-sound", "none", "-skip_gameinfo", "-seconds_to_run", "100000"]);
            if pace == Pace::Unthrottled {
                command.arg("-nothrottle");
            }
            command.env("SDL_VIDEODRIVER", "dummy");
            command
        }
        Kind::RetroArchNestopia(_) | Kind::RetroArchFceumm(_) => {
            let mut command = retroarch(kind, home, rom);
            command.env("SDL_VIDEODRIVER", "dummy");
            command
        }
        _ => unreachable!("{} is no NES emulator", kind.name()),
    };
    (command, display)
}

/// Addresses of what the cartridge keeps beside the documented cells (its README).
pub mod nes_cells {
    use nextscope::console::ConsoleAddr;

    /// Faults so far.
    pub const FAULTS: ConsoleAddr = ConsoleAddr(0x0600);
    /// Pieces that came into play in this game.
    pub const DEALT: ConsoleAddr = ConsoleAddr(0x0602);
    /// The game, 1 = first.
    pub const GAME: ConsoleAddr = ConsoleAddr(0x0604);
    /// Pieces that came into play in all games.
    pub const DEALT_IN_ALL: ConsoleAddr = ConsoleAddr(0x0606);
    /// Fault n is record (n - 1) mod 32.
    pub const LOG: ConsoleAddr = ConsoleAddr(0x0500);
}

/// One record of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NesFault {
    /// The game, modulo 256.
    pub game: u8,
    /// 1 wrong piece, 2 wrong step, 4 pick not counted.
    pub kind: u8,
    /// The piece, 0 = first of the game: the one that is next after the deal.
    pub index: u16,
    pub right: u8,
    pub wrong: u8,
}

impl NesFault {
    pub const RECORDS: u16 = 32;

    /// The fault in a record's bytes; None while they are not those of fault `number`.
    pub fn parse(record: &[u8], number: u16) -> Option<Self> {
        let word = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
        (word(0) == number).then(|| Self {
            game: record[3],
            kind: record[2],
            index: word(4),
            right: record[6],
            wrong: record[7],
        })
    }

    /// The profile's field in which it must be flagged.
    pub fn field(self) -> &'static str {
        match self.kind {
            1 => "next_piece",
            2 => "rng_state",
            4 => "spawn_count",
            kind => panic!("fault kind {kind}"),
        }
    }
}

/// The cartridge's configuration block, patched into a copy of the image (offsets: the cartridge's README).
#[derive(Debug, Clone, Copy)]
pub struct NesConfig {
    /// 1 wrong piece, 2 wrong step, 4 pick not counted.
    pub faults: u8,
    pub frames_per_deal: u8,
    pub pieces_per_game: u16,
    pub deals_per_fault: u8,
    pub menu_frames: u8,
    pub state: u16,
    pub music: bool,
    pub work: u8,
}

impl Default for NesConfig {
    fn default() -> Self {
        Self {
            faults: 0,
            frames_per_deal: 8,
            pieces_per_game: 120,
            deals_per_fault: 8,
            menu_frames: 20,
            state: 0x8988,
            music: true,
            work: 12,
        }
    }
}

impl NesConfig {
    pub fn rom(self) -> Vec<u8> {
        let mut rom = NES_ROM.to_vec();
        assert_eq!(&rom[0x10..0x14], b"NXCF", "the cartridge has its configuration block");
        rom[0x14] = self.faults;
        rom[0x15] = self.frames_per_deal;
        rom[0x16..0x18].copy_from_slice(&self.pieces_per_game.to_le_bytes());
        rom[0x18] = self.deals_per_fault;
        rom[0x19] = self.menu_frames;
        rom[0x1A..0x1C].copy_from_slice(&self.state.to_be_bytes());
        rom[0x1C] = self.music.into();
        rom[0x1D] = self.work;
        rom
    }
}
