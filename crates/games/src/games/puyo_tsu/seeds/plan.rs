//! The order of the filter's checks: those that reject the most unrelated states come first.

use crate::games::puyo_tsu::seeds::Target;
use crate::games::puyo_tsu::seeds::observations::{Alternative, Source};
use crate::games::puyo_tsu::seeds::query::{DRAWS, Query, allowed};
use crate::games::puyo_tsu::{POOL_LEN, PoolId, Setup, generate};

/// A generated round that differs from the pools in RAM by at most this many bytes is their origin, with a fault:
/// two unrelated rounds differ in more than half of 768 bytes.
pub const MAX_DIFFERENCES: usize = 64;

/// Bytes of the first shuffled pool that are traced back for an answer with a fault, none among those that are overwritten (0
/// to 7); and how many of them must be correct. An unrelated state passes one time in forty, and a state whose pools contain a
/// few wrong bytes does not fail.
const TRACED: [[u8; 2]; 4] = [[8, 9], [10, 11], [128, 129], [254, 255]];
const MIN_CORRECT: u32 = 5;

/// Constraints traced for one pool before entire rounds are generated: an unrelated state passes 16 of them with a chance
/// below 3^-32.
const MAX_CONSTRAINTS: usize = 16;

/// Two adjacent bytes of a pool and their allowed values.
#[derive(Debug, Clone)]
pub(super) struct PairConstraint {
    /// Their positions in the pool.
    pub at: [u8; 2],
    /// Colours that their pool is filled with.
    pub colors: usize,
    /// The allowed value pairs.
    pub alternatives: Vec<Alternative>,
}

impl PairConstraint {
    /// About how many of the pairs pass.
    fn weakness(&self) -> usize {
        let of_color = |color: Option<u8>| if color.is_none() { self.colors } else { 1 };
        self.alternatives.iter().map(|pair| of_color(pair[0]) * of_color(pair[1])).sum()
    }
}

/// Constraints that are traced in one stream of 256 indices.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    /// The index of the stream, 0 being the first after the colour draws.
    pub stream: usize,
    /// The constraints, at least one.
    pub constraints: Vec<PairConstraint>,
    /// The number of bytes that must be correct if not all must; the constraints then have one alternative each.
    pub at_least: Option<u32>,
}

/// The final check of a state that passed all stages.
#[derive(Debug, Clone)]
pub(super) enum FinalCheck {
    /// None: the stages covered everything.
    Nothing,
    /// All observations.
    All(Box<Query>),
    /// The round must be within [`MAX_DIFFERENCES`] bytes of these pools.
    Near(Box<Target>),
}

/// All checks of a search.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub setup: Setup,
    /// The accepted sequences of draws, first draw in the lowest bits.
    pub allowed: Box<[bool; DRAWS]>,
    pub stages: Vec<Stage>,
    /// Whether states that meet in the colour draws pass the first stage at once; it has one constraint then.
    pub merges: bool,
    pub final_check: FinalCheck,
}

impl Plan {
    /// The checks for an exact match of a query.
    pub fn exact(query: &Query) -> Self {
        let mut sources: Vec<(Source, Vec<Alternative>)> = query.constraints().to_vec();
        sources.sort_by_key(|(source, _)| source.stream); // stable: observations are checked in their order
        let mut stages: Vec<Stage> = Vec::new();
        let mut left_out = false;
        for (source, alternatives) in sources {
            let constraint = PairConstraint { at: source.at(), colors: source.colors, alternatives };
            match stages.iter_mut().rev().find(|stage| stage.stream == source.stream) {
                Some(stage) if stage.constraints.len() >= MAX_CONSTRAINTS => left_out = true,
                Some(stage) => stage.constraints.push(constraint),
                None => {
                    stages.push(Stage {
                        stream: source.stream,
                        constraints: vec![constraint],
                        at_least: None,
                    });
                }
            }
        }
        let allowed = query.allowed();
        let merges = !stages.is_empty() && allowed.iter().filter(|allowed| **allowed).count() > DRAWS / 2;
        // Of these few constraints the strongest: hardly any state passes them, and those are collected into full lanes again.
        let alone = if merges { 1 } else { 2 };
        if let Some(first) = stages.first_mut()
            && first.constraints.len() > alone
        {
            if merges {
                first.constraints.sort_by_key(PairConstraint::weakness);
            }
            let rest = Stage { constraints: first.constraints.split_off(alone), ..first.clone() };
            stages.insert(1, rest);
        }
        let final_check =
            if left_out { FinalCheck::All(Box::new(query.clone())) } else { FinalCheck::Nothing };
        Self { setup: query.setup(), allowed, stages, merges, final_check }
    }

    /// The checks for rounds within [`MAX_DIFFERENCES`] bytes of a target's pools.
    pub fn near(target: &Target) -> Self {
        let first = target.setup.shuffled_first();
        let pool = &target.pools[first.index()];
        let colors = target.setup.colors()[first.index()].unwrap_or(1);
        let constraints = TRACED.map(|at| PairConstraint {
            at,
            colors,
            alternatives: vec![at.map(|at| Some(pool[usize::from(at)]))],
        });
        Self {
            setup: target.setup,
            allowed: allowed(|set| *set == target.color_set),
            stages: vec![Stage { stream: 0, constraints: constraints.to_vec(), at_least: Some(MIN_CORRECT) }],
            merges: false,
            final_check: FinalCheck::Near(Box::new(target.clone())),
        }
    }
}

impl FinalCheck {
    /// Whether a state passes the final check.
    pub fn passes_final_check(&self, state: crate::games::puyo_tsu::State, setup: Setup) -> bool {
        match self {
            Self::Nothing => true,
            Self::All(query) => query.fits(&generate(state, setup)),
            Self::Near(target) => distance(state, target) <= MAX_DIFFERENCES,
        }
    }
}

/// The number of bytes in which the round of a state differs from the pools, over all generated pools.
pub(super) fn distance(state: crate::games::puyo_tsu::State, target: &Target) -> usize {
    let round = generate(state, target.setup);
    PoolId::ALL
        .into_iter()
        .filter_map(|id| {
            let (made, observed): (&[u8; POOL_LEN], _) = (round.pool(id)?, &target.pools[id.index()]);
            Some(made.iter().zip(observed).filter(|(a, b)| a != b).count())
        })
        .sum()
}
