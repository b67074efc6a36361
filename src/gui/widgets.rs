//! Widgets shared by several panels.

use super::marks::{Mark, mark};
use super::theme::Tokens;
use super::ui_context::{UiContext, duration_text};
use crate::pairs::PairRules;
use eframe::egui::scroll_area::ScrollBarVisibility;
use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{
    Button, Color32, ComboBox, DragValue, Event, EventFilter, Frame, Id, Key, Margin, Modifiers, ProgressBar,
    Response, RichText, Role, ScrollArea, Sense, TextEdit, TextStyle, Ui, WidgetInfo, WidgetText, vec2,
};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A coloured strip with an icon and a sentence.
pub fn banner(ui: &mut Ui, fill: Color32, color: Color32, sign: Mark, text: &str) -> Response {
    Frame::new()
        .fill(fill)
        .corner_radius(4)
        .inner_margin(Margin::symmetric(8, 5))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal_wrapped(|ui| {
                mark(ui, sign, color);
                ui.label(text);
            });
        })
        .response
}

/// A scroll area whose bar does not come and go: with the height, which depends on the width that it leaves, it would do so
/// with every frame.
pub fn steady_area() -> ScrollArea {
    ScrollArea::vertical()
        .auto_shrink([false, false])
        .scroll_bar_visibility(ScrollBarVisibility::AlwaysVisible)
}

/// A bar of `share`, 0 to 1, with a button that ends the work, in one row.
pub fn progress_row(ui: &mut Ui, share: f64, text: String, button: &str) -> Response {
    /// Room for the button, and the least width of the bar, in points.
    const BUTTON: f32 = 80.0;
    const LEAST: f32 = 80.0;
    let row = ui.horizontal(|ui| {
        let width = (ui.available_width() - BUTTON).max(LEAST);
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let bar = ProgressBar::new(share as f32).text(text);
        ui.add(bar.desired_width(width));
        ui.button(button)
    });
    row.inner
}

/// A number with its label.
pub fn number(ui: &mut Ui, name: &str, value: &mut u32, range: RangeInclusive<u32>, meaning: &str) {
    let label = ui.label(name);
    ui.add(DragValue::new(value).range(range).speed(0.2)).labelled_by(label.id).on_hover_text(meaning);
}

/// A labelled combo box.
pub fn combo<T: PartialEq + Copy>(
    ui: &mut Ui,
    name: &str,
    chosen: &mut T,
    choices: impl IntoIterator<Item = (T, String)>,
    width: f32,
) -> Response {
    let choices: Vec<(T, String)> = choices.into_iter().collect();
    let text = choices.iter().find(|(choice, _)| choice == chosen).map_or("", |(_, text)| text.as_str());
    let label = ui.label(name);
    let combo = ComboBox::from_id_salt(name).selected_text(WidgetText::from(text)).width(width);
    let shown = combo.show_ui(ui, |ui| {
        for (choice, text) in &choices {
            ui.selectable_value(chosen, *choice, text.as_str());
        }
    });
    shown.response.labelled_by(label.id)
}

