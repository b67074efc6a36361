//! The filter against the reference implementation, and queries that are rejected before any state is tried.

use crate::games::puyo_tsu::seeds::check::{Impossible, ObservationPosition};
use crate::games::puyo_tsu::seeds::plan::{Plan, distance};
use crate::games::puyo_tsu::seeds::{
    MAX_DIFFERENCES, Observations, ObservedPair, Query, Target, color_set_of, find_in_range, find_reference,
    search, search_range, walk_back,
};
use crate::games::puyo_tsu::{
    Color, Dealing, Flaw, Level, POOL_LEN, PoolId, Setup, Shuffle, State, color_set, generate,
};
use nextscope_boards::Vectors;
use nextscope_task::Progress;

const SETUPS: [Setup; 6] = [
    Setup::VERSUS,
    Setup { pop_count: 5, ..Setup::VERSUS },
    Setup { mode: 0, ..Setup::VERSUS },
    Setup { mode: 0, rank: 2, ..Setup::VERSUS },
    Setup { shuffle: Shuffle::ThreeShuffles, ..Setup::VERSUS },
    Setup { shuffle: Shuffle::ThreeShuffles, pop_count: 5, ..Setup::VERSUS },
];

const SEEDS: [u32; 3] = [0x1234_5678, 0x0000_0007, 0xFFFF_E123];

fn target(seed: u32, setup: Setup) -> Target {
    let round = generate(State(seed), setup);
    let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
    Target { round: 1, color_set: round.color_set, pools, setup }
}

/// The pairs dealt from number `first` on.
fn dealt(seed: u32, observed: &Observations, first: u32, count: u32) -> Vec<ObservedPair> {
    let pools = target(seed, observed.setup).pools;
    let pair = |deal_index| {
        let pair = observed.dealer().pair(&pools, deal_index).unwrap();
        ObservedPair { deal_index, axis: Some(pair.axis), child: Some(pair.child) }
    };
    (first..first + count).map(pair).collect()
}

fn sieved(target: &Target, first: u32, count: u64) -> Vec<State> {
    search_range(target, first, count, Vectors::widest(), &Progress::default()).unwrap()
}

/// Compares the filter with the reference implementation around a planted state, with all available vectors.
fn agrees(observed: &Observations, seed: u32) {
    let query = Query::new(observed).unwrap();
    let first = seed & !0xFFF;
    let expected = find_reference(&query, first, 0x1000);
    assert!(expected.contains(&State(seed)), "{observed:?}");
    for vectors in Vectors::all() {
        let found = find_in_range(&query, first, 0x1000, vectors, &Progress::default()).unwrap();
        assert_eq!(found, expected, "{} {:?} {:?}", vectors.name(), observed.setup, observed.level);
    }
}

#[test]
fn pools_with_and_without_the_colour_set() {
    for setup in SETUPS {
        for seed in SEEDS {
            let mut observed = Observations::from(&target(seed, setup));
            agrees(&observed, seed);
            observed.color_set = None;
            agrees(&observed, seed);
            // Few bytes of one pool alone, so that many states match.
            for id in PoolId::ALL.into_iter().filter(|id| setup.colors()[id.index()].is_some()) {
                let mut few = Observations::empty(setup);
                few.pools[id.index()] = Some([None; POOL_LEN]);
                for at in [0, 5, 6, 9, 130, 255] {
                    few.pools[id.index()].as_mut().unwrap()[at] =
                        observed.pools[id.index()].and_then(|pool| pool[at]);
                }
                agrees(&few, seed);
            }
        }
    }
}

#[test]
fn pairs_of_every_level_and_reading() {
    for setup in SETUPS {
        for (level, dealing) in
            (0..5).map(Level).flat_map(|level| Dealing::ALL.map(|dealing| (level, dealing)))
        {
            let mut observed = Observations { level, dealing, ..Observations::empty(setup) };
            let seed = 0x1234_5678;
            for (first, count) in [(0, 2), (0, 8), (5, 4), (126, 6)] {
                observed.pairs = dealt(seed, &observed, first, count);
                agrees(&observed, seed);
            }
        }
    }
}

#[test]
fn partly_observed_and_swapped_pairs() {
    for (level, seed) in [0, 2, 4].map(Level).into_iter().zip(SEEDS) {
        let mut observed = Observations { level, unordered: true, ..Observations::empty(Setup::VERSUS) };
        observed.pairs = dealt(seed, &observed, 0, 5);
        for (n, pair) in observed.pairs.iter_mut().enumerate() {
            std::mem::swap(&mut pair.axis, &mut pair.child);
            if n == 1 {
                pair.child = None;
            }
            if n == 3 {
                pair.axis = None;
            }
        }
        agrees(&observed, seed);
        // Both a pool and pairs of unknown orientation that come from it.
        let pools = target(seed, observed.setup).pools;
        observed.pools[2] = Some([None; POOL_LEN]);
        observed.pools[2].as_mut().unwrap()[8] = Some(pools[2][8]);
        agrees(&observed, seed);
    }
}

