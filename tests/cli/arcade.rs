//! `watch` and `verify` on dumps of arcade boards whose RAM is made from the models: what a terminal and what a program gets.
use crate::cli_support::joined;
use crate::gui_support::arcade::{self, Machine};
use nextscope::games::piece::{Dealer, letters};
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
fn tap_is_printed_with_state_and_pieces() {
    let (machine, dealer) = arcade::tap(7, true, 5);
    let ahead = dealer.to_owned().deal_many(60);
    let text = printed(&machine, &["watch", "--pairs", "20"]);
    let spaced = |pieces: &[_]| letters(pieces).chars().map(String::from).collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("now S   next J {}", spaced(&ahead[..19]))), "{text}");
    assert!(text.contains("certain by the generator state in RAM"), "{text}");
    let result: Value = serde_json::from_str(&printed(&machine, &["watch", "--json"])).unwrap();
    let (player, game) = (&result["players"][0], &result["game"]);
    // The game shows J itself; after it the state tells.
    assert_eq!(joined(&player["next"]), format!("J{}", letters(&ahead[..11])));
    assert_eq!((&game["id"], &player["next_at"]), (&"tgm2".into(), &Value::Null));
    assert_eq!((&game["from_state"], &game["narrowing"]), (&true.into(), &false.into()));
    assert_eq!((&game["from_middle"], &player["current"]), (&true.into(), &"S".into()));
}

#[test]
fn a_first_piece_alone_is_narrowed_down() {
    // The dump has the generator's cells; without them the pieces alone would tell this.
    let (machine, ..) = arcade::tap_begun(0x22B, true);
    let result: Value = serde_json::from_str(&printed(&machine, &["watch", "--json"])).unwrap();
    let game = &result["game"];
    assert_eq!((&game["narrowing"], &game["pieces_seen"]), (&false.into(), &1.into()));
    let left = game["states_left"].as_u64().unwrap();
    assert!((1_000_000..33_554_432).contains(&left), "{left}");
}

#[test]
fn sega_tetris_prints_pieces_next_games_and_the_locate_command() {
    let (machine, game) = arcade::sega(0, 0);
    let text = printed(&machine, &["watch"]);
    let first =
        letters(&game.to_owned().deal_many(12)).chars().map(String::from).collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("now -   first {first}")), "{text}");
    assert!(text.contains("The next piece is unknown"), "{text}");
    assert!(text.contains("Next game if the bonus screen (monkey) is shown: "), "{text}");
    assert!(text.contains("Found by content: pieces at 0x"), "{text}");
    assert!(text.contains("nextscope profile locate --profile sega-tetris --dump "), "{text}");
    let result: Value =
        serde_json::from_str(&printed(&machine, &["watch", "--json", "--pairs", "20"])).unwrap();
    assert_eq!(
        (&result["game"]["id"], &result["game"]["found_by_content"]),
        (&"sega-tetris".into(), &true.into())
    );
    assert_eq!(joined(&result["players"][0]["next"]), letters(&game.to_owned().deal_many(20)));
    assert_eq!(result["players"][0]["follow_ups"].as_array().unwrap().len(), 2);
}
