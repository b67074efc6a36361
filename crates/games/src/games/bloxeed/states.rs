//! Locates Bloxeed's generators in RAM by the relations between their states.
//!
//! The addresses are not published and not needed. The piece seed is the result of one call of the main generator; the state
//! of the piece generator is as many calls after the seed as pieces were dealt; the main generator is at the state after that
//! call, plus one call for each item since (reference 4.2). Every long in RAM has a position in the sequence of calls, so
//! sorting by position finds all longs that are a few calls apart.

use crate::games::sega::{Carry, MULTIPLIER, Routine, State, inverse, power};
use std::cmp::Reverse;

/// The most pieces of a game that the search considers; a game with more is recognized by its addresses only.
pub const MAX_GAME_PIECES: u32 = 1000;
/// No game has more pieces than this: a state further from its seed belongs to another game.
pub const GAME_LIMIT: u32 = 1 << 14;
/// The most calls of the main generator since the start of a game that the search considers: the seeding call and the items.
pub const MAX_ITEMS: u32 = 1024;
/// The most pairs examined in one RAM image: 64 KiB of noise contain about 250.
pub const MAX_PAIRS: usize = 1 << 14;

/// The most longs of equal value that are examined, in address order.
const MAX_COPIES: u32 = 4;

/// The multiplier generates all numbers that are 1 modulo 2^3 ([`sega`](crate::games::sega)).
const LOW: u32 = 3;
/// Bits of a position resolved by one table lookup.
const CHUNK: u32 = 8;
/// Table lookups for 29 bits.
const CHUNKS: usize = 4;

/// For each value of a chunk: the exponent of the multiplier that produces these bits, and the factor that cancels them.
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
        // The last chunk has only five bits.
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

/// A cycle of states that calls lead through, identified by the factors of two (0 to 15) and the odd part modulo 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cycle(u8);

impl Cycle {
    /// The number of calls after which a state of the cycle repeats; at least 2^14.
    const fn period(self) -> u32 {
        1 << (32 - LOW - (self.0 >> 2) as u32)
    }
}

/// The cycle of a state and its position, in calls from the cycle's first state; None for a state that the routine treats
/// as zero.
fn place(state: State) -> Option<(Cycle, u32)> {
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
    let cycle = Cycle(u8::try_from(twos << 2 | class).ok()?);
    Some((cycle, calls & (cycle.period() - 1)))
}

/// The piece seed and the piece state, as offsets in RAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Offset of the seed.
    pub seed: usize,
    /// Offset of the state.
    pub state: usize,
    /// Calls from the seed to the state.
    pub dealt: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct StateCell {
    cycle: Cycle,
    calls: u32,
    at: u32,
}

/// All longs of a RAM image at even addresses, ordered by cycle and position.
#[derive(Debug)]
pub struct States {
    all: Vec<StateCell>,
    distinct: usize,
}

impl States {
    /// Indexes a RAM image in bus order.
    pub fn of(ram: &[u8]) -> Self {
        let longs = ram.windows(4).zip(0u32..).step_by(2);
        let cell = longs.filter_map(|(bytes, at)| {
            let (cycle, calls) = place(State(u32::from_be_bytes(bytes.try_into().ok()?)))?;
            Some(StateCell { cycle, calls, at })
        });
        let mut all: Vec<StateCell> = cell.collect();
        all.sort_unstable();
        // Memory filled with one value contains thousands of copies, each of which would be compared with each other.
        let (mut distinct, mut copies, mut last) = (0, 0, None);
        all.retain(|cell| {
            let new = last.replace((cell.cycle, cell.calls)) != Some((cell.cycle, cell.calls));
            distinct += usize::from(new);
            copies = if new { 1 } else { copies + 1 };
            copies <= MAX_COPIES
        });
        Self { all, distinct }
    }

