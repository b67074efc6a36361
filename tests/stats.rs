//! The lab compared with its definitions, implemented literally, and with the figures of the reference.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation
)]

use nextscope::games::bounded::{Bounded, Limits};
use nextscope::games::piece::{Dealer, Piece, letters};
use nextscope::games::pieces::PieceOptions;
use nextscope::seeds::pieces::PieceGame;
use nextscope::stats::{
    ChanceBasis, Choices, Estimate, Figures, Measured, NotMeasured, SampleSize, Subject, Tally, csv, json,
    max_bits, measure, no_memory, sweep, sweep_csv, sweep_table, table,
};
use nextscope::task::Progress;
use std::collections::BTreeMap;

fn subject(name: &str) -> Subject {
    Subject::parse(name, Choices::default()).unwrap()
}

fn measured(names: &[&str], seeds: std::ops::RangeInclusive<u32>, pieces: u32) -> Vec<Measured> {
    let subjects: Vec<Subject> = names.iter().map(|name| subject(name)).collect();
    measure(&subjects, &SampleSize { seeds, pieces }, &Progress::default()).unwrap()
}

fn one(name: &str, seeds: std::ops::RangeInclusive<u32>, pieces: u32) -> Figures {
    measured(&[name], seeds, pieces).remove(0).figures
}

/// The lengths of the gaps between the letter: raincomplex's `analysis.py` splits the text by it and drops
/// the parts at both ends when they are empty (reference 3.9).
fn gaps(text: &str, letter: char) -> Vec<usize> {
    let mut parts: Vec<usize> = text.split(letter).map(str::len).collect();
    if parts.last() == Some(&0) {
        parts.pop();
    }
    if parts.first() == Some(&0) {
        parts.remove(0);
    }
    parts
}

#[test]
fn every_figure_matches_its_literal_definition() {
    for &game in PieceGame::ALL {
        for count in [1, 6, 7, 8, 200, 5000] {
            let dealer = || game.dealer("", 0x1234, PieceOptions { steps: 20, ..PieceOptions::default() });
            let pieces = dealer().unwrap().deal_many(count);
            let text = letters(&pieces);
            let mut tally = Tally::new(count as u32);
            pieces.iter().for_each(|piece| tally.push(*piece));
            tally.end();
            let figures = Figures::of(&tally, None);
            let mut histogram = BTreeMap::new();
            let mut longest = Vec::new();
            for piece in Piece::ALL {
                let gaps = gaps(&text, piece.letter());
                longest.push(gaps.iter().copied().max().unwrap_or(0));
                assert_eq!(
                    figures.drought.longest_by_piece[&piece.letter()] as usize,
                    *longest.last().unwrap()
                );
                gaps.into_iter().for_each(|gap| *histogram.entry(gap).or_insert(0u64) += 1);
            }
            let total: u64 = histogram.values().sum();
            let share = |part: u64| part as f64 / total as f64;
            let counted: BTreeMap<usize, u64> = figures
                .drought
                .histogram
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, count)| *count > 0)
                .collect();
            assert_eq!(counted, histogram, "{game} {count}");
            assert_eq!(figures.drought.longest as usize, *longest.iter().max().unwrap());
            let maxdrought = longest.iter().sum::<usize>() as f64 / 7.0;
            assert!((figures.drought.maxdrought.value - maxdrought).abs() < 1e-9);
            let near = |estimate: Option<Estimate>, expected: f64| {
                let value = estimate.expect("measured").value;
                assert!((value - expected).abs() < 1e-9, "{game} {count}: {value} for {expected}");
            };
            if total > 0 {
                near(figures.drought.repchance, share(histogram.get(&0).copied().unwrap_or(0)));
                near(figures.drought.share_13_or_more, share(histogram.range(13..).map(|(_, n)| n).sum()));
                near(figures.drought.mean, share(histogram.iter().map(|(&gap, n)| gap as u64 * n).sum()));
                let most = histogram.values().max().unwrap();
                assert_eq!(histogram.get(&figures.drought.peakdrought), Some(most));
            }
            for (gap, survival) in figures.drought.survival.iter().enumerate() {
                assert!((survival - share(histogram.range(gap..).map(|(_, n)| n).sum())).abs() < 1e-12);
            }
            let runs: Vec<usize> = pieces.chunk_by(|a, b| a == b).map(<[Piece]>::len).collect();
            assert_eq!(figures.flood.longest as usize, *runs.iter().max().unwrap());
            for (length, &count) in (1..).zip(&figures.flood.histogram) {
                assert_eq!(count as usize, runs.iter().filter(|&&run| run == length).count());
            }
            if count > 1 {
                let repeats = pieces.windows(2).filter(|two| two[0] == two[1]).count();
                near(figures.flood.repeats, repeats as f64 / (count - 1) as f64);
            }
            let snakes: Vec<usize> = text
                .split(|letter| letter != 'S' && letter != 'Z')
                .map(str::len)
                .filter(|&length| length > 0)
                .collect();
            assert_eq!(figures.snakes.longest as usize, snakes.iter().copied().max().unwrap_or(0));
            assert_eq!(figures.snakes.histogram.iter().sum::<u64>() as usize, snakes.len());
            let windows: Vec<usize> = pieces
                .windows(7)
                .map(|seven| Piece::ALL.iter().filter(|piece| seven.contains(piece)).count())
                .collect();
            if windows.is_empty() {
                assert_eq!(figures.window.diversity, None);
            } else {
                let n = windows.len() as f64;
                near(figures.window.diversity, windows.iter().sum::<usize>() as f64 / n);
                near(figures.window.bagginess, windows.iter().filter(|&&n| n == 7).count() as f64 / n);
            }
        }
    }
}

