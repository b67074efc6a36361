//! The Grand Master games and Sega's, live, on RAM that the tests make from the models and the published
//! addresses.

use crate::played::arcade::{
    Board, LAYOUT, Layout, Played, noise, profile, state_of_tgm1, state_of_tgm2, without,
};
use nextscope::console::StorageOrder;
use nextscope::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
use nextscope::games::piece::{Dealer, Piece, letters};
use nextscope::games::sega::State;
use nextscope::games::sega::cells::Cells;
use nextscope::games::sega::sega_tetris::{Game, LENGTH};
use nextscope::games::tgm::arika::History;
use nextscope::games::tgm::tgm1::{Reading, Tgm1};
use nextscope::games::tgm::tgm2::Tgm2;
use nextscope::live::{CheckId, Mismatch, ReplayVerifier, Status};
use nextscope::process::Pid;
use nextscope::profile::{Anchor, Profile, check_file, parse};
use nextscope::recording::{Header, ProfileText, Recording, Sample, Writer};
use proptest::prelude::*;
use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[test]
fn tap_is_known_from_its_first_piece_when_the_generator_is_sampled() {
    for order in [StorageOrder::AsOnBus, StorageOrder::SwappedLongs] {
        let board = Board::new(profile("tgm2p"), order);
        assert!(!board.matches(order), "empty RAM is no game");
        let mut played = Played::begin(board, Tgm2::new(7), state_of_tgm2);
        assert!(played.board.matches(order));
        let other =
            if order == StorageOrder::AsOnBus { StorageOrder::SwappedLongs } else { StorageOrder::AsOnBus };
        assert!(!played.board.matches(other), "the order is proven by content");
        // Reference 3.4: the first recorded game, without the piece that the game shows itself.
        let expected = "TOLSJTZISOZLITJZLOSTZIOOSLTIJOZTSZILTOSZJIOTOJSZLITJSZOTLIJ";
        assert!(letters(&played.board.tgm().certain).starts_with(expected));
        assert!(played.board.tgm().from_state);
        played.play(100);
        assert_eq!(played.board.mismatches, []);
        for check in [CheckId::QUEUE_P1, CheckId::PIECES, CheckId::HISTORY] {
            assert_eq!(played.board.status(check), Status::Verified, "{check:?}");
        }
        let mut ahead = played.dealer;
        assert_eq!(played.board.tgm().certain, ahead.deal_many(60));
        assert_eq!((played.board.totals.rounds, played.board.tgm().seen), (1, 101));
        assert!(played.board.totals.pairs_verified >= 100);
    }
}

#[test]
fn tap_is_narrowed_down_by_its_pieces_alone() {
    let narrowed = without(profile("tgm2p"), &["rng_state", "history"]);
    let mut played =
        Played::begin(Board::new(narrowed, StorageOrder::SwappedLongs), Tgm2::new(0x22B), state_of_tgm2);
    let mut left = played.board.tgm().remaining.expect("a number");
    assert!(left > 1_000_000 && played.board.tgm().certain.is_empty());
    let chances: f32 = played.board.tgm().chances.iter().sum();
    assert!((chances - 1.0).abs() < 1e-3);
    let mut needed = 0;
    while played.board.tgm().certain.len() < 20 {
        played.deal(None);
        played.lay();
        needed += 1;
        let now = played.board.tgm().remaining.expect("a number");
        assert!(now <= left, "candidates return");
        left = now;
        assert!(needed < 20, "25 bits take some ten pieces");
    }
    let mut ahead = played.dealer;
    let certain = played.board.tgm().certain.clone();
    assert_eq!(certain, ahead.deal_many(certain.len()));
    assert!(!played.board.tgm().from_state);
    played.play(60);
    assert_eq!(played.board.mismatches, []);
    assert_eq!(played.board.status(CheckId::PIECES), Status::Verified);
    assert!(played.board.totals.pairs_verified >= 60);
    // The next game starts from scratch.
    let mut next = Played::begin(played.board, Tgm2::new(0x43B7), state_of_tgm2);
    assert_eq!((next.board.tgm().seen, next.board.totals.rounds), (1, 2));
    next.play(3);
    assert_eq!(next.board.mismatches, []);
    assert_eq!(next.board.tgm().seen, 4);
}

