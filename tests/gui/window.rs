//! The window without a display, by labels, in every connection state.

use crate::gui_support::{Game, click, sees};
use eframe::egui::accesskit::Role;
use eframe::egui::{
    Event, Key, Modifiers, OutputCommand, Theme, ThemePreference, Ui, Vec2, ViewportId, vec2,
};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::gui::{App, PaletteChoice, Settings, StartDemo};
use nextscope::live::{SamplerCommand, View};
use nextscope::log::Log;
use nextscope::process::Pid;
use std::time::Duration;

struct State {
    app: App,
    view: View,
    log: Log,
}

type Window = Harness<'static, State>;

fn window_of(size: Vec2, view: View, settings: Settings, demo: Option<StartDemo>) -> Window {
    let log = Log::default();
    let known = vec![Game::booted().profile.name.clone()];
    let state = State { app: App::new(settings, log.clone(), known, demo), view, log };
    let show = |ui: &mut Ui, state: &mut State| {
        if let Some(data) = &mut state.view.data
            && matches!(state.view.connection, nextscope::live::Connection::Live)
        {
            data.taken = std::time::Instant::now();
        }
        state.app.show(ui, &state.view);
    };
    let mut harness = Harness::builder().with_size(size).with_theme(Theme::Dark).build_ui_state(show, state);
    harness.run();
    harness
}

fn window(view: View) -> Window {
    window_of(vec2(1280.0, 800.0), view, Settings::default(), None)
}

/// Draws one frame of a view that is made just before it: a slow machine must not come near the next second of its age.
fn renew(window: &mut Window, view: View) {
    window.state_mut().view = view;
    window.step();
}

fn live() -> View {
    Game::playing().live(Duration::from_millis(3))
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run();
}

fn copied(window: &Window) -> Option<String> {
    window.output().platform_output.commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    })
}

fn orders(window: &mut Window) -> Vec<SamplerCommand> {
    window.state_mut().app.take_orders()
}

fn repaints_after(window: &Window) -> Duration {
    window.output().viewport_output[&ViewportId::ROOT].repaint_delay
}

#[test]
fn without_an_emulator_the_next_step_and_the_demo_are_offered() {
    let demo: StartDemo = Box::new(|| Ok(Pid(77)));
    let mut window =
        window_of(vec2(1280.0, 800.0), crate::gui_support::nothing_runs(), Settings::default(), Some(demo));
    assert!(sees(&window, "Start an emulator with the game"));
    assert!(sees(&window, "No emulator running"));
    assert!(sees(&window, "Searching"));
    window.get_by_label("Start the demo").click();
    window.run();
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Attach(Pid(77))]));
}

#[test]
fn a_failed_start_of_the_demo_is_explained() {
    let demo: StartDemo = Box::new(|| anyhow::bail!("the ROM is damaged"));
    let mut window =
        window_of(vec2(1280.0, 800.0), crate::gui_support::nothing_runs(), Settings::default(), Some(demo));
    window.get_by_label("Start the demo").click();
    window.run();
    assert!(sees(&window, "Could not start the demo: the ROM is damaged"));
    assert!(orders(&mut window).is_empty());
    window.get_by_label("Dismiss").click();
    window.run();
    assert!(window.query_by_label("Dismiss").is_none());
}

#[test]
fn nothing_is_repainted_while_nothing_runs() {
    let mut window = window(crate::gui_support::nothing_runs());
    window.run_steps(3);
    assert!(repaints_after(&window) > Duration::from_secs(3600), "{:?}", repaints_after(&window));
}

#[test]
fn numbers_of_a_live_game_are_drawn_four_times_a_second_and_those_of_a_paused_one_once() {
    let mut live = window(live());
    live.run_steps(3);
    assert!(repaints_after(&live) >= Duration::from_millis(240), "{:?}", repaints_after(&live));
    let mut paused = window(Game::playing().paused(Duration::from_millis(4_100)));
    paused.run_steps(3);
    renew(&mut paused, Game::playing().paused(Duration::from_millis(4_100)));
    assert!(repaints_after(&paused) > Duration::from_millis(500), "{:?}", repaints_after(&paused));
}

