//! A field to save a file to a typed or chosen path, with the result below it.

use super::file_dialog::{FileDialogs, FileKind, SaveTarget};
use super::theme::Tokens;
use super::widgets::typed_path;
use crate::file::{Overwrite, WriteError, write};
use eframe::egui::{Id, Key, TextEdit, Ui};
use std::path::{Path, PathBuf};

/// Asks for a second press before it overwrites a file.
#[derive(Debug, Default)]
pub struct OverwriteGuard(Option<PathBuf>);

impl OverwriteGuard {
    /// Writes a file. An existing one is overwritten at the second attempt, or at once if the user has `confirmed` it.
    ///
    /// # Errors
    /// A sentence.
    pub fn write(&mut self, path: &Path, bytes: &[u8], confirmed: bool) -> Result<(), String> {
        let again = confirmed || self.0.as_deref() == Some(path);
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

/// A path field and its buttons, with the result of the last save below.
#[derive(Debug, Default)]
pub struct SaveField {
    result: Option<Result<String, String>>,
    replacing: OverwriteGuard,
}

/// The texts of a save field.
#[derive(Clone, Copy, Debug)]
pub struct SaveText {
    pub id: &'static str,
    pub kind: FileKind,
    pub hint: &'static str,
    pub button: &'static str,
    /// The supported file name extensions.
    pub formats: &'static str,
}

impl SaveField {
    /// Draws the field and the buttons, and saves the bytes that `bytes` makes for the path. A path chosen in a dialog is saved to
    /// at once.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        files: &mut FileDialogs,
        text: SaveText,
        path: &mut String,
        bytes: impl FnOnce(&Path) -> Result<Vec<u8>, String>,
    ) {
        let label = ui.label("File");
        let id = Id::unique(text.id);
        let field = TextEdit::singleline(path).id(id).hint_text(text.hint).desired_width(170.0);
        let field = ui.add(field).labelled_by(label.id);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let save =
            ui.button(text.button).on_hover_text(format!("Format is chosen by extension: {}", text.formats));
        let target = match files.browse_save(ui, (id, "Browse…"), text.kind, path) {
            Some(Ok(target)) => {
                *path = target.path.display().to_string();
                Some(target)
            }
            Some(Err(why)) => {
                self.result = Some(Err(why));
                None
            }
            None => {
                (save.clicked() || entered).then(|| SaveTarget { path: typed_path(path), confirmed: false })
            }
        };
        if let Some(recent) = files.recent_button(ui, text.kind) {
            *path = recent.display().to_string();
        }
        if let Some(target) = target {
            self.result = Some(self.save(&target, bytes));
            if matches!(self.result, Some(Ok(_))) {
                files.used(text.kind, &target.path);
            }
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

    /// Drops the result of the last save: it is about something that is no longer shown.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Reports an error of something else.
    pub fn fail(&mut self, why: String) {
        self.result = Some(Err(why));
    }

    fn save(
        &mut self,
        SaveTarget { path, confirmed }: &SaveTarget,
        bytes: impl FnOnce(&Path) -> Result<Vec<u8>, String>,
    ) -> Result<String, String> {
        let bytes = bytes(path)?;
        self.replacing.write(path, &bytes, *confirmed)?;
        Ok(format!("Saved {} bytes to {}", bytes.len(), path.display()))
    }
}
