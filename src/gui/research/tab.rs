//! One search: memory, condition, history and results.

use super::engine::{Job, SearchView, Worker};
use super::form::{Form, Question, combo};
use super::history_bar;
use super::structure::Structure;
use super::table::{Table, TableAction};
use super::target::TargetPicker;
use super::text::{self, cells};
use crate::console::{ConsoleAddr, Endian};
use crate::gui::commands::Command;
use crate::gui::layout::Pane;
use crate::gui::marks::Mark;
use crate::gui::scene::{Ask, Scene};
use crate::gui::widgets::banner;
use crate::research::{Address, Condition, Kind, Pause, Settings, Step, ValueType, parse_step};
use eframe::egui::{Button, Id, Key, ProgressBar, RichText, ScrollArea, TextEdit, Ui};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Progress is shown for steps longer than this; most take a few milliseconds.
const PROGRESS_AFTER: Duration = Duration::from_millis(150);
/// The repaint interval for live memory when nothing else repaints.
const DRAWN_EVERY: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Page {
    #[default]
    Values,
    Structure,
}

/// A search.
pub struct Tab {
    /// Its name.
    pub name: String,
    number: u64,
    worker: Option<Worker>,
    fault: Option<String>,
    page: Page,
    picker: TargetPicker,
    pub(super) settings: Settings,
    /// The settings received last from the worker.
    last_settings: Option<Settings>,
    form: Form,
    started: bool,
    line: String,
    step_error: Option<String>,
    pub(super) table: Table,
    structure: Structure,
}

impl Tab {
    /// A tab without a search.
    #[must_use]
    pub fn new(name: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Self {
            name: name.to_owned(),
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            worker: None,
            fault: None,
            page: Page::default(),
            picker: TargetPicker::default(),
            settings: Settings::new(ValueType::default()),
            last_settings: None,
            form: Form::default(),
            started: false,
            line: String::new(),
            step_error: None,
            table: Table::default(),
            structure: Structure::default(),
        }
    }

    /// Another search of the same memory.
    #[must_use]
    pub fn open_beside(&self, name: &str) -> Self {
        Self { picker: self.picker.duplicate(), settings: self.settings, ..Self::new(name) }
    }

    /// A stable id.
    #[must_use]
    pub fn id(&self) -> Id {
        Id::unique(("search", self.number))
    }

    /// The name and the number of cells left.
    #[must_use]
    pub fn title(&self) -> String {
        let search = self.worker.as_ref().and_then(|worker| worker.shown().search.clone());
        search.map_or_else(
            || self.name.clone(),
            |search| format!("{} ({})", self.name, text::count(search.len())),
        )
    }

    /// Searches in these files.
    pub fn open_dumps(&mut self, paths: Vec<std::path::PathBuf>) {
        self.picker.open_dumps(paths);
    }

    /// Undoes the last step.
    pub fn undo(&self) {
        let Some(worker) = &self.worker else { return };
        if let Some(before) = worker.shown().at.checked_sub(1) {
            worker.post(Job::Go(before));
        }
    }

    /// Redoes the step undone last.
    pub fn redo(&self) {
        let Some(worker) = &self.worker else { return };
        let shown = worker.shown();
        if shown.at + 1 < shown.steps.len() {
            worker.post(Job::Go(shown.at + 1));
        }
    }

