//! The bean cartridge: its configuration, and its logs of faults and of interrupted generations (its README).

use nextscope::console::{ConsoleAddr, Snapshot};

/// The built ROM with the addresses of Dr. Robotnik's Mean Bean Machine.
pub const BEAN_ROM: &[u8] = include_bytes!("../cartridges/genesis-bean/genesis-bean.bin");
/// The built ROM with the addresses of Puyo Puyo.
pub const PUYO_ROM: &[u8] = include_bytes!("../cartridges/genesis-bean/genesis-puyo.bin");

/// Addresses of what the cartridge keeps beside the documented cells.
pub mod bean_cells {
    use nextscope::console::ConsoleAddr;

    /// Byte: what the cartridge is doing.
    pub const ACTIVITY: ConsoleAddr = ConsoleAddr(0xFF_4004);
    /// [`ACTIVITY`] in a round.
    pub const PLAY: u8 = 4;
    /// Byte: nonzero while pools are generated.
    pub const GENERATING: ConsoleAddr = ConsoleAddr(0xFF_4005);
    /// Long: faults so far.
    pub const FAULTS: ConsoleAddr = ConsoleAddr(0xFF_4010);
    /// Long: the round, 1 = first.
    pub const ROUND: ConsoleAddr = ConsoleAddr(0xFF_4014);
    /// Long: pairs dealt by both players.
    pub const PAIRS: ConsoleAddr = ConsoleAddr(0xFF_401C);
    /// Long: generations so far.
    pub const GENERATIONS: ConsoleAddr = ConsoleAddr(0xFF_4028);
    /// Long: times that an opponent has set its own pairs.
    pub const REWRITES: ConsoleAddr = ConsoleAddr(0xFF_402C);
    /// Generation n, 1 = first, is record (n - 1) mod 256, of 32 bytes.
    pub const GENERATION_LOG: ConsoleAddr = ConsoleAddr(0xFF_6000);
    /// Fault n, 1 = first, is record (n - 1) mod 256, of 16 bytes.
    pub const FAULT_LOG: ConsoleAddr = ConsoleAddr(0xFF_5000);
}

/// Records in either log.
const RECORDS: u32 = 256;

/// Kinds of faults, as [`BeanConfig::faults`] combines them.
pub mod bean_faults {
    /// A wrong byte in a pool.
    pub const POOL: u16 = 1;
    /// A wrong byte in the pair just drawn.
    pub const PAIR: u16 = 2;
    /// A wrong step within a generation.
    pub const STEP: u16 = 4;
    /// The second and the third pair exchanged.
    pub const ORDER: u16 = 8;
    /// A frame counter that stops for three seconds.
    pub const FRAMES: u16 = 16;
    /// A wrong state in play.
    pub const JUMP: u16 = 32;
}

/// The cartridge's configuration block, patched into a copy of the ROM (offsets: the cartridge's README).
#[derive(Debug, Clone, Copy)]
pub struct BeanConfig {
    /// [`BEAN_ROM`] or [`PUYO_ROM`].
    pub rom: &'static [u8],
    /// See [`bean_faults`].
    pub faults: u16,
    /// Where faults happen: number of the pair, byte of the pool, draw of the generation; None: anywhere.
    pub fault_at: Option<u16>,
    pub draws_per_fault: u16,
    pub frames_per_deal: [u16; 2],
    pub pairs_per_round: u16,
    pub menu_frames: u16,
    /// Only rounds of this mode.
    pub only_mode: Option<u16>,
    pub state: u32,
    /// Chance in 256, each pass, that something besides the interrupt steps the generator.
    pub event_rate: u16,
    /// Longest wait before a generation, in turns of a loop; 2,400 are a frame.
    pub generation_delay: u16,
    /// Whether the opponents of stages 7, 14 and 15 set their own pairs.
    pub rewrites: bool,
}

impl Default for BeanConfig {
    fn default() -> Self {
        Self {
            rom: BEAN_ROM,
            faults: 0,
            fault_at: None,
            draws_per_fault: 8,
            frames_per_deal: [4, 6],
            pairs_per_round: 140,
            menu_frames: 20,
            only_mode: None,
            state: 0,
            event_rate: 32,
            generation_delay: 2400,
            rewrites: true,
        }
    }
}

