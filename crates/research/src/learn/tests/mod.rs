mod catalog;
mod games;
mod listed;
mod queues;
mod still;

use super::*;
use crate::source::Address;
use catalog::{catalog, hardware, linear, outside, rule};
use games::{Game, Played, is_right};
use nextscope_games::games::declared::{Clock, Deal, Draw, Generator, Method};
use nextscope_memory::console::Endian;

fn describe(report: &Report) -> String {
    let generators: Vec<String> =
        report.generators.iter().map(|trace| format!("{:?}", trace.generator)).collect();
    let best = report.candidates.first().map(|best| {
        format!(
            "{} cost {:.0} bits {:.0} held {:.0} alignment lag {} ahead {} first {}",
            best.fit.randomizer.to_toml().replace('\n', " "),
            best.fit.cost,
            best.fit.bits,
            best.fit.held_bits,
            best.fit.alignment.lag,
            best.fit.alignment.ahead,
            best.fit.alignment.frame_first
        )
    });
    let mut generators = generators.join("; ");
    generators.truncate(1400);
    format!(
        "{:?}, {} left; {generators}; {}",
        report.verdict,
        report.candidates.len(),
        best.unwrap_or_default()
    )
}

/// Games that stand for the others in the tests of every build.
const SOME: [&str; 7] = [
    "linear, unknown constants, deals",
    "register, added deals, history",
    "minimal standard, bag as dealt",
    "pairs by two draws, unknown constants",
    "grand master",
    "lagged, deals",
    "pool of pairs",
];

#[test]
fn the_rules_of_games_are_learned_from_forty_deals() {
    for (nth, name) in SOME.into_iter().enumerate() {
        let order = if nth % 2 == 0 { Endian::Big } else { Endian::Little };
        let game =
            catalog().into_iter().find(|game| game.name == name && game.order == order).expect("a game");
        let played = game.play();
        let report =
            learn(&played.series, &played.observed, &Progress::default()).expect("deals of the series");
        assert!(is_right(&report, &played), "{name}: {}", describe(&report));
        let best = &report.candidates[0].fit;
        assert_eq!(best.alignment.ahead, if best.alignment.at_start { 0 } else { game.ahead }, "{name}");
        let address = report.generators[best.generator].cell.address;
        assert_eq!(address.0 & !3, played.series.address(0x148).0, "{name}");
        let piece = report.cells.iter().find(|cell| cell.ahead == 0).expect("the piece in play");
        assert_eq!((piece.address, piece.lag), (played.series.address(0x60), 0), "{name}");
        assert!((1..=game.ahead).all(|ahead| report.cells.iter().any(|cell| cell.ahead == ahead)), "{name}");
    }
}

#[test]
fn rules_that_deal_alike_are_not_separated_and_others_are() {
    let high = |shift, bits| Draw { shift, bits, method: Method::MultiplyHigh, add: None, sum_bits: None };
    let rule = |draw, deal| rule(linear(32, 0x41C6_4E6D, 12_345), draw, Clock::Deals, deal);
    let direct = |draw| rule(draw, Deal::Direct {});
    assert_eq!(verdict::separated_after(&direct(high(0, 32)), &direct(high(0, 32)), [0, 0]), None);
    assert_eq!(verdict::separated_after(&direct(high(0, 32)), &direct(high(8, 24)), [0, 0]), None);
    let bits_8 = verdict::separated_after(&direct(high(0, 32)), &direct(high(24, 8)), [0, 0]);
    assert!(bits_8.is_some_and(|deals| (10..200).contains(&deals)), "{bits_8:?}");
    let history = Deal::History { length: 1, initial: Vec::new(), tries: 1, discarded: 0, again: None };
    let history = verdict::separated_after(&direct(high(0, 32)), &rule(high(0, 32), history), [0, 0]);
    assert!(history.is_some_and(|deals| deals < 20), "{history:?}");
}

