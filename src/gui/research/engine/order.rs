//! The order of the results in the table.

use crate::gui::research::cell_names::CellNames;
use crate::gui::sorting::Sort;
use crate::research::{CellAddress, MemorySource, MemoryView, Row, Search, Tracker, Value};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of results that are sorted.
pub const MAX_SORTED: u64 = 50_000;

/// What the results are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortBy {
    Address,
    /// The name of the known field, when the order was made.
    Field,
    /// The value when the order was made.
    Now,
    /// The value at the last search.
    Last,
    /// The value at the first search.
    First,
    /// The number of changes.
    Changes,
}

/// The numbers of all rows in the order of the table.
#[derive(Debug)]
pub struct RowOrder {
    pub sort: Sort<SortBy>,
    numbers: Vec<u64>,
}

impl RowOrder {
    /// Sorts all results; None if there are too many.
    pub fn new(
        search: &Search,
        sort: Sort<SortBy>,
        memory: &MemorySource,
        tracker: Option<&Tracker>,
        names: Option<&CellNames>,
    ) -> Option<Self> {
        if search.len() > MAX_SORTED {
            return None;
        }
        let rows = search.rows(0..search.len());
        let ty = search.settings().ty;
        let mut keyed: Vec<(Key, u64)> = Vec::with_capacity(rows.len());
        let view = memory.view().ok();
        let source = view.as_ref().map(MemoryView::source);
        let mut bytes = vec![0; ty.width()];
        for (row, number) in rows.into_iter().zip(0..) {
            let key = match sort.by {
                SortBy::Address => Key::Nothing,
                SortBy::Field => {
                    let name = names.and_then(|names| names.name_of(row.cell));
                    name.map_or(Key::Nothing, |(name, within)| Key::Name(name.to_lowercase(), within))
                }
                SortBy::Last => Key::of(row.last),
                SortBy::First => Key::of(row.first),
                SortBy::Changes => {
                    let changes = tracker.and_then(|tracker| tracker.changes(row.cell));
                    changes.map_or(Key::Nothing, |changes| Key::Integer(changes.into()))
                }
                SortBy::Now => {
                    let read = source.and_then(|source| source.read(row.cell.address, &mut bytes).ok());
                    Key::of(read.and_then(|()| ty.read(&bytes, row.cell.part)))
                }
            };
            keyed.push((key, number));
        }
        // Equal keys stay in the order of their addresses; unknown values come last in both directions.
        keyed.sort_by(|(one, number), (other, next)| {
            let order = one.cmp(other);
            match (one, other) {
                (Key::Nothing, Key::Nothing) if sort.by == SortBy::Address => sort.directed(number.cmp(next)),
                (Key::Nothing, _) | (_, Key::Nothing) => order,
                _ => sort.directed(order),
            }
        });
        Some(Self { sort, numbers: keyed.into_iter().map(|(_, number)| number).collect() })
    }
}

/// A value to sort by.
#[derive(Debug)]
enum Key {
    Integer(i128),
    Float(f64),
    Bytes(Vec<u8>),
    /// A field and the distance from its start.
    Name(String, usize),
    Nothing,
}

impl Key {
    fn of(value: Option<Value>) -> Self {
        match value {
            Some(Value::Integer(number)) => Self::Integer(number),
            Some(Value::Float(number)) => Self::Float(number),
            Some(Value::Bytes(bytes)) => Self::Bytes(bytes.to_vec()),
            None => Self::Nothing,
        }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one.cmp(other),
            (Self::Float(one), Self::Float(other)) => one.total_cmp(other),
            (Self::Bytes(one), Self::Bytes(other)) => one.cmp(other),
            (Self::Name(one, within), Self::Name(other, there)) => (one, within).cmp(&(other, there)),
            (one, other) => matches!(one, Self::Nothing).cmp(&matches!(other, Self::Nothing)),
        }
    }
}

/// The results in the order of the table. Positions count from 0.
#[derive(Debug, Clone)]
pub struct Listed {
    pub search: Arc<Search>,
    pub order: Option<Arc<RowOrder>>,
}

