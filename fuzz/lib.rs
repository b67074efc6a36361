//! The fuzz targets of Nextscope; `fuzz/run` runs them.

#![allow(unexpected_cfgs, reason = "attributes of the package's own builds")]

pub use nextscope_boards::{pochi, puyo};
pub use nextscope_emulator::{locate as emulator, process};
pub use nextscope_file as file;
pub use nextscope_games::{games, profile, seeds, stats, text};
pub use nextscope_memory::console;
pub use nextscope_recording as recording;
pub use nextscope_research as research;
pub use nextscope_route as route;
pub use nextscope_task as task;

#[path = "../src/demo/mod.rs"]
pub mod demo;

pub mod gauge;

/// The allocator of all targets.
#[global_allocator]
pub static GAUGE: gauge::Gauge = gauge::Gauge::new();

/// The maximum processor time of an input. The released code has a limit of one second
/// (`tests/fuzz_corpora.rs`); code instrumented by the sanitizer and the fuzzer is several times slower.
pub const LONGEST: std::time::Duration = std::time::Duration::from_secs(4);

/// A program that fuzzes a function of `targets.rs`.
#[macro_export]
macro_rules! target {
    ($function:path) => {
        libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            $crate::GAUGE.check($crate::LONGEST, || $function(data));
        });
    };
}
