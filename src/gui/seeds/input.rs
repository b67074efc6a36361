//! The input of the seed search: game, options, and pairs by buttons, letters or text.

use super::history::History;
use super::pair_request::{PairRequest, SavedValue};
use super::state::SeedsPanel;
use crate::gui::puyo;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::typed_text;
use crate::options::OptionKind;
use crate::pairs::PairGame;
use crate::pairs::interactive::SearchField;
use eframe::egui::{
    self, Align2, DragValue, EventFilter, FontId, Id, Key, Modifiers, Rect, Response, Role, ScrollArea,
    Sense, StrokeKind, TextEdit, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use nextscope_boards::Color;

/// Colours in button order; None is unknown.
const BUTTONS: [Option<Color>; 6] =
    [Some(Color::RED), Some(Color::GREEN), Some(Color::BLUE), Some(Color::YELLOW), Some(Color::PURPLE), None];

/// Diameter of colour buttons and of entered puyos, in points.
const BUTTON: f32 = 30.0;
const PUYO: f32 = 24.0;
/// Size of an entered pair with its number.
const CELL: Vec2 = vec2(PUYO + 8.0, 2.0 * PUYO + 18.0);

pub fn choices(ui: &mut Ui, panel: &mut SeedsPanel, cx: &UiContext<'_>, history: &mut History) {
    ui.horizontal_wrapped(|ui| {
        for game in PairGame::with_search() {
            let other = panel.single.game.is_some() || panel.form.game.is_some();
            if ui.selectable_label(!other && panel.request.game == Some(game), game.game().name()).clicked() {
                (panel.request.game, panel.single.game, panel.form.game) = (Some(game), None, None);
            }
        }
        if panel.form.games(ui) {
            panel.single.game = None;
        }
        let current = cx.status.is_current();
        let dealt = cx.view.data.as_ref().filter(|_| current).and_then(PairRequest::from_emulator);
        let replayed = cx.view.replay.is_some();
        let take = if replayed { "Use pairs of recording" } else { "Use pairs of emulator" };
        if let Some(request) = dealt
            && ui.button(take).on_hover_text("Enter the pairs dealt to player 1 in this round").clicked()
        {
            panel.restore(request);
        }
        recent(ui, panel, history);
    });
    if panel.single.games(ui) {
        panel.form.game = None;
    }
    if panel.single.game.is_some() || panel.form.game.is_some() {
        return;
    }
    let request = &mut panel.request;
    for row in request.search().map_or(&[][..], |search| search.fields) {
        ui.horizontal_wrapped(|ui| {
            for field in *row {
                if field.applies.applies(|flag| request.has(flag)) {
                    option(ui, request, field);
                }
            }
        });
    }
}

/// The most values of a number that are chosen by buttons.
const BUTTON_VALUES: u32 = 9;

fn option(ui: &mut Ui, request: &mut PairRequest, field: &SearchField) {
    let SearchField { option, label, .. } = field;
    let mut value = request.value(option);
    match (&mut value, option.kind) {
        (SavedValue::Flag(given), _) => match field.words {
            Some([without, with]) => {
                ui.selectable_value(given, false, without);
                ui.selectable_value(given, true, with);
            }
            None => {
                ui.checkbox(given, *label).on_hover_text(option.help);
            }
        },
        (SavedValue::Number(number), OptionKind::Number(least, most)) => {
            let label = ui.label(*label);
            if most - least < BUTTON_VALUES {
                for choice in least..=most {
                    ui.selectable_value(number, choice, choice.to_string()).on_hover_text(option.help);
                }
            } else {
                ui.add(DragValue::new(number).range(least..=most).speed(0.2))
                    .labelled_by(label.id)
                    .on_hover_text(option.help);
            }
        }
        (SavedValue::Number(_), _) => {}
        (SavedValue::Text(text), _) => {
            let label = ui.label(*label);
            ui.add(TextEdit::singleline(text).hint_text("unknown").desired_width(210.0))
                .labelled_by(label.id)
                .on_hover_text(option.help);
        }
    }
    request.set(option, value);
}

fn recent(ui: &mut Ui, panel: &mut SeedsPanel, history: &mut History) {
    let response = ui.menu_button("Recent searches", |ui| {
        ui.set_max_width(460.0);
        if history.entries().is_empty() {
            ui.weak("No recent searches");
            return;
        }
        let mut restored = None;
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for entry in history.entries() {
                let text = format!("{}\n{}: {}", entry.pieces(), entry.summary(), entry.result);
                if ui.button(text).clicked() {
                    restored = Some(entry.clone());
                }
            }
        });
        ui.separator();
        if ui.button("Clear recent searches").clicked() {
            history.clear();
            ui.close();
        }
        if let Some(entry) = restored {
            panel.reopen(entry);
            ui.close();
        }
    });
    response.response.on_hover_text("Searches are saved with the settings");
}

