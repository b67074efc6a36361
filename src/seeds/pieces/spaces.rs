//! The different starts of each game: how many there are, and the dealer of each.

use super::question::{At, Question, Reject};
use super::scan::{Progress, Scan, Starts, scan};
use super::{arika, nes, sega};
use crate::game::arika::RELEVANT_BITS;
use crate::game::bounded::{Bounded, Limits};
use crate::game::piece::{Dealer, Piece};
use crate::game::pieces::{AnyDealer, PieceGame, PieceOptions};
use crate::game::tetris_1985::Tetris1985;
use crate::game::tetris_worlds::{self, Bag, TetrisWorlds};
use crate::game::tgm1::{Reading, Tgm1};
use crate::game::tgm2::Tgm2;
use crate::game::tgm3::{DocumentPool, Tgm3};
use crate::game::uniform::{Kind, Uniform};

/// Games whose starts are numbered alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Arika,
    /// A generator in the place of one that is not documented.
    Uniform(Kind),
    Nes,
    Sega,
    /// Our own, by its seeds.
    Bounded,
}

fn family(question: &Question) -> Family {
    match question.game {
        PieceGame::Tgm1 | PieceGame::Tgm2 | PieceGame::Tgm3 => Family::Arika,
        PieceGame::Tetris1985 | PieceGame::TetrisWorlds => Family::Uniform(Kind::from_id(question.variant)),
        PieceGame::TetrisNes => Family::Nes,
        PieceGame::SegaTetris | PieceGame::FlashPoint | PieceGame::Bloxeed => Family::Sega,
        PieceGame::Bounded => Family::Bounded,
    }
}

pub fn starts(question: &Question) -> u64 {
    match family(question) {
        Family::Arika | Family::Uniform(Kind::Arika) => 1 << RELEVANT_BITS,
        Family::Nes => nes::starts(question),
        Family::Sega => sega::starts(question),
        Family::Uniform(_) | Family::Bounded => 1 << u32::BITS,
    }
}

pub fn seeds_each(question: &Question) -> u64 {
    match family(question) {
        Family::Arika | Family::Uniform(Kind::Arika) => 1 << (u32::BITS - RELEVANT_BITS),
        Family::Nes => nes::counts_each(question),
        Family::Sega => sega::seeds_each(question),
        Family::Uniform(_) | Family::Bounded => 1,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "starts are numbered with at most 32 bits")]
pub const fn low(start: u64) -> u32 {
    start as u32
}

pub fn state(question: &Question, start: u64) -> String {
    match family(question) {
        Family::Arika => format!("0x{:08X}", arika::seed(start)),
        Family::Nes => nes::state(question, start),
        Family::Sega => format!("0x{:08X}", sega::seed(question, start)),
        Family::Uniform(_) | Family::Bounded => format!("0x{start:08X}"),
    }
}

/// Of a start of NES Tetris: state, count of picks, and the piece before. None of other games.
pub fn nes_parts(question: &Question, start: u64) -> Option<(String, u8, Option<Piece>)> {
    (family(question) == Family::Nes).then(|| {
        let (state, count, last) = nes::parts(question, start);
        (state.to_string(), count, last)
    })
}

/// The dealer of a start after the last piece that was seen.
pub fn dealer_after(question: &Question, start: u64) -> Option<AnyDealer> {
    let mut pieces = question.pieces.len();
    let mut dealer = match (question.at, family(question)) {
        (At::Unknown, _) => {
            pieces = pieces.checked_sub(arika::HISTORY)?;
            arika::middle(question, start)?
        }
        (_, Family::Nes) => return Some(nes::dealer_after(question, start)?.into()),
        (At::Piece(first), Family::Sega) => skipped(sega::dealer(question, start)?, first),
        (At::Piece(first), family) => {
            let seed = if family == Family::Arika { arika::seed(start) } else { low(start) };
            let options = PieceOptions { limits: question.limits, ..PieceOptions::default() };
            skipped(question.game.dealer(question.variant, seed, options)?, first)
        }
    };
    for _ in 0..pieces {
        dealer.deal();
    }
    Some(dealer)
}

/// The dealer before piece number `first`, from 1.
pub fn skipped<D: Dealer>(mut dealer: D, first: u32) -> D {
    for _ in 1..first {
        dealer.deal();
    }
    dealer
}

pub fn search(question: &Question, progress: &Progress) -> Result<Option<Scan>, Reject> {
    let At::Piece(first) = question.at else { return arika::search_middle(question, progress) };
    Ok(match family(question) {
        Family::Arika => {
            let reading = Reading::from_id(question.variant);
            match question.game {
                PieceGame::Tgm1 => {
                    arika::search(question, progress, |seed| Ok(skipped(Tgm1::new(seed, reading), first)))
                }
                PieceGame::Tgm2 => {
                    arika::search(question, progress, |seed| Ok(skipped(Tgm2::new(seed), first)))
                }
                _ if question.variant == "document" => {
                    arika::search(question, progress, |seed| Ok(skipped(DocumentPool::new(seed), first)))
                }
                _ => arika::search(question, progress, |seed| {
                    arika::second_piece(question, seed)?;
                    Ok(skipped(Tgm3::new(seed), first))
                }),
            }
        }
        // One by one, so that the compiler makes a loop for each generator.
        Family::Uniform(Kind::SplitMix64) => {
            uniform(question, progress, |seed| Uniform::new(Kind::SplitMix64, seed))
        }
        Family::Uniform(Kind::Xorshift32) => {
            uniform(question, progress, |seed| Uniform::new(Kind::Xorshift32, seed))
        }
        Family::Uniform(Kind::Arika) => uniform(question, progress, |seed| Uniform::new(Kind::Arika, seed)),
        Family::Nes => nes::search(question, progress),
        Family::Sega => sega::search(question, progress),
        Family::Bounded => {
            let limits = question.limits.unwrap_or_else(|| Limits::of_variant(question.variant));
            let make = |start| Ok(skipped(Bounded::new(low(start), limits), first));
            let (count, possible, earlier) = (starts(question), |_| true, |_| None);
            scan(&Starts { count, possible, make, earlier }, &question.pieces, progress)
        }
    })
}

/// Tries all seeds of a generator in the place of one that is not documented.
fn uniform(question: &Question, progress: &Progress, rng: impl Fn(u32) -> Uniform + Sync) -> Option<Scan> {
    let (seen, tgm_ace) = (question.pieces.as_slice(), question.variant == "tgm-ace");
    let first = if let At::Piece(first) = question.at { first } else { 1 };
    let starts = starts(question);
    let (possible, earlier) = (|_| true, |_| None);
    if question.game == PieceGame::Tetris1985 {
        let make = |start| Ok(skipped(Tetris1985::new(rng(low(start))), first));
        return scan(&Starts { count: starts, possible, make, earlier }, seen, progress);
    }
    let copies = tetris_worlds::copies(question.variant);
    if copies > 1 {
        let make = |start| Ok(skipped(Bag::new(rng(low(start)), copies), first));
        return scan(&Starts { count: starts, possible, make, earlier }, seen, progress);
    }
    let opening = seen.first().copied().flatten().filter(|_| first == 1 && !tgm_ace);
    let make = |start| {
        let rng = rng(low(start));
        // The first draw of a bag tells its piece, before there is a bag.
        if opening.is_some_and(|piece| Piece::ALL[rng.to_owned().below(7) as usize] != piece) {
            return Err(0);
        }
        Ok(skipped(TetrisWorlds::new(rng, tgm_ace), first))
    };
    scan(&Starts { count: starts, possible, make, earlier }, seen, progress)
}
