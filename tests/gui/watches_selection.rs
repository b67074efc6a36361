//! Several lines of the watch list at once: selected with Ctrl, Shift and by keyboard; removed, copied, pasted, moved, and given a type.

use crate::gui_support::{Game, Window, click, labels, press, sees, window_on};
use eframe::egui::accesskit::{Role, Toggled};
use eframe::egui::{Event, Key, Modifiers, OutputCommand, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::gui::{Settings, WatchSettings};
use std::time::Duration;

const LIST: &str = "label,address,type,display,notes\n\
    one,0xFF85A6,u16be,decimal,\n\
    two,0xFFA134,u32be,hex,\n\
    three,0xFF8000,u8,decimal,\n\
    four,0xFF8001,u8,decimal,\n";

fn window() -> Window {
    let watches = WatchSettings { list: LIST.into(), ..WatchSettings::default() };
    let view = Game::playing().live(Duration::from_millis(3));
    let mut window = window_on(view, Settings { watches, ..Settings::default() }, vec2(1400.0, 1000.0));
    press(&mut window, Modifiers::COMMAND, Key::T);
    window
}

fn list(window: &Window) -> String {
    let list = &window.state().0.settings.watches.list;
    let labels = list.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default());
    labels.collect::<Vec<_>>().join(" ")
}

/// A click on the value of a watch.
fn picks(window: &mut Window, name: &str, modifiers: Modifiers) {
    window.get_by_label(&format!("Previous value of {name}: none")).click_modifiers(modifiers);
    window.run_steps(3);
}

/// The names of the selected rows, for screen readers.
fn selected(window: &Window) -> String {
    let rows = window.query_all_by(|node| node.role() == Role::Row);
    let names =
        rows.filter(|node| node.accesskit_node().toggled() == Some(Toggled::True)).filter_map(|node| {
            let label = node.accesskit_node().label()?;
            Some(label.split(',').next()?.to_owned())
        });
    names.collect::<Vec<_>>().join(" ")
}

/// The list as a control with the keyboard.
fn focus_list(window: &mut Window) {
    window.get_by_label_contains("Watch list, ").focus();
    window.run_steps(2);
}

/// What is put on the clipboard at this event.
fn copied_at(window: &mut Window, event: Event) -> String {
    window.event(event);
    for _ in 0..4 {
        window.step();
        for command in &window.output().platform_output.commands {
            if let OutputCommand::CopyText(text) = command {
                let text = text.clone();
                window.run_steps(2);
                return text;
            }
        }
    }
    panic!("nothing was copied")
}

#[test]
fn ctrl_and_shift_clicks_select_lines_that_are_removed_together() {
    let mut window = window();
    picks(&mut window, "one", Modifiers::NONE);
    assert_eq!(selected(&window), "one");
    picks(&mut window, "three", Modifiers::COMMAND);
    assert_eq!(selected(&window), "one three");
    assert!(sees(&window, "2 lines selected") && sees(&window, "Watch list, 4 lines, 2 selected, three"));
    click(&mut window, "Remove");
    assert_eq!(list(&window), "two four");
    click(&mut window, "Undo remove");
    assert_eq!(list(&window), "one two three four", "one step");

    picks(&mut window, "two", Modifiers::NONE);
    picks(&mut window, "four", Modifiers::SHIFT);
    assert_eq!(selected(&window), "two three four");
    picks(&mut window, "three", Modifiers::COMMAND);
    assert_eq!(selected(&window), "two four", "Ctrl takes it out again");
    // With Ctrl a click on a text field selects as well, and edits nothing.
    window.get_by_role_and_label(Role::TextInput, "Label of one").click_modifiers(Modifiers::COMMAND);
    window.run_steps(3);
    assert_eq!(selected(&window), "one two four");
    assert!(!window.get_by_role_and_label(Role::TextInput, "Label of one").is_focused());
    assert!(window.get_by_label_contains("Watch list, ").is_focused(), "so that Delete removes them");
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(list(&window), "three");
}

