//! The Seeds panel without a display: pairs are entered by keyboard, mouse and text; results are compared to the searcher.

use crate::gui_support::{Game, Window, click, nothing_runs, press, sees, types_into, waits_for, window_on};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, OutputCommand, vec2};
use egui_kittest::kittest::Queryable;
use nextscope::games::puyo_20th::seeds::{PartialPair, Query, Table, parse_pieces, search};
use nextscope::games::puyo_20th::{PoolId, generate};
use nextscope::gui::Settings;
use nextscope::live::View;
use std::time::Duration;

/// Published as the 24,858th of all sequences in the publisher's own names of the colours (reference 2.5 of the
/// randomizers: seed 0x6119, colour map YRGBP).
const PUBLISHED: &str = "BG GG GY BB BB RB RY BY RR BY GB YG RB YY";

fn window_with(view: View, settings: Settings) -> Window {
    let mut window = window_on(view, settings, vec2(1280.0, 900.0));
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    window
}

fn window() -> Window {
    window_with(nothing_runs(), Settings::default())
}

fn types(window: &mut Window, text: &str) {
    for letter in text.chars().filter(|c| !c.is_whitespace()) {
        window.event(Event::Text(letter.to_string()));
        window.run_steps(2);
    }
}

fn query(text: &str, relabel: bool) -> Query {
    Query { relabel, ..Query::sequence(PoolId::Four, 0, &parse_pieces(text).unwrap()) }
}

/// The expected headline for a query, from the searcher.
fn headline(query: &Query) -> String {
    let count = search(Table::shared(), query).unwrap().seeds.len();
    let digits = count.to_string();
    let grouped = match digits.len() {
        4.. => format!("{},{}", &digits[..digits.len() - 3], &digits[digits.len() - 3..]),
        _ => digits,
    };
    format!("{grouped} of 65,536 games {}", if count == 1 { "matches" } else { "match" })
}

fn in_words(seen: PartialPair) -> String {
    format!("axis {}, child {}", seen.axis.unwrap().name(), seen.child.unwrap().name())
}

#[test]
fn the_panel_opens_on_the_attached_game_unless_something_was_entered() {
    let tsu = || Game::playing().live(Duration::from_millis(3));
    let mut window = window_with(tsu(), Settings::default());
    window.run_steps(3);
    assert!(
        sees(&window, "of 4,294,967,296") || sees(&window, "4,294,967,296"),
        "all states of Puyo Puyo Tsu"
    );
    let dealt = Game::playing().forecast().players[0].pairs_dealt;
    assert!(sees(&window, &format!("Pair {dealt}, child: ")), "with the pairs that were dealt");
    assert!(!sees(&window, "Searching all states"), "the search waits for a button");
    let mut window = window_with(nothing_runs(), Settings::default());
    waits_for(&mut window, "65,536 of 65,536 games match");
    types(&mut window, "BG");
    window.state_mut().1 = tsu();
    window.run_steps(3);
    assert!(sees(&window, "of 65,536 games match"), "the entered pair stays");
}

#[test]
fn the_published_sequence_narrows_to_its_seed_and_predicts_the_rest() {
    let mut window = window();
    waits_for(&mut window, "65,536 of 65,536 games match");
    click(&mut window, "Ignore actual colours (relabel)");
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    for pairs in 1..=10 {
        types(&mut window, &PUBLISHED[3 * pairs - 3..3 * pairs - 1]);
        let expected = headline(&query(&PUBLISHED[..3 * pairs - 1], true));
        waits_for(&mut window, &expected);
    }
    assert!(sees(&window, "seed 0x6119"));
    for (number, seen) in (1..).zip(parse_pieces(PUBLISHED).unwrap()).skip(10) {
        window.get_by_label(&format!("certain, pair {number}: {}", in_words(seen)));
    }
    assert!(sees(&window, "Open seed 0x6119, YRGBP, B=G G=Y R=R Y=B, next"));
}

