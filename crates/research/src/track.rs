//! Changes of memory between frames: how often every cell changed, and its value before the last change.

use super::source::{Address, Source, Span};
use super::value::{CellAddress, Kind, Part, ValueType};
use nextscope_emulator::process::ReadError;

/// The most bytes tracked, more than a console's RAM. Each takes up to twelve bytes, for the count and the previous value.
const TRACKED_MOST: u64 = 16 << 20;

/// The most cells of a search that are tracked individually.
const MAX_TRACKED: u64 = 1 << 16;

/// Bytes compared at once, and within a page that differs.
const PAGE: usize = 4096;
const LINE: usize = 64;

/// Why memory cannot be tracked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TrackerError {
    /// Too much of it.
    #[error("{bytes} bytes are too many to count changes; narrow the search to {MAX_TRACKED} cells first")]
    TooMuch {
        /// How many.
        bytes: u64,
    },
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Tracks changes of memory between frames.
#[derive(Debug, Clone)]
pub struct Tracker {
    ty: ValueType,
    spans: Vec<Tracked>,
    frames: u64,
}

#[derive(Debug, Clone)]
struct Tracked {
    span: Span,
    /// The bytes at the last frame.
    now: Vec<u8>,
    counts: Vec<u32>,
    /// The bytes of each cell before its last change, or at the first frame. First those of all cells at multiples of their
    /// width (decimals: of four bytes), then those of the cells one byte further on, and so on.
    before: Vec<u8>,
    phase: usize,
    /// Whether it was ever read.
    sampled: bool,
}

impl Tracker {
    /// Tracks a whole source.
    pub fn of_source(source: &dyn Source, ty: ValueType) -> Result<Self, TrackerError> {
        Self::new(source.spans()?, ty)
    }

    /// Tracks these cells of a search, in order of their addresses; `count` is how many there are.
    pub(super) fn of_cells<A: Iterator<Item = Address>>(
        count: u64,
        cells: impl FnOnce() -> A,
        ty: ValueType,
    ) -> Result<Self, TrackerError> {
        if count > MAX_TRACKED {
            return Err(TrackerError::TooMuch { bytes: count });
        }
        let width = ty.width() as u64;
        let mut spans: Vec<Span> = Vec::new();
        for start in cells() {
            match spans.last_mut() {
                // Reading a few bytes in between is cheaper than reading twice.
                Some(last) if start.0 - last.start.0 < last.len + 64 => {
                    last.len = start.0 - last.start.0 + width;
                }
                _ => spans.push(Span { start, len: width }),
            }
        }
        Self::new(spans, ty)
    }

    fn new(spans: Vec<Span>, ty: ValueType) -> Result<Self, TrackerError> {
        let bytes: u64 = spans.iter().map(|span| span.len).sum();
        if bytes > TRACKED_MOST || bytes.saturating_mul(ty.lane() as u64) > 8 * TRACKED_MOST {
            return Err(TrackerError::TooMuch { bytes });
        }
        let tracked = |span: Span| {
            let len = usize::try_from(span.len).unwrap_or(0);
            let cells = len * ty.kind().cells_in_byte();
            let phase = len.next_multiple_of(ty.lane());
            let before = vec![0; phase * ty.lane()];
            Tracked { span, now: vec![0; len], counts: vec![0; cells], before, phase, sampled: false }
        };
        Ok(Self { ty, spans: spans.into_iter().map(tracked).collect(), frames: 0 })
    }

    /// The type of the cells.
    pub fn ty(&self) -> ValueType {
        self.ty
    }

    /// Frames sampled.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Samples the next frame. A step that compares with the last frame must come before this.
    ///
    /// # Errors
    /// When the source cannot be read at all; parts that cannot be read are unchanged.
    pub fn frame(&mut self, source: &dyn Source) -> Result<(), ReadError> {
        let mut buffer = Vec::new();
        for tracked in &mut self.spans {
            let len = tracked.now.len();
            let now = match source.slice(tracked.span.start, len) {
                Some(bytes) => bytes,
                None => {
                    buffer.resize(len, 0);
                    match source.read(tracked.span.start, &mut buffer) {
                        Ok(()) => &buffer[..],
                        Err(error) if error.concerns_all_addresses() => return Err(error),
                        Err(_) => {
                            let parts = source.readable(tracked.span);
                            if parts.is_empty() || !tracked.sampled {
                                continue;
                            }
                            buffer.copy_from_slice(&tracked.now);
                            for part in parts {
                                let start =
                                    usize::try_from(part.start.0 - tracked.span.start.0).unwrap_or(len);
                                let end =
                                    start.saturating_add(usize::try_from(part.len).unwrap_or(len)).min(len);
                                if let Some(bytes) = source.slice(part.start, end - start) {
                                    buffer[start..end].copy_from_slice(bytes);
                                }
                            }
                            &buffer[..]
                        }
                    }
                }
            };
            tracked.frame(self.ty, now);
        }
        self.frames += 1;
        Ok(())
    }

