//! Tetris: The Grand Master 3, Terror-Instinct (Arika, 2005): a pool of 35 pieces in which each drawn piece is
//! replaced with the piece of the longest drought.

use crate::games::GameId;
use crate::games::piece::{ChanceBasis, Chances, Dealer, GameDealer, Piece, shares};
use crate::games::pieces::Variants;
use crate::games::tgm::arika::{History, PIECES, State, first_piece};

/// The id of the game.
pub const ID: GameId = GameId::new("tgm3");

/// Five of each piece (reference 3.6).
pub const POOL: usize = 35;
/// Passes of two draws (reference 3.6); 4, 5 and 7 do not reproduce the recorded game.
const PASSES: u32 = 6;
/// The drought of each piece at the start (reference 3.6).
const FIRST_DROUGHT: u32 = 4;

/// The two methods of dealing.
pub const VARIANTS: Variants = &[
    ("game", "the game's own method, which reproduces the recorded pieces"),
    (
        "document",
        "the document's code, with Arika's generator for Math.random: single draws, and droughts only of pieces already dealt",
    ),
];

/// The dealer of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tgm3 {
    /// The generator.
    pub rng: State,
    /// The last four pieces.
    pub history: History,
    /// The pool, by Arika's numbers.
    pool: [u8; POOL],
    /// The drought of each piece, by Arika's numbers.
    drought: [u32; 7],
}

/// The longest drought found while one piece is dealt, and its piece.
///
/// The game resets this only for the next piece, not between two draws (the "bug" of reference 3.6): if a slot was
/// refilled on the way and the piece of the longest drought is then dealt, no other piece exceeds it, so its own
/// slot gets the same piece again.
#[derive(Default)]
struct Longest {
    drought: u32,
    code: u8,
}

impl Tgm3 {
    /// The dealer before the first piece of a game.
    pub fn new(seed: u32) -> Self {
        // Five I, five Z and so on, in the order of the numbers (reference 3.6).
        let mut pool = [0; POOL];
        for (five, code) in pool.chunks_exact_mut(POOL / PIECES.len()).zip(0..) {
            five.fill(code);
        }
        Self { rng: State(seed), history: History::EMPTY, pool, drought: [FIRST_DROUGHT; 7] }
    }

    /// The piece in a slot of the pool when a game starts.
    pub const fn first_in_slot(slot: usize) -> Piece {
        PIECES[slot / (POOL / PIECES.len()) % PIECES.len()]
    }

    /// The history after the first piece, which replaces the newest of Z, Z, S, S (reference 3.6).
    pub const fn after_first(first: Piece) -> History {
        History::new([first, Piece::Z, Piece::S, Piece::S])
    }

    /// The pieces of the pool, in slot order.
    pub fn pool(&self) -> [Piece; POOL] {
        self.pool.map(|code| PIECES[usize::from(code)])
    }

    /// The piece of the longest drought, as the next refill finds it; among equals, the first by number.
    pub fn longest(&self) -> Piece {
        let mut longest = 0;
        for code in 1..PIECES.len() {
            if self.drought[code] > self.drought[longest] {
                longest = code;
            }
        }
        PIECES[longest]
    }

    fn refill(&mut self, slot: usize, longest: &mut Longest) {
        for (&drought, code) in self.drought.iter().zip(0..) {
            if drought > longest.drought {
                *longest = Longest { drought, code };
            }
        }
        self.pool[slot] = longest.code;
    }
}

impl Dealer for Tgm3 {
    fn deal(&mut self) -> Piece {
        if self.history.is_empty() {
            // The first piece changes neither pool nor droughts.
            let first = first_piece(&mut self.rng);
            self.history = Self::after_first(first);
            return first;
        }
        let mut longest = Longest::default();
        let draw = |rng: &mut State| rng.draw() as usize % POOL;
        let mut slot = draw(&mut self.rng);
        for pass in 1..=PASSES {
            if !self.history.contains(PIECES[usize::from(self.pool[slot])]) {
                break;
            }
            self.refill(slot, &mut longest);
            slot = draw(&mut self.rng);
            if pass < PASSES {
                slot = draw(&mut self.rng);
            }
        }
        let code = usize::from(self.pool[slot]);
        for drought in &mut self.drought {
            *drought += 1;
        }
        self.drought[code] = 0;
        self.refill(slot, &mut longest);
        let piece = PIECES[code];
        self.history = self.history.then(piece);
        piece
    }
}

