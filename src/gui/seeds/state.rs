//! The state of the seeds panel.

use super::engine::Session;
use super::find_form::FindForm;
use super::pair_request::PairRequest;
use super::piece_search::PieceSearch;
use crate::games::GameId;
use crate::pairs::PairGame;
use crate::seeds::pieces::PieceGame;
use std::collections::HashMap;

#[derive(Default)]
pub struct SeedsPanel {
    pub(super) request: PairRequest,
    /// The text field. It matches `request`, unless `wrong` says why not.
    pub(super) typed: String,
    pub(super) wrong: Option<String>,
    /// The puyo selected for correction.
    pub(super) chosen: Option<usize>,
    pub(super) focus: bool,
    /// The searches for pairs, by game.
    pub(super) sessions: HashMap<PairGame, Session>,
    pub(super) single: PieceSearch,
    pub(super) form: FindForm,
    /// The game that was attached when the panel last followed it.
    pub(super) followed: Option<GameId>,
    /// Whether the pairs of the attached game are entered once there are enough.
    pub(super) fills: bool,
}

impl SeedsPanel {
    /// Selects the game that was attached since the last call, unless something was entered for another one.
    pub(super) fn follow(&mut self, attached: Option<GameId>) {
        let newly = attached.filter(|_| attached != self.followed);
        self.followed = attached.or(self.followed);
        let Some(game) = newly else { return };
        if self.typed.is_empty()
            && self.request.pieces().is_empty()
            && self.single.is_empty()
            && self.form.is_empty()
        {
            self.select(game);
            self.fills = true;
        }
    }

    /// Selects a game; nothing changes for one without a search.
    fn select(&mut self, game: GameId) {
        let is_same = |pair: &PairGame| pair.game() == game;
        if let Some(pair) = PairGame::with_search().into_iter().find(is_same) {
            (self.request.game, self.single.game, self.form.game) = (Some(pair), None, None);
        } else if let Some(pair) = FindForm::all().find(is_same) {
            self.single.game = None;
            self.form.select(pair);
        } else if let Some(piece) = PieceGame::ALL.iter().find(|piece| piece.game() == game) {
            self.form.game = None;
            self.single.select(*piece);
        }
    }
}
