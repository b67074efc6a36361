//! The observed pairs of a game, and checks that reject impossible queries.

use crate::games::puyo_20th::{COPIED, Color, POOL_LEN, POOL_PAIRS, PoolId, State};
use crate::pairs::PartialPair;
use std::collections::BTreeMap;
use std::fmt;

/// A query to the 65,536 games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// The pool that the pairs come from, by its number of colours.
    pub pool: PoolId,
    /// The observed pairs, each with its number in deal order, from 0. The pool is a loop of 128, so pair 128 is pair 0
    /// again. In any order; a pair may be given more than once, and gaps are allowed.
    pub pairs: Vec<(u32, PartialPair)>,
    /// Whether the colours are only names: any one-to-one renaming matches, the same for the entire query.
    pub relabel: bool,
    /// Whether the orientation of the pairs is unknown.
    pub unordered: bool,
    /// The state of the random number generator after the generation, if known.
    pub state: Option<State>,
}

/// Why no game can match the query, determined without a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Impossible {
    /// A colour that pairs do not have.
    NoColor {
        /// The pair, from 0.
        pair: u32,
        /// The colour.
        color: Color,
    },
    /// More different colours than the pool has.
    TooManyColors {
        /// The first pair with one too many, from 0.
        pair: u32,
        /// The colours up to there.
        colors: Vec<Color>,
        /// The number of colours that the pool has.
        most: usize,
    },
    /// More than three different colours in the first two pairs, which come from the 3-colour pool.
    FourAtTheStart {
        /// The colours.
        colors: Vec<Color>,
    },
    /// A colour more often than a pool can contain it.
    TooOften {
        /// The first pair with one too many, from 0.
        pair: u32,
        /// The colour.
        color: Color,
        /// The greatest possible number of that colour among 256 puyos.
        most: usize,
    },
    /// The same pair was given twice with different colours.
    Contradiction {
        /// The number of the second entry, from 0.
        pair: u32,
        /// The first entry.
        first: PartialPair,
        /// The second entry.
        then: PartialPair,
    },
}

impl std::error::Error for Impossible {}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = |colors: &[Color]| colors.iter().map(|color| color.letter()).collect::<String>();
        match self {
            Self::NoColor { pair, color } => {
                write!(f, "pair {}: pairs are never {}; the colours are R G B Y P", pair + 1, color.name())
            }
            Self::TooManyColors { pair, colors, most } => write!(
                f,
                "pair {}: {} colours ({}) up to here, but this is a game of {most} colours",
                pair + 1,
                colors.len(),
                letters(colors)
            ),
            Self::FourAtTheStart { colors } => write!(
                f,
                "pair 2: the first two pairs have {} colours ({}), but both always come from the 3-colour pool",
                colors.len(),
                letters(colors)
            ),
            Self::TooOften { pair, color, most } => write!(
                f,
                "pair {}: {} puyos up to here are {}, but a pool of 128 pairs contains at most {most} of a colour",
                pair + 1,
                most + 1,
                color.name()
            ),
            Self::Contradiction { pair, first, then } => write!(
                f,
                "pair {} was given twice, as {} and as {} (pairs repeat after {POOL_PAIRS})",
                pair + 1,
                first.letters(),
                then.letters()
            ),
        }
    }
}

impl Impossible {
    /// The pair that makes the query impossible, from 0.
    pub fn pair(&self) -> u32 {
        match *self {
            Self::NoColor { pair, .. }
            | Self::TooManyColors { pair, .. }
            | Self::TooOften { pair, .. }
            | Self::Contradiction { pair, .. } => pair,
            Self::FourAtTheStart { .. } => 1,
        }
    }
}

impl Query {
    /// Consecutive pairs from pair `at` (from 0) on, with real colours and known orientation.
    pub fn sequence(pool: PoolId, at: u32, pairs: &[PartialPair]) -> Self {
        let pairs = (at..).zip(pairs.iter().copied()).collect();
        Self { pool, pairs, relabel: false, unordered: false, state: None }
    }

    /// The number of the pair after the last observed one, from 0; 0 if there is none.
    pub fn next_pair(&self) -> u32 {
        self.pairs.iter().map(|&(number, _)| number.saturating_add(1)).max().unwrap_or(0)
    }

    /// The observed pairs in deal order.
    pub fn in_order(&self) -> Vec<(u32, PartialPair)> {
        let mut pairs = self.pairs.clone();
        pairs.sort_by_key(|&(number, _)| number);
        pairs
    }

