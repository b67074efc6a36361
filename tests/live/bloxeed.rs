//! Bloxeed live, on RAM that the tests make from the model: its generators are found at any address, in
//! either byte order, in a first game and in later ones, and every deviation from the generators is reported.

use crate::played::bloxeed::{Board, MAIN, PIECE, SEED, STATE, genesis_recipe, known, noise, recipe};
use nextscope::console::{Snapshot, StorageOrder};
use nextscope::emulator::{any_anchor_matches, matching_anchors};
use nextscope::games::bloxeed::{Game, Reading, Table};
use nextscope::games::piece::Dealer;
use nextscope::games::sega::sega_tetris::code;
use nextscope::games::sega::{Carry, Routine, State, ZeroTest};
use nextscope::live::{CheckId, Status};
use nextscope::profile::{Anchor, check_file};
use proptest::prelude::*;
use std::path::Path;
use std::process::{Command, Output};

#[test]
fn a_first_game_is_found_at_its_first_piece_and_followed_from_game_to_game() {
    for profile in [recipe(), genesis_recipe()] {
        for order in StorageOrder::OF_16_BIT_BUS
            .into_iter()
            .filter(|order| profile.console.domain().orders.contains(order))
        {
            let mut board = Board::noisy(profile.clone(), order, Game::new(Table::Plain, State(0)));
            assert!(!board.matches(order), "noise is no game");
            board.looks(40);
            assert!(board.forecast.is_none() && board.places().is_none());
            let first = board.game;
            board.begin(first);
            board.play(1);
            assert!(board.matches(order));
            assert!(any_anchor_matches(&board.snapshot(order), &board.profile));
            let other = StorageOrder::OF_16_BIT_BUS.into_iter().find(|other| *other != order).unwrap();
            assert!(!board.matches(other), "the order is proven by content");
            board.looks(30);
            assert_eq!(board.places(), Some((SEED, STATE, Some(MAIN))));
            assert_eq!(board.forecast().dealt, Some(1));
            assert_eq!(board.status(CheckId::SEED), Status::Verified);
            // Reference 4.2, without the first piece.
            let expected = "SJZJJTIJLOOLZITTZJTLZLZZJZZZSIZSSOTJIJZSZIOTIZSS";
            assert!(nextscope::games::piece::letters(&board.forecast().pieces).starts_with(expected));
            board.play(29);
            let piece = board.seen().piece.expect("the cell of the drawn piece is found");
            assert_eq!(
                (board.profile.console.domain().offset_of(piece.address), piece.behind),
                (Some(PIECE), 0)
            );
            for _ in 0..3 {
                let mut ahead = board.game;
                assert_eq!(board.forecast().pieces, ahead.deal_many(60));
                // Continuing starts the same game again.
                let again = board.game.continued();
                let predicted = board.forecast().again.clone();
                assert_eq!(predicted, again.clone().deal_many(predicted.len()));
                board.begin(again);
                assert_eq!(board.forecast().dealt, Some(0));
                board.play(5);
                assert_eq!(board.forecast().dealt, Some(5));
                let (seed, pieces) = board.forecast().next_game.clone().expect("the main generator is known");
                let next = board.game.next_game();
                assert_eq!((seed, pieces), (next.piece_seed(), next.clone().deal_many(20)));
                board.begin(next);
                board.play(8);
                for id in [CheckId::GENERATION, CheckId::SEED, CheckId::PIECES] {
                    assert_eq!(board.status(id), Status::Verified, "{id:?}");
                }
            }
            assert_eq!(board.mismatches, []);
            let totals = board.totals;
            assert_eq!((totals.rounds, totals.rounds_verified, totals.rounds_predicted), (4, 4, 3));
            assert!(totals.pairs_verified >= 50, "{totals:?}");
            assert_eq!((totals.pairs_missed, totals.jumps), (0, 0));
        }
    }
}

#[test]
fn a_later_game_is_found_by_the_transitions_of_its_states() {
    for (pieces, items) in [(0, 0), (3, 1), (700, 900)] {
        let mut game = Game::new(Table::Plain, State(0x0123_4567));
        game.deal_many(pieces);
        for _ in 0..items {
            game.draw_item();
        }
        let mut board = Board::noisy(recipe(), StorageOrder::SwappedWords, game);
        board.show_states();
        if pieces == 700 {
            assert!(!board.matches(StorageOrder::SwappedWords), "at that distance it could be chance");
        }
        board.looks(3);
        let mut needed = 0;
        while board.places().is_none() {
            board.deal(None);
            needed += 1;
            assert!(needed <= 12, "{pieces} pieces, {items} items");
        }
        board.looks(40);
        assert_eq!(board.places(), Some((SEED, STATE, Some(MAIN))));
        board.play(20);
        assert_eq!(board.mismatches, []);
        assert_eq!(board.status(CheckId::GENERATION), Status::Verified);
        let mut ahead = board.game;
        assert_eq!(board.forecast().pieces, ahead.deal_many(60));
        let next = board.game.next_game();
        board.begin(next);
        board.play(3);
        assert_eq!(board.status(CheckId::SEED), Status::Verified);
        assert_eq!((board.totals.rounds, board.totals.rounds_predicted), (2, 1));
        assert_eq!(board.mismatches, []);
    }
}

