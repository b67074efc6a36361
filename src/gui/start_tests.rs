#![allow(clippy::expect_used, reason = "a test may panic")]

use super::*;
use crate::gui::keys::Keys;
use crate::gui::settings::Settings;
use crate::gui::theme::Look;
use crate::live::View;
use crate::research::Played;
use eframe::egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::time::Instant;

/// The panel and its dialog alone, and what they asked for.
fn harness(file: &std::path::Path) -> Harness<'static, (StartPanel, Vec<Ask>)> {
    let panel = StartPanel { file: Some(file.to_owned()), ..StartPanel::default() };
    Harness::builder().with_size(egui::vec2(700.0, 500.0)).build_ui_state(
        |ui, (panel, asked): &mut (StartPanel, Vec<Ask>)| {
            let view = View::default();
            let now = Instant::now();
            let look = Look::new(&Settings::default(), Theme::Dark);
            let mut scene = Scene {
                view: &view,
                standing: super::super::scene::Standing::of(&view, now),
                now,
                look,
                wish: Wish::Automatic,
                demo: false,
                known: &[],
                profiles: &[],
                watched: &[],
                keys: &Keys::default(),
                played: &Played::default(),
                asked,
            };
            panel.show(ui, &mut scene);
            panel.show_dialog(ui, look.tokens);
            panel.keep(ui.ctx(), Wish::Automatic, asked);
        },
        (panel, Vec::new()),
    )
}

fn until(
    harness: &mut Harness<'_, (StartPanel, Vec<Ask>)>,
    what: &str,
    done: impl Fn(&(StartPanel, Vec<Ask>)) -> bool,
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
    harness.get_by_label("Start an emulator…").click();
    harness.step();
    assert!(matches!(harness.state().1.as_slice(), [Ask::Run(Command::StartEmulator)]));
    harness.state_mut().1.clear();
    harness.state_mut().0.open();
    harness.run_steps(3);
    harness.get_by_label("Command").focus();
    harness.step();
    harness.get_by_label("Command").type_text(&format!("{} 1", emulator.display()));
    harness.step();
    harness.get_by_label("Remember as").focus();
    harness.step();
    harness.get_by_label("Remember as").type_text("short");
    harness.run_steps(2);
    harness.get_by_label("Start").click();
    harness.run_steps(2);
    assert!(!harness.state().0.is_open(), "{:?}", harness.state().0.form);
    let attach = |(_, asked): &(StartPanel, Vec<Ask>)| matches!(asked.as_slice(), [Ask::Attach(_)]);
    until(&mut harness, "attached to", attach);
    let saved = Remembered::load_from(&file).expect("it was written");
    assert_eq!(saved.commands()[0].command, [emulator.display().to_string(), "1".into()]);
    until(&mut harness, "it ended", |(panel, _)| panel.running.is_empty());
    harness.state_mut().1.clear();
    harness.step();
    harness.get_by_label("Start short").click();
    until(&mut harness, "attached to", attach);
    until(&mut harness, "it ended", |(panel, _)| panel.running.is_empty());
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
    harness.state_mut().0.begin(&Launch { command, ..Launch::default() }).expect("a shell");
    until(&mut harness, "it failed", |(panel, _)| panel.told.is_some());
    harness.step();
    harness.get_by_label_contains("no ROM");
}
