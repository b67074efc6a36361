//! The list as a table: a line each, edited in place.

use super::follow::Shared;
use super::{WatchesPanel, marked_name, plot, types};
use crate::console::ConsoleAddr;
use crate::gui::scene::{Ask, Scene};
use crate::gui::theme::Tone;
use crate::research::CellAddress;
use crate::research::watch::{Entry, Watch, WatchState};
use eframe::egui::{
    Align, Align2, Button, Color32, Frame, Id, Key, Label, Layout, Margin, Response, RichText, Role, Sense,
    TextEdit, TextStyle, Ui, WidgetInfo, vec2,
};
use egui_extras::{Column, TableBuilder, TableRow};
use std::time::{Duration, Instant};

/// How long a value that changed stays lit up.
const LIT: Duration = Duration::from_millis(700);
/// Height of a row in points.
const ROW: f32 = 26.0;

/// A cell with text that can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cell {
    Label,
    Address,
    Notes,
}

impl Cell {
    fn name(self) -> &'static str {
        match self {
            Self::Label => "Label",
            Self::Address => "Address",
            Self::Notes => "Notes",
        }
    }
}

/// What is being typed into a cell.
#[derive(Debug)]
pub struct Editing {
    at: (usize, Cell),
    text: String,
    /// Why it cannot be taken over.
    pub wrong: Option<String>,
}

/// What the table asks for.
#[derive(Debug)]
pub enum Act {
    Choose(usize),
    Edit(usize, Box<Entry>),
}

/// When each value changed last, as far as the window saw it.
#[derive(Debug, Default)]
pub struct Lit {
    revision: u64,
    changes: Vec<(u64, Option<Instant>)>,
}

impl Lit {
    /// Takes over what was counted; whether anything is lit up.
    pub fn update(&mut self, shared: &Shared, now: Instant) -> bool {
        let revision = shared.revision();
        let counts: Vec<u64> = shared.read(|list| {
            (0..list.entries().len()).map(|line| list.seen(line).map_or(0, |seen| seen.changes)).collect()
        });
        if self.revision != revision || self.changes.len() != counts.len() {
            self.revision = revision;
            self.changes = counts.into_iter().map(|count| (count, None)).collect();
            return false;
        }
        for (known, count) in self.changes.iter_mut().zip(counts) {
            if count > known.0 {
                known.1 = Some(now);
            }
            known.0 = count;
            known.1 = known.1.filter(|at| now.saturating_duration_since(*at) < LIT);
        }
        self.changes.iter().any(|(_, at)| at.is_some())
    }

    fn is_lit(&self, line: usize) -> bool {
        self.changes.get(line).is_some_and(|(_, at)| at.is_some())
    }
}

/// Draws the table, `height` points high at most.
pub fn show(ui: &mut Ui, panel: &mut WatchesPanel, scene: &mut Scene<'_>, height: f32) -> Vec<Act> {
    let mut acts = Vec::new();
    let lit = panel.lit.update(&panel.shared, scene.now) && scene.look.motion;
    if lit {
        ui.ctx().request_repaint_after(LIT);
    }
    let count = panel.shared.read(|list| list.entries().len());
    if scene.standing.tone() == Tone::Grey {
        ui.multiply_opacity(0.75);
    }
    ui.spacing_mut().item_spacing.x = 5.0;
    let text = ui.text_style_height(&TextStyle::Body) + 4.0;
    let mut table = TableBuilder::new(ui)
        .id_salt("watches")
        .striped(true)
        .sense(Sense::click())
        .auto_shrink([false, false])
        .max_scroll_height(height)
        .min_scrolled_height(height)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::initial(106.0).resizable(true).clip(true))
        .column(Column::initial(78.0).clip(true))
        .column(Column::initial(76.0).clip(true))
        .column(Column::initial(88.0).resizable(true).clip(true))
        .column(Column::initial(90.0).resizable(true).clip(true))
        .column(Column::initial(56.0).clip(true))
        .column(Column::initial(74.0).clip(true))
        .column(Column::remainder().at_least(50.0).clip(true));
    if let Some(line) = panel.scroll_to.take() {
        table = table.scroll_to_row(line, None).animate_scrolling(false);
    }
    table
        .header(text, |mut header| {
            for title in ["Label", "Address", "Type", "Value", "Previous", "Changes", "History", "Notes"] {
                header.col(|ui| {
                    ui.weak(title);
                });
            }
        })
        .body(|body| {
            body.rows(ROW, count, |mut row| {
                let line = row.index();
                let both = panel
                    .shared
                    .read(|list| Some((list.entries().get(line)?.clone(), list.seen(line)?.clone())));
                let Some((entry, seen)) = both else { return };
                row.set_selected(panel.chosen == Some(line));
                match &entry {
                    Entry::Separator(title) => separator(&mut row, panel, line, title, &mut acts),
                    Entry::Watch(watch) => watch_row(&mut row, panel, scene, (line, watch, &seen), &mut acts),
                }
                if row.response().clicked() {
                    acts.push(Act::Choose(line));
                }
            });
        });
    acts
}

