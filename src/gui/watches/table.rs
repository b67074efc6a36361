//! The watch list as a table, edited in place.

use super::cell::marked_name;
use super::editing::{Cell, Editing, HIGHLIGHT_TIME};
use super::menu;
use super::selected::SelectedAction;
use super::sort::SortBy;
use super::state::WatchesPanel;
use super::{plot, types};
use crate::gui::row_menu;
use crate::gui::sorting;
use crate::gui::theme::Tone;
use crate::gui::ui_context::UiContext;
use crate::research::CellAddress;
use crate::research::watch::{Entry, Watch, WatchState};
use crate::text::counted;
use eframe::egui::{
    Align, Align2, Color32, Frame, Id, Key, Label, Layout, Margin, Response, RichText, Role, Sense, TextEdit,
    TextStyle, Ui, WidgetInfo, vec2,
};
use egui_extras::{Column, TableBuilder, TableRow};

/// Row height in points.
const ROW: f32 = 26.0;

#[derive(Debug)]
pub enum RowAction {
    Choose(usize),
    Edit(usize, Box<Entry>),
    /// An action of the context menu.
    Do(usize, SelectedAction),
    /// Sorts the list by a column.
    Sort(SortBy),
}

/// Draws the table with at most this `height` in points.
pub fn show(ui: &mut Ui, panel: &mut WatchesPanel, cx: &mut UiContext<'_>, height: f32) -> Vec<RowAction> {
    let mut row_actions = Vec::new();
    let highlights = panel.highlights.update(&panel.shared, cx.now) && cx.look.motion;
    if highlights {
        ui.ctx().request_repaint_after(HIGHLIGHT_TIME);
    }
    let count = panel.shared.read(|list| list.entries().len());
    if cx.status.tone() == Tone::Grey {
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
            for (title, by) in [
                ("Label", Some(SortBy::Label)),
                ("Address", Some(SortBy::Address)),
                ("Type", Some(SortBy::Type)),
                ("Value", Some(SortBy::Value)),
                ("Previous", None),
                ("Changes", Some(SortBy::Changes)),
                ("History", None),
                ("Notes", Some(SortBy::Notes)),
            ] {
                header.col(|ui| match by {
                    Some(by) if sorting::title(ui, title, by, panel.sorted) => {
                        row_actions.push(RowAction::Sort(by));
                    }
                    Some(_) => {}
                    None => drop(ui.weak(title)),
                });
            }
        })
        .body(|body| {
            body.rows(ROW, count, |mut row| {
                let line = row.index();
                let both = panel
                    .shared
                    .read(|list| Some((list.entries().get(line)?.clone(), list.state(line)?.clone())));
                let Some((entry, sampled)) = both else { return };
                row.set_selected(panel.selected == Some(line));
                match &entry {
                    Entry::Separator(title) => separator(&mut row, panel, line, title, &mut row_actions),
                    Entry::Watch(watch) => {
                        watch_row(&mut row, panel, cx, (line, watch, &sampled), &mut row_actions);
                    }
                }
                let response = row.response();
                if response.clicked() || row_menu::is_clicked(&response) {
                    row_actions.push(RowAction::Choose(line));
                }
                row_menu::show(&response, false, |ui| {
                    if let Some(act) = menu::show(ui, cx, (line, count), &entry, &sampled) {
                        row_actions.push(RowAction::Do(line, act));
                    }
                });
            });
        });
    row_actions
}

fn separator(
    row: &mut TableRow<'_, '_>,
    panel: &mut WatchesPanel,
    line: usize,
    title: &str,
    row_actions: &mut Vec<RowAction>,
) {
    row.col(|ui| {
        let style = Style { strong: true, ..Style::default() };
        let done = field(ui, panel, (line, Cell::Label), title, "separator", style, row_actions);
        if let Some(text) = done {
            row_actions.push(RowAction::Edit(line, Box::new(Entry::Separator(text))));
        }
    });
    for _ in 0..7 {
        row.col(|_| ());
    }
}

fn watch_row(
    row: &mut TableRow<'_, '_>,
    panel: &mut WatchesPanel,
    cx: &mut UiContext<'_>,
    (line, watch, sampled): (usize, &Watch, &WatchState),
    row_actions: &mut Vec<RowAction>,
) {
    let tokens = cx.look.tokens;
    let name = marked_name(watch);
    let place = CellAddress { address: watch.address, part: watch.part }.to_string();
    row.col(|ui| {
        let done = field(ui, panel, (line, Cell::Label), &watch.label, &name, Style::default(), row_actions);
        if let Some(label) = done {
            row_actions.push(RowAction::Edit(line, Box::new(Entry::Watch(Watch { label, ..watch.clone() }))));
        }
    });
    row.col(|ui| {
        let style = Style { monospace: true, ..Style::default() };
        let done = field(ui, panel, (line, Cell::Address), &place, &name, style, row_actions);
        match done.map(|text| super::row::place_of(&text, cx).map_err(|wrong| (text, wrong))) {
            Some(Ok((place, _))) => {
                let watch = Watch { address: place.address, part: place.part, ..watch.clone() };
                row_actions.push(RowAction::Edit(line, Box::new(Entry::Watch(watch))));
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
            row_actions.push(RowAction::Edit(line, Box::new(Entry::Watch(Watch { ty, ..watch.clone() }))));
        }
    });
    row.col(|ui| {
        let fill = (cx.look.motion && panel.highlights.is_highlighted(line)).then_some(tokens.flash);
        let value = sampled.value.as_ref().map(|value| watch.show(value));
        let text = value.clone().unwrap_or_else(|| "?".into());
        let hint = match value {
            Some(value) => format!("{name}: {value}"),
            None => format!("{name} cannot be read as its type"),
        };
        if value_label(ui, &text, fill, &hint).clicked() {
            row_actions.push(RowAction::Choose(line));
        }
    });
    row.col(|ui| {
        let value = sampled.previous.as_ref().map(|value| watch.show(value));
        let hint = format!("Previous value of {name}: {}", value.as_deref().unwrap_or("none"));
        value_label(ui, value.as_deref().unwrap_or(""), None, &hint);
    });
    row.col(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            value_label(
                ui,
                &sampled.changes.to_string(),
                None,
                &format!("{name} changed {}", counted(sampled.changes, "time")),
            );
        });
    });
    row.col(|ui| plot::spark(ui, &cx.look, &name, sampled, panel.shared.frame()));
    row.col(|ui| {
        let done = field(ui, panel, (line, Cell::Notes), &watch.notes, &name, Style::default(), row_actions);
        if let Some(notes) = done {
            row_actions.push(RowAction::Edit(line, Box::new(Entry::Watch(Watch { notes, ..watch.clone() }))));
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

/// An editable cell; returns the new text when editing ends.
fn field(
    ui: &mut Ui,
    panel: &mut WatchesPanel,
    at: (usize, Cell),
    current: &str,
    name: &str,
    style: Style,
    row_actions: &mut Vec<RowAction>,
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
        row_actions.push(RowAction::Choose(at.0));
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
