//! The dialog that adds a field to the user's copy of the profile, with a preview of the changes.

use super::types;
use crate::console::ConsoleAddr;
use crate::gui::theme::Tokens;
use crate::gui::ui_context::UiContext;
use crate::profile::{
    Addition, AdditionError, ChangedLine, EditError, FieldKind, NewField, Origin, Profile, Severity,
};
use crate::research::watch::Watch;
use eframe::egui::{
    self, Button, ComboBox, DragValue, Frame, Grid, Id, Modal, RichText, ScrollArea, TextEdit, Ui,
};
use std::path::Path;
use std::sync::Arc;

/// Tooltip of the button.
pub const NAME_HINT: &str = "Writes it into your copy of the profile, after showing what changes";
/// Default source of a field.
const SOURCE: &str = "found by a RAM search in a running game (nextscope)";
/// Maximum length of a field.
const MAX_LENGTH: u32 = 0x1000;
/// Maximum number of shown warnings.
const MAX_WARNINGS: usize = 6;

/// The field for a watch; None if it is outside the console's RAM.
pub fn draft(cx: &UiContext<'_>, watch: &Watch) -> Option<NewField> {
    let domain = cx.view.target.as_ref()?.profile.console.domain();
    let offset = super::follow::span(domain, watch.address, watch.ty.width())?.start;
    Some(NewField {
        name: name_of(&watch.label),
        address: domain.address_at(offset),
        kind: types::to_field(watch.ty, domain.endian),
        source: SOURCE.to_owned(),
        note: Some(watch.notes.clone()).filter(|notes| !notes.trim().is_empty()),
        confirmed: false,
    })
}

/// The field for bytes without a watch.
pub fn draft_of_bytes(address: ConsoleAddr, kind: FieldKind) -> NewField {
    let (name, source) = (String::new(), SOURCE.to_owned());
    NewField { name, address, kind, source, note: None, confirmed: false }
}

