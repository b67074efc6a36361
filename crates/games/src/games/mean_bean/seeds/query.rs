//! The observations of a round, and the constraints they put on the bytes of its pools.

use crate::games::mean_bean::generator::{COLORS, COPIED, Setup};
use crate::games::mean_bean::{Dealer, Level, Round, pool_pair};
use crate::pairs::PartialPair;
use nextscope_boards::{Color, POOL_LEN};

/// The observations of a round.
#[derive(Debug, Clone)]
pub struct Observations {
    /// Inputs of the generator besides the state.
    pub setup: Setup,
    /// The level of the player whose pairs were observed.
    pub level: Level,
    /// The observed pairs with their numbers in the round, from 0.
    pub pairs: Vec<(u32, PartialPair)>,
    /// Whether axis and child of each pair may be exchanged.
    pub unordered: bool,
    /// Whether colours are only names: any renaming matches, the same for all pairs.
    pub relabel: bool,
    /// The known bytes of the pools.
    pub pools: [Option<[Option<u8>; POOL_LEN]>; 2],
}

impl Observations {
    /// No observations.
    #[must_use]
    pub const fn empty(setup: Setup, level: Level) -> Self {
        Self { setup, level, pairs: Vec::new(), unordered: false, relabel: false, pools: [None; 2] }
    }

    /// The player's dealer.
    #[must_use]
    pub fn dealer(&self) -> Dealer {
        Dealer::first_player(self.setup, self.level)
    }

    /// The first pair after all observed ones, from 0.
    #[must_use]
    pub fn next_pair(&self) -> u32 {
        self.pairs.iter().map(|(number, _)| number.saturating_add(1)).max().unwrap_or(0)
    }
}

/// Why no game can match the observations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// A colour that the pool does not have.
    #[error("it fails at {place}: {} is not in this pool of {colors} colours", Color(*code).name())]
    NoColor {
        /// The pair or byte.
        place: String,
        /// The colour code.
        code: u8,
        /// The number of colours in the pool.
        colors: usize,
    },
    /// More different colours than the pool has.
    #[error(
        "it fails at {place}: more than {colors} different colours up to there, and this pool has {colors}"
    )]
    TooManyColors {
        /// The pair or byte.
        place: String,
        /// The number of colours in the pool.
        colors: usize,
    },
    /// A mode without pools.
    #[error("this mode has no pool: its pairs depend on the frames in which they are drawn")]
    NoPool,
}

/// The renamings of five colours, one bit each.
pub(super) type Renamings = u128;

const RENAMINGS: usize = 120;

/// For each given colour and each colour of the game, the renamings that take one to the other; by position in [`COLORS`].
static NAMED: std::sync::LazyLock<[[Renamings; 5]; 5]> = std::sync::LazyLock::new(|| {
    let mut named = [[0; 5]; 5];
    for number in 0..RENAMINGS {
        // The number in the factorial system selects from the colours that are left.
        let (mut left, mut rest) = (vec![0, 1, 2, 3, 4], number);
        for row in &mut named {
            let color: usize = left.remove(rest % left.len());
            rest /= left.len() + 1;
            row[color] |= 1 << number;
        }
    }
    named
});

/// The identity among the renamings: it always takes the first colour that is left.
const UNCHANGED: Renamings = 1;

/// Two bytes of an array that is shuffled, as far as they are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constraint {
    /// Their places in the array.
    pub at: [u8; 2],
    /// The given colours, by their positions in [`COLORS`].
    pub colors: [Option<usize>; 2],
    /// Whether they may be exchanged.
    pub unordered: bool,
}

impl Constraint {
    /// The renamings of these that are still possible when the bytes are these colours of the game, as far as they are known.
    pub fn narrow(self, renamings: Renamings, actual: [Option<usize>; 2]) -> Renamings {
        let named = |given: Option<usize>, actual: Option<usize>| {
            given.zip(actual).map_or(Renamings::MAX, |(given, actual)| NAMED[given.min(4)][actual.min(4)])
        };
        let [one, other] = self.colors;
        let straight = renamings & named(one, actual[0]) & named(other, actual[1]);
        let turned = || renamings & named(one, actual[1]) & named(other, actual[0]);
        if self.unordered { straight | turned() } else { straight }
    }
}

/// The constraints on a state.
#[derive(Debug, Clone)]
pub struct Query {
    setup: Setup,
    dealer: Dealer,
    renamings: Renamings,
    /// On the first pool.
    pub(super) first: Vec<Constraint>,
    /// On the array of which the second versus pool is made after the copied bytes.
    pub(super) rest: Vec<Constraint>,
}

