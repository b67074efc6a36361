//! The first deals of a game, for which rules have exceptions: kinds that do not come first, and a history before the first deal.
//!
//! One game was observed, so that only the exceptions that made a difference in it are known. They are found by dealing from the state
//! before the first draw, the fewest exceptions first, until what is dealt and the states after each deal are those observed.

use super::observed::Observations;
use super::rules::Fit;
use super::trace::Trace;
use nextscope_games::games::declared::{
    Clock, Deal, Deals, DeclaredDealer, First, Generator, Program, Randomizer, Symbol,
};
use nextscope_task::Progress;
use std::sync::Arc;

/// Kinds that do not come first, at most.
const EXCLUDED_MOST: u32 = 4;
/// Histories before the first deal that are tried.
const HISTORIES_MOST: usize = 20_000;

/// What is known of the first deals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// No first deals were observed, or not their draws.
    NotSeen,
    /// The rule deals them.
    Explained,
    /// The rule deals what comes after them.
    Unexplained,
}

/// The deals of one game from its first on.
struct Game<'a> {
    trace: &'a Trace,
    observed: &'a Observations,
    start: u64,
    /// For each group of deals that are drawn together: the steps before it, the deals, and the index of its last draw.
    groups: Vec<(u32, usize, usize)>,
}

/// Adds to a rule what explains the first deals.
pub(super) fn settle(fit: &mut Fit, trace: &Trace, observed: &Observations, progress: &Progress) -> Opening {
    let Some(game) = Game::new(fit, trace, observed) else { return Opening::NotSeen };
    if fit.alignment.at_start || game.is_dealt_by(&fit.randomizer, usize::MAX) {
        return Opening::Explained;
    }
    for first in game.exceptions(&fit.randomizer) {
        let histories = match &fit.randomizer.deal {
            Deal::History { length, .. } => histories(&observed.kinds, (*length).into()),
            _ => vec![Vec::new()],
        };
        for initial in histories {
            if progress.is_over() {
                return Opening::Unexplained;
            }
            let mut other = Randomizer { first: first.clone(), ..fit.randomizer.clone() };
            if let Deal::History { initial: before, .. } = &mut other.deal {
                *before = initial;
            }
            if game.is_dealt_by(&other, usize::MAX) {
                fit.randomizer = other;
                return Opening::Explained;
            }
        }
    }
    Opening::Unexplained
}

/// Histories, the shortest first.
fn histories(kinds: &[Symbol], length: usize) -> Vec<Vec<Symbol>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let until = all.len();
        for at in from..until {
            for kind in kinds {
                if all.len() == HISTORIES_MOST {
                    return all;
                }
                let longer: Vec<Symbol> = all[at].iter().chain([kind]).copied().collect();
                all.push(longer);
            }
        }
        from = until;
    }
    all
}

impl<'a> Game<'a> {
    fn new(fit: &Fit, trace: &'a Trace, observed: &'a Observations) -> Option<Self> {
        let is_lagged = matches!(trace.generator, Generator::Lagged { .. });
        let first = fit.alignment.groups.first().filter(|group| group.deals.start == 0)?;
        if !observed.from_start || is_lagged {
            return None;
        }
        let clock = fit.randomizer.clock;
        // The first draw reads the state as it is if only frames step the generator.
        let reads_first = usize::from(clock == Clock::Frames);
        let mut last = first.drawn.start.checked_sub(1 - reads_first)?;
        let start = *trace.states.get(last)?;
        let mut groups = Vec::new();
        let mut deal = 0;
        for group in &fit.alignment.groups {
            if group.deals.start != deal || group.drawn.is_empty() {
                break;
            }
            let end = group.deals.end.min(observed.dealt.len());
            let before = if groups.is_empty() { 0 } else { group.drawn.start - last - 1 + reads_first };
            last = group.drawn.end - 1;
            groups.push((u32::try_from(before).ok()?, end - deal, last));
            deal = end;
        }
        Some(Self { trace, observed, start, groups })
    }

    /// Whether a rule deals the first `most` deals, and all if they are fewer.
    fn is_dealt_by(&self, randomizer: &Randomizer, most: usize) -> bool {
        let Ok(program) = Program::new(randomizer.clone()) else { return false };
        let mut dealer = DeclaredDealer::new(Arc::new(program), self.start);
        let mut deal = 0;
        for (before, deals, last) in &self.groups {
            for nth in 0..*deals {
                if deal == most {
                    return true;
                }
                dealer.set_gap(if nth == 0 { *before } else { 0 });
                let number = usize::from(dealer.deal_number());
                let symbols = match randomizer.deals {
                    Deals::Pieces => (randomizer.kinds.get(number), None),
                    Deals::Pairs => (randomizer.kinds.get(number >> 4), randomizer.kinds.get(number & 0xF)),
                };
                let dealt = &self.observed.dealt[deal];
                let is =
                    |symbol: Option<&Symbol>, kind: u8| symbol == self.observed.kinds.get(usize::from(kind));
                if !is(symbols.0, dealt.kind) || symbols.1.is_some() && !is(symbols.1, dealt.child) {
                    return false;
                }
                deal += 1;
            }
            if self.trace.states.get(*last) != Some(&dealer.state().word) {
                return false;
            }
        }
        true
    }

    /// No exception, and sets of kinds that do not come first: those that explain the first deal, without larger ones that contain them.
    fn exceptions(&self, randomizer: &Randomizer) -> Vec<Option<First>> {
        let kinds = &self.observed.kinds;
        let mut sets: Vec<u32> =
            (0..1_u32 << kinds.len()).filter(|set| set.count_ones() <= EXCLUDED_MOST).collect();
        sets.sort_by_key(|set| set.count_ones());
        let mut found: Vec<u32> = Vec::new();
        let mut all = Vec::new();
        for set in sets {
            if found.iter().any(|smaller| set & smaller == *smaller) {
                continue;
            }
            let chosen = kinds.iter().enumerate().filter(|(nth, _)| set >> nth & 1 == 1);
            let excluded: Vec<Symbol> = chosen.map(|(_, kind)| *kind).collect();
            let first = (!excluded.is_empty()).then_some(First::Exclude { kinds: excluded });
            if self.is_dealt_by(&Randomizer { first: first.clone(), ..randomizer.clone() }, 1) {
                // No exception is contained in each set, and the deals after the first one may need one.
                if set > 0 {
                    found.push(set);
                }
                all.push(first);
            }
        }
        all
    }
}
