//! Settings and About by their labels, and the parts of the window in little space.

use crate::gui_support::{Game, Window, click, labels, press, sees, window_on};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, ThemePreference, vec2};
use egui_kittest::kittest::Queryable;
use nextscope::gui::{PaletteChoice, Settings};
use std::time::Duration;

fn window_with(width: f32, height: f32) -> Window {
    let view = Game::playing().live(Duration::from_millis(3));
    window_on(view, Settings::default(), vec2(width, height))
}

#[test]
fn settings_are_changed_by_their_labels_and_by_keyboard() {
    let mut window = window_with(800.0, 600.0);
    press(&mut window, Modifiers::COMMAND, Key::Comma);
    assert!(sees(&window, "Saved in"));
    click(&mut window, "Light");
    click(&mut window, "Colour-blind (Wong)");
    for name in ["Letters on puyos", "Reduced motion", "Click-through"] {
        window.get_by_role_and_label(Role::CheckBox, name).click();
        window.run_steps(3);
    }
    window.get_by_role_and_label(Role::Slider, "Zoom").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    window.run_steps(3);
    let settings = &window.state().0.settings;
    assert_eq!((settings.theme, settings.palette), (ThemePreference::Light, PaletteChoice::Wong));
    assert!(!settings.letters && settings.reduced_motion && settings.overlay.click_through);
    assert!(settings.zoom > 1.05, "{}", settings.zoom);
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.run_steps(3);
    assert!(!sees(&window, "Saved in"));
}

#[test]
fn about_names_the_version_and_the_documentation() {
    let mut window = window_with(800.0, 600.0);
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("about".into()));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    assert!(sees(&window, &format!("Nextscope {}", env!("CARGO_PKG_VERSION"))));
    assert!(sees(&window, "Licence: ") && sees(&window, "Read-only"));
    assert!(window.query_by_role_and_label(Role::Button, "Documentation").is_some());
    assert!(sees(&window, "README.md"), "where they are: {:?}", labels(&window, "docs"));
    click(&mut window, "Close");
    assert!(!sees(&window, "Licence: "));
}

#[test]
fn dialogs_fit_into_800x600_at_200_per_cent() {
    let dialogs = [
        (Modifiers::COMMAND, Key::P, ["Start the demo", "Start emulator…"]),
        (Modifiers::COMMAND, Key::Comma, ["Settings", "Letters on puyos"]),
        (Modifiers::NONE, Key::F1, ["Keyboard shortcuts", "Start the demo: Ctrl+D"]),
        (Modifiers::COMMAND, Key::N, ["Game file", "Browse…"]),
    ];
    for (modifiers, key, labels) in dialogs {
        let mut window = window_with(400.0, 300.0);
        press(&mut window, modifiers, key);
        window.run_steps(4);
        for label in labels {
            for node in window.query_all_by_label(label) {
                let rect = node.rect();
                assert!(rect.left() >= 4.0 && rect.right() <= 396.0, "{label}: {rect}");
            }
            assert!(sees(&window, label), "{label}");
        }
    }
}

#[test]
fn the_tab_of_the_panel_in_front_is_in_sight() {
    let mut window = window_with(420.0, 400.0);
    for (key, title) in [(Key::Num6, "Log"), (Key::Num2, "Predict"), (Key::T, "Watches")] {
        press(&mut window, Modifiers::COMMAND, key);
        window.run_steps(6);
        let tab = window.get_by_label(title).rect();
        assert!(tab.left() >= 0.0 && tab.right() <= 420.0, "{title}: {tab:?}");
    }
}

#[test]
fn byte_orders_stay_on_one_line_in_a_narrow_window() {
    let mut window = window_with(420.0, 600.0);
    press(&mut window, Modifiers::COMMAND, Key::Num9);
    window.run_steps(4);
    for name in ["big-endian", "little-endian"] {
        let button = window.get_by_label(name).rect();
        assert!(button.height() < 40.0 && button.right() <= 420.0, "{name}: {button:?}");
    }
}
