//! Why bytes could not be read.

use crate::{HostAddr, Pid, Refusal};

/// Why bytes of another process could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ReadError {
    #[error("process {pid} has ended")]
    Gone { pid: Pid },
    /// The system refuses the read; the refusal names the rule and the remedies.
    #[error("{0}")]
    Refused(Box<Refusal>),
    #[error("the bytes at {addr} were not recorded")]
    NotRecorded { addr: HostAddr },
    #[error("no readable memory is mapped at {addr} in process {pid}")]
    NotMapped { pid: Pid, addr: HostAddr },
    #[error("only {available} of {requested} bytes are readable at {addr} in process {pid}")]
    Short { pid: Pid, addr: HostAddr, requested: usize, available: usize },
    #[error("reading process {pid}: {message}")]
    System { pid: Pid, message: String },
}

impl ReadError {
    /// Whether every other read of the process fails as well: it has ended, or the system refuses. Other errors concern the address alone.
    pub fn concerns_all_addresses(&self) -> bool {
        matches!(self, Self::Gone { .. } | Self::Refused(_))
    }
}