#[test]
fn the_list_is_used_by_keyboard() {
    let mut window = window();
    focus_list(&mut window);
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(selected(&window), "two");
    assert!(sees(&window, "1 selected, two, value unknown"), "{:?}", labels(&window, "Watch list"));
    press(&mut window, Modifiers::SHIFT, Key::ArrowDown);
    assert_eq!(selected(&window), "two three");
    // Ctrl moves the cursor only, and Ctrl+Space selects what it is on.
    press(&mut window, Modifiers::COMMAND, Key::Home);
    assert_eq!(selected(&window), "two three");
    press(&mut window, Modifiers::COMMAND, Key::Space);
    assert_eq!(selected(&window), "one two three");
    press(&mut window, Modifiers::ALT, Key::ArrowDown);
    assert_eq!(list(&window), "four one two three");
    assert_eq!(selected(&window), "one two three", "they move together");
    press(&mut window, Modifiers::ALT, Key::ArrowDown);
    assert_eq!(list(&window), "four one two three", "at the end they stay");
    press(&mut window, Modifiers::ALT, Key::ArrowUp);
    assert_eq!(list(&window), "one two three four");
    press(&mut window, Modifiers::COMMAND, Key::A);
    assert_eq!(selected(&window), "one two three four");
    press(&mut window, Modifiers::NONE, Key::End);
    assert_eq!(selected(&window), "four");
    press(&mut window, Modifiers::SHIFT, Key::F10);
    window.run_steps(2);
    assert!(window.get_by_label("Show in memory").is_focused(), "the context menu of the line");
    press(&mut window, Modifiers::NONE, Key::Escape);
    focus_list(&mut window);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.get_by_role_and_label(Role::TextInput, "Label of four").is_focused());
    press(&mut window, Modifiers::COMMAND, Key::A);
    assert_eq!(selected(&window), "four", "in a text field it selects the text");
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(list(&window), "one two three four");
}

#[test]
fn lines_are_copied_cut_and_pasted_as_text() {
    let mut window = window();
    picks(&mut window, "two", Modifiers::NONE);
    picks(&mut window, "three", Modifiers::SHIFT);
    let text = copied_at(&mut window, Event::Copy);
    let lines: Vec<&str> = LIST.lines().collect();
    assert_eq!(text, format!("{}\n{}\n{}\n", lines[0], lines[2], lines[3]));
    assert_eq!(copied_at(&mut window, Event::Cut), text);
    assert_eq!(list(&window), "one four");
    focus_list(&mut window);
    press(&mut window, Modifiers::NONE, Key::End);
    window.event(Event::Paste(text));
    window.run_steps(3);
    assert_eq!(list(&window), "one four two three");
    assert_eq!(selected(&window), "two three");
    assert!(sees(&window, "Pasted 2 lines"));
    click(&mut window, "Undo paste");
    assert_eq!(list(&window), "one four");
    focus_list(&mut window);
    window.event(Event::Paste("hello".into()));
    window.run_steps(3);
    assert!(sees(&window, "The clipboard has no watch list: line 1: missing column address"));
    assert_eq!(list(&window), "one four");
}

#[test]
fn all_selected_watches_get_a_type_and_a_format() {
    let mut window = window();
    focus_list(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::A);
    assert!(sees(&window, "4 lines selected"));
    let choose = |window: &mut Window, list: &str, entry: &str| {
        window.get_by_role_and_label(Role::ComboBox, list).click();
        window.run_steps(3);
        window.get_all_by_label(entry).last().unwrap().click();
        window.run_steps(3);
    };
    choose(&mut window, "Type of all selected watches", "16-bit signed");
    choose(&mut window, "Format of all selected watches", "Binary");
    let types = |window: &Window| {
        let list = &window.state().0.settings.watches.list;
        let types =
            list.lines().skip(1).map(|line| line.split(',').skip(2).take(2).collect::<Vec<_>>().join(" "));
        types.collect::<Vec<_>>()
    };
    assert!(
        types(&window).iter().all(|ty| ty.starts_with("i16") && ty.ends_with(" binary")),
        "{:?}",
        types(&window)
    );
    choose(&mut window, "Type of all selected watches", "Little-endian");
    assert_eq!(types(&window), ["i16le binary"; 4]);
    click(&mut window, "Undo type");
    click(&mut window, "Undo format");
    assert!(types(&window)[1].starts_with("i16be hex"), "{:?}", types(&window));
    click(&mut window, "Undo type");
    assert_eq!(window.state().0.settings.watches.list, LIST);
}

#[test]
fn the_context_menu_of_a_selected_line_is_about_all_of_them() {
    let mut window = window();
    picks(&mut window, "one", Modifiers::NONE);
    picks(&mut window, "two", Modifiers::SHIFT);
    window.get_by_label("Previous value of two: none").click_secondary();
    window.run_steps(3);
    assert!(sees(&window, "Remove 2 lines") && sees(&window, "Duplicate 2 lines"));
    assert_eq!(crate::gui_support::copied(&mut window, "Copy addresses"), "0xFF85A6\n0xFFA134");
    // A line outside the selection is selected by the right click.
    window.get_by_label("Previous value of four: none").click_secondary();
    window.run_steps(3);
    assert_eq!(selected(&window), "four");
    assert!(sees(&window, "Remove line") && !sees(&window, "Remove 2 lines"));
}
