//! RAM searches by value and by structure, several in tabs.

mod cell_names;
mod columns;
mod engine;
mod form;
mod history;
mod names;
mod navigation;
mod origin;
mod painter;
mod row_action;
mod selected;
mod strip;
mod structure;
mod tab;
mod table;
mod words;

use super::ui_context::UiContext;
use eframe::egui::{Key, TextEdit, Ui};
use std::path::PathBuf;
use tab::Tab;

pub struct ResearchPanel {
    tabs: Vec<Tab>,
    /// The index of the tab in front.
    front: usize,
    /// The number of searches opened so far, for their names.
    opened: usize,
    /// The name being edited.
    renaming: Option<String>,
    focus: bool,
}

impl Default for ResearchPanel {
    fn default() -> Self {
        let tabs = vec![Tab::new("Search 1")];
        Self { tabs, front: 0, opened: 1, renaming: None, focus: false }
    }
}

impl ResearchPanel {
    /// Focuses the Search button.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Opens another search with the same source as the one in front.
    pub fn new_search(&mut self) {
        self.opened += 1;
        let name = format!("Search {}", self.opened);
        let tab = self.tabs.get(self.front).map_or_else(|| Tab::new(&name), |front| front.beside(&name));
        self.tabs.push(tab);
        (self.front, self.renaming, self.focus) = (self.tabs.len() - 1, None, true);
    }

    /// Adds a dump to the search in front.
    pub fn open_dump(&mut self, path: PathBuf) {
        if let Some(tab) = self.tabs.get_mut(self.front) {
            tab.open_dump(path);
        }
    }

    /// Undoes the last step of the search in front.
    pub fn undo(&self) {
        if let Some(tab) = self.tabs.get(self.front) {
            tab.undo();
        }
    }

    /// Redoes the last undone step.
    pub fn redo(&self) {
        if let Some(tab) = self.tabs.get(self.front) {
            tab.redo();
        }
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        self.tab_bar(ui);
        let focus = std::mem::take(&mut self.focus);
        if let Some(tab) = self.tabs.get_mut(self.front) {
            ui.push_id(tab.id(), |ui| tab.show(ui, cx, focus));
        }
    }

    fn tab_bar(&mut self, ui: &mut Ui) {
        let mut close = None;
        ui.horizontal_wrapped(|ui| {
            for (number, tab) in self.tabs.iter_mut().enumerate() {
                let front = number == self.front;
                if let (true, Some(name)) = (front, &mut self.renaming) {
                    let field = ui.add(TextEdit::singleline(name).desired_width(110.0));
                    let field = field.accessible_name("name of the search");
                    if field.lost_focus() {
                        if !ui.input(|input| input.key_pressed(Key::Escape)) && !name.trim().is_empty() {
                            name.trim().clone_into(&mut tab.name);
                        }
                        self.renaming = None;
                    } else {
                        field.request_focus();
                    }
                    continue;
                }
                let response = ui.selectable_label(front, tab.title());
                if response.double_clicked() {
                    self.renaming = Some(tab.name.clone());
                }
                if response.on_hover_text("Double-click to rename").clicked() {
                    self.front = number;
                }
            }
            if ui.button("New search").on_hover_text("Open another search with its own steps").clicked() {
                self.new_search();
            }
            let name = self.tabs.get(self.front).map_or("", |tab| &tab.name);
            if ui.small_button("Rename").on_hover_text(format!("Rename {name}")).clicked() {
                self.renaming = Some(name.to_owned());
            }
            if self.tabs.len() > 1
                && ui
                    .small_button("Close")
                    .on_hover_text(format!("Close {name} and discard its steps"))
                    .clicked()
            {
                close = Some(self.front);
            }
        });
        if let Some(number) = close {
            self.tabs.remove(number);
            (self.front, self.renaming) = (number.min(self.tabs.len() - 1), None);
        }
    }
}
