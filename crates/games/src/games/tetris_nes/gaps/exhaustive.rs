//! NES Tetris with unknown gaps between picks: the search finds exactly what an exhaustive walk finds.

use crate::games::piece::AnyDealer;
use crate::games::piece::{Dealer, Piece};
use crate::games::tetris_nes::{BOOT_STATE, Pick, Spawner, State, piece_of};
use crate::games::uniform::{Kind, Uniform};
use crate::seeds::pieces::PieceGame;
use crate::seeds::pieces::{Answer, GamePosition, Narrowing, PieceQuery, Report, Steps, parse_pieces};
use nextscope_task::Progress;
use std::collections::BTreeMap;
use std::time::Instant;

fn query(pieces: &str, at: u32, gaps: &str, later: &str) -> PieceQuery {
    PieceQuery {
        pieces: parse_pieces(pieces).unwrap(),
        at: GamePosition::Piece(at),
        steps: gaps.split_terminator(',').map(|gap| gap.parse().unwrap()).collect(),
        later: later.parse().unwrap(),
        ..PieceQuery::new(PieceGame::from_id("tetris-nes").unwrap(), "").unwrap()
    }
}

fn search(query: &PieceQuery) -> Answer {
    query.search(&Progress::default()).expect("it can be searched for").expect("not cancelled")
}

fn states(query: &PieceQuery, answer: &Answer) -> Vec<String> {
    let mut states: Vec<String> = answer.stored.iter().flatten().map(|&number| query.state(number)).collect();
    states.sort();
    states
}

/// In the notation of the search.
fn written(spawner: &Spawner) -> String {
    format!("{} count {} after {}", spawner.state, spawner.count % 8, piece_of(spawner.last).unwrap())
}

/// Every number of steps of a range, by hand and not by the searcher's parser.
fn each(gap: &str) -> std::ops::RangeInclusive<u64> {
    match gap.split_once("..") {
        Some((least, most)) => least.parse().unwrap()..=most.parse().unwrap(),
        None => gap.parse().unwrap()..=gap.parse().unwrap(),
    }
}

/// The oracle: every start, and every number of steps for every gap, walked one by one.
struct Walked {
    states: Vec<String>,
    next: [u64; 7],
    ways: [f64; 7],
    matched: usize,
}

fn walk(pieces: &str, at: u32, gaps: &str, later: &str) -> Walked {
    let key = |spawner: &Spawner| (spawner.state.0, spawner.count % 8, spawner.last);
    let mut reached = BTreeMap::new();
    let lasts = if at == 1 { &[0][..] } else { &[0x02, 0x07, 0x08, 0x0A, 0x0B, 0x0E, 0x12] };
    for state in BOOT_STATE.orbit() {
        for (count, &last) in (0..8).flat_map(|count| lasts.iter().map(move |last| (count, last))) {
            reached.insert((state.0, count, last), 1.0);
        }
    }
    let gaps: Vec<&str> = gaps.split_terminator(',').collect();
    let mut matched = 0;
    for (number, entered) in pieces.chars().enumerate() {
        let mut dealt = BTreeMap::new();
        for (&(state, count, last), &ways) in &reached {
            for steps in each(gaps.get(number).unwrap_or(&later)) {
                let mut spawner = Spawner { state: State(state), count, last }.after(steps);
                let (piece, _) = spawner.pick();
                if entered == '?' || entered == piece.letter() {
                    *dealt.entry(key(&spawner)).or_insert(0.0) += ways;
                }
            }
        }
        reached = dealt;
        if reached.is_empty() {
            break;
        }
        matched += 1;
    }
    let (mut next, mut all_ways) = ([0; 7], [0.0; 7]);
    let mut states = Vec::new();
    for (&(state, count, last), &ways) in &reached {
        let spawner = Spawner { state: State(state), count, last };
        states.push(written(&spawner));
        let mut deals = [false; 7];
        for steps in each(later) {
            let (piece, _) = spawner.after(steps).pick();
            deals[piece.index()] = true;
            all_ways[piece.index()] += ways;
        }
        for (next, deals) in next.iter_mut().zip(deals) {
            *next += u64::from(deals);
        }
    }
    states.sort();
    Walked { states, next, ways: all_ways, matched }
}

