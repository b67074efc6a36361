//! `watch` and `verify` on dumps of arcade boards whose RAM is made from the models: what a terminal and what a program gets.
use crate::gui_support::arcade::{self, Machine};
use nextscope::game::piece::{Dealer, letters};
use serde_json::Value;
use std::process::Command;

/// What a command prints of the machine's RAM.
fn printed(machine: &Machine, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join("ram.bin");
    std::fs::write(&dump, &machine.ram).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(arguments)
        .arg("--dump")
        .arg(&dump)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn tap_is_told_by_its_state_and_by_letters() {
    let (machine, dealer) = arcade::tap(7, true, 5);
    let ahead = dealer.to_owned().deal_many(60);
    let text = printed(&machine, &["watch", "--pairs", "20"]);
    let spaced = |pieces: &[_]| letters(pieces).chars().map(String::from).collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("now S   next J {}", spaced(&ahead[..19]))), "{text}");
    assert!(text.contains("certain by the generator's state in RAM"), "{text}");
    let told: Value = serde_json::from_str(&printed(&machine, &["watch", "--json"])).unwrap();
    assert_eq!(told["certain"], letters(&ahead));
    assert_eq!((&told["from_state"], &told["narrowing"]), (&true.into(), &false.into()));
    assert_eq!((&told["from_middle"], &told["current"]), (&true.into(), &"S".into()));
}

#[test]
fn a_first_piece_alone_is_narrowed_down_before_it_is_told() {
    // The dump has the generator's cells; without them the pieces alone would tell this.
    let (machine, ..) = arcade::tap_begun(0x22B, true);
    let told: Value = serde_json::from_str(&printed(&machine, &["watch", "--json"])).unwrap();
    assert_eq!((&told["narrowing"], &told["pieces_seen"]), (&false.into(), &1.into()));
    let left = told["states_left"].as_u64().unwrap();
    assert!((1_000_000..33_554_432).contains(&left), "{left}");
}

#[test]
fn sega_tetris_tells_its_pieces_its_next_games_and_how_to_keep_what_was_found() {
    let (machine, game) = arcade::sega(0, 0);
    let text = printed(&machine, &["watch"]);
    let first =
        letters(&game.to_owned().deal_many(12)).chars().map(String::from).collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("now -   first {first}")), "{text}");
    assert!(text.contains("Which piece is next is not known yet"), "{text}");
    assert!(text.contains("Next game, when the monkey is shown: "), "{text}");
    assert!(text.contains("Found by content: the pieces at 0x"), "{text}");
    assert!(text.contains("nextscope profile locate --profile sega-tetris --dump "), "{text}");
    let told: Value = serde_json::from_str(&printed(&machine, &["watch", "--json"])).unwrap();
    assert_eq!(told["found_by_content"], true);
    assert_eq!(told["pieces"].as_str().unwrap().len(), 1000);
}
