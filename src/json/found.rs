//! What was seen, and the states that give it: `find`.

use super::{Chance, Code, ColorOrder};
use crate::game::piece::Piece;
use serde::Serialize;

/// An answer; the query is that of the game.
#[derive(Clone, Debug, Serialize)]
pub struct Found<Q> {
    /// The game's id.
    pub game: &'static str,
    /// Which reading of the game; None where its readings are part of the query.
    pub variant: Option<&'static str>,
    /// What was asked; None when it is impossible from the start.
    pub query: Option<Q>,
    /// The starts that there are.
    pub starts: u64,
    /// Those of them that give what was seen.
    pub count: u64,
    /// Whether all starts were tried, so that there are no more than `count`.
    pub complete: bool,
    /// Whether the search was interrupted.
    pub stopped: bool,
    /// Why no game can show this; None when one may.
    pub impossible: Option<String>,
    /// Where it first fails; None when it does not, or when that is not known.
    pub first_failure: Option<FirstFailure>,
    /// The different games among those found, from here on; None when they were not compared.
    pub games: Option<u64>,
    /// The number of the first pair in which they differ; None when they do not, or were not compared.
    pub differ_at: Option<u64>,
    /// The seeds that each state stands for.
    pub seeds_each: u64,
    /// The states, as many as were asked for.
    pub states: Vec<FoundState>,
    /// The number of the next pair or piece, from 1; None in the middle of a game.
    pub next_at: Option<u64>,
    /// What is certain to come next; None when it is not known.
    pub certain: Option<Vec<String>>,
    /// How likely each next pair or piece is; None when it is not known.
    pub chances: Option<Vec<Chance>>,
    /// How it was searched for.
    pub search: Searched,
}

/// A state that gives what was seen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FoundState {
    /// The state or seed before the round or game: what `generate --seed` takes. In the middle of a game, the state there.
    pub state: String,
    /// The state after what was seen, or after the round was generated.
    pub state_after: Option<String>,
    /// NES: the count of picks.
    pub spawn_count: Option<u8>,
    /// NES: the piece before.
    pub last_piece: Option<Piece>,
    /// Which of the different games it makes, from 1.
    pub game: Option<usize>,
    /// The order of the colours.
    pub color_order: Option<ColorOrder>,
    /// Where colours are only names, what each stands for in this game.
    pub names: Option<Vec<Name>>,
    /// What comes next.
    pub next: Vec<String>,
    /// The same in the game's own codes.
    pub next_codes: Option<Vec<Code>>,
}

/// A name of a colour, and the colours that it can stand for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Name {
    /// The letter that was given.
    pub name: char,
    /// The letters of the game's colours.
    pub colors: Vec<char>,
}

/// Where what was seen first fails.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FirstFailure {
    /// Which of the pairs or pieces given, from 1; None when it is not one of them.
    pub index: Option<usize>,
    /// The pair, piece or state that no game has.
    pub given: String,
    /// The games that show everything before it; None when that is not known.
    pub left_before: Option<u64>,
}

/// How a search went.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Searched {
    /// `all-states`, `walked-back` or `none`.
    pub method: &'static str,
    /// The instructions that were used; None where there is one way only.
    pub simd: Option<&'static str>,
    /// Threads at work; None where that was not chosen.
    pub threads: Option<usize>,
    /// How long it took.
    pub elapsed_seconds: f64,
}