/// The pairs. Returns whether Enter requests a search.
pub fn pairs(ui: &mut Ui, panel: &mut SeedsPanel, cx: &UiContext<'_>) -> bool {
    let before = (panel.request.clone(), panel.chosen);
    let mut entered = None;
    let mut ours = false;
    let mut search = false;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for color in BUTTONS {
            let response = puyo::button(ui, color, BUTTON, &cx.look);
            ours |= response.has_focus();
            if response.clicked() {
                entered = Some(color);
            }
        }
        ui.add_space(4.0);
        let some = !panel.request.pieces().is_empty();
        let back = ui.add_enabled(some, egui::Button::new("Remove last"));
        ours |= back.has_focus();
        if back.on_hover_text("Remove the last puyo (Backspace)").clicked() {
            remove_last(panel);
        }
        if ui.add_enabled(some, egui::Button::new("Clear")).on_hover_text("Remove all pairs").clicked() {
            set(panel, &[]);
            panel.focus = true;
        }
        ui.add_space(4.0);
        search |= text_field(ui, panel);
    });
    if let Some(wrong) = &panel.wrong {
        ui.colored_label(cx.look.tokens.bad, wrong);
    }
    let area = entered_pairs(ui, panel, cx);
    if std::mem::take(&mut panel.focus) {
        area.request_focus();
    }
    if let Some(color) = entered {
        enter_puyo(panel, color);
    }
    if area.has_focus() {
        let filter =
            EventFilter { horizontal_arrows: true, escape: panel.chosen.is_some(), ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(area.id, filter));
        search |= arrows(ui, panel);
        ours = true;
    }
    if ours {
        letters(ui, panel);
    }
    if before != (panel.request.clone(), panel.chosen) {
        ui.ctx().request_repaint(); // the pairs were drawn before the letters were read
    }
    search
}

/// The pairs as text. Returns whether Enter was pressed.
fn text_field(ui: &mut Ui, panel: &mut SeedsPanel) -> bool {
    let label = ui.label("As text");
    let width = (ui.available_size_before_wrap().x - 16.0).clamp(140.0, 420.0);
    let field = TextEdit::singleline(&mut panel.typed).hint_text("BG GG ?Y").desired_width(width);
    let field = ui.add(field).labelled_by(label.id);
    if field.changed() {
        panel.chosen = None;
        panel.wrong = panel.request.read(&panel.typed).err().map(|error| error.to_string());
    } else if !field.has_focus() && panel.wrong.is_none() && panel.typed != panel.request.pieces() {
        panel.request.pieces().clone_into(&mut panel.typed);
    }
    field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

/// The entered pairs. Accepts typed letters; a puyo can be selected for correction.
fn entered_pairs(ui: &mut Ui, panel: &mut SeedsPanel, cx: &UiContext<'_>) -> Response {
    let puyos = panel.request.puyos();
    let tokens = cx.look.tokens;
    let count = puyos.len().div_ceil(2);
    let width = ui.available_width();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let a_row = (((width - 12.0) / CELL.x) as usize).max(1);
    let rows = (count + 1).div_ceil(a_row).max(1);
    #[expect(clippy::cast_precision_loss, reason = "rows in sight")]
    let size = vec2(width, 10.0 + CELL.y * rows as f32);
    let mut response = None;
    ScrollArea::vertical().id_salt("entered pairs").max_height(10.0 + 2.0 * CELL.y).stick_to_bottom(true).show(ui, |ui| {
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            // A fixed id keeps the focus when a message above appears.
            let area = ui.interact(rect, Id::unique("pairs entered"), Sense::click());
        let label = format!(
            "Entered pairs: {}. Type R G B Y P or ?; Backspace removes the last, arrows select one to correct",
            if count == 0 { "none" } else { panel.request.pieces() }
        );
        area.widget_info(|| WidgetInfo::labeled(Role::ListBox, true, &label));
        let focused = area.has_focus();
        if area.clicked() {
            area.request_focus();
            panel.chosen = None;
        }
        let stroke = if focused { (1.5, tokens.accent) } else { (1.0, tokens.line) };
        ui.painter().rect(rect, 5.0, tokens.card, stroke, StrokeKind::Inside);
        if count == 0 {
            let text = "Click the colours or type R G B Y P ? here: axis first, then child";
            let font = FontId::proportional(13.0);
            ui.painter().text(rect.left_center() + vec2(12.0, 0.0), Align2::LEFT_CENTER, text, font, tokens.muted);
        }
        for pair in 0..count {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let at = vec2((pair % a_row) as f32 * CELL.x, (pair / a_row) as f32 * CELL.y);
            let cell = Rect::from_min_size(rect.min + vec2(6.0, 5.0) + at, CELL);
            let x = cell.center().x;
            let places = [pos2(x, cell.top() + 1.5 * PUYO), pos2(x, cell.top() + 0.5 * PUYO)];
            for (half, place) in places.into_iter().enumerate() {
                entered_puyo(ui, panel, cx, &puyos, 2 * pair + half, place, area.id);
            }
            let number = u64::from(panel.request.at()) + pair as u64;
            let below = pos2(x, cell.top() + 2.0 * PUYO + 8.0);
            let font = FontId::proportional(10.5);
            ui.painter().text(below, Align2::CENTER_CENTER, number.to_string(), font, tokens.muted);
        }
        response = Some(area);
    });
    // The closure runs exactly once.
    response.unwrap_or_else(|| ui.label(""))
}

fn entered_puyo(
    ui: &Ui,
    panel: &mut SeedsPanel,
    cx: &UiContext<'_>,
    puyos: &[Option<Color>],
    number: usize,
    place: egui::Pos2,
    area: Id,
) {
    let tokens = cx.look.tokens;
    let rect = Rect::from_center_size(place, Vec2::splat(PUYO));
    let next = number == puyos.len() && panel.chosen.is_none();
    if panel.chosen == Some(number) || next {
        ui.painter().rect_stroke(rect.expand(1.0), 6.0, (2.0, tokens.accent), StrokeKind::Inside);
    }
    let Some(&color) = puyos.get(number) else { return };
    puyo::paint_pattern(ui.painter(), place, PUYO, color, &cx.look);
    let response = ui.interact(rect, area.with(number), Sense::CLICK);
    let part = if number.is_multiple_of(2) { "axis" } else { "child" };
    let pair = u64::from(panel.request.at()) + number as u64 / 2;
    let name = color.map_or("unknown", Color::name);
    let label = format!("Pair {pair}, {part}: {name}");
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, panel.chosen == Some(number), &label));
    if response.clicked() {
        panel.chosen = if panel.chosen == Some(number) { None } else { Some(number) };
        panel.focus = true;
    }
    response.on_hover_text(format!("{label}\nClick it, then click the correct colour"));
}

