//! Which parts of a domain a sample reads.

use super::{ConsoleAddr, Domain};
use std::ops::Range;

/// Parts that lie closer together than this are read as one: a further read costs about as much as these bytes
/// (reference: performance.md, section 4).
const GAP: usize = 1024;

/// The parts of a domain that are read: some of them stand where a pointer in RAM leads at the moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Offsets in the domain; ascending and apart.
    fixed: Vec<Range<usize>>,
    /// Parts behind pointers.
    pointed: Vec<Pointed>,
}

/// Bytes behind the address that a cell holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointed {
    /// The pointer, which is itself among the fixed parts.
    pub cell: ConsoleAddr,
    /// First and one past the last byte, counted from the address in the pointer.
    pub block: Range<u32>,
}

impl Plan {
    /// All of a domain.
    #[must_use]
    pub fn whole(domain: &Domain) -> Self {
        Self { fixed: std::iter::once(0..domain.len as usize).collect(), pointed: Vec::new() }
    }

    /// These parts. The cells of the pointers are read as well.
    #[must_use]
    pub fn of(domain: &Domain, parts: impl IntoIterator<Item = Range<usize>>, pointed: Vec<Pointed>) -> Self {
        let cells = pointed.iter().filter_map(|pointed| domain.span(pointed.cell, 4));
        let fixed = merged(domain, parts.into_iter().chain(cells).collect());
        Self { fixed, pointed }
    }

    /// The same and some bytes more.
    #[must_use]
    pub fn with(&self, domain: &Domain, more: Range<usize>) -> Self {
        let fixed = merged(domain, self.fixed.iter().cloned().chain([more]).collect());
        Self { fixed, pointed: self.pointed.clone() }
    }

    /// Whether it is all of the domain.
    #[must_use]
    pub fn is_whole(&self, domain: &Domain) -> bool {
        self.fixed.first() == Some(&(0..domain.len as usize))
    }

    pub(super) fn fixed(&self) -> &[Range<usize>] {
        &self.fixed
    }

    /// The parts that pointers lead to, given what the cells hold; those that lead out of the domain are left out, and
    /// what runs past its end is cut.
    pub(super) fn followed(
        &self,
        domain: &Domain,
        value: impl Fn(ConsoleAddr) -> Option<u32>,
    ) -> Vec<Range<usize>> {
        let block = |pointed: &Pointed| {
            let base = domain.offset_of(ConsoleAddr(value(pointed.cell)?))?;
            Some(base + pointed.block.start as usize..base + pointed.block.end as usize)
        };
        merged(domain, self.pointed.iter().filter_map(block).collect())
    }
}

/// Ascending, apart from each other, on whole 32-bit words, inside the domain.
pub(super) fn merged(domain: &Domain, mut parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let end = domain.len as usize;
    parts.retain(|part| part.start < part.end && part.start < end);
    parts.sort_by_key(|part| part.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for part in parts {
        let part = part.start & !3..part.end.next_multiple_of(4).min(end);
        match merged.last_mut() {
            Some(last) if part.start <= last.end.saturating_add(GAP) => last.end = last.end.max(part.end),
            _ => merged.push(part),
        }
    }
    merged
}