#[test]
fn copies_of_the_states_are_not_mistaken_for_them() {
    let mut board = Board::noisy(recipe(), StorageOrder::AsOnBus, Game::new(Table::Plain, State(77)));
    for number in 0..40 {
        // The state before the last call, a second copy of the seed, and an older main generator.
        board.put(0x0050, board.game.pieces);
        board.put(0x3000, board.game.piece_seed());
        if number % 4 == 0 {
            board.put(0x0060, board.game.main);
        }
        board.deal(None);
    }
    assert_eq!(board.places(), Some((SEED, STATE, Some(MAIN))));
    assert!(board.seen().found.unwrap().certain);
    let next = board.game.next_game();
    board.begin(next);
    board.put(0x3000, board.game.piece_seed());
    board.play(20);
    assert_eq!(board.places(), Some((SEED, STATE, Some(MAIN))));
    assert_eq!(board.mismatches, []);
    assert_eq!(board.status(CheckId::SEED), Status::Verified);
}

/// It has three longs that by chance relate to each other as in a game.
#[test]
fn a_rom_that_looks_like_it_is_no_game() {
    let rom = include_bytes!("../cartridges/genesis-tsu/genesis-tsu.bin");
    for order in StorageOrder::OF_16_BIT_BUS {
        let domain = recipe().console.domain();
        let snapshot = Snapshot::from_stored(domain, order, rom.to_vec()).unwrap();
        assert!(matching_anchors(&snapshot, &recipe()).is_empty(), "{order:?}");
    }
}

#[test]
fn the_table_interpretation_is_decided_by_the_first_piece_that_differs() {
    for table in Table::ALL {
        for setting in Table::ALL {
            let mut profile = known();
            profile.variants.insert("table".into(), setting.id().into());
            let mut board = Board::new(profile, StorageOrder::AsOnBus, Game::new(table, State(0)));
            let game = board.game;
            board.begin(game);
            // The interpretations differ at the piece with the index 26 (reference 4.2).
            board.play(26);
            assert_eq!((board.forecast().table, board.forecast().decided), (setting, false));
            assert_eq!(board.status(CheckId::PIECE_TABLE), Status::NotVerified);
            assert_ne!(board.forecast().pieces[0], board.forecast().other[0]);
            board.play(1);
            assert_eq!((board.forecast().table, board.forecast().decided), (table, true));
            assert_eq!(board.status(CheckId::PIECE_TABLE), Status::Verified);
            board.play(60);
            assert_eq!(board.mismatches, [], "{table:?} {setting:?}");
            let mut ahead = board.game;
            assert_eq!(board.forecast().pieces, ahead.deal_many(60));
            // A piece of the other interpretation is wrong from now on.
            while Table::ALL[0].piece(board.game.pieces.next().0 >> 16)
                == Table::ALL[1].piece(board.game.pieces.next().0 >> 16)
            {
                board.deal(None);
            }
            let index = board.forecast().dealt;
            let other = board.forecast().other[0];
            board.deal(Some(code(other)));
            assert_eq!(board.mismatches.len(), 1);
            assert_eq!((board.mismatches[0].check, board.mismatches[0].index), (CheckId::PIECES, index));
            assert_eq!(board.status(CheckId::PIECE_TABLE), Status::Mismatch);
        }
    }
}

