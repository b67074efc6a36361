//! Searches by structure: pools, piece sequences, generators, boards.

use super::engine::{Found, Job, Shown, Worker};
use super::names::Names;
use super::navigation::go_to;
use super::painter::Board;
use super::words::count;
use crate::gui::row_menu;
use crate::gui::sorting::{self, Sort};
use crate::gui::ui_context::{UiAction, UiContext};
use crate::gui::widgets::hinted;
use crate::research::{CellAddress, Step};
use eframe::egui::{Button, DragValue, Label, RichText, Sense, TextStyle, Ui};
use egui_extras::{Column, TableBuilder};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SearchFor {
    #[default]
    Pools,
    Sequence,
    Generator,
    Board,
}

#[derive(Debug)]
pub struct Structure {
    search_for: SearchFor,
    states: bool,
    letters: String,
    frames: u32,
    board: Board,
    names: Names,
    /// The column by which the results are sorted.
    sort: Option<Sort<usize>>,
}

impl Default for Structure {
    fn default() -> Self {
        Self {
            search_for: SearchFor::default(),
            states: false,
            letters: String::new(),
            frames: 400,
            board: Board::default(),
            names: Names::default(),
            sort: None,
        }
    }
}

impl Structure {
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, worker: &Worker, shown: &Shown) {
        ui.horizontal_wrapped(|ui| {
            for (search_for, name) in [
                (SearchFor::Pools, "Pools"),
                (SearchFor::Sequence, "Piece sequence"),
                (SearchFor::Generator, "Generators"),
                (SearchFor::Board, "Board"),
            ] {
                ui.selectable_value(&mut self.search_for, search_for, name);
            }
        });
        let ready = shown.memory.is_some() && shown.busy.is_none();
        let find = |ui: &mut Ui, possible: bool| {
            ui.add_enabled(ready && possible, Button::new(RichText::new("Find").strong())).clicked()
        };
        match self.search_for {
            SearchFor::Pools => {
                ui.weak("Pools of Puyo Puyo Tsu with their colour set, and of 20th Anniversary with their seeds, in any byte order");
                ui.checkbox(
                    &mut self.states,
                    "Include Tsu's generator states before and after the round (a few seconds)",
                );
                if find(ui, true) {
                    let (step, name) = match self.states {
                        true => (Step::PoolStates, "pools states"),
                        false => (Step::Pools, "pools"),
                    };
                    worker.post(Job::Step(step, name.into()));
                }
            }
            SearchFor::Sequence => self.sequence(ui, cx, worker, find),
            SearchFor::Generator => {
                ui.weak("Cells that follow a generator from frame to frame, with known or unknown constants");
                let find = ui.horizontal_wrapped(|ui| {
                    let label = ui.label("Frames to sample");
                    ui.add(DragValue::new(&mut self.frames).range(5..=36_000)).labelled_by(label.id);
                    find(ui, true)
                });
                if find.inner {
                    worker.post(Job::Step(
                        Step::Rng(self.frames),
                        format!("generators, {} frames", self.frames),
                    ));
                }
            }
            SearchFor::Board => {
                ui.weak("Paint the board as on the screen: one letter for each kind of piece, whatever the game's code");
                self.board.show(ui, &cx.look);
                let painted = self.board.painted();
                let clicked = find(ui, painted.is_ok());
                match painted {
                    Ok(painted) if clicked => worker.post(Job::Board(painted)),
                    Ok(_) => {}
                    Err(why) => {
                        ui.colored_label(cx.look.tokens.caution, why.to_string());
                    }
                }
            }
        }
        if !shown.message.is_empty() {
            ui.weak(&shown.message);
        }
        ui.add_space(4.0);
        match &shown.found {
            Some(found) => self.results(ui, cx, shown, found),
            None if shown.memory.is_some() => {
                ui.weak("Nothing searched yet. Press Find: the addresses that match appear here");
            }
            None => {}
        }
    }

    fn sequence(
        &mut self,
        ui: &mut Ui,
        cx: &UiContext<'_>,
        worker: &Worker,
        find: impl Fn(&mut Ui, bool) -> bool,
    ) {
        ui.weak("One letter for each kind of piece, ? for an unknown piece. Matches any codes, up to 64 bytes apart, forward or backward");
        ui.horizontal_wrapped(|ui| {
            let enter = hinted(ui, &mut self.letters, "piece sequence", "RGBYYR?B", 220.0);
            let letters: String = self.letters.split_whitespace().collect();
            let pieces: Vec<Option<u8>> =
                letters.bytes().map(|letter| (letter != b'?').then_some(letter)).collect();
            let possible = !pieces.is_empty() && letters.is_ascii();
            if (find(ui, possible) || enter) && possible && shown_ready(worker) {
                worker.post(Job::Step(Step::Sequence(pieces), format!("sequence {letters}")));
            }
            if !letters.is_ascii() {
                ui.colored_label(cx.look.tokens.caution, "use only letters, digits and ?");
            }
        });
    }
}

