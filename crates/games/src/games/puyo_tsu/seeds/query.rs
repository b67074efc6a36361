//! The constraints that the observations of a round put on the state before it.

use crate::games::puyo_tsu::seeds::check::{self, Impossible, ObservationPosition};
use crate::games::puyo_tsu::seeds::observations::{Alternative, Observations, Source};
use crate::games::puyo_tsu::{
    Color, Dealer, PoolId, Round, Setup, pool_pair, reachable_color_sets, set_of_draws,
};

/// Sequences of five colour draws, two bits each.
pub(super) const DRAWS: usize = 1024;

/// The constraints on a state, grouped by the bytes that the generator shuffles; they are not contradictory.
#[derive(Debug, Clone)]
pub struct Query {
    setup: Setup,
    dealer: Dealer,
    sets: Vec<[u8; 8]>,
    constraints: Vec<(Source, Vec<Alternative>)>,
}

impl Query {
    /// Builds the query.
    ///
    /// # Errors
    /// If no game can match, with the contradiction and the first position that fails.
    pub fn new(observed: &Observations) -> Result<Self, Impossible> {
        check::check_pools(observed)?;
        let mut query = Self {
            setup: observed.setup,
            dealer: observed.dealer(),
            sets: check::color_sets(observed)?,
            constraints: Vec::new(),
        };
        let mut counts = check::Counts::default();
        for (place, pool, pair, alternatives) in observed_bytes(observed)? {
            let source = Source::of(observed.setup, pool, pair).ok_or(Impossible::NotMade { pool })?;
            let merged = query.require(place, source, alternatives)?;
            query.narrow(place, source, &merged)?;
            counts.add(source, &merged);
            counts.check(place, &mut query.sets)?;
        }
        Ok(query)
    }

    /// Adds constraints on two bytes to those already known.
    fn require(
        &mut self,
        place: ObservationPosition,
        source: Source,
        alternatives: Vec<Alternative>,
    ) -> Result<Vec<Alternative>, Impossible> {
        let Some((_, known)) = self.constraints.iter_mut().find(|(other, _)| *other == source) else {
            self.constraints.push((source, alternatives.clone()));
            return Ok(alternatives);
        };
        let mut both: Vec<Alternative> = Vec::new();
        for a in known.iter() {
            for b in &alternatives {
                if let Some(one) = agreed(*a, *b)
                    && !both.contains(&one)
                {
                    both.push(one);
                }
            }
        }
        if both.is_empty() {
            return Err(Impossible::Contradiction { place, pool: source.pool, index: 2 * source.pair });
        }
        known.clone_from(&both);
        Ok(both)
    }

    /// Retains the colour sets under which the pool contains these colours.
    fn narrow(
        &mut self,
        place: ObservationPosition,
        source: Source,
        required: &[Alternative],
    ) -> Result<(), Impossible> {
        let matches = |set: &[u8; 8]| {
            let colors = &set[..source.colors];
            required.iter().any(|pair| pair.iter().flatten().all(|color| colors.contains(color)))
        };
        self.sets.retain(matches);
        if self.sets.is_empty() {
            return Err(Impossible::Colors { place, pool: source.pool, colors: source.colors });
        }
        Ok(())
    }

    /// The setup.
    pub fn setup(&self) -> Setup {
        self.setup
    }

    /// The player's dealer.
    pub fn dealer(&self) -> Dealer {
        self.dealer
    }

    /// The possible colour sets, of 96.
    pub fn color_sets(&self) -> &[[u8; 8]] {
        &self.sets
    }

    /// The number of constrained pool bytes.
    pub fn known_bytes(&self) -> usize {
        let known = |alternatives: &Vec<Alternative>| {
            (0..2).filter(|&at| alternatives.iter().all(|one| one[at].is_some())).count()
        };
        self.constraints.iter().map(|(_, alternatives)| known(alternatives)).sum()
    }

    /// A rough estimate of how many of the 2^32 states match, as if every byte of a pool were drawn independently: to judge whether a
    /// search is worthwhile.
    #[expect(clippy::cast_precision_loss, reason = "a rough number")]
    pub fn expected_states(&self) -> f64 {
        let under = |set: [u8; 8]| -> f64 {
            let of_pair = |(source, alternatives): &(Source, Vec<Alternative>)| -> f64 {
                let colors = &set[..source.colors];
                let of_puyo = |color: Option<u8>| match color {
                    None => 1.0,
                    Some(color) if colors.contains(&color) => 1.0 / source.colors as f64,
                    Some(_) => 0.0,
                };
                let chance: f64 = alternatives.iter().map(|pair| of_puyo(pair[0]) * of_puyo(pair[1])).sum();
                chance.min(1.0)
            };
            self.constraints.iter().map(of_pair).product()
        };
        let sets = self.allowed();
        let draws = (0u16..).zip(sets.iter()).filter(|(_, allowed)| **allowed);
        let chance: f64 = draws.map(|(draws, _)| under(set_of_draws(draws))).sum::<f64>() / DRAWS as f64;
        chance * (1u64 << 32) as f64
    }

