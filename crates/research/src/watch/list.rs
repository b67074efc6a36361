//! A watch list: named cells, their values and histories.

use crate::{Address, Kind, NumberFormat, Part, Source, Value, ValueType};
use nextscope_memory::console::Endian;
use std::collections::VecDeque;

/// Values in the history of a watch.
pub const HISTORY_MOST: usize = 600;

/// How a watch's value is formatted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Display {
    /// By its type.
    As(NumberFormat),
    /// Fixed point.
    Fixed {
        /// The number of fraction bits.
        fraction_bits: u8,
    },
}

impl Default for Display {
    fn default() -> Self {
        Self::As(NumberFormat::Decimal)
    }
}

/// One watch.
#[derive(Clone, PartialEq, Debug)]
pub struct Watch {
    /// Its name.
    pub label: String,
    /// The address of its first byte.
    pub address: Address,
    /// Which part of the byte.
    pub part: Part,
    /// Its type.
    pub ty: ValueType,
    /// How its value is formatted.
    pub display: Display,
    /// The user's notes.
    pub notes: String,
}

/// A line of the list.
#[derive(Clone, PartialEq, Debug)]
pub enum Entry {
    /// A watch.
    Watch(Watch),
    /// A separator with a title.
    Separator(String),
}

/// The values of a watch so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WatchState {
    /// The current value; None when it cannot be read or is invalid.
    pub value: Option<Value>,
    /// The value before the last change.
    pub previous: Option<Value>,
    /// How often it changed between updates.
    pub changes: u64,
    /// Its values as numbers, with the frames of the changes.
    pub history: VecDeque<(u64, f64)>,
}

/// A watch list with the state of its watches. Edits keep the state of each watch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WatchList {
    entries: Vec<Entry>,
    seen: Vec<WatchState>,
}

impl Watch {
    /// An unnamed watch.
    pub fn new(address: Address, ty: ValueType) -> Self {
        Self {
            label: String::new(),
            address,
            part: Part::Whole,
            ty,
            display: Display::default(),
            notes: String::new(),
        }
    }

    /// Reads its value; None when it cannot be read or is invalid.
    pub fn read(&self, source: &dyn Source) -> Option<Value> {
        let mut bytes = vec![0; self.ty.width()];
        source.read(self.address, &mut bytes).ok()?;
        self.ty.read(&bytes, self.part)
    }

    /// Formats a value.
    pub fn show(&self, value: &Value) -> String {
        match (self.display, value) {
            (Display::Fixed { fraction_bits }, Value::Integer(number)) => {
                #[expect(clippy::cast_precision_loss, reason = "shown to people")]
                let number = *number as f64 / f64::from(1u32 << fraction_bits.min(31));
                // Enough digits to distinguish two neighbouring values.
                format!("{number:.digits$}", digits = usize::from(fraction_bits.div_ceil(3)))
            }
            (Display::Fixed { .. }, _) => self.ty.show(value, NumberFormat::Decimal),
            (Display::As(shown), _) => self.ty.show(value, shown),
        }
    }
}

impl WatchList {
    /// A list of these entries.
    pub fn new(entries: Vec<Entry>) -> Self {
        let seen = vec![WatchState::default(); entries.len()];
        Self { entries, seen }
    }

    /// The lines.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The state of the watch in a line.
    pub fn state(&self, line: usize) -> Option<&WatchState> {
        self.seen.get(line)
    }

    /// Inserts a line before another, or at the end.
    pub fn insert(&mut self, line: usize, entry: Entry) {
        let line = line.min(self.entries.len());
        self.entries.insert(line, entry);
        self.seen.insert(line, WatchState::default());
    }

    /// Removes a line.
    pub fn remove(&mut self, line: usize) -> Option<Entry> {
        if line >= self.entries.len() {
            return None;
        }
        self.seen.remove(line);
        Some(self.entries.remove(line))
    }

    /// Moves a line before another.
    pub fn shift(&mut self, from: usize, to: usize) {
        if from >= self.entries.len() {
            return;
        }
        let (entry, seen) = (self.entries.remove(from), self.seen.remove(from));
        let to = to.min(self.entries.len());
        self.entries.insert(to, entry);
        self.seen.insert(to, seen);
    }

    /// Changes a line. Its state is reset when the cell or the type changes.
    pub fn edit(&mut self, line: usize, entry: Entry) {
        let Some(old) = self.entries.get_mut(line) else { return };
        if !same_cell(old, &entry) {
            self.seen[line] = WatchState::default();
        }
        *old = entry;
    }

    /// Replaces all lines. Watches of the same cell and type keep their state.
    pub fn replace(&mut self, entries: Vec<Entry>) {
        let mut old: Vec<(Entry, WatchState)> =
            std::mem::take(&mut self.entries).into_iter().zip(std::mem::take(&mut self.seen)).collect();
        // Reversed: the next one is at the end, where it is removed without moving the others.
        old.reverse();
        self.seen = entries
            .iter()
            .map(|entry| {
                let same = old.iter().rposition(|(old, _)| same_cell(old, entry));
                same.map_or_else(WatchState::default, |at| old.remove(at).1)
            })
            .collect();
        self.entries = entries;
    }