impl GameDealer for Tgm3 {
    fn state_after(&self) -> String {
        self.rng.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        Some(by_pool(self))
    }

    fn chance_basis(&self) -> Option<ChanceBasis> {
        Some(ChanceBasis::Pool)
    }
}

/// The chances of six passes over the pool; a slot whose piece is in the history is refilled with the longest absent piece before the next
/// (reference 3.6). All slots are equally likely to fail, so the slots of each piece lose their share.
fn by_pool(dealer: &Tgm3) -> Chances {
    let mut slots = shares(&dealer.pool()).map(|share| share * 35.0);
    let held = Piece::ALL.map(|piece| dealer.history.contains(piece));
    let longest = dealer.longest().index();
    let (mut chances, mut reached) = ([0.0; 7], 1.0);
    let add = |chances: &mut Chances, slots: &Chances, reached: f64, all: bool| {
        for ((chance, slots), held) in chances.iter_mut().zip(slots).zip(held) {
            *chance += if all || !held { reached * slots / 35.0 } else { 0.0 };
        }
    };
    for _ in 0..6 {
        add(&mut chances, &slots, reached, false);
        let failing: f64 = slots.iter().zip(held).filter(|(_, held)| *held).map(|(slots, _)| slots).sum();
        reached *= failing / 35.0;
        if failing < 1.0 {
            return chances; // no slot fails
        }
        for (slots, held) in slots.iter_mut().zip(held) {
            if held {
                *slots *= (failing - 1.0) / failing; // all equally
            }
        }
        slots[longest] += 1.0;
    }
    add(&mut chances, &slots, reached, true);
    chances
}

/// The code of seed document 002 ("35 Pool with 6 rolls"), for comparison: it differs from the game in the history,
/// draws once per roll, and its longest drought considers only pieces dealt before, without the first one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DocumentPool {
    /// The generator in place of `Math.random`: a number below n is a draw modulo n.
    pub rng: State,
    /// The last four pieces.
    pub history: History,
    pool: [Piece; POOL],
    /// The dealt pieces, least recent first.
    order: [Piece; 7],
    known: usize,
}

impl DocumentPool {
    /// The dealer before the first piece of a game.
    pub fn new(seed: u32) -> Self {
        let pool = std::array::from_fn(|slot| Piece::ALL[slot % 7]);
        Self { rng: State(seed), history: History::EMPTY, pool, order: Piece::ALL, known: 0 }
    }

    /// Moves the piece to the most recent position.
    fn dealt(&mut self, piece: Piece) {
        let place = self.order[..self.known].iter().position(|&known| known == piece);
        let place = place.unwrap_or_else(|| {
            self.known += 1;
            self.order[self.known - 1] = piece;
            self.known - 1
        });
        self.order[place..self.known].rotate_left(1);
    }
}

impl Dealer for DocumentPool {
    fn deal(&mut self) -> Piece {
        if self.history.is_empty() {
            let first = [Piece::I, Piece::J, Piece::L, Piece::T][(self.rng.draw() % 4) as usize];
            self.history = History::new([first, Piece::S, Piece::Z, Piece::S]);
            return first;
        }
        let mut roll = 1;
        let (slot, piece) = loop {
            let slot = self.rng.draw() as usize % POOL;
            let piece = self.pool[slot];
            if !self.history.contains(piece) || roll == 6 {
                break (slot, piece);
            }
            if self.known > 0 {
                self.pool[slot] = self.order[0];
            }
            roll += 1;
        };
        self.dealt(piece);
        self.pool[slot] = self.order[0];
        self.history = self.history.then(piece);
        piece
    }
}

impl GameDealer for DocumentPool {
    fn state_after(&self) -> String {
        self.rng.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        None
    }
}
