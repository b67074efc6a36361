#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod progress;
mod task;

pub use progress::Progress;
pub use task::{Handle, Task, TaskError};
