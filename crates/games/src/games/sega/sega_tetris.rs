//! Sega Tetris (System 16, 1988): 1000 pieces are drawn when a game starts and dealt in a loop.
//!
//! Source: the disassembled routines as described in the seed document; reference 4.2. The seed is in battery RAM; cleared RAM
//! contains zero, which gives the "power-on pattern". During a game the state does not change. After
//! it, the game draws once more if the bonus monkey is shown, and not at all if that is skipped.

use crate::games::piece::{Chances, Dealer, GameDealer, Piece, of_results};
use crate::games::sega::{Routine, State, period};
use crate::games::{GameId, VariantSpec};

/// The id of the game.
pub const ID: GameId = GameId::new("sega-tetris");

/// Calls per game, one for each piece (reference 4.2).
pub const CALLS: u32 = 1000;
/// Pieces per game.
pub const LENGTH: usize = CALLS as usize;

/// The pieces in the order of the game's codes, 0 to 6 (reference 4.2).
pub const CODES: [Piece; 7] = [Piece::I, Piece::Z, Piece::S, Piece::O, Piece::T, Piece::L, Piece::J];

/// The bits of a result that select the piece: six in Tetris and Flash Point (reference 4.2).
const MASK: u32 = 0x3F;

/// The number of low state bits that pieces depend on: bits 16 to 21 of a state select a piece, and a multiplication
/// carries only upward.
pub const STATE_BITS: u32 = 16 + MASK.count_ones();

/// The sources leave nothing open for `sega-tetris`.
pub const PIECE_VARIANTS: &[(&str, &str)] =
    &[("system-16", "the whole long is tested for zero, 0x2A6D365A replaces it")];

/// The variants for profiles.
pub const VARIANTS: &[VariantSpec] = &[];

/// The code of a piece.
pub fn code(piece: Piece) -> u8 {
    // The table contains every piece.
    (0u8..).zip(CODES).find(|(_, coded)| *coded == piece).map_or(0, |(code, _)| code)
}

/// The piece with that code.
pub fn piece(code: u8) -> Option<Piece> {
    CODES.get(usize::from(code)).copied()
}

/// The code selected by a result.
pub const fn code_of_result(result: u32) -> u8 {
    ((result & MASK) % 7) as u8
}

/// The number of pieces after which this generator repeats them, drawing without pause: 262,144 from cleared
/// battery RAM. There are as many different games, because with and without the monkey all of them are reached.
pub const fn piece_period(routine: Routine, seed: State) -> u32 {
    period(routine.effective(seed).0, STATE_BITS)
}

/// One game: the drawn pieces and the position in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    routine: Routine,
    seed: State,
    after: State,
    codes: Box<[u8; LENGTH]>,
    index: usize,
}

impl Game {
    /// Sega Tetris with that seed.
    pub fn new(seed: State) -> Self {
        Self::drawn(Routine::TETRIS, seed)
    }

    /// A game drawn with another version of the routine.
    pub fn drawn(routine: Routine, seed: State) -> Self {
        let mut codes = Box::new([0; LENGTH]);
        let mut after = seed;
        for code in codes.iter_mut() {
            let result;
            (after, result) = routine.call(after);
            *code = code_of_result(result);
        }
        Self { routine, seed, after, codes, index: 0 }
    }

    /// The seed of the pieces.
    pub fn seed(&self) -> State {
        self.seed
    }

    /// The state after the pieces were drawn; it does not change until the game is over.
    pub fn state_after(&self) -> State {
        self.after
    }

    /// The codes of all pieces, as stored by the game.
    pub fn codes(&self) -> &[u8; LENGTH] {
        &self.codes
    }

    /// The index of the next piece to be dealt, 0 to 999.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The piece `deals` deals after the next one.
    pub fn ahead(&self, deals: usize) -> Piece {
        // A code is a remainder modulo 7.
        piece(self.codes[(self.index + deals) % LENGTH]).unwrap_or(Piece::I)
    }

    /// The seed of the next game: one call further if the monkey is shown.
    pub fn next_seed(&self, monkey_shown: bool) -> State {
        if monkey_shown { self.routine.call(self.after).0 } else { self.after }
    }

    /// The next game.
    pub fn next_game(&self, monkey_shown: bool) -> Self {
        Self::drawn(self.routine, self.next_seed(monkey_shown))
    }

    /// The previous game of the same session; a seed of zero, replaced by the default, has no predecessor.
    pub fn previous_game(&self, monkey_shown: bool) -> Option<Self> {
        let calls = CALLS + u32::from(monkey_shown);
        let zero = self.routine.effective(self.seed) != self.seed;
        (!zero).then(|| Self::drawn(self.routine, self.seed.back(calls)))
    }
}

impl Dealer for Game {
    fn deal(&mut self) -> Piece {
        let piece = self.ahead(0);
        self.index = (self.index + 1) % LENGTH;
        piece
    }
}

/// The game without its codes: a small value that redraws them in every loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sequence {
    routine: Routine,
    seed: State,
    state: State,
    index: u16,
}

impl Sequence {
    /// The pieces of a game with that seed.
    pub const fn new(routine: Routine, seed: State) -> Self {
        Self { routine, seed, state: seed, index: 0 }
    }

    /// The state after all pieces were drawn; it does not change until the game is over, regardless of how many were dealt.
    pub const fn state_after(&self) -> State {
        self.routine.effective(self.seed).jump(CALLS)
    }
}

impl Dealer for Sequence {
    fn deal(&mut self) -> Piece {
        if usize::from(self.index) == LENGTH {
            (self.state, self.index) = (self.seed, 0);
        }
        let result;
        (self.state, result) = self.routine.call(self.state);
        self.index += 1;
        CODES[usize::from(code_of_result(result))]
    }
}

impl GameDealer for Sequence {
    fn state_after(&self) -> String {
        self.state_after().to_string()
    }

    fn chances(&self) -> Option<Chances> {
        // Six bits of a result, modulo 7. (The repetition after 1000 pieces is ignored: no player remembers them.)
        Some(of_results(64, |result| piece(code_of_result(result))))
    }
}
