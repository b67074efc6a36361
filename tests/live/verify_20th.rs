//! The verifier of Puyo Puyo!! 20th Anniversary on a game simulated frame by frame in a RAM image, read
//! through the built-in profile: with and without faults, with a base pointer that moves and that is invalid.

use crate::played::anniversary::{ALTERNATE, ELSEWHERE, Game, MAP, PLAYERS, POINTER, POOLS, STATE, domain};
use nextscope::console::{Snapshot, StorageOrder};
use nextscope::games::puyo_20th::{PoolId, RoundSeed};
use nextscope::live::{CheckId, Status, Tracker};
use nextscope::profile::Library;

#[test]
fn before_the_first_round_nothing_is_reported_as_matching() {
    let mut game = Game::new(true);
    game.passes(3);
    assert!(game.tracker.verdict().checks.iter().all(|check| check.status == Status::Nothing));
    assert!(game.forecast.is_none());
}

#[test]
fn a_clean_game_of_many_rounds_has_no_mismatch_and_every_pair_was_forecast() {
    let mut game = Game::new(true);
    game.passes(2);
    for round in 0..12_u32 {
        let colors = [3 + u8::try_from(round % 3).unwrap(), 5 - u8::try_from(round % 3).unwrap()];
        game.round(colors, 140);
        assert_eq!(game.found, [], "round {round}");
        for id in [
            CheckId::COLOR_MAP,
            CheckId::POOL_COUNTS,
            CheckId::POOL_COPIES,
            CheckId::GENERATION,
            CheckId::SEED,
            CheckId::ROUND_SEED,
            CheckId::QUEUE_P1,
            CheckId::QUEUE_P2,
        ] {
            assert_eq!(
                game.status(id),
                Status::Verified,
                "round {round}, {id:?}: {:?}",
                game.tracker.verdict()
            );
        }
        game.draws(1 + round * 77);
        game.passes(2);
    }
    assert_eq!(game.totals.rounds, 12);
    assert_eq!(game.totals.rounds_verified, 12);
    assert_eq!(game.totals.rounds_predicted, 11, "all but the first, before which there were no pools");
    assert_eq!(game.totals.pairs_verified, 12 * (140 + 70), "each drawn pair was forecast before");
    assert_eq!(game.totals.pairs_missed, 0);
}

#[test]
fn each_interpretation_of_the_seed_is_distinguished_from_the_others() {
    for reading in RoundSeed::ALL {
        let mut game = Game::new(true);
        game.passes(2);
        game.generate(reading);
        game.passes(2);
        assert_eq!(game.found, []);
        assert_eq!(game.status(CheckId::GENERATION), Status::Verified);
        let expected = if reading == RoundSeed::UpperHalf { Status::Verified } else { Status::Mismatch };
        assert_eq!(game.status(CheckId::ROUND_SEED), expected, "{reading:?}");
    }
}

#[test]
fn every_changed_pool_byte_is_flagged_at_its_index() {
    for (id, step) in [(PoolId::Three, 17), (PoolId::Four, 19), (PoolId::Five, 23)] {
        for index in (0..256_u32).step_by(step) {
            let mut game = Game::new(true);
            game.passes(2);
            game.generate(RoundSeed::UpperHalf);
            let at = game.base + POOLS[id.index()] + index;
            let [byte] = game.get(at);
            game.put(at, &[(byte + 1) % u8::try_from(id.colors()).unwrap()]);
            game.passes(2);
            let [mismatch] = game.found.as_slice() else { panic!("{id} {index}: {:?}", game.found) };
            assert_eq!((mismatch.index, mismatch.field.as_str()), (Some(index), id.field()));
            assert_eq!(game.status(CheckId::GENERATION), Status::Mismatch);
        }
    }
}

#[test]
fn swapped_colours_are_flagged_at_the_first_cell() {
    let mut game = Game::new(true);
    game.passes(2);
    game.generate(RoundSeed::UpperHalf);
    let [first, second]: [[u8; 4]; 2] = [game.get(game.base + MAP + 4), game.get(game.base + MAP + 12)];
    game.put(game.base + MAP + 4, &second);
    game.put(game.base + MAP + 12, &first);
    game.passes(2);
    let [mismatch] = game.found.as_slice() else { panic!("{:?}", game.found) };
    assert_eq!((mismatch.check, mismatch.index), (CheckId::COLOR_MAP, Some(1)));
    assert_eq!(game.status(CheckId::COLOR_MAP), Status::Mismatch);
}

