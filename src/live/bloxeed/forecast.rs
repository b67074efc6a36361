//! What is to come.

use super::{Observation, Values};
use crate::game::bloxeed::{Game, Reading, Table};
use crate::game::bloxeed_states::{GAME_LIMIT, dealt};
use crate::game::piece::{Dealer, Piece, letters};
use crate::game::sega::State;
use std::sync::Arc;

/// Pieces that are told ahead.
const AHEAD: usize = 60;
/// Pieces of the game again, and of the next one, that are told.
const PREVIEW: usize = 20;

/// What is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// What it follows from.
    pub values: Values,
    /// Pieces dealt in this game; None when the state does not follow from the seed.
    pub dealt: Option<u32>,
    /// The reading of the table that it goes by.
    pub table: Table,
    /// The same with the routine that makes the seed of the next game.
    pub reading: Reading,
    /// Whether a piece was seen that tells the readings apart.
    pub decided: bool,
    /// The coming pieces.
    pub pieces: Vec<Piece>,
    /// The same under the other reading.
    pub other: Vec<Piece>,
    /// The game from its first piece on, as who continues gets it.
    pub again: Vec<Piece>,
    /// The next game if nothing is drawn from the main generator before: its seed and its first pieces.
    pub next_game: Option<(State, Vec<Piece>)>,
}

impl Forecast {
    fn new(values: &Values, reading: Reading, decided: bool) -> Self {
        let table = reading.table;
        let pieces = |table: Table, state: State, count: usize| {
            Game::from_piece_seed(Reading { table, ..reading }, State(0), state).deal_many(count)
        };
        let other = Table::ALL.into_iter().find(|other| *other != table).unwrap_or(table);
        let next_game = values.main.map(|main| {
            let seed = Game::new(reading, main).piece_seed();
            (seed, pieces(table, seed, PREVIEW))
        });
        Self {
            values: *values,
            dealt: dealt(values.seed, values.state, GAME_LIMIT),
            table,
            reading,
            decided,
            pieces: pieces(table, values.state, AHEAD),
            other: pieces(other, values.state, AHEAD),
            again: pieces(table, values.seed, PREVIEW),
            next_game,
        }
    }

    /// The earlier one when nothing changed.
    pub(super) fn again(
        earlier: Option<&Arc<Self>>,
        values: &Values,
        reading: Reading,
        decided: bool,
    ) -> Arc<Self> {
        let same = |earlier: &&Arc<Self>| {
            earlier.values == *values && (earlier.reading, earlier.decided) == (reading, decided)
        };
        earlier.filter(same).map_or_else(|| Arc::new(Self::new(values, reading, decided)), Arc::clone)
    }

    /// Whether the coming pieces are the same; items may have been drawn.
    #[must_use]
    pub fn same_pieces(&self, other: &Self) -> bool {
        (self.values.seed, self.values.state, self.table)
            == (other.values.seed, other.values.state, other.table)
    }

    /// The forecast in lines.
    #[must_use]
    pub fn text(&self, seen: &Observation) -> Vec<String> {
        let number = match self.dealt {
            Some(dealt) => format!("Piece {} of the game is next", dealt + 1),
            None => "Next (which piece of the game is not known)".to_owned(),
        };
        let mut lines = vec![format!("{number}: {} ...", letters(&self.pieces[..40.min(self.pieces.len())]))];
        let parts = self.pieces.iter().zip(&self.other).position(|(one, other)| one != other);
        if let (false, Some(at)) = (self.decided, parts) {
            lines.push(format!(
                "Sources disagree on the piece {} further on: {} or {}; when it comes, the game has decided",
                at + 1,
                self.pieces[at],
                self.other[at]
            ));
        }
        lines.push(format!("Who continues gets again: {} ...", letters(&self.again)));
        if let Some((seed, pieces)) = &self.next_game {
            lines.push(format!(
                "Next game, if no item is drawn before: {} ... (seed {seed})",
                letters(pieces)
            ));
        }
        let values = self.values;
        let main = values.main.map_or_else(String::new, |main| format!(", main generator {main}"));
        lines.push(format!("Seed of the pieces {}, state {}{main}", values.seed, values.state));
        if let Some(found) = seen.found.filter(|found| !found.known) {
            let main = found.main.map_or_else(String::new, |at| format!(", the main generator at {at}"));
            let piece =
                seen.piece.map_or_else(String::new, |piece| format!(", the piece at {}", piece.address));
            lines.push(format!(
                "Found by content: the seed at {}, the state at {}{main}{piece}. `nextscope profile locate --write FILE` puts them into a profile",
                found.seed, found.state
            ));
        }
        lines
    }
}
