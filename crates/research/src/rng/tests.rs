use super::solve::is_no_chance;
use super::*;
use crate::value::low_32;
use nextscope_games::games::puyo_tsu::state_after;
use nextscope_games::games::puyo_tsu::{Setup, State};
use nextscope_games::games::{puyo_20th, sega, tetris_nes};
use nextscope_task::Progress;
use proptest::prelude::*;

const BASE: Address = Address(0xFF_0000);

/// Memory with counters, a timer, toggles and noise that is redrawn every frame, and the cell in the midst of it.
fn samples(frames: &[u64], at: usize, order: Endian, width: usize, state: impl Fn(usize) -> u32) -> Samples {
    let mut samples = Samples::new(BASE);
    for (nth, frame) in frames.iter().enumerate() {
        let mut bytes = vec![0; 1024];
        for (offset, byte) in bytes.iter_mut().enumerate().skip(512) {
            let mixed = (*frame + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ (offset as u64) << 20);
            *byte = (mixed >> 40) as u8;
        }
        bytes[..4].copy_from_slice(&(*frame as u32 * 3).to_be_bytes());
        bytes[4..8].copy_from_slice(&(*frame as u32).to_le_bytes());
        bytes[8] = (frame % 2) as u8;
        bytes[12..16].copy_from_slice(&(1u32 << (frame % 32)).to_be_bytes());
        bytes[20..24].copy_from_slice(&((frame * frame) as u32).to_be_bytes());
        let cell = state(nth).to_be_bytes();
        bytes[at..at + width].copy_from_slice(&cell[4 - width..]);
        if order == Endian::Little {
            bytes[at..at + width].reverse();
        }
        samples.push(*frame, &bytes).expect("samples in order");
    }
    samples
}

const EVERY: [u64; 8] = [10, 11, 12, 13, 14, 15, 16, 17];
const UNEVEN: [u64; 8] = [10, 11, 13, 14, 20, 21, 40, 41];

fn only(samples: &Samples) -> RngHit {
    let mut hits = find_generators(samples, &Progress::default()).expect("enough samples");
    assert_eq!(hits.len(), 1, "{hits:?}");
    hits.remove(0)
}

