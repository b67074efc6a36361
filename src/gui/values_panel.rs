//! The profile in use, how the RAM was located, and the value of every field.

use super::theme::Tone;
use super::ui_context::{UiAction, UiContext};
use super::widgets::stale_note;
use crate::console::Snapshot;
use crate::live::{Target, View};
use crate::profile::{Field, Profile};
use eframe::egui::{
    Button, CollapsingHeader, Label, RichText, Role, Sense, Shape, Stroke, TextEdit, Ui, WidgetInfo, pos2,
    vec2,
};
use egui_extras::{Column, TableBuilder};

#[derive(Debug, Default)]
pub struct ValuesPanel {
    filter: String,
    sort: SortColumn,
    descending: bool,
}

/// The column by which the fields are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SortColumn {
    Name,
    Value,
    Type,
    #[default]
    Address,
    Source,
}

impl SortColumn {
    const ALL: [(Self, &str); 5] = [
        (Self::Name, "Field"),
        (Self::Value, "Value"),
        (Self::Type, "Type"),
        (Self::Address, "Address"),
        (Self::Source, "Meaning and source"),
    ];
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
            if ui.button("Copy table").on_hover_text("Name, value, type and address, tab-separated").clicked()
            {
                cx.copy(as_table(&target.profile, &data.snapshot), "values");
            }
        });
        // A right click on a text opens the menu of the row.
        ui.style_mut().interaction.selectable_labels = false;
        let fields = self.fields(&target.profile, &data.snapshot);
        let height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        TableBuilder::new(ui)
            .striped(true)
            .sense(Sense::CLICK)
            .auto_shrink([false, false])
            .column(Column::initial(120.0).resizable(true).clip(true))
            .column(Column::initial(190.0).resizable(true).clip(true))
            .column(Column::initial(80.0).clip(true))
            .column(Column::initial(86.0).clip(true))
            .column(Column::remainder().clip(true))
            .header(height, |mut header| {
                for (column, title) in SortColumn::ALL {
                    header.col(|ui| {
                        ui.horizontal(|ui| self.header(ui, column, title));
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

    /// The title of a column, which sorts by it; again, in the other direction.
    fn header(&mut self, ui: &mut Ui, column: SortColumn, title: &str) {
        let chosen = self.sort == column;
        let response = ui.add(Button::new(RichText::new(title).weak()).frame(false));
        if chosen {
            arrow(ui, self.descending);
        }
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Sort by {title}")));
        if response.on_hover_text(format!("Sort by {title}")).clicked() {
            self.descending = chosen && !self.descending;
            self.sort = column;
        }
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
        match self.sort {
            SortColumn::Address => {}
            SortColumn::Name => fields.sort_by_key(|field| &field.name),
            SortColumn::Type => fields.sort_by_cached_key(|field| field.kind.to_string()),
            SortColumn::Source => fields.sort_by_cached_key(|field| meaning(field)),
            SortColumn::Value => fields.sort_by_cached_key(|field| {
                let text =
                    field.read(snapshot).map_or_else(|error| error.to_string(), |value| value.to_string());
                let digits = text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
                (digits.parse::<u64>().unwrap_or(u64::MAX), text)
            }),
        }
        if self.descending {
            fields.reverse();
        }
        fields
    }
}

/// The direction in which a column is sorted: upwards from the smallest, downwards from the largest.
fn arrow(ui: &mut Ui, descending: bool) {
    let (rect, _) = ui.allocate_exact_size(vec2(8.0, 6.0), Sense::hover());
    let (tip, base) = if descending { (rect.bottom(), rect.top()) } else { (rect.top(), rect.bottom()) };
    let corners = vec![pos2(rect.left(), base), pos2(rect.right(), base), pos2(rect.center().x, tip)];
    let color = ui.visuals().weak_text_color();
    ui.painter().add(Shape::convex_polygon(corners, color, Stroke::NONE));
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
        let text = meaning(field);
        ui.add(Label::new(RichText::new(&text).weak()).truncate()).on_hover_text(&text);
    });
    row.response().context_menu(|ui| {
        let value = field.read(snapshot).map_or_else(|error| error.to_string(), |value| format!("{value:#}"));
        for (text, copied, what) in [
            ("Copy value", value, "value"),
            ("Copy name", field.name.clone(), "field name"),
            ("Copy address", field.address.to_string(), "address"),
        ] {
            if ui.button(text).clicked() {
                cx.copy(copied, what);
                ui.close();
            }
        }
        if ui.button("Show in memory").clicked() {
            cx.actions.push(UiAction::Select(field.address, field.len()));
            ui.close();
        }
    });
}

/// What a field is, and where that is documented.
fn meaning(field: &Field) -> String {
    let unconfirmed = if field.confirmed { "" } else { "unconfirmed; " };
    let note = field.note.as_deref().map_or_else(String::new, |note| format!("{note}; "));
    format!("{unconfirmed}{note}{}", field.source)
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
