//! A console's address spaces: bus addresses, byte order, the RAM snapshot, the memory trait.
//!
//! Callers speak console addresses; where a byte stands in an emulator's memory, and in which order,
//! is settled in this room and shows nowhere else.

mod domain;
mod memory;
mod order;
mod ram;
mod snapshot;

pub use domain::{ConsoleAddr, ConsoleId, Domain, Endian};
pub use memory::{ByteArray, Memory};
pub use order::StorageOrder;
pub use ram::Ram;
pub use snapshot::{OutsideDomain, Snapshot};
