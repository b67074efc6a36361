//! How sure a rule is, and what would tell those left apart.

use super::rules::{Family, Fit, Tally};
use nextscope_boards::SplitMix64;
use nextscope_games::games::declared::{DeclaredDealer, Program, Randomizer};
use std::sync::Arc;

/// A rule is certain if the chance that a wrong one explains as much is below this.
pub const CHANCE_MOST: f64 = 1e-6;
/// From this chance on a rule says nothing.
const BY_CHANCE_FROM: f64 = 0.1;
/// Rules that agree on so many deals of most simulated games are the same for a player.
pub const ALIKE_FROM: usize = 256;
/// Games that are simulated for two rules.
const GAMES: u64 = 15;
/// A rule that takes so many more bits to say than the simplest is as far-fetched as a chance of [`CHANCE_MOST`], and does not count as
/// left.
const FAR_FETCHED: f64 = 20.0;
/// Rules that are compared with the best.
const COMPARED: usize = 200;

/// A rule that is left.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The rule, and what it explains.
    pub fit: Fit,
    /// The deals after which half of all games tell it from the best one; None if these are more than [`ALIKE_FROM`].
    pub separated_after: Option<usize>,
}

/// What is known of the rule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// The first candidate is the rule, or deals as it does for [`ALIKE_FROM`] deals and more.
    Certain {
        /// The chance that a wrong rule explains as much.
        chance: f64,
    },
    /// Some rule explains every deal, and several that are left deal differently.
    Several {
        /// More deals that would tell most of them from the first one.
        more: usize,
    },
    /// A rule explains every deal, and it could be chance.
    Unsure {
        /// The chance that a wrong rule explains as much.
        chance: f64,
        /// More deals that would make it certain.
        more: usize,
    },
    /// Some rule explains every deal, as one of so many does by chance: it says nothing.
    ByChance {
        /// More deals after which such a rule is either excluded or certain.
        more: usize,
    },
    /// No rule that was tried explains every deal.
    None,
}

/// The rules that are left, the simplest first, and the verdict.
pub(super) fn judge(mut fits: Vec<Fit>, tried: &[(Family, Tally)]) -> (Vec<Candidate>, Verdict) {
    fits.sort_by(|one, other| one.cost.total_cmp(&other.cost).then(other.bits.total_cmp(&one.bits)));
    let simplest = fits.first().map_or(0.0, |fit| fit.cost);
    fits.retain(|fit| fit.cost <= simplest + FAR_FETCHED);
    let mut left: Vec<Fit> = Vec::new();
    for fit in fits {
        if left.len() < COMPARED && !left.iter().any(|other| other.randomizer == fit.randomizer) {
            left.push(fit);
        }
    }
    let Some(best) = left.first().cloned() else { return (Vec::new(), Verdict::None) };
    let candidates: Vec<Candidate> =
        left.into_iter().map(|fit| Candidate { separated_after: apart(&best, &fit), fit }).collect();
    let chance = chance(&best, tried);
    if chance >= CHANCE_MOST {
        let more = more_for(&best, chance);
        let verdict = if chance >= BY_CHANCE_FROM {
            Verdict::ByChance { more }
        } else {
            Verdict::Unsure { chance, more }
        };
        return (candidates, verdict);
    }
    let apart: Vec<usize> = candidates.iter().filter_map(|candidate| candidate.separated_after).collect();
    let verdict = match apart.iter().max() {
        Some(more) => Verdict::Several { more: *more },
        None if best.is_complete => Verdict::Certain { chance },
        // A number whose meaning was never observed: the next one of its kind tells it.
        None => Verdict::Several { more: best.randomizer.kinds.len() },
    };
    (candidates, verdict)
}

/// The chance that some wrong rule of the same family explains all deals, or, of those that explain the others, the held-back ones.
#[expect(clippy::cast_precision_loss, reason = "counts of rules")]
pub(super) fn chance(best: &Fit, tried: &[(Family, Tally)]) -> f64 {
    let tally = tried
        .iter()
        .find(|(family, _)| *family == best.family)
        .map(|(_, tally)| tally.clone())
        .unwrap_or_default();
    let all = tally.tried.max(1) as f64 * (-best.bits).exp2();
    let held_back = (tally.failed_held_back + 1) as f64 * (-best.held_bits).exp2();
    all.max(held_back).min(1.0)
}

/// Deals that would bring the chance below the limit: a third of them is held back.
fn more_for(best: &Fit, chance: f64) -> usize {
    let missing = (chance / CHANCE_MOST).log2().max(1.0);
    let kinds = f64::from(u32::try_from(best.randomizer.kinds.len()).unwrap_or(2));
    let deals = (3.0 * missing / kinds.log2().max(1.0)).ceil();
    // At most a few dozen: the chance is at most 1.
    (0..1000).find(|more| f64::from(*more) >= deals).map_or(1000, |more: i32| more.unsigned_abs() as usize)
}

/// The deals that separate two rules. The same draw may be read from the state before the step of its frame or, a bit further, from the
/// one after it: each rule begins where its own draws are.
fn apart(one: &Fit, other: &Fit) -> Option<usize> {
    let early = [one, other].map(|fit| fit.alignment.steps_early());
    let least = early[0].min(early[1]);
    separated_after(&one.randomizer, &other.randomizer, early.map(|early| early - least))
}

/// The deals after which half of some simulated games differ; None beyond [`ALIKE_FROM`]. Each begins so many steps before the other.
pub(super) fn separated_after(one: &Randomizer, other: &Randomizer, begins: [u32; 2]) -> Option<usize> {
    if one == other {
        return None;
    }
    let programs = (Program::new(one.clone()).ok()?, Program::new(other.clone()).ok()?);
    let (first, second) = (Arc::new(programs.0), Arc::new(programs.1));
    let mut seeds = SplitMix64(1);
    let mut counts: Vec<usize> = (0..GAMES)
        .map(|_| {
            let seed = u64::from(seeds.draw()) << 32 | u64::from(seeds.draw());
            let mut dealers = (
                DeclaredDealer::new(Arc::clone(&first), seed),
                DeclaredDealer::new(Arc::clone(&second), seed),
            );
            let deal = |dealer: &mut DeclaredDealer, randomizer: &Randomizer, gap: u32| {
                dealer.set_gap(gap);
                let number = usize::from(dealer.deal_number());
                let symbol = |at: usize| randomizer.kinds.get(at).copied();
                match randomizer.deals {
                    nextscope_games::games::declared::Deals::Pieces => (symbol(number), None),
                    nextscope_games::games::declared::Deals::Pairs => {
                        (symbol(number >> 4), symbol(number & 0xF))
                    }
                }
            };
            (0..ALIKE_FROM)
                .find(|nth| {
                    let gap = 10 + seeds.below(60);
                    let of = |early: u32| if *nth == 0 { gap.saturating_sub(early) } else { gap };
                    deal(&mut dealers.0, one, of(begins[0])) != deal(&mut dealers.1, other, of(begins[1]))
                })
                .map_or(usize::MAX, |at| at + 1)
        })
        .collect();
    counts.sort_unstable();
    Some(counts[counts.len() / 2]).filter(|count| *count <= ALIKE_FROM)
}