/// A name in profile syntax: lower case, digits and underscores.
fn name_of(label: &str) -> String {
    let mut name = String::new();
    for letter in label.trim().chars() {
        match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9') => name.push(letter),
            _ if !name.is_empty() && !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    name.trim_end_matches('_').trim_start_matches(|c: char| c.is_ascii_digit() || c == '_').to_owned()
}

pub struct AddField {
    field: NewField,
    note: String,
    length: u32,
    replace: bool,
    profile: Arc<Profile>,
    /// The previewed change for the current input.
    preview: Option<(NewField, bool, Result<Addition, AdditionError>)>,
    /// Why writing failed.
    failed: Option<String>,
    opened: bool,
}

impl AddField {
    pub fn new(field: NewField, profile: Arc<Profile>) -> Self {
        let (note, length) = (field.note.clone().unwrap_or_default(), field.kind.bytes());
        Self { field, note, length, replace: false, profile, preview: None, failed: None, opened: false }
    }

    /// Draws the dialog; true when it is finished.
    pub fn show(&mut self, ui: &Ui, tokens: &Tokens, folder: Option<&Path>) -> bool {
        let ctx = ui.ctx().clone();
        let frame = Frame::popup(ui.style()).inner_margin(14);
        let mut done = false;
        let response = Modal::new(Id::unique("add to profile")).frame(frame).show(&ctx, |ui| {
            let size = ui.ctx().content_rect().size();
            ui.set_width((size.x - 60.0).clamp(200.0, 640.0));
            ui.set_max_height((size.y - 60.0).max(120.0));
            ui.heading("Add to profile");
            self.inputs(ui, tokens);
            self.update_preview(folder);
            self.preview(ui, tokens, (size.y - 420.0).max(60.0));
            done = self.buttons(ui, tokens);
        });
        done || response.should_close()
    }

    fn inputs(&mut self, ui: &mut Ui, tokens: &Tokens) {
        Grid::new("new field").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
            ui.label("Profile");
            ui.label(format!("{} ({})", self.profile.id, self.profile.name));
            ui.end_row();
            let label = ui.label("Name");
            let field = TextEdit::singleline(&mut self.field.name)
                .hint_text("lower case, digits, underscores")
                .background_color(tokens.panel)
                .desired_width(260.0);
            let field = ui.add(field).labelled_by(label.id);
            if !std::mem::replace(&mut self.opened, true) {
                field.request_focus();
            }
            ui.end_row();
            ui.label("Address");
            ui.label(RichText::new(self.field.address.to_string()).monospace());
            ui.end_row();
            ui.label("Kind");
            ui.horizontal(|ui| self.kind(ui));
            ui.end_row();
            let label = ui.label("Source");
            let field = TextEdit::singleline(&mut self.field.source)
                .background_color(tokens.panel)
                .desired_width(f32::INFINITY);
            ui.add(field)
                .labelled_by(label.id)
                .on_hover_text("Source of the address, so that others can verify it");
            ui.end_row();
            let label = ui.label("Note");
            let field = TextEdit::singleline(&mut self.note)
                .hint_text("meaning, when it changes, what is uncertain")
                .background_color(tokens.panel)
                .desired_width(f32::INFINITY);
            ui.add(field).labelled_by(label.id);
            ui.end_row();
            ui.label("Status");
            ui.checkbox(&mut self.field.confirmed, "Confirmed on this version of the game");
            ui.end_row();
        });
        let note = self.note.trim();
        self.field.note = (!note.is_empty()).then(|| note.to_owned());
    }

    fn kind(&mut self, ui: &mut Ui) {
        let length = self.length;
        let kinds = [
            FieldKind::U8,
            FieldKind::U16,
            FieldKind::U32,
            FieldKind::I8,
            FieldKind::I16,
            FieldKind::I32,
            FieldKind::Bcd { length: length.min(8) },
            FieldKind::Bytes { length },
            FieldKind::Text { length },
        ];
        let name = |kind: FieldKind| kind.to_string().split('[').next().unwrap_or_default().to_owned();
        let kind = &mut self.field.kind;
        ComboBox::from_id_salt("kind of field")
            .selected_text(name(*kind))
            .width(90.0)
            .show_ui(ui, |ui| {
                for offered in kinds {
                    let same = std::mem::discriminant(&offered) == std::mem::discriminant(kind);
                    if ui.selectable_label(same, name(offered)).clicked() {
                        *kind = offered;
                    }
                }
            })
            .response
            .accessible_name("Kind of field");
        let most = match kind {
            FieldKind::Bcd { .. } => 8,
            FieldKind::Bytes { .. } | FieldKind::Text { .. } => MAX_LENGTH,
            _ => return,
        };
        let label = ui.label("Length in bytes");
        ui.add(DragValue::new(&mut self.length).range(1..=most)).labelled_by(label.id);
        if let FieldKind::Bcd { length } | FieldKind::Bytes { length } | FieldKind::Text { length } = kind {
            *length = self.length.min(most);
        }
    }

    /// Updates the preview when the input changes.
    fn update_preview(&mut self, folder: Option<&Path>) {
        let same =
            |(field, replace, _): &(NewField, bool, _)| *field == self.field && *replace == self.replace;
        if self.preview.as_ref().is_some_and(same) || self.field.name.is_empty() {
            return;
        }
        if self.preview.is_some() {
            self.failed = None; // the error was for another input
        }
        let preview = Addition::of(folder, &self.profile, &self.field, self.replace);
        self.preview = Some((self.field.clone(), self.replace, preview));
    }

    fn preview(&mut self, ui: &mut Ui, tokens: &Tokens, height: f32) {
        ui.separator();
        if self.field.name.is_empty() {
            ui.weak("Enter a name to preview the change");
            return;
        }
        let Some((_, _, preview)) = &self.preview else { return };
        let taken = self.profile.field(&self.field.name).is_some()
            || matches!(preview, Err(AdditionError::Edit(EditError::FieldExists(_))));
        match preview {
            Ok(addition) => {
                let copy = match (&self.profile.origin, addition.copied) {
                    (Origin::BuiltIn, true) => "a copy of the built-in profile: ",
                    _ => "",
                };
                ui.label(format!("Will be written to {copy}{}", addition.path.display()));
                ScrollArea::both().id_salt("changes").max_height(height).show(ui, |ui| {
                    changes(ui, tokens, &addition.edited.changes);
                });
                let warning = &addition.edited.warnings;
                if warning.is_empty() {
                    ui.colored_label(tokens.good, "The profile is valid");
                }
                for warning in warning.iter().take(MAX_WARNINGS) {
                    let color =
                        if warning.severity == Severity::Note { tokens.muted } else { tokens.caution };
                    ui.colored_label(color, &warning.message);
                }
            }
            Err(error) => {
                ui.colored_label(tokens.bad, error.to_string());
            }
        }
        if taken {
            ui.checkbox(&mut self.replace, "Replace the existing field");
        }
    }

    fn buttons(&mut self, ui: &mut Ui, tokens: &Tokens) -> bool {
        if let Some(failed) = &self.failed {
            ui.colored_label(tokens.bad, failed);
        }
        ui.add_space(6.0);
        let ready = self.preview.as_ref().is_some_and(|(field, replace, preview)| {
            preview.is_ok() && *field == self.field && *replace == self.replace
        });
        let mut done = false;
        ui.horizontal(|ui| {
            let write = ui.add_enabled(ready, Button::new("Write profile"));
            if write.on_disabled_hover_text("Enter a name and fix all errors first").clicked()
                && let Some((field, _, Ok(addition))) = &self.preview
            {
                match addition.write() {
                    Ok(()) => {
                        tracing::info!("field {} added to {}", field.name, addition.path.display());
                        done = true;
                    }
                    Err(error) => {
                        self.failed = Some(error.to_string());
                        self.preview = None; // preview again
                    }
                }
            }
            done |= ui.button("Cancel").clicked();
        });
        done
    }
}

/// The changed lines.
fn changes(ui: &mut Ui, tokens: &Tokens, changes: &[ChangedLine]) {
    ui.spacing_mut().item_spacing.y = 1.0;
    for change in changes {
        let (color, sign, number, line) = match change {
            ChangedLine::Added(number, line) => (tokens.good, '+', number, line),
            ChangedLine::Removed(number, line) => (tokens.bad, '-', number, line),
        };
        let text = RichText::new(format!("{sign} {number:>4}  {line}")).monospace().color(color);
        ui.add(egui::Label::new(text).extend());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_names_of_fields() {
        for (label, name) in [
            ("Pairs dealt, player 1", "pairs_dealt_player_1"),
            ("  RNG!", "rng"),
            ("1UP score", "up_score"),
            ("Größe", "gr_e"),
            ("--", ""),
        ] {
            assert_eq!(name_of(label), name);
        }
    }
}
