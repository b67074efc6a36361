//! Custom shortcuts: changed in the dialog of F1, active everywhere, and saved.

use crate::gui_support::{Window, click, labels, nothing_runs, press, replayed, sees, window_on};
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::Queryable;
use nextscope::gui::{PaletteChoice, Settings};
use nextscope::live::{SamplerCommand, View};

const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

fn window(view: View, settings: Settings) -> Window {
    window_on(view, settings, vec2(1280.0, 800.0))
}

fn idle() -> Window {
    window(nothing_runs(), Settings::default())
}

fn orders(window: &mut Window) -> Vec<SamplerCommand> {
    window.state_mut().0.take_orders()
}

/// Opens the reference, and lets shortcuts be changed.
fn opens_for_changes(window: &mut Window) {
    press(window, Modifiers::NONE, Key::F1);
    click(window, "Change shortcuts");
}

/// Types into the field that filters the list.
fn find(window: &mut Window, text: &str) {
    window.get_by_label("Find").focus();
    window.run_steps(2);
    window.event(Event::Text(text.into()));
    window.run_steps(2);
}

/// Changes the shortcut of an action from `now`.
fn choose(window: &mut Window, action: &str, now: &str, modifiers: Modifiers, key: Key) {
    click(window, &format!("Shortcut of {action}: {now}"));
    assert!(sees(window, &format!("Press the shortcut for {action}")));
    press(window, modifiers, key);
    window.run_steps(2);
}

fn close(window: &mut Window) {
    press(window, Modifiers::NONE, Key::Escape);
    assert!(!sees(window, "Reset all"), "it is closed");
}

#[test]
fn changed_shortcuts_work_everywhere_and_are_saved() {
    let mut window = idle();
    opens_for_changes(&mut window);
    choose(&mut window, "Detach", "Ctrl+Shift+D", Modifiers::ALT, Key::F5);
    assert!(sees(&window, "Detach: Alt+F5") && sees(&window, "Shortcut of Detach: Alt+F5"));
    assert!(orders(&mut window).is_empty(), "the pressed keys do not run the action");
    close(&mut window);
    press(&mut window, CTRL_SHIFT, Key::D);
    assert!(orders(&mut window).is_empty(), "neither the old keys nor Ctrl+D, which has fewer");
    press(&mut window, Modifiers::ALT, Key::F5);
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Detach]));
    press(&mut window, Modifiers::NONE, Key::F5);
    assert!(orders(&mut window).is_empty());

    click(&mut window, "File");
    assert!(sees(&window, "Alt+F5") && !sees(&window, "Ctrl+Shift+D"), "{:?}", labels(&window, "+"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    press(&mut window, Modifiers::COMMAND, Key::R); // what is detached cannot be detached
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("detach".into()));
    window.run_steps(3);
    assert!(sees(&window, "Alt+F5"));
    press(&mut window, Modifiers::NONE, Key::Escape);

    // And in the next window.
    let text = window.state().0.settings.to_text().unwrap();
    let mut next = self::window(nothing_runs(), Settings::from_text(&text).expect("settings"));
    press(&mut next, Modifiers::ALT, Key::F5);
    assert!(matches!(orders(&mut next).as_slice(), [SamplerCommand::Detach]));
}

#[test]
fn a_shortcut_of_another_action_is_reassigned_only_on_request() {
    let mut window = idle();
    opens_for_changes(&mut window);
    choose(&mut window, "Detach", "Ctrl+Shift+D", Modifiers::COMMAND, Key::R);
    assert!(sees(&window, "Ctrl+R is the shortcut of Attach automatically"));
    click(&mut window, "Cancel");
    assert!(
        sees(&window, "Shortcut of Detach: Ctrl+Shift+D")
            && sees(&window, "Shortcut of Attach automatically: Ctrl+R")
    );
    choose(&mut window, "Detach", "Ctrl+Shift+D", Modifiers::COMMAND, Key::R);
    assert!(window.get_by_label("Reassign").is_focused(), "Enter is enough");
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
    assert!(
        sees(&window, "Shortcut of Detach: Ctrl+R")
            && sees(&window, "Shortcut of Attach automatically: None")
    );

    // A reset asks again, since another action has the shortcut now.
    click(&mut window, "Reset the shortcut of Attach automatically to Ctrl+R");
    assert!(sees(&window, "Ctrl+R is the shortcut of Detach"));
    click(&mut window, "Reassign");
    assert!(
        sees(&window, "Shortcut of Detach: None")
            && sees(&window, "Shortcut of Attach automatically: Ctrl+R")
    );
    click(&mut window, "Reset the shortcut of Detach to Ctrl+Shift+D");
    assert!(sees(&window, "Shortcut of Detach: Ctrl+Shift+D"));
    assert!(window.state().0.settings.keys.are_default());

    click(&mut window, "Clear the shortcut of Detach");
    assert!(sees(&window, "Detach has no shortcut now"));
    click(&mut window, "Clear the shortcut of Attach automatically");
    click(&mut window, "Reset all");
    assert!(
        sees(&window, "All shortcuts are at their defaults") && window.state().0.settings.keys.are_default()
    );
    close(&mut window);
    press(&mut window, CTRL_SHIFT, Key::D);
    press(&mut window, Modifiers::COMMAND, Key::R);
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Detach, SamplerCommand::Automatic]));
}

