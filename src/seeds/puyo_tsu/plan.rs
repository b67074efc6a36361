//! What the sieve asks of every state, in the order in which unrelated states die soonest.

use super::Target;
use super::query::{Alternative, Query, Source};
use crate::game::puyo_tsu::{POOL_LEN, PoolId, Setup, generate, set_of_draws};

/// Sequences of five colour draws, two bits each.
pub(super) const DRAWS: usize = 1024;

/// A generated round that differs from the pools in RAM by no more than this many bytes is their origin, with a fault:
/// two unrelated rounds differ in more than half of 768 bytes.
pub const NEAR: usize = 64;

/// Bytes of the pool shuffled first that are traced back for an answer with a fault, none among those that are copied over (0
/// to 7); and how many of them must be right. An unrelated state passes one time in forty, and one whose pools hold a
/// few wrong bytes does not fail.
const TRACED: [[u8; 2]; 4] = [[8, 9], [10, 11], [128, 129], [254, 255]];
const TRACED_RIGHT: u32 = 5;

/// Couples traced for one pool before whole rounds are made: an unrelated state passes 16 of them with a chance
/// below 3^-32.
const COUPLES_AT_MOST: usize = 16;

/// Two bytes that lie side by side in a pool, and what they may be.
#[derive(Debug, Clone)]
pub(super) struct Couple {
    /// Their places in the pool.
    pub at: [u8; 2],
    /// Colours that their pool is filled with.
    pub colors: usize,
    /// What the two may be: any of these.
    pub alternatives: Vec<Alternative>,
}

/// Couples that are all traced in one stream of 256 indices.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    /// Which stream of indices, 0 being the first after the colour draws.
    pub stream: usize,
    /// The couples, at least one.
    pub couples: Vec<Couple>,
    /// Bytes that must be right where not all need be: the couples then have one alternative each.
    pub at_least: Option<u32>,
}

/// What a state that passed all stages must still stand.
#[derive(Debug, Clone)]
pub(super) enum Confirm {
    /// Nothing: the stages asked for everything.
    Nothing,
    /// Everything that was seen.
    All(Box<Query>),
    /// That its round lies within [`NEAR`] bytes of these pools.
    Near(Box<Target>),
}

/// The whole sieve.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub setup: Setup,
    /// Which sequences of draws are wanted, first draw in the lowest bits.
    pub allowed: Box<[bool; DRAWS]>,
    pub stages: Vec<Stage>,
    pub confirm: Confirm,
}

impl Plan {
    /// For everything that a query asks.
    pub fn exact(query: &Query) -> Self {
        let mut sources: Vec<(Source, Vec<Alternative>)> = query.wants().to_vec();
        sources.sort_by_key(|(source, _)| source.stream); // stable: what was seen first is asked first
        let mut stages: Vec<Stage> = Vec::new();
        let mut left_out = false;
        for (source, alternatives) in sources {
            let couple = Couple { at: source.at(), colors: source.colors, alternatives };
            match stages.iter_mut().rev().find(|stage| stage.stream == source.stream) {
                Some(stage) if stage.couples.len() >= COUPLES_AT_MOST => left_out = true,
                Some(stage) => stage.couples.push(couple),
                None => {
                    stages.push(Stage { stream: source.stream, couples: vec![couple], at_least: None });
                }
            }
        }
        // The first two couples alone: hardly anything passes them, and what does is gathered again into full lanes.
        if let Some(first) = stages.first_mut()
            && first.couples.len() > 2
        {
            let rest = Stage { couples: first.couples.split_off(2), ..first.clone() };
            stages.insert(1, rest);
        }
        let confirm = if left_out { Confirm::All(Box::new(query.clone())) } else { Confirm::Nothing };
        Self { setup: query.setup(), allowed: query.allowed(), stages, confirm }
    }

    /// For rounds that come within [`NEAR`] bytes of a target's pools.
    pub fn near(target: &Target) -> Self {
        let first = target.setup.shuffled_first();
        let pool = &target.pools[first.index()];
        let colors = target.setup.colors()[first.index()].unwrap_or(1);
        let couples = TRACED.map(|at| Couple {
            at,
            colors,
            alternatives: vec![at.map(|at| Some(pool[usize::from(at)]))],
        });
        Self {
            setup: target.setup,
            allowed: allowed(|set| *set == target.color_set),
            stages: vec![Stage { stream: 0, couples: couples.to_vec(), at_least: Some(TRACED_RIGHT) }],
            confirm: Confirm::Near(Box::new(target.clone())),
        }
    }
}

/// The table of draws whose colour set is wanted.
pub(super) fn allowed(wanted: impl Fn(&[u8; 8]) -> bool) -> Box<[bool; DRAWS]> {
    let mut table = Box::new([false; DRAWS]);
    for (draws, entry) in (0..).zip(table.iter_mut()) {
        *entry = wanted(&set_of_draws(draws));
    }
    table
}

impl Confirm {
    /// Whether a state stands it.
    pub fn stands(&self, state: crate::game::puyo_tsu::State, setup: Setup) -> bool {
        match self {
            Self::Nothing => true,
            Self::All(query) => query.fits(&generate(state, setup)),
            Self::Near(target) => distance(state, target) <= NEAR,
        }
    }
}

/// Bytes in which the round of a state differs from the pools, of all the pools that are made.
pub(super) fn distance(state: crate::game::puyo_tsu::State, target: &Target) -> usize {
    let round = generate(state, target.setup);
    PoolId::ALL
        .into_iter()
        .filter_map(|id| {
            let (made, seen): (&[u8; POOL_LEN], _) = (round.pool(id)?, &target.pools[id.index()]);
            Some(made.iter().zip(seen).filter(|(a, b)| a != b).count())
        })
        .sum()
}
