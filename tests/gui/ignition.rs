//! The Ignition panel without a display: fields painted by keyboard and mouse, with values compared to the evaluation and to
//! those stated in seed document 003.

use crate::gui_support::{
    Window, click, copied, label, labels, nothing_runs, press, sees, types_into, waits_for, window_on,
};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, OutputCommand, PointerButton, Pos2, Rect, Vec2, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::gui::{FieldOverlay, IgnitionSettings, Part, Settings};
use nextscope::pochi::{
    Choice, Color, Evaluation, Field, GridCell, Ignition, RuleQuestion, Rules, Ruleset, evaluate, gallery,
    one_more, rank, to_code, to_link,
};

const SHIFTED: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

fn window_of(size: Vec2, settings: Settings) -> Window {
    let mut window = window_on(nothing_runs(), settings, size);
    press(&mut window, Modifiers::COMMAND, Key::I);
    window
}

fn window_with(ignition: IgnitionSettings) -> Window {
    window_of(vec2(1280.0, 1400.0), Settings { ignition, ..Settings::default() })
}

/// A window on this field.
fn window_of_field(field: &Field, ignition: Option<&Ignition>) -> Window {
    window_with(IgnitionSettings {
        saved_field: to_code(field, ignition).unwrap(),
        ..IgnitionSettings::default()
    })
}

fn window() -> Window {
    window_with(IgnitionSettings::default())
}

/// A field of the game's size with these top rows.
fn field(rows: &str) -> Field {
    let mut field = Field::default();
    let small = Field::from_text(rows).unwrap();
    for at in small.places() {
        field.set(at, small.get(at));
    }
    field
}

/// Tails of 3, 4 and 4, worth 12 on MVS and 11 on PS2 ("Problem 2" of the document), with a needle at the top left.
fn three_tails() -> (Field, Ignition) {
    (field("..R.\nRRRR\n.R.."), Ignition::Needle { at: GridCell::new(0, 0), color: None })
}

fn both(field: &Field, ignition: &Ignition, rules: Rules) -> [Evaluation; 2] {
    Ruleset::ALL.map(|ruleset| evaluate(field, ignition, ruleset, rules).unwrap())
}

fn cell_name(at: GridCell) -> String {
    format!("Row {}, column {}: ", at.y + 1, at.x + 1)
}

/// The label of a cell.
fn cell(window: &Window, at: GridCell) -> String {
    let name = cell_name(at);
    let of_cell = |text: &String| {
        text.starts_with(&name) && window.query_all_by_role_and_label(Role::Cell, text).next().is_some()
    };
    labels(window, &name).into_iter().find(of_cell).unwrap_or_else(|| panic!("no cell {name}"))
}

fn cell_rect(window: &Window, at: GridCell) -> Rect {
    window.get_by_role_and_label(Role::Cell, &cell(window, at)).rect()
}

/// The blocks that the panel shows, as a field.
fn painted(window: &Window) -> Field {
    let mut field = Field::default();
    for at in field.places() {
        let text = cell(window, at);
        let color = Color::ALL.into_iter().find(|color| {
            text.starts_with(&format!("{}{color}", cell_name(at)))
                && !text.contains(&format!("{color} needle"))
        });
        field.set(at, color);
    }
    field
}

/// Checks both values and every wave and tail.
fn shows(window: &Window, field: &Field, ignition: &Ignition, ruleset: Ruleset, rules: Rules) {
    let both = both(field, ignition, rules);
    for one in &both {
        assert!(
            sees(window, &format!("{} value {}", one.ruleset, one.value)),
            "{} {}",
            one.ruleset,
            one.value
        );
        assert!(sees(window, &format!("{}: {}", one.ruleset, one.describe_sum())), "{}", one.describe_sum());
    }
    let shown = both.iter().find(|one| one.ruleset == ruleset).unwrap();
    for at in field.places() {
        let text = cell(window, at);
        let wave = shown.waves.iter().position(|wave| wave.iter().any(|block| block.at == at));
        match wave {
            Some(wave) => assert!(text.contains(&format!(", wave {}", wave + 1)), "{text}"),
            None => assert!(!text.contains(", wave "), "{text}"),
        }
        let tail = shown.structures.iter().flat_map(|one| &one.tails).find(|tail| tail.at == at);
        match tail {
            Some(tail) => assert!(text.ends_with(&format!(" worth {}", tail.value)), "{text}"),
            None => assert!(!text.contains(" worth "), "{text}"),
        }
    }
}

