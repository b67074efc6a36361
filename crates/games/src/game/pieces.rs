//! Start options of games that deal single pieces.

use super::bounded::Limits;

/// Start options besides the seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceOptions {
    /// Steps of the generator before each pick (`tetris-nes`, whose generator runs every frame).
    pub steps: u32,
    /// Limits that replace those of the variant (`bounded`).
    pub limits: Option<Limits>,
}

impl Default for PieceOptions {
    fn default() -> Self {
        Self { steps: 1, limits: None }
    }
}

/// A list of readings as (name, description), the default first.
pub type Variants = &'static [(&'static str, &'static str)];
