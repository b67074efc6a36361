//! The samples of a recording by number, and where they are in the file.

use super::Header;
use super::block::{BlockHeader, HEADER_LEN};
use super::coding::checksum;
use super::store::Store;
use nextscope_memory::console::Domain;

/// Why a recording or a sample cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RecordingError {
    #[error("the file cannot be read: {0}")]
    Io(String),
    #[error("not a recording of nextscope")]
    NotARecording,
    #[error(
        "the recording has format {found}; this version of nextscope reads formats up to {known}: update nextscope"
    )]
    Newer { found: u32, known: u32 },
    #[error("the recording has no readable header{0}")]
    NoHeader(String),
    #[error("there is no sample {index}: the recording has {samples}")]
    NoSample { index: u64, samples: u64 },
    #[error("the block at byte {at} of the recording cannot be read: its {samples} samples are lost")]
    Unreadable { at: u64, samples: u32 },
}

impl From<std::io::Error> for RecordingError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

/// A block of samples with a valid checksum.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub at: u64,
    pub header: BlockHeader,
    /// The index of its section.
    pub section: usize,
    /// The number of its first sample among the readable ones.
    pub index: u64,
    /// The block on whose first sample its differences are based.
    pub base: Option<usize>,
}

/// Samples of one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The connection.
    pub header: Header,
    /// The number of its first sample.
    pub first: u64,
}

/// The readable samples of a file, numbered from 0, whatever is missing between them.
#[derive(Debug)]
pub(super) struct Content {
    pub store: Store,
    pub blocks: Vec<Block>,
    pub sections: Vec<Section>,
    pub samples: u64,
}

impl Content {
    pub fn block_of(&self, index: u64) -> Result<(usize, &Block), RecordingError> {
        let after = self.blocks.partition_point(|block| block.index <= index);
        let number = after.checked_sub(1).filter(|_| index < self.samples);
        let found = number.and_then(|number| Some((number, self.blocks.get(number)?)));
        found.ok_or(RecordingError::NoSample { index, samples: self.samples })
    }

    pub fn block(&self, number: usize) -> Option<&Block> {
        self.blocks.get(number)
    }

    pub fn domain_of(&self, block: &Block) -> &'static Domain {
        self.sections[block.section].header.domain()
    }

    /// The packed content of a block; None if the file changed meanwhile.
    pub fn packed(&self, block: &Block) -> Result<Option<Vec<u8>>, RecordingError> {
        let packed = self.store.read(block.at + HEADER_LEN as u64, block.header.stored as usize)?;
        Ok(packed.filter(|packed| checksum(packed) == block.header.checksum))
    }

    pub fn unreadable(&self, number: usize) -> RecordingError {
        let (at, samples) = self.blocks.get(number).map_or((0, 0), |block| (block.at, block.header.samples));
        RecordingError::Unreadable { at, samples }
    }
}
