//! What a search reads: spans of bytes at addresses.

use nextscope_emulator::process::{ByteArray, HostAddr, Memory, Process, ReadError, Region};
use nextscope_memory::console::Snapshot;
use std::fmt;
use std::sync::Arc;

/// An address in a source: on a console's bus or in a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Address(pub u64);

impl Address {
    /// The address `bytes` further on, wrapping.
    #[must_use]
    pub fn offset(self, bytes: u64) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    /// Parses hexadecimal digits with an optional 0x or $.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix('$')).unwrap_or(text);
        u64::from_str_radix(digits, 16).ok().map(Self)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:X}", self.0)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A range of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The address of the first byte.
    pub start: Address,
    /// The length in bytes.
    pub len: u64,
}

impl Span {
    /// The address after the last byte.
    pub fn end(self) -> Address {
        self.start.offset(self.len)
    }
}

/// Why memory cannot be opened or read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SourceError {
    /// The process, the emulator or its memory cannot be reached.
    #[error("{0}")]
    Unreachable(String),
    /// No frame came.
    #[error("no new frame: is the game paused? `wait 1s` waits for time instead of frames")]
    NoFrames,
    /// The request is invalid.
    #[error("{0}")]
    Invalid(String),
}

impl From<ReadError> for SourceError {
    fn from(error: ReadError) -> Self {
        Self::Unreachable(error.to_string())
    }
}

/// Memory that can be searched.
pub trait Source: Send + Sync {
    /// The spans to search, ascending and disjoint.
    fn spans(&self) -> Result<Vec<Span>, ReadError>;

    /// Fills `buf` from `address` on.
    ///
    /// # Errors
    /// See [`ReadError`]; one that [concerns all addresses](ReadError::concerns_all_addresses) ends a search, others only skip bytes.
    fn read(&self, address: Address, buf: &mut [u8]) -> Result<(), ReadError>;

    /// The readable parts of a span that cannot be read in full, ascending and disjoint; empty when unknown.
    fn readable(&self, _span: Span) -> Vec<Span> {
        Vec::new()
    }

    /// The addresses that pointers may contain, when these are more than the spans.
    fn pointer_range(&self) -> Option<Span> {
        None
    }

    /// The bytes without a copy, if they are in this process.
    fn slice(&self, _address: Address, _len: usize) -> Option<&[u8]> {
        None
    }
}

/// A console's RAM at one moment, by bus addresses and in bus order.
impl Source for Snapshot {
    fn spans(&self) -> Result<Vec<Span>, ReadError> {
        let base = u64::from(self.domain().base.0);
        Ok(self
            .parts()
            .map(|(offset, bytes)| Span { start: Address(base + offset as u64), len: bytes.len() as u64 })
            .collect())
    }

    fn read(&self, address: Address, buf: &mut [u8]) -> Result<(), ReadError> {
        match self.slice(address, buf.len()) {
            Some(bytes) => {
                buf.copy_from_slice(bytes);
                Ok(())
            }
            None => {
                buf.fill(0);
                Err(ReadError::NotRecorded { addr: HostAddr(address.0) })
            }
        }
    }

    /// The domain, recorded or not: a recorded part may belong to a structure that starts before it.
    fn pointer_range(&self) -> Option<Span> {
        let domain = self.domain();
        Some(Span { start: Address(domain.base.0.into()), len: domain.len.into() })
    }

    fn readable(&self, span: Span) -> Vec<Span> {
        let base = u64::from(self.domain().base.0);
        let common = |(offset, bytes): (usize, &[u8])| {
            let start = (base + offset as u64).max(span.start.0);
            let end = (base + (offset + bytes.len()) as u64).min(span.end().0);
            (start < end).then(|| Span { start: Address(start), len: end - start })
        };
        self.parts().filter_map(common).collect()
    }

    fn slice(&self, address: Address, len: usize) -> Option<&[u8]> {
        let offset = address.0.checked_sub(self.domain().base.0.into())?;
        let offset = usize::try_from(offset).ok()?;
        self.at(offset..offset.checked_add(len)?)
    }
}

