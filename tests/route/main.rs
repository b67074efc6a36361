//! The planner, what comes out of it, and routes carried out on the cartridge.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod console;
mod exports;
mod planner;