    pub(super) fn constraints(&self) -> &[(Source, Vec<Alternative>)] {
        &self.constraints
    }

    /// The table of draws with a possible colour set.
    pub(super) fn allowed(&self) -> Box<[bool; DRAWS]> {
        allowed(|set| self.sets.contains(set))
    }

    /// Whether a generated round matches all observations: the reference implementation of the filter.
    pub fn fits(&self, round: &Round) -> bool {
        self.sets.contains(&round.color_set)
            && self.constraints.iter().all(|(source, alternatives)| {
                round.pool(source.pool).is_some_and(|pool| {
                    let bytes = source.at().map(|at| pool[usize::from(at)]);
                    alternatives.iter().any(|required| {
                        required.iter().zip(bytes).all(|(required, byte)| required.is_none_or(|w| w == byte))
                    })
                })
            })
    }
}

/// Combines two observations of the same two bytes; None if they contradict.
fn agreed(a: Alternative, b: Alternative) -> Option<Alternative> {
    let mut one = [None; 2];
    for (one, (a, b)) in one.iter_mut().zip(a.into_iter().zip(b)) {
        *one = match (a, b) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.or(b),
        };
    }
    Some(one)
}

type ObservedBytes = (ObservationPosition, PoolId, usize, Vec<Alternative>);

/// All observations, the pairs in deal order and then the pools.
fn observed_bytes(observed: &Observations) -> Result<Vec<ObservedBytes>, Impossible> {
    let dealer = observed.dealer();
    let mut pairs = observed.pairs.clone();
    pairs.sort_by_key(|pair| pair.deal_index);
    let mut all = Vec::new();
    for pair in pairs {
        let place = ObservationPosition::Pair { deal_index: pair.deal_index };
        let bytes = [pair.axis, pair.child].map(|color| color.map(|Color(code)| code));
        check::check_colors(place, &bytes)?;
        if bytes == [None; 2] {
            continue;
        }
        let pool = dealer.pool(pair.deal_index).ok_or(Impossible::Level { level: observed.level })?;
        let mut alternatives = vec![bytes];
        if observed.unordered && bytes[0] != bytes[1] {
            alternatives.push([bytes[1], bytes[0]]);
        }
        all.push((place, pool, pool_pair(pair.deal_index), alternatives));
    }
    for pool in PoolId::ALL {
        for (pair, bytes) in observed.pools[pool.index()].iter().flat_map(|bytes| bytes.chunks(2).enumerate())
        {
            let bytes = [bytes[0], bytes[1]];
            let place = ObservationPosition::Byte { pool, index: 2 * pair + usize::from(bytes[0].is_none()) };
            check::check_colors(place, &bytes)?;
            if bytes != [None; 2] {
                all.push((place, pool, pair, vec![bytes]));
            }
        }
    }
    Ok(all)
}

/// The colour set from the five colours that the draws shuffle, or from all eight bytes.
///
/// # Errors
/// If five draws cannot make it.
pub fn color_set_of(bytes: &[u8]) -> Result<[u8; 8], Impossible> {
    let sets = reachable_color_sets().iter();
    let fits = |set: &&[u8; 8]| (bytes.len() == 5 || bytes.len() == 8) && set.starts_with(bytes);
    sets.copied().find(|set| fits(&set)).ok_or_else(|| Impossible::ColorSet { actual: bytes.to_vec() })
}

/// The table of draws with an accepted colour set.
pub(super) fn allowed(required: impl Fn(&[u8; 8]) -> bool) -> Box<[bool; DRAWS]> {
    let mut table = Box::new([false; DRAWS]);
    for (draws, entry) in (0..).zip(table.iter_mut()) {
        *entry = required(&set_of_draws(draws));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_tsu::State;
    use crate::games::puyo_tsu::seeds::{ObservedPair, find_in_range};
    use nextscope_boards::Vectors;
    use nextscope_task::Progress;

    /// Compares the estimate with the actual number in a part of all states.
    #[test]
    fn about_as_many_states_are_found_as_expected() {
        let round = crate::games::puyo_tsu::generate(State(0x1234_5678), Setup::VERSUS);
        let pools = round.pools.map(|pool| pool.unwrap());
        let part = 1u64 << 20;
        for (pairs, unordered, holes) in
            [(1, false, false), (2, false, false), (2, true, false), (4, false, true)]
        {
            let mut observed = Observations { unordered, ..Observations::empty(Setup::VERSUS) };
            let dealer = observed.dealer();
            for deal_index in 0..pairs {
                let pair = dealer.pair(&pools, deal_index).unwrap();
                let child = (!holes).then_some(pair.child);
                observed.pairs.push(ObservedPair { deal_index, axis: Some(pair.axis), child });
            }
            let query = Query::new(&observed).unwrap();
            let expected = query.expected_states() * part as f64 / (1u64 << 32) as f64;
            let vectors = Vectors::widest();
            let found = find_in_range(&query, 0, part, vectors, &Progress::default()).unwrap().len() as f64;
            assert!(
                (0.7..1.4).contains(&(found / expected)),
                "{pairs} pairs: {found} found, {expected} expected"
            );
        }
    }
}
