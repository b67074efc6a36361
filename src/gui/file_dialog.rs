//! File dialogs of the desktop, and recent files. A dialog blocks a thread of its own, never a frame; its answer goes to the
//! field that asked.

mod kind;
mod native;
mod recent;

pub use kind::FileKind;
pub use native::show_native;
pub use recent::RecentFiles;

use crate::task::{Task, TaskError};
use eframe::egui::{self, Button, Id, Role, Ui, WidgetInfo};
use recent::MissingFiles;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a dialog asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialogMode {
    /// An existing file.
    Open,
    /// Existing files.
    OpenSeveral,
    /// A file to write. The dialog confirms that an existing one is replaced.
    Save,
}

/// The request of a field for a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogRequest {
    /// What is chosen.
    pub kind: FileKind,
    /// To open or to save.
    pub mode: DialogMode,
    /// The folder in which the dialog starts.
    pub folder: Option<PathBuf>,
    /// The suggested name of a file to save.
    pub name: Option<String>,
}

impl DialogRequest {
    /// `typed` is the text of the field.
    fn new(kind: FileKind, mode: DialogMode, typed: &str, recent: &RecentFiles) -> Self {
        let typed = typed_path(typed);
        let folder = typed.parent().filter(|folder| folder.is_absolute());
        let name = typed.file_name().map(|name| name.to_string_lossy().into_owned());
        Self {
            kind,
            mode,
            folder: folder.or_else(|| recent.folder(kind)).map(Path::to_owned),
            name: (mode == DialogMode::Save)
                .then(|| name.unwrap_or_else(|| kind.default_name().to_owned()))
                .filter(|name| !name.is_empty()),
        }
    }
}

/// Shows a dialog and returns when it closes: the chosen files (none if the user cancelled), or why there is no dialog.
pub type ShowDialog = Arc<dyn Fn(&DialogRequest) -> Result<Vec<PathBuf>, String> + Send + Sync>;

/// A file chosen to save to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveTarget {
    pub path: PathBuf,
    /// Whether the dialog asked before it returned an existing file.
    pub confirmed: bool,
}

/// An open dialog.
struct OpenDialog {
    field: Id,
    kind: FileKind,
    answer: Task<Result<Vec<PathBuf>, String>>,
}

/// The dialog that is open, and the recent files.
pub struct FileDialogs {
    show: ShowDialog,
    open: Option<OpenDialog>,
    recent: RecentFiles,
    missing: MissingFiles,
    saved: Vec<SavedFile>,
}

/// A file that was saved, and the message about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFile {
    pub path: PathBuf,
    pub message: String,
}

impl FileDialogs {
    pub fn new(recent: RecentFiles) -> Self {
        let show = |_: &_| Err("No file dialog in this window. Enter the path".to_owned());
        Self { show: Arc::new(show), open: None, recent, missing: MissingFiles::default(), saved: Vec::new() }
    }

    /// Sets what shows a dialog.
    pub fn set_dialog(&mut self, show: ShowDialog) {
        self.show = show;
    }

    pub fn recent(&self) -> &RecentFiles {
        &self.recent
    }

    /// Records that a file was opened or saved.
    pub fn used(&mut self, kind: FileKind, path: &Path) {
        self.recent.used(kind, path);
    }

    /// Records that a file was saved. The window shows the message for a while, with a button that shows the folder.
    pub fn saved(&mut self, kind: FileKind, path: &Path, message: String) {
        self.used(kind, path);
        self.saved.push(SavedFile { path: path.to_owned(), message });
    }

    /// The files saved since the last call.
    pub fn take_saved(&mut self) -> Vec<SavedFile> {
        std::mem::take(&mut self.saved)
    }

    pub fn has_saved(&self) -> bool {
        !self.saved.is_empty()
    }

    /// The path of a file to save: a name without a folder belongs to the folder that was used last for its kind, or to the user's
    /// documents.
    pub fn absolute(&self, kind: FileKind, path: &Path) -> PathBuf {
        let last = self.recent.folder(kind).map(Path::to_owned);
        match last.or_else(documents) {
            Some(folder) if path.is_relative() => folder.join(path),
            _ => path.to_owned(),
        }
    }

    /// Ignores the answer that this field waits for: it was closed.
    pub fn abandon(&mut self, field: Id) {
        self.open.take_if(|open| open.field == field);
    }

    /// A button to choose a file, and the chosen one. An error says why there is no dialog.
    pub fn browse(
        &mut self,
        ui: &mut Ui,
        field: Id,
        kind: FileKind,
        typed: &str,
    ) -> Option<Result<PathBuf, String>> {
        let chosen = self.button(ui, (field, "Browse…"), kind, DialogMode::Open, typed)?;
        chosen.map(|paths| paths.into_iter().next()).transpose()
    }

