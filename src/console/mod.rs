//! A console's address spaces: bus addresses, byte order, the RAM snapshot, the memory trait.
//!
//! Callers speak console addresses; where a byte stands in an emulator's memory, and in which order,
//! is settled in this room and shows nowhere else.

mod domain;
mod memory;
pub(crate) mod nds_header;
mod order;
mod plan;
mod ram;
mod snapshot;

pub use crate::process::ReadError;
pub use domain::{ConsoleAddr, ConsoleId, Domain, Endian};
pub use memory::{ByteArray, Memory};
pub use order::StorageOrder;
pub use plan::{Plan, Pointed};
pub use ram::Ram;
pub use snapshot::{OutsideDomain, Snapshot};