#[test]
fn shortcuts_that_text_fields_need_are_refused_with_the_reason() {
    let mut window = idle();
    opens_for_changes(&mut window);
    for (modifiers, key, why) in [
        (Modifiers::NONE, Key::J, "J cannot be used: it types text; add Ctrl or use a function key"),
        (Modifiers::SHIFT, Key::Num5, "cannot be used: it types text; add Ctrl or use a function key"),
        (Modifiers::NONE, Key::Tab, "Tab moves the focus"),
        (Modifiers::COMMAND, Key::ArrowLeft, "text fields, tables and the replay bar need it"),
        (Modifiers::COMMAND, Key::A, "text fields need it to select, copy, cut or paste"),
        (Modifiers::NONE, Key::Enter, "it activates the focused control; add Ctrl or Alt"),
        (Modifiers::NONE, Key::Escape, "Detach keeps its shortcut"),
    ] {
        choose(&mut window, "Detach", "Ctrl+Shift+D", modifiers, key);
        assert!(sees(&window, why), "{key:?}: {:?}", labels(&window, "cannot be used"));
    }
    // The system turns Ctrl+C into this event.
    click(&mut window, "Shortcut of Detach: Ctrl+Shift+D");
    window.event(Event::Copy);
    window.run_steps(3);
    assert!(sees(&window, "Ctrl+C cannot be used: text fields need it to select, copy, cut or paste"));
    // A modifier key alone is not a shortcut yet; a click elsewhere cancels.
    click(&mut window, "Shortcut of Detach: Ctrl+Shift+D");
    press(&mut window, Modifiers::SHIFT, Key::ShiftLeft);
    assert!(sees(&window, "Press the shortcut for Detach"));
    window.get_all_by_label("Keyboard shortcuts").last().expect("the heading").click();
    window.run_steps(3);
    assert!(!sees(&window, "Press the shortcut for"));
    assert!(window.state().0.settings.keys.are_default());
}

#[test]
fn letters_control_the_replay_but_type_in_text_fields() {
    let mut window = window(replayed(false), Settings::default());
    opens_for_changes(&mut window);
    find(&mut window, "next sample");
    choose(&mut window, "Next sample", ".", Modifiers::NONE, Key::J);
    assert!(sees(&window, "Shortcut of Next sample: J"));
    close(&mut window);
    orders(&mut window);
    press(&mut window, Modifiers::NONE, Key::J);
    assert_eq!(format!("{:?}", orders(&mut window)), "[Replay(Step(1))]");
    press(&mut window, Modifiers::COMMAND, Key::G);
    orders(&mut window);
    press(&mut window, Modifiers::NONE, Key::J);
    assert!(orders(&mut window).iter().all(|order| !matches!(order, SamplerCommand::Replay(_))));
}

#[test]
fn the_dialog_opens_from_the_settings_and_works_by_keyboard() {
    let mut window = idle();
    press(&mut window, Modifiers::COMMAND, Key::Comma);
    assert!(sees(&window, "Default"));
    window.get_all_by_label("Keyboard shortcuts…").last().expect("a button").click();
    window.run_steps(3);
    click(&mut window, "Change shortcuts");
    find(&mut window, "ctrl+shift+d");
    assert!(sees(&window, "Shortcut of Detach: Ctrl+Shift+D") && !sees(&window, "Shortcut of Quit"));
    let button = window.get_by_label("Shortcut of Detach: Ctrl+Shift+D");
    button.focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Space);
    assert!(sees(&window, "Press the shortcut for Detach"), "Space itself is not taken for them");
    press(&mut window, Modifiers::NONE, Key::F6);
    window.run_steps(2);
    assert!(sees(&window, "Detach: F6") && sees(&window, "No action matches"));
}

