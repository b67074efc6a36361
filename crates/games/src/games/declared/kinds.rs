//! The kinds that a game deals, and the bytes by which it stores them.

use super::language::{Deals, Symbol};
use crate::games::piece::Piece;
use nextscope_boards::Pair;

/// Kinds with their codes. A deal is a number: the index of a piece; of a pair 16 times the index of its axis plus that of its child.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kinds {
    deals: Deals,
    symbols: Vec<Symbol>,
    codes: Vec<u8>,
}

impl Kinds {
    /// Kinds that passed their checks. Without codes they are stored as 0, 1, 2 and so on.
    pub(super) fn new(deals: Deals, symbols: &[Symbol], codes: &[u8]) -> Self {
        let codes = if codes.is_empty() { (0..).take(symbols.len()).collect() } else { codes.to_vec() };
        Self { deals, symbols: symbols.to_vec(), codes }
    }

    /// What is dealt.
    pub const fn deals(&self) -> Deals {
        self.deals
    }

    /// Deals that differ.
    pub(super) fn count(&self) -> usize {
        let kinds = self.symbols.len();
        if self.deals == Deals::Pairs { kinds * kinds } else { kinds }
    }

    /// The kinds in the order of their numbers.
    pub(super) fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    pub(super) fn symbol(&self, kind: u8) -> Symbol {
        self.symbols[usize::from(kind)]
    }

    pub(super) fn code(&self, kind: u8) -> u8 {
        self.codes[usize::from(kind)]
    }

    fn kind(&self, code: u8) -> Option<u8> {
        (0..).zip(&self.codes).find(|(_, known)| **known == code).map(|(kind, _)| kind)
    }

    /// The deal that these bytes store, the axis of a pair first; None for a code that means nothing.
    pub(super) fn deal(&self, bytes: &[u8]) -> Option<u8> {
        match (self.deals, bytes) {
            (Deals::Pieces, [code]) => self.kind(*code),
            (Deals::Pairs, [axis, child]) => Some(self.kind(*axis)? << 4 | self.kind(*child)?),
            _ => None,
        }
    }

    /// The piece of a deal; None for a pair.
    pub fn piece(&self, deal: u8) -> Option<Piece> {
        if self.deals == Deals::Pairs { None } else { self.symbol(deal).piece() }
    }

    /// The pair of a deal; None for a piece.
    pub fn pair(&self, deal: u8) -> Option<Pair> {
        if self.deals == Deals::Pieces {
            return None;
        }
        Some(Pair { axis: self.symbol(deal >> 4).color()?, child: self.symbol(deal & 0xF).color()? })
    }

    /// The letters of a deal: one for a piece, two for a pair.
    pub fn letters(&self, deal: u8) -> String {
        match self.deals {
            Deals::Pieces => format!("{:?}", self.symbol(deal)),
            Deals::Pairs => format!("{:?}{:?}", self.symbol(deal >> 4), self.symbol(deal & 0xF)),
        }
    }
}
