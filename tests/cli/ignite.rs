//! `ignite` as a user runs it.

use crate::cli_support::{answer, errors, nextscope, status, text};
use nextscope::pochi::{Field, Ignition, Rules, Ruleset, evaluate, from_code, gallery};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// A file with this text in a folder that lives as long as the first of the two.
fn file(text: impl AsRef<[u8]>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grid.txt");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// The vectors of the project, through files and named blocks: values and tails of both rulesets.
#[test]
fn every_vector_is_reproduced() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/boards/src/pochi/vectors.json")).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let rows: Vec<String> = case["grid"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row.as_str().unwrap().replace('#', "G"))
            .collect();
        let (_folder, path) = file(rows.join("\n"));
        let places = case["ignited"].as_array().unwrap().iter();
        let blocks: Vec<String> = places.map(|place| format!("{},{}", place[0], place[1])).collect();
        let result = answer(&["ignite", "--grid", &path, "--ignited", &blocks.join(";")], 0);
        for rules in ["mvs", "ps2"] {
            assert_eq!(result[rules]["value"], case[rules]["value"], "{case}");
            assert_eq!(result[rules]["tails"], case[rules]["tails"], "{case}");
        }
        assert_eq!((&result["starts"], &result["color"]), (&case["ignited"], &"G".into()));
    }
}

#[test]
fn the_answer_has_the_documented_form() {
    let (_folder, path) = file("...B.\n.BBBB\nYRBRY\n");
    let result = answer(&["ignite", "--grid", &path, "--needle", "0,1", "--color", "B"], 0);
    let expected = json!({
        "schema": 1, "kind": "ignite", "example": null, "build": null, "one_more": null, "code": null, "link": null,
        "needle_rule": "all",
        "grid": ["...B.", ".BBBB", "YRBRY"], "color": "B", "starts": [[1, 1]], "open": [],
        "mvs": {
            "value": 12, "base": 11, "bonus": 1, "counted": 11, "max_tails": 3, "tails": [[3, 4, 4]],
            "ends": [[[2, 2], [3, 0], [4, 1]]], "between": null, "waves": null,
        },
        "ps2": {
            "value": 11, "base": 11, "bonus": 0, "counted": 11, "max_tails": 3, "tails": [[3, 4, 4]],
            "ends": [[[2, 2], [3, 0], [4, 1]]], "between": null, "waves": null,
        },
    });
    assert_eq!(result, expected);
    let waves = answer(&["ignite", "--grid", &path, "--needle", "0,1", "--color", "blue", "--waves"], 0);
    assert_eq!(waves["mvs"]["waves"].as_array().unwrap().len(), 4);
    assert_eq!(waves["mvs"]["waves"][1], json!([{ "at": [2, 1], "structure": 0, "from": [[1, 1]] }]));
}

#[test]
fn the_text_explains_the_value() {
    let (_folder, path) = file("...B.\n.BBBB\nYRBRY\n");
    let result = nextscope(&["ignite", "--grid", &path, "--needle", "0,1", "--color", "B"]);
    let expected = "\
The blue needle at 0,1 ignites 1,1.

     0  1  2  3  4
  0  .  .  .  B4 .
  1  *  B1 B2 B3 B4
  2  Y  R  B3 R  Y
A number is the wave that reaches the block; * is the needle.

                           MVS  PS2
value                      12   11
counted tails              11   11
bonus                      1    0
most tails of a structure  3    3

MVS 12: 3 + 4 + 4 = 11; 4 % x 3 tails of 11 = 1.32, rounded down to 1
PS2 11: 3 + 4 + 4 = 11
Tails, under both rules: 3 at 2,2, 4 at 3,0, 4 at 4,1
";
    assert_eq!(text(&result), expected);
    let waves = text(&nextscope(&["ignite", "--grid", &path, "--ignited", "1,1", "--waves"]));
    assert!(waves.starts_with("Ignited, blue: 1,1.\n"), "{waves}");
    assert!(
        waves.contains("\nwave 1: 1,1\nwave 2: 2,1 from 1,1\nwave 3: 3,1 from 2,1; 2,2 from 2,1\n"),
        "{waves}"
    );
    let more =
        text(&nextscope(&["ignite", "--grid", &path, "--needle", "0,1", "--color", "B", "--one-more"]));
    let grid = "Change by one more block of that colour, MVS:\n     0  1  2  3  4\n";
    assert!(more.contains(grid) && more.contains("colour, PS2:"), "{more}");
}

