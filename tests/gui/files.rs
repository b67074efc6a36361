//! File dialogs and recent files, with a dialog that the test answers.

use crate::gui_support::{
    Window, click, draws_until, draws_until_some, mismatched, nothing_runs, press, recorded, sees,
    types_into, waits_for, window_on,
};
use eframe::egui::accesskit::Role;
use eframe::egui::{DroppedFile, HoveredFile, Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::gui::{DataSource, DialogMode, DialogRequest, FileKind, Outside, Settings};
use nextscope::live::View;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

const MISSING: &str = "No file dialog: no D-Bus session, and zenity is not installed. Enter the path";

type Answer = Result<Vec<PathBuf>, String>;

/// The dialog of a window: the requests it got, and the answers it gives.
struct Dialog {
    requests: Receiver<DialogRequest>,
    answers: Sender<Answer>,
}

impl Dialog {
    /// Answers the dialog that the window just opened.
    fn answer(&self, answer: Answer) -> DialogRequest {
        self.answers.send(answer).unwrap();
        self.requests.recv_timeout(crate::waiting::PATIENCE).expect("a dialog is open")
    }

    fn choose(&self, path: &Path) -> DialogRequest {
        self.answer(Ok(vec![path.to_owned()]))
    }
}

fn window_with(view: View, settings: Settings) -> (Window, Dialog) {
    let mut window = window_on(view, settings, vec2(1280.0, 800.0));
    let (asked, requests) = channel();
    let (answers, answer) = channel::<Answer>();
    let ends = Mutex::new((asked, answer));
    window.state_mut().0.set_file_dialog(Arc::new(move |request| {
        let (asked, answer) = &*ends.lock().unwrap();
        asked.send(request.clone()).unwrap();
        answer.recv().unwrap()
    }));
    (window, Dialog { requests, answers })
}

fn window(view: View) -> (Window, Dialog) {
    window_with(view, Settings::default())
}

fn opened(window: &mut Window) -> u64 {
    draws_until_some(window, "the recording", |window| match window.state_mut().0.take_source() {
        Some(DataSource::Recording(recording)) => Some(recording.len()),
        _ => None,
    })
}

fn is_disabled(window: &Window, label: &str) -> bool {
    window.get_by_label(label).accesskit_node().is_disabled()
}

/// Opens the menu with this label, which lists the recent files.
fn open_menu(window: &mut Window, label: &str) {
    click(window, label);
    window.run_steps(3);
}

#[test]
fn without_a_dialog_the_panel_says_what_is_missing_and_the_path_can_be_typed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut window, dialog) = window(mismatched());
    click(&mut window, "Save report…");
    // By the keyboard alone.
    window.get_by_label("Browse… (report)").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Space);
    dialog.answer(Err(MISSING.into()));
    waits_for(&mut window, MISSING);
    let path = folder.path().join("report.md");
    types_into(&mut window, Role::TextInput, "File", &path.display().to_string());
    assert!(path.exists() && sees(&window, "Saved ") && !sees(&window, MISSING));

    press(&mut window, Modifiers::COMMAND, Key::F9);
    click(&mut window, "Browse… (recording)");
    dialog.answer(Err(MISSING.into()));
    waits_for(&mut window, MISSING);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!sees(&window, MISSING));

    press(&mut window, Modifiers::COMMAND, Key::T);
    for button in ["Browse… (watch list)", "Save as… (watch list)"] {
        click(&mut window, button);
        dialog.answer(Err(MISSING.into()));
        waits_for(&mut window, MISSING);
        types_into(&mut window, Role::TextInput, "List file", "list.txt");
        assert!(!sees(&window, MISSING) && sees(&window, "the file name must end in .wch, .CT or .csv"));
    }

    press(&mut window, Modifiers::COMMAND, Key::Num9);
    click(&mut window, "Dumps");
    click(&mut window, "Browse… (memory dump)");
    dialog.answer(Err(MISSING.into()));
    waits_for(&mut window, MISSING);

    press(&mut window, Modifiers::COMMAND, Key::N);
    click(&mut window, "Browse… (game)");
    dialog.answer(Err(MISSING.into()));
    draws_until(&mut window, "both messages", |window| window.query_all_by_label(MISSING).count() == 2);
}

