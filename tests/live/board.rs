//! The players' boards: reading, predicting chains, and verifying the emulator.

use crate::board_game::{Game, Manner, PLAIN};
use nextscope::games::puyo_tsu::live::{BOARD_LEN, decode};
use nextscope::live::{CheckId, Status, route_start};
use nextscope::puyo::{Cell, Field, ROWS, Rules, to_rows};
use nextscope_boards::Color;
use proptest::prelude::*;

/// The rows of a board in RAM.
fn ram(rows: &[[u8; 6]]) -> [u8; BOARD_LEN] {
    let mut bytes = [0; BOARD_LEN];
    for (row, cells) in (ROWS - rows.len()..).zip(rows) {
        for (column, cell) in cells.iter().enumerate() {
            bytes[12 * row + 2 * column] = *cell;
            bytes[12 * row + 2 * column + 1] = 0xFF;
        }
    }
    bytes
}

#[test]
fn boards_are_read_as_documented() {
    let field =
        decode(&ram(&[[0, 0, 0, 0, 0, 0xF0], [0x80, 0x91, 0xA2, 0xB4, 0xCF, 0xD0], [0xE0; 6]])).unwrap();
    assert_eq!(to_rows(&field), [".....H", "RYGGPB", "OOOOOO"]);
    assert_eq!(field.get(2, 1), field.get(3, 1), "both greens");
    assert_eq!(decode(&[0; BOARD_LEN]), Ok(Field::default()));
    let mut top = [0; BOARD_LEN];
    top[0] = 0x80;
    assert_eq!(decode(&top).unwrap().get(0, 13), Cell::Puyo(Color::RED), "the top row, which is hidden");
}

#[test]
fn an_invalid_cell_byte_is_reported_with_its_position() {
    let error = decode(&ram(&[[0x80; 6], [0x80, 0x80, 0x12, 0x80, 0x80, 0x80]])).unwrap_err();
    assert_eq!(error.to_string(), "row 14, column 3 of the board is 12, which is not a cell");
    let mut game = Game::new(4, PLAIN, 1);
    let at = game.at("p1_board");
    game.ram[at + 17] = 1; // the last draw does not matter
    game.wait(2);
    assert!(!game.detail(0).contains("no cell"), "{}", game.detail(0));
    game.ram[at + 16] = 1;
    game.wait(2);
    assert_eq!(game.detail(0), "row 2, column 3 of the board is 01, which is not a cell");
    assert_eq!((game.status(0), game.found.len()), (Status::NotVerified, 0));
    assert!(game.forecast(0).board.is_none() && route_start(&game.view(), 0).is_none());
    game.ram[at + 16] = 0;
    game.wait(2);
    assert!(game.forecast(0).board.is_some());
}

proptest! {
    #[test]
    fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), BOARD_LEN)) {
        let bytes = <[u8; BOARD_LEN]>::try_from(bytes).unwrap();
        let all = bytes.chunks(2).all(|word| word[0] == 0 || word[0] >= 0x80);
        prop_assert_eq!(decode(&bytes).is_ok(), all);
    }
}

fn manners() -> impl Iterator<Item = Manner> + Clone {
    let yes_no = [false, true];
    yes_no.into_iter().flat_map(move |points_first| {
        yes_no.map(|slow| Manner { points_first, slow, garbage: points_first == slow, ..PLAIN })
    })
}

#[test]
fn thousands_of_boards_and_their_scores_match() {
    for (seed, (manner, group)) in
        (100..).zip(manners().flat_map(|manner| (2..=6).map(move |group| (manner, group))))
    {
        let mut game = Game::new(group, manner, seed);
        for turn in 0..240 {
            if turn == 120 {
                game.round();
            }
            game.turn(turn % 2);
        }
        game.round();
        assert_eq!(game.found, [], "{manner:?}, groups of {group}");
        assert_eq!(game.totals.boards_missed, 0);
        // The deal after a player's last pair is never sampled; a chain counts anyway.
        assert!(game.totals.boards_verified + 8 >= game.landings, "{:?} of {}", game.totals, game.landings);
        assert!(
            game.chains >= 5 && game.totals.chains_verified == game.chains,
            "{:?} of {}",
            game.totals,
            game.chains
        );
        assert_eq!(
            (game.status(0), game.status(1)),
            (Status::Verified, Status::Verified),
            "{}",
            game.detail(0)
        );
    }
}