    /// Draws it.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, focus: bool) {
        if self.worker.is_none() && self.fault.is_none() {
            match Worker::start(ui.ctx().clone()) {
                Ok(worker) => self.worker = Some(worker),
                Err(error) => self.fault = Some(format!("Could not start the search thread: {error}")),
            }
        }
        if self.worker.as_ref().is_some_and(|worker| !worker.works()) {
            self.worker = None;
            self.fault = Some("The search crashed; start a new one".into());
        }
        let tokens = scene.look.tokens;
        let Some(worker) = self.worker.take() else {
            let fault = self.fault.as_deref().unwrap_or_default();
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, fault);
            return;
        };
        let shown = worker.shown();
        self.update_from(&shown);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            // In its own scope: banners would change the ids of the following widgets, which would lose the keyboard focus.
            ui.scope(|ui| self.target(ui, scene, &worker, &shown));
            ui.horizontal_wrapped(|ui| {
                ui.selectable_value(&mut self.page, Page::Values, "By value");
                ui.selectable_value(&mut self.page, Page::Structure, "By structure");
                if self.page == Page::Values {
                    ui.separator();
                    self.kinds(ui, &worker);
                }
            });
            match self.page {
                Page::Values => self.values(ui, scene, &worker, &shown, focus),
                Page::Structure => self.structure.show(ui, scene, &worker, &shown),
            }
        });
        if shown.memory.as_ref().is_some_and(|memory| memory.live) {
            ui.ctx().request_repaint_after(DRAWN_EVERY);
        }
        self.worker = Some(worker);
    }

    /// Updates the tab from the view.
    fn update_from(&mut self, shown: &SearchView) {
        let same = |one: &Settings, other: &Settings| one.ty == other.ty && one.alignment == other.alignment;
        if let Some(settings) = shown.settings
            && self.last_settings.is_none_or(|last_settings| !same(&last_settings, &settings))
        {
            (self.settings, self.last_settings) = (settings, Some(settings));
        }
        let started = shown.search.is_some();
        if started != self.started {
            self.started = started;
            if started { self.form.search_started() } else { self.form.search_reset() }
        }
    }

    fn target(&mut self, ui: &mut Ui, scene: &Scene<'_>, worker: &Worker, shown: &SearchView) {
        let response = self.picker.show(ui, scene, shown);
        if let Some(target) = response.open {
            worker.post(Job::Open(target, self.settings));
        }
        if response.next_dump {
            worker.post(Job::Step(Step::Wait(Pause::Next), "next dump".into()));
        }
        let tokens = scene.look.tokens;
        if let Some(missing) = self.picker.missing(scene) {
            banner(ui, tokens.caution_fill, tokens.caution, Mark::Question, missing);
        }
        if let Some(error) = &shown.error {
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, error);
            if shown.memory.is_none() && ui.button("Try again").clicked() {
                self.picker.reopen();
            }
        }
        self.progress(ui, worker, shown);
    }

    fn progress(&self, ui: &mut Ui, worker: &Worker, shown: &SearchView) {
        let Some(busy) = &shown.busy else { return };
        ui.ctx().request_repaint_after(PROGRESS_AFTER);
        if busy.since.elapsed() < PROGRESS_AFTER {
            return;
        }
        ui.horizontal(|ui| {
            #[expect(clippy::cast_possible_truncation, reason = "a share")]
            let share = busy.progress.share() as f32;
            let text = format!("{} {:.0} %", busy.what, share * 100.0);
            let width = (ui.available_width() - 80.0).max(80.0);
            ui.add(ProgressBar::new(share).text(text).desired_width(width));
            if ui.button("Cancel").clicked() {
                worker.cancel();
            }
        });
    }

    /// The type of the values, fixed during a search.
    fn kinds(&mut self, ui: &mut Ui, worker: &Worker) {
        let (mut kind, mut order) = (self.settings.ty.kind(), self.settings.ty.order());
        let mut alignment = self.settings.alignment;
        let before = (kind, order, alignment);
        let locked = ui.add_enabled_ui(!self.started, |ui| {
            let name = |kind: Kind| match kind {
                Kind::Bcd { .. } | Kind::Bytes { .. } => kind.to_string(),
                _ => kind.name().to_owned(),
            };
            let mut kinds: Vec<(Kind, String)> = Kind::NUMBERS.map(|kind| (kind, name(kind))).to_vec();
            if matches!(kind, Kind::Bytes { .. }) {
                kinds.push((kind, name(kind)));
            }
            combo(ui, "Type", &mut kind, kinds, 130.0);
            ui.add_enabled_ui(kind.width() > 1, |ui| {
                ui.selectable_value(&mut order, Endian::Big, "big-endian");
                ui.selectable_value(&mut order, Endian::Little, "little-endian");
            });
            let every =
                |bytes: u64| (bytes, if bytes == 1 { "every byte".into() } else { format!("{bytes} bytes") });
            combo(ui, "Align", &mut alignment, [1, 2, 4, 8].map(every), 76.0);
        });
        if self.started {
            locked.response.on_hover_text("A search keeps its type: start over, or open a new search");
        }
        if before != (kind, order, alignment) {
            self.settings.ty = type_of(kind, order);
            self.settings.alignment = alignment;
            worker.post(Job::Settings(self.settings));
        }
    }

    fn values(
        &mut self,
        ui: &mut Ui,
        scene: &mut Scene<'_>,
        worker: &Worker,
        shown: &SearchView,
        focus: bool,
    ) {
        let ty = self.settings.ty;
        let enter = self.form.show(ui, ty, self.started);
        let condition = self.form.condition(ty);
        self.actions(ui, scene, worker, shown, &condition, (enter, focus));
        self.step_field(ui, scene, worker);
        let Some(search) = &shown.search else {
            worker.show_rows(0..0);
            ui.add_space(4.0);
            if shown.memory.is_some() {
                ui.weak("No search yet: choose a condition and press Search");
            }
            return;
        };
        self.history(ui, scene, worker, shown);
        self.selection(ui, scene, worker, shown);
        let action = self.table.show(ui, &scene.look, search, &shown.values, scene.now);
        worker.show_rows(self.table.visible.clone());
        match action {
            Some(TableAction::GoTo(place)) => go_to(scene, shown, place.address),
            Some(TableAction::Watch) => self.watch(scene, shown),
            Some(TableAction::Drop) => self.drop_selected(worker),
            None => {}
        }
    }

    fn actions(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        worker: &Worker,
        shown: &SearchView,
        condition: &Result<Condition, String>,
        (enter, focus): (bool, bool),
    ) {
        let busy = shown.busy.as_ref().is_some_and(|busy| busy.since.elapsed() >= PROGRESS_AFTER);
        let possible = shown.memory.is_some() && condition.is_ok() && !busy;
        let auto = shown.auto.is_some();
        ui.horizontal_wrapped(|ui| {
            let search = Button::new(RichText::new("Search").strong());
            let search = ui.add_enabled(possible && !auto, search);
            let search = search.on_hover_text("Keep the cells that match the condition now");
            if focus {
                search.request_focus();
            }
            if let (true, Ok(condition)) = (search.clicked() || (enter && possible && !auto), condition) {
                self.narrow(worker, condition.clone());
            }
            let live = shown.memory.as_ref().is_some_and(|memory| memory.live);
            let mut each = auto;
            let toggle = Button::selectable(each, "At every frame");
            let toggle = ui.add_enabled(auto || (possible && self.started && live), toggle);
            let hover = "Searches at every frame until you press it again; undone as one step";
            let toggle = toggle.on_hover_text(hover);
            if toggle.on_disabled_hover_text("Start a search on a running emulator first").clicked() {
                each = !each;
                worker.auto(condition.as_ref().ok().filter(|_| each).cloned());
            }
            let mut count = worker.counts();
            let hover =
                "Counts how often cells change between frames, and stores the last frame and the last change";
            let box_ =
                ui.add_enabled_ui(shown.memory.is_some(), |ui| ui.checkbox(&mut count, "Count changes"));
            if box_.inner.on_hover_text(hover).changed() {
                worker.count(count);
            }
            self.preview(ui, scene, shown, condition);
        });
        worker.request_preview(condition.as_ref().ok().filter(|_| self.started && !auto).cloned());
    }

    /// The preview of the condition, or its result at every frame.
    fn preview(
        &self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        shown: &SearchView,
        condition: &Result<Condition, String>,
    ) {
        let tokens = scene.look.tokens;
        let (text, color) = match (condition, shown.auto) {
            (Err(why), _) => (why.clone(), tokens.caution),
            (_, Some(frames)) if shown.no_frames => {
                (format!("No new frames (paused?); {} so far", text::count(frames)), tokens.caution)
            }
            (_, Some(frames)) => {
                let left = shown.search.as_ref().map_or(0, |search| search.len());
                (format!("{} frames, {} left", text::count(frames), cells(left)), tokens.accent)
            }
            (Ok(condition), None) => {
                match shown.preview.as_ref().filter(|ahead| ahead.condition == *condition) {
                    Some(ahead) if self.started => match &ahead.left {
                        Ok(left) => (format!("Would leave {}", cells(*left)), tokens.text),
                        Err(why) => (why.clone(), tokens.caution),
                    },
                    _ => return,
                }
            }
        };
        ui.colored_label(color, text);
    }

    /// The history: undo, redo, and all steps as a bar chart.
    fn history(&self, ui: &mut Ui, scene: &Scene<'_>, worker: &Worker, shown: &SearchView) {
        let step = |number: usize| shown.steps.get(number).map_or("", |step| step.what.as_str());
        let named = |word: &str, number: usize| format!("{word}: {}", shortened(step(number)));
        ui.horizontal_wrapped(|ui| {
            let back = shown.at > 0;
            let text = if back { named("Undo", shown.at) } else { "Undo".into() };
            let hover = format!("Undo: {}", step(shown.at));
            if ui.add_enabled(back, Button::new(text)).on_hover_text(hover).clicked() {
                worker.post(Job::Go(shown.at - 1));
            }
            let forth = shown.at + 1 < shown.steps.len();
            let text = if forth { named("Redo", shown.at + 1) } else { "Redo".into() };
            let hover = format!("Redo, with the earlier results: {}", step(shown.at + 1));
            if ui.add_enabled(forth, Button::new(text)).on_hover_text(hover).clicked() {
                worker.post(Job::Go(shown.at + 1));
            }
            let hover = "Discards all steps; type and alignment can be changed again";
            if ui.button("Start over").on_hover_text(hover).clicked() {
                worker.post(Job::Step(Step::New, "start over".into()));
            }
            if let Some(step) = history_bar::show(ui, scene.look.tokens, &shown.steps, shown.at) {
                worker.post(Job::Go(step));
            }
        });
    }

    fn narrow(&mut self, worker: &Worker, condition: Condition) {
        let what = match self.form.question {
            Question::Bytes | Question::Text => self.form.pattern_in_words(),
            _ => text::of_condition(&condition, self.settings.ty),
        };
        match condition {
            // Bytes set the type of a search that starts with them.
            Condition::Matches { pattern, not: false } => worker.post(Job::Step(Step::Match(pattern), what)),
            Condition::Matches { ref pattern, .. } if !self.started => {
                let ty = type_of(Kind::Bytes { len: pattern.len() }, self.settings.ty.order());
                worker.post(Job::Settings(Settings { ty, ..self.settings }));
                worker.post(Job::Step(Step::Narrow(condition), what));
            }
            condition => worker.post(Job::Step(Step::Narrow(condition), what)),
        }
    }

    /// A step as it is typed on the command line.
    fn step_field(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, worker: &Worker) {
        ui.horizontal_wrapped(|ui| {
            ui.weak("or type a step");
            let field =
                TextEdit::singleline(&mut self.line).hint_text("by at-least +1, auto 60 < 200, wait 30 …");
            let field = ui.add(field.desired_width(260.0)).accessible_name("step as on the command line");
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if enter && !self.line.trim().is_empty() {
                field.request_focus();
                match parse_step(&self.line, self.settings.ty) {
                    Ok(step) => self.run_step(scene, worker, step),
                    Err(error) => self.step_error = Some(error.problem),
                }
            }
            let shown = worker.shown();
            match &self.step_error {
                Some(wrong) => drop(ui.colored_label(scene.look.tokens.caution, wrong)),
                None if shown.message.is_empty() => {}
                None => drop(ui.weak(&shown.message)),
            }
        });
    }

    fn run_step(&mut self, scene: &mut Scene<'_>, worker: &Worker, step: Step) {
        let what = self.line.trim().to_owned();
        match step {
            // The window has one watch list for all searches.
            Step::Watch(watch) => scene.asked.push(Ask::Watch(vec![watch])),
            Step::ExcludeWatched => worker.post(Job::Exclude(scene.watched.to_vec(), what)),
            Step::Watches(_)
            | Step::SaveWatches(_)
            | Step::Pointers { .. }
            | Step::Paths(_)
            | Step::SavePaths(_)
            | Step::Recheck(_) => {
                scene.run(Command::Show(Pane::Watches));
                self.step_error = Some("watch lists and pointer paths are in the Watches panel".into());
                return;
            }
            step => {
                if matches!(
                    step,
                    Step::Pools | Step::PoolStates | Step::Sequence(_) | Step::Rng(_) | Step::Board(_)
                ) {
                    self.page = Page::Structure;
                }
                worker.post(Job::Step(step, what));
            }
        }
        (self.line, self.step_error) = (String::new(), None);
    }
}

/// Shows an address in the memory panel, if it is one of the console's.
pub fn go_to(scene: &mut Scene<'_>, shown: &SearchView, address: Address) {
    let domain = shown.memory.as_ref().and_then(|memory| memory.domain);
    if let (Some(domain), Ok(address)) = (domain, u32::try_from(address.0))
        && domain.offset_of(ConsoleAddr(address)).is_some()
    {
        scene.asked.push(Ask::GoTo(ConsoleAddr(address)));
    }
}

/// Shortens a text for a button.
fn shortened(text: &str) -> String {
    const MOST: usize = 24;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST - 1).chain(['…']).collect()
    }
}

fn type_of(kind: Kind, order: Endian) -> ValueType {
    ValueType::new(kind, order).unwrap_or_default()
}
