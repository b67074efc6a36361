//! Profiles: reading, rejecting, finding and writing. One program, since each additional one is linked
//! separately.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../cli_support/mod.rs"]
mod cli_support;

mod add;
mod board;
mod diagnostics;
mod files;
mod library;
#[path = "../noise/mod.rs"]
mod noise;
mod randomizers;
mod robust;
