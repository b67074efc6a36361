//! The state of the seeds panel.

use super::engine::{Anniversary, AnniversarySearch, Search, Tsu};
use super::find_form::FindForm;
use super::pair_request::PairRequest;
use super::piece_search::PieceSearch;
use crate::games::puyo_20th::seeds::Narrowing;

#[derive(Default)]
pub struct SeedsPanel {
    pub(super) request: PairRequest,
    /// The text field. It matches `request`, unless `wrong` says why not.
    pub(super) typed: String,
    pub(super) wrong: Option<String>,
    /// The puyo selected for correction.
    pub(super) chosen: Option<usize>,
    pub(super) focus: bool,
    /// The running search among the 65,536 games.
    pub(super) asked: Option<AnniversarySearch>,
    /// The narrowing of the last one.
    pub(super) narrowing: Option<Narrowing<'static>>,
    pub(super) answer: Option<Box<Anniversary>>,
    pub(super) search: Option<Search>,
    pub(super) full: Option<Box<Tsu>>,
    /// Those states that also match pairs entered later.
    pub(super) narrowed: Option<Box<Tsu>>,
    pub(super) trouble: Option<String>,
    /// The request of a search that crashed; it is not restarted automatically.
    pub(super) crashed: Option<PairRequest>,
    pub(super) single: PieceSearch,
    pub(super) form: FindForm,
}
