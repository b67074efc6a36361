//! The Route panel without a display: input, planning and following, compared to the reference simulator.

use crate::gui_support::{
    Game, Window, click, copied, draws_until, label, labels, nothing_runs, press, sees, types_into,
    waits_for, window_on,
};
use crate::waiting::{PATIENCE, within};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, Theme, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::demo::{DemoOptions, DemoProcess, spawn_program};
use nextscope::games::puyo_20th;
use nextscope::gui::{App, GoalKind, GoalNumbers, PairSource, RouteSettings, Settings, StartBoard};
use nextscope::live::{self, Sampler, Subscriber, View};
use nextscope::log::Log;
use nextscope::pairs::PairGame;
use nextscope::profile::Library;
use nextscope::puyo::{Cell, Field, Placement, ROWS, Rotation, Rules, field_from_rows, to_rows};
use nextscope::route::export::{chainsim_link, puyop_link};
use nextscope::route::{Route, Start};
use nextscope_boards::{Color, Pair, PoolId};
use std::path::Path;
use std::time::Duration;

pub fn window_with(view: View, settings: Settings) -> Window {
    let mut window = window_on(view, settings, vec2(1280.0, 1500.0));
    press(&mut window, Modifiers::COMMAND, Key::E);
    window
}

fn with_seed(game: &str, seed: &str, settings: RouteSettings) -> RouteSettings {
    let game = PairGame::from_id(game).unwrap();
    let mut settings = RouteSettings { source: PairSource::Seed(game), ..settings };
    settings.seed_input(game).seed = Some(seed.into());
    settings
}

pub fn window(route: RouteSettings) -> Window {
    window_with(nothing_runs(), Settings { route, ..Settings::default() })
}

/// The placements that the table shows, from "Pair 3: axis red, child blue, column 2, child up".
pub fn placements(window: &Window) -> Vec<Placement> {
    let mut rows: Vec<(usize, Placement)> = labels(window, ": axis ")
        .into_iter()
        .filter_map(|text| {
            let (number, rest) = text.strip_prefix("Pair ")?.split_once(": axis ")?;
            let (_, place) = rest.split_once(", column ")?;
            // Under attack the garbage follows.
            let place = place.split(';').next()?;
            let (column, rotation) = place.split_once(", child ")?;
            let rotation = Rotation::ALL.into_iter().find(|all| all.name() == rotation)?;
            Some((number.parse().ok()?, Placement::new(column.parse::<usize>().ok()? - 1, rotation)?))
        })
        .collect();
    rows.sort_unstable_by_key(|(number, _)| *number);
    assert!(rows.iter().zip(1..).all(|((number, _), nth)| *number == nth), "{rows:?}");
    rows.into_iter().map(|(_, placement)| placement).collect()
}

/// The expected summary of a route.
pub fn totals(route: &Route) -> String {
    let grouped = |number: u32| nextscope::seeds::text::grouped(number.into());
    let chain = if route.chain == 0 { "no chain".into() } else { format!("longest chain {}", route.chain) };
    format!("{} pairs, {chain}, {} points", route.steps.len(), grouped(route.score))
}

fn pairs_of(seed: u16, count: u32) -> Vec<Pair> {
    let round = puyo_20th::generate(seed);
    (0..count).map(|number| round.pair(PoolId::Four, number).unwrap()).collect()
}

/// Waits until the planner has ended.
pub fn planned(window: &mut Window) {
    let ends = ["Reached: ", "Not reached: ", "Not guaranteed: ", "No route to ", "No route: "];
    draws_until(window, "the end of planning", |window| {
        !sees(window, "Planning: ") && ends.iter().any(|end| sees(window, end))
    });
    window.run_steps(2);
}

