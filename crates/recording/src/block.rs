//! Blocks: the parts of a file, each with its own checksums.

use super::coding::{MAX_UNPACKED, checksum, is_possible_size, pack};

/// The first bytes of a file. The first byte is not ASCII and the line ends with CR LF, so that a file transferred as text is not
/// accepted.
pub const MAGIC: [u8; 8] = *b"\x89NSREC\r\n";
/// The newest version of the format, which is the one written.
pub const VERSION: u32 = 1;
/// The length of magic and version.
pub const FILE_HEADER_LEN: usize = 12;
/// The first bytes of a block.
pub const SYNC: [u8; 4] = [0x9E, b'N', b'S', b'B'];
/// The length of a block's header.
pub const HEADER_LEN: usize = 68;

/// The most samples in a block: reading a sample requires decoding those before it in the block.
pub const MAX_SAMPLES: u32 = 4096;

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A connection's [`Header`](super::Header); the first one of a connection starts it.
    Header = 1,
    /// Samples, the first of them complete.
    Full = 2,
    /// Samples, the first of them as a difference from the first sample of an earlier block.
    Delta = 3,
    /// An event between samples.
    Event = 4,
    /// An annotation of the recording.
    Annotation = 5,
    /// The end: the file is complete.
    End = 6,
}

impl BlockKind {
    fn of(number: u8) -> Option<Self> {
        let kinds = [Self::Header, Self::Full, Self::Delta, Self::Event, Self::Annotation, Self::End];
        kinds.into_iter().find(|kind| *kind as u8 == number)
    }

    /// Whether such a block contains samples.
    pub fn has_samples(self) -> bool {
        matches!(self, Self::Full | Self::Delta)
    }
}

/// A block's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHeader {
    pub kind: BlockKind,
    /// The number of its connection, from 0.
    pub connection: u16,
    /// The length of the packed content.
    pub stored: u32,
    /// The length of the unpacked content.
    pub unpacked: u32,
    /// The checksum of the packed content.
    pub checksum: u32,
    /// The number of samples in it.
    pub samples: u32,
    /// The number of samples written before it.
    pub first: u64,
    /// The frame of the first sample.
    pub frame: u64,
    /// The time of the first sample, in microseconds since the beginning of the recording.
    pub start: u64,
    /// The time of the last sample.
    pub end: u64,
    /// The offset in the file of the block on whose first sample the differences are based.
    pub base: u64,
}

impl BlockHeader {
    /// The header of a block without samples.
    pub fn without_samples(kind: BlockKind, connection: u16, first: u64, elapsed: u64) -> Self {
        Self {
            kind,
            connection,
            stored: 0,
            unpacked: 0,
            checksum: 0,
            samples: 0,
            first,
            frame: 0,
            start: elapsed,
            end: elapsed,
            base: 0,
        }
    }

    /// The encoded block with this content.
    pub fn encode(mut self, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        let too_long = || std::io::Error::other("too long for a block of a recording");
        if bytes.len() > MAX_UNPACKED {
            return Err(too_long());
        }
        let packed = pack(bytes)?;
        self.stored = u32::try_from(packed.len()).map_err(|_| too_long())?;
        self.unpacked = u32::try_from(bytes.len()).map_err(|_| too_long())?;
        self.checksum = checksum(&packed);
        let mut block = Vec::with_capacity(HEADER_LEN + packed.len());
        block.extend(SYNC);
        block.extend([self.kind as u8, 0]);
        block.extend(self.connection.to_le_bytes());
        for number in [self.stored, self.unpacked, self.checksum, self.samples] {
            block.extend(number.to_le_bytes());
        }
        for number in [self.first, self.frame, self.start, self.end, self.base] {
            block.extend(number.to_le_bytes());
        }
        block.extend(checksum(&block).to_le_bytes());
        block.extend(packed);
        Ok(block)
    }

    /// Parses a header; None if it is damaged or has impossible values.
    pub fn parse(bytes: &[u8; HEADER_LEN]) -> Option<Self> {
        let (fields, sum) = bytes.split_at(HEADER_LEN - 4);
        if !fields.starts_with(&SYNC) || checksum(fields).to_le_bytes() != sum {
            return None;
        }
        let u32_at = |at: usize| Some(u32::from_le_bytes(fields.get(at..at + 4)?.try_into().ok()?));
        let u64_at = |at: usize| Some(u64::from_le_bytes(fields.get(at..at + 8)?.try_into().ok()?));
        let header = Self {
            kind: BlockKind::of(fields[4])?,
            connection: u16::from_le_bytes([fields[6], fields[7]]),
            stored: u32_at(8)?,
            unpacked: u32_at(12)?,
            checksum: u32_at(16)?,
            samples: u32_at(20)?,
            first: u64_at(24)?,
            frame: u64_at(32)?,
            start: u64_at(40)?,
            end: u64_at(48)?,
            base: u64_at(56)?,
        };
        // A sample has at least four numbers of a byte or more.
        let valid_count = if header.kind.has_samples() {
            (1..=MAX_SAMPLES).contains(&header.samples) && header.samples <= header.unpacked / 4
        } else {
            header.samples == 0
        };
        let valid = valid_count
            && is_possible_size(header.stored as usize, header.unpacked as usize)
            && header.stored as usize <= 2 * MAX_UNPACKED
            && header.start <= header.end
            && header.first.checked_add(header.samples.into()).is_some();
        valid.then_some(header)
    }
}
