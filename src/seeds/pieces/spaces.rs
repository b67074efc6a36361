//! Helpers shared by the searches, and the search of a game whose starts are its seeds.

use super::game::PieceSearch;
use super::question::{At, Question, Reject};
use super::scan::{Progress, Scan, Starts, scan};
use crate::game::piece::{AnyDealer, Dealer, Piece};
use crate::game::pieces::PieceOptions;

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
pub fn first_piece(question: &Question) -> u32 {
    if let At::Piece(first) = question.at { first } else { 1 }
}

/// Fails for a game that can only be searched from a known piece number.
pub fn needs_first_piece(question: &Question) -> Result<(), Reject> {
    match question.at {
        At::Piece(_) => Ok(()),
        At::Unknown => Err(Reject::NoMiddle(question.game.name())),
    }
}

/// The dealer of a game with this seed, after the last given piece.
pub fn dealer_of_seed(question: &Question, seed: u32) -> Option<AnyDealer> {
    let options = PieceOptions { limits: question.limits, ..PieceOptions::default() };
    let dealer = question.game.dealer(question.variant, seed, options)?;
    Some(after_all(question, skipped(dealer, first_piece(question))))
}

/// The dealer after the last given piece.
pub fn after_all(question: &Question, mut dealer: AnyDealer) -> AnyDealer {
    for _ in &question.pieces {
        dealer.deal();
    }
    dealer
}

/// The seed of a start as text, for games whose starts are their seeds.
pub fn seed_state(start: u64) -> String {
    format!("0x{start:08X}")
}

/// All seeds of a game, each dealt by the game's own dealer. This works for any game; a game with fewer different
/// starts than seeds, or with a dealer that is a plain value, has a faster search of its own.
pub struct Seeds;

impl PieceSearch for Seeds {
    fn starts(&self, question: &Question) -> u64 {
        1 << question.game.rules().seed_bits
    }

    fn seeds_each(&self, _: &Question) -> u64 {
        1
    }

    fn state(&self, question: &Question, start: u64) -> String {
        if question.game.rules().seed_bits == 16 { format!("0x{start:04X}") } else { seed_state(start) }
    }

    fn dealer_after(&self, question: &Question, start: u64) -> Option<AnyDealer> {
        dealer_of_seed(question, low(start))
    }

    fn search(&self, question: &Question, progress: &Progress) -> Result<Option<Scan>, Reject> {
        needs_first_piece(question)?;
        let first = first_piece(question);
        let options = PieceOptions { limits: question.limits, ..PieceOptions::default() };
        let make = |start| {
            let dealer = question.game.dealer(question.variant, low(start), options);
            dealer.map(|dealer| skipped(dealer, first)).ok_or(0)
        };
        let (count, possible, earlier) = (self.starts(question), |_| true, |_| None);
        Ok(scan(&Starts { count, possible, make, earlier }, &question.pieces, progress))
    }
}

/// State, spawn count and previous piece of a start, for a game that counts its picks. None for other games.
pub fn parts(question: &Question, start: u64) -> Option<(String, u8, Option<Piece>)> {
    question.game.rules().search.parts(question, start)
}
