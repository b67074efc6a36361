//! What a game that deals single pieces is started with.

use super::bounded::Limits;

/// What a game is started with besides a seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceOptions {
    /// Steps of the generator before each pick (`tetris-nes`, whose generator runs in every frame).
    pub steps: u32,
    /// Limits in place of those of the variant (`bounded`).
    pub limits: Option<Limits>,
}

impl Default for PieceOptions {
    fn default() -> Self {
        Self { steps: 1, limits: None }
    }
}

/// A list of readings as (name, meaning), the default first.
pub type Variants = &'static [(&'static str, &'static str)];
