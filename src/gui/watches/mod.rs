//! The watch list: cells with names, followed from frame to frame, edited in place, read from and written to files.

mod chosen;
mod field;
mod files;
mod follow;
mod paths;
mod plot;
mod row;
mod table;
mod types;

pub use field::{AddField, draft_of_bytes};
pub use follow::span;
pub use types::{choose as choose_type, of_bytes, to_field};

use super::marks::{Mark, mark};
use super::scene::Scene;
use crate::console::Endian;
use crate::live::View;
use crate::research::watch::{Entry, ListKind, Watch, WatchList, read_csv, to_csv};
use crate::research::{Address, CellAddress, Kind, Part, ReplaySnapshot};
use chosen::ChosenAct;
use eframe::egui::{self, Button, RichText, Ui};
use files::{FileAct, Files, Told};
use follow::{Follower, Shared, State};
use paths::Paths;
use row::NewRow;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use table::{Act, Editing, Lit};

/// Watches in the list at most: all are read with every frame.
const MOST: usize = 1000;
/// Edits that can be taken back.
const UNDONE_MOST: usize = 50;
/// Height of the chosen watch's part, at most, in points.
const CHOSEN_HEIGHT: f32 = 250.0;

/// What is kept of the list from one start to the next.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WatchSettings {
    /// The list as CSV.
    pub list: String,
    /// The path of its file as it was typed.
    pub file: String,
}

/// A watch as the memory view marks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchMark {
    /// The address of its first byte.
    pub address: Address,
    /// Bytes.
    pub len: usize,
    /// Its name.
    pub name: String,
}

/// What other panels show of the list.
#[derive(Debug, Clone, Default)]
pub struct Marked {
    revision: u64,
    /// The cells.
    pub places: Arc<[CellAddress]>,
    /// The same with lengths and names.
    pub marks: Arc<[WatchMark]>,
}

/// What the panel remembers.
#[derive(Default)]
pub struct WatchesPanel {
    shared: Arc<Shared>,
    follower: Follower,
    new: NewRow,
    editing: Option<Editing>,
    told: Option<Told>,
    chosen: Option<usize>,
    scroll_to: Option<usize>,
    undo: Vec<(&'static str, Vec<Entry>)>,
    files: Files,
    paths: Paths,
    lit: Lit,
    marked: Marked,
    kept: u64,
}

/// The name of a watch: its label, or where it stands.
fn marked_name(watch: &Watch) -> String {
    if watch.label.is_empty() { watch.address.to_string() } else { watch.label.clone() }
}

/// A watch whose part fits its type: only half bytes have halves.
fn fitting(watch: Watch) -> Watch {
    let part = match (watch.ty.kind(), watch.part) {
        (Kind::Nibble, Part::Whole) => Part::Lower,
        (Kind::Nibble, part) => part,
        _ => Part::Whole,
    };
    Watch { part, ..watch }
}

impl WatchesPanel {
    /// The panel with the list that was kept.
    #[must_use]
    pub fn new(settings: &WatchSettings) -> Self {
        let panel = Self::default();
        if !settings.list.is_empty() {
            match read_csv(&settings.list, Endian::Big) {
                Ok(entries) => panel.shared.edit(|list| *list = WatchList::new(entries)),
                Err(error) => tracing::warn!("the watch list that was kept cannot be read: {error}"),
            }
        }
        Self { kept: panel.shared.revision(), ..panel }
    }

    /// Keeps the list followed and in the settings; to be called with every frame, whether the panel is in sight or not.
    pub fn keep(
        &mut self,
        ctx: &egui::Context,
        view: &View,
        played: &ReplaySnapshot,
        settings: &mut WatchSettings,
    ) {
        self.follower.keep(ctx, &self.shared, view, played);
        if self.kept != self.shared.revision() {
            self.kept = self.shared.revision();
            settings.list = self.shared.read(|list| to_csv(list.entries()));
        }
    }

    /// What other panels show of it.
    pub fn marked(&mut self) -> Marked {
        if self.marked.revision != self.shared.revision() {
            self.marked = self.shared.read(|list| {
                let mark = |watch: &Watch| WatchMark {
                    address: watch.address,
                    len: watch.ty.width(),
                    name: marked_name(watch),
                };
                let place = |watch: &Watch| CellAddress { address: watch.address, part: watch.part };
                Marked {
                    revision: self.shared.revision(),
                    places: list.watches().map(place).collect(),
                    marks: list.watches().map(mark).collect(),
                }
            });
        }
        self.marked.clone()
    }

