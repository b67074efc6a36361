//! The verifier of NES Tetris on a game simulated frame by frame in a RAM image, read through the built-in
//! profile: complete, with samples missing, with samples in the middle of interrupts and picks, and with
//! faults.

use crate::played::nes::Game;
use nextscope::emulator::{any_anchor_matches, matching_anchors};
use nextscope::games::piece::Piece;
use nextscope::games::tetris_nes::TABLE;
use nextscope::live::{CheckId, Data, Status};
use std::sync::Arc;
use std::time::Instant;

#[test]
fn every_piece_of_a_completely_sampled_game_is_verified() {
    let mut game = Game::begun();
    assert_eq!((game.totals.rounds, game.totals.rounds_verified, game.totals.pairs_verified), (1, 1, 2));
    for deal in 0..300 {
        game.dealing();
        game.sample();
        game.frames(3 + deal % 5);
    }
    assert_eq!(game.found, []);
    assert_eq!((game.totals.pairs_verified, game.totals.pairs_missed), (302, 0));
    for id in [
        CheckId::GENERATOR_STEPS,
        CheckId::SPAWN_COUNT,
        CheckId::DEALT_PIECE,
        CheckId::CURRENT_PIECE,
        CheckId::STATISTICS,
    ] {
        assert_eq!(game.status(id), Status::Verified, "{id:?}");
    }
}

#[test]
fn the_forecast_has_the_pick_of_each_coming_frame_and_the_wait() {
    let mut game = Game::begun();
    for wait in 1..60 {
        let Some(forecast) = game
            .forecast
            .as_ref()
            .and_then(|it| it.get::<nextscope::games::tetris_nes::live::Prediction>().cloned())
        else {
            panic!("a forecast")
        };
        assert_eq!((forecast.next, forecast.ahead.len()), (game.next, 60));
        assert_eq!(forecast.current, nextscope::games::tetris_nes::piece_of(game.ram[0x62]));
        for piece in Piece::ALL {
            let first = forecast.ahead.iter().position(|ahead| *ahead == piece).map(|at| at + 1);
            assert_eq!(forecast.wait_for(piece), first);
        }
        game.frames(wait - 1);
        game.dealing();
        game.sample();
        assert_eq!(game.next, forecast.ahead[wait - 1], "in {wait} frames");
        game.frames(3);
    }
}

#[test]
fn unsampled_frames_are_not_reported_and_never_wrong() {
    let mut game = Game::begun();
    for deal in 0..400 {
        for _ in 0..deal % 3 {
            game.pass(); // not sampled
        }
        game.dealing();
        for _ in 0..deal % 4 {
            game.pass(); // not sampled
        }
        game.frames(4);
    }
    assert_eq!(game.found, []);
    let totals = game.totals;
    assert_eq!(totals.pairs_verified + totals.pairs_missed, 402, "{totals:?}");
    assert!(totals.pairs_verified > 50 && totals.pairs_missed > 100, "{totals:?}");
}

#[test]
fn samples_in_the_middle_of_interrupts_and_picks_are_no_mismatch() {
    let mut game = Game::begun();
    for deal in 0..500 {
        game.count();
        if deal % 3 == 0 {
            game.sample(); // the frame is counted, the generator not yet stepped
            game.step();
        } else {
            game.step();
            if deal % 3 == 1 {
                game.sample(); // the pass follows
            }
        }
        if deal % 5 == 0 {
            let before = game.spawner;
            game.spawner.count = before.count.wrapping_add(1);
            game.put();
            game.sample(); // counted, not yet picked
            game.spawner = before;
        }
        game.deal();
        game.rest();
        if deal % 2 == 0 {
            game.sample();
        }
        game.frames(4);
    }
    assert_eq!(game.found, []);
    assert!(game.totals.pairs_verified > 300, "{:?}", game.totals);
}

#[test]
fn a_state_sampled_between_the_writes_of_its_two_bytes_is_no_mismatch() {
    let mut game = Game::begun();
    for _ in 0..200 {
        game.count();
        let right = game.spawner.state.step();
        game.ram[0x17] = right.high(); // the second byte is the old one
        game.sample();
        game.step();
        game.rest();
        game.frames(1);
    }
    assert_eq!(game.found, []);
}

