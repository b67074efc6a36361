//! One search: source, condition, history and results.

use super::engine::{Job, Listed, Shown, Worker};
use super::form::{Form, Question};
use super::history::{self, shortened, undo};
use super::names::Names;
use super::navigation::go_to;
use super::origin::Chooser;
use super::row_action::RowAction;
use super::structure::Structure;
use super::table::{Drawn, Table};
use super::words::{self, cells};
use crate::console::Endian;
use crate::gui::commands::Command;
use crate::gui::layout::Pane;
use crate::gui::marks::Mark;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::gui::widgets::{banner, combo, progress_row};
use crate::research::{Condition, Kind, Pause, Settings, Step, ValueType, parse_step};
use eframe::egui::{Button, Frame, Id, Key, Margin, Panel, RichText, ScrollArea, TextEdit, Ui, UiBuilder};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Progress is shown after this time: most steps take a few milliseconds.
const PROGRESS_AFTER: Duration = Duration::from_millis(150);
/// Repaint interval while live memory is shown.
const REPAINT_EVERY: Duration = Duration::from_secs(1);

/// The two kinds of search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Page {
    #[default]
    Values,
    Structure,
}

pub struct Tab {
    pub name: String,
    number: u64,
    worker: Option<Worker>,
    fault: Option<String>,
    page: Page,
    chooser: Chooser,
    pub(super) settings: Settings,
    /// The settings last published by the worker.
    heard: Option<Settings>,
    form: Form,
    started: bool,
    line: String,
    wrong: Option<String>,
    pub(super) table: Table,
    pub(super) names: Names,
    /// What the last "Watch" did.
    pub(super) watch_result: Option<String>,
    structure: Structure,
}

impl Tab {
    /// A new search.
    pub fn new(name: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Self {
            name: name.to_owned(),
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            worker: None,
            fault: None,
            page: Page::default(),
            chooser: Chooser::default(),
            settings: Settings::new(ValueType::default()),
            heard: None,
            form: Form::default(),
            started: false,
            line: String::new(),
            wrong: None,
            table: Table::default(),
            names: Names::default(),
            watch_result: None,
            structure: Structure::default(),
        }
    }

    /// A new search with the same source.
    pub fn beside(&self, name: &str) -> Self {
        Self { chooser: self.chooser.beside(), settings: self.settings, ..Self::new(name) }
    }

    /// A unique id, independent of the order of tabs.
    pub fn id(&self) -> Id {
        Id::unique(("search", self.number))
    }

    /// The name with the number of cells left.
    pub fn title(&self) -> String {
        let search = self.worker.as_ref().and_then(|worker| worker.shown().search.clone());
        search.map_or_else(
            || self.name.clone(),
            |search| format!("{} ({})", self.name, words::count(search.len())),
        )
    }

    /// Adds a dump.
    pub fn open_dump(&mut self, path: std::path::PathBuf) {
        self.chooser.open_dump(path);
    }

    /// Undoes the last step.
    pub fn undo(&self) {
        if let Some(worker) = &self.worker {
            undo(worker, &worker.shown());
        }
    }