#[test]
fn a_wrong_piece_is_reported_at_its_index_and_the_next_game_is_clean() {
    // By the state in RAM, after a few pieces; by the pieces alone, once they decide.
    for (fields, good) in [(&[][..], 5), (&["rng_state", "history"][..], 30)] {
        let board = Board::new(without(profile("tgm2p"), fields), StorageOrder::AsOnBus);
        let mut played = Played::begin(board, Tgm2::new(99), state_of_tgm2);
        played.play(good);
        assert_eq!(played.board.mismatches, []);
        let expected = played.dealer.clone().deal();
        played.deal(Some(other(expected)));
        let flagged: Vec<&Mismatch> =
            played.board.mismatches.iter().filter(|flagged| flagged.check == CheckId::PIECES).collect();
        assert_eq!(flagged.len(), 1);
        assert_eq!(flagged[0].index, Some(u32::try_from(good).unwrap() + 1));
        assert_eq!(
            (flagged[0].expected.clone(), flagged[0].actual.clone()),
            (expected.to_string(), other(expected).to_string())
        );
        assert_eq!(played.board.status(CheckId::PIECES), Status::Mismatch);
        let before = played.board.mismatches.len();
        played.board.put("state", 7);
        played.board.looks(3);
        let mut next = Played::begin(played.board, Tgm2::new(5), state_of_tgm2);
        next.play(3);
        assert_eq!(next.board.mismatches.len(), before);
        assert_ne!(next.board.status(CheckId::PIECES), Status::Mismatch);
    }
}

#[test]
fn a_piece_that_was_not_shown_as_the_next_is_reported() {
    let board = Board::new(profile("tgm2p"), StorageOrder::AsOnBus);
    let mut played = Played::begin(board, Tgm2::new(1), state_of_tgm2);
    played.play(4);
    let shown = played.next;
    played.next = Piece::ALL[(shown.index() + 1) % 7];
    let came = played.next;
    played.deal(None);
    let mismatch = &played.board.mismatches[0];
    assert_eq!(mismatch.check, CheckId::QUEUE_P1);
    assert_eq!(
        (mismatch.expected.as_str(), mismatch.actual.as_str()),
        (&*shown.to_string(), &*came.to_string())
    );
    assert_eq!(mismatch.index, Some(4));
    assert_eq!(played.board.mismatches.len(), 1);
}

/// Events between samples, in a game whose remaining pieces are all known at first.
fn loses_sight<D: Dealer + Clone>(played: &mut Played<D>) {
    played.play(30);
    let sampled = played.board.tgm().seen;
    for phase in [2, 3, 5] {
        played.deal(None);
        played.board.put("state", phase);
        played.board.looks(3);
        played.board.timer += 300;
        played.board.looks(3);
        played.lay();
    }
    assert_eq!(played.board.tgm().seen, sampled + 3, "moments without a deal lose nothing");
    assert_eq!(played.board.totals.pairs_missed, 0);
    // The number of sampled pieces, and how many come unsampled or are undone after them; from the second on,
    // nothing is known.
    for (count, (sampled, unsampled)) in
        [(4, 1), (5, 3), (3, 1), (4, 2), (1, 3), (3, 9), (20, 30)].into_iter().enumerate()
    {
        played.board.patient = count == 0;
        played.play(sampled);
        played.board.blind = true;
        played.play(unsampled);
        played.board.blind = false;
        assert_eq!(played.board.mismatches, [], "{unsampled} unsampled after {sampled}");
        played.play(sampled);
        let (ram, timer) = (played.board.ram.clone(), played.board.timer);
        let (dealer, next) = (played.dealer.clone(), played.next);
        played.play(unsampled);
        (played.board.ram, played.board.timer) = (ram, timer);
        (played.dealer, played.next) = (dealer, next);
        played.board.looks(3);
        played.play(1);
        assert_eq!(played.board.mismatches, [], "{unsampled} undone after {sampled}");
    }
    assert!(played.board.totals.pairs_missed > 0);
    // The rest of the game becomes known again.
    played.board.patient = true;
    played.play(20);
    assert_eq!(played.board.mismatches, []);
    let certain = played.board.tgm().certain.clone();
    assert!(certain.len() >= 20, "{:?} left", played.board.tgm().remaining);
    assert_eq!(certain, played.dealer.clone().deal_many(certain.len()));
    assert_eq!(played.board.status(CheckId::PIECES), Status::Verified);
}