#[test]
fn a_file_that_the_dialog_confirmed_is_overwritten_without_asking_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.md");
    std::fs::write(&path, "mine").unwrap();
    let (mut window, dialog) = window(mismatched());
    click(&mut window, "Save report…");
    click(&mut window, "Browse… (report)");
    let request = dialog.choose(&path);
    let name = Some("report.html".to_owned());
    assert_eq!(request, DialogRequest { kind: FileKind::Report, mode: DialogMode::Save, folder: None, name });
    waits_for(&mut window, "Saved ");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with('#'));

    // A typed path that exists still asks.
    std::fs::write(&path, "mine").unwrap();
    types_into(&mut window, Role::TextInput, "File", &path.display().to_string());
    assert!(sees(&window, "File exists. Save again to overwrite"));

    // The dialog did not ask about the name with the extension.
    let page = folder.path().join("page.html");
    std::fs::write(&page, "mine").unwrap();
    click(&mut window, "Browse… (report)");
    let request = dialog.choose(&folder.path().join("page"));
    assert_eq!(request.folder.as_deref(), Some(folder.path()), "the last folder");
    assert_eq!(request.name.as_deref(), Some("report.md"), "the last name");
    draws_until(&mut window, "the question", |window| {
        let typed = window.get_by_role_and_label(Role::TextInput, "File").value();
        typed == Some(page.display().to_string()) && sees(window, "File exists. Save again to overwrite")
    });
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "mine");
}

#[test]
fn one_dialog_is_open_at_a_time_and_a_cancelled_one_changes_nothing() {
    let (mut window, dialog) = window(mismatched());
    click(&mut window, "Save report…");
    click(&mut window, "Browse… (report)");
    assert!(is_disabled(&window, "Browse… (report)"), "the window draws while the dialog is open");
    dialog.answer(Ok(Vec::new()));
    draws_until(&mut window, "the end", |window| !is_disabled(window, "Browse… (report)"));
    assert!(!sees(&window, "Saved ") && !sees(&window, "must end in"));

    // The answer to a closed field is ignored.
    press(&mut window, Modifiers::COMMAND, Key::F9);
    click(&mut window, "Browse… (recording)");
    press(&mut window, Modifiers::NONE, Key::Escape);
    press(&mut window, Modifiers::COMMAND, Key::F9);
    assert!(!is_disabled(&window, "Browse… (recording)"));
    dialog.choose(Path::new("/nowhere/round.nsrec"));
    window.run_steps(5);
    assert!(sees(&window, "Open recording") && !is_disabled(&window, "Browse… (recording)"));
}

#[test]
fn recent_files_are_opened_again_greyed_if_missing_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["round.nsrec", "gone.nsrec"] {
        std::fs::write(at(name), recorded(false)).unwrap();
    }
    std::fs::write(at("list.csv"), "address\n0xFF0000\n").unwrap();
    std::fs::write(at("ram.bin"), [1, 2, 3, 4]).unwrap();
    std::fs::write(at("later.bin"), [1, 2, 4, 4]).unwrap();
    let (mut window, dialog) = window(nothing_runs());
    open_menu(&mut window, "File");
    open_menu(&mut window, "Open recent");
    assert!(sees(&window, "No recent files"));
    press(&mut window, Modifiers::NONE, Key::Escape);

    for name in ["round.nsrec", "gone.nsrec"] {
        press(&mut window, Modifiers::COMMAND, Key::F9);
        click(&mut window, "Browse… (recording)");
        assert_eq!(dialog.choose(&at(name)).mode, DialogMode::Open);
        assert_eq!(opened(&mut window), 131);
    }
    press(&mut window, Modifiers::COMMAND, Key::T);
    click(&mut window, "Browse… (watch list)");
    dialog.choose(&at("list.csv"));
    waits_for(&mut window, "Opened 1 watch from");
    press(&mut window, Modifiers::COMMAND, Key::Num9);
    click(&mut window, "Dumps");
    click(&mut window, "Browse… (memory dump)");
    let request = dialog.answer(Ok(vec![at("ram.bin"), at("later.bin")]));
    assert_eq!((request.mode, request.folder), (DialogMode::OpenSeveral, None));
    waits_for(&mut window, "ram.bin, 1 of 2");
    let recent = &window.state().0.settings.recent_files;
    assert_eq!(recent.files(FileKind::Recording), [at("gone.nsrec"), at("round.nsrec")]);
    assert_eq!(recent.files(FileKind::Dump), [at("later.bin"), at("ram.bin")]);

    // The next session lists the same files.
    let settings = Settings::from_text(&window.state().0.settings.to_text().unwrap()).unwrap();
    std::fs::remove_file(at("gone.nsrec")).unwrap();
    let (mut window, dialog) = window_with(nothing_runs(), settings);
    press(&mut window, Modifiers::COMMAND, Key::F9);
    open_menu(&mut window, "Recent (recordings)");
    waits_for(&mut window, "gone.nsrec: not found");
    assert!(is_disabled(&window, "gone.nsrec: not found"));
    click(&mut window, "round.nsrec");
    assert_eq!(opened(&mut window), 131);

    open_menu(&mut window, "File");
    open_menu(&mut window, "Open recent");
    waits_for(&mut window, "gone.nsrec: not found");
    let order = ["round.nsrec", "gone.nsrec: not found", "list.csv", "later.bin", "ram.bin"];
    let tops = order.map(|label| window.get_by_label(label).rect().top());
    assert!(tops.is_sorted(), "{tops:?}");
    click(&mut window, "Remove gone.nsrec from the list");
    assert_eq!(
        window.state().0.settings.recent_files.files(FileKind::Recording),
        [at("round.nsrec")],
        "the menu closes"
    );
    open_menu(&mut window, "File");
    open_menu(&mut window, "Open recent");
    assert!(!sees(&window, "gone.nsrec") && sees(&window, "round.nsrec"));
    click(&mut window, "ram.bin");
    waits_for(&mut window, "ram.bin, 1 of 1");

    press(&mut window, Modifiers::COMMAND, Key::T);
    open_menu(&mut window, "Recent (watch lists)");
    click(&mut window, "list.csv");
    waits_for(&mut window, "Opened 1 watch from");
    click(&mut window, "Browse… (watch list)");
    assert_eq!(dialog.answer(Ok(Vec::new())).folder.as_deref(), Some(folder.path()));

    open_menu(&mut window, "Recent (watch lists)");
    click(&mut window, "Clear");
    let recent = &window.state().0.settings.recent_files;
    assert!(recent.files(FileKind::WatchList).is_empty());
    assert_eq!(recent.files(FileKind::Recording), [at("round.nsrec")], "the others are unchanged");
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