#[test]
fn missed_frames_are_never_a_mismatch() {
    let hasty = manners().map(|manner| Manner { hasty: true, ..manner });
    for (seed, manner) in (200..).zip(manners().chain(hasty)) {
        for missed in [0, 30, 200, 600, 900] {
            let mut game = Game::new(4, Manner { missed, ..manner }, seed);
            for turn in 0..300 {
                if turn % 40 == 7 {
                    let gap = game.dice.below(90);
                    game.unseen(gap);
                }
                game.turn(turn % 2);
            }
            assert_eq!(game.found, [], "{manner:?}, {missed} of 1000 frames missed");
            let slow = missed <= 30 && !manner.hasty;
            assert!(!slow || game.totals.boards_verified > game.landings * 3 / 4, "{:?}", game.totals);
        }
    }
}

/// Turns until the board has some puyos.
fn filled(manner: Manner, seed: u64) -> Game {
    let mut game = Game::new(4, manner, seed);
    for _ in 0..12 {
        game.turn(0);
    }
    assert_eq!(game.found, []);
    game
}

/// Another colour for the puyo on a column's floor.
fn repaint(game: &mut Game, column: usize) -> bool {
    let cell = game.cell(0, 13, column) & 0xF0;
    let two = game.height(0, column) >= 2 && (0x80..0xE0).contains(&cell);
    if two {
        game.put(0, 13, column, if cell == 0x80 { 0xD0 } else { 0x80 });
    }
    two
}

#[test]
fn a_wrong_puyo_is_flagged_once_whenever_it_appears() {
    let mut flagged = 0;
    for seed in 300..360 {
        let mut game = filled(PLAIN, seed);
        let column = usize::try_from(seed).unwrap() % 6;
        // While the pair is in the air, or after the game is over.
        let early = seed % 2 == 0;
        game.deal(0);
        game.wait(3);
        if early && !repaint(&mut game, column) {
            continue;
        }
        game.land(0, 5, 0);
        if game.chain(0) > 0 || (!early && !repaint(&mut game, column)) {
            continue;
        }
        game.wait(3);
        game.judge(0);
        let [mismatch] = game.found.as_slice() else { panic!("seed {seed}: {:?}", game.found) };
        assert_eq!((mismatch.check, mismatch.field.as_str()), (CheckId::BOARD_P1, "p1_board"));
        assert_eq!(mismatch.index, Some(12));
        assert!(mismatch.what.contains(&format!("column {}, row 1 ", column + 1)), "{mismatch}");
        assert_ne!(mismatch.expected, mismatch.actual);
        assert_eq!(game.status(0), Status::Mismatch);
        flagged += 1;
        // The game continues with it.
        game.land(0, 4, 0);
        game.chain(0);
        game.judge(0);
        assert_eq!((game.found.len(), game.status(0)), (1, Status::Mismatch), "until the round ends");
    }
    assert!(flagged > 20, "{flagged}");
}

#[test]
fn wrong_points_are_flagged() {
    let mut flagged = 0;
    for (seed, manner) in (400..440).zip(manners().cycle()) {
        for wrong in [10, 1000, u32::MAX - 9] {
            let mut game = filled(Manner { garbage: false, ..manner }, seed);
            let chain = (0..20).map(|_| game.turn(0)).find(|steps| *steps > 0);
            // The score of an all clear is not documented.
            if chain.is_none() || game.all_clears > 0 {
                continue;
            }
            game.pass(|game| game.score(0, wrong));
            game.wait(2);
            game.judge(0);
            let [mismatch] = game.found.as_slice() else { panic!("seed {seed}: {:?}", game.found) };
            assert_eq!((mismatch.check, mismatch.field.as_str()), (CheckId::BOARD_P1, "p1_score"));
            let [expected, actual] =
                [&mismatch.expected, &mismatch.actual].map(|text| text.parse::<u32>().unwrap());
            assert_eq!(actual.wrapping_sub(expected), wrong, "{mismatch}");
            flagged += 1;
        }
    }
    assert!(flagged > 60, "{flagged}");
}

#[test]
fn groups_that_stop_popping_are_flagged_and_those_that_never_pop_are_other_rules() {
    let mut game = filled(PLAIN, 500);
    while game.turn(0) == 0 {}
    game.turn(0);
    assert_eq!(game.found, []);
    game.manner.pops = false;
    while game.found.is_empty() {
        game.turn(0);
    }
    assert!(game.found[0].what.contains("groups of 4 or more did not pop"), "{}", game.found[0]);

    let mut game = Game::new(4, Manner { pops: false, ..PLAIN }, 501);
    for turn in 0..120 {
        game.turn(turn % 2);
    }
    assert_eq!(game.found, [], "boards that fill, and are emptied when they are full");
    assert_eq!((game.status(0), game.totals.chains_verified), (Status::NotVerified, 0));
    assert!(game.detail(0).contains("rules that are not modelled"), "{}", game.detail(0));
}

