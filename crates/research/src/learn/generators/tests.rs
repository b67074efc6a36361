use super::super::trace::Stepping;
use super::*;
use crate::source::Address;
use nextscope_games::games::declared::{Direction, RegisterForm};

/// The values of a cell after so many steps each.
fn values(generator: &Generator, seed: u64, steps: impl IntoIterator<Item = usize>) -> CellValues {
    let mut stepping = Stepping::new(generator).unwrap();
    stepping.set(seed);
    let mut all = vec![(0, seed)];
    for (sample, steps) in (1..).zip(steps) {
        let last = (0..steps).map(|_| stepping.step()).last();
        all.push((sample, last.unwrap_or(all[all.len() - 1].1)));
    }
    CellValues(all)
}

fn cell(width: u8) -> StateCell {
    StateCell { address: Address(0), width, order: Endian::Big }
}

fn is_found(generator: &Generator, steps: impl IntoIterator<Item = usize>) -> bool {
    let values = values(generator, 0x1234_5679_9ABC_DEF1 & (u64::MAX >> (64 - generator.width())), steps);
    let found = in_cell(cell(generator.width() / 8), &values);
    found.iter().any(|trace| trace.generator == *generator)
}

#[test]
fn every_family_is_found_by_states_of_one_or_a_few_steps() {
    let register =
        |form, direction, taps| Generator::ShiftRegister { width: 16, form, direction, taps, shifts: 1 };
    let rotate = |addend, state_mask, add_state, increment| Generator::AddRotate {
        width: 32,
        addend,
        state_mask,
        rotate: 7,
        add_state,
        increment,
    };
    let generators = [
        Generator::Linear { width: 32, multiplier: 0x0BB3_8435, increment: 0x3619_636B, modulus: None },
        Generator::Linear { width: 16, multiplier: 0x6255, increment: 0x3619, modulus: None },
        Generator::MultiplyAddHalves { width: 32, multiplier: 41 },
        register(RegisterForm::Fibonacci, Direction::Right, 0x002D),
        register(RegisterForm::Fibonacci, Direction::Left, 0xB400),
        register(RegisterForm::Galois, Direction::Right, 0xB400),
        register(RegisterForm::Galois, Direction::Left, 0x002D),
        Generator::Xorshift { width: 32, shifts: vec![13, -17, 5], multiplier: None },
        Generator::Xorshift { width: 16, shifts: vec![7, -9, 8], multiplier: None },
        rotate(0x1234_5678, 0, true, 3),
        rotate(0x00FF_7FD0, 0xFFFF_00FF, true, 1),
        Generator::MultiplyWithCarry { width: 32, multiplier: 36_969 },
        Generator::SplitMix64 {},
    ];
    for generator in generators {
        assert!(is_found(&generator, [1; 60]), "{generator:?}");
        // Rejected draws are further steps.
        assert!(is_found(&generator, (0..60).map(|nth| if nth % 5 == 4 { 2 } else { 1 })), "{generator:?}");
    }
}

#[test]
fn a_register_that_shifts_eight_times_is_found() {
    let eight =
        |form, direction, taps| Generator::ShiftRegister { width: 16, form, direction, taps, shifts: 8 };
    assert!(is_found(&eight(RegisterForm::Fibonacci, Direction::Right, 0x0202), [1; 40]));
    assert!(is_found(&eight(RegisterForm::Galois, Direction::Right, 0xB400), [1; 40]));
}

#[test]
fn counters_noise_and_few_values_are_no_generators() {
    let values = |value: &dyn Fn(u64) -> u64, count: u32| {
        CellValues((0..count).map(|nth| (nth, value(nth.into()))).collect())
    };
    let mixed = |nth: u64| nextscope_boards::SplitMix64::mixed(nth);
    let cases: [(u8, CellValues); 6] = [
        (4, values(&|nth| 70_000 + 3 * nth, 300)),
        (2, values(&|nth| u64::from((nth as u16).swap_bytes()), 300)),
        (1, values(&|nth| mixed(nth) & 0xFF, 1000)),
        (2, values(&|nth| mixed(nth) & 0xFFFF, 1000)),
        (4, values(&|nth| mixed(nth) & 0xFFFF_FFFF, 1000)),
        (
            4,
            values(&|nth| 12_345_u64.wrapping_mul(0x41C6_4E6D_u64.wrapping_pow(nth as u32)) & 0xFFFF_FFFF, 3),
        ),
    ];
    for (width, values) in cases {
        let found = in_cell(cell(width), &values);
        assert!(found.is_empty(), "{width}: {:?}", found[0].generator);
    }
}
