//! Selects what to search: console RAM, process memory, or dumps.

use super::engine::{DumpOf, Origin, Shown};
use crate::console::ConsoleId;
use crate::emulator::RamQuery;
use crate::gui::any_game::{AnyGame, attached};
use crate::gui::file_dialog::FileKind;
use crate::gui::file_dialog::typed_path;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::{combo, hinted};
use crate::process::Pid;
use eframe::egui::{Button, Id, Ui};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Console,
    Unknown,
    Whole,
    Dumps,
}

/// The selection, and the source opened last.
#[derive(Debug, Default)]
pub struct Chooser {
    kind: Kind,
    any_game: AnyGame,
    paths: Vec<PathBuf>,
    typed: String,
    /// Why there is no file dialog.
    no_dialog: Option<String>,
    /// Number of paths that are listed as recent files.
    remembered: usize,
    console: Option<ConsoleId>,
    swapped: bool,
    opened: Option<Opened>,
}

/// The source opened last; a different selection is opened.
#[derive(Debug, Clone, PartialEq)]
enum Opened {
    /// The process and the number of connections: RAM may move between them.
    Console(Pid, u64),
    AnyGame(Pid, RamQuery),
    Whole(Pid),
    /// A recording and its RAM area.
    Played(String, &'static str),
    Dumps(Vec<PathBuf>, Option<ConsoleId>, bool),
}

/// The requests of the controls.
#[derive(Debug, Default)]
pub struct Asked {
    pub open: Option<Origin>,
    pub next_dump: bool,
}

impl Chooser {
    /// Appends a file.
    pub fn open_dump(&mut self, path: PathBuf) {
        self.kind = Kind::Dumps;
        self.paths.push(path);
    }

    /// The same selection, to be opened again.
    pub fn beside(&self) -> Self {
        let paths = self.paths.clone();
        Self {
            kind: self.kind,
            any_game: self.any_game.clone(),
            remembered: self.remembered,
            paths,
            console: self.console,
            swapped: self.swapped,
            ..Self::default()
        }
    }

    /// Draws the controls.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, shown: &Shown, field: Id) -> Asked {
        let mut asked = Asked::default();
        ui.horizontal_wrapped(|ui| {
            ui.label("Search in");
            let attached = cx.view.target.as_ref();
            let console = attached.map_or("Console RAM", |target| target.profile.console.domain().name);
            let hover = "Console RAM of the attached emulator or the open recording, by console address";
            ui.selectable_value(&mut self.kind, Kind::Console, console).on_hover_text(hover);
            let hover = "Console RAM of a game without a profile, located automatically or by an address that you enter";
            ui.selectable_value(&mut self.kind, Kind::Unknown, "Any game").on_hover_text(hover);
            let hover = "All memory of a process; addresses differ between runs";
            ui.selectable_value(&mut self.kind, Kind::Whole, "Process memory").on_hover_text(hover);
            let hover = "Memory dumps, in the order they were made; choose the files, drop them here or enter their paths";
            ui.selectable_value(&mut self.kind, Kind::Dumps, "Dumps").on_hover_text(hover);
            match self.kind {
                Kind::Console => {}
                Kind::Unknown => self.any_game.show(ui, cx),
                Kind::Whole => self.any_game.processes(ui, cx),
                Kind::Dumps => self.dumps(ui, cx, shown, (field, &mut asked)),
            }
            if let Some(memory) = shown.memory.as_ref().filter(|memory| memory.live) {
                ui.weak(&memory.name);
            }
        });
        if let Some(why) = self.no_dialog.as_ref().filter(|_| self.kind == Kind::Dumps) {
            ui.colored_label(cx.look.tokens.bad, why);
        }
        if let Some(partial) = shown.memory.as_ref().and_then(|memory| memory.partial.as_ref()) {
            ui.weak(format!("Note: {partial}"));
        }
        let requested = self.requested(cx);
        if requested.is_some() && requested != self.opened {
            asked.open = self.origin(cx);
            self.opened = requested;
        }
        asked
    }

    /// Opens the source again.
    pub fn again(&mut self) {
        self.opened = None;
    }

