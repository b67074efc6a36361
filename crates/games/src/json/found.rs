//! The result of `find`: the states that produce the given sequence.

use super::{Chance, Code, ColorOrder};
use crate::games::piece::Piece;
use serde::Serialize;

/// A search result; the query type depends on the game.
#[derive(Clone, Debug, Serialize)]
pub struct Found<Q> {
    /// The game's id.
    pub game: &'static str,
    /// The variant of the game; None where variants are part of the query.
    pub variant: Option<&'static str>,
    /// The query; None when it is impossible from the start.
    pub query: Option<Q>,
    /// The number of possible starts.
    pub starts: u64,
    /// The starts that produce the given sequence.
    pub count: u64,
    /// Whether all starts were tried, so that `count` is final.
    pub complete: bool,
    /// Whether the search was interrupted.
    pub stopped: bool,
    /// Why no game can produce the sequence; None when one can.
    pub impossible: Option<String>,
    /// Where the sequence first becomes impossible; None when it does not, or when unknown.
    pub first_failure: Option<FirstFailure>,
    /// The number of different continuations among the states found; None when not compared.
    pub games: Option<u64>,
    /// The number of the first pair in which they differ; None when they do not, or when not compared.
    pub differ_at: Option<u64>,
    /// The number of seeds for each state.
    pub seeds_each: u64,
    /// The states, up to the requested number.
    pub states: Vec<FoundState>,
    /// The number of the next pair or piece, from 1; None in the middle of a game.
    pub next_at: Option<u64>,
    /// The certain next pairs or pieces; None when unknown.
    pub certain: Option<Vec<String>>,
    /// The chances of the next pair or piece; None when unknown.
    pub chances: Option<Vec<Chance>>,
    /// How the search was done.
    pub search: Searched,
}

/// A state that produces the given sequence.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FoundState {
    /// The state or seed before the round or game, as for `generate --seed`; in the middle of a game, the state there.
    pub state: String,
    /// The state after the sequence, or after the round was generated.
    pub state_after: Option<String>,
    /// NES: the spawn count.
    pub spawn_count: Option<u8>,
    /// NES: the previous piece.
    pub last_piece: Option<Piece>,
    /// The number of its continuation, from 1.
    pub game: Option<usize>,
    /// The order of the colours.
    pub color_order: Option<ColorOrder>,
    /// When colours are relabelled, what each label means in this game.
    pub names: Option<Vec<Name>>,
    /// Frames until this start, where it is chosen by waiting.
    pub frames: Option<u16>,
    /// The next pairs or pieces.
    pub next: Vec<String>,
    /// `next` in the game's own codes.
    pub next_codes: Option<Vec<Code>>,
}

/// A colour label and the colours that it can mean.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Name {
    /// The letter that was given.
    pub name: char,
    /// The letters of the game's colours.
    pub colors: Vec<char>,
}

/// Where the sequence first becomes impossible.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FirstFailure {
    /// The number of the given pair or piece, from 1; None when it is not one of them.
    pub index: Option<usize>,
    /// The pair, piece or state that no game produces.
    pub given: String,
    /// The games that match everything before it; None when unknown.
    pub left_before: Option<u64>,
}

/// How a search was done.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Searched {
    /// `all-states`, `walked-back` or `none`.
    pub method: &'static str,
    /// The SIMD instructions that were used; None when there is no choice.
    pub simd: Option<&'static str>,
    /// The number of threads; None when there is no choice.
    pub threads: Option<usize>,
    /// The duration in seconds.
    pub elapsed_seconds: f64,
}
