//! Memory looked at in pieces that overlap, on all cores: what searches by structure share.

use super::block::Progress;
use super::source::{Address, Source, Span};
use nextscope_emulator::process::ReadError;
use rayon::prelude::*;
use std::cell::RefCell;

/// Bytes in which things may begin that are looked at together: they stay in the processor's cache.
const PIECE: u64 = 256 * 1024;

/// A piece of memory.
pub(super) struct Window<'a> {
    /// Its bytes, and those around it that things that begin in it may reach into.
    pub bytes: &'a [u8],
    start: Address,
    first: usize,
    len: usize,
}

impl Window<'_> {
    /// Where things may begin: offsets in `bytes`.
    pub fn starts(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }

    /// The address of the byte at this offset in `bytes`.
    pub fn address(&self, offset: usize) -> Address {
        self.start.offset(offset as u64)
    }
}

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Gives every piece of a source to `look`, with up to `before` bytes before it and `after` bytes after it. What was found
/// comes in the order of addresses; None when it was cancelled. A piece that cannot be read in one go is left out.
pub(super) fn search<T: Send>(
    source: &dyn Source,
    before: usize,
    after: usize,
    progress: &Progress,
    look: impl Fn(&Window<'_>) -> Vec<T> + Sync,
) -> Result<Option<Vec<T>>, ReadError> {
    let spans = source.spans()?;
    progress.begin(spans.iter().map(|span| span.len).sum());
    let pieces: Vec<(Span, u64)> =
        spans.iter().flat_map(|span| (0..span.len.div_ceil(PIECE)).map(|nth| (*span, nth * PIECE))).collect();
    let look_at = |(span, from): &(Span, u64)| {
        if progress.is_cancelled() {
            return Ok(None);
        }
        let len = PIECE.min(span.len - from);
        let back = (before as u64).min(*from);
        let end = (from + len + after as u64).min(span.len);
        let start = span.start.offset(from - back);
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(0);
        let wanted = size(end - (from - back));
        let found = ROOM.with(|room| {
            // A look that searches by itself finds the room taken.
            let mut own = Vec::new();
            let mut shared = room.try_borrow_mut();
            let room = shared.as_deref_mut().unwrap_or(&mut own);
            let bytes = match source.held(start, wanted) {
                Some(bytes) => bytes,
                None => {
                    room.resize(room.len().max(wanted), 0);
                    match source.read(start, &mut room[..wanted]) {
                        Ok(()) => &room[..wanted],
                        Err(error @ (ReadError::Gone { .. } | ReadError::Refused(_))) => return Err(error),
                        Err(_) => return Ok(Vec::new()),
                    }
                }
            };
            Ok(look(&Window { bytes, start, first: size(back), len: size(len) }))
        });
        progress.add(len);
        found.map(Some)
    };
    let found: Vec<Option<Vec<T>>> = pieces.par_iter().map(look_at).collect::<Result<_, _>>()?;
    let whole: Option<Vec<Vec<T>>> = found.into_iter().collect();
    Ok(whole.map(|found| found.into_iter().flatten().collect()))
}