/// A dump at its own addresses.
impl Source for ByteArray {
    fn spans(&self) -> Result<Vec<Span>, ReadError> {
        Ok(vec![Span { start: Address(self.base.0), len: self.bytes.len() as u64 }])
    }

    fn read(&self, address: Address, buf: &mut [u8]) -> Result<(), ReadError> {
        self.read_exact(HostAddr(address.0), buf)
    }

    fn slice(&self, address: Address, len: usize) -> Option<&[u8]> {
        let offset = usize::try_from(address.0.checked_sub(self.base.0)?).ok()?;
        self.bytes.get(offset..offset.checked_add(len)?)
    }
}

/// A process or some of its regions, without untouched pages.
#[derive(Debug, Clone)]
pub struct ProcessSource {
    process: Arc<Process>,
    regions: Regions,
}

#[derive(Debug, Clone)]
enum Regions {
    Data,
    Chosen(Vec<Region>),
}

impl ProcessSource {
    /// All writable memory of a process, without devices and libraries of Windows.
    pub fn all_memory(process: Arc<Process>) -> Self {
        Self { process, regions: Regions::Data }
    }

    /// Only these regions.
    pub fn regions(process: Arc<Process>, regions: Vec<Region>) -> Self {
        Self { process, regions: Regions::Chosen(regions) }
    }
}

impl Source for ProcessSource {
    fn spans(&self) -> Result<Vec<Span>, ReadError> {
        let regions = match &self.regions {
            Regions::Data => self.process.regions()?.into_iter().filter(Region::may_hold_data).collect(),
            Regions::Chosen(regions) => regions.clone(),
        };
        let mut spans: Vec<Span> = regions
            .iter()
            .flat_map(|region| self.process.touched_ranges(region))
            .map(|(start, len)| Span { start: Address(start.0), len })
            .collect();
        spans.sort_unstable_by_key(|span| span.start);
        Ok(spans)
    }

    fn read(&self, address: Address, buf: &mut [u8]) -> Result<(), ReadError> {
        self.process.read_exact(HostAddr(address.0), buf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_memory::console::{ConsoleAddr, ConsoleId, StorageOrder};

    #[test]
    fn a_domain_is_read_by_its_bus_addresses_and_in_the_order_of_the_bus() {
        let mut stored = vec![0; 0x1_0000];
        stored[0xA134 ^ 1] = 7;
        let domain = ConsoleId::Genesis.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::SwappedWords, stored).expect("all of it");
        let span = Span { start: Address(0xFF_0000), len: 0x1_0000 };
        assert_eq!(Source::spans(&snapshot).expect("at hand"), [span]);
        let mut byte = [0];
        Source::read(&snapshot, Address(0xFF_A134), &mut byte).expect("inside");
        assert_eq!(byte[0], snapshot.u8(ConsoleAddr(0xFF_A134)).expect("inside"));
        assert_eq!(Source::slice(&snapshot, Address(0xFF_A134), 2), Some(&[7, 0][..]));
        assert_eq!(Source::slice(&snapshot, Address(0xFF_FFFF), 2), None);
        assert!(Source::read(&snapshot, Address(0xFE_FFFF), &mut byte).is_err());
    }

    #[test]
    fn of_parts_of_a_domain_only_those_are_there() {
        let domain = ConsoleId::Nds.domain();
        let parts: [(usize, Box<[u8]>); 2] = [(0x100, Box::new([1, 2, 3, 4])), (0x200, Box::new([5, 6]))];
        let snapshot = Snapshot::from_parts(domain, parts).expect("they do not overlap");
        let at = |offset: u64| Address(u64::from(domain.base.0) + offset);
        let spans = [Span { start: at(0x100), len: 4 }, Span { start: at(0x200), len: 2 }];
        assert_eq!(Source::spans(&snapshot).expect("at hand"), spans);
        let some = snapshot.readable(Span { start: at(0x102), len: 0xFF });
        assert_eq!(some, [Span { start: at(0x102), len: 2 }, Span { start: at(0x200), len: 1 }]);
        let mut bytes = [9; 2];
        let missing =
            Source::read(&snapshot, at(0x103), &mut bytes).expect_err("the second byte is not there");
        assert!(missing.to_string().contains("not recorded"), "{missing}");
    }
}