#[test]
fn a_live_game_shows_the_prediction_of_both_players() {
    let game = Game::playing();
    let forecast = game.forecast();
    let window = window(game.live(Duration::from_millis(3)));
    for (player, coming) in forecast.players.iter().enumerate() {
        let describe = |pair: nextscope::games::puyo_tsu::Pair| {
            format!("axis {}, child {}", pair.axis.name(), pair.child.name())
        };
        let number = player + 1;
        let shown =
            [("now", coming.current.unwrap()), ("next", coming.pairs[0]), ("second", coming.pairs[1])];
        for (name, pair) in shown.into_iter().chain([("hidden", coming.pairs[2])]) {
            window.get_by_label(&format!("player {number}, {name}: {}", describe(pair)));
        }
        for (ahead, pair) in coming.pairs.iter().enumerate().take(10).skip(3) {
            window.get_by_label(&format!("player {number}, {} ahead: {}", ahead + 1, describe(*pair)));
        }
    }
    assert!(sees(&window, "Pair 23 of the round, position 23 of 128"));
    assert!(sees(&window, "Pair 19 of the round, position 19 of 128"));
    assert!(sees(&window, "Player 1 is at position 23 of 128 in the 4-colour pool"));
    assert!(!sees(&window, "Player 2 is at position"), "player 2 draws from another pool than the one shown");
    assert!(sees(&window, "If a round started now"));
    for text in ["Live", "BlastEm", "puyo-tsu-genesis", "59.9 frames/s", "0 mismatches"] {
        assert!(sees(&window, text), "{text}");
    }
    assert!(!sees(&window, "old, player"));
}

#[test]
fn boards_are_drawn_with_their_chains() {
    let mut game = Game::playing();
    let shown = window(game.live(Duration::from_millis(3)));
    shown.get_by_label("player 1, board: R..... RYY..B GGPPRB BBYRRP OGGYPO");
    shown.get_by_label("player 2, board: H....O YYY.OO GRRYBB");
    assert_eq!(shown.query_all_by_label("Nothing pops").count(), 2);
    game.set_board(0, &["R.....", "RRR...", "YYYO.Y"]);
    game.set_board(1, &["......"]);
    game.frames(2);
    let shown = window(game.live(Duration::from_millis(3)));
    shown.get_by_label("player 2, board: empty");
    assert!(sees(&shown, "1-chain for 40 points"));
    let lost = window(game.lost(Duration::from_millis(9000)));
    lost.get_by_label("old, player 1, board: R..... RRR... YYYO.Y");
    game.set("p1_board", &[0x11]);
    game.frames(2);
    let shown = window(game.live(Duration::from_millis(3)));
    assert!(sees(&shown, "row 1, column 1 of the board is 11, which is not a cell"));
    assert!(!sees(&shown, "player 1, board:"));
}

#[test]
fn the_full_pool_is_shown_and_any_pool_can_be_selected() {
    let mut window = window(live());
    let rows =
        |window: &Window, pool: &str| window.query_all_by_label_contains(&format!("{pool}, pairs ")).count();
    assert_eq!(rows(&window, "4-colour pool"), 8);
    window.get_by_label("5").click();
    window.run();
    assert_eq!(rows(&window, "5-colour pool"), 8);
    assert!(sees(&window, "Player 2 is at position 19 of 128 in the 5-colour pool"));
}

#[test]
fn before_the_first_round_predict_says_so() {
    let window = window(Game::booted().live(Duration::from_millis(3)));
    assert!(sees(&window, "No round yet"));
    assert!(sees(&window, "Generator state: 0x35879DE2"));
}

