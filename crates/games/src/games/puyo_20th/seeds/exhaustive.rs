//! The seed searcher of Puyo Puyo!! 20th Anniversary compared with the plain generator and a filter over all
//! 65,536 games.

use crate::games::puyo_20th::seeds::{
    Answer, FirstFailure, GAMES, Impossible, Narrowing, PartialPair, Query, Rounds, Table, every_round,
    labels, parse_pieces, search, upcoming,
};
use crate::games::puyo_20th::{Color, Pair, PoolId, Round, Seed, State, generate};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// All games by the plain generator.
static GAMES_PLAIN: LazyLock<Vec<Round>> = LazyLock::new(|| (0..=Seed::MAX).map(generate).collect());

fn pieces(text: &str) -> Vec<PartialPair> {
    parse_pieces(text).expect("pairs")
}

#[test]
fn games_generated_in_parallel_match_the_plain_generator() {
    let fast: Vec<Round> = every_round(Iterator::collect::<Vec<_>>).into_iter().flatten().collect();
    assert_eq!(fast.len(), GAMES);
    for (fast, plain) in fast.iter().zip(&*GAMES_PLAIN) {
        assert!(fast == plain, "{:04X}", plain.seed);
    }
    assert_eq!(Rounds::between(0xFFFE, 0xFFFF).map(|round| round.seed).collect::<Vec<_>>(), [0xFFFE, 0xFFFF]);
    assert_eq!(Rounds::between(0x1234, 0x1234).next().as_ref(), Some(&GAMES_PLAIN[0x1234]));
    assert_eq!(Rounds::between(2, 1).count(), 0);
}

/// Every pair of every pool is examined once: all 128, through the sets of seeds.
#[test]
fn the_odds_of_every_pair_match_a_count_over_all_games() {
    let table = Table::new();
    for pool in PoolId::ALL {
        for number in (0..128).step_by(9).chain([1, 127]) {
            // One unknown puyo, so that the next pair is the one examined.
            let query = Query {
                pairs: vec![(number + 127, PartialPair::default())],
                ..Query::sequence(pool, 0, &[])
            };
            let answer = search(&table, &query).expect("possible");
            assert_eq!(answer.seeds.len(), GAMES);
            assert_eq!(chances(&answer), counted(pool, number, 0..=Seed::MAX), "{pool} {number}");
        }
    }
}

fn chances(answer: &Answer) -> BTreeMap<String, u32> {
    answer.next.iter().map(|chance| (chance.pair.letters(), chance.count)).collect()
}

fn counted(pool: PoolId, number: u32, seeds: impl IntoIterator<Item = Seed>) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for seed in seeds {
        let pair = GAMES_PLAIN[usize::from(seed)].pair(pool, number).expect("a pair");
        *counts.entry(pair.letters()).or_default() += 1;
    }
    counts
}

#[test]
fn the_published_sequence_is_found_under_relabelling_and_only_once() {
    // Reference 2.4: the 24858th of a public list that counts from 1 and renames the colours.
    let text = "BG GG GY BB BB RB RY BY RR BY GB YG RB YY";
    let query = Query { relabel: true, ..Query::sequence(PoolId::Four, 0, &pieces(text)) };
    let answer = search(&Table::new(), &query).expect("possible");
    assert_eq!(answer.seeds, [0x6119]);
    // The game's colours without the missing purple, in the order R G B Y, are the list's R B Y G.
    let readings = labels(&query, 0x6119);
    assert_eq!(readings.len(), 1);
    let map = GAMES_PLAIN[0x6119].color_map;
    for (name, real) in [('R', 'R'), ('B', 'G'), ('Y', 'B'), ('G', 'Y')] {
        let digit = readings[0].digit(Color::from_letter(name).unwrap()).expect("named");
        assert_eq!(map.color(digit).unwrap().letter(), real, "{name}");
        assert_eq!(readings[0].label(digit).unwrap().letter(), name);
    }
    assert_eq!(readings[0].digit(Color::PURPLE), None);
    let answer = search(&Table::new(), &Query { relabel: false, ..query }).expect("possible");
    assert!(answer.seeds.is_empty(), "by its real colours it is another sequence");
}

