//! The state of the seeds panel.

use super::engine::Session;
use super::find_form::FindForm;
use super::pair_request::PairRequest;
use super::piece_search::PieceSearch;
use crate::pairs::PairGame;
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
}
