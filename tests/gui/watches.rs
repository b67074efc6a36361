//! The Watches panel without a display: cells of the embedded console are read while it runs, edited, saved to files and added
//! to a profile.

use crate::gui_support::{Game, Window, click, draws_until, nothing_runs, press, sees, waits_for, window_on};
use crate::waiting::eventually;
use eframe::egui::accesskit::Role;
use eframe::egui::{DroppedFile, Event, Key, Modifiers, Theme, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::demo::{DemoOptions, DemoProcess, spawn_program};
use nextscope::gui::{App, Settings};
use nextscope::live::{self, Sampler, SamplerCommand, Subscriber, View};
use nextscope::log::Log;
use nextscope::profile::{Library, Watcher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

fn still_with(view: View, settings: Settings) -> Window {
    let mut window = window_on(view, settings, vec2(1400.0, 1000.0));
    press(&mut window, CTRL_SHIFT, Key::A);
    window
}

fn still() -> Window {
    still_with(Game::playing().live(Duration::from_millis(3)), Settings::default())
}

/// A window with all its parts, on the embedded console in a separate process.
struct Running {
    app: App,
    sampler: Sampler,
    view: Subscriber<View>,
    libraries: Receiver<Arc<Library>>,
    folder: PathBuf,
    _watcher: Watcher,
    _home: tempfile::TempDir,
    demo: DemoProcess,
}

type Live = Harness<'static, Running>;

fn live_window() -> Live {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("profiles");
    std::fs::create_dir(&folder).unwrap();
    let library = Library::load(Some(&folder));
    let demo = spawn_program(Path::new(env!("CARGO_BIN_EXE_nextscope")), &DemoOptions::default()).unwrap();
    let options = live::Options {
        pid: Some(demo.pid()),
        profiles: library.profiles().to_vec(),
        ..live::Options::default()
    };
    let sampler = Sampler::start(options).unwrap();
    let (send, libraries) = channel();
    let watcher = Watcher::start(library, move |library| drop(send.send(library))).unwrap();
    let mut app = App::new(Settings::default(), Log::default(), Vec::new(), None);
    app.set_profile_folder(Some(folder.clone()));
    let view = sampler.view();
    let running = Running { app, sampler, view, libraries, folder, _watcher: watcher, _home: home, demo };
    let show = |ui: &mut Ui, running: &mut Running| {
        while let Ok(library) = running.libraries.try_recv() {
            running.sampler.send(SamplerCommand::Profiles(library.profiles().to_vec()));
        }
        let view = running.view.get();
        running.app.show(ui, &view);
        for order in running.app.take_orders() {
            running.sampler.send(order);
        }
    };
    let mut window = Harness::builder()
        .with_size(vec2(1400.0, 1000.0))
        .with_theme(Theme::Dark)
        .build_ui_state(show, running);
    waits_for(&mut window, "puyo-tsu-genesis");
    press(&mut window, CTRL_SHIFT, Key::A);
    window
}

fn types_into<S>(window: &mut Harness<'_, S>, field: &str, text: &str) {
    window.get_by_role_and_label(Role::TextInput, field).focus();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.into()));
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
}

/// Adds a watch as a user does.
fn adds<S>(window: &mut Harness<'_, S>, address: &str, ty: &str, label: &str) {
    press(window, CTRL_SHIFT, Key::A);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(address.into()));
    window.run_steps(2);
    chooses(window, "Type of the new watch", ty);
    types_into(window, "Label", label);
}

fn chooses<S>(window: &mut Harness<'_, S>, list: &str, choice: &str) {
    window.get_by_role_and_label(Role::ComboBox, list).click();
    window.run_steps(3);
    window.get_by_label(choice).click();
    window.run_steps(3);
}

/// The number between `before` and `after` in a label.
fn number<S>(window: &Harness<'_, S>, before: &str, after: &str) -> Option<u64> {
    window.query_all_by_label_contains(before).find_map(|node| {
        let label = node.accesskit_node().label().or_else(|| node.accesskit_node().value())?;
        label.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
    })
}

fn until<S>(window: &mut Harness<'_, S>, what: &str, is_so: impl Fn(&Harness<'_, S>) -> bool) {
    draws_until(window, what, |window| is_so(window));
}

