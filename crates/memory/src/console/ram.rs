//! A console's RAM in a memory, read by console addresses.

use super::{ConsoleAddr, Domain, ReadPlan, Snapshot, StorageOrder};
use crate::{HostAddr, Memory, Pid, ReadError};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A console's RAM that was located: the memory it is in, its address and its byte order.
#[derive(Clone)]
pub struct Ram {
    /// The memory it is in.
    pub memory: Arc<dyn Memory + Send + Sync>,
    /// Which RAM it is.
    pub domain: &'static Domain,
    /// The address of its first byte.
    pub base: HostAddr,
    /// The order in which its bytes are stored.
    pub order: StorageOrder,
}

impl Ram {
    /// Reads all of it in one call.
    pub fn snapshot(&self) -> Result<Snapshot, ReadError> {
        Snapshot::read(self.memory.as_ref(), self.domain, self.base, self.order)
    }

    /// Reads the parts that the plan names.
    pub fn sample(&self, plan: &ReadPlan) -> Result<Snapshot, ReadError> {
        Snapshot::read_parts(self.memory.as_ref(), self.domain, self.base, self.order, plan)
    }

    /// Reads the parts that the plan names, and a cell right before and right after them, all in one call: the cell shows whether the parts
    /// are of one moment. None if the memory has no such call, if it failed, or if the plan has pointers; single reads say why.
    pub fn sample_between(
        &self,
        plan: &ReadPlan,
        addr: ConsoleAddr,
        before: &mut [u8],
        after: &mut [u8],
    ) -> Option<Snapshot> {
        let span = self.domain.span(addr, before.len())?;
        let words = self.words(&span);
        let mut cells = [vec![0; words.len()], vec![0; words.len()]];
        let at = self.base.offset(words.start as u64);
        let cells_at = cells.each_mut().map(|cell| (at, &mut cell[..]));
        let snapshot =
            Snapshot::read_between(self.memory.as_ref(), self.domain, self.base, self.order, plan, cells_at)?;
        for (cell, buf) in cells.iter_mut().zip([before, after]) {
            self.order.reorder(cell);
            buf.copy_from_slice(cell.get(span.start - words.start..)?.get(..buf.len())?);
        }
        Some(snapshot)
    }

    /// Complete words of the storage order, so that they can be swapped back at any address.
    fn words(&self, span: &Range<usize>) -> Range<usize> {
        let word = self.order.word();
        span.start - span.start % word..span.end.next_multiple_of(word)
    }

    /// Reads a few bytes in bus order, for cells that are polled between snapshots.
    ///
    /// # Errors
    /// See [`ReadError`]; [`ReadError::NotMapped`] also if the span is outside the domain.
    pub fn read(&self, addr: ConsoleAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        let outside = ReadError::NotMapped { pid: Pid(0), addr: self.base };
        let Some(span) = self.domain.span(addr, buf.len()) else {
            buf.fill(0);
            return Err(outside);
        };
        let whole = self.words(&span);
        let mut words = vec![0; whole.len()];
        if let Err(error) = self.memory.read_exact(self.base.offset(whole.start as u64), &mut words) {
            buf.fill(0);
            return Err(error);
        }
        self.order.reorder(&mut words);
        let inside = span.start - whole.start;
        buf.copy_from_slice(&words[inside..inside + buf.len()]);
        Ok(())
    }
}

impl fmt::Debug for Ram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}, {}", self.domain.name, self.base, self.order)
    }
}
