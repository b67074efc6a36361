//! Recent files of every kind, saved with the settings, and their menus.

use super::{FileDialogs, FileKind};
use crate::task::Task;
use eframe::egui::{self, Button, Role, Ui, WidgetInfo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum number of files per kind.
const MAX_FILES: usize = 10;
/// Width of the menu, in points.
const WIDTH: f32 = 420.0;

/// The files that were opened or saved last, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecentFiles(BTreeMap<FileKind, RecentOfKind>);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct RecentOfKind {
    /// Newest first.
    files: Vec<PathBuf>,
    /// The folder in which the next dialog starts.
    folder: Option<PathBuf>,
}

impl RecentFiles {
    /// The files of a kind, newest first.
    pub fn files(&self, kind: FileKind) -> &[PathBuf] {
        self.0.get(&kind).map_or(&[], |recent| &recent.files)
    }

    /// Puts a file first.
    pub fn used(&mut self, kind: FileKind, path: &Path) {
        // Settings are text: one path that is not would lose them all.
        let Some(path) = std::path::absolute(path).ok().filter(|path| path.to_str().is_some()) else {
            return;
        };
        self.set_folder(kind, &path);
        let files = &mut self.0.entry(kind).or_default().files;
        files.retain(|file| *file != path);
        files.insert(0, path);
        files.truncate(MAX_FILES);
    }

    /// The folder last used.
    pub(super) fn folder(&self, kind: FileKind) -> Option<&Path> {
        self.0.get(&kind)?.folder.as_deref()
    }

    /// Remembers the folder of this file.
    pub(super) fn set_folder(&mut self, kind: FileKind, file: &Path) {
        if let Some(folder) = file.parent().filter(|folder| folder.to_str().is_some()) {
            self.0.entry(kind).or_default().folder = Some(folder.to_owned());
        }
    }

    fn remove(&mut self, kind: FileKind, path: &Path) {
        if let Some(recent) = self.0.get_mut(&kind) {
            recent.files.retain(|file| file != path);
        }
    }

    fn clear(&mut self, kind: FileKind) {
        if let Some(recent) = self.0.get_mut(&kind) {
            recent.files.clear();
        }
    }

    /// Drops what a hand-edited file may contain: relative and repeated paths, and too many of them.
    #[must_use]
    pub(in crate::gui) fn repaired(self) -> Self {
        let mut repaired = Self::default();
        for (kind, recent) in self.0 {
            for file in recent.files.iter().rev().filter(|file| file.is_absolute()) {
                repaired.used(kind, file);
            }
            if recent.folder.is_some() {
                repaired.0.entry(kind).or_default().folder = recent.folder;
            }
        }
        repaired
    }
}

/// The reason why each missing file cannot be opened, determined on a thread when a menu opens: a disk may be slow.
#[derive(Default)]
pub struct MissingFiles {
    found: BTreeMap<PathBuf, String>,
    check: Option<Task<BTreeMap<PathBuf, String>>>,
    /// The last frame in which a menu was drawn.
    drawn: Option<u64>,
}

impl MissingFiles {
    /// Call this in every frame in which a menu is open.
    fn update(&mut self, ctx: &egui::Context, recent: &RecentFiles) {
        let frame = ctx.cumulative_frame_nr();
        let opened = self.drawn.replace(frame).is_none_or(|drawn| drawn + 1 < frame);
        if opened {
            let files: Vec<PathBuf> = recent.0.values().flat_map(|recent| recent.files.clone()).collect();
            let ctx = ctx.clone();
            self.check = Some(Task::start(
                "recent files",
                move || ctx.request_repaint(),
                move |_| {
                    let missing = files.into_iter().filter_map(|file| Some((missing(&file)?, file)));
                    missing.map(|(why, file)| (file, why)).collect()
                },
            ));
        }
        if let Some(found) = self.check.as_ref().and_then(Task::poll) {
            // Without an answer, opening a missing file reports the error.
            (self.found, self.check) = (found.unwrap_or_default(), None);
        }
    }
}

/// Why a file cannot be opened.
fn missing(path: &Path) -> Option<String> {
    match std::fs::metadata(path) {
        Ok(about) if about.is_dir() => Some("is a folder".into()),
        Ok(_) => None,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some("not found".into()),
        Err(error) => Some(error.kind().to_string()),
    }
}

impl FileDialogs {
    /// A button with the recent files of a kind; returns the chosen one.
    pub fn recent_button(&mut self, ui: &mut Ui, kind: FileKind) -> Option<PathBuf> {
        let menu = ui.menu_button("Recent", |ui| self.recent_list(ui, &[kind]));
        let label = format!("Recent ({})", kind.plural().to_lowercase());
        menu.response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
        menu.inner.flatten().map(|(_, path)| path)
    }