fn set(panel: &mut SeedsPanel, puyos: &[Option<Color>]) {
    panel.request.set_puyos(puyos);
    panel.request.pieces().clone_into(&mut panel.typed);
    panel.wrong = None;
    panel.chosen = panel.chosen.filter(|&chosen| chosen < puyos.len());
}

/// Appends a puyo, or replaces the selected one.
fn enter_puyo(panel: &mut SeedsPanel, color: Option<Color>) {
    let mut puyos = panel.request.puyos();
    match panel.chosen.take().and_then(|chosen| puyos.get_mut(chosen)) {
        Some(place) => *place = color,
        None => puyos.push(color),
    }
    set(panel, &puyos);
}

fn remove_last(panel: &mut SeedsPanel) {
    let mut puyos = panel.request.puyos();
    puyos.pop();
    panel.chosen = None;
    set(panel, &puyos);
}

/// Left and right select a puyo, Escape deselects. Returns whether Enter was pressed.
fn arrows(ui: &Ui, panel: &mut SeedsPanel) -> bool {
    let count = panel.request.puyos().len();
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowLeft) && count > 0 {
        panel.chosen = Some(panel.chosen.unwrap_or(count).saturating_sub(1));
    }
    if pressed(Key::ArrowRight) {
        panel.chosen = panel.chosen.map(|chosen| chosen + 1).filter(|&chosen| chosen < count);
    }
    if pressed(Key::Escape) {
        panel.chosen = None;
    }
    pressed(Key::Enter)
}

fn letters(ui: &Ui, panel: &mut SeedsPanel) {
    let back = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Backspace));
    if back {
        remove_last(panel);
    }
    let text = typed_text(ui);
    for letter in text.chars().filter(|letter| !letter.is_whitespace() && *letter != ',') {
        match (letter, Color::from_letter(letter)) {
            ('?', _) => enter_puyo(panel, None),
            (_, Some(color)) => enter_puyo(panel, Some(color)),
            (letter, None) => {
                panel.wrong =
                    Some(format!("{letter:?} is not a colour. Type R, G, B, Y, P, or ? for an unknown puyo"));
            }
        }
    }
}
