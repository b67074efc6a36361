//! The conditions of a search.

use super::pattern::Pattern;
use super::value::{CellAddress, Kind, Value, ValueType};
use std::fmt;

/// Which previous value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Previous {
    /// At the last search step.
    LastSearch,
    /// At the last sampled frame.
    LastFrame,
    /// At the first step.
    First,
    /// Before its last change between frames.
    LastChange,
}

/// A comparison of two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compare {
    /// a = b
    Equal,
    /// a ≠ b
    NotEqual,
    /// a < b
    Less,
    /// a ≤ b
    LessOrEqual,
    /// a > b
    Greater,
    /// a ≥ b
    GreaterOrEqual,
}

/// The direction of a difference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// More.
    Up,
    /// Less.
    Down,
    /// Either.
    Either,
}

/// What a cell's value is compared with.
#[derive(Clone, PartialEq, Debug)]
pub enum Against {
    /// This value.
    Value(Value),
    /// The same cell's previous value.
    Previous(Previous),
    /// Another cell's current value, read as the same type.
    Cell(CellAddress),
}

/// One condition. Cells without a valid value (a decimal with a digit above 9) match none.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// Any value, for a first search.
    Unknown,
    /// A comparison. Floats compare as in IEEE 754: NaN is unequal to everything and neither less nor greater.
    Compare(Compare, Against),
    /// Between two values, both included, in either order.
    Between(Value, Value),
    /// Changed. Bits are compared, so a NaN that stays the same is unchanged.
    Changed(Previous),
    /// Unchanged, to the bit.
    Unchanged(Previous),
    /// A difference: of integers without wrapping, of floats by subtraction in their own type.
    Differs {
        /// The direction.
        change: Change,
        /// At least `by` instead of exactly.
        at_least: bool,
        /// The difference, 0 or more.
        by: Value,
        /// The value to differ from.
        from: Against,
    },
    /// The remainder of a division, never negative; integers only.
    Modulo {
        /// The divisor, at least 1.
        divisor: u64,
        /// The remainder.
        equals: Against,
    },
    /// How often the cell changed between frames.
    Changes(Compare, u32),
    /// A byte pattern, for [`Kind::Bytes`].
    Matches {
        /// The pattern, as long as the type.
        pattern: Pattern,
        /// Whether the bytes must not match.
        not: bool,
    },
}

/// Why a condition is invalid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ConditionError {
    #[error("`{condition}` does not apply to {kind} values")]
    NotForType { condition: &'static str, kind: Kind },
    #[error("{value} is out of range: expected {least} to {most} for {kind} values")]
    OutOfRange { value: i128, kind: Kind, least: i128, most: i128 },
    #[error("the value does not have the type of the search, {kind}")]
    OtherType { kind: Kind },
    #[error("a difference must be finite and at least 0; use `less` for the other direction")]
    Difference,
    #[error("the divisor of `modulo` must be at least 1")]
    DivisorZero,
    #[error("the pattern has {len} bytes, the search is for {searched}")]
    PatternLength { len: u16, searched: u16 },
    /// There is no previous value to compare with.
    #[error("{0}")]
    NoPrevious(Missing),
}

/// Which previous values are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The search has not started.
    FirstSearch,
    /// First values were not saved.
    First,
    /// No frames were sampled.
    Frames,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstSearch => "the first search has no previous values; start with `unknown` or a value",
            Self::First => "first values were not saved; start the search again with them",
            Self::Frames => "no frames were sampled; count changes (`track`) and wait for some frames",
        })
    }
}

impl Compare {
    /// Whether an ordering satisfies the comparison; None is the ordering of NaN.
    pub fn matches(self, order: Option<std::cmp::Ordering>) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match self {
            Self::Equal => order == Some(Equal),
            Self::NotEqual => order != Some(Equal),
            Self::Less => order == Some(Less),
            Self::LessOrEqual => matches!(order, Some(Less | Equal)),
            Self::Greater => order == Some(Greater),
            Self::GreaterOrEqual => matches!(order, Some(Greater | Equal)),
        }
    }
}

