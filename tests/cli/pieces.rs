//! `generate` and `find` for the games of single pieces as scripts see them: output, exit status, error messages.

use crate::cli_support::{answer, errors, joined, nextscope, status, text};
use serde_json::{Value, json};

#[test]
fn generate_prints_the_vectors_of_arika() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/tgm/vectors.json")).unwrap();
    for game in ["tgm1", "tgm2", "tgm3"] {
        for row in vectors[game].as_array().unwrap() {
            let pieces = row["pieces"].as_str().unwrap();
            let count = pieces.len().to_string();
            let variant = row["passes"].as_u64().map(|passes| format!("{passes}-passes"));
            let mut arguments =
                vec!["generate", game, "--seed", row["seed"].as_str().unwrap(), "--count", &count];
            if let Some(variant) = &variant {
                arguments.extend(["--variant", variant]);
            }
            let printed = answer(&arguments, 0);
            assert_eq!(
                (&printed["game"], joined(&printed["pieces"]).as_str()),
                (&json!(game), pieces),
                "{row}"
            );
        }
    }
    let printed = answer(&["generate", "tgm2", "--seed", "17335", "--count", "1"], 0);
    assert_eq!(
        printed,
        json!({
            "schema": 1, "kind": "generate", "game": "tgm2", "variant": "game",
            "options": {"steps": null, "items": null, "items_assumed": null, "continued": null, "monkey": null}, "number": 1, "seed": "0x000043B7",
            "state_after": "0xEB48C724", "piece_seed": null, "color_order": null, "pools": [], "pairs": null,
            "codes": null, "pieces": ["T"], "boards": []
        })
    );
}

#[test]
fn generate_prints_the_vectors_of_the_nes() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/tetris_nes/vectors.json")).unwrap();
    for row in vectors["sequences"].as_array().unwrap() {
        let steps = row["steps_before_each_pick"].to_string();
        let arguments = ["generate", "tetris-nes", "--seed", "0x8988", "--count", "40", "--steps", &steps];
        let printed = answer(&arguments, 0);
        assert_eq!(joined(&printed["pieces"]), row["pieces"]);
        assert_eq!(printed["state_after"], row["state_after"]);
        assert_eq!((&printed["seed"], printed["options"]["steps"].to_string()), (&json!("0x8988"), steps));
    }
}

#[test]
fn generate_prints_the_vectors_of_sega_game_after_game() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/sega/vectors.json")).unwrap();
    let rows = vectors["sega_tetris"].as_array().unwrap();
    let all = answer(&["generate", "sega-tetris", "--seed", "0", "--count", "1000"], 0);
    assert_eq!(joined(&all["pieces"]), rows[0]["pieces"]);
    assert_eq!(all["state_after"], rows[0]["state_after"]);
    for (row, extra) in [(&rows[1], &[][..]), (&rows[2], &["--monkey"])] {
        let arguments =
            [&["generate", "sega-tetris", "--seed", "0", "--count", "20", "--games", "2", "--json"], extra]
                .concat();
        let printed = text(&nextscope(&arguments));
        let second: Value = serde_json::from_str(printed.lines().nth(1).unwrap()).unwrap();
        assert_eq!(joined(&second["pieces"]), row["pieces_first20"], "{extra:?}");
        assert_eq!(second["number"], 2, "{extra:?}");
    }
    let flash_point = answer(&["generate", "flash-point", "--seed", "0x2A6D365B", "--count", "60"], 0);
    assert_eq!(joined(&flash_point["pieces"]), vectors["flash_point"][0]["pieces_first60"]);
    let bloxeed = &vectors["bloxeed"][0];
    for (variant, pieces) in [("plain", "pieces_plain_first60"), ("table", "pieces_table_variant_first60")] {
        let seed = bloxeed["main_seed"].as_str().unwrap();
        let printed =
            answer(&["generate", "bloxeed", "--seed", seed, "--count", "60", "--variant", variant], 0);
        assert_eq!(joined(&printed["pieces"]), bloxeed[pieces]);
        assert_eq!(printed["piece_seed"], bloxeed["piece_seed"]);
    }
}

