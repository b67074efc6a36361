//! What is asked: the game, what is known of it, and the pairs, by mouse, by letters or as text.

use super::asked::{Asked, Game, LAST_FIRST};
use super::{SeedsPanel, engine, history::History};
use crate::game::puyo::Color;
use crate::gui::puyo;
use crate::gui::scene::Scene;
use crate::gui::widgets::{colors_of_game, mode_and_level};
use eframe::egui::{
    self, Align, Align2, DragValue, Event, EventFilter, FontId, Id, Key, Layout, Modifiers, Rect, Response,
    RichText, Role, ScrollArea, Sense, StrokeKind, TextEdit, Ui, Vec2, WidgetInfo, pos2, vec2,
};

/// The colours in the order of their buttons; None for a puyo that was not seen.
const BUTTONS: [Option<Color>; 6] =
    [Some(Color::RED), Some(Color::GREEN), Some(Color::BLUE), Some(Color::YELLOW), Some(Color::PURPLE), None];

/// The diameter of a colour's button, and of a puyo that was entered, in points.
const BUTTON: f32 = 30.0;
const PUYO: f32 = 24.0;
/// The space of an entered pair with its number.
const CELL: Vec2 = vec2(PUYO + 8.0, 2.0 * PUYO + 18.0);

/// Game, options, history.
pub fn choices(ui: &mut Ui, panel: &mut SeedsPanel, scene: &Scene<'_>, history: &mut History) {
    ui.horizontal_wrapped(|ui| {
        for game in Game::ALL {
            let chosen = panel.single.game.is_none() && panel.asked.game == game;
            if ui.selectable_label(chosen, game.name()).clicked() {
                (panel.asked.game, panel.single.game) = (game, None);
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            recent(ui, panel, history);
            let current = scene.standing.is_current();
            let dealt = scene.view.data.as_ref().filter(|_| current).and_then(engine::from_emulator);
            let replayed = scene.view.replay.is_some();
            let take = if replayed { "Take over from recording" } else { "Take over from emulator" };
            if let Some(asked) = dealt
                && ui
                    .button(take)
                    .on_hover_text("Enters the pairs that the first player was dealt in this round")
                    .clicked()
            {
                panel.restore(asked);
            }
        });
    });
    panel.single.games(ui);
    if panel.single.game.is_some() {
        return;
    }
    let asked = &mut panel.asked;
    ui.horizontal_wrapped(|ui| match asked.game {
        Game::Anniversary => {
            colors_of_game(ui, &mut asked.colors);
            first_pair(ui, asked);
            ui.checkbox(&mut asked.relabel, "Colours are only names")
                .on_hover_text("Any renaming of the colours fits, the same for all pairs");
            unordered(ui, asked);
        }
        Game::Tsu => {
            mode_and_level(ui, &mut asked.story, &mut asked.level);
            let label = ui.label("Colour set");
            let field =
                TextEdit::singleline(&mut asked.color_set).hint_text("not known").desired_width(150.0);
            ui.add(field)
                .labelled_by(label.id)
                .on_hover_text("The colour set in RAM, 8 bytes or the first 5 in hexadecimal: 0400050301");
        }
    });
    if asked.game == Game::Tsu {
        ui.horizontal_wrapped(|ui| {
            first_pair(ui, asked);
            unordered(ui, asked);
        });
    }
}

fn first_pair(ui: &mut Ui, asked: &mut Asked) {
    let label = ui.label("First pair is no.");
    ui.add(DragValue::new(&mut asked.at).range(1..=LAST_FIRST).speed(0.2))
        .labelled_by(label.id)
        .on_hover_text("The number in the round of the first pair entered, when earlier ones were missed");
}

fn unordered(ui: &mut Ui, asked: &mut Asked) {
    ui.checkbox(&mut asked.unordered, "Order in a pair unknown")
        .on_hover_text("Each pair may be the other way round");
}

fn recent(ui: &mut Ui, panel: &mut SeedsPanel, history: &mut History) {
    let response = ui.menu_button("Recent searches", |ui| {
        ui.set_max_width(460.0);
        if history.entries().is_empty() {
            ui.weak("Nothing was searched for yet");
            return;
        }
        let mut restored = None;
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for entry in history.entries() {
                let text = format!("{}\n{}: {}", entry.pieces(), entry.summary(), entry.said);
                if ui.button(text).clicked() {
                    restored = Some(entry.clone());
                }
            }
        });
        ui.separator();
        if ui.button("Forget these searches").clicked() {
            history.clear();
            ui.close();
        }
        if let Some(entry) = restored {
            panel.reopen(entry);
            ui.close();
        }
    });
    response.response.on_hover_text("Searches are kept with the settings");
}

