//! Files that people have written to a path: a line to type it, and what came of it.

use super::theme::Tokens;
use super::widgets::typed_path;
use crate::file::{Overwrite, WriteError, write};
use eframe::egui::{Id, Key, TextEdit, Ui};
use std::path::{Path, PathBuf};

/// A file that exists: it is overwritten when that is asked for again.
#[derive(Debug, Default)]
pub struct Replacing(Option<PathBuf>);

impl Replacing {
    /// Writes a file. One that exists is replaced the second time, and `own` always.
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
            Err(error) => Err(format!("{} was not written: {error}", path.display())),
        }
    }
}

/// A line with a path and a button, and below it what came of the last file, or of whatever else is told there.
#[derive(Debug, Default)]
pub struct SaveLine {
    told: Option<Result<String, String>>,
    replacing: Replacing,
}

/// What stands in such a line.
#[derive(Clone, Copy, Debug)]
pub struct SaveWords {
    /// The field's id.
    pub id: &'static str,
    /// What is shown while nothing is typed.
    pub hint: &'static str,
    /// The button.
    pub button: &'static str,
    /// The ends that the file's name may have.
    pub forms: &'static str,
}

impl SaveLine {
    /// Draws the field and the button, and writes what `bytes` makes for the path.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        words: SaveWords,
        path: &mut String,
        bytes: impl FnOnce(&Path) -> Result<Vec<u8>, String>,
    ) {
        let label = ui.label("File");
        let field =
            TextEdit::singleline(path).id(Id::unique(words.id)).hint_text(words.hint).desired_width(170.0);
        let field = ui.add(field).labelled_by(label.id);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let save = ui.button(words.button).on_hover_text(format!("By the end of its name: {}", words.forms));
        if save.clicked() || entered {
            self.told = Some(self.save(&typed_path(path), bytes));
        }
    }

    /// Draws what came of the last one.
    pub fn told(&self, ui: &mut Ui, tokens: &Tokens) {
        match &self.told {
            Some(Ok(told)) => _ = ui.label(told),
            Some(Err(why)) => _ = ui.colored_label(tokens.bad, why),
            None => {}
        }
    }

    /// Tells what went wrong with something else.
    pub fn fail(&mut self, why: String) {
        self.told = Some(Err(why));
    }

    fn save(
        &mut self,
        path: &Path,
        bytes: impl FnOnce(&Path) -> Result<Vec<u8>, String>,
    ) -> Result<String, String> {
        let bytes = bytes(path)?;
        self.replacing.write(path, &bytes, false)?;
        Ok(format!("{} bytes written to {}", bytes.len(), path.display()))
    }
}