type Stated = (&'static str, f64, (f64, i32), f64, (f64, i32));

/// Reference 3.9, 200,000 pieces each: longest drought, repeats, longest run, share of gaps of 13 and more;
/// with the decimals as printed there.
const STATED: [Stated; 7] = [
    ("tetris-1985", 76.0, (0.144, 3), 7.0, (0.135, 3)),
    ("tetris-nes:document", 76.0, (0.020, 3), 4.0, (0.115, 3)),
    ("tetris-nes", 69.0, (0.041, 3), 5.0, (0.119, 3)),
    ("tgm1", 45.0, (0.014, 3), 3.0, (0.036, 3)),
    ("tgm2", 36.0, (0.005, 3), 3.0, (0.029, 3)),
    ("tgm3", 20.0, (0.007, 3), 2.0, (0.006, 3)),
    ("tetris-worlds", 12.0, (0.021, 3), 2.0, (0.0, 3)),
];

#[test]
fn the_figures_of_the_reference_are_reproduced_within_sampling_error() {
    const SEEDS: f64 = 10.0;
    for (name, longest, repeats, run, long) in STATED {
        // The errors of one seed's 200,000 pieces are those of ten, times the root of ten.
        let figures = one(name, 0..=9, 200_000);
        let of_one = |estimate: Estimate| Estimate {
            error: estimate.error.map(|error| error * SEEDS.sqrt()),
            ..estimate
        };
        let agrees = |what, estimate: Option<Estimate>, (stated, digits)| {
            let estimate = of_one(estimate.unwrap());
            assert!(estimate.agrees(stated, digits, 3.0), "{name}, {what}: {stated} stated, {estimate:?}");
        };
        agrees("repeats", figures.flood.repeats, repeats);
        agrees("gaps of 13 and more", figures.drought.share_13_or_more, long);
        // Longest of all: within the scatter between the seeds, of which the farthest may be about three
        // deviations off.
        let scatter = |what, estimate: Estimate, stated| {
            let estimate = of_one(estimate);
            assert!(estimate.agrees(stated, 0, 3.5), "{name}, {what}: {stated} stated, {estimate:?}");
        };
        scatter("longest drought", figures.drought.longest_of_a_seed, longest);
        scatter("longest run", figures.flood.longest_of_a_seed, run);
    }
}

#[test]
fn computed_figures_match_measured_ones() {
    let agrees = |what: &str, estimate: Option<Estimate>, exact: f64| {
        let estimate = estimate.unwrap();
        assert!(estimate.agrees(exact, 9, 4.0), "{what}: {exact} computed, {estimate:?}");
    };
    let uniform = one("tetris-1985", 0..=3, 500_000);
    agrees("repeats", uniform.flood.repeats, 1.0 / 7.0);
    agrees("long gaps", uniform.drought.share_13_or_more, (6f64 / 7.0).powi(13));
    agrees("diversity", uniform.window.diversity, 7.0 * (1.0 - (6f64 / 7.0).powi(7)));
    agrees("bagginess", uniform.window.bagginess, 5040.0 / 7f64.powi(7));
    agrees("bits", uniform.predictability.bits, no_memory());
    agrees("surprise", uniform.predictability.surprise, no_memory());
    for counted in uniform.predictability.given_last.iter().flatten() {
        assert!((counted.bits - no_memory()).abs() < 0.002, "{counted:?}");
    }
    let bag = one("tetris-worlds", 0..=3, 500_000);
    let exact = (5040f64).log2() / 7.0;
    agrees("bits of a bag", bag.predictability.bits, exact);
    agrees("surprise of a bag", bag.predictability.surprise, exact);
    agrees("repeats of a bag", bag.flood.repeats, 1.0 / 49.0);
    // Windows of seven that begin after n pieces of a bag hold all seven with the chance n! (7 - n)! / 7!.
    let full = (0..7).map(|n| (1..=n).product::<u32>() * (1..=7 - n).product::<u32>()).sum::<u32>();
    agrees("bagginess of a bag", bag.window.bagginess, f64::from(full) / 5040.0 / 7.0);
    assert!((bag.drought.longest, bag.flood.longest, bag.snakes.longest) <= (12, 2, 4));
    assert_eq!(bag.drought.survival.len(), 13);
}

#[test]
fn the_surprise_of_a_piece_matches_the_rules() {
    for measured in measured(
        &["tgm1", "tgm1:3-passes", "tgm1:document", "tgm2", "tgm3", "bounded", "bounded:strict"],
        1..=4,
        250_000,
    ) {
        let bits = measured.figures.predictability;
        let (mean, surprise) = (bits.bits.unwrap(), bits.surprise.unwrap());
        let error = mean.error.unwrap() + surprise.error.unwrap();
        assert!((mean.value - surprise.value).abs() < 4.0 * error, "{}: {bits:?}", measured.label);
        // Less knowledge means more surprise.
        let most = bits.at_most().unwrap();
        assert!(mean.value <= most.bits + most.correction + 4.0 * error, "{}: {bits:?}", measured.label);
        let known = if measured.game == "tgm3" { ChanceBasis::Pool } else { ChanceBasis::Pieces };
        assert_eq!(bits.known, Some(known));
    }
    assert_eq!(one("tgm3:document", 1..=1, 1000).predictability.bits, None);
}

#[test]
fn limits_as_short_as_those_of_a_bag_leave_the_next_piece_less_predictable() {
    let all =
        measured(&["tetris-worlds", "tgm3", "bounded", "bounded:like-ti", "bounded:strict"], 1..=4, 250_000);
    let [bag, ti, balanced, like_ti, strict] = all.try_into().unwrap();
    let bits = |measured: &Measured| measured.figures.predictability.bits.unwrap().value;
    let longest = |measured: &Measured| measured.figures.drought.longest;
    assert_eq!((longest(&bag), longest(&balanced), longest(&strict)), (12, 12, 9));
    assert!(bits(&balanced) > bits(&bag) + 0.5);
    assert!(bits(&strict) > bits(&bag));
    assert_eq!((balanced.figures.flood.longest, strict.figures.flood.longest), (2, 1));
    assert!(balanced.figures.snakes.longest <= 4 && strict.figures.snakes.longest <= 3);
    // For Ti only limits are known: the expectation of an observer of the pool, and the odds after absences.
    assert!(bits(&like_ti) > ti.figures.predictability.at_most().unwrap().bits + 0.3);
    assert!(longest(&like_ti) < longest(&ti));
}

#[test]
fn limits_cost_entropy_that_no_randomizer_can_recover() {
    let mut before = 0.0;
    for drought in 6..=13 {
        let loose = max_bits(drought, 2).unwrap();
        let tight = max_bits(drought, 1).unwrap();
        assert!(loose.high - loose.low < 1e-5 && loose.low <= loose.high, "{loose:?}");
        assert!(tight.high <= loose.high && tight.high < 6f64.log2() && loose.high < no_memory());
        assert!(loose.low >= before, "a longer limit leaves more");
        before = loose.low;
        for memory in 0..=3 {
            let limits = Limits { drought, flood: 2, snakes: None, memory };
            let mut tally = Tally::new(60_000);
            tally.feed(&mut Bounded::new(7, limits), 60_000, |dealer| Some(dealer.history.chances()));
            tally.end();
            let bits = Figures::of(&tally, None).predictability.bits.unwrap();
            assert!(bits.value <= loose.high + 4.0 * bits.error.unwrap(), "{limits}: {bits:?}, {loose:?}");
        }
    }
    assert!(max_bits(6, 1).unwrap().high < 1e-5, "the order repeats");
    assert_eq!((max_bits(5, 2), max_bits(12, 0)), (None, None));
}

/// The growth counted in another way: sequences of letters themselves, by the last one of each and its run.
#[test]
fn the_maximum_entropy_is_the_growth_of_the_number_of_sequences() {
    const DROUGHT: u8 = 8;
    const FLOOD: u8 = 2;
    let mut ways: BTreeMap<([u8; 7], u8), f64> = BTreeMap::from([(([0, 1, 2, 3, 4, 5, 6], 1), 1.0)]);
    let mut growth = Vec::new();
    for _ in 0..120 {
        let mut next = BTreeMap::new();
        for ((away, run), count) in &ways {
            for piece in 0..7 {
                let run = if away[piece] == 0 { run + 1 } else { 1 };
                let mut after = away.map(|away| away + 1);
                after[piece] = 0;
                if run <= FLOOD && after.iter().all(|&away| away <= DROUGHT) {
                    *next.entry((after, run)).or_insert(0.0) += count;
                }
            }
        }
        let (all, before): (f64, f64) = (next.values().sum(), ways.values().sum());
        growth.push(all / before);
        next.values_mut().for_each(|count| *count /= all);
        ways = next;
    }
    let last = growth[100..].iter().map(|growth| growth.log2()).sum::<f64>() / 20.0;
    let most = max_bits(DROUGHT, FLOOD).unwrap();
    assert!((last - most.high).abs() < 0.002, "{last} counted, {most:?}");
}

#[test]
fn threads_and_parts_do_not_change_the_result() {
    let subjects = [subject("tgm3"), subject("tetris-worlds"), subject("bounded")];
    let sample = SampleSize { seeds: 3..=40, pieces: 3000 };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| measure(&subjects, &sample, &Progress::default())).unwrap()
    };
    let one = with(1);
    assert_eq!(one, with(4));
    for (measured, subject) in one.iter().zip(subjects) {
        let mut tally = Tally::new(sample.pieces);
        for seed in sample.seeds.clone() {
            let mut dealer = subject.game.dealer(subject.variant, seed, PieceOptions::default()).unwrap();
            tally.feed(&mut dealer, 1234, |_| None);
            tally.feed(&mut dealer, 3000 - 1234, |_| None);
            tally.end();
        }
        let counted = Figures::of(&tally, None);
        assert_eq!(measured.figures.drought.histogram, counted.drought.histogram);
        assert_eq!(measured.figures.flood, counted.flood);
        assert_eq!(measured.figures.window, counted.window);
        assert_eq!(measured.figures.first_piece, counted.first_piece);
        assert_eq!(measured.figures.predictability.given_last, counted.predictability.given_last);
    }
}