/// The pairs. Returns whether Enter asks for a search.
pub fn pairs(ui: &mut Ui, panel: &mut SeedsPanel, scene: &Scene<'_>) -> bool {
    let before = (panel.asked.clone(), panel.chosen);
    let mut entered = None;
    let mut ours = false;
    let mut search = false;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for color in BUTTONS {
            let response = color_button(ui, scene, color);
            ours |= response.has_focus();
            if response.clicked() {
                entered = Some(color);
            }
        }
        ui.add_space(4.0);
        let some = !panel.asked.pieces().is_empty();
        let back = ui.add_enabled(some, egui::Button::new("Take back"));
        ours |= back.has_focus();
        if back.on_hover_text("Takes the last puyo away (Backspace)").clicked() {
            take_back(panel);
        }
        if ui.add_enabled(some, egui::Button::new("Clear")).on_hover_text("Begins anew").clicked() {
            set(panel, &[]);
            panel.focus = true;
        }
        ui.add_space(4.0);
        search |= text_field(ui, panel);
    });
    if let Some(wrong) = &panel.wrong {
        ui.colored_label(scene.look.tokens.bad, wrong);
    }
    let area = entered_pairs(ui, panel, scene);
    if std::mem::take(&mut panel.focus) {
        area.request_focus();
    }
    if let Some(color) = entered {
        enter(panel, color);
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
    if before != (panel.asked.clone(), panel.chosen) {
        ui.ctx().request_repaint(); // the pairs were drawn before the letters were read
    }
    search
}

fn color_button(ui: &mut Ui, scene: &Scene<'_>, color: Option<Color>) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(BUTTON + 2.0), Sense::click());
    let letter = color.map_or('?', Color::letter);
    let label = format!("Enter {} ({letter})", color.map_or("not seen", Color::name));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    if response.hovered() || response.has_focus() {
        let stroke = (2.0, scene.look.tokens.accent);
        ui.painter().rect_stroke(rect, BUTTON / 2.0, stroke, StrokeKind::Outside);
    }
    puyo::paint_seen(ui.painter(), rect.center(), BUTTON, color, &scene.look);
    response.on_hover_text(label)
}

/// The field with the pairs as text. Returns whether Enter was pressed in it.
fn text_field(ui: &mut Ui, panel: &mut SeedsPanel) -> bool {
    let label = ui.label("or as text");
    let width = (ui.available_size_before_wrap().x - 16.0).clamp(140.0, 420.0);
    let field = TextEdit::singleline(&mut panel.typed).hint_text("BG GG ?Y").desired_width(width);
    let field = ui.add(field).labelled_by(label.id);
    if field.changed() {
        panel.chosen = None;
        panel.wrong = panel.asked.read(&panel.typed).err().map(|error| error.to_string());
    } else if !field.has_focus() && panel.wrong.is_none() && panel.typed != panel.asked.pieces() {
        panel.asked.pieces().clone_into(&mut panel.typed);
    }
    field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

/// The pairs as they were entered. Letters go here; a puyo can be chosen to be corrected.
fn entered_pairs(ui: &mut Ui, panel: &mut SeedsPanel, scene: &Scene<'_>) -> Response {
    let puyos = panel.asked.puyos();
    let tokens = scene.look.tokens;
    let count = puyos.len().div_ceil(2);
    let width = ui.available_width();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let a_row = (((width - 12.0) / CELL.x) as usize).max(1);
    let rows = (count + 1).div_ceil(a_row).max(1);
    #[expect(clippy::cast_precision_loss, reason = "rows in sight")]
    let size = vec2(width, 10.0 + CELL.y * rows as f32);
    let mut shown = None;
    ScrollArea::vertical().id_salt("entered pairs").max_height(10.0 + 2.0 * CELL.y).stick_to_bottom(true).show(ui, |ui| {
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            // An id of its own: the focus must stay when a message above comes or goes.
            let area = ui.interact(rect, Id::unique("pairs entered"), Sense::click());
        let label = format!(
            "Pairs entered: {}. Type R G B Y P or ?; Backspace takes the last away, arrows choose one to correct",
            if count == 0 { "none" } else { panel.asked.pieces() }
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
            let text = "Click the colours as they come, or type R G B Y P and ? here: the axis of a pair first, then its child";
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
                entered_puyo(ui, panel, scene, &puyos, 2 * pair + half, place, area.id);
            }
            let number = u64::from(panel.asked.at) + pair as u64;
            let below = pos2(x, cell.top() + 2.0 * PUYO + 8.0);
            let font = FontId::proportional(10.5);
            ui.painter().text(below, Align2::CENTER_CENTER, number.to_string(), font, tokens.muted);
        }
        shown = Some(area);
    });
    // The closure is called once, whatever happens.
    shown.unwrap_or_else(|| ui.label(""))
}