#[test]
fn one_more_matches_the_value_of_the_field_with_the_block() {
    let grid = "...B.\n.BBBB\nYRBRY\n";
    let (_folder, path) = file(grid);
    let result = answer(&["ignite", "--grid", &path, "--needle", "0,1", "--color", "B", "--one-more"], 0);
    let more = result["one_more"].as_array().unwrap();
    assert_eq!(more.len(), 4, "empty cells but the needle's");
    for cell in more {
        let (x, y) = (cell["at"][0].as_u64().unwrap(), cell["at"][1].as_u64().unwrap());
        let mut rows: Vec<Vec<char>> = grid.lines().map(|row| row.chars().collect()).collect();
        let (column, row) = (usize::try_from(x).unwrap(), usize::try_from(y).unwrap());
        assert_eq!(rows[row][column], '.');
        rows[row][column] = 'B';
        let changed: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
        let (_folder, path) = file(changed.join("\n"));
        let alone = answer(&["ignite", "--grid", &path, "--needle", "0,1", "--color", "B"], 0);
        assert_eq!((&alone["mvs"]["value"], &alone["ps2"]["value"]), (&cell["mvs"], &cell["ps2"]), "{cell}");
    }
}

#[test]
fn a_grid_comes_from_a_file_from_standard_input_or_from_a_code() {
    let grid = "R.\nRG\n";
    let (_folder, path) = file(format!("\u{FEFF}\r\n{}", grid.replace('\n', "\r\n")));
    let from_file = answer(&["ignite", "--grid", &path, "--needle", "1,0", "--color", "r", "--code"], 0);
    assert_eq!((&from_file["starts"], &from_file["mvs"]["value"]), (&json!([[0, 0]]), &2.into()));
    let link = from_file["link"].as_str().unwrap();
    assert_eq!(link, format!("nextscope:ignition/{}", from_file["code"].as_str().unwrap()));
    for code in [link, from_file["code"].as_str().unwrap()] {
        let from_code = answer(&["ignite", "--grid", code, "--code"], 0);
        assert_eq!(from_code, from_file);
        let moved = answer(&["ignite", "--grid", code, "--ignited", "1,1"], 0);
        assert_eq!(
            (&moved["color"], &moved["mvs"]["value"]),
            (&"G".into(), &0.into()),
            "the code's needle gives way"
        );
    }
    let (_other, written) = file(link);
    assert_eq!(answer(&["ignite", "--grid", &written, "--code"], 0), from_file);
    let mut running = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(["ignite", "--grid", "-", "--needle", "1,0", "--color", "R", "--code", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    running.stdin.take().unwrap().write_all(grid.as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), from_file);
    // A field alone has a code as well.
    let alone = answer(&["ignite", "--grid", &path, "--code"], 0);
    assert_eq!(from_code(alone["code"].as_str().unwrap()), Ok((Field::from_text(grid).unwrap(), None)));
    assert_eq!(alone["mvs"], Value::Null);
}

#[test]
fn a_needle_that_touches_nothing_has_value_0() {
    let (_folder, path) = file("...\n..R\n");
    for color in [&[][..], &["--color", "B"]] {
        let arguments = [&["ignite", "--grid", &path, "--needle", "0,0"], color].concat();
        let result = answer(&arguments, 1);
        assert_eq!((&result["mvs"]["value"], &result["ps2"]["value"]), (&0.into(), &0.into()));
        assert_eq!((&result["mvs"]["tails"], &result["starts"]), (&json!([]), &json!([])));
        let result = nextscope(&arguments);
        assert_eq!(status(&result), 1);
        assert!(text(&result).contains("ignites no block: value 0"), "{}", text(&result));
    }
}

#[test]
fn open_questions_are_printed_and_can_be_answered() {
    // Two starts, whose waves meet between them from the left and from the right.
    let (_folder, path) = file("B.B\nB.B\nBBB\n");
    let arguments = ["ignite", "--grid", &path, "--ignited", "0,0;2,0"];
    let result = answer(&arguments, 0);
    let open = result["open"].as_array().unwrap();
    assert_eq!(open.len(), 2);
    let expected = json!({ "rules": "mvs", "question": "horizontal-tie", "answer": "from-left", "other_value": 7, "mattered": true });
    assert_eq!(open[0], expected);
    assert_eq!(result["mvs"]["between"], json!([7, 7]));
    let shown = text(&nextscope(&arguments));
    assert!(shown.contains("Open: two waves that cannot merge reach a block from the left and from the right: which one gets it? Assumed: from-left."), "{shown}");
    assert!(shown.contains("With --answer horizontal-tie=from-right the value is MVS 7, by other tails, and PS2 7, by other tails."), "{shown}");
    let other = answer(&[&arguments[..], &["--answer", "horizontal-tie=from-right"]].concat(), 0);
    assert_eq!((&result["mvs"]["tails"], &other["mvs"]["tails"]), (&json!([[4], [3]]), &json!([[3], [4]])));
    // A block above the needle.
    let (_folder, path) = file("BB\n.Y\n");
    let arguments = ["ignite", "--grid", &path, "--needle", "0,1", "--color", "B"];
    let result = answer(&arguments, 0);
    assert_eq!((&result["mvs"]["value"], &result["mvs"]["between"]), (&2.into(), &json!([0, 2])));
    assert!(text(&nextscope(&arguments)).contains("Over all answers, the MVS value is 0 to 2."));
    assert_eq!(answer(&[&arguments[..], &["--answer", "block-above=stays"]].concat(), 1)["mvs"]["value"], 0);
}

#[test]
fn needles_are_ranked() {
    let (_folder, path) = file(".....\n...B.\n.BBBB\nYRBRY\n");
    let result = answer(&["ignite", "--grid", &path, "--rank"], 0);
    let rank = result["needles"].as_array().unwrap();
    assert_eq!((&result["count"], &result["rules"]), (&rank.len().into(), &"mvs".into()));
    let values: Vec<u64> = rank.iter().map(|needle| needle["mvs"].as_u64().unwrap()).collect();
    assert!(values.is_sorted_by(|one, next| one >= next));
    for needle in rank {
        let at = format!("{},{}", needle["needle"][0], needle["needle"][1]);
        let color = needle["color"].as_str().unwrap();
        let alone = answer(&["ignite", "--grid", &path, "--needle", &at, "--color", color], 0);
        assert_eq!(
            (&alone["mvs"]["value"], &alone["ps2"]["value"]),
            (&needle["mvs"], &needle["ps2"]),
            "{needle}"
        );
    }
    let few = answer(
        &["ignite", "--grid", &path, "--rank", "--resting", "--rules", "ps2", "--limit", "2", "--color", "B"],
        0,
    );
    let rests = |needle: &Value| needle["rests"] == true && needle["color"] == "B";
    let best = rank.iter().filter(|needle| rests(needle)).map(|needle| needle["ps2"].as_u64()).max().unwrap();
    assert_eq!((few["needles"].as_array().unwrap().len(), few["needles"][0]["ps2"].as_u64()), (2, best));
    assert!(few["needles"].as_array().unwrap().iter().all(rests));
    let shown = text(&nextscope(&["ignite", "--grid", &path, "--rank", "--limit", "1"]));
    assert!(shown.starts_with("needle  colour  MVS  PS2\n") && shown.contains("more\n"), "{shown}");
    let (_folder, empty) = file("..\n..\n");
    assert_eq!(answer(&["ignite", "--grid", &empty, "--rank"], 1)["needles"], json!([]));
}

#[test]
fn the_documents_examples_are_shown() {
    let list = answer(&["ignite", "--gallery"], 0);
    let list = list["examples"].as_array().unwrap();
    assert_eq!(list.len(), gallery().len());
    for (nth, (listed, example)) in list.iter().zip(gallery()).enumerate() {
        let result = answer(&["ignite", "--gallery", &(nth + 1).to_string()], 0);
        assert_eq!(
            (&result["mvs"]["value"], &result["ps2"]["value"]),
            (&example.mvs.into(), &example.ps2.into())
        );
        assert_eq!(result["example"]["note"], example.note);
        let (field, ignition) = from_code(listed["code"].as_str().unwrap()).unwrap();
        let value = evaluate(&field, &ignition.unwrap(), Ruleset::Mvs, Rules::default()).unwrap().value;
        assert_eq!(value, example.mvs);
    }
    let figure = text(&nextscope(&["ignite", "--gallery", "11"]));
    assert!(figure.contains("the figure's caption says 14, its text 7"), "{figure}");
    assert!(text(&nextscope(&["ignite", "--gallery"])).contains("a line of 25"));
}

#[test]
fn pictures_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let result = nextscope(&["ignite", "--gallery", "1", "--svg", &file("a.svg"), "--png", &file("a.png")]);
    assert_eq!(status(&result), 0);
    assert!(errors(&result).contains("wrote ") && text(&result).contains("MVS 15"));
    let svg = std::fs::read_to_string(file("a.svg")).unwrap();
    assert!(svg.contains("MVS 15, PS2 14") && svg.ends_with("</svg>\n"));
    assert!(std::fs::read(file("a.png")).unwrap().starts_with(b"\x89PNG"));
    let alone = nextscope(&["ignite", "--grid", "16b", "--svg", &file("b.svg")]);
    assert_eq!(status(&alone), 0, "{}", errors(&alone));
    let nowhere = nextscope(&["ignite", "--gallery", "1", "--svg", &file("no/a.svg")]);
    assert_eq!(status(&nowhere), 2);
    assert!(errors(&nowhere).contains("cannot be written"), "{}", errors(&nowhere));
}