/// Moves the cursor to a cell.
fn goes(window: &mut Window, to: GridCell) {
    press(window, Modifiers::NONE, Key::Home);
    for _ in 0..12 {
        press(window, Modifiers::NONE, Key::ArrowUp);
    }
    for _ in 0..to.x {
        press(window, Modifiers::NONE, Key::ArrowRight);
    }
    for _ in 0..to.y {
        press(window, Modifiers::NONE, Key::ArrowDown);
    }
}

fn types(window: &mut Window, text: &str) {
    window.event(Event::Text(text.into()));
    window.run_steps(2);
}

/// Drags with a mouse button from the first position over the others.
fn drags(window: &mut Window, button: PointerButton, places: &[Pos2]) {
    let pressed = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    window.event(Event::PointerMoved(places[0]));
    window.step();
    window.event(pressed(places[0], true));
    window.step();
    for place in &places[1..] {
        window.event(Event::PointerMoved(*place));
        window.step();
    }
    window.event(pressed(places[places.len() - 1], false));
    window.run_steps(2);
}

#[test]
fn painting_by_keyboard_gives_the_documented_value() {
    let mut window = window();
    assert!(window.get_by_role(Role::Grid).is_focused(), "Ctrl+I focuses the field");
    let (field, needle) = three_tails();
    for at in field.places().filter(|at| field.get(*at).is_some()) {
        goes(&mut window, at);
        types(&mut window, "r");
    }
    assert_eq!(painted(&window), field);
    assert!(sees(&window, "Place the needle beside a block (N) to see its value"));
    goes(&mut window, GridCell::new(0, 0));
    types(&mut window, "n");
    assert!(label(&window, "Field, ").ends_with("Row 1, column 1: red needle"));
    assert!(sees(&window, "MVS value 12") && sees(&window, "PS2 value 11"), "as the document says");
    assert!(sees(&window, "MVS: 3 + 4 + 4 = 11; 4 % x 3 tails of 11 = 1.32, rounded down to 1: 11 + 1 = 12"));
    shows(&window, &field, &needle, Ruleset::Mvs, Rules::default());
    assert_eq!(cell(&window, GridCell::new(2, 0)), "Row 1, column 3: red, wave 4, tail 2 worth 4");
    click(&mut window, "PS2 rules");
    shows(&window, &field, &needle, Ruleset::Ps2, Rules::default());

    // Undo and redo; each key was one step.
    window.get_by_role(Role::Grid).focus();
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(sees(&window, "MVS value none yet"));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(painted(&window).blocks(), 5);
    press(&mut window, SHIFTED, Key::Z);
    press(&mut window, SHIFTED, Key::Z);
    shows(&window, &field, &needle, Ruleset::Ps2, Rules::default());
    // Three keys erase a cell, and one clears the field.
    for (x, y) in [(1, 2), (3, 1), (2, 0)] {
        goes(&mut window, GridCell::new(x, y));
        match x {
            1 => press(&mut window, Modifiers::NONE, Key::Delete),
            2 => press(&mut window, Modifiers::NONE, Key::Backspace),
            _ => types(&mut window, "."),
        }
    }
    assert_eq!(painted(&window).to_text().lines().next(), Some("......."));
    assert!(sees(&window, "MVS value 3"), "a line of three is left");
    types(&mut window, "c");
    assert_eq!(painted(&window), Field::default());
    assert!(sees(&window, "Paint blocks, then place a needle beside them (N)"));
}

