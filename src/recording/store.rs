//! The bytes of a recording: a file, of which only parts are held, or bytes in memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// How much is looked through at once for the beginning of a block.
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
    /// What a file holds now; what is added later is not seen.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(std::io::Error::other("it is not a regular file")); // a pipe would wait for ever
        }
        Ok(Self { source: Source::File(Mutex::new(file)), len: facts.len() })
    }

    pub fn of(bytes: Vec<u8>) -> Self {
        Self { len: bytes.len() as u64, source: Source::Bytes(bytes) }
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// Exactly so many bytes from an offset on; None when there are not so many.
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
                    // It was made shorter meanwhile.
                    Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// Where this stands next, from an offset on.
    pub fn find(&self, wanted: &[u8], mut from: u64) -> std::io::Result<Option<u64>> {
        while from < self.len {
            let count = usize::try_from(self.len - from).map_or(PIECE, |left| left.min(PIECE));
            let Some(piece) = self.read(from, count)? else { return Ok(None) };
            if let Some(at) = memchr::memmem::find(&piece, wanted) {
                return Ok(Some(from + at as u64));
            }
            // It may begin at the end of this piece.
            let over = (wanted.len() - 1).min(count.saturating_sub(1));
            from += (count - over) as u64;
            if count < PIECE {
                return Ok(None);
            }
        }
        Ok(None)
    }
}
