//! The different starts of each game: how many there are, and the dealer of each. A line for each game in every function.

use super::arika;
use super::question::{At, Question, Reject};
use super::scan::{Progress, Scan, scan};
use crate::game::arika::RELEVANT_BITS;
use crate::game::piece::Dealer;
use crate::game::pieces::{AnyDealer, PieceGame};
use crate::game::tetris_1985::Tetris1985;
use crate::game::tetris_worlds::TetrisWorlds;
use crate::game::tgm1::Tgm1;
use crate::game::tgm2::Tgm2;
use crate::game::tgm3::{DocumentPool, Tgm3};
use crate::game::uniform::Uniform;

/// Bits by which the starts of a game differ.
fn bits(question: &Question) -> u32 {
    match question.game {
        PieceGame::Tgm1 | PieceGame::Tgm2 | PieceGame::Tgm3 => RELEVANT_BITS,
        PieceGame::Tetris1985 | PieceGame::TetrisWorlds if question.variant == "arika" => RELEVANT_BITS,
        _ => u32::BITS,
    }
}

pub fn starts(question: &Question) -> u64 {
    1 << bits(question)
}

pub fn seeds_each(question: &Question) -> u64 {
    1 << (u32::BITS - bits(question))
}

/// The seed of a start.
fn seed(question: &Question, start: u64) -> u32 {
    if bits(question) == RELEVANT_BITS { arika::seed(start) } else { low(start) }
}

#[expect(clippy::cast_possible_truncation, reason = "starts are numbered with at most 32 bits")]
pub const fn low(start: u64) -> u32 {
    start as u32
}

pub fn state(question: &Question, start: u64) -> String {
    format!("0x{:08X}", seed(question, start))
}

pub fn dealer(question: &Question, start: u64) -> Option<AnyDealer> {
    match question.at {
        At::Unknown => arika::middle(question, start),
        At::Piece(first) => {
            let dealer = question.game.dealer(question.variant, seed(question, start), question.options)?;
            Some(skipped(dealer, first))
        }
    }
}

/// The dealer before piece number `first`, from 1.
fn skipped<D: Dealer>(mut dealer: D, first: u32) -> D {
    for _ in 1..first {
        dealer.deal();
    }
    dealer
}

pub fn search(question: &Question, progress: &Progress) -> Result<Option<Scan>, Reject> {
    let (seen, variant) = (question.pieces.as_slice(), question.variant);
    let first = match question.at {
        At::Piece(first) => first,
        At::Unknown => return arika::search_middle(question, progress),
    };
    let starts = starts(question);
    let every = |_| true;
    Ok(match question.game {
        PieceGame::Tgm1 => {
            let possible = |block| arika::possible(question, block);
            scan(starts, seen, progress, possible, |start| {
                skipped(Tgm1::of_variant(variant, arika::seed(start)), first)
            })
        }
        PieceGame::Tgm2 => {
            let possible = |block| arika::possible(question, block);
            scan(starts, seen, progress, possible, |start| skipped(Tgm2::new(arika::seed(start)), first))
        }
        PieceGame::Tgm3 if variant == "document" => {
            let possible = |block| arika::possible(question, block);
            scan(starts, seen, progress, possible, |start| {
                skipped(DocumentPool::new(arika::seed(start)), first)
            })
        }
        PieceGame::Tgm3 => {
            let possible = |block| arika::possible(question, block);
            scan(starts, seen, progress, possible, |start| skipped(Tgm3::new(arika::seed(start)), first))
        }
        PieceGame::Tetris1985 => scan(starts, seen, progress, every, |start| {
            skipped(Tetris1985::new(Uniform::of_variant(variant, seed(question, start))), first)
        }),
        PieceGame::TetrisWorlds => scan(starts, seen, progress, every, |start| {
            let rng = Uniform::of_variant(variant, seed(question, start));
            skipped(TetrisWorlds::new(rng, variant == "tgm-ace"), first)
        }),
        game => return Err(Reject::NoSearch(game.name())),
    })
}