#[test]
fn the_mouse_paints_erases_and_places_the_needle() {
    let mut window = window();
    let center = |window: &Window, x, y| cell_rect(window, GridCell::new(x, y)).center();
    click(&mut window, "Paint green");
    // So fast that only both ends are sampled.
    let row: Vec<Pos2> = [0, 6].map(|x| center(&window, x, 11)).into();
    drags(&mut window, PointerButton::Primary, &row);
    assert_eq!(painted(&window).to_text().lines().last(), Some("GGGGGGG"));
    let two: Vec<Pos2> = [2, 3].map(|x| center(&window, x, 11)).into();
    drags(&mut window, PointerButton::Secondary, &two);
    assert_eq!(painted(&window).to_text().lines().last(), Some("GG..GGG"));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(painted(&window).to_text().lines().last(), Some("GGGGGGG"), "a stroke is one step");
    click(&mut window, "Undo");
    assert_eq!(painted(&window), Field::default());
    click(&mut window, "Redo");
    click(&mut window, "Needle");
    let above = [center(&window, 0, 10)];
    drags(&mut window, PointerButton::Primary, &above);
    assert!(cell(&window, GridCell::new(0, 10)).ends_with("green needle"));
    assert!(sees(&window, "MVS value 7") && sees(&window, "PS2 value 7"));
    // Blocks selected to ignite, without a needle.
    click(&mut window, "Ignite");
    for x in [2, 6] {
        let at = [center(&window, x, 11)];
        drags(&mut window, PointerButton::Primary, &at);
    }
    assert!(sees(&window, "2 blocks selected to ignite"));
    let blocks = Ignition::Blocks(vec![GridCell::new(2, 11), GridCell::new(6, 11)]);
    shows(&window, &painted(&window), &blocks, Ruleset::Mvs, Rules::default());
    // Floating blocks fall.
    click(&mut window, "Paint blue");
    let high = [center(&window, 3, 2)];
    drags(&mut window, PointerButton::Primary, &high);
    click(&mut window, "Fall");
    assert_eq!(painted(&window).get(GridCell::new(3, 10)), Some(Color::Blue));
    click(&mut window, "Clear");
    assert_eq!(painted(&window), Field::default());
}

#[test]
fn a_needle_that_touches_two_colours_asks_for_its_colour() {
    let field = field("R.B\nR.B");
    let mut window =
        window_of_field(&field, Some(&Ignition::Needle { at: GridCell::new(1, 0), color: None }));
    assert!(sees(&window, "The needle touches red and blue. Select its colour"));
    assert!(sees(&window, "MVS value none yet"));
    click(&mut window, "Needle colour blue");
    let needle = Ignition::Needle { at: GridCell::new(1, 0), color: Some(Color::Blue) };
    shows(&window, &field, &needle, Ruleset::Mvs, Rules::default());
    assert!(cell(&window, GridCell::new(1, 0)).ends_with("blue needle"));
    click(&mut window, "Needle colour automatic");
    assert!(sees(&window, "The needle touches red and blue. Select its colour"));
}

#[test]
fn every_needle_is_in_the_heat_map_and_the_list() {
    let example = gallery().iter().find(|example| example.name.starts_with("5 tails")).unwrap();
    let field = example.field().in_game_size().unwrap();
    let mut window = window_of_field(&field, None);
    click(&mut window, "Needle values");
    let all = rank(&field, Ruleset::Mvs, Rules::default());
    for at in field.places() {
        let best = all.iter().find(|needle| needle.at == at);
        let text = cell(&window, at);
        match best {
            Some(one) => assert!(
                text.ends_with(&format!(
                    "a {} needle: {} MVS, {} PS2",
                    one.color, one.values.mvs, one.values.ps2
                )),
                "{text}"
            ),
            None => assert!(!text.contains(" needle"), "{text}"),
        }
    }
    click(&mut window, "Needles");
    click(&mut window, "PS2 rules");
    let name = |nth: usize, at: GridCell, color: Color| {
        format!("{nth}. {color}, row {}, column {}", at.y + 1, at.x + 1)
    };
    let best = rank(&field, Ruleset::Ps2, Rules::default())[0];
    click(&mut window, &name(1, best.at, best.color));
    assert!(sees(&window, &format!("PS2 value {}", best.values.ps2)));
    assert!(sees(&window, &format!("MVS value {}", best.values.mvs)));
    assert!(sees(&window, "replaces"));
    click(&mut window, "Resting positions only");
    let resting = rank(&field, Ruleset::Ps2, Rules::default()).into_iter().find(|one| one.rests).unwrap();
    click(&mut window, &name(1, resting.at, resting.color));
    assert!(cell(&window, resting.at).contains(&format!("{} needle", resting.color)));
    assert!(!sees(&window, "replaces"));
}