#[test]
fn unsampled_pieces_and_loaded_states_are_no_mismatch() {
    // Known by the state in RAM, and by the pieces alone.
    for fields in [&[][..], &["rng_state", "history"][..]] {
        let board = Board::new(without(profile("tgm2p"), fields), StorageOrder::AsOnBus);
        loses_sight(&mut Played::begin(board, Tgm2::new(0x22B), state_of_tgm2));
    }
    let board = Board::new(profile("tgmj"), StorageOrder::AsOnBus);
    loses_sight(&mut Played::begin(board, Tgm1::new(0x1234, Reading::FourPasses), state_of_tgm1));
}

#[test]
fn a_sampler_that_is_late_every_time_is_no_mismatch() {
    for id in ["tgm2p", "tgmj"] {
        let narrowed = without(profile(id), &["rng_state", "history"]);
        let mut played =
            Played::begin(Board::new(narrowed, StorageOrder::AsOnBus), Tgm2::new(0x22B), state_of_tgm2);
        played.play(4);
        for _ in 0..3 {
            let timer = played.board.timer;
            played.board.blind = true;
            played.deal(None);
            played.board.blind = false;
            played.board.timer = timer;
            // 8 frames between any two samples, and never two samples of the same phase.
            for phase in [2, 5] {
                played.board.timer += 4;
                played.board.put("state", phase);
                played.board.look();
            }
        }
        played.play(2);
        assert_eq!(played.board.mismatches, [], "{id}");
        assert!(played.board.totals.pairs_missed > 0, "{id}");
    }
}

#[test]
fn a_generator_that_advances_on_its_own_is_no_mismatch_and_no_forecast() {
    let board = Board::new(profile("tgm2p"), StorageOrder::AsOnBus);
    let mut played = Played::begin(board, Tgm2::new(3), state_of_tgm2);
    for _ in 0..5 {
        played.deal(None);
        played.board.put("state", 3);
        played.board.looks(2);
        played.dealer.rng = played.dealer.rng.next();
        played.show_state();
        played.board.looks(2);
    }
    let wrong = played.board.mismatches.iter().filter(|mismatch| !mismatch.what.contains("no state")).count();
    assert_eq!(wrong, 0, "{:?}", played.board.mismatches);
    assert_ne!(played.board.status(CheckId::PIECES), Status::Verified);
}

#[test]
fn a_running_game_is_picked_up_in_its_middle() {
    let narrowed = without(profile("tgm2p"), &["rng_state", "history"]);
    let mut dealer = Tgm2::new(0xABCD);
    dealer.deal_many(200);
    let next = dealer.deal();
    let board = Board::new(narrowed, StorageOrder::SwappedLongs);
    let mut played = Played { board, dealer, state_of: state_of_tgm2, next };
    let mut pieces = 0;
    loop {
        played.deal(None);
        played.lay();
        pieces += 1;
        if played.board.tgm().certain.len() >= 20 {
            break;
        }
        assert!(pieces < 30);
    }
    let certain = played.board.tgm().certain.clone();
    let mut ahead = played.dealer;
    assert_eq!(certain, ahead.deal_many(certain.len()));
    played.play(20);
    assert_eq!(played.board.mismatches, []);
}

