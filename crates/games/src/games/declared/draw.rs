//! How bits become a number below a limit.

use super::generator::low_bits;
use super::language::{Addend, Draw, Method};

/// A compiled [`Draw`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NumberDraw {
    shift: u8,
    bits: u8,
    mask: u64,
    pub method: Method,
    pub add: Option<Addend>,
    sum_mask: u64,
}

impl NumberDraw {
    /// The draw must have passed [`super::check()`].
    pub fn new(draw: &Draw) -> Self {
        let sum_mask = draw.sum_bits.map_or(u64::MAX, low_bits);
        let Draw { shift, bits, method, add, .. } = *draw;
        Self { shift, bits, mask: low_bits(bits), method, add, sum_mask }
    }

    /// The number of the generator's `number`; None if it is not below `limit`, which only `mask` and `rejection` give.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a number below a limit of 32 bits")]
    pub fn below(&self, number: u64, added: u64, limit: u32) -> Option<u32> {
        let bits = number >> self.shift & self.mask;
        let sum = bits.wrapping_add(added) & self.sum_mask;
        match self.method {
            // Most generators have 32 bits, and a division of 64 bits is slow.
            Method::Modulo => Some(match u32::try_from(sum) {
                Ok(sum) => sum % limit,
                Err(_) => (sum % u64::from(limit)) as u32,
            }),
            Method::MultiplyHigh if self.bits <= 32 => Some(((sum * u64::from(limit)) >> self.bits) as u32),
            Method::MultiplyHigh => Some(((u128::from(sum) * u128::from(limit)) >> self.bits) as u32),
            Method::Mask | Method::Rejection => {
                let number = (sum & u64::from(limit.next_power_of_two() - 1)) as u32;
                (number < limit).then_some(number)
            }
        }
    }
}
