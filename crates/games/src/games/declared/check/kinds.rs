//! The kinds and their codes, which a randomizer and a list in RAM have alike.

use super::Problems;
use crate::games::declared::language::{Deals, Symbol};

/// Kinds, at most: a pair is a byte.
pub(super) const MAX_KINDS: usize = 16;

impl Problems {
    /// `once` is the help for a kind that is listed twice.
    pub(super) fn kinds(&mut self, deals: Deals, kinds: &[Symbol], codes: &[u8], once: &str) {
        let is_pieces = deals == Deals::Pieces;
        self.range("kinds", "the number of kinds", kinds.len() as u64, 2, MAX_KINDS as u64);
        for (index, kind) in kinds.iter().enumerate() {
            let path = format!("kinds.{index}");
            if kinds[..index].contains(kind) {
                self.add(&path, format!("{kind:?} is listed twice"), once);
            }
            if is_pieces != kind.piece().is_some() {
                let (what, help) =
                    if is_pieces { ("piece", "I, J, L, O, S, T, Z") } else { ("colour", "R, G, B, Y, P") };
                self.add(&path, format!("{kind:?} is not a {what}"), format!("a {what} is one of {help}"));
            }
        }
        if !codes.is_empty() && codes.len() != kinds.len() {
            let message = format!("there are {} codes for {} kinds", codes.len(), kinds.len());
            self.add("codes", message, "give one code for each kind, in the same order");
        }
        for (index, code) in codes.iter().enumerate() {
            if codes[..index].contains(code) {
                let message = format!("code {code} is listed twice");
                self.add(format!("codes.{index}"), message, "each kind has a code of its own");
            }
        }
    }
}
