//! How a condition is checked in whole blocks: as ranges of keys, as tests of two keys, or cell by cell.

use super::condition::{Against, Change, Compare, Condition};
use super::kernel::{Float, Key};
use super::value::{Kind, Value, ValueType, low_32, nearest};

/// The greatest number in four bytes of decimal digits.
pub(super) const DECIMAL_MOST: u64 = 99_999_999;

#[derive(Debug)]
pub(super) enum Plan {
    All,
    Nothing,
    /// The key is in one of these ranges.
    Ranges(Vec<(u64, u64)>),
    /// One of these tests of both values passes; the flag says that the previous value must be valid, too.
    Pairs(Vec<PairTest>, bool),
    /// A divisor and the remainder of the key.
    Remainder(u64, u64),
    /// The number of changes compares so.
    Changes(Compare, u32),
    /// The pattern matches; with the flag, it does not.
    Pattern(bool),
    /// The bytes changed; without the flag, they did not.
    Bytes(bool),
    /// Cell by cell, by [`super::reference`].
    Reference,
}

/// A test of the keys of a cell's value and its previous value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum PairTest {
    Same,
    Different,
    AtLeast(u64, Order),
    Exactly(u64, Order),
    PreviousAtMost(u64),
    FloatEqual,
    FloatDifferent,
    FloatGreater(Order),
    FloatNotLess(Order),
    FloatExactly(f64, Order),
    FloatAtLeast(f64, Order),
}

/// Which value is the first of a test, that is, the greater one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Order {
    NowFirst,
    PreviousFirst,
}

impl Plan {
    pub fn of(ty: ValueType, condition: &Condition) -> Self {
        let kind = ty.kind();
        if let Kind::Bytes { .. } = kind {
            return match condition {
                Condition::Unknown => Self::All,
                Condition::Changed(_) => Self::Bytes(true),
                Condition::Unchanged(_) => Self::Bytes(false),
                Condition::Matches { not, .. } => Self::Pattern(*not),
                _ => Self::Reference,
            };
        }
        match condition {
            Condition::Unknown if matches!(kind, Kind::Bcd { .. }) => Self::Ranges(vec![(0, DECIMAL_MOST)]),
            Condition::Unknown => Self::All,
            Condition::Compare(compare, Against::Value(value)) => {
                Self::ranges(kind, Bounds::of(kind, value).map(|bounds| bounds.ranges(*compare)), *compare)
            }
            Condition::Between(one, other) => {
                let (Some(one), Some(other)) = (Bounds::of(kind, one), Bounds::of(kind, other)) else {
                    return Self::Nothing;
                };
                let between = |low: &Bounds, high: &Bounds| (low.first, high.last);
                Self::of_ranges([between(&one, &other), between(&other, &one)])
            }
            Condition::Changed(_) => Self::Pairs(vec![PairTest::Different], false),
            Condition::Unchanged(_) => Self::Pairs(vec![PairTest::Same], false),
            Condition::Compare(compare, Against::Previous(_)) => {
                let test = if kind.is_float() { compare.of_floats() } else { compare.of_integers() };
                Self::Pairs(vec![test], true)
            }
            Condition::Differs { change, at_least, by, from: Against::Previous(_) } => {
                let Some(test) = PairTest::differs(by, *at_least) else { return Self::Reference };
                let tests = match change {
                    Change::Up => vec![test(Order::NowFirst)],
                    Change::Down => vec![test(Order::PreviousFirst)],
                    Change::Either => vec![test(Order::NowFirst), test(Order::PreviousFirst)],
                };
                Self::Pairs(tests, true)
            }
            Condition::Differs { change, at_least, by, from: Against::Value(from) } => {
                let (Value::Integer(by), Value::Integer(from), Some(_)) = (by, from, kind.range()) else {
                    return Self::Reference;
                };
                let up = (from + by, if *at_least { i128::MAX } else { from + by });
                let down = (if *at_least { i128::MIN } else { from - by }, from - by);
                let ranges = match change {
                    Change::Up => vec![up],
                    Change::Down => vec![down],
                    Change::Either => vec![up, down],
                };
                Self::of_ranges(ranges.into_iter().filter_map(|(low, high)| keys_between(kind, low, high)))
            }
            Condition::Modulo { divisor, equals: Against::Value(Value::Integer(equals)) } => {
                let Ok(equals) = u64::try_from(*equals) else { return Self::Nothing };
                if equals >= *divisor {
                    return Self::Nothing;
                }
                // Keys of signed numbers start at the least number: key = value + offset.
                let offset = kind.range().map_or(0, |(least, _)| if kind.is_signed() { -least } else { 0 });
                let key = (i128::from(equals) + offset).rem_euclid(i128::from(*divisor));
                u64::try_from(key).map_or(Self::Nothing, |key| Self::Remainder(*divisor, key))
            }
            Condition::Changes(compare, count) => Self::Changes(*compare, *count),
            _ => Self::Reference,
        }
    }

    fn ranges(kind: Kind, ranges: Option<Vec<(u64, u64)>>, compare: Compare) -> Self {
        match ranges {
            Some(ranges) => Self::of_ranges(ranges),
            // NaN compares only as unequal.
            None if compare == Compare::NotEqual && kind.is_float() => Self::All,
            None => Self::Nothing,
        }
    }

    fn of_ranges(ranges: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let ranges: Vec<_> = ranges.into_iter().filter(|(low, high)| low <= high).collect();
        if ranges.is_empty() { Self::Nothing } else { Self::Ranges(ranges) }
    }
}