#[test]
fn pairs_of_unknown_orientation_match_more_states() {
    let seed = 0x1234_5678;
    let mut observed = Observations::empty(Setup::VERSUS);
    observed.pairs = dealt(seed, &observed, 0, 3);
    let count =
        |observed: &Observations| find_reference(&Query::new(observed).unwrap(), 0x1234_0000, 0x8000).len();
    let ordered = count(&observed);
    observed.unordered = true;
    assert!(count(&observed) > ordered, "{ordered}");
}

#[test]
fn a_few_wrong_bytes_do_not_hide_the_state() {
    for setup in SETUPS {
        let mut target = target(0x1234_5678, setup);
        for at in [9, 40, 41, 129, 255] {
            for pool in &mut target.pools {
                pool[at] = if pool[at] == 5 { 0xFF } else { 5 };
            }
        }
        assert_eq!(sieved(&target, 0x1234_5000, 0x1000), [State(0x1234_5678)], "{setup:?}");
        let plainly: Vec<State> = (0x1234_5000..0x1234_6000)
            .map(State)
            .filter(|state| {
                color_set(*state).0 == target.color_set && distance(*state, &target) <= MAX_DIFFERENCES
            })
            .collect();
        assert_eq!(plainly, [State(0x1234_5678)]);
    }
}

#[test]
fn a_cancelled_search_returns_nothing() {
    let progress = Progress::default();
    progress.cancel();
    assert_eq!(search(&target(1, Setup::VERSUS), super::Effort::default(), &progress), None);
}

#[test]
fn a_stopped_search_returns_what_it_found() {
    let observed =
        Observations { color_set: Some(color_set(State(9)).0), ..Observations::empty(Setup::VERSUS) };
    let query = Query::new(&observed).unwrap();
    let progress = Progress::default();
    progress.stop();
    let found = super::find(&query, super::Effort::default(), &progress).unwrap();
    assert!(found.stopped && !found.complete, "{} states", found.states.len());
}

#[test]
fn ranges_respect_their_bounds() {
    let plan = Observations { color_set: Some(color_set(State(9)).0), ..Observations::empty(Setup::VERSUS) };
    let query = Query::new(&plan).unwrap();
    for (first, count) in [(0, 1), (7, 1000), (0xFFFF_FFF0, 16), (0xFFFF_F000, 0x1000)] {
        let found = find_in_range(&query, first, count, Vectors::widest(), &Progress::default()).unwrap();
        assert_eq!(found, find_reference(&query, first, u32::try_from(count).unwrap()), "{first:08X}");
    }
    assert!(Plan::exact(&query).stages.is_empty(), "a colour set alone needs no tracing");
}

#[test]
fn states_after_a_round_lead_back_to_those_before_it() {
    for setup in SETUPS {
        for seed in SEEDS {
            let observed = Observations::from(&target(seed, setup));
            let after = generate(State(seed), setup).after;
            let found = walk_back(after, &Query::new(&observed).unwrap());
            assert!(found.contains(&State(seed)), "{setup:?}");
            assert_eq!(walk_back(State(after.0 ^ 1), &Query::new(&observed).unwrap()), []);
        }
    }
}

fn pieces(text: &str) -> Observations {
    let color =
        |letter: char| "RY?GPB".find(letter).filter(|at| *at != 2).and_then(|at| u8::try_from(at).ok());
    let pairs = text.split(' ').zip(0..).map(|(word, deal_index)| {
        let letters: Vec<Option<Color>> = word.chars().map(|letter| color(letter).map(Color)).collect();
        ObservedPair { deal_index, axis: letters[0], child: letters[1] }
    });
    Observations { pairs: pairs.collect(), ..Observations::empty(Setup::VERSUS) }
}

fn refused(observed: &Observations) -> Impossible {
    Query::new(observed).expect_err("no game matches this")
}

#[test]
fn too_many_colours_are_rejected_at_the_last_one() {
    // The first three pairs come from the 3-colour pool.
    let Impossible::Colors { place, pool, colors } = refused(&pieces("RG GY PB")) else { panic!() };
    assert_eq!((place, pool, colors), (ObservationPosition::Pair { deal_index: 2 }, PoolId::Three, 3));
    // Level 3 has four colours.
    let Impossible::Colors { place, pool, .. } = refused(&pieces("RG GY RR RP PP RB")) else { panic!() };
    assert_eq!((place, pool), (ObservationPosition::Pair { deal_index: 5 }, PoolId::Four));
    // Level 5 has them all.
    let mut observed = pieces("RG GY RR RY RB BP");
    observed.level = Level(4);
    assert!(Query::new(&observed).is_ok());
}