/// Reference interpretation of a query: some one-to-one renaming exists under which every pair fits, in
/// either order if requested.
fn shows(round: &Round, query: &Query) -> bool {
    fn fits(label: Option<usize>, puyo: Color, names: &[Color; 5]) -> bool {
        label.is_none_or(|name| names[name] == puyo)
    }
    let pairs: Vec<([Option<usize>; 2], Pair)> = query
        .pairs
        .iter()
        .map(|&(number, entered)| {
            let name = |color: Option<Color>| {
                color.map(|c| Color::PAIR_COLORS.iter().position(|&p| p == c).unwrap())
            };
            let pair = round.pair(query.pool, number).expect("a pair");
            ([name(entered.axis), name(entered.child)], pair)
        })
        .collect();
    let all_fit = |names: &[Color; 5]| {
        pairs.iter().all(|&([one, other], Pair { axis, child })| {
            fits(one, axis, names) && fits(other, child, names)
                || query.unordered && fits(one, child, names) && fits(other, axis, names)
        })
    };
    if query.relabel { permutations().iter().any(all_fit) } else { all_fit(&Color::PAIR_COLORS) }
}

fn permutations() -> &'static [[Color; 5]] {
    static ALL: LazyLock<Vec<[Color; 5]>> = LazyLock::new(|| {
        let mut all = Vec::new();
        for code in 0..3125 {
            let names: [Color; 5] =
                std::array::from_fn(|i| Color::PAIR_COLORS[code / [1, 5, 25, 125, 625][i] % 5]);
            if Color::PAIR_COLORS.iter().all(|color| names.contains(color)) {
                all.push(names);
            }
        }
        assert_eq!(all.len(), 120);
        all
    });
    &ALL
}

/// A query that matches game `seed`, made from its pairs: turned and renamed as allowed, some puyos hidden;
/// `wrong` changes one.
#[derive(Debug, Clone)]
struct Case {
    seed: Seed,
    query: Query,
}

fn cases() -> impl Strategy<Value = Case> {
    let pool = prop_oneof![Just(PoolId::Three), Just(PoolId::Four), Just(PoolId::Five)];
    let puyo = (any::<bool>(), 0u8..6, 0u8..6);
    (
        (any::<Seed>(), pool, prop_oneof![Just(0u32), 0u32..300]),
        proptest::collection::vec(puyo, 0..14),
        (any::<bool>(), any::<bool>(), 0..120usize, any::<bool>(), any::<bool>(), any::<bool>()),
    )
        .prop_map(|((seed, pool, at), puyos, (relabel, unordered, renaming, hide, wrong, gaps))| {
            let round = &GAMES_PLAIN[usize::from(seed)];
            let names = permutations()[if relabel { renaming } else { 0 }];
            let name = |c: Color| {
                let place = Color::PAIR_COLORS.iter().position(|&p| p == c).unwrap();
                if relabel { names[place] } else { c }
            };
            let mut pairs = Vec::new();
            for (number, (turn, hide_one, hide_other)) in (at..).step_by(if gaps { 3 } else { 1 }).zip(puyos)
            {
                let Pair { axis, child } = round.pair(pool, number).expect("a pair");
                let (one, other) = if turn && unordered { (child, axis) } else { (axis, child) };
                let entry = |color: Color, dice: u8| (!hide || dice != 0).then(|| name(color));
                pairs.push((
                    number,
                    PartialPair { axis: entry(one, hide_one), child: entry(other, hide_other) },
                ));
            }
            if wrong && let Some((_, last)) = pairs.last_mut() {
                last.axis = last.child;
            }
            Case { seed, query: Query { pool, pairs, relabel, unordered, state: None } }
        })
}