    /// Reads all watches at a frame. Returns whether any value changed.
    pub fn update(&mut self, source: &dyn Source, frame: u64) -> bool {
        let mut changed = false;
        for (entry, seen) in self.entries.iter().zip(&mut self.seen) {
            let Entry::Watch(watch) = entry else { continue };
            let value = watch.read(source);
            if seen.value == value {
                continue;
            }
            changed = true;
            if let Some(before) = seen.value.take() {
                seen.changes += u64::from(value.is_some());
                seen.previous = Some(before);
            }
            if let Some(number) = value.as_ref().and_then(number) {
                if seen.history.len() == HISTORY_MOST {
                    seen.history.pop_front();
                }
                seen.history.push_back((frame, number));
            }
            seen.value = value;
        }
        changed
    }

    /// Resets the change counts and histories.
    pub fn clear(&mut self) {
        for seen in &mut self.seen {
            *seen = WatchState { value: seen.value.take(), ..WatchState::default() };
        }
    }

    /// The watches.
    pub fn watches(&self) -> impl Iterator<Item = &Watch> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Watch(watch) => Some(watch),
            Entry::Separator(_) => None,
        })
    }
}

/// Whether both watch the same cell with the same type.
fn same_cell(one: &Entry, other: &Entry) -> bool {
    match (one, other) {
        (Entry::Watch(one), Entry::Watch(other)) => {
            (one.address, one.part, one.ty) == (other.address, other.part, other.ty)
        }
        _ => false,
    }
}

#[expect(clippy::cast_precision_loss, reason = "for a plot")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Bytes(_) => None,
    }
}

/// The integer type with this many bytes.
pub(super) fn whole(bytes: u8, signed: bool, order: Endian) -> Option<ValueType> {
    let kind = match (bytes, signed) {
        (1, false) => Kind::U8,
        (1, true) => Kind::I8,
        (2, false) => Kind::U16,
        (2, true) => Kind::I16,
        (4, false) => Kind::U32,
        (4, true) => Kind::I32,
        (8, false) => Kind::U64,
        (8, true) => Kind::I64,
        _ => return None,
    };
    ValueType::new(kind, order).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_emulator::process::ByteArray;
    use nextscope_emulator::process::HostAddr;

    fn ram(bytes: &[u8]) -> ByteArray {
        ByteArray { base: HostAddr(0x100), bytes: bytes.to_vec() }
    }

    fn watch(address: u64, kind: Kind) -> Entry {
        let ty = ValueType::new(kind, Endian::Big).unwrap();
        Entry::Watch(Watch { label: "one".into(), ..Watch::new(Address(address), ty) })
    }

    #[test]
    fn values_changes_and_histories_are_recorded() {
        let mut list = WatchList::new(vec![
            Entry::Separator("here".into()),
            watch(0x101, Kind::U16),
            watch(0x105, Kind::U16), // one byte too far
        ]);
        for (frame, bytes) in [[0, 1, 2, 0, 0, 0], [0, 1, 2, 9, 9, 9], [0, 1, 5, 0, 0, 0]].iter().enumerate()
        {
            assert_eq!(list.update(&ram(bytes), frame as u64), frame != 1);
        }
        let seen = list.state(1).unwrap();
        assert_eq!(
            (&seen.value, &seen.previous),
            (&Some(Value::Integer(0x105)), &Some(Value::Integer(0x102)))
        );
        assert_eq!(seen.changes, 1);
        assert_eq!(seen.history, [(0, f64::from(0x102)), (2, f64::from(0x105))]);
        assert_eq!(list.state(2).unwrap(), &WatchState::default());

        list.shift(1, 3);
        assert_eq!(list.state(2).unwrap().changes, 1, "what was seen goes with its line");
        list.insert(0, watch(0x100, Kind::U8));
        assert_eq!(list.state(3).unwrap().changes, 1);
        let Entry::Watch(renamed) = list.entries()[3].clone() else { panic!() };
        list.edit(3, Entry::Watch(Watch { label: "two".into(), ..renamed.clone() }));
        assert_eq!(list.state(3).unwrap().changes, 1, "a new name changes nothing");
        list.edit(3, Entry::Watch(Watch { address: Address(0x100), ..renamed }));
        assert_eq!(list.state(3).unwrap(), &WatchState::default(), "another cell starts over");
        assert_eq!(list.watches().count(), 3);
        assert!(list.remove(9).is_none());
        assert_eq!(list.remove(1), Some(Entry::Separator("here".into())));
        list.update(&ram(&[7, 0, 0, 0, 0, 0]), 9);
        list.replace(vec![watch(0x105, Kind::U16), watch(0x100, Kind::U8), watch(0x100, Kind::U8)]);
        let seen = |line| list.state(line).unwrap().value.clone();
        assert_eq!([seen(0), seen(1), seen(2)], [None, Some(Value::Integer(7)), None]);
    }

    #[test]
    fn fixed_point_is_shown_with_its_point() {
        let Entry::Watch(watch) = watch(0x100, Kind::I16) else { panic!() };
        let watch = Watch { display: Display::Fixed { fraction_bits: 4 }, ..watch };
        assert_eq!(watch.show(&Value::Integer(0x18)), "1.50");
        assert_eq!(watch.show(&Value::Integer(-1)), "-0.06");
    }
}