#[test]
fn tgm1_is_narrowed_down_under_either_reading() {
    for (variant, reading) in [("4-passes", Reading::FourPasses), ("3-passes", Reading::ThreePasses)] {
        let mut profile = profile("tgmj");
        profile.variants.insert("passes".into(), variant.into());
        let board = Board::new(profile, StorageOrder::AsOnBus);
        assert!(!board.matches(StorageOrder::AsOnBus));
        let mut played = Played::begin(board, Tgm1::new(0x1234, reading), state_of_tgm1);
        assert!(played.board.matches(StorageOrder::AsOnBus));
        played.play(25);
        assert_eq!(played.board.mismatches, [], "{variant}");
        let certain = played.board.tgm().certain.clone();
        assert!(certain.len() >= 20, "{variant}: {} left", played.board.tgm().remaining.unwrap());
        let mut ahead = played.dealer;
        assert_eq!(certain, ahead.deal_many(certain.len()));
    }
}

/// A game of which only the pieces are visible, and which does not wait for the search.
fn hasty(seed: u32) -> Played<Tgm2> {
    let narrowed = without(profile("tgm2p"), &["rng_state", "history"]);
    let board = Board { patient: false, ..Board::new(narrowed, StorageOrder::SwappedLongs) };
    Played::begin(board, Tgm2::new(seed), state_of_tgm2)
}

fn other(piece: Piece) -> Piece {
    Piece::ALL[(piece.index() + 3) % 7]
}

#[test]
fn pieces_are_accepted_while_the_states_are_still_being_narrowed_down() {
    let mut played = hasty(0x22B);
    // The update with the first piece does not wait for its result.
    assert!(played.board.tgm().narrowing);
    assert_eq!(played.board.tgm().chances, [0.0; 7]);
    let pieces = played.board.tracker.verdict();
    let pieces = pieces.checks.iter().find(|check| check.id == CheckId::PIECES).unwrap();
    assert_eq!(pieces.status, Status::NotVerified);
    assert!(pieces.detail.contains("narrowing"), "{}", pieces.detail);
    assert!(played.board.tracker.search_progress().is_some());
    played.play(14);
    played.board.settle();
    assert!(!played.board.tgm().narrowing);
    assert_eq!((played.board.tgm().seen, played.board.tgm().remaining), (15, Some(1)));
    assert_eq!(played.board.tgm().certain, played.dealer.to_owned().deal_many(60));
    assert_eq!(played.board.mismatches, []);
    // Pieces sampled before they could be predicted do not count as predicted, those after them do.
    let counted = played.board.totals.pairs_verified;
    assert!(counted < 10, "{counted} of 15");
    played.board.patient = true;
    played.play(5);
    assert_eq!(played.board.status(CheckId::PIECES), Status::Verified);
    assert_eq!(played.board.totals.pairs_verified, counted + 5);
}

#[test]
fn a_wrong_piece_that_had_to_wait_is_reported_once_at_its_own_index() {
    let mut played = hasty(99);
    played.play(20);
    let expected = played.dealer.clone().deal();
    let before = played.board.frame;
    played.deal(Some(other(expected)));
    let sampled = before + 1..=played.board.frame;
    played.play(4);
    played.board.settle();
    assert_eq!(played.board.mismatches.len(), 1, "{:?}", played.board.mismatches);
    let mismatch = &played.board.mismatches[0];
    assert_eq!((mismatch.check, mismatch.index, mismatch.round), (CheckId::PIECES, Some(21), 1));
    assert!(sampled.contains(&mismatch.frame), "frame {}, sampled in {sampled:?}", mismatch.frame);
    assert_eq!(
        (mismatch.expected.as_str(), mismatch.actual.as_str()),
        (&*expected.to_string(), &*other(expected).to_string())
    );
    assert_eq!(played.board.status(CheckId::PIECES), Status::Mismatch);
    assert_eq!(played.board.totals.mismatches, 1);
    assert!(played.board.tgm().certain.is_empty());
}

#[test]
fn a_wrong_piece_of_a_finished_game_is_reported_for_that_game() {
    let mut played = hasty(99);
    played.play(20);
    let expected = played.dealer.clone().deal();
    played.deal(Some(other(expected)));
    played.board.put("state", 7);
    played.board.looks(3);
    let mut next = Played::begin(played.board, Tgm2::new(5), state_of_tgm2);
    next.play(3);
    next.board.settle();
    let flagged: Vec<_> =
        next.board.mismatches.iter().map(|flagged| (flagged.check, flagged.index, flagged.round)).collect();
    assert_eq!(flagged, [(CheckId::PIECES, Some(21), 1)]);
    assert_ne!(next.board.status(CheckId::PIECES), Status::Mismatch);
    assert_eq!((next.board.tgm().seen, next.board.totals.rounds), (4, 2));
}

