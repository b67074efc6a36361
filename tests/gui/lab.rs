//! The Lab panel without a display: randomizers are selected, measured, cancelled and copied, by keyboard and mouse.

use crate::gui_support::{
    Window, click, copied, nothing_runs, press, sees, types_into, waits_for, window_on,
};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::Queryable;
use nextscope::games::bounded::Limits;
use nextscope::gui::{Plots, Settings};
use nextscope::profile::{Profile, parse};
use nextscope::stats::{Choices, SampleSize, Subject, measure, table};
use nextscope::task::Progress;
use std::sync::Arc;

fn window() -> Window {
    window_with(Settings::default())
}

fn window_with(settings: Settings) -> Window {
    let mut window = window_on(nothing_runs(), settings, vec2(1280.0, 1400.0));
    press(&mut window, Modifiers::COMMAND, Key::Num8);
    window
}

#[test]
fn randomizers_are_measured_by_keyboard_and_the_plots_have_labels() {
    let mut window = window();
    assert!(sees(&window, "No measurements yet. Choose randomizers and press Measure"));
    assert!(window.get_by_label("Measure").is_focused(), "Ctrl+8 focuses the button");
    press(&mut window, Modifiers::NONE, Key::Enter);
    waits_for(&mut window, "Histogram of droughts. Tetris (1985): most common 0, longest ");
    assert!(sees(&window, "Tetris Worlds: 0 % are 13 or longer, longest 12"));
    assert!(sees(&window, "bits of the next piece"));
    let names = ["tetris-1985", "tetris-nes", "tetris-worlds", "tgm3", "bounded"];
    let subjects = names.map(|name| Subject::parse(name, Choices::default()).unwrap());
    let sample = SampleSize { seeds: 1..=1, pieces: 200_000 };
    let measured = measure(&subjects, &sample, &Progress::default()).unwrap();
    assert_eq!(copied(&mut window, "Copy table"), table(&measured), "as the command line prints it");
    assert!(copied(&mut window, "Copy CSV").starts_with("game,variant,first_seed"));
    assert!(copied(&mut window, "Copy JSON").starts_with("{\"schema\":1,\"kind\":\"stats\","));
    assert!(sees(&window, "Tetris (NES): "));
}

#[test]
fn an_empty_selection_is_reported_and_not_measured() {
    let mut window = window();
    for name in
        ["Tetris (1985)", "Tetris (NES)", "Tetris Worlds", "TGM3 Terror-Instinct", "Bounded (our own)"]
    {
        assert!(sees(&window, name));
        click(&mut window, name);
    }
    assert!(sees(&window, "Choose at least one randomizer"));
    click(&mut window, "Measure");
    assert!(sees(&window, "No measurements yet. Choose randomizers and press Measure"));
    assert!(!sees(&window, "Bounded: max drought"));
    click(&mut window, "Bounded (our own)");
    assert!(!sees(&window, "Choose at least one randomizer"));
    assert!(sees(&window, "Bounded: max drought"));
    click(&mut window, "Unlimited snakes");
    click(&mut window, "Variants (sources disagree)");
    window.run_steps(20);
    click(&mut window, "bounded:strict");
    click(&mut window, "Measure");
    waits_for(&mut window, "bounded:strict: most common ");
}

