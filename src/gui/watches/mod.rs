//! The watch list: named cells, updated every frame, edited in place, opened from and saved to files.

mod actions;
mod cell;
mod editing;
mod field;
mod files;
mod follow;
mod keys;
mod menu;
mod paths;
mod plot;
mod row;
mod row_action;
mod selected;
mod selection;
mod sort;
mod state;
mod table;
mod types;

pub use field::{AddField, draft_of_bytes};
pub use follow::span;
pub use state::{Marked, WatchMark, WatchesPanel};
pub use types::{choose as choose_type, of_bytes, to_field, watch_of_field};

use super::file_dialog::typed_path;
use super::file_dialog::{FileDialogs, FileKind};
use super::marks::{Mark, mark};
use super::sorting::Sort;
use super::ui_context::UiContext;
use crate::console::Endian;
use crate::live::View;
use crate::research::watch::{Entry, Watch, WatchList, read_csv, to_csv};
use crate::research::{CellAddress, Kind, Part, ReplaySnapshot};
use crate::text::counted;
use cell::marked_name;
use eframe::egui::{self, Button, RichText, Ui};
use files::{FileAction, FileResult};
use follow::State;
use row_action::RowAction;
use selection::Selection;
use serde::{Deserialize, Serialize};
use sort::SortBy;
use std::path::Path;

/// Maximum number of entries: all are read every frame.
const MAX_ENTRIES: usize = 1000;
/// Maximum number of undo steps.
const MAX_UNDO: usize = 50;
/// The name of the undo step of a sort.
const UNDO_SORT: &str = "Undo sort";
/// Maximum height of the selected watch's details, in points.
const DETAILS_HEIGHT: f32 = 250.0;

/// The saved watch list.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WatchSettings {
    /// The list as CSV.
    pub list: String,
    /// The path of its file, as typed.
    pub file: String,
}

/// Drops a nibble part that does not fit the type.
fn valid_part(watch: Watch) -> Watch {
    let part = match (watch.ty.kind(), watch.part) {
        (Kind::Nibble, Part::Whole) => Part::Lower,
        (Kind::Nibble, part) => part,
        _ => Part::Whole,
    };
    Watch { part, ..watch }
}

impl WatchesPanel {
    pub fn new(settings: &WatchSettings) -> Self {
        let panel = Self::default();
        if !settings.list.is_empty() {
            match read_csv(&settings.list, Endian::Big) {
                Ok(entries) => panel.shared.edit(|list| *list = WatchList::new(entries)),
                Err(error) => tracing::warn!("cannot read the saved watch list: {error}"),
            }
        }
        Self { saved_revision: panel.shared.revision(), ..panel }
    }

    /// Follows the list and saves it in the settings; call this every frame, even while the panel is hidden.
    pub fn update(
        &mut self,
        ctx: &egui::Context,
        view: &View,
        played: &ReplaySnapshot,
        settings: &mut WatchSettings,
    ) {
        self.follower.update_thread(ctx, &self.shared, view, played);
        if self.saved_revision != self.shared.revision() {
            self.saved_revision = self.shared.revision();
            settings.list = self.shared.read(|list| to_csv(list.entries()));
        }
    }

    pub fn marked(&mut self) -> Marked {
        if self.marked.revision != self.shared.revision() {
            self.marked = self.shared.read(|list| {
                let mark = |watch: &Watch| WatchMark {
                    address: watch.address,
                    len: watch.ty.width(),
                    name: marked_name(watch),
                };
                let place = |watch: &Watch| CellAddress { address: watch.address, part: watch.part };
                Marked {
                    revision: self.shared.revision(),
                    places: list.watches().map(place).collect(),
                    marks: list.watches().map(mark).collect(),
                }
            });
        }
        self.marked.clone()
    }

    /// Focuses the row for a new watch.
    pub fn focus(&mut self) {
        self.new.focus();
    }

    /// Focuses the file path.
    pub fn focus_file(&mut self) {
        self.files.focus();
    }

    /// Opens a list file.
    pub fn open(&mut self, path: &Path, files: &mut FileDialogs, view: &View, settings: &mut WatchSettings) {
        settings.file = path.display().to_string();
        self.apply_file_action(FileAction::Open, files, view, &settings.file);
    }

    pub fn save(&mut self, files: &mut FileDialogs, view: &View, settings: &WatchSettings) {
        self.apply_file_action(FileAction::Save { confirmed: false }, files, view, &settings.file);
    }