    fn find(&self, address: Address) -> Option<(&Tracked, usize)> {
        let after = self.spans.partition_point(|tracked| tracked.span.start <= address);
        let tracked = self.spans.get(after.checked_sub(1)?)?;
        let offset = usize::try_from(address.0 - tracked.span.start.0).ok()?;
        (tracked.sampled && offset < tracked.now.len()).then_some((tracked, offset))
    }

    /// The bytes at the last frame, from `address` on, as far as they are tracked.
    pub fn last_frame(&self, address: Address) -> Option<&[u8]> {
        let (tracked, offset) = self.find(address)?;
        tracked.now.get(offset..)
    }

    /// The bytes of a cell before its last change, or the current ones if it never changed; None when it is not tracked.
    pub fn before_last_change(&self, address: Address) -> Option<&[u8]> {
        let (tracked, offset) = self.find(address)?;
        let at = tracked.before_at(self.ty.lane(), offset);
        tracked.before.get(at..at + self.ty.width())
    }

    /// The same for all cells of a phase from `address` on; None unless a cell of the first phase starts there.
    pub(super) fn before_last_changes<'a>(
        &'a self,
        address: Address,
    ) -> Option<impl Fn(usize) -> &'a [u8] + use<'a>> {
        let (tracked, offset) = self.find(address)?;
        let bytes = move |phase: usize| {
            let start = phase * tracked.phase;
            tracked.before.get(start + offset..start + tracked.phase).unwrap_or_default()
        };
        offset.is_multiple_of(self.ty.lane()).then_some(bytes)
    }

    /// How often each cell from `address` on changed.
    pub(super) fn counts(&self, address: Address) -> Option<&[u32]> {
        let (tracked, offset) = self.find(address)?;
        tracked.counts.get(offset * self.ty.kind().cells_in_byte()..)
    }

    /// How often a cell changed; None when it is not tracked.
    pub fn changes(&self, place: CellAddress) -> Option<u32> {
        let (tracked, offset) = self.find(place.address)?;
        let cell = self.ty.kind().cells_in_byte() * offset + usize::from(place.part == Part::Upper);
        tracked.counts.get(cell).copied()
    }
}

impl Tracked {
    /// The index in `before` of the cell at `offset`.
    fn before_at(&self, lane: usize, offset: usize) -> usize {
        offset % lane * self.phase + offset / lane * lane
    }

    fn frame(&mut self, ty: ValueType, now: &[u8]) {
        let width = ty.width();
        let (lane, phase) = (ty.lane(), self.phase);
        let offset_before = |cell: usize| cell % lane * phase + cell / lane * lane;
        let cells = (self.now.len() + 1).saturating_sub(width);
        if !self.sampled {
            self.sampled = true;
            self.now.copy_from_slice(now);
            for (cell, now) in now.windows(width).enumerate() {
                let at = offset_before(cell);
                self.before[at..at + width].copy_from_slice(now);
            }
            return;
        }
        let mut done = 0; // cells compared
        let mut changed = Vec::new();
        // Pages first: most do not change.
        let pages = self.now.chunks(PAGE).zip(now.chunks(PAGE)).enumerate();
        let lines = pages.filter(|(_, (old, new))| old != new).flat_map(|(page, (old, new))| {
            let lines = old.chunks(LINE).zip(new.chunks(LINE)).enumerate();
            let differ = lines.filter(|(_, (old, new))| old != new);
            differ
                .map(move |(line, (old, _))| page * PAGE + line * LINE..page * PAGE + line * LINE + old.len())
        });
        changed.extend(lines);
        for line in &changed {
            for byte in line.clone().filter(|byte| self.now[*byte] != now[*byte]) {
                // Cells that include this byte and were not compared yet.
                let first = (byte + 1).saturating_sub(width).max(done);
                done = byte + 1;
                for cell in first..done.min(cells) {
                    let (old, new) = (&self.now[cell..cell + width], &now[cell..cell + width]);
                    if ty.kind() == Kind::Nibble {
                        self.counts[2 * cell] += u32::from((old[0] ^ new[0]) & 0x0F != 0);
                        self.counts[2 * cell + 1] += u32::from((old[0] ^ new[0]) & 0xF0 != 0);
                        let before = &mut self.before[cell];
                        let changed = if (old[0] ^ new[0]) & 0x0F != 0 { 0x0F } else { 0 }
                            | if (old[0] ^ new[0]) & 0xF0 != 0 { 0xF0 } else { 0 };
                        *before = *before & !changed | old[0] & changed;
                        continue;
                    }
                    if ty.kind() == Kind::BitCount && old[0].count_ones() == new[0].count_ones() {
                        continue;
                    }
                    self.counts[cell] += 1;
                    let at = offset_before(cell);
                    self.before[at..at + width].copy_from_slice(old);
                }
            }
        }
        for line in changed {
            self.now[line.clone()].copy_from_slice(&now[line]);
        }
    }
}