impl Query {
    /// Builds the query.
    ///
    /// # Errors
    /// If no game can match.
    pub fn new(observed: &Observations) -> Result<Self, Impossible> {
        let mut query = Self {
            setup: observed.setup,
            dealer: observed.dealer(),
            renamings: if observed.relabel { (1 << RENAMINGS) - 1 } else { UNCHANGED },
            first: Vec::new(),
            rest: Vec::new(),
        };
        let mut seen: [Vec<u8>; 2] = [Vec::new(), Vec::new()];
        let pool = query.dealer.pool().ok_or(Impossible::NoPool)?;
        for (number, pair) in &observed.pairs {
            let codes = [pair.axis, pair.child].map(|color| color.map(|Color(code)| code));
            let place = || format!("pair {}", number.saturating_add(1));
            query.require(pool, pool_pair(*number), codes, observed.unordered, &mut seen, place)?;
        }
        for (pool, bytes) in observed.pools.iter().enumerate() {
            for (pair, codes) in bytes.iter().flat_map(|bytes| bytes.chunks_exact(2).enumerate()) {
                let place = || format!("pool {}, byte {}", pool + 1, 2 * pair);
                query.require(pool, pair, [codes[0], codes[1]], false, &mut seen, place)?;
            }
        }
        Ok(query)
    }

    fn require(
        &mut self,
        pool: usize,
        pair: usize,
        codes: [Option<u8>; 2],
        unordered: bool,
        seen: &mut [Vec<u8>; 2],
        place: impl Fn() -> String,
    ) -> Result<(), Impossible> {
        let copied = pair < COPIED / 2;
        let from_first = pool == 0 || copied || !self.setup.is_versus();
        let from = usize::from(!from_first);
        let colors = self.setup.colors()[from];
        for code in codes.into_iter().flatten() {
            let known = COLORS.iter().position(|color| *color == code);
            if known.is_none() || self.renamings == UNCHANGED && known >= Some(colors) {
                return Err(Impossible::NoColor { place: place(), code, colors });
            }
            if !seen[from].contains(&code) {
                seen[from].push(code);
            }
            if seen[from].len() > colors {
                return Err(Impossible::TooManyColors { place: place(), colors });
            }
        }
        if codes == [None; 2] {
            return Ok(());
        }
        let start = if from_first { 2 * pair } else { 2 * pair - COPIED };
        let at = [start, start + 1].map(|at| u8::try_from(at).unwrap_or(u8::MAX));
        let colors = codes.map(|code| code.and_then(|code| COLORS.iter().position(|color| *color == code)));
        let constraint = Constraint { at, colors, unordered: unordered && codes[0] != codes[1] };
        if from_first { &mut self.first } else { &mut self.rest }.push(constraint);
        Ok(())
    }

    /// The setup.
    #[must_use]
    pub const fn setup(&self) -> Setup {
        self.setup
    }

    /// The player's dealer.
    #[must_use]
    pub const fn dealer(&self) -> Dealer {
        self.dealer
    }

    /// The renamings from which the search starts.
    pub(super) const fn renamings(&self) -> Renamings {
        self.renamings
    }

    /// Whether colours are only names.
    pub(super) const fn renames(&self) -> bool {
        self.renamings != UNCHANGED
    }

    /// The number of known bytes.
    #[must_use]
    pub fn known_bytes(&self) -> usize {
        self.known_by_pool().into_iter().sum()
    }

    /// The number of known bytes of the first shuffle and of the second.
    #[must_use]
    pub fn known_by_pool(&self) -> [usize; 2] {
        [&self.first, &self.rest]
            .map(|constraints| constraints.iter().map(|one| one.colors.iter().flatten().count()).sum())
    }

    /// Whether a generated round matches: the reference implementation of the search.
    #[must_use]
    pub fn fits(&self, round: &Round) -> bool {
        let index = |code: u8| COLORS.iter().position(|color| *color == code).unwrap_or(0);
        let arrays: [(&[Constraint], &[u8]); 2] =
            [(&self.first, &round.pools[0]), (&self.rest, &round.pools[1][COPIED..])];
        let constraints = arrays
            .into_iter()
            .flat_map(|(constraints, cells)| constraints.iter().map(move |one| (one, cells)));
        let left = constraints.fold(self.renamings, |left, (one, cells)| {
            one.narrow(left, one.at.map(|at| Some(index(cells[usize::from(at)]))))
        });
        left != 0
    }
}