#[test]
fn paused_and_lost_data_are_never_labelled_live() {
    let mut paused = window(Game::playing().paused(Duration::from_millis(4_200)));
    renew(&mut paused, Game::playing().paused(Duration::from_millis(4_200)));
    assert!(sees(&paused, "Paused for 4 s: the game's frame counter does not change"));
    assert!(paused.query_by_label("Live").is_none());
    assert!(sees(&paused, "0 frames/s"));
    assert!(sees(&paused, "4 s old"));

    let mut lost = window(Game::playing().lost(Duration::from_millis(12_300)));
    renew(&mut lost, Game::playing().lost(Duration::from_millis(12_300)));
    assert!(sees(&lost, "Connection lost: process 4711 has ended"));
    assert!(sees(&lost, "last read 12 s ago"));
    assert!(sees(&lost, "Last: BlastEm"));
    assert!(sees(&lost, "old, player 1, next"), "the pairs themselves are called old");
    assert!(lost.query_by_label("Live").is_none());
}

#[test]
fn a_hanging_sampler_is_not_shown_as_live() {
    let view = Game::playing().live(Duration::from_secs(2));
    let state = State {
        app: App::new(Settings::default(), Log::default(), Vec::new(), None),
        view,
        log: Log::default(),
    };
    let show = |ui: &mut Ui, state: &mut State| state.app.show(ui, &state.view);
    let mut window = Harness::builder().with_size(vec2(1280.0, 800.0)).build_ui_state(show, state);
    window.run();
    window.state_mut().view = Game::playing().live(Duration::from_secs(2));
    window.step();
    assert!(sees(&window, "No new data from the running game; last read 2 s ago"));
    assert!(window.query_by_label("Live").is_none());
    assert!(sees(&window, "old, player 1, next"));
}

#[test]
fn with_two_candidates_the_selected_one_is_attached() {
    let mut window = window(crate::gui_support::two_candidates());
    assert!(sees(&window, "2 emulators run a known game"));
    assert!(orders(&mut window).is_empty(), "never guesses");
    window.get_by_label("Attach to RetroArch (genesis_plus_gx_libretro.so), PID 5012").click();
    window.run();
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Attach(Pid(5012))]));
}

#[test]
fn a_permission_error_names_the_rule_and_its_command_can_be_copied() {
    let mut window = window(crate::gui_support::refused());
    assert!(sees(&window, "No permission to read BlastEm"));
    assert!(sees(&window, "kernel.yama.ptrace_scope is 1"));
    assert!(sees(&window, "Network Commands"));
    let button = window.get_all_by_label("Copy").next().expect("a button to copy the command");
    button.click();
    // The step in which the click arrives is the one that copies.
    let mut text = None;
    for _ in 0..4 {
        window.step();
        text = text.or(copied(&window));
    }
    assert_eq!(text.as_deref(), Some("sudo sysctl kernel.yama.ptrace_scope=0"));
}

#[test]
fn a_mismatch_is_shown_with_both_values_and_can_be_copied() {
    let view = crate::gui_support::mismatched();
    let newest = view.mismatches.last().unwrap().clone();
    let mut window = window(view);
    assert!(sees(&window, "2 mismatches"));
    assert!(sees(&window, &newest.what));
    let pair = |code: &str| nextscope_boards::Pair::from_text(code).unwrap().letters_and(code);
    let [expected, actual] = [&newest.expected, &newest.actual].map(|code| pair(code));
    assert!(
        expected.len() == "RB (05)".len()
            && sees(&window, &format!("predicted {expected}, queue has {actual}"))
    );
    window.get_by_label(&expected);
    window.get_by_label(&actual);
    assert!(sees(&window, "first index 23"));
    assert!(sees(&window, "Queue, player 1: Mismatch"));
    assert!(sees(&window, "Colour set: Verified"));
    window.get_by_label("Copy all").click();
    let mut text = None;
    for _ in 0..4 {
        window.step();
        text = text.or(copied(&window));
    }
    let text = text.expect("copied");
    assert!(text.contains(&newest.what) && text.contains("evidence /home/user"), "{text}");
}

