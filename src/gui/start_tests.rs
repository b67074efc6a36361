#![allow(clippy::expect_used, reason = "a test may panic")]

use super::*;
use crate::gui::file_dialog::RecentFiles;
use crate::gui::keys::Keys;
use crate::gui::settings::Settings;
use crate::live::View;
use crate::research::ReplaySnapshot;
use eframe::egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::time::Instant;

/// The panel and its dialog alone, and what they actions for.
fn harness(file: &Path) -> Harness<'static, (StartPanel, Vec<UiAction>)> {
    harness_of(egui::vec2(700.0, 500.0), file)
}

fn harness_of(size: egui::Vec2, file: &Path) -> Harness<'static, (StartPanel, Vec<UiAction>)> {
    let panel = StartPanel { file: Some(file.to_owned()), ..StartPanel::default() };
    let mut files = FileDialogs::new(RecentFiles::default());
    Harness::builder().with_size(size).build_ui_state(
        move |ui, (panel, actions): &mut (StartPanel, Vec<UiAction>)| {
            let view = View::default();
            let now = Instant::now();
            let look = Settings::default().look(Theme::Dark);
            let mut cx = UiContext {
                view: &view,
                status: super::super::ui_context::ConnectionStatus::of(&view, now),
                now,
                look,
                attach_mode: AttachMode::Automatic,
                demo: false,
                known: &[],
                profiles: &[],
                watched: &[],
                keys: &Keys::default(),
                played: &ReplaySnapshot::default(),
                profile_folder: None,
                files: &mut files,
                actions,
            };
            panel.show(ui, &mut cx);
            panel.show_dialog(ui, look.tokens, &mut files);
            panel.poll(ui.ctx(), AttachMode::Automatic, actions);
        },
        (panel, Vec::new()),
    )
}

fn until(
    harness: &mut Harness<'_, (StartPanel, Vec<UiAction>)>,
    what: &str,
    done: impl Fn(&(StartPanel, Vec<UiAction>)) -> bool,
) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done(harness.state()) {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
        harness.step();
    }
}

#[test]
fn what_is_entered_is_started_remembered_attached_to_and_started_again_by_its_button() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("commands.toml");
    // A program that could be an emulator by its name, and ends by itself.
    let emulator = folder.path().join("blastem");
    std::fs::copy("/bin/sleep", &emulator).expect("a program");
    let mut harness = harness(&file);
    harness.get_by_label("Start emulator…").click();
    harness.step();
    assert!(matches!(harness.state().1.as_slice(), [UiAction::Run(Command::StartEmulator)]));
    harness.state_mut().1.clear();
    harness.state_mut().0.open();
    harness.run_steps(3);
    harness.get_by_label("Command").focus();
    harness.step();
    harness.get_by_label("Command").type_text(&format!("{} 1", emulator.display()));
    harness.step();
    harness.get_by_label("Save as").focus();
    harness.step();
    harness.get_by_label("Save as").type_text("short");
    harness.run_steps(2);
    harness.get_by_label("Start").click();
    harness.run_steps(2);
    assert!(!harness.state().0.is_open(), "{:?}", harness.state().0.form);
    let attach =
        |(_, actions): &(StartPanel, Vec<UiAction>)| matches!(actions.as_slice(), [UiAction::Attach(_)]);
    until(&mut harness, "attached to", attach);
    let saved = SavedCommands::load_from(&file).expect("it was written");
    assert_eq!(saved.commands()[0].command, [emulator.display().to_string(), "1".into()]);
    until(&mut harness, "it ended", |(panel, _)| panel.running.is_empty());
    harness.state_mut().1.clear();
    harness.step();
    harness.get_by_label("Start short").click();
    until(&mut harness, "attached to", attach);
    until(&mut harness, "it ended", |(panel, _)| panel.running.is_empty());
}

