//! From pieces to states: the fast search finds what the models themselves deal, and misses nothing.

use crate::games::piece::{Dealer, Piece, letters};
use crate::games::pieces::PieceOptions;
use crate::games::tgm::arika::State;
use crate::games::tgm::tgm2::Tgm2;
use crate::seeds::pieces::PieceGame;
use crate::seeds::pieces::{Answer, GamePosition, Narrowing, PieceQuery, Steps, agreed, games, parse_pieces};
use nextscope_task::Progress;

fn query(game: PieceGame, variant: &str, text: &str) -> PieceQuery {
    PieceQuery { pieces: parse_pieces(text).unwrap(), ..PieceQuery::new(game, variant).unwrap() }
}

fn search(query: &PieceQuery) -> Answer {
    query.search(&Progress::default()).expect("it can be searched for").expect("not cancelled")
}

fn states(query: &PieceQuery, answer: &Answer) -> Vec<String> {
    answer.stored.iter().flatten().map(|&start| query.state(start)).collect()
}

/// The pieces of a game from piece `at` on.
fn dealt(game: PieceGame, variant: &str, seed: u32, at: usize, count: usize) -> String {
    let mut dealer = game.dealer(variant, seed, PieceOptions::default()).unwrap();
    letters(&dealer.deal_many(at - 1 + count)[at - 1..])
}

#[test]
fn recorded_games_are_found_again_from_their_first_pieces() {
    for (game, seed, pieces) in [
        (PieceGame::from_id("tgm2").unwrap(), 7, "JTOLSJTZISOZLITJ"),
        (PieceGame::from_id("tgm2").unwrap(), 0x22B, "LJISZTOLJIZOST"),
        (PieceGame::from_id("tgm2").unwrap(), 0x43B7, "TIJOSTZIJSLZIJSLTOZJ"),
        (PieceGame::from_id("tgm3").unwrap(), 0x1106, "JLTIOJSLZIJTOLZSTIOJSTIZO"),
        (PieceGame::from_id("tgm1").unwrap(), 0, "JILSZTOLIJTIZSZOLJTS"),
    ] {
        let query = query(game, "", pieces);
        let answer = search(&query);
        assert!(states(&query, &answer).contains(&format!("0x{seed:08X}")), "{game} {seed:X}: {answer:?}");
        // Every state that is found deals the pieces, and the next ones are counted correctly.
        let mut next = [0; 7];
        for mut dealer in query.dealers(&answer) {
            next[dealer.deal().index()] += 1;
        }
        for state in states(&query, &answer) {
            let state = u32::from_str_radix(&state[2..], 16).unwrap();
            assert_eq!(dealt(game, "", state, 1, pieces.len()), pieces);
        }
        assert_eq!((answer.next, answer.count), (next, next.iter().sum::<u64>()));
    }
}

/// The oracle: every state below `end`, dealt by the model itself, without blocks, threads or shortcuts.
fn plainly(query: &PieceQuery, end: u32) -> (u64, [u64; 7], usize, Vec<String>) {
    let (mut count, mut next, mut matched, mut states) = (0, [0; 7], 0, Vec::new());
    for seed in 0..end {
        let mut dealer = query.game.dealer(query.variant, seed, PieceOptions::default()).unwrap();
        let GamePosition::Piece(first) = query.at else { panic!("from the start") };
        for _ in 1..first {
            dealer.deal();
        }
        let right = query.pieces.iter().take_while(|piece| {
            let dealt = dealer.deal();
            piece.is_none_or(|piece| piece == dealt)
        });
        let right = right.count();
        matched = matched.max(right);
        if right == query.pieces.len() {
            count += 1;
            next[dealer.deal().index()] += 1;
            states.push(format!("0x{seed:08X}"));
        }
    }
    (count, next, matched, states)
}

#[test]
fn the_search_finds_what_trying_every_state_finds() {
    let query = query(PieceGame::from_id("tgm2").unwrap(), "", "TIJOSTZI");
    let answer = search(&query);
    let mut found = states(&query, &answer);
    found.sort();
    assert_eq!((answer.count, answer.next, answer.matched, found), plainly(&query, 1 << 25));
}

