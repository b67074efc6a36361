//! The draws of the language, the simplest first.

use super::super::content::DealCount;
use nextscope_games::games::declared::{Addend, Draw, Method};

/// What was drawn below a limit, as the engine of declared randomizers draws it; None for a number that counts as rejected.
pub(crate) fn below(draw: &Draw, number: u64, added: u64, limit: usize) -> Option<usize> {
    let low = |bits: u8| u64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
    let sum =
        (number >> draw.shift & low(draw.bits)).wrapping_add(added) & draw.sum_bits.map_or(u64::MAX, low);
    let limit = limit as u64;
    let drawn = match draw.method {
        Method::Modulo => sum.checked_rem(limit)?,
        Method::MultiplyHigh => {
            u64::try_from((u128::from(sum) * u128::from(limit)) >> draw.bits).unwrap_or(u64::MAX)
        }
        Method::Mask | Method::Rejection => sum & (limit.next_power_of_two() - 1),
    };
    usize::try_from(drawn).ok().filter(|drawn| (*drawn as u64) < limit)
}

/// Sizes of numbers that routines multiply: bytes, words and longs, and those without a sign.
const MULTIPLIED: [u8; 9] = [8, 15, 16, 24, 31, 32, 48, 63, 64];

/// A draw and how many bits it takes to say it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct CostedDraw {
    pub draw: Draw,
    pub cost: f64,
    /// What counts the deals, if their number is added.
    pub count: Option<DealCount>,
}

impl CostedDraw {
    /// What is added to a draw of a deal, from 0; `last` is the code of the deal before.
    pub fn added(&self, deal: usize, last: u64) -> u64 {
        match self.draw.add {
            None => 0,
            Some(Addend::Deals) => self.count.map_or(0, |count| count.before).wrapping_add(deal as u64 + 1),
            Some(Addend::Last) => last,
        }
    }
}

/// Bits to say which bits are used. All or those of a byte or word are what routines use first.
fn cost_of_bits(width: u8, shift: u8, bits: u8) -> f64 {
    match (shift, bits) {
        (0, bits) if bits == width => 1.0,
        (shift, bits) if shift + bits == width && (bits.is_multiple_of(8) || shift.is_multiple_of(8)) => 3.0,
        // A word without its sign, as `rand` of C compilers gives it.
        (16, 15) => 3.5,
        (shift, bits) if shift.is_multiple_of(8) && bits.is_multiple_of(8) => 4.0,
        (shift, bits) if shift + bits == width || shift == 0 => 6.0,
        (_, bits) if bits.is_multiple_of(8) || bits == 15 => 7.0,
        _ => 11.0,
    }
}

const fn cost_of_method(method: Method) -> f64 {
    match method {
        Method::Modulo | Method::MultiplyHigh => 1.5,
        Method::Rejection => 2.5,
        Method::Mask => 3.0,
    }
}

/// All draws from numbers of `width` bits by the given methods, of limits up to `largest`. For a limit that is a power of two, `mask` is
/// the remainder, and the bits above it make no difference.
pub(crate) fn draws(width: u8, methods: &[Method], largest: usize) -> Vec<CostedDraw> {
    let needed = u8::try_from(usize::BITS - largest.saturating_sub(1).leading_zeros()).unwrap_or(64).max(1);
    let mut all = Vec::new();
    let mut push = |shift: u8, bits: u8, method: Method| {
        let cost = cost_of_bits(width, shift, bits) + cost_of_method(method);
        all.push(CostedDraw {
            draw: Draw { shift, bits, method, add: None, sum_bits: None },
            cost,
            count: None,
        });
    };
    for method in methods {
        for shift in 0..width {
            let room = width - shift;
            if room < needed {
                break;
            }
            match method {
                Method::Modulo => (needed..=room).for_each(|bits| push(shift, bits, *method)),
                Method::MultiplyHigh => {
                    // More bits make a difference only once in as many draws, so that sizes that no routine has are not tried.
                    let whole = (shift == 0).then_some(room).filter(|room| !MULTIPLIED.contains(room));
                    let sizes = MULTIPLIED.iter().copied().filter(|bits| (needed..=room).contains(bits));
                    sizes.chain(whole).for_each(|bits| push(shift, bits, *method));
                }
                Method::Mask | Method::Rejection => push(shift, needed, *method),
            }
        }
    }
    all.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    all
}

/// The same draws with something added: the code of the last deal, or, with a count, the number of the deal.
pub(crate) fn with_addend(draws: &[CostedDraw], count: Option<DealCount>) -> Vec<CostedDraw> {
    let add = if count.is_some() { Addend::Deals } else { Addend::Last };
    let summed = |costed: &CostedDraw, sum_bits: Option<u8>| CostedDraw {
        draw: Draw { add: Some(add), sum_bits, ..costed.draw },
        cost: costed.cost + if sum_bits.is_some() { 5.0 } else { 4.0 },
        count,
    };
    let possible =
        draws.iter().filter(|costed| costed.draw.add.is_none() && costed.draw.method != Method::MultiplyHigh);
    possible.flat_map(|costed| [summed(costed, None), summed(costed, Some(8))]).collect()
}
