//! Any split of a search merges to the ranking of a single run.

use super::super::tests::start as clears;
use super::super::{SeedSearch, Start, run};
use super::*;
use crate::goal::Goal;
use nextscope_boards::puyo::Rules;
use nextscope_boards::{Color, Pair};
use proptest::prelude::*;
use proptest::sample::SizeRange;
use serde_json::Map;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Seeds of the single runs.
const SEEDS: RangeInclusive<u32> = 1000..=1199;

/// Games of five pairs or more in five colours, by a generator of their own.
fn random_game(seed: u32) -> Option<Start> {
    let mut state = seed.wrapping_mul(0x9E37_79B9) ^ 0x5EED;
    let mut color = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Color::PAIR_COLORS[(state >> 24) as usize % if seed.is_multiple_of(3) { 5 } else { 3 }]
    };
    let pairs = (0..7).map(|_| Pair { axis: color(), child: color() }).collect();
    (seed % 50 != 7).then(|| Start::empty(pairs, Rules::TSU))
}

fn task(goal: Goal, seeds: RangeInclusive<u32>) -> SearchTask {
    SearchTask { deal: Map::new(), goal, widths: vec![2, 6], whole: SEEDS, seeds }
}

/// Runs a search up to a number of reports.
fn searched(task: SearchTask, start: fn(u32) -> Option<Start>, reports: usize) -> SeedSearchProgress {
    let mut progress = SeedSearchProgress::new(task);
    let stop = AtomicBool::new(reports == 0);
    let mut left = reports;
    let report = &mut |_: &SeedSearchProgress| {
        left = left.saturating_sub(1);
        stop.store(left == 0, Ordering::Relaxed);
    };
    run(&SeedSearch { start: &start, threads: 1 }, &mut progress, &stop, report).expect("it runs");
    progress
}

type Case = (Goal, fn(u32) -> Option<Start>);
const CASES: [Case; 5] = [
    (Goal::AllClear, clears),
    (Goal::Points(300), random_game),
    (Goal::ExactChain(2), random_game),
    (Goal::Chain, random_game),
    (Goal::Score, random_game),
];

static SINGLE: LazyLock<Vec<SeedSearchProgress>> = LazyLock::new(|| {
    CASES.iter().map(|(goal, start)| searched(task(*goal, SEEDS), *start, usize::MAX)).collect()
});

/// Ranges that cover all seeds: pieces between cuts, each longer by some seeds on both sides, and further ranges; in any order.
fn splits() -> impl Strategy<Value = Vec<RangeInclusive<u32>>> {
    let any_seed = || *SEEDS.start()..=*SEEDS.end();
    let cuts = prop::collection::btree_set(*SEEDS.start() + 1..=*SEEDS.end(), SizeRange::from(0..6));
    let further = prop::collection::vec((any_seed(), any_seed()), 0..2);
    let longer = prop::collection::vec((0_u32..40, 0_u32..40), 7);
    (cuts, longer, further).prop_flat_map(|(cuts, longer, further)| {
        let starts: Vec<u32> = std::iter::once(*SEEDS.start()).chain(cuts).collect();
        let end = |nth: usize| starts.get(nth + 1).map_or(*SEEDS.end(), |next| next - 1);
        let piece = |(nth, first): (usize, &u32)| {
            let (before, after) = longer[nth];
            (*first - before).max(*SEEDS.start())..=(end(nth) + after).min(*SEEDS.end())
        };
        let mut ranges: Vec<_> = starts.iter().enumerate().map(piece).collect();
        ranges.extend(further.iter().map(|(one, other)| *one.min(other)..=*one.max(other)));
        Just(ranges).prop_shuffle()
    })
}

fn merged(parts: &[SeedSearchProgress]) -> Merged {
    merge(parts, None).expect("parts of one search").expect("a part")
}

