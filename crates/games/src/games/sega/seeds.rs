//! The different starts of games with Sega's generator: no piece depends on more than the lowest bits of the state, because a call
//! multiplies the state and a multiplication carries only upwards (`game::sega`).
//!
//! A start is numbered by these bits, the low word above the lowest bits of the high word. If the routine treats a low
//! word of zero as zero, the default replaces it, and such starts are skipped: they duplicate the default's.

use crate::games::piece::{AnyDealer, Dealer};
use crate::games::sega::sega_tetris::{self, Sequence};
use crate::games::sega::{Routine, State, ZeroTest};
use crate::seeds::pieces::game::{PieceQuery, PieceSearch, QueryError, after_all, first_piece, skipped};
use crate::seeds::pieces::scan::{Scan, low, scan_all};
use crate::seeds::pieces::spaces::needs_first_piece;
use nextscope_task::Progress;

/// A game that deals from Sega's generator.
pub(crate) trait SegaGame: Sync {
    /// Bits of the state on which pieces depend.
    const STATE_BITS: u32;

    /// The routine of a variant.
    fn routine(&self, variant: &str) -> Routine;

    /// The dealers of a variant, by the state before the first piece.
    fn dealer(&self, variant: &str) -> impl Fn(State) -> Self::Dealer + Sync;

    /// How the game deals.
    type Dealer: Dealer + Into<AnyDealer>;
}

/// A game that draws its pieces ahead into a buffer, by its routine.
pub(super) struct Buffered(pub fn(&str) -> Routine);

impl SegaGame for Buffered {
    const STATE_BITS: u32 = sega_tetris::STATE_BITS;
    type Dealer = Sequence;

    fn routine(&self, variant: &str) -> Routine {
        (self.0)(variant)
    }

    fn dealer(&self, variant: &str) -> impl Fn(State) -> Sequence + Sync {
        let routine = self.routine(variant);
        move |state| Sequence::new(routine, state)
    }
}

/// The search of such a game.
pub(crate) struct Search<T>(pub T);

impl<T: SegaGame> Search<T> {
    /// Bits of the state's high word on which pieces depend.
    const HIGH_BITS: u32 = T::STATE_BITS - 16;

    /// The number of skipped starts with a low word of zero, which come first.
    fn left_out(&self, query: &PieceQuery) -> u64 {
        match self.0.routine(query.variant).zero {
            ZeroTest::WholeLong => 0,
            ZeroTest::LowWord => 1 << Self::HIGH_BITS,
        }
    }

    /// The state of a start, by the number of those left out: of the equivalent states, the one whose other bits are zero; but zero
    /// itself is not a seed of its own.
    fn seed(left_out: u64, start: u64) -> u32 {
        let (bits, number) = (Self::HIGH_BITS, low(start + left_out));
        let state = number >> bits | (number & ((1 << bits) - 1)) << 16;
        if state == 0 { 1 << (16 + bits) } else { state }
    }
}

impl<T: SegaGame> PieceSearch for Search<T> {
    fn starts(&self, query: &PieceQuery) -> u64 {
        (1 << T::STATE_BITS) - self.left_out(query)
    }

    fn seeds_each(&self, _question: &PieceQuery) -> u64 {
        1 << (16 - Self::HIGH_BITS)
    }

    fn state(&self, query: &PieceQuery, start: u64) -> String {
        format!("0x{:08X}", Self::seed(self.left_out(query), start))
    }

    fn dealer_after(&self, query: &PieceQuery, start: u64) -> Option<AnyDealer> {
        needs_first_piece(query).ok()?;
        let state = State(Self::seed(self.left_out(query), start));
        let dealer = self.0.dealer(query.variant)(state).into();
        Some(after_all(query, skipped(dealer, first_piece(query))))
    }

    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(query)?;
        let (first, left_out, dealer) =
            (first_piece(query), self.left_out(query), self.0.dealer(query.variant));
        let make = |start| Ok(skipped(dealer(State(Self::seed(left_out, start))), first));
        Ok(scan_all(self.starts(query), make, &query.pieces, progress))
    }
}