impl Compare {
    fn of_integers(self) -> PairTest {
        match self {
            Self::Equal => PairTest::Same,
            Self::NotEqual => PairTest::Different,
            Self::Less => PairTest::AtLeast(1, Order::PreviousFirst),
            Self::LessOrEqual => PairTest::AtLeast(0, Order::PreviousFirst),
            Self::Greater => PairTest::AtLeast(1, Order::NowFirst),
            Self::GreaterOrEqual => PairTest::AtLeast(0, Order::NowFirst),
        }
    }

    fn of_floats(self) -> PairTest {
        match self {
            Self::Equal => PairTest::FloatEqual,
            Self::NotEqual => PairTest::FloatDifferent,
            Self::Less => PairTest::FloatGreater(Order::PreviousFirst),
            Self::LessOrEqual => PairTest::FloatNotLess(Order::PreviousFirst),
            Self::Greater => PairTest::FloatGreater(Order::NowFirst),
            Self::GreaterOrEqual => PairTest::FloatNotLess(Order::NowFirst),
        }
    }
}

impl PairTest {
    fn differs(by: &Value, at_least: bool) -> Option<impl Fn(Order) -> Self> {
        let by = match by {
            Value::Integer(by) => Ok(u64::try_from(*by).ok()?),
            Value::Float(by) => Err(*by),
            Value::Bytes(_) => return None,
        };
        Some(move |order| match (by, at_least) {
            (Ok(by), true) => Self::AtLeast(by, order),
            (Ok(by), false) => Self::Exactly(by, order),
            (Err(by), true) => Self::FloatAtLeast(by, order),
            (Err(by), false) => Self::FloatExactly(by, order),
        })
    }
}

/// The keys around a value: the first that is not less, the last that is not greater, and the least and greatest keys of any
/// number of the type. When the type cannot represent the value exactly, `last` is below `first`.
struct Bounds {
    first: u64,
    last: u64,
    least: u64,
    most: u64,
    /// The greatest key of all, a NaN's.
    beyond: u64,
}

impl Bounds {
    /// None for NaN and for values of another type.
    fn of(kind: Kind, value: &Value) -> Option<Self> {
        match (value, kind) {
            (Value::Integer(value), _) => {
                let (least, most) = kind.range()?;
                let (key, _) = keys_between(kind, *value, *value)?;
                let (least, most) = keys_between(kind, least, most)?;
                Some(Self { first: key, last: key, least, most, beyond: most })
            }
            (Value::Float(value), Kind::F32) => {
                let nearest = nearest(*value);
                let key = |number: f32| key_of_float(number.to_bits().into(), 32);
                let exact = f64::from(nearest).partial_cmp(value)?;
                let keys = [key(-0.0), key(0.0), key(nearest), key(f32::NEG_INFINITY), key(f32::INFINITY)];
                Some(Self::around(nearest == 0.0, exact, keys, u32::MAX.into()))
            }
            (Value::Float(value), Kind::F64) => {
                let key = |number: f64| key_of_float(number.to_bits(), 64);
                let exact = value.partial_cmp(value)?;
                let keys = [key(-0.0), key(0.0), key(*value), key(f64::NEG_INFINITY), key(f64::INFINITY)];
                Some(Self::around(*value == 0.0, exact, keys, u64::MAX))
            }
            _ => None,
        }
    }

    /// From the float nearest to the value and how it compares with it; both zeros are one value.
    fn around(zero: bool, exact: std::cmp::Ordering, keys: [u64; 5], beyond: u64) -> Self {
        let [minus_zero, plus_zero, key, least, most] = keys;
        let (low, high) = if zero { (minus_zero, plus_zero) } else { (key, key) };
        let (first, last) = match exact {
            std::cmp::Ordering::Equal => (low, high),
            std::cmp::Ordering::Less => (high + 1, high), // the nearest float is less than the value
            std::cmp::Ordering::Greater => (low, low - 1),
        };
        Self { first, last, least, most, beyond }
    }

    /// The ranges of keys that compare so with the value.
    fn ranges(&self, compare: Compare) -> Vec<(u64, u64)> {
        let below = |end: u64| (end > self.least).then(|| (self.least, end - 1));
        let above = |end: u64| (end < self.most).then(|| (end + 1, self.most));
        match compare {
            Compare::Equal => vec![(self.first, self.last)],
            Compare::NotEqual => {
                // NaN is unequal as well.
                let low = (self.first > 0).then(|| (0, self.first - 1));
                let high = (self.last < self.beyond).then(|| (self.last + 1, self.beyond));
                low.into_iter().chain(high).collect()
            }
            Compare::Less => below(self.first).into_iter().collect(),
            Compare::LessOrEqual => vec![(self.least, self.last)],
            Compare::Greater => above(self.last).into_iter().collect(),
            Compare::GreaterOrEqual => vec![(self.first, self.most)],
        }
    }
}

/// The keys of the integers from `low` to `high` that the kind has.
fn keys_between(kind: Kind, low: i128, high: i128) -> Option<(u64, u64)> {
    let (least, most) = kind.range()?;
    let (low, high) = (low.max(least), high.min(most));
    // Keys of signed numbers start at the least number: their bits with the sign bit inverted.
    let from = if kind.is_signed() { least } else { 0 };
    (low <= high).then_some(())?;
    Some((u64::try_from(low - from).ok()?, u64::try_from(high - from).ok()?))
}

/// See [`Float`].
fn key_of_float(bits: u64, width: u32) -> u64 {
    match width {
        32 => Key::<u32>::key(Float::<false>, low_32(bits)).into(),
        _ => Key::<u64>::key(Float::<false>, bits),
    }
}
