//! The planner, its exports, and routes played on the cartridge.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod console;
mod exports;
#[path = "../lua/mod.rs"]
mod lua;
mod planner;
mod script;