#[test]
fn watches_are_read_while_the_window_is_not_drawn() {
    let mut window = live_window();
    adds(&mut window, "0xFF85A6", "u16be, 16-bit unsigned", "pairs");
    adds(&mut window, "frame_counter", "u8, 8-bit unsigned", "frames");
    waits_for(&mut window, "Read every frame");
    until(&mut window, "pairs are read", |window| number(window, "pairs: ", "").is_some());
    let changed = |window: &Live| number(window, "frames changed ", " times").unwrap_or(0);
    let before = changed(&window);
    // Two seconds of the game, and not one frame of the window.
    let frame = |window: &mut Live| window.state_mut().view.get().data.as_ref().map_or(0, |data| data.frame);
    let first = frame(&mut window);
    eventually("the game goes on", || frame(&mut window) >= first + 120);
    window.run_steps(2);
    let counted = changed(&window) - before;
    assert!(counted >= 40, "{counted} of some 120 frames were sampled");
    // The value equals that of the sampler.
    let dealt = |window: &mut Live| match &window.state_mut().view.get().data {
        Some(data) => match &data.observation {
            Ok(seen) => seen
                .get::<nextscope::games::puyo_tsu::live::Observation>()
                .map_or(0, |seen| u64::from(seen.players[0].pairs_dealt)),
            Err(_) => 0,
        },
        None => 0,
    };
    fn both<S>(window: &Harness<'_, S>) -> Option<(u64, u64)> {
        Some((number(window, "pairs: ", "")?, number(window, "pairs changed ", " times")?))
    }
    until(&mut window, "several changes", |window| both(window).is_some());
    let first = both(&window).unwrap();
    until(&mut window, "pairs are dealt", |window| {
        both(window).is_some_and(|(_, times)| times >= first.1 + 3)
    });
    let last = both(&window).unwrap();
    // In one round every pair adds one, and none is missed.
    assert!(last.0 < first.0 || last.0 - first.0 == last.1 - first.1, "{first:?} {last:?}");
    draws_until(&mut window, "as many as were dealt", |window| {
        window.step();
        let (expected, shown) = (dealt(window), number(window, "pairs: ", ""));
        shown == Some(expected) && expected > 0
    });
    let history = window.get_by_label_contains("Plot, History of frames");
    assert!(history.accesskit_node().label().unwrap().contains(" values, from "));
    // Reading ends with the console.
    window.state_mut().demo.kill().unwrap();
    waits_for(&mut window, "Lost");
    until(&mut window, "the follower stops", |window| !sees(window, "Read every frame"));
}

#[test]
fn lines_are_edited_moved_duplicated_and_removed() {
    let mut window = still();
    adds(&mut window, "85A6", "u16be, 16-bit unsigned", "pairs");
    adds(&mut window, "0xFFFFA134", "u32be, 32-bit unsigned", "generator");
    let list = |window: &Window| window.state().0.settings.watches.list.clone();
    let first = "pairs,0xFF85A6,u16be,decimal,\n";
    let second = "generator,0xFFA134,u32be,decimal,\n";
    assert_eq!(list(&window), format!("label,address,type,display,notes\n{first}{second}"));

    types_into(&mut window, "Label of pairs", "dealt");
    types_into(&mut window, "Notes of dealt", "player 1, \"all\"");
    types_into(&mut window, "Address of dealt", "FF85A8");
    chooses(&mut window, "Type of dealt", "bcd2be, binary-coded decimal of 4 digits");
    chooses(&mut window, "Format of the selected watch", "Hexadecimal");
    let line = "dealt,0xFF85A8,bcd2be,hex,\"player 1, \"\"all\"\"\"\n";
    assert!(list(&window).contains(line), "{}", list(&window));

    types_into(&mut window, "Address of dealt", "here");
    assert!(sees(&window, "invalid address `here`: expected hexadecimal digits or a field of the profile"));
    assert!(list(&window).contains(line), "an invalid address changes nothing");
    window.get_by_role_and_label(Role::TextInput, "Address of dealt").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Escape);
    types_into(&mut window, "Address of dealt", "p1_pool_index");
    let field = Game::booted().profile.field("p1_pool_index").unwrap().address;
    assert!(list(&window).contains(&format!("dealt,{field},bcd2be")), "{}", list(&window));

    click(&mut window, "Down");
    assert!(list(&window).find("dealt") > list(&window).find("generator"));
    click(&mut window, "Up");
    assert!(list(&window).find("dealt") < list(&window).find("generator"));
    click(&mut window, "Duplicate");
    assert_eq!(list(&window).matches("dealt").count(), 2);
    click(&mut window, "Remove");
    assert_eq!(list(&window).matches("dealt").count(), 1);
    click(&mut window, "Remove");
    assert!(!list(&window).contains("generator"), "the next line is selected");
    click(&mut window, "Undo remove");
    click(&mut window, "Undo remove");
    assert_eq!(list(&window).matches("dealt").count(), 2);
    click(&mut window, "Separator");
    types_into(&mut window, "Label of separator", "Pools");
    assert!(list(&window).contains("Pools,,,,"), "{}", list(&window));
    press(&mut window, Modifiers::NONE, Key::Escape);

    // The list is restored at the next start.
    let stored = serde_json::to_string(&window.state().0.settings).unwrap();
    let again = still_with(nothing_runs(), serde_json::from_str(&stored).unwrap());
    assert!(sees(&again, "Label of dealt") && sees(&again, "No emulator attached"));
    assert_eq!(list(&again), list(&window));
}