#[test]
fn the_best_structure_is_built() {
    let result = answer(&["ignite", "--build", "5", "--rules", "ps2", "--code"], 0);
    let (value, proven) = (&result["build"]["value"], &result["build"]["proven"]);
    assert_eq!((value, proven), (&result["ps2"]["value"], &true.into()));
    let (field, ignition) = from_code(result["code"].as_str().unwrap()).unwrap();
    let Some(ignition @ Ignition::Needle { .. }) = ignition else { panic!("a needle") };
    let again = evaluate(&field, &ignition, Ruleset::Ps2, Rules::default()).unwrap();
    assert_eq!((field.blocks(), value), (5, &again.value.into()));
    // It can go on for as long as there is time, and ends with what it has.
    let timed = answer(&["ignite", "--build", "40", "--seconds", "0.3", "--freestanding"], 0);
    assert_eq!((&timed["build"]["stopped"], &timed["build"]["proven"]), (&true.into(), &false.into()));
    assert!(
        timed["mvs"]["value"].as_u64().unwrap() > 40
            && timed["build"]["elapsed_seconds"].as_f64().unwrap() < 20.0
    );
    assert_eq!(timed["build"]["supports"], json!([]), "freestanding");
    let shown = text(&nextscope(&["ignite", "--build", "4"]));
    assert!(shown.starts_with("4 blocks worth ") && shown.contains("proven to be the best"), "{shown}");
}

