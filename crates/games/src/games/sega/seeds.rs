//! The different starts of Sega's games: no piece depends on more than the lowest 22 bits of the state (Bloxeed: 23), because a
//! call multiplies the state and a multiplication carries only upwards (`game::sega`).
//!
//! A start is numbered by these bits, the low word above the lowest bits of the high word. If the routine treats a low
//! word of zero as zero, the default replaces it, and such starts are skipped: they duplicate the default's.

use crate::games::bloxeed;
use crate::games::piece::AnyDealer;
use crate::games::sega::flash_point;
use crate::games::sega::sega_tetris::{self, Sequence};
use crate::games::sega::{Routine, State, ZeroTest};
use crate::seeds::pieces::game::PieceSearch;
use crate::seeds::pieces::query::{PieceQuery, QueryError};
use crate::seeds::pieces::scan::{Scan, Starts, scan};
use crate::seeds::pieces::spaces::{after_all, first_piece, low, needs_first_piece, skipped};
use nextscope_task::Progress;

/// Bits of the state's high word on which pieces depend.
fn high_bits(query: &PieceQuery) -> u32 {
    match query.game.game() {
        bloxeed::ID => bloxeed::STATE_BITS - 16,
        _ => sega_tetris::STATE_BITS - 16,
    }
}

fn routine(query: &PieceQuery) -> Routine {
    match query.game.game() {
        sega_tetris::ID => Routine::TETRIS,
        flash_point::ID => flash_point::routine(query.variant),
        _ => bloxeed::Reading::from_id(query.variant).routine(),
    }
}

/// The number of skipped starts with a low word of zero, which come first.
fn left_out(query: &PieceQuery) -> u64 {
    match routine(query).zero {
        ZeroTest::WholeLong => 0,
        ZeroTest::LowWord => 1 << high_bits(query),
    }
}

fn starts(query: &PieceQuery) -> u64 {
    (1 << (16 + high_bits(query))) - left_out(query)
}

fn seeds_each(query: &PieceQuery) -> u64 {
    1 << (16 - high_bits(query))
}

/// The state of a start: of the equivalent states, the one whose other bits are zero; but zero itself is not a seed of
/// its own.
fn seed(query: &PieceQuery, start: u64) -> u32 {
    let (bits, number) = (high_bits(query), low(start + left_out(query)));
    let state = number >> bits | (number & ((1 << bits) - 1)) << 16;
    if state == 0 { 1 << (16 + bits) } else { state }
}

/// The dealer of a start before the first piece of the game.
fn dealer(query: &PieceQuery, start: u64) -> AnyDealer {
    let state = State(seed(query, start));
    if query.game.game() == bloxeed::ID {
        let reading = bloxeed::Reading::from_id(query.variant);
        bloxeed::Game::from_piece_seed(reading, State(0), state).into()
    } else {
        Sequence::new(routine(query), state).into()
    }
}

fn search(query: &PieceQuery, progress: &Progress) -> Option<Scan> {
    let first = first_piece(query);
    let (count, possible, earlier) = (starts(query), |_| true, |_| None);
    let (routine, table) = (routine(query), bloxeed::Reading::from_id(query.variant));
    if query.game.game() == bloxeed::ID {
        let make = |start| {
            let state = State(seed(query, start));
            Ok(skipped(bloxeed::Game::from_piece_seed(table, State(0), state), first))
        };
        return scan(&Starts { count, possible, make, earlier }, &query.pieces, progress);
    }
    let make = |start| Ok(skipped(Sequence::new(routine, State(seed(query, start))), first));
    scan(&Starts { count, possible, make, earlier }, &query.pieces, progress)
}

/// The search for the three games.
pub struct Search;

impl PieceSearch for Search {
    fn starts(&self, query: &PieceQuery) -> u64 {
        starts(query)
    }

    fn seeds_each(&self, query: &PieceQuery) -> u64 {
        seeds_each(query)
    }

    fn state(&self, query: &PieceQuery, start: u64) -> String {
        format!("0x{:08X}", seed(query, start))
    }

    fn dealer_after(&self, query: &PieceQuery, start: u64) -> Option<AnyDealer> {
        needs_first_piece(query).ok()?;
        Some(after_all(query, skipped(dealer(query, start), first_piece(query))))
    }

    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(query)?;
        Ok(search(query, progress))
    }
}
