//! Sega Tetris, Flash Point and Bloxeed compared with the vectors of the reference.

use crate::games::bloxeed;
use crate::games::piece::{Dealer, Piece, letters};
use crate::games::sega::flash_point;
use crate::games::sega::sega_tetris::{Game, LENGTH, Sequence, code, piece, piece_period};
use crate::games::sega::{LATER_DEFAULT, Routine, State, TETRIS_DEFAULT};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors.json")).expect("the vector file is JSON")
}

fn state(text: &Value) -> State {
    State(u32::from_str_radix(&text.as_str().expect("text")[2..], 16).expect("a hexadecimal number"))
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_power_on_pattern_is_the_published_one() {
    let row = &vectors()["sega_tetris"][0];
    let mut game = Game::new(state(&row["seed"]));
    let pieces = letters(&game.deal_many(LENGTH));
    assert_eq!(pieces, text(&row["pieces"]));
    assert_eq!(hex(Sha256::digest(&pieces)), text(&row["sha256"]));
    assert_eq!(game.state_after(), state(&row["state_after"]));
    assert_eq!(game.next_seed(true), state(&row["state_after_with_monkey"]));
    assert_eq!(game.next_seed(false), game.state_after());
    // Counts: reference 4.2.
    for (letter, count) in
        [('T', 150), ('I', 150), ('J', 143), ('S', 142), ('Z', 142), ('L', 139), ('O', 134)]
    {
        assert_eq!(pieces.chars().filter(|&c| c == letter).count(), count, "{letter}");
    }
    let mut sequence = Sequence::new(Routine::TETRIS, State(0));
    assert_eq!(letters(&sequence.deal_many(2 * LENGTH)), pieces.repeat(2));
    assert_eq!(sequence.state_after(), game.state_after());
    // The loop.
    assert_eq!(letters(&game.deal_many(LENGTH)), pieces);
}

#[test]
fn the_second_game_depends_on_the_monkey() {
    let vectors = vectors();
    let first = Game::new(State(0));
    // Ends: reference 4.2.
    for (row, shown, end) in [(1, false, 0x3A67_4F5A), (2, true, 0x0FF5_B56A)] {
        let mut second = first.next_game(shown);
        assert_eq!(letters(&second.deal_many(20)), text(&vectors["sega_tetris"][row]["pieces_first20"]));
        assert_eq!(second.state_after(), State(end));
        let back = second.previous_game(shown).expect("a game before it");
        assert_eq!(back.codes(), first.codes());
        assert_eq!(back.seed(), TETRIS_DEFAULT);
    }
    assert_eq!(first.previous_game(false), None, "cleared battery RAM has no predecessor");
    // With the monkey the same list, shifted by one.
    assert_eq!(first.next_game(false).codes()[1..], first.next_game(true).codes()[..LENGTH - 1]);
}

#[test]
fn flash_point_matches_the_vector_under_both_interpretations() {
    let row = &vectors()["flash_point"][0];
    for (variant, _) in flash_point::PIECE_VARIANTS {
        let routine = flash_point::routine(variant);
        for seed in [state(&row["seed"]), State(0)] {
            let mut game = flash_point::game(routine, seed);
            assert_eq!(letters(&game.deal_many(60)), text(&row["pieces_first60"]), "{variant}");
        }
    }
    let low_word_zero = State(0x1234_0000);
    let codes = |variant| *flash_point::game(flash_point::routine(variant), low_word_zero).codes();
    assert_ne!(codes("low-word"), codes("whole-long"));
}

#[test]
fn bloxeed_matches_the_vector_with_and_without_the_table() {
    let row = &vectors()["bloxeed"][0];
    for (table, pieces) in [
        (bloxeed::Table::Plain, "pieces_plain_first60"),
        (bloxeed::Table::FewerSnakes, "pieces_table_variant_first60"),
    ] {
        for main in [state(&row["main_seed"]), State(0)] {
            let mut game = bloxeed::Game::new(table, main);
            assert_eq!(game.piece_seed(), state(&row["piece_seed"]));
            assert_eq!(game.main, state(&row["main_state_after"]));
            assert_eq!(letters(&game.deal_many(60)), text(&row[pieces]));
            game.draw_item();
            let mut again = game.continued();
            assert_eq!(
                letters(&again.deal_many(60)),
                text(&row[pieces]),
                "who continues gets the same pieces"
            );
            assert_eq!(again.main, game.main, "but other items");
        }
    }
    // The share of Z, S and I over all values: 8, 8 and 12 of 64 (wiki, page of the game).
    let count =
        |expected| (0..128).filter(|value| bloxeed::Table::FewerSnakes.piece(*value) == expected).count();
    assert_eq!([Piece::Z, Piece::S, Piece::I, Piece::L].map(count), [16, 16, 24, 18]);
}

/// Deals until the state that the pieces depend on recurs, and then compares the pieces with the first ones.
#[test]
fn pieces_repeat_after_the_period_and_not_before() {
    let cases = [
        (Routine::TETRIS, State(0), 1 << 18),
        (Routine::TETRIS, State(1), 1 << 19),
        (Routine::LATER, LATER_DEFAULT, 1 << 19),
    ];
    for (routine, seed, expected) in cases {
        assert_eq!(piece_period(routine, seed), expected);
        let mut state = seed;
        let mut codes = Vec::new();
        for _ in 0..2 * expected {
            let result;
            (state, result) = routine.call(state);
            codes.push(crate::games::sega::sega_tetris::code_of_result(result));
        }
        let period = usize::try_from(expected).expect("fits");
        assert_eq!(codes[..period], codes[period..]);
        // Periods divide one another, and this one is a power of two.
        assert_ne!(codes[..period / 2], codes[period / 2..period]);
    }
    let mut game = bloxeed::Game::new(bloxeed::Table::Plain, State(0));
    assert_eq!(game.piece_period(), 1 << 16);
    let pieces = game.deal_many(2 << 16);
    assert_eq!(pieces[..1 << 16], pieces[1 << 16..]);
    assert_ne!(pieces[..1 << 15], pieces[1 << 15..1 << 16]);
}

#[test]
fn codes_and_pieces_are_one_to_one() {
    for one in Piece::ALL {
        assert_eq!(piece(code(one)), Some(one));
    }
    assert_eq!(piece(7), None);
}
