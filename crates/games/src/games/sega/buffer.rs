//! Identifies a buffer of piece codes of a Sega game, and locates such a buffer in RAM.
//!
//! The addresses are not published and not needed: no other data is a thousand codes in a row, and all codes follow from
//! the lowest 22 bits of one state (see [`STATE_BITS`]), so the codes determine the state and the state the codes.

use crate::games::sega::cells::{Cells, places};
use crate::games::sega::sega_tetris::{CALLS, LENGTH, STATE_BITS, code_of_result};
use crate::games::sega::{MULTIPLIER, Routine, State};

/// The state bits that the codes depend on.
const MASK: u32 = (1 << STATE_BITS) - 1;
/// Length of the stretches that a state is solved from. 7^24 is far above 2^22, so a chance match is excluded.
const STRETCH: usize = 24;
/// Start positions of the stretches that are tried, until one contains no wrong code.
const PLACES: [usize; 5] = [0, 200, 400, 600, 800];
/// A buffer with more wrong codes is not accepted.
pub const MAX_WRONG: usize = 64;
/// The most positions that are solved, per code layout: each takes a few milliseconds, and a buffer is among the first
/// of a run.
const MAX_SOLVED: usize = 24;
/// The game that a buffer was drawn for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identified {
    /// The lowest 22 bits of the state before the first code; zero is already replaced by the default.
    pub before: u32,
    /// The indices of codes that the generator does not draw there.
    pub wrong: Vec<usize>,
}

impl Identified {
    /// The codes as drawn by the generator.
    pub fn codes(&self) -> Box<[u8; LENGTH]> {
        let mut codes = Box::new([0; LENGTH]);
        let mut state = self.before;
        for code in codes.iter_mut() {
            state = step(state);
            *code = code_of(state);
        }
        codes
    }

    /// The lowest 22 bits of the state after the last code.
    pub fn after(&self) -> u32 {
        State(self.before).jump(CALLS).0 & MASK
    }

    /// Whether these are the codes drawn from state `seed`.
    pub fn follows(&self, routine: Routine, seed: State) -> bool {
        routine.effective(seed).0 & MASK == self.before
    }

    /// Whether a state can be the one after the last code: its lowest 22 bits match.
    pub fn ends_in(&self, state: State) -> bool {
        state.0 & MASK == self.after()
    }
}

fn step(state: u32) -> u32 {
    state.wrapping_mul(MULTIPLIER) & MASK
}

/// The code of the new state: the result's lowest six bits are bits 16 to 21 of it.
fn code_of(state: u32) -> u8 {
    code_of_result(state >> 16)
}

/// Bits of the state below those that the code depends on.
const LOW_BITS: u32 = 16;
const LOW: u32 = (1 << LOW_BITS) - 1;

/// The states before a stretch of codes, in ascending order.
///
/// The low 16 bits of a state determine the low bits of all later ones. For each of their values one word holds the
/// six bits above them that are still possible: every call multiplies those by an odd number and adds the carry out
/// of the low bits, so a code allows a set of the six bits that depends on the call and on the carry alone.
fn states_before(stretch: &[u8]) -> Vec<u32> {
    // Per call: the multiplier from the first state to the one after it, and for each carry the upper bits that give the code.
    let calls: Vec<(u32, [u64; 64])> = stretch
        .iter()
        .scan(1_u32, |multiplier, code| {
            *multiplier = step(*multiplier);
            let gives = |carry: u32, upper: u32| {
                let above = multiplier.wrapping_mul(upper).wrapping_add(carry) % 64;
                code_of(above << LOW_BITS) == *code
            };
            let mut by_carry = [0; 64];
            for (carry, possible) in (0..).zip(&mut by_carry) {
                *possible = (0..64).filter(|upper| gives(carry, *upper)).map(|upper| 1 << upper).sum();
            }
            Some((*multiplier, by_carry))
        })
        .collect();
    let mut states = Vec::new();
    for low in 0..=LOW {
        let mut possible = u64::MAX;
        for (multiplier, by_carry) in &calls {
            possible &= by_carry[(multiplier.wrapping_mul(low) >> LOW_BITS) as usize % 64];
            if possible == 0 {
                break;
            }
        }
        while possible != 0 {
            states.push(possible.trailing_zeros() << LOW_BITS | low);
            possible &= possible - 1;
        }
    }
    states.sort_unstable();
    states
}

/// The game that a buffer of codes was drawn for; None if no game fits, or too many codes are wrong.
pub fn identify(codes: &[u8; LENGTH]) -> Option<Identified> {
    for place in PLACES {
        let stretch = &codes[place..place + STRETCH];
        // Equal codes identify nothing, and a state whose 22 bits are all zero draws nothing else.
        if stretch.iter().all(|code| *code == stretch[0]) {
            continue;
        }
        for at_place in states_before(stretch) {
            let before = State(at_place).back(u32::try_from(place).unwrap_or(0)).0 & MASK;
            let mut found = Identified { before, wrong: Vec::new() };
            let drawn = found.codes();
            found.wrong = (0..LENGTH).filter(|at| drawn[*at] != codes[*at]).collect();
            if found.wrong.len() <= MAX_WRONG {
                return Some(found);
            }
        }
    }
    None
}

/// A buffer located in RAM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    /// Offset of its first byte in RAM.
    pub offset: usize,
    /// Layout of the codes.
    pub cells: Cells,
    /// The game.
    pub game: Identified,
    /// Offset of the state after the last code, if exactly one long matches.
    pub state: Option<usize>,
}