/// The filter, with the results expected of the searcher.
fn judged(table: &Table, Case { seed, query }: &Case) {
    let plain: Vec<Seed> =
        GAMES_PLAIN.iter().filter(|round| shows(round, query)).map(|round| round.seed).collect();
    let answer = match search(table, query) {
        Ok(answer) => answer,
        Err(impossible) => {
            assert!(plain.is_empty(), "{impossible}: {query:?}");
            return;
        }
    };
    assert_eq!(answer.seeds, plain, "{query:?}");
    assert_eq!(answer.next.iter().map(|chance| chance.count as usize).sum::<usize>(), plain.len());
    if let Some(failure) = answer.first_failure {
        let FirstFailure::Pair { pair, games_before } = failure else { panic!("{failure:?}") };
        let cut = |selects: &dyn Fn(u32) -> bool| {
            let pairs = query.pairs.iter().copied().filter(|&(number, _)| selects(number)).collect();
            let cut = Query { pairs, ..query.clone() };
            GAMES_PLAIN.iter().filter(|round| shows(round, &cut)).count()
        };
        assert_eq!(cut(&|number| number < pair), games_before as usize, "{query:?}");
        assert_ne!(games_before, 0);
        assert_eq!(cut(&|number| number <= pair), 0, "{query:?}");
    } else {
        assert!(!plain.is_empty());
    }
    if !query.relabel {
        assert_eq!(chances(&answer), counted(query.pool, answer.next_pair, plain.iter().copied()));
    }
    // Every mapping of the names is one under which the game deals the pairs.
    for &found in plain.iter().take(20).chain(plain.binary_search(seed).is_ok().then_some(seed)) {
        let readings = labels(query, found);
        assert!(!readings.is_empty(), "{found:04X} {query:?}");
        for reading in readings {
            let map = GAMES_PLAIN[usize::from(found)].color_map;
            let real = |color: Option<Color>| color.map(|c| map.color(reading.digit(c).unwrap()).unwrap());
            let pairs = query.pairs.iter().map(|&(number, entered)| {
                (number, PartialPair { axis: real(entered.axis), child: real(entered.child) })
            });
            let real = Query { relabel: false, pairs: pairs.collect(), ..query.clone() };
            assert!(shows(&GAMES_PLAIN[usize::from(found)], &real), "{found:04X} {query:?}");
        }
    }
}

#[test]
fn random_queries_of_every_kind_match_a_filter_over_all_games() {
    let table = Table::new();
    let mut runner = TestRunner::new(Config { cases: 96, failure_persistence: None, ..Config::default() });
    runner
        .run(&cases(), |case| {
            judged(&table, &case);
            Ok(())
        })
        .unwrap();
}

/// The same from an empty table every time: another order of making pairs, and few of them.
#[test]
fn a_cold_table_gives_the_same_results() {
    let mut runner = TestRunner::new(Config { cases: 16, failure_persistence: None, ..Config::default() });
    runner
        .run(&cases(), |case| {
            judged(&Table::new(), &case);
            Ok(())
        })
        .unwrap();
}

/// The same with the games sorted by their pairs, odds included: those of a table without that order.
#[test]
fn a_warm_table_gives_the_same_results() {
    let (table, other) = (Table::new(), Table::new());
    for pool in PoolId::ALL {
        table.warm(pool, 0..10);
    }
    table.warm(PoolId::Five, 124..140);
    let mut runner = TestRunner::new(Config { cases: 160, failure_persistence: None, ..Config::default() });
    let start = prop_oneof![3 => Just(0u32), 1 => Just(124)];
    runner
        .run(&(cases(), start), |(mut case, start)| {
            let pairs = &mut case.query.pairs;
            let by = pairs.first().map_or(0, |pair| pair.0);
            // The game deals the same from another pair on only by chance: the pairs dealt there are entered
            // instead.
            if by % 128 != start {
                let round = &GAMES_PLAIN[usize::from(case.seed)];
                for (number, entered) in pairs.iter_mut() {
                    *number = *number - by + start;
                    let Pair { axis, child } = round.pair(case.query.pool, *number).expect("a pair");
                    *entered =
                        PartialPair { axis: entered.axis.map(|_| axis), child: entered.child.map(|_| child) };
                }
            }
            judged(&table, &case);
            assert_eq!(search(&table, &case.query), search(&other, &case.query), "{:?}", case.query);
            Ok(())
        })
        .unwrap();
    // Every number of pairs, in each query mode.
    for (seed, pool) in [(0x6119, PoolId::Four), (0xABCD, PoolId::Three), (7, PoolId::Five)] {
        let round = &GAMES_PLAIN[usize::from(seed)];
        let dealt = (0..12).map(|n| round.pair(pool, n).expect("a pair"));
        let swapped: Vec<PartialPair> =
            dealt.map(|pair| PartialPair { axis: Some(pair.child), child: Some(pair.axis) }).collect();
        for (relabel, unordered) in [(false, false), (false, true), (true, false), (true, true)] {
            for count in 1..swapped.len() {
                let query = Query { relabel, unordered, ..Query::sequence(pool, 0, &swapped[..count]) };
                assert_eq!(search(&table, &query), search(&other, &query), "{query:?}");
                assert!(!unordered || search(&table, &query).unwrap().seeds.contains(&seed));
            }
        }
    }
}

