//! Generator and searcher: states from pools, from what was seen.

pub mod pieces;
pub mod puyo_20th;
pub mod puyo_tsu;
pub mod text;
