#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod frames;
pub mod games;
pub mod json;
pub mod live;
pub mod options;
pub mod pairs;
pub mod profile;
pub mod round_starts;
pub mod seeds;
pub mod stats;
pub mod text;