#[test]
fn the_gain_of_one_more_block_is_shown_in_every_empty_cell() {
    let (field, needle) = three_tails();
    let mut window = window_of_field(&field, Some(&needle));
    click(&mut window, "One more block");
    for ruleset in Ruleset::ALL {
        click(&mut window, &format!("{ruleset} rules"));
        let value = evaluate(&field, &needle, ruleset, Rules::default()).unwrap().value;
        let more = one_more(&field, &needle, Rules::default()).unwrap();
        assert_eq!(more.len(), field.places().count() - field.blocks() - 1);
        for (at, values) in more {
            let adds = i64::from(values.under(ruleset)) - i64::from(value);
            let text = cell(&window, at);
            assert!(text.ends_with(&format!("empty, one more block: {adds:+}")), "{text}");
        }
        assert!(!cell(&window, GridCell::new(0, 0)).contains("more"), "the needle is there");
    }
}

#[test]
fn an_ignition_is_stepped_and_played() {
    let (field, needle) = three_tails();
    let mut window = window_of_field(&field, Some(&needle));
    let waves = evaluate(&field, &needle, Ruleset::Mvs, Rules::default()).unwrap().waves;
    let reached = |window: &Window| field.places().filter(|at| cell(window, *at).contains(", wave ")).count();
    assert!(sees(&window, "Wave 4 of 4: 2 blocks"));
    click(&mut window, "Go to the start");
    assert!(sees(&window, "Start, 4 waves"));
    assert_eq!(reached(&window), 0);
    let mut all = 0;
    for (nth, wave) in (1..).zip(&waves) {
        click(&mut window, "Step forward");
        all += wave.len();
        assert!(sees(&window, &format!("Wave {nth} of 4: {} block", wave.len())));
        assert_eq!(reached(&window), all);
    }
    click(&mut window, "Step back");
    assert_eq!(reached(&window), all - waves[3].len());
    // By keyboard, and played to the end.
    window.get_by_role(Role::Grid).focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::PageUp);
    assert!(sees(&window, "Wave 2 of 4"));
    press(&mut window, Modifiers::NONE, Key::PageDown);
    assert!(sees(&window, "Wave 3 of 4"));
    press(&mut window, Modifiers::NONE, Key::Space);
    assert!(sees(&window, "Pause"));
    waits_for(&mut window, "Play");
    assert!(sees(&window, "Wave 4 of 4"));
    // An edit shows all waves again.
    click(&mut window, "Go to the start");
    window.get_by_role(Role::Grid).focus();
    goes(&mut window, GridCell::new(6, 11));
    types(&mut window, "b");
    assert!(sees(&window, "Wave 4 of 4"));

    let (saved_field, ignition) = (to_code(&field, Some(&needle)).unwrap(), IgnitionSettings::default());
    let ignition = IgnitionSettings { saved_field, ..ignition };
    let still = Settings { ignition, reduced_motion: true, ..Settings::default() };
    let mut window = window_of(vec2(1280.0, 900.0), still);
    click(&mut window, "Go to the start");
    click(&mut window, "Play");
    assert!(sees(&window, "Wave 4 of 4") && !sees(&window, "Pause"), "nothing moves");
}

#[test]
fn every_example_opens_with_its_values_and_is_undone() {
    let mut window = window_of(vec2(1280.0, 4000.0), Settings::default());
    types(&mut window, "y");
    let before = painted(&window);
    click(&mut window, "Examples");
    for example in gallery() {
        click(&mut window, &format!("Open {}", example.name));
        let field = painted(&window);
        assert_eq!(field.to_text(), example.field().in_game_size().unwrap().to_text(), "{}", example.name);
        for value in [format!("MVS value {}", example.mvs), format!("PS2 value {}", example.ps2)] {
            window.get_by_label(&value);
        }
        assert!(sees(&window, example.note));
        press(&mut window, Modifiers::COMMAND, Key::Z);
        assert_eq!(painted(&window), before, "{}", example.name);
    }
}