fn entered_puyo(
    ui: &Ui,
    panel: &mut SeedsPanel,
    scene: &Scene<'_>,
    puyos: &[Option<Color>],
    number: usize,
    place: egui::Pos2,
    area: Id,
) {
    let tokens = scene.look.tokens;
    let rect = Rect::from_center_size(place, Vec2::splat(PUYO));
    let next = number == puyos.len() && panel.chosen.is_none();
    if panel.chosen == Some(number) || next {
        ui.painter().rect_stroke(rect.expand(1.0), 6.0, (2.0, tokens.accent), StrokeKind::Inside);
    }
    let Some(&color) = puyos.get(number) else { return };
    puyo::paint_seen(ui.painter(), place, PUYO, color, &scene.look);
    let response = ui.interact(rect, area.with(number), Sense::CLICK);
    let part = if number.is_multiple_of(2) { "axis" } else { "child" };
    let pair = u64::from(panel.asked.at) + number as u64 / 2;
    let name = color.map_or("not seen", Color::name);
    let label = format!("Pair {pair}, {part}: {name}");
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, panel.chosen == Some(number), &label));
    if response.clicked() {
        panel.chosen = if panel.chosen == Some(number) { None } else { Some(number) };
        panel.focus = true;
    }
    response.on_hover_text(format!("{label}\nClick it, then the right colour, to correct it"));
}

fn set(panel: &mut SeedsPanel, puyos: &[Option<Color>]) {
    panel.asked.set_puyos(puyos);
    panel.asked.pieces().clone_into(&mut panel.typed);
    panel.wrong = None;
    panel.chosen = panel.chosen.filter(|&chosen| chosen < puyos.len());
}

/// Enters a puyo at the end, or in the place of the one that is chosen.
fn enter(panel: &mut SeedsPanel, color: Option<Color>) {
    let mut puyos = panel.asked.puyos();
    match panel.chosen.take().and_then(|chosen| puyos.get_mut(chosen)) {
        Some(place) => *place = color,
        None => puyos.push(color),
    }
    set(panel, &puyos);
}

fn take_back(panel: &mut SeedsPanel) {
    let mut puyos = panel.asked.puyos();
    puyos.pop();
    panel.chosen = None;
    set(panel, &puyos);
}

/// Left and right choose a puyo, Escape none. Returns whether Enter was pressed.
fn arrows(ui: &Ui, panel: &mut SeedsPanel) -> bool {
    let count = panel.asked.puyos().len();
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
        take_back(panel);
    }
    let text: String = ui.input(|input| {
        let text = input.events.iter().filter_map(|event| match event {
            Event::Text(text) | Event::Paste(text) => Some(text.as_str()),
            _ => None,
        });
        text.collect()
    });
    for sign in text.chars().filter(|sign| !sign.is_whitespace() && *sign != ',') {
        match (sign, Color::from_letter(sign)) {
            ('?', _) => enter(panel, None),
            (_, Some(color)) => enter(panel, Some(color)),
            (sign, None) => {
                panel.wrong =
                    Some(format!("{sign:?} is no colour: type R, G, B, Y, P, or ? for a puyo not seen"));
            }
        }
    }
}

/// A pair with what it is, as a widget: known or not.
pub fn pair(
    ui: &mut Ui,
    scene: &Scene<'_>,
    pair: crate::seeds::puyo_20th::Seen,
    diameter: f32,
    what: &str,
) -> Response {
    let (rect, response) = ui.allocate_exact_size(puyo::pair_size(diameter), Sense::hover());
    if ui.is_rect_visible(rect) {
        puyo::paint_seen_pair(ui.painter(), rect, pair.axis, pair.child, &scene.look);
    }
    let name = |color: Option<Color>| color.map_or("not known", Color::name);
    let label = format!("{what}: axis {}, child {}", name(pair.axis), name(pair.child));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    response.on_hover_text(label)
}

/// A heading of a part of the answer.
pub fn title(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).strong());
}
