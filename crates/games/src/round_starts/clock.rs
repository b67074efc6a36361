//! A counter of the game whose value says how many frames ago it began.

use crate::profile::Liveness;

/// A counter that starts with 0, and to which each frame adds the same number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PowerOnClock {
    step: u64,
    modulo: u64,
}

impl PowerOnClock {
    /// None unless 0 < step < modulo.
    pub fn new(step: u64, modulo: u64) -> Option<Self> {
        (step > 0 && step < modulo).then_some(Self { step, modulo })
    }

    /// The counter that a profile states. None for a countdown.
    pub fn of(liveness: &Liveness) -> Option<Self> {
        Self::new(u64::try_from(liveness.per_frame).ok()?, liveness.modulo)
    }

    /// Frames after which its values repeat.
    pub fn period(self) -> u64 {
        self.modulo / greatest_common_divisor(self.step, self.modulo)
    }

    /// The frames since it was 0, below [`period`](Self::period). None for a value that it never has.
    pub fn frame(self, value: u64) -> Option<u64> {
        let divisor = greatest_common_divisor(self.step, self.modulo);
        if value >= self.modulo || !value.is_multiple_of(divisor) {
            return None;
        }
        let period = self.period();
        let inverse = inverse(self.step / divisor, period)?;
        let frame = u128::from(value / divisor) * u128::from(inverse) % u128::from(period);
        u64::try_from(frame).ok()
    }
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

/// The number whose product with `number` is 1 modulo `modulo`; None if they have a common divisor.
fn inverse(number: u64, modulo: u64) -> Option<u64> {
    let whole = i128::from(modulo);
    let (mut old, mut rest) = ((i128::from(number) % whole, 1_i128), (whole, 0_i128));
    while rest.0 != 0 {
        let quotient = old.0 / rest.0;
        (old, rest) = (rest, (old.0 - quotient * rest.0, old.1 - quotient * rest.1));
    }
    (old.0 == 1).then(|| u64::try_from(old.1.rem_euclid(whole)).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The interrupt counter of Puyo Puyo Tsu (reference 1.5).
    const TSU: (u64, u64) = (0x4022, 1_000_000);

    #[test]
    fn every_value_of_the_counter_says_its_frame() {
        let clock = PowerOnClock::new(TSU.0, TSU.1).expect("a clock");
        assert_eq!(clock.period(), 500_000);
        let mut value = 0;
        for frame in 0..1_000_001_u64 {
            assert_eq!(clock.frame(value), Some(frame % 500_000), "value {value}");
            value += TSU.0;
            if value >= TSU.1 {
                value -= TSU.1;
            }
        }
        for never in [1, 0x4023, 999_999, 1_000_000, u64::MAX] {
            assert_eq!(clock.frame(never), None, "{never}");
        }
    }

    #[test]
    fn what_is_no_counter_is_refused() {
        assert_eq!(PowerOnClock::new(0, 10), None);
        assert_eq!(PowerOnClock::new(10, 10), None);
        let countdown = Liveness { field: "x".into(), per_frame: -1, modulo: 256, note: None };
        assert_eq!(PowerOnClock::of(&countdown), None);
    }

    proptest! {
        #[test]
        fn any_counter_is_inverted(step in 1_u64..5000, more in 1_u64..100_000, frame in any::<u32>()) {
            let clock = PowerOnClock::new(step, step + more).expect("a clock");
            let frame = u64::from(frame) % clock.period();
            prop_assert_eq!(clock.frame(frame * step % (step + more)), Some(frame));
        }
    }
}