#[test]
fn the_palette_runs_a_command_by_a_few_letters() {
    let mut window = window(crate::gui_support::nothing_runs());
    assert!(window.state().app.settings.letters);
    press(&mut window, Modifiers::COMMAND, Key::P);
    assert!(sees(&window, "Keyboard shortcuts…"));
    window.event(Event::Text("lett puy".into()));
    window.run();
    assert!(!sees(&window, "Keyboard shortcuts…"), "the list is filtered");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(!window.state().app.settings.letters);
    assert!(!sees(&window, "Letters on puyos"), "the palette is closed");
}

#[test]
fn the_palette_explains_the_selected_action_and_greys_what_cannot_be_run() {
    let mut window = window(crate::gui_support::nothing_runs());
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("back to live".into()));
    window.run();
    let row = window.get_by_label_contains("Back to live");
    assert!(row.accesskit_node().is_disabled());
    assert!(sees(&window, "Close the recording and return to the live session"));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(sees(&window, "Back to live"), "Enter runs nothing, and the palette stays open");
    press(&mut window, Modifiers::NONE, Key::Escape);

    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("rout".into()));
    window.run();
    let field = |window: &Window| {
        let mut all = window.get_all_by_role(Role::TextInput);
        all.find(egui_kittest::Node::is_focused).expect("the field").rect().top()
    };
    let before = field(&window);
    assert!(sees(&window, "Find placements for the next pairs"));
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    assert!(sees(&window, "Show where to place the current pair"));
    press(&mut window, Modifiers::NONE, Key::Backspace);
    assert!((field(&window) - before).abs() < 0.5, "the field stays while the list changes");
}

#[test]
fn help_opens_the_documents_of_the_program_or_says_that_there_are_none() {
    let mut window = window(crate::gui_support::nothing_runs());
    let opened = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let record = std::sync::Arc::clone(&opened);
    window.state_mut().app.set_outside(std::sync::Arc::new(move |what| {
        record.lock().unwrap().push(what.path().to_owned());
        Ok(())
    }));
    window.get_by_label("Help").click();
    window.run();
    let item = window.get_by_label("Documentation");
    if item.accesskit_node().is_disabled() {
        return; // the tests run in a folder without documents
    }
    item.click();
    window.run();
    crate::gui_support::draws_until(&mut window, "the index", |_| {
        opened.lock().unwrap().iter().any(|path| path.ends_with("docs/README.md"))
    });
}

#[test]
fn the_palette_is_used_with_arrows_and_closed_with_escape() {
    let mut window = window(crate::gui_support::nothing_runs());
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.event(Event::Text("detach".into()));
    window.run();
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    press(&mut window, Modifiers::NONE, Key::ArrowUp);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Detach]));
    press(&mut window, Modifiers::COMMAND, Key::P);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!sees(&window, "Letters on puyos"));
}

#[test]
fn an_emulator_is_attached_by_keyboard_alone() {
    let mut window = window(crate::gui_support::two_candidates());
    press(&mut window, Modifiers::COMMAND, Key::Num1);
    window.event(Event::Text("retro".into()));
    window.run();
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Attach(Pid(5012))]), "by the filter");

    // By Tab and Space on the button.
    let mut window = self::window(crate::gui_support::two_candidates());
    for _ in 0..60 {
        press(&mut window, Modifiers::NONE, Key::Tab);
        if window.get_by_label("Attach to BlastEm, PID 4711").is_focused() {
            break;
        }
    }
    assert!(window.get_by_label("Attach to BlastEm, PID 4711").is_focused(), "Tab never reached it");
    press(&mut window, Modifiers::NONE, Key::Space);
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Attach(Pid(4711))]));
}

#[test]
fn attaching_automatically_and_detaching_have_shortcuts() {
    let mut window = window(live());
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::D);
    press(&mut window, Modifiers::COMMAND, Key::R);
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Detach, SamplerCommand::Automatic]));
}

