//! Every panel in every connection state: all controls have accessible names, reduced motion is respected, and messages
//! appear and dismiss themselves.

use crate::gui_support::{Game, arcade, click, draws_until, draws_until_some, label, press, sees, waits_for};
use eframe::egui::accesskit::{Action, Live, Role};
use eframe::egui::{DroppedFile, Event, Key, Modifiers, Theme, Ui, Vec2, ViewportId, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::gui::{App, DataSource, Pane, Settings};
use nextscope::live::{Connection, RecordingState, SamplerCommand, View};
use nextscope::log::{Log, Topic};
use std::collections::BTreeSet;
use std::time::Duration;
use tracing::Level;

struct State {
    app: App,
    view: View,
    log: Log,
}

type Window = Harness<'static, State>;

const WIDE: Vec2 = vec2(1280.0, 800.0);
const SMALL: Vec2 = vec2(800.0, 500.0);

fn window_with(size: Vec2, view: View, settings: Settings) -> Window {
    window_paced(size, view, settings, 0.25)
}

/// A window with this frame time in seconds.
fn window_paced(size: Vec2, view: View, settings: Settings, frame: f32) -> Window {
    let log = Log::default();
    let known = vec![Game::booted().profile.name.clone()];
    let demo = Box::new(|| anyhow::bail!("there is none here"));
    let state = State { app: App::new(settings, log.clone(), known, Some(demo)), view, log };
    let show = |ui: &mut Ui, state: &mut State| {
        if let (Connection::Live, Some(data)) = (&state.view.connection, &mut state.view.data) {
            data.taken = std::time::Instant::now();
        }
        state.app.show(ui, &state.view);
    };
    let builder = Harness::builder().with_size(size).with_theme(Theme::Dark).with_step_dt(frame);
    let mut harness = builder.build_ui_state(show, state);
    harness.run_steps(3);
    harness
}

fn window(view: View) -> Window {
    window_with(WIDE, view, Settings::default())
}

fn live() -> View {
    Game::playing().live(Duration::from_millis(3))
}

/// The states in which every panel is tested.
fn states() -> Vec<(&'static str, View)> {
    vec![
        ("nothing runs", crate::gui_support::nothing_runs()),
        ("two candidates", crate::gui_support::two_candidates()),
        ("refused", crate::gui_support::refused()),
        ("booted", Game::booted().live(Duration::from_millis(3))),
        ("live", live()),
        ("paused", Game::playing().paused(Duration::from_millis(4_100))),
        ("lost", Game::playing().lost(Duration::from_millis(12_000))),
        ("mismatch", crate::gui_support::mismatched()),
        ("pieces", arcade::tap(7, true, 30).0.view()),
        ("replay", crate::gui_support::replayed(false)),
    ]
}

/// Controls without an accessible name, by role and position.
fn nameless(window: &Window) -> BTreeSet<String> {
    let acts = |node: &egui_kittest::Node<'_>| {
        let node = node.accesskit_node();
        let data = node.data();
        let actions = [Action::Focus, Action::Click];
        actions.into_iter().any(|action| data.supports_action(action)) && !node.is_disabled()
    };
    let named = |node: &egui_kittest::Node<'_>| {
        let node = node.accesskit_node();
        // The text of a label is its value; a scroll bar is named by its content.
        let said = (node.role() == Role::Label).then(|| node.value()).flatten();
        let label = node.label().or(said).or_else(|| node.placeholder().map(str::to_owned));
        let of_docks = node.role() == Role::Unknown; // the edges by which docks and columns are dragged
        node.role() == Role::ScrollBar || of_docks || label.is_some_and(|label| !label.trim().is_empty())
    };
    let nodes = window.root().children_recursive().filter(|node| acts(node) && !named(node));
    nodes
        .map(|node| {
            let inside: Vec<String> = node
                .children_recursive()
                .filter_map(|child| child.accesskit_node().label())
                .take(2)
                .collect();
            format!("{:?} {:?} {inside:?}", node.accesskit_node().role(), node.rect())
        })
        .collect()
}