#[test]
fn every_interpretation_finds_among_some_states_what_trying_these_finds() {
    for (game, variant, at, unseen) in [
        (PieceGame::from_id("tgm2").unwrap(), "", 2, Some(3)),
        (PieceGame::from_id("tgm1").unwrap(), "", 1, None),
        (PieceGame::from_id("tgm1").unwrap(), "3-passes", 1, None),
        (PieceGame::from_id("tgm1").unwrap(), "document", 1, None),
        (PieceGame::from_id("tgm3").unwrap(), "", 1, None),
        (PieceGame::from_id("tgm3").unwrap(), "", 1, Some(0)),
        (PieceGame::from_id("tgm3").unwrap(), "", 1, Some(1)),
        (PieceGame::from_id("tgm3").unwrap(), "", 3, None),
        (PieceGame::from_id("tgm3").unwrap(), "document", 1, Some(0)),
        (PieceGame::from_id("tetris-1985").unwrap(), "arika", 1, None),
        (PieceGame::from_id("tetris-worlds").unwrap(), "arika", 1, None),
    ] {
        let end = 1 << 21;
        let mut query = query(game, variant, &dealt(game, variant, 0x000B_CDEF, at, 9));
        query.at = GamePosition::Piece(u32::try_from(at).unwrap());
        if let Some(unseen) = unseen {
            query.pieces[unseen] = None;
        }
        let answer = search(&query);
        let mut found = states(&query, &answer);
        found.retain(|state| u32::from_str_radix(&state[2..], 16).unwrap() < end);
        found.sort();
        let (_, _, matched, states) = plainly(&query, end);
        assert_eq!(matched, answer.matched, "{game} {variant} from {at}");
        assert!(states.contains(&"0x000BCDEF".to_owned()), "{game} {variant} from {at}");
        assert!(found == states, "{game} {variant} from {at}: {} and {}", found.len(), states.len());
    }
}

#[test]
fn the_middle_of_a_game_is_found_without_its_beginning() {
    for (game, variant) in [
        (PieceGame::from_id("tgm2").unwrap(), ""),
        (PieceGame::from_id("tgm1").unwrap(), "4-passes"),
        (PieceGame::from_id("tgm1").unwrap(), "3-passes"),
    ] {
        let entered = dealt(game, variant, 0x00AB_CDEF, 700, 30);
        let mut query = query(game, variant, &entered);
        query.at = GamePosition::Unknown;
        let answer = search(&query);
        let dealers = query.dealers(&answer);
        assert!(!dealers.is_empty(), "{game} {variant}");
        assert_eq!(
            letters(&agreed(&dealers, 50)),
            dealt(game, variant, 0x00AB_CDEF, 730, 50),
            "{game} {variant}"
        );
        assert_eq!(games(&dealers), 1);
        query.pieces.truncate(3);
        assert!(query.search(&Progress::default()).is_err(), "three pieces are no history");
    }
    let mut no_history = query(PieceGame::from_id("tgm3").unwrap(), "", "JLTIOJSLZ");
    no_history.at = GamePosition::Unknown;
    assert!(no_history.search(&Progress::default()).is_err());
}

#[test]
fn narrowing_is_the_search_piece_by_piece() {
    let game = "LJISZTOLJIZOSTLIZOSLIJZTSLIOJZST";
    let mut narrowing = Narrowing::new(PieceGame::from_id("tgm2").unwrap(), "").unwrap();
    assert_eq!((narrowing.remaining(), narrowing.next_chances()), (1 << 25, None));
    let mut certain_since = None;
    for (place, piece) in game.chars().enumerate().take(16) {
        narrowing.push(Piece::from_letter(piece).unwrap());
        let query = query(PieceGame::from_id("tgm2").unwrap(), "", &game[..=place]);
        assert_eq!(narrowing.answer().unwrap(), &search(&query), "after {place}");
        let chances = narrowing.next_chances().unwrap();
        assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        if narrowing.games() == Some(1) {
            certain_since = certain_since.or(Some(place + 1));
            assert_eq!(letters(&narrowing.certain(10)), game[place + 1..][..10]);
        }
    }
    println!("TAP, game of seed 0x22B: certain after {certain_since:?} pieces");
    assert!(certain_since.is_some());
    assert_eq!(narrowing.first_failure(), None);
    let right = Piece::from_letter(game.chars().nth(16).unwrap()).unwrap();
    let wrong = Piece::ALL.into_iter().find(|&piece| piece != right).unwrap();
    narrowing.push(wrong);
    assert_eq!((narrowing.remaining(), narrowing.first_failure()), (0, Some(17)));
    assert_eq!(narrowing.next_chances(), None);
}

#[test]
fn an_impossible_sequence_reports_the_first_piece_that_fails() {
    for (pieces, fails) in [("S", 1), ("OJ", 1), ("JTOLSJTZISOZLITJJ", 17)] {
        let answer = search(&query(PieceGame::from_id("tgm2").unwrap(), "", pieces));
        assert_eq!((answer.count, answer.matched + 1), (0, fails), "{pieces}");
    }
}