fn drops(window: &mut Window, path: &Path) {
    window.input_mut().dropped_files.push(Arc::new(Dropped(path.to_owned())));
    window.run_steps(3);
}

#[test]
fn a_saved_file_is_reported_with_its_full_path_shown_in_its_folder_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let (mut window, _dialog) = window(mismatched());
    let shown = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&shown);
    window.state_mut().0.set_outside(Arc::new(move |what| {
        record.lock().unwrap().push(what.clone());
        Err("Could not open it".into())
    }));
    click(&mut window, "Save report…");
    assert!(window.get_by_role_and_label(Role::TextInput, "File").is_focused());
    let path = folder.path().join("first.md");
    types_into(&mut window, Role::TextInput, "File", &path.display().to_string());
    // A name without a folder belongs to the folder of the last report.
    types_into(&mut window, Role::TextInput, "File", "second.md");
    let second = folder.path().join("second.md");
    assert!(second.exists());
    assert!(sees(&window, &format!("bytes to {}", second.display())));
    let typed = window.get_by_role_and_label(Role::TextInput, "File").value();
    assert_eq!(typed, Some(second.display().to_string()));
    types_into(&mut window, Role::TextInput, "File", " ");
    assert!(sees(&window, "Enter a file name, or press Browse…"));

    window.get_all_by_label("Show in folder").last().expect("a button").click();
    window.run_steps(2);
    waits_for(&mut window, "warning: Could not open it");
    let shown = shown.lock().unwrap().clone();
    assert!(shown == [Outside::Folder(second)] || shown == [Outside::Folder(path)], "{shown:?}");
    window.run_steps(60); // 15 seconds
    assert!(!sees(&window, "Saved "), "messages leave by themselves");
}

#[test]
fn a_file_of_every_kind_can_be_dropped_and_the_rest_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let profiles = folder.path().join("profiles");
    let (mut window, _dialog) = window(nothing_runs());
    window.state_mut().0.set_profile_folder(Some(profiles.clone()));

    window
        .input_mut()
        .hovered_files
        .push(HoveredFile { path: Some(at("round.nsrec")), ..Default::default() });
    window.run_steps(2);
    assert!(sees(&window, "Drop to open the recording"));
    window.input_mut().hovered_files.clear();
    window.run_steps(2);
    assert!(!sees(&window, "Drop to open"));

    let profile = nextscope::profile::Library::built_in().by_id("puyo-tsu-genesis").unwrap().clone();
    let text = include_str!("../../profiles/puyo-tsu-genesis.toml");
    std::fs::write(at("mine.toml"), text).unwrap();
    drops(&mut window, &at("mine.toml"));
    assert!(sees(&window, &format!("Added the profile {} to", profile.name)));
    assert_eq!(std::fs::read_to_string(profiles.join("mine.toml")).unwrap(), text);
    std::fs::write(at("broken.toml"), "id = 7").unwrap();
    drops(&mut window, &at("broken.toml"));
    assert!(sees(&window, "Could not add the profile") && !profiles.join("broken.toml").exists());

    std::fs::write(at("route.json"), "{}").unwrap();
    drops(&mut window, &at("route.json"));
    assert!(sees(&window, "A route cannot be opened"));

    let game = at("game.nes");
    std::fs::write(&game, "NES").unwrap();
    drops(&mut window, &game);
    let field = window.get_by_role_and_label(Role::TextInput, "Game file");
    assert_eq!(field.value(), Some(game.display().to_string()));
}
