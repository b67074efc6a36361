//! The row in which a new watch is typed, and how an address is.

use super::types;
use crate::console::Endian;
use crate::gui::scene::Scene;
use crate::research::watch::Watch;
use crate::research::{Address, CellAddress, InvalidCellAddress, Part, ValueType};
use eframe::egui::{Id, Key, TextEdit, Ui};

/// What is typed.
#[derive(Debug)]
pub struct NewRow {
    address: String,
    label: String,
    ty: ValueType,
    /// Whether the user chose the type; else it is that of the field that was named.
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

/// The byte order of the console that is attached.
pub fn order(scene: &Scene<'_>) -> Endian {
    scene.view.data.as_ref().map_or(Endian::Little, |data| data.snapshot.domain().endian)
}

/// A cell by its address, by its offset in the RAM in as few digits as such have, or by the name of a field of the profile; with the
/// type of that field.
///
/// # Errors
/// Why it is none, in a sentence.
pub fn place_of(text: &str, scene: &Scene<'_>) -> Result<(CellAddress, Option<ValueType>), String> {
    let text = text.trim();
    let data = scene.view.data.as_ref();
    let profile = scene.view.target.as_ref().map(|target| &target.profile);
    if let Some(field) = profile.and_then(|profile| profile.field(text)) {
        let at = match data {
            Some(data) => field.place(&data.snapshot).map_err(|error| error.to_string())?,
            None => field.address,
        };
        let place = CellAddress { address: Address(at.0.into()), part: Part::Whole };
        return Ok((place, Some(types::of_field(field, order(scene)))));
    }
    let place: CellAddress =
        text.parse().map_err(|error: InvalidCellAddress| format!("{error} or a field of the profile"))?;
    let Some(domain) = data.map(|data| data.snapshot.domain()) else { return Ok((place, None)) };
    // A mirror of a cell is watched at its documented address.
    let offset = super::follow::span(domain, place.address, 1).map(|span| span.start);
    let bare = !text.starts_with("0x") && !text.starts_with('$');
    let short = usize::try_from(place.address.0).ok().filter(|at| bare && *at < domain.len as usize);
    let address = offset.or(short).map(|offset| Address(domain.address_at(offset).0.into()));
    Ok((CellAddress { address: address.unwrap_or(place.address), ..place }, None))
}

impl NewRow {
    /// Puts the cursor into the address.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Draws the row; the watch that was added.
    pub fn show(&mut self, ui: &mut Ui, scene: &Scene<'_>) -> Option<Watch> {
        if !self.chosen && self.ty.order() != order(scene) {
            self.ty = ValueType::new(self.ty.kind(), order(scene)).unwrap_or(self.ty);
        }
        let mut add = false;
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("New watch at");
            let field = TextEdit::singleline(&mut self.address)
                .id(Id::unique("new watch"))
                .hint_text("0xFF85A6 or a field")
                .desired_width(140.0);
            let field = ui.add(field).labelled_by(label.id);
            if std::mem::take(&mut self.focus) {
                field.request_focus();
            }
            if field.changed() {
                self.wrong = None;
                let known = place_of(&self.address, scene).ok().and_then(|(_, ty)| ty);
                if let (Some(ty), false) = (known, self.chosen) {
                    self.ty = ty;
                }
            }
            let enter = |ui: &Ui| ui.input(|input| input.key_pressed(Key::Enter));
            add |= field.lost_focus() && enter(ui);
            self.chosen |= types::choose(ui, "new", "Type of the new watch", &mut self.ty);
            let label = ui.label("called");
            let field = TextEdit::singleline(&mut self.label).hint_text("label").desired_width(120.0);
            let field = ui.add(field).labelled_by(label.id);
            add |= field.lost_focus() && enter(ui);
            add |= ui.button("Add").on_hover_text("Adds the watch behind the chosen line").clicked();
        });
        if let Some(wrong) = &self.wrong {
            ui.colored_label(scene.look.tokens.caution, wrong);
        }
        if !add {
            return None;
        }
        match place_of(&self.address, scene) {
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