fn tsu(draws: usize, rounds: usize, unexplained: usize) -> Recurrence {
    let name = "Puyo Puyo Tsu's: rol32(d0 + state + a7, 5) + state + 1";
    Recurrence::Calls { name, explained: vec![("draws", draws), ("rounds", rounds)], unexplained }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_known_generator_is_found_with_its_steps(
        which in 0..KNOWN.iter().filter(|known| matches!(known.generator.movement, Movement::Linear(_))).count(),
        at in 30usize..1000,
        seed: u32,
        big: bool,
        per_frame in 1u32..300,
    ) {
        let KnownGenerator { name, movement: Movement::Linear(step), .. } = KNOWN[which].generator else {
            panic!("a linear one")
        };
        let (multiplier, increment) = (step.factor, step.term);
        let order = if big { Endian::Big } else { Endian::Little };
        let state = |nth: usize| {
            let steps = UNEVEN[nth] * u64::from(per_frame);
            (0..steps).fold(seed, |state, _| state.wrapping_mul(multiplier).wrapping_add(increment))
        };
        let hit = only(&samples(&UNEVEN, at, order, 4, state));
        prop_assert_eq!((hit.address, hit.order), (BASE.offset(at as u64), order));
        prop_assert_eq!(hit.recurrence, Recurrence::Known { name, multiplier, increment });
        prop_assert_eq!((hit.advance, hit.state), (Advance::EveryFrame(per_frame), state(7)));
    }

    #[test]
    fn unknown_constants_are_solved(
        at in 30usize..1000,
        seed: u32,
        multiplier in (3u32..1 << 29).prop_map(|a| 8 * a + 5),
        increment: u32,
        wide: bool,
        big: bool,
    ) {
        let (bits, width) = if wide { (32, 4) } else { (16, 2) };
        let modulus = low_32((1u64 << bits) - 1);
        let multiplier = multiplier & modulus;
        let increment = increment & modulus | 1;
        prop_assume!(multiplier > 8 && multiplier < modulus - 8);
        let order = if big { Endian::Big } else { Endian::Little };
        let step = |state: u32| state.wrapping_mul(multiplier).wrapping_add(increment) & modulus;
        let state = |nth: usize| (0..nth).fold(seed & modulus, |state, _| step(state));
        let hit = only(&samples(&EVERY, at, order, width, state));
        prop_assert_eq!((hit.address, hit.order), (BASE.offset(at as u64), order));
        let Recurrence::Linear { bits: found_bits, multiplier: a, certain_bits, increment: c, frames } = hit.recurrence
        else { panic!("{hit:?}") };
        prop_assert_eq!((found_bits, frames), (bits, 1));
        let certain = low_32((1u64 << certain_bits) - 1);
        prop_assert_eq!(a, multiplier & certain);
        for nth in 0..7 {
            prop_assert_eq!(state(nth).wrapping_mul(a).wrapping_add(c) & modulus, state(nth + 1));
        }
    }

    #[test]
    fn the_shift_register_and_segas_routine_are_found(at in 30usize..1000, place in 0u64..32767, seed: u32) {
        let nes = tetris_nes::State::after_boot(place);
        let hit = only(&samples(&EVERY, at, Endian::Big, 2, |nth| nes.jump(nth as u64).0.into()));
        let name = "Tetris (NES): 16 bits shifted right, bit 9 xor bit 1 coming in at the top";
        let expected = Recurrence::Counted { name, bits: 16 };
        prop_assert_eq!((hit.recurrence, hit.advance), (expected, Advance::EveryFrame(1)));
        prop_assert_eq!(hit.address, BASE.offset(at as u64));
        let sega = sega::State(seed | 1);
        let hit = only(&samples(&UNEVEN, at / 2 * 2, Endian::Big, 4, |nth| sega.jump(UNEVEN[nth] as u32 * 2).0));
        let name = "Sega's library: 41 * state, its low word added to its high one";
        let expected = Recurrence::Counted { name, bits: 32 };
        prop_assert_eq!((hit.recurrence, hit.advance), (expected, Advance::EveryFrame(2)));
    }

    #[test]
    fn the_generator_of_tsu_is_found_by_its_stack_and_its_rounds(half in 15usize..500, seed: u32) {
        let at = 2 * half;
        let state = |nth: usize| {
            (0..nth).fold(State(seed), |state, nth| match nth {
                3 => state_after(state, Setup::VERSUS),
                5 => state,
                6 => state.random(6, 0x00FF_7FD0).0.random(9, 0x00FF_7FC8).0,
                _ => state.random(6, 0x00FF_7FD0).0,
            })
        };
        let hit = only(&samples(&EVERY, at, Endian::Big, 4, |nth| state(nth).0));
        prop_assert_eq!(hit.recurrence, tsu(4, 1, 1));
        prop_assert_eq!(hit.address, BASE.offset(at as u64));
    }
}

#[test]
fn memory_without_a_generator_gives_none() {
    for frames in [EVERY, UNEVEN] {
        let samples = samples(&frames, 100, Endian::Big, 4, |nth| nth as u32);
        assert_eq!(find_generators(&samples, &Progress::default()), Ok(Vec::new()));
    }
}

#[test]
fn samples_that_do_not_go_together_are_refused() {
    let mut samples = Samples::new(BASE);
    samples.push(5, &[0; 8]).expect("the first");
    assert_eq!(samples.push(6, &[0; 9]), Err(SamplesError::Length { len: 9, expected: 8 }));
    assert_eq!(samples.push(5, &[0; 8]), Err(SamplesError::Order { frame: 5, last: 5 }));
    assert_eq!(find_generators(&samples, &Progress::default()), Err(SamplesError::TooFew(1)));
}

const LCG: fn(u32) -> u32 = |state| puyo_20th::State(state).next().0;

/// Only the pages of the cell and of one other byte change.
#[test]
fn a_cell_across_two_pages_is_found_wherever_the_other_bytes_move() {
    for at in PAGE - 4..PAGE + 2 {
        for moving in [0, PAGE, 2 * PAGE - 1] {
            let mut samples = Samples::new(BASE);
            let mut state = 0x1234_5678;
            for frame in 0..12u64 {
                let mut bytes = vec![0; 3 * PAGE - 5];
                bytes[moving] = (frame / 2) as u8;
                bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(state));
                samples.push(frame, &bytes).expect("in order");
                state = LCG(state);
            }
            let hit = only(&samples);
            assert_eq!((hit.address, hit.order), (BASE.offset(at as u64), Endian::Little));
            assert_eq!((hit.advance, hit.jumps), (Advance::EveryFrame(1), 0));
            assert!(samples.memory() < 30 * PAGE, "constant pages are stored once: {}", samples.memory());
        }
    }
}

