//! What Lab, Ignition, Route and the tables of memory say and show before their first result, and where the results then are.

use crate::gui_support::{
    Game, Window, click, draws_until, label, nothing_runs, press, sees, types_into, waits_for, window_on,
};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::Queryable;
use nextscope::gui::{PairSource, RouteSettings, Settings, StartBoard};
use std::time::Duration;

fn window(key: Key, settings: Settings) -> Window {
    let mut window = window_on(nothing_runs(), settings, vec2(1280.0, 1400.0));
    press(&mut window, Modifiers::COMMAND, key);
    window
}

#[test]
fn empty_panels_say_what_will_appear() {
    for (key, text) in [
        (Key::Num8, "The plots of droughts appear here, with a table of all numbers beside them"),
        (Key::I, "Its value under both rules appears above"),
        (Key::I, "No waves. They appear here, to step through, when blocks ignite"),
        (Key::E, "The route appears here: every placement with its board, chains, points and inputs"),
        (Key::T, "Each becomes a line with its value, how often it changed, and a plot"),
        (Key::Num4, "The bytes of its RAM appear here, with the fields of the game in colour"),
        (Key::Num5, "The fields of the game appear here with their values and addresses"),
    ] {
        assert!(sees(&window(key, Settings::default()), text), "{text}");
    }
}

#[test]
fn the_numbers_of_the_lab_are_beside_its_plots_under_their_names() {
    let mut window = window_on(nothing_runs(), Settings::default(), vec2(1280.0, 800.0));
    press(&mut window, Modifiers::COMMAND, Key::Num8);
    click(&mut window, "Measure");
    waits_for(&mut window, "Histogram of droughts. Tetris (1985): ");
    window.run_steps(2);
    let rect = |text: &str| window.get_by_label_contains(text).rect();
    let (histogram, survival) = (rect("Histogram of droughts"), rect("Survival function of droughts"));
    let (numbers, copy) = (rect("longest drought"), rect("Copy table"));
    assert!(numbers.left() > histogram.right() && copy.left() > histogram.right(), "{numbers} {histogram}");
    assert!(numbers.top() < survival.top(), "in sight without scrolling");
    // The legend, the table and the check boxes have the same names.
    assert_eq!(window.query_all_by_label("TGM3 Terror-Instinct").count(), 3);
    // One plot has the height of both.
    let before = histogram.height();
    click(&mut window, "Histogram");
    window.run_steps(2);
    let after = window.get_by_label_contains("Histogram of droughts").rect().height();
    assert!(after > 1.2 * before, "{before} {after}");
}

#[test]
fn ignite_on_an_empty_cell_says_why_nothing_happens() {
    let mut window = window(Key::I, Settings::default());
    assert!(!sees(&window, "Shown waves"), "nothing to slide through");
    window.get_by_role(Role::Grid).focus();
    window.run_steps(2);
    window.event(Event::Text("i".into()));
    window.run_steps(2);
    assert!(sees(&window, "No block to ignite at row 1, column 1. Choose a block"));
    window.event(Event::Text("r".into()));
    window.run_steps(2);
    assert!(!sees(&window, "No block to ignite"));
}

#[test]
fn the_pairs_and_the_board_of_a_route_are_shown_before_planning() {
    let mut window = window(
        Key::E,
        Settings {
            route: RouteSettings {
                source: PairSource::Typed,
                letters: "RR RG BY".into(),
                start_board: StartBoard::Typed,
                board: "GB..PR".into(),
                seconds: 1,
                ..RouteSettings::default()
            },
            ..Settings::default()
        },
    );
    window.get_by_role_and_label(Role::Image, "Next pairs, from pair 1: RR RG BY");
    assert_eq!(label(&window, "Board at the start: "), "Board at the start: GB..PR");
    types_into(&mut window, Role::TextInput, "Letters", "YY");
    window.get_by_role_and_label(Role::Image, "Next pairs, from pair 1: YY");
    assert!(sees(&window, "The longest chain that these pairs allow"), "the goal is explained");
    let threads = window.get_by_role_and_label(Role::SpinButton, "Threads");
    assert_eq!(threads.value().as_deref(), Some("all"));
    click(&mut window, "Plan");
    draws_until(&mut window, "the end of planning", |window| !sees(window, "Planning: "));
    window.run_steps(2);
    assert!(!sees(&window, "Board at the start"), "the route has it");
}

#[test]
fn why_a_save_failed_is_about_the_route_that_was_shown() {
    let folder = tempfile::tempdir().unwrap();
    let route = RouteSettings {
        source: PairSource::Typed,
        letters: "RR RR BG BB".into(),
        seconds: 1,
        ..RouteSettings::default()
    };
    let mut window = window(Key::E, Settings { route, ..Settings::default() });
    let plan = |window: &mut Window| {
        click(window, "Plan");
        draws_until(window, "the end of planning", |window| {
            !sees(window, "Planning: ") && sees(window, "Reached: ")
        });
        window.run_steps(2);
    };
    plan(&mut window);
    let path = folder.path().join("nowhere").join("route.csv");
    types_into(&mut window, Role::TextInput, "File", path.to_str().unwrap());
    assert!(sees(&window, "Could not write "));
    plan(&mut window);
    assert!(!sees(&window, "Could not write "), "nobody tried to save the new plan");
}

/// The inputs of a pair can be reached beside the two boards of a followed route.
#[test]
fn the_table_of_a_followed_route_scrolls_sideways() {
    let route =
        RouteSettings { source: PairSource::Player1, pairs: 4, seconds: 1, ..RouteSettings::default() };
    let view = Game::playing().live(Duration::from_millis(3));
    let mut window = window_on(view, Settings { route, ..Settings::default() }, vec2(1280.0, 800.0));
    press(&mut window, Modifiers::COMMAND, Key::E);
    press(&mut window, Modifiers::NONE, Key::Enter);
    draws_until(&mut window, "the end of planning", |window| {
        !sees(window, "Planning: ") && sees(window, "Inputs")
    });
    window.run_steps(2);
    let inputs = window.get_by_label("Inputs").rect();
    assert!(inputs.width() >= 20.0, "{inputs}");
}