#[test]
fn open_questions_are_answered_and_the_answers_saved() {
    // Two waves of the same length meet below, one from the left and one from the right.
    let field = field("B.B\nB.B\nBBB");
    let needle = Ignition::Needle { at: GridCell::new(1, 0), color: None };
    let mut window = window_of_field(&field, Some(&needle));
    assert!(sees(&window, "Open question: two waves that cannot merge reach a block from the left"));
    assert_eq!(RuleQuestion::HorizontalTie.answers(), ["from-left", "from-right"]);
    let [_, ps2] = both(&field, &needle, Rules::default());
    let opening = ps2.open_questions.iter().find(|one| one.question == RuleQuestion::HorizontalTie).unwrap();
    assert!(opening.mattered);
    shows(&window, &field, &needle, Ruleset::Mvs, Rules::default());
    click(&mut window, "from right");
    let other = Rules::default().with(RuleQuestion::HorizontalTie, Choice::Second);
    shows(&window, &field, &needle, Ruleset::Mvs, other);
    assert!(sees(&window, "Non-default answers: horizontal tie: from right"));
    let stored = serde_json::to_string(&window.state().0.settings).unwrap();
    let settings: Settings = serde_json::from_str(&stored).unwrap();
    assert_eq!(settings.ignition.clone().repaired().rules(), other);
    let mut window = window_of(vec2(1280.0, 1400.0), settings);
    shows(&window, &field, &needle, Ruleset::Mvs, other);
    click(&mut window, "Reset answers");
    shows(&window, &field, &needle, Ruleset::Mvs, Rules::default());

    // A question whose answer changes the value shows the other value.
    let above = field_and_needle_below();
    let window = window_of_field(&above.0, Some(&above.1));
    let [mvs, _] = both(&above.0, &above.1, Rules::default());
    let opening = mvs.open_questions.iter().find(|one| one.question == RuleQuestion::BlockAbove).unwrap();
    assert_ne!(opening.other_value, mvs.value);
    assert!(sees(&window, "Open question: does a block above the needle ignite?"));
    assert!(sees(&window, &format!("MVS would be {}", opening.other_value)));
    assert!(sees(&window, &format!("{} to {}", mvs.lowest, mvs.highest)));
}

/// A needle with a block above it.
fn field_and_needle_below() -> (Field, Ignition) {
    (field("R\nR\n.\nR"), Ignition::Needle { at: GridCell::new(0, 2), color: None })
}

#[test]
fn text_codes_and_links_are_imported_and_exported() {
    let (field, needle) = three_tails();
    let mut window = window_of_field(&field, Some(&needle));
    window.get_by_role(Role::Grid).focus();
    window.run_steps(2);
    let pastes = |window: &mut Window, text: &str| {
        window.event(Event::Paste(text.into()));
        window.run_steps(3);
    };
    pastes(&mut window, "RRG\nR5B");
    assert!(
        sees(&window, "Invalid field: row 1, column 1: '5' is not a cell"),
        "{:?}",
        labels(&window, "Invalid field")
    );
    pastes(&mut window, "nextscope:ignition/1");
    assert!(sees(&window, "Invalid field: the code is invalid"));
    assert_eq!(painted(&window), field, "the field is unchanged");
    shows(&window, &field, &needle, Ruleset::Mvs, Rules::default());

    click(&mut window, "Text and files");
    assert_eq!(copied(&mut window, "Copy rows"), field.to_text());
    let link = copied(&mut window, "Copy link");
    assert_eq!(link, to_link(&field, Some(&needle)).unwrap());
    window.get_by_role(Role::Grid).focus();
    window.run_steps(2);
    window.event(Event::Copy);
    window.step();
    let copied = &window.output().platform_output.commands;
    assert!(copied.contains(&OutputCommand::CopyText(link.clone())), "{copied:?}");
    types(&mut window, "c");
    pastes(&mut window, &link);
    shows_values(&window, 12, 11);
    assert_eq!(painted(&window), field);
    // Typed rows are placed on the floor; a complete field leaves the needle in place.
    types_into(&mut window, Role::MultilineTextInput, "Rows, code or link", "GG\nGG");
    click(&mut window, "Open text");
    assert_eq!(painted(&window).get(GridCell::new(1, 11)), Some(Color::Green));
    assert_eq!(painted(&window).blocks(), 4);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    shows_values(&window, 12, 11);
    let mut other = field.clone();
    other.set(GridCell::new(3, 1), None);
    window.get_by_role(Role::Grid).focus();
    pastes(&mut window, &other.to_text());
    assert_eq!(painted(&window), other);
    assert!(cell(&window, GridCell::new(0, 0)).contains("needle"));
    types_into(&mut window, Role::MultilineTextInput, "Rows, code or link", "no field");
    click(&mut window, "Open text");
    assert!(sees(&window, "Invalid field: "));
}

