//! Generators that mix bits: xorshift, add and rotate, multiply with carry, SplitMix64.

use super::arithmetic::low_bits;
use nextscope_games::games::declared::Generator;

/// Transitions that may be the single step from which constants are taken.
const ANCHORS: usize = 4;
/// Increments of an add-with-rotate generator that are tried.
const INCREMENTS: u64 = 4096;
/// Add-with-rotate generators that the values do not tell apart, at most.
const ALIKE_MOST: usize = 12;
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
        // The values before a last shift, or before none, and a bit for each in a small set that most other values are not in.
        let mut backward: Vec<(u64, Option<i8>)> =
            distances(bits).map(|third| (unshifted(after, third, mask), Some(third))).collect();
        backward.push((after, None));
        let place = |value: u64| usize::try_from(value.wrapping_mul(GOLDEN) >> 52).unwrap_or(0);
        let mut is_there = vec![false; 4096];
        backward.iter().for_each(|(value, _)| is_there[place(*value)] = true);
        let forward = distances(bits).flat_map(|first| {
            let once = shifted(before, first, mask);
            let twice = move |second: i8| (shifted(once, second, mask), first, second);
            distances(bits).filter(move |second| *second != first).map(twice)
        });
        let found =
            forward.filter(|(value, ..)| is_there[place(*value)]).find_map(|(value, first, second)| {
                let meets = backward.iter().filter(|(back, _)| *back == value);
                let all = meets
                    .map(|(_, third)| [Some(first), Some(second), *third].into_iter().flatten().collect());
                { all }.find(|shifts: &Vec<i8>| fits(shifts))
            });
        if let Some(shifts) = found {
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
        // Two transitions in a row agree where both are single steps.
        if 3 * agreeing < tested.len() - 1 {
            continue;
        }
        let rotated_back = |word: u64| (word >> rotate | word << (width - rotate)) & mask;
        // Of increments that differ by little, most agree but for a carry now and then: those that agree most often are left.
        let mut best: (usize, Vec<Generator>) = (tested.len() * 3 / 4, Vec::new());
        for increment in 0..INCREMENTS.min(mask) {
            let addend = |pair: &(u64, u64)| {
                rotated_back(out(*pair).wrapping_sub(increment) & mask).wrapping_sub(into(pair.0)) & mask
            };
            for anchor in &tested[..3] {
                let expected = addend(anchor);
                let count = tested.iter().filter(|pair| addend(pair) == expected).count();
                let generator = Generator::AddRotate {
                    width: bits,
                    addend: expected,
                    state_mask,
                    rotate: u8::try_from(rotate).unwrap_or(1),
                    add_state,
                    increment,
                };
                if count > best.0 {
                    best = (count, vec![generator]);
                } else if count == best.0 && best.1.len() < ALIKE_MOST && !best.1.contains(&generator) {
                    best.1.push(generator);
                }
            }
        }
        if !best.1.is_empty() {
            return best.1;
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