#[test]
fn a_relabelled_forecast_uses_the_querys_own_names() {
    let round = &GAMES_PLAIN[0x6119];
    let swap = |c: Color| match c {
        Color::YELLOW => Color::RED,
        Color::RED => Color::YELLOW,
        other => other,
    };
    let dealt: Vec<PartialPair> = (0..12)
        .map(|n| round.pair(PoolId::Four, n).unwrap())
        .map(|pair| PartialPair { axis: Some(swap(pair.axis)), child: Some(swap(pair.child)) })
        .collect();
    let query = Query { relabel: true, ..Query::sequence(PoolId::Four, 0, &dealt) };
    let answer = search(&Table::new(), &query).expect("possible");
    assert_eq!(answer.seeds, [0x6119]);
    let next = round.pair(PoolId::Four, 12).unwrap();
    let expected = PartialPair { axis: Some(swap(next.axis)), child: Some(swap(next.child)) };
    assert_eq!(answer.next.len(), 1);
    assert_eq!(answer.next[0].pair, expected);
    // One pair alone names at most two of four colours: the others are reported as not named.
    let query = Query { pairs: query.pairs[..1].to_vec(), ..query };
    let answer = search(&Table::new(), &query).expect("possible");
    assert!(answer.next.iter().any(|chance| chance.pair.axis.is_none()), "{:?}", answer.next);
}

#[test]
fn a_state_implies_its_seed_and_must_agree_with_the_pairs() {
    let after = State(0x2928_2724); // reference 2.4
    let table = Table::new();
    let ask = |state, text: &str, at| {
        let query = Query { state: Some(state), ..Query::sequence(PoolId::Four, at, &pieces(text)) };
        search(&table, &query).expect("possible")
    };
    let answer = ask(after, "", 0);
    assert_eq!(answer.seeds, [0x6119]);
    assert_eq!(answer.next_pair, 0);
    let dealt = upcoming(0x6119, PoolId::Four, 0, 130).1;
    assert_eq!(dealt[128..], dealt[..2]);
    let text: Vec<String> = dealt[..9].iter().map(|pair| pair.letters()).collect();
    assert_eq!(ask(after, &text.join(" "), 0).seeds, [0x6119]);
    assert_eq!(ask(after, &text[5..].join(" "), 5).seeds, [0x6119]);
    let other = if text[8] == "RR" { "YY" } else { "RR" };
    let answer = ask(after, &format!("{} {other}", text[..8].join(" ")), 0);
    assert_eq!(
        (answer.seeds.len(), answer.first_failure),
        (0, Some(FirstFailure::Pair { pair: 8, games_before: 1 }))
    );
    assert_eq!(ask(after.next(), "", 0).first_failure, Some(FirstFailure::State));
}

#[test]
fn impossible_queries_are_reported_without_a_search() {
    let ask = |pool, text: &str| search(&Table::new(), &Query::sequence(pool, 0, &pieces(text)));
    assert!(matches!(
        ask(PoolId::Three, "RR GG BB YY"),
        Err(Impossible::TooManyColors { pair: 3, most: 3, .. })
    ));
    assert!(matches!(ask(PoolId::Five, "RG BY"), Err(Impossible::FourAtTheStart { .. })));
    // The claims behind it, over all games.
    for round in &*GAMES_PLAIN {
        for pool in PoolId::ALL {
            let most = [86, 68, 56][pool.index()];
            let digits = round.pool(pool);
            for digit in 0..5 {
                assert!(digits.iter().filter(|&&own| own == digit).count() <= most, "{:04X}", round.seed);
            }
            assert!(digits[..4].iter().all(|&digit| digit < 3), "{:04X}", round.seed);
        }
    }
}

#[test]
fn entering_pairs_narrows_and_undoing_widens_again() {
    let table = Table::new();
    for (pool, relabel) in [(PoolId::Three, false), (PoolId::Four, true), (PoolId::Five, false)] {
        let mut typed = Narrowing::new(&table, Query { relabel, ..Query::sequence(pool, 0, &[]) });
        assert_eq!(typed.answer().unwrap().seeds.len(), GAMES);
        let mut left = vec![GAMES];
        for pair in upcoming(0xABCD, pool, 0, 14).1 {
            typed.push(PartialPair { axis: Some(pair.axis), child: Some(pair.child) });
            let answer = typed.answer().unwrap();
            assert!(answer.seeds.contains(&0xABCD));
            assert!(answer.seeds.len() <= left[left.len() - 1]);
            left.push(answer.seeds.len());
        }
        assert_eq!(left[14], 1);
        while let Some(before) = left.pop() {
            assert_eq!(typed.answer().unwrap().seeds.len(), before);
            assert_eq!(typed.pop().is_some(), !left.is_empty());
        }
    }
}