/// What the page about ignitions shows is what the program prints.
#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../docs/ignition.md");
    let (_folder, path) = file("...B.\n.BBBB\nYRBRY\n");
    let asked = ["ignite", "--grid", &path, "--needle", "0,1", "--color", "B"];
    for arguments in [
        &asked[..],
        &[&asked[..], &["--json"]].concat(),
        &["ignite", "--grid", "12233orr-b0020"],
        &["ignite", "--build", "5"],
    ] {
        let output = nextscope(arguments);
        assert_eq!(status(&output), 0, "{arguments:?}: {}", errors(&output));
        assert!(page.contains(&text(&output)), "{arguments:?}: {}", text(&output));
    }
    for question in nextscope::pochi::RuleQuestion::ALL {
        let [first, second] = question.answers();
        let row = format!("| `{}` | `{first}`, `{second}` |", question.id());
        assert!(page.contains(&row), "{row}");
    }
}

/// A field far larger than the game's is evaluated, ranked and drawn as well.
#[test]
fn a_large_field_is_evaluated() {
    let grid = format!("{}\n", "RRRR.".repeat(5)).repeat(24);
    let (folder, path) = file(&grid);
    let picture = folder.path().join("large.png");
    let result = answer(
        &["ignite", "--grid", &path, "--needle", "4,23", "--png", picture.to_str().unwrap(), "--one-more"],
        0,
    );
    assert_eq!(result["starts"], json!([[3, 23], [5, 23]]));
    assert_eq!(result["one_more"].as_array().unwrap().len(), 5 * 24 - 1);
    let rank = answer(&["ignite", "--grid", &path, "--rank"], 0);
    let needle = rank["needles"].as_array().unwrap().iter().find(|needle| needle["needle"] == json!([4, 23]));
    assert_eq!(needle.unwrap()["mvs"], result["mvs"]["value"]);
    assert!(std::fs::metadata(picture).unwrap().len() > 1000);
}