/// A short field with a hint text; true if Enter was pressed in it.
pub fn hinted(ui: &mut Ui, text: &mut String, name: &str, hint: &str, width: f32) -> bool {
    let response =
        ui.add(TextEdit::singleline(text).hint_text(hint).desired_width(width)).accessible_name(name);
    response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

/// The controls of the options that decide what a seed deals.
pub fn controls(ui: &mut Ui, rules: &PairRules, choices: &mut BTreeMap<String, String>) {
    for control in rules.controls {
        if !control.is_shown(rules, choices) {
            continue;
        }
        if !control.label.is_empty() {
            ui.label(control.label);
        }
        for (value, label) in control.choices {
            let chosen = control.chosen(choices) == *value;
            let mut response = ui.selectable_label(chosen, *label);
            if !control.meaning.is_empty() {
                response = response.on_hover_text(control.meaning);
            }
            if response.clicked() {
                choices.insert(control.option.to_owned(), (*value).to_owned());
            }
        }
    }
}

/// A banner that explains why the data below are not live.
pub fn stale_banner(ui: &mut Ui, cx: &UiContext<'_>) {
    let Some(why) = cx.stale_reason() else { return };
    let tokens = cx.look.tokens;
    let lost = cx.status == super::ui_context::ConnectionStatus::Lost;
    let (fill, color) =
        if lost { (tokens.bad_fill, tokens.bad) } else { (tokens.caution_fill, tokens.caution) };
    banner(ui, fill, color, cx.status.mark(), &why);
}

/// A short form of [`stale_banner`] for secondary panels.
pub fn stale_note(ui: &mut Ui, cx: &UiContext<'_>) {
    let Some(why) = cx.stale_reason() else { return };
    let color = cx.status_color();
    ui.horizontal_wrapped(|ui| {
        mark(ui, cx.status.mark(), color);
        let old = super::ui_context::age(cx.view, cx.now)
            .map_or_else(String::new, |age| format!(", {} old", duration_text(age)));
        ui.label(RichText::new(format!("{}{old}", cx.word())).color(color)).on_hover_text(why);
    });
}

/// A box around a group.
pub fn card<R>(ui: &mut Ui, tokens: &Tokens, add: impl FnOnce(&mut Ui) -> R) -> R {
    Frame::new()
        .fill(tokens.card)
        .stroke((1.0, tokens.line))
        .corner_radius(5)
        .inner_margin(Margin::same(8))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            add(ui)
        })
        .inner
}

/// A step of a player control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    First,
    Back,
    TogglePlay,
    Forward,
    Last,
}

/// Player buttons. `back` and `on` enable the steps; `playing` names what is played, with its shortcut.
pub fn steps(
    ui: &mut Ui,
    (back, on): (bool, bool),
    plays: bool,
    (playing, keys): (&str, Option<&str>),
) -> Option<Step> {
    let mut step = None;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let mut button = |ui: &mut Ui, sign: &str, name: &str, enabled, to| {
            let response = ui.add_enabled(enabled, Button::new(sign).min_size(vec2(28.0, 0.0)));
            response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, name));
            if response.on_hover_text(name).clicked() {
                step = Some(to);
            }
        };
        button(ui, "|<", "Go to the start", back, Step::First);
        button(ui, "<", "Step back", back, Step::Back);
        let name = if plays { "Pause" } else { "Play" };
        let response = ui.add_enabled(back || on, Button::new(name).min_size(vec2(54.0, 0.0)));
        let keys = keys.map_or_else(String::new, |keys| format!(" ({keys})"));
        let played = response.on_hover_text(format!("{name} {playing}{keys}")).clicked();
        button(ui, ">", "Step forward", on, Step::Forward);
        button(ui, ">|", "Go to the end", on, Step::Last);
        if played {
            step = Some(Step::TogglePlay);
        }
    });
    step
}

/// Moves the cursor of a focused grid by arrow keys, Home and End; `last` is the last column and row.
pub fn moved_cursor(
    ui: &Ui,
    response: &Response,
    (mut column, mut row): (usize, usize),
    last: (usize, usize),
) -> (usize, usize) {
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    ui.input_mut(|input| {
        let mut pressed = |key| input.consume_key(Modifiers::NONE, key);
        if pressed(Key::ArrowLeft) {
            column = column.saturating_sub(1);
        }
        if pressed(Key::ArrowRight) {
            column = (column + 1).min(last.0);
        }
        if pressed(Key::ArrowUp) {
            row = row.saturating_sub(1);
        }
        if pressed(Key::ArrowDown) {
            row = (row + 1).min(last.1);
        }
        if pressed(Key::Home) {
            column = 0;
        }
        if pressed(Key::End) {
            column = last.0;
        }
    });
    (column, row)
}

/// The letters typed or pasted since the last frame.
pub fn typed_text(ui: &Ui) -> String {
    ui.input(|input| {
        let text = input.events.iter().filter_map(|event| match event {
            Event::Text(text) | Event::Paste(text) => Some(text.as_str()),
            _ => None,
        });
        text.collect()
    })
}

/// The space between what was entered, in points.
const GAP: f32 = 3.0;

