//! The parts of a domain that a sample reads.

use super::{ConsoleAddr, Domain};
use std::ops::Range;

/// Parts closer together than this are read as one: another read costs about as much as these bytes
/// (reference: performance.md, section 4).
const GAP: usize = 1024;

/// The parts of a domain to read: fixed parts, and blocks that pointers in RAM lead to at that moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadPlan {
    /// Offsets in the domain, ascending and not adjacent.
    fixed: Vec<Range<usize>>,
    pointed: Vec<PointedBlock>,
}

/// A block at the address that a pointer in RAM holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointedBlock {
    /// The pointer, which is itself one of the fixed parts.
    pub cell: ConsoleAddr,
    /// The block relative to the address in the pointer.
    pub block: Range<u32>,
}

impl ReadPlan {
    /// All of a domain.
    pub fn full(domain: &Domain) -> Self {
        Self { fixed: std::iter::once(0..domain.len as usize).collect(), pointed: Vec::new() }
    }

    /// These parts. The pointers themselves are read as well.
    pub fn of(
        domain: &Domain,
        parts: impl IntoIterator<Item = Range<usize>>,
        pointed: Vec<PointedBlock>,
    ) -> Self {
        let cells = pointed.iter().filter_map(|pointed| domain.span(pointed.cell, 4));
        let fixed = merged(domain, parts.into_iter().chain(cells).collect());
        Self { fixed, pointed }
    }

    /// This plan plus some bytes.
    pub fn with(&self, domain: &Domain, more: Range<usize>) -> Self {
        let fixed = merged(domain, self.fixed.iter().cloned().chain([more]).collect());
        Self { fixed, pointed: self.pointed.clone() }
    }

    /// Whether the plan reads all of the domain.
    pub fn is_full(&self, domain: &Domain) -> bool {
        self.fixed.first() == Some(&(0..domain.len as usize))
    }

    pub(super) fn has_pointers(&self) -> bool {
        !self.pointed.is_empty()
    }

    pub(super) fn fixed(&self) -> &[Range<usize>] {
        &self.fixed
    }

    /// The blocks that pointers lead to, given the pointers' values. Blocks outside the domain are left out, and those that run past its
    /// end are cut.
    pub(super) fn pointed_blocks(
        &self,
        domain: &Domain,
        value: impl Fn(ConsoleAddr) -> Option<u32>,
    ) -> Vec<Range<usize>> {
        let block = |pointed: &PointedBlock| {
            let base = domain.offset_of(ConsoleAddr(value(pointed.cell)?))?;
            Some(base + pointed.block.start as usize..base + pointed.block.end as usize)
        };
        merged(domain, self.pointed.iter().filter_map(block).collect())
    }
}

/// Sorts and merges parts: ascending, not adjacent, aligned to 32-bit words, inside the domain.
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
