//! The field in other forms: text, code and link, and pictures written to a path that is typed.

use super::asked::IgnitionSettings;
use super::state::Painted;
use crate::gui::saving::{SaveLine, SaveWords};
use crate::gui::scene::Scene;
use crate::pochi::export::{Picture, png, svg};
use crate::pochi::{Rules, to_code, to_link};
use eframe::egui::{FontId, Id, TextEdit, Ui};
use std::path::Path;

const WORDS: SaveWords = SaveWords {
    id: "ignition file",
    hint: "path of a .svg .png .txt",
    button: "Save field",
    forms: ".svg, .png, or .txt",
};

/// What is typed, and what came of the last file or copy.
#[derive(Debug, Default)]
pub struct Files {
    text: String,
    line: SaveLine,
}

/// What is painted, as it is kept from one start to the next.
#[must_use]
pub fn kept(painted: &Painted) -> Option<String> {
    to_code(&painted.field, painted.ignition.as_ref()).ok()
}

impl Files {
    /// Draws it; gives the text that is to be taken as a field.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &mut Scene<'_>,
        painted: &Painted,
        asked: &mut IgnitionSettings,
    ) -> Option<String> {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Copy rows").on_hover_text("The field as lines of letters").clicked() {
                scene.copy(painted.field.to_text(), "the field");
            }
            let meaning =
                "Field and needle in one line, which this panel and the command `ignite` read (Ctrl+C in the field)";
            if ui.button("Copy link").on_hover_text(meaning).clicked() {
                self.copy_link(scene, painted);
            }
        });
        let taken = self.typed(ui);
        ui.horizontal_wrapped(|ui| {
            let rules = asked.rules();
            self.line.show(ui, WORDS, &mut asked.file, |path| written(path, painted, rules));
        });
        self.line.told(ui, scene.look.tokens);
        taken
    }

    /// Copies field and ignition in one line.
    pub fn copy_link(&mut self, scene: &mut Scene<'_>, painted: &Painted) {
        match to_link(&painted.field, painted.ignition.as_ref()) {
            Ok(link) => scene.copy(link, "the ignition"),
            Err(why) => self.line.fail(why.to_string()),
        }
    }

    /// The field that is typed or pasted.
    fn typed(&mut self, ui: &mut Ui) -> Option<String> {
        let label = ui.label("Rows, code or link");
        let field = TextEdit::multiline(&mut self.text)
            .id(Id::unique("ignition text"))
            .font(FontId::monospace(12.0))
            .hint_text("lines of R G B Y and dots, the top one first; or what Copy link gives")
            .desired_width(f32::INFINITY)
            .desired_rows(4);
        ui.add(field).labelled_by(label.id);
        let open = ui
            .button("Open text")
            .on_hover_text("Puts it into the field; so does pasting into the field (Ctrl+V)");
        open.clicked().then(|| self.text.clone())
    }
}

/// What is painted in the form that a file's name ends in.
fn written(path: &Path, painted: &Painted, rules: Rules) -> Result<Vec<u8>, String> {
    let Painted { field, ignition } = painted;
    let picture = || match ignition {
        Some(ignition) => Picture::of(field, ignition, rules).map_err(|why| super::words::trouble(&why)),
        None => Ok(Picture::of_field(field)),
    };
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("svg") => Ok(svg(&picture()?).into_bytes()),
        Some("png") => png(&picture()?).map_err(|why| why.to_string()),
        Some("txt") => Ok(field.to_text().into_bytes()),
        _ => Err(format!("type the path of a file; its name must end in {}", WORDS.forms)),
    }
}
