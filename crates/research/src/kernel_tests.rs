#![allow(clippy::cast_possible_truncation, reason = "random numbers cut to the lanes")]

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn remainders_are_those_of_a_division(
        key: u64,
        small in 0u64..300,
        divisor in prop_oneof![1u64..20, 1u64..300, any::<u64>().prop_map(|any| any.max(1)), (0u32..64).prop_map(|power| 1 << power)],
        any: u64,
    ) {
        for key in [key, small, u64::MAX - small, any / divisor * divisor] {
            for remainder in [key % divisor, any % divisor] {
                let passes = Remainder::<u64>::new(divisor, remainder).is_some_and(|test| test.passes(key));
                prop_assert_eq!(passes, key % divisor == remainder);
                let short = key as u32;
                let passes = Remainder::<u32>::new(divisor, remainder).is_some_and(|test| test.passes(short));
                prop_assert_eq!(passes, u64::from(short) % divisor == remainder);
                let byte = key as u8;
                let passes = Remainder::<u8>::new(divisor, remainder).is_some_and(|test| test.passes(byte));
                prop_assert_eq!(passes, u64::from(byte) % divisor == remainder);
            }
        }
    }
}
