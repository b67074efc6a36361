//! Goals and attacks in the Route panel, compared to the planner called directly.

use crate::gui_support::{Game, Window, click, labels, press, sees, types_into, waits_for};
use crate::route::{in_ram, placements, planned, puts, shows, totals, window, window_with};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::gui::{AttackInput, GoalKind, GoalNumbers, PairSource, RouteSettings, Settings};
use nextscope::pairs::PairGame;
use nextscope::profile::Library;
use nextscope::puyo::{Cell, Rules, field_from_rows};
use nextscope::route::{
    Attack, FrameTable, Goal, Limits, Outcome, Route, Start, Timing, pairs_from_letters, plan_goals,
};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Small plans end when everything is tried, long before.
const SECONDS: u32 = 600;

fn typed(letters: &str) -> RouteSettings {
    RouteSettings {
        source: PairSource::Typed,
        letters: letters.into(),
        seconds: SECONDS,
        threads: 1,
        ..RouteSettings::default()
    }
}

fn start(letters: &str) -> Start {
    Start::empty(pairs_from_letters(letters).unwrap(), Rules::TSU)
}

fn limits() -> Limits {
    Limits { time: Some(Duration::from_secs(SECONDS.into())), threads: 1, routes: 10, ..Limits::default() }
}

fn attacked(letters: &str, attacks: &[&str], goal: Goal) -> (Vec<Attack>, Outcome) {
    let attacks: Vec<Attack> = attacks.iter().map(|text| text.parse().unwrap()).collect();
    let never = AtomicBool::new(false);
    let outcome =
        plan_goals(&start(letters), &attacks, &[goal], &limits(), None, &never, &mut |_| {}).unwrap();
    assert!(outcome.complete);
    (attacks, outcome)
}

/// The first sentence does not depend on which of several equally good routes was found.
fn verdict(outcome: &Outcome) -> String {
    let outlook = outcome.route.as_ref().unwrap().outlook.as_ref().unwrap();
    outlook.sentences().remove(0)
}

/// Replaces the number that has the focus.
fn types(window: &mut Window, number: &str) {
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(number.into()));
    window.run_steps(2);
}

fn is_disabled(window: &Window, button: &str) -> bool {
    window.get_by_role_and_label(Role::Button, button).accesskit_node().is_disabled()
}

#[test]
fn attacks_are_entered_by_keyboard_and_planned_for_all_columns() {
    let letters = "RR RR BB";
    let mut window = window(typed(letters));
    window.get_by_role_and_label(Role::Button, "Add attack").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
    assert!(window.get_by_role_and_label(Role::SpinButton, "Attack 1, garbage").is_focused());
    types(&mut window, "7");
    press(&mut window, Modifiers::NONE, Key::Tab);
    types(&mut window, "4");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().0.settings.route.attacks, [AttackInput { garbage: 7, pair: 4 }]);
    assert!(sees(&window, "Pair 4 is after the last of the 3 pairs: use more pairs, or an earlier one"));
    assert!(is_disabled(&window, "Plan"));
    types_into(&mut window, Role::SpinButton, "Attack 1, pair", "2");
    assert!(!sees(&window, "is after the last of"));
    press(&mut window, Modifiers::COMMAND, Key::E);
    press(&mut window, Modifiers::NONE, Key::Enter);
    planned(&mut window);

    let (attacks, outcome) = attacked(letters, &["7@2"], Goal::Chain);
    assert_eq!(verdict(&outcome), "Guaranteed for all 6 sets of columns that the game may draw for garbage.");
    assert!(sees(&window, &verdict(&outcome)), "{:?}", labels(&window, "sets of columns"));
    assert!(sees(&window, "Reached: the longest chain"));
    let direct = outcome.route.unwrap();
    let route = Route::replay_against(&start(letters), &attacks, &placements(&window), &[]).unwrap();
    assert_eq!(
        (route.chain, route.score, route.steps.len()),
        (direct.chain, direct.score, direct.steps.len())
    );
    assert!(sees(&window, &totals(&route)) && sees(&window, ", all clear"));

    // What happens to garbage, and which board is an example.
    let garbage = "7 arrive, 7 fall, 1 of them in drawn columns";
    assert!(
        labels(&window, "Pair 2: ")
            .iter()
            .any(|row| row.ends_with(&format!("; garbage: {garbage}; example board")))
    );
    assert!(!labels(&window, "Pair 1: ").iter().any(|row| row.contains("garbage")));
    click(&mut window, "Go to the end");
    assert!(
        sees(&window, &format!("Board, Garbage: {garbage} (example): ")),
        "{:?}",
        labels(&window, "Board, ")
    );
    click(&mut window, "Step back");
    assert!(sees(&window, "Board, After the 1-chain: empty"));

    // A link cannot contain falling garbage.
    click(&mut window, "Copy puyop link");
    assert!(sees(&window, "garbage falls after pair 2, and a link to puyop.com cannot contain that"));

    // The last attack is removed by keyboard, and the focus stays in the form.
    window.get_by_role_and_label(Role::Button, "Remove attack 1").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
    assert!(!sees(&window, "Attack 1, garbage"));
    assert!(window.get_by_role_and_label(Role::Button, "Add attack").is_focused());
    for _ in 0..16 {
        click(&mut window, "Add attack");
    }
    assert!(is_disabled(&window, "Add attack"));
    let stored = serde_json::to_string(&window.state().0.settings).unwrap();
    let stored: Settings = serde_json::from_str(&stored).unwrap();
    assert_eq!(stored.route.attacks.len(), 16);
}