#[test]
fn a_search_can_be_cancelled_and_reports_its_progress() {
    let progress = Progress::default();
    let query = query(PieceGame::from_id("tgm2").unwrap(), "", "JTOLS");
    assert!(query.search(&progress).unwrap().is_some());
    assert!((progress.share() - 1.0).abs() < 1e-9);
    progress.cancel();
    assert_eq!(query.search(&progress), Ok(None));
}

#[test]
fn a_found_state_is_the_generators() {
    let query = query(PieceGame::from_id("tgm2").unwrap(), "", "TIJOSTZIJSLZIJSLTOZJSLTO");
    let answer = search(&query);
    let starts = answer.stored.as_ref().unwrap();
    for (&start, dealer) in starts.iter().zip(query.dealers(&answer)) {
        let seed = u32::from_str_radix(&query.state(start)[2..], 16).unwrap();
        assert_eq!(State(seed).relevant(), State(seed));
        let mut model = Tgm2::new(seed);
        model.deal_many(24);
        assert_eq!(dealer, model.into());
    }
}

#[test]
fn games_of_sega_are_found_by_the_relevant_bits() {
    for (game, variant, bits) in [
        (PieceGame::from_id("sega-tetris").unwrap(), "", 22),
        (PieceGame::from_id("flash-point").unwrap(), "low-word", 22),
        (PieceGame::from_id("flash-point").unwrap(), "whole-long", 22),
    ] {
        for (seed, at) in [(0, 1), (0x1234_5678, 1), (0xFFFF_0001, 3), (0x2A6D_0000, 90)] {
            let mut query = query(game, variant, &dealt(game, variant, seed, at, 24));
            query.at = GamePosition::Piece(u32::try_from(at).unwrap());
            let answer = search(&query);
            let dealers = query.dealers(&answer);
            assert_eq!(games(&dealers), 1, "{game} {variant} {seed:X}");
            assert_eq!(letters(&agreed(&dealers, 40)), dealt(game, variant, seed, at + 24, 40));
            let found = states(&query, &answer);
            let bits = |state: u32| state & ((1 << bits) - 1);
            let default =
                if game == PieceGame::from_id("sega-tetris").unwrap() { 0x2A6D_365A } else { 0x2A6D_365B };
            let zero = seed == 0 || (seed & 0xFFFF == 0 && variant == "low-word");
            let expected = format!("0x{:08X}", bits(if zero { default } else { seed }));
            assert!(found.contains(&expected), "{game} {variant} {seed:X}: {found:?}");
        }
    }
    // Bloxeed is found by the seed of its pieces: the power-on one is 0x2A6D8010 (reference 4.2).
    for variant in ["plain", "table"] {
        let query = query(
            PieceGame::from_id("bloxeed").unwrap(),
            variant,
            &dealt(PieceGame::from_id("bloxeed").unwrap(), variant, 0, 1, 24),
        );
        let answer = search(&query);
        assert!(
            states(&query, &answer).contains(&format!("0x{:08X}", 0x2A6D_8010u32 & 0x7F_FFFF)),
            "{answer:?}"
        );
    }
}

#[test]
fn nes_games_are_found_when_the_frames_between_picks_are_known() {
    for steps in [1, 60] {
        let options = PieceOptions { steps, ..PieceOptions::default() };
        let mut dealer = PieceGame::from_id("tetris-nes").unwrap().dealer("", 0x8988, options).unwrap();
        let dealt = letters(&dealer.deal_many(40));
        let later = Steps::exactly(steps);
        let mut query =
            PieceQuery { later, ..query(PieceGame::from_id("tetris-nes").unwrap(), "", &dealt[..20]) };
        let found = search(&query);
        assert_eq!(states(&query, &found), ["0x8988 count 0"], "{steps}");
        assert_eq!(
            letters(&query.dealer_after(found.stored.unwrap()[0]).unwrap().deal_many(20)),
            dealt[20..]
        );
        // From the middle, with an unknown previous piece.
        query = PieceQuery {
            at: GamePosition::Piece(2),
            later,
            ..self::query(PieceGame::from_id("tetris-nes").unwrap(), "", &dealt[15..35])
        };
        let found = search(&query);
        let dealers = query.dealers(&found);
        assert_eq!((games(&dealers), letters(&agreed(&dealers, 5))), (1, dealt[35..].to_owned()));
        // The steps of each pick, which happen to be the same.
        query.steps = vec![later; 20];
        query.later = Steps::exactly(7);
        assert_eq!(search(&query).stored, found.stored);
        query.steps[3] = Steps::exactly(steps + 1);
        assert_ne!(search(&query).stored, found.stored);
    }
}
