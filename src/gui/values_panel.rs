//! The profile in use, how the RAM was located, and the value of every field.

use super::row_menu;
use super::sorting::{self, Sort};
use super::theme::Tone;
use super::ui_context::{UiAction, UiContext};
use super::widgets::stale_note;
use crate::console::Snapshot;
use crate::gui::watches::watch_of_field;
use crate::live::{Target, View};
use crate::profile::{Field, Profile};
use eframe::egui::{Align, Label, Layout, RichText, ScrollArea, Sense, TextEdit, Ui};
use egui_extras::{Column, TableBuilder};

#[derive(Debug, Default)]
pub struct ValuesPanel {
    filter: String,
    sort: Option<Sort<SortBy>>,
    /// Whether the profile is described.
    about: bool,
}

/// What the fields are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SortBy {
    Name,
    Value,
    Type,
    Address,
}

impl ValuesPanel {
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let view = cx.view;
        let (Some(target), Some(data)) = (&view.target, &view.data) else {
            ui.weak("No values: no emulator attached. The fields of the game appear here with their values and addresses");
            return;
        };
        stale_note(ui, cx);
        if cx.status.tone() == Tone::Grey {
            ui.multiply_opacity(0.75);
        }
        ui.horizontal_wrapped(|ui| {
            ui.add(TextEdit::singleline(&mut self.filter).hint_text("Filter fields").desired_width(150.0));
            if ui.button("Copy table").on_hover_text("Name, value, type and address, tab-separated").clicked()
            {
                cx.copy(as_table(&target.profile, &data.snapshot), "values");
            }
            let title = format!("{}, RAM located by {}", target.profile.name, target.method);
            ui.toggle_value(&mut self.about, "About the profile").on_hover_text(title);
        });
        if self.about {
            let height = ui.available_height() * 0.6;
            ScrollArea::vertical().id_salt("about").max_height(height).show(ui, |ui| about(ui, target));
            ui.separator();
        }
        let fields = self.fields(&target.profile, &data.snapshot);
        let mut sort = self.sort;
        let asked = row_menu::is_asked(ui);
        let height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        TableBuilder::new(ui)
            .striped(true)
            .sense(Sense::CLICK)
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink([false, false])
            .column(Column::initial(120.0).resizable(true).clip(true))
            .column(Column::initial(190.0).resizable(true).clip(true))
            .column(Column::initial(80.0).clip(true))
            .column(Column::initial(86.0).clip(true))
            .column(Column::remainder().clip(true))
            .header(height, |mut header| {
                for (title, by) in [
                    ("Field", SortBy::Name),
                    ("Value", SortBy::Value),
                    ("Type", SortBy::Type),
                    ("Address", SortBy::Address),
                ] {
                    header.col(|ui| {
                        if sorting::title(ui, title, by, sort) {
                            sort = Sort::after_click(sort, by);
                        }
                    });
                }
                header.col(|ui| {
                    ui.weak("Meaning and source");
                });
            })
            .body(|body| {
                body.rows(height, fields.len(), |mut row| {
                    let Some(field) = fields.get(row.index()) else { return };
                    let focused = draw_field(&mut row, cx, field, &data.snapshot);
                    row_menu::show(&row.response(), focused && asked, |ui| {
                        menu(ui, cx, field, &data.snapshot);
                    });
                });
            });
        self.sort = sort;
    }

    fn fields<'a>(&self, profile: &'a Profile, snapshot: &Snapshot) -> Vec<&'a Field> {
        let filter = self.filter.to_lowercase();
        let matches = |field: &&Field| {
            let note = field.note.as_deref().unwrap_or_default().to_lowercase();
            field.name.contains(&filter)
                || note.contains(&filter)
                || field.address.to_string().to_lowercase().contains(&filter)
        };
        let mut fields: Vec<&Field> = profile.fields_by_address().into_iter().filter(matches).collect();
        if let Some(sort) = self.sort {
            let value = |field: &Field| {
                let text =
                    field.read(snapshot).map_or_else(|error| error.to_string(), |value| value.to_string());
                (text.len(), text) // so that numbers of one width are in order
            };
            fields.sort_by(|one, other| {
                sort.directed(match sort.by {
                    SortBy::Name => one.name.cmp(&other.name),
                    SortBy::Value => value(one).cmp(&value(other)),
                    SortBy::Type => one.kind.to_string().cmp(&other.kind.to_string()),
                    SortBy::Address => one.address.cmp(&other.address),
                })
            });
        }
        fields
    }
}