#[test]
fn a_state_that_does_not_follow_is_flagged() {
    let mut game = Game::new(true);
    game.passes(2);
    game.generate(RoundSeed::UpperHalf);
    game.put(game.base + STATE, &(game.state().0 ^ 0x8000_0000).to_le_bytes());
    game.passes(2);
    let [mismatch] = game.found.as_slice() else { panic!("{:?}", game.found) };
    assert_eq!((mismatch.check, mismatch.field.as_str()), (CheckId::SEED, "rng_state"));
    assert_eq!(game.status(CheckId::GENERATION), Status::Verified);
    assert_eq!(game.status(CheckId::SEED), Status::Mismatch);
}

#[test]
fn every_wrong_pair_is_flagged_once_at_its_number() {
    let mut game = Game::new(true);
    game.passes(2);
    game.round([4, 5], 5);
    let mut expected = Vec::new();
    for n in 0..40 {
        game.deal(0);
        if n % 4 == 0 {
            let [digit] = game.get(PLAYERS[0] + 3);
            game.put(PLAYERS[0] + 3, &[(digit + 1) % 4]);
            let dealt = u16::from_le_bytes(game.get(PLAYERS[0] + 4));
            expected.push(u32::from(dealt) + 1);
        }
        game.passes(2);
    }
    let flagged: Vec<u32> = game.found.iter().map(|mismatch| mismatch.index.unwrap()).collect();
    assert_eq!(flagged, expected);
    assert!(game.found.iter().all(|mismatch| mismatch.check == CheckId::QUEUE_P1));
}

/// A wrong pair in a queue: the samples after it are right again, and the round continues.
#[test]
fn a_check_that_failed_stays_failed_until_the_round_ends() {
    let mut game = Game::new(true);
    game.passes(2);
    game.round([4, 4], 6);
    let detail = |game: &Game| {
        let verdict = game.tracker.verdict();
        verdict.checks.into_iter().find(|check| check.id == CheckId::QUEUE_P1).unwrap().detail
    };
    assert_eq!(game.status(CheckId::QUEUE_P1), Status::Verified);
    let [right] = game.get(PLAYERS[0] + 3);
    game.put(PLAYERS[0] + 3, &[(right + 1) % 4]);
    game.passes(2);
    assert_eq!(game.found.len(), 1);
    game.put(PLAYERS[0] + 3, &[right]);
    game.passes(2);
    game.play(10);
    assert_eq!(game.found.len(), 1, "everything matches again");
    assert_eq!(game.status(CheckId::QUEUE_P1), Status::Mismatch);
    assert!(detail(&game).starts_with("1 mismatch in this round: "), "{}", detail(&game));
    assert_eq!(game.status(CheckId::QUEUE_P2), Status::Verified);
    let checkpoint = game.tracker.checkpoint();
    assert_eq!(checkpoint.verdict(), game.tracker.verdict());
    game.draws(77);
    game.passes(2);
    game.round([4, 4], 6);
    assert_eq!(game.status(CheckId::QUEUE_P1), Status::Verified, "{}", detail(&game));
}

#[test]
fn the_block_may_move_and_the_pointer_may_be_invalid() {
    let mut game = Game::new(true);
    game.passes(2);
    game.round([4, 4], 10);
    for base in ELSEWHERE {
        // In the middle of a round, with the same contents: it continues.
        game.move_to(base);
        game.passes(2);
        game.play(5);
        assert_eq!(game.status(CheckId::GENERATION), Status::Verified, "{base:X}");
        let rounds = game.totals.rounds;
        for nowhere in [0, 0x0100_0000, 0x0300_0000, 0x02FF_FFF0, u32::MAX] {
            game.put(POINTER, &nowhere.to_le_bytes());
            game.passes(3);
            assert!(game.forecast.is_none(), "{nowhere:X}");
            assert_eq!(game.status(CheckId::GENERATION), Status::Nothing);
            assert!(game.tracker.verdict().checks[0].detail.contains("which is outside"));
        }
        game.put(POINTER, &base.to_le_bytes());
        game.passes(2);
        assert_eq!(game.totals.rounds, rounds, "the same round");
        game.draws(3);
        game.passes(1);
        game.round([5, 3], 10);
        assert_eq!(game.totals.rounds, rounds + 1);
        assert_eq!(game.status(CheckId::GENERATION), Status::Verified);
    }
    assert_eq!(game.found, []);
}

