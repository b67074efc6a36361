//! A console's address spaces: bus addresses, byte order, the RAM snapshot.
//!
//! Callers use console addresses. Where a byte is in an emulator's memory, and in which order, is settled here and visible nowhere else.

mod detection;
mod domain;
pub mod nds_header;
mod ram;
mod read_plan;
mod snapshot;
mod storage_order;

pub use detection::{DetectionEvidence, DetectionMethod, EmulatorInfo};
pub use domain::{ConsoleAddr, ConsoleId, Domain, Endian};
pub use ram::Ram;
pub use read_plan::{PointedBlock, ReadPlan};
pub use snapshot::{OutsideDomain, Snapshot};
pub use storage_order::StorageOrder;
