//! Actions on the selected cells.

use super::engine::{Job, Shown, Worker};
use super::navigation::go_to;
use super::row_action::AT_ONCE;
use super::tab::Tab;
use super::words::{self, cells};
use crate::gui::commands::Command;
use crate::gui::layout::Pane;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::research::CellAddress;
use crate::research::watch::Watch;
use crate::text::counted;
use eframe::egui::{Button, RichText, Ui};

impl Tab {
    /// The number of cells and the actions on the selected ones.
    pub(super) fn selection(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, worker: &Worker, shown: &Shown) {
        let left = shown.search.as_ref().map_or(0, |search| search.len());
        let selected = self.table.selected_count();
        ui.horizontal_wrapped(|ui| {
            let chosen =
                if selected > 0 { format!(", {} selected", words::count(selected)) } else { String::new() };
            ui.label(RichText::new(format!("{} left{chosen}", cells(left))).strong());
            let by_address = shown.memory.as_ref().is_some_and(|memory| memory.domain.is_some());
            let too_many = selected > AT_ONCE;
            let why = match (selected, too_many, by_address) {
                (0, ..) => "Select cells in the table first",
                (_, true, _) => "Select at most 10,000 cells",
                _ => "Not addresses of console RAM",
            };
            let some = selected > 0 && !too_many;
            let button = |ui: &mut Ui, possible: bool, text: &str, hover: &str| {
                let response = ui.add_enabled(possible, Button::new(text));
                response.on_hover_text(hover).on_disabled_hover_text(why).clicked()
            };
            let hover = "Show the first selected cell in the Memory panel (Enter in the table)";
            if button(ui, some && by_address, "Go to", hover)
                && let Some(place) = self.table.selected().first()
            {
                go_to(cx, shown, place.address);
            }
            if button(
                ui,
                some && by_address,
                "Watch",
                "Add the selected cells to the watch list (W, or double-click)",
            ) {
                self.watch(cx, shown);
            }
            if button(
                ui,
                some,
                "Remove",
                "Remove the selected cells from the results (Delete); can be undone",
            ) {
                self.drop_selected(worker);
            }
            let watched = ui.add_enabled(!cx.watched.is_empty(), Button::new("Exclude watched"));
            let watched = watched.on_hover_text("Remove the watched cells from the results");
            if watched.on_disabled_hover_text("The watch list is empty").clicked() {
                worker.post(Job::Exclude(cx.watched.to_vec(), "watched cells removed".into()));
            }
            if let Some(watch_result) = &self.watch_result {
                ui.weak(watch_result);
                if ui.link("Show watches").clicked() {
                    cx.run(Command::Show(Pane::Watches));
                }
            }
        });
    }

    pub(super) fn drop_selected(&self, worker: &Worker) {
        let places = self.table.selected();
        let what = match places.as_slice() {
            [] => return,
            [place] => format!("{place} removed"),
            places => format!("{} removed", cells(places.len() as u64)),
        };
        worker.post(Job::Exclude(places, what));
    }

    pub(super) fn watch(&mut self, cx: &mut UiContext<'_>, shown: &Shown) {
        if shown.memory.as_ref().is_none_or(|memory| memory.domain.is_none()) {
            return;
        }
        let ty = self.settings.ty;
        let view = cx.view;
        let watch = |place: &CellAddress| Watch {
            label: self.names.name_of(view, *place).unwrap_or_default(),
            part: place.part,
            ..Watch::new(place.address, ty)
        };
        let places = self.table.selected();
        let watches: Vec<Watch> = places.iter().map(watch).collect();
        if !watches.is_empty() {
            let fresh = places.iter().filter(|place| !cx.watched.contains(place)).count();
            self.watch_result = Some(match fresh {
                0 => "Already in the watch list".to_owned(),
                fresh => format!("Added {} to the watch list", counted(fresh as u64, "cell")),
            });
            cx.actions.push(UiAction::AddWatches(watches));
        }
    }
}