#[test]
fn generate_prints_for_people_and_for_tables() {
    let people = text(&nextscope(&["generate", "tgm2", "--seed", "7", "--count", "80"]));
    for part in ["seed         0x00000007", "state after  0x", "1  JTOLSJTZIS OZLITJZLOS", "\n         71  "]
    {
        assert!(people.contains(part), "{part} in {people}");
    }
    let csv = text(&nextscope(&["generate", "tetris-worlds", "--seed", "7", "--count", "7", "--csv"]));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "game,variant,seed,state_after,pieces"));
    let mut bag: Vec<char> = lines[1].split(',').next_back().unwrap().chars().collect();
    bag.sort_unstable();
    assert_eq!(bag, ['I', 'J', 'L', 'O', 'S', 'T', 'Z']);
}

#[test]
fn find_prints_state_and_next_pieces_of_recorded_games() {
    let found = answer(&["find", "tgm2", "--pieces", "JTOLS jtzis,OZLITJ", "--next", "10"], 0);
    assert_eq!((&found["count"], &found["games"], &found["starts"]), (&json!(1), &json!(1), &json!(1 << 25)));
    assert_eq!(
        (&found["states"][0]["state"], joined(&found["states"][0]["next"]).as_str()),
        (&json!("0x00000007"), "ZLOSTZIOOS")
    );
    assert_eq!((&found["next_at"], &found["seeds_each"]), (&json!(17), &json!(128)));
    assert_eq!(found["chances"], json!([{"next": "Z", "count": 1, "chance": 1.0}]));
    assert!(joined(&found["certain"]).starts_with("ZLOSTZIOOSLTIJOZTSZ"));
    assert!(found["search"]["elapsed_seconds"].as_f64().unwrap() > 0.0);
    let people = text(&nextscope(&["find", "tgm2", "--pieces", "JTOLSJTZISOZLITJ"]));
    for part in [
        "0x00000007",
        "1 of 33554432 states remains",
        "each covers 128 equivalent seeds",
        "certain: ZLOSTZIOOS",
    ] {
        assert!(people.contains(part), "{part} in {people}");
    }
    let csv =
        text(&nextscope(&["find", "tgm3", "--pieces", "JLTIOJSLZIJTOLZSTIOJSTIZO", "--csv", "--next", "5"]));
    assert!(csv.starts_with("state,state_after,next\n") && csv.contains("0x00001106,"), "{csv}");
}

#[test]
fn find_prints_the_probability_of_each_next_piece() {
    let some = answer(&["find", "tgm2", "--pieces", "JTO?S", "--limit", "3"], 0);
    let count = some["count"].as_u64().unwrap();
    assert!(count > 3);
    assert_eq!(some["games"], Value::Null, "too many to be compared");
    assert_eq!(some["states"].as_array().unwrap().len(), 3, "the first of them are listed");
    let chances: f64 =
        some["chances"].as_array().unwrap().iter().map(|next| next["chance"].as_f64().unwrap()).sum();
    assert!((chances - 1.0).abs() < 1e-9, "{chances}");
    let people = text(&nextscope(&["find", "tgm2", "--pieces", "JTO?S"]));
    assert!(
        people.contains(&format!("{count} of 33554432 states remain"))
            && people.contains("chances of piece 6: ")
    );
}

#[test]
fn find_works_from_the_middle_and_with_the_frames_of_each_pick() {
    // Pieces 31 on of the game of seed 7.
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/tgm/vectors.json")).unwrap();
    let game = vectors["tgm2"][0]["pieces"].as_str().unwrap();
    let found = answer(&["find", "tgm2", "--pieces", &game[20..46], "--at", "any"], 0);
    assert_eq!(
        (&found["games"], &found["query"]["at"], &found["next_at"]),
        (&json!(1), &Value::Null, &Value::Null)
    );
    assert!(joined(&found["certain"]).starts_with(&game[46..]));
    let found = answer(&["find", "tgm2", "--pieces", &game[3..20], "--at", "4"], 0);
    assert!(joined(&found["certain"]).starts_with(&game[20..]), "{found}");
    let nes: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/tetris_nes/vectors.json")).unwrap();
    let dealt = nes["sequences"][1]["pieces"].as_str().unwrap();
    let gaps = vec!["60"; 20].join(",");
    let arguments =
        ["find", "tetris-nes", "--pieces", &dealt[..20], "--gaps", &gaps, "--steps", "60", "--next", "20"];
    let state = &answer(&arguments, 0)["states"][0];
    assert_eq!((&state["state"], joined(&state["next"]).as_str()), (&json!("0x8988"), &dealt[20..]));
    assert_eq!((&state["spawn_count"], &state["last_piece"]), (&json!(0), &Value::Null));
    assert_eq!(state["state_after"].as_str().unwrap().len(), 6);
    let sega = answer(&["find", "sega-tetris", "--pieces", "TITIIJILSJOZZ"], 0);
    assert!(joined(&sega["certain"]).starts_with("JLSJISLZZZJIJJJOL"), "{sega}");
}