/// A session that begins in a game, with a glance at every deal a frame late, and with frames that were missed.
fn from_the_middle(name: &str, first: usize) -> (Report, Played) {
    let game = catalog().into_iter().find(|game| game.name == name).expect("a game");
    let played = Game { deals: 60, ..game }.play();
    let mut series = Series::new(played.series.address(0));
    let mut observed = Observations { from_start: false, dealt: Vec::new(), ..played.observed.clone() };
    let late = |dealt: &ObservedDeal| ObservedDeal { sample: dealt.sample + 1, ..*dealt };
    let late: Vec<ObservedDeal> = played.observed.dealt[first..].iter().map(late).collect();
    let begin = late[0].sample - 8;
    let mut next = late.into_iter().peekable();
    for sample in (begin..played.series.len()).filter(|sample| sample % 23 != 5) {
        series.push(sample as u64, &played.series.memory(sample)).expect("in order");
        while let Some(dealt) = next.next_if(|dealt| dealt.sample <= sample) {
            observed.dealt.push(ObservedDeal { sample: series.len() - 1, ..dealt });
        }
    }
    let report = learn(&series, &observed, &Progress::default()).expect("deals of the series");
    (report, played)
}

#[test]
fn a_rule_is_learned_from_the_middle_of_a_game_although_frames_are_missed() {
    let (report, played) = from_the_middle("linear of 16 bits, both", 10);
    let best = &report.candidates.first().unwrap_or_else(|| panic!("{}", describe(&report))).fit;
    assert_eq!((best.alignment.lag, best.alignment.ahead), (1, 1), "{}", describe(&report));
    assert!(is_right(&report, &played), "{}", describe(&report));
}

/// What is added to draws is not known from the deals alone: the number of the deal is in RAM, and the code of the deal before the first
/// one is not used.
#[test]
fn what_is_added_to_draws_is_known_in_the_middle_of_a_game() {
    for first in 10..16 {
        let (report, played) = from_the_middle("register, eighth number, history", first);
        assert!(is_right(&report, &played), "{first}: {}", describe(&report));
        let counted = report.candidates[0].fit.count.and_then(|count| count.address);
        assert_eq!(counted, Some(Address(0x8098)), "{first}");
    }
}

/// The numbers of its list before the first one observed are gone, so that the rule cannot deal from a seed.
#[test]
fn a_lagged_generator_whose_filling_was_not_observed_is_not_certain() {
    let (report, _) = from_the_middle("lagged, deals", 10);
    let lagged = report.generators.iter().find(|trace| matches!(trace.generator, Generator::Lagged { .. }));
    assert!(lagged.is_some_and(|trace| !trace.is_closed), "{}", describe(&report));
    assert!(
        !report.candidates.is_empty() && !matches!(report.verdict, Verdict::Certain { .. }),
        "{}",
        describe(&report)
    );
}

#[test]
fn rules_that_the_language_does_not_have_are_not_called_certain() {
    for game in outside(200).into_iter().step_by(53) {
        let played = game.play();
        let report =
            learn(&played.series, &played.observed, &Progress::default()).expect("deals of the series");
        assert!(!matches!(report.verdict, Verdict::Certain { .. }), "{}", describe(&report));
        assert!(report.tried.iter().map(|(_, tally)| tally.tried).sum::<u64>() > 10_000);
    }
}

#[test]
fn a_stopped_search_says_so_and_deals_that_do_not_belong_to_the_series_are_refused() {
    let game = catalog().into_iter().next().expect("a game");
    let mut played = game.play();
    let progress = Progress::default();
    progress.stop();
    let report = learn(&played.series, &played.observed, &progress).expect("deals of the series");
    assert_eq!((report.verdict, report.was_stopped, report.candidates.len()), (Verdict::None, true, 0));
    let learned =
        |observed: &Observations| learn(&played.series, observed, &Progress::default()).expect_err("refused");
    let few = Observations { dealt: played.observed.dealt[..5].to_vec(), ..played.observed.clone() };
    assert_eq!(learned(&few), ObservationError::TooFew(5));
    assert_eq!(
        learned(&Observations { kinds: Vec::new(), ..played.observed.clone() }),
        ObservationError::Kinds(0)
    );
    let samples = played.series.len();
    played.observed.dealt[39].sample = samples;
    let learned = learn(&played.series, &played.observed, &Progress::default()).expect_err("refused");
    assert_eq!(learned, ObservationError::Sample { deal: 40, sample: samples, samples });
}

#[test]
fn bags_by_numbers_from_outside_of_ram_are_found_as_a_list() {
    let played = hardware().play();
    let report = learn(&played.series, &played.observed, &Progress::default()).expect("deals of the series");
    assert_eq!((report.verdict, report.is_list_only()), (Verdict::None, true), "{}", describe(&report));
    let list = &report.lists[0];
    assert_eq!((list.address, list.stride, list.is_reversed), (played.series.address(0x600), 1, false));
    assert_eq!(list.form, ListForm::Bag { size: 7, complete: 0, still: None });
    assert_eq!(report.cells[0].address, played.series.address(0x60));
}

