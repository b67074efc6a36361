//! "Add to profile": a field more in the user's copy of the profile, shown line by line before it is written.

use super::types;
use crate::console::ConsoleAddr;
use crate::gui::scene::Scene;
use crate::gui::theme::Tokens;
use crate::profile::{
    Addition, AdditionError, ChangedLine, EditError, FieldKind, NewField, Origin, Profile, Severity,
};
use crate::research::watch::Watch;
use eframe::egui::{
    self, Button, ComboBox, DragValue, Frame, Grid, Id, Modal, RichText, ScrollArea, TextEdit, Ui,
};
use std::path::Path;
use std::sync::Arc;

/// What the button says.
pub const NAME_HINT: &str = "Writes it into your copy of the profile, after showing what changes";
/// Where a field comes from when nothing else is typed.
const SOURCE: &str = "found by a RAM search in a running game (nextscope)";
/// The longest field that the dialog offers.
const LONGEST: u32 = 0x1000;
/// Findings of the profile's check that are told.
const FINDINGS: usize = 6;

/// A field as the watch has it; None when it is not in the RAM of the console.
pub fn draft(scene: &Scene<'_>, watch: &Watch) -> Option<NewField> {
    let domain = scene.view.target.as_ref()?.profile.console.domain();
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

/// The same of bytes that have no watch.
pub fn draft_of_bytes(address: ConsoleAddr, kind: FieldKind) -> NewField {
    let (name, source) = (String::new(), SOURCE.to_owned());
    NewField { name, address, kind, source, note: None, confirmed: false }
}

/// What a profile calls it: small letters, digits and underscores.
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

/// The dialog.
pub struct AddField {
    field: NewField,
    note: String,
    length: u32,
    replace: bool,
    profile: Arc<Profile>,
    /// What would be written, for what is asked now.
    planned: Option<(NewField, bool, Result<Addition, AdditionError>)>,
    /// Why it was not written.
    failed: Option<String>,
    opened: bool,
}

impl AddField {
    /// The dialog with what is known of the field.
    pub fn new(field: NewField, profile: Arc<Profile>) -> Self {
        let (note, length) = (field.note.clone().unwrap_or_default(), field.kind.bytes());
        Self { field, note, length, replace: false, profile, planned: None, failed: None, opened: false }
    }

    /// Draws it; true when it is done with.
    pub fn show(&mut self, ui: &Ui, tokens: &Tokens, folder: Option<&Path>) -> bool {
        let ctx = ui.ctx().clone();
        let frame = Frame::popup(ui.style()).inner_margin(14);
        let mut done = false;
        let response = Modal::new(Id::unique("add to profile")).frame(frame).show(&ctx, |ui| {
            let size = ui.ctx().content_rect().size();
            ui.set_width((size.x - 60.0).clamp(200.0, 640.0));
            ui.set_max_height((size.y - 60.0).max(120.0));
            ui.heading("Add to profile");
            self.questions(ui, tokens);
            self.plan(folder);
            self.preview(ui, tokens, (size.y - 420.0).max(60.0));
            done = self.buttons(ui, tokens);
        });
        done || response.should_close()
    }

    fn questions(&mut self, ui: &mut Ui, tokens: &Tokens) {
        Grid::new("new field").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
            ui.label("Profile");
            ui.label(format!("{} ({})", self.profile.id, self.profile.name));
            ui.end_row();
            let label = ui.label("Name");
            let field = TextEdit::singleline(&mut self.field.name)
                .hint_text("small letters, digits, underscores")
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
                .on_hover_text("Where the address comes from, so that others can check it");
            ui.end_row();
            let label = ui.label("Note");
            let field = TextEdit::singleline(&mut self.note)
                .hint_text("what it means, when it changes, what is uncertain")
                .background_color(tokens.panel)
                .desired_width(f32::INFINITY);
            ui.add(field).labelled_by(label.id);
            ui.end_row();
            ui.label("Certainty");
            ui.checkbox(&mut self.field.confirmed, "Seen to hold on this version of the game");
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
            FieldKind::Bytes { .. } | FieldKind::Text { .. } => LONGEST,
            _ => return,
        };
        let label = ui.label("Length in bytes");
        ui.add(DragValue::new(&mut self.length).range(1..=most)).labelled_by(label.id);
        if let FieldKind::Bcd { length } | FieldKind::Bytes { length } | FieldKind::Text { length } = kind {
            *length = self.length.min(most);
        }
    }

    /// Makes what would be written anew when something else is asked.
    fn plan(&mut self, folder: Option<&Path>) {
        let same =
            |(field, replace, _): &(NewField, bool, _)| *field == self.field && *replace == self.replace;
        if self.planned.as_ref().is_some_and(same) || self.field.name.is_empty() {
            return;
        }
        if self.planned.is_some() {
            self.failed = None; // something else is asked than what failed
        }
        let planned = Addition::of(folder, &self.profile, &self.field, self.replace);
        self.planned = Some((self.field.clone(), self.replace, planned));
    }

    fn preview(&mut self, ui: &mut Ui, tokens: &Tokens, height: f32) {
        ui.separator();
        if self.field.name.is_empty() {
            ui.weak("Give it a name to see what would be written");
            return;
        }
        let Some((_, _, planned)) = &self.planned else { return };
        let taken = self.profile.field(&self.field.name).is_some()
            || matches!(planned, Err(AdditionError::Edit(EditError::FieldExists(_))));
        match planned {
            Ok(addition) => {
                let copy = match (&self.profile.origin, addition.copied) {
                    (Origin::BuiltIn, true) => "a copy of the built-in profile, ",
                    _ => "",
                };
                ui.label(format!("Will be written into {copy}{}", addition.path.display()));
                ScrollArea::both().id_salt("changes").max_height(height).show(ui, |ui| {
                    changes(ui, tokens, &addition.edited.changes);
                });
                let told = &addition.edited.warnings;
                if told.is_empty() {
                    ui.colored_label(tokens.good, "Checked: the profile is good with it");
                }
                for told in told.iter().take(FINDINGS) {
                    let color = if told.severity == Severity::Note { tokens.muted } else { tokens.caution };
                    ui.colored_label(color, &told.message);
                }
            }
            Err(error) => {
                ui.colored_label(tokens.bad, error.to_string());
            }
        }
        if taken {
            ui.checkbox(&mut self.replace, "Replace the field of that name where it stands");
        }
    }

    fn buttons(&mut self, ui: &mut Ui, tokens: &Tokens) -> bool {
        if let Some(failed) = &self.failed {
            ui.colored_label(tokens.bad, failed);
        }
        ui.add_space(6.0);
        let ready = self.planned.as_ref().is_some_and(|(field, replace, planned)| {
            planned.is_ok() && *field == self.field && *replace == self.replace
        });
        let mut done = false;
        ui.horizontal(|ui| {
            let write = ui.add_enabled(ready, Button::new("Write profile"));
            if write.on_disabled_hover_text("It needs a name and must be good").clicked()
                && let Some((field, _, Ok(addition))) = &self.planned
            {
                match addition.write() {
                    Ok(()) => {
                        tracing::info!("{} is in {} now", field.name, addition.path.display());
                        done = true;
                    }
                    Err(error) => {
                        self.failed = Some(error.to_string());
                        self.planned = None; // to be looked at again
                    }
                }
            }
            done |= ui.button("Cancel").clicked();
        });
        done
    }
}

/// The lines that come and go.
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