#[test]
fn purple_is_never_the_fifth_colour() {
    // Four colours without purple leave it the fifth position, which it never takes (reference 1.9).
    let Impossible::Colors { place, .. } = refused(&pieces("RG GY RR RB")) else { panic!() };
    assert_eq!(place, ObservationPosition::Pair { deal_index: 3 });
    assert!(Query::new(&pieces("RG GY RR RP")).is_ok());
}

#[test]
fn a_repeated_pair_must_be_consistent() {
    let mut observed = pieces("RG GY RR");
    observed.level = Level(0);
    observed.pairs.push(ObservedPair { deal_index: 129, axis: Some(Color(0)), child: None });
    // Number 129 is pair 1 of the pool again, which was dealt as number 1.
    let Impossible::Contradiction { place, pool, index } = refused(&observed) else { panic!() };
    assert_eq!((place, pool, index), (ObservationPosition::Pair { deal_index: 129 }, PoolId::Three, 2));
    observed.unordered = true;
    assert!(matches!(refused(&observed), Impossible::Contradiction { .. }));
    observed.pairs[3].axis = Some(Color(1));
    assert!(Query::new(&observed).is_ok(), "GY or YG with Y at the axis is YG");
}

#[test]
fn copied_starts_must_agree() {
    let mut observed = Observations::from(&target(7, Setup::VERSUS));
    observed.color_set = None;
    let byte = &mut observed.pools[1].as_mut().unwrap()[3];
    *byte = if *byte == Some(0) { Some(5) } else { Some(0) };
    // Whether the colour or the copy fails first depends on the colour; both are at this byte's pair.
    let (Impossible::Contradiction { place, .. } | Impossible::Colors { place, .. }) = refused(&observed)
    else {
        panic!()
    };
    assert!(matches!(place, ObservationPosition::Byte { pool: PoolId::Four, index: 2 }), "{place}");
}

#[test]
fn colours_above_their_count_are_rejected() {
    let mut observed = Observations::empty(Setup::VERSUS);
    let mut pool = [None; POOL_LEN];
    pool[4..4 + 65].fill(Some(4));
    observed.pools[1] = Some(pool);
    let Impossible::TooMany { place, pool: id, color, count, most } = refused(&observed) else { panic!() };
    assert_eq!((id, color, count, most), (PoolId::Four, 4, 65, 64));
    assert_eq!(place, ObservationPosition::Byte { pool: PoolId::Four, index: 68 });
    pool[68] = None;
    observed.pools[1] = Some(pool);
    assert!(Query::new(&observed).is_ok());
}

#[test]
fn noise_is_rejected_immediately() {
    let mut target = target(7, Setup::VERSUS);
    let mut noise = State(1);
    for byte in &mut target.pools[1] {
        noise = noise.stirred(4, 8);
        *byte = noise.0.to_le_bytes()[1];
    }
    assert!(matches!(
        refused(&Observations::from(&target)),
        Impossible::Flaw(Flaw::ForeignColor { pool: PoolId::Four, .. })
    ));
    let mut alone = Observations::empty(Setup::VERSUS);
    alone.pools[1] = Some(target.pools[1].map(Some));
    assert!(matches!(refused(&alone), Impossible::NotAColor { place: ObservationPosition::Byte { .. }, .. }));
}

#[test]
fn colour_sets_are_one_of_96() {
    assert_eq!(color_set_of(&[4, 0, 5, 3, 1]), Ok([4, 0, 5, 3, 1, 6, 2, 0]));
    assert_eq!(color_set_of(&[4, 0, 5, 3, 1, 6, 2, 0]), Ok([4, 0, 5, 3, 1, 6, 2, 0]));
    for wrong in [&[0, 1, 3, 5, 4][..], &[0, 0, 3, 5, 1], &[4, 0, 5, 3], &[4, 0, 5, 3, 1, 6, 2, 1]] {
        assert!(matches!(color_set_of(wrong), Err(Impossible::ColorSet { .. })), "{wrong:?}");
    }
    let observed =
        Observations { color_set: Some([0, 1, 3, 5, 4, 6, 2, 0]), ..Observations::empty(Setup::VERSUS) };
    assert!(matches!(refused(&observed), Impossible::ColorSet { .. }));
}

#[test]
fn pools_and_pairs_outside_the_setup_are_rejected() {
    let mut observed = Observations::empty(Setup { mode: 0, ..Setup::VERSUS });
    observed.pools[2] = Some([Some(4); POOL_LEN]);
    assert!(matches!(refused(&observed), Impossible::NotMade { pool: PoolId::Five }));
    let mut observed = pieces("RG RG RG RG");
    observed.level = Level(7);
    assert!(matches!(refused(&observed), Impossible::Level { .. }));
}
