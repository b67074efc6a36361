//! Files that are dropped on the window, opened from a menu, or shown in other programs.

use super::App;
use crate::file::{Overwrite, TEXT_LIMIT, read_text, write};
use crate::gui::dropped::Dropped;
use crate::gui::file_dialog::{FileKind, SavedFile};
use crate::gui::layout::Pane;
use crate::gui::outside::Outside;
use crate::gui::start::game_id;
use crate::live::View;
use crate::profile::{Addition, AdditionError, check_file};
use eframe::egui::{self, Frame};
use std::path::{Path, PathBuf};
use tracing::Level;

/// Writes an addition to a profile; the message about it.
pub(super) fn write_addition(addition: Result<Addition, AdditionError>) -> Result<String, String> {
    let written = addition.and_then(|addition| addition.write().map(|()| addition.path));
    written.map(|path| format!("Saved to {}", path.display())).map_err(|error| error.to_string())
}

impl App {
    /// Opens files dropped on the window.
    pub(super) fn take_dropped(&mut self, ctx: &egui::Context, view: &View) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        for file in &dropped {
            let path = file.path();
            match Dropped::of(path) {
                Dropped::Open(kind) => self.open_file(ctx, view, kind, path.to_owned()),
                Dropped::Profile => self.add_profile(path),
                cannot @ (Dropped::Written(_) | Dropped::Folder) => {
                    let why = format!("{}: {}", path.display(), cannot.hint());
                    self.log.push(Level::WARN, why);
                }
            }
        }
    }

    /// Copies a profile into the user's folder, which is watched.
    fn add_profile(&mut self, path: &Path) {
        let message = match self.copy_profile(path) {
            Ok(saved) => return self.toasts.saved(saved, 0.0),
            Err(why) => format!("Could not add the profile {}: {why}", path.display()),
        };
        self.log.push(Level::WARN, message);
    }

    fn copy_profile(&self, path: &Path) -> Result<SavedFile, String> {
        let folder = self.profile_folder.as_deref().ok_or("this window has no folder for profiles")?;
        let (profile, diagnostics) = check_file(path);
        let profile = profile.ok_or_else(|| diagnostics.render(false))?;
        let name = path.file_name().ok_or("it has no name")?;
        let text = read_text(path, TEXT_LIMIT).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let copy = folder.join(name);
        write(&copy, text.as_bytes(), Overwrite::Refuse)
            .map_err(|error| format!("{}: {error}", copy.display()))?;
        let message = format!("Added the profile {} to {}", profile.name, copy.display());
        tracing::info!("{message}");
        Ok(SavedFile { path: copy, message })
    }

    /// Opens something in another program, which may take a while.
    pub(super) fn open_outside(&self, ctx: &egui::Context, what: Outside) {
        let Some(open) = self.outside.clone() else {
            let path = what.path().display();
            self.log.push(Level::WARN, format!("This window opens no other programs: {path}"));
            return;
        };
        let (log, ctx) = (self.log.clone(), ctx.clone());
        let work = move || {
            if let Err(why) = open(&what) {
                log.push(Level::WARN, why);
                ctx.request_repaint();
            }
        };
        if let Err(error) = std::thread::Builder::new().name("outside".into()).spawn(work) {
            self.log.push(Level::WARN, format!("Could not start a thread: {error}"));
        }
    }

    /// Opens a file in the panel of its kind.
    pub(super) fn open_file(&mut self, ctx: &egui::Context, view: &View, kind: FileKind, path: PathBuf) {
        match kind {
            FileKind::Recording => self.recordings.open(ctx, path),
            FileKind::WatchList => {
                self.panels.watches.open(&path, &mut self.files, view, &mut self.settings.watches);
                self.settings.layouts.show(Pane::Watches);
            }
            FileKind::Dump => {
                self.panels.research.open_dump(path);
                self.settings.layouts.show(Pane::Research);
            }
            FileKind::Game => {
                self.settings.layouts.show(Pane::Emulators);
                self.files.abandon(game_id());
                self.panels.attach.start.open_with(&path);
            }
            // Only written.
            FileKind::Route | FileKind::Field | FileKind::Report | FileKind::Profile => {}
        }
    }
}

/// Says what a file that is dragged over the window will do.
pub fn drop_hint(ctx: &egui::Context, rect: egui::Rect) {
    let dragged = ctx.input(|input| input.raw.hovered_files.first().and_then(|file| file.path.clone()));
    let Some(path) = dragged else { return };
    let area = egui::Area::new(egui::Id::unique("drop hint")).order(egui::Order::Tooltip);
    area.fixed_pos(rect.center()).pivot(egui::Align2::CENTER_CENTER).show(ctx, |ui| {
        Frame::popup(ui.style()).inner_margin(24).show(ui, |ui| ui.heading(Dropped::of(&path).hint()));
    });
}
