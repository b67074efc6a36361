//! The profile in use, how the RAM was located, and the value of every field.

use super::theme::Tone;
use super::ui_context::{UiAction, UiContext};
use super::widgets::stale_note;
use crate::console::Snapshot;
use crate::live::{Target, View};
use crate::profile::{Field, Profile};
use eframe::egui::{CollapsingHeader, Label, RichText, TextEdit, Ui};
use egui_extras::{Column, TableBuilder};

#[derive(Debug, Default)]
pub struct ValuesPanel {
    filter: String,
    by_name: bool,
}

impl ValuesPanel {
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let view = cx.view;
        let (Some(target), Some(data)) = (&view.target, &view.data) else {
            ui.weak("No values: no emulator attached");
            return;
        };
        stale_note(ui, cx);
        if cx.status.tone() == Tone::Grey {
            ui.multiply_opacity(0.75);
        }
        let title = format!("{}, RAM located by {}", target.profile.name, target.method);
        CollapsingHeader::new(title).id_salt("profile").show(ui, |ui| about(ui, target));
        ui.horizontal_wrapped(|ui| {
            ui.add(TextEdit::singleline(&mut self.filter).hint_text("Filter fields").desired_width(150.0));
            ui.checkbox(&mut self.by_name, "Sort by name").on_hover_text("Default: sort by address");
            if ui.button("Copy table").on_hover_text("Name, value, type and address, tab-separated").clicked()
            {
                cx.copy(as_table(&target.profile, &data.snapshot), "values");
            }
        });
        let fields = self.fields(&target.profile);
        let height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        TableBuilder::new(ui)
            .striped(true)
            .auto_shrink([false, false])
            .column(Column::initial(120.0).resizable(true).clip(true))
            .column(Column::initial(190.0).resizable(true).clip(true))
            .column(Column::initial(80.0).clip(true))
            .column(Column::initial(86.0).clip(true))
            .column(Column::remainder().clip(true))
            .header(height, |mut header| {
                for title in ["Field", "Value", "Type", "Address", "Meaning and source"] {
                    header.col(|ui| {
                        ui.weak(title);
                    });
                }
            })
            .body(|body| {
                body.rows(height, fields.len(), |mut row| {
                    let Some(field) = fields.get(row.index()) else { return };
                    draw_field(&mut row, cx, field, &data.snapshot);
                });
            });
    }

    fn fields<'a>(&self, profile: &'a Profile) -> Vec<&'a Field> {
        let filter = self.filter.to_lowercase();
        let matches = |field: &&Field| {
            let note = field.note.as_deref().unwrap_or_default().to_lowercase();
            field.name.contains(&filter)
                || note.contains(&filter)
                || field.address.to_string().to_lowercase().contains(&filter)
        };
        let mut fields: Vec<&Field> = profile.fields_by_address().into_iter().filter(matches).collect();
        if self.by_name {
            fields.sort_by_key(|field| &field.name);
        }
        fields
    }
}

fn draw_field(
    row: &mut egui_extras::TableRow<'_, '_>,
    cx: &mut UiContext<'_>,
    field: &Field,
    snapshot: &Snapshot,
) {
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
        if ui
            .link(RichText::new(&address).monospace())
            .on_hover_text(format!("Show {} in the memory panel", field.name))
            .clicked()
        {
            cx.actions.push(UiAction::ShowAddress(field.address));
        }
    });
    row.col(|ui| {
        let unconfirmed = if field.confirmed { "" } else { "unconfirmed; " };
        let note = field.note.as_deref().map_or_else(String::new, |note| format!("{note}; "));
        let text = format!("{unconfirmed}{note}{}", field.source);
        ui.add(Label::new(RichText::new(&text).weak()).truncate()).on_hover_text(&text);
    });
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