#[test]
fn a_cell_at_the_very_end_is_found_and_none_behind_it() {
    for (len, width) in [(PAGE, 4), (PAGE + 2, 4), (PAGE + 2, 2), (20, 2)] {
        let mut samples = Samples::new(BASE);
        let nes = tetris_nes::State::after_boot(7);
        for frame in 0..12u64 {
            let mut bytes = vec![0; len];
            let state = if width == 4 {
                (0..frame).fold(99, |state, _| LCG(state))
            } else {
                nes.jump(frame).0.into()
            };
            bytes[len - width..].copy_from_slice(&state.to_be_bytes()[4 - width..]);
            samples.push(frame, &bytes).expect("in order");
        }
        assert_eq!(only(&samples).address, BASE.offset((len - width) as u64));
    }
}

#[test]
fn a_generator_that_is_reseeded_now_and_then_is_still_found() {
    let states = std::cell::RefCell::new(vec![5u32]);
    for nth in 1..40u32 {
        let last = *states.borrow().last().expect("one");
        let next = if nth % 13 == 0 { nth * 0x0123_4567 } else { LCG(LCG(last)) };
        states.borrow_mut().push(next);
    }
    let frames: Vec<u64> = (0..40).collect();
    let hit = only(&samples(&frames, 100, Endian::Little, 4, |nth| states.borrow()[nth]));
    assert_eq!((hit.advance, hit.jumps), (Advance::EveryFrame(2), 3));
}

#[test]
fn unknown_constants_are_solved_although_frames_are_missed() {
    let frames = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14];
    let state =
        |frame: u64| (0..frame).fold(77, |state: u32, _| state.wrapping_mul(0x2545_F4ED).wrapping_add(12345));
    let hit = only(&samples(&frames, 600, Endian::Big, 4, |nth| state(frames[nth])));
    let Recurrence::Linear { multiplier, certain_bits, increment, .. } = hit.recurrence else {
        panic!("{hit:?}")
    };
    let certain = low_32((1u64 << certain_bits) - 1);
    assert_eq!((multiplier, increment & 1), (0x2545_F4ED & certain, 1));
}

/// In a game that draws a lot one draw is seldom alone in a frame: loops tell themselves too.
#[test]
fn several_draws_alike_in_an_interval_are_explained() {
    let frames: Vec<u64> = (0..60).collect();
    let state = |nth: usize| {
        (0..nth).fold(State(0x3587_9DE2), |state, nth| match nth % 10 {
            0 => state.random(60, 0x00FF_7FE0).0,
            3 => (0..6).fold(state, |state, _| state.random(6, 0x00FF_7FD8).0),
            _ => (0..3).fold(state, |state, draw| state.stirred((nth as u32) << 20 | draw, 0x00FF_7FD8)),
        })
    };
    let hit = only(&samples(&frames, 100, Endian::Big, 4, |nth| state(nth).0));
    assert_eq!(hit.recurrence, tsu(12, 0, 47));
    // A 68000 keeps no long at an odd address, and none that begins with its low byte.
    let odd = samples(&frames, 101, Endian::Big, 4, |nth| state(nth).0);
    assert_eq!(find_generators(&odd, &Progress::default()), Ok(Vec::new()));
}

#[test]
fn few_hits_among_many_changes_are_chance() {
    assert!(is_no_chance(66.0, 3, 20));
    assert!(!is_no_chance(66.0, 3, 600));
    assert!(!is_no_chance(1000.0, 0, 0));
}

#[test]
fn a_search_can_be_cancelled_and_says_how_far_it_is() {
    let samples = samples(&EVERY, 100, Endian::Big, 4, |nth| nth as u32);
    let progress = Progress::default();
    assert_eq!(find_generators(&samples, &progress), Ok(Vec::new()));
    assert!((progress.share() - 1.0).abs() < 1e-9);
    progress.cancel();
    assert_eq!(find_generators(&samples, &progress), Err(SamplesError::Cancelled));
}