#[test]
fn measuring_is_cancelled_and_reports_its_progress() {
    let progress = Progress::default();
    let sample = SampleSize { seeds: 0..=99, pieces: 200 };
    assert_eq!(sample.total(), 20_000);
    measure(&[subject("tgm2")], &sample, &progress).unwrap();
    assert_eq!(progress.done(), 20_000);
    progress.cancel();
    assert_eq!(measure(&[subject("tgm2")], &sample, &progress), Err(NotMeasured::Cancelled));
    assert_eq!(sweep(None, 0, 1000, &progress), None);
}

#[test]
fn a_stop_returns_the_pieces_dealt_so_far() {
    let progress = Progress::default();
    let sample = SampleSize { seeds: 0..=3, pieces: 50_000_000 };
    let measured = std::thread::scope(|scope| {
        let measuring = scope.spawn(|| measure(&[subject("tgm2")], &sample, &progress));
        while progress.done() == 0 {
            std::thread::yield_now();
        }
        progress.stop();
        measuring.join().unwrap().unwrap()
    });
    let pieces = measured[0].figures.pieces;
    assert!(!measured[0].complete && pieces > 0 && pieces < sample.total(), "{pieces}");
    assert_eq!(pieces, progress.done());
    let completed =
        measure(&[subject("tgm2")], &SampleSize { seeds: 0..=1, pieces: 100 }, &Progress::default());
    assert!(completed.unwrap()[0].complete);
    assert_eq!(sweep(None, 0, 1_000_000_000, &progress), Some(Vec::new()), "nothing was measured");
}

