//! The row for a new watch, and parsing of addresses.

use super::types;
use crate::console::Endian;
use crate::gui::ui_context::UiContext;
use crate::research::watch::Watch;
use crate::research::{Address, CellAddress, InvalidCellAddress, Part, ValueType};
use eframe::egui::{Id, Key, TextEdit, Ui};

#[derive(Debug)]
pub struct NewRow {
    address: String,
    label: String,
    ty: ValueType,
    /// Whether the user chose the type; else it is that of the named field.
    chosen: bool,
    wrong: Option<String>,
    focus: bool,
}

impl Default for NewRow {
    fn default() -> Self {
        let (address, label) = (String::new(), String::new());
        Self { address, label, ty: ValueType::BYTE, chosen: false, wrong: None, focus: false }
    }
}

/// The byte order of the attached console.
pub fn order(cx: &UiContext<'_>) -> Endian {
    cx.view.data.as_ref().map_or(Endian::Little, |data| data.snapshot.domain().endian)
}

/// Parses a cell: an address, an offset in RAM (with few digits), or a field name; with the type of the field.
///
/// # Errors
/// What is wrong, in a sentence.
pub fn place_of(text: &str, cx: &UiContext<'_>) -> Result<(CellAddress, Option<ValueType>), String> {
    let text = text.trim();
    let data = cx.view.data.as_ref();
    let profile = cx.view.target.as_ref().map(|target| &target.profile);
    if let Some(field) = profile.and_then(|profile| profile.field(text)) {
        let at = match data {
            Some(data) => field.address_in(&data.snapshot).map_err(|error| error.to_string())?,
            None => field.address,
        };
        let place = CellAddress { address: Address(at.0.into()), part: Part::Whole };
        return Ok((place, Some(types::of_field(field, order(cx)))));
    }
    let place: CellAddress =
        text.parse().map_err(|error: InvalidCellAddress| format!("{error} or a field of the profile"))?;
    let Some(domain) = data.map(|data| data.snapshot.domain()) else { return Ok((place, None)) };
    // Watch mirrors at their documented address.
    let offset = super::follow::span(domain, place.address, 1).map(|span| span.start);
    let bare = !text.starts_with("0x") && !text.starts_with('$');
    let short = usize::try_from(place.address.0).ok().filter(|at| bare && *at < domain.len as usize);
    let address = offset.or(short).map(|offset| Address(domain.address_at(offset).0.into()));
    Ok((CellAddress { address: address.unwrap_or(place.address), ..place }, None))
}

impl NewRow {
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Draws the row; returns the new watch.
    pub fn show(&mut self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<Watch> {
        if !self.chosen && self.ty.order() != order(cx) {
            self.ty = ValueType::new(self.ty.kind(), order(cx)).unwrap_or(self.ty);
        }
        let mut add = false;
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("New watch");
            let field = TextEdit::singleline(&mut self.address)
                .id(Id::unique("new watch"))
                .hint_text("address or field")
                .desired_width(140.0);
            let field = ui.add(field).labelled_by(label.id);
            if std::mem::take(&mut self.focus) {
                field.request_focus();
            }
            if field.changed() {
                self.wrong = None;
                let known = place_of(&self.address, cx).ok().and_then(|(_, ty)| ty);
                if let (Some(ty), false) = (known, self.chosen) {
                    self.ty = ty;
                }
            }
            let enter = |ui: &Ui| ui.input(|input| input.key_pressed(Key::Enter));
            add |= field.lost_focus() && enter(ui);
            self.chosen |= types::choose(ui, "new", "Type of the new watch", &mut self.ty);
            let label = ui.label("Label");
            let field = TextEdit::singleline(&mut self.label).hint_text("optional").desired_width(120.0);
            let field = ui.add(field).labelled_by(label.id);
            add |= field.lost_focus() && enter(ui);
            add |= ui.button("Add").on_hover_text("Add the watch after the selected line").clicked();
        });
        if let Some(wrong) = &self.wrong {
            ui.colored_label(cx.look.tokens.caution, wrong);
        }
        if !add {
            return None;
        }
        match place_of(&self.address, cx) {
            Ok((place, known)) => {
                let named = known.is_some() && self.label.trim().is_empty();
                let label = if named { self.address.trim() } else { self.label.trim() };
                let watch =
                    Watch { label: label.to_owned(), part: place.part, ..Watch::new(place.address, self.ty) };
                *self = Self { ty: self.ty, focus: true, ..Self::default() };
                Some(watch)
            }
            Err(wrong) => {
                self.wrong = Some(wrong);
                self.focus = true;
                None
            }
        }
    }
}