#[test]
fn a_route_that_depends_on_the_columns_says_for_how_many_it_reaches_the_goal() {
    let letters = "RR RR";
    let settings = RouteSettings {
        goal_kind: GoalKind::AllClear,
        attacks: vec![AttackInput { garbage: 3, pair: 1 }],
        ..typed(letters)
    };
    let mut window = window(settings);
    click(&mut window, "Plan");
    planned(&mut window);
    let (_, outcome) = attacked(letters, &["3@1"], Goal::AllClear);
    assert!(verdict(&outcome).starts_with("Reaches the goal for "), "{}", verdict(&outcome));
    assert!(sees(&window, &verdict(&outcome)), "{:?}", labels(&window, "sets of columns"));
    assert!(sees(&window, "Not guaranteed: all clear soonest") && !sees(&window, "Reached: "));
}

#[test]
fn points_per_frame_uses_the_frame_table_of_the_game() {
    let letters = "RR RR BG BB";
    let mut window = window(RouteSettings { goal_kind: GoalKind::PointsPerFrame, ..typed(letters) });
    let missing = "Points per frame needs frame times, and no profile of this game has them";
    assert!(!sees(&window, missing));
    click(&mut window, "Plan");
    planned(&mut window);
    assert!(sees(&window, "Reached: the most points per frame"));
    let profiles = Library::built_in();
    let table = FrameTable::of(profiles.by_id("puyo-tsu-genesis").unwrap()).unwrap();
    let timing = Timing { table: table.clone(), max_frames: None, soonest: false };
    let never = AtomicBool::new(false);
    let goals = [Goal::PointsPerFrame];
    let outcome =
        plan_goals(&start(letters), &[], &goals, &limits(), Some(&timing), &never, &mut |_| {}).unwrap();
    assert!(outcome.complete);
    let direct = outcome.route.unwrap();
    let route = Route::replay(&start(letters), &placements(&window)).unwrap();
    let frames = table.total(&route).unwrap();
    let fraction = |score: u32, frames: u32| u64::from(score) * 1_000_000 / u64::from(frames);
    assert_eq!(fraction(route.score, frames), fraction(direct.score, table.total(&direct).unwrap()));
    assert!(sees(&window, &format!("{frames} frames (times are estimates)")));

    // No profile of this game has frame times.
    let without = PairGame::from_id("mean-bean").unwrap().rules().source_name;
    click(&mut window, without);
    assert!(sees(&window, missing) && is_disabled(&window, "Plan"));
    window.get_by_role_and_label(Role::ComboBox, "Goal").click();
    window.run_steps(3);
    click(&mut window, "Survive");
    assert!(!sees(&window, missing) && !is_disabled(&window, "Plan"));
    assert!(!sees(&window, "Then"), "nothing follows surviving");
}

#[test]
fn surviving_places_all_pairs() {
    let letters = "RR GG BB";
    let mut window = window(RouteSettings { goal_kind: GoalKind::Survive, ..typed(letters) });
    click(&mut window, "Plan");
    planned(&mut window);
    assert!(sees(&window, "Reached: survive all pairs") && sees(&window, "3 pairs, no chain, 0 points"));
    assert!(!sees(&window, "sets of columns"), "nobody attacks");
}

