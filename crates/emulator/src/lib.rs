#![doc = include_str!("../README.md")]

pub mod locate;
pub mod process;
