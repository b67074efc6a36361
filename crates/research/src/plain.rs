//! The plain version of the search: one cell at a time, nothing clever. The fast one must agree with it.

use super::condition::{Against, Change, Condition};
use super::source::Address;
use super::value::{Kind, Part, Place, Value, ValueType, nearest};

/// What is known of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The bytes from it on, as they are now.
    pub now: &'a [u8],
    /// The same as they were before, by whichever meaning of "before" the condition asks for; None when nothing was kept.
    pub then: Option<&'a [u8]>,
    /// Which part of its byte it is.
    pub part: Part,
    /// How often it changed.
    pub changes: u32,
}

/// Whether a cell meets a condition. Of cells whose earlier value was not kept nothing can be said: they meet every
/// condition that needs it. The value of another cell must have been put in its place ([`Condition::with_cell`]); a cell that
/// is still to be read is met by none.
#[must_use]
pub fn passes(ty: ValueType, condition: &Condition, seen: &Seen<'_>) -> bool {
    let width = ty.width();
    let Some(now) = ty.read(seen.now, seen.part) else { return false };
    if condition.previous().is_some() && seen.then.is_none() {
        return true;
    }
    let then_bytes = || seen.then.and_then(|then| then.get(..width));
    let then = || ty.read(seen.then?, seen.part);
    let against = |against: &Against| match against {
        Against::Value(value) => Some(value.clone()),
        Against::Previous(_) => then(),
        Against::Cell(_) => None,
    };
    let changed = || match ty.kind() {
        Kind::Nibble | Kind::BitCount => then() != Some(now.clone()),
        _ => then_bytes() != seen.now.get(..width),
    };
    match condition {
        Condition::Unknown => true,
        Condition::Compare(compare, other) => {
            against(other).is_some_and(|other| compare.holds(order(&now, &other)))
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
        Condition::Changes(compare, count) => compare.holds(Some(seen.changes.cmp(count))),
        Condition::Matches { pattern, not } => pattern.matches(&seen.now[..width]) != *not,
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

/// All cells of a type in `bytes`, which begin at `base`: those whose address is a multiple of `alignment`.
pub fn places(
    ty: ValueType,
    base: Address,
    len: usize,
    alignment: u64,
) -> impl Iterator<Item = (usize, Place)> {
    let parts: &[Part] =
        if ty.kind().cells_in_byte() == 2 { &[Part::Lower, Part::Upper] } else { &[Part::Whole] };
    let offsets = 0..(len + 1).saturating_sub(ty.width());
    offsets.filter(move |offset| (base.0.wrapping_add(*offset as u64)).is_multiple_of(alignment)).flat_map(
        move |offset| {
            let address = base.offset(offset as u64);
            parts.iter().map(move |part| (offset, Place { address, part: *part }))
        },
    )
}
