//! A field to save a file to a typed path, with the result below it.

use super::theme::Tokens;
use super::widgets::typed_path;
use crate::file::{Overwrite, WriteError, write};
use eframe::egui::{Id, Key, TextEdit, Ui};
use std::path::{Path, PathBuf};

/// Asks for a second press before it overwrites a file.
#[derive(Debug, Default)]
pub struct OverwriteGuard(Option<PathBuf>);

impl OverwriteGuard {
    /// Writes a file. An existing one is overwritten at the second attempt, or at once if it is our `own`.
    ///
    /// # Errors
    /// A sentence.
    pub fn write(&mut self, path: &Path, bytes: &[u8], own: bool) -> Result<(), String> {
        let again = own || self.0.as_deref() == Some(path);
        match write(path, bytes, if again { Overwrite::Replace } else { Overwrite::Refuse }) {
            Ok(()) => {
                self.0 = None;
                Ok(())
            }
            Err(WriteError::Exists) => {
                self.0 = Some(path.to_owned());
                Err("File exists. Save again to overwrite".into())
            }
            Err(error) => Err(format!("Could not write {}: {error}", path.display())),
        }
    }
}

/// A path field and a button, with the result of the last save below.
#[derive(Debug, Default)]
pub struct SaveField {
    result: Option<Result<String, String>>,
    replacing: OverwriteGuard,
}

/// The texts of a save field.
#[derive(Clone, Copy, Debug)]
pub struct SaveText {
    pub id: &'static str,
    pub hint: &'static str,
    pub button: &'static str,
    /// The supported file name extensions.
    pub formats: &'static str,
}

impl SaveField {
    /// Draws the field and the button, and saves the bytes that `bytes` makes for the path.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        text: SaveText,
        path: &mut String,
        bytes: impl FnOnce(&Path) -> Result<Vec<u8>, String>,
    ) {
        let label = ui.label("File");
        let field =
            TextEdit::singleline(path).id(Id::unique(text.id)).hint_text(text.hint).desired_width(170.0);
        let field = ui.add(field).labelled_by(label.id);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let save =
            ui.button(text.button).on_hover_text(format!("Format is chosen by extension: {}", text.formats));
        if save.clicked() || entered {
            self.result = Some(self.save(&typed_path(path), bytes));
        }
    }

    /// Draws the result of the last save.
    pub fn result(&self, ui: &mut Ui, tokens: &Tokens) {
        match &self.result {
            Some(Ok(result)) => _ = ui.label(result),
            Some(Err(why)) => _ = ui.colored_label(tokens.bad, why),
            None => {}
        }
    }

    /// Reports an error of something else.
    pub fn fail(&mut self, why: String) {
        self.result = Some(Err(why));
    }

    fn save(
        &mut self,
        path: &Path,
        bytes: impl FnOnce(&Path) -> Result<Vec<u8>, String>,
    ) -> Result<String, String> {
        let bytes = bytes(path)?;
        self.replacing.write(path, &bytes, false)?;
        Ok(format!("Saved {} bytes to {}", bytes.len(), path.display()))
    }
}
