//! The fuzz targets of Nextscope; `fuzz/run` runs them.

pub mod gauge;
pub mod targets;

/// What all targets allocate through.
#[global_allocator]
pub static GAUGE: gauge::Gauge = gauge::Gauge::new();

/// The longest that an input may take of the processor. What is shipped has a second for it (`tests/fuzz_corpora.rs`); code with the
/// sanitizer and the counters of the fuzzer in it is several times slower.
pub const LONGEST: std::time::Duration = std::time::Duration::from_secs(4);

/// A fuzz target of the name of its function in [`targets`].
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            $crate::GAUGE.check($crate::LONGEST, || $crate::targets::$name(data));
        });
    };
}