    /// Adds watches after the selected line, except those already listed.
    pub fn add(&mut self, watches: Vec<Watch>) {
        let had: Vec<Entry> = self.entries();
        let asked = watches.len();
        let cell =
            |watch: &Watch| (watch.address, watch.part, watch.ty.kind(), watch.ty.order() == Endian::Big);
        let mut known: Vec<_> = self.shared.read(|list| list.watches().map(cell).collect());
        let mut fresh: Vec<Watch> = Vec::new();
        for watch in watches.into_iter().map(valid_part) {
            if known.contains(&cell(&watch)) {
                continue;
            }
            known.push(cell(&watch));
            fresh.push(watch);
        }
        let there = asked - fresh.len();
        let room = MAX_ENTRIES.saturating_sub(had.len());
        let mut more = Vec::new();
        if there > 0 {
            more.push(format!("{there} already in the list"));
        }
        if fresh.len() > room {
            more.push(format!(
                "{} skipped: the list is limited to {MAX_ENTRIES} entries",
                fresh.len() - room
            ));
            fresh.truncate(room);
        }
        self.result = (!more.is_empty())
            .then(|| FileResult::Done(format!("Added {}", counted(fresh.len() as u64, "watch")), more));
        if fresh.is_empty() {
            return;
        }
        let at = self.end_of_selection();
        self.insert("Undo add", at, fresh.into_iter().map(Entry::Watch).collect());
    }

    fn entries(&self) -> Vec<Entry> {
        self.shared.read(|list| list.entries().to_vec())
    }

    fn select(&mut self, line: Option<usize>) {
        self.selected = Selection::of(line);
        self.scroll_to = line;
    }

    /// Where lines are added: after the selected ones, or at the end.
    fn end_of_selection(&self) -> usize {
        let count = self.shared.read(|list| list.entries().len());
        self.selected.last().map_or(count, |line| line + 1).min(count)
    }

    fn push_undo(&mut self, name: &'static str, entries: Vec<Entry>) {
        if self.undo.len() == MAX_UNDO {
            self.undo.remove(0);
        }
        self.undo.push((name, entries));
    }

    fn apply_file_action(&mut self, act: FileAction, files: &mut FileDialogs, view: &View, path: &str) {
        let result = match act {
            FileAction::Open => {
                let (entries, mut result) = self.files.open(path, view);
                if let Some(mut entries) = entries {
                    if let (FileResult::Done(_, more), true) = (&mut result, entries.len() > MAX_ENTRIES) {
                        let what = format!(
                            "{} skipped: the list is limited to {MAX_ENTRIES} entries",
                            entries.len() - MAX_ENTRIES
                        );
                        more.push(what);
                    }
                    entries.truncate(MAX_ENTRIES);
                    self.push_undo("Undo open", self.entries());
                    self.editing = None;
                    self.select(None);
                    self.shared.edit(|list| list.replace(entries));
                }
                result
            }
            FileAction::Save { confirmed } => self.files.save(path, confirmed, &self.entries(), view),
            FileAction::NoDialog(why) => {
                self.result = Some(FileResult::Failed(why, Vec::new()));
                return;
            }
        };
        if matches!(result, FileResult::Done(..)) {
            files.used(FileKind::WatchList, &typed_path(path));
        }
        self.result = Some(result);
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, settings: &mut WatchSettings) {
        self.shared.drawn();
        if self.sorted_revision != self.shared.revision() {
            self.sorted = None; // the list was edited
        }
        self.tools(ui, cx);
        if let Some(watch) = self.new.show(ui, cx) {
            self.add(vec![watch]);
        }
        if let Some(act) = self.files.show(ui, cx.files, &mut settings.file) {
            self.apply_file_action(act, cx.files, cx.view, &settings.file);
        }
        if let Some(result) = &self.result {
            files::show_result(ui, cx, result);
        }
        let wrong = self.editing.as_ref().and_then(|editing| editing.wrong.clone());
        if let Some(wrong) = wrong {
            ui.colored_label(cx.look.tokens.caution, wrong);
        }
        ui.add_space(2.0);
        if self.shared.read(|list| list.entries().is_empty()) {
            ui.weak(
                "No watches yet. Enter an address above, select bytes in the Memory panel, or add results of a RAM search. \
                 Each becomes a line with its value, how often it changed, and a plot",
            );
            return;
        }
        let selected = self.selected.only().and_then(|line| {
            self.shared
                .read(|list| Some((line, list.entries().get(line)?.clone(), list.state(line)?.clone())))
        });
        let room = ui.available_height();
        let below = match &selected {
            Some((_, Entry::Watch(_), _)) => DETAILS_HEIGHT.min(room * 0.55),
            Some(_) => 40.0,
            None if self.selected.len() > 1 => 66.0,
            None => 0.0,
        };
        let acts = ui
            .scope(|ui| {
                let height = (room - below - 34.0).max(44.0);
                ui.set_max_height(height + 26.0);
                table::show(ui, self, cx, height)
            })
            .inner;
        let mut done = None;
        if let Some((line, entry, seen)) = &selected {
            ui.separator();
            done = selected::show(ui, self, cx, (*line, entry, seen));
        } else if self.selected.len() > 1 {
            ui.separator();
            done = selected::show_several(ui, self);
        }
        acts.into_iter().chain(done.map(RowAction::Do)).for_each(|act| self.apply_row_action(cx, act));
    }

