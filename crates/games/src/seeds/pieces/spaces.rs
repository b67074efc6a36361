//! Helpers shared by the searches, and the search of a game whose starts are its seeds.

use crate::games::piece::{AnyDealer, Dealer};
use crate::games::pieces::PieceOptions;
use crate::seeds::pieces::game::PieceSearch;
use crate::seeds::pieces::query::{GamePosition, PieceQuery, QueryError};
use crate::seeds::pieces::scan::{Scan, scan_all};
use nextscope_task::Progress;

#[expect(clippy::cast_possible_truncation, reason = "starts are numbered with at most 32 bits")]
pub const fn low(start: u64) -> u32 {
    start as u32
}

/// The dealer before piece number `first`, from 1.
pub fn skipped<D: Dealer>(mut dealer: D, first: u32) -> D {
    for _ in 1..first {
        dealer.deal();
    }
    dealer
}

/// The number, from 1, of the first given piece.
pub fn first_piece(query: &PieceQuery) -> u32 {
    if let GamePosition::Piece(first) = query.at { first } else { 1 }
}

/// Fails for a game that can only be searched from a known piece number.
pub fn needs_first_piece(query: &PieceQuery) -> Result<(), QueryError> {
    match query.at {
        GamePosition::Piece(_) => Ok(()),
        GamePosition::Unknown => Err(QueryError::NoMiddle(query.game.name())),
    }
}

/// The dealer of a game with this seed, after the last given piece.
pub fn dealer_of_seed(query: &PieceQuery, seed: u32) -> Option<AnyDealer> {
    let options = PieceOptions { limits: query.limits, ..PieceOptions::default() };
    let dealer = query.game.dealer(query.variant, seed, options)?;
    Some(after_all(query, skipped(dealer, first_piece(query))))
}

/// The dealer after the last given piece.
pub fn after_all(query: &PieceQuery, mut dealer: AnyDealer) -> AnyDealer {
    for _ in &query.pieces {
        dealer.deal();
    }
    dealer
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
