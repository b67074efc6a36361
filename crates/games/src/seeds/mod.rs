//! Seed searches: from observed pieces, pairs or pools to the generator states that produce them.

pub mod pieces;
pub mod text;
