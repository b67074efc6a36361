//! The results of the Research panel: sorted, read as another type, restored after "Start over", and their context menu.

use crate::gui_support::{copied, press, sees};
use crate::research::{
    Window, all_labels, choose, dump, fill, left, live, open, push, search, waits_for, waits_until, window,
};
use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;

/// A window with the search of a dump.
fn searched(name: &str, bytes: &[u8]) -> (Window, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = dump(folder.path(), name, bytes);
    let mut window = window(None);
    push(&mut window, "Dumps");
    open(&mut window, &path);
    waits_for(&mut window, &format!("{name}, 1 of 1"));
    (window, folder)
}

/// The addresses of the visible rows from the top.
fn addresses(window: &Window) -> Vec<String> {
    let rows = window.query_all_by(|node| node.role() == Role::Row);
    let mut rows: Vec<(f32, String)> = rows
        .filter_map(|node| Some((node.rect().top(), label_of(&node)?.split_once(": ")?.0.to_owned())))
        .filter(|(_, address)| address.starts_with("0x"))
        .collect();
    rows.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    rows.into_iter().map(|(_, address)| address).collect()
}

fn row<'a>(window: &'a Window, label: &str) -> egui_kittest::Node<'a> {
    let is_it = |node: &egui_kittest::Node<'_>| label_of(node).is_some_and(|text| text.starts_with(label));
    window.query_all_by(|node| node.role() == Role::Row).find(is_it).expect("a row")
}

fn label_of(node: &egui_kittest::Node<'_>) -> Option<String> {
    use egui_kittest::kittest::NodeT;
    node.accesskit_node().label().or_else(|| node.accesskit_node().value())
}

#[test]
fn start_over_is_undone_with_all_its_steps() {
    let (mut window, _folder) = searched("bytes.bin", &[1, 2, 3, 4, 5, 6, 7, 8]);
    search(&mut window, 1);
    push(&mut window, "greater >");
    push(&mut window, "a value");
    fill(&mut window, "value", "3");
    search(&mut window, 2);
    assert_eq!(left(&mut window), 5);
    push(&mut window, "Start over");
    waits_for(&mut window, "No search yet. Select a condition and press Search");
    push(&mut window, "Undo: start over");
    waits_for(&mut window, "Step 2: > 3, 5 cells left");
    assert_eq!(left(&mut window), 5);
    // Its own steps are undone as before.
    push(&mut window, "Undo: > 3");
    waits_until(&mut window, "8 cells", |window| left(window) == 8);

    // Also after the first step of the next search, and by keyboard.
    push(&mut window, "Start over");
    waits_for(&mut window, "No search yet. Select a condition and press Search");
    push(&mut window, "equal =");
    fill(&mut window, "value", "7");
    search(&mut window, 1);
    assert_eq!(left(&mut window), 1);
    window.get_by_role_and_label(Role::Button, "Search").focus();
    press(&mut window, Modifiers::COMMAND, Key::Z);
    waits_until(&mut window, "8 cells", |window| left(window) == 8);
}

#[test]
fn the_type_of_a_search_changes_to_one_of_the_same_size() {
    let (mut window, _folder) = searched("bytes.bin", &[0x00, 0xFF, 0x80, 0x01]);
    search(&mut window, 1);
    waits_for(&mut window, "0x1: 255");
    choose(&mut window, "Type", "8-bit signed");
    waits_for(&mut window, "0x1: -1");
    assert!(sees(&window, "last search -1"), "the values of earlier steps are read so as well");
    window.get_by_role_and_label(Role::ComboBox, "Type").click();
    window.run_steps(3);
    assert!(all_labels(&window, "16-bit").is_empty(), "cells of another size are another search");
    press(&mut window, Modifiers::NONE, Key::Escape);
    push(&mut window, "less <");
    push(&mut window, "a value");
    fill(&mut window, "value", "0");
    search(&mut window, 2);
    assert_eq!(left(&mut window), 2);
}

