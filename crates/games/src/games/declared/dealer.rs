//! The dealer of one game.

use super::compile::Program;
use super::deal::{DealState, MAX_DEAL_DRAWS};
use super::generator::GeneratorState;
use super::language::{Deals, Symbol};
use crate::games::piece::Piece;
use crate::seeds::text::grouped;
use nextscope_boards::{Color, Pair};
use std::sync::Arc;

/// Draws for the predictions of one sample, and for one deal of them: the next sample does not wait.
pub(super) const MAX_LIVE_DRAWS: u32 = 1 << 18;

/// Deals the pieces or pairs of a seed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredDealer {
    program: Arc<Program>,
    state: DealState,
    gap: u32,
}

impl DeclaredDealer {
    /// The dealer before the first deal of a game. Of the seed, as many low bits are used as the randomizer says.
    pub fn new(program: Arc<Program>, seed: u64) -> Self {
        let mut dealer = Self { program, state: DealState::new(MAX_DEAL_DRAWS), gap: 0 };
        dealer.restart(seed);
        dealer
    }

    /// Starts the game of another seed, without allocating.
    pub fn restart(&mut self, seed: u64) {
        self.program.restart(&mut self.state, seed & self.program.largest_seed());
    }

    /// The dealer, for live prediction, of a game whose first draw finds the generator in this state, with its queue made at once.
    pub(super) fn started(program: Arc<Program>, word: u64) -> Self {
        let mut dealer = Self::new(program, 0);
        (dealer.state.is_eager, dealer.state.limit) = (true, MAX_LIVE_DRAWS);
        dealer.set_word(word);
        dealer
    }

    /// The dealer in the middle of a game after these deals, newest first; `made` is how many were made. None if the next deals depend on
    /// more than that.
    pub(super) fn resumed(
        program: Arc<Program>,
        word: u64,
        recent: &[u8],
        made: Option<u64>,
    ) -> Option<Self> {
        let kinds = if program.deals() == Deals::Pairs { 2 * recent.len() } else { recent.len() };
        if program.memory()? > kinds || program.counts_deals() && made.is_none() {
            return None;
        }
        let mut dealer = Self::started(program, word);
        dealer.program.resume(&mut dealer.state, recent, made.unwrap_or(1));
        Some(dealer)
    }

    /// The state of a generator whose state is one number.
    pub(super) const fn word(&self) -> u64 {
        self.state.generator.word
    }

    /// Replaces the state of a generator whose state is one number.
    pub(super) const fn set_word(&mut self, word: u64) {
        self.state.generator.word = word;
    }

    /// Draws since an earlier state of this dealer, modulo 2^32; a draw that reads the state as it is does not count.
    pub(super) const fn draws_since(&self, earlier: &Self) -> u32 {
        self.state.steps.wrapping_sub(earlier.state.steps)
    }

    /// One step of the generator without a draw.
    pub(super) fn step(&mut self) {
        self.program.stepper.step(&mut self.state.generator);
    }

    /// Sets how often the generator steps before each deal besides its draws: frames or other calls. Without either in the description,
    /// it never does.
    pub const fn set_gap(&mut self, steps: u32) {
        self.gap = steps;
    }

    /// The description and its compiled form.
    pub const fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The generator's state after the last deal.
    pub const fn state(&self) -> &GeneratorState {
        &self.state.generator
    }

    /// Whether draws did not end: the generator never gave a number that was asked for, or a deal takes too many. The deals then mean nothing.
    pub const fn is_stuck(&self) -> bool {
        self.state.stuck
    }

    /// Why its deals mean nothing, as the rest of a sentence on their seed; None if they do.
    pub fn trouble(&self) -> Option<String> {
        self.is_stuck().then(|| {
            format!(
                "the generator never gives a number that a draw accepts, or a deal takes more than {} draws, so that nothing can be \
                 dealt; a game has another seed, or [randomizer] is wrong",
                grouped(MAX_DEAL_DRAWS.into())
            )
        })
    }

    /// The next deal as a number: the index of a piece in `kinds`; of a pair 16 times the index of its axis plus that of its child.
    pub fn deal_number(&mut self) -> u8 {
        if self.program.has_gaps {
            for _ in 0..self.gap {
                self.program.stepper.step(&mut self.state.generator);
            }
        }
        self.program.deal(&mut self.state)
    }

    /// The next piece; None if pairs are dealt, and then nothing is dealt.
    pub fn deal_piece(&mut self) -> Option<Piece> {
        if self.program.deals() != Deals::Pieces {
            return None;
        }
        let kind = self.deal_number();
        self.symbol(kind).piece()
    }

    /// The next pair; None if pieces are dealt, and then nothing is dealt.
    pub fn deal_pair(&mut self) -> Option<Pair> {
        if self.program.deals() != Deals::Pairs {
            return None;
        }
        let pair = self.deal_number();
        self.program.pair(pair)
    }

    fn symbol(&self, kind: u8) -> Symbol {
        self.program.symbol(kind)
    }
}

impl Program {
    fn symbol(&self, kind: u8) -> Symbol {
        self.coded.symbol(kind)
    }

    /// Its kinds, in the order of their numbers.
    pub(super) fn symbols(&self) -> &[Symbol] {
        self.coded.symbols()
    }

    /// The piece of a deal, as [`DeclaredDealer::deal_number`] gives it; None for a pair.
    pub fn piece(&self, deal: u8) -> Option<Piece> {
        self.coded.piece(deal)
    }

    /// The pair of a deal; None for a piece.
    pub fn pair(&self, deal: u8) -> Option<Pair> {
        self.coded.pair(deal)
    }

    /// The letters of a deal: one for a piece, two for a pair.
    pub fn letters(&self, deal: u8) -> String {
        self.coded.letters(deal)
    }

    /// The letters of several deals.
    pub(super) fn letters_of_all(&self, deals: &[u8], separator: &str) -> String {
        let mut all = String::new();
        for (index, deal) in deals.iter().enumerate() {
            if index > 0 {
                all += separator;
            }
            all += &self.letters(*deal);
        }
        all
    }
}

impl Symbol {
    /// The piece; None for a colour.
    pub const fn piece(self) -> Option<Piece> {
        Some(match self {
            Self::I => Piece::I,
            Self::J => Piece::J,
            Self::L => Piece::L,
            Self::O => Piece::O,
            Self::S => Piece::S,
            Self::T => Piece::T,
            Self::Z => Piece::Z,
            Self::R | Self::G | Self::B | Self::Y | Self::P => return None,
        })
    }

    /// The colour; None for a piece.
    pub const fn color(self) -> Option<Color> {
        Some(match self {
            Self::R => Color::RED,
            Self::G => Color::GREEN,
            Self::B => Color::BLUE,
            Self::Y => Color::YELLOW,
            Self::P => Color::PURPLE,
            _ => return None,
        })
    }
}
