//! The 2^25 different starts of Arika's games, and the 2^25 places in the middle of a game with a known history.

use super::question::{At, Question, Reject};
use super::scan::{Progress, Scan, scan};
use super::spaces::low;
use crate::game::arika::{History, PIECES, RELEVANT_BITS, State, is_first_piece};
use crate::game::piece::Piece;
use crate::game::pieces::{AnyDealer, PieceGame};
use crate::game::tgm1::{Reading, Tgm1};
use crate::game::tgm2::Tgm2;

pub use super::narrowing::Narrowing;

/// The pieces that are the whole history.
pub(super) const HISTORY: usize = 4;

/// Starts are numbered by the state after the first draw, of which one block shares the bits that are drawn: so the first
/// draw is looked at once a block, and the first piece rules out most blocks.
pub(super) const fn seed(start: u64) -> u32 {
    State(low(start)).previous().relevant().0
}

/// The piece of the block's first draw, by Arika's numbers.
const fn first_draw(block: u64) -> Piece {
    PIECES[(block % 7) as usize]
}

/// Whether a start of the block can deal the first piece that was seen: its first draw gives that piece, or one that is
/// drawn again.
pub(super) fn possible(question: &Question, block: u64) -> bool {
    let (At::Piece(1), Some(&Some(seen))) = (question.at, question.pieces.first()) else { return true };
    if question.variant == "document" {
        return true; // it makes of a draw another first piece
    }
    first_draw(block) == seen || !is_first_piece(first_draw(block))
}

/// The history by the first four pieces that were seen.
fn history(question: &Question) -> Option<History> {
    let &[Some(a), Some(b), Some(c), Some(d), ..] = question.pieces.as_slice() else { return None };
    Some(History::new([d, c, b, a]))
}

fn reading(question: &Question) -> Option<Reading> {
    match (question.game, question.variant) {
        (PieceGame::Tgm1, "4-passes") => Some(Reading::FourPasses),
        (PieceGame::Tgm1, "3-passes") => Some(Reading::ThreePasses),
        (PieceGame::Tgm1, "document") => Some(Reading::Document),
        _ => None,
    }
}

/// The dealer of a place in the middle of a game, after the first four of the pieces that were seen.
pub(super) fn middle(question: &Question, start: u64) -> Option<AnyDealer> {
    let (rng, history) = (State(seed(start)), history(question)?);
    match question.game {
        PieceGame::Tgm1 => Some(Tgm1 { rng, history, reading: reading(question)? }.into()),
        PieceGame::Tgm2 => Some(Tgm2 { rng, history }.into()),
        _ => None,
    }
}

/// Tries all places in the middle of a game.
pub(super) fn search_middle(question: &Question, progress: &Progress) -> Result<Option<Scan>, Reject> {
    if !matches!(question.game, PieceGame::Tgm1 | PieceGame::Tgm2) {
        return Err(Reject::NoMiddle(question.game.name()));
    }
    let history = history(question).ok_or(Reject::HistoryUnknown)?;
    let seen = &question.pieces[HISTORY..];
    let document = question.variant == "document";
    let possible = |block: u64| match seen.first() {
        Some(&Some(next)) if !document => first_draw(block) == next || history.holds(first_draw(block)),
        _ => true,
    };
    let starts = 1 << RELEVANT_BITS;
    let found = match reading(question) {
        Some(reading) => {
            scan(starts, seen, progress, possible, |start| Tgm1 { rng: State(seed(start)), history, reading })
        }
        None => scan(starts, seen, progress, possible, |start| Tgm2 { rng: State(seed(start)), history }),
    };
    Ok(found.map(|scan| Scan { matched: scan.matched + HISTORY, ..scan }))
}
