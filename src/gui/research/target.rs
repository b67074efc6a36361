//! Choosing the memory to search: the attached console, a process, dumps.

use super::engine::{DumpOptions, SearchTarget, SearchView};
use super::form::{combo, hinted};
use crate::console::{ConsoleId, StorageOrder};
use crate::emulator::RamAsked;
use crate::gui::scene::Scene;
use crate::gui::status;
use crate::live::Connection;
use crate::process::{HostAddr, Pid};
use eframe::egui::{Button, Ui};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Console,
    Unknown,
    Whole,
    Dumps,
}

/// The chosen memory, and the one opened last.
#[derive(Debug, Default)]
pub struct TargetPicker {
    kind: Kind,
    process: Option<Pid>,
    paths: Vec<PathBuf>,
    typed: String,
    console: Option<ConsoleId>,
    swapped: bool,
    any_game: AnyGame,
    opened: Option<Opened>,
}

/// The user's input for a console with any game.
#[derive(Debug, Clone)]
struct AnyGame {
    console: ConsoleId,
    order: Option<StorageOrder>,
    typed: String,
    at: Option<HostAddr>,
}

impl Default for AnyGame {
    fn default() -> Self {
        Self { console: ConsoleId::Genesis, order: None, typed: String::new(), at: None }
    }
}

impl AnyGame {
    /// The query; a byte order that the console does not have is ignored.
    fn query(&self) -> RamAsked {
        let orders = self.console.domain().orders;
        RamAsked {
            console: self.console,
            base: self.at,
            order: self.order.filter(|order| orders.contains(order)),
        }
    }
}

/// What was opened last: when the choice differs, the choice is opened.
#[derive(Debug, Clone, PartialEq)]
enum Opened {
    /// The process and the number of attachments, after which RAM may have moved.
    Console(Pid, u64),
    AnyGame(Pid, RamAsked),
    Whole(Pid),
    /// A recording and its RAM.
    Recording(String, &'static str),
    Dumps(Vec<PathBuf>, Option<ConsoleId>, bool),
}

/// What to do.
#[derive(Debug, Default)]
pub struct PickerResponse {
    /// Open this.
    pub open: Option<SearchTarget>,
    /// Go to the next dump.
    pub next_dump: bool,
}

impl TargetPicker {
    /// Adds files and chooses dumps.
    pub fn open_dumps(&mut self, paths: Vec<PathBuf>) {
        self.kind = Kind::Dumps;
        self.paths.extend(paths);
    }

    /// The same choice for another search.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        let paths = self.paths.clone();
        Self {
            kind: self.kind,
            process: self.process,
            paths,
            console: self.console,
            swapped: self.swapped,
            any_game: self.any_game.clone(),
            ..Self::default()
        }
    }

    /// Draws the controls.
    pub fn show(&mut self, ui: &mut Ui, scene: &Scene<'_>, shown: &SearchView) -> PickerResponse {
        let mut response = PickerResponse::default();
        ui.horizontal_wrapped(|ui| {
            ui.label("Search in");
            let attached = scene.view.target.as_ref();
            let console = attached.map_or("Console RAM", |target| target.profile.console.domain().name);
            let hover = "Console RAM of the attached emulator or the open recording, by console addresses";
            ui.selectable_value(&mut self.kind, Kind::Console, console).on_hover_text(hover);
            let hover = "Console RAM of a game without a profile; the emulator or you name its address";
            ui.selectable_value(&mut self.kind, Kind::Unknown, "Any game").on_hover_text(hover);
            let hover = "All memory of a process; addresses change with every run";
            ui.selectable_value(&mut self.kind, Kind::Whole, "A whole process").on_hover_text(hover);
            let hover =
                "Memory dumps in the order in which they were made; drop files here or enter their paths";
            ui.selectable_value(&mut self.kind, Kind::Dumps, "Dumps").on_hover_text(hover);
            match self.kind {
                Kind::Console => {}
                Kind::Unknown => self.unknown(ui, scene),
                Kind::Whole => self.processes(ui, scene),
                Kind::Dumps => self.dumps(ui, shown, &mut response),
            }
            if let Some(memory) = shown.memory.as_ref().filter(|memory| memory.live) {
                ui.weak(&memory.name);
            }
        });
        if let Some(partial) = shown.memory.as_ref().and_then(|memory| memory.partial.as_ref()) {
            ui.weak(format!("Note: {partial}"));
        }
        let selected = self.selected(scene);
        if selected.is_some() && selected != self.opened {
            response.open = self.target(scene);
            self.opened = selected;
        }
        response
    }

    /// Opens the choice again.
    pub fn reopen(&mut self) {
        self.opened = None;
    }

