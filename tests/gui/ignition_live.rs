//! The Ignition panel with a game in a separate process: its field is painted, located in RAM, saved and followed.

use crate::gui_support::{click, draws_until, labels, press, sees, waits_for};
use crate::pochi_ram::{ask, holder};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, Theme, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::gui::{App, IgnitionSettings, Part, Settings};
use nextscope::live::{self, Sampler, SamplerCommand, Subscriber, View};
use nextscope::log::Log;
use nextscope::pochi::{Color, Field, to_code};
use nextscope::profile::{Library, Watcher};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

struct Running {
    app: App,
    sampler: Sampler,
    view: Subscriber<View>,
    libraries: Receiver<Arc<Library>>,
    _watcher: Watcher,
}

type Window = Harness<'static, Running>;

/// A window with sampler and profiles, showing the field.
fn window(pid: nextscope::process::Pid, folder: &std::path::Path, field: &Field) -> Window {
    let library = Library::load(Some(folder));
    let profiles = library.profiles().to_vec();
    let options = live::Options { pid: Some(pid), profiles, ..live::Options::default() };
    let sampler = Sampler::start(options).unwrap();
    let (send, libraries) = channel();
    let watcher = Watcher::start(library, move |library| drop(send.send(library))).unwrap();
    let ignition = IgnitionSettings {
        saved_field: to_code(field, None).unwrap(),
        part: Part::Live,
        ..IgnitionSettings::default()
    };
    let mut app = App::new(Settings { ignition, ..Settings::default() }, Log::default(), Vec::new(), None);
    app.set_profile_folder(Some(folder.to_owned()));
    let running = Running { app, view: sampler.view(), sampler, libraries, _watcher: watcher };
    let show = |ui: &mut Ui, running: &mut Running| {
        while let Ok(library) = running.libraries.try_recv() {
            running.sampler.send(SamplerCommand::Profiles(library.profiles().to_vec()));
            running.app.set_profiles(library.profiles());
        }
        let view = running.view.get();
        running.app.show(ui, &view);
        for order in running.app.take_orders() {
            running.sampler.send(order);
        }
    };
    let mut window = Harness::builder()
        .with_size(vec2(1280.0, 1400.0))
        .with_theme(Theme::Dark)
        .build_ui_state(show, running);
    window.run_steps(3);
    press(&mut window, Modifiers::COMMAND, Key::I);
    window
}

/// Whether the panel shows this field.
fn paints(window: &Window, field: &Field) -> bool {
    field.places().all(|at| {
        let name = format!("Row {}, column {}: ", at.y + 1, at.x + 1);
        let what = field.get(at).map_or("empty", Color::name);
        labels(window, &name).iter().any(|text| text.starts_with(&format!("{name}{what}")))
    })
}

/// Focuses the field; the memory panel has a grid, too.
fn focus_field(window: &mut Window) {
    let is_field = |label: Option<String>| label.is_some_and(|label| label.starts_with("Field"));
    let grid = window.query_all_by_role(Role::Grid).find(|grid| is_field(grid.accesskit_node().label()));
    grid.expect("the field").focus();
    window.run_steps(2);
}

fn waits_until(window: &mut Window, what: &str, done: impl Fn(&Window) -> bool) {
    draws_until(window, what, |window| done(window));
}

#[test]
fn a_painted_field_is_located_saved_and_followed() {
    let mut target = holder(41);
    let pid = target.pid();
    let mut ask = |what: &str| ask(&mut target, what);
    let field = ask("field");
    let home = tempfile::tempdir().unwrap();
    let mut window = window(pid, home.path(), &field);
    assert!(sees(
        &window,
        "No Pochi & Nyaa attached. Once its field address is known, the game is recognized automatically"
    ));
    let process = format!("({pid})");
    waits_until(&mut window, "the process", |window| {
        window.state().view.clone().get().emulators.iter().any(|row| row.pid == pid)
    });
    window.get_by_role_and_label(Role::ComboBox, "Process").click();
    window.run_steps(3);
    let choice = labels(&window, &process).into_iter().next().expect("it is listed");
    window.get_by_label(&choice).scroll_to_me(); // other programs may precede it
    window.run_steps(30);
    click(&mut window, &choice);

    // A field that is not in RAM, then the one that is.
    focus_field(&mut window);
    window.event(Event::Paste("RGBYRGB\nYRGBRGB\n".into()));
    window.run_steps(3);
    click(&mut window, "Search");
    waits_for(&mut window, "Field not found in RAM");
    let mut field = field;
    for _ in 0..20 {
        focus_field(&mut window);
        window.event(Event::Paste(field.to_text()));
        window.run_steps(3);
        assert!(paints(&window, &field));
        let again = if sees(&window, "Search again") { "Search again" } else { "Search" };
        click(&mut window, again);
        waits_until(&mut window, "an answer", |window| {
            !sees(window, "searching RAM")
                && (sees(window, "Located at 0x")
                    || sees(window, "left. Play on, paint the new field with other blocks, and search again"))
        });
        if sees(&window, "Located at 0x103001") {
            break;
        }
        assert!(!sees(&window, "Save to profile"), "nothing is guessed");
        field = ask("turn");
    }
    waits_for(&mut window, "Located at 0x103001: column stride 2, row stride 14, mask 0xFF");
    click(&mut window, "Save to profile");
    waits_for(&mut window, "Saved to ");
    let file = home.path().join("pochi-nyaa-mvs.toml");
    assert!(std::fs::read_to_string(&file).unwrap().contains("address = 0x103001"));

    // The profile is reloaded, the game recognized by its content, and its field followed.
    waits_for(&mut window, "Follow");
    assert!(sees(&window, "Nothing to check"), "the status bar");
    let before = field.clone();
    field = ask("turn");
    click(&mut window, "Follow");
    for _ in 0..10 {
        waits_until(&mut window, "the field", |window| paints(window, &field));
        field = ask("turn");
    }
    waits_until(&mut window, "the field", |window| paints(window, &field));
    // Following is one undo step.
    focus_field(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    waits_for(&mut window, "Not following: the field was edited");
    waits_until(&mut window, "what was painted before", |window| paints(window, &before));
    field = ask("turn");
    window.run_steps(5);
    assert!(paints(&window, &before), "it no longer follows");
    draws_until(&mut window, "what is taken", |window| {
        click(window, "Copy once");
        paints(window, &field)
    });
}
