//! The builder against all structures, enumerated apart and valued by the transcription.

use crate::boards::{at, blocks, place, rules};
use crate::transcription::{Answers, At, ignite, touched};
use nextscope::pochi::{
    BuildLimits, BuildResult, Color, HEIGHT, Ignition, MAX_BLOCKS, Rules, Ruleset, WIDTH, build, evaluate,
};
use std::collections::BTreeSet;

const OTHERS: Answers = Answers {
    from_above: false,
    from_left: false,
    block_above: false,
    each_its_own: false,
    singles_count: false,
};

fn worth(blocks: &BTreeSet<At>, needle: At, ruleset: Ruleset, answers: Answers) -> u64 {
    let starts = touched(blocks, needle, answers);
    if starts.is_empty() { 0 } else { ignite(blocks, &starts, ruleset == Ruleset::Mvs, answers).value }
}

/// The needle's cell.
fn needle(built: &BuildResult) -> At {
    match built.ignition {
        Ignition::Needle { at: needle, .. } => at(needle),
        Ignition::Blocks(_) => panic!("a needle"),
    }
}

/// What a built structure says of itself is so.
fn check(built: &BuildResult, ruleset: Ruleset, answers: Answers, limits: BuildLimits) {
    let (blocks, needle) = (blocks(&built.field, Color::Red), needle(built));
    let context = || format!("{ruleset} {limits:?} {:?}\n{}", built.ignition, built.field.to_text());
    assert_eq!((built.field.width(), built.field.height()), (WIDTH, HEIGHT));
    assert_eq!(
        (blocks.len(), built.field.blocks()),
        (built.blocks as usize, built.blocks as usize),
        "{}",
        context()
    );
    assert!(!blocks.contains(&needle), "{}", context());
    assert_eq!(worth(&blocks, needle, ruleset, answers), u64::from(built.value), "{}", context());
    let one = evaluate(&built.field, &built.ignition, ruleset, rules(answers)).unwrap();
    assert_eq!(one.value, built.value, "{}", context());
    let supports: BTreeSet<At> = built.supports.iter().copied().map(at).collect();
    for x in 0..i32::from(WIDTH) {
        let top = (0..i32::from(HEIGHT)).find(|y| blocks.contains(&(x, *y)) || needle == (x, *y));
        for y in 0..i32::from(HEIGHT) {
            let is_filled = blocks.contains(&(x, y)) || needle == (x, y) || supports.contains(&(x, y));
            assert_eq!(is_filled, top.is_some_and(|top| y >= top), "{}", context());
        }
    }
    assert!(!limits.freestanding || supports.is_empty(), "{}", context());
    assert!(!limits.open || blocks.iter().all(|(x, y)| *x != needle.0 || *y > needle.1), "{}", context());
    assert!(built.bound.is_none_or(|bound| bound >= built.value), "{}", context());
}

/// All connected sets of so many cells, with their least column and row at 0, that fit into the field.
fn connected(cells: usize) -> BTreeSet<BTreeSet<At>> {
    let mut all = BTreeSet::from([BTreeSet::from([(0, 0)])]);
    for _ in 1..cells {
        let mut more = BTreeSet::new();
        for set in &all {
            for (x, y) in set {
                for to in [(x + 1, *y), (x - 1, *y), (*x, y + 1), (*x, y - 1)] {
                    let mut wider = set.clone();
                    wider.insert(to);
                    let left = wider.iter().map(|cell| cell.0).min().unwrap();
                    let top = wider.iter().map(|cell| cell.1).min().unwrap();
                    let moved: BTreeSet<At> = wider.iter().map(|(x, y)| (x - left, y - top)).collect();
                    let fits = moved.iter().all(|(x, y)| *x < WIDTH.into() && *y < HEIGHT.into());
                    if moved.len() > set.len() && fits {
                        more.insert(moved);
                    }
                }
            }
        }
        all = more;
    }
    all
}

/// Whether blocks and needle need no other blocks below them.
fn is_freestanding(cells: &BTreeSet<At>) -> bool {
    let floor = cells.iter().map(|cell| cell.1).max().unwrap();
    cells.iter().all(|(x, y)| *y == floor || cells.contains(&(*x, y + 1)))
}

#[test]
fn what_is_proven_is_the_best_of_all_connected_structures() {
    let mut best = vec![[[[0u64; 2]; 2]; 4]; 9];
    for count in 1..=8usize {
        let of_more = best[count - 1];
        best[count] = of_more;
        // A needle and the blocks that it ignites are connected.
        for cells in connected(count + 1) {
            for needle in &cells {
                let mut blocks = cells.clone();
                blocks.remove(needle);
                let is_open = !blocks.iter().any(|(x, y)| *x == needle.0 && *y < needle.1);
                let kinds = [true, is_freestanding(&cells), is_open, is_open && is_freestanding(&cells)];
                for (nth, answers) in [Answers::FIRST, OTHERS].into_iter().enumerate() {
                    for (which, ruleset) in Ruleset::ALL.into_iter().enumerate() {
                        let value = worth(&blocks, *needle, ruleset, answers);
                        for (kind, _) in kinds.iter().enumerate().filter(|(_, is_so)| **is_so) {
                            let slot = &mut best[count][kind][nth][which];
                            *slot = (*slot).max(value);
                        }
                    }
                }
            }
        }
        for (kind, (freestanding, open)) in
            [(false, false), (true, false), (false, true), (true, true)].into_iter().enumerate()
        {
            let limits = BuildLimits { freestanding, open, effort: 30_000 };
            for (nth, answers) in [Answers::FIRST, OTHERS].into_iter().enumerate() {
                for (which, ruleset) in Ruleset::ALL.into_iter().enumerate() {
                    let blocks = u32::try_from(count).unwrap();
                    let built = build(blocks, ruleset, rules(answers), limits, &mut |_| true);
                    check(&built, ruleset, answers, limits);
                    let expected = best[count][kind][nth][which];
                    assert!(built.is_proven, "{count} {ruleset} {limits:?}");
                    assert_eq!(u64::from(built.value), expected, "{count} {ruleset} {limits:?} {answers:?}");
                }
            }
        }
    }
}