#[test]
fn every_control_has_an_accessible_name() {
    let mut wrong = Vec::new();
    for (state, view) in states() {
        let sizes: &[Vec2] = if ["live", "replay"].contains(&state) { &[WIDE, SMALL] } else { &[SMALL] };
        for &size in sizes {
            let mut window = window_with(size, view.clone(), Settings::default());
            for pane in Pane::ALL {
                press(&mut window, Modifiers::COMMAND, pane.key());
                for node in nameless(&window) {
                    wrong.push(format!("{state}, {}, {size:?}: {node}", pane.title()));
                }
            }
        }
    }
    let mut window = window(live());
    for (modifiers, key) in [
        (Modifiers::COMMAND, Key::P),
        (Modifiers::COMMAND, Key::Comma),
        (Modifiers::NONE, Key::F1),
        (Modifiers::COMMAND, Key::F9),
    ] {
        window.state().log.push(Level::WARN, "a message");
        press(&mut window, modifiers, key);
        wrong.extend(nameless(&window).into_iter().map(|node| format!("dialog by {key:?}: {node}")));
        press(&mut window, Modifiers::NONE, Key::Escape);
    }
    assert!(wrong.is_empty(), "{} nodes without a name:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn tab_reaches_every_button_and_field_of_every_panel() {
    let mut missed = Vec::new();
    for pane in Pane::ALL {
        let mut window = window_with(SMALL, live(), Settings::default());
        press(&mut window, Modifiers::COMMAND, pane.key());
        let used =
            [Role::Button, Role::TextInput, Role::CheckBox, Role::ComboBox, Role::SpinButton, Role::Slider];
        let is_control = |node: &egui_kittest::Node<'_>| {
            let node = node.accesskit_node();
            used.contains(&node.role()) && node.data().supports_action(Action::Focus) && !node.is_disabled()
        };
        let named = |node: &egui_kittest::Node<'_>| {
            let node = node.accesskit_node();
            format!("{:?} {:?}", node.role(), node.label().or(node.placeholder().map(str::to_owned)))
        };
        let all: BTreeSet<String> =
            window.root().children_recursive().filter(is_control).map(|it| named(&it)).collect();
        let mut reached = BTreeSet::new();
        // Panels may show more when something in them has the focus.
        for _ in 0..2 * all.len() + 40 {
            window.key_press(Key::Tab);
            window.step();
            let focused = window.root().children_recursive().find(|node| node.accesskit_node().is_focused());
            reached.extend(focused.map(|node| named(&node)));
        }
        missed.extend(all.difference(&reached).map(|name| format!("{}: {name}", pane.title())));
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A scroll bar that comes and goes with every frame, for one, would take a whole core.
#[test]
fn a_view_without_changes_is_not_drawn_all_the_time() {
    let check = |size: Vec2, pane: Pane| {
        let mut window = window_with(size, live(), Settings::default());
        press(&mut window, Modifiers::COMMAND, pane.key());
        window.run_steps(8);
        // Threads of a panel may ask for a frame once what they begin with is done.
        let mut still = 0;
        draws_until(&mut window, &format!("{}, {size:?}, comes to rest", pane.title()), |window| {
            let root = &window.output().viewport_output[&ViewportId::ROOT];
            still = if root.repaint_delay < Duration::from_millis(50) { 0 } else { still + 1 };
            still == 5
        });
    };
    for pane in Pane::ALL {
        check(WIDE, pane);
        check(SMALL, pane);
    }
    // The height of Predict depends on its width.
    for height in (480_u16..900).step_by(20) {
        check(vec2(1280.0, f32::from(height)), Pane::Predict);
    }
}

#[test]
fn messages_are_announced_and_counted_and_open_their_panel() {
    let mut window = window_with(SMALL, live(), Settings::default());
    let warn =
        |window: &Window, text: &str| window.state().log.push_about(Topic::Mismatch, Level::WARN, text);
    warn(&window, "mismatch: queue, player 1");
    warn(&window, "mismatch: queue, player 2");
    window.run_steps(3);
    let node = window.get_by_label("warning: mismatch: queue, player 2");
    assert_eq!((node.accesskit_node().live(), node.accesskit_node().role()), (Live::Polite, Role::Status));
    assert!(sees(&window, "2 times") && !sees(&window, "queue, player 1"), "the newest, counted");
    assert!(!sees(&window, "Colour set: Verified"), "the panel is behind another tab");
    click(&mut window, "Show");
    assert!(sees(&window, "Colour set: Verified"));
    assert!(!sees(&window, "mismatch: queue, player 2"), "a followed message is dismissed");

    window.state().log.push(Level::ERROR, "the disk is full");
    window.run_steps(3);
    let node = window.get_by_label("error: the disk is full");
    assert_eq!((node.accesskit_node().live(), node.accesskit_node().role()), (Live::Assertive, Role::Alert));
    press(&mut window, Modifiers::COMMAND, Key::M);
    // By keyboard: a message without a related panel opens the log.
    assert!(window.query_by_label("error: the disk is full").is_none());
    assert!(sees(&window, " s  error: the disk is full"));
}

#[test]
fn messages_never_take_the_focus_and_dismiss_themselves() {
    let mut window = window(live());
    press(&mut window, Modifiers::COMMAND, Key::Num1); // the filter of the emulators has the keyboard
    window.state().log.push(Level::WARN, "something is odd");
    window.run_steps(3);
    window.event(Event::Text("mame".into()));
    window.run_steps(2);
    assert!(sees(&window, "No match"), "typed text goes to the focused field");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(sees(&window, "something is odd"), "Escape was the field's");

    // A frame is a quarter of a second here.
    window.get_by_label("warning: something is odd").hover();
    window.run_steps(60);
    assert!(sees(&window, "something is odd"), "it waits for the pointer");
    window.hover_at(pos2(300.0, 300.0));
    window.run_steps(20);
    assert!(sees(&window, "something is odd"), "it has the time that was left");
    window.run_steps(20);
    assert!(window.query_by_label("warning: something is odd").is_none(), "nine seconds are over");
    assert!(sees(&window, "warning: something is odd"), "it stays in the log");

    for text in ["one", "two", "three"] {
        window.state().log.push(Level::WARN, text);
    }
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("warning: three").is_none() && sees(&window, "warning: two"));
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::M);
    assert!(window.query_by_label("warning: one").is_none());
}

