//! The games' pairs as sets of seeds, computed on first use.

#![expect(clippy::cast_possible_truncation, reason = "seeds are 16 bits, places in a pool 8, digits less")]

use crate::games::puyo_20th::seeds::bits::{Bits, WORDS, none};
use crate::games::puyo_20th::seeds::patterns::{self, Patterns};
use crate::games::puyo_20th::seeds::trace::{self, Codes};
use crate::games::puyo_20th::seeds::{GAMES, bits::Test};
use crate::games::puyo_20th::{ColorMap, POOL_PAIRS, PoolId, Seed, State};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Planes of a pair: for axis and child, the seeds whose puyo is each of five colours or digits.
type Planes = [[Box<Bits>; 5]; 2];

/// A pair of a pool in all games.
pub struct Column {
    /// Digits by seed.
    pub codes: Codes,
    digits: OnceLock<Planes>,
    colors: OnceLock<Planes>,
    letters: OnceLock<Box<[u8]>>,
}

/// The colour maps of all games, colours counted from 0: red, green, blue, yellow, purple.
struct Maps {
    by_seed: Vec<[u8; 5]>,
    /// For each digit and colour, the seeds in which the digit represents the colour.
    planes: [[Box<Bits>; 5]; 5],
}

/// The pairs of all games that were used so far; 80 to 290 KiB for each pair of a pool. For first pairs given to [`Table::warm`],
/// also the games sorted by the pattern of eight pairs: 1 MiB.
///
/// Shared between threads; [`Table::shared`] lives as long as the program.
pub struct Table {
    columns: Vec<OnceLock<Column>>,
    maps: OnceLock<Maps>,
    /// For each pool and first pair, with known and with unknown orientation of the pairs.
    patterns: Vec<[OnceLock<Patterns>; 2]>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let made = self.columns.iter().filter(|column| column.get().is_some()).count();
        f.debug_struct("Table").field("pairs_made", &made).finish_non_exhaustive()
    }
}

impl Default for Table {
    fn default() -> Self {
        let columns = std::iter::repeat_with(OnceLock::new).take(3 * POOL_PAIRS).collect();
        let patterns = std::iter::repeat_with(Default::default).take(3 * POOL_PAIRS).collect();
        Self { columns, maps: OnceLock::new(), patterns }
    }
}

impl Table {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The program's shared table.
    pub fn shared() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(Self::new)
    }

    /// Computes these pairs (numbers modulo 128) of a pool in advance, with all the planes that a query reads, so
    /// that no query waits for them (some tens of milliseconds for sixteen pairs). If eight pairs are consecutive from the
    /// first on, queries that start with the first find the games by pattern.
    pub fn warm(&self, pool: PoolId, pairs: impl IntoIterator<Item = u32>) {
        let numbers: Vec<usize> = pairs.into_iter().map(|number| number as usize % POOL_PAIRS).collect();
        self.make(pool, &numbers);
        self.maps();
        if let Some(&first) = numbers.first() {
            rayon::join(
                || self.sort_by_pattern(pool, first, false),
                || self.sort_by_pattern(pool, first, true),
            );
        }
        numbers.par_iter().filter_map(|&number| self.column(pool, number)).for_each(|column| {
            column.digit_planes();
            self.color_planes(pool, column);
            self.colors(column);
        });
    }

    /// Computes these pairs (0 to 127) if they are missing.
    pub(super) fn make(&self, pool: PoolId, numbers: &[usize]) {
        let mut missing: Vec<usize> =
            numbers.iter().copied().filter(|&number| self.column(pool, number).is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        for (&number, codes) in missing.iter().zip(trace::pairs(pool, &missing)) {
            let column =
                Column { codes, digits: OnceLock::new(), colors: OnceLock::new(), letters: OnceLock::new() };
            // Another thread may have computed the same value meanwhile.
            let _ = self.columns[pool.index() * POOL_PAIRS + number].set(column);
        }
    }

    /// A pair (0 to 127) of a pool, if already computed.
    pub(super) fn column(&self, pool: PoolId, number: usize) -> Option<&Column> {
        self.columns[pool.index() * POOL_PAIRS + number].get()
    }

    /// Sorts the games by the pattern of eight pairs from `first` on, if these pairs are available.
    fn sort_by_pattern(&self, pool: PoolId, first: usize, unordered: bool) {
        let slot = &self.patterns[pool.index() * POOL_PAIRS + first][usize::from(unordered)];
        let columns: [_; patterns::PAIRS] =
            std::array::from_fn(|n| self.column(pool, (first + n) % POOL_PAIRS).map(|column| &column.codes));
        let made: Vec<_> = columns.into_iter().flatten().collect();
        if let (None, Ok(columns)) = (slot.get(), made.try_into()) {
            // Another thread may have computed the same value meanwhile.
            let _ = slot.set(Patterns::of(columns, unordered));
        }
    }

    /// The games sorted by the pattern of eight pairs from `first` (0 to 127) on, if available.
    pub(super) fn patterns(&self, pool: PoolId, first: usize, unordered: bool) -> Option<&Patterns> {
        self.patterns[pool.index() * POOL_PAIRS + first][usize::from(unordered)].get()
    }

    /// The planes of a pair by real colour: R G B Y P.
    pub(super) fn color_planes<'a>(&self, pool: PoolId, column: &'a Column) -> &'a Planes {
        column.colors.get_or_init(|| {
            let maps = self.maps();
            column.digit_planes().each_ref().map(|digits| {
                std::array::from_fn(|color| {
                    let mut seeds = none();
                    for (digit, plane) in digits.iter().enumerate().take(pool.colors()) {
                        let assigned = &maps.planes[digit][color];
                        for (out, (a, b)) in seeds.iter_mut().zip(plane.iter().zip(assigned.iter())) {
                            *out |= a & b;
                        }
                    }
                    seeds
                })
            })
        })
    }

    /// The pair in real colours by seed: 5 * axis + child, in the order R G B Y P.
    pub(super) fn colors<'a>(&self, column: &'a Column) -> &'a [u8] {
        column.letters.get_or_init(|| {
            let maps = &self.maps().by_seed;
            let color = |map: &[u8; 5], digit: u8| map[usize::from(digit % 5)];
            let code = |(map, &code): (_, &u8)| 5 * color(map, code & 15) + color(map, code >> 4);
            maps.iter().zip(&column.codes).map(code).collect()
        })
    }

    /// The colour map of a game.
    pub(super) fn map(&self, seed: Seed) -> ColorMap {
        ColorMap(self.maps().by_seed[usize::from(seed)].map(|color| color + 1))
    }

    // Not computed in parallel: a thread that waits inside could take up another task that needs the same maps.
    fn maps(&self) -> &Maps {
        self.maps.get_or_init(|| {
            let maps = every_map();
            let map = |seed: u32| maps[draws_of_map(seed)];
            let by_seed: Vec<[u8; 5]> = (0..GAMES as u32).map(map).collect();
            let planes = std::array::from_fn(|digit| {
                let colors: Vec<u8> = by_seed.iter().map(|map| map[digit]).collect();
                planes_of(&colors, 0)
            });
            Maps { by_seed, planes }
        })
    }
}