#[test]
fn wrong_pieces_are_flagged_at_their_number() {
    let mut game = Game::begun();
    let mut wrong = Vec::new();
    for deal in 0..140 {
        game.count();
        game.step();
        game.deal();
        if deal % 4 == 0 {
            let place = TABLE.iter().position(|(piece, _)| *piece == game.next).unwrap();
            let (piece, orientation) = TABLE[(place + 1 + deal / 4 % 6) % 7];
            game.spawner.last = orientation;
            game.put();
            game.show_next(piece);
            wrong.push(("next_piece", Some(game.dealt)));
        }
        game.rest();
        game.sample();
        game.frames(5);
    }
    assert_eq!(game.flags(), wrong);
    assert_eq!(game.totals.mismatches, 35);
    assert_eq!(game.totals.pairs_verified, 2 + 140 - 35);
}

#[test]
fn an_extra_step_a_flipped_bit_and_a_pick_that_is_not_counted_are_flagged() {
    let mut game = Game::begun();
    let mut wrong = Vec::new();
    for deal in 0..90 {
        let skipped = deal % 9 == 8;
        if skipped {
            game.spawner.count = game.spawner.count.wrapping_sub(1);
        }
        game.dealing();
        if skipped {
            wrong.push(("spawn_count", Some(game.dealt)));
        }
        game.sample();
        game.frames(4);
        if deal % 9 == 2 || deal % 9 == 5 {
            game.pass();
            game.spawner.state = match deal % 9 {
                2 => game.spawner.state.step(),
                _ => nextscope::games::tetris_nes::State(game.spawner.state.0 ^ 0x4000),
            };
            game.put();
            wrong.push(("rng_state", Some(game.dealt)));
            game.sample();
            game.frames(4);
        }
    }
    assert_eq!(game.flags(), wrong);
}

#[test]
fn another_current_piece_and_other_statistics_are_flagged() {
    let mut game = Game::begun();
    game.dealing();
    let other = TABLE
        .iter()
        .find(|(piece, _)| nextscope::games::tetris_nes::piece_of(game.ram[0x62]) != Some(*piece));
    game.ram[0x62] = other.unwrap().1;
    game.sample();
    game.frames(3);
    assert_eq!(game.flags(), [("current_piece", Some(game.dealt))]);
    game.dealing();
    let counts = game.ram[0x3F0..0x3FE].to_vec();
    game.ram[0x3F0..0x3FE].rotate_left(2);
    assert_ne!(counts, game.ram[0x3F0..0x3FE]);
    game.sample();
    game.frames(3);
    assert!(game.flags().contains(&("statistics", Some(game.dealt))), "{:?}", game.flags());
}

#[test]
fn the_demo_and_the_menus_are_not_verified_and_forecast_nothing() {
    let mut game = Game::new();
    for (mode, state) in [(1, 0), (3, 0), (5, 2)] {
        game.mode(mode, state);
        for _ in 0..20 {
            game.spawner.state = game.spawner.state.jump(5);
            game.frames(1);
            assert!(game.forecast.is_none());
        }
    }
    assert_eq!(game.found, []);
    assert_eq!(game.status(CheckId::DEALT_PIECE), Status::Nothing);
}

#[test]
fn the_anchors_match_a_game_and_no_other_memory() {
    let mut game = Game::begun();
    game.frames(1);
    assert_eq!(matching_anchors(&game.snapshot(), &game.profile).len(), 2);
    game.ram[0x750] = 0;
    assert_eq!(matching_anchors(&game.snapshot(), &game.profile).len(), 1);
    game.ram[0xBF] = 0x13;
    assert!(!any_anchor_matches(&game.snapshot(), &game.profile));
    for fill in [0, 0xEF, 0xFF, 2] {
        game.ram.fill(fill);
        assert!(!any_anchor_matches(&game.snapshot(), &game.profile), "{fill:02X}");
    }
}

#[test]
fn the_view_has_the_pieces_and_the_waits() {
    let game = Game::begun();
    let data = Data {
        snapshot: game.snapshot(),
        taken: Instant::now(),
        frame: game.frame,
        frames_per_second: 60.0,
        observation: Ok(game.seen.clone().unwrap()),
        prediction: game.forecast.clone(),
        verdict: Arc::new(game.tracker.verdict()),
    };
    let shown = data.view().unwrap();
    let [player] = &shown.pieces[..] else { panic!("one player") };
    assert_eq!((player.pieces.as_slice(), player.dealt), (&[game.next][..], Some(1)));
    assert_eq!(player.waits.as_ref().unwrap().frames.len(), 60);
    assert!(shown.players.is_empty());
}
