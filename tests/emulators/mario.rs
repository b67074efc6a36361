//! The Dr. Mario cartridge: its configuration, its own cells, and its log of injected faults. NES emulators run it.

/// The built image of our own cartridge.
pub const MARIO_ROM: &[u8] = include_bytes!("../cartridges/nes-mario/nes-mario.nes");

/// Addresses of the cartridge's own cells (its README).
pub mod mario_cells {
    use nextscope::console::ConsoleAddr;

    /// Faults so far.
    pub const FAULTS: ConsoleAddr = ConsoleAddr(0x0600);
    /// Capsules of player 1 that fell in this level.
    pub const DEALT: ConsoleAddr = ConsoleAddr(0x0602);
    /// The game, 1 = first.
    pub const GAME: ConsoleAddr = ConsoleAddr(0x0604);
    /// Capsules of both players that fell in all games.
    pub const DEALT_IN_ALL: ConsoleAddr = ConsoleAddr(0x0606);
    /// Capsules of player 2 that fell in this level.
    pub const DEALT_TO_SECOND: ConsoleAddr = ConsoleAddr(0x0608);
    /// Level or round of the game, 0 = first; one byte.
    pub const ROUND: ConsoleAddr = ConsoleAddr(0x060A);
    /// Level or round of all games, 1 = first.
    pub const LEVELS: ConsoleAddr = ConsoleAddr(0x060C);
    /// Fault n is record (n - 1) mod 32.
    pub const LOG: ConsoleAddr = ConsoleAddr(0x0200);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarioFaultKind {
    WrongCapsule = 1,
    WrongReserveEntry = 2,
    WrongVirus = 4,
    WrongStep = 8,
    FrozenCounter = 16,
    IndexNotCounted = 32,
    StepInReserve = 64,
    WrongFallingCapsule = 128,
}

impl MarioFaultKind {
    pub const ALL: [Self; 8] = [
        Self::WrongCapsule,
        Self::WrongReserveEntry,
        Self::WrongVirus,
        Self::WrongStep,
        Self::FrozenCounter,
        Self::IndexNotCounted,
        Self::StepInReserve,
        Self::WrongFallingCapsule,
    ];
}

/// One record of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MarioFault {
    /// Level or round of all games, 1 = first, modulo 256.
    pub level: u8,
    /// 0 = player 1.
    pub player: u8,
    pub kind: MarioFaultKind,
    /// A capsule, 0 = first of the level, modulo 128; an entry of the reserve; or a cell, 0 = top left.
    pub index: u8,
    pub right: u8,
    pub wrong: u8,
}

impl MarioFault {
    pub const RECORDS: u16 = 32;

    /// The fault in a record's bytes; None while they are not those of fault `number`.
    pub fn parse(record: &[u8], number: u16) -> Option<Self> {
        let kind = MarioFaultKind::ALL.into_iter().find(|&kind| kind as u8 == record[1]);
        (record[0] == number.to_le_bytes()[0]).then(|| Self {
            level: record[2],
            player: record[3],
            kind: kind.unwrap_or_else(|| panic!("fault kind {}", record[1])),
            index: record[5],
            right: record[6],
            wrong: record[7],
        })
    }
}

/// An entry of the cartridge's script.
#[derive(Debug, Clone, Copy)]
pub struct MarioGame {
    /// Passes of the options screen, and steps of the generator there.
    pub option_frames: u16,
    /// 0 = a demo.
    pub players: u8,
    pub levels: [u8; 2],
    /// 0 low, 1 medium, 2 high.
    pub speeds: [u8; 2],
    /// Levels of a single player, rounds of two.
    pub rounds: u8,
    pub reset_afterwards: bool,
}

impl MarioGame {
    pub const fn single(option_frames: u16, level: u8, rounds: u8) -> Self {
        Self {
            option_frames,
            players: 1,
            levels: [level, 0],
            speeds: [1, 0],
            rounds,
            reset_afterwards: false,
        }
    }

    pub const fn two(option_frames: u16, levels: [u8; 2], rounds: u8) -> Self {
        Self { option_frames, players: 2, levels, speeds: [0, 2], rounds, reset_afterwards: false }
    }

    pub const DEMO: Self = Self { players: 0, ..Self::single(1, 10, 1) };

    fn bytes(self) -> [u8; 8] {
        let [low, high] = self.option_frames.to_le_bytes();
        let speeds = self.speeds[0] | self.speeds[1] << 4;
        let [first, second] = self.levels;
        [low, high, self.players, first, second, speeds, self.rounds, self.reset_afterwards.into()]
    }
}

/// The cartridge's configuration block, patched into a copy of the image (offsets: the cartridge's README).
#[derive(Debug, Clone, Copy)]
pub struct MarioConfig {
    pub faults: &'static [MarioFaultKind],
    pub fall_frames: u8,
    pub capsules_per_level: u16,
    pub deals_per_fault: u8,
    pub levels_per_fault: u8,
    pub state: u16,
    pub throw_frames: u8,
    /// Of each mode without play.
    pub wait_frames: u8,
    pub work: u8,
    pub capsules_per_erasure: u8,
    /// 0 = never.
    pub passes_per_lag_frame: u8,
    /// At most 16 games, again and again.
    pub script: &'static [MarioGame],
}

/// One player and two, on the same and on different levels, and a demo.
pub const MARIO_GAMES: &[MarioGame] = &[
    MarioGame::single(70, 0, 3),
    MarioGame::two(93, [5, 5], 2),
    MarioGame::two(77, [3, 12], 2),
    MarioGame::DEMO,
    MarioGame::single(81, 19, 2),
];

impl Default for MarioConfig {
    fn default() -> Self {
        Self {
            faults: &[],
            fall_frames: 6,
            capsules_per_level: 100,
            deals_per_fault: 8,
            levels_per_fault: 2,
            state: 0x8988,
            throw_frames: 2,
            wait_frames: 8,
            work: 3,
            capsules_per_erasure: 8,
            passes_per_lag_frame: 0,
            script: MARIO_GAMES,
        }
    }
}

impl MarioConfig {
    pub fn rom(self) -> Vec<u8> {
        let mut rom = MARIO_ROM.to_vec();
        assert_eq!(&rom[0x10..0x14], b"DMCF", "the cartridge has its configuration block");
        rom[0x14] = self.faults.iter().fold(0, |bits, &kind| bits | kind as u8);
        rom[0x15] = self.fall_frames;
        rom[0x16..0x18].copy_from_slice(&self.capsules_per_level.to_le_bytes());
        rom[0x18] = self.deals_per_fault;
        rom[0x19] = self.levels_per_fault;
        rom[0x1A..0x1C].copy_from_slice(&self.state.to_be_bytes());
        rom[0x1C] = self.throw_frames;
        rom[0x1D] = self.wait_frames;
        rom[0x1E] = self.work;
        rom[0x1F] = self.capsules_per_erasure;
        rom[0x20] = u8::try_from(self.script.len()).unwrap();
        rom[0x21] = self.passes_per_lag_frame;
        assert!(self.script.len() <= 16, "the script has at most 16 games");
        for (at, game) in (0x30..).step_by(8).zip(self.script) {
            rom[at..at + 8].copy_from_slice(&game.bytes());
        }
        rom
    }
}