#[test]
fn the_search_finds_what_walking_every_start_and_every_gap_finds() {
    for (pieces, at, gaps, later) in [
        ("TJSLIOZT", 1, "", "40..41"),
        ("OSZJTLII", 1, "0,1", "17..19"),
        ("OSZ?TLIT", 4, "3..5,9,20..21", "30..31"),
        ("LLSO?", 2, "12,32766..32768", "44..45"),
        // Known gaps, and an unknown coming one.
        ("OLJOSTZST", 1, "60,60,60,60,60,60,60,60,60", "50..70"),
        // The opposite case.
        ("ZTLOSJIT", 1, "5,5..6,5..7,8,9..11,5..6,5..6,5..6", "3"),
        ("TTTTTTTTTTTT", 1, "", "1..2"),
    ] {
        let query = query(pieces, at, gaps, later);
        assert!(query.has_open_gaps());
        let answer = search(&query);
        let walked = walk(pieces, at, gaps, later);
        let case = format!("{pieces} from {at}, gaps {gaps:?}, later {later}");
        assert_eq!(answer.matched, walked.matched, "{case}");
        if walked.matched < pieces.len() {
            assert_eq!((answer.count, answer.chances()), (0, None), "{case}");
            continue;
        }
        assert_eq!(answer.count, walked.states.len() as u64, "{case}");
        assert!(answer.stored.is_some() && states(&query, &answer) == walked.states, "{case}");
        assert_eq!(answer.next, walked.next, "{case}");
        let all: f64 = walked.ways.iter().sum();
        for (chance, ways) in answer.chances().unwrap().iter().zip(walked.ways) {
            assert!((chance - ways / all).abs() < 1e-12, "{case}: {chance} and {}", ways / all);
        }
    }
}

#[test]
fn a_known_gap_leaves_the_states_that_the_starts_reach() {
    let pieces = "OLJOSTZSTJZOIO"; // 60 steps before each pick, from power-on (reference 3.2)
    let gaps = ["60"; 14].join(",");
    let closed = query(pieces, 1, "", "60");
    let starts = search(&closed);
    assert!(!closed.has_open_gaps() && starts.count > 0);
    let open = query(pieces, 1, &gaps, "59..61");
    let answer = search(&open);
    let mut come: Vec<String> = closed
        .dealers(&starts)
        .iter()
        .map(|dealer| written(&dealer.get::<crate::games::tetris_nes::Randomizer>().unwrap().spawner))
        .collect();
    come.sort();
    come.dedup();
    assert_eq!(states(&open, &answer), come);
}

/// A random game: from any state and spawn count, with random gaps out of those ranges.
fn game(rng: &mut Uniform, gaps: &[(u32, u32)]) -> (String, Spawner) {
    let mut spawner = Spawner {
        state: State::after_boot(rng.below(32767).into()),
        count: u8::try_from(rng.below(256)).unwrap(),
        last: 0,
    };
    let piece = |&(least, most): &(u32, u32)| {
        let steps = least + rng.below(most - least + 1);
        spawner = spawner.after(steps.into());
        spawner.pick().0.letter()
    };
    let pieces = gaps.iter().map(piece).collect();
    (pieces, spawner)
}

fn in_words(gaps: &[(u32, u32)]) -> String {
    gaps.iter().map(|(least, most)| format!("{least}..{most}")).collect::<Vec<_>>().join(",")
}

#[test]
fn planted_games_are_found_and_impossible_next_pieces_fail_at_their_index() {
    let mut rng = Uniform::new(Kind::SplitMix64, 0x4E45_5311);
    for width in [2, 3, 4] {
        let mut left = Vec::new();
        for game_number in 0..4 {
            // A wide first gap, then gaps that are known within a few frames.
            let gaps: Vec<(u32, u32)> = (0..60)
                .map(|number| {
                    let least = 20 + rng.below(80);
                    (least, if number < 5 { least + 40 } else { least + width - 1 })
                })
                .collect();
            let (pieces, start_state) = game(&mut rng, &gaps);
            let query = query(&pieces, 1, &in_words(&gaps), "45..46");
            let answer = search(&query);
            let found = states(&query, &answer);
            assert!(found.contains(&written(&start_state)), "width {width}, game {game_number}: {pieces}");
            left.push(answer.count);
            // One piece that can come next, and one that cannot.
            for possible in [true, false] {
                let is_as_required = |piece: &Piece| (answer.next[piece.index()] > 0) == possible;
                let piece = Piece::ALL.into_iter().find(is_as_required).expect("pieces of both kinds");
                let more = search(&PieceQuery {
                    pieces: query.pieces.iter().copied().chain([Some(piece)]).collect(),
                    ..query.clone()
                });
                assert_eq!((more.count > 0, more.matched), (possible, 60 + usize::from(possible)));
            }
        }
        println!("ranges of {width}: states left after 60 pieces {left:?}");
    }
    // Only ranges too wide to decide anything.
    let gaps = [(20, 120); 40];
    let (pieces, start_state) = game(&mut rng, &gaps);
    let began = Instant::now();
    let query = query(&pieces, 1, "", "20..120");
    let answer = search(&query);
    println!("40 pieces, ranges of 101: {} states, {:?}", answer.count, began.elapsed());
    assert!(answer.count > 4_000, "{}", answer.count);
    assert!(answer.next[start_state.after(70).pick().0.index()] > 0);
    let report = Report::new(&query, &answer, 10, 10, 0.0);
    assert!(report.hint().is_some() && report.table().contains("chances of piece 41: "));
}

