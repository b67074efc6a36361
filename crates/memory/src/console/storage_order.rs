//! The byte orders in which emulators store a console's RAM.

use std::fmt;

/// How an emulator stores the bytes of a domain.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum StorageOrder {
    /// As on the bus: console address n is host byte n.
    AsOnBus,
    /// As little-endian 16-bit words: console address n is host byte n ^ 1. BlastEm, MAME, Genesis Plus GX and PicoDrive do this
    /// (reference: emulators.md, measured).
    SwappedWords,
    /// As little-endian 32-bit words: console address n is host byte n ^ 3. MAME does this for big-endian processors with a 32-bit bus
    /// (reference: emulators.md, inferred).
    SwappedLongs,
}

impl StorageOrder {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::AsOnBus, Self::SwappedWords, Self::SwappedLongs];

    /// The orders of a console with a 16-bit bus.
    pub const OF_16_BIT_BUS: [Self; 2] = [Self::AsOnBus, Self::SwappedWords];

    /// The orders of a big-endian console with a 32-bit bus.
    pub const OF_32_BIT_BUS: [Self; 2] = [Self::AsOnBus, Self::SwappedLongs];

    /// The length of the words that are byte-swapped.
    pub const fn word(self) -> usize {
        match self {
            Self::AsOnBus => 1,
            Self::SwappedWords => 2,
            Self::SwappedLongs => 4,
        }
    }

    /// The host offset of the byte at console offset `offset`.
    pub fn host_offset(self, offset: usize) -> usize {
        offset ^ (self.word() - 1)
    }

    /// Converts bytes between this order and bus order; the operation is its own inverse. The slice must begin at a console offset that
    /// is a multiple of the word. An incomplete word at its end is left unchanged.
    pub fn reorder(self, bytes: &mut [u8]) {
        if self == Self::SwappedWords {
            // Four words at a time: this runs over all of work RAM for every sample.
            let (fours, rest) = bytes.as_chunks_mut::<8>();
            for four in fours {
                let words = u64::from_ne_bytes(*four);
                let odd = 0xFF00_FF00_FF00_FF00;
                *four = ((words & odd) >> 8 | words << 8 & odd).to_ne_bytes();
            }
            rest.as_chunks_mut::<2>().0.iter_mut().for_each(|word| word.reverse());
        } else if self == Self::SwappedLongs {
            bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
        }
    }
}

impl fmt::Display for StorageOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsOnBus => "as on the bus",
            Self::SwappedWords => "swapped in 16-bit words",
            Self::SwappedLongs => "swapped in 32-bit words",
        })
    }
}