/// The recipe on another console, as in the test cartridge.
fn genesis_profile() -> Profile {
    let text = include_str!("../../profiles/sega-tetris.toml").replace("\"system-16\"", "\"genesis\"");
    parse(&text, "genesis").0.expect("a good profile")
}

#[test]
fn sega_tetris_is_found_in_noise_and_followed_from_game_to_game() {
    let words = Layout { sequence: 0x1000, cells: Cells::Words, ..LAYOUT };
    // At an even address, codes in the wrong byte order are still codes.
    let even = Layout { sequence: 0x12C0, ..LAYOUT };
    for (profile, layout) in [
        (profile("sega-tetris"), &LAYOUT),
        (genesis_profile(), &LAYOUT),
        (profile("sega-tetris"), &words),
        (genesis_profile(), &words),
        (genesis_profile(), &even),
    ] {
        for order in StorageOrder::OF_16_BIT_BUS {
            let mut board = Board::new(profile.clone(), order);
            board.ram = noise(board.ram.len());
            assert!(!board.matches(order));
            board.looks(3);
            assert!(board.forecast.is_none());
            let mut game = Game::new(State(0));
            board.lay_out(layout, game.codes(), game.state_after());
            assert!(board.matches(order));
            let other = if order == StorageOrder::AsOnBus {
                StorageOrder::SwappedWords
            } else {
                StorageOrder::AsOnBus
            };
            assert!(!board.matches(other), "the order is proven by content");
            board.looks(40);
            let observation = board.sega_seen();
            let domain = board.domain();
            let buffer = observation.buffer.as_ref().expect("the buffer is found");
            assert_eq!((buffer.address, buffer.cells), (domain.address_at(layout.sequence), layout.cells));
            assert_eq!(observation.state, Some((domain.address_at(layout.state), game.state_after())));
            assert!(board.sega().power_on);
            assert_eq!(board.sega().index, None);
            assert_eq!(board.status(CheckId::GENERATION), Status::Verified);
            assert_eq!(board.status(CheckId::SEED), Status::Verified);
            for _ in 0..30 {
                board.deal_sega(layout, &mut game);
            }
            let index = board.sega_seen().found_index.expect("the counter is found");
            assert_eq!(index.address, domain.address_at(layout.index));
            assert_eq!((index.piece_at, index.ahead), (domain.address_at(layout.piece), -1));
            assert_eq!(board.sega().index, Some(30));
            let ahead: Vec<Piece> = (0..LENGTH).map(|deals| game.ahead(deals)).collect();
            assert_eq!(board.sega().coming(), ahead);
            for monkey in [false, true, true] {
                let predicted = board.sega().next_games[usize::from(monkey)].clone();
                game = game.next_game(monkey);
                board.lay_out(layout, game.codes(), game.state_after());
                board.looks(4);
                assert_eq!(predicted, game.clone().deal_many(predicted.len()));
                assert_eq!(board.status(CheckId::GENERATION), Status::Verified);
                board.deal_sega(layout, &mut game);
                assert_eq!(board.sega().index, Some(1));
            }
            assert_eq!(board.mismatches, []);
            assert_eq!((board.totals.rounds, board.totals.rounds_verified), (4, 4));
            assert_eq!(board.totals.rounds_predicted, 3);
        }
    }
}

