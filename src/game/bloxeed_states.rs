//! Where Bloxeed keeps its generators, found by what holds between them.
//!
//! The addresses are not published, and need not be. The seed of the pieces is the result of one call of the main generator;
//! the pieces' generator stands so many calls after it as pieces were dealt; the main generator stands after that call, and one
//! call further for each item since (reference 4.2). Every long in RAM has a place in the sequence of calls, so that all longs
//! that stand a few calls apart are found by sorting.

use super::sega::{Carry, MULTIPLIER, Routine, State, inverse, power};
use std::cmp::Reverse;

/// Pieces of a game at most that the search reckons with; a game of more is found by its places only.
pub const GAME_MOST: u32 = 1000;
/// No game has more pieces than this: a state further from its seed is another game's.
pub const GAME_LIMIT: u32 = 1 << 14;
/// Calls of the main generator since a game began at most that the search reckons with: the one that seeds, and items.
pub const ITEMS_MOST: u32 = 1024;
/// Pairs looked at in one RAM at most: 64 KiB of noise have some 250.
pub const PAIRS_MOST: usize = 1 << 14;

/// Longs of the same value that are looked at, from the first one in RAM on.
const COPIES_MOST: u32 = 4;

/// The multiplier generates all numbers that are 1 modulo 2^3 ([`super::sega`]).
const LOW: u32 = 3;
/// Bits of a place that one look into the tables gives.
const CHUNK: u32 = 8;
/// Looks that 29 bits take.
const CHUNKS: usize = 4;

/// For each chunk of a number that is 1 below it: the exponent of the multiplier that makes these bits, and what takes them away.
struct Chunk {
    exponent: [u8; 1 << CHUNK],
    factor: [u32; 1 << CHUNK],
}

static TABLES: [Chunk; CHUNKS] = tables();

#[expect(clippy::cast_possible_truncation, reason = "an exponent is below 256")]
const fn tables() -> [Chunk; CHUNKS] {
    let mut tables = [const { Chunk { exponent: [0; 1 << CHUNK], factor: [1; 1 << CHUNK] } }; CHUNKS];
    let mut chunk = 0;
    let mut below = LOW;
    let mut step = MULTIPLIER;
    while chunk < CHUNKS {
        // The last chunk has five bits only.
        let bits = if 32 - below < CHUNK { 32 - below } else { CHUNK };
        let mut exponent = 0u32;
        let mut number = 1u32;
        while exponent < 1 << bits {
            let value = (number >> below & ((1 << CHUNK) - 1)) as usize;
            tables[chunk].exponent[value] = exponent as u8;
            tables[chunk].factor[value] = inverse(number);
            number = number.wrapping_mul(step);
            exponent += 1;
        }
        step = power(step, 1 << CHUNK);
        below += CHUNK;
        chunk += 1;
    }
    tables
}

/// A line of states: those that calls lead to from each other. It has the factors of two, 0 to 15, and the odd part modulo 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Line(u8);

impl Line {
    /// After so many calls a state of the line comes again; at least 2^14.
    const fn period(self) -> u32 {
        1 << (32 - LOW - (self.0 >> 2) as u32)
    }
}

/// The line of a state, and the number of calls that lead to it from the line's first one; None for a state that the routine
/// takes for zero.
fn place(state: State) -> Option<(Line, u32)> {
    let twos = state.0.trailing_zeros();
    if twos >= 16 {
        return None;
    }
    const FIRST: [u32; 4] = [1, inverse(3), inverse(5), inverse(7)];
    let odd = state.0 >> twos;
    let class = odd >> 1 & 3;
    let mut rest = odd.wrapping_mul(FIRST[class as usize]);
    let mut calls = 0;
    for (chunk, number) in TABLES.iter().zip(0u32..) {
        let value = (rest >> (LOW + CHUNK * number) & 0xFF) as usize;
        calls |= u32::from(chunk.exponent[value]) << (CHUNK * number);
        rest = rest.wrapping_mul(chunk.factor[value]);
    }
    let line = Line(u8::try_from(twos << 2 | class).ok()?);
    Some((line, calls & (line.period() - 1)))
}

/// The seed of the pieces and their state, as offsets in RAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Where the seed stands.
    pub seed: usize,
    /// Where the state stands.
    pub state: usize,
    /// Calls from one to the other.
    pub dealt: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Stood {
    line: Line,
    calls: u32,
    at: u32,
}

