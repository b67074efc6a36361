//! Parts of a range of seeds, by number: what the tasks of a job array search.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// One of a number of equal parts. All parts together cover every seed exactly once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// From 1.
    number: u32,
    of: u32,
}

/// Text that is not a part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N with I from 1 to N, such as 3/1000")]
pub struct PartError;

impl Part {
    /// The seeds of this part. None if there are more parts than seeds.
    pub fn seeds(self, whole: &RangeInclusive<u32>) -> Option<RangeInclusive<u32>> {
        let first = u64::from(*whole.start());
        let count = (u64::from(*whole.end()) + 1).checked_sub(first)?;
        if count < u64::from(self.of) {
            return None;
        }
        // Below 2^64: both factors are at most 2^32.
        let bound = |number: u32| first + count * u64::from(number) / u64::from(self.of);
        let (start, end) = (bound(self.number - 1), bound(self.number) - 1);
        Some(u32::try_from(start).ok()?..=u32::try_from(end).ok()?)
    }
}

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Self, PartError> {
        let (number, of) = text.split_once('/').ok_or(PartError)?;
        let parse = |text: &str| text.trim().parse::<u32>().map_err(|_| PartError);
        let part = Self { number: parse(number)?, of: parse(of)? };
        if (1..=part.of).contains(&part.number) { Ok(part) } else { Err(PartError) }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn covers(whole: &RangeInclusive<u32>, of: u32) {
        let mut next = u64::from(*whole.start());
        let mut sizes = Vec::new();
        for number in 1..=of {
            let seeds = Part { number, of }.seeds(whole).expect("enough seeds");
            assert_eq!(u64::from(*seeds.start()), next, "no gap and no overlap before part {number} of {of}");
            assert!(seeds.start() <= seeds.end());
            sizes.push(seeds.end() - seeds.start());
            next = u64::from(*seeds.end()) + 1;
        }
        assert_eq!(next, u64::from(*whole.end()) + 1, "the last part ends with the last seed");
        let (least, most) = (sizes.iter().min().expect("a part"), sizes.iter().max().expect("a part"));
        assert!(most - least <= 1, "parts are equal: {least} to {most} of {of}");
    }

    #[test]
    fn parts_of_all_states_cover_each_once() {
        for of in [1, 2, 3, 7, 1000, 1001, 65_536] {
            covers(&(0..=u32::MAX), of);
        }
        let all = "1/1".parse::<Part>().expect("a part");
        assert_eq!(all.seeds(&(0..=u32::MAX)), Some(0..=u32::MAX));
        let last = Part { number: u32::MAX, of: u32::MAX };
        assert_eq!(last.seeds(&(0..=u32::MAX)), Some(u32::MAX - 1..=u32::MAX));
        assert_eq!(Part { number: 1, of: 4 }.seeds(&(5..=7)), None, "more parts than seeds");
    }

    #[test]
    fn a_part_is_parsed_or_refused() {
        assert_eq!("3/1000".parse::<Part>().map(|part| part.to_string()), Ok("3/1000".into()));
        for wrong in ["", "3", "0/5", "6/5", "1/0", "-1/5", "1/5/2", "a/b", "1/99999999999"] {
            assert_eq!(wrong.parse::<Part>(), Err(PartError), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn parts_cover_any_range_once(first in any::<u32>(), count in 1_u32..5000, of in 1_u32..300) {
            let whole = first..=first.saturating_add(count);
            let of = of.min(whole.end() - whole.start() + 1);
            covers(&whole, of);
        }
    }
}
