//! The 2^25 different starts of Arika's games, and the 2^25 states in the middle of a game with a known history.

use crate::games::piece::{AnyDealer, Dealer, Piece};
use crate::games::tgm::arika::{History, PIECES, RELEVANT_BITS, State, is_first_piece};
use crate::games::tgm::tgm1::{self, Reading, Tgm1};
use crate::games::tgm::tgm2::{self, Tgm2};
use crate::games::tgm::tgm3::{DocumentPool, POOL, Tgm3};
use crate::seeds::pieces::game::{
    GamePosition, PieceQuery, PieceSearch, QueryError, dealer_of_seed, first_piece, skipped,
};
use crate::seeds::pieces::scan::{BLOCK, Scan, Starts, low, scan};
use nextscope_task::Progress;

pub use crate::seeds::pieces::narrowing::Narrowing;

/// The number of pieces in the history.
const HISTORY: usize = 4;

// A block contains the states with the same draw: see `seed`.
const _: () = assert!(State(1 << BLOCK.ilog2()).value() == 1);

/// Whether the variant is the document's code, which draws the first piece differently.
fn is_document(query: &PieceQuery) -> bool {
    query.variant == "document"
}

/// The seed of a start. Starts are numbered by the state after the first draw, and the states of a block share the bits of that draw,
/// so the first piece excludes most blocks at once.
const fn seed(start: u64) -> u32 {
    State(low(start)).previous().relevant().0
}

/// The piece of a draw.
const fn drawn(value: u32) -> Piece {
    PIECES[(value % 7) as usize]
}

/// Tries all starts. Only those whose first draw gives the first piece are dealt; all others are reached from there
/// through the rejected draws before it.
fn search_from<D: Dealer>(
    query: &PieceQuery,
    progress: &Progress,
    make: impl Fn(u32) -> Result<D, usize> + Sync,
) -> Option<Scan> {
    let opening = query.pieces.first().copied().flatten().filter(|_| query.at == GamePosition::Piece(1));
    let document = is_document(query);
    let possible = |block| {
        let value = low(block);
        let piece = if document {
            [Piece::I, Piece::J, Piece::L, Piece::T][(value % 4) as usize]
        } else {
            drawn(value)
        };
        (document || is_first_piece(piece)) && opening.is_none_or(|opening| opening == piece)
    };
    let earlier = |start| {
        let before = seed(start);
        (!document && !is_first_piece(drawn(State(before).value()))).then_some(before.into())
    };
    let make = |start| make(seed(start));
    scan(&Starts { count: 1 << RELEVANT_BITS, possible, make, earlier }, &query.pieces, progress)
}

/// Checks the first two pieces of a Terror-Instinct start without building its pool: a second piece from
/// one draw comes from an unchanged slot.
fn second_piece(query: &PieceQuery, seed: u32) -> Result<(), usize> {
    let (GamePosition::Piece(1), &[_, Some(second), ..]) = (query.at, query.pieces.as_slice()) else {
        return Ok(());
    };
    let mut rng = State(seed);
    let first = drawn(rng.draw());
    let piece = Tgm3::first_in_slot(rng.draw() as usize % POOL);
    if piece == second || Tgm3::after_first(first).contains(piece) { Ok(()) } else { Err(1) }
}

/// The history from the first four given pieces.
fn history(query: &PieceQuery) -> Option<History> {
    let &[Some(a), Some(b), Some(c), Some(d), ..] = query.pieces.as_slice() else { return None };
    Some(History::new([d, c, b, a]))
}

/// The dealer of a state in the middle of a game, after the last given piece.
fn middle(query: &PieceQuery, start: u64) -> Option<AnyDealer> {
    fn after(mut dealer: impl Dealer + Into<AnyDealer>, pieces: usize) -> AnyDealer {
        for _ in 0..pieces {
            dealer.deal();
        }
        dealer.into()
    }
    let (rng, history) = (State(seed(start)), history(query)?);
    let pieces = query.pieces.len().checked_sub(HISTORY)?;
    match query.game.game() {
        tgm1::ID => Some(after(Tgm1 { rng, history, reading: Reading::from_id(query.variant) }, pieces)),
        tgm2::ID => Some(after(Tgm2 { rng, history }, pieces)),
        _ => None,
    }
}

/// Tries all states in the middle of a game.
fn search_middle(query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
    if !query.game.rules().from_middle {
        return Err(QueryError::NoMiddle(query.game.name()));
    }
    let history = history(query).ok_or(QueryError::HistoryUnknown)?;
    let given = &query.pieces[HISTORY..];
    let next = given.first().copied().flatten().filter(|_| !is_document(query));
    let possible = |block| {
        let first = drawn(low(block));
        next.is_none_or(|next| first == next || history.contains(first))
    };
    let (count, earlier) = (1 << RELEVANT_BITS, |_| None);
    let found = if query.game.game() == tgm1::ID {
        let reading = Reading::from_id(query.variant);
        let make = |start| Ok(Tgm1 { rng: State(seed(start)), history, reading });
        scan(&Starts { count, possible, make, earlier }, given, progress)
    } else {
        let make = |start| Ok(Tgm2 { rng: State(seed(start)), history });
        scan(&Starts { count, possible, make, earlier }, given, progress)
    };
    Ok(found.map(|scan| Scan { matched: scan.matched + HISTORY, ..scan }))
}

/// The search for the three games.
pub struct Search;

impl PieceSearch for Search {
    fn starts(&self, _: &PieceQuery) -> u64 {
        1 << RELEVANT_BITS
    }

    fn seeds_each(&self, _: &PieceQuery) -> u64 {
        1 << (u32::BITS - RELEVANT_BITS)
    }

    fn state(&self, _: &PieceQuery, start: u64) -> String {
        format!("0x{:08X}", seed(start))
    }

    fn dealer_after(&self, query: &PieceQuery, start: u64) -> Option<AnyDealer> {
        match query.at {
            GamePosition::Unknown => middle(query, start),
            GamePosition::Piece(_) => dealer_of_seed(query, seed(start)),
        }
    }

    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        if query.at == GamePosition::Unknown {
            return search_middle(query, progress);
        }
        let first = first_piece(query);
        // Separate calls, so that the compiler makes a loop for each game.
        Ok(match query.game.game() {
            tgm1::ID => {
                let reading = Reading::from_id(query.variant);
                search_from(query, progress, |seed| Ok(skipped(Tgm1::new(seed, reading), first)))
            }
            tgm2::ID => search_from(query, progress, |seed| Ok(skipped(Tgm2::new(seed), first))),
            _ if is_document(query) => {
                search_from(query, progress, |seed| Ok(skipped(DocumentPool::new(seed), first)))
            }
            _ => search_from(query, progress, |seed| {
                second_piece(query, seed)?;
                Ok(skipped(Tgm3::new(seed), first))
            }),
        })
    }
}
