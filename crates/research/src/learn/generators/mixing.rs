//! Generators that mix bits: xorshift, add and rotate, multiply with carry, SplitMix64.

use super::arithmetic::low_bits;
use nextscope_games::games::declared::Generator;
use std::collections::HashMap;

/// Transitions that may be the single step from which constants are taken.
const ANCHORS: usize = 4;
/// Increments of an add-with-rotate generator that are tried.
const INCREMENTS: u64 = 4096;
/// What SplitMix64 adds, 2^64 divided by the golden ratio (Steele, Lea and Flood 2014).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// Steps between two values that are tried.
const STEPS_MOST: usize = 64;
/// Multipliers of the output of Vigna's xorshift64* and xorshift1024* (2016).
const STARS: [u64; 2] = [2_685_821_657_736_338_717, 1_181_783_497_276_652_981];

/// A shift by exclusive or: positive to the left.
fn shifted(word: u64, by: i8, mask: u64) -> u64 {
    let distance = u32::from(by.unsigned_abs());
    word ^ if by > 0 { word << distance & mask } else { word >> distance }
}

/// The word from which the shift made this one.
fn unshifted(word: u64, by: i8, mask: u64) -> u64 {
    // Each round makes as many more bits right as the shift is far, and rounds double it.
    let (mut word, mut by) = (word, i32::from(by));
    while by.unsigned_abs() < 64 {
        word ^= if by > 0 { word << by & mask } else { word >> -by };
        by *= 2;
    }
    word
}

fn distances(bits: u8) -> impl Iterator<Item = i8> + Clone {
    let most = i8::try_from(bits).unwrap_or(i8::MAX) - 1;
    (1..=most).flat_map(|by| [by, -by])
}

/// Xorshift generators of up to four shifts that the values follow: the first half of the shifts from one value and the other half
/// back from the next value meet in the middle.
pub(super) fn xorshift(values: &[u64], bits: u8) -> Vec<Generator> {
    if values.len() < 6 || ![8, 16, 32, 64].contains(&bits) {
        return Vec::new();
    }
    let mask = low_bits(bits);
    let step = |word: u64, shifts: &[i8]| shifts.iter().fold(word, |word, by| shifted(word, *by, mask));
    let fits = |shifts: &[i8]| {
        let tested = values.windows(2).take(16);
        let reached = tested.filter(|pair| {
            let mut word = pair[0];
            (0..STEPS_MOST).any(|_| {
                word = step(word, shifts);
                word == pair[1]
            })
        });
        4 * reached.count() >= 3 * (values.len() - 1).min(16)
    };
    for pair in values.windows(2).take(ANCHORS) {
        let (before, after) = (pair[0], pair[1]);
        if before == 0 || after == 0 {
            continue;
        }
        let mut middle: HashMap<u64, Vec<[i8; 2]>> = HashMap::new();
        for first in distances(bits) {
            let once = shifted(before, first, mask);
            for second in distances(bits).filter(|second| *second != first) {
                middle.entry(shifted(once, second, mask)).or_default().push([first, second]);
            }
        }
        let meets = |back: u64| middle.get(&back).into_iter().flatten();
        let two = meets(after).map(|half| half.to_vec());
        let three = distances(bits).flat_map(|third| {
            meets(unshifted(after, third, mask)).map(move |half| vec![half[0], half[1], third])
        });
        if let Some(shifts) = two.chain(three).find(|shifts| fits(shifts)) {
            let plain = Generator::Xorshift { width: bits, shifts: shifts.clone(), multiplier: None };
            let star = |multiplier| Generator::Xorshift {
                width: bits,
                shifts: shifts.clone(),
                multiplier: Some(multiplier),
            };
            let stars = STARS.iter().filter(|star| **star <= mask).map(|multiplier| star(*multiplier));
            return std::iter::once(plain).chain(stars).collect();
        }
    }
    Vec::new()
}