    /// A button to choose several files.
    pub fn browse_several(
        &mut self,
        ui: &mut Ui,
        field: Id,
        kind: FileKind,
        typed: &str,
    ) -> Option<Result<Vec<PathBuf>, String>> {
        self.button(ui, (field, "Browse…"), kind, DialogMode::OpenSeveral, typed)
    }

    /// A button to choose where to save.
    pub fn browse_save(
        &mut self,
        ui: &mut Ui,
        (field, text): (Id, &str),
        kind: FileKind,
        typed: &str,
    ) -> Option<Result<SaveTarget, String>> {
        let chosen = self.button(ui, (field, text), kind, DialogMode::Save, typed)?;
        let target = |path: PathBuf| match Path::new(kind.default_name()).extension() {
            // The dialog did not ask about the file with the extension.
            Some(extension) if path.extension().is_none() => {
                SaveTarget { path: path.with_extension(extension), confirmed: false }
            }
            _ => SaveTarget { path, confirmed: true },
        };
        chosen.map(|paths| paths.into_iter().next().map(target)).transpose()
    }

    fn button(
        &mut self,
        ui: &mut Ui,
        (field, text): (Id, &str),
        kind: FileKind,
        mode: DialogMode,
        typed: &str,
    ) -> Option<Result<Vec<PathBuf>, String>> {
        let enabled = self.open.is_none();
        let response = ui.add_enabled(enabled, Button::new(text));
        let label = format!("{text} ({})", kind.name());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, &label));
        let response =
            response.on_hover_text("Choose in a file dialog").on_disabled_hover_text("A file dialog is open");
        if response.clicked() {
            self.start(ui.ctx(), field, kind, mode, typed);
        }
        self.answer(field)
    }

    fn start(&mut self, ctx: &egui::Context, field: Id, kind: FileKind, mode: DialogMode, typed: &str) {
        let request = DialogRequest::new(kind, mode, typed, &self.recent);
        let (show, ctx) = (Arc::clone(&self.show), ctx.clone());
        let answer = Task::start("file dialog", move || ctx.request_repaint(), move |_| show(&request));
        self.open = Some(OpenDialog { field, kind, answer });
    }

    /// The answer for this field, if there is one and the user did not cancel.
    fn answer(&mut self, field: Id) -> Option<Result<Vec<PathBuf>, String>> {
        let open = self.open.as_ref().filter(|open| open.field == field)?;
        let answer = match open.answer.poll()? {
            Ok(answer) => answer,
            Err(TaskError::NotStarted(error)) => Err(format!("Could not open a file dialog: {error}")),
            Err(TaskError::Panicked(_)) => Err("The file dialog crashed. Enter the path".to_owned()),
        };
        if let (Ok(paths), kind) = (&answer, open.kind)
            && let Some(path) = paths.first()
        {
            self.recent.set_folder(kind, path);
        }
        self.open = None;
        match answer {
            Ok(paths) if paths.is_empty() => None,
            answer => Some(answer),
        }
    }
}

/// The user's documents, or their home.
fn documents() -> Option<PathBuf> {
    let user = directories::UserDirs::new()?;
    let documents = user.document_dir().filter(|folder| folder.is_dir());
    Some(documents.unwrap_or_else(|| user.home_dir()).to_owned())
}

/// A typed path without surrounding quotes, and with `~` replaced by the home directory.
pub fn typed_path(path: &str) -> PathBuf {
    let path = path.trim().trim_matches(['"', '\'']);
    let home = directories::BaseDirs::new();
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.home_dir().join(rest),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(mode: DialogMode, typed: &str, recent: &RecentFiles) -> (Option<PathBuf>, Option<String>) {
        let request = DialogRequest::new(FileKind::Report, mode, typed, recent);
        (request.folder, request.name)
    }

    #[test]
    fn a_dialog_starts_where_the_field_points_or_in_the_last_folder() {
        let root = std::env::temp_dir();
        let mut recent = RecentFiles::default();
        assert_eq!(request(DialogMode::Open, "", &recent), (None, None));
        assert_eq!(request(DialogMode::Save, "", &recent), (None, Some("report.html".into())));
        recent.used(FileKind::Report, &root.join("last").join("a.html"));
        assert_eq!(request(DialogMode::Open, "b.html", &recent), (Some(root.join("last")), None));
        assert_eq!(
            request(DialogMode::Save, "b.md", &recent),
            (Some(root.join("last")), Some("b.md".into()))
        );
        let typed = root.join("typed").join("b.md").display().to_string();
        assert_eq!(
            request(DialogMode::Save, &typed, &recent),
            (Some(root.join("typed")), Some("b.md".into()))
        );
    }
}