#[test]
fn results_are_sorted_by_the_titles_of_their_columns() {
    let (mut window, _folder) = searched("bytes.bin", &[7, 3, 9, 3]);
    search(&mut window, 1);
    waits_for(&mut window, "0x3: 3");
    assert_eq!(addresses(&window), ["0x0", "0x1", "0x2", "0x3"]);
    push(&mut window, "Sort by now");
    waits_for(&mut window, "Sort by now, ascending");
    waits_until(&mut window, "the order", |window| addresses(window) == ["0x1", "0x3", "0x0", "0x2"]);
    push(&mut window, "Sort by now, ascending");
    waits_until(&mut window, "the order", |window| addresses(window) == ["0x2", "0x0", "0x1", "0x3"]);
    // The selected cell stays selected.
    window.get_by_label_contains("0x2: 9").click();
    window.run_steps(3);
    push(&mut window, "Sort by now, descending");
    waits_until(&mut window, "the order", |window| addresses(window) == ["0x0", "0x1", "0x2", "0x3"]);
    assert!(sees(&window, "Results, 4 cells, 0x2: 9"));
}

/// The fields of the visible rows from the top; empty for a row without one.
fn fields(window: &Window) -> Vec<String> {
    let rows = window.query_all_by(|node| node.role() == Role::Row);
    let mut rows: Vec<(f32, String)> = rows
        .filter_map(|node| {
            let label = label_of(&node).filter(|label| label.starts_with("0x"))?;
            let field = label.split_once(", field ").map_or("", |(_, rest)| rest.split(',').next().unwrap());
            Some((node.rect().top(), field.to_owned()))
        })
        .collect();
    rows.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    rows.into_iter().map(|(_, field)| field).collect()
}

#[test]
fn results_are_sorted_by_the_names_of_known_fields() {
    let mut live = live();
    let window = &mut live.window;
    choose(window, "Type", "16-bit unsigned");
    choose(window, "Align", "2 bytes");
    search(window, 1);
    let before = fields(window);
    assert!(before.len() > 5 && before.iter().all(String::is_empty), "{before:?}");
    push(window, "Sort by field");
    waits_until(window, "names", |window| fields(window).iter().all(|field| !field.is_empty()));
    let up = fields(window);
    let name = |field: &String| field.split(" + ").next().unwrap().to_owned();
    assert!(up.is_sorted_by_key(name), "{up:?}");
    push(window, "Sort by field, ascending");
    waits_until(window, "the other end", |window| fields(window)[0] != up[0]);
    let down = fields(window);
    assert!(!down[0].is_empty(), "cells without a name come last in both directions");
    assert!(down.iter().rev().is_sorted_by_key(name), "{down:?}");
    push(window, "Sort by field, descending");
    waits_until(window, "the order of addresses", |window| fields(window) == before);
}

#[test]
fn results_have_a_context_menu() {
    let (mut window, _folder) = searched("bytes.bin", &[7, 3, 9, 3]);
    search(&mut window, 1);
    waits_for(&mut window, "0x3: 3");
    row(&window, "0x2: 9").click_secondary();
    window.run_steps(3);
    assert!(sees(&window, "1 selected"), "a right click selects");
    assert_eq!(copied(&mut window, "Copy address"), "0x2");
    row(&window, "0x2: 9").click_secondary();
    window.run_steps(3);
    window.get_by_label_contains("Remove from results").click();
    window.run_steps(3);
    waits_for(&mut window, "Step 2: 0x2 removed, 3 cells left");
    // All selected cells.
    window.get_by_label_contains("Results, ").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    waits_for(&mut window, "3 selected");
    row(&window, "0x1: 3").click_secondary();
    window.run_steps(3);
    window.get_by_label_contains("Remove 3 cells").click();
    window.run_steps(3);
    waits_for(&mut window, "Step 3: 3 cells removed, 0 cells left");
}

#[test]
fn the_context_menu_opens_by_keyboard() {
    let (mut window, _folder) = searched("bytes.bin", &[7, 3, 9, 3]);
    search(&mut window, 1);
    waits_for(&mut window, "0x3: 3");
    window.get_by_label_contains("Results, ").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    press(&mut window, Modifiers::SHIFT, Key::F10);
    window.run_steps(2);
    assert!(window.get_by_label("Copy address").is_focused(), "the first action that is possible");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(!sees(&window, "Copy address"), "the menu is closed");
    assert!(sees(&window, "1 selected"));
}

#[test]
fn the_step_field_shows_the_condition_as_a_step() {
    let (mut window, _folder) = searched("bytes.bin", &[7, 3, 9, 3]);
    push(&mut window, "at most <=");
    push(&mut window, "a value");
    fill(&mut window, "value", "0x10");
    let hints = window.query_all_by(|node| node.placeholder() == Some("same as above: <= 16"));
    assert_eq!(hints.count(), 1);
}
