//! Bus addresses and the named RAM areas (memory domains) they belong to.

use super::StorageOrder;
use std::fmt;

/// An address on a console's bus, as documents write it (0xFFAD00).
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct ConsoleAddr(pub u32);

impl ConsoleAddr {
    /// This address plus `bytes`.
    #[must_use]
    pub fn offset(self, bytes: u32) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
}

impl fmt::Display for ConsoleAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As the documents write them: 16 bits for a 6502, 24 for a 68000, 32 for an ARM.
        let digits = match self.0 {
            0..=0xFFFF => 4,
            0x1_0000..=0xFF_FFFF => 6,
            _ => 8,
        };
        write!(f, "0x{:0digits$X}", self.0)
    }
}

impl fmt::Debug for ConsoleAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The byte order of a processor's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endian {
    /// Most significant byte first (68000).
    Big,
    /// Least significant byte first (ARM, 6502).
    Little,
}

impl Endian {
    /// The number that these bytes encode; of more than eight, the eight least significant.
    pub fn number(self, bytes: &[u8]) -> u64 {
        let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match self {
            Self::Big => bytes.iter().fold(0, join),
            Self::Little => bytes.iter().rev().fold(0, join),
        }
    }
}

/// The consoles that profiles can name.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ConsoleId {
    /// Sega Mega Drive / Genesis.
    Genesis,
    /// Sega System C-2, the arcade board with the Mega Drive's processor and work RAM.
    SystemC2,
    /// Nintendo DS.
    Nds,
    /// Psikyo's SH-2 board, on which Tetris the Absolute runs.
    #[serde(rename = "psikyo-sh2")]
    PsikyoSh2,
    /// Sony's ZN-2 board, a PlayStation, on which the first Tetris the Grand Master runs.
    #[serde(rename = "zn-2")]
    Zn2,
    /// Sega's System 16, and its relatives with the same work RAM.
    #[serde(rename = "system-16")]
    System16,
    /// Nintendo Entertainment System.
    Nes,
    /// SNK's Neo Geo, the arcade system (MVS) and the console.
    NeoGeo,
}

impl ConsoleId {
    /// All consoles, in display order.
    pub const ALL: &'static [Self] = &[
        Self::Genesis,
        Self::SystemC2,
        Self::Nds,
        Self::Nes,
        Self::PsikyoSh2,
        Self::Zn2,
        Self::System16,
        Self::NeoGeo,
    ];

    /// The name in profiles.
    pub fn id(self) -> &'static str {
        match self {
            Self::Genesis => "genesis",
            Self::SystemC2 => "system-c2",
            Self::Nds => "nds",
            Self::PsikyoSh2 => "psikyo-sh2",
            Self::Zn2 => "zn-2",
            Self::System16 => "system-16",
            Self::Nes => "nes",
            Self::NeoGeo => "neo-geo",
        }
    }

    /// The RAM area that profiles of this console address.
    pub fn domain(self) -> &'static Domain {
        match self {
            Self::Genesis | Self::SystemC2 => &M68K_WORK_RAM,
            Self::Nds => &NDS_MAIN_RAM,
            Self::PsikyoSh2 => &PSIKYO_SH2_WORK_RAM,
            Self::Zn2 => &ZN_2_MAIN_RAM,
            Self::System16 => &SYSTEM_16_WORK_RAM,
            Self::Nes => &NES_RAM,
            Self::NeoGeo => &NEO_GEO_WORK_RAM,
        }
    }

    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Genesis => "Mega Drive / Genesis",
            Self::SystemC2 => "Sega System C-2",
            Self::Nds => "Nintendo DS",
            Self::PsikyoSh2 => "Psikyo SH-2",
            Self::Zn2 => "Sony ZN-2",
            Self::System16 => "Sega System 16",
            Self::Nes => "NES",
            Self::NeoGeo => "Neo Geo",
        }
    }
}

/// A named RAM area: its bus address, length and mirrors.
#[derive(PartialEq, Eq, Debug)]
pub struct Domain {
    /// BizHawk's name for it.
    pub name: &'static str,
    /// The address that documents use for its first byte.
    pub base: ConsoleAddr,
    /// Its length in bytes, a power of two.
    pub len: u32,
    /// Address lines the processor has; bits above are ignored.
    pub address_bits: u32,
    /// First and last bus address at which the area, or a mirror of it, answers.
    pub window: (ConsoleAddr, ConsoleAddr),
    /// The byte order of numbers.
    pub endian: Endian,
    /// The orders in which emulators may store it: as on the bus, or as host-endian words as wide as the processor's.
    pub orders: &'static [StorageOrder],
}

/// Storage orders for byte-wide or little-endian buses.
const BYTES: &[StorageOrder] = &[StorageOrder::AsOnBus];
/// Storage orders for a 68000.
const WORDS: &[StorageOrder] = &StorageOrder::OF_16_BIT_BUS;
/// Storage orders for a big-endian 32-bit bus.
const LONGS: &[StorageOrder] = &StorageOrder::OF_32_BIT_BUS;