#[test]
fn with_reduced_motion_messages_do_not_slide() {
    let places = |reduced_motion| {
        let settings = Settings { reduced_motion, ..Settings::default() };
        let mut window = window_paced(WIDE, live(), settings, 0.02);
        window.state().log.push(Level::WARN, "look");
        // The first frame only measures.
        let x = |window: &mut Window| {
            window.step();
            window.get_by_label("warning: look").rect().left()
        };
        window.step();
        let first = x(&mut window);
        window.run_steps(20);
        (first, x(&mut window), window.ctx.global_style().animation_time)
    };
    let (first, last, time) = places(false);
    assert!(first > last && time > 0.0, "it slides in: {first} {last}");
    let (first, last, time) = places(true);
    assert!((first - last).abs() < 0.01 && time == 0.0, "it does not: {first} {last}");
}

#[test]
fn first_steps_are_shown_until_there_are_data() {
    let mut window = window_with(SMALL, crate::gui_support::nothing_runs(), Settings::default());
    for text in [
        "Start an emulator with the game",
        "Start the demo",
        "Open the sample recording",
        "Enter the pairs you saw to find the seed",
    ] {
        assert!(sees(&window, text), "{text}");
    }
    assert!(!sees(&window, "BlastEm"), "no wall of names");
    click(&mut window, "Supported games and emulators");
    window.run_steps(8);
    assert!(sees(&window, "Games: ") && sees(&window, "Emulators: BlastEm, Mednafen"));
    click(&mut window, "Open recording…");
    assert!(sees(&window, "Open recording") && sees(&window, "No recordings yet"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.state_mut().view = live();
    window.run_steps(3);
    assert!(!sees(&window, "Supported games and emulators") && !sees(&window, "Start the demo"));
}

fn orders(window: &mut Window) -> Vec<String> {
    window.state_mut().app.take_orders().iter().map(|order| format!("{order:?}")).collect()
}

#[test]
fn a_recording_is_never_labelled_live_and_is_sought_by_mouse_and_keys() {
    let mut window = window(crate::gui_support::replayed(false));
    assert!(window.query_by_label("Live").is_none());
    for text in [
        "Replay paused",
        "Recorded from BlastEm",
        "round.nsrec",
        "0:00.7 of 0:02.1",
        "recorded, player 1, now",
        "Recording, not live",
        "A recording is open",
        "2 mismatches",
        "Damaged: partly unreadable",
    ] {
        assert!(sees(&window, text), "{text}");
    }
    assert!(!sees(&window, "frames/s") && !sees(&window, "ms old"), "nothing ages in a recording");
    orders(&mut window);
    for (label, expected) in [
        ("Step forward", "Step(1)"),
        ("Step back", "Step(-1)"),
        ("Go to the start", "Seek(0)"),
        ("Go to the end", "Seek(130)"),
        ("Play", "Play"),
        ("Next mismatch", "NextMismatch"),
        ("Previous mismatch", "PreviousMismatch"),
    ] {
        click(&mut window, label);
        assert_eq!(orders(&mut window), [format!("Replay({expected})")], "{label}");
    }
    for (modifiers, key, expected) in [
        (Modifiers::NONE, Key::Space, "Play"),
        (Modifiers::NONE, Key::Period, "Step(1)"),
        (Modifiers::NONE, Key::Comma, "Step(-1)"),
        (Modifiers::NONE, Key::F8, "NextMismatch"),
        (Modifiers::SHIFT, Key::F8, "PreviousMismatch"),
    ] {
        press(&mut window, modifiers, key);
        assert_eq!(orders(&mut window), [format!("Replay({expected})")], "{key:?}");
    }
    let scrubber = "Position in the recording, in samples";
    assert_eq!(window.get_by_label(scrubber).accesskit_node().numeric_value(), Some(42.0));
    let line = window.get_by_label(scrubber).rect();
    window.drag_at(pos2(line.left() + 0.25 * line.width(), line.center().y));
    window.run_steps(2);
    let sought = orders(&mut window);
    assert!(sought.iter().any(|order| order == "Replay(Seek(32))"), "{sought:?}");
    window.drop_at(line.center());
    window.run_steps(2);
    orders(&mut window);
    for (key, expected) in
        [(Key::ArrowRight, 43), (Key::ArrowLeft, 41), (Key::PageDown, 102), (Key::Home, 0), (Key::End, 130)]
    {
        press(&mut window, Modifiers::NONE, key);
        assert_eq!(orders(&mut window), [format!("Replay(Seek({expected}))")], "{key:?}");
    }
    window.get_by_label(scrubber).increment_accesskit();
    window.run_steps(2);
    assert_eq!(orders(&mut window), ["Replay(Seek(43))"]);

    // In a field the same keys are letters.
    press(&mut window, Modifiers::COMMAND, Key::G);
    for key in [Key::Space, Key::Period, Key::Comma] {
        press(&mut window, Modifiers::NONE, key);
    }
    assert!(orders(&mut window).iter().all(|order| !order.starts_with("Replay")));
}

#[test]
fn the_play_button_pauses_and_restarts_at_the_end() {
    let mut window = window(crate::gui_support::replayed(true));
    orders(&mut window);
    assert!(window.query_all_by_label("Replay").count() > 0);
    click(&mut window, "Pause");
    assert_eq!(orders(&mut window), ["Replay(Pause)"]);
    window.state_mut().view = crate::gui_support::replayed(false);
    if let Some(replay) = &mut window.state_mut().view.replay {
        replay.index = 130;
    }
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Space);
    assert_eq!(orders(&mut window), ["Replay(Play)"], "the player restarts at the end");
}

#[test]
fn the_replay_bar_shows_the_progress_of_the_state_search() {
    let mut view = crate::gui_support::replayed(false);
    if let Some(replay) = &mut view.replay {
        (replay.verified, replay.complete, replay.searching) = (0, false, Some(0.372));
    }
    let mut window = window(view.clone());
    assert!(sees(&window, "0 % checked; searching the state of this round, 37 %"));
    if let Some(replay) = &mut view.replay {
        (replay.verified, replay.searching) = (66, None);
    }
    window.state_mut().view = view;
    window.run_steps(2);
    assert!(sees(&window, "50 % checked") && !sees(&window, "searching the state of this round"));
}

#[test]
fn recordings_are_opened_by_path_list_and_drop_and_invalid_ones_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("round.nsrec");
    std::fs::write(&path, crate::gui_support::recorded(false)).unwrap();
    std::fs::write(folder.path().join("broken.nsrec"), b"not a recording").unwrap();
    let mut window = window(crate::gui_support::nothing_runs());
    window.state_mut().app.set_recording_folders(Some(folder.path().to_owned()), None);
    let opened = |window: &mut Window, how: &str| {
        draws_until_some(window, how, |window| match window.state_mut().app.take_source() {
            Some(DataSource::Recording(recording)) => Some(recording.len()),
            _ => None,
        })
    };
    press(&mut window, Modifiers::COMMAND, Key::F9);
    window.get_by_label_contains("round.nsrec").click();
    assert_eq!(opened(&mut window, "by the list"), 131);
    press(&mut window, Modifiers::COMMAND, Key::F9);
    window.event(Event::Text(path.display().to_string()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(opened(&mut window, "by its path"), 131);
    window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(path)));
    assert_eq!(opened(&mut window, "by dropping"), 131);

    window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(folder.path().join("broken.nsrec"))));
    waits_for(&mut window, "broken.nsrec: ");
    assert!(window.state_mut().app.take_source().is_none());

    // And back: what was shown is left.
    window.state_mut().view = crate::gui_support::replayed(false);
    window.run_steps(2);
    window.get_all_by_label("Back to live").next().unwrap().click();
    window.run_steps(2);
    assert!(matches!(window.state_mut().app.take_source(), Some(DataSource::Emulators)));
}

