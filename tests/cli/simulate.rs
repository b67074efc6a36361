//! `simulate` as a user runs it.

use crate::cli_support::{answer, errors, nextscope, status, text};

const NINETEEN: &str = ".G.BRG\nGBRRYR\nRRYYBY\nRGYRBR\nYGYRBY\nYGBGYR\nGRBGYR\nBRBYBY\nRYYBYY\nBRBYBR\nBGBYRR\nYGBGBG\nRBGBGG\n";

#[test]
fn the_known_board_from_a_file_and_from_a_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.txt");
    std::fs::write(&file, NINETEEN).unwrap();
    let file = file.to_str().unwrap();
    let result = answer(&["simulate", "--board", file], 0);
    assert_eq!((&result["chain"], &result["score"]), (&19.into(), &175_080.into()));
    assert_eq!((&result["all_clear"], &result["board"]), (&true.into(), &serde_json::json!(["......"])));
    let stepped = answer(&["simulate", "--board", file, "--steps"], 0);
    let points: u64 =
        stepped["steps"].as_array().unwrap().iter().map(|step| step["points"].as_u64().unwrap()).sum();
    assert_eq!(points, 175_080);
    // Four red ones and nothing else, as a link.
    let link = "http://www.puyop.com/s/1910_4141";
    assert_eq!(status(&nextscope(&["simulate", "--board", link])), 1, "two beside one are no four");
    let result = answer(&["simulate", "--board", "990"], 0);
    assert_eq!(
        (&result["chain"], &result["score"], &result["all_clear"]),
        (&1.into(), &40.into(), &true.into())
    );
    let output = nextscope(&["simulate", "--board", "990", "--steps"]);
    assert_eq!(text(&output), "Step 1: 4 red; 40 points\n  rrrr..\nChain 1, 40 points, all clear\n");
    let result = answer(&["simulate", "--board", "90", "--group", "2"], 0);
    assert_eq!((&result["chain"], &result["score"]), (&1.into(), &20.into()));
}

#[test]
fn bad_boards_are_rejected() {
    for (arguments, expected) in [
        (vec!["simulate", "--board", "nowhere.txt"], "--board nowhere.txt: no such file"),
        (vec!["simulate", "--board", "./x"], "--board ./x: no such file"),
        (vec!["simulate", "--board", "boards/x"], "--board boards/x: no such file"),
        (vec!["simulate", "--board", "nnn"], "--board nnn: no such file, and not a board: digit"),
        (vec!["simulate", "--board", "/dev/zero"], "/dev/zero: larger than 64 KiB"),
        (vec!["simulate", "--board", "/"], "--board: cannot read /"),
        (vec!["simulate", "--board", "RRRRRRRR"], "is either cells or a field code"),
        (vec!["simulate", "--board", "code:7"], "is not a valid cell"),
        (vec!["simulate", "--board", "7"], "is not a valid cell"),
        (vec!["simulate", "--board", "990", "--game", "tgm1"], "no Puyo game \"tgm1\""),
        (vec!["simulate", "--board", "990", "--group", "9"], "9 is not in 2..=6"),
    ] {
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn a_missing_file_is_read_as_a_code_or_a_row_with_a_note() {
    let code = nextscope(&["simulate", "--board", "board"]);
    assert!(
        errors(&code).contains("note: --board board: no such file; read as a field code"),
        "{}",
        errors(&code)
    );
    let row = nextscope(&["simulate", "--board", "RRRR"]);
    assert_eq!(text(&row), "Chain 1, 40 points, all clear\n");
    assert!(errors(&row).contains("read as a row of cells"), "{}", errors(&row));
    for marked in ["code:990", "https://www.puyop.com/s/990", "puyop.com/s/990_4141"] {
        let output = nextscope(&["simulate", "--board", marked]);
        assert_eq!(text(&output), "Chain 1, 40 points, all clear\n", "{marked}");
        assert_eq!(errors(&output), "", "{marked}");
    }
}

/// The commands of the pages with a board or a field, with the samples of the repository.
#[test]
fn the_commands_on_the_pages_work() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/samples/");
    for (page, name) in [
        ("docs/commands.md", "docs/samples/board.txt"),
        ("docs/commands.md", "docs/samples/field.txt"),
        ("docs/routes.md", "docs/samples/start.txt"),
        ("docs/ignition.md", "docs/samples/field.txt"),
    ] {
        let page = std::fs::read_to_string(format!("{}/{page}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(page.contains(name), "{name}");
    }
    let sample = |name: &str| format!("{samples}{name}");
    let result = answer(&["simulate", "--board", &sample("board.txt"), "--steps"], 0);
    assert_eq!((&result["chain"], &result["score"]), (&6.into(), &8680.into()));
    let start = sample("start.txt");
    let route = ["route", "puyo-tsu", "--pieces", "RR GR RG GG", "--board", &start, "--goal", "all-clear"];
    assert_eq!(answer(&route, 0)["board"], serde_json::json!(["......"]));
    let field = sample("field.txt");
    assert_eq!(status(&nextscope(&["ignite", "--grid", &field, "--needle", "0,1", "--color", "B"])), 0);
    assert_eq!(status(&nextscope(&["ignite", "--grid", &field, "--rank", "--resting", "--limit", "10"])), 0);
}
