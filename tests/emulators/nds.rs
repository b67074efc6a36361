//! The NDS cartridge, the emulators that run it, and its log of the faults that it made.

use super::{Kind, Pace, retroarch, target, which};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The built image of our own cartridge.
pub const NDS_ROM: &[u8] = include_bytes!("../cartridges/nds-20th/nds-20th.nds");

/// What starts `kind` with the card at `card`.
pub(super) fn command(kind: Kind, home: &Path, card: &Path) -> Command {
    let mut command = match kind {
        Kind::DesmumeCli(pace) => {
            let mut command = Command::new(which("desmume-cli").unwrap());
            command.arg("--disable-sound");
            if pace == Pace::Unthrottled {
                command.arg("--disable-limiter");
            }
            command.arg(card);
            command
        }
        Kind::PyDesmume(pace) => {
            let mut command = Command::new(which("python3").unwrap());
            let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators/py_desmume.py");
            command.arg(runner).arg(card).env("PYTHONPATH", python_packages());
            if pace == Pace::Console {
                command.arg("60");
            }
            command
        }
        Kind::RetroArchDesmume(_) | Kind::RetroArchMelonDs(_) => retroarch(kind, home, card),
        _ => unreachable!("{} is no NDS emulator", kind.name()),
    };
    command.env("SDL_VIDEODRIVER", "dummy");
    command
}

/// Where `tests/install-emulators all` puts py-desmume.
pub(super) fn python_packages() -> PathBuf {
    std::env::var_os("NEXTSCOPE_TEST_PYTHON").map_or_else(|| target("test-python"), PathBuf::from)
}

/// Addresses of what the cartridge keeps beside the documented block (its README).
pub mod cells {
    use nextscope::console::ConsoleAddr;

    /// Passes of the main loop begun.
    pub const FRAMES: ConsoleAddr = ConsoleAddr(0x0218_0000);
    /// Passes done: equal to [`FRAMES`] when nothing is being changed.
    pub const DONE: ConsoleAddr = ConsoleAddr(0x0218_0004);
    /// The round, 1 = first.
    pub const ROUND: ConsoleAddr = ConsoleAddr(0x0218_0008);
    /// 0 title, 1 menu, 2 generating, 3 ready, 4 play, 5 result.
    pub const STAGE: ConsoleAddr = ConsoleAddr(0x0218_000C);
    /// Faults so far.
    pub const FAULTS: ConsoleAddr = ConsoleAddr(0x0218_0010);
    /// The round's seed.
    pub const SEED: ConsoleAddr = ConsoleAddr(0x0218_0014);
    /// The state that the seed was taken from.
    pub const BEFORE: ConsoleAddr = ConsoleAddr(0x0218_0018);
    /// The state after the generation, before any fault.
    pub const AFTER: ConsoleAddr = ConsoleAddr(0x0218_001C);
    /// Pairs dealt to both players.
    pub const DEALT: ConsoleAddr = ConsoleAddr(0x0218_0020);
    /// Where the block is, whatever the pointer says.
    pub const BLOCK: ConsoleAddr = ConsoleAddr(0x0218_0024);
    /// 1 when the round was shuffled the other way.
    pub const OTHER_SHUFFLE: ConsoleAddr = ConsoleAddr(0x0218_002C);
    /// Steps of the generator since the start.
    pub const CALLS: ConsoleAddr = ConsoleAddr(0x0218_0038);
    /// Player 1 and 2: queue (4 bytes), pairs dealt (u16), number of colours (u8).
    pub const PLAYERS: [ConsoleAddr; 2] = [ConsoleAddr(0x0218_1000), ConsoleAddr(0x0218_1040)];
    /// Fault n is record (n - 1) mod 256.
    pub const LOG: ConsoleAddr = ConsoleAddr(0x0218_2000);
    /// Vertical blanks, counted by the ARM7.
    pub const VBLANKS: ConsoleAddr = ConsoleAddr(0x027F_FC3C);
}

/// What a fault was made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NdsFaultKind {
    /// A byte of the pool of so many colours.
    Pool { colors: u8 },
    /// A byte of the pair drawn last into the queue of player 0 or 1.
    DealtPair { player: u8, child: bool },
    /// Two entries of the colour map, the log's index and this one.
    ColorMap { other: u8 },
    /// A bit of the state.
    State,
}

/// One record of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NdsFault {
    pub round: u32,
    pub kind: NdsFaultKind,
    /// Byte of the pool, number of the pair (0 = first of the round), entry of the map or bit of the state.
    pub index: u16,
    pub right: u32,
    pub wrong: u32,
    /// [`cells::FRAMES`] when it was made.
    pub frame: u32,
}