impl Listed {
    /// Whether nothing has changed.
    pub fn is_same(&self, other: &Self) -> bool {
        let order = match (&self.order, &other.order) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        order && Arc::ptr_eq(&self.search, &other.search)
    }

    pub fn len(&self) -> u64 {
        self.search.len()
    }

    /// The rows at these positions.
    pub fn rows(&self, positions: Range<u64>) -> Vec<Row> {
        rows(&self.search, self.order.as_deref(), positions)
    }

    pub fn row(&self, position: u64) -> Option<Row> {
        self.rows(position..position + 1).pop()
    }

    /// The position of a cell.
    pub fn position(&self, cell: CellAddress) -> Option<u64> {
        let number = number_of(&self.search, cell)?;
        match &self.order {
            Some(order) => {
                let at = order.numbers.iter().position(|known| *known == number)?;
                u64::try_from(at).ok()
            }
            None => Some(number),
        }
    }
}

/// The rows of a search at these positions.
pub fn rows(search: &Search, order: Option<&RowOrder>, positions: Range<u64>) -> Vec<Row> {
    let Some(order) = order else { return search.rows(positions) };
    let bounds = [positions.start, positions.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
    let (start, end) = (bounds[0].min(order.numbers.len()), bounds[1].min(order.numbers.len()));
    let numbers = order.numbers.get(start..end).unwrap_or_default();
    numbers.iter().filter_map(|number| search.rows(*number..number + 1).pop()).collect()
}

/// The number of a cell by address.
fn number_of(search: &Search, cell: CellAddress) -> Option<u64> {
    if !search.contains(cell) {
        return None;
    }
    let (mut low, mut high) = (0, search.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let found = search.rows(middle..middle + 1).pop()?.cell;
        if found < cell { low = middle + 1 } else { high = middle }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{ByteArray, HostAddr};
    use crate::research::{Address, Condition, Dump, Part, Settings, ValueType};
    use crate::task::Progress;

    fn place(at: u64) -> CellAddress {
        CellAddress { address: Address(at), part: Part::Whole }
    }

    fn search(bytes: &[u8], alignment: u64) -> (Arc<Search>, MemorySource) {
        let bytes = ByteArray { base: HostAddr(0), bytes: bytes.to_vec() };
        let settings = Settings { alignment, ..Settings::new(ValueType::default()) };
        let search = Search::start(&bytes, settings, &Condition::Unknown, None, &Progress::default());
        let memory = MemorySource::dumps(vec![Dump::Bytes(bytes)]).unwrap();
        (Arc::new(search.unwrap()), memory)
    }

    #[test]
    fn rows_are_found_by_their_places() {
        let (search, _) = search(&[0; 10_000], 4);
        let listed = Listed { search, order: None };
        for number in [0, 1, 1000, 2499] {
            assert_eq!(listed.position(place(4 * number)), Some(number));
        }
        assert_eq!(listed.position(place(2)), None);
    }

    #[test]
    fn results_are_sorted_by_a_value_and_then_by_address() {
        let (search, memory) = search(&[7, 3, 9, 3], 1);
        let cells = |sort: Sort<SortBy>| {
            let order = RowOrder::new(&search, sort, &memory, None, None).unwrap();
            let listed = Listed { search: Arc::clone(&search), order: Some(Arc::new(order)) };
            let cells: Vec<u64> = listed.rows(0..9).iter().map(|row| row.cell.address.0).collect();
            for (position, cell) in (0..).zip(&cells) {
                assert_eq!(listed.position(place(*cell)), Some(position));
            }
            cells
        };
        let by = |by, descending| Sort { by, descending };
        assert_eq!(cells(by(SortBy::Now, false)), [1, 3, 0, 2]);
        assert_eq!(cells(by(SortBy::Last, true)), [2, 0, 1, 3]);
        assert_eq!(cells(by(SortBy::Address, true)), [3, 2, 1, 0]);
        // Nothing is known of the changes.
        assert_eq!(cells(by(SortBy::Changes, true)), [0, 1, 2, 3]);
    }
}
