//! The fuzz targets of Nextscope; `fuzz/run` runs them.

#![allow(unexpected_cfgs, reason = "attributes of the package's own builds")]

#[path = "../src/process/mod.rs"]
pub mod process;

#[path = "../src/console/mod.rs"]
pub mod console;

#[path = "../src/game/mod.rs"]
pub mod game;

#[path = "../src/profile/mod.rs"]
pub mod profile;

#[path = "../src/emulator/mod.rs"]
pub mod emulator;

#[path = "../src/seeds/mod.rs"]
pub mod seeds;

#[path = "../src/puyo/mod.rs"]
pub mod puyo;

#[path = "../src/picture/mod.rs"]
pub mod picture;

#[path = "../src/pochi/mod.rs"]
pub mod pochi;

#[path = "../src/route/mod.rs"]
pub mod route;

#[path = "../src/stats/mod.rs"]
pub mod stats;

#[path = "../src/research/mod.rs"]
pub mod research;

#[path = "../src/recording/mod.rs"]
pub mod recording;

#[path = "../src/demo/mod.rs"]
pub mod demo;

pub mod gauge;

/// What all targets allocate through.
#[global_allocator]
pub static GAUGE: gauge::Gauge = gauge::Gauge::new();

/// The longest that an input may take of the processor. What is shipped has a second for it (`tests/fuzz_corpora.rs`); code with the
/// sanitizer and the counters of the fuzzer in it is several times slower.
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