/// Whether a search can be started.
fn shown_ready(worker: &Worker) -> bool {
    let shown = worker.shown();
    shown.memory.is_some() && shown.busy.is_none()
}

impl Structure {
    /// The table of results.
    fn results(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, shown: &Shown, found: &Found) {
        let rows = &found.table.rows;
        let took = format!("{:.1} ms", found.took.as_secs_f64() * 1000.0);
        if rows.is_empty() {
            ui.label(format!("{} ({}, {took})", found.table.empty, found.what));
            return;
        }
        let places = if rows.len() == 1 { "place" } else { "places" };
        let title = format!("{}: {} {places} ({took})", found.what, count(rows.len() as u64));
        ui.label(RichText::new(title).strong());
        let by_address = shown.memory.as_ref().is_some_and(|memory| memory.domain.is_some());
        let named = self.names.update(cx, shown);
        let order = ordered(rows, self.sort);
        let height = ui.text_style_height(&TextStyle::Body) + 6.0;
        let mut sort = self.sort;
        TableBuilder::new(ui)
            .id_salt("found")
            .striped(true)
            .sense(Sense::CLICK)
            .auto_shrink([false, true])
            .max_scroll_height(400.0)
            .column(Column::initial(120.0).resizable(true).clip(true))
            .column(Column::initial(130.0).resizable(true).clip(true))
            .column(Column::initial(170.0).resizable(true).clip(true))
            .column(Column::initial(170.0).resizable(true).clip(true))
            .column(Column::remainder())
            .header(height, |mut header| {
                for (number, title) in found.table.columns.iter().enumerate() {
                    header.col(|ui| {
                        if !title.is_empty() && sorting::title(ui, title, number, sort) {
                            sort = Sort::after_click(sort, number);
                        }
                    });
                }
                header.col(|_| {});
            })
            .body(|body| {
                body.rows(height, rows.len(), |mut row| {
                    let number = order[row.index()];
                    for cell in &rows[number] {
                        row.col(|ui| {
                            ui.add(Label::new(RichText::new(cell).monospace()).truncate())
                                .on_hover_text(cell);
                        });
                    }
                    let Some(watch) = found.watches.get(number) else { return };
                    let at = &rows[number][0];
                    let cell = CellAddress { address: watch.address, part: watch.part };
                    let name = named.then(|| self.names.name_of(cx.view, cell)).flatten();
                    let mut action = None;
                    row.col(|ui| {
                        let button = |ui: &mut Ui, text: &str| {
                            let button = ui.add_enabled(by_address, Button::new(text).small());
                            let hover = "Not addresses of console RAM";
                            let button = button.on_disabled_hover_text(hover);
                            button.accessible_name(format!("{text} {at}")).clicked()
                        };
                        if button(ui, "Go to") {
                            action = Some(FoundAction::GoTo);
                        }
                        if button(ui, "Watch") {
                            action = Some(FoundAction::Watch);
                        }
                        if let Some(name) = &name {
                            ui.weak(name).on_hover_text("A field of the profile");
                        }
                    });
                    row_menu::show(&row.response(), false, |ui| action = menu(ui, by_address).or(action));
                    match action {
                        Some(FoundAction::GoTo) => go_to(cx, shown, watch.address),
                        Some(FoundAction::Watch) => {
                            cx.actions.push(UiAction::AddWatches(vec![watch.clone()]));
                        }
                        Some(FoundAction::Copy) => cx.copy(at.as_str(), "address"),
                        None => {}
                    }
                });
            });
        self.sort = sort;
    }
}

#[derive(Debug, Clone, Copy)]
enum FoundAction {
    GoTo,
    Watch,
    Copy,
}

/// The context menu of a result.
fn menu(ui: &mut Ui, by_address: bool) -> Option<FoundAction> {
    let mut chosen = None;
    for (text, possible, action) in [
        ("Show in memory", by_address, FoundAction::GoTo),
        ("Watch this address", by_address, FoundAction::Watch),
        ("Copy address", true, FoundAction::Copy),
    ] {
        if row_menu::item(ui, text, "", possible) {
            chosen = Some(action);
        }
    }
    chosen
}

/// The numbers of the rows in the order of a column: shorter texts first, so that numbers are in order.
fn ordered<const N: usize>(rows: &[[String; N]], sort: Option<Sort<usize>>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    if let Some(sort) = sort.filter(|sort| sort.by < N) {
        order.sort_by(|one, other| {
            let text = |number: usize| (rows[number][sort.by].len(), &rows[number][sort.by]);
            sort.directed(text(*one).cmp(&text(*other)))
        });
    }
    order
}
