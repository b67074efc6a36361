//! The different starts of Sega's games: no piece depends on more than the lowest 22 bits of the state (Bloxeed: 23), because a
//! call multiplies the state and a multiplication carries only upwards (`game::sega`).
//!
//! A start is numbered by these bits, the low word above the lowest bits of the high word. If the routine treats a low
//! word of zero as zero, the default replaces it, and such starts are skipped: they duplicate the default's.

use super::game::PieceSearch;
use super::question::{PieceQuery, QueryError};
use super::scan::{Progress, Scan, Starts, scan};
use super::spaces::{after_all, first_piece, low, needs_first_piece, skipped};
use crate::game::piece::AnyDealer;
use crate::game::sega::{Routine, State, ZeroTest};
use crate::game::sega_tetris::{self, Sequence};
use crate::game::{bloxeed, flash_point};

/// Bits of the state's high word on which pieces depend.
fn high_bits(question: &PieceQuery) -> u32 {
    match question.game.game() {
        bloxeed::ID => bloxeed::STATE_BITS - 16,
        _ => sega_tetris::STATE_BITS - 16,
    }
}

fn routine(question: &PieceQuery) -> Routine {
    match question.game.game() {
        sega_tetris::ID => Routine::TETRIS,
        flash_point::ID => flash_point::routine(question.variant),
        _ => bloxeed::Reading::from_id(question.variant).routine(),
    }
}

/// The number of skipped starts with a low word of zero, which come first.
fn left_out(question: &PieceQuery) -> u64 {
    match routine(question).zero {
        ZeroTest::WholeLong => 0,
        ZeroTest::LowWord => 1 << high_bits(question),
    }
}

fn starts(question: &PieceQuery) -> u64 {
    (1 << (16 + high_bits(question))) - left_out(question)
}

fn seeds_each(question: &PieceQuery) -> u64 {
    1 << (16 - high_bits(question))
}

/// The state of a start: of the equivalent states, the one whose other bits are zero; but zero itself is not a seed of
/// its own.
fn seed(question: &PieceQuery, start: u64) -> u32 {
    let (bits, number) = (high_bits(question), low(start + left_out(question)));
    let state = number >> bits | (number & ((1 << bits) - 1)) << 16;
    if state == 0 { 1 << (16 + bits) } else { state }
}

/// The dealer of a start before the first piece of the game.
fn dealer(question: &PieceQuery, start: u64) -> AnyDealer {
    let state = State(seed(question, start));
    if question.game.game() == bloxeed::ID {
        let reading = bloxeed::Reading::from_id(question.variant);
        bloxeed::Game::from_piece_seed(reading, State(0), state).into()
    } else {
        Sequence::new(routine(question), state).into()
    }
}

fn search(question: &PieceQuery, progress: &Progress) -> Option<Scan> {
    let first = first_piece(question);
    let (count, possible, earlier) = (starts(question), |_| true, |_| None);
    let (routine, table) = (routine(question), bloxeed::Reading::from_id(question.variant));
    if question.game.game() == bloxeed::ID {
        let make = |start| {
            let state = State(seed(question, start));
            Ok(skipped(bloxeed::Game::from_piece_seed(table, State(0), state), first))
        };
        return scan(&Starts { count, possible, make, earlier }, &question.pieces, progress);
    }
    let make = |start| Ok(skipped(Sequence::new(routine, State(seed(question, start))), first));
    scan(&Starts { count, possible, make, earlier }, &question.pieces, progress)
}

/// The search for the three games.
pub struct Search;

impl PieceSearch for Search {
    fn starts(&self, question: &PieceQuery) -> u64 {
        starts(question)
    }

    fn seeds_each(&self, question: &PieceQuery) -> u64 {
        seeds_each(question)
    }

    fn state(&self, question: &PieceQuery, start: u64) -> String {
        format!("0x{:08X}", seed(question, start))
    }

    fn dealer_after(&self, question: &PieceQuery, start: u64) -> Option<AnyDealer> {
        needs_first_piece(question).ok()?;
        Some(after_all(question, skipped(dealer(question, start), first_piece(question))))
    }

    fn search(&self, question: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(question)?;
        Ok(search(question, progress))
    }
}