/// All longs of a RAM at even addresses, in the order of the sequences of calls.
#[derive(Debug)]
pub struct States {
    all: Vec<Stood>,
    distinct: usize,
}

impl States {
    /// Those of a RAM in bus order.
    #[must_use]
    pub fn of(ram: &[u8]) -> Self {
        let longs = ram.windows(4).zip(0u32..).step_by(2);
        let stood = longs.filter_map(|(bytes, at)| {
            let (line, calls) = place(State(u32::from_be_bytes(bytes.try_into().ok()?)))?;
            Some(Stood { line, calls, at })
        });
        let mut all: Vec<Stood> = stood.collect();
        all.sort_unstable();
        // Memory that is filled with one number has thousands of it, each of which would be held against each.
        let (mut distinct, mut copies, mut last) = (0, 0, None);
        all.retain(|stood| {
            let new = last.replace((stood.line, stood.calls)) != Some((stood.line, stood.calls));
            distinct += usize::from(new);
            copies = if new { 1 } else { copies + 1 };
            copies <= COPIES_MOST
        });
        Self { all, distinct }
    }

    /// Pairs of which the second stands 1 to `most` calls after the first.
    pub fn pairs(&self, most: u32) -> impl Iterator<Item = Pair> {
        self.all.iter().enumerate().flat_map(move |(number, from)| {
            // What follows stands behind it, or, where the line begins again, at its beginning.
            let wraps = from.calls + most >= from.line.period();
            let again = if wraps { self.line(from.line) } else { &[] };
            let behind = self.all[number + 1..].iter().take_while(move |to| to.line == from.line);
            let calls = move |to: &Stood| to.calls.wrapping_sub(from.calls) & (from.line.period() - 1);
            let near = behind.take_while(move |to| calls(to) <= most);
            let near =
                near.chain(again.iter().take_while(move |to| to.calls < from.calls && calls(to) <= most));
            let pair =
                move |to: &Stood| Pair { seed: from.at as usize, state: to.at as usize, dealt: calls(to) };
            near.map(pair).filter(|pair| pair.dealt > 0)
        })
    }

    /// Whether any two are equal or stand at most so many calls apart.
    #[must_use]
    pub fn any_within(&self, most: u32) -> bool {
        let near = |from: &Stood, to: &Stood| {
            from.line == to.line && to.calls.wrapping_sub(from.calls) & (from.line.period() - 1) <= most
        };
        self.all.array_windows().any(|[one, other]| near(one, other))
            || self.all.chunk_by(|one, other| one.line == other.line).any(|line| match line {
                [first, .., last] => near(last, first),
                _ => false,
            })
    }

    /// Where states stand to which 1 to `most` calls lead from `state`, and how many.
    pub fn after(&self, state: State, most: u32) -> impl Iterator<Item = (usize, u32)> {
        let (line, from) = place(state).unzip();
        let period = line.map_or(1, Line::period);
        // Two stretches where the line begins again in between.
        let first = from.unwrap_or(0).wrapping_add(1) & (period - 1);
        let line = line.map_or(&[][..], |line| self.line(line));
        let begin = line.partition_point(|stood| stood.calls < first);
        let (front, back) = line.split_at(begin);
        let distance = move |stood: &Stood| stood.calls.wrapping_sub(first) & (period - 1);
        let near = back.iter().chain(front).take_while(move |stood| distance(stood) < most);
        near.map(move |stood| (stood.at as usize, 1 + distance(stood)))
    }

    fn line(&self, line: Line) -> &[Stood] {
        let begin = self.all.partition_point(|stood| stood.line < line);
        let end = self.all.partition_point(|stood| stood.line <= line);
        &self.all[begin..end]
    }

    /// How many triples that stand as close as these would be found among as many different longs of pure chance.
    #[must_use]
    pub fn chance(&self, dealt: u32, main_calls: u32) -> f64 {
        let longs = f64::from(u32::try_from(self.distinct).unwrap_or(u32::MAX));
        longs.powi(3) * f64::from(dealt) * f64::from(main_calls) / f64::from(u32::MAX).powi(2)
    }

    /// Where the main generator may stand after it made this seed, and how many calls of it ago.
    pub fn mains(&self, seed: State) -> impl Iterator<Item = (usize, u32)> {
        mains_before(seed).flat_map(move |before| self.after(before, ITEMS_MOST))
    }
}