    /// Pairs in which the second state is 1 to `most` calls after the first.
    pub fn pairs(&self, most: u32) -> impl Iterator<Item = Pair> {
        self.all.iter().enumerate().flat_map(move |(number, from)| {
            // Successors are later in the slice or, across the end of the cycle, at its start.
            let wraps = from.calls + most >= from.cycle.period();
            let again = if wraps { self.cycle(from.cycle) } else { &[] };
            let behind = self.all[number + 1..].iter().take_while(move |to| to.cycle == from.cycle);
            let calls = move |to: &StateCell| to.calls.wrapping_sub(from.calls) & (from.cycle.period() - 1);
            let near = behind.take_while(move |to| calls(to) <= most);
            let near =
                near.chain(again.iter().take_while(move |to| to.calls < from.calls && calls(to) <= most));
            let pair = move |to: &StateCell| Pair {
                seed: from.at as usize,
                state: to.at as usize,
                dealt: calls(to),
            };
            near.map(pair).filter(|pair| pair.dealt > 0)
        })
    }

    /// Whether any two states are equal or at most `most` calls apart.
    fn any_within(&self, most: u32) -> bool {
        let near = |from: &StateCell, to: &StateCell| {
            from.cycle == to.cycle && to.calls.wrapping_sub(from.calls) & (from.cycle.period() - 1) <= most
        };
        self.all.array_windows().any(|[one, other]| near(one, other))
            || self.all.chunk_by(|one, other| one.cycle == other.cycle).any(|cycle| match cycle {
                [first, .., last] => near(last, first),
                _ => false,
            })
    }

    /// The offsets of states 1 to `most` calls after `state`, with the number of calls.
    pub fn after(&self, state: State, most: u32) -> impl Iterator<Item = (usize, u32)> {
        let (cycle, from) = place(state).unzip();
        let period = cycle.map_or(1, Cycle::period);
        // Two ranges if the cycle wraps in between.
        let first = from.unwrap_or(0).wrapping_add(1) & (period - 1);
        let cycle = cycle.map_or(&[][..], |cycle| self.cycle(cycle));
        let begin = cycle.partition_point(|cell| cell.calls < first);
        let (front, back) = cycle.split_at(begin);
        let distance = move |cell: &StateCell| cell.calls.wrapping_sub(first) & (period - 1);
        let near = back.iter().chain(front).take_while(move |cell| distance(cell) < most);
        near.map(move |cell| (cell.at as usize, 1 + distance(cell)))
    }

    fn cycle(&self, cycle: Cycle) -> &[StateCell] {
        let begin = self.all.partition_point(|cell| cell.cycle < cycle);
        let end = self.all.partition_point(|cell| cell.cycle <= cycle);
        &self.all[begin..end]
    }

    /// The expected number of triples this close together among the same number of random longs.
    pub fn chance(&self, dealt: u32, main_calls: u32) -> f64 {
        let longs = f64::from(u32::try_from(self.distinct).unwrap_or(u32::MAX));
        longs.powi(3) * f64::from(dealt) * f64::from(main_calls) / f64::from(u32::MAX).powi(2)
    }

    /// The offsets where the main generator may be after it produced this seed, with the number of calls since.
    pub fn mains(&self, seed: State) -> impl Iterator<Item = (usize, u32)> {
        mains_before(seed).flat_map(move |before| self.after(before, MAX_ITEMS))
    }
}

/// The states of the main generator for which one call returns `seed`, with the carry dropped or retained: one or two on average.
///
/// The high word of the state is the high word of the result. With carry c out of 41 times the low word, the low word of the result is
/// 41 times the high word plus c, plus 41 times the low word (modulo 2^16): each c gives one low word, which must produce c.
pub fn mains_before(seed: State) -> impl Iterator<Item = State> {
    const BACK: u32 = inverse(41);
    let (high, sum) = (seed.0 >> 16, seed.0 & 0xFFFF);
    // If the carry is retained, it sets the lowest bit of the high word.
    let highs = [(Carry::Dropped, high), (Carry::Retained, high ^ 1)];
    let highs = highs.into_iter().filter(move |(carry, _)| *carry == Carry::Dropped || high & 1 == 1);
    highs.flat_map(move |(handling, high)| {
        (0..41u32).filter_map(move |carry| {
            let product = sum.wrapping_sub(41 * high).wrapping_sub(carry);
            let low = product.wrapping_mul(BACK) & 0xFFFF;
            let main = State(high << 16 | low);
            let routine = Routine { carry: handling, ..Routine::LATER };
            let fits = (41 * low) >> 16 == carry && routine.call(main).1 == seed.0;
            (low != 0 && fits).then_some(main)
        })
    })
}