#[test]
fn find_accepts_unknown_gaps() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/tetris_nes/vectors.json")).unwrap();
    // 60 steps before each pick, from power-on.
    let dealt = vectors["sequences"][1]["pieces"].as_str().unwrap();
    let arguments = ["find", "tetris-nes", "--pieces", dealt, "--steps", "59..60"];
    let found = answer(&arguments, 0);
    let (query, after) = (&found["query"], &vectors["sequences"][1]["state_after"]);
    assert_eq!((&query["steps"], &query["ranges"]), (&json!("59..60"), &json!(true)));
    let states = found["states"].as_array().unwrap();
    assert_eq!(found["count"], json!(states.len()));
    let state = states.iter().find(|state| &state["state_after"] == after).expect("the current state");
    assert_eq!(
        (&state["state"], &state["spawn_count"], &state["last_piece"], &state["next"]),
        (after, &json!(0), &json!("Z"), &json!([]))
    );
    assert_eq!((&found["games"], &found["certain"]), (&Value::Null, &Value::Null));
    let chances: f64 =
        found["chances"].as_array().unwrap().iter().map(|next| next["chance"].as_f64().unwrap()).sum();
    assert!((chances - 1.0).abs() < 1e-9, "{found}");
    let people = text(&nextscope(&arguments));
    for part in ["state after", " count 0 after Z", "of 262136 states remain", "chances of piece 41: "] {
        assert!(people.contains(part), "{part} in {people}");
    }
    assert!(!people.contains("narrower gaps"), "{people}");
    let csv = text(&nextscope(&[&arguments[..], &["--csv"]].concat()));
    assert!(csv.contains(&format!("count 0 after Z,{},\n", after.as_str().unwrap())), "{csv}");
    // The coming gap is known again: so are the pieces.
    let gaps = ["59..60"; 30].join(",");
    let known = answer(
        &["find", "tetris-nes", "--pieces", &dealt[..30], "--gaps", &gaps, "--steps", "60", "--next", "10"],
        0,
    );
    let states = known["states"].as_array().unwrap();
    assert!(states.iter().any(|state| joined(&state["next"]) == dealt[30..]), "{known}");
    let wide = text(&nextscope(&["find", "tetris-nes", "--pieces", dealt, "--steps", "?"]));
    assert!(wide.contains("use narrower gaps"), "{wide}");
    // An I where no game of these gaps has one.
    let wrong = answer(
        &["find", "tetris-nes", "--pieces", &format!("{}IIIIIIII", &dealt[..30]), "--steps", "59..60"],
        1,
    );
    let place = wrong["first_failure"]["index"].as_u64().unwrap();
    assert!((31..=38).contains(&place) && wrong["first_failure"]["given"] == json!("I"), "{wrong}");
}

#[test]
fn help_lists_only_the_options_of_the_game() {
    for (command, game, has) in [
        ("generate", "tetris-nes", &["--steps"][..]),
        ("generate", "tgm2", &[]),
        ("generate", "bloxeed", &["--games"]),
        ("generate", "flash-point", &["--games", "--monkey"]),
        ("find", "tetris-nes", &["--steps", "--gaps"]),
        ("find", "tgm2", &[]),
        ("find", "sega-tetris", &[]),
    ] {
        let output = nextscope(&[command, game, "--help"]);
        let help = text(&output);
        assert!(status(&output) == 0 && help.contains("--variant"), "{help}");
        assert!(help.contains("Variants, the default first:"), "{help}");
        for option in ["--steps", "--gaps", "--games", "--monkey"] {
            assert_eq!(help.contains(option), has.contains(&option), "{command} {game} {option}: {help}");
        }
    }
    for command in ["generate", "find"] {
        let help = text(&nextscope(&[command, "--help"]));
        for game in ["puyo-tsu", "puyo-20th", "tetris-1985", "tgm3", "bounded"] {
            assert!(help.contains(&format!("  {game} ")), "{game} in {help}");
        }
    }
}

