//! Where a console's RAM stands in a memory, and reads of it by console addresses.

use super::{ConsoleAddr, Domain, Memory, Plan, Snapshot, StorageOrder};
use crate::process::{HostAddr, ReadError};
use std::fmt;
use std::sync::Arc;

/// A console's RAM, found: the memory that holds it, where, and in which byte order.
#[derive(Clone)]
pub struct Ram {
    /// The memory that holds it.
    pub memory: Arc<dyn Memory + Send + Sync>,
    /// Which RAM it is.
    pub domain: &'static Domain,
    /// Where its first byte stands.
    pub base: HostAddr,
    /// In which order its bytes are stored.
    pub order: StorageOrder,
}

impl Ram {
    /// A copy of all of it, in one read.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn snapshot(&self) -> Result<Snapshot, ReadError> {
        Snapshot::read(self.memory.as_ref(), self.domain, self.base, self.order)
    }

    /// A copy of the parts that the plan names.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn sample(&self, plan: &Plan) -> Result<Snapshot, ReadError> {
        Snapshot::read_parts(self.memory.as_ref(), self.domain, self.base, self.order, plan)
    }

    /// A few bytes in bus order, for cells that are watched between snapshots.
    ///
    /// # Errors
    /// See [`ReadError`]; [`ReadError::NotMapped`] also when the span is outside the domain.
    pub fn read(&self, addr: ConsoleAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        let outside = ReadError::NotMapped { pid: crate::process::Pid(0), addr: self.base };
        let Some(span) = self.domain.span(addr, buf.len()) else {
            buf.fill(0);
            return Err(outside);
        };
        // Whole words of the order, so that swapping them back is possible at every address.
        let word = self.order.word();
        let start = span.start - span.start % word;
        let mut words = vec![0; span.end.next_multiple_of(word) - start];
        if let Err(error) = self.memory.read_exact(self.base.offset(start as u64), &mut words) {
            buf.fill(0);
            return Err(error);
        }
        self.order.reorder(&mut words);
        let inside = span.start - start;
        buf.copy_from_slice(&words[inside..inside + buf.len()]);
        Ok(())
    }
}

impl fmt::Debug for Ram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}, {}", self.domain.name, self.base, self.order)
    }
}