/// The number of items drawn while the main generator went from `main` to the call that returned `seed`; None if that was not among
/// the first [`MAX_ITEMS`] calls.
pub fn items_before(routine: Routine, main: State, seed: State) -> Option<u32> {
    let mut state = main;
    (0..=MAX_ITEMS).find(|_| {
        let result;
        (state, result) = routine.call(state);
        result == seed.0
    })
}

/// Calls from the piece seed to the piece state; None if there are `most` or more.
pub fn dealt(seed: State, state: State, most: u32) -> Option<u32> {
    if seed == state {
        return Some(0);
    }
    // Both readings of the zero test are tried: they differ for a seed whose low word is zero.
    let from = [Routine::LATER.effective(seed), seed];
    from.into_iter().find_map(|from| from.distance_to(state).filter(|calls| *calls <= most))
}

/// The generators located in a RAM image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located {
    /// Piece seed and piece state.
    pub pair: Pair,
    /// Offset of the main generator's state.
    pub main: Option<usize>,
    /// Whether this is the first game after the battery RAM was cleared.
    pub first: bool,
}

/// The highest acceptable [chance](States::chance) of a match when one RAM image is checked. Any match is five to ten times as likely,
/// since the closest of all triples is taken.
pub const CHANCE: f64 = 1e-4;
/// The same when many memory blocks are searched.
pub const CHANCE_OF_MANY: f64 = 1e-6;

/// Locates the generators in a RAM image in bus order: either the seed `first` of the first game after the battery RAM was cleared
/// with a state that follows it, or a seed, state and main generator so close together that chance is ruled out. Of several states
/// that follow the seed, the furthest is chosen: older copies remain in RAM.
pub fn locate(ram: &[u8], first: State, chance: f64) -> Option<Located> {
    let states = States::of(ram);
    let candidate = |pair: Pair| {
        let seed = long(ram, pair.seed)?;
        let main = states.mains(seed).max_by_key(|(at, calls)| (*calls, Reverse(*at)));
        let by_chance = main.map_or(f64::INFINITY, |(_, calls)| states.chance(pair.dealt, calls));
        let found = Located { pair, main: main.map(|(at, _)| at), first: seed == first };
        (found.first || by_chance < chance).then_some((seed, by_chance, found))
    };
    let candidates: Vec<_> = states.pairs(MAX_GAME_PIECES).take(MAX_PAIRS).filter_map(candidate).collect();
    let rank = |(_, by_chance, found): &(State, f64, Located)| (!found.first, *by_chance);
    let best = candidates.iter().min_by(|one, other| {
        let ((one, one_chance), (other, other_chance)) = (rank(one), rank(other));
        one.cmp(&other).then(one_chance.total_cmp(&other_chance))
    });
    let seed = best?.0;
    let of_it = candidates.iter().filter(|(other, ..)| *other == seed).map(|(.., found)| *found);
    of_it.max_by_key(|Located { pair, .. }| (pair.dealt, Reverse((pair.seed, pair.state))))
}

/// Whether a RAM image looks like a running game, including at its very start and after more pieces than the search considers.
/// For RAM that was already identified.
pub fn looks_played(ram: &[u8], first: State) -> bool {
    let text = first.0.to_be_bytes();
    let started = memchr::memmem::find_iter(ram, &text).any(|at| at % 2 == 0);
    started || States::of(ram).any_within(GAME_LIMIT)
}

