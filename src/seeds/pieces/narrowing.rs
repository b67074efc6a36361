//! Pieces one after another, as a game is played: the starts that are left become fewer with each.

use super::question::{Answer, At, Question, Reject, agreed, games};
use super::scan::Progress;
use crate::game::piece::AnyDealer;
use crate::game::piece::{Dealer, Piece};
use crate::seeds::pieces::PieceGame;

/// The starts of a game that are left after the pieces seen so far.
///
/// As long as there are more than `KEPT` of them, each piece makes a search over all starts (Arika's games: some 0.1 s); from
/// then on only those that are left are asked.
#[derive(Debug, Clone)]
pub struct Narrowing {
    question: Question,
    answer: Option<Answer>,
    /// The dealers of the starts that are kept, after the last piece.
    dealers: Option<Vec<AnyDealer>>,
}

impl Narrowing {
    /// A game from its first piece on; None for a variant that does not exist. An empty variant is the default.
    #[must_use]
    pub fn new(game: PieceGame, variant: &str) -> Option<Self> {
        Some(Self::of(Question { pieces: Vec::new(), ..Question::new(game, variant)? }))
    }

    /// A game from its middle on, of which nothing was seen before; the first four pieces become its history.
    #[must_use]
    pub fn from_middle(game: PieceGame, variant: &str) -> Option<Self> {
        Some(Self::of(Question { at: At::Unknown, ..Question::new(game, variant)? }))
    }

    /// The pieces of the question are still to be searched for, which the next [`Narrowing::advance`] does.
    #[must_use]
    pub const fn of(question: Question) -> Self {
        Self { question, answer: None, dealers: None }
    }

    /// The pieces so far.
    #[must_use]
    pub const fn question(&self) -> &Question {
        &self.question
    }

    /// What the starts say; None before the first piece, or before the fourth from the middle of a game.
    #[must_use]
    pub const fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }

    /// One more piece that was seen.
    pub fn push(&mut self, piece: Piece) {
        // Without a way to cancel it always comes to its end, and that a history is not yet known is no fault here.
        let _ = self.advance(Some(piece), &Progress::default());
    }

    /// One more piece, None for one that was not seen. False when it was cancelled, after which only a new narrowing helps.
    ///
    /// # Errors
    /// When the question cannot be searched for.
    pub fn advance(&mut self, piece: Option<Piece>, progress: &Progress) -> Result<bool, Reject> {
        self.question.pieces.push(piece);
        if let (true, Some(answer), Some(dealers)) = (self.is_narrow(), &mut self.answer, &mut self.dealers) {
            narrow(answer, dealers, piece, self.question.pieces.len());
            return Ok(true);
        }
        self.search(progress)
    }

    /// Searches for the pieces there are.
    ///
    /// # Errors
    /// When the question cannot be searched for.
    pub fn search(&mut self, progress: &Progress) -> Result<bool, Reject> {
        (self.answer, self.dealers) = (self.question.search(progress)?, None);
        let Some(answer) = &self.answer else { return Ok(false) };
        self.dealers = answer.kept.is_some().then(|| self.question.dealers(answer));
        Ok(true)
    }

    /// Starts that are left; 0 when no game deals these pieces.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.answer.as_ref().map_or_else(|| self.question.starts(), |answer| answer.count)
    }

    /// Whether so few starts are left that each is asked by itself.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        // Dealers know one number of steps for all picks.
        self.dealers.is_some() && self.question.steps.is_empty() && !self.question.has_open_gaps()
    }

    /// Different games that are left: starts may differ and yet deal the same from here on. None while there are too many to
    /// be compared.
    #[must_use]
    pub fn games(&self) -> Option<usize> {
        self.dealers.as_deref().filter(|dealers| self.is_told(dealers)).map(games)
    }

    /// Whether every start that is left has a dealer: not so where the coming steps are a range.
    fn is_told(&self, dealers: &[AnyDealer]) -> bool {
        dealers.len() as u64 == self.remaining()
    }

    /// How many starts deal each piece next, in the order of `Piece::ALL`; None before anything was searched for.
    #[must_use]
    pub fn next_counts(&self) -> Option<[u64; 7]> {
        self.answer.as_ref().map(|answer| answer.next)
    }

    /// The chance of each piece to be next, all starts being equally likely; None when nothing was seen, or no game deals it.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a chance")]
    pub fn next_chances(&self) -> Option<[f32; 7]> {
        Some(self.answer.as_ref()?.chances()?.map(|chance| chance as f32))
    }

    /// The coming pieces, at most `most`, on which all games agree that are left; none while there are too many to be compared.
    #[must_use]
    pub fn certain(&self, most: usize) -> Vec<Piece> {
        self.dealers.as_deref().map_or_else(Vec::new, |dealers| agreed(dealers, most))
    }

    /// Which of the pieces, from 1, no game deals after those before it; None while a game does.
    #[must_use]
    pub fn first_failure(&self) -> Option<usize> {
        self.answer.as_ref().filter(|answer| answer.count == 0).map(|answer| answer.matched + 1)
    }
}

/// Keeps those that deal the piece.
fn narrow(answer: &mut Answer, dealers: &mut Vec<AnyDealer>, piece: Option<Piece>, seen: usize) {
    let starts = answer.kept.take().unwrap_or_default();
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
        answer.matched = seen;
    }
    (answer.kept, *dealers) = (Some(left), left_dealers);
}