    /// Redoes the last undone step.
    pub fn redo(&self) {
        let Some(worker) = &self.worker else { return };
        let shown = worker.shown();
        if shown.at + 1 < shown.steps.len() {
            worker.post(Job::Go(shown.at + 1));
        }
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, focus: bool) {
        if self.worker.is_none() && self.fault.is_none() {
            self.worker = Some(Worker::start(ui.ctx()));
        }
        if let Some(error) = self.worker.as_ref().and_then(Worker::error) {
            self.worker = None;
            self.fault = Some(format!("The search {error}. Start a new search"));
        }
        let tokens = cx.look.tokens;
        let Some(worker) = self.worker.take() else {
            let fault = self.fault.as_deref().unwrap_or_default();
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, fault);
            return;
        };
        let shown = worker.shown();
        self.report(&shown);
        self.progress(ui, &worker, &shown);
        // The bar and the banners must not change the ids of other widgets, which would lose the focus: hence scopes.
        ui.scope_builder(UiBuilder::new().scope_id(self.id().with("page")), |ui| {
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                ui.scope(|ui| self.origin(ui, cx, &worker, &shown));
                self.page(ui, cx, &worker, &shown, focus);
            });
        });
        if shown.memory.as_ref().is_some_and(|memory| memory.live) {
            ui.ctx().request_repaint_after(REPAINT_EVERY);
        }
        self.worker = Some(worker);
    }

    fn page(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, worker: &Worker, shown: &Shown, focus: bool) {
        ui.horizontal_wrapped(|ui| {
            ui.selectable_value(&mut self.page, Page::Values, "By value");
            ui.selectable_value(&mut self.page, Page::Structure, "By structure");
            if self.page == Page::Values {
                ui.separator();
                self.kinds(ui, worker);
            }
        });
        match self.page {
            Page::Values => self.values(ui, cx, worker, shown, focus),
            Page::Structure => self.structure.show(ui, cx, worker, shown),
        }
    }

    /// Reads the worker's settings.
    fn report(&mut self, shown: &Shown) {
        let same = |one: &Settings, other: &Settings| one.ty == other.ty && one.alignment == other.alignment;
        if let Some(settings) = shown.settings
            && self.heard.is_none_or(|heard| !same(&heard, &settings))
        {
            (self.settings, self.heard) = (settings, Some(settings));
        }
        let started = shown.search.is_some();
        if started != self.started {
            self.started = started;
            if started { self.form.started() } else { self.form.restart() }
        }
    }

    fn origin(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, worker: &Worker, shown: &Shown) {
        let asked = self.chooser.show(ui, cx, shown, self.id());
        if let Some(origin) = asked.open {
            worker.post(Job::Open(origin, self.settings));
        }
        if asked.next_dump {
            worker.post(Job::Step(Step::Wait(Pause::Next), "next dump".into()));
        }
        let tokens = cx.look.tokens;
        if let Some(missing) = self.chooser.missing(cx) {
            banner(ui, tokens.caution_fill, tokens.caution, Mark::Question, missing);
        }
        if let Some(error) = &shown.error {
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, error);
            if shown.memory.is_none() && ui.button("Try again").clicked() {
                self.chooser.again();
            }
        }
    }

    /// Draws the progress of a long job below everything else: a bar that comes and goes must not move what is about to be
    /// clicked.
    fn progress(&self, ui: &mut Ui, worker: &Worker, shown: &Shown) {
        let Some(busy) = &shown.busy else { return };
        ui.ctx().request_repaint_after(PROGRESS_AFTER);
        if busy.since.elapsed() < PROGRESS_AFTER {
            return;
        }
        let frame = Frame::NONE.inner_margin(Margin { top: 4, ..Margin::ZERO });
        Panel::bottom(self.id().with("progress")).frame(frame).show_separator_line(false).show(ui, |ui| {
            let share = busy.progress.share();
            let text = format!("{} {:.0} %", busy.what, share * 100.0);
            if progress_row(ui, share, text, "Cancel").clicked() {
                worker.cancel();
            }
        });
    }

    /// Type and alignment. During a search the type changes only to one of the same size.
    fn kinds(&mut self, ui: &mut Ui, worker: &Worker) {
        let (mut kind, mut order) = (self.settings.ty.kind(), self.settings.ty.order());
        let mut alignment = self.settings.alignment;
        let before = (kind, order, alignment);
        let search = worker.shown().search.clone();
        let fits =
            |kind, order| search.as_ref().is_none_or(|search| search.can_be_read_as(type_of(kind, order)));
        let name = |kind: Kind| match kind {
            Kind::Bcd { .. } | Kind::Bytes { .. } => kind.to_string(),
            _ => kind.name().to_owned(),
        };
        let mut kinds: Vec<(Kind, String)> = Kind::NUMBERS.map(|kind| (kind, name(kind))).to_vec();
        if matches!(kind, Kind::Bytes { .. }) {
            kinds.push((kind, name(kind)));
        }
        kinds.retain(|(kind, _)| fits(*kind, order));
        let types = combo(ui, "Type", &mut kind, kinds, 130.0);
        if self.started {
            types.on_hover_text("During a search: types of the same size");
        }
        for (choice, text) in [(Endian::Big, "big-endian"), (Endian::Little, "little-endian")] {
            let button = Button::selectable(order == choice, text);
            if ui.add_enabled(kind.width() > 1, button).clicked() {
                order = choice;
            }
        }
        let every =
            |bytes: u64| (bytes, if bytes == 1 { "every byte".into() } else { format!("{bytes} bytes") });
        if self.started {
            let why = "Fixed during a search. Start over, or open a new search";
            let (_, name) = every(alignment);
            ui.weak(format!("Align: {name}")).on_hover_text(why);
        } else {
            combo(ui, "Align", &mut alignment, [1, 2, 4, 8].map(every), 76.0);
        }
        if before != (kind, order, alignment) {
            self.settings.ty = type_of(kind, order);
            self.settings.alignment = alignment;
            worker.post(Job::Settings(self.settings));
        }
    }

    fn values(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, worker: &Worker, shown: &Shown, focus: bool) {
        let ty = self.settings.ty;
        let enter = self.form.show(ui, ty, self.started);
        let condition = self.form.condition(ty);
        self.actions(ui, cx, worker, shown, &condition, (enter, focus));
        self.typed(ui, cx, worker);
        let Some(search) = &shown.search else {
            worker.set_visible(0..0);
            ui.add_space(4.0);
            if shown.memory.is_some() {
                ui.weak(
                    "No search yet. Select a condition and press Search. \
                     The cells that match appear here with their values, and the names of known fields",
                );
                let hover = "Restore the results and steps that Start over discarded";
                if shown.restorable && ui.button("Undo: start over").on_hover_text(hover).clicked() {
                    worker.post(Job::Restore);
                }
            }
            return;
        };
        history::show(ui, cx, worker, shown);
        let named = self.names.update(cx, shown);
        self.selection(ui, cx, worker, shown);
        let listed = Listed { search: std::sync::Arc::clone(search), order: shown.order.clone() };
        let (names, view) = (&self.names, cx.view);
        let name_of = |cell| names.name_of(view, cell);
        let drawn = Drawn {
            listed: &listed,
            values: &shown.values,
            name_of: named.then_some(&name_of),
            by_address: shown.memory.as_ref().is_some_and(|memory| memory.domain.is_some()),
            now: cx.now,
        };
        let action = self.table.show(ui, &cx.look, drawn);
        worker.set_visible(self.table.visible.clone());
        match action {
            Some(RowAction::Copy(what)) => {
                cx.copy(self.table.copied(what, drawn.name_of), "results");
            }
            Some(RowAction::Sort(sort)) => worker.sort(sort, names.all(view)),
            Some(RowAction::GoTo(place)) => go_to(cx, shown, place.address),
            Some(RowAction::Watch) => self.watch(cx, shown),
            Some(RowAction::Drop) => self.drop_selected(worker),
            None => {}
        }
    }

    fn actions(
        &mut self,
        ui: &mut Ui,
        cx: &UiContext<'_>,
        worker: &Worker,
        shown: &Shown,
        condition: &Result<Condition, String>,
        (enter, focus): (bool, bool),
    ) {
        let busy = shown.busy.as_ref().is_some_and(|busy| busy.since.elapsed() >= PROGRESS_AFTER);
        let possible = shown.memory.is_some() && condition.is_ok() && !busy;
        let auto = shown.auto.is_some();
        ui.horizontal_wrapped(|ui| {
            let search = Button::new(RichText::new("Search").strong());
            let search = ui.add_enabled(possible && !auto, search);
            let search = search.on_hover_text("Keep only cells that match the condition now");
            if focus {
                search.request_focus();
            }
            if let (true, Ok(condition)) = (search.clicked() || (enter && possible && !auto), condition) {
                self.narrow(worker, condition.clone());
            }
            let live = shown.memory.as_ref().is_some_and(|memory| memory.live);
            let mut each = auto;
            let toggle = Button::selectable(each, "Every frame");
            let toggle = ui.add_enabled(auto || (possible && self.started && live), toggle);
            let hover = "Repeat the search every frame; press again to stop. Undone as one step";
            let toggle = toggle.on_hover_text(hover);
            if toggle.on_disabled_hover_text("Start a search in a running game first").clicked() {
                each = !each;
                worker.auto(condition.as_ref().ok().filter(|_| each).cloned());
            }
            let mut count = worker.counts();
            let hover = "Count changes between frames, and store the values of the last frame and before the last change";
            let box_ = ui.add_enabled_ui(shown.memory.is_some(), |ui| ui.checkbox(&mut count, "Count changes"));
            if box_.inner.on_hover_text(hover).changed() {
                worker.count(count);
            }
            self.outlook(ui, cx, shown, condition);
        });
        worker.preview(condition.as_ref().ok().filter(|_| self.started && !auto).cloned());
    }

    /// The preview of the condition, or the progress of "Every frame".
    fn outlook(&self, ui: &mut Ui, cx: &UiContext<'_>, shown: &Shown, condition: &Result<Condition, String>) {
        let tokens = cx.look.tokens;
        let (text, color) = match (condition, shown.auto) {
            (Err(why), _) => (why.clone(), tokens.caution),
            (_, Some(frames)) if shown.still => {
                (format!("Game paused; {} so far", words::frames(frames)), tokens.caution)
            }
            (_, Some(frames)) => {
                let left = shown.search.as_ref().map_or(0, |search| search.len());
                (format!("{}, {} left", words::frames(frames), cells(left)), tokens.accent)
            }
            (Ok(condition), None) => {
                match shown.preview.as_ref().filter(|preview| preview.condition == *condition) {
                    Some(preview) if self.started => match &preview.left {
                        Ok(left) => (format!("Would leave {}", cells(*left)), tokens.text),
                        Err(why) => (why.clone(), tokens.caution),
                    },
                    // Keeps the place of the number that follows.
                    _ if self.started && shown.memory.is_some() => {
                        ("Counting cells…".to_owned(), tokens.muted)
                    }
                    _ => return,
                }
            }
        };
        ui.colored_label(color, text);
    }

    fn narrow(&mut self, worker: &Worker, condition: Condition) {
        let what = match self.form.question {
            Question::Bytes | Question::Text => self.form.pattern_in_words(),
            _ => words::of_condition(&condition, self.settings.ty),
        };
        match condition {
            // Bytes set the type in the first step.
            Condition::Matches { pattern, not: false } => worker.post(Job::Step(Step::Match(pattern), what)),
            Condition::Matches { ref pattern, .. } if !self.started => {
                let ty = type_of(Kind::Bytes { len: pattern.len() }, self.settings.ty.order());
                worker.post(Job::Settings(Settings { ty, ..self.settings }));
                worker.post(Job::Step(Step::Narrow(condition), what));
            }
            condition => worker.post(Job::Step(Step::Narrow(condition), what)),
        }
    }

    /// The field for a step in the syntax of the command line.
    fn typed(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, worker: &Worker) {
        ui.horizontal_wrapped(|ui| {
            ui.weak("or enter a step");
            // The condition above as a step: this is how the command line writes it.
            let same = self.form.condition(self.settings.ty).ok().map(|condition| {
                let step = words::of_condition(&condition, self.settings.ty);
                format!("same as above: {}", shortened(&step))
            });
            let hint = same.unwrap_or_else(|| "by at-least +1, auto 60 < 200 …".into());
            let field = TextEdit::singleline(&mut self.line).hint_text(hint);
            let field = ui.add(field.desired_width(260.0)).accessible_name("command-line step");
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if enter && !self.line.trim().is_empty() {
                field.request_focus();
                match parse_step(&self.line, self.settings.ty) {
                    Ok(step) => self.make(cx, worker, step),
                    Err(error) => self.wrong = Some(error.problem),
                }
            }
            let shown = worker.shown();
            match &self.wrong {
                Some(wrong) => drop(ui.colored_label(cx.look.tokens.caution, wrong)),
                None if shown.message.is_empty() => {}
                None => drop(ui.weak(&shown.message)),
            }
        });
    }

    /// Runs an entered step.
    fn make(&mut self, cx: &mut UiContext<'_>, worker: &Worker, step: Step) {
        let what = self.line.trim().to_owned();
        match step {
            // The window has one watch list for all searches.
            Step::Watch(watch) => cx.actions.push(UiAction::AddWatches(vec![watch])),
            Step::ExcludeWatched => worker.post(Job::Exclude(cx.watched.to_vec(), what)),
            Step::Watches(_)
            | Step::SaveWatches(_)
            | Step::Pointers { .. }
            | Step::Paths(_)
            | Step::SavePaths(_)
            | Step::Recheck(_) => {
                cx.run(Command::Show(Pane::Watches));
                self.wrong = Some("use the Watches panel for watch lists and pointer paths".into());
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
        (self.line, self.wrong) = (String::new(), None);
    }
}

/// All offered types have valid lengths.
fn type_of(kind: Kind, order: Endian) -> ValueType {
    ValueType::new(kind, order).unwrap_or_default()
}