/// What a player would have noted: each deal some samples after it was made, or only the order.
fn noted(played: &Played, is_timed: bool) -> Notes {
    let series = played.series.len();
    let late = |nth: usize| 9 + nth * 7 % 8;
    let noted = played.observed.dealt.iter().enumerate().map(|(nth, dealt)| Noted {
        kind: dealt.kind,
        child: dealt.child,
        sample: is_timed.then_some((dealt.sample + late(nth)).min(series - 1)),
    });
    let Observations { deals, kinds, from_start, .. } = played.observed.clone();
    Notes { deals, kinds, noted: noted.collect(), cell: None, from_start }
}

#[test]
fn the_samples_of_deals_are_found_from_what_a_player_noted() {
    let games = catalog()
        .into_iter()
        .filter(|game| ["linear, unknown constants, deals", "grand master"].contains(&game.name));
    for game in games {
        let played = game.play();
        let expected: Vec<usize> = played.observed.dealt.iter().map(|dealt| dealt.sample).collect();
        for is_timed in [true, false] {
            let notes = noted(&played, is_timed);
            let timed = notes.locate(&played.series, &Progress::default()).expect("the cell of the pieces");
            assert_eq!(timed.cell, played.series.address(0x60), "{} {is_timed}", game.name);
            let found: Vec<usize> = timed.observed.dealt.iter().map(|dealt| dealt.sample).collect();
            assert_eq!(
                (timed.left_out, &found),
                ((0, 0), &expected),
                "{} {is_timed}: {:?}",
                game.name,
                timed.signal
            );
            assert_eq!(timed.observed.dealt, played.observed.dealt);
        }
        // One that was noted when the next piece was in play already.
        let mut late = noted(&played, true);
        late.noted[20].sample = late.noted[21].sample.map(|sample| sample - 2);
        let timed = late.locate(&played.series, &Progress::default()).expect("the cell of the pieces");
        assert_eq!(timed.observed.dealt, played.observed.dealt, "{}", game.name);
        // A known cell needs no letters.
        let codes: Vec<u8> =
            (0..16).map(|kind| 0x11_u8.wrapping_mul(kind) ^ 0x35).take(played.observed.kinds.len()).collect();
        let cell = Some((played.series.address(0x60), codes));
        let notes = Notes { noted: Vec::new(), cell, ..noted(&played, false) };
        let timed = notes.locate(&played.series, &Progress::default()).expect("the cell of the pieces");
        assert_eq!(timed.observed.dealt, played.observed.dealt, "{}", game.name);
    }
}

#[test]
fn what_is_written_at_once_has_no_time() {
    let mut written = WrittenDeals::default();
    for (letters, sample) in [("I", 5), ("J", 5), ("L", 9), ("OS", 12), ("T", 8), ("Z", 10)] {
        written.write(letters, sample).expect("letters");
    }
    let notes = written.notes(&Hints::default()).expect("pieces");
    let samples: Vec<Option<usize>> = notes.noted.iter().map(|noted| noted.sample).collect();
    assert_eq!(samples, [Some(5), None, Some(9), None, None, None, Some(10)]);
}

#[test]
fn notes_that_do_not_fit_are_refused() {
    let played = catalog().into_iter().next().expect("a game").play();
    let refused = |notes: &Notes| notes.locate(&played.series, &Progress::default()).expect_err("refused");
    let good = noted(&played, false);
    let few = Notes { noted: good.noted[..5].to_vec(), ..good.clone() };
    assert_eq!(refused(&few), NotesError::TooFew { noted: 5, least: LEAST });
    // A wrong letter in the middle.
    let mut wrong = noted(&played, true);
    wrong.noted[17].kind = (wrong.noted[17].kind + 1) % 7;
    assert_eq!(refused(&wrong), NotesError::NoCell { noted: 40 });
    let mut order = noted(&played, true);
    order.noted[7].sample = order.noted[6].sample;
    assert_eq!(refused(&order), NotesError::Order(8));
    let outside = Notes { cell: Some((Address(1), vec![0; 7])), ..good };
    assert_eq!(refused(&outside), NotesError::Outside(Address(1)));
}