/// Blocks that are not connected bring nothing more: all sets of four cells of a square of five, whatever they look like.
#[test]
fn what_is_proven_is_the_best_of_all_sets_in_a_small_field() {
    let square: Vec<At> = (0..5).flat_map(|y| (0..5).map(move |x| (x, y))).collect();
    let mut best = [0; 2];
    for a in 0..25 {
        for b in a + 1..25 {
            for c in b + 1..25 {
                for d in c + 1..25 {
                    let blocks: BTreeSet<At> = [a, b, c, d].iter().map(|nth: &usize| square[*nth]).collect();
                    for needle in square.iter().filter(|cell| !blocks.contains(*cell)) {
                        for (which, ruleset) in Ruleset::ALL.into_iter().enumerate() {
                            best[which] = best[which].max(worth(&blocks, *needle, ruleset, Answers::FIRST));
                        }
                    }
                }
            }
        }
    }
    for (which, ruleset) in Ruleset::ALL.into_iter().enumerate() {
        let built = build(4, ruleset, Rules::default(), BuildLimits::default(), &mut |_| true);
        assert!(built.is_proven);
        assert_eq!(u64::from(built.value), best[which], "{ruleset}");
    }
}

#[test]
fn known_structures_are_reached_or_passed() {
    // The tutorial's structure of 7 blocks, and the rectangle of 7 x 2.
    for (blocks, ruleset, least) in [(7, Ruleset::Mvs, 15), (7, Ruleset::Ps2, 14), (14, Ruleset::Ps2, 35)] {
        let limits = BuildLimits { effort: 200_000, ..BuildLimits::default() };
        let built = build(blocks, ruleset, Rules::default(), limits, &mut |_| true);
        check(&built, ruleset, Answers::FIRST, limits);
        assert!(built.value >= least, "{blocks} {ruleset}: {}", built.value);
    }
}

#[test]
fn any_number_of_blocks_gives_something_that_fits_and_keeps_the_bound() {
    let mut before = [0; 8];
    for blocks in [0, 1, 2, 13, 24, 25, 40, 60, 82, 83, 84, 1_000] {
        let mut nth = 0;
        for (freestanding, open) in [(false, false), (true, false), (false, true), (true, true)] {
            for ruleset in Ruleset::ALL {
                let limits = BuildLimits { freestanding, open, effort: 16_000 };
                let built = build(blocks, ruleset, Rules::default(), limits, &mut |_| true);
                check(&built, ruleset, Answers::FIRST, limits);
                assert!(built.blocks <= blocks.min(MAX_BLOCKS));
                // So little effort finds less of many blocks than it might, but not nothing.
                assert!(blocks < 2 || built.value >= 2, "{blocks} {ruleset} {limits:?}");
                if [2, 13, 40].contains(&blocks) {
                    assert!(built.value > before[nth], "{blocks} {ruleset} {limits:?}");
                    before[nth] = built.value;
                }
                nth += 1;
            }
        }
    }
}

#[test]
fn the_answer_does_not_depend_on_the_threads_and_comes_twice() {
    for blocks in [9, 30] {
        for ruleset in Ruleset::ALL {
            for freestanding in [false, true] {
                let limits = BuildLimits { freestanding, open: true, effort: 60_000 };
                let run = |threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| {
                        let mut reports = Vec::new();
                        let built = build(blocks, ruleset, Rules::default(), limits, &mut |progress| {
                            assert!(progress.tried <= progress.of, "{} of {}", progress.tried, progress.of);
                            reports.push((progress.tried, progress.proving, progress.best.value));
                            true
                        });
                        assert!(reports.is_sorted(), "{reports:?}");
                        assert_eq!(reports.last().map(|last| last.2), Some(built.value));
                        (built, reports)
                    })
                };
                let first = run(1);
                assert_eq!(first, run(1));
                assert_eq!(first, run(3));
            }
        }
    }
}

#[test]
fn a_cancelled_search_stops_and_returns_the_best() {
    for freestanding in [false, true] {
        for proving in [false, true] {
            let limits = BuildLimits { freestanding, open: false, effort: 1_000_000 };
            let (mut calls, mut stopped_at) = (0, None);
            let blocks = if proving { 14 } else { 60 };
            let built = build(blocks, Ruleset::Mvs, Rules::default(), limits, &mut |progress| {
                assert_eq!(stopped_at, None, "called again after false");
                calls += 1;
                if progress.proving == proving && calls > 3 {
                    stopped_at = Some(progress.best.value);
                }
                stopped_at.is_none()
            });
            assert!(built.is_cancelled && !built.is_proven, "{freestanding} {proving}");
            assert_eq!(Some(built.value), stopped_at);
            assert!(built.value > 0);
            check(&built, Ruleset::Mvs, Answers::FIRST, limits);
        }
    }
}

#[test]
fn the_needle_of_an_open_structure_rests() {
    let limits = BuildLimits { freestanding: true, open: true, effort: 50_000 };
    for ruleset in Ruleset::ALL {
        let built = build(20, ruleset, Rules::default(), limits, &mut |_| true);
        assert!(built.field.is_rest(place(needle(&built))));
    }
}
