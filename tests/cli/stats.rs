//! `stats` as scripts see it: output, exit status, error messages.

use crate::cli_support::{answer, errors, nextscope, text};

#[test]
fn games_and_variants_are_compared() {
    let output =
        nextscope(&["stats", "tgm1", "tgm1:3-passes", "tetris-worlds", "bounded", "--count", "20000"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let table = text(&output);
    let head = table.lines().next().unwrap();
    let words: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(words, ["tgm1", "tgm1:3-passes", "tetris-worlds", "bounded"]);
    let line = |name: &str| table.lines().find(|line| line.starts_with(name)).expect("the figure").to_owned();
    assert!(line("longest drought").split_whitespace().rev().take(2).all(|longest| longest == "12"));
    let opinions = line("drought prevention (rating)");
    assert!(opinions.split_whitespace().skip(3).eq(["2/5", "2/5", "4/5", "-"]), "{table}");
    assert!(errors(&output).is_empty(), "no progress where nobody looks");
}

#[test]
fn json_and_csv_agree() {
    let arguments = ["stats", "tgm3", "tetris-nes", "--count", "5000", "--seeds", "0..9"];
    let object = answer(&arguments, 0);
    let csv = text(&nextscope(&[&arguments[..], &["--csv"]].concat()));
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    for (one, cells) in object["randomizers"].as_array().unwrap().iter().zip(lines) {
        let cell = |name: &str| cells[head.iter().position(|title| *title == name).expect(name)];
        assert_eq!(one["game"], cell("game"));
        assert_eq!(one["last_seed"], cell("last_seed"));
        assert_eq!(one["pieces"].as_u64().unwrap(), 50_000);
        assert_eq!(one["drought"]["longest"].to_string(), cell("longest_drought"));
        assert_eq!(one["flood"]["repeats"]["value"].to_string(), cell("repeats"));
        assert_eq!(one["rating"]["puzzle"].to_string(), cell("puzzle_rating"));
    }
    assert_eq!(object["randomizers"][0]["predictability"]["known"], "pool");
}

#[test]
fn custom_limits_are_respected_and_swept() {
    let object = answer(
        &["stats", "bounded", "--drought", "8", "--flood", "1", "--snakes", "2", "--count", "20000"],
        0,
    );
    let one = &object["randomizers"][0];
    assert_eq!((&one["drought"]["longest"], &one["flood"]["longest"]), (&8.into(), &1.into()));
    assert_eq!(one["snakes"]["longest"], 2);
    let object = answer(&["stats", "bounded", "--sweep", "--count", "2000"], 0);
    for row in object["limits"].as_array().unwrap() {
        let bits = row["bits"]["value"].as_f64().unwrap();
        let slack = 4.0 * row["bits"]["error"].as_f64().unwrap();
        assert!(bits <= row["most"]["high"].as_f64().unwrap() + slack + 1e-4, "{row}");
    }
    let output = text(&nextscope(&["stats", "bounded", "--sweep", "--count", "500"]));
    assert!(output.starts_with("drought  flood  memory  bits"), "{output}");
}

#[test]
fn help_has_the_definitions_and_errors_list_the_games() {
    let help = text(&nextscope(&["stats", "--help"]));
    for word in
        ["maxdrought", "peakdrought", "repchance", "bagginess", "entropy of the next piece", "not measured"]
    {
        assert!(help.contains(word), "{word} in {help}");
    }
    for (arguments, word) in [
        (&[][..], "tetris-1985"),
        (&[], "puyo-20th"),
        (&[], "declared       Randomizers of profiles"),
        (&["tgm9"], "tetris-1985"),
        (&["tgm1:9"], "3-passes"),
        (&["tgm1", "--seeds", "9..1"], "0..9999"),
        (&["tgm1", "--seed", "x"], "invalid seed"),
        (&["bounded", "--drought", "5"], "give 6 to 200"),
        (&["tgm1", "--sweep"], "stats bounded --sweep"),
        (&["tetris-nes", "--steps", "3", "--seed", "65536"], "65535"),
        (&["tgm1", "--count", "0"], "--count"),
    ] {
        let output = nextscope(&[&["stats"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&output).contains(word), "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn droughts_over_a_length_are_counted() {
    let arguments = ["stats", "tetris-nes", "tetris-worlds", "--count", "50000", "--droughts-over", "30"];
    let result = answer(&arguments, 0);
    let over = |nth: usize| &result["randomizers"][nth]["droughts_over"];
    assert_eq!(over(0)["pieces"], 30);
    let share = over(0)["share"].as_f64().unwrap();
    assert!((0.003..0.008).contains(&share), "about one in 190: {share}");
    let survival = result["randomizers"][0]["drought"]["survival"][31].as_f64().unwrap();
    assert!((share - survival).abs() < 1e-12);
    assert_eq!(over(1)["count"], 0, "a bag of seven has none");
    let table = text(&nextscope(&arguments));
    let line = table.lines().find(|line| line.starts_with("droughts over 30")).expect("the figure");
    assert!(line.contains(", 1 of ") && line.ends_with("none"), "{line}");
}

#[test]
fn pools_of_puyo_games_are_compared_with_an_even_shuffle() {
    let result = answer(&["stats", "puyo-tsu", "puyo-20th", "--seeds", "0..199"], 0);
    let pools = result["pools"].as_array().unwrap();
    assert_eq!(pools.len(), 9);
    for pool in pools {
        assert_eq!(pool["pools"], 200);
        assert!(
            pool["gone_after"].as_u64().unwrap() <= 128 && pool["window_variance"].as_f64().unwrap() > 0.0
        );
    }
    let table = text(&nextscope(&["stats", "puyo-tsu", "puyo-20th", "--seeds", "0..199"]));
    assert!(table.contains("even-shuffle (4)") && table.contains("gone after"), "{table}");
    for (arguments, why) in [
        (&["stats", "puyo-tsu", "tgm1"][..], "single pieces"),
        (&["stats", "puyo-20th", "--seeds", "0..70000"], "0 to 65535"),
        (&["stats", "puyo-tsu", "--count", "5"], "--count is only for games of single pieces"),
    ] {
        let output = nextscope(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&output).contains(why), "{}", errors(&output));
    }
}