#[test]
fn the_probabilities_of_the_next_pair_match_the_searcher() {
    let mut window = window();
    types(&mut window, "GY YY Y");
    let half = Query::sequence(
        PoolId::Four,
        0,
        &[parse_pieces("GY YY").unwrap(), parse_pieces("Y?").unwrap()].concat(),
    );
    waits_for(&mut window, &headline(&half));
    types(&mut window, "B");
    let query = query("GY YY YB", false);
    waits_for(&mut window, &headline(&query));
    let answer = search(Table::shared(), &query).unwrap();
    assert!(answer.next.len() > 2);
    for chance in answer.next.iter().take(12) {
        let percent = 100.0 * f64::from(chance.count) / answer.seeds.len() as f64;
        let games = if chance.count == 1 { "game" } else { "games" };
        let label = format!("{percent:.1} %, {} {games}: {}", chance.count, in_words(chance.pair));
        assert!(sees(&window, &label), "{label}");
    }
    assert!(!sees(&window, "certain, pair"));
}

#[test]
fn a_contradiction_is_reported_with_its_first_pair() {
    let mut window = window();
    types(&mut window, "GY YY YB GG PP RR");
    waits_for(&mut window, "No seed produces this sequence: pair 6: 5 colours");
    for _ in 0..2 {
        press(&mut window, Modifiers::NONE, Key::Backspace);
    }
    let query = query("GY YY YB GG PP", false);
    waits_for(&mut window, "No seed produces this sequence: it fails at pair 5");
    assert!(search(Table::shared(), &query).unwrap().seeds.is_empty());
}

#[test]
fn the_search_works_by_keyboard_alone() {
    let mut window = window();
    types(&mut window, "gy?yyb");
    assert!(sees(&window, "Entered pairs: GY ?Y YB."));
    press(&mut window, Modifiers::NONE, Key::Backspace);
    assert!(sees(&window, "Entered pairs: GY ?Y Y."));
    for _ in 0..3 {
        press(&mut window, Modifiers::NONE, Key::ArrowLeft);
    }
    types(&mut window, "y");
    assert!(sees(&window, "Entered pairs: GY YY Y."), "the selected puyo is corrected");
    types(&mut window, "b");
    assert!(sees(&window, "Entered pairs: GY YY YB."));
    waits_for(&mut window, &headline(&query("GY YY YB", false)));
    types(&mut window, "x");
    assert!(sees(&window, "'x' is not a colour. Type R, G, B, Y, P, or ? for an unknown puyo"));
    types(&mut window, "GG GG RG RB GB");
    waits_for(&mut window, "seed 0x6119");
    // The game itself is reached by Tab, and opened by Enter.
    for _ in 0..60 {
        press(&mut window, Modifiers::NONE, Key::Tab);
        let game = window.query_all_by_label_contains("Open seed 0x6119").next();
        if game.is_some_and(|game| game.is_focused()) {
            break;
        }
    }
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(sees(&window, "Offline: showing seed 0x6119"));
}

#[test]
fn colours_are_entered_and_corrected_by_mouse_and_the_text_follows() {
    let mut window = window();
    for label in ["Enter green (G)", "Enter yellow (Y)", "Enter unknown colour (?)"] {
        click(&mut window, label);
    }
    assert!(sees(&window, "Entered pairs: GY ?."));
    click(&mut window, "Pair 2, axis: unknown");
    click(&mut window, "Enter red (R)");
    assert!(sees(&window, "Entered pairs: GY R."));
    let field = window.get_by_label("As text").value();
    let field = field.or_else(|| window.query_all_by_value("GY R").next().and_then(|node| node.value()));
    assert_eq!(field.as_deref(), Some("GY R"));
    click(&mut window, "Remove last");
    assert!(sees(&window, "Entered pairs: GY."));
    click(&mut window, "Clear");
    assert!(sees(&window, "Entered pairs: none."));
}

