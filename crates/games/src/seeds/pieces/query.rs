//! The query of a piece search, and its answer.

use crate::games::piece::{AnyDealer, Dealer, Piece};
use crate::seeds::pieces::COMPARED_PIECES;
use crate::seeds::pieces::answer::{Answer, all_or_first};
use crate::seeds::pieces::game::{GamePosition, PieceGame, PieceQuery, PieceSearch, QueryError};
use crate::seeds::pieces::rule::Broken;
use crate::seeds::pieces::scan::Scan;
use crate::seeds::pieces::steps::Steps;
use nextscope_task::Progress;
use std::collections::HashSet;

impl PieceQuery {
    /// A game without any pieces yet; None for an unknown variant. An empty variant is the default.
    pub fn new(game: PieceGame, variant: &str) -> Option<Self> {
        Some(Self {
            game,
            variant: game.variant(variant)?,
            at: GamePosition::Piece(1),
            pieces: Vec::new(),
            limits: None,
            steps: Vec::new(),
            later: Steps::exactly(1),
        })
    }

    /// Whether any steps between given or coming picks are ranges.
    pub fn has_open_gaps(&self) -> bool {
        let given = self.steps.iter().take(self.pieces.len());
        let any = given.chain([&self.later]).any(|steps| steps.known().is_none());
        self.game.has_option("gaps") && self.at != GamePosition::Unknown && any
    }

    fn rules(&self) -> &'static dyn PieceSearch {
        self.game.rules().search
    }

    /// The number of different starts of the game.
    pub fn starts(&self) -> u64 {
        self.rules().starts(self)
    }

    /// Whether all starts can be tried in well under a second, rather than several seconds.
    pub fn is_quick(&self) -> bool {
        self.starts() <= 1 << 26 && matches!(self.at, GamePosition::Unknown | GamePosition::Piece(..=20))
    }

    /// Tries all starts, unless the dealing rule alone forbids the pieces. `Ok(None)` if cancelled.
    ///
    /// # Errors
    /// If the question cannot be searched.
    pub fn search(&self, progress: &Progress) -> Result<Option<Answer>, QueryError> {
        if let Some(Broken { piece, why }) = self.rules().broken(self) {
            return Ok(Some(Answer {
                starts: self.starts(),
                complete: true,
                count: 0,
                next: [0; 7],
                likely: None,
                matched: piece,
                stored: Some(Vec::new()),
                first: Vec::new(),
                against_rule: Some(why),
            }));
        }
        if self.has_open_gaps() {
            return Ok(self.rules().search_open_gaps(self, progress));
        }
        let scan = self.rules().search(self, progress)?;
        Ok(scan.map(|Scan { count, next, matched, stored }| {
            let (stored, first) = all_or_first(count, stored);
            Answer {
                starts: self.starts(),
                complete: progress.is_complete(),
                count,
                next,
                likely: None,
                matched,
                stored,
                first,
                against_rule: None,
            }
        }))
    }

    /// The state of a start as text.
    pub fn state(&self, start: u64) -> String {
        self.rules().state(self, start)
    }

    /// For a start of NES Tetris: state, spawn count and previous piece. None for other games.
    pub fn nes_parts(&self, start: u64) -> Option<(String, u8, Option<Piece>)> {
        self.rules().parts(self, start)
    }

    /// The number of seeds that deal the same as one start because they differ only in bits that no piece depends on.
    pub fn seeds_each(&self) -> u64 {
        self.rules().seeds_each(self)
    }

    /// The dealer of a start, after the last given piece.
    pub fn dealer_after(&self, start: u64) -> Option<AnyDealer> {
        self.rules().dealer_after(self, start)
    }

    /// The number, from 1, of the next piece; None in the middle of a game.
    pub fn next_number(&self) -> Option<u64> {
        match self.at {
            GamePosition::Piece(first) => Some(u64::from(first) + self.pieces.len() as u64),
            GamePosition::Unknown => None,
        }
    }

    /// The dealers of the remaining starts, after the last given piece.
    pub fn dealers(&self, answer: &Answer) -> Vec<AnyDealer> {
        answer.stored.iter().flatten().filter_map(|&start| self.dealer_after(start)).collect()
    }
}

/// The coming pieces, at most `most`, on which all dealers agree.
pub fn agreed(dealers: &[AnyDealer], most: usize) -> Vec<Piece> {
    let Some((first, others)) = dealers.split_first() else { return Vec::new() };
    let mut pieces = first.to_owned().deal_many(most);
    for dealer in others {
        let mut dealer = dealer.clone();
        let same = pieces.iter().take_while(|&&piece| dealer.deal() == piece).count();
        pieces.truncate(same);
    }
    pieces
}

/// The number of different games among the dealers from here on, compared over [`COMPARED_PIECES`] pieces.
pub fn games(dealers: &[AnyDealer]) -> usize {
    let coming = dealers.iter().map(|dealer| dealer.to_owned().deal_many(COMPARED_PIECES));
    coming.collect::<HashSet<_>>().len()
}

/// A character that is not a piece.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sign:?} is not a piece: use I, J, L, O, S, T, Z, or ? for an unknown piece")]
pub struct SignError {
    /// The character.
    pub sign: char,
}

/// Parses pieces: "JTOLS?", in either case; spaces and commas are ignored.
///
/// # Errors
/// The first character that is not a piece.
pub fn parse_pieces(text: &str) -> Result<Vec<Option<Piece>>, SignError> {
    let signs = text.chars().filter(|sign| !sign.is_whitespace() && *sign != ',');
    let piece = |sign| match sign {
        '?' => Ok(None),
        sign => Piece::from_letter(sign).map(Some).ok_or(SignError { sign }),
    };
    signs.map(piece).collect()
}

/// The letters of the pieces, "?" for an unknown one.
pub fn piece_letters(pieces: &[Option<Piece>]) -> String {
    pieces.iter().map(|piece| piece.map_or('?', Piece::letter)).collect()
}
