//! Dr. Mario in the window: the options screen, where the round depends on the frame of Start.

use crate::gui_support::{arcade, window_on};
use eframe::egui::vec2;
use egui_kittest::kittest::Queryable;
use nextscope::gui::Settings;

#[test]
fn the_frames_until_a_chosen_start_are_counted_down() {
    let (machine, state) = arcade::mario_options(20);
    let chosen = (0..90).fold(state, |state, _| state.step());
    let mut window = window_on(machine.view(), Settings::default(), vec2(1280.0, 900.0));
    window.run();
    let field = |text: &str, window: &mut crate::gui_support::Window| {
        let field = window.get_by_label("Wait for the round of state");
        field.focus();
        window.run();
        window.get_by_label("Wait for the round of state").type_text(text);
        window.run();
    };
    field("0x", &mut window);
    assert!(window.query_by_label_contains("invalid state").is_some());
    field(&chosen.to_string()[2..], &mut window);
    assert!(window.query_by_label("Start in 90 frames (1.5 s)").is_some());
    assert!(window.query_by_label_contains("invalid state").is_none());
}
