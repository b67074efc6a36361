//! Groups the found states by the round they generate, and finds where these rounds first differ.

use crate::games::puyo_tsu::{Dealer, POOL_PAIRS, Pair, PoolId, Round, Setup, State, Step, generate};
use std::collections::BTreeMap;

/// States with identical rounds.
#[derive(Debug, Clone)]
pub struct Class {
    /// The states, ascending.
    pub states: Vec<State>,
    /// The round.
    pub round: Round,
}

/// Where the classes of an answer first differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundDifference {
    /// In a pair that is dealt to the player.
    Pair {
        /// Its number in the round, from 0.
        deal_index: u32,
    },
    /// The player is dealt the same pairs in all of them; a pool that is not used for this player differs.
    Pool {
        /// The pool.
        pool: PoolId,
        /// The byte, 0 to 255.
        index: usize,
    },
    /// Only the order of the colours differs, which is not visible.
    ColorSet,
}

/// The found states, grouped by round.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The rounds, the one with the most states first.
    pub classes: Vec<Class>,
    /// Where they first differ; None if there is only one.
    pub differs_at: Option<RoundDifference>,
}

/// Pairs after which a player's deals repeat: the first three, and then one loop of the pool.
#[expect(clippy::cast_possible_truncation, reason = "131")]
const DEALS: u32 = 3 + POOL_PAIRS as u32;

/// Groups states by round; differences are ordered as the dealer's player encounters them.
pub fn classes(states: &[State], setup: Setup, dealer: Dealer) -> Answer {
    // Everything depends on the state after the first draw, which several states share.
    let mut rounds: BTreeMap<State, Vec<State>> = BTreeMap::new();
    for &state in states {
        rounds.entry(state.advance(Step::COLOR)).or_default().push(state);
    }
    let mut classes: BTreeMap<([u8; 8], [Option<_>; 3]), Class> = BTreeMap::new();
    for states in rounds.into_values() {
        let Some(&first) = states.first() else { continue };
        let round = generate(first, setup);
        let class = classes
            .entry((round.color_set, round.pools))
            .or_insert_with(|| Class { states: Vec::new(), round });
        class.states.extend(states);
    }
    let mut classes: Vec<Class> = classes.into_values().collect();
    for class in &mut classes {
        class.states.sort_unstable();
    }
    classes.sort_by_key(|class| (std::cmp::Reverse(class.states.len()), class.states.first().copied()));
    let differs_at = classes.split_first().and_then(|(first, others)| {
        others
            .iter()
            .map(|other| parting(&first.round, &other.round, dealer))
            .min_by_key(|parting| order(*parting))
    });
    Answer { classes, differs_at }
}

/// Sort key: how early a player encounters a difference.
fn order(parting: RoundDifference) -> (u8, usize) {
    match parting {
        RoundDifference::Pair { deal_index } => (0, deal_index as usize),
        RoundDifference::Pool { index, .. } => (1, index),
        RoundDifference::ColorSet => (2, 0),
    }
}

fn parting(a: &Round, b: &Round, dealer: Dealer) -> RoundDifference {
    let dealt = |round: &Round, deal_index| -> Option<Pair> {
        dealer.pair(&round.pools.map(|pool| pool.unwrap_or([0; 256])), deal_index)
    };
    if let Some(deal_index) = (0..DEALS).find(|&index| dealt(a, index) != dealt(b, index)) {
        return RoundDifference::Pair { deal_index };
    }
    let differs = |pool: PoolId| {
        let (a, b) = (a.pool(pool)?, b.pool(pool)?);
        let index = a.iter().zip(b).position(|(a, b)| a != b)?;
        Some(RoundDifference::Pool { pool, index })
    };
    PoolId::ALL
        .into_iter()
        .filter_map(differs)
        .min_by_key(|parting| order(*parting))
        .unwrap_or(RoundDifference::ColorSet)
}