#[test]
fn a_selected_process_that_has_ended_is_not_waited_for() {
    let mut window = window(crate::gui_support::two_candidates());
    window.get_by_label("Attach to BlastEm, PID 4711").click();
    window.run();
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Attach(Pid(4711))]));
    window.state_mut().view = live();
    window.run();
    assert!(orders(&mut window).is_empty());
    window.state_mut().view = Game::playing().lost(Duration::from_secs(1));
    window.run();
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Automatic]));
}

#[test]
fn after_detaching_no_search_is_shown() {
    let mut window = window(crate::gui_support::nothing_runs());
    window.get_by_label("Detach").click();
    window.run();
    assert!(sees(&window, "Auto-attach is off"));
    assert!(!sees(&window, "Start an emulator with the game"));
    assert!(sees(&window, "Detached") && !sees(&window, "Searching"));
    orders(&mut window);
    window.get_all_by_label("Attach automatically").last().expect("a button").click();
    window.run();
    assert!(matches!(orders(&mut window).as_slice(), [SamplerCommand::Automatic]));
    assert!(sees(&window, "Start an emulator with the game"));
}

#[test]
fn palette_theme_and_zoom_are_changed_and_saved() {
    let mut window = window(live());
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::W);
    assert_eq!(window.state().app.settings.palette, PaletteChoice::Wong);
    press(&mut window, Modifiers::COMMAND, Key::Plus);
    assert!(window.state().app.settings.zoom > 1.05, "{}", window.state().app.settings.zoom);
    press(&mut window, Modifiers::COMMAND, Key::Num0);
    assert!((window.state().app.settings.zoom - 1.0).abs() < 1e-3);
    window.get_by_label("View").click();
    window.run();
    window.get_by_label_contains("Light theme").click();
    window.run();
    assert_eq!(window.ctx.theme(), Theme::Light);
    let text = serde_json::to_string(&window.state().app.settings).unwrap();
    let back: Settings = serde_json::from_str(&text).unwrap();
    assert_eq!((back.palette, back.theme), (PaletteChoice::Wong, ThemePreference::Light));
}

#[test]
fn settings_of_another_version_do_not_break_the_window() {
    let odd =
        r#"{"zoom": 900.0, "overlay": {"opacity": -3.0, "pairs": 0, "click_through": true}, "gone": 1}"#;
    let settings: Settings = serde_json::from_str(odd).unwrap();
    let window = window_of(vec2(1280.0, 800.0), live(), settings, None);
    let settings = &window.state().app.settings;
    assert!(settings.zoom <= 4.0 && settings.overlay.opacity > 0.0 && settings.overlay.pairs == 1);
    assert!(!settings.overlay.click_through);
}