#[test]
fn wrong_codes_are_reported_at_their_indices_whatever_they_are() {
    let mut board = Board::new(profile("sega-tetris"), StorageOrder::SwappedWords);
    let mut game = Game::new(State(0x00C0_FFEE));
    board.lay_out(&LAYOUT, game.codes(), game.state_after());
    board.looks(40);
    assert_eq!(board.status(CheckId::GENERATION), Status::Verified);
    let mut faults = 0;
    for (number, places) in [vec![0], vec![999], vec![17, 500, 501], vec![3]].into_iter().enumerate() {
        game = game.next_game(number % 2 == 0);
        let mut codes = *game.codes();
        for &place in &places {
            codes[place] = if number == 3 { 0x55 } else { (codes[place] + 1) % 7 };
        }
        board.lay_out(&LAYOUT, &codes, game.state_after());
        board.looks(4);
        let flagged: Vec<Option<u32>> =
            board.mismatches[faults..].iter().map(|flagged| flagged.index).collect();
        let expected: Vec<Option<u32>> =
            places.iter().map(|place| Some(u32::try_from(*place).unwrap())).collect();
        assert_eq!(flagged, expected);
        assert_eq!(board.status(CheckId::GENERATION), Status::Mismatch);
        faults += places.len();
    }
    game = game.next_game(false);
    board.lay_out(&LAYOUT, game.codes(), game.state_after());
    board.looks(4);
    assert_eq!(board.mismatches.len(), faults, "no false mismatch");
    assert_eq!(board.status(CheckId::GENERATION), Status::Verified);
}

#[test]
fn unsampled_pieces_of_sega_tetris_are_counted() {
    let mut board = Board::new(profile("sega-tetris"), StorageOrder::SwappedWords);
    let mut game = Game::new(State(0));
    board.lay_out(&LAYOUT, game.codes(), game.state_after());
    board.looks(40);
    for _ in 0..30 {
        board.deal_sega(&LAYOUT, &mut game);
    }
    let (verified, unseen) = (board.totals.pairs_verified, board.totals.pairs_missed);
    assert_eq!(unseen, 0);
    // The index goes from 30 to 33: two pieces came and went between two samples.
    game.deal_many(2);
    board.deal_sega(&LAYOUT, &mut game);
    assert_eq!(board.sega().index, Some(33));
    assert_eq!((board.totals.pairs_verified, board.totals.pairs_missed), (verified + 1, 2));
    // Another game with the same pieces begins at the first.
    board.ram[LAYOUT.index..LAYOUT.index + 2].fill(0);
    board.looks(4);
    assert_eq!((board.totals.pairs_verified, board.totals.pairs_missed), (verified + 1, 2));
}

/// Both games deal by the same generator.
#[test]
fn a_dump_of_codes_that_two_games_deal_names_both() {
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join("ram.bin");
    let power_on = Game::new(State(0));
    let first = *power_on.codes();
    let later = *power_on.next_game(true).codes();
    let both = "Sega Tetris (System 16) or Flash Point (System 16)";
    for (codes, expected) in [(first, "Sega Tetris (System 16)"), (later, both)] {
        let mut board = Board::new(profile("sega-tetris"), StorageOrder::SwappedWords);
        board.lay_out(&LAYOUT, &codes, State(0));
        let mut stored = board.ram.clone();
        board.order.reorder(&mut stored);
        std::fs::write(&dump, &stored).unwrap();
        for command in ["verify", "watch"] {
            let done = std::process::Command::new(env!("CARGO_BIN_EXE_nextscope"))
                .args([command, "--dump"])
                .arg(&dump)
                .output()
                .unwrap();
            let stdout = String::from_utf8(done.stdout).unwrap();
            let line = stdout.lines().next().unwrap_or_default();
            assert_eq!(line.strip_prefix(&format!("{}: ", dump.display())), Some(expected), "{stdout}");
        }
    }
}

/// The verdict for a recording of the board's samples.
fn recorded(board: &mut Board) -> Arc<Recording> {
    let text = {
        let built_in = nextscope::profile::Library::built_in();
        ProfileText::of(built_in.by_id(&board.profile.id).unwrap())
    };
    let header = Header {
        nextscope: "0.1.0".into(),
        started: 1_700_000_000,
        emulator: EmulatorInfo { name: "a test".into(), known: true, ..EmulatorInfo::default() },
        pid: Pid(4711),
        found_by: DetectionMethod::NamedMapping,
        evidence: DetectionEvidence { anchors: vec!["cells".into()], liveness: String::new() },
        ram: "RAM".into(),
        console: board.profile.console,
        order: board.order,
        profile: text,
    };
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    for (snapshot, frame) in board.recorded.take().unwrap() {
        let counter = u32::try_from(frame).unwrap();
        let elapsed = Duration::from_micros(frame * 16_689);
        writer.sample(&Sample { snapshot, frame, counter, elapsed }).unwrap();
    }
    Arc::new(Recording::from_bytes(writer.finish().unwrap(), "test.nsrec").unwrap())
}

