//! Lists from files and into files, by a path that is typed or a file that is dropped.

use crate::console::{Domain, Endian};
use crate::file::read_regular;
use crate::gui::saving::Replacing;
use crate::gui::scene::Scene;
use crate::gui::widgets::typed_path;
use crate::live::{Target, View};
use crate::research::watch::{Entry, LeftOut, ListContext, ListKind, OpenedList, read_list, write_list};
use crate::research::{Address, MemorySource};
use eframe::egui::{Id, Key, TextEdit, Ui};
use std::path::{Path, PathBuf};

/// A file longer than this is no list that a person keeps.
const BYTES_MOST: u64 = 16 << 20;
/// Lines of what was left out, or is wrong, that are told.
const TOLD_MOST: usize = 12;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// It is done; with what else is to be said.
    Done(String, Vec<String>),
    /// It was not.
    Wrong(String, Vec<String>),
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAct {
    Open,
    Save,
}

/// The row with the file's path, and what was opened last.
#[derive(Debug, Default)]
pub struct Files {
    opened: Option<(PathBuf, OpenedList)>,
    replacing: Replacing,
    focus: bool,
}

impl Files {
    /// Puts the cursor into the path.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Draws the row.
    pub fn show(&mut self, ui: &mut Ui, path: &mut String) -> Option<FileAct> {
        let mut act = None;
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("File of the list");
            let field = TextEdit::singleline(path)
                .id(Id::unique("watch file"))
                .hint_text("path of a .wch, .CT or .csv, or drop one here")
                .desired_width(270.0);
            let field = ui.add(field).labelled_by(label.id);
            if std::mem::take(&mut self.focus) {
                field.request_focus();
            }
            if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
                act = Some(FileAct::Open);
            }
            let open = ui
                .button("Open")
                .on_hover_text("Reads the list in place of the present one; that can be undone");
            if open.clicked() {
                act = Some(FileAct::Open);
            }
            let save =
                ui.button("Save").on_hover_text("Writes BizHawk's .wch or a .csv, by the end of the name");
            if save.clicked() {
                act = Some(FileAct::Save);
            }
        });
        act
    }

    /// The lines of a file, and what is to be told.
    pub fn open(&mut self, path: &str, view: &View) -> (Option<Vec<Entry>>, Told) {
        let path = typed_path(path);
        match read(&path, view) {
            Ok(opened) => {
                let entries = opened.entries.clone();
                let count = entries.iter().filter(|entry| matches!(entry, Entry::Watch(_))).count();
                let what = format!("{} read from {}", watches(count), path.display());
                let told = Told::Done(what, left_out(&opened.left_out));
                self.opened = Some((path, opened));
                (Some(entries), told)
            }
            Err(wrong) => (None, Told::Wrong(format!("{} was not read", named(&path)), few(wrong))),
        }
    }

    /// Writes the lines.
    pub fn save(&mut self, path: &str, entries: &[Entry], view: &View) -> Told {
        let path = typed_path(path);
        match self.write(&path, entries, view) {
            Ok(told) => told,
            Err(wrong) => Told::Wrong(format!("{} was not written", named(&path)), vec![wrong]),
        }
    }

    fn write(&mut self, path: &Path, entries: &[Entry], view: &View) -> Result<Told, String> {
        let kind = kind(path)?;
        let opened = self.opened.as_ref().filter(|(opened, _)| opened == path).map(|(_, list)| list);
        let (bytes, lost) = write_list(kind, entries, domain(view), opened)?;
        self.replacing.write(path, &bytes, opened.is_some())?;
        // What is in the file now is what it is written back onto the next time.
        if let Ok(list) = read(path, view) {
            self.opened = Some((path.to_owned(), list));
        }
        let count = entries.iter().filter(|entry| matches!(entry, Entry::Watch(_))).count() - lost.len();
        Ok(Told::Done(format!("{} written to {}", watches(count), path.display()), left_out(&lost)))
    }
}

fn named(path: &Path) -> String {
    if path.as_os_str().is_empty() { "The list".into() } else { path.display().to_string() }
}

fn watches(count: usize) -> String {
    if count == 1 { "1 watch".into() } else { format!("{count} watches") }
}

fn left_out(all: &[LeftOut]) -> Vec<String> {
    few(all.iter().map(|left| format!("left out: {}: {}", left.what, left.why)).collect())
}

fn few(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > TOLD_MOST {
        let more = lines.len() - TOLD_MOST;
        lines.truncate(TOLD_MOST);
        lines.push(format!("and {more} more"));
    }
    lines
}

fn kind(path: &Path) -> Result<ListKind, String> {
    if path.as_os_str().is_empty() {
        return Err("type the path of a file".to_owned());
    }
    ListKind::of(path).ok_or_else(|| "its name must end in .wch, .CT or .csv".to_owned())
}

fn domain(view: &View) -> Option<&'static Domain> {
    view.target.as_ref().map(|target| target.profile.console.domain())
}

fn read(path: &Path, view: &View) -> Result<OpenedList, Vec<String>> {
    let kind = kind(path).map_err(|wrong| vec![wrong])?;
    let bytes = read_regular(path, BYTES_MOST).map_err(|error| vec![error.to_string()])?;
    // The process of a recording has ended, and its number may be another's by now.
    let target = view.target.clone().filter(|_| view.replay.is_none());
    let module = |name: &str| module(target.as_deref()?, name);
    let domain = domain(view);
    let order = domain.map_or(Endian::Little, |domain| domain.endian);
    read_list(kind, &bytes, ListContext { domain, order, module: &module })
}

/// Where a module of the emulator begins.
fn module(target: &Target, name: &str) -> Option<Address> {
    let modules = MemorySource::process(target.pid).ok()?.modules().ok()?;
    modules.iter().find(|module| module.name.eq_ignore_ascii_case(name)).map(|module| module.start)
}

/// Draws what came of it.
pub fn tell(ui: &mut Ui, scene: &Scene<'_>, told: &Told) {
    let (color, first, more) = match told {
        Told::Done(first, more) => (scene.look.tokens.text, first, more),
        Told::Wrong(first, more) => (scene.look.tokens.bad, first, more),
    };
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.colored_label(color, first);
        for line in more {
            let color = if matches!(told, Told::Wrong(..)) { color } else { scene.look.tokens.caution };
            ui.colored_label(color, line);
        }
    });
}