#[test]
fn a_game_opens_in_predict_and_is_never_labelled_live() {
    let mut window = window();
    types(&mut window, "GY YY YB GG GG RG RB GB");
    waits_for(&mut window, "seed 0x6119");
    window.query_all_by_label_contains("Open seed 0x6119").next().unwrap().click();
    window.run_steps(3);
    assert!(sees(&window, "Offline: showing seed 0x6119 of Puyo Puyo!! 20th Anniversary, 4 colours"));
    let round = generate(0x6119);
    let name = |number: u32| {
        let pair = round.pair(PoolId::Four, number).unwrap();
        format!("axis {}, child {}", pair.axis.name(), pair.child.name())
    };
    window.get_by_label(&format!("seed 0x6119, now: {}", name(7)));
    window.get_by_label(&format!("seed 0x6119, next: {}", name(8)));
    assert!(sees(&window, "Seed 0x6119 is at position 8 of 128 in the 4-colour pool"));
    assert_eq!(window.query_all_by_label_contains("4-colour pool, pairs ").count(), 8);
    assert!(!sees(&window, "old, seed"));
    click(&mut window, "Back to seeds");
    assert!(sees(&window, "Entered pairs: GY YY"));
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    click(&mut window, "Show emulator");
    assert!(!sees(&window, "Offline: showing"));
}

#[test]
fn a_result_is_copied_by_its_menu() {
    let mut window = window();
    types(&mut window, "GY YY YB GG GG RG RB GB");
    waits_for(&mut window, "Open seed 0x6119");
    let row = crate::gui_support::label(&window, "Open seed 0x6119");
    let next = row.split("next ").nth(1).expect("its pairs").to_owned();
    window.get_all_by_label_contains("Open seed 0x6119").next().expect("a result").click_secondary();
    window.run_steps(3);
    let pairs = crate::gui_support::copied(&mut window, "Copy pairs");
    assert!(pairs.starts_with(&next), "{pairs} and {row}");
}

#[test]
fn recent_searches_are_saved_restored_and_cleared() {
    let mut window = window();
    types(&mut window, "GY YY YB GG GG RG RB GB");
    waits_for(&mut window, "seed 0x6119");
    click(&mut window, "Clear");
    waits_for(&mut window, "65,536 of 65,536 games match");
    let settings = window.state().0.settings.clone();
    let stored = serde_json::to_string(&settings).unwrap();
    let settings: Settings = serde_json::from_str(&stored).unwrap();
    let mut window = window_with(nothing_runs(), settings);
    click(&mut window, "Recent searches");
    let entry = "GY YY YB GG GG RG RB GB\n20th, 4 colours: seed 0x6119";
    window.query_all_by_label_contains(entry).next().expect("the search").click();
    window.run_steps(3);
    waits_for(&mut window, "seed 0x6119");
    click(&mut window, "Recent searches");
    click(&mut window, "Clear recent searches");
    click(&mut window, "Recent searches");
    assert!(sees(&window, "No recent searches"));
}

#[test]
fn the_result_is_copied_as_the_command_line_prints_it() {
    let mut window = window();
    types(&mut window, "GY YY YB GG GG RG RB GB");
    waits_for(&mut window, "seed 0x6119");
    for (button, beginning) in [
        ("Copy table", "seed    colours  from pair 9 on\n0x6119  YRGBP"),
        ("Copy CSV", "seed,color_map,next\n0x6119,YRGBP,RR "),
        ("Copy JSON", "{\"schema\":1,\"kind\":\"find\",\"game\":\"puyo-20th\","),
    ] {
        window.get_by_label(button).click();
        let mut text = None;
        for _ in 0..4 {
            window.step();
            let commands = &window.output().platform_output.commands;
            text = text.or(commands.iter().find_map(|command| match command {
                OutputCommand::CopyText(text) => Some(text.clone()),
                _ => None,
            }));
        }
        let text = text.expect("copied");
        assert!(text.starts_with(beginning), "{text}");
    }
}

