mod catalog;
mod games;

use super::*;
use catalog::{catalog, hardware, outside};
use games::{Played, deals};
use std::time::Instant;

/// Whether the best rule deals what the game dealt and deals afterwards.
fn is_right(report: &Report, played: &Played) -> bool {
    let Some(best) = report.candidates.first() else { return false };
    deals(&best.fit.randomizer, played.start, &played.gaps).is_some_and(|dealt| dealt == played.dealt)
}

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

/// All games in both byte orders: which are learned, from how many deals, how fast. For measurements.
#[test]
#[ignore = "a measurement of minutes"]
fn measure() {
    let only = std::env::var("LEARN_ONLY").unwrap_or_default();
    let mut right = 0;
    let mut all = 0;
    for game in catalog().into_iter().filter(|game| game.name.contains(&only)) {
        let (report, played) = {
            let played = game.play();
            let started = Instant::now();
            let report =
                learn(&played.series, &played.seen, &Progress::default()).expect("deals of the series");
            println!("{:.2} s", started.elapsed().as_secs_f64());
            (report, played)
        };
        let good = is_right(&report, &played);
        all += 1;
        right += usize::from(good);
        let certain = matches!(report.verdict, Verdict::Certain { .. });
        println!(
            "{} {:?}: {} certain {certain}",
            game.name,
            game.order,
            if good { "right" } else { "WRONG" }
        );
        if !good || !only.is_empty() || !certain {
            println!("   {}", describe(&report));
            println!("   cells {} lists {} tried {:?}", report.cells.len(), report.lists.len(), report.tried);
        }
        assert!(good || !certain, "a wrong rule is called certain");
    }
    println!("{right} of {all}");
}

/// Rules that the language does not have are not called certain. For measurements.
#[test]
#[ignore = "a measurement of minutes"]
fn measure_outside() {
    let mut explained = 0;
    let started = Instant::now();
    for (nth, game) in outside(200).into_iter().enumerate() {
        let played = game.play();
        let report = learn(&played.series, &played.seen, &Progress::default()).expect("deals of the series");
        explained += usize::from(!report.candidates.is_empty());
        if !report.candidates.is_empty() {
            println!("{nth}: {}", describe(&report));
        }
        assert!(!matches!(report.verdict, Verdict::Certain { .. }), "{nth}: {}", describe(&report));
    }
    println!("{explained} of 200 have a candidate, {:.0} s", started.elapsed().as_secs_f64());
}

#[test]
fn bags_by_numbers_from_outside_of_ram_are_found_as_a_list() {
    let played = hardware().play();
    let report = learn(&played.series, &played.seen, &Progress::default()).expect("deals of the series");
    assert_eq!((report.verdict, report.is_list_only()), (Verdict::None, true), "{}", describe(&report));
    let list = &report.lists[0];
    assert_eq!((list.address, list.stride, list.is_reversed), (played.series.address(0x600), 1, false));
    assert_eq!(list.form, ListForm::Bag { size: 7, complete: 0 });
    assert_eq!(report.cells[0].address, played.series.address(0x60));
}