    /// Why there is nothing to search.
    pub fn missing(&self, scene: &Scene<'_>) -> Option<&'static str> {
        match self.kind {
            Kind::Console if attached(scene).is_none() && scene.replay_snapshot.now().is_none() => {
                Some("No console attached: start an emulator with a known game, or search a whole process")
            }
            Kind::Unknown | Kind::Whole if scene.view.replay.is_some() && self.process.is_none() => {
                Some("A recording contains only console RAM: choose Console RAM, or close the recording")
            }
            Kind::Unknown | Kind::Whole if self.process.is_none() => Some("Choose a process"),
            Kind::Dumps if self.paths.is_empty() => {
                Some("Drop memory dumps on the window, or enter a path and press Enter")
            }
            _ => None,
        }
    }

    fn processes(&mut self, ui: &mut Ui, scene: &Scene<'_>) {
        let rows = scene.view.emulators.iter();
        let rows =
            rows.map(|row| (Some(row.pid), format!("{} ({})", status::emulator(&row.identity), row.pid)));
        if self.process.is_none() {
            self.process = attached(scene);
        }
        combo(ui, "Process", &mut self.process, rows, 180.0);
    }

    fn unknown(&mut self, ui: &mut Ui, scene: &Scene<'_>) {
        self.processes(ui, scene);
        let consoles = ConsoleId::ALL.iter().map(|console| (*console, console.name().to_owned()));
        combo(ui, "Console", &mut self.any_game.console, consoles, 120.0);
        let orders = self.any_game.console.domain().orders;
        if orders.len() > 1 {
            let known = orders.iter().map(|order| (Some(*order), order.to_string()));
            let choices = std::iter::once((None, "as the emulator reports".to_owned())).chain(known);
            combo(ui, "Bytes", &mut self.any_game.order, choices, 150.0);
        }
        if hinted(ui, &mut self.any_game.typed, "where its RAM is", "RAM at 0x…, if known", 150.0) {
            let digits = self.any_game.typed.trim().trim_start_matches("0x").trim_start_matches("0X");
            self.any_game.at = u64::from_str_radix(digits, 16).ok().map(HostAddr);
        }
        if !self.any_game.typed.trim().is_empty() && self.any_game.at.is_none() {
            ui.weak("enter a hexadecimal address, then press Enter");
        }
    }

    fn dumps(&mut self, ui: &mut Ui, shown: &SearchView, response: &mut PickerResponse) {
        if hinted(ui, &mut self.typed, "file to search", "/path/to/ram.bin", 170.0)
            || ui.add_enabled(!self.typed.trim().is_empty(), Button::new("Add file")).clicked()
        {
            self.paths.push(PathBuf::from(self.typed.trim()));
            self.typed.clear();
        }
        let consoles = ConsoleId::ALL.iter().map(|console| (Some(*console), console.name().to_owned()));
        let choices = std::iter::once((None, "by the game in it".to_owned())).chain(consoles);
        combo(ui, "Console", &mut self.console, choices, 120.0);
        if self.console.is_some() {
            ui.checkbox(&mut self.swapped, "bytes swapped")
                .on_hover_text("The bytes of each word are swapped, as some emulators store them");
        }
        if self.paths.is_empty() {
            return;
        }
        if let Some((at, all)) = shown.memory.as_ref().and_then(|memory| memory.dump) {
            let name = self.paths.get(at - 1).and_then(|path| path.file_name());
            let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            ui.label(format!("{name}, {at} of {all}"));
            let next = ui.add_enabled(at < all, Button::new("Next dump"));
            let next = next.on_hover_text("Continue with the next dump");
            response.next_dump =
                next.on_disabled_hover_text("This is the last dump; add another file").clicked();
        }
        if ui.button("Remove all files").on_hover_text("Clears the list of files").clicked() {
            self.paths.clear();
            self.opened = None;
        }
    }

    fn selected(&self, scene: &Scene<'_>) -> Option<Opened> {
        let ram = || Some(scene.replay_snapshot.now()?.snapshot.domain().name);
        match (self.kind, &scene.view.replay) {
            (Kind::Console, Some(replay)) => Some(Opened::Recording(replay.name.clone(), ram()?)),
            (kind, _) => self.selected_of(kind, scene),
        }
    }

    fn selected_of(&self, kind: Kind, scene: &Scene<'_>) -> Option<Opened> {
        match kind {
            Kind::Console => attached(scene).map(|pid| Opened::Console(pid, scene.view.totals.attachments)),
            Kind::Unknown => self.process.map(|pid| Opened::AnyGame(pid, self.any_game.query())),
            Kind::Whole => self.process.map(Opened::Whole),
            Kind::Dumps if self.paths.is_empty() => None,
            Kind::Dumps => Some(Opened::Dumps(self.paths.clone(), self.console, self.swapped)),
        }
    }

    fn target(&self, scene: &Scene<'_>) -> Option<SearchTarget> {
        Some(match self.kind {
            Kind::Console if scene.view.replay.is_some() => {
                SearchTarget::Recording(scene.replay_snapshot.clone())
            }
            Kind::Console => {
                let target = scene.view.target.as_ref()?;
                SearchTarget::Console(target.pid, std::sync::Arc::clone(&target.profile))
            }
            Kind::Unknown => SearchTarget::AnyGame(self.process?, self.any_game.query()),
            Kind::Whole => SearchTarget::Whole(self.process?),
            Kind::Dumps => {
                let (console, profiles) = (self.console, scene.profiles.to_vec());
                let of = DumpOptions { console, swapped: self.swapped && console.is_some(), profiles };
                SearchTarget::Dumps(self.paths.clone(), of)
            }
        })
    }
}

/// The attached process.
fn attached(scene: &Scene<'_>) -> Option<Pid> {
    let connected = matches!(scene.view.connection, Connection::Live | Connection::Paused { .. });
    scene.view.target.as_ref().filter(|_| connected).map(|target| target.pid)
}