#[test]
fn another_shuffle_is_not_modelled_and_no_mismatch() {
    for value in [0x8000_u32, 0xFFFF, 0x0001_8000, 0x8000_0000] {
        let mut game = Game::new(true);
        game.put(game.base + ALTERNATE, &value.to_le_bytes());
        game.passes(2);
        game.generate(RoundSeed::UpperHalf);
        for at in POOLS {
            let mut pool: [u8; 256] = game.get(game.base + at);
            pool.reverse();
            game.put(game.base + at, &pool);
        }
        game.passes(3);
        game.work();
        assert_eq!(game.found, [], "{value:X}");
        assert_eq!(game.status(CheckId::GENERATION), Status::Nothing, "{value:X}");
        let detail = game.tracker.verdict().checks[3].detail.clone();
        assert!(detail.starts_with("not modelled"), "{detail}");
    }
}

#[test]
fn attaching_in_the_middle_of_a_round_finds_the_seed_among_all() {
    let mut game = Game::new(true);
    game.passes(2);
    game.round([4, 5], 20);
    game.put(game.base + STATE, &0xDEAD_BEEF_u32.to_le_bytes());
    game.tracker = Tracker::new(nextscope::games::puyo_20th::ID);
    game.passes(3);
    assert_eq!(game.status(CheckId::GENERATION), Status::NotVerified);
    game.work();
    assert_eq!(game.status(CheckId::GENERATION), Status::Verified);
    assert_eq!(game.found, []);
}

/// The game fills the queues some frames after it made the pools; until then they are those of the previous round.
#[test]
fn attaching_before_the_queues_are_filled_is_no_mismatch() {
    let mut game = Game::new(true);
    game.passes(2);
    game.round([4, 4], 3);
    game.draws(77);
    game.generate(RoundSeed::UpperHalf);
    game.tracker = Tracker::new(nextscope::games::puyo_20th::ID);
    game.passes(5);
    assert_eq!(game.status(CheckId::QUEUE_P1), Status::NotVerified);
    game.fill([4, 4]);
    game.passes(2);
    game.play(5);
    assert_eq!(game.found, []);
    assert_eq!(game.status(CheckId::QUEUE_P1), Status::Verified);
    assert_eq!(game.status(CheckId::QUEUE_P2), Status::Verified);
}

#[test]
fn noise_in_the_pools_is_no_game() {
    let mut game = Game::new(true);
    game.passes(2);
    game.generate(RoundSeed::UpperHalf);
    for (at, colors) in POOLS.into_iter().zip(3..) {
        // The counts are right, the order is not.
        let pool: Vec<u8> = (0..=255_u8).map(|n| n % colors).collect();
        game.put(game.base + at, &pool);
    }
    game.passes(2);
    game.work();
    assert_eq!(game.status(CheckId::GENERATION), Status::Mismatch);
    assert!(!game.found.is_empty());
}

#[test]
fn without_queues_in_the_profile_the_pools_are_forecast_and_checked() {
    let mut game = Game::new(false);
    game.passes(2);
    game.round([4, 4], 3);
    assert_eq!(game.status(CheckId::GENERATION), Status::Verified);
    assert_eq!(game.status(CheckId::QUEUE_P1), Status::Nothing);
    let round = game.round.clone().unwrap();
    let Some(forecast) =
        game.forecast.as_ref().and_then(|it| it.get::<nextscope::games::puyo_20th::live::Prediction>())
    else {
        panic!("a forecast")
    };
    for id in PoolId::ALL {
        let expected: Vec<_> = (0..128).map(|number| round.pair(id, number).unwrap()).collect();
        assert_eq!(forecast.pools[id.index()].to_vec(), expected);
    }
    assert_eq!(forecast.if_now.seed, RoundSeed::UpperHalf.seed_from(game.state()));
}

#[test]
fn the_built_in_profile_reads_little_of_the_four_mebibytes() {
    let library = Library::built_in();
    let profile = library.by_id("puyo-20th-nds").unwrap();
    let game = Game::new(false);
    let snapshot = Snapshot::read_parts(
        &game.memory,
        domain(),
        game.memory.base,
        StorageOrder::AsOnBus,
        &profile.plan(),
    )
    .unwrap();
    let read: usize = snapshot.parts().map(|(_, bytes)| bytes.len()).sum();
    assert!(read < 4096, "{read} bytes");
    for field in profile.fields.values() {
        assert!(field.bytes(&snapshot).is_ok(), "{}", field.name);
    }
}
