//! The bytes of a recording: a file, which is read in parts, or bytes in memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The number of bytes searched at once for the beginning of a block.
const PIECE: usize = 1 << 16;

#[derive(Debug)]
pub struct Store {
    source: Source,
    len: u64,
}

#[derive(Debug)]
enum Source {
    File(Mutex<File>),
    Bytes(Vec<u8>),
}

impl Store {
    /// Opens a file. Bytes appended later are ignored.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(std::io::Error::other("it is not a regular file")); // reading a pipe could block forever
        }
        Ok(Self { source: Source::File(Mutex::new(file)), len: facts.len() })
    }

    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { len: bytes.len() as u64, source: Source::Bytes(bytes) }
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// Reads exactly `count` bytes at an offset; None if there are fewer.
    pub fn read(&self, at: u64, count: usize) -> std::io::Result<Option<Vec<u8>>> {
        if at.checked_add(count as u64).is_none_or(|end| end > self.len) {
            return Ok(None);
        }
        match &self.source {
            Source::Bytes(bytes) => {
                let at = usize::try_from(at).ok();
                Ok(at.and_then(|at| bytes.get(at..at + count)).map(<[u8]>::to_vec))
            }
            Source::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                let mut bytes = vec![0; count];
                file.seek(SeekFrom::Start(at))?;
                match file.read_exact(&mut bytes) {
                    Ok(()) => Ok(Some(bytes)),
                    // The file was truncated meanwhile.
                    Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// The next occurrence of a pattern at or after an offset.
    pub fn find(&self, pattern: &[u8], mut from: u64) -> std::io::Result<Option<u64>> {
        while from < self.len {
            let count = usize::try_from(self.len - from).map_or(PIECE, |left| left.min(PIECE));
            let Some(piece) = self.read(from, count)? else { return Ok(None) };
            if let Some(at) = memchr::memmem::find(&piece, pattern) {
                return Ok(Some(from + at as u64));
            }
            // A match may begin at the end of this piece.
            let overlap = (pattern.len() - 1).min(count.saturating_sub(1));
            from += (count - overlap) as u64;
            if count < PIECE {
                return Ok(None);
            }
        }
        Ok(None)
    }
}