/// An area that shows what was entered and accepts letters while it has the focus.
pub struct EntryArea<'a> {
    pub id: &'static str,
    /// Height of a row of what is entered, in points. Three rows are visible.
    pub row: f32,
    /// For screen readers.
    pub label: &'a str,
    /// Shown while nothing is entered.
    pub hint: Option<&'a str>,
}

impl EntryArea<'_> {
    /// Draws it, and its content by `draw`. The id is fixed, so that it keeps the focus when a message appears above.
    pub fn show(&self, ui: &mut Ui, tokens: &Tokens, draw: impl FnOnce(&mut Ui)) -> Response {
        let id = Id::unique(self.id);
        let stroke =
            if ui.memory(|memory| memory.has_focus(id)) { (1.5, tokens.accent) } else { (1.0, tokens.line) };
        let frame =
            Frame::new().fill(tokens.card).stroke(stroke).corner_radius(5).inner_margin(Margin::same(6));
        let shown = frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.set_min_height(self.row);
            if let Some(hint) = self.hint {
                ui.weak(hint);
            }
            let area = ScrollArea::vertical().id_salt(self.id).max_height(3.0 * (self.row + GAP));
            area.stick_to_bottom(true).show(ui, |ui| {
                ui.horizontal_wrapped(|ui| {
                    ui.spacing_mut().item_spacing = vec2(GAP, GAP);
                    draw(ui);
                });
            });
        });
        let area = ui.interact(shown.response.rect, id, Sense::click());
        area.widget_info(|| WidgetInfo::labeled(Role::ListBox, true, self.label));
        if area.clicked() {
            area.request_focus();
        }
        area
    }
}

/// Focuses a text field and selects its `text`, so that typing replaces it.
pub fn focus_and_select_all(field: &Response, text: &str) {
    field.request_focus();
    let mut state = TextEditState::load(&field.ctx, field.id).unwrap_or_default();
    let all = CCursorRange::two(CCursor::default(), CCursor::new(text.chars().count()));
    state.cursor.set_char_range(Some(all));
    state.store(&field.ctx, field.id);
}

/// A command with a copy button.
pub fn copyable(ui: &mut Ui, cx: &mut UiContext<'_>, text: &str, what: &'static str) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(text).monospace().background_color(cx.look.tokens.panel));
        if ui.small_button("Copy").on_hover_text(format!("Copy {what}: {text}")).clicked() {
            cx.copy(text, what);
        }
    });
}

/// `text` shortened to `width` points by an ellipsis in the middle: the end of a path is the most useful part.
pub fn shortened_in_the_middle(ui: &Ui, text: &str, width: f32) -> String {
    let font = TextStyle::Body.resolve(ui.style());
    let fits = |text: &str| {
        ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::PLACEHOLDER).size().x <= width
    };
    if fits(text) {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let shortened = |length: usize| -> String {
        let head = length / 3;
        let tail = letters.len() - (length - head);
        letters.iter().take(head).chain(&['…']).chain(letters.iter().skip(tail)).collect()
    };
    let (mut length, mut too_many) = (0, letters.len());
    while length + 1 < too_many {
        let middle = usize::midpoint(length, too_many);
        if fits(&shortened(middle)) { length = middle } else { too_many = middle }
    }
    shortened(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_kittest::Harness;

    #[test]
    fn what_is_too_long_loses_its_middle_and_no_more() {
        let path = "/home/user/.local/share/nextscope/evidence/1764000000-77/001.nsrec";
        let _ = Harness::new_ui(|ui| {
            assert_eq!(shortened_in_the_middle(ui, path, 2000.0), path);
            let mut before = 0;
            for width in [20.0, 60.0, 120.0, 200.0, 300.0, 400.0] {
                let text = shortened_in_the_middle(ui, path, width);
                let (head, tail) = text.split_once('…').unwrap();
                assert!(path.starts_with(head) && path.ends_with(tail), "{text}");
                assert!(text.len() > before, "{text}");
                before = text.len();
            }
            assert_eq!(shortened_in_the_middle(ui, "ääääääääääää", 1.0), "…");
        });
    }
}