#[test]
fn every_deviation_from_the_generators_is_reported_at_its_index() {
    let mut board = Board::noisy(known(), StorageOrder::SwappedWords, Game::new(Table::Plain, State(5)));
    let game = board.game;
    board.begin(game);
    board.play(10);
    assert!(board.matches(StorageOrder::SwappedWords) && !board.matches(StorageOrder::AsOnBus));
    assert_eq!(board.mismatches, []);
    // Wrong pieces, one of them no piece at all.
    for (number, wrong) in [1, 3, 0xAA].into_iter().enumerate() {
        let right = board.game.clone().deal();
        let shown = if wrong > 6 { wrong } else { (code(right) + wrong) % 7 };
        board.deal(Some(shown));
        let mismatch = &board.mismatches[number];
        assert_eq!((mismatch.check, mismatch.field.as_str()), (CheckId::PIECES, "drawn_piece"));
        assert_eq!(mismatch.index, Some(u32::try_from(10 + 4 * number).unwrap()));
        assert_eq!(mismatch.expected, right.to_string());
        board.play(3);
        assert_eq!(board.mismatches.len(), number + 1);
        assert_eq!(board.status(CheckId::PIECES), Status::Mismatch);
    }
    // A state that no call produces: that is reported, and the later pieces follow from it.
    board.game.pieces = State(board.game.pieces.0 ^ 0x0400_0000);
    board.show_states();
    board.looks(4);
    assert_eq!(board.mismatches.len(), 4);
    assert_eq!((board.mismatches[3].check, board.mismatches[3].index), (CheckId::GENERATION, Some(22)));
    assert_eq!(board.status(CheckId::GENERATION), Status::Mismatch);
    board.play(3);
    assert_eq!(board.mismatches.len(), 4);
    // A seed that the main generator did not return.
    let next = board.game.next_game();
    let wrong = State(next.piece_seed().0 ^ 0x0001_0000);
    board.begin(Game::from_piece_seed(Table::Plain, next.main, wrong));
    assert_eq!(board.mismatches.len(), 5);
    let mismatch = &board.mismatches[4];
    assert_eq!((mismatch.check, mismatch.field.as_str(), mismatch.round), (CheckId::SEED, "piece_seed", 2));
    assert_eq!(
        (mismatch.expected.clone(), mismatch.actual.clone()),
        (next.piece_seed().to_string(), wrong.to_string())
    );
    board.play(5);
    // The next game is clean again.
    let next = board.game.next_game();
    board.begin(next);
    board.play(5);
    assert_eq!(board.mismatches.len(), 5);
    for id in [CheckId::GENERATION, CheckId::SEED, CheckId::PIECES] {
        assert_eq!(board.status(id), Status::Verified, "{id:?}");
    }
    // An earlier moment of the same game, as after loading a state, is no fault.
    board.play(40);
    board.game.pieces = board.game.pieces.back(20);
    board.show_states();
    board.ram[PIECE] = code(Table::Plain.piece(board.game.pieces.0 >> 16));
    board.looks(4);
    board.play(2);
    assert_eq!((board.mismatches.len(), board.totals.jumps), (5, 1));
    assert_eq!(board.forecast().dealt, Some(27));
}

#[test]
fn a_reset_with_cleared_battery_ram_is_the_first_game_again() {
    let mut board = Board::new(known(), StorageOrder::AsOnBus, Game::new(Table::Plain, State(0x55)));
    let game = board.game;
    board.begin(game);
    board.play(12);
    board.begin(Game::new(Table::Plain, State(0)));
    board.play(3);
    assert_eq!(board.mismatches, []);
    assert_eq!(board.status(CheckId::SEED), Status::Verified);
    assert_eq!(board.totals.rounds, 2);
}

fn nextscope(arguments: &[&str], more: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nextscope")).args(arguments).args(more).output().unwrap()
}