#[test]
fn a_second_goal_has_a_number_of_its_own() {
    let letters = "RR RR BB BB GG";
    let mut window = window(RouteSettings { goal_kind: GoalKind::ExactChain, ..typed(letters) });
    types_into(&mut window, Role::SpinButton, "Steps", "1");
    window.get_by_role_and_label(Role::ComboBox, "Then").click();
    window.run_steps(3);
    window.query_all_by_role_and_label(Role::Button, "Points, as soon as possible").last().unwrap().click();
    window.run_steps(3);
    types_into(&mut window, Role::SpinButton, "Then at least", "40");
    let settings = &window.state().0.settings.route;
    assert_eq!(settings.numbers, GoalNumbers { chain: 1, ..GoalNumbers::default() });
    assert_eq!(settings.next_numbers, GoalNumbers { points: 40, ..GoalNumbers::default() });
    click(&mut window, "Plan");
    planned(&mut window);
    assert!(
        sees(&window, "Reached: a chain of exactly 1 soonest, then 40 points soonest"),
        "{:?}",
        labels(&window, "eached")
    );
    let route = Route::replay(&start(letters), &placements(&window)).unwrap();
    assert_eq!((route.steps.len(), route.score), (4, 80));
}

#[test]
fn garbage_in_other_columns_than_those_of_the_example_is_not_a_mistake() {
    let mut game = Game::playing();
    let board = field_from_rows(&["GB.YYR"]).unwrap();
    game.set("p1_board", &in_ram(&board));
    game.frames(3);
    game.deal(0);
    game.frames(3);
    let settings = RouteSettings {
        source: PairSource::Player1,
        pairs: 4,
        goal_kind: GoalKind::Survive,
        attacks: vec![AttackInput { garbage: 2, pair: 1 }, AttackInput { garbage: 3, pair: 3 }],
        seconds: 1,
        ..RouteSettings::default()
    };
    let view = game.live(Duration::from_millis(3));
    let mut window = window_with(view, Settings { route: settings, ..Settings::default() });
    let coming = &game.forecast().players[0];
    let dealt: Vec<_> = coming.current.into_iter().chain(coming.pairs.iter().copied()).take(4).collect();
    press(&mut window, Modifiers::NONE, Key::Enter);
    planned(&mut window);
    let start = Start { field: board, ..Start::empty(dealt, Rules::TSU) };
    let attacks = ["2@1", "3@3"].map(|text| text.parse().unwrap());
    let places = placements(&window);
    let rows = |window: &Window| -> Vec<String> {
        let rows = labels(window, ": axis ");
        rows.into_iter().filter(|row| row.contains("garbage: ")).collect()
    };
    assert!(rows(&window).iter().any(|row| row.starts_with("Pair 3: ") && row.contains("garbage: 3 arrive")));

    // The pair is placed as planned, and the garbage falls into other columns than those of the example.
    let landed = Route::replay_against(&start, &attacks, &places[..1], &[]).unwrap().steps[0].popped;
    let first = labels(&window, "Pair 1: axis ").remove(0);
    click(&mut window, &first);
    click(&mut window, "Step forward");
    let example = labels(&window, "Board, Garbage: ").remove(0);
    let other = (0..6).flat_map(|one| (one + 1..6).map(move |two| [one, two])).find_map(|columns| {
        let mut board = landed;
        for column in columns {
            board.drop(column, Cell::Ojama);
        }
        let rows = nextscope::puyo::to_rows(&board).join(" ");
        (!example.ends_with(&rows) && !board.is_lost()).then_some(board)
    });
    puts(&mut window, &mut game, &other.unwrap());
    game.frames(40);
    shows(&mut window, &game);
    waits_for(&mut window, "Replanned: the garbage differs from the plan");
    planned(&mut window);
    assert!(!sees(&window, "placed differently"));
    // The past attack is gone; the other one arrives with the second of the remaining pairs.
    assert_eq!(placements(&window).len(), 3);
    let rows = rows(&window);
    assert!(!rows.iter().any(|row| row.starts_with("Pair 1: ")), "{rows:?}");
    assert!(
        rows.iter().any(|row| row.starts_with("Pair 2: ") && row.contains("garbage: 3 arrive")),
        "{rows:?}"
    );
    assert!(sees(&window, "Reached: survive all pairs") && sees(&window, "Step 1 of 3"));
}
