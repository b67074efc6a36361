//! Why bytes could not be read.

use crate::{HostAddr, Pid, Refusal};

/// Why bytes of another process could not be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// The process has ended, or its number was reused.
    #[error("process {pid} has ended")]
    Gone {
        /// The process.
        pid: Pid,
    },
    /// The system refuses the read; the refusal names the rule and the remedies.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// The source is a recording or a dump that does not contain these bytes.
    #[error("the bytes at {addr} were not recorded")]
    NotRecorded {
        /// The address of the read.
        addr: HostAddr,
    },
    /// No readable memory is mapped at the first byte.
    #[error("no readable memory is mapped at {addr} in process {pid}")]
    NotMapped {
        /// The process.
        pid: Pid,
        /// The address of the read.
        addr: HostAddr,
    },
    /// Readable memory ends before the read does.
    #[error("only {available} of {requested} bytes are readable at {addr} in process {pid}")]
    Short {
        /// The process.
        pid: Pid,
        /// The address of the read.
        addr: HostAddr,
        /// The number of bytes requested.
        requested: usize,
        /// The number of bytes that can be read.
        available: usize,
    },
    /// Any other error of the system.
    #[error("reading process {pid}: {message}")]
    System {
        /// The process.
        pid: Pid,
        /// The system's message.
        message: String,
    },
}