#[test]
fn zoom_shortcuts_can_be_changed_and_work_over_a_dialog() {
    let mut window = idle();
    press(&mut window, Modifiers::COMMAND, Key::Equals);
    let zoom = |window: &Window| window.state().0.settings.zoom;
    assert!((zoom(&window) - 1.1).abs() < 1e-3, "{}: as browsers do", zoom(&window));
    opens_for_changes(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::Num0);
    assert!((zoom(&window) - 1.0).abs() < 1e-3, "over the dialog");
    find(&mut window, "zoom");
    choose(&mut window, "Zoom in", "Ctrl+Plus", Modifiers::NONE, Key::F11);
    close(&mut window);
    for (modifiers, key) in [(Modifiers::COMMAND, Key::Plus), (Modifiers::COMMAND, Key::Equals)] {
        press(&mut window, modifiers, key);
        assert!((zoom(&window) - 1.0).abs() < 1e-3, "{key:?} does not zoom any more");
    }
    press(&mut window, Modifiers::NONE, Key::F11);
    window.run_steps(2);
    assert!((zoom(&window) - 1.1).abs() < 1e-3, "{}", zoom(&window));
}

#[test]
fn only_the_invalid_parts_of_a_settings_file_are_reset() {
    let f5 = r#"{"modifiers": {"alt": false, "ctrl": false, "shift": false, "mac_cmd": false, "command": false}, "logical_key": "F5"}"#;
    let text = format!(
        r#"{{"zoom": "large", "palette": "Wong", "letters": false, "theme": 7, "layouts": [1, 2],
            "overlay": {{"pairs": 5, "ground": "Plaid"}}, "unknown": {{"a": 1}},
            "keys": {{"Detach": {f5}, "Quit": 12, "OpenAbout": {{"logical_key": "Zilch"}}, "NoSuch": {f5}}}}}"#
    );
    let settings = Settings::from_text(&text).expect("settings");
    let mut window = window(nothing_runs(), settings);
    let settings = &window.state().0.settings;
    assert_eq!((settings.palette, settings.letters, settings.overlay.pairs), (PaletteChoice::Wong, false, 5));
    assert!((settings.zoom - 1.0).abs() < 1e-6);
    press(&mut window, Modifiers::NONE, Key::F5);
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Detach]));
    let saved = window.state().0.settings.to_text().unwrap();
    assert!(!saved.contains("NoSuch") && saved.contains("F5"), "{saved}");
    for hopeless in ["", "[]", "7", "(zoom: 1.0)", "{"] {
        assert!(Settings::from_text(hopeless).is_none(), "{hopeless}");
    }
}

#[test]
fn f1_is_a_reference_with_a_search_and_changes_can_be_undone() {
    let mut window = idle();
    press(&mut window, Modifiers::NONE, Key::F1);
    assert!(window.get_by_label("Find").is_focused(), "a search can be typed at once");
    assert!(sees(&window, "Detach: Ctrl+Shift+D") && sees(&window, "Copy log: no shortcut"));
    for button in ["Clear the shortcut of Detach", "Reset all", "Undo"] {
        assert!(window.query_by_label(button).is_none(), "{button}: nothing is changed by mistake");
    }
    window.event(Event::Text("detach".into()));
    window.run_steps(2);
    assert!(sees(&window, "Detach: Ctrl+Shift+D") && !sees(&window, "Copy log: no shortcut"));
    click(&mut window, "Change shortcuts");
    click(&mut window, "Clear the shortcut of Detach");
    assert!(sees(&window, "Shortcut of Detach: None"));
    choose(&mut window, "Detach", "None", Modifiers::NONE, Key::F6);
    assert!(sees(&window, "Shortcut of Detach: F6"));
    click(&mut window, "Undo");
    assert!(sees(&window, "Shortcut of Detach: None"));
    click(&mut window, "Undo");
    assert!(sees(&window, "Shortcut of Detach: Ctrl+Shift+D"));
    assert!(window.state().0.settings.keys.are_default());
    click(&mut window, "Done");
    assert!(sees(&window, "Detach: Ctrl+Shift+D") && !sees(&window, "Reset all"));
}
