//! What a seed gives: `generate`.

use super::{Code, ColorOrder, Pool};
use crate::game::piece::Piece;
use crate::game::puyo::Pair;
use serde::Serialize;

/// One game or round; the options are those of the game.
#[derive(Clone, Debug, Serialize)]
pub struct Generated<O> {
    /// The game's id.
    pub game: &'static str,
    /// Which reading of the game; None where its readings are options.
    pub variant: Option<&'static str>,
    /// What else was chosen.
    pub options: O,
    /// Which of the games or seeds that were asked for, from 1.
    pub number: u32,
    /// What it begins with.
    pub seed: String,
    /// The generator's state afterwards.
    pub state_after: String,
    /// Bloxeed: the seed of the pieces.
    pub piece_seed: Option<String>,
    /// The order of the colours; None in a game of single pieces.
    pub color_order: Option<ColorOrder>,
    /// The pools; none in a game of single pieces.
    pub pools: Vec<Pool>,
    /// The pairs as dealt; None in a game of single pieces.
    pub pairs: Option<Vec<Pair>>,
    /// The same in the game's own codes.
    pub codes: Option<Vec<Code>>,
    /// The pieces as dealt; None in a game of pairs.
    pub pieces: Option<Vec<Piece>>,
}