impl BeanConfig {
    pub fn rom(self) -> Vec<u8> {
        let mut rom = self.rom.to_vec();
        assert_eq!(&rom[0x200..0x204], b"NXCB", "the cartridge has its configuration block");
        let mut word = |at: usize, value: u16| rom[at..at + 2].copy_from_slice(&value.to_be_bytes());
        word(0x204, self.faults);
        word(0x206, self.frames_per_deal[0]);
        word(0x208, self.frames_per_deal[1]);
        word(0x20A, self.pairs_per_round);
        word(0x20C, self.only_mode.map_or(0, |mode| mode + 1));
        word(0x20E, self.menu_frames);
        word(0x214, self.draws_per_fault);
        word(0x216, self.event_rate);
        word(0x218, self.fault_at.unwrap_or(u16::MAX));
        // Deals that follow faster than a step of a chain need the whole chain in one pass: no game deals while one runs.
        if self.frames_per_deal[0] < 40 {
            word(0x21A, 0);
        }
        word(0x21C, self.generation_delay);
        word(0x21E, self.rewrites.into());
        rom[0x210..0x214].copy_from_slice(&self.state.to_be_bytes());
        balance(&mut rom);
        rom
    }
}

/// Sets the last word so that the sum of the ROM is again the one in its header: before the first round it tells the two games apart.
fn balance(rom: &mut [u8]) {
    let sum = |words: &[u8]| {
        words.chunks_exact(2).fold(0u16, |sum, word| sum.wrapping_add(u16::from_be_bytes([word[0], word[1]])))
    };
    let header = u16::from_be_bytes([rom[0x18E], rom[0x18F]]);
    let last = rom.len() - 2;
    let word = header.wrapping_sub(sum(&rom[0x200..last]));
    rom[last..].copy_from_slice(&word.to_be_bytes());
}

/// One record of the log of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BeanFault {
    pub round: u32,
    pub kind: BeanFaultKind,
    /// Pool or player, 0 or 1.
    pub side: u8,
    /// Byte of the pool, number of the pair (order: the first of the two), draws before the wrong step, pairs dealt.
    pub index: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BeanFaultKind {
    Pool,
    Pair,
    Step,
    Order,
    Frames,
    Jump,
}

impl BeanFault {
    /// The faults after number `after`.
    pub fn logged(ram: &Snapshot, after: u32) -> Vec<Self> {
        let count = ram.u32(bean_cells::FAULTS).unwrap();
        assert!(count - after < RECORDS, "the log is a ring of {RECORDS} records");
        let parse = |number: u32| {
            let record = bean_cells::FAULT_LOG.offset((number - 1) % RECORDS * 16);
            assert_eq!(ram.u32(record).unwrap(), number, "the log is complete");
            Self {
                round: ram.u32(record.offset(12)).unwrap(),
                kind: match ram.u8(record.offset(4)).unwrap() {
                    1 => BeanFaultKind::Pool,
                    2 => BeanFaultKind::Pair,
                    3 => BeanFaultKind::Step,
                    4 => BeanFaultKind::Order,
                    5 => BeanFaultKind::Frames,
                    6 => BeanFaultKind::Jump,
                    kind => panic!("fault kind {kind}"),
                },
                side: ram.u8(record.offset(5)).unwrap(),
                index: ram.u16(record.offset(6)).unwrap(),
            }
        };
        (after + 1..=count).map(parse).collect()
    }
}

/// One record of the log of generations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeanGeneration {
    pub round: u32,
    pub before: u32,
    pub after: u32,
    pub mode: u8,
    pub stage: u8,
    /// The draws, 0 = first, before which the step of an interrupt came. The number of all draws: after the last one.
    pub extra_steps: Vec<u16>,
    /// The draws whose store undid the step of an interrupt.
    pub lost_steps: Vec<u16>,
}

impl BeanGeneration {
    /// The generations after number `after`.
    pub fn logged(ram: &Snapshot, after: u32) -> Vec<Self> {
        let count = ram.u32(bean_cells::GENERATIONS).unwrap();
        assert!(count - after < RECORDS, "the log is a ring of {RECORDS} records");
        let parse = |number: u32| {
            let record = bean_cells::GENERATION_LOG.offset((number - 1) % RECORDS * 32);
            let long = |at: u32| ram.u32(record.offset(at)).unwrap();
            let word = |at: u32| ram.u16(record.offset(at)).unwrap();
            let interrupts = || (0..u32::from(word(14))).map(|n| (word(16 + 4 * n), word(18 + 4 * n)));
            let draws = |kind: u16| interrupts().filter(|it| it.1 == kind).map(|it| it.0).collect();
            Self {
                round: long(0),
                before: long(4),
                after: long(8),
                mode: ram.u8(record.offset(12)).unwrap(),
                stage: ram.u8(record.offset(13)).unwrap(),
                extra_steps: draws(1),
                lost_steps: draws(2),
            }
        };
        (after + 1..=count).map(parse).collect()
    }
}
