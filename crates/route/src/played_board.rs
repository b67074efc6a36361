//! A player's board compared with the one that a route plans.

use nextscope_boards::Pair;
use nextscope_boards::puyo::reference::fire;
use nextscope_boards::puyo::{COLUMNS, Cell, Field, Placement, ROWS, Rules};

/// The board of a player while a game runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayedBoard {
    /// The board without the current pair, after any running chain.
    pub board: Field,
    /// Whether nothing is moving.
    pub settled: bool,
    /// Whether a pair is in play. Otherwise the one before it has landed, and its garbage may still fall.
    pub in_play: bool,
    /// The current pair: the one in play, or the next one.
    pub pair: Option<Pair>,
    /// The rules of the game.
    pub rules: Rules,
}

/// How a board compares with the planned one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardMatch {
    /// It is the planned one.
    Planned,
    /// It cannot be compared yet: a pair, a chain or planned garbage is on its way.
    Moving,
    /// It differs only in garbage: it was not planned, or the game drew other columns than those of the example.
    Garbage,
    /// Puyos are in other places.
    Different,
}

impl PlayedBoard {
    /// Compares with the planned board, onto which planned garbage falls before the next pair is in play.
    pub fn compare(&self, planned: &Field, garbage_falls: bool) -> BoardMatch {
        if self.board == *planned {
            BoardMatch::Planned
        } else if !self.settled || (garbage_falls && !self.in_play) || self.is_on_its_way(planned) {
            BoardMatch::Moving
        } else if without_garbage(&self.board) == without_garbage(planned) {
            BoardMatch::Garbage
        } else {
            BoardMatch::Different
        }
    }

    /// Whether the board is the planned one with the current pair just landed, and perhaps garbage after it: the next pair is not dealt yet.
    fn is_on_its_way(&self, planned: &Field) -> bool {
        let Some(pair) = self.pair else { return false };
        let board = without_garbage(&self.board);
        Placement::ALL.into_iter().any(|placement| {
            let mut field = *planned;
            field.land(pair, placement, self.rules);
            if without_garbage(&field) == board {
                return true;
            }
            fire(&mut field, self.rules);
            without_garbage(&field) == board
        })
    }
}

/// The board as it would be without garbage; puyos above it fall.
pub fn without_garbage(board: &Field) -> Field {
    let mut field = *board;
    for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row))) {
        if matches!(field.get(column, row), Cell::Ojama | Cell::Hard) {
            field.set(column, row, Cell::Empty);
        }
    }
    field.settle();
    field
}