    /// The keyboard goes to the row in which a new watch is typed.
    pub fn focus(&mut self) {
        self.new.focus();
    }

    /// The keyboard goes to the path of the list's file.
    pub fn focus_file(&mut self) {
        self.files.focus();
    }

    /// Reads the list from a file that was dropped; false when it is no list.
    pub fn dropped(&mut self, path: &Path, view: &View, settings: &mut WatchSettings) -> bool {
        if ListKind::of(path).is_none() {
            return false;
        }
        settings.file = path.display().to_string();
        self.file(FileAct::Open, view, &settings.file);
        true
    }

    /// Writes the list into its file.
    pub fn save(&mut self, view: &View, settings: &WatchSettings) {
        self.file(FileAct::Save, view, &settings.file);
    }

    /// Adds watches behind the chosen line; those that are on the list already are left out.
    pub fn add(&mut self, watches: Vec<Watch>) {
        let had: Vec<Entry> = self.entries();
        let asked = watches.len();
        let cell =
            |watch: &Watch| (watch.address, watch.part, watch.ty.kind(), watch.ty.order() == Endian::Big);
        let mut known: Vec<_> = self.shared.read(|list| list.watches().map(cell).collect());
        let mut fresh: Vec<Watch> = Vec::new();
        for watch in watches.into_iter().map(fitting) {
            if known.contains(&cell(&watch)) {
                continue;
            }
            known.push(cell(&watch));
            fresh.push(watch);
        }
        let there = asked - fresh.len();
        let room = MOST.saturating_sub(had.len());
        let mut more = Vec::new();
        if there > 0 {
            more.push(format!("{there} on the list already"));
        }
        if fresh.len() > room {
            more.push(format!("{} left out: the list has at most {MOST} lines", fresh.len() - room));
            fresh.truncate(room);
        }
        self.told = (!more.is_empty()).then(|| Told::Done(format!("{} added", fresh.len()), more));
        if fresh.is_empty() {
            return;
        }
        self.remember("Undo add", had);
        let count = self.entries().len();
        let at = self.chosen.map_or(count, |line| line + 1).min(count);
        let last = at + fresh.len() - 1;
        self.shared.edit(|list| {
            for (line, watch) in (at..).zip(fresh) {
                list.insert(line, Entry::Watch(watch));
            }
        });
        self.choose(Some(last));
    }

    fn entries(&self) -> Vec<Entry> {
        self.shared.read(|list| list.entries().to_vec())
    }

    fn choose(&mut self, line: Option<usize>) {
        self.chosen = line;
        self.scroll_to = line;
    }

    fn remember(&mut self, name: &'static str, entries: Vec<Entry>) {
        if self.undo.len() == UNDONE_MOST {
            self.undo.remove(0);
        }
        self.undo.push((name, entries));
    }

    fn file(&mut self, act: FileAct, view: &View, path: &str) {
        self.told = Some(match act {
            FileAct::Open => {
                let (entries, mut told) = self.files.open(path, view);
                if let Some(mut entries) = entries {
                    if let (Told::Done(_, more), true) = (&mut told, entries.len() > MOST) {
                        let what =
                            format!("{} left out: the list has at most {MOST} lines", entries.len() - MOST);
                        more.push(what);
                    }
                    entries.truncate(MOST);
                    self.remember("Undo open", self.entries());
                    self.editing = None;
                    self.choose(None);
                    self.shared.edit(|list| list.replace(entries));
                }
                told
            }
            FileAct::Save => self.files.save(path, &self.entries(), view),
        });
    }

    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, settings: &mut WatchSettings) {
        self.shared.drawn();
        self.tools(ui, scene);
        if let Some(watch) = self.new.show(ui, scene) {
            self.add(vec![watch]);
        }
        if let Some(act) = self.files.show(ui, &mut settings.file) {
            self.file(act, scene.view, &settings.file);
        }
        if let Some(told) = &self.told {
            files::tell(ui, scene, told);
        }
        let wrong = self.editing.as_ref().and_then(|editing| editing.wrong.clone());
        if let Some(wrong) = wrong {
            ui.colored_label(scene.look.tokens.caution, wrong);
        }
        ui.add_space(2.0);
        if self.shared.read(|list| list.entries().is_empty()) {
            ui.weak("Nothing is watched yet. Type an address above, select bytes in the memory view, or take over what a search found");
            return;
        }
        let chosen = self.chosen.and_then(|line| {
            self.shared.read(|list| Some((line, list.entries().get(line)?.clone(), list.seen(line)?.clone())))
        });
        let room = ui.available_height();
        let below = match &chosen {
            Some((_, Entry::Watch(_), _)) => CHOSEN_HEIGHT.min(room * 0.55),
            Some(_) => 40.0,
            None => 0.0,
        };
        let acts = ui
            .scope(|ui| {
                let height = (room - below - 34.0).max(44.0);
                ui.set_max_height(height + 26.0);
                table::show(ui, self, scene, height)
            })
            .inner;
        let mut done = None;
        if let Some((line, entry, seen)) = &chosen {
            ui.separator();
            done = chosen::show(ui, self, scene, (*line, entry, seen)).map(|act| (*line, act));
        }
        acts.into_iter().for_each(|act| self.act(act));
        if let Some((line, act)) = done {
            self.act_on(line, act);
        }
    }