    /// What is missing before a search can start.
    pub fn missing(&self, cx: &UiContext<'_>) -> Option<&'static str> {
        match self.kind {
            Kind::Console if attached(cx).is_none() && cx.played.now().is_none() => {
                Some("No emulator attached. Start one with a known game, or search a process")
            }
            Kind::Unknown | Kind::Whole if cx.view.replay.is_some() && self.any_game.process.is_none() => {
                Some("A recording contains only console RAM. Select it, or go back to live")
            }
            Kind::Unknown | Kind::Whole if self.any_game.process.is_none() => Some("Select a process"),
            Kind::Dumps if self.paths.is_empty() => {
                Some("Choose memory dumps, drop them on the window, or enter the path of one and press Enter")
            }
            _ => None,
        }
    }

    fn dumps(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        shown: &Shown,
        (field, asked): (Id, &mut Asked),
    ) {
        if hinted(ui, &mut self.typed, "file to search", "/path/to/ram.bin", 170.0)
            || ui.add_enabled(!self.typed.trim().is_empty(), Button::new("Add file")).clicked()
        {
            self.paths.push(typed_path(&self.typed));
            self.typed.clear();
            self.no_dialog = None;
        }
        match cx.files.browse_several(ui, field, FileKind::Dump, &self.typed) {
            Some(Ok(paths)) => {
                self.paths.extend(paths);
                self.no_dialog = None;
            }
            Some(Err(why)) => self.no_dialog = Some(why),
            None => {}
        }
        self.paths.extend(cx.files.recent_button(ui, FileKind::Dump));
        self.remember(cx, shown);
        let consoles = ConsoleId::ALL.iter().map(|console| (Some(*console), console.name().to_owned()));
        let choices = std::iter::once((None, "automatic".to_owned())).chain(consoles);
        combo(ui, "Console", &mut self.console, choices, 120.0);
        if self.console.is_some() {
            ui.checkbox(&mut self.swapped, "bytes swapped")
                .on_hover_text("The two bytes of each word are swapped, as some emulators store them");
        }
        if self.paths.is_empty() {
            return;
        }
        if let Some((at, all)) = shown.memory.as_ref().and_then(|memory| memory.dump) {
            let name = self.paths.get(at - 1).and_then(|path| path.file_name());
            let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            ui.label(format!("{name}, {at} of {all}"));
            let next = ui.add_enabled(at < all, Button::new("Next dump"));
            let next = next.on_hover_text("The next steps use the next dump");
            asked.next_dump = next.on_disabled_hover_text("This is the last dump; add another").clicked();
        }
        if ui.button("Remove files").on_hover_text("Remove all files from the list").clicked() {
            self.paths.clear();
            self.remembered = 0;
            self.opened = None;
        }
    }

    /// Lists the files as recent once the search has read them.
    fn remember(&mut self, cx: &mut UiContext<'_>, shown: &Shown) {
        let read = shown.memory.as_ref().and_then(|memory| memory.dump).map_or(0, |(_, all)| all);
        if read == self.paths.len() && read != self.remembered {
            for path in self.paths.iter().skip(self.remembered) {
                cx.files.used(FileKind::Dump, path);
            }
            self.remembered = read;
        }
    }

    fn requested(&self, cx: &UiContext<'_>) -> Option<Opened> {
        let played = || Some(cx.played.now()?.snapshot.domain().name);
        match (self.kind, &cx.view.replay) {
            (Kind::Console, Some(replay)) => Some(Opened::Played(replay.name.clone(), played()?)),
            (Kind::Console, None) => attached(cx).map(|pid| Opened::Console(pid, cx.view.totals.attachments)),
            (Kind::Unknown, _) => self.any_game.query().map(|(pid, query)| Opened::AnyGame(pid, query)),
            (Kind::Whole, _) => self.any_game.process.map(Opened::Whole),
            (Kind::Dumps, _) if self.paths.is_empty() => None,
            (Kind::Dumps, _) => Some(Opened::Dumps(self.paths.clone(), self.console, self.swapped)),
        }
    }

    fn origin(&self, cx: &UiContext<'_>) -> Option<Origin> {
        Some(match self.kind {
            Kind::Console if cx.view.replay.is_some() => Origin::Recording(cx.played.clone()),
            Kind::Console => {
                let target = cx.view.target.as_ref()?;
                Origin::Console(target.pid, std::sync::Arc::clone(&target.profile))
            }
            Kind::Unknown => {
                let (pid, query) = self.any_game.query()?;
                Origin::AnyGame(pid, query)
            }
            Kind::Whole => Origin::Whole(self.any_game.process?),
            Kind::Dumps => {
                let (console, profiles) = (self.console, cx.profiles.to_vec());
                let of = DumpOf { console, swapped: self.swapped && console.is_some(), profiles };
                Origin::Dumps(self.paths.clone(), of)
            }
        })
    }
}
