//! The different starts of NES Tetris: 32,767 states of the generator, the spawn count, and the piece before the first one given.
//!
//! The generator runs every frame. Here the frames between two picks are known: the same number before each, or one
//! for each; `gaps` handles ranges. Only the lowest three bits of the spawn count affect a pick; the document's reading takes it modulo 7, so all 256
//! values differ.

use crate::games::piece::{AnyDealer, Dealer, Piece};
use crate::games::tetris_nes::{PERIOD, Pick, Randomizer, Spawner, State, TABLE, gaps};
use crate::seeds::pieces::answer::Answer;
use crate::seeds::pieces::game::{GamePosition, PieceQuery, PieceSearch, QueryError};
use crate::seeds::pieces::scan::{Scan, Starts, low, scan};
use crate::seeds::pieces::spaces::needs_first_piece;
use crate::seeds::pieces::steps::Steps;
use nextscope_task::Progress;

/// The number of spawn counts that play differently.
pub(crate) fn counts(query: &PieceQuery) -> u64 {
    match pick(query) {
        Pick::Code => 8,
        Pick::Document => 256,
    }
}

/// The number of possible previous pieces: only "none" at the start of a game.
fn lasts(query: &PieceQuery) -> u64 {
    if query.at == GamePosition::Piece(1) { 1 } else { TABLE.len() as u64 }
}

pub(crate) fn pick(query: &PieceQuery) -> Pick {
    Pick::from_id(query.variant).unwrap_or_default()
}

fn starts(query: &PieceQuery) -> u64 {
    if query.has_open_gaps() {
        return gaps::position_count(query);
    }
    u64::from(PERIOD) * counts(query) * lasts(query)
}

fn counts_each(query: &PieceQuery) -> u64 {
    256 / counts(query)
}

fn spawner(query: &PieceQuery, start: u64) -> Spawner {
    let (counts, lasts) = (counts(query), lasts(query));
    let last = if lasts == 1 { 0 } else { TABLE[low(start) as usize % TABLE.len()].1 };
    let count = u8::try_from(start / lasts % counts).unwrap_or_default(); // below 256
    Spawner { state: State::after_boot(start / (lasts * counts)), count, last }
}

/// State, spawn count and, in the middle of a game, the piece before.
fn parts(query: &PieceQuery, start: u64) -> (State, u8, Option<Piece>) {
    let spawner = match query.has_open_gaps() {
        true => gaps::spawner_at(query, start),
        false => spawner(query, start),
    };
    let last = TABLE.iter().find(|(_, orientation)| *orientation == spawner.last);
    (spawner.state, spawner.count, last.map(|(piece, _)| *piece))
}

/// The same as text: "0x8988 count 0" and, in the middle of a game, "after T".
fn state(query: &PieceQuery, start: u64) -> String {
    let (state, count, last) = parts(query, start);
    let after = last.map_or_else(String::new, |piece| format!(" after {piece}"));
    format!("{state} count {count}{after}")
}

/// Deals with the given steps for each pick, then with the steps for all further picks.
#[derive(Clone, Copy)]
struct Stepped<'a> {
    spawner: Spawner,
    steps: &'a [Steps],
    later: Steps,
    how: Pick,
}

impl Dealer for Stepped<'_> {
    fn deal(&mut self) -> Piece {
        let steps = self.steps.split_off_first().copied().unwrap_or(self.later);
        self.spawner.state = self.spawner.state.jump(steps.least().into());
        self.spawner.pick_by(self.how).0
    }
}

fn dealer(query: &PieceQuery, start: u64) -> Stepped<'_> {
    let (steps, later) = (query.steps.as_slice(), query.later);
    Stepped { spawner: spawner(query, start), steps, later, how: pick(query) }
}

/// The dealer after the last given piece.
fn dealer_after(query: &PieceQuery, start: u64) -> Option<Randomizer> {
    if query.has_open_gaps() {
        return gaps::dealer_after(query, start);
    }
    let mut dealer = dealer(query, start);
    for _ in &query.pieces {
        dealer.deal();
    }
    let Stepped { spawner, later, how, .. } = dealer;
    Some(Randomizer { spawner, steps: later.known()?, how })
}

fn search(query: &PieceQuery, progress: &Progress) -> Option<Scan> {
    let (possible, earlier) = (|_| true, |_| None);
    let make = |start| Ok(dealer(query, start));
    scan(&Starts { count: starts(query), possible, make, earlier }, &query.pieces, progress)
}

/// The search for NES Tetris.
pub struct Search;

impl PieceSearch for Search {
    fn starts(&self, query: &PieceQuery) -> u64 {
        starts(query)
    }

    fn seeds_each(&self, query: &PieceQuery) -> u64 {
        counts_each(query)
    }

    fn search_open_gaps(&self, query: &PieceQuery, progress: &Progress) -> Option<Answer> {
        gaps::search(query, progress)
    }

    fn state(&self, query: &PieceQuery, start: u64) -> String {
        state(query, start)
    }

    fn dealer_after(&self, query: &PieceQuery, start: u64) -> Option<AnyDealer> {
        needs_first_piece(query).ok()?;
        dealer_after(query, start).map(Into::into)
    }

    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(query)?;
        Ok(search(query, progress))
    }

    fn parts(&self, query: &PieceQuery, start: u64) -> Option<(String, u8, Option<Piece>)> {
        let (state, count, last) = parts(query, start);
        Some((state.to_string(), count, last))
    }
}