fn separator(
    row: &mut TableRow<'_, '_>,
    panel: &mut WatchesPanel,
    line: usize,
    title: &str,
    acts: &mut Vec<Act>,
) {
    row.col(|ui| {
        let style = Style { strong: true, ..Style::default() };
        let done = field(ui, panel, (line, Cell::Label), title, "separator", style, acts);
        if let Some(text) = done {
            acts.push(Act::Edit(line, Box::new(Entry::Separator(text))));
        }
    });
    for _ in 0..7 {
        row.col(|_| ());
    }
}

fn watch_row(
    row: &mut TableRow<'_, '_>,
    panel: &mut WatchesPanel,
    scene: &mut Scene<'_>,
    (line, watch, seen): (usize, &Watch, &WatchState),
    acts: &mut Vec<Act>,
) {
    let tokens = scene.look.tokens;
    let name = marked_name(watch);
    let place = CellAddress { address: watch.address, part: watch.part }.to_string();
    row.col(|ui| {
        let done = field(ui, panel, (line, Cell::Label), &watch.label, &name, Style::default(), acts);
        if let Some(label) = done {
            acts.push(Act::Edit(line, Box::new(Entry::Watch(Watch { label, ..watch.clone() }))));
        }
    });
    row.col(|ui| {
        let style = Style { monospace: true, ..Style::default() };
        let done = field(ui, panel, (line, Cell::Address), &place, &name, style, acts);
        match done.map(|text| super::row::place_of(&text, scene).map_err(|wrong| (text, wrong))) {
            Some(Ok((place, _))) => {
                let watch = Watch { address: place.address, part: place.part, ..watch.clone() };
                acts.push(Act::Edit(line, Box::new(Entry::Watch(watch))));
            }
            Some(Err((text, wrong))) => {
                panel.editing = Some(Editing { at: (line, Cell::Address), text, wrong: Some(wrong) });
            }
            None => {}
        }
    });
    row.col(|ui| {
        let mut ty = watch.ty;
        if types::choose(ui, ("row", line), &format!("Type of {name}"), &mut ty) {
            acts.push(Act::Edit(line, Box::new(Entry::Watch(Watch { ty, ..watch.clone() }))));
        }
    });
    row.col(|ui| {
        let fill = (scene.look.motion && panel.lit.is_lit(line)).then_some(tokens.flash);
        let value = seen.value.as_ref().map(|value| watch.show(value));
        let text = value.clone().unwrap_or_else(|| "?".into());
        let hint = match value {
            Some(value) => format!("{name} holds {value}"),
            None => format!("{name} cannot be read, or holds no value of its type"),
        };
        if value_label(ui, &text, fill, &hint).clicked() {
            acts.push(Act::Choose(line));
        }
    });
    row.col(|ui| {
        let value = seen.previous.as_ref().map(|value| watch.show(value));
        let hint = format!("{name} held {} before its last change", value.as_deref().unwrap_or("nothing"));
        value_label(ui, value.as_deref().unwrap_or(""), None, &hint);
    });
    row.col(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            value_label(
                ui,
                &seen.changes.to_string(),
                None,
                &format!("{name} changed {} times", seen.changes),
            );
        });
    });
    row.col(|ui| plot::spark(ui, &scene.look, &name, seen, panel.shared.frame()));
    row.col(|ui| {
        let done = field(ui, panel, (line, Cell::Notes), &watch.notes, &name, Style::default(), acts);
        if let Some(notes) = done {
            acts.push(Act::Edit(line, Box::new(Entry::Watch(Watch { notes, ..watch.clone() }))));
        }
    });
}