fn shows_values(window: &Window, mvs: u32, ps2: u32) {
    window.get_by_label(&format!("MVS value {mvs}"));
    window.get_by_label(&format!("PS2 value {ps2}"));
}

#[test]
fn the_field_is_saved_in_the_format_of_the_extension() {
    let folder = tempfile::tempdir().unwrap();
    let (field, needle) = three_tails();
    let mut window = window_of_field(&field, Some(&needle));
    click(&mut window, "Text and files");
    let mut save = |name: &str| {
        let path = folder.path().join(name);
        types_into(&mut window, Role::TextInput, "File", path.to_str().unwrap());
        let messages = labels(&window, "Saved ")
            .into_iter()
            .chain(labels(&window, " file"))
            .chain(labels(&window, "File exists"));
        (std::fs::read(&path).unwrap_or_default(), messages.collect::<Vec<_>>().join("; "))
    };
    let (text, messages) = save("field.txt");
    assert_eq!(String::from_utf8(text).unwrap(), field.to_text());
    assert!(messages.starts_with(&format!("Saved {} bytes to ", field.to_text().len())), "{messages}");
    std::fs::write(folder.path().join("field.txt"), "mine").unwrap();
    let (content, messages) = save("field.txt");
    assert_eq!(content, b"mine", "the first save does not overwrite");
    assert!(messages.contains("File exists. Save again to overwrite"), "{messages}");
    assert_ne!(save("field.txt").0, b"mine");
    assert!(String::from_utf8(save("field.svg").0).unwrap().contains("<svg"));
    assert!(save("field.png").0.starts_with(b"\x89PNG"));
    let (nothing, messages) = save("field.gif");
    assert!(
        nothing.is_empty() && messages.contains("the file name must end in .svg, .png or .txt"),
        "{messages}"
    );
}

#[test]
fn the_builder_proves_a_small_structure_and_is_cancelled() {
    let builder =
        IgnitionSettings { part: Part::Builder, blocks: 5, effort: 2, ..IgnitionSettings::default() };
    let mut window = window_with(builder.clone());
    click(&mut window, "Build for MVS");
    waits_for(&mut window, "Proven maximum for 5 blocks under the MVS rules");
    let worth = labels(&window, " from 5 blocks").into_iter().next().unwrap();
    let value: u32 = worth.strip_prefix("MVS ").unwrap().split(' ').next().unwrap().parse().unwrap();
    click(&mut window, "Use in field");
    window.get_by_label(&format!("MVS value {value}"));
    let field = painted(&window);
    assert_eq!(field.blocks(), 5);
    let best = rank(&field, Ruleset::Mvs, Rules::default())[0];
    assert_eq!(best.values.mvs, value, "no needle does better with the same blocks");

    let long = IgnitionSettings { blocks: 40, effort: 5, ps2: true, ..builder };
    let mut window = window_with(long);
    click(&mut window, "Build for PS2");
    waits_for(&mut window, "shapes tried, ");
    click(&mut window, "Cancel");
    waits_for(&mut window, "Not proven: cancelled; ");
    assert!(!window.get_by_label("Build for PS2").accesskit_node().is_disabled());
}

#[test]
fn the_field_and_its_settings_survive_a_restart() {
    let (field, needle) = three_tails();
    let mut window = window_of_field(&field, Some(&needle));
    click(&mut window, "One more block");
    click(&mut window, "PS2 rules");
    window.get_by_role(Role::Grid).focus();
    goes(&mut window, GridCell::new(6, 11));
    types(&mut window, "g");
    let stored = serde_json::to_string(&window.state().0.settings).unwrap();
    let settings: Settings = serde_json::from_str(&stored).unwrap();
    assert_eq!((settings.ignition.overlay, settings.ignition.ps2), (FieldOverlay::OneMore, true));
    let again = window_of(vec2(1280.0, 1400.0), settings);
    assert!(again.get_by_label("Undo").accesskit_node().is_disabled(), "there is nothing to undo");
    let mut more = field;
    more.set(GridCell::new(6, 11), Some(Color::Green));
    assert_eq!(painted(&again), more);
    shows_values(&again, 12, 11);
}

