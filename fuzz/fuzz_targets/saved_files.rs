//! See `targets.rs`.

#![no_main]

extern crate nextscope_fuzz as nextscope;

#[path = "../targets.rs"]
#[allow(dead_code, reason = "each program runs one of them")]
mod targets;

nextscope_fuzz::target!(targets::saved_files);