#[test]
fn a_dropped_dump_is_searched_whichever_panel_is_in_front() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ram.bin");
    std::fs::write(&path, [1, 2, 3, 4]).unwrap();
    for size in [WIDE, SMALL] {
        let mut window = window_with(size, live(), Settings::default());
        assert!(sees(&window, "player 1, now") && !sees(&window, "New search"), "Predict is in front");
        window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(path.clone())));
        waits_for(&mut window, "ram.bin, 1 of 1");
        assert!(sees(&window, "New search"));
    }
}

#[test]
fn predict_grows_with_its_panel() {
    let board = |size: Vec2| {
        let window = window_with(size, live(), Settings::default());
        let size = |label: &str| window.get_by_label_contains(label).rect().width();
        (size("player 1, board"), size("player 1, next"))
    };
    let (small, large) = (board(WIDE), board(vec2(1920.0, 1200.0)));
    assert!(large.0 > 1.3 * small.0 && large.1 > 1.3 * small.1, "{small:?}, {large:?}");
}

#[test]
fn at_the_title_screen_the_round_that_would_start_now_is_shown_large() {
    let title = window(Game::booted().live(Duration::from_millis(3)));
    let game = window(live());
    let width = |window: &Window| {
        window.get_by_label_contains("if a round started now, 4-colour pool, pair 1:").rect().width()
    };
    assert!(width(&title) >= 1.9 * width(&game), "{} and {}", width(&title), width(&game));
}

