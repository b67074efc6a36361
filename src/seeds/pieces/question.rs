//! What is asked, and what the answer is.

use super::game::{PieceGame, PieceSearch};
use super::rule::Broken;
use super::scan::{Progress, Scan};
use super::steps::Steps;
use super::{COMPARED_PIECES, KEPT, gaps};
use crate::game::bounded::Limits;
use crate::game::piece::{AnyDealer, Dealer, Piece};
use std::collections::HashSet;

/// Where the first piece that was seen stands in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// It is piece number so and so, from 1.
    Piece(u32),
    /// Somewhere in the middle.
    Unknown,
}

/// The pieces that were seen of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The game.
    pub game: PieceGame,
    /// The reading of it, one of the game's variants.
    pub variant: &'static str,
    /// Where the first piece stands.
    pub at: At,
    /// The pieces, None for one that was not seen.
    pub pieces: Vec<Option<Piece>>,
    /// For `bounded`, limits in place of those of the variant.
    pub limits: Option<Limits>,
    /// For `tetris-nes`, steps of the generator before each of the pieces.
    pub steps: Vec<Steps>,
    /// For `tetris-nes`, steps before each of the pieces beyond those, and before the coming ones; 1 at first.
    pub later: Steps,
}

/// Why a question cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reject {
    /// The game's memory reaches further back than pieces can tell.
    #[error(
        "{0} can only be searched from a known piece: its next pieces depend on the whole game before; give the number of the first piece"
    )]
    NoMiddle(&'static str),
    /// The history is not known.
    #[error(
        "from the middle of a game, the first four pieces given must all be known: they are the game's history"
    )]
    HistoryUnknown,
}

/// What all starts of the game say.
///
/// Where steps between picks are ranges, what is counted is not the starts but the states in which the game can stand after the
/// last piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Different starts of the game, all of which were tried unless the search was stopped.
    pub starts: u64,
    /// Whether the search was not stopped before all starts were tried.
    pub complete: bool,
    /// Those that deal the pieces that were seen.
    pub count: u64,
    /// How many of them deal each piece next, in the order of `Piece::ALL`; where steps are a range, each may deal several.
    pub next: [u64; 7],
    /// The chance of each piece to be next, where steps are ranges: all starts and all numbers of steps are equally likely.
    /// None where the counts tell it.
    pub likely: Option<[f64; 7]>,
    /// The most pieces, from the first, that any start deals: where none deals all, the one after them fails.
    pub matched: usize,
    /// The starts that are left, by their numbers; None when there are more than [`KEPT`].
    pub kept: Option<Vec<u64>>,
    /// The first [`KEPT`] of them when there are more; empty otherwise.
    pub first: Vec<u64>,
    /// Why no start can deal the pieces, where the dealing rule alone says so and nothing had to be tried.
    pub against_rule: Option<String>,
}

impl Answer {
    /// The starts that can be listed: all, or the first when there are more than [`KEPT`].
    #[must_use]
    pub fn listed(&self) -> &[u64] {
        self.kept.as_deref().unwrap_or(&self.first)
    }

    /// The chance of each piece to be next, all starts being equally likely; None when no game deals what was seen.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a chance")]
    pub fn chances(&self) -> Option<[f64; 7]> {
        let counted = || self.next.map(|count| count as f64 / self.count as f64);
        (self.count > 0).then(|| self.likely.unwrap_or_else(counted))
    }
}

impl Question {
    /// A game of which nothing is known yet; None for a variant that does not exist. An empty variant is the default.
    #[must_use]
    pub fn new(game: PieceGame, variant: &str) -> Option<Self> {
        Some(Self {
            game,
            variant: game.variant(variant)?,
            at: At::Piece(1),
            pieces: Vec::new(),
            limits: None,
            steps: Vec::new(),
            later: Steps::exactly(1),
        })
    }

    /// Whether steps between picks, as far as pieces were seen and after them, are ranges.
    #[must_use]
    pub fn has_open_gaps(&self) -> bool {
        let seen = self.steps.iter().take(self.pieces.len());
        let any = seen.chain([&self.later]).any(|steps| steps.known().is_none());
        self.game.has_option("gaps") && self.at != At::Unknown && any
    }