#[test]
fn impossible_pieces_exit_1_with_their_position() {
    for (arguments, piece) in [
        (&["tgm2", "--pieces", "SJ"][..], 1),
        (&["tgm2", "--pieces", "JTOLSJTZISOZLITJJ"], 17),
        (&["tetris-nes", "--pieces", "IIIIIIIIII"], 0),
        (&["sega-tetris", "--pieces", "TITIIJILSJOZZJLSJISLO"], 21),
    ] {
        let arguments = [&["find"], arguments].concat();
        let none = answer(&arguments, 1);
        assert_eq!((&none["count"], &none["states"], &none["chances"]), (&json!(0), &json!([]), &json!([])));
        let fails = none["first_failure"]["index"].as_u64().unwrap();
        assert!(piece == 0 || fails == piece, "{none}");
        let people = nextscope(&arguments);
        assert_eq!(status(&people), 1);
        assert!(text(&people).contains("no seed produces this"), "{}", text(&people));
    }
}

#[test]
fn bad_arguments_exit_2_with_a_remedy() {
    for (arguments, words) in [
        (&["find", "tgm2", "--pieces", "JTX"][..], "I, J, L, O, S, T, Z"),
        (&["find", "tgm2", "--pieces", "??"], "at least one piece"),
        (&["find", "tgm2"], "--pieces"),
        (&["find", "tgm2", "--pieces", "J", "--at", "0"], "or any"),
        (&["find", "tgm2", "--pieces", "JTO", "--at", "any"], "first four pieces"),
        (&["find", "tgm3", "--pieces", "JTOLS", "--at", "any"], "known piece"),
        (
            &["find", "tgm2", "--pieces", "J", "--gaps", "1,2"],
            "--gaps is not available for tgm2: only for tetris-nes",
        ),
        (&["find", "bounded", "--pieces", "J", "--steps", "1"], "--steps is not available for bounded"),
        (&["find", "tetris-nes", "--pieces", "J", "--gaps", "1,2"], "2 gaps for 1 piece"),
        (&["find", "tetris-nes", "--pieces", "J", "--steps", "60..40"], "lower end first"),
        (&["find", "tgm1", "--pieces", "J", "--variant", "5-passes"], "3-passes"),
        (&["generate", "tgm2"], "--seed"),
        (&["generate", "tgm2", "--seed", "green"], "0xFFFFFFFF"),
        (&["generate", "tetris-nes", "--seed", "0x18988"], "0xFFFF"),
        (
            &["generate", "tgm2", "--seed", "1", "--steps", "2"],
            "--steps is not available for tgm2: only for tetris-nes",
        ),
        (&["generate", "tetris-nes", "--seed", "1", "--steps", "2..3"], "--steps"),
        (&["generate", "tgm2", "--seed", "1", "--games", "2"], "sega-tetris"),
        (
            &["generate", "bloxeed", "--seed", "1", "--monkey"],
            "--monkey is not available for bloxeed: only for sega-tetris",
        ),
        (&["generate", "tetris-1985", "--seed", "1", "--variant", "rt-11"], "xorshift32"),
        (&["generate", "tetris-2000", "--seed", "1"], "tetris-worlds"),
    ] {
        let output = nextscope(arguments);
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(words), "{arguments:?}: {}", errors(&output));
        assert_eq!(text(&output), "");
    }
}

#[test]
fn the_first_of_many_states_are_listed() {
    let arguments = ["find", "tetris-nes", "--pieces", "IJ?J", "--steps", "31..34", "--limit", "3"];
    let result = answer(&arguments, 0);
    assert!(result["count"].as_u64().unwrap() > 16_384, "{result}");
    assert_eq!(result["states"].as_array().unwrap().len(), 3);
    let output = nextscope(&arguments);
    assert!(
        text(&output).contains("... (first 3 shown)\n18004 of 262136 states remain"),
        "{}",
        text(&output)
    );
    let csv = text(&nextscope(&[&arguments[..], &["--csv"]].concat()));
    assert_eq!(csv.lines().count(), 4);
}

