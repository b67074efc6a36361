#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod address;
pub mod console;
mod memory;
mod read_error;
mod refusal;

pub use address::{HostAddr, Pid};
pub use memory::{ByteArray, Memory};
pub use read_error::ReadError;
pub use refusal::{Refusal, Remedy, Rule, shell_quote};
