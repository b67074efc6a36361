//! Watches, Memory and Values as tables: their context menus, and sorting by the titles of columns.

use crate::gui_support::{Game, Window, click, copied, press, sees, window_on};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::gui::{Settings, WatchSettings};
use std::time::Duration;

const LIST: &str = "label,address,type,display,notes\n\
    second,0xFF85A6,u16be,decimal,\n\
    first,0xFFA134,u32be,decimal,\n\
    third,0xFF8000,u8,decimal,\n";

fn window(key: Key, settings: Settings) -> Window {
    let view = Game::playing().live(Duration::from_millis(3));
    let mut window = window_on(view, settings, vec2(1400.0, 1000.0));
    press(&mut window, Modifiers::COMMAND, key);
    window
}

fn watches() -> Window {
    let watches = WatchSettings { list: LIST.into(), ..WatchSettings::default() };
    window(Key::T, Settings { watches, ..Settings::default() })
}

/// Opens the context menu of the widget with this label.
fn menu_of(window: &mut Window, label: &str) {
    window.get_by_label(label).click_secondary();
    window.run_steps(3);
}

/// Chooses an entry of the open menu, which ends with its shortcut.
fn chooses(window: &mut Window, entry: &str) {
    window.get_by_label_contains(entry).click();
    window.run_steps(3);
}

fn list(window: &Window) -> String {
    let list = &window.state().0.settings.watches.list;
    let labels = list.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default());
    labels.collect::<Vec<_>>().join(" ")
}

#[test]
fn watches_are_sorted_and_the_order_is_undone() {
    let mut window = watches();
    assert_eq!(list(&window), "second first third");
    click(&mut window, "Sort by label");
    assert_eq!(list(&window), "first second third");
    click(&mut window, "Sort by label, ascending");
    assert_eq!(list(&window), "third second first");
    click(&mut window, "Sort by label, descending");
    assert_eq!(list(&window), "second first third", "a third click restores the order");
    click(&mut window, "Sort by address");
    assert_eq!(list(&window), "third second first");
    click(&mut window, "Undo sort");
    assert_eq!(list(&window), "second first third");
    assert!(sees(&window, "Sort by address") && !sees(&window, "Sort by address, "));
}

#[test]
fn a_watch_has_a_context_menu() {
    let mut window = watches();
    menu_of(&mut window, "Previous value of first: none");
    assert_eq!(copied(&mut window, "Copy address"), "0xFFA134");
    menu_of(&mut window, "Previous value of first: none");
    chooses(&mut window, "Move down");
    assert_eq!(list(&window), "second third first");
    menu_of(&mut window, "Previous value of first: none");
    chooses(&mut window, "Remove line");
    assert_eq!(list(&window), "second third");
    click(&mut window, "Undo remove");
    assert_eq!(list(&window), "second third first");
    menu_of(&mut window, "Previous value of first: none");
    click(&mut window, "Show in memory");
    assert!(sees(&window, "4 bytes selected") && sees(&window, "watched: first"));
}

/// Goes to an address or a field as a user does; Ctrl+G selects what was typed before.
fn goes_to(window: &mut Window, text: &str) {
    press(window, Modifiers::COMMAND, Key::G);
    window.event(Event::Text(text.into()));
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
}

#[test]
fn bytes_have_a_context_menu() {
    let mut window = window(Key::Num4, Settings::default());
    goes_to(&mut window, "rng_state");
    goes_to(&mut window, "p1_pairs_dealt");
    let cursor = |window: &Window| {
        window.get_by_label_contains("Memory, ").accesskit_node().label().unwrap_or_default()
    };
    assert!(cursor(&window).contains("p1_pairs_dealt + 0"), "{}", cursor(&window));
    // A right click on the row of the cursor, at the byte under the pointer: the first one of the row.
    row_of(&window, "FF85A0").click_secondary();
    window.run_steps(3);
    assert!(copied(&mut window, "Copy address").starts_with("0xFF85A"));
    goes_to(&mut window, "rng_state");
    row_of(&window, "FFA130").click_secondary();
    window.run_steps(3);
    click(&mut window, "Watch 1 byte");
    assert!(window.state().0.settings.watches.list.contains(",0xFFA13"), "{}", list(&window));
}

fn row_of<'a>(window: &'a Window, start: &str) -> egui_kittest::Node<'a> {
    let is_it = |node: &egui_kittest::Node<'_>| {
        node.accesskit_node().label().is_some_and(|label| label.trim_start().starts_with(start))
    };
    window.query_all_by(|node| node.role() == Role::Row).find(is_it).unwrap()
}

#[test]
fn values_are_sorted_and_have_a_context_menu() {
    let mut window = window(Key::Num5, Settings::default());
    let top = |window: &Window, name: &str| window.get_by_label(name).rect().top();
    click(&mut window, "Sort by field");
    assert!(top(&window, "active_players") < top(&window, "color_set"));
    click(&mut window, "Sort by field, ascending");
    click(&mut window, "Sort by field, descending");
    assert!(sees(&window, "Sort by field"));
    window.query_all_by(|node| node.placeholder() == Some("Filter fields")).next().unwrap().focus();
    window.run_steps(2);
    window.event(Event::Text("p1_pairs_dealt".into()));
    window.run_steps(3);
    menu_of(&mut window, "p1_pairs_dealt");
    assert_eq!(copied(&mut window, "Copy name"), "p1_pairs_dealt");
    menu_of(&mut window, "p1_pairs_dealt");
    click(&mut window, "Watch this field");
    let watched = window.state().0.settings.watches.list.clone();
    assert!(watched.contains("p1_pairs_dealt,0xFF85A6,u16be,decimal,"), "{watched}");
    click(&mut window, "About the profile");
    assert!(sees(&window, "Digest"));
}