#[test]
fn the_memory_view_goes_to_addresses_and_fields() {
    let game = Game::playing();
    let field = game.profile.field("pool_4").unwrap().address;
    let mut window = window(game.live(Duration::from_millis(3)));
    let row = format!("{:06X}", field.0);
    assert!(!sees(&window, &format!("{row}  ")), "far from where the view begins");
    for text in ["pool_4".to_owned(), format!("{field}"), format!("{:04X}", field.0 & 0xFFFF)] {
        press(&mut window, Modifiers::COMMAND, Key::G);
        press(&mut window, Modifiers::COMMAND, Key::A);
        window.event(Event::Text("pool_3".into()));
        press(&mut window, Modifiers::NONE, Key::Enter);
        press(&mut window, Modifiers::COMMAND, Key::G);
        press(&mut window, Modifiers::COMMAND, Key::A);
        window.event(Event::Text(text.clone()));
        window.run();
        press(&mut window, Modifiers::NONE, Key::Enter);
        window.run();
        assert!(sees(&window, &format!("{row}  ")), "{text}");
        assert!(sees(&window, &format!("{field}  pool_4 + 0")), "{text}: the byte is described");
    }
    press(&mut window, Modifiers::COMMAND, Key::G);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text("nowhere".into()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(sees(&window, "\"nowhere\" is neither a hexadecimal address nor a field"));
}

#[test]
fn going_to_an_address_replaces_the_one_before() {
    let mut window = window(live());
    for (text, row) in [("FFE336", "FFE330  "), ("FF1008", "FF1000  ")] {
        press(&mut window, Modifiers::COMMAND, Key::G);
        window.event(Event::Text(text.into()));
        press(&mut window, Modifiers::NONE, Key::Enter);
        assert!(
            sees(&window, row) && !sees(&window, "is neither a hexadecimal address nor a field"),
            "{text}"
        );
    }
}

#[test]
fn only_the_button_opens_a_port_and_the_status_bar_shows_it() {
    let mut window = window(live());
    let (_publisher, views) = nextscope::live::latest(View::default());
    window.state_mut().app.set_serving(nextscope::gui::Serving::on_port(views, 0));
    let opens = |window: &mut Window| {
        window.get_by_label("Tools").click();
        window.run();
        window.get_by_label_contains("Serve to overlays and bots…").click();
        window.run();
    };
    opens(&mut window);
    assert!(sees(&window, "Off: no port is open") && !sees(&window, "Serving on"));
    window.get_by_label("Start server").click();
    window.run_steps(6);
    let bar = crate::gui_support::label(&window, "Serving on 127.0.0.1:");
    let address = bar.trim_start_matches("Serving on ").to_owned();
    std::net::TcpStream::connect(&address).expect("the port is open");
    window.get_by_label("Close").click();
    window.run_steps(6);
    assert!(!sees(&window, "Stop server"), "the dialog is closed");
    std::net::TcpStream::connect(&address).expect("and the port open as the status bar says");
    window.get_by_label(&bar).click();
    window.run_steps(6);
    window.get_by_label("Stop server").click();
    window.run_steps(6);
    assert!(!sees(&window, "Serving on"));
    std::net::TcpStream::connect(&address).expect_err("nobody listens any more");
}

#[test]
fn the_memory_cursor_moves_with_the_arrows_and_groups_switch() {
    let mut window = window(live());
    window.get_by_label("Words").click();
    window.run();
    let view = window.get_by_label_contains("Memory, ");
    view.focus();
    window.run();
    let before = window.get_by_label_contains("Memory, ").accesskit_node().label();
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    let after = window.get_by_label_contains("Memory, ").accesskit_node().label();
    assert_ne!(before, after);
    assert!(after.unwrap().contains("rng_state + 1"));
}

#[test]
fn values_are_listed_and_filtered_and_link_to_memory() {
    let game = Game::playing();
    let at = game.profile.field("p2_queue").unwrap().address.to_string();
    let mut window = window(game.live(Duration::from_millis(3)));
    press(&mut window, Modifiers::COMMAND, Key::Num5);
    click(&mut window, "About the profile");
    assert!(sees(&window, "known build in 7 ms"));
    click(&mut window, "About the profile");
    // Only visible rows exist: the filter reaches the others.
    for _ in 0..40 {
        if window
            .query_all_by(|node| node.placeholder() == Some("Filter fields") && node.is_focused())
            .next()
            .is_some()
        {
            break;
        }
        press(&mut window, Modifiers::NONE, Key::Tab);
    }
    window.event(Event::Text("p2_queue".into()));
    window.run();
    window.get_by_label(&at).click();
    window.run();
    assert!(sees(&window, &format!("{at}  p2_queue + 0")), "the memory panel shows it");
}

#[test]
fn the_log_is_shown_filtered_by_level_and_copied() {
    let mut window = window(crate::gui_support::nothing_runs());
    window.state().log.push(tracing::Level::INFO, "attached to something");
    window.state().log.push(tracing::Level::DEBUG, "a detail");
    window.run();
    assert!(sees(&window, "info: attached to something"));
    assert!(!sees(&window, "a detail"));
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("copy log".into()));
    window.run();
    window.key_down(Key::Enter);
    let mut text = None;
    for _ in 0..4 {
        window.step();
        text = text.or(copied(&window));
    }
    assert!(text.unwrap().contains("attached to something"));
}

