//! A field to save a file to a typed or chosen path, with the result below it.

use super::file_dialog::{FileDialogs, FileKind, SaveTarget, typed_path};
use super::theme::Tokens;
use super::widgets::focus_and_select_all;
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

/// A path field and its buttons. A saved file is reported by a message that leaves by itself, an error below the field.
#[derive(Debug, Default)]
pub struct SaveField {
    /// Why the last save failed.
    error: Option<String>,
    replacing: OverwriteGuard,
    focus: bool,
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
        if std::mem::take(&mut self.focus) {
            focus_and_select_all(&field, path);
        }
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let save =
            ui.button(text.button).on_hover_text(format!("Format is chosen by extension: {}", text.formats));
        let target = match files.browse_save(ui, (id, "Browse…"), text.kind, path) {
            Some(Ok(target)) => {
                *path = target.path.display().to_string();
                Some(target)
            }
            Some(Err(why)) => {
                self.error = Some(why);
                None
            }
            None => {
                (save.clicked() || entered).then(|| SaveTarget { path: typed_path(path), confirmed: false })
            }
        };
        if let Some(recent) = files.recent_button(ui, text.kind) {
            *path = recent.display().to_string();
        }
        let Some(target) = target else { return };
        if path.trim().is_empty() {
            self.error = Some("Enter a file name, or press Browse…".into());
            return;
        }
        let target = SaveTarget { path: files.absolute(text.kind, &target.path), ..target };
        match self.save(&target, bytes) {
            Ok(message) => {
                self.error = None;
                *path = target.path.display().to_string();
                files.saved(text.kind, &target.path, message);
            }
            Err(why) => self.error = Some(why),
        }
    }

    /// Focuses the field in the next frame.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Draws why the last save failed.
    pub fn result(&self, ui: &mut Ui, tokens: &Tokens) {
        if let Some(why) = &self.error {
            ui.colored_label(tokens.bad, why);
        }
    }

    /// Drops the result of the last save: it is about something that is no longer shown.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Reports an error of something else.
    pub fn fail(&mut self, why: String) {
        self.error = Some(why);
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
