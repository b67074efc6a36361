//! The route panel without a display: what is asked, what is planned, and a player who is led through it, each held against
//! the plain simulator.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod gui_support;

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, Theme, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use gui_support::{click, press, sees, waits_for};
use nextscope::game::puyo::{Pair, PoolId};
use nextscope::game::puyo_20th;
use nextscope::gui::log::Log;
use nextscope::gui::{App, Ground, RouteSettings, Settings, Source, Wanted};
use nextscope::live::View;
use nextscope::puyo::{Field, Placement, Rotation, Rules, to_rows};
use nextscope::route::{Route, Start};
use std::time::{Duration, Instant};

type Window = Harness<'static, (App, View)>;

fn window_with(view: View, settings: Settings) -> Window {
    let app = App::new(settings, Log::default(), Vec::new(), None);
    let show = |ui: &mut Ui, (app, view): &mut (App, View)| {
        if let Some(data) = &mut view.data {
            data.taken = Instant::now();
        }
        app.show(ui, view);
    };
    let mut window = Harness::builder()
        .with_size(vec2(1280.0, 1500.0))
        .with_theme(Theme::Dark)
        .build_ui_state(show, (app, view));
    window.run_steps(3);
    press(&mut window, Modifiers::COMMAND, Key::E);
    window
}

fn window(route: RouteSettings) -> Window {
    window_with(gui_support::nothing_runs(), Settings { route, ..Settings::default() })
}

fn types_into(window: &mut Window, role: Role, field: &str, text: &str) {
    window.get_by_role_and_label(role, field).focus();
    window.run_steps(2);
    window.get_by_role_and_label(role, field).click();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.into()));
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
}

fn labels(window: &Window, part: &str) -> Vec<String> {
    let nodes = window.query_all_by_label_contains(part);
    nodes.filter_map(|node| node.accesskit_node().label().or_else(|| node.accesskit_node().value())).collect()
}

fn label(window: &Window, part: &str) -> String {
    labels(window, part).into_iter().next().unwrap_or_else(|| panic!("nothing says {part:?}"))
}

/// The placements that the table shows, from "Pair 3: axis red, child blue, column 2, child up".
fn placements(window: &Window) -> Vec<Placement> {
    let mut rows: Vec<(usize, Placement)> = labels(window, ": axis ")
        .into_iter()
        .filter_map(|text| {
            let (number, rest) = text.strip_prefix("Pair ")?.split_once(": axis ")?;
            let (_, place) = rest.split_once(", column ")?;
            let (column, rotation) = place.split_once(", child ")?;
            let rotation = Rotation::ALL.into_iter().find(|all| all.name() == rotation)?;
            Some((number.parse().ok()?, Placement::new(column.parse::<usize>().ok()? - 1, rotation)?))
        })
        .collect();
    rows.sort_unstable_by_key(|(number, _)| *number);
    assert!(rows.iter().zip(1..).all(|((number, _), nth)| *number == nth), "{rows:?}");
    rows.into_iter().map(|(_, placement)| placement).collect()
}

/// What the panel must say of a route.
fn totals(route: &Route) -> String {
    let grouped = |number: u32| nextscope::seeds::text::grouped(number.into());
    let chain = if route.chain == 0 { "no chain".into() } else { format!("longest chain {}", route.chain) };
    format!("{} pairs, {chain}, {} points", route.steps.len(), grouped(route.score))
}

fn pairs_of(seed: u16, count: u32) -> Vec<Pair> {
    let round = puyo_20th::generate(seed);
    (0..count).map(|number| round.pair(PoolId::Four, number).unwrap()).collect()
}

/// Waits until the planner has ended.
fn planned(window: &mut Window) {
    let began = Instant::now();
    let told = ["asked for ", "No route to ", "There is no route"];
    while sees(window, "Planning: ") || !told.iter().any(|told| sees(window, told)) {
        assert!(began.elapsed() < Duration::from_secs(60), "it never ended");
        std::thread::sleep(Duration::from_millis(5));
        window.step();
    }
    window.run_steps(2);
}

#[test]
fn a_seed_is_planned_by_keyboard_and_the_plain_simulator_agrees() {
    let mut window =
        window(RouteSettings { seed: "0x6119".into(), pairs: 14, seconds: 2, ..RouteSettings::default() });
    assert!(window.get_by_role_and_label(Role::Button, "Plan").is_focused(), "Ctrl+E goes to the button");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(sees(&window, "Planning: "));
    planned(&mut window);
    let start = Start::empty(pairs_of(0x6119, 14), Rules::TWENTIETH);
    let route = Route::replay(&start, &placements(&window)).unwrap();
    assert!(route.chain >= 2, "{} in fourteen pairs", route.chain);
    assert!(sees(&window, &totals(&route)), "{}", totals(&route));
    assert!(sees(&window, "asked for the longest chain"));

    // The pair that fires is shown; from there the chain is stepped through.
    let longest = route.steps.iter().position(|step| step.fired.chain == route.chain).unwrap();
    let rows = |field: &Field| to_rows(field).join("/");
    let shown = label(&window, "Board, Pair ");
    assert!(shown.ends_with(&rows(&route.steps[longest].landed)), "{shown}");
    let mut left = route.steps[longest].landed;
    let chain = nextscope::puyo::plain::fire(&mut left, Rules::TWENTIETH);
    for (nth, popped) in (1..).zip(&chain) {
        click(&mut window, "One step on");
        let words = format!("Board, Chain step {nth} of {}: {} points: ", chain.len(), popped.points);
        assert_eq!(label(&window, "Board, "), words + &rows(&popped.before));
    }
    click(&mut window, "One step on");
    assert_eq!(
        label(&window, "Board, "),
        format!("Board, What the {}-chain leaves: {}", chain.len(), rows(&left))
    );
    click(&mut window, "To the start");
    assert_eq!(label(&window, "Board, "), "Board, The board at the start: ......");
    click(&mut window, "To the end");
    assert!(label(&window, "Board, ").ends_with(&rows(&route.end())));
    // A row of the table goes there.
    let third = labels(&window, "Pair 3: axis ").remove(0);
    click(&mut window, &third);
    assert!(label(&window, "Board, Pair 3").ends_with(&rows(&route.steps[2].landed)));
}