    /// The recent files of these kinds as menu items.
    pub fn recent_list(&mut self, ui: &mut Ui, kinds: &[FileKind]) -> Option<(FileKind, PathBuf)> {
        self.missing.update(ui.ctx(), &self.recent);
        if kinds.iter().all(|kind| self.recent.files(*kind).is_empty()) {
            ui.weak("No recent files");
            return None;
        }
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 40.0));
        let mut chosen = None;
        for &kind in kinds {
            let files = self.recent.files(kind).to_vec();
            if kinds.len() > 1 && !files.is_empty() {
                ui.weak(kind.plural());
            }
            for path in files {
                match self.missing.found.get(&path) {
                    Some(why) => {
                        if missing_item(ui, &path, why) {
                            self.recent.remove(kind, &path);
                        }
                    }
                    None => {
                        if item(ui, &path) {
                            chosen = Some((kind, path));
                        }
                    }
                }
            }
        }
        ui.separator();
        if ui.button("Clear").on_hover_text("Remove all files from this list").clicked() {
            kinds.iter().for_each(|kind| self.recent.clear(*kind));
            ui.close();
        }
        if chosen.is_some() {
            ui.close();
        }
        chosen
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A file that can be chosen: its name and its folder.
fn item(ui: &mut Ui, path: &Path) -> bool {
    let name = file_name(path);
    let folder = path.parent().map_or_else(String::new, |folder| folder.display().to_string());
    let folder = crate::gui::widgets::shortened_in_the_middle(ui, &folder, WIDTH * 0.5);
    let response = ui.add(Button::new(&name).shortcut_text(folder).truncate());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    response.on_hover_text(path.display().to_string()).clicked()
}

/// A missing file with a button that removes it.
fn missing_item(ui: &mut Ui, path: &Path, why: &str) -> bool {
    let name = file_name(path);
    ui.horizontal(|ui| {
        let text = format!("{name}: {why}");
        ui.add_enabled(false, Button::new(text).truncate())
            .on_disabled_hover_text(path.display().to_string());
        let remove = ui.small_button("Remove");
        let label = format!("Remove {name} from the list");
        remove.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
        remove.clicked()
    })
    .inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Settings;

    fn at(name: &str) -> PathBuf {
        std::env::temp_dir().join(name)
    }

    #[test]
    fn files_are_listed_newest_first_once_and_at_most_ten() {
        let mut recent = RecentFiles::default();
        for number in 0..14 {
            recent.used(FileKind::Dump, &at(&format!("{number}.bin")));
        }
        recent.used(FileKind::Dump, &at("9.bin"));
        let expected = [9, 13, 12, 11, 10, 8, 7, 6, 5, 4].map(|number| at(&format!("{number}.bin")));
        assert_eq!(recent.files(FileKind::Dump), expected);
        assert_eq!(recent.folder(FileKind::Dump), at("x").parent());
        assert!(recent.files(FileKind::Report).is_empty(), "each kind has its own list");
        recent.remove(FileKind::Dump, &at("13.bin"));
        assert_eq!(recent.files(FileKind::Dump).len(), 9);
        recent.clear(FileKind::Dump);
        assert!(recent.files(FileKind::Dump).is_empty() && recent.folder(FileKind::Dump).is_some());
    }

    #[test]
    fn recent_files_are_saved_with_the_settings() {
        let mut settings = Settings::default();
        settings.recent_files.used(FileKind::WatchList, &at("tsu.wch"));
        settings.recent_files.used(FileKind::Recording, &at("round.nsrec"));
        let text = settings.to_text().unwrap();
        let read = Settings::from_text(&text).unwrap().repaired();
        assert_eq!(read.recent_files, settings.recent_files);

        // A kind of another version does not discard the others.
        let text = text.replace("\"watch-list\":", "\"hologram\":");
        let read = Settings::from_text(&text).unwrap();
        assert_eq!(read.recent_files.files(FileKind::Recording), [at("round.nsrec")]);
        assert!(read.recent_files.files(FileKind::WatchList).is_empty());
    }

    #[test]
    fn edited_settings_are_repaired() {
        let mut recent = RecentFiles::default();
        let files = [at("a"), PathBuf::from("relative"), at("a"), at("b")].to_vec();
        recent.0.insert(FileKind::Game, RecentOfKind { files, folder: Some(at("games")) });
        let recent = recent.repaired();
        assert_eq!(recent.files(FileKind::Game), [at("a"), at("b")]);
        assert_eq!(recent.folder(FileKind::Game), Some(at("games").as_path()));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_text_is_not_saved() {
        use std::os::unix::ffi::OsStrExt;
        let mut settings = Settings::default();
        settings.recent_files.used(FileKind::Dump, Path::new(std::ffi::OsStr::from_bytes(b"/tmp/\xff.bin")));
        assert!(settings.recent_files.files(FileKind::Dump).is_empty());
        assert!(settings.to_text().is_ok());
    }
}
