//! The form of the opponent's attacks.

use super::limits::{MAX_ATTACKS, MAX_PAIRS};
use super::request::RouteSettings;
use crate::gui::theme::Tokens;
use crate::route::Attack;
use eframe::egui::{DragValue, Id, Response, Ui};
use std::ops::RangeInclusive;

/// Width of an attack in points; one that does not fit on a line starts the next one.
const WIDTH: f32 = 250.0;

const MEANING: &str = "Known garbage of the opponent. It waits when that pair of the route has landed; the chain of this pair offsets it in \
                       games with that rule, and the rest falls. The route is planned for all columns that the game may draw";

/// Draws the attacks. `pairs` is the number of known pairs, if they are valid.
pub fn show(ui: &mut Ui, tokens: &Tokens, settings: &mut RouteSettings, pairs: Option<usize>) {
    ui.label("Attacks").on_hover_text(MEANING);
    // The row that an added or removed attack left to the keyboard, drawn in the next frame; after the last one the button.
    let focus_id = Id::unique("focus of the attacks");
    let focused = ui.data_mut(|data| data.remove_temp::<usize>(focus_id));
    let mut removed = None;
    for (nth, attack) in settings.attacks.iter_mut().enumerate() {
        if ui.available_size_before_wrap().x < WIDTH {
            ui.end_row();
        }
        let name = format!("Attack {}", nth + 1);
        let garbage = number(ui, &mut attack.garbage, 1..=Attack::MAX_PUYOS, &format!("{name}, garbage"));
        if focused == Some(nth) {
            garbage.request_focus();
        }
        ui.label("garbage at pair");
        number(ui, &mut attack.pair, 1..=MAX_PAIRS, &format!("{name}, pair"))
            .on_hover_text("Number of the pair in the route, from 1");
        let remove = ui.small_button("Remove").accessible_name(format!("Remove attack {}", nth + 1));
        if remove.clicked() {
            removed = Some(nth);
        }
        if let Some(why) = pairs.and_then(|pairs| attack.attack(pairs).err()) {
            ui.colored_label(tokens.bad, why);
            ui.end_row();
        } else {
            ui.add_space(8.0);
        }
    }
    let is_full = settings.attacks.len() >= MAX_ATTACKS;
    let add = ui.add_enabled_ui(!is_full, |ui| ui.button("Add attack")).inner;
    let add = add.on_hover_text(MEANING).on_disabled_hover_text(format!("At most {MAX_ATTACKS} attacks"));
    if focused == Some(settings.attacks.len()) {
        add.request_focus();
    }
    if let Some(nth) = removed {
        settings.attacks.remove(nth);
        focus_next(ui, focus_id, settings.attacks.len());
    } else if add.clicked() {
        focus_next(ui, focus_id, settings.attacks.len());
        settings.add_attack();
    }
}

fn focus_next(ui: &Ui, id: Id, nth: usize) {
    ui.data_mut(|data| data.insert_temp(id, nth));
    ui.ctx().request_repaint();
}

/// A number whose name is not beside it.
fn number(ui: &mut Ui, value: &mut u32, range: RangeInclusive<u32>, name: &str) -> Response {
    ui.add(DragValue::new(value).range(range).speed(0.2)).accessible_name(name)
}
