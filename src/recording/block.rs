//! Blocks: the parts of a file, each of which can be believed or not by itself.

use super::coding::{MOST_UNPACKED, checksum, could_be, pack};

/// What a file begins with. The first byte is no text and the end of the line has two bytes, so that a file that was carried over
/// as text is not taken for a recording.
pub const MAGIC: [u8; 8] = *b"\x89NSREC\r\n";
/// The newest version of the format, which is the one that is written.
pub const VERSION: u32 = 1;
/// Magic and version.
pub const FILE_HEAD: usize = 12;
/// What a block begins with.
pub const SYNC: [u8; 4] = [0x9E, b'N', b'S', b'B'];
/// The length of a block's head.
pub const HEAD: usize = 68;

/// The most samples in a block: to come to a sample, those before it in the block are gone through.
pub const MOST_SAMPLES: u32 = 4096;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What a connection is; the first one of each connection begins it.
    Header = 1,
    /// Samples, the first of them whole.
    Whole = 2,
    /// Samples, the first of them as what changed from the first one of an earlier block.
    Changed = 3,
    /// Something that happened between samples.
    Event = 4,
    /// What somebody has to say of the recording.
    Annotation = 5,
    /// The end: everything that was sampled is in the file.
    End = 6,
}

impl Kind {
    fn of(number: u8) -> Option<Self> {
        let kinds = [Self::Header, Self::Whole, Self::Changed, Self::Event, Self::Annotation, Self::End];
        kinds.into_iter().find(|kind| *kind as u8 == number)
    }

    /// Whether it holds samples.
    pub fn has_samples(self) -> bool {
        matches!(self, Self::Whole | Self::Changed)
    }
}

/// A block's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    /// The connection that it belongs to, from 0.
    pub connection: u16,
    /// The length of what follows.
    pub stored: u32,
    /// What that unpacks to.
    pub unpacked: u32,
    /// The checksum of what follows.
    pub checksum: u32,
    /// Samples in it.
    pub samples: u32,
    /// Samples that were written before it.
    pub first: u64,
    /// The frame of the first sample.
    pub frame: u64,
    /// When the first sample was taken, in microseconds since the recording began.
    pub begins: u64,
    /// The same of the last one.
    pub ends: u64,
    /// Where in the file the block stands from whose first sample the changes count.
    pub base: u64,
}

impl Head {
    /// A block without samples, after so many.
    pub fn plain(kind: Kind, connection: u16, first: u64, elapsed: u64) -> Self {
        Self {
            kind,
            connection,
            stored: 0,
            unpacked: 0,
            checksum: 0,
            samples: 0,
            first,
            frame: 0,
            begins: elapsed,
            ends: elapsed,
            base: 0,
        }
    }

    /// Head and packed bytes.
    pub fn with(mut self, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        let too_long = || std::io::Error::other("more than a block of a recording can hold");
        if bytes.len() > MOST_UNPACKED {
            return Err(too_long());
        }
        let packed = pack(bytes)?;
        self.stored = u32::try_from(packed.len()).map_err(|_| too_long())?;
        self.unpacked = u32::try_from(bytes.len()).map_err(|_| too_long())?;
        self.checksum = checksum(&packed);
        let mut block = Vec::with_capacity(HEAD + packed.len());
        block.extend(SYNC);
        block.extend([self.kind as u8, 0]);
        block.extend(self.connection.to_le_bytes());
        for number in [self.stored, self.unpacked, self.checksum, self.samples] {
            block.extend(number.to_le_bytes());
        }
        for number in [self.first, self.frame, self.begins, self.ends, self.base] {
            block.extend(number.to_le_bytes());
        }
        block.extend(checksum(&block).to_le_bytes());
        block.extend(packed);
        Ok(block)
    }

    /// Reads a head; None when it is none, or is damaged, or says what cannot be.
    pub fn read(bytes: &[u8; HEAD]) -> Option<Self> {
        let (said, sum) = bytes.split_at(HEAD - 4);
        if !said.starts_with(&SYNC) || checksum(said).to_le_bytes() != sum {
            return None;
        }
        let u32_at = |at: usize| Some(u32::from_le_bytes(said.get(at..at + 4)?.try_into().ok()?));
        let u64_at = |at: usize| Some(u64::from_le_bytes(said.get(at..at + 8)?.try_into().ok()?));
        let head = Self {
            kind: Kind::of(said[4])?,
            connection: u16::from_le_bytes([said[6], said[7]]),
            stored: u32_at(8)?,
            unpacked: u32_at(12)?,
            checksum: u32_at(16)?,
            samples: u32_at(20)?,
            first: u64_at(24)?,
            frame: u64_at(32)?,
            begins: u64_at(40)?,
            ends: u64_at(48)?,
            base: u64_at(56)?,
        };
        // A sample has four numbers at least, each of a byte or more.
        let holds = if head.kind.has_samples() {
            (1..=MOST_SAMPLES).contains(&head.samples) && head.samples <= head.unpacked / 4
        } else {
            head.samples == 0
        };
        let sound = holds
            && could_be(head.stored as usize, head.unpacked as usize)
            && head.stored as usize <= 2 * MOST_UNPACKED
            && head.begins <= head.ends
            && head.first.checked_add(head.samples.into()).is_some();
        sound.then_some(head)
    }
}