#[test]
fn a_seed_is_planned_by_keyboard_as_the_reference_simulator_scores_it() {
    let mut window = window(with_seed(
        "puyo-20th",
        "0x6119",
        RouteSettings { pairs: 14, seconds: 2, ..RouteSettings::default() },
    ));
    assert!(window.get_by_role_and_label(Role::Button, "Plan").is_focused(), "Ctrl+E focuses the button");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(sees(&window, "Planning: "));
    planned(&mut window);
    let start = Start::empty(pairs_of(0x6119, 14), Rules::TWENTIETH);
    let route = Route::replay(&start, &placements(&window)).unwrap();
    assert!(route.chain > 0);
    assert!(sees(&window, &totals(&route)), "{}", totals(&route));
    assert!(sees(&window, "Reached: the longest chain"));

    // The pair that fires is shown; from there the chain is stepped through.
    let longest = route.steps.iter().position(|step| step.fired.chain == route.chain).unwrap();
    let rows = |field: &Field| if field.is_empty() { "empty".into() } else { to_rows(field).join(" ") };
    let shown = label(&window, "Board, Pair ");
    assert!(shown.ends_with(&rows(&route.steps[longest].landed)), "{shown}");
    let mut left = route.steps[longest].landed;
    let chain = nextscope::puyo::reference::fire(&mut left, Rules::TWENTIETH);
    for (nth, popped) in (1..).zip(&chain) {
        click(&mut window, "Step forward");
        let words = format!("Board, Chain step {nth} of {}: {} points: ", chain.len(), popped.points);
        assert_eq!(label(&window, "Board, "), words + &rows(&popped.before));
    }
    click(&mut window, "Step forward");
    assert_eq!(label(&window, "Board, "), format!("Board, After the {}-chain: {}", chain.len(), rows(&left)));
    click(&mut window, "Go to the start");
    assert_eq!(label(&window, "Board, "), "Board, Start: empty");
    click(&mut window, "Go to the end");
    assert!(label(&window, "Board, ").ends_with(&rows(&route.end())));
    // A row of the table goes there.
    let third = labels(&window, "Pair 3: axis ").remove(0);
    click(&mut window, &third);
    assert!(label(&window, "Board, Pair 3").ends_with(&rows(&route.steps[2].landed)));
}

#[test]
fn arrow_keys_step_the_board_and_space_plays_it() {
    let mut window = window(RouteSettings {
        source: PairSource::Typed,
        letters: "RR RR BG".into(),
        goal_kind: GoalKind::AllClear,
        seconds: 1,
        ..RouteSettings::default()
    });
    click(&mut window, "Plan");
    planned(&mut window);
    assert!(sees(&window, "2 pairs, longest chain 1, 40 points, 0 garbage, all clear"));
    let board = label(&window, "Board, ");
    window.get_by_label(&board).click();
    window.run_steps(2);
    let keys = |window: &mut Window, key| {
        press(window, Modifiers::NONE, key);
        label(window, "Board, ")
    };
    assert_eq!(keys(&mut window, Key::Home), "Board, Start: empty");
    assert!(keys(&mut window, Key::ArrowRight).starts_with("Board, Pair 1: column "));
    assert_eq!(keys(&mut window, Key::End), "Board, After the 1-chain: empty");
    assert!(keys(&mut window, Key::ArrowLeft).starts_with("Board, Chain step 1 of 1: 40 points: "));
    assert!(keys(&mut window, Key::ArrowLeft).starts_with("Board, Pair 2: column "));
    assert!(!sees(&window, "Pause"));
    press(&mut window, Modifiers::NONE, Key::Space);
    assert!(sees(&window, "Pause"));
    waits_for(&mut window, "Board, After the 1-chain");
    waits_for(&mut window, "Play");
}

