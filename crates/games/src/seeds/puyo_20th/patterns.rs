//! Games sorted by the pattern of eight pairs, independent of the colours' names.
//!
//! Colours are named 0, 1, 2 ... in order of appearance. If the orientation of pairs is unknown, the smallest of all such patterns
//! counts. Two sequences are equal up to renaming (and orientation) if their patterns are equal, and the pattern of the first pairs is
//! a prefix of the pattern of more pairs, so games that agree in any number of pairs are adjacent.

#![expect(clippy::cast_possible_truncation, reason = "seeds are 16 bits, digits and names less")]

use super::GAMES;
use super::bits::{members, none};
use super::trace::Codes;
use crate::game::puyo_20th::Seed;

/// The number of pairs in a pattern: with names only, eight pairs leave one game or nearly.
pub const PAIRS: usize = 8;

/// Bits of a pair: three for each puyo's name.
const PAIR_BITS: usize = 6;

/// Up to this many seeds are sorted; more are collected in a bit set.
const SORTED: usize = 512;

/// The assigned names, three bits for each of five digits; 7 for none.
type Names = u16;

const NO_NAMES: Names = 0x7FFF;

fn name(names: Names, digit: u8) -> u8 {
    (names >> (3 * digit) & 7) as u8
}

/// The pattern of pairs of digits (0 to 4), built pair by pair.
#[derive(Clone, Copy)]
struct Reading {
    /// All namings of the digits that give this pattern. Only a pair of two new colours with unknown orientation doubles
    /// them, and five colours allow at most two of those.
    ways: [Names; 4],
    count: usize,
    /// Number of assigned names.
    given: u8,
}

impl Reading {
    const NONE: Self = Self { ways: [NO_NAMES; 4], count: 1, given: 0 };

    /// The pattern of the next pair, in six bits.
    fn pair(&mut self, [axis, child]: [u8; 2], unordered: bool) -> u64 {
        let before = *self;
        let mut least = u8::MAX;
        for &names in &before.ways[..before.count] {
            for turned in [false, true] {
                if turned && (!unordered || axis == child) {
                    continue;
                }
                let (mut names, mut given) = (names, before.given);
                let read =
                    [if turned { child } else { axis }, if turned { axis } else { child }].map(|digit| {
                        if name(names, digit) == 7 {
                            names ^= Names::from(7 ^ given) << (3 * digit);
                            given += 1;
                        }
                        name(names, digit)
                    });
                let code = read[0] << 3 | read[1];
                if code < least {
                    (least, self.count, self.given) = (code, 0, given);
                }
                if code == least && self.count < self.ways.len() && !self.ways[..self.count].contains(&names)
                {
                    self.ways[self.count] = names;
                    self.count += 1;
                }
            }
        }
        u64::from(least)
    }
}

/// All games, sorted by the pattern of eight pairs.
pub struct Patterns {
    /// The pattern, the first pair highest; the seed in the lowest 16 bits.
    games: Vec<u64>,
    unordered: bool,
}

/// Games that match the pattern of the first pairs of a query.
pub struct Range<'a> {
    games: &'a [u64],
    /// The number of pairs compared.
    pairs: usize,
    read: u64,
    names: Names,
}

impl Patterns {
    /// Sorts all games by eight pairs.
    pub fn of(columns: [&Codes; PAIRS], unordered: bool) -> Self {
        let read = |seed: usize| {
            let mut reading = Reading::NONE;
            let read = columns.iter().fold(0, |read, codes| {
                let code = codes[seed];
                read << PAIR_BITS | reading.pair([code & 15, code >> 4], unordered)
            });
            read << 16 | seed as u64
        };
        let mut games: Vec<u64> = (0..GAMES).map(read).collect();
        games.sort_unstable();
        Self { games, unordered }
    }

    /// The games that match the pattern of these pairs, one to eight, in which any numbers below 5 represent the colours.
    pub fn matching(&self, pairs: impl Iterator<Item = [u8; 2]>) -> Range<'_> {
        let mut reading = Reading::NONE;
        let (read, pairs) = pairs.take(PAIRS).fold((0, 0), |(read, count), pair| {
            (read << PAIR_BITS | reading.pair(pair, self.unordered), count + 1)
        });
        let games = between(&self.games, read, pairs);
        Range { games, pairs, read, names: reading.ways[0] }
    }
}

/// The games whose first pairs have this pattern.
fn between(games: &[u64], read: u64, pairs: usize) -> &[u64] {
    let shift = 16 + PAIR_BITS * (PAIRS - pairs);
    let first = games.partition_point(|&game| game >> shift < read);
    let count = games[first..].partition_point(|&game| game >> shift == read);
    &games[first..][..count]
}

impl Range<'_> {
    /// The number of games.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Their seeds, ascending.
    pub fn seeds(&self) -> Vec<Seed> {
        let seeds = self.games.iter().map(|&game| game as Seed);
        if self.games.len() > SORTED {
            let mut set = none();
            seeds.for_each(|seed| set[usize::from(seed) / 64] |= 1 << (seed % 64));
            return members((0u16..).zip(*set));
        }
        let mut seeds: Vec<Seed> = seeds.collect();
        seeds.sort_unstable();
        seeds
    }

    /// How often each pair comes next, for pairs with known orientation: each puyo as the number that represents it in the query, None
    /// for a colour that the query does not contain. None after eight pairs.
    pub fn next(&self) -> Option<Vec<([Option<u8>; 2], u32)>> {
        if self.pairs >= PAIRS {
            return None;
        }
        let own = |code: u64| (0..5).find(|&digit| u64::from(name(self.names, digit)) == code);
        let mut found = Vec::new();
        for (axis, child) in (0..5).flat_map(|axis| (0..5).map(move |child| (axis, child))) {
            let read = self.read << PAIR_BITS | axis << 3 | child;
            let count = between(self.games, read, self.pairs + 1).len() as u32;
            if count > 0 {
                found.push(([own(axis), own(child)], count));
            }
        }
        Some(found)
    }
}
