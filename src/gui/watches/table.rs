//! The watch list as a table, edited in place.

use super::cell::marked_name;
use super::editing::{Cell, Editing, HIGHLIGHT_TIME, cell_id};
use super::keys::{self, extend};
use super::menu;
use super::row_action::RowAction;
use super::selection::Extend;
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
    Align, Align2, Color32, Frame, Key, Label, Layout, Margin, RichText, Role, Sense, StrokeKind, TextEdit,
    TextStyle, Ui, WidgetInfo, vec2,
};
use egui_extras::{Column, TableBuilder, TableRow};

/// Row height in points.
const ROW: f32 = 26.0;

/// Draws the table with at most this `height` in points.
pub fn show(ui: &mut Ui, panel: &mut WatchesPanel, cx: &mut UiContext<'_>, height: f32) -> Vec<RowAction> {
    let mut row_actions = Vec::new();
    let highlights = panel.highlights.update(&panel.shared, cx.now) && cx.look.motion;
    if highlights {
        ui.ctx().request_repaint_after(HIGHLIGHT_TIME);
    }
    let count = panel.shared.read(|list| list.entries().len());
    panel.selected.limit(count);
    row_actions.extend(keys::show(ui, panel, count, &cursor_text(panel)));
    let focused = ui.memory(|memory| memory.has_focus(keys::list_id()));
    let asked = focused && row_menu::is_asked(ui);
    let extend = extend(ui.input(|input| input.modifiers));
    let clip = ui.clip_rect();
    let (mut cursor_row, mut clicked_row) = (None, false);
    if cx.status.tone() == Tone::Grey {
        ui.multiply_opacity(0.75);
    }
    ui.spacing_mut().item_spacing.x = 5.0;
    let text = ui.text_style_height(&TextStyle::Body) + 4.0;
    let mut table = TableBuilder::new(ui)
        .id_salt("watches")
        .striped(true)
        .sense(Sense::CLICK | Sense::HOVER)
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
                let is_selected = panel.selected.contains(line);
                row.set_selected(is_selected);
                let text = line_text(&entry, &sampled);
                match &entry {
                    Entry::Separator(title) => separator(&mut row, panel, line, title, &mut row_actions),
                    Entry::Watch(watch) => {
                        watch_row(&mut row, panel, cx, (line, watch, &sampled), &mut row_actions);
                    }
                }
                let response = row.response();
                response.widget_info(|| WidgetInfo::selected(Role::Row, true, is_selected, &text));
                // With Ctrl or Shift a click on a text field selects the row, too.
                let picked = extend != Extend::Only
                    && response.contains_pointer()
                    && response.ctx.input(|input| input.pointer.primary_clicked());
                if response.clicked() || picked {
                    row_actions.push(RowAction::Select(line, extend));
                    clicked_row = true;
                }
                if row_menu::is_clicked(&response) && !is_selected {
                    row_actions.push(RowAction::Select(line, Extend::Only));
                }
                let at_cursor = panel.selected.cursor() == Some(line);
                if at_cursor {
                    cursor_row = Some(response.rect);
                }
                row_menu::show(&response, asked && at_cursor, |ui| {
                    if let Some(act) = menu::show(ui, panel, cx, (line, count)) {
                        row_actions.push(RowAction::Do(act));
                    }
                });
            });
        });
    if clicked_row {
        ui.memory_mut(|memory| memory.request_focus(keys::list_id()));
    }
    if let Some(rect) = cursor_row.filter(|_| focused) {
        let frame = ui.visuals().widgets.active.bg_stroke;
        ui.painter().with_clip_rect(clip).rect_stroke(rect, 2, frame, StrokeKind::Inside);
    }
    row_actions
}

/// A line for screen readers.
fn line_text(entry: &Entry, sampled: &WatchState) -> String {
    match entry {
        Entry::Separator(title) => format!("Separator {title}"),
        Entry::Watch(watch) => {
            let value = sampled.value.as_ref().map(|value| watch.show(value));
            format!("{}, value {}", marked_name(watch), value.as_deref().unwrap_or("unknown"))
        }
    }
}

fn cursor_text(panel: &WatchesPanel) -> String {
    let text =
        |line: usize| panel.shared.read(|list| Some(line_text(list.entries().get(line)?, list.state(line)?)));
    panel.selected.cursor().and_then(text).unwrap_or_default()
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
        value_label(ui, &text, fill, &hint);
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

/// The row below takes the clicks.
fn value_label(ui: &mut Ui, text: &str, fill: Option<Color32>, hint: &str) {
    let shown = Frame::new()
        .fill(fill.unwrap_or(Color32::TRANSPARENT))
        .inner_margin(Margin::symmetric(3, 0))
        .show(ui, |ui| ui.add(Label::new(RichText::new(text).monospace()).truncate().selectable(false)));
    let response = shown.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, hint));
    response.on_hover_text(hint);
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
        .id(cell_id(at))
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
    let picks = extend(ui.input(|input| input.modifiers)) != Extend::Only
        && response.contains_pointer()
        && ui.input(|input| input.pointer.any_down() || input.pointer.any_released());
    if picks {
        response.surrender_focus();
    } else if response.gained_focus() {
        row_actions.push(RowAction::Select(at.0, Extend::Only));
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