    fn rules(&self) -> &'static dyn PieceSearch {
        self.game.rules().search
    }

    /// Different starts of the game.
    #[must_use]
    pub fn starts(&self) -> u64 {
        self.rules().starts(self)
    }

    /// Whether all starts are tried in a moment, and not in some seconds.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.starts() <= 1 << 26 && matches!(self.at, At::Unknown | At::Piece(..=20))
    }

    /// Tries all starts, unless the dealing rule alone says that none deals the pieces. `Ok(None)` when it was cancelled.
    ///
    /// # Errors
    /// When the question cannot be searched for.
    pub fn search(&self, progress: &Progress) -> Result<Option<Answer>, Reject> {
        if let Some(Broken { piece, why }) = self.rules().broken(self) {
            return Ok(Some(Answer {
                starts: self.starts(),
                complete: true,
                count: 0,
                next: [0; 7],
                likely: None,
                matched: piece,
                kept: Some(Vec::new()),
                first: Vec::new(),
                against_rule: Some(why),
            }));
        }
        if self.has_open_gaps() {
            return Ok(gaps::search(self, progress));
        }
        let scan = self.rules().search(self, progress)?;
        Ok(scan.map(|Scan { count, next, matched, kept }| {
            let (kept, first) = all_or_first(count, kept);
            Answer {
                starts: self.starts(),
                complete: progress.is_complete(),
                count,
                next,
                likely: None,
                matched,
                kept,
                first,
                against_rule: None,
            }
        }))
    }

    /// The state of a start, as people write it.
    #[must_use]
    pub fn state(&self, start: u64) -> String {
        self.rules().state(self, start)
    }

    /// Of a start of NES Tetris: state, count of picks, and the piece before. None of other games.
    #[must_use]
    pub fn nes_parts(&self, start: u64) -> Option<(String, u8, Option<Piece>)> {
        self.rules().parts(self, start)
    }

    /// How many seeds play the same as a start because they differ only in what no piece depends on.
    #[must_use]
    pub fn seeds_each(&self) -> u64 {
        self.rules().seeds_each(self)
    }

    /// The dealer of a start, after the last piece that was seen.
    #[must_use]
    pub fn dealer_after(&self, start: u64) -> Option<AnyDealer> {
        self.rules().dealer_after(self, start)
    }

    /// The number, from 1, of the next piece; None in the middle of a game.
    #[must_use]
    pub fn next_number(&self) -> Option<u64> {
        match self.at {
            At::Piece(first) => Some(u64::from(first) + self.pieces.len() as u64),
            At::Unknown => None,
        }
    }

    /// The dealers that are left, after the last piece that was seen.
    #[must_use]
    pub fn dealers(&self, answer: &Answer) -> Vec<AnyDealer> {
        answer.kept.iter().flatten().filter_map(|&start| self.dealer_after(start)).collect()
    }
}

/// What is kept of so many starts: all of them, or the first.
pub(super) fn all_or_first(count: u64, mut kept: Vec<u64>) -> (Option<Vec<u64>>, Vec<u64>) {
    if count <= KEPT as u64 {
        return (Some(kept), Vec::new());
    }
    kept.truncate(KEPT);
    (None, kept)
}

/// The coming pieces, at most so many, on which all dealers agree.
#[must_use]
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

/// How many different games dealers play from here on, as far as [`COMPARED_PIECES`] tell.
#[must_use]
pub fn games(dealers: &[AnyDealer]) -> usize {
    let coming = dealers.iter().map(|dealer| dealer.to_owned().deal_many(COMPARED_PIECES));
    coming.collect::<HashSet<_>>().len()
}

/// A sign that is no piece.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sign:?} is no piece: write I, J, L, O, S, T, Z, or ? for a piece that was not seen")]
pub struct SignError {
    /// The sign.
    pub sign: char,
}

/// Pieces from text: "JTOLS?", in either case; spaces and commas are passed over.
///
/// # Errors
/// With the first sign that is no piece.
pub fn parse_pieces(text: &str) -> Result<Vec<Option<Piece>>, SignError> {
    let signs = text.chars().filter(|sign| !sign.is_whitespace() && *sign != ',');
    let piece = |sign| match sign {
        '?' => Ok(None),
        sign => Piece::from_letter(sign).map(Some).ok_or(SignError { sign }),
    };
    signs.map(piece).collect()
}

/// The pieces as they are written.
#[must_use]
pub fn piece_letters(pieces: &[Option<Piece>]) -> String {
    pieces.iter().map(|piece| piece.map_or('?', Piece::letter)).collect()
}