#[test]
fn long_log_lines_wrap_and_the_newest_line_is_visible() {
    // Tall enough for both lines.
    let size = vec2(1280.0, 1000.0);
    let mut window = window_of(size, crate::gui_support::nothing_runs(), Settings::default(), None);
    let long = "many words and no end ".repeat(20);
    window.state().log.push(tracing::Level::INFO, "first");
    window.state().log.push(tracing::Level::INFO, long.trim());
    window.run();
    let short = window.get_by_label_contains("info: first").rect();
    let wrapped = window.get_by_label_contains(long.trim()).rect();
    assert!(wrapped.height() > 4.0 * short.height() && wrapped.top() >= short.bottom(), "{short} {wrapped}");
    assert!(wrapped.right() <= 1280.0, "{wrapped}");
    for number in 0..500 {
        window.state().log.push(tracing::Level::INFO, format!("{number}: {long}"));
    }
    window.run_steps(4); // it goes to the end in the frame after
    let newest = window.get_by_label_contains("499: many words").rect();
    assert!(newest.bottom() <= 1000.0, "{newest}");
    let drawn = window.query_all_by_label_contains("many words").count();
    assert!(drawn < 20, "only those in sight are drawn: {drawn}");
}

#[test]
fn small_windows_and_large_zoom_use_tabs() {
    let views = [
        live(),
        crate::gui_support::nothing_runs(),
        crate::gui_support::two_candidates(),
        crate::gui_support::refused(),
        crate::gui_support::mismatched(),
    ];
    for view in views {
        for (size, zoom) in [(vec2(800.0, 500.0), 1.0), (vec2(1280.0, 800.0), 2.0), (vec2(480.0, 320.0), 1.0)]
        {
            let settings = Settings { zoom, ..Settings::default() };
            let mut window = window_of(size, view.clone(), settings, None);
            let digits = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7];
            for key in digits {
                window.key_press_modifiers(Modifiers::COMMAND, key);
                window.run_steps(4); // the seeds are asked on a thread: there may be more to draw
            }
            press(&mut window, Modifiers::COMMAND, Key::Num1);
            press(&mut window, Modifiers::COMMAND, Key::P);
            assert!(sees(&window, "Settings…"));
            press(&mut window, Modifiers::NONE, Key::Escape);
            press(&mut window, Modifiers::COMMAND, Key::Comma);
            window.get_by_label("Close").click();
            window.run();
            press(&mut window, Modifiers::NONE, Key::F1);
            window.get_by_label("Close").click();
            window.run();
        }
    }
    let mut window = window_of(vec2(800.0, 500.0), live(), Settings::default(), None);
    assert!(window.query_by_label("Detach").is_none(), "Emulators is behind another tab");
    window.get_by_label("Emulators").click();
    window.run();
    window.get_by_label("Detach");
}

#[test]
fn the_layout_can_be_reset() {
    let mut window = window_of(vec2(800.0, 500.0), live(), Settings::default(), None);
    press(&mut window, Modifiers::COMMAND, Key::Num6);
    assert!(!sees(&window, "Full 4-colour pool"));
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::R);
    assert!(sees(&window, "Full 4-colour pool"));
}

#[test]
fn menu_items_show_their_shortcuts() {
    let mut window = window(live());
    window.get_by_label("Tools").click();
    window.run();
    assert!(sees(&window, "Ctrl+G"));
    assert!(sees(&window, "Overlay window"));
}

#[test]
fn an_embedded_overlay_shows_both_players() {
    let mut window = window(live());
    press(&mut window, Modifiers::COMMAND, Key::O);
    assert!(sees(&window, "overlay, player 1, now"));
    assert!(sees(&window, "overlay, player 2, ahead"));
    press(&mut window, Modifiers::COMMAND, Key::O);
    assert!(!sees(&window, "overlay, player 1"));
}