/// Locates the buffer in a RAM image in bus order, and the state after it. If several start positions are possible because other code-like
/// bytes precede the buffer, the game's own state decides, and without it the position with the most correct codes.
pub fn locate(ram: &[u8]) -> Option<Located> {
    let mut best: Option<Located> = None;
    for cells in Cells::ALL {
        // One solution covers all positions of a run, which differ by a few calls.
        let mut known: Option<(usize, u32)> = None;
        let mut tried = 0;
        for offset in places(ram, cells) {
            let Some(codes) = cells.codes(ram, offset) else { continue };
            let moved = known.and_then(|(from, before)| {
                let calls = u32::try_from((offset - from) / cells.stride()).ok()?;
                let aligned = (offset - from).is_multiple_of(cells.stride());
                let game = Identified { before: State(before).jump(calls).0 & MASK, wrong: Vec::new() };
                let drawn = game.codes();
                let wrong: Vec<usize> = (0..LENGTH).filter(|at| drawn[*at] != codes[*at]).collect();
                (aligned && wrong.len() <= MAX_WRONG).then_some(Identified { wrong, ..game })
            });
            if moved.is_none() {
                tried += 1;
                if tried > MAX_SOLVED {
                    break;
                }
            }
            let Some(game) = moved.or_else(|| identify(&codes)) else { continue };
            known = Some((offset, game.before));
            let state = state_cell(ram, &game);
            let found = Located { offset, cells, game, state };
            if best.as_ref().is_none_or(|best| rank(&found) > rank(best)) {
                best = Some(found);
            }
        }
    }
    best
}

/// Prefers a buffer confirmed by the state, then fewer wrong codes, then an even address.
fn rank(found: &Located) -> (bool, std::cmp::Reverse<usize>, bool) {
    (found.state.is_some(), std::cmp::Reverse(found.game.wrong.len()), found.offset.is_multiple_of(2))
}

/// The offset of the only long whose lowest 22 bits are those of the state after the last code; the processor
/// reads longs at even addresses only.
fn state_cell(ram: &[u8], game: &Identified) -> Option<usize> {
    let long =
        |at: usize| ram.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    let mut hits =
        (0..ram.len()).step_by(2).filter(|at| long(*at).is_some_and(|long| game.ends_in(State(long))));
    let first = hits.next()?;
    hits.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sega::cells::looks_drawn;
    use crate::games::sega::sega_tetris::Game;
    use proptest::prelude::*;

    fn noise(len: usize, mut seed: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len);
        for _ in 0..len {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            bytes.push((seed >> 56) as u8);
        }
        bytes
    }

    fn put(ram: &mut [u8], offset: usize, cells: Cells, codes: &[u8]) {
        for (index, code) in codes.iter().enumerate() {
            let at = offset + index * cells.stride();
            ram[at..at + cells.stride()].fill(0);
            ram[at + cells.stride() - 1] = *code;
        }
    }

    #[test]
    fn a_buffer_identifies_its_state() {
        for seed in [0, 1, 0x2A6D_365B, 0x1234_5678, 0xFFFF_FFFF] {
            let game = Game::new(State(seed));
            let found = identify(game.codes()).expect("a game");
            assert!(found.follows(Routine::TETRIS, State(seed)) && found.wrong.is_empty());
            assert!(found.ends_in(game.state_after()));
            assert_eq!(found.codes().as_slice(), game.codes().as_slice());
        }
        assert_eq!(identify(&[0; LENGTH]), None);
        assert_eq!(identify(&[3; LENGTH]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn the_states_before_a_stretch_are_those_that_draw_it(seed: u32, len in 1_usize..8) {
            let drawn = |before: u32| {
                let mut state = before;
                std::iter::repeat_with(move || {
                    state = step(state);
                    code_of(state)
                })
            };
            let stretch: Vec<u8> = drawn(seed & MASK).take(len).collect();
            let plain = (0..=MASK).filter(|before| drawn(*before).zip(&stretch).all(|(code, seen)| code == *seen));
            prop_assert!(plain.eq(states_before(&stretch)));
        }
    }

    #[test]
    fn wrong_codes_are_reported_by_index() {
        let mut codes = *Game::new(State(99)).codes();
        for at in [0, 5, 399, 999] {
            codes[at] = (codes[at] + 1) % 7;
        }
        assert_eq!(identify(&codes).expect("a game").wrong, [0, 5, 399, 999]);
    }

    #[test]
    fn locates_a_buffer_in_64_kib_of_noise_and_zeros() {
        for (seed, cells, offset) in
            [(0, Cells::Bytes, 0x1235), (7, Cells::Words, 0x8000), (0x7654_3211, Cells::Bytes, 0xFC00)]
        {
            for background in [noise(0x1_0000, 3), vec![0; 0x1_0000]] {
                let mut ram = background;
                let game = Game::new(State(seed));
                put(&mut ram, offset, cells, game.codes());
                ram[0x4440..0x4444].copy_from_slice(&game.state_after().0.to_be_bytes());
                let found = locate(&ram).expect("the buffer");
                assert_eq!((found.offset, found.cells, found.state), (offset, cells, Some(0x4440)));
                assert!(found.game.wrong.is_empty());
                assert!(looks_drawn(&ram));
            }
        }
        assert_eq!(locate(&noise(0x1_0000, 4)), None);
        assert_eq!(locate(&vec![0; 0x1_0000]), None);
        assert_eq!(locate(&[]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn random_ram_contains_no_buffer(ram in proptest::collection::vec(0u8..9, 0..4096)) {
            prop_assert_eq!(locate(&ram), None);
        }
    }
}