#[test]
fn several_routes_can_be_chosen_from_in_an_order_of_ones_own() {
    let mut window = window(with_seed(
        "puyo-20th",
        "0x6119",
        RouteSettings {
            pairs: 10,
            seconds: 2,
            routes: 6,
            goal_kind: GoalKind::Points,
            numbers: GoalNumbers { points: 300, ..GoalNumbers::default() },
            ..RouteSettings::default()
        },
    ));
    press(&mut window, Modifiers::NONE, Key::Enter);
    planned(&mut window);
    click(&mut window, "6 routes to choose from");
    let taps = |window: &Window| -> Vec<f64> {
        let rows = labels(window, " taps per pair");
        let rows = rows.iter().filter(|row| row.starts_with("Route "));
        rows.map(|row| row.rsplit(", ").next().unwrap().split(' ').next().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(taps(&window).len(), 6);
    let best = placements(&window);
    window.get_by_role_and_label(Role::ComboBox, "Order").click();
    window.run_steps(3);
    click(&mut window, "Easiest to play");
    let easiest = taps(&window);
    assert!(easiest.is_sorted() && easiest.len() == 6, "{easiest:?}");
    // Each is a route to the goal, and they are different.
    let start = Start::empty(pairs_of(0x6119, 10), Rules::TWENTIETH);
    let mut seen = Vec::new();
    for rank in 1..=6 {
        let row = labels(&window, &format!("Route {rank}: ")).remove(0);
        click(&mut window, &row);
        let route = Route::replay(&start, &placements(&window)).unwrap();
        assert!(route.score >= 300 && sees(&window, &totals(&route)), "{row}: {}", totals(&route));
        assert!(row.contains(&format!("chain {}, ", route.chain)), "{row}");
        seen.push(placements(&window));
    }
    assert!(seen.contains(&best));
    assert!((1..6).all(|nth| !seen[..nth].contains(&seen[nth])));
}

#[test]
fn a_second_goal_is_reached_after_the_first_one() {
    let mut window = window(RouteSettings {
        source: PairSource::Typed,
        letters: "RR RR BB BB GG".into(),
        goal_kind: GoalKind::AllClear,
        seconds: 1,
        ..RouteSettings::default()
    });
    window.get_by_role_and_label(Role::ComboBox, "Then").click();
    window.run_steps(3);
    window
        .query_all_by_role_and_label(Role::Button, "All clear, as soon as possible")
        .last()
        .unwrap()
        .click();
    window.run_steps(3);
    click(&mut window, "Plan");
    planned(&mut window);
    assert!(
        sees(&window, "Reached: all clear soonest, then all clear soonest"),
        "{:?}",
        labels(&window, "eached")
    );
    let start = Start::empty(nextscope::route::pairs_from_letters("RR RR BB BB GG").unwrap(), Rules::TSU);
    let route = Route::replay(&start, &placements(&window)).unwrap();
    assert_eq!(route.steps.iter().filter(|step| step.after.is_empty()).count(), 2);
    assert_eq!(route.steps.len(), 4);
}

#[test]
fn invalid_input_is_reported_and_not_planned() {
    let mut window = window(RouteSettings::default());
    let refused = |window: &Window, why: &str| {
        assert!(sees(window, why), "{why}");
        assert!(window.get_by_role_and_label(Role::Button, "Plan").accesskit_node().is_disabled(), "{why}");
    };
    types_into(&mut window, Role::TextInput, "Seed", "0x10000");
    refused(&window, "Invalid seed \"0x10000\": expected 0x0000 to 0xFFFF, or 0 to 65535");
    click(&mut window, "Tsu state");
    types_into(&mut window, Role::TextInput, "State", "none");
    refused(&window, "Invalid state \"none\": expected 0x0 to 0xFFFFFFFF, or 0 to 4294967295");
    click(&mut window, "Player 2, live");
    refused(&window, "No emulator deals pairs to this player now");
    click(&mut window, "Typed pairs");
    refused(&window, "no pairs given: write pairs such as RR RG BY");
    types_into(&mut window, Role::TextInput, "Letters", "RR R? BB");
    refused(&window, "pair 2 has an unknown colour");
    types_into(&mut window, Role::TextInput, "Letters", "RR RR BB");
    click(&mut window, "Typed");
    refused(&window, "there is no board: give up to 14 rows");
    window.get_by_role_and_label(Role::MultilineTextInput, "Board rows or code").focus();
    window.run_steps(2);
    window.event(Event::Text("RRRRX.".into()));
    window.run_steps(2);
    refused(&window, "'X' ");
    click(&mut window, "Empty");
    click(&mut window, "Plan");
    planned(&mut window);
    assert!(sees(&window, "Reached: the longest chain"));
}

#[test]
fn invalid_boards_and_unreachable_goals_are_reported() {
    let mut window = window(RouteSettings {
        source: PairSource::Typed,
        letters: "RR GG".into(),
        start_board: StartBoard::Typed,
        board: "YYYY..".into(),
        seconds: 1,
        ..RouteSettings::default()
    });
    click(&mut window, "Plan");
    waits_for(&mut window, "No route: the board has groups that pop");
    click(&mut window, "Empty");
    window.get_by_role_and_label(Role::ComboBox, "Goal").click();
    window.run_steps(3);
    window.get_by_label("Points, as soon as possible").click();
    window.run_steps(3);
    click(&mut window, "Plan");
    planned(&mut window);
    let message = "No route to 10000 points soonest with 2 pairs: all placements were tried";
    assert!(sees(&window, message), "four puyos never make 10,000 points");
}

#[test]
fn a_chain_that_the_colours_rule_out_is_explained() {
    let mut window = window(RouteSettings {
        source: PairSource::Typed,
        letters: "RR GG RR GG".into(),
        goal_kind: GoalKind::ExactChain,
        numbers: GoalNumbers { chain: 3, ..GoalNumbers::default() },
        seconds: 600,
        ..RouteSettings::default()
    });
    click(&mut window, "Plan");
    let why = "the board and the pairs have puyos for a chain of 2 at most, 4 of one colour for each step";
    waits_for(&mut window, &format!("No route to a chain of exactly 3 soonest with 4 pairs: {why}"));
}

#[test]
fn cancelled_planning_returns_the_best_route_so_far() {
    let mut window = window(RouteSettings { seconds: 600, pairs: 60, ..RouteSettings::default() });
    click(&mut window, "Plan");
    waits_for(&mut window, "Pair 1: axis ");
    assert!(sees(&window, "Planning: "), "it still runs");
    click(&mut window, "Cancel");
    planned(&mut window); // of 600 seconds
    let start = Start::empty(pairs_of(0, 60), Rules::TWENTIETH);
    let route = Route::replay(&start, &placements(&window)).unwrap();
    assert!(sees(&window, &totals(&route)));
    // The command does the same as the buttons.
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::E);
    waits_for(&mut window, "Planning: ");
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::E);
    planned(&mut window);
}