#[test]
fn the_predicted_odds_of_a_long_game_match_its_frequencies() {
    // Calibration: summed over a game, the odds of the pieces that came agree with the expected sum for each
    // probability.
    let mut rng = Uniform::new(Kind::SplitMix64, 77);
    let gaps: Vec<(u32, u32)> = (0..80)
        .map(|_| {
            let least = 30 + rng.below(30);
            (least, least + 2)
        })
        .collect();
    let (mut expected, mut came, mut predictions) = (0.0, 0.0, 0);
    for _ in 0..4 {
        let (pieces, _) = game(&mut rng, &gaps);
        for known in (40..80).step_by(8) {
            let words = in_words(&gaps[..=known]);
            let mut query = query(&pieces[..known], 1, &words, "1");
            query.later = *query.steps.last().unwrap();
            query.steps.truncate(known);
            let chances = search(&query).chances().unwrap();
            let actual = Piece::from_letter(pieces.chars().nth(known).unwrap()).unwrap();
            came += chances[actual.index()];
            expected += chances.iter().map(|chance| chance * chance).sum::<f64>();
            predictions += 1;
        }
    }
    let total = f64::from(predictions);
    println!("mean chance of what came {:.3}, expected {:.3}", came / total, expected / total);
    assert!((came - expected).abs() / total < 0.15);
    assert!(came / total > 0.3, "better than one of seven");
}

#[test]
fn the_documents_example_and_cancelling() {
    let mut rng = Uniform::new(Kind::SplitMix64, 5);
    let mut spawner = Spawner { state: State::after_boot(rng.below(32767).into()), count: 200, last: 0 };
    let mut pieces = String::new();
    for _ in 0..30 {
        spawner = spawner.after((10 + rng.below(2)).into());
        pieces.push(spawner.pick_by(Pick::Document).0.letter());
    }
    let query = PieceQuery { variant: "document", ..query(&pieces, 1, "", "10..11") };
    let answer = search(&query);
    let expected = format!("{} count {} after {}", spawner.state, spawner.count, &pieces[29..]);
    assert!(states(&query, &answer).contains(&expected), "{expected}: {answer:?}");
    let progress = Progress::default();
    progress.cancel();
    assert_eq!(query.search(&progress), Ok(None));
}

#[test]
fn pieces_entered_one_by_one_give_the_same_result_as_all_at_once() {
    let mut rng = Uniform::new(Kind::SplitMix64, 9);
    let (pieces, start_state) = game(&mut rng, &[(30, 31); 30]);
    for later in ["30..31", "30"] {
        let mut narrowing = Narrowing::of(PieceQuery {
            steps: vec![Steps::between(30, 31).unwrap(); 30],
            ..query("", 1, "", later)
        });
        for known in 1..=pieces.len() {
            let known = &pieces[..known];
            narrowing.push(known.chars().next_back().and_then(Piece::from_letter).unwrap());
            let mut query = query(known, 1, "", later);
            query.steps = narrowing.query().steps.clone();
            assert_eq!(narrowing.answer(), Some(&search(&query)));
        }
        assert!(!narrowing.is_narrow());
        if later == "30" {
            let coming = AnyDealer::from(crate::games::tetris_nes::Randomizer {
                spawner: start_state,
                steps: 30,
                how: Pick::Code,
            })
            .deal_many(20);
            assert!(narrowing.games().is_some());
            assert!(coming.starts_with(&narrowing.certain(20)), "known coming gaps");
        } else {
            assert_eq!((narrowing.games(), narrowing.certain(9)), (None, vec![]), "unknown gaps");
        }
    }
}
