//! Incremental search: pieces are added one by one while a game is played, and the number of matching starts falls.

use crate::games::piece::AnyDealer;
use crate::games::piece::{Dealer, Piece};
use crate::seeds::pieces::PieceGame;
use crate::seeds::pieces::answer::Answer;
use crate::seeds::pieces::game::{GamePosition, PieceQuery, QueryError};
use crate::seeds::pieces::query::{agreed, games};
use nextscope_task::Progress;

/// The starts of a game that match the pieces so far.
///
/// While there are more than `MAX_STORED` of them, each piece triggers a search over all starts (Arika's games: about 0.1 s); after
/// that only the remaining starts are checked.
#[derive(Debug, Clone)]
pub struct Narrowing {
    query: PieceQuery,
    answer: Option<Answer>,
    /// The dealers of the stored starts, after the last piece.
    dealers: Option<Vec<AnyDealer>>,
}

impl Narrowing {
    /// A game from its first piece on; None for an unknown variant. An empty variant is the default.
    pub fn new(game: PieceGame, variant: &str) -> Option<Self> {
        Some(Self::of(PieceQuery { pieces: Vec::new(), ..PieceQuery::new(game, variant)? }))
    }

    /// A game from its middle on, with nothing known before; the first four pieces become its history.
    pub fn from_middle(game: PieceGame, variant: &str) -> Option<Self> {
        Some(Self::of(PieceQuery { at: GamePosition::Unknown, ..PieceQuery::new(game, variant)? }))
    }

    /// Starts with a question whose pieces are not searched yet; the next [`Narrowing::advance`] does that.
    pub const fn of(query: PieceQuery) -> Self {
        Self { query, answer: None, dealers: None }
    }

    /// The pieces so far.
    pub const fn query(&self) -> &PieceQuery {
        &self.query
    }

    /// The result; None before the first piece, or before the fourth in the middle of a game.
    pub const fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }

    /// Adds a known piece.
    pub fn push(&mut self, piece: Piece) {
        // It cannot be cancelled here, so it always completes; an incomplete history is not an error at this point.
        let _ = self.advance(Some(piece), &Progress::default());
    }

    /// Adds a piece, None for an unknown one. False if cancelled, after which this value cannot be used further.
    ///
    /// # Errors
    /// If the question cannot be searched.
    pub fn advance(&mut self, piece: Option<Piece>, progress: &Progress) -> Result<bool, QueryError> {
        self.query.pieces.push(piece);
        if let (true, Some(answer), Some(dealers)) = (self.is_narrow(), &mut self.answer, &mut self.dealers) {
            narrow(answer, dealers, piece, self.query.pieces.len());
            return Ok(true);
        }
        self.search(progress)
    }

    /// Searches for the current pieces.
    ///
    /// # Errors
    /// If the question cannot be searched.
    pub fn search(&mut self, progress: &Progress) -> Result<bool, QueryError> {
        (self.answer, self.dealers) = (self.query.search(progress)?, None);
        let Some(answer) = &self.answer else { return Ok(false) };
        self.dealers = answer.stored.is_some().then(|| self.query.dealers(answer));
        Ok(true)
    }

    /// The number of matching starts; 0 if no game deals these pieces.
    pub fn remaining(&self) -> u64 {
        self.answer.as_ref().map_or_else(|| self.query.starts(), |answer| answer.count)
    }

    /// Whether few enough starts remain that each is checked individually.
    pub fn is_narrow(&self) -> bool {
        // Dealers use one number of steps for all picks.
        self.dealers.is_some() && self.query.steps.is_empty() && !self.query.has_open_gaps()
    }

    /// The number of different remaining games: different starts may deal the same from here on. None if there are too many to
    /// compare.
    pub fn games(&self) -> Option<usize> {
        self.dealers.as_deref().filter(|dealers| self.all_have_dealers(dealers)).map(games)
    }

    /// Whether every remaining start has a dealer: not if the coming steps are a range.
    fn all_have_dealers(&self, dealers: &[AnyDealer]) -> bool {
        dealers.len() as u64 == self.remaining()
    }

    /// How many starts deal each piece next, in the order of `Piece::ALL`; None before the first search.
    pub fn next_counts(&self) -> Option<[u64; 7]> {
        self.answer.as_ref().map(|answer| answer.next)
    }

    /// The chance of each piece to be next if all starts are equally likely; None if there are no pieces yet, or no game deals them.
    #[expect(clippy::cast_possible_truncation, reason = "a chance")]
    pub fn next_chances(&self) -> Option<[f32; 7]> {
        Some(self.answer.as_ref()?.chances()?.map(|chance| chance as f32))
    }

    /// The coming pieces, at most `most`, on which all remaining games agree; none while there are too many to compare.
    pub fn certain(&self, most: usize) -> Vec<Piece> {
        self.dealers.as_deref().map_or_else(Vec::new, |dealers| agreed(dealers, most))
    }

    /// The first piece, from 1, that no game deals after those before it; None if some game deals them all.
    pub fn first_failure(&self) -> Option<usize> {
        self.answer.as_ref().filter(|answer| answer.count == 0).map(|answer| answer.matched + 1)
    }
}

/// Retains the starts that deal the piece.
fn narrow(answer: &mut Answer, dealers: &mut Vec<AnyDealer>, piece: Option<Piece>, given: usize) {
    let starts = answer.stored.take().unwrap_or_default();
    let both = starts.into_iter().zip(std::mem::take(dealers)).filter_map(|(start, mut dealer)| {
        let dealt = dealer.deal();
        piece.is_none_or(|piece| piece == dealt).then_some((start, dealer))
    });
    let (left, left_dealers): (Vec<u64>, Vec<AnyDealer>) = both.unzip();
    answer.next = [0; 7];
    for dealer in &left_dealers {
        answer.next[dealer.to_owned().deal().index()] += 1;
    }
    answer.count = left.len() as u64;
    if answer.count > 0 {
        answer.matched = given;
    }
    (answer.stored, *dealers) = (Some(left), left_dealers);
}