/// A step back in a recording needs a nearby checkpoint; without one it is judged again from its beginning.
#[test]
fn a_grand_master_game_can_be_rewound_to_every_sample() {
    let mut board = Board::new(profile("tgmj"), StorageOrder::AsOnBus);
    (board.recorded, board.patient) = (Some(Vec::new()), false);
    let mut played = Played::begin(board, Tgm1::new(0x1234, Reading::FourPasses), state_of_tgm1);
    played.play(16);
    let recording = recorded(&mut played.board);
    let mut verifier = ReplayVerifier::new(Arc::clone(&recording), Vec::new()).unwrap();
    let mut checkpoints = Vec::new();
    let mut history = Vec::new();
    loop {
        if verifier.next_index() % 20 == 10 {
            checkpoints.push(verifier.checkpoint());
        }
        let Some(now) = verifier.step().unwrap() else { break };
        history.push((now.prediction.clone(), verifier.verdict(), verifier.totals()));
    }
    assert!(checkpoints.len() > 5);
    let narrowed = history.last().and_then(|(forecast, ..)| forecast.clone());
    let narrowed =
        narrowed.as_ref().and_then(|prediction| prediction.get::<nextscope::games::tgm::live::Prediction>());
    assert!(narrowed.unwrap().remaining.unwrap() < 100);
    for mut checkpoint in checkpoints {
        let from = checkpoint.next_index();
        for index in from..(from + 10).min(recording.len()) {
            let now = checkpoint.step().unwrap().unwrap();
            let again = (now.prediction.clone(), checkpoint.verdict(), checkpoint.totals());
            assert_eq!((now.index, &again), (index, &history[usize::try_from(index).unwrap()]));
        }
    }
}

/// Trying all states for a piece takes long; leaving does not wait for it.
#[test]
fn judging_a_grand_master_game_ends_on_request() {
    let mut board = Board::new(profile("tgmj"), StorageOrder::AsOnBus);
    (board.recorded, board.patient) = (Some(Vec::new()), false);
    let mut played = Played::begin(board, Tgm1::new(0x1234, Reading::FourPasses), state_of_tgm1);
    played.play(6);
    let recording = recorded(&mut played.board);
    let stop = Arc::new(AtomicBool::new(true));
    let mut verifier = ReplayVerifier::new(recording, Vec::new()).unwrap().stopped_by(&stop);
    let mut last = None;
    while let Some(judged) = verifier.step().unwrap() {
        last = Some(judged);
    }
    let Some(forecast) = last
        .as_ref()
        .unwrap()
        .prediction
        .as_ref()
        .and_then(|it| it.get::<nextscope::games::tgm::live::Prediction>())
    else {
        panic!("no forecast")
    };
    assert!(forecast.narrowing, "it waited for no result");
}

/// A save state as MAME writes one, with this RAM in it.
fn in_a_state(stored: &[u8]) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/states/mame-genesis.sta");
    let written = std::fs::read(path).unwrap();
    let (header, packed) = written.split_at(32);
    let mut all = Vec::new();
    flate2::read::ZlibDecoder::new(packed).read_to_end(&mut all).unwrap();
    // At any offset: the RAM is located by content.
    let at = (all.len() / 2) & !0xFFF;
    all[at..at + stored.len()].copy_from_slice(stored);
    let mut packer = flate2::write::ZlibEncoder::new(header.to_vec(), flate2::Compression::default());
    packer.write_all(&all).unwrap();
    packer.finish().unwrap()
}