#[test]
fn lists_are_opened_and_saved_byte_for_byte() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).display().to_string();
    let text = "SystemID GEN\r\n0010\tb\th\t1\tZ80 RAM\tsound\r\n85A6\tw\tu\t1\t68K RAM\tpairs\r\n\
        0\tS\t_\t1\t\tPools\r\na134\td\th\t1\t68K RAM\tgenerator\r\n\r\n";
    std::fs::write(path("tsu.wch"), text).unwrap();
    let mut window = still();
    types_into(&mut window, "List file", &path("tsu.wch"));
    assert!(sees(&window, "Opened 2 watches from"));
    assert!(sees(&window, "skipped: sound: it is in Z80 RAM, not in 68K RAM"));
    press(&mut window, Modifiers::COMMAND, Key::S);
    assert!(sees(&window, "Saved 2 watches to"));
    assert_eq!(std::fs::read(path("tsu.wch")).unwrap(), text.as_bytes());
    types_into(&mut window, "Label of pairs", "dealt");
    press(&mut window, Modifiers::COMMAND, Key::S);
    assert_eq!(std::fs::read_to_string(path("tsu.wch")).unwrap(), text.replace("pairs", "dealt"));

    // As a table in another file: an existing file is not overwritten at once.
    std::fs::write(path("tsu.csv"), "mine").unwrap();
    types_into(&mut window, "List file", &path("tsu.csv"));
    assert!(sees(&window, "line 1: missing column address"));
    assert!(sees(&window, "Label of dealt"), "the list is unchanged");
    click(&mut window, "Save");
    assert!(sees(&window, "File exists. Save again to overwrite"));
    assert_eq!(std::fs::read_to_string(path("tsu.csv")).unwrap(), "mine");
    click(&mut window, "Save");
    let table = std::fs::read_to_string(path("tsu.csv")).unwrap();
    assert_eq!(table, window.state().0.settings.watches.list);
    assert!(table.contains("generator,0xFFA134,u32be,hex,"), "{table}");

    // Errors name the line.
    std::fs::write(path("wrong.wch"), "SystemID GEN\n0010\tb\tu\t1\t68K RAM\t\n0011\tq\tu\t1\t68K RAM\t\n")
        .unwrap();
    types_into(&mut window, "List file", &path("wrong.wch"));
    assert!(sees(&window, "Could not open ") && sees(&window, "line 3, column 6: unknown size `q`"));
    types_into(&mut window, "List file", &path("list.txt"));
    assert!(sees(&window, "the file name must end in .wch, .CT or .csv"));

    // Unsupported entries of a Cheat Engine table are listed; a file can be dropped.
    let table = "<CheatTable><CheatEntries>\n<CheatEntry><Description>\"lives\"</Description><VariableType>Byte</VariableType>\
        <Address>FF0010</Address></CheatEntry>\n<CheatEntry><Description>\"god\"</Description>\
        <VariableType>Auto Assembler Script</VariableType></CheatEntry></CheatEntries></CheatTable>";
    std::fs::write(path("game.CT"), table).unwrap();
    window.input_mut().dropped_files.push(Arc::new(Dropped(path("game.CT").into())));
    window.run_steps(3);
    assert!(sees(&window, "Opened 1 watch from") && sees(&window, "skipped: god: it is a script"));
    assert!(sees(&window, "Label of lives") && !sees(&window, "Label of dealt"));
    click(&mut window, "Undo open");
    assert!(sees(&window, "Label of dealt"));
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