#[test]
fn a_measurement_is_cancelled() {
    let mut window = window();
    let field = window.get_by_label("Pieces per seed");
    field.focus();
    window.run_steps(2);
    // Enough for minutes: the panel must not wait for it.
    window.get_by_label("Pieces per seed").click();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text("100000000".into()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    click(&mut window, "Measure");
    assert!(sees(&window, "Cancel"));
    click(&mut window, "Cancel");
    assert!(!sees(&window, "Cancel"));
    assert!(sees(&window, "No measurements yet. Choose randomizers and press Measure"));
}

/// A new window with the saved settings.
fn opened_again(window: &Window) -> Window {
    let stored = serde_json::to_string(&window.state().0.settings).unwrap();
    window_with(serde_json::from_str(&stored).unwrap())
}

#[test]
fn the_lab_settings_survive_a_restart() {
    let mut window = window();
    for name in ["Tetris (1985)", "Tetris (NES)", "TGM3 Terror-Instinct", "Flash Point"] {
        click(&mut window, name);
    }
    types_into(&mut window, Role::SpinButton, "Pieces per seed", "5000");
    types_into(&mut window, Role::SpinButton, "Seeds", "3");
    types_into(&mut window, Role::TextInput, "First seed", "0x10");
    types_into(&mut window, Role::SpinButton, "Bounded: max drought", "9");
    click(&mut window, "Survival");
    let chosen = window.state().0.settings.lab.clone();
    assert_eq!(chosen.randomizers, ["tetris-worlds", "bounded", "flash-point"]);
    assert_eq!(
        (chosen.pieces, chosen.seeds, chosen.first_seed.as_str(), chosen.drought),
        (5000, 3, "0x10", 9)
    );
    assert_eq!(chosen.plots, Plots::Survival);

    let mut window = opened_again(&window);
    assert_eq!(window.state().0.settings.lab, chosen);
    press(&mut window, Modifiers::NONE, Key::Enter);
    waits_for(&mut window, "Survival function of droughts. Tetris Worlds: ");
    assert!(!sees(&window, "Histogram of droughts"));
    assert!(sees(&window, "Flash Point: ") && !sees(&window, "TGM3 Terror-Instinct: "));
    let names = ["tetris-worlds", "flash-point", "bounded"];
    let limits = Some(Limits { drought: 9, ..Limits::default() });
    let subjects = names.map(|name| {
        let limits = limits.filter(|_| name == "bounded");
        Subject::parse(name, Choices { limits, ..Choices::default() }).unwrap()
    });
    let sample = SampleSize { seeds: 0x10..=0x12, pieces: 5000 };
    let measured = measure(&subjects, &sample, &Progress::default()).unwrap();
    assert_eq!(copied(&mut window, "Copy table"), table(&measured));
    click(&mut window, "Both");
    assert!(sees(&window, "Histogram of droughts") && sees(&window, "Survival function of droughts"));
}

/// TAP's rule, as a profile declares it.
fn declared_profile() -> Arc<Profile> {
    let start = "id = \"my-game\"\nname = \"My game\"\nconsole = \"nes\"\nstatus = \"unconfirmed\"\n";
    let section = include_str!("../../crates/games/src/games/declared/models/tgm2.toml");
    Arc::new(parse(&format!("{start}{section}"), "my-game.toml").0.unwrap())
}

#[test]
fn a_randomizer_of_a_profile_is_measured_beside_built_in_ones() {
    let mut settings = Settings::default();
    settings.lab.randomizers = vec!["tgm2".into()];
    let mut window = window_with(settings);
    assert!(!sees(&window, "Declared in profiles"), "no profile declares one");
    window.state_mut().0.set_profiles(&[declared_profile()]);
    window.run_steps(3);
    click(&mut window, "Declared in profiles");
    window.run_steps(20);
    click(&mut window, "my-game");
    assert_eq!(window.state().0.settings.lab.randomizers, ["tgm2", "declared:my-game"]);
    click(&mut window, "Measure");
    waits_for(&mut window, "Histogram of droughts. TGM2 PLUS (TAP): most common ");
    let table = copied(&mut window, "Copy table");
    let longest = table.lines().find(|line| line.starts_with("longest drought")).unwrap();
    let longest: Vec<&str> = longest.split_whitespace().skip(2).collect();
    assert_eq!(longest.len(), 2, "{table}");
    assert_eq!(longest[0], longest[1], "the same pieces");
    // The choice is kept also while its profile is not there.
    let kept = window.state().0.settings.lab.clone().repaired().randomizers;
    assert_eq!(kept, ["tgm2", "declared:my-game"]);
    window.state_mut().0.set_profiles(&[]);
    window.run_steps(3);
    assert!(!sees(&window, "Declared in profiles"));
    click(&mut window, "Measure");
    waits_for(&mut window, "Histogram of droughts. TGM2 PLUS (TAP): most common ");
}