#[test]
fn the_pairs_of_a_live_round_are_searched_until_cancelled() {
    let game = Game::playing();
    let mut window = window_with(game.live(Duration::from_millis(3)), Settings::default());
    click(&mut window, "Use pairs of emulator");
    let dealt = game.forecast().players[0].pairs_dealt;
    assert!(sees(&window, &format!("Pair {dealt}, child: ")), "all pairs that were dealt");
    assert!(!sees(&window, &format!("Pair {}, axis: ", dealt + 1)));
    assert!(sees(&window, "A few of 4,294,967,296 states expected"));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(sees(&window, "Searching all states for "));
    click(&mut window, "Cancel");
    assert!(!sees(&window, "Searching all states"));
    assert!(sees(&window, "Search all states"));
}

#[test]
fn the_number_of_tsu_states_is_estimated_and_impossible_pairs_are_rejected() {
    let mut window = window();
    click(&mut window, "Puyo Puyo Tsu");
    assert!(sees(
        &window,
        "Enter the dealt pairs. Six or more are enough to search all 4,294,967,296 states"
    ));
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    types(&mut window, "RG GB");
    assert!(sees(&window, "of 4,294,967,296 states expected (estimate)"));
    types(&mut window, "YY");
    assert!(sees(&window, "No seed produces this sequence: it fails at pair 3"));
}

#[test]
fn typed_and_clicked_pieces_narrow_to_a_state() {
    let mut window = window();
    click(&mut window, "TGM2 PLUS (TAP)");
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    assert!(sees(&window, "narrow the 33,554,432 states of TGM2 PLUS (TAP)"));
    types(&mut window, "jtols");
    assert!(sees(&window, "Entered pieces: JTOLS."));
    waits_for(&mut window, " of 33,554,432 states match");
    assert!(sees(&window, "Next piece: probabilities"));
    // The game of seed 7 (games/tgm/vectors.json).
    types(&mut window, "JTZISOZLITT");
    waits_for(&mut window, "No seed produces this sequence: it fails at piece 16 of the input, T");
    press(&mut window, Modifiers::NONE, Key::Backspace);
    click(&mut window, "Enter piece J");
    waits_for(&mut window, "1 of 33,554,432 states matches");
    for (number, piece) in (17..).zip("ZLOSTZIOOSLTIJ".chars()) {
        window.get_by_label(&format!("certain, piece {number}: piece {piece}"));
    }
    assert!(sees(&window, "State 0x00000007, next ZLOSTZIOOS"));
    types(&mut window, "x");
    assert!(sees(&window, "'x' is not a piece"));
    click(&mut window, "Clear");
    assert!(sees(&window, "Entered pieces: none."));
    // A game of pairs again.
    click(&mut window, "Puyo Puyo!! 20th Anniversary");
    waits_for(&mut window, "65,536 of 65,536 games match");
    assert!(!sees(&window, "Entered pieces"));
}

#[test]
fn a_range_of_frames_between_pieces_leaves_probabilities() {
    let mut window = window();
    click(&mut window, "Tetris (NES)");
    // One step before each pick, from power-on (games/tetris_nes/vectors.json).
    let dealt = "LSSTOISTJILSLISTLSSJLSZJSZLTLZLTLOLJLTIT";
    window.get_by_label("to").focus();
    window.run();
    press(&mut window, Modifiers::NONE, Key::ArrowUp);
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    types(&mut window, dealt);
    waits_for(&mut window, "1 of 262,136 states matches");
    assert!(sees(&window, "State 0xAB2A count 0 after T, next "));
    assert!(sees(&window, "Next piece: probabilities"));
    assert!(!sees(&window, "Certain"), "nobody knows the coming gap");
    types(&mut window, "TTTTTTTT");
    waits_for(&mut window, "No seed produces this sequence: it fails at piece 4");
}