fn value_label(ui: &mut Ui, text: &str, fill: Option<Color32>, hint: &str) -> Response {
    let shown = Frame::new()
        .fill(fill.unwrap_or(Color32::TRANSPARENT))
        .inner_margin(Margin::symmetric(3, 0))
        .show(ui, |ui| ui.add(Label::new(RichText::new(text).monospace()).truncate().sense(Sense::click())));
    let response = shown.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, hint));
    response.on_hover_text(hint)
}

#[derive(Clone, Copy, Default)]
struct Style {
    strong: bool,
    monospace: bool,
}

/// A cell that can be typed into; the new text once that is done.
fn field(
    ui: &mut Ui,
    panel: &mut WatchesPanel,
    at: (usize, Cell),
    current: &str,
    name: &str,
    style: Style,
    acts: &mut Vec<Act>,
) -> Option<String> {
    let mine = panel.editing.as_ref().filter(|editing| editing.at == at);
    let mut text = mine.map_or_else(|| current.to_owned(), |editing| editing.text.clone());
    let wrong = mine.is_some_and(|editing| editing.wrong.is_some());
    let mut field = TextEdit::singleline(&mut text)
        .id(Id::unique(("watch", at)))
        .frame(Frame::NONE)
        .margin(Margin::symmetric(3, 2))
        .min_size(vec2(0.0, ui.available_height()))
        .align(Align2::LEFT_CENTER)
        .desired_width(f32::INFINITY);
    if style.monospace {
        field = field.font(TextStyle::Monospace);
    }
    if wrong {
        field = field.text_color(ui.visuals().error_fg_color);
    } else if style.strong {
        field = field.text_color(ui.visuals().strong_text_color());
    }
    let response = ui.add(field).accessible_name(format!("{} of {name}", at.1.name()));
    if response.gained_focus() {
        acts.push(Act::Choose(at.0));
    }
    if response.changed() {
        panel.editing = Some(Editing { at, text: text.clone(), wrong: None });
    }
    if !response.lost_focus() {
        return None;
    }
    let given_up = ui.input(|input| input.key_pressed(Key::Escape));
    let typed = panel.editing.take_if(|editing| editing.at == at)?;
    (!given_up && typed.text != current).then_some(typed.text)
}

/// The button that leads from a watch to its bytes.
pub fn show_bytes(ui: &mut Ui, scene: &mut Scene<'_>, watch: &Watch) {
    let domain = scene.view.data.as_ref().map(|data| data.snapshot.domain());
    let inside = domain.and_then(|domain| super::follow::span(domain, watch.address, watch.ty.width()));
    let button = ui.add_enabled(inside.is_some(), Button::new("Show bytes"));
    let button = button
        .on_hover_text("Goes to its bytes in the memory view")
        .on_disabled_hover_text("It is not in the RAM that is attached");
    if let (true, Ok(address)) = (button.clicked(), u32::try_from(watch.address.0)) {
        scene.asked.push(Ask::Select(ConsoleAddr(address), watch.ty.width()));
    }
}
