//! Games in the order of what eight pairs look like whatever their colours are called.
//!
//! Colours are named 0, 1, 2 ... as they come up. Where pairs may be the other way round, the least of all such readings
//! counts. Two sequences are the same up to names (and turns) when they read the same, and what the first pairs read is
//! the beginning of what more of them read: games that agree in any number of pairs stand side by side.

#![expect(clippy::cast_possible_truncation, reason = "seeds are 16 bits, digits and names less")]

use super::GAMES;
use super::bits::{members, none};
use super::trace::Codes;
use crate::game::puyo_20th::Seed;

/// Pairs that the games are put in order by: with names only, eight leave one game or nearly.
pub const PAIRS: usize = 8;

/// Bits of a pair: three for each puyo's name.
const PAIR_BITS: usize = 6;

/// Up to so many seeds are sorted; more are put into a set.
const SORTED: usize = 512;

/// The names given so far, three bits for each of five digits; 7 for none.
type Names = u16;

const NO_NAMES: Names = 0x7FFF;

fn name(names: Names, digit: u8) -> u8 {
    (names >> (3 * digit) & 7) as u8
}

/// What pairs of digits (0 to 4) look like, read one after another.
#[derive(Clone, Copy)]
struct Reading {
    /// Every way to name the digits under which the pairs read so. Only a pair of two new colours that may be the other way
    /// round doubles them, and five colours have room for two of those.
    ways: [Names; 4],
    count: usize,
    /// Names given.
    given: u8,
}

impl Reading {
    const NONE: Self = Self { ways: [NO_NAMES; 4], count: 1, given: 0 };

    /// What the next pair reads, in six bits.
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

/// All games, in the order of what eight pairs of theirs look like.
pub struct Patterns {
    /// What is read, the first pair highest; the seed in the lowest 16 bits.
    games: Vec<u64>,
    unordered: bool,
}

/// Games that look like the first pairs of a query.
pub struct Range<'a> {
    games: &'a [u64],
    /// How many pairs they were told by.
    pairs: usize,
    read: u64,
    names: Names,
}

impl Patterns {
    /// From eight pairs in all games.
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

    /// The games that look like these pairs, one to eight, of which any numbers below 5 stand for the colours.
    pub fn like(&self, pairs: impl Iterator<Item = [u8; 2]>) -> Range<'_> {
        let mut reading = Reading::NONE;
        let (read, pairs) = pairs.take(PAIRS).fold((0, 0), |(read, count), pair| {
            (read << PAIR_BITS | reading.pair(pair, self.unordered), count + 1)
        });
        let games = between(&self.games, read, pairs);
        Range { games, pairs, read, names: reading.ways[0] }
    }
}

/// The games that read so in their first pairs.
fn between(games: &[u64], read: u64, pairs: usize) -> &[u64] {
    let shift = 16 + PAIR_BITS * (PAIRS - pairs);
    let first = games.partition_point(|&game| game >> shift < read);
    let count = games[first..].partition_point(|&game| game >> shift == read);
    &games[first..][..count]
}

impl Range<'_> {
    /// How many games.
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

    /// How often each pair comes next where pairs are in order: each puyo as the number that stands for it in the query, None
    /// for a colour that the query does not hold. None after eight pairs.
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