impl Column {
    /// The planes by digit.
    pub fn digit_planes(&self) -> &Planes {
        self.digits.get_or_init(|| [planes_of(&self.codes, 0), planes_of(&self.codes, 4)])
    }

    /// Axis and child of a game, as digits.
    pub fn digits(&self, seed: Seed) -> [u8; 2] {
        let code = self.codes[usize::from(seed)];
        [code & 15, code >> 4]
    }
}

/// The draws of a colour map combined into one number: numbers below 5, 4, 3 and 2 (the fifth is
/// always 0) as one below 120.
fn draws_of_map(seed: u32) -> usize {
    let all = [5, 4, 3, 2].into_iter().fold((State(seed), 0), |(state, all), of| {
        let (state, drawn) = state.random(of);
        (state, all * usize::from(of) + usize::from(drawn))
    });
    all.1
}

/// The colour map for each of those numbers, colours from 0: made by removing colours from the list as [`ColorMap::draw`] does.
fn every_map() -> [[u8; 5]; 120] {
    std::array::from_fn(|draws| {
        let drawn = [draws / 24, draws / 6 % 4, draws / 2 % 3, draws % 2, 0];
        let mut left = vec![0, 1, 2, 3, 4];
        drawn.map(|nth| left.remove(nth))
    })
}

/// For the digit in three bits of every byte from `shift` on: the seeds that have each of 0 to 4.
fn planes_of(codes: &[u8], shift: u32) -> [Box<Bits>; 5] {
    let mut planes = std::array::from_fn(|_| none());
    for (w, bytes) in codes.chunks_exact(64).enumerate().take(WORDS) {
        // Bit n of each byte, gathered from eight bytes at a time with a multiplication.
        let mut bits = [0u64; 3];
        for (eighth, bytes) in bytes.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes) >> shift;
            for (n, bits) in bits.iter_mut().enumerate() {
                let spread = word >> n & 0x0101_0101_0101_0101;
                *bits |= spread.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * eighth);
            }
        }
        let [low, middle, high] = bits;
        let digits = [
            !(low | middle | high),
            low & !middle & !high,
            !low & middle & !high,
            low & middle & !high,
            !low & !middle & high,
        ];
        for (plane, digit) in planes.iter_mut().zip(digits) {
            plane[w] = digit;
        }
    }
    planes
}

/// The test for a pair with these planes: `axis` and `child` index them, None for an unknown puyo. None if both
/// are unknown.
pub fn test(planes: &Planes, axis: Option<usize>, child: Option<usize>, unordered: bool) -> Option<Test<'_>> {
    let [of_axis, of_child] = planes;
    Some(match (axis, child, unordered) {
        (Some(x), Some(y), false) => Test::Both(&of_axis[x], &of_child[y]),
        (Some(x), Some(y), true) if x == y => Test::Both(&of_axis[x], &of_child[x]),
        (Some(x), Some(y), true) => Test::Cross(&of_axis[x], &of_child[y], &of_axis[y], &of_child[x]),
        (Some(x), None, false) => Test::In(&of_axis[x]),
        (None, Some(y), false) => Test::In(&of_child[y]),
        (Some(x), None, true) | (None, Some(x), true) => Test::Either(&of_axis[x], &of_child[x]),
        (None, None, _) => return None,
    })
}
