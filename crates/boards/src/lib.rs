#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod pairs;
pub mod picture;
mod piece;
pub mod pochi;
pub mod puyo;
mod splitmix;
mod vectors;

pub use pairs::{Color, POOL_LEN, POOL_PAIRS, Pair, Pool, PoolId};
pub use piece::Piece;
pub use splitmix::SplitMix64;
pub use vectors::Vectors;
