//! See `targets.rs`.
#![no_main]

nextscope_fuzz::target!(recordings);
