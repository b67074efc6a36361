//! What is done with the selected lines. Every action is one step of the undo history.

use super::files::FileResult;
use super::row_action::SelectedAction;
use super::selection::Selection;
use super::state::WatchesPanel;
use super::types::TypeChange;
use super::{MAX_ENTRIES, valid_part};
use crate::console::Endian;
use crate::gui::ui_context::UiContext;
use crate::research::watch::{Entry, Watch, WatchList, read_csv, to_csv};
use crate::text::counted;

impl WatchesPanel {
    /// The selected entries.
    pub(super) fn selected_entries(&self) -> Vec<Entry> {
        let lines = self.selected.lines();
        self.shared.read(|list| lines.iter().filter_map(|line| list.entries().get(*line).cloned()).collect())
    }

    pub(super) fn apply(&mut self, cx: &mut UiContext<'_>, act: SelectedAction) {
        let lines = self.selected.lines();
        let (Some(&first), Some(&last)) = (lines.first(), lines.last()) else {
            // Lines can be pasted into a list in which none is selected.
            if let SelectedAction::Paste(text) = act {
                self.paste(&text);
            }
            return;
        };
        let before = self.entries();
        let count = before.len();
        match act {
            SelectedAction::Edit(entry) => self.edit(first, *entry),
            SelectedAction::Duplicate => {
                let copies: Vec<Entry> = self.selected_entries();
                let room = MAX_ENTRIES.saturating_sub(count);
                self.insert("Undo duplicate", last + 1, copies.into_iter().take(room).collect());
            }
            SelectedAction::Remove => self.remove("Undo remove", &lines),
            SelectedAction::Copy => cx.copy(to_csv(&self.selected_entries()), "watches"),
            SelectedAction::Cut => {
                cx.copy(to_csv(&self.selected_entries()), "watches");
                self.remove("Undo cut", &lines);
            }
            SelectedAction::Paste(text) => self.paste(&text),
            SelectedAction::Up if first > 0 => self.shift(&lines, |line| line - 1, before),
            SelectedAction::Down if last + 1 < count => {
                let from_below: Vec<usize> = lines.into_iter().rev().collect();
                self.shift(&from_below, |line| line + 1, before);
            }
            SelectedAction::Up | SelectedAction::Down => {}
            SelectedAction::SetType(change) => {
                self.change("Undo type", |watch| Watch { ty: TypeChange::apply(change, watch.ty), ..watch });
            }
            SelectedAction::SetFormat(display) => {
                self.change("Undo format", |watch| Watch { display, ..watch });
            }
        }
        self.editing = None;
    }

    fn remove(&mut self, undo: &'static str, lines: &[usize]) {
        let before = self.entries();
        let left = before.len() - lines.len();
        self.push_undo(undo, before);
        self.shared.edit(|list| {
            for line in lines.iter().rev() {
                list.remove(*line);
            }
        });
        self.select(lines.first().filter(|_| left > 0).map(|line| (*line).min(left - 1)));
    }

    /// Moves these lines, one after the other.
    fn shift(&mut self, lines: &[usize], to: impl Fn(usize) -> usize, before: Vec<Entry>) {
        self.push_undo("Undo move", before);
        self.shared.edit(|list| lines.iter().for_each(|line| list.shift(*line, to(*line))));
        self.selected = Selection::of(lines.iter().map(|line| to(*line)));
        self.scroll_to = lines.first().map(|line| to(*line));
    }

    /// Changes all selected watches.
    fn change(&mut self, undo: &'static str, change: impl Fn(Watch) -> Watch) {
        self.push_undo(undo, self.entries());
        let lines = self.selected.lines();
        let changed = |list: &WatchList, line: usize| match list.entries().get(line) {
            Some(Entry::Watch(watch)) => Some(Entry::Watch(valid_part(change(watch.clone())))),
            _ => None,
        };
        self.shared.edit(|list| {
            for line in lines {
                if let Some(entry) = changed(list, line) {
                    list.edit(line, entry);
                }
            }
        });
    }

    /// Inserts lines and selects them.
    pub(super) fn insert(&mut self, undo: &'static str, at: usize, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        self.push_undo(undo, self.entries());
        let inserted = at..at + entries.len();
        self.shared.edit(|list| {
            for (line, entry) in (at..).zip(entries) {
                list.insert(line, entry);
            }
        });
        self.scroll_to = Some(inserted.end - 1);
        self.selected = Selection::of(inserted);
    }

    fn paste(&mut self, text: &str) {
        let count = self.entries().len();
        match read_csv(text, Endian::Big) {
            Ok(mut entries) => {
                entries.truncate(MAX_ENTRIES.saturating_sub(count));
                let what = counted(entries.len() as u64, "line");
                self.result = Some(FileResult::Done(format!("Pasted {what}"), Vec::new()));
                self.insert("Undo paste", self.end_of_selection(), entries);
            }
            Err(error) => {
                let why = format!("The clipboard has no watch list: {error}");
                self.result = Some(FileResult::Failed(why, Vec::new()));
            }
        }
    }
}