/// The long at an offset of a RAM image in bus order.
pub fn long(ram: &[u8], at: usize) -> Option<State> {
    let bytes = ram.get(at..at.checked_add(4)?)?;
    Some(State(u32::from_be_bytes(bytes.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::bloxeed::{Game, Table};
    use crate::games::piece::Dealer;
    use crate::games::sega::LATER_DEFAULT;
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

    /// Writes a game after this many pieces and items into a RAM image.
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
    fn locates_a_first_game_by_its_seed_in_noise_and_zeros() {
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
    fn locates_a_later_game_by_its_three_states() {
        let mut ram = vec![0; 0x4000];
        lay_out(&mut ram, State(0x1234_5678), 300, 200);
        let found = locate(&ram, FIRST, CHANCE_OF_MANY).expect("the generators");
        assert_eq!((found.pair.seed, found.pair.state, found.pair.dealt), (0xA2, 0x11B4, 300));
        assert_eq!((found.main, found.first), (Some(0x2336), false));
        // Close enough to be found in noise; further apart it cannot be distinguished from chance.
        let mut ram = noise(0x4000, 9);
        lay_out(&mut ram, State(0x1234_5678), 40, 3);
        assert!(locate(&ram, FIRST, CHANCE).is_some_and(|found| found.pair.dealt == 40));
        lay_out(&mut ram, State(0x1234_5678), 900, 700);
        assert_eq!(locate(&ram, FIRST, CHANCE), None);
    }

    #[test]
    fn locates_nothing_in_noise_zeros_and_small_numbers() {
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
        // Longs in the other byte order or at odd addresses are not longs of the processor.
        let mut ram = vec![0; 0x4000];
        lay_out(&mut ram, State(0), 20, 0);
        ram.chunks_exact_mut(2).for_each(|word| word.swap(0, 1));
        assert_eq!(locate(&ram, FIRST, CHANCE), None);
        ram.chunks_exact_mut(2).for_each(|word| word.swap(0, 1));
        ram.rotate_right(1);
        assert_eq!(locate(&ram, FIRST, CHANCE), None);
    }

    #[test]
    fn noise_contains_as_many_pairs_as_expected() {
        let (images, longs) = (40u32, 0x2000);
        let found: usize = (0..images)
            .map(|seed| States::of(&noise(longs * 2, seed.into())).pairs(MAX_GAME_PIECES).count())
            .sum();
        // The number of ordered pairs, each with this chance out of 2^32.
        let expected = 8191f64.powi(2) * f64::from(MAX_GAME_PIECES) / 2f64.powi(32) * f64::from(images);
        let found = f64::from(u32::try_from(found).unwrap());
        assert!((found / expected - 1.0).abs() < 0.2, "{found} of {expected}");
    }

    #[test]
    fn mains_before_finds_the_states_that_make_a_seed() {
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

    /// The chance that is asked for is that of triples at most as far apart in both respects. The closest triple by the product of both is the
    /// best of many such choices, so that it is there several times as often.
    #[test]
    fn noise_is_taken_for_a_game_about_as_often_as_by_chance() {
        const IMAGES: u32 = 500;
        const CHANCE: f64 = 0.01;
        let taken = |chance| {
            let images = (0..IMAGES).map(|seed| noise(0x8000, u64::from(seed) << 32 | 5));
            f64::from(
                u32::try_from(images.filter(|ram| locate(ram, FIRST, chance).is_some()).count()).unwrap(),
            )
        };
        assert_eq!(taken(CHANCE_OF_MANY), 0.0);
        let times = taken(CHANCE) / f64::from(IMAGES) / CHANCE;
        assert!((2.0..20.0).contains(&times), "{times} times");
    }

    proptest! {
        #[test]
        fn position_differences_equal_calls(seed: u32, calls in 0u32..1 << 29) {
            let to = State(seed).jump(calls);
            match (place(State(seed)), place(to)) {
                (Some((cycle, from)), Some((other, there))) => {
                    prop_assert_eq!(cycle, other);
                    prop_assert_eq!(there.wrapping_sub(from) & (cycle.period() - 1), calls % cycle.period());
                    prop_assert_eq!(cycle.period(), State(seed).period());
                }
                (None, None) => prop_assert_eq!(seed & 0xFFFF, 0),
                _ => prop_assert!(false, "calls keep the factors of two"),
            }
        }

        #[test]
        fn pairs_and_followers_match_a_plain_search(seeds in proptest::collection::vec((any::<u32>(), 0u32..16, 0u32..40), 1..30)) {
            let mut ram = Vec::new();
            for (seed, twos, calls) in &seeds {
                // Includes short cycles and their ends.
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
        fn random_ram_is_accepted_without_error(ram in proptest::collection::vec(any::<u8>(), 0..3000)) {
            let found = locate(&ram, FIRST, CHANCE_OF_MANY);
            prop_assert!(found.is_none_or(|found| long(&ram, found.pair.seed).is_some() && long(&ram, found.pair.state).is_some()));
        }
    }
}
