//! Reading the parts of a process's memory in which RAM may stand, piece by piece, within a budget.

use crate::console::Memory;
use crate::process::{HostAddr, Process, ReadError, Region};
use std::time::{Duration, Instant};

/// A memory that also knows which of its pages hold anything. A live process, or a test's invention.
pub(super) trait Space: Memory + Send + Sync {
    /// See [`Process::touched`].
    fn touched(&self, region: &Region) -> Vec<(HostAddr, u64)>;
}

impl Space for Process {
    fn touched(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        Process::touched(self, region)
    }
}

/// How much may be read and how long it may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub bytes: u64,
    pub time: Duration,
}

impl Budget {
    /// For a program that is an emulator by its name: it is worth the wait.
    pub const KNOWN: Self = Self { bytes: 4 << 30, time: Duration::from_secs(2) };
    /// For any other program: an emulator of unknown name has rarely more than this in use.
    pub const UNKNOWN: Self = Self { bytes: 768 << 20, time: Duration::from_millis(250) };
}

/// How a scan ended.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Scanned {
    /// Bytes read.
    pub bytes: u64,
    /// Bytes left out because the budget was spent.
    pub left_out: u64,
}

/// Bytes read at once. Larger pieces are no quicker, smaller ones are (measured: 256 KiB to 4 MiB are best), and
/// this one stays in the processor's cache while it is searched.
const PIECE: usize = 512 * 1024;

/// Which pages of a region hold anything is asked for so much of it at once, a few milliseconds' work: some programs reserve
/// terabytes that they never touch, and the budget must be able to end that too.
const WINDOW: u64 = 1 << 30;
const PAGE: u64 = 4096;

/// Gives all touched bytes of `regions` to `look`, as pieces with their addresses; each piece repeats the last
/// `overlap` bytes of the one before where they touch. What vanishes in the meantime is skipped.
///
/// # Errors
/// When the process ended or refuses to be read.
pub(super) fn scan(
    space: &dyn Space,
    regions: &[&Region],
    overlap: usize,
    budget: Budget,
    mut look: impl FnMut(&[u8], HostAddr),
) -> Result<Scanned, ReadError> {
    let deadline = Instant::now() + budget.time;
    let mut scanned = Scanned::default();
    let mut piece = vec![0; PIECE + overlap];
    for window in regions.iter().flat_map(|region| windows(region)) {
        if Instant::now() >= deadline {
            scanned.left_out += window.len;
            continue;
        }
        for (start, len) in space.touched(&window) {
            let mut done = 0;
            while done < len {
                if scanned.bytes >= budget.bytes || Instant::now() >= deadline {
                    scanned.left_out += len - done;
                    break;
                }
                let back = (overlap as u64).min(done);
                let want = (PIECE as u64).min(len - done) + back;
                let buf = &mut piece[..usize::try_from(want).unwrap_or(PIECE)];
                let at = start.offset(done - back);
                match space.read_exact(at, buf) {
                    Ok(()) => look(buf, at),
                    Err(error @ (ReadError::Gone { .. } | ReadError::Refused(_))) => return Err(error),
                    // The region shrank or vanished, or a page of it cannot be read: what is left of it in pages.
                    Err(_) => by_pages(space, buf, at, &mut look)?,
                }
                scanned.bytes += want - back;
                done += want - back;
            }
        }
    }
    Ok(scanned)
}

/// A region in parts that repeat the last page of the one before: what is looked for may stand across their edge.
fn windows(region: &Region) -> impl Iterator<Item = Region> {
    let starts = std::iter::successors(Some(0_u64), |start| Some(start + WINDOW - PAGE));
    let starts = starts.take_while(|start| *start == 0 || start + PAGE < region.len);
    starts.map(|start| Region {
        start: region.start.offset(start),
        len: WINDOW.min(region.len - start),
        ..region.clone()
    })
}

/// Reads page by page and looks at each run of readable ones.
fn by_pages(
    space: &dyn Space,
    buf: &mut [u8],
    at: HostAddr,
    look: &mut impl FnMut(&[u8], HostAddr),
) -> Result<(), ReadError> {
    let mut run = 0..0;
    let mut from = 0;
    while from < buf.len() {
        let absolute = at.offset(from as u64);
        let to_boundary = usize::try_from(PAGE - absolute.0 % PAGE).unwrap_or(1);
        let to = (from + to_boundary).min(buf.len());
        match space.read_exact(absolute, &mut buf[from..to]) {
            Ok(()) => run.end = to,
            Err(error @ (ReadError::Gone { .. } | ReadError::Refused(_))) => return Err(error),
            Err(_) => {
                if !run.is_empty() {
                    look(&buf[run.clone()], at.offset(run.start as u64));
                }
                run = to..to;
            }
        }
        from = to;
    }
    if !run.is_empty() {
        look(&buf[run.clone()], at.offset(run.start as u64));
    }
    Ok(())
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