#[test]
fn impossible_pieces_are_reported_without_a_search() {
    for (arguments, why) in [
        (
            &["find", "tetris-worlds", "--pieces", "SSSSSS"][..],
            "a bag, here pieces 1 to 7, contains each piece once",
        ),
        (&["find", "tetris-worlds", "--at", "7", "--pieces", "S?S??S"], "a bag, here pieces 8 to 14"),
        (&["find", "bounded", "--pieces", "JJJJJJ"], "the limits are drought 12, flood 2, snakes 4"),
        (&["find", "bounded", "--at", "99", "--pieces", "?JJJ"], "the limits are"),
    ] {
        let began = std::time::Instant::now();
        let output = nextscope(arguments);
        assert_eq!(status(&output), 1, "{arguments:?}");
        assert!(text(&output).contains(why), "{}", text(&output));
        // All 2^32 seeds take minutes.
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "{arguments:?}");
    }
}

#[test]
fn bags_of_any_size_are_dealt_and_measured() {
    let result =
        answer(&["generate", "tetris-worlds", "--variant", "bag-14", "--seed", "5", "--count", "28"], 0);
    let pieces = joined(&result["pieces"]);
    for bag in [&pieces[..14], &pieces[14..]] {
        assert!("IJLOSTZ".chars().all(|piece| bag.matches(piece).count() == 2), "{bag}");
    }
    let same =
        answer(&["generate", "tetris-worlds", "--variant", "bag:14", "--seed", "5", "--count", "28"], 0);
    assert_eq!(same["pieces"], result["pieces"]);
    let odd = nextscope(&["generate", "tetris-worlds", "--variant", "bag-15", "--seed", "5"]);
    assert!(status(&odd) == 2 && errors(&odd).contains("bag-14"), "{}", errors(&odd));
    let measured = answer(&["stats", "bag:14", "tetris-worlds:bag-35", "--count", "20000"], 0);
    let variants: Vec<&Value> =
        measured["randomizers"].as_array().unwrap().iter().map(|one| &one["variant"]).collect();
    assert_eq!(variants, ["bag-14", "bag-35"]);
    let longest = &measured["randomizers"][0]["drought"]["longest"];
    assert!((13..=24).contains(&longest.as_u64().unwrap()), "two bags of 14 without one: {longest}");
}

