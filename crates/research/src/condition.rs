//! What a search asks of every cell.

use super::pattern::Pattern;
use super::value::{Kind, Place, Value, ValueType};
use std::fmt;

/// Which earlier value is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Previous {
    /// At the last search step.
    LastSearch,
    /// At the last frame that was sampled.
    LastFrame,
    /// At the first step.
    First,
    /// Before its last change, from frame to frame.
    LastChange,
}

/// How two values are compared.
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

/// In which direction a value differs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// It is more.
    Up,
    /// It is less.
    Down,
    /// One of the two.
    Either,
}

/// What a cell's value is held against.
#[derive(Clone, PartialEq, Debug)]
pub enum Against {
    /// This value.
    Value(Value),
    /// The same cell's earlier value.
    Previous(Previous),
    /// What another cell holds now, read as the same type.
    Cell(Place),
}

/// One condition. Cells that hold no value of the type (a decimal with a digit above 9) meet none.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// Anything: for the first search, when the value is not known.
    Unknown,
    /// The value compares so. Floats compare as IEEE 754 says: nan is unequal to everything and neither less nor greater.
    Compare(Compare, Against),
    /// From the one to the other, both included, in either order.
    Between(Value, Value),
    /// Other than it was. Told by the bits, so that a nan that stays the same is unchanged.
    Changed(Previous),
    /// As it was, to the bit.
    Unchanged(Previous),
    /// It differs by that much, in whole numbers without wrapping round, in floats by the subtraction of the type.
    Differs {
        /// More, less, or one of the two.
        change: Change,
        /// By at least so much instead of exactly.
        at_least: bool,
        /// How much, 0 or more.
        by: Value,
        /// From what.
        from: Against,
    },
    /// The remainder of the value, never negative, when it is divided; whole numbers only.
    Modulo {
        /// The divisor, at least 1.
        divisor: u64,
        /// What the remainder must equal.
        equals: Against,
    },
    /// How often the cell changed from frame to frame.
    Changes(Compare, u32),
    /// The bytes match; for [`Kind::Bytes`].
    Matches {
        /// What they must match; as long as the type.
        pattern: Pattern,
        /// Or must not.
        not: bool,
    },
}

/// Why a condition cannot be asked.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ConditionError {
    /// A condition that makes no sense for the type.
    #[error("`{condition}` cannot be asked of {kind} values")]
    NotForType {
        /// The condition in words.
        condition: &'static str,
        /// The type.
        kind: Kind,
    },
    /// A value that the type cannot hold, or a difference that two values of it cannot have.
    #[error("{value} is out of range: {least} to {most} are possible for {kind} values here")]
    OutOfRange {
        /// What was given.
        value: i128,
        /// The type.
        kind: Kind,
        /// The least value.
        least: i128,
        /// The greatest value.
        most: i128,
    },
    /// A whole number where a float is needed, or another mismatch.
    #[error("the value given is none of a {kind} search")]
    OtherType {
        /// The type.
        kind: Kind,
    },
    /// A difference that is negative or not finite.
    #[error("a difference is 0 or more and finite; choose `less` for the other direction")]
    Difference,
    /// Division by zero.
    #[error("the divisor of `modulo` is at least 1")]
    DivisorZero,
    /// A pattern of another length than the search's.
    #[error("the pattern has {len} bytes, the search is for {wanted}")]
    PatternLength {
        /// The pattern's length.
        len: u16,
        /// The search's.
        wanted: u16,
    },
    /// There is no earlier value to compare with.
    #[error("{0}")]
    NoPrevious(Missing),
}

/// Which earlier values are missing, and how they would be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The search has not begun.
    FirstSearch,
    /// First values were not kept.
    First,
    /// No frames were sampled.
    Frames,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstSearch => "a first search has no earlier values; begin with `unknown` or a value",
            Self::First => "first values were not kept; begin the search again and ask for them",
            Self::Frames => "no frames were sampled; switch on counting of changes and let some frames pass",
        })
    }
}

impl Compare {
    /// Whether two values that compare so meet it; None stands for values that do not compare (nan).
    #[must_use]
    pub fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
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
    /// In words, without its values.
    #[must_use]
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

    /// What the value is held against, where it is held against something.
    fn against(&self) -> Option<&Against> {
        match self {
            Self::Compare(_, against) | Self::Differs { from: against, .. } => Some(against),
            Self::Modulo { equals, .. } => Some(equals),
            _ => None,
        }
    }

    /// The earlier value that is needed.
    #[must_use]
    pub fn previous(&self) -> Option<Previous> {
        match (self, self.against()) {
            (Self::Changed(previous) | Self::Unchanged(previous), _)
            | (_, Some(Against::Previous(previous))) => Some(*previous),
            _ => None,
        }
    }

    /// The other cell that is needed.
    #[must_use]
    pub fn cell(&self) -> Option<Place> {
        match self.against() {
            Some(Against::Cell(place)) => Some(*place),
            _ => None,
        }
    }

    /// The same with that value in the place of the other cell.
    #[must_use]
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

    /// Whether it can be asked of values of this type.
    ///
    /// # Errors
    /// [`ConditionError`], but never for want of earlier values: that is up to the search.
    pub fn check(&self, ty: ValueType) -> Result<(), ConditionError> {
        let kind = ty.kind();
        let not_for_type = Err(ConditionError::NotForType { condition: self.name(), kind });
        let bytes = matches!(kind, Kind::Bytes { .. });
        match self {
            Self::Unknown | Self::Changed(_) | Self::Unchanged(_) | Self::Changes(..) => Ok(()),
            Self::Matches { pattern, .. } => match kind {
                Kind::Bytes { len } if len == pattern.len() => Ok(()),
                Kind::Bytes { len } => Err(ConditionError::PatternLength { len: pattern.len(), wanted: len }),
                _ => not_for_type,
            },
            _ if bytes => not_for_type,
            Self::Modulo { .. } if kind.is_float() => not_for_type,
            Self::Modulo { divisor: 0, .. } => Err(ConditionError::DivisorZero),
            Self::Compare(_, Against::Value(value)) => fits(value, kind),
            Self::Between(one, other) => fits(one, kind).and(fits(other, kind)),
            Self::Modulo { equals: Against::Value(value), .. } => match value {
                Value::Integer(_) => Ok(()), // one that no remainder equals is met by none
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
