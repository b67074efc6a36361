//! The field in other forms: text, code and link, and pictures written to a path that is typed.

use super::asked::IgnitionSettings;
use super::state::Painted;
use crate::gui::scene::Scene;
use crate::gui::widgets::typed_path;
use crate::pochi::export::{Picture, png, svg};
use crate::pochi::{Rules, to_code, to_link};
use crate::profile::write_whole;
use eframe::egui::{FontId, Id, Key, TextEdit, Ui};
use std::path::{Path, PathBuf};

/// What may stand at the end of a file's name.
const FORMS: &str = ".svg, .png, or .txt";

/// What is typed, what came of the last file, and one that is there already.
#[derive(Debug, Default)]
pub struct Files {
    text: String,
    told: Option<Result<String, String>>,
    /// It is replaced when that is asked for again.
    replace: Option<PathBuf>,
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
            let label = ui.label("File");
            let field = TextEdit::singleline(&mut asked.file)
                .id(Id::unique("ignition file"))
                .hint_text("path of a .svg .png .txt")
                .desired_width(180.0);
            let field = ui.add(field).labelled_by(label.id);
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let save = ui.button("Save field").on_hover_text(format!("By the end of its name: {FORMS}"));
            if save.clicked() || entered {
                self.told = Some(self.save(&typed_path(&asked.file), painted, asked.rules()));
            }
        });
        match &self.told {
            Some(Ok(told)) => drop(ui.label(told)),
            Some(Err(why)) => drop(ui.colored_label(scene.look.tokens.bad, why)),
            None => {}
        }
        taken
    }

    /// Copies field and ignition in one line.
    pub fn copy_link(&mut self, scene: &mut Scene<'_>, painted: &Painted) {
        match to_link(&painted.field, painted.ignition.as_ref()) {
            Ok(link) => scene.copy(link, "the ignition"),
            Err(why) => self.told = Some(Err(why.to_string())),
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

    fn save(&mut self, path: &Path, painted: &Painted, rules: Rules) -> Result<String, String> {
        let bytes = written(path, painted, rules)?;
        if path.exists() && self.replace.as_deref() != Some(path) {
            self.replace = Some(path.to_owned());
            return Err("there is such a file already; save once more to replace it".into());
        }
        write_whole(path, &bytes).map_err(|error| format!("{} was not written: {error}", path.display()))?;
        self.replace = None;
        Ok(format!("{} bytes written to {}", bytes.len(), path.display()))
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
        _ => Err(format!("type the path of a file; its name must end in {FORMS}")),
    }
}