#[test]
fn found_addresses_become_a_valid_working_profile() {
    let folder = tempfile::tempdir().unwrap();
    let (dump, file) = (folder.path().join("ram.bin"), folder.path().join("found.toml"));
    let mut board = Board::new(profile("sega-tetris"), StorageOrder::SwappedWords);
    board.ram = noise(board.ram.len());
    let game = Game::new(State(0)).next_game(true);
    board.lay_out(&LAYOUT, game.codes(), game.state_after());
    let mut stored = board.ram.clone();
    board.order.reorder(&mut stored);
    std::fs::write(&dump, &stored).unwrap();
    let own = folder.path().join("own");
    std::fs::create_dir(&own).unwrap();
    let run = |dump: &std::path::Path, id: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_nextscope"))
            .args(["profile", "locate", "--json", "--profile", id])
            .args([
                std::path::Path::new("--profiles"),
                &own,
                "--dump".as_ref(),
                dump,
                "--write".as_ref(),
                &file,
            ])
            .output()
            .unwrap()
    };
    let done = run(&dump, "sega-tetris");
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let output: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(output["sequence"], "0xFFCE41");
    assert_eq!(output["rng_state"], "0xFFE336");
    assert_eq!((&output["power_on"], &output["wrong"]), (&false.into(), &0.into()));
    let (found, diagnostics) = check_file(&file);
    assert_eq!(diagnostics.diagnostics, []);
    let found = found.expect("it can be used");
    let mut known = Board::new(found, StorageOrder::SwappedWords);
    known.ram.clone_from(&board.ram);
    assert!(known.matches(StorageOrder::SwappedWords) && !known.matches(StorageOrder::AsOnBus));
    known.looks(3);
    assert!(known.sega_seen().buffer.as_ref().unwrap().known);
    assert_eq!(known.status(CheckId::SEED), Status::Verified);
    assert_eq!(run(&dump, "sega-tetris").status.code(), Some(2), "an existing file is not overwritten");
    // A save state does not say where RAM is in it, but content at a known address does.
    let state = folder.path().join("state.sta");
    std::fs::write(&state, in_a_state(&stored)).unwrap();
    let refused = run(&state, "sega-tetris");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("located by an anchor at a fixed address"),
        "{refused:?}"
    );
    let anchor = board.ram[0x40..0x50].iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
    let placed = format!("\n[[anchors]]\nkind = \"bytes\"\naddress = 0xFFC040\nhex = \"{anchor}\"\n");
    let text = profile("sega-tetris").text.replace("id = \"sega-tetris\"", "id = \"mine\"");
    std::fs::write(own.join("mine.toml"), text + &placed).unwrap();
    std::fs::remove_file(&file).unwrap();
    let done = run(&state, "mine");
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let same: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&same["sequence"], &same["rng_state"]), (&output["sequence"], &output["rng_state"]));
    std::fs::write(&dump, noise(0x4000)).unwrap();
    assert_eq!(run(&dump, "sega-tetris").status.code(), Some(1));
    std::fs::write(&dump, [0; 5]).unwrap();
    assert_eq!(run(&dump, "sega-tetris").status.code(), Some(2));
}

#[test]
fn the_recipes_start_like_the_models() {
    for (id, seed) in [("sega-tetris", 0), ("flash-point", 0x2A6D_365B)] {
        let profile = profile(id);
        let Some(Anchor::PieceBuffer { pattern }) = profile.anchors.first() else {
            panic!("{id}: starts with the codes")
        };
        assert_eq!(pattern[..], Game::new(State(seed)).codes()[..pattern.len()], "{id}");
    }
    assert_eq!(History::new([Piece::J, Piece::Z, Piece::S, Piece::S]).pieces().unwrap()[0], Piece::J);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]
    #[test]
    fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0x200), small: bool) {
        for id in ["tgm2p", "tgmj", "sega-tetris", "flash-point"] {
            // Narrowing is slow in a debug build: the generator's cells alone are enough here.
            let mut board = Board::new(profile(id), StorageOrder::AsOnBus);
            for (number, byte) in bytes.iter().enumerate() {
                let byte = if small { byte % 8 } else { *byte };
                for place in [0x64B00 + number, 0x176900 + number, number, 0x1000 + number] {
                    if let Some(cell) = board.ram.get_mut(place) {
                        *cell = byte;
                    }
                }
            }
            board.look();
            board.ram.rotate_left(1);
            board.looks(2);
        }
    }
}
