//! States from pools, pairs and the state afterwards.

use crate::games::puyo_tsu::seeds::{
    Effort, Observations, ObservedPair, Query, RoundDifference, classes, find, search, walk_back,
};
use crate::games::puyo_tsu::seeds::{Impossible, Target};
use crate::games::puyo_tsu::{Dealer, Dealing, Level, Round, Setup, State, generate};
use nextscope_task::Progress;

/// States all over the 2^32, always the same ones (splitmix64).
fn states(count: u64) -> Vec<State> {
    let mix = |n: u64| {
        let z = (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (n >> 3)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        State(u32::try_from(((z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB)) >> 32).unwrap())
    };
    (1..=count).map(mix).collect()
}

/// The colour set and all three pools of a round.
fn seen_whole(round: &Round) -> Observations {
    Observations {
        color_set: Some(round.color_set),
        pools: round.pools.map(|pool| Some(pool?.map(Some))),
        ..Observations::empty(Setup::VERSUS)
    }
}

/// The pairs dealt to a player from number `first` on.
fn seen_pairs(round: &Round, level: Level, first: u32, count: u32) -> Observations {
    let dealer = Dealer { mode: 1, level, dealing: Dealing::default() };
    let pools = round.pools.map(Option::unwrap);
    let pair = |deal_index| {
        let pair = dealer.pair(&pools, deal_index).unwrap();
        ObservedPair { deal_index, axis: Some(pair.axis), child: Some(pair.child) }
    };
    Observations {
        level,
        pairs: (first..first + count).map(pair).collect(),
        ..Observations::empty(Setup::VERSUS)
    }
}

#[test]
fn a_thousand_states_are_recovered_by_walking_back() {
    let states = states(1000);
    let check = |state: &State| {
        let round = generate(*state, Setup::VERSUS);
        let found = walk_back(round.after, &Query::new(&seen_whole(&round)).unwrap());
        assert!(found.contains(state), "{state} is not among {found:?}");
        for other in &found {
            let made = generate(*other, Setup::VERSUS);
            assert_eq!(
                (made.color_set, made.pools),
                (round.color_set, round.pools),
                "{other} beside {state}"
            );
        }
    };
    let halves = states.split_at(states.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| halves.0.iter().for_each(check));
        halves.1.iter().for_each(check);
    });
}

#[test]
fn five_states_are_found_among_all() {
    for (n, state) in states(5).into_iter().enumerate() {
        let round = generate(state, Setup::VERSUS);
        let observations = match n {
            0 | 1 => seen_whole(&round),
            2 => Observations { color_set: None, ..seen_whole(&round) },
            3 => seen_pairs(&round, Level(2), 0, 10),
            _ => seen_pairs(&round, Level(4), 0, 10),
        };
        let query = Query::new(&observations).unwrap();
        let progress = Progress::default();
        let found = find(&query, Effort::default(), &progress).unwrap();
        assert!(found.complete && found.states.contains(&state), "{n}: {state}");
        assert!(found.states.is_sorted() && found.states.len() < 200, "{n}: {}", found.states.len());
        for other in &found.states {
            assert!(query.fits(&generate(*other, Setup::VERSUS)), "{n}: {other} beside {state}");
        }
        assert!((progress.share() - 1.0).abs() < f64::EPSILON, "all states were tried");
        if n < 2 {
            let walked = walk_back(round.after, &query);
            assert!(walked.iter().all(|state| found.states.contains(state)), "{n}: both ways agree");
        }
    }
}

#[test]
fn the_states_of_the_reference_are_found_despite_their_fault() {
    // Reference 1.9: for the pools of 12345678 a search in C finds exactly these two.
    let round = generate(State(0x1234_5678), Setup::VERSUS);
    let mut target = Target {
        round: 1,
        color_set: round.color_set,
        pools: round.pools.map(Option::unwrap),
        setup: Setup::VERSUS,
    };
    let both = [State(0x1234_5678), State(0x6789_ABCD)];
    let found = |target: &Target| search(target, Effort::default(), &Progress::default()).unwrap();
    assert_eq!(found(&target), both);
    target.pools[1][40] ^= 1;
    assert_eq!(found(&target), both, "they are the nearest to pools with one wrong byte");
}

#[test]
fn states_that_diverge_are_distinguished() {
    let first = State(0x1234_5678);
    let dealer = Dealer { mode: 1, level: Level(2), dealing: Dealing::default() };
    let same = classes(&[first, State(0x6789_ABCD)], Setup::VERSUS, dealer);
    assert_eq!((same.classes.len(), same.differs_at), (1, None));
    let query = Query::new(&seen_pairs(&generate(first, Setup::VERSUS), dealer.level, 0, 4)).unwrap();
    let found = crate::games::puyo_tsu::seeds::find_in_range(
        &query,
        0x1234_0000,
        1 << 22,
        nextscope_boards::Vectors::widest(),
        &Progress::default(),
    )
    .unwrap();
    let answer = classes(&found, Setup::VERSUS, dealer);
    assert!(answer.classes.len() > 1, "four pairs leave several games");
    assert_eq!(answer.classes.iter().map(|class| class.states.len()).sum::<usize>(), found.len());
    let Some(RoundDifference::Pair { deal_index }) = answer.differs_at else {
        panic!("{:?}", answer.differs_at)
    };
    let dealt = |class: &crate::games::puyo_tsu::seeds::Class, index| {
        dealer.pair(&class.round.pools.map(Option::unwrap), index).unwrap()
    };
    let all_agree =
        |index| answer.classes.iter().all(|class| dealt(class, index) == dealt(&answer.classes[0], index));
    assert!(deal_index >= 4 && (0..deal_index).all(all_agree) && !all_agree(deal_index));
}

#[test]
fn a_complete_pool_of_noise_is_no_game() {
    let round = generate(State(7), Setup::VERSUS);
    let mut observations = seen_whole(&round);
    let pool = observations.pools[2].as_mut().unwrap();
    pool.swap(100, 101);
    pool.rotate_left(7);
    let error = Query::new(&observations).expect_err("the copied start is gone");
    assert!(matches!(error, Impossible::Flaw(_)), "{error}");
}