#[test]
fn reports_have_a_column_or_line_for_each_randomizer() {
    let all = measured(&["tgm1:3-passes", "tgm3", "bounded"], 0..=2, 2000);
    let people = table(&all);
    for part in ["tgm1:3-passes", "2/5", "at least", "maxdrought", "its mean over the seeds", "6,000"] {
        assert!(people.contains(part), "{part} in\n{people}");
    }
    let lines = csv(&all);
    let columns = |line: &str| line.split(',').count();
    assert!(lines.lines().all(|line| columns(line) == columns(lines.lines().next().unwrap())));
    assert_eq!(lines.lines().count(), 4);
    let object: serde_json::Value = serde_json::from_str(&json(&all)).unwrap();
    assert_eq!(object["randomizers"][1]["rating"]["drought_prevention"], 4);
    assert_eq!(object["randomizers"][2]["rating"], serde_json::Value::Null);
    assert_eq!(object["randomizers"][0]["last_seed"], "0x00000002");
    assert_eq!(object["randomizers"][0]["seeds"], 3);
    assert!(object["randomizers"][0]["drought"]["survival"][0] == 1.0);
    let trades = sweep(Some(4), 1, 500, &Progress::default()).unwrap();
    assert_eq!(trades.len(), sweep_csv(&trades).lines().count() - 1);
    assert_eq!(trades.len(), sweep_table(&trades).lines().count() - 1);
    assert!(Subject::parse("tgm9", Choices::default()).unwrap_err().to_string().contains("tgm1, tgm2"));
    assert!(Subject::parse("tgm1:9", Choices::default()).unwrap_err().to_string().contains("3-passes"));
}