#[test]
fn the_board_takes_the_arrow_keys_and_plays_to_the_end() {
    let mut window = window(RouteSettings {
        source: Source::Typed,
        letters: "RR RR BG".into(),
        wanted: Wanted::AllClear,
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
    assert_eq!(keys(&mut window, Key::Home), "Board, The board at the start: ......");
    assert!(keys(&mut window, Key::ArrowRight).starts_with("Board, Pair 1: column "));
    assert_eq!(keys(&mut window, Key::End), "Board, What the 1-chain leaves: ......");
    assert!(keys(&mut window, Key::ArrowLeft).starts_with("Board, Chain step 1 of 1: 40 points: "));
    assert!(keys(&mut window, Key::ArrowLeft).starts_with("Board, Pair 2: column "));
    assert!(!sees(&window, "Pause"));
    press(&mut window, Modifiers::NONE, Key::Space);
    assert!(sees(&window, "Pause"));
    waits_for(&mut window, "Board, What the 1-chain leaves");
    waits_for(&mut window, "Play");
}

#[test]
fn what_is_wrong_is_told_beside_its_field_and_cannot_be_planned() {
    let mut window = window(RouteSettings::default());
    let refused = |window: &Window, why: &str| {
        assert!(sees(window, why), "{why}");
        assert!(window.get_by_role_and_label(Role::Button, "Plan").accesskit_node().is_disabled(), "{why}");
    };
    types_into(&mut window, Role::TextInput, "Seed", "0x10000");
    refused(&window, "\"0x10000\" is no seed: give 0x0000 to 0xFFFF");
    click(&mut window, "State of Tsu");
    types_into(&mut window, Role::TextInput, "State", "none");
    refused(&window, "\"none\" is no state");
    click(&mut window, "Player 2, live");
    refused(&window, "No emulator deals this player pairs now");
    click(&mut window, "Pairs as letters");
    refused(&window, "Type pairs such as RR RG BY");
    types_into(&mut window, Role::TextInput, "Letters", "RR R? BB");
    refused(&window, "Pair 2 is not known whole");
    types_into(&mut window, Role::TextInput, "Letters", "RR RR BB");
    click(&mut window, "Typed");
    refused(&window, "there is no board: give up to 14 rows");
    window.get_by_role_and_label(Role::MultilineTextInput, "Rows or code").focus();
    window.run_steps(2);
    window.event(Event::Text("RRRRX.".into()));
    window.run_steps(2);
    refused(&window, "'X' ");
    click(&mut window, "Empty");
    click(&mut window, "Plan");
    planned(&mut window);
    assert!(sees(&window, "asked for the longest chain"));
}

#[test]
fn a_board_that_pops_by_itself_and_a_goal_that_cannot_be_reached_get_a_clear_answer() {
    let mut window = window(RouteSettings {
        source: Source::Typed,
        letters: "RR GG".into(),
        ground: Ground::Typed,
        board: "YYYY..".into(),
        seconds: 1,
        ..RouteSettings::default()
    });
    click(&mut window, "Plan");
    waits_for(&mut window, "There is no route: the board has groups that pop");
    click(&mut window, "Empty");
    window.get_by_role_and_label(Role::ComboBox, "Goal").click();
    window.run_steps(3);
    window.get_by_label("Points, soonest").click();
    window.run_steps(3);
    click(&mut window, "Plan");
    planned(&mut window);
    let told = "No route to 10000 points soonest with 2 pairs: every placement of every pair was tried, so there is none";
    assert!(sees(&window, told), "four puyos never make 10,000 points");
}

#[test]
fn planning_is_cancelled_and_keeps_the_best_route_so_far() {
    let mut window = window(RouteSettings { seconds: 600, pairs: 60, ..RouteSettings::default() });
    click(&mut window, "Plan");
    waits_for(&mut window, "Pair 1: axis ");
    assert!(sees(&window, "Planning: "), "it still runs");
    let began = Instant::now();
    click(&mut window, "Cancel");
    planned(&mut window);
    assert!(began.elapsed() < Duration::from_secs(20));
    let start = Start::empty(pairs_of(0, 60), Rules::TWENTIETH);
    let route = Route::replay(&start, &placements(&window)).unwrap();
    assert!(sees(&window, &totals(&route)));
    // The command does the same as the buttons.
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::E);
    waits_for(&mut window, "Planning: ");
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::E);
    planned(&mut window);
}

#[test]
fn what_is_entered_is_kept_from_one_start_to_the_next() {
    let mut window = window(RouteSettings::default());
    click(&mut window, "State of Tsu");
    types_into(&mut window, Role::TextInput, "State", "0x12345678");
    types_into(&mut window, Role::SpinButton, "Pairs to use", "11");
    let stored = serde_json::to_string(&window.state().0.settings).unwrap();
    let settings: Settings = serde_json::from_str(&stored).unwrap();
    assert_eq!(
        (settings.route.source, settings.route.state.as_str(), settings.route.pairs),
        (Source::Tsu, "0x12345678", 11)
    );
    assert_eq!(settings.route.clone().repaired(), settings.route);
}
