//! The result of `generate`.

use super::{Code, ColorOrder, Pool};
use crate::games::piece::Piece;
use crate::live::Grid;
use nextscope_boards::Pair;
use serde::Serialize;

/// One game or round; the options depend on the game.
#[derive(Clone, Debug, Serialize)]
pub struct Generated<O> {
    /// The game's id.
    pub game: &'static str,
    /// The variant of the game; None where variants are options.
    pub variant: Option<&'static str>,
    /// The options used.
    pub options: O,
    /// The number among the requested games or seeds, from 1.
    pub number: u32,
    /// The seed or initial state.
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
    /// The pairs in the game's own codes.
    pub codes: Option<Vec<Code>>,
    /// The pieces as dealt; None in a game of pairs.
    pub pieces: Option<Vec<Piece>>,
    /// The boards at the start of the round, for games that fill them.
    pub boards: Vec<Grid>,
}
