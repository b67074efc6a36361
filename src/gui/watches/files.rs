//! Watch list files: opened and saved by a typed or chosen path, or dropped on the window.

use crate::console::{Domain, Endian};
use crate::file::read_regular;
use crate::gui::file_dialog::typed_path;
use crate::gui::file_dialog::{FileDialogs, FileKind};
use crate::gui::save_field::OverwriteGuard;
use crate::gui::ui_context::UiContext;
use crate::live::{Target, View};
use crate::research::watch::{Entry, LeftOut, ListContext, ListKind, OpenedList, read_list, write_list};
use crate::research::{Address, MemorySource};
use crate::text::counted;
use eframe::egui::{Id, Key, TextEdit, Ui};
use std::path::{Path, PathBuf};

/// Maximum size of a list file.
const MAX_BYTES: u64 = 16 << 20;
/// Maximum number of shown problems.
const MAX_PROBLEMS: usize = 12;

/// The result of opening or saving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileResult {
    /// Success, with notes.
    Done(String, Vec<String>),
    Failed(String, Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAction {
    Open,
    Save {
        /// Whether a dialog asked before it returned an existing file.
        confirmed: bool,
    },
    /// There is no file dialog, for this reason.
    NoDialog(String),
}

/// The row with the file path, and the last opened file.
#[derive(Debug, Default)]
pub struct Files {
    opened: Option<(PathBuf, OpenedList)>,
    replacing: OverwriteGuard,
    focus: bool,
}

impl Files {
    pub fn focus(&mut self) {
        self.focus = true;
    }

    pub fn show(&mut self, ui: &mut Ui, files: &mut FileDialogs, path: &mut String) -> Option<FileAction> {
        let mut act = None;
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("List file");
            let field = TextEdit::singleline(path)
                .id(Id::unique("watch file"))
                .hint_text("a .wch, .CT or .csv file, or drop one")
                .desired_width(270.0);
            let field = ui.add(field).labelled_by(label.id);
            if std::mem::take(&mut self.focus) {
                field.request_focus();
            }
            if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
                act = Some(FileAction::Open);
            }
            let open = ui.button("Open").on_hover_text("Replace the list with the file; can be undone");
            if open.clicked() {
                act = Some(FileAction::Open);
            }
            let save = ui.button("Save").on_hover_text("Save as BizHawk .wch or .csv, by extension");
            if save.clicked() {
                act = Some(FileAction::Save { confirmed: false });
            }
            match files.browse(ui, Id::unique("open watch file"), FileKind::WatchList, path) {
                Some(Ok(chosen)) => {
                    *path = chosen.display().to_string();
                    act = Some(FileAction::Open);
                }
                Some(Err(why)) => act = Some(FileAction::NoDialog(why)),
                None => {}
            }
            let button = (Id::unique("save watch file"), "Save as…");
            match files.browse_save(ui, button, FileKind::WatchList, path) {
                Some(Ok(target)) => {
                    *path = target.path.display().to_string();
                    act = Some(FileAction::Save { confirmed: target.confirmed });
                }
                Some(Err(why)) => act = Some(FileAction::NoDialog(why)),
                None => {}
            }
            if let Some(recent) = files.recent_button(ui, FileKind::WatchList) {
                *path = recent.display().to_string();
                act = Some(FileAction::Open);
            }
        });
        act
    }

    /// Opens a file; returns its entries and the result.
    pub fn open(&mut self, path: &str, view: &View) -> (Option<Vec<Entry>>, FileResult) {
        let path = typed_path(path);
        match read(&path, view) {
            Ok(opened) => {
                let entries = opened.entries.clone();
                let count = entries.iter().filter(|entry| matches!(entry, Entry::Watch(_))).count();
                let what = format!("Opened {} from {}", counted(count as u64, "watch"), path.display());
                let result = FileResult::Done(what, skipped_lines(&opened.left_out));
                self.opened = Some((path, opened));
                (Some(entries), result)
            }
            Err(problems) => {
                (None, FileResult::Failed(format!("Could not open {}", named(&path)), limited(problems)))
            }
        }
    }

    pub fn save(&mut self, path: &str, confirmed: bool, entries: &[Entry], view: &View) -> FileResult {
        let path = typed_path(path);
        match self.write(&path, confirmed, entries, view) {
            Ok(result) => result,
            Err(problems) => FileResult::Failed(format!("Could not save {}", named(&path)), vec![problems]),
        }
    }

    fn write(
        &mut self,
        path: &Path,
        confirmed: bool,
        entries: &[Entry],
        view: &View,
    ) -> Result<FileResult, String> {
        let kind = kind(path)?;
        let opened = self.opened.as_ref().filter(|(opened, _)| opened == path).map(|(_, list)| list);
        let (bytes, lost) = write_list(kind, entries, domain(view), opened)?;
        self.replacing.write(path, &bytes, confirmed || opened.is_some())?;
        // Saving again keeps what this version of the file contains.
        if let Ok(list) = read(path, view) {
            self.opened = Some((path.to_owned(), list));
        }
        let count = entries.iter().filter(|entry| matches!(entry, Entry::Watch(_))).count() - lost.len();
        Ok(FileResult::Done(
            format!("Saved {} to {}", counted(count as u64, "watch"), path.display()),
            skipped_lines(&lost),
        ))
    }
}

fn named(path: &Path) -> String {
    if path.as_os_str().is_empty() { "the list".into() } else { path.display().to_string() }
}

fn skipped_lines(all: &[LeftOut]) -> Vec<String> {
    limited(all.iter().map(|left| format!("skipped: {}: {}", left.what, left.why)).collect())
}

fn limited(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MAX_PROBLEMS {
        let more = lines.len() - MAX_PROBLEMS;
        lines.truncate(MAX_PROBLEMS);
        lines.push(format!("{more} more"));
    }
    lines
}

fn kind(path: &Path) -> Result<ListKind, String> {
    if path.as_os_str().is_empty() {
        return Err("enter a file path".to_owned());
    }
    ListKind::of(path).ok_or_else(|| "the file name must end in .wch, .CT or .csv".to_owned())
}

fn domain(view: &View) -> Option<&'static Domain> {
    view.target.as_ref().map(|target| target.profile.console.domain())
}

fn read(path: &Path, view: &View) -> Result<OpenedList, Vec<String>> {
    let kind = kind(path).map_err(|problems| vec![problems])?;
    let bytes = read_regular(path, MAX_BYTES).map_err(|error| vec![error.to_string()])?;
    // The process of a recording has ended; its PID may be reused.
    let target = view.target.clone().filter(|_| view.replay.is_none());
    let module = |name: &str| module(target.as_deref()?, name);
    let domain = domain(view);
    let order = domain.map_or(Endian::Little, |domain| domain.endian);
    read_list(kind, &bytes, ListContext { domain, order, module: &module })
}

/// The base address of an emulator module.
fn module(target: &Target, name: &str) -> Option<Address> {
    let modules = MemorySource::process(target.pid).ok()?.modules().ok()?;
    modules.iter().find(|module| module.name.eq_ignore_ascii_case(name)).map(|module| module.start)
}

/// Draws a result.
pub fn show_result(ui: &mut Ui, cx: &UiContext<'_>, result: &FileResult) {
    let (color, first, more) = match result {
        FileResult::Done(first, more) => (cx.look.tokens.text, first, more),
        FileResult::Failed(first, more) => (cx.look.tokens.bad, first, more),
    };
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.colored_label(color, first);
        for line in more {
            let color = if matches!(result, FileResult::Failed(..)) { color } else { cx.look.tokens.caution };
            ui.colored_label(color, line);
        }
    });
}
