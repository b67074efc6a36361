//! Profiles: what is read, refused, found and written. One program, since each more of them is linked by itself.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../cli_support/mod.rs"]
mod cli_support;

mod add;
mod board;
mod diagnostics;
mod files;
mod library;
mod robust;