/// The states of the main generator of which one call returns `seed`, whether its carry is dropped or kept: one or two on average.
///
/// The high word of the state is that of the result. With c carried out of 41 times the low word, the low word of the result is
/// 41 times the high word plus c, plus 41 times the low word (modulo 2^16): each c gives one low word, which must carry c.
pub fn mains_before(seed: State) -> impl Iterator<Item = State> {
    const BACK: u32 = inverse(41);
    let (high, sum) = (seed.0 >> 16, seed.0 & 0xFFFF);
    // A carry that is kept sets the lowest bit of the high word.
    let highs = [(Carry::Dropped, high), (Carry::Kept, high ^ 1)];
    let highs = highs.into_iter().filter(move |(carry, _)| *carry == Carry::Dropped || high & 1 == 1);
    highs.flat_map(move |(kept, high)| {
        (0..41u32).filter_map(move |carry| {
            let product = sum.wrapping_sub(41 * high).wrapping_sub(carry);
            let low = product.wrapping_mul(BACK) & 0xFFFF;
            let main = State(high << 16 | low);
            let routine = Routine { carry: kept, ..Routine::LATER };
            let fits = (41 * low) >> 16 == carry && routine.call(main).1 == seed.0;
            (low != 0 && fits).then_some(main)
        })
    })
}

/// How many items were drawn while the main generator went from `main` to the call that returned `seed`; None when it was not among
/// the first [`ITEMS_MOST`] calls.
#[must_use]
pub fn items_before(routine: Routine, main: State, seed: State) -> Option<u32> {
    let mut state = main;
    (0..=ITEMS_MOST).find(|_| {
        let result;
        (state, result) = routine.call(state);
        result == seed.0
    })
}

/// Calls from the seed of the pieces to their state; None when no fewer than `most` lead there.
#[must_use]
pub fn dealt(seed: State, state: State, most: u32) -> Option<u32> {
    if seed == state {
        return Some(0);
    }
    // Both readings of the zero test: they differ for a seed whose low word is zero.
    let from = [Routine::LATER.effective(seed), seed];
    from.into_iter().find_map(|from| from.distance_to(state).filter(|calls| *calls <= most))
}

/// The generators in a RAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located {
    /// Seed and state of the pieces.
    pub pair: Pair,
    /// The main generator.
    pub main: Option<usize>,
    /// Whether this is the first game after the battery RAM was cleared.
    pub first: bool,
}

/// What a RAM that stands may be believed to be by chance, at most, when somebody asks for it.
pub const CHANCE: f64 = 1e-4;
/// The same where many blocks of memory are looked through.
pub const CHANCE_OF_MANY: f64 = 1e-6;

/// Finds the generators in a RAM in bus order: the seed `first` of the first game after the battery RAM was cleared and a state
/// that follows from it, or else seed, state and main generator so close together that chance is ruled out. Of several states that
/// follow from the seed the one furthest on is meant: copies of what it was stay behind.
#[must_use]
pub fn locate(ram: &[u8], first: State, chance: f64) -> Option<Located> {
    let states = States::of(ram);
    let candidate = |pair: Pair| {
        let seed = long(ram, pair.seed)?;
        let main = states.mains(seed).max_by_key(|(at, calls)| (*calls, Reverse(*at)));
        let by_chance = main.map_or(f64::INFINITY, |(_, calls)| states.chance(pair.dealt, calls));
        let found = Located { pair, main: main.map(|(at, _)| at), first: seed == first };
        (found.first || by_chance < chance).then_some((seed, by_chance, found))
    };
    let candidates: Vec<_> = states.pairs(GAME_MOST).take(PAIRS_MOST).filter_map(candidate).collect();
    let rank = |(_, by_chance, found): &(State, f64, Located)| (!found.first, *by_chance);
    let best = candidates.iter().min_by(|one, other| {
        let ((one, one_chance), (other, other_chance)) = (rank(one), rank(other));
        one.cmp(&other).then(one_chance.total_cmp(&other_chance))
    });
    let seed = best?.0;
    let of_it = candidates.iter().filter(|(other, ..)| *other == seed).map(|(.., found)| *found);
    of_it.max_by_key(|Located { pair, .. }| (pair.dealt, Reverse((pair.seed, pair.state))))
}