    fn tools(&mut self, ui: &mut Ui, scene: &Scene<'_>) {
        let tokens = scene.look.tokens;
        ui.horizontal_wrapped(|ui| {
            let attached = scene.view.target.is_some();
            let (sign, color, said) = match self.follower.state() {
                State::Following | State::Standing if scene.view.replay.is_some() => (
                    Mark::Play,
                    tokens.accent,
                    "read at every sample of the recording that is shown".to_owned(),
                ),
                State::Following => (Mark::Disc, tokens.good, "read at every frame".to_owned()),
                State::Standing => (Mark::Bars, tokens.caution, "the game stands still".to_owned()),
                State::Seeking => (Mark::Ring, tokens.muted, "finding the RAM".to_owned()),
                State::Idle if !attached => (Mark::Ring, tokens.muted, "no emulator is attached".to_owned()),
                State::Idle => (Mark::Ring, tokens.muted, "nothing is followed".to_owned()),
                State::Ended(why) => (Mark::Cross, tokens.bad, format!("not followed: {why}")),
            };
            mark(ui, sign, color);
            ui.label(RichText::new(said).color(color));
            ui.separator();
            if ui.button("Separator").on_hover_text("A line with a title behind the chosen one").clicked() {
                self.remember("Undo separator", self.entries());
                let count = self.entries().len();
                let at = self.chosen.map_or(count, |line| line + 1).min(count);
                self.shared.edit(|list| list.insert(at, Entry::Separator("Group".into())));
                self.choose(Some(at));
            }
            let clear = ui.button("Clear counts");
            if clear.on_hover_text("Counts changes anew and forgets the histories").clicked() {
                self.shared.edit(WatchList::clear);
            }
            let name = self.undo.last().map_or("Undo", |(name, _)| name);
            let undo = ui.add_enabled(!self.undo.is_empty(), Button::new(name));
            if let (true, Some((_, entries))) = (undo.clicked(), self.undo.pop_if(|_| undo.clicked())) {
                self.shared.edit(|list| list.replace(entries));
                self.editing = None;
                self.choose(None);
            }
        });
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Choose(line) => self.chosen = Some(line),
            Act::Edit(line, entry) => self.edit(line, *entry),
        }
    }

    fn edit(&mut self, line: usize, entry: Entry) {
        let entry = match entry {
            Entry::Watch(watch) => Entry::Watch(fitting(watch)),
            Entry::Separator(title) => Entry::Separator(title),
        };
        self.remember("Undo edit", self.entries());
        self.shared.edit(|list| list.edit(line, entry));
    }

    fn act_on(&mut self, line: usize, act: ChosenAct) {
        let before = self.entries();
        match act {
            ChosenAct::Edit(entry) => return self.edit(line, *entry),
            ChosenAct::Duplicate => {
                let Some(entry) = before.get(line).filter(|_| before.len() < MOST).cloned() else { return };
                self.remember("Undo duplicate", before);
                self.shared.edit(|list| list.insert(line + 1, entry));
                self.choose(Some(line + 1));
            }
            ChosenAct::Remove => {
                let left = before.len() - 1;
                self.remember("Undo remove", before);
                self.shared.edit(|list| list.remove(line));
                self.choose((left > 0).then(|| line.min(left - 1)));
            }
            ChosenAct::Up | ChosenAct::Down => {
                let to = if matches!(act, ChosenAct::Up) { line.saturating_sub(1) } else { line + 1 };
                self.remember("Undo move", before);
                self.shared.edit(|list| list.shift(line, to));
                self.choose(Some(to));
            }
        }
        self.editing = None;
    }
}