/// 64 KiB at 0xFF0000, repeated through 0xE00000-0xFFFFFF; the 68000 has 24 address lines, so that the
/// sign-extended 0xFFFF8000 that the disassembly writes is the same cell as 0xFF8000 (Mega Drive memory map).
static M68K_WORK_RAM: Domain = Domain {
    name: "68K RAM",
    base: ConsoleAddr(0xFF_0000),
    len: 0x1_0000,
    address_bits: 24,
    window: (ConsoleAddr(0xE0_0000), ConsoleAddr(0xFF_FFFF)),
    endian: Endian::Big,
    orders: WORDS,
};

/// 4 MiB at 0x02000000, repeated up to 0x02FFFFFF; both processors and emulators use little-endian order (reference: emulators.md,
/// measured). A DSi has 16 MiB there, and these 4 MiB in DS mode, in which DS games run.
static NDS_MAIN_RAM: Domain = Domain {
    name: "Main RAM",
    base: ConsoleAddr(0x0200_0000),
    len: 0x40_0000,
    address_bits: 32,
    window: (ConsoleAddr(0x0200_0000), ConsoleAddr(0x02FF_FFFF)),
    endian: Endian::Little,
    orders: BYTES,
};

/// 1 MiB at 0x06000000; the SH-2 leaves the top three address lines to its cache, so that 0x26000000 is the same cell
/// (SH7604 manual, cache-through area). MAME stores it as host-endian 32-bit words; not measured on a running board.
static PSIKYO_SH2_WORK_RAM: Domain = Domain {
    name: "Work RAM",
    base: ConsoleAddr(0x0600_0000),
    len: 0x10_0000,
    address_bits: 29,
    window: (ConsoleAddr(0x0600_0000), ConsoleAddr(0x060F_FFFF)),
    endian: Endian::Big,
    orders: LONGS,
};

/// 4 MiB at 0; the processor sees it at 0x80000000 and 0xA0000000 too (segments KSEG0 and KSEG1 of the R3000A), and
/// little-endian as the hosts are. Not measured on a running board.
static ZN_2_MAIN_RAM: Domain = Domain {
    name: "Main RAM",
    base: ConsoleAddr(0),
    len: 0x40_0000,
    address_bits: 29,
    window: (ConsoleAddr(0), ConsoleAddr(0x003F_FFFF)),
    endian: Endian::Little,
    orders: BYTES,
};

/// 16 KiB at 0xFFC000, on System 16A also at 0xC70000 (reference 4.3), where a battery preserves it. That mirror is not read: add 0x38C000
/// to its addresses. Not measured on a running board.
static SYSTEM_16_WORK_RAM: Domain = Domain {
    name: "Work RAM",
    base: ConsoleAddr(0xFF_C000),
    len: 0x4000,
    address_bits: 24,
    window: (ConsoleAddr(0xFF_C000), ConsoleAddr(0xFF_FFFF)),
    endian: Endian::Big,
    orders: WORDS,
};

/// 2 KiB at 0x0000, repeated up to 0x1FFF (the console's memory map, reference: emulators.md, A.2). Emulators store it byte by byte.
static NES_RAM: Domain = Domain {
    name: "RAM",
    base: ConsoleAddr(0),
    len: 0x800,
    address_bits: 16,
    window: (ConsoleAddr(0), ConsoleAddr(0x1FFF)),
    endian: Endian::Little,
    orders: BYTES,
};

/// 64 KiB at 0x100000 (reference 5.3); FinalBurn Neo uses the same name and stores it as host-endian words (reference: emulators.md, A.2).
/// Mirrors are not read. Not measured on a running board.
static NEO_GEO_WORK_RAM: Domain = Domain {
    name: "68K RAM",
    base: ConsoleAddr(0x10_0000),
    len: 0x1_0000,
    address_bits: 24,
    window: (ConsoleAddr(0x10_0000), ConsoleAddr(0x10_FFFF)),
    endian: Endian::Big,
    orders: WORDS,
};

impl Domain {
    /// The offset of the byte at `addr` or at a mirror of it; None outside the window.
    pub fn offset_of(&self, addr: ConsoleAddr) -> Option<usize> {
        let on_bus = if self.address_bits < 32 { addr.0 & ((1 << self.address_bits) - 1) } else { addr.0 };
        let inside = (self.window.0.0..=self.window.1.0).contains(&on_bus);
        inside.then(|| (on_bus.wrapping_sub(self.base.0) & (self.len - 1)) as usize)
    }

    /// The hexadecimal digits of the longest offset in the area.
    pub fn offset_digits(&self) -> usize {
        (32 - (self.len - 1).leading_zeros()).div_ceil(4) as usize
    }

    /// The documented address of the byte at `offset`.
    pub fn address_at(&self, offset: usize) -> ConsoleAddr {
        let within = u32::try_from(offset % self.len as usize).unwrap_or(0);
        self.base.offset(within)
    }

    /// The offsets of `len` bytes at `addr`; None if they run past the end of the area.
    pub fn span(&self, addr: ConsoleAddr, len: usize) -> Option<std::ops::Range<usize>> {
        let start = self.offset_of(addr)?;
        let end = start.checked_add(len)?;
        (end <= self.len as usize).then_some(start..end)
    }
}