/// The context menu of a field.
fn menu(ui: &mut Ui, cx: &mut UiContext<'_>, field: &Field, snapshot: &Snapshot) {
    let value = field.read(snapshot).ok();
    let mut item = |text: &str, possible: bool| row_menu::item(ui, text, "", possible);
    if item("Show in memory", true) {
        cx.actions.push(UiAction::ShowAddress(field.address));
    }
    if item("Watch this field", true) {
        cx.actions.push(UiAction::AddWatches(vec![watch_of_field(field, snapshot)]));
    }
    if item("Copy name", true) {
        cx.copy(field.name.as_str(), "name");
    }
    if item("Copy value", value.is_some())
        && let Some(value) = value
    {
        cx.copy(format!("{value:#}"), "value");
    }
    if item("Copy address", true) {
        cx.copy(field.address.to_string(), "address");
    }
}

/// Draws a row; returns whether its link has the focus.
fn draw_field(
    row: &mut egui_extras::TableRow<'_, '_>,
    cx: &mut UiContext<'_>,
    field: &Field,
    snapshot: &Snapshot,
) -> bool {
    let mut focused = false;
    row.col(|ui| {
        ui.add(Label::new(&field.name).truncate()).on_hover_text(&field.name);
    });
    row.col(|ui| {
        match field.read(snapshot) {
            Ok(value) => {
                ui.add(Label::new(RichText::new(value.to_string()).monospace()).truncate())
                    .on_hover_text(format!("{value:#}"));
            }
            Err(error) => {
                ui.label(error.to_string());
            }
        };
    });
    row.col(|ui| {
        ui.weak(field.kind.to_string());
    });
    row.col(|ui| {
        let address = field.address.to_string();
        let link = ui.link(RichText::new(&address).monospace());
        focused = link.has_focus();
        let hint = format!("Show {} in the memory panel (Shift+F10: more actions)", field.name);
        if link.on_hover_text(hint).clicked() {
            cx.actions.push(UiAction::ShowAddress(field.address));
        }
    });
    row.col(|ui| {
        let unconfirmed = if field.confirmed { "" } else { "unconfirmed; " };
        let note = field.note.as_deref().map_or_else(String::new, |note| format!("{note}; "));
        let text = format!("{unconfirmed}{note}{}", field.source);
        ui.add(Label::new(RichText::new(&text).weak()).truncate()).on_hover_text(&text);
    });
    focused
}

fn about(ui: &mut Ui, target: &Target) {
    let profile = &target.profile;
    let mut line = |name: &str, text: String| {
        ui.horizontal_wrapped(|ui| {
            ui.weak(name);
            ui.label(text);
        });
    };
    line("Profile", format!("{}, {}, {}", profile.id, profile.status, profile.origin));
    line("Digest", profile.digest.clone());
    line("Console", profile.console.name().to_owned());
    line("RAM", target.ram.clone());
    line("Located by", format!("{} in {} ms", target.method, target.elapsed.as_millis()));
    line("Anchors", target.proof.anchors.join("; "));
    line("Liveness", target.proof.liveness.clone());
    for (name, choice) in &profile.variants {
        line("Variant", format!("{name}: {choice}"));
    }
    if !profile.notes.trim().is_empty() {
        line("Notes", profile.notes.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

/// Name, value, type and address of every field, tab-separated.
fn as_table(profile: &Profile, snapshot: &Snapshot) -> String {
    let line = |field: &Field| {
        let value = field.read(snapshot).map_or_else(|error| error.to_string(), |value| format!("{value:#}"));
        format!("{}\t{value}\t{}\t{}\n", field.name, field.kind, field.address)
    };
    profile.fields_by_address().into_iter().map(line).collect()
}

/// The table of current values for the copy command; None when not attached.
pub fn table(view: &View) -> Option<String> {
    Some(as_table(&view.target.as_ref()?.profile, &view.data.as_ref()?.snapshot))
}