#[test]
fn found_addresses_become_a_valid_working_profile() {
    let folder = tempfile::tempdir().unwrap();
    let (dump, file) = (folder.path().join("ram.bin"), folder.path().join("found.toml"));
    let mut board = Board::noisy(recipe(), StorageOrder::SwappedWords, Game::new(Table::Plain, State(0)));
    let game = board.game;
    board.begin(game);
    board.play(7);
    let mut stored = board.ram.clone();
    board.order.reorder(&mut stored);
    std::fs::write(&dump, &stored).unwrap();
    let locate = ["profile", "locate", "--profile", "bloxeed", "--json", "--dump"];
    let done = nextscope(&locate, &[&dump, Path::new("--write"), &file]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let output: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let at = |offset: usize| format!("0x{:06X}", 0xFF_C000 + offset);
    assert_eq!((&output["piece_seed"], &output["piece_state"]), (&at(SEED).into(), &at(STATE).into()));
    assert_eq!((&output["rng_state"], &output["pieces_dealt"]), (&at(MAIN).into(), &7.into()));
    assert_eq!(output["seed"], "0x2A6D8010");
    let (found, diagnostics) = check_file(&file);
    assert_eq!(diagnostics.diagnostics, []);
    let mut found = found.expect("it can be used");
    found.variants.insert("table".into(), Table::Plain.id().into());
    let mut known = Board::new(found, StorageOrder::SwappedWords, board.game);
    known.ram.clone_from(&board.ram);
    assert!(known.matches(StorageOrder::SwappedWords) && !known.matches(StorageOrder::AsOnBus));
    known.looks(3);
    assert!(known.seen().found.unwrap().known);
    let mut ahead = known.game;
    assert_eq!(known.forecast().pieces, ahead.deal_many(60));
    // Before the first piece of a game seed and state are equal in either byte order: that proves nothing and
    // excludes nothing.
    known.begin(known.game.continued());
    for order in [StorageOrder::SwappedWords, StorageOrder::AsOnBus] {
        assert!(!known.matches(order), "{order:?}");
    }
    assert!(any_anchor_matches(&known.snapshot(StorageOrder::SwappedWords), &known.profile));
    known.play(1);
    assert!(known.matches(StorageOrder::SwappedWords) && !known.matches(StorageOrder::AsOnBus));
    let again = nextscope(&locate, &[&dump, Path::new("--write"), &file]);
    assert_eq!(again.status.code(), Some(2), "an existing file is not overwritten");
    let watched = nextscope(&["watch", "--json", "--dump"], &[&dump]);
    assert_eq!(watched.status.code(), Some(0), "{}", String::from_utf8_lossy(&watched.stderr));
    let line: serde_json::Value = serde_json::from_slice(&watched.stdout).unwrap();
    assert_eq!(
        (&line["game"]["piece_seed"], &line["game"]["pieces_dealt"]),
        (&"0x2A6D8010".into(), &7.into())
    );
    let next = line["players"][0]["next"].as_array().unwrap();
    let next: String = next.iter().map(|piece| piece.as_str().unwrap()).collect();
    assert_eq!(next, "IJLOOLZITTZJTLZLZZJ"[..12], "{line}");
    std::fs::write(&dump, noise(0x4000)).unwrap();
    assert_eq!(nextscope(&locate, &[&dump]).status.code(), Some(1));
    std::fs::write(&dump, [0; 5]).unwrap();
    assert_eq!(nextscope(&locate, &[&dump]).status.code(), Some(2));
}

#[test]
fn the_recipe_is_the_models_result_for_cleared_battery_ram() {
    let profile = recipe();
    let Some(Anchor::RngPair { first, .. }) = profile.anchors.first() else {
        panic!("starts with the states")
    };
    assert_eq!(*first, Game::new(Table::Plain, State(0)).piece_seed().0);
    assert_eq!(*first, Routine::LATER.call(State(0)).1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]
    #[test]
    fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0x400), small: bool) {
        for profile in [recipe(), known()] {
            let mut board = Board::new(profile, StorageOrder::AsOnBus, Game::new(Table::Plain, State(0)));
            for (number, byte) in bytes.iter().enumerate() {
                for place in [number, STATE - 0x200 + number, MAIN - 0x200 + number] {
                    board.ram[place] = if small { byte % 3 } else { *byte };
                }
            }
            for _ in 0..5 {
                board.looks(3);
                board.ram.rotate_left(1);
            }
        }
    }
}

/// About every fourth game has another seed if the carry is preserved: the first of them decides.
#[test]
fn carry_handling_is_decided_by_the_seeds_of_consecutive_games() {
    for carry in Carry::ALL {
        for setting in ["dropped", "kept"] {
            let mut profile = known();
            profile.variants.insert("carry".into(), setting.into());
            let reading = Reading { carry, ..Reading::from(Table::Plain) };
            let mut board = Board::new(profile, StorageOrder::AsOnBus, Game::new(reading, State(0)));
            let game = board.game;
            board.begin(game);
            board.play(2);
            assert_eq!(
                board.status(CheckId::SEED_ROUTINE),
                Status::NotVerified,
                "a single game does not decide it"
            );
            for _ in 0..12 {
                let next = board.game.next_game();
                board.begin(next);
                board.play(2);
            }
            assert_eq!(board.status(CheckId::SEED_ROUTINE), Status::Verified, "{carry:?} {setting}");
            assert_eq!(board.status(CheckId::SEED), Status::Verified, "{carry:?} {setting}");
            assert_eq!(board.forecast().reading.carry, carry);
            assert_eq!(board.mismatches, [], "{carry:?} {setting}");
            // And the next game is predicted by it.
            let (seed, _) = board.forecast().next_game.clone().expect("the main generator is known");
            assert_eq!(seed, board.game.next_game().piece_seed());
        }
    }
}

#[test]
fn the_zero_test_is_decided_by_a_state_whose_low_word_is_zero() {
    for zero in ZeroTest::ALL {
        let reading = Reading { zero, ..Reading::from(Table::Plain) };
        let mut board = Board::new(known(), StorageOrder::AsOnBus, Game::new(reading, State(77)));
        let game = board.game;
        board.begin(game);
        board.play(2);
        // The main generator reaches such a state once in 65,536 calls.
        board.game.main = State(0x1234_0000);
        board.show_states();
        board.looks(4);
        let next = board.game.next_game();
        board.begin(next);
        board.play(2);
        assert_eq!(board.forecast().reading.zero, zero);
        assert_eq!(board.status(CheckId::SEED), Status::Verified, "{zero:?}");
        assert_eq!(board.mismatches, [], "{zero:?}");
    }
}
