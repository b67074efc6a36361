//! `simulate` as a user runs it.

use crate::cli_support::{answer, errors, nextscope, status, text};

const NINETEEN: &str = ".G.BRG\nGBRRYR\nRRYYBY\nRGYRBR\nYGYRBY\nYGBGYR\nGRBGYR\nBRBYBY\nRYYBYY\nBRBYBR\nBGBYRR\nYGBGBG\nRBGBGG\n";

#[test]
fn the_known_board_from_a_file_and_from_a_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.txt");
    std::fs::write(&file, NINETEEN).unwrap();
    let file = file.to_str().unwrap();
    let told = answer(&["simulate", "--board", file], 0);
    assert_eq!((&told["chain"], &told["score"]), (&19.into(), &175_080.into()));
    assert_eq!((&told["all_clear"], &told["board"]), (&true.into(), &serde_json::json!(["......"])));
    let stepped = answer(&["simulate", "--board", file, "--steps"], 0);
    let points: u64 =
        stepped["steps"].as_array().unwrap().iter().map(|step| step["points"].as_u64().unwrap()).sum();
    assert_eq!(points, 175_080);
    // Four red ones and nothing else, as a link.
    let link = "http://www.puyop.com/s/1910_4141";
    assert_eq!(status(&nextscope(&["simulate", "--board", link])), 1, "two beside one are no four");
    let told = answer(&["simulate", "--board", "990"], 0);
    assert_eq!((&told["chain"], &told["score"], &told["all_clear"]), (&1.into(), &40.into(), &true.into()));
    let output = nextscope(&["simulate", "--board", "990", "--steps"]);
    assert_eq!(text(&output), "Step 1: 4 red; 40 points\n  rrrr..\nChain 1, 40 points, all clear\n");
    let told = answer(&["simulate", "--board", "90", "--group", "2"], 0);
    assert_eq!((&told["chain"], &told["score"]), (&1.into(), &20.into()));
}

#[test]
fn wrong_boards_are_answered() {
    for (arguments, told) in [
        (vec!["simulate", "--board", "nowhere.txt"], "there is no file of that name"),
        (vec!["simulate", "--board", "7"], "stands for a cell that is not known"),
        (vec!["simulate", "--board", "990", "--game", "tgm1"], "has no Puyo board"),
        (vec!["simulate", "--board", "990", "--group", "9"], "9 is not in 2..=6"),
    ] {
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(told), "{arguments:?}: {}", errors(&output));
    }
}
