//! `route` as a user runs it.

use crate::cli_support::{answer, errors, nextscope, status, text};
use nextscope::puyo::{Placement, Rotation, Rules};
use nextscope::route::{Route, Start};
use nextscope_boards::{Color, Pair};
use serde_json::Value;

/// The route of an answer, played by the plain simulator from what is printed alone.
fn replayed(result: &Value, rules: Rules) -> Route {
    let mut pairs = Vec::new();
    let mut placements = Vec::new();
    for step in result["placements"].as_array().unwrap() {
        let mut letters =
            step["pair"].as_str().unwrap().chars().map(|letter| Color::from_letter(letter).unwrap());
        pairs.push(Pair { axis: letters.next().unwrap(), child: letters.next().unwrap() });
        let rotation =
            Rotation::ALL.into_iter().find(|rotation| step["rotation"] == rotation.name()).unwrap();
        let column = usize::try_from(step["column"].as_u64().unwrap()).unwrap();
        placements.push(Placement::new(column - 1, rotation).unwrap());
    }
    Route::replay(&Start::empty(pairs, rules), &placements).expect("every placement can be reached")
}

#[test]
fn a_long_chain_of_a_known_game() {
    let arguments =
        ["route", "puyo-20th", "--seed", "0x0000", "--colors", "4", "--pairs", "40", "--width", "60"];
    let result = answer(&arguments, 0);
    assert_eq!(
        (&result["game"], &result["seed"], &result["goal"]),
        (&"puyo-20th".into(), &"0x0000".into(), &"chain".into())
    );
    assert!(result["chain"].as_u64().unwrap() >= 10, "{result}");
    assert!(result["nodes"].as_u64().unwrap() > 10_000 && result["elapsed_seconds"].as_f64().unwrap() > 0.0);
    let route = replayed(&result, Rules::TWENTIETH);
    assert_eq!(u64::from(route.chain), result["chain"]);
    assert_eq!(u64::from(route.score), result["score"]);
    assert_eq!(route.steps.len() as u64, result["pairs_used"]);
    // The game's own pairs: those of `generate`.
    let dealt = answer(&["generate", "puyo-20th", "--seed", "0", "--count", "40"], 0);
    for (step, pair) in
        result["placements"].as_array().unwrap().iter().zip(dealt["pairs"].as_array().unwrap())
    {
        assert_eq!(step["pair"], *pair);
    }
    // The same again, on more threads.
    let again = answer(&[&arguments[..], &["--threads", "3"]].concat(), 0);
    assert_eq!(again["placements"], result["placements"]);
}

#[test]
fn time_bounds_a_plan() {
    let result =
        answer(&["route", "puyo-tsu", "--seed", "0x35879DE2", "--seconds", "0.5", "--threads", "1"], 0);
    assert!(result["elapsed_seconds"].as_f64().unwrap() < 20.0, "{result}");
    let route = replayed(&result, Rules::TSU);
    assert_eq!(u64::from(route.score), result["score"]);
}

#[test]
fn goals_are_reached_or_proven_unreachable() {
    let pieces = "RR GR RG GG";
    let result =
        answer(&["route", "puyo-tsu", "--pieces", pieces, "--goal", "all-clear", "--width", "5000"], 0);
    assert_eq!((&result["pairs_used"], &result["board"]), (&4.into(), &serde_json::json!(["......"])));
    assert!(replayed(&result, Rules::TSU).end().is_empty());
    let never =
        answer(&["route", "puyo-tsu", "--pieces", "RR GR", "--goal", "all-clear", "--width", "5000"], 1);
    assert_eq!((&never["found"], &never["complete"]), (&false.into(), &true.into()));
    let output =
        nextscope(&["route", "puyo-tsu", "--pieces", "RR GR", "--goal", "all-clear", "--width", "5000"]);
    assert!(
        text(&output).contains("not reachable with these pairs (all placements were tried)"),
        "{}",
        text(&output)
    );
    let points = answer(&["route", "puyo-20th", "--seed", "7", "--goal", "points:2000", "--width", "200"], 0);
    assert!(points["score"].as_u64().unwrap() >= 2000);
    assert!(replayed(&points, Rules::TWENTIETH).score >= 2000);
    let three =
        answer(&["route", "puyo-20th", "--seed", "7", "--goal", "exact-chain:3", "--width", "200"], 0);
    let route = replayed(&three, Rules::TWENTIETH);
    assert_eq!(route.steps.last().unwrap().fired.chain, 3);
}