/// A board as in the console's RAM (reference 1.5): the top row first, two bytes a cell.
pub fn in_ram(field: &Field) -> Vec<u8> {
    let cells = (0..ROWS).rev().flat_map(|row| (0..6).map(move |column| (column, row)));
    let byte = |(column, row)| match field.get(column, row) {
        Cell::Empty => 0,
        Cell::Ojama => 0xE0,
        Cell::Hard => 0xF0,
        Cell::Puyo(color) => 0x80 | color.0 << 4,
    };
    cells.flat_map(|at| [byte(at), 0]).collect()
}

/// Continues the game with this board and the next pair.
pub fn puts(window: &mut Window, game: &mut Game, board: &Field) {
    game.set("p1_board", &in_ram(board));
    game.frames(30);
    shows(window, game);
    game.deal(0);
    game.frames(3);
    shows(window, game);
}

pub fn shows(window: &mut Window, game: &Game) {
    window.state_mut().1 = game.live(Duration::from_millis(3));
    window.run_steps(3);
}

#[test]
fn a_route_is_followed_and_replanned_after_a_different_placement() {
    let mut game = Game::playing();
    let board = field_from_rows(&["...OO.", "GB.OOR"]).unwrap();
    game.set("p1_board", &in_ram(&board));
    game.frames(3);
    game.deal(0);
    game.frames(3);
    let settings =
        RouteSettings { source: PairSource::Player1, pairs: 6, seconds: 1, ..RouteSettings::default() };
    let view = game.live(Duration::from_millis(3));
    let mut window = window_with(view, Settings { route: settings, ..Settings::default() });
    let coming = &game.forecast().players[0];
    let dealt: Vec<Pair> = coming.current.into_iter().chain(coming.pairs.iter().copied()).collect();
    assert!(sees(&window, "Next pairs, from pair 24: "));
    press(&mut window, Modifiers::NONE, Key::Enter);
    planned(&mut window);
    let start = Start { field: board, pairs: dealt[..6].to_vec(), rules: Rules::TSU, target_points: 70 };
    let route = Route::replay(&start, &placements(&window)).unwrap();
    assert!(sees(&window, &totals(&route)));
    let label = |number: usize, placement: Placement| {
        format!("Pair {number}: column {}, child {}", placement.column() + 1, placement.rotation().name())
    };
    window.get_by_label(&label(24, route.steps[0].placement));
    assert!(sees(&window, "Step 1 of "));

    // As planned: it advances automatically.
    puts(&mut window, &mut game, &route.steps[0].after);
    window.get_by_label(&label(25, route.steps[1].placement));
    assert!(!sees(&window, "Replanned"));

    // Elsewhere: replanned from there.
    let wrong = Placement::ALL.into_iter().find(|other| {
        let mut field = route.steps[0].after;
        field.land(dealt[1], *other, Rules::TSU);
        field != route.steps[1].landed && nextscope::puyo::reference::popping(&field, Rules::TSU).is_empty()
    });
    let mut board = route.steps[0].after;
    board.land(dealt[1], wrong.unwrap(), Rules::TSU);
    puts(&mut window, &mut game, &board);
    game.frames(40);
    shows(&mut window, &game);
    waits_for(&mut window, "Replanned: pair 25 was placed differently");
    planned(&mut window);
    let start = Start { field: board, pairs: dealt[2..6].to_vec(), rules: Rules::TSU, target_points: 70 };
    let again = Route::replay(&start, &placements(&window)).unwrap();
    assert!(sees(&window, &totals(&again)), "{}", totals(&again));
    window.get_by_label(&label(26, again.steps[0].placement));

    // The message about the replan stays until the first pair of the new route is placed.
    assert!(
        sees(&window, "Replanned: pair 25 was placed differently")
            && sees(&window, "Reached: the longest chain")
    );

    // Another round: no verdict, no message and no board for the old route.
    game.begin_round();
    game.deal(0);
    game.frames(40);
    shows(&mut window, &game);
    assert!(sees(&window, "This route was for an earlier round. Plan again"));
    let contradicting = [
        "Replan",
        "Reached: ",
        "Not reached: ",
        "Player 1, current board",
        "Step 1 of",
        "Wait for the next pair",
    ];
    for text in contradicting {
        assert!(!sees(&window, text), "{text}: {:?}", labels(&window, text));
    }
    click(&mut window, "Follow along");
    assert!(!sees(&window, "This route was for an earlier round"));
    click(&mut window, "Follow along");
    // A new plan is for this round.
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::E);
    planned(&mut window);
    assert!(!sees(&window, "earlier round") && sees(&window, "Step 1 of "));
}

