//! Imports and exports of the field: text, code, link and pictures.

use super::settings::IgnitionSettings;
use super::state::Painted;
use crate::gui::file_dialog::FileKind;
use crate::gui::save_field::{SaveField, SaveText};
use crate::gui::ui_context::UiContext;
use crate::pochi::export::{Picture, png, svg};
use crate::pochi::{Rules, to_code, to_link};
use eframe::egui::{FontId, Id, TextEdit, Ui};
use std::path::Path;

const WORDS: SaveText = SaveText {
    id: "ignition file",
    kind: FileKind::Field,
    hint: "path of a .svg .png .txt",
    button: "Save field",
    formats: ".svg, .png or .txt",
};

#[derive(Debug, Default)]
pub struct Files {
    text: String,
    line: SaveField,
}

/// The field and ignition as a code for the settings.
pub fn saved_code(painted: &Painted) -> Option<String> {
    to_code(&painted.field, painted.ignition.as_ref()).ok()
}

impl Files {
    /// Draws the part; returns text to open as a field.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        painted: &Painted,
        settings: &mut IgnitionSettings,
    ) -> Option<String> {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Copy rows").on_hover_text("Copy the field as rows of letters").clicked() {
                cx.copy(painted.field.to_text(), "field");
            }
            let meaning =
                "Copy field and needle as one line for this panel and `nextscope ignite` (Ctrl+C in the field)";
            if ui.button("Copy link").on_hover_text(meaning).clicked() {
                self.copy_link(cx, painted);
            }
        });
        let taken = self.typed(ui);
        ui.horizontal_wrapped(|ui| {
            let rules = settings.rules();
            self.line.show(ui, cx.files, WORDS, &mut settings.file, |path| encode(path, painted, rules));
        });
        self.line.result(ui, cx.look.tokens);
        taken
    }

    /// Copies field and ignition as a link.
    pub fn copy_link(&mut self, cx: &mut UiContext<'_>, painted: &Painted) {
        match to_link(&painted.field, painted.ignition.as_ref()) {
            Ok(link) => cx.copy(link, "ignition link"),
            Err(why) => self.line.fail(why.to_string()),
        }
    }

    /// The input for rows, code or link.
    fn typed(&mut self, ui: &mut Ui) -> Option<String> {
        let label = ui.label("Rows, code or link");
        let field = TextEdit::multiline(&mut self.text)
            .id(Id::unique("ignition text"))
            .font(FontId::monospace(12.0))
            .hint_text("rows of R G B Y and dots from the top, or a copied link")
            .desired_width(f32::INFINITY)
            .desired_rows(4);
        ui.add(field).labelled_by(label.id);
        let open =
            ui.button("Open text").on_hover_text("Open in the field, like pasting into the field (Ctrl+V)");
        open.clicked().then(|| self.text.clone())
    }
}

/// The field in the format of the file name extension.
fn encode(path: &Path, painted: &Painted, rules: Rules) -> Result<Vec<u8>, String> {
    let Painted { field, ignition } = painted;
    let picture = || match ignition {
        Some(ignition) => Picture::of(field, ignition, rules).map_err(|why| super::text::error_text(&why)),
        None => Ok(Picture::of_field(field)),
    };
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("svg") => Ok(svg(&picture()?).into_bytes()),
        Some("png") => png(&picture()?).map_err(|why| why.to_string()),
        Some("txt") => Ok(field.to_text().into_bytes()),
        _ => Err(format!("the file name must end in {}", WORDS.formats)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pochi::Field;

    #[test]
    fn a_dialog_offers_the_formats_that_are_written() {
        let painted = Painted { field: Field::default(), ignition: None };
        for extension in FileKind::Field.filters().iter().flat_map(|(_, extensions)| *extensions) {
            let name = format!("field.{extension}");
            assert!(encode(Path::new(&name), &painted, Rules::default()).is_ok(), "{name}");
        }
    }
}
