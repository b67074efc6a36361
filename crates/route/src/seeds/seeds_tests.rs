//! A search over few seeds: its result, and its saved state.

use super::*;
use crate::goal::Goal;
use nextscope_boards::puyo::Rules;
use nextscope_boards::{Color, Pair};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// Seeds whose games reach an all clear after the number of pairs given by the seed: reds after others.
pub(super) fn start(seed: u32) -> Option<Start> {
    let pair = |axis, child| Pair { axis, child };
    let (red, green, blue) = (Color::RED, Color::GREEN, Color::BLUE);
    let mut pairs = match seed % 3 {
        0 => vec![pair(red, green), pair(green, red), pair(red, green), pair(green, red)],
        1 => vec![pair(red, red), pair(green, blue), pair(red, red)],
        _ => vec![pair(blue, blue), pair(blue, blue)],
    };
    pairs.push(pair(red, blue));
    (seed != 4).then(|| Start::empty(pairs, Rules::TSU))
}

fn task(widths: &[usize]) -> SearchTask {
    let deal = Map::from_iter([("game".to_owned(), Value::from("all"))]);
    SearchTask { deal, goal: Goal::AllClear, widths: widths.to_vec(), whole: 0..=200, seeds: 0..=130 }
}

const SEARCH: SeedSearch<'_> = SeedSearch { start: &start, threads: 2 };

fn searched(task: SearchTask) -> SeedSearchProgress {
    let mut progress = SeedSearchProgress::new(task);
    run(&SEARCH, &mut progress, &AtomicBool::new(false), &mut |_| {}).expect("it runs");
    progress
}

#[test]
fn the_soonest_of_all_seeds_is_found_and_the_search_resumes() {
    let task = task(&[20, 200]);
    let uninterrupted = searched(task.clone());
    assert_eq!((uninterrupted.pass, uninterrupted.best.len()), (2, 20));
    assert!(uninterrupted.best.iter().all(|entry| entry.seed % 3 == 2 && entry.placements.len() == 2));
    assert!((uninterrupted.share() - 1.0).abs() < 1e-9);

    let cancel = AtomicBool::new(false);
    let mut part = SeedSearchProgress::new(task.clone());
    let stop = &mut |progress: &SeedSearchProgress| cancel.store(progress.next >= 64, Ordering::Relaxed);
    run(&SEARCH, &mut part, &cancel, stop).expect("it runs");
    assert!(part.share() > 0.0 && part.share() < 0.2);
    let mut part = SeedSearchProgress::read(&part.text(), &task, &start).expect("it was saved");
    run(&SEARCH, &mut part, &AtomicBool::new(false), &mut |_| {}).expect("it runs");
    assert_eq!(part, uninterrupted, "resumed and uninterrupted searches agree");
}

#[test]
fn the_last_states_are_searched_once() {
    let task = SearchTask { whole: 0..=u32::MAX, seeds: u32::MAX - 70..=u32::MAX, ..task(&[20]) };
    let mut positions = Vec::new();
    let mut progress = SeedSearchProgress::new(task.clone());
    let report = &mut |progress: &SeedSearchProgress| positions.push((progress.pass, progress.next));
    run(&SEARCH, &mut progress, &AtomicBool::new(false), report).expect("it runs");
    let first = u64::from(u32::MAX) - 70;
    assert_eq!(positions, [(0, first + 64), (0, 1 << 32), (1, first)]);
    let end = SeedSearchProgress { pass: 0, next: 1 << 32, ..progress.clone() };
    assert_eq!(SeedSearchProgress::read(&end.text(), &task, &start).expect("it was saved"), end);
}

#[test]
fn saved_searches_are_validated() {
    let task = task(&[20]);
    let progress = searched(task.clone());
    let error = |text: &str, task: &SearchTask| {
        SeedSearchProgress::read(text, task, &start).expect_err("refused").to_string()
    };
    let damaged = |progress: &SeedSearchProgress| error(&progress.text(), &task);
    let mut other = task.clone();
    other.deal.insert("pairs".into(), 8.into());
    assert!(error(&progress.text(), &other).contains("another search (pairs: null instead of 8)"));
    for other in [
        SearchTask { goal: Goal::Chain, ..task.clone() },
        SearchTask { widths: vec![20, 30], ..task.clone() },
        SearchTask { seeds: 0..=129, ..task.clone() },
        SearchTask { whole: 0..=130, ..task.clone() },
    ] {
        assert!(error(&progress.text(), &other).contains("contains another search"), "{other:?}");
    }
    assert!(error("{", &task).contains("damaged"));
    assert!(error(r#"{"version":1,"task":"all"}"#, &task).contains("version 1"));
    let text = progress.text();
    let flipped = text.replacen("\"pass\":1", "\"pass\":0", 1);
    assert_ne!(flipped, text);
    assert!(error(&flipped, &task).contains("checksum"), "{}", error(&flipped, &task));

    for (pass, next) in [(9, 0), (1, 5), (0, 132), (0, u64::MAX)] {
        let odd = SeedSearchProgress { pass, next, ..progress.clone() };
        assert!(damaged(&odd).contains("is outside this search"), "{pass}, {next}");
    }
    let behind = SeedSearchProgress { pass: 0, next: 131, ..progress.clone() };
    assert!(SeedSearchProgress::read(&behind.text(), &task, &start).is_ok(), "all of a pass is done");
    let early = SeedSearchProgress { pass: 0, next: 5, ..progress.clone() };
    assert!(damaged(&early).contains("list of the best"), "a seed that was not searched");
    for task in [
        SearchTask { widths: vec![], ..task.clone() },
        SearchTask { widths: vec![0], ..task.clone() },
        SearchTask { widths: vec![1; 65], ..task.clone() },
        SearchTask { seeds: 0..=201, ..task.clone() },
        SearchTask { seeds: RangeInclusive::new(5, 4), ..task.clone() },
    ] {
        assert!(damaged(&SeedSearchProgress { task, ..progress.clone() }).contains("its "));
    }
    let with = |change: &dyn Fn(&mut Vec<Entry>)| {
        let mut changed = progress.clone();
        change(&mut changed.best);
        damaged(&changed)
    };
    assert!(with(&|best| best.swap(0, 1)).contains("list of the best"));
    assert!(with(&|best| best[1] = best[0].clone()).contains("list of the best"));
    assert!(with(&|best| best[0].score += 10).contains("has a different result"));
    assert!(with(&|best| best[0].placements[0] = 40).contains("an invalid number"));
    let idle = Entry { placements: vec![], chain: 0, score: 0, ..progress.best[0].clone() };
    assert!(with(&|best| best[0] = idle.clone()).contains("does not reach the goal"));
}