/// A window on the embedded console in a separate process.
struct Running {
    app: App,
    view: Subscriber<View>,
    _sampler: Sampler,
    _console: DemoProcess,
}

#[test]
fn a_running_console_is_followed_and_replanned() {
    // Slow enough for a busy machine.
    let slow = DemoOptions { speed: 0.5, ..DemoOptions::default() };
    let console = spawn_program(Path::new(env!("CARGO_BIN_EXE_nextscope")), &slow).unwrap();
    let profiles = Library::built_in().profiles().to_vec();
    let options = live::Options { pid: Some(console.pid()), profiles, ..live::Options::default() };
    let sampler = Sampler::start(options).unwrap();
    let route =
        RouteSettings { source: PairSource::Player1, pairs: 6, seconds: 1, ..RouteSettings::default() };
    let app = App::new(Settings { route, ..Settings::default() }, Log::default(), Vec::new(), None);
    let running = Running { app, view: sampler.view(), _sampler: sampler, _console: console };
    let show = |ui: &mut Ui, running: &mut Running| {
        let view = running.view.get();
        running.app.show(ui, &view);
    };
    let mut window = Harness::builder()
        .with_size(vec2(1280.0, 1500.0))
        .with_theme(Theme::Dark)
        .build_ui_state(show, running);
    waits_for(&mut window, "puyo-tsu-genesis");
    press(&mut window, Modifiers::COMMAND, Key::E);
    waits_for(&mut window, "Next pairs, from pair ");
    let (mut led, mut again, mut board) = (false, false, false);
    let both = within(2 * PATIENCE, || {
        // Few pairs may have no chain in them, and a round may end.
        if !sees(&window, "Planning: ") && (!sees(&window, "Reached: ") || sees(&window, "Plan again")) {
            press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::E);
        }
        led |= sees(&window, "; buttons ");
        again |= sees(&window, "Replanned: pair ");
        board |= sees(&window, "Player 1, current board: ");
        let over = sees(&window, "for an earlier round");
        for text in ["Replan", "Reached: ", "Player 1, current board: "] {
            assert!(!over || !sees(&window, text), "{text}: {:?}", labels(&window, ""));
        }
        window.step();
        (led && again && board).then_some(())
    });
    assert!(both.is_some(), "followed: {led}, replanned: {again}, board: {board}");
}

