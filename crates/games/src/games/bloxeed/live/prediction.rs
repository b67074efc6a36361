//! The prediction.

use crate::games::bloxeed::live::{Observation, Values};
use crate::games::bloxeed::states::{GAME_LIMIT, dealt};
use crate::games::bloxeed::{Game, Reading, Table};
use crate::games::piece::{Dealer, Piece, letters};
use crate::games::sega::State;
use std::sync::Arc;

/// Pieces predicted ahead.
const AHEAD: usize = 60;
/// Pieces predicted after a continue, and of the next game.
const PREVIEW: usize = 20;

/// The prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The values in RAM that it is based on.
    pub values: Values,
    /// Pieces dealt in this game; None when the state does not follow from the seed.
    pub dealt: Option<u32>,
    /// The variant of the piece table in use.
    pub table: Table,
    /// The variants of the table and of the seed routine in use.
    pub reading: Reading,
    /// Whether a dealt piece has determined the variant of the table.
    pub decided: bool,
    /// The upcoming pieces.
    pub pieces: Vec<Piece>,
    /// The upcoming pieces by the other variant of the table.
    pub other: Vec<Piece>,
    /// The game from its first piece on, as after a continue.
    pub again: Vec<Piece>,
    /// The next game, if nothing is drawn from the main generator before it: its seed and first pieces.
    pub next_game: Option<(State, Vec<Piece>)>,
}

impl Prediction {
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

    /// The earlier prediction when nothing changed.
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

    /// Whether the upcoming pieces are the same; items may have been drawn.
    pub fn same_pieces(&self, other: &Self) -> bool {
        (self.values.seed, self.values.state, self.table)
            == (other.values.seed, other.values.state, other.table)
    }

    /// The prediction as lines of text.
    pub fn text(&self, observation: &Observation) -> Vec<String> {
        let number = match self.dealt {
            Some(dealt) => format!("Piece {} of the game is next", dealt + 1),
            None => "Next (piece number unknown)".to_owned(),
        };
        let mut lines = vec![format!("{number}: {} ...", letters(&self.pieces[..40.min(self.pieces.len())]))];
        let parts = self.pieces.iter().zip(&self.other).position(|(one, other)| one != other);
        if let (false, Some(at)) = (self.decided, parts) {
            lines.push(format!(
                "The piece {} ahead depends on the table variant: {} or {}",
                at + 1,
                self.pieces[at],
                self.other[at]
            ));
        }
        lines.push(format!("After a continue: {} ...", letters(&self.again)));
        if let Some((seed, pieces)) = &self.next_game {
            lines.push(format!(
                "Next game, if no item is drawn before it: {} ... (seed {seed})",
                letters(pieces)
            ));
        }
        let values = self.values;
        let main = values.main.map_or_else(String::new, |main| format!(", main generator {main}"));
        lines.push(format!("Piece seed {}, state {}{main}", values.seed, values.state));
        if let Some(found) = observation.found.filter(|found| !found.known) {
            let main = found.main.map_or_else(String::new, |at| format!(", the main generator at {at}"));
            let piece = observation
                .piece
                .map_or_else(String::new, |piece| format!(", the piece at {}", piece.address));
            lines.push(format!(
                "Found by content: the seed at {}, the state at {}{main}{piece}. `nextscope profile locate --write FILE` saves them to a profile",
                found.seed, found.state
            ));
        }
        lines
    }
}