#[test]
fn groups_of_seven_are_reported_as_not_checked() {
    let mut game = Game::new(7, PLAIN, 600);
    for _ in 0..30 {
        game.turn(0);
    }
    assert_eq!((game.status(0), game.found.len()), (Status::NotVerified, 0));
    assert_eq!(game.detail(0), "groups of 7 puyos are not modelled");
    assert!(route_start(&game.view(), 0).is_none());
}

#[test]
fn attaching_in_the_middle_of_a_chain_is_no_mismatch() {
    for seed in 700..730 {
        let mut game = filled(PLAIN, seed);
        game.unseen(500);
        // The samples of a sampler that has just attached.
        game.forget();
        game.judge(0);
        for _ in 0..6 {
            game.turn(0);
        }
        assert_eq!(game.found, []);
        assert_eq!(game.status(0), Status::Verified);
    }
}

#[test]
fn loaded_states_are_no_mismatch() {
    for (seed, later) in (750..).zip([0, 0, 1, 1, 2, 5].repeat(5)) {
        let mut game = filled(PLAIN, seed);
        game.deal(0);
        game.wait(4);
        let saved = game.ram.clone();
        game.land(0, 0, 0);
        game.chain(0);
        for _ in 0..later {
            game.turn(0);
        }
        game.load(&saved);
        game.wait(3);
        game.land(0, 4, 1);
        game.chain(0);
        for _ in 0..4 {
            game.turn(0);
        }
        assert_eq!(game.found, [], "{later} pairs later");
        assert_eq!(game.status(0), Status::Verified);
    }
}

/// A game in which player 1's board is this one, from the floor up, and his pair has just been dealt.
fn with_board(rows: &[&str]) -> Game {
    let mut game = Game::new(4, PLAIN, 800);
    game.pass(|game| {
        for (row, text) in (0..14).rev().zip(rows) {
            for (column, letter) in text.chars().enumerate() {
                let cell = match letter {
                    '.' => continue,
                    'O' => 0xE0,
                    letter => 0x80 | Color::from_letter(letter).unwrap().0 << 4,
                };
                game.put(0, row, column, cell);
            }
        }
    });
    game.wait(3);
    game.deal(0);
    game.wait(3);
    game
}

#[test]
fn a_chain_is_predicted_when_the_pair_has_landed_and_stays_the_same_to_its_end() {
    // A pair of two colours is placed elsewhere: the chain is already on the board, and pops with it
    // unchanged.
    let mut game = Game::new(4, PLAIN, 800);
    let pair = game.pair(0, 0);
    let [axis, other] = [
        pair.axis,
        Color::PAIR_COLORS.into_iter().find(|color| ![pair.axis, pair.child].contains(color)).unwrap(),
    ];
    let (a, b) = (axis.letter(), other.letter());
    // Three of the axis' colour under four of another that join when those have popped.
    let rows = [format!("{a}{a}{a}..{b}"), format!("{b}{b}{b}...")];
    game = with_board(&[&rows[0], &rows[1]]);
    let before = game.forecast(0).board.unwrap();
    assert!(before.pair_in_the_air() && before.chain().is_none());
    let start = route_start(&game.view(), 0).unwrap();
    assert_eq!((start.pairs[0], start.pair_index, start.settled), (pair, 0, true));
    assert_eq!((start.field, start.rules), (before.field, Rules::TSU));
    assert_eq!(start.pairs.len(), 129);

    game.land(0, 3, 0);
    let landed = game.forecast(0).board.unwrap();
    let chain = landed.chain().expect("the chain fires");
    let (steps, points, after) = (chain.steps.len(), chain.points(), chain.after);
    let start = route_start(&game.view(), 0).unwrap();
    assert_eq!((start.field, start.pair_index, start.settled), (after, 1, false));
    assert_eq!(start.pairs[0], game.pair(0, 1));
    assert_eq!(game.chain(0), steps);
    let done = game.forecast(0).board.unwrap();
    assert!(done.chain().is_none() && !done.pair_in_the_air());
    assert_eq!(done.field, after);
    let start = route_start(&game.view(), 0).unwrap();
    assert_eq!((start.field, start.pair_index, start.settled), (after, 1, true));
    game.judge(0);
    assert_eq!(game.status(0), Status::Verified);
    assert!(game.detail(0).contains(&format!("for {points} points")), "{}", game.detail(0));
    let Some(observation) = game.observation().get::<nextscope::games::puyo_tsu::live::Observation>() else {
        panic!()
    };
    assert_eq!(observation.players[0].board, Some(Ok(after)));
}
