//! Searching memory in overlapping windows on all cores, for searches by structure.

use super::source::{Address, Source, Span};
use nextscope_emulator::process::ReadError;
use nextscope_task::Progress;
use rayon::prelude::*;
use std::cell::RefCell;

/// Start offsets per window: they stay in the processor's cache.
const PIECE: u64 = 256 * 1024;

pub(super) struct Window<'a> {
    /// The bytes in which a match may start, and those around them that it may extend to.
    pub bytes: &'a [u8],
    start: Address,
    first: usize,
    len: usize,
}

impl Window<'_> {
    /// The offsets in `bytes` at which a match may start.
    pub fn starts(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }

    pub fn address(&self, offset: usize) -> Address {
        self.start.offset(offset as u64)
    }
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls `scan` for every window of a source, with up to `before` bytes before it and `after` bytes after it. Results are in the
/// order of addresses; None when cancelled. A window that cannot be read in full is skipped.
pub(super) fn search<T: Send>(
    source: &dyn Source,
    before: usize,
    after: usize,
    progress: &Progress,
    scan: impl Fn(&Window<'_>) -> Vec<T> + Sync,
) -> Result<Option<Vec<T>>, ReadError> {
    let spans = source.spans()?;
    progress.begin(spans.iter().map(|span| span.len).sum());
    let pieces: Vec<(Span, u64)> =
        spans.iter().flat_map(|span| (0..span.len.div_ceil(PIECE)).map(|nth| (*span, nth * PIECE))).collect();
    let scan_window = |(span, from): &(Span, u64)| {
        if progress.is_cancelled() {
            return Ok(None);
        }
        let len = PIECE.min(span.len - from);
        let back = (before as u64).min(*from);
        let end = (from + len + after as u64).min(span.len);
        let start = span.start.offset(from - back);
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(0);
        let needed = size(end - (from - back));
        let found = BUFFER.with(|room| {
            // The buffer is in use when `scan` itself searches.
            let mut own = Vec::new();
            let mut shared = room.try_borrow_mut();
            let room = shared.as_deref_mut().unwrap_or(&mut own);
            let bytes = match source.slice(start, needed) {
                Some(bytes) => bytes,
                None => {
                    room.resize(room.len().max(needed), 0);
                    match source.read(start, &mut room[..needed]) {
                        Ok(()) => &room[..needed],
                        Err(error) if error.concerns_all_addresses() => return Err(error),
                        Err(_) => return Ok(Vec::new()),
                    }
                }
            };
            Ok(scan(&Window { bytes, start, first: size(back), len: size(len) }))
        });
        progress.add(len);
        found.map(Some)
    };
    let found: Vec<Option<Vec<T>>> = pieces.par_iter().map(scan_window).collect::<Result<_, _>>()?;
    let complete: Option<Vec<Vec<T>>> = found.into_iter().collect();
    Ok(complete.map(|found| found.into_iter().flatten().collect()))
}