#[test]
fn recent_piece_searches_are_restored() {
    let mut window = window();
    click(&mut window, "TGM2 PLUS (TAP)");
    click(&mut window, "Start mid-game");
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    types(&mut window, "OSTZIOOSLTIJOZTSZILTOSZJ");
    waits_for(&mut window, "certain, next 1: piece ");
    click(&mut window, "Clear");
    // The game of seed 7 (games/tgm/vectors.json).
    click(&mut window, "Start mid-game");
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    types(&mut window, "JTOLSJTZISOZLITJ");
    waits_for(&mut window, "1 of 33,554,432 states matches");
    click(&mut window, "Puyo Puyo!! 20th Anniversary");
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    types(&mut window, "GYYY");
    waits_for(&mut window, &headline(&query("GY YY", false)));
    let stored = serde_json::to_string(&window.state().0.settings).unwrap();
    let settings: Settings = serde_json::from_str(&stored).unwrap();
    let saved: Vec<String> =
        settings.searches.entries().iter().map(|entry| entry.pieces().to_owned()).collect();
    assert_eq!(saved, ["GY YY", "JTOLSJTZISOZLITJ", "OSTZIOOSLTIJOZTSZILTOSZJ"]);

    let mut window = window_with(nothing_runs(), settings);
    click(&mut window, "Recent searches");
    let entry = "JTOLSJTZISOZLITJ\nTGM2 PLUS (TAP): state 0x00000007";
    window.query_all_by_label_contains(entry).next().expect("the search").click();
    window.run_steps(3);
    waits_for(&mut window, "State 0x00000007, next ZLOSTZIOOS");
    assert!(sees(&window, "Entered pieces: JTOLSJTZISOZLITJ."));
    click(&mut window, "Recent searches");
    let middle = "TGM2 PLUS (TAP), from mid-game: ";
    window.query_all_by_label_contains(middle).next().expect("the search").click();
    window.run_steps(3);
    waits_for(&mut window, "certain, next 1: piece ");
    assert!(sees(&window, "Entered pieces: OSTZIOOSLTIJOZTSZILTOSZJ."));
}

#[test]
fn a_mid_game_search_needs_four_pieces() {
    let mut window = window();
    click(&mut window, "TGM2 PLUS (TAP)");
    click(&mut window, "Start mid-game");
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    types(&mut window, "OST");
    waits_for(&mut window, "the first four pieces must be known");
    // Pieces 19 on of the game of seed 7.
    types(&mut window, "ZIOOSLTIJOZTSZILTOSZJIOTOJSZ");
    waits_for(&mut window, "certain, next 1: piece L");
}

#[test]
fn a_game_with_a_form_is_searched_by_its_fields_and_by_its_board() {
    let mut window = window();
    click(&mut window, "Dr. Mario (NES)");
    assert!(sees(&window, "give at least one capsule"));
    types_into(&mut window, Role::TextInput, "Capsules", "BB YR RR BB RB BY RB RY BR");
    assert!(sees(&window, "0x44C4"));
    types_into(&mut window, Role::TextInput, "Bottle as text", "YYYYYYYY");
    types_into(&mut window, Role::TextInput, "Level", "3");
    assert!(sees(&window, "no start gives these capsules and viruses"));
    // Another game takes the form's place.
    click(&mut window, "Puyo Puyo Tsu");
    assert!(!sees(&window, "Bottle"));
}

#[test]
fn lessons_are_offered_in_the_story_of_puyo_puyo_only() {
    let mut window = window();
    let lesson = "Lesson (stages 1 to 3)";
    for (game, has_lessons) in [("Puyo Puyo", true), ("Dr. Robotnik's Mean Bean Machine", false)] {
        for (mode, expected) in [("Story", has_lessons), ("Versus", false)] {
            click(&mut window, game);
            click(&mut window, mode);
            window.run_steps(2);
            let offered = window.query_by_role_and_label(Role::CheckBox, lesson).is_some();
            assert_eq!(offered, expected, "{game}, {mode}");
        }
    }
}