#[test]
fn bad_arguments_are_rejected() {
    let (_a, good) = file("R.\nRG\n");
    let (_b, ragged) = file("R.\nR\n");
    let (_c, letter) = file("R.\nRx\n");
    let (_d, binary) = file([0xFF, 0xFE, 0x00]);
    let (_e, huge) = file(vec![b'.'; (1 << 20) + 1]);
    let (_f, wide) = file("R".repeat(65));
    let (_g, empty) = file("\n \n");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let with = |grid: &str, rest: &[&str]| -> Vec<String> {
        ["ignite", "--grid", grid].iter().chain(rest).map(ToString::to_string).collect()
    };
    let needle = ["--needle", "1,0"];
    for (arguments, expected) in [
        (with(&good, &[]), "no ignition: give --needle x,y"),
        (with(&good, &needle), "the needle at 1,0 touches red and green: give its colour"),
        (
            with(&ragged, &needle),
            "row 1 has 1 cells, the first row has 2; all rows must have the same length",
        ),
        (with(&letter, &needle), "row 1, column 1: 'x' is not a cell"),
        (with(&binary, &needle), "not a text: expected rows"),
        (with(&huge, &needle), "larger than 1 MiB"),
        (with(&wide, &needle), "larger than 64 x 64"),
        (with(&empty, &needle), "there is no field"),
        (with(folder, &needle), "directory"),
        (with("nowhere.txt", &needle), "no file \"nowhere.txt\", and not a code"),
        (with("16b5", &needle), "--grid: the code is invalid: digit 4, '5', is not a valid cell"),
        (with("nextscope:ignition/9", &needle), "it does not start with 1"),
        (with(&good, &["--needle", "2,0"]), "2,0 is outside the field, which has 2 columns and 2 rows"),
        (with(&good, &["--needle", "1"]), "invalid cell \"1\""),
        (with(&good, &["--needle", "1,0", "--color", "P"]), "invalid colour \"P\""),
        (with(&good, &["--color", "R"]), "--color needs --needle"),
        (with(&good, &["--ignited", "1,0"]), "there is no block at 1,0"),
        (with(&good, &["--ignited", "0,0;1,1"]), "the block at 1,1 is green, the first one is red"),
        (with(&good, &["--ignited", "0,0;9,9"]), "9,9 is outside the field"),
        (with(&good, &["--ignited", ""]), "no block is listed"),
        (with(&good, &["--ignited", "0,0", "--needle", "1,0"]), "cannot be used with"),
        (with(&good, &["--ignited", "0,0", "--color", "R"]), "cannot be used with"),
        (with(&good, &["--needle", "1,0", "--color", "R", "--answer", "who=me"]), "unknown question"),
        (
            with(&good, &["--needle", "1,0", "--color", "R", "--rules", "ps2"]),
            "--rules needs --rank or --build",
        ),
        (with(&good, &["--rank", "--needle", "1,0"]), "cannot be used with"),
        (with(&good, &["--gallery", "1"]), "cannot be used with"),
        (vec!["ignite".into()], "no field: give --grid"),
        (vec!["ignite".into(), "--gallery".into(), "0".into()], "no example 0"),
        (vec!["ignite".into(), "--gallery".into(), "99".into()], "no example 99; expected 1 to 18"),
        (vec!["ignite".into(), "--build".into(), "0".into()], "0 is not in 1..=83"),
        (
            vec!["ignite".into(), "--build".into(), "9".into(), "--seconds".into(), "nan".into()],
            "--seconds must be more than 0 seconds",
        ),
    ] {
        let output = nextscope(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
        assert_eq!(text(&output), "", "{arguments:?}");
    }
}

#[test]
fn a_needle_of_nyoki_nyoki_ignites_one_block() {
    let grid = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/samples/field.txt");
    let ask = |more: &[&str]| {
        answer(&[&["ignite", "--grid", grid, "--needle", "2,0", "--color", "B"], more].concat(), 0)
    };
    let (all, one) = (ask(&[]), ask(&["--needle-rule", "one"]));
    assert_eq!((&all["needle_rule"], &one["needle_rule"]), (&"all".into(), &"one".into()));
    assert_eq!(all["starts"].as_array().unwrap().len(), 2, "beside it and below: {all}");
    assert_eq!(one["starts"], serde_json::json!([[2, 1]]), "the one below: {one}");
}