#[test]
fn a_watch_is_added_to_the_profile() {
    let mut window = live_window();
    adds(&mut window, "0xFF101E", "u16be, 16-bit unsigned", "Pairs of both");
    click(&mut window, "Add to profile…");
    assert!(sees(&window, "The profile is valid"), "the name is derived from the label");
    for line in ["[fields.pairs_of_both]", "address = 0xFF101E", "type = \"u16\"", "confirmed = false"] {
        assert!(sees(&window, line), "{line}");
    }
    assert!(sees(&window, "a copy of the built-in profile"));
    types_into(&mut window, "Name", "rng_state");
    assert!(sees(&window, "the profile already has a field rng_state"));
    types_into(&mut window, "Name", "Both!");
    assert!(sees(&window, "the profile would not be valid"));
    types_into(&mut window, "Name", "pairs_dealt_to_both");
    types_into(&mut window, "Note", "counts the pairs of both players");
    click(&mut window, "Write profile");
    assert!(!sees(&window, "Write profile"), "the dialog is closed");
    let file = window.state().folder.join("puyo-tsu-genesis.toml");
    let written = std::fs::read_to_string(file).unwrap();
    let built_in =
        nextscope::profile::built_in_files().iter().find(|(name, _)| name.ends_with("puyo-tsu-genesis.toml"));
    assert!(written.starts_with(built_in.unwrap().1.trim_end()), "with all its comments");
    assert!(written.contains("note = \"counts the pairs of both players\""), "{written}");
    // The profiles are reloaded, and the running session uses the new field.
    press(&mut window, Modifiers::COMMAND, Key::Num5);
    window.query_all_by(|node| node.placeholder() == Some("Filter fields")).next().unwrap().focus();
    window.run_steps(2);
    window.event(Event::Text("both".into()));
    waits_for(&mut window, "unconfirmed; counts the pairs of both players; found by a RAM search");
    assert!(sees(&window, "0xFF101E"));
    press(&mut window, Modifiers::COMMAND, Key::Num4);
    assert!(sees(&window, "Memory, "));
}

#[test]
fn selected_bytes_are_watched_and_shown_again() {
    let mut window = still();
    press(&mut window, Modifiers::COMMAND, Key::G);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text("p1_pairs_dealt".into()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(sees(&window, "1 byte selected"));
    window.get_by_label_contains("Memory, ").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::SHIFT, Key::ArrowRight);
    assert!(sees(&window, "2 bytes selected"));
    click(&mut window, "Watch these bytes");
    let list = window.state().0.settings.watches.list.clone();
    assert!(list.contains("p1_pairs_dealt,0xFF85A6,u16be,decimal,"), "{list}");
    assert!(sees(&window, "watched: p1_pairs_dealt"), "the byte under the cursor is marked");
    // Many values at once, each a watch.
    window.get_by_label_contains("Memory, ").focus();
    window.run_steps(2);
    for _ in 0..2 {
        press(&mut window, Modifiers::SHIFT, Key::ArrowRight);
    }
    chooses(&mut window, "Type of the selected bytes", "u8, 8-bit unsigned");
    click(&mut window, "Watch 4 values");
    let list = window.state().0.settings.watches.list.clone();
    assert_eq!(list.matches(",u8,").count(), 4, "{list}");
    // From a watch to its bytes.
    press(&mut window, Modifiers::COMMAND, Key::T);
    types_into(&mut window, "Label of p1_pairs_dealt + 1", "low");
    click(&mut window, "Show bytes");
    assert!(sees(&window, "1 byte selected") && sees(&window, "p1_pairs_dealt + 1  watched: low"));
    click(&mut window, "Add bytes to profile…");
    assert!(sees(&window, "Enter a name to preview the change"));
    click(&mut window, "Cancel");
}

#[test]
fn pointer_paths_are_found() {
    let mut window = live_window();
    adds(&mut window, "0xFF85A6", "u16be, 16-bit unsigned", "pairs");
    click(&mut window, "Pointer paths to this address");
    window.run_steps(20);
    click(&mut window, "Find paths");
    until(&mut window, "the paths", |window| {
        sees(window, "1 path to 0xFF85A6") || sees(window, " paths to 0xFF85A6")
    });
}
