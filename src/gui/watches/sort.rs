//! Sorting of the list. Separators stay where they are: the lines between two of them are sorted.

use super::cell::marked_name;
use crate::gui::sorting::Sort;
use crate::research::Value;
use crate::research::watch::{Entry, Watch, WatchList, WatchState, name_of_type};
use std::cmp::Ordering;

/// What the list is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortBy {
    Label,
    Address,
    Type,
    Value,
    Changes,
    Notes,
}

/// The entries in the new order.
pub fn sorted(list: &WatchList, sort: Sort<SortBy>) -> Vec<Entry> {
    let mut lines: Vec<(Entry, WatchState)> = list
        .entries()
        .iter()
        .enumerate()
        .map(|(line, entry)| (entry.clone(), list.state(line).cloned().unwrap_or_default()))
        .collect();
    for group in
        lines.chunk_by_mut(|(one, _), (other, _)| matches!((one, other), (Entry::Watch(_), Entry::Watch(_))))
    {
        group.sort_by(|one, other| match (&one.0, &other.0) {
            (Entry::Watch(first), Entry::Watch(second)) => {
                sort.directed(compare((first, &one.1), (second, &other.1), sort.by))
            }
            _ => Ordering::Equal,
        });
    }
    lines.into_iter().map(|(entry, _)| entry).collect()
}

fn compare(one: (&Watch, &WatchState), other: (&Watch, &WatchState), by: SortBy) -> Ordering {
    match by {
        SortBy::Label => marked_name(one.0).to_lowercase().cmp(&marked_name(other.0).to_lowercase()),
        SortBy::Address => (one.0.address, one.0.part).cmp(&(other.0.address, other.0.part)),
        SortBy::Type => name_of_type(one.0.ty).cmp(&name_of_type(other.0.ty)),
        SortBy::Value => values(one.1.value.as_ref(), other.1.value.as_ref()),
        SortBy::Changes => one.1.changes.cmp(&other.1.changes),
        SortBy::Notes => one.0.notes.cmp(&other.0.notes),
    }
}

fn values(one: Option<&Value>, other: Option<&Value>) -> Ordering {
    #[expect(clippy::cast_precision_loss, reason = "compared with a float")]
    match (one, other) {
        (Some(Value::Integer(one)), Some(Value::Integer(other))) => one.cmp(other),
        (Some(Value::Float(one)), Some(Value::Float(other))) => one.total_cmp(other),
        (Some(Value::Integer(one)), Some(Value::Float(other))) => (*one as f64).total_cmp(other),
        (Some(Value::Float(one)), Some(Value::Integer(other))) => one.total_cmp(&(*other as f64)),
        (Some(Value::Bytes(one)), Some(Value::Bytes(other))) => one.cmp(other),
        (one, other) => rank(one).cmp(&rank(other)),
    }
}

/// Numbers, then bytes, then what cannot be read.
fn rank(value: Option<&Value>) -> u8 {
    match value {
        Some(Value::Integer(_) | Value::Float(_)) => 0,
        Some(Value::Bytes(_)) => 1,
        None => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::research::{Address, ValueType};

    #[test]
    fn the_lines_between_two_separators_are_sorted() {
        let watch = |label: &str, at: u64| {
            let watch = Watch::new(Address(at), ValueType::default());
            Entry::Watch(Watch { label: label.into(), ..watch })
        };
        let group = || Entry::Separator("Group".into());
        let list = WatchList::new(vec![watch("c", 1), watch("B", 3), group(), watch("z", 9), watch("a", 2)]);
        let names = |by, descending| {
            let name = |entry: &Entry| match entry {
                Entry::Watch(watch) => watch.label.clone(),
                Entry::Separator(title) => title.clone(),
            };
            sorted(&list, Sort { by, descending }).iter().map(name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(SortBy::Label, false), "B c Group a z");
        assert_eq!(names(SortBy::Address, true), "B c Group z a");
        // Equal lines keep their order.
        assert_eq!(names(SortBy::Changes, true), "c B Group z a");
    }
}
