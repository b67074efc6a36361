//! Reads the parts of a process's memory that may contain RAM, piece by piece, within a budget.

use crate::process::{HostAddr, Memory, Process, ReadError, Region};
use std::time::{Duration, Instant};

/// A memory that knows which of its pages were touched: a live process, a file, or a test's fake process.
pub(super) trait AddressSpace: Memory + Send + Sync {
    /// See [`Process::touched_ranges`].
    fn touched_ranges(&self, region: &Region) -> Vec<(HostAddr, u64)>;
}

impl AddressSpace for Process {
    fn touched_ranges(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        Process::touched_ranges(self, region)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub bytes: u64,
    pub time: Duration,
}

impl Budget {
    /// For a program known as an emulator by its name.
    pub const KNOWN: Self = Self { bytes: 4 << 30, time: Duration::from_secs(2) };
    /// For any other program: an emulator of unknown name rarely uses more.
    pub const UNKNOWN: Self = Self { bytes: 768 << 20, time: Duration::from_millis(250) };

    /// For the next search of a program whose memory this one did not suffice for: a slow computer needs longer, and nobody waits for it.
    pub fn longer(self) -> Self {
        Self { time: (self.time * 2).min(Self::KNOWN.time), ..self }
    }
}

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct ScanTotals {
    pub bytes: u64,
    /// Bytes skipped because the budget was exhausted.
    pub skipped: u64,
    /// Whether that was the time.
    pub timed_out: bool,
}

/// Bytes read at once (measured: 256 KiB to 4 MiB are fastest). A piece of this size stays in the processor's cache while it is searched.
const PIECE: usize = 512 * 1024;

/// The part of a region whose touched pages are queried at once, which takes a few milliseconds: some programs reserve terabytes that
/// they never touch, and the budget must apply to that too.
const WINDOW: u64 = 1 << 30;
const PAGE: u64 = 4096;

/// Passes all touched bytes of `regions` to `visit`, as pieces with their addresses; adjacent pieces overlap by `overlap` bytes. Memory
/// that is unmapped during the scan is skipped.
///
/// # Errors
/// If the process ended or may not be read.
pub(super) fn scan(
    space: &dyn AddressSpace,
    regions: &[&Region],
    overlap: usize,
    budget: Budget,
    mut visit: impl FnMut(&[u8], HostAddr),
) -> Result<ScanTotals, ReadError> {
    let deadline = Instant::now() + budget.time;
    let mut scanned = ScanTotals::default();
    let mut piece = vec![0; PIECE + overlap];
    for window in regions.iter().flat_map(|region| windows(region)) {
        if Instant::now() >= deadline {
            scanned.skipped += window.len;
            scanned.timed_out = true;
            continue;
        }
        for (start, len) in space.touched_ranges(&window) {
            let mut done = 0;
            while done < len {
                let timed_out = Instant::now() >= deadline;
                if timed_out || scanned.bytes >= budget.bytes {
                    scanned.skipped += len - done;
                    scanned.timed_out |= timed_out;
                    break;
                }
                let back = (overlap as u64).min(done);
                let count = (PIECE as u64).min(len - done) + back;
                let buf = &mut piece[..usize::try_from(count).unwrap_or(PIECE)];
                let at = start.offset(done - back);
                match space.read_exact(at, buf) {
                    Ok(()) => visit(buf, at),
                    Err(error) if error.concerns_all_addresses() => return Err(error),
                    // The region shrank or vanished, or a page cannot be read: read the rest page by page.
                    Err(_) => visit_pages(space, buf, at, &mut visit)?,
                }
                scanned.bytes += count - back;
                done += count - back;
            }
        }
    }
    Ok(scanned)
}

/// Splits a region into windows that overlap by a page, because a match may cross their boundary.
fn windows(region: &Region) -> impl Iterator<Item = Region> {
    let starts = std::iter::successors(Some(0_u64), |start| Some(start + WINDOW - PAGE));
    let starts = starts.take_while(|start| *start == 0 || start + PAGE < region.len);
    starts.map(|start| Region {
        start: region.start.offset(start),
        len: WINDOW.min(region.len - start),
        ..region.clone()
    })
}

/// Reads page by page and visits each run of readable pages.
fn visit_pages(
    space: &dyn AddressSpace,
    buf: &mut [u8],
    at: HostAddr,
    visit: &mut impl FnMut(&[u8], HostAddr),
) -> Result<(), ReadError> {
    let mut run = 0..0;
    let mut from = 0;
    while from < buf.len() {
        let absolute = at.offset(from as u64);
        let to_boundary = usize::try_from(PAGE - absolute.0 % PAGE).unwrap_or(1);
        let to = (from + to_boundary).min(buf.len());
        match space.read_exact(absolute, &mut buf[from..to]) {
            Ok(()) => run.end = to,
            Err(error) if error.concerns_all_addresses() => return Err(error),
            Err(_) => {
                if !run.is_empty() {
                    visit(&buf[run.clone()], at.offset(run.start as u64));
                }
                run = to..to;
            }
        }
        from = to;
    }
    if !run.is_empty() {
        visit(&buf[run.clone()], at.offset(run.start as u64));
    }
    Ok(())
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