/// Whether a RAM looks as if the game were played in it, also at its very beginning and after more pieces than the search reckons
/// with: for RAM of which it was proven before.
#[must_use]
pub fn looks_played(ram: &[u8], first: State) -> bool {
    let text = first.0.to_be_bytes();
    let begun = memchr::memmem::find_iter(ram, &text).any(|at| at % 2 == 0);
    begun || States::of(ram).any_within(GAME_LIMIT)
}

/// The long at an offset of a RAM in bus order.
#[must_use]
pub fn long(ram: &[u8], at: usize) -> Option<State> {
    let bytes = ram.get(at..at.checked_add(4)?)?;
    Some(State(u32::from_be_bytes(bytes.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::bloxeed::{Game, Table};
    use crate::game::piece::Dealer;
    use crate::game::sega::LATER_DEFAULT;
    use proptest::prelude::*;

    /// The seed of the first game after the battery RAM was cleared (reference 4.2).
    const FIRST: State = State(0x2A6D_8010);

    fn noise(len: usize, mut seed: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len);
        for _ in 0..len {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.push((seed >> 56) as u8);
        }
        bytes
    }

    fn put(ram: &mut [u8], at: usize, state: State) {
        ram[at..at + 4].copy_from_slice(&state.0.to_be_bytes());
    }

    /// A game of which so many pieces and items were dealt, laid out in a RAM.
    fn lay_out(ram: &mut [u8], main: State, pieces: usize, items: usize) -> Game {
        let mut game = Game::new(Table::Plain, main);
        game.deal_many(pieces);
        for _ in 0..items {
            game.draw_item();
        }
        put(ram, 0x0A2, game.piece_seed());
        put(ram, 0x11B4, game.pieces);
        put(ram, 0x2336, game.main);
        game
    }

    #[test]
    fn a_first_game_is_found_by_its_seed_in_noise_and_among_zeros() {
        for len in [0x4000, 0x1_0000] {
            for background in [noise(len, 3), vec![0; len]] {
                for pieces in [1, 40, 1000] {
                    let mut ram = background.clone();
                    lay_out(&mut ram, State(0), pieces, 0);
                    let found = locate(&ram, FIRST, CHANCE_OF_MANY).expect("the generators");
                    let pair = Pair { seed: 0xA2, state: 0x11B4, dealt: u32::try_from(pieces).unwrap() };
                    assert_eq!(found, Located { pair, main: Some(0x2336), first: true });
                    assert!(looks_played(&ram, FIRST));
                }
            }
        }
    }

    #[test]
    fn a_later_game_is_found_by_the_three_states_together() {
        let mut ram = vec![0; 0x4000];
        lay_out(&mut ram, State(0x1234_5678), 300, 200);
        let found = locate(&ram, FIRST, CHANCE_OF_MANY).expect("the generators");
        assert_eq!((found.pair.seed, found.pair.state, found.pair.dealt), (0xA2, 0x11B4, 300));
        assert_eq!((found.main, found.first), (Some(0x2336), false));
        // In noise as close as this; further apart it is not told from chance.
        let mut ram = noise(0x4000, 9);
        lay_out(&mut ram, State(0x1234_5678), 40, 3);
        assert!(locate(&ram, FIRST, CHANCE).is_some_and(|found| found.pair.dealt == 40));
        lay_out(&mut ram, State(0x1234_5678), 900, 700);
        assert_eq!(locate(&ram, FIRST, CHANCE), None);
    }

    #[test]
    fn nothing_is_found_in_noise_zeros_and_small_numbers() {
        for (len, images) in [(0x4000, 60), (0x1_0000, 15)] {
            for seed in 0..images {
                assert_eq!(locate(&noise(len, seed), FIRST, CHANCE), None, "{len:#X} {seed}");
            }
        }
        let small: Vec<u8> = (0..16u8).cycle().take(0x4000).collect();
        for ram in [vec![0; 0x4000], vec![0xFF; 0x4000], small, Vec::new(), vec![1, 2, 3]] {
            assert_eq!(locate(&ram, FIRST, CHANCE), None);
        }
        assert!(!looks_played(&vec![0; 0x4000], FIRST));
        // The other order of bytes, and odd addresses, are no longs of the processor.
        let mut ram = vec![0; 0x4000];
        lay_out(&mut ram, State(0), 20, 0);
        ram.chunks_exact_mut(2).for_each(|word| word.swap(0, 1));
        assert_eq!(locate(&ram, FIRST, CHANCE), None);
        ram.chunks_exact_mut(2).for_each(|word| word.swap(0, 1));
        ram.rotate_right(1);
        assert_eq!(locate(&ram, FIRST, CHANCE), None);
    }

    #[test]
    fn pairs_of_noise_are_as_many_as_chance_makes() {
        let (images, longs) = (40u32, 0x2000);
        let found: usize =
            (0..images).map(|seed| States::of(&noise(longs * 2, seed.into())).pairs(GAME_MOST).count()).sum();
        // So many ordered pairs, each of which has so many of 2^32 chances.
        let expected = 8191f64.powi(2) * f64::from(GAME_MOST) / 2f64.powi(32) * f64::from(images);
        let found = f64::from(u32::try_from(found).unwrap());
        assert!((found / expected - 1.0).abs() < 0.2, "{found} of {expected}");
    }

    #[test]
    fn the_seed_tells_the_states_that_make_it() {
        assert!(mains_before(FIRST).any(|main| main == LATER_DEFAULT));
        for main in (0..50_000u32).map(|number| State(number.wrapping_mul(0x9E37_79B9))) {
            let routines = Carry::ALL.map(|carry| Routine { carry, ..Routine::LATER });
            for routine in routines {
                let seed = State(routine.call(main).1);
                let all: Vec<State> = mains_before(seed).collect();
                assert!(all.contains(&routine.effective(main)));
                let makes = |main: &State| routines.iter().any(|routine| routine.call(*main).1 == seed.0);
                assert!(all.iter().all(makes));
            }
        }
    }

    proptest! {
        #[test]
        fn places_are_as_far_apart_as_calls(seed: u32, calls in 0u32..1 << 29) {
            let to = State(seed).jump(calls);
            match (place(State(seed)), place(to)) {
                (Some((line, from)), Some((other, there))) => {
                    prop_assert_eq!(line, other);
                    prop_assert_eq!(there.wrapping_sub(from) & (line.period() - 1), calls % line.period());
                    prop_assert_eq!(line.period(), State(seed).period());
                }
                (None, None) => prop_assert_eq!(seed & 0xFFFF, 0),
                _ => prop_assert!(false, "calls keep the factors of two"),
            }
        }

        #[test]
        fn pairs_and_followers_are_those_of_a_plain_search(seeds in proptest::collection::vec((any::<u32>(), 0u32..16, 0u32..40), 1..30)) {
            let mut ram = Vec::new();
            for (seed, twos, calls) in &seeds {
                // Short lines and their ends are met as well.
                let first = State((seed | 1) << twos).back(calls / 2);
                ram.extend([first, first.jump(*calls)].iter().flat_map(|state| state.0.to_be_bytes()));
            }
            let states = States::of(&ram);
            let mut pairs: Vec<(usize, usize, u32)> =
                states.pairs(30).map(|pair| (pair.seed, pair.state, pair.dealt)).collect();
            pairs.sort_unstable();
            let mut plain = Vec::new();
            let longs = |at: usize| long(&ram, at).filter(|state| state.0 & 0xFFFF != 0);
            for from in (0..ram.len()).step_by(2) {
                for to in (0..ram.len()).step_by(2) {
                    let calls = longs(from).zip(longs(to)).and_then(|(from, to)| from.distance_to(to));
                    plain.extend(calls.filter(|calls| (1..=30).contains(calls)).map(|calls| (from, to, calls)));
                }
            }
            prop_assert_eq!(&pairs, &plain);
            for from in (0..ram.len()).step_by(2).filter(|at| longs(*at).is_some()) {
                let state = long(&ram, from).unwrap();
                let mut after: Vec<(usize, usize, u32)> =
                    states.after(state, 30).map(|(to, calls)| (from, to, calls)).collect();
                after.sort_unstable();
                let of_it: Vec<_> = plain.iter().filter(|(other, ..)| *other == from).copied().collect();
                prop_assert_eq!(after, of_it);
            }
        }

        #[test]
        fn garbage_is_no_trouble(ram in proptest::collection::vec(any::<u8>(), 0..3000)) {
            prop_assert!(locate(&ram, FIRST, CHANCE_OF_MANY).is_none());
        }
    }
}