#[test]
fn the_colours_of_the_pairs_limit_a_chain() {
    let text_of = |arguments: &[&str]| text(&nextscope(arguments));
    // Red, red, then green: the second step needs four green puyos, of which there are three.
    let three_green = ["route", "puyo-tsu", "--pieces", "RR RG GG BR", "--width", "200"];
    let result = answer(&three_green, 0);
    assert_eq!((&result["chain"], &result["chain_limit"]), (&1.into(), &1.into()));
    let shown = text_of(&three_green);
    let limit = "the board and the pairs have puyos for a chain of 1 at most, 4 of one colour for each step";
    let sentence = format!("{}: no longer chain is possible.", limit.replacen('t', "T", 1));
    assert!(shown.contains(&sentence), "{shown}");
    let two = [&three_green[..], &["--goal", "exact-chain:2"]].concat();
    let result = answer(&two, 1);
    assert_eq!(
        (&result["found"], &result["complete"], &result["nodes"]),
        (&false.into(), &true.into(), &0.into())
    );
    let shown = text_of(&two);
    assert!(shown.contains(&format!("not reachable with these pairs: {limit}")), "{shown}");
    // 19, 19, 23 and 19 puyos: a search cannot do better than 17 of 20 groups.
    let game = ["route", "puyo-20th", "--seed", "0x0CCD", "--colors", "4", "--pairs", "40"];
    let never = answer(&[&game[..], &["--goal", "exact-chain:18"]].concat(), 1);
    assert_eq!((&never["chain_limit"], &never["nodes"]), (&17.into(), &0.into()));
    let chain = answer(&[&game[..], &["--width", "60"]].concat(), 0);
    assert!(chain["chain"].as_u64() <= Some(17), "{chain}");
}

#[test]
fn a_route_from_a_board_is_written_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let board = file("board.txt");
    std::fs::write(&board, "G.....\nRG....\nRR.GG.\n").unwrap();
    let names: Vec<String> =
        ["csv", "json", "url", "svg", "png", "apng", "lua", "bk2", "gmv", "mcm", "inp", "log", "txt"]
            .map(|ending| file(&format!("route.{ending}")))
            .into();
    let mut arguments = vec!["route", "puyo-tsu", "--pieces", "RG BB", "--board", &board, "--width", "1000"];
    names.iter().for_each(|name| arguments.extend(["--out", name]));
    let result = answer(&arguments, 0);
    assert_eq!((&result["chain"], &result["score"]), (&2.into(), &540.into()));
    for name in &names {
        assert!(std::fs::metadata(name).unwrap().len() > 4, "{name}");
    }
    let links = std::fs::read_to_string(file("route.url")).unwrap();
    assert!(links.contains("puyop.com/s/") && links.contains("puyonexus.com/chainsim"), "{links}");
    let odd =
        nextscope(&["route", "puyo-tsu", "--pieces", "RG", "--board", &board, "--out", &file("route.doc")]);
    assert_eq!(status(&odd), 2);
    assert!(errors(&odd).contains("unknown file extension"));
    let shown = text(&nextscope(&[
        "route", "puyo-tsu", "--pieces", "RG", "--board", &board, "--width", "9", "--steps",
    ]));
    assert!(shown.contains("chain 2, 540 points") && shown.contains("After pair 1"), "{shown}");
}

#[test]
fn a_script_needs_the_addresses_of_the_pairs_and_takes_those_of_the_player() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("route.lua");
    let run = |game: &str, more: &[&str]| {
        let arguments = ["route", game, "--pieces", "RR RR", "--width", "9", "--out", file.to_str().unwrap()];
        nextscope(&[&arguments[..], more].concat())
    };
    let refused = run("mean-bean", &[]);
    assert_eq!(status(&refused), 2);
    let message = errors(&refused);
    assert!(message.contains("the profile mean-bean-genesis lacks these fields: p1_queue, "), "{message}");
    assert_eq!(status(&run("puyo-20th", &[])), 2);
    assert!(!file.exists());
    let second = run("puyo-tsu", &["--player", "2"]);
    assert_eq!(status(&second), 0, "{}", errors(&second));
    let script = std::fs::read_to_string(&file).unwrap();
    assert!(script.contains("player = 2,") && script.contains("board = 0x8800,"), "{script}");
}