impl NdsFault {
    pub const RECORDS: u32 = 256;
    pub const RECORD_LEN: u32 = 32;

    /// The address of fault `number`, 1 = first.
    pub fn record(number: u32) -> nextscope::console::ConsoleAddr {
        cells::LOG.offset((number - 1) % Self::RECORDS * Self::RECORD_LEN)
    }

    /// The fault in a record's bytes; None while they are not those of fault `number`.
    pub fn parse(record: &[u8], number: u32) -> Option<Self> {
        let word = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().unwrap());
        let (which, more) = (record[5], record[0x10]);
        (word(0) == number).then(|| Self {
            round: word(0x14),
            kind: match record[4] {
                1 => NdsFaultKind::Pool { colors: which + 3 },
                2 => NdsFaultKind::DealtPair { player: which, child: more == 1 },
                3 => NdsFaultKind::ColorMap { other: more },
                4 => NdsFaultKind::State,
                kind => panic!("fault kind {kind}"),
            },
            index: u16::from_le_bytes([record[6], record[7]]),
            right: word(8),
            wrong: word(0xC),
            frame: word(0x18),
        })
    }
}

/// Which 16 bits of the state are a round's seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedRule {
    Upper = 0,
    NextUpper = 1,
    Lower = 2,
}

/// The cartridge's configuration block, patched into a copy of the image (offsets: the cartridge's README).
#[derive(Debug, Clone, Copy)]
pub struct NdsConfig {
    /// 1 pool, 2 dealt pair, 4 colour map, 8 state.
    pub faults: u16,
    /// 1 is the least.
    pub frames_per_deal: [u16; 2],
    pub pairs_per_round: u16,
    /// 3, 4 or 5; 0: in turn.
    pub colors: [u8; 2],
    pub menu_frames: u16,
    pub ready_frames: u16,
    pub result_frames: u16,
    /// The state at the start.
    pub state: u32,
    pub draws_per_fault: u16,
    /// Faults of pool, map and state in every so manyth round.
    pub rounds_per_fault: u16,
    /// Chance in 256, each pass, that something steps the generator.
    pub event_rate: u16,
    /// Stages with events, bit n for stage n of [`cells::STAGE`].
    pub event_stages: u16,
    pub seed_rule: SeedRule,
    /// Rounds between moves of the block; 0 for none.
    pub rounds_per_move: u16,
    /// Rounds between times that the pointer leads nowhere; 0 for none.
    pub rounds_per_nowhere: u16,
    /// For how long it does.
    pub nowhere_frames: u16,
    /// Rounds between those that are shuffled the other way; 0 for none.
    pub rounds_per_other_shuffle: u16,
    /// Whether the keys move player 1's pairs.
    pub keys_move_pairs: bool,
}

impl Default for NdsConfig {
    fn default() -> Self {
        Self {
            faults: 0,
            frames_per_deal: [4, 6],
            pairs_per_round: 140,
            colors: [0, 0],
            menu_frames: 20,
            ready_frames: 10,
            result_frames: 20,
            state: 0x2026_1121,
            draws_per_fault: 8,
            rounds_per_fault: 1,
            event_rate: 96,
            event_stages: 0x3F,
            seed_rule: SeedRule::Upper,
            rounds_per_move: 0,
            rounds_per_nowhere: 0,
            nowhere_frames: 10,
            rounds_per_other_shuffle: 0,
            keys_move_pairs: false,
        }
    }
}

impl NdsConfig {
    pub fn rom(self) -> Vec<u8> {
        let mut rom = NDS_ROM.to_vec();
        assert_eq!(&rom[0x200..0x204], b"NXCF", "the cartridge has its configuration block");
        let mut word = |at: usize, value: u16| rom[at..at + 2].copy_from_slice(&value.to_le_bytes());
        word(0x204, self.faults);
        word(0x206, self.frames_per_deal[0]);
        word(0x208, self.frames_per_deal[1]);
        word(0x20A, self.pairs_per_round);
        word(0x20E, self.menu_frames);
        word(0x214, self.draws_per_fault);
        word(0x216, self.event_rate);
        word(0x218, self.seed_rule as u16);
        word(0x21A, self.rounds_per_move);
        word(0x21C, self.rounds_per_nowhere);
        word(0x21E, self.nowhere_frames);
        word(0x220, self.rounds_per_other_shuffle);
        word(0x222, self.rounds_per_fault);
        word(0x226, self.ready_frames);
        word(0x228, self.result_frames);
        word(0x22A, self.event_stages);
        word(0x22C, self.keys_move_pairs.into());
        rom[0x20C..0x20E].copy_from_slice(&self.colors);
        rom[0x210..0x214].copy_from_slice(&self.state.to_le_bytes());
        rom
    }
}
