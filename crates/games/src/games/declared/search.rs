//! Which seeds deal what was observed: all seeds are tried on all cores, each until its first wrong deal.

use super::DeclaredDealer;
use super::options::Chosen;
use crate::seeds::pieces::MAX_STORED;
use nextscope_task::Progress;
use rayon::prelude::*;
use std::sync::mpsc::Sender;

/// Seeds between two updates of the progress.
const BLOCK: u64 = 1024;
/// Deals before the given ones between two looks at whether the search is over.
const BETWEEN_LOOKS: u32 = 64;
/// The most bits of a seed for which all are tried.
pub(super) const MAX_BITS: u8 = 32;

/// An observed deal: the known bits of its number, and their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Given {
    pub mask: u8,
    pub value: u8,
}

/// What to search for.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub chosen: Chosen,
    pub given: Vec<Given>,
    /// The number of the first given deal, from 1.
    pub at: u32,
}

/// The seeds that match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matches {
    pub count: u64,
    /// How many of them deal each number next.
    pub next: Vec<u64>,
    /// The most given deals, from the first, that any seed deals.
    pub matched: usize,
    /// The smallest of them.
    pub stored: Vec<u64>,
}

impl Default for Matches {
    fn default() -> Self {
        Self { count: 0, next: vec![0; 256], matched: 0, stored: Vec::new() }
    }
}

impl Matches {
    fn and(mut self, mut other: Self) -> Self {
        self.count += other.count;
        for (mine, others) in self.next.iter_mut().zip(other.next) {
            *mine += others;
        }
        self.matched = self.matched.max(other.matched);
        self.stored.append(&mut other.stored);
        self.stored.sort_unstable();
        self.stored.truncate(MAX_STORED);
        self
    }

    fn try_seed(
        &mut self,
        seed: u64,
        dealer: &mut DeclaredDealer,
        query: &Query,
        progress: &Progress,
    ) -> bool {
        dealer.restart(seed);
        for deal in 1..query.at {
            dealer.deal_number();
            if deal % BETWEEN_LOOKS == 0 && progress.is_over() {
                return false;
            }
        }
        for (place, given) in query.given.iter().enumerate() {
            if dealer.deal_number() & given.mask != given.value {
                self.matched = self.matched.max(place);
                return false;
            }
        }
        // A generator that never gave a number that was asked for deals nothing.
        if dealer.is_stuck() {
            return false;
        }
        self.matched = query.given.len();
        self.count += 1;
        self.next[usize::from(dealer.deal_number())] += 1;
        if self.stored.len() < MAX_STORED {
            self.stored.push(seed);
        }
        true
    }
}

impl Query {
    /// The number of seeds.
    pub fn seeds(&self) -> u64 {
        self.chosen.program.largest_seed() + 1
    }

    /// Tries all seeds, of which there are at most 2^[`MAX_BITS`]. `found` gets those that match at once. None if cancelled.
    pub fn search(&self, progress: &Progress, found: Option<&Sender<Vec<u64>>>) -> Option<Matches> {
        let seeds = self.seeds();
        // 2^22 at most.
        let blocks = u32::try_from(seeds.div_ceil(BLOCK)).unwrap_or(u32::MAX);
        progress.begin(blocks.into());
        let start = || (self.chosen.dealer(0), Matches::default());
        let block = |(mut dealer, mut all): (DeclaredDealer, Matches), block: u32| {
            if progress.is_over() {
                return (dealer, all);
            }
            let first = u64::from(block) * BLOCK;
            let good: Vec<u64> = (first..(first + BLOCK).min(seeds))
                .take_while(|_| !progress.is_over())
                .filter(|seed| all.try_seed(*seed, &mut dealer, self, progress))
                .collect();
            progress.add_found(good.len() as u64);
            progress.add(1);
            if let Some(found) = found.filter(|_| !good.is_empty()) {
                let _ = found.send(good); // whoever listened has ended
            }
            (dealer, all)
        };
        let all = (0..blocks).into_par_iter().with_min_len(16).fold(start, block).map(|(_, all)| all);
        let all = all.reduce(Matches::default, Matches::and);
        (!progress.is_cancelled()).then_some(all)
    }

    /// The dealer of a seed after the last given deal.
    pub fn dealer_after(&self, seed: u64) -> DeclaredDealer {
        let mut dealer = self.chosen.dealer(seed);
        for _ in 1..u64::from(self.at) + self.given.len() as u64 {
            dealer.deal_number();
        }
        dealer
    }
}
