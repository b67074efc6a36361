//! A condition checked one cell at a time. The matcher uses it where few candidates are left, and must agree with it everywhere.

use super::condition::{Against, Change, Condition};
use super::value::{Kind, Part, Value, ValueType, nearest};

#[derive(Clone, Copy, Debug)]
pub struct CellState<'a> {
    /// The bytes from the cell on.
    pub now: &'a [u8],
    /// The previous bytes, of whichever moment the condition asks for; None when they are unknown.
    pub previous: Option<&'a [u8]>,
    pub part: Part,
    /// How often the cell changed.
    pub changes: u32,
}

/// Whether a cell matches a condition. A cell whose previous value is unknown matches every condition that needs it. A condition
/// that refers to another cell must have that cell's value filled in ([`Condition::with_cell`]); otherwise nothing matches it.
pub fn matches(ty: ValueType, condition: &Condition, cell: &CellState<'_>) -> bool {
    let width = ty.width();
    let Some(now) = ty.read(cell.now, cell.part) else { return false };
    if condition.previous().is_some() && cell.previous.is_none() {
        return true;
    }
    let previous_bytes = || cell.previous.and_then(|previous| previous.get(..width));
    let previous = || ty.read(cell.previous?, cell.part);
    let against = |against: &Against| match against {
        Against::Value(value) => Some(value.clone()),
        Against::Previous(_) => previous(),
        Against::Cell(_) => None,
    };
    let changed = || match ty.kind() {
        Kind::Nibble | Kind::BitCount => previous() != Some(now.clone()),
        _ => previous_bytes() != cell.now.get(..width),
    };
    match condition {
        Condition::Unknown => true,
        Condition::Compare(compare, other) => {
            against(other).is_some_and(|other| compare.matches(order(&now, &other)))
        }
        Condition::Between(one, other) => {
            let between = |low: &Value, high: &Value| {
                order(&now, low).is_some_and(std::cmp::Ordering::is_ge)
                    && order(&now, high).is_some_and(std::cmp::Ordering::is_le)
            };
            between(one, other) || between(other, one)
        }
        Condition::Changed(_) => changed(),
        Condition::Unchanged(_) => !changed(),
        Condition::Differs { change, at_least, by, from } => against(from).is_some_and(|from| {
            let up = || differs(ty, &now, &from, by, *at_least);
            let down = || differs(ty, &from, &now, by, *at_least);
            match change {
                Change::Up => up(),
                Change::Down => down(),
                Change::Either => up() || down(),
            }
        }),
        Condition::Modulo { divisor, equals } => match (now, against(equals)) {
            (Value::Integer(now), Some(Value::Integer(equals))) => {
                now.rem_euclid(i128::from(*divisor)) == equals
            }
            _ => false,
        },
        Condition::Changes(compare, count) => compare.matches(Some(cell.changes.cmp(count))),
        Condition::Matches { pattern, not } => pattern.matches(&cell.now[..width]) != *not,
    }
}

fn order(one: &Value, other: &Value) -> Option<std::cmp::Ordering> {
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => Some(one.cmp(other)),
        (Value::Float(one), Value::Float(other)) => one.partial_cmp(other),
        _ => None,
    }
}

/// Whether `more` is more than `less` by so much.
fn differs(ty: ValueType, more: &Value, less: &Value, by: &Value, at_least: bool) -> bool {
    match (more, less, by) {
        (Value::Integer(more), Value::Integer(less), Value::Integer(by)) => {
            if at_least {
                more - less >= *by
            } else {
                more - less == *by
            }
        }
        (Value::Float(more), Value::Float(less), Value::Float(by)) => {
            if ty.kind() == Kind::F32 {
                let (difference, by) = (nearest(*more) - nearest(*less), nearest(*by));
                if at_least { difference >= by } else { difference == by }
            } else {
                let difference = more - less;
                if at_least { difference >= *by } else { difference == *by }
            }
        }
        _ => false,
    }
}

/// All cells of a type in `len` bytes from `base` on whose address is a multiple of `alignment`.
#[cfg(test)]
pub fn places(
    ty: ValueType,
    base: super::source::Address,
    len: usize,
    alignment: u64,
) -> impl Iterator<Item = (usize, super::value::CellAddress)> {
    let parts: &[Part] =
        if ty.kind().cells_in_byte() == 2 { &[Part::Lower, Part::Upper] } else { &[Part::Whole] };
    let offsets = 0..(len + 1).saturating_sub(ty.width());
    offsets.filter(move |offset| (base.0.wrapping_add(*offset as u64)).is_multiple_of(alignment)).flat_map(
        move |offset| {
            let address = base.offset(offset as u64);
            parts.iter().map(move |part| (offset, super::value::CellAddress { address, part: *part }))
        },
    )
}