    fn tools(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let tokens = cx.look.tokens;
        ui.horizontal_wrapped(|ui| {
            let attached = cx.view.target.is_some();
            let (sign, color, label) = match self.follower.state() {
                State::Following | State::Paused if cx.view.replay.is_some() => {
                    (Mark::Play, tokens.accent, "Read every sample of this recording".to_owned())
                }
                State::Following => (Mark::Disc, tokens.good, "Read every frame".to_owned()),
                State::Paused => (Mark::Bars, tokens.caution, "Game paused".to_owned()),
                State::Seeking => (Mark::Ring, tokens.muted, "Locating RAM".to_owned()),
                State::Idle if !attached => (Mark::Ring, tokens.muted, "No emulator attached".to_owned()),
                State::Idle => (Mark::Ring, tokens.muted, "Nothing to read".to_owned()),
                State::Ended(why) => (Mark::Cross, tokens.bad, format!("Reading stopped: {why}")),
            };
            mark(ui, sign, color);
            ui.label(RichText::new(label).color(color));
            ui.separator();
            if ui.button("Separator").on_hover_text("Add a title line after the selected one").clicked() {
                let at = self.end_of_selection();
                self.insert("Undo separator", at, vec![Entry::Separator("Group".into())]);
            }
            let clear = ui.button("Clear counts");
            if clear.on_hover_text("Reset change counts and histories").clicked() {
                self.shared.edit(WatchList::clear);
            }
            let name = self.undo.last().map_or("Undo", |(name, _)| name);
            let undo = ui.add_enabled(!self.undo.is_empty(), Button::new(name));
            if let (true, Some((_, entries))) = (undo.clicked(), self.undo.pop_if(|_| undo.clicked())) {
                self.shared.edit(|list| list.replace(entries));
                self.editing = None;
                self.select(None);
            }
        });
    }

    fn apply_row_action(&mut self, cx: &mut UiContext<'_>, act: RowAction) {
        match act {
            RowAction::Select(line, extend) => self.selected.change(line, extend),
            RowAction::Edit(line, entry) => self.edit(line, *entry),
            RowAction::Do(act) => self.apply(cx, act),
            RowAction::Sort(by) => self.sort(by),
        }
    }

    /// Sorts the list by a column; a third click undoes it.
    fn sort(&mut self, by: SortBy) {
        let next = Sort::after_click(self.sorted, by);
        let before = self.entries();
        match next {
            Some(sort) => {
                self.push_undo(UNDO_SORT, before);
                self.shared.edit(|list| {
                    let entries = sort::sorted(list, sort);
                    list.replace(entries);
                });
            }
            None => {
                // Both clicks are undone, if nothing was edited since.
                let clicks = self.undo.iter().rev().take_while(|(name, _)| *name == UNDO_SORT).count();
                let keep = self.undo.len() - clicks.min(2);
                if let Some((_, entries)) = self.undo.drain(keep..).next() {
                    self.shared.edit(|list| list.replace(entries));
                }
            }
        }
        self.select(None);
        self.editing = None;
        (self.sorted, self.sorted_revision) = (next, self.shared.revision());
    }

    fn edit(&mut self, line: usize, entry: Entry) {
        let entry = match entry {
            Entry::Watch(watch) => Entry::Watch(valid_part(watch)),
            Entry::Separator(title) => Entry::Separator(title),
        };
        self.push_undo("Undo edit", self.entries());
        self.shared.edit(|list| list.edit(line, entry));
    }
}