#[test]
fn the_status_bar_is_one_line_also_in_a_narrow_window() {
    for width in [400.0, 640.0, 800.0, 1280.0] {
        let window = window_with(vec2(width, 480.0), live(), Settings::default());
        let record = window.get_by_label("Record").rect().center().y;
        let state = window.get_by_label("Live").rect().center().y;
        assert!((record - state).abs() < 8.0, "{width}: {record} and {state}");
    }
}

#[test]
fn an_emulator_without_a_game_is_waited_for_and_its_pid_copied() {
    let mut window = window(live());
    window.get_by_label("Wait for a game").click();
    window.run_steps(3);
    assert!(
        matches!(window.state_mut().app.take_orders().as_slice(), [SamplerCommand::Attach(pid)] if pid.0 == 812)
    );
    window.get_by_label("DeSmuME").click_secondary();
    window.run_steps(3);
    assert_eq!(crate::gui_support::copied(&mut window, "Copy PID"), "812");
}

#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

#[test]
fn recording_is_started_and_stopped_and_its_state_shown() {
    let folder = tempfile::tempdir().unwrap();
    let recordings = folder.path().join("recordings");
    let mut window = window(live());
    window.state_mut().app.set_recording_folders(Some(recordings.clone()), None);
    press(&mut window, Modifiers::NONE, Key::F9);
    let orders_now = window.state_mut().app.take_orders();
    let [SamplerCommand::Record(Some(path))] = orders_now.as_slice() else { panic!("{orders_now:?}") };
    assert!(path.starts_with(&recordings) && recordings.is_dir(), "{}", path.display());
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("puyo-tsu-genesis-20") && name.ends_with(".nsrec"), "{name}");

    let mut state = RecordingState {
        path: path.clone(),
        samples: 14_700,
        bytes: 12_340_000,
        since: std::time::Instant::now() - Duration::from_secs(245),
        left_out: 0,
        finishing: false,
        ended: false,
        error: None,
    };
    window.state_mut().view.recording = Some(state.clone());
    window.run_steps(2);
    assert!(label(&window, "Recording 12.3 MB").starts_with("Recording 12.3 MB, 4:05"));
    click(&mut window, "Stop recording");
    assert!(matches!(window.state_mut().app.take_orders().as_slice(), [SamplerCommand::Record(None)]));
    state.finishing = true;
    window.state_mut().view.recording = Some(state.clone());
    window.run_steps(2);
    assert!(sees(&window, "Saving the recording…") && !sees(&window, "Stop recording"));
    (state.ended, state.error) = (true, Some("no space left on the device".into()));
    window.state_mut().view.recording = Some(state);
    window.run_steps(2);
    assert!(sees(&window, "Recording failed") && !sees(&window, "Recording 12.3 MB"));

    // With nothing to record it says so.
    window.state_mut().view = crate::gui_support::nothing_runs();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::F9);
    window.run_steps(2);
    assert!(sees(&window, "nothing to record: no emulator attached"));
    assert!(window.state_mut().app.take_orders().is_empty());
}

#[test]
fn predict_counts_the_colours_left_in_the_pool() {
    let window = window_with(WIDE, Game::playing().live(Duration::from_millis(3)), Settings::default());
    let left = label(&window, "pairs left in the pool: ");
    let (pairs, colours) = left.split_once(" pairs left in the pool: ").unwrap();
    let counted = colours.split(", ").map(|part| part.split(' ').next().unwrap().parse::<u32>().unwrap());
    assert_eq!(counted.sum::<u32>(), 2 * pairs.parse::<u32>().unwrap(), "{left}");
}