#[test]
fn a_focused_tail_is_highlighted_and_tab_reaches_every_control() {
    let (field, needle) = three_tails();
    let mut window = window_of_field(&field, Some(&needle));
    let mut met = Vec::new();
    for _ in 0..120 {
        press(&mut window, Modifiers::NONE, Key::Tab);
        for name in ["Paint red", "Undo", "Play", "PS2 rules", "Needle values", "Tail 1 worth 3", "Examples"]
        {
            let mut found = window.query_all_by_label_contains(name);
            if found.any(|node| node.is_focused()) && !met.contains(&name) {
                met.push(name);
            }
        }
    }
    assert_eq!(met.len(), 6, "{met:?}; there is nothing to undo");
    let [mvs, _] = both(&field, &needle, Rules::default());
    for (number, tail) in (1..).zip(&mvs.structures[0].tails) {
        let name = label(&window, &format!("Tail {number} worth {}, ends at ", tail.value));
        window.get_by_role_and_label(Role::Button, &name).focus();
        window.run_steps(3);
        let lit: Vec<GridCell> =
            field.places().filter(|at| cell(&window, *at).ends_with(", part of this tail's wave")).collect();
        assert_eq!(lit, tail.visited);
    }
}

#[test]
fn the_panel_fits_small_and_large_windows() {
    let (field, needle) = three_tails();
    let code = to_code(&field, Some(&needle)).unwrap();
    for size in [vec2(800.0, 500.0), vec2(1280.0, 800.0)] {
        let ignition = IgnitionSettings { saved_field: code.clone(), ..IgnitionSettings::default() };
        let window = window_of(size, Settings { ignition, ..Settings::default() });
        let screen = Rect::from_min_size(Pos2::ZERO, size);
        let first = cell_rect(&window, GridCell::new(0, 0));
        assert!(first.width() >= 22.0, "{size}: cells of {}", first.width());
        let seen =
            ["Clear", "Play", "MVS value 12", "PS2 value 11", "PS2 rules", "One more block", "Examples"];
        let rects = seen.map(|name| (name.to_owned(), window.get_by_label(name).rect()));
        let last = (String::from("the last cell"), cell_rect(&window, GridCell::new(6, 11)));
        let wave = label(&window, "Wave 4 of 4");
        let wave = (wave.clone(), window.get_by_label(&wave).rect());
        for (name, rect) in rects.into_iter().chain([last, wave]) {
            assert!(screen.contains_rect(rect), "{size}: {name} at {rect}");
        }
    }
}

#[test]
fn a_field_larger_than_the_games_is_shown() {
    let mut window = window();
    let large = format!("{}\n", "R".repeat(64)).repeat(64);
    window.event(Event::Paste(large));
    window.run_steps(3);
    assert_eq!(cell(&window, GridCell::new(63, 63)), "Row 64, column 64: red");
    let line = Field::from_text(&"B\n".repeat(25)).unwrap();
    let link = to_link(&line, Some(&Ignition::Blocks(vec![GridCell::new(0, 0)]))).unwrap();
    window.event(Event::Paste(link));
    window.run_steps(3);
    shows_values(&window, 26, 25);
    click(&mut window, "Needles");
    assert!(sees(
        &window,
        "Needles are listed only for fields up to 7 columns and 16 rows (the game uses 7 by 12)"
    ));
    click(&mut window, "Clear");
    assert_eq!(painted(&window), Field::default());
}

#[test]
fn undo_applies_to_the_panel_in_front() {
    let mut window = window();
    types(&mut window, "r");
    press(&mut window, Modifiers::COMMAND, Key::Num9);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::I);
    assert_eq!(painted(&window).blocks(), 1, "that was for the search");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(painted(&window).blocks(), 0);
}