/// Add-with-rotate generators that the values follow.
///
/// Two transitions with the same constants have the same difference before the rotation and, up to a carry and a borrow, after it,
/// whatever the addend and the increment are: that finds the distance of the rotation.
pub(super) fn add_rotate(values: &[u64], bits: u8) -> Vec<Generator> {
    if values.len() < 6 || bits < 8 {
        return Vec::new();
    }
    let (width, mask) = (u32::from(bits), low_bits(bits));
    let tested: Vec<(u64, u64)> = values.windows(2).take(64).map(|pair| (pair[0], pair[1])).collect();
    let masks = [0, mask, 0xFFFF_00FF & mask];
    for (rotate, state_mask, add_state) in (1..width)
        .flat_map(|rotate| masks.iter().map(move |state_mask| (rotate, *state_mask)))
        .flat_map(|(rotate, state_mask)| [false, true].map(|add_state| (rotate, state_mask, add_state)))
    {
        let into = |before: u64| before.wrapping_add(before & state_mask) & mask;
        let out = |(before, after): (u64, u64)| after.wrapping_sub(if add_state { before } else { 0 }) & mask;
        let agree = |one: (u64, u64), other: (u64, u64)| {
            let apart = into(one.0).wrapping_sub(into(other.0)) & mask;
            let low = apart & (mask >> rotate);
            let high = apart >> (width - rotate);
            let found = out(one).wrapping_sub(out(other)).wrapping_sub(low << rotate) & mask;
            let limit = 1_u64 << rotate;
            [high, high + 1, high.wrapping_sub(limit) & mask, (high + 1).wrapping_sub(limit) & mask]
                .contains(&found)
        };
        let agreeing = tested.windows(2).filter(|two| agree(two[0], two[1])).count();
        if 4 * agreeing < 3 * (tested.len() - 1) {
            continue;
        }
        let rotated_back = |word: u64| (word >> rotate | word << (width - rotate)) & mask;
        // Of increments that differ by little, most agree but for a carry now and then: the right one always does.
        let mut best: Option<(usize, u64, u64)> = None;
        for increment in 0..INCREMENTS.min(mask) {
            let addend = |pair: &(u64, u64)| {
                rotated_back(out(*pair).wrapping_sub(increment) & mask).wrapping_sub(into(pair.0)) & mask
            };
            for anchor in &tested[..3] {
                let expected = addend(anchor);
                let count = tested.iter().filter(|pair| addend(pair) == expected).count();
                if best.is_none_or(|(most, ..)| count > most) {
                    best = Some((count, increment, expected));
                }
            }
            if best.is_some_and(|(most, ..)| most == tested.len()) {
                break;
            }
        }
        if let Some((count, increment, addend)) = best
            && 4 * count >= 3 * tested.len()
        {
            return vec![Generator::AddRotate {
                width: bits,
                addend,
                state_mask,
                rotate: u8::try_from(rotate).unwrap_or(1),
                add_state,
                increment,
            }];
        }
    }
    Vec::new()
}

/// Multiply-with-carry generators that the values follow.
pub(super) fn multiply_with_carry(values: &[u64], bits: u8) -> Vec<Generator> {
    if values.len() < 6 || ![16, 32, 64].contains(&bits) {
        return Vec::new();
    }
    let half = u32::from(bits) / 2;
    let low = low_bits(bits / 2);
    let multiplier = |pair: &[u64]| {
        let product = pair[1].checked_sub(pair[0] >> half)?;
        let (by, rest) = (product.checked_div(pair[0] & low)?, product.checked_rem(pair[0] & low)?);
        (rest == 0 && by > 1 && by <= low).then_some(by)
    };
    let fits = |multiplier: u64| {
        let reached = values.windows(2).take(12).filter(|pair| {
            let mut word = pair[0];
            (0..STEPS_MOST).any(|_| {
                word = (word & low).wrapping_mul(multiplier).wrapping_add(word >> half);
                word == pair[1]
            })
        });
        4 * reached.count() >= 3 * (values.len() - 1).min(12)
    };
    let anchors = values.windows(2).take(2 * ANCHORS).filter_map(multiplier);
    let found = { anchors }.find(|multiplier| fits(*multiplier));
    found.map(|multiplier| Generator::MultiplyWithCarry { width: bits, multiplier }).into_iter().collect()
}

/// SplitMix64, if the values are its counter.
pub(super) fn split_mix(values: &[u64], bits: u8) -> Vec<Generator> {
    let counts = |pair: &[u64]| {
        (1..=STEPS_MOST as u64).any(|steps| pair[1].wrapping_sub(pair[0]) == GOLDEN.wrapping_mul(steps))
    };
    let is_it = bits == 64
        && values.len() >= 4
        && values.windows(2).take(12).filter(|pair| counts(pair)).count() >= 3;
    if is_it { vec![Generator::SplitMix64 {}] } else { Vec::new() }
}
