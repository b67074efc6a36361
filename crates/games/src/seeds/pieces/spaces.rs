//! The rules of most games: their starts are their seeds.

use crate::games::pieces::PieceOptions;
use crate::seeds::pieces::game::{
    GamePosition, PieceQuery, PieceRules, PieceSearch, QueryError, first_piece, skipped,
};
use crate::seeds::pieces::scan::{Scan, low, scan_all};
use nextscope_task::Progress;

/// The rules of most games; a definition overrides what differs.
pub(crate) const DEFAULTS: PieceRules = PieceRules {
    about: "",
    variants: &[("game", "the game's own; sources agree")],
    more_variants: |_| None,
    dealer: |_, _, _| None,
    human_timed: None,
    seed_bits: 32,
    usable_seed: |number| number,
    seed_note: |_| None,
    options: &[],
    limits: None,
    next_seed: |_, seed, _| seed,
    piece_seed: None,
    from_middle: false,
    search: &Seeds,
    rating: None,
    in_lab: false,
};

/// Fails for a game that can only be searched from a known piece number.
pub fn needs_first_piece(query: &PieceQuery) -> Result<(), QueryError> {
    match query.at {
        GamePosition::Piece(_) => Ok(()),
        GamePosition::Unknown => Err(QueryError::NoMiddle(query.game.name())),
    }
}

/// All seeds of a game, each dealt by the game's own dealer. This works for any game; a game with fewer different
/// starts than seeds, or with a dealer that is a plain value, has a faster search of its own.
pub struct Seeds;

impl PieceSearch for Seeds {
    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(query)?;
        let first = first_piece(query);
        let options = PieceOptions { limits: query.limits, ..PieceOptions::default() };
        let make = |start| {
            let dealer = query.game.dealer(query.variant, low(start), options);
            dealer.map(|dealer| skipped(dealer, first)).ok_or(0)
        };
        Ok(scan_all(self.starts(query), make, &query.pieces, progress))
    }
}