/// The seeds that two ranges or more contain, counted seed by seed.
fn covered_twice(ranges: &[RangeInclusive<u32>]) -> Vec<u32> {
    SEEDS.filter(|seed| ranges.iter().filter(|range| range.contains(seed)).count() > 1).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_split_merges_to_the_single_run(case in 0..CASES.len(), ranges in splits()) {
        let (goal, start) = CASES[case];
        let parts: Vec<_> =
            ranges.iter().map(|seeds| searched(task(goal, seeds.clone()), start, usize::MAX)).collect();
        let merged = merged(&parts);
        prop_assert_eq!(&merged.best, &SINGLE[case].best);
        prop_assert!(merged.missing.is_empty() && merged.whole == SEEDS);
        prop_assert!((merged.share - 1.0).abs() < 1e-9);
        let mut named: Vec<u32> = Vec::new();
        for Overlap { parts: [one, other], seeds } in &merged.overlaps {
            for part in [one, other] {
                let all = &ranges[*part];
                prop_assert!(all.contains(seeds.start()) && all.contains(seeds.end()));
            }
            prop_assert!(one < other);
            named.extend(seeds.clone());
        }
        named.sort_unstable();
        named.dedup();
        prop_assert_eq!(named, covered_twice(&ranges));
    }

    #[test]
    fn what_is_missing_is_named(ranges in splits(), left_out in 0_usize..9, reports in 0_usize..6) {
        let finished = |seeds: &RangeInclusive<u32>| SeedSearchProgress {
            pass: 2,
            ..SeedSearchProgress::new(task(Goal::Chain, seeds.clone()))
        };
        let mut parts: Vec<_> = ranges.iter().map(finished).collect();
        parts[0] = searched(parts[0].task.clone(), random_game, reports);
        parts.truncate(parts.len().saturating_sub(left_out).max(1));
        let merged = merged(&parts);
        // Seed by seed: the most passes of any part.
        let passes = |seed: u32| {
            let of = |part: &SeedSearchProgress| match part.task.seeds.contains(&seed) {
                true => part.pass + usize::from(u64::from(seed) < part.next),
                false => 0,
            };
            parts.iter().map(of).max().unwrap_or(0)
        };
        let expected: Vec<(u32, usize)> =
            SEEDS.map(|seed| (seed, passes(seed))).filter(|(_, passes)| *passes < 2).collect();
        let named: Vec<(u32, usize)> = merged
            .missing
            .iter()
            .flat_map(|missing| missing.seeds.clone().map(|seed| (seed, missing.passes)))
            .collect();
        prop_assert_eq!(named, expected);
        prop_assert_eq!(&merged.best, &parts[0].best);
    }
}

#[test]
fn the_single_runs_are_worth_comparing() {
    for (single, (goal, _)) in SINGLE.iter().zip(CASES) {
        assert_eq!(single.best.len(), 20, "{goal}");
        let distinct: std::collections::BTreeSet<_> =
            single.best.iter().map(|entry| (entry.placements.len(), entry.score)).collect();
        assert!(goal == Goal::AllClear || distinct.len() > 2, "{goal}: {distinct:?}");
    }
}

#[test]
fn parts_of_another_search_are_refused() {
    let part = |widths: &[usize]| {
        SeedSearchProgress::new(SearchTask { widths: widths.to_vec(), ..task(Goal::Chain, 1000..=1001) })
    };
    let error = merge(&[part(&[2, 6]), part(&[2, 6]), part(&[3])], None).expect_err("other widths");
    assert_eq!((error.part, error.difference.as_str()), (2, "widths: [3] instead of [2, 6]"));
    assert_eq!(merge(&[], None), Ok(None));
    let wider = merge(&[part(&[3])], Some(&(0..=1400))).expect("one search").expect("a part");
    let missing = |seeds, passes| Missing { seeds, passes };
    assert_eq!((wider.missing, wider.whole), (vec![missing(0..=1400, 0)], 0..=1400));
}

#[test]
fn all_states_are_covered_up_to_the_last() {
    let all = 0..=u32::MAX;
    let half = |seeds| {
        let task = SearchTask { whole: all.clone(), seeds, ..task(Goal::Chain, SEEDS) };
        SeedSearchProgress { pass: 2, ..SeedSearchProgress::new(task) }
    };
    let (low, high) = (half(0..=0x7FFF_FFFF), half(0x8000_0000..=u32::MAX));
    let both = merged(&[high.clone(), low.clone()]);
    assert_eq!((both.missing, both.overlaps, both.whole), (vec![], vec![], all.clone()));
    let twice = merged(&[low, high.clone(), high]);
    assert_eq!(twice.overlaps, [Overlap { parts: [1, 2], seeds: 0x8000_0000..=u32::MAX }]);
}