impl Condition {
    /// The name, without values.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Compare(Compare::Equal, _) => "equal",
            Self::Compare(Compare::NotEqual, _) => "not equal",
            Self::Compare(Compare::Less, _) => "less",
            Self::Compare(Compare::LessOrEqual, _) => "less or equal",
            Self::Compare(Compare::Greater, _) => "greater",
            Self::Compare(Compare::GreaterOrEqual, _) => "greater or equal",
            Self::Between(..) => "between",
            Self::Changed(_) => "changed",
            Self::Unchanged(_) => "unchanged",
            Self::Differs { at_least: false, .. } => "differs by exactly",
            Self::Differs { .. } => "differs by at least",
            Self::Modulo { .. } => "modulo",
            Self::Changes(..) => "number of changes",
            Self::Matches { not: false, .. } => "matches",
            Self::Matches { .. } => "does not match",
        }
    }

    fn against(&self) -> Option<&Against> {
        match self {
            Self::Compare(_, against) | Self::Differs { from: against, .. } => Some(against),
            Self::Modulo { equals, .. } => Some(equals),
            _ => None,
        }
    }

    /// The previous value that it needs.
    pub fn previous(&self) -> Option<Previous> {
        match (self, self.against()) {
            (Self::Changed(previous) | Self::Unchanged(previous), _)
            | (_, Some(Against::Previous(previous))) => Some(*previous),
            _ => None,
        }
    }

    /// The other cell that it needs.
    pub fn cell(&self) -> Option<CellAddress> {
        match self.against() {
            Some(Against::Cell(place)) => Some(*place),
            _ => None,
        }
    }

    /// The condition with this value in place of the other cell.
    pub fn with_cell(&self, value: &Value) -> Self {
        let mut filled = self.clone();
        match &mut filled {
            Self::Compare(_, against)
            | Self::Differs { from: against, .. }
            | Self::Modulo { equals: against, .. }
                if matches!(against, Against::Cell(_)) =>
            {
                *against = Against::Value(value.clone());
            }
            _ => {}
        }
        filled
    }

    /// Checks that the condition applies to the type.
    ///
    /// # Errors
    /// [`ConditionError`]; missing previous values are up to the search.
    pub fn check(&self, ty: ValueType) -> Result<(), ConditionError> {
        let kind = ty.kind();
        let not_for_type = Err(ConditionError::NotForType { condition: self.name(), kind });
        let bytes = matches!(kind, Kind::Bytes { .. });
        match self {
            Self::Unknown | Self::Changed(_) | Self::Unchanged(_) | Self::Changes(..) => Ok(()),
            Self::Matches { pattern, .. } => match kind {
                Kind::Bytes { len } if len == pattern.len() => Ok(()),
                Kind::Bytes { len } => {
                    Err(ConditionError::PatternLength { len: pattern.len(), searched: len })
                }
                _ => not_for_type,
            },
            _ if bytes => not_for_type,
            Self::Modulo { .. } if kind.is_float() => not_for_type,
            Self::Modulo { divisor: 0, .. } => Err(ConditionError::DivisorZero),
            Self::Compare(_, Against::Value(value)) => fits(value, kind),
            Self::Between(one, other) => fits(one, kind).and(fits(other, kind)),
            Self::Modulo { equals: Against::Value(value), .. } => match value {
                Value::Integer(_) => Ok(()), // an impossible remainder matches nothing
                _ => Err(ConditionError::OtherType { kind }),
            },
            Self::Differs { by, from, .. } => {
                if let Against::Value(value) = from {
                    fits(value, kind)?;
                }
                match (by, kind.range()) {
                    (Value::Integer(value), Some((least, most))) => {
                        let most = most - least;
                        if *value < 0 {
                            return Err(ConditionError::Difference);
                        }
                        let fits = *value <= most;
                        fits.then_some(()).ok_or(ConditionError::OutOfRange {
                            value: *value,
                            kind,
                            least: 0,
                            most,
                        })
                    }
                    (Value::Float(value), None) if value.is_finite() && *value >= 0.0 => Ok(()),
                    (Value::Float(_), None) => Err(ConditionError::Difference),
                    _ => Err(ConditionError::OtherType { kind }),
                }
            }
            Self::Compare(..) | Self::Modulo { .. } => Ok(()),
        }
    }
}

fn fits(value: &Value, kind: Kind) -> Result<(), ConditionError> {
    match (value, kind.range()) {
        (Value::Integer(value), Some((least, most))) if !(least..=most).contains(value) => {
            Err(ConditionError::OutOfRange { value: *value, kind, least, most })
        }
        (Value::Integer(_), Some(_)) => Ok(()),
        (Value::Float(_), None) if kind.is_float() => Ok(()),
        _ => Err(ConditionError::OtherType { kind }),
    }
}