    /// Checks for contradictions that no game can match.
    ///
    /// # Errors
    ///
    /// The first contradiction in deal order.
    pub fn check(&self) -> Result<(), Impossible> {
        let pairs = self.in_order();
        let mut colors: Vec<Color> = Vec::new();
        let mut at_start: Vec<Color> = Vec::new();
        let mut given: BTreeMap<usize, Vec<PartialPair>> = BTreeMap::new();
        let mut counts: BTreeMap<u8, BTreeMap<usize, usize>> = BTreeMap::new();
        for (pair, observed) in pairs {
            let place = pair as usize % POOL_PAIRS;
            for color in observed.known() {
                if !Color::PAIR_COLORS.contains(&color) {
                    return Err(Impossible::NoColor { pair, color });
                }
                add(&mut colors, color);
                if 2 * place < COPIED {
                    add(&mut at_start, color);
                }
            }
            let most = self.pool.colors();
            if colors.len() > most {
                return Err(Impossible::TooManyColors { pair, colors, most });
            }
            if at_start.len() > PoolId::Three.colors() {
                return Err(Impossible::FourAtTheStart { colors: at_start });
            }
            let before = given.entry(place).or_default();
            if let Some(&first) = before.first()
                && !self.agree(before, observed)
            {
                return Err(Impossible::Contradiction { pair, first, then: observed });
            }
            before.push(observed);
            // A repeated pair counts once.
            for color in observed.known() {
                let here = observed.known().filter(|&other| other == color).count();
                let places = counts.entry(color.0).or_default();
                let count = places.entry(place).or_default();
                *count = here.max(*count);
                let most = most_of_a_color(self.pool);
                if places.values().sum::<usize>() > most {
                    return Err(Impossible::TooOften { pair, color, most });
                }
            }
        }
        Ok(())
    }

    /// Whether one pair can match all of these.
    fn agree(&self, before: &[PartialPair], then: PartialPair) -> bool {
        let fits = |observed: &PartialPair, axis: Color, child: Color| {
            let fits = |observed: Option<Color>, color| observed.is_none_or(|observed| observed == color);
            let straight = fits(observed.axis, axis) && fits(observed.child, child);
            straight || self.unordered && fits(observed.axis, child) && fits(observed.child, axis)
        };
        let mut pairs = Color::PAIR_COLORS.into_iter().flat_map(|a| Color::PAIR_COLORS.map(|b| (a, b)));
        pairs.any(|(axis, child)| before.iter().chain([&then]).all(|observed| fits(observed, axis, child)))
    }
}

fn add(colors: &mut Vec<Color>, color: Color) {
    if !colors.contains(&color) {
        colors.push(color);
    }
}

/// The greatest number of one colour among the 256 puyos of a pool: its share of the fill, and for the 4- and 5-colour pools
/// also the start, which is copied from another pool.
fn most_of_a_color(pool: PoolId) -> usize {
    let share = POOL_LEN.div_ceil(pool.colors());
    if pool == PoolId::Three { share } else { share + COPIED }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::parse_pieces;

    fn query(pool: PoolId, text: &str) -> Query {
        Query::sequence(pool, 0, &parse_pieces(text).unwrap())
    }

    #[test]
    fn impossible_queries_are_rejected_at_their_first_pair() {
        let check = |pool, text: &str| query(pool, text).check();
        assert_eq!(check(PoolId::Four, "BG GG ?Y BB RR"), Ok(()));
        assert_eq!(check(PoolId::Four, "BG GG ?Y BB RR RP").unwrap_err().pair(), 5);
        assert_eq!(check(PoolId::Three, "BG YR").unwrap_err().pair(), 1);
        assert!(matches!(check(PoolId::Five, "BG YR"), Err(Impossible::FourAtTheStart { .. })));
        let most = "RR ".repeat(34);
        assert_eq!(check(PoolId::Four, &most), Ok(()));
        assert_eq!(
            check(PoolId::Four, &format!("{most}RB")),
            Err(Impossible::TooOften { pair: 34, color: Color::RED, most: 68 })
        );
        assert_eq!(check(PoolId::Three, &"RR ".repeat(43)), Ok(()));
        assert!(check(PoolId::Three, &"RR ".repeat(44)).is_err());
        assert_eq!(check(PoolId::Five, &"YY ".repeat(28)), Ok(()));
        assert!(check(PoolId::Five, &"YY ".repeat(29)).is_err());
        let grey = PartialPair { axis: Some(Color(6)), child: None };
        let error = Query::sequence(PoolId::Four, 7, &[grey]).check().unwrap_err();
        assert_eq!(error, Impossible::NoColor { pair: 7, color: Color(6) });
    }

    #[test]
    fn a_pair_given_twice_must_be_consistent() {
        let twice = |one: &str, other: &str, unordered| {
            let pairs = [(3, one), (131, other)].map(|(n, text)| (n, parse_pieces(text).unwrap()[0]));
            Query { pairs: pairs.to_vec(), unordered, ..query(PoolId::Four, "") }.check()
        };
        assert_eq!(twice("RG", "RG", false), Ok(()));
        assert_eq!(twice("R?", "?G", false), Ok(()));
        assert_eq!(twice("RG", "GR", true), Ok(()));
        assert_eq!(twice("R?", "G?", true), Ok(()));
        for (one, other, unordered) in [("RG", "GR", false), ("R?", "G?", false), ("RG", "R?R?", true)] {
            let ok = twice(one, other, unordered);
            assert_eq!(ok.is_ok(), other == "R?R?", "{one} {other}");
        }
        assert!(matches!(twice("RG", "BB", true), Err(Impossible::Contradiction { pair: 131, .. })));
        // A repeated pair is not counted again.
        let pairs = (0..40).map(|n| (128 * n, parse_pieces("RR").unwrap()[0])).collect();
        assert_eq!(Query { pairs, ..query(PoolId::Four, "") }.check(), Ok(()));
    }
}