#[test]
fn frames_limit_a_route_and_decide_what_is_soonest() {
    let arguments = ["route", "puyo-tsu", "--seed", "0x35879DE2", "--width", "60", "--goal"];
    let free = answer(&[&arguments[..], &["score", "--pairs", "20"]].concat(), 0);
    let most = free["frames"].as_u64().unwrap() / 2;
    let most_text = most.to_string();
    let bound = answer(&[&arguments[..], &["score", "--pairs", "20", "--frames", &most_text]].concat(), 0);
    assert!(bound["frames"].as_u64().unwrap() <= most, "{bound}");
    assert!(bound["score"].as_u64().unwrap() < free["score"].as_u64().unwrap());
    assert_eq!(bound["frames_confirmed"], false, "the table is an estimate, and the answer says so");
    let pairs = answer(&[&arguments[..], &["points:300"]].concat(), 0);
    let frames = answer(&[&arguments[..], &["points:300", "--fewest-frames"]].concat(), 0);
    assert!(frames["frames"].as_u64().unwrap() <= pairs["frames"].as_u64().unwrap(), "{frames} {pairs}");
    assert!(frames["pairs_used"].as_u64().unwrap() >= pairs["pairs_used"].as_u64().unwrap());
}

#[test]
fn the_best_of_many_seeds_is_found_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("checkpoint.json");
    let checkpoint = checkpoint.to_str().unwrap();
    let arguments =
        ["route", "puyo-20th", "--seeds", "0x0000..0x003F", "--goal", "all-clear", "--pairs", "8", "--width"];
    let result = answer(&[&arguments[..], &["30", "--checkpoint", checkpoint]].concat(), 0);
    assert_eq!((&result["complete"], &result["share"]), (&true.into(), &1.0.into()));
    let best = &result["best"][0];
    assert!(replayed(best, Rules::TWENTIETH).end().is_empty());
    let seed = best["seed"].as_str().unwrap();
    let dealt = answer(&["generate", "puyo-20th", "--seed", seed, "--count", "8"], 0);
    assert_eq!(best["placements"][0]["pair"], dealt["pairs"][0]);
    // The checkpoint is complete: nothing is left to do.
    let again = answer(&[&arguments[..], &["30", "--checkpoint", checkpoint]].concat(), 0);
    assert_eq!((&again["best"], &again["nodes"]), (&result["best"], &result["nodes"]));
    let other = nextscope(&[&arguments[..], &["31", "--checkpoint", checkpoint]].concat());
    assert_eq!(status(&other), 2);
    assert!(errors(&other).contains("contains another search"), "{}", errors(&other));
}

#[test]
fn routes_are_shown_in_the_order_of_what_a_player_chooses_by() {
    let task = ["route", "puyo-tsu", "--seed", "0x35879DE2", "--level", "3", "--pairs", "20"];
    let search = ["--goal", "points:3000", "--width", "300", "--routes", "8", "--json"];
    let ranked = |more: &[&str]| -> Value {
        let output = nextscope(&[&task[..], &search, more].concat());
        assert_eq!(status(&output), 0, "{}", errors(&output));
        serde_json::from_str(&text(&output)).unwrap()
    };
    fn number(of: &Value, key: &str) -> u64 {
        of[key].as_u64().unwrap()
    }
    let by_goal = ranked(&[]);
    let alone = nextscope(&[&task[..], &search[..4], &["--json"]].concat());
    let alone: Value = serde_json::from_str(&text(&alone)).unwrap();
    assert_eq!(by_goal["placements"], alone["placements"], "the first is the route of a search for one");
    assert_eq!(alone["routes"], Value::Null);
    let [easy, fast, rich, efficient] =
        ["taps", "frames", "points", "points-per-frame"].map(|by| ranked(&["--sort", by]));
    for (order, of) in [
        (&by_goal, (|route| number(route, "pairs_used") * 1000) as fn(&Value) -> u64),
        (&easy, |route| number(route, "taps") * 1000 / number(route, "pairs_used")),
        (&fast, |route| number(route, "frames")),
        (&rich, |route| u64::MAX - number(route, "score")),
        (&efficient, |route| u64::MAX - number(route, "score") * 1_000_000 / number(route, "frames")),
    ] {
        let routes = order["routes"].as_array().unwrap();
        assert_eq!(routes.len(), 8);
        assert!(routes.iter().map(of).is_sorted(), "{routes:?}");
        let first: Vec<u64> =
            order["routes"].as_array().unwrap().iter().map(|route| number(route, "rank")).collect();
        assert_eq!(first, (1..=8).collect::<Vec<u64>>());
        for route in routes {
            let presses = |step: &Value| step["inputs"].as_str().map_or(0, str::len) as u64;
            let steps = route["placements"].as_array().unwrap();
            assert_eq!(number(route, "taps"), steps.iter().map(presses).sum::<u64>());
            assert_eq!(Some(number(route, "most_taps")), steps.iter().map(presses).max());
        }
    }
    assert!(number(&easy["routes"][0], "taps") < number(&by_goal["routes"][0], "taps"));
    let third = ranked(&["--choose", "3"]);
    assert_eq!(third["placements"], by_goal["routes"][2]["placements"]);
    let shown = nextscope(&[&task[..], &search[..6], &["--choose", "3"]].concat());
    assert!(text(&shown).starts_with("route  pairs  chain  points"), "{}", text(&shown));
}