#[test]
fn a_route_is_exported_as_links_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(RouteSettings {
        source: PairSource::Typed,
        letters: "RR RR BG BB".into(),
        goal_kind: GoalKind::Score,
        seconds: 2,
        ..RouteSettings::default()
    });
    click(&mut window, "Plan");
    planned(&mut window);
    let pair = |axis, child| Pair { axis, child };
    let (red, blue) = (Color::RED, Color::BLUE);
    let pairs = vec![pair(red, red), pair(red, red), pair(blue, Color::GREEN), pair(blue, blue)];
    let start = Start::empty(pairs, Rules::TSU);
    let route = Route::replay(&start, &placements(&window)).unwrap();
    assert_eq!(copied(&mut window, "Copy puyop link"), puyop_link(&route).unwrap());
    click(&mut window, "Go to the end");
    assert_eq!(copied(&mut window, "Copy board link"), chainsim_link(&route.end()).unwrap());
    let json: serde_json::Value = serde_json::from_str(&copied(&mut window, "Copy JSON")).unwrap();
    assert_eq!(
        (json["score"].as_u64(), json["steps"].as_array().unwrap().len()),
        (Some(route.score.into()), route.steps.len())
    );

    let mut save = |name: &str| {
        let path = folder.path().join(name);
        types_into(&mut window, Role::TextInput, "File", path.to_str().unwrap());
        let messages = labels(&window, name)
            .into_iter()
            .chain(labels(&window, "unknown file extension"))
            .chain(labels(&window, "File exists"));
        (std::fs::read(&path).unwrap_or_default(), messages.collect::<Vec<_>>().join("; "))
    };
    let (csv, messages) = save("route.csv");
    assert_eq!(String::from_utf8(csv).unwrap().lines().count(), route.steps.len() + 1);
    assert!(messages.starts_with("Saved ") && messages.contains(" bytes to "), "{messages}");
    std::fs::write(folder.path().join("route.csv"), "mine").unwrap();
    let (content, messages) = save("route.csv");
    assert_eq!(content, b"mine", "the first save does not overwrite");
    assert!(messages.contains("File exists. Save again to overwrite"), "{messages}");
    assert_ne!(save("route.csv").0, b"mine");
    assert!(save("route.svg").0.starts_with(b"<"));
    assert!(save("route.png").0.starts_with(b"\x89PNG"));
    assert!(save("route.bk2").0.starts_with(b"PK"));
    let (nothing, messages) = save("route.gif");
    assert!(nothing.is_empty() && messages.contains("unknown file extension: use .json, .csv"), "{messages}");
}

#[test]
fn the_route_settings_survive_a_restart() {
    let mut window = window(RouteSettings::default());
    click(&mut window, "Tsu state");
    types_into(&mut window, Role::TextInput, "State", "0x12345678");
    types_into(&mut window, Role::SpinButton, "Pairs to use", "11");
    let stored = serde_json::to_string(&window.state().0.settings).unwrap();
    let settings: Settings = serde_json::from_str(&stored).unwrap();
    let expected =
        with_seed("puyo-tsu", "0x12345678", RouteSettings { pairs: 11, ..RouteSettings::default() });
    assert_eq!(settings.route, expected);
    assert_eq!(settings.route.clone().repaired(), settings.route);
}