#[test]
fn events_between_games_of_sega_are_options_and_printed() {
    let games = |arguments: &[&str]| -> Vec<Value> {
        let printed = text(&nextscope(&[arguments, &["--json"]].concat()));
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let plain = games(&["generate", "bloxeed", "--seed", "0", "--games", "3"]);
    let options = |game: &Value| (game["options"]["items"].clone(), game["options"]["items_assumed"].clone());
    assert_eq!(options(&plain[0]), (json!(0), json!(true)));
    let items = games(&["generate", "bloxeed", "--seed", "0", "--games", "3", "--items", "2,0"]);
    assert_eq!(options(&items[0]), (json!(2), json!(false)));
    assert_eq!(items[0]["pieces"], plain[0]["pieces"]);
    assert_ne!(items[1]["seed"], plain[1]["seed"]);
    let assumed = text(&nextscope(&["generate", "bloxeed", "--seed", "0"]));
    assert!(assumed.contains("items        0 drawn in this game (assumed; set with --items)"), "{assumed}");
    let continued = games(&["generate", "bloxeed", "--seed", "0", "--count", "25", "--continued", "10"]);
    let pieces = joined(&continued[0]["pieces"]);
    assert_eq!((&pieces[10..20], &pieces[20..]), (&pieces[..10], &pieces[..5]));
    let monkeys = games(&["generate", "sega-tetris", "--seed", "0", "--games", "3", "--monkey=2"]);
    let shown: Vec<&Value> = monkeys.iter().map(|game| &game["options"]["monkey"]).collect();
    assert_eq!(shown, [&json!(false), &json!(true), &json!(false)]);
    let none = games(&["generate", "sega-tetris", "--seed", "0", "--games", "3"]);
    assert_eq!(none[1]["seed"], monkeys[1]["seed"]);
    assert_ne!(none[2]["seed"], monkeys[2]["seed"]);
    let wrong = nextscope(&["generate", "sega-tetris", "--seed", "0", "--games", "3", "--monkey=x"]);
    assert!(status(&wrong) == 2 && errors(&wrong).contains("--monkey=1,3"), "{}", errors(&wrong));
}

#[test]
fn bloxeed_variants_follow_the_document_or_the_code() {
    let second = |variant: &str| {
        let arguments = [
            "generate",
            "bloxeed",
            "--seed",
            "0",
            "--games",
            "2",
            "--count",
            "20",
            "--variant",
            variant,
            "--json",
        ];
        let printed = text(&nextscope(&arguments));
        serde_json::from_str::<Value>(printed.lines().nth(1).unwrap()).unwrap()
    };
    let (game, listing) = (second("plain"), second("plain+carry"));
    assert_eq!(
        (&game["piece_seed"], joined(&game["pieces"]).as_str()),
        (&json!("0x80106E37"), "IITLTZLZZOSTIJIOZTLI")
    );
    assert_eq!(
        (&listing["piece_seed"], joined(&listing["pieces"]).as_str()),
        (&json!("0x80116E37"), "TOLOIZZOJLSOSLTTIITL")
    );
    let zero = |variant: &str| {
        answer(&["generate", "bloxeed", "--seed", "0x12340000", "--variant", variant], 0)["piece_seed"]
            .clone()
    };
    assert_eq!(zero("table"), "0x2A6D8010", "the default replaces zero for a low word of zero");
    assert_ne!(zero("whole-long"), zero("table"));
    assert_eq!(second("document")["variant"], "document");
}

#[test]
fn a_random_seed_is_printed_and_a_seed_outside_the_cycle_is_noted() {
    for game in ["tetris-nes", "tgm2", "sega-tetris", "puyo-20th", "puyo-tsu"] {
        let result = answer(&["generate", game, "--random", "--count", "20"], 0);
        let seed = result["seed"].as_str().unwrap();
        let again = answer(&["generate", game, "--seed", seed, "--count", "20"], 0);
        assert_eq!(result, again, "{game}");
        assert_eq!(status(&nextscope(&["generate", game, "--random", "--seed", "1"])), 2);
        assert_eq!(status(&nextscope(&["generate", game])), 2);
    }
    let stuck = nextscope(&["generate", "tetris-nes", "--seed", "0"]);
    assert!(status(&stuck) == 0 && errors(&stuck).contains("not on the cycle"), "{}", errors(&stuck));
    assert_eq!(errors(&nextscope(&["generate", "tetris-nes", "--seed", "0x8988"])), "");
}

#[test]
fn pairs_are_printed_as_digits() {
    let result = text(&nextscope(&["generate", "puyo-20th", "--seed", "0", "--count", "4", "--digits"]));
    let letters = text(&nextscope(&["generate", "puyo-20th", "--seed", "0", "--count", "4"]));
    let (digits, letters) = (result.lines().last().unwrap(), letters.lines().last().unwrap());
    assert!(digits.chars().all(|c| c.is_ascii_digit() || c == ' '), "{digits}");
    // Digits and letters are two names of the same colours.
    let names: std::collections::HashSet<(char, char)> =
        digits.chars().zip(letters.chars()).skip(8).collect();
    let colors = names.iter().filter(|(digit, _)| *digit != ' ');
    assert!(
        colors.clone().count() <= 4 && names.iter().all(|(digit, name)| (*digit == ' ') == (*name == ' '))
    );
    let tsu = text(&nextscope(&["generate", "puyo-tsu", "--seed", "0x35879DE2", "--count", "4", "--digits"]));
    assert!(tsu.ends_with("04 00 55 55\n") || tsu.contains("  04 00 55 55"), "{tsu}");
    let odd = nextscope(&["find", "puyo-20th", "--pieces", "BGG"]);
    assert!(errors(&odd).contains("as in \"BGG?\""), "{}", errors(&odd));
}