#[test]
fn bad_arguments_are_rejected() {
    for (arguments, expected) in [
        (vec!["route", "tgm1", "--seed", "1"], "no Puyo game \"tgm1\""),
        (vec!["route", "puyo-tsu"], "no source of pairs"),
        (vec!["route", "puyo-20th", "--seed", "0x10000"], "invalid seed"),
        (vec!["route", "puyo-tsu", "--pieces", "RG RX"], "'X' in \"RX\" is not a colour"),
        (vec!["route", "puyo-tsu", "--pieces", "RG", "--goal", "win"], "invalid goal"),
        (
            vec!["route", "puyo-tsu", "--pieces", "RG", "--goal", "exact-chain:40"],
            "a chain of 40 needs 160 puyos",
        ),
        (vec!["route", "puyo-tsu", "--pieces", "RG", "--board", "990"], "groups that pop"),
        (
            vec!["route", "puyo-tsu", "--pieces", "RG", "--seconds", "0"],
            "--seconds must be more than 0 seconds",
        ),
        (vec!["route", "puyo-tsu", "--pieces", "RG", "--profile", "nobody"], "unknown profile \"nobody\""),
        (vec!["route", "puyo-20th", "--seeds", "5..1"], "invalid range"),
        (vec!["route", "puyo-20th", "--seeds", "0..1", "--goal", "chain then score"], "has one goal"),
        (vec!["route", "puyo-tsu", "--pieces", "RG", "--goal", "chain then win"], "invalid goal \"win\""),
        (
            vec!["route", "puyo-tsu", "--pieces", "RR RR", "--choose", "2"],
            "--choose 2: --routes 1 asks for fewer",
        ),
        (
            vec!["route", "puyo-tsu", "--pieces", "RR RR", "--routes", "100", "--choose", "100"],
            "--choose 100: only",
        ),
        (
            vec!["route", "puyo-tsu", "--pieces", "RR RR", "--sort", "frames", "--profile", "tetris-nes"],
            "--sort frames and points-per-frame need a profile with a frame table",
        ),
    ] {
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
    }
    let gone = nextscope(&["route", "puyo-tsu", "--pid", "999999999"]);
    assert_eq!(status(&gone), 3, "{}", errors(&gone));
}

#[test]
fn the_live_game_of_the_embedded_console_is_planned() {
    let arguments = ["route", "puyo-tsu", "--demo", "--width", "30", "--pairs", "12", "--goal", "points:300"];
    let output = nextscope(&[&arguments[..], &["--json"]].concat());
    assert!(matches!(status(&output), 0 | 1), "{}", errors(&output));
    let result: Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!(result["pairs_known"], 12);
}

#[test]
fn a_plan_that_ran_out_of_time_does_not_claim_completeness() {
    for goal in ["chain", "score", "all-clear", "points:9000"] {
        let arguments =
            ["route", "puyo-20th", "--seed", "0", "--pairs", "30", "--seconds", "0.0001", "--goal", goal];
        let output = nextscope(&[&arguments[..], &["--json"]].concat());
        let result: Value = serde_json::from_str(&text(&output)).unwrap();
        assert_eq!(result["complete"], false, "{goal}: {result}");
        let shown = text(&nextscope(&arguments)).to_lowercase();
        assert!(!shown.contains("every placement was tried"), "{goal}: {shown}");
    }
}

#[test]
fn a_search_over_many_seeds_ends_with_its_time() {
    let result = answer(&["route", "puyo-20th", "--seeds", "all", "--pairs", "40", "--seconds", "0.5"], 0);
    assert_eq!((&result["complete"], &result["stopped"]), (&false.into(), &false.into()), "{result}");
    let seconds = result["elapsed_seconds"].as_f64().expect("a number");
    assert!(seconds >= 0.5, "{seconds}");
}