#[test]
fn every_installed_emulator_is_in_sight_and_writes_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs = ["blastem", "mednafen", "retroarch", "mame", "desmume", "desmume-cli", "melonDS", "fceux"];
    for program in programs.iter().chain(&["nestopia", "jgenesis", "ares", "dgen", "fbneo"]) {
        std::fs::write(folder.path().join(program), "").expect("a program");
    }
    for (size, path) in [
        (egui::vec2(800.0, 600.0), ""),
        (egui::vec2(800.0, 600.0), "/games/a game.md"),
        (egui::vec2(1800.0, 1000.0), "/games/a game.md"),
        (egui::vec2(400.0, 300.0), "/games/a game.md"),
    ] {
        let mut harness = harness_of(size, &folder.path().join("commands.toml"));
        harness.state_mut().0.open();
        let installed = crate::start::installed(&[folder.path().to_owned()]);
        assert_eq!(installed.len(), 13);
        let form = harness.state_mut().0.form.as_mut().expect("it is open");
        (form.installed, form.game) = (installed.clone(), path.to_owned());
        harness.run_steps(6);
        for suggestion in installed.iter().filter(|suggestion| suggestion.plays(path)) {
            if size.y < 500.0 {
                harness.get_by_label(suggestion.name).scroll_to_me(); // such a small window scrolls
                harness.run_steps(6);
            }
            let rect = harness.get_by_label(suggestion.name).rect();
            assert!(rect.height() >= 15.0 && rect.width() >= 30.0, "{} at {size}: {rect}", suggestion.name);
            harness.get_by_label(suggestion.name).click(); // by the pointer: what is cut off gets nothing
            harness.run_steps(2);
            let command = join_words(&suggestion.command(path));
            assert_eq!(harness.state().0.form.as_ref().expect("open").command, command, "{size} {path}");
        }
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, size);
        for button in ["Start", "Cancel"] {
            assert!(screen.contains_rect(harness.get_by_label(button).rect()), "{button} at {size}");
        }
    }
}

#[test]
fn the_chosen_emulator_follows_the_name_of_the_game_until_the_command_is_edited() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("blastem"), "").expect("a program");
    let mut harness = harness(&folder.path().join("commands.toml"));
    harness.state_mut().0.open();
    let form = harness.state_mut().0.form.as_mut().expect("it is open");
    form.installed = crate::start::installed(&[folder.path().to_owned()]);
    harness.run_steps(3);
    harness.get_by_label("BlastEm").click();
    harness.run_steps(2);
    let types = |harness: &mut Harness<'_, (StartPanel, Vec<UiAction>)>, field: &str, text: &str| {
        harness.get_by_label(field).focus();
        harness.step();
        harness.get_by_label(field).type_text(text);
        harness.run_steps(2);
        harness.state().0.form.as_ref().expect("open").command.clone()
    };
    let command = types(&mut harness, "Game file", "/games/a.md");
    assert!(command.ends_with("blastem /games/a.md"), "{command}");
    let edited = types(&mut harness, "Command", " -f");
    assert_eq!(edited, format!("{command} -f"));
    assert_eq!(types(&mut harness, "Game file", "x"), edited);
}

#[test]
fn what_fails_says_so_where_it_was_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = harness(&folder.path().join("commands.toml"));
    harness.state_mut().0.open();
    harness.run_steps(3);
    harness.get_by_label("Command").focus();
    harness.step();
    harness.get_by_label("Command").type_text("no-such-emulator 'a b'");
    harness.run_steps(2);
    harness.get_by_label("Start").click();
    harness.run_steps(2);
    assert!(harness.state().0.is_open(), "what was typed is not lost");
    harness.get_by_label_contains("no-such-emulator cannot be started");
    let command = ["/bin/sh", "-c", "echo no ROM; exit 9"].map(Into::into).to_vec();
    harness.state_mut().0.form = None;
    harness.state_mut().0.launch_and_track(&Launch { command, ..Launch::default() }).expect("a shell");
    until(&mut harness, "it failed", |(panel, _)| panel.error.is_some());
    harness.step();
    harness.get_by_label_contains("no ROM");
}
