//! The search against the generator itself, and generations with interrupts.

use super::in_order::Work;
use super::lookup::{Lanes, Tables};
use super::plan::{Classes, Plan};
use super::search::find_among;
use super::stream::{LANES, STATES, Shift, Stream};
use super::*;
use crate::games::mean_bean::{
    Level, REACHABLE, SECOND_DRAWS, Setup, State, generate, generate_interrupted, second_index,
};
use crate::pairs::parse_pieces;
use fearless_simd::dispatch;
use nextscope_boards::Pair;
use nextscope_boards::Vectors;
use nextscope_task::Progress;
use std::sync::atomic::AtomicBool;

/// First pair, pairs, unordered, renamed, bytes that are not known, with the classes of the first pool.
type Row = (u32, u32, bool, bool, &'static [usize], bool);

/// A search over all states in the order of the generator takes too long without optimisation: one block of it.
#[test]
fn a_block_of_the_search_in_order_agrees_with_the_reference() {
    let rows: [Row; 15] = [
        (6, 3, false, false, &[], true),
        (4, 1, false, false, &[], false),
        (4, 2, true, false, &[], false),
        (4, 3, true, false, &[0, 4], false),
        (4, 4, false, true, &[], false),
        (5, 3, false, true, &[1, 3], true),
        (9, 1, false, true, &[1], false),
        (4, 3, true, true, &[], false),
        (7, 5, true, true, &[0, 3, 7, 8], false),
        (60, 3, false, false, &[2], false),
        (100, 4, true, true, &[], true),
        (126, 2, false, false, &[], false),
        (4, 8, true, false, &[0, 3, 4, 7, 8, 11, 12, 15], false),
        (4, 8, true, true, &[0, 3, 4, 7, 8, 11, 12, 15], true),
        (8, 8, true, true, &[1, 2, 9], true),
    ];
    for row in rows {
        let (first, count, unordered, relabel, unknown, with_classes) = row;
        let mut observed =
            Observations { unordered, relabel, ..Observations::empty(Setup::VERSUS, Level(2)) };
        let mut letters: Vec<char> = dealt(SEED, &observed, first, count).chars().collect();
        for byte in unknown {
            letters[byte / 2 * 3 + byte % 2] = '?';
        }
        let text: String = letters.into_iter().collect();
        observed.pairs = (first..).zip(parse_pieces(&text).unwrap()).collect();
        let query = Query::new(&observed).unwrap();
        // A block has those of every shift.
        let mut states: Vec<State> = (0..)
            .take(STATES)
            .map(|step| SEED.jump(step - 100))
            .flat_map(|state| (0..Shift::COUNT).map(move |shift| State(state.0.wrapping_add(shift << 29))))
            .collect();
        let classes = with_classes.then(|| {
            // Those of every second state; the shift is not in the class.
            let shifts = Shift::COUNT as usize;
            states = states.chunks(2 * shifts).flat_map(|two| two[..shifts].to_vec()).collect();
            let mut classes: Vec<u32> = states.iter().map(|state| state.0 & 0xFF_FFFF).collect();
            classes.sort_unstable();
            classes.dedup();
            let classes: Vec<_> = classes.into_iter().map(|class| (class, query.renamings())).collect();
            Classes::new(&classes, relabel)
        });
        let mut expected = find_reference(&query, states.into_iter());
        expected.sort_unstable();
        assert!(expected.contains(&SEED), "{row:?}");
        let mut work = Work::new();
        let mut classes = classes;
        for vectors in Vectors::all() {
            let plan = Plan::new(&query, classes.take(), vectors.level());
            // What an earlier block left behind does not matter.
            for start in [SEED, SEED.jump(256 - 100)] {
                let mut found = Vec::new();
                dispatch!(vectors.level(), simd => work.in_block(simd, &plan, start, &mut found));
                found.sort_unstable();
                if start != SEED {
                    assert_eq!(found, expected, "{row:?} {}", vectors.name());
                }
            }
            classes = plan.into_classes();
        }
    }
}

#[test]
fn bytes_are_traced_back_as_through_every_exchange() {
    let mut stream = Stream::new();
    let mut tables = Tables::new();
    let states: Vec<u16> = (0..).take(STATES).collect();
    for (start, shift) in [SEED, State(0xA)]
        .into_iter()
        .zip(Shift::all().step_by(3))
        .chain([(SEED, Shift::all().last().unwrap())])
    {
        stream.fill(start);
        stream.shift(shift);
        for at in [0, 1, 2, 31, 32, 100, 246, 247] {
            let mut origins = Box::new([0; STATES]);
            stream.origins_of(&states, at, &mut origins);
            for (state, origin) in states.iter().zip(origins.iter()) {
                let mut places: [u8; SECOND_DRAWS] = std::array::from_fn(|place| place.to_le_bytes()[0]);
                let mut before = stream.before_round(*state).jump(256);
                for place in (0..SECOND_DRAWS).rev() {
                    before = before.next();
                    places.swap(place, second_index(before.drawn()));
                }
                assert_eq!(*origin, places[usize::from(at)], "{state} {at}");
            }
            for vectors in Vectors::all() {
                let side_by_side = dispatch!(vectors.level(), simd => stream.origins(simd, 512, at));
                assert_eq!(side_by_side[..], origins[512..][..side_by_side.len()], "{at} {}", vectors.name());
                let mut traced = 0;
                let state_of = |lane: usize| u16::try_from(63 - lane).unwrap();
                for first in (0..STATES).step_by(LANES) {
                    let [draws, next] = stream.reach(first);
                    tables.fill(draws, next);
                    // On either side of another shift.
                    let side = usize::from(at % 2);
                    let mut shifts = [Shift::all().nth(2).unwrap(); 2];
                    shifts[side] = shift;
                    let (looked_up, unknown) =
                        dispatch!(vectors.level(), simd => tables.origins(simd, shifts, at))[side];
                    let mut check = |lane: usize, origin: u8, unknown: bool| {
                        if !unknown {
                            traced += 1;
                            let name = vectors.name();
                            assert_eq!(origin, origins[first + lane], "{first} {lane} {at} {name}");
                        }
                    };
                    for (lane, origin) in looked_up.iter().enumerate() {
                        check(lane, *origin, unknown >> lane & 1 == 1);
                    }
                    // The states from the last to the first, every second one with another shift.
                    let number = u16::from(shift.places() / Shift::STEP);
                    let ids: [u16; LANES] = std::array::from_fn(|lane| {
                        let number = if lane % 2 == 0 { number } else { (number + 3) % 8 };
                        number << 6 | state_of(lane)
                    });
                    let lanes = [Lanes::new(&ids); 2];
                    let [one] = dispatch!(vectors.level(), simd => tables.origins_of(simd, &[lanes[0]], at));
                    let two = dispatch!(vectors.level(), simd => tables.origins_of(simd, &lanes, at));
                    for (packed, unknown) in [one, two[0], two[1]] {
                        for lane in (0..LANES).step_by(2) {
                            let state = usize::from(state_of(lane));
                            check(state, packed[lane], unknown >> lane & 1 == 1);
                        }
                    }
                }
                let all = STATES + 3 * STATES / 2;
                assert!(traced > all * 9 / 10, "{traced} at {at} {}", vectors.name());
            }
        }
    }
}

const SEED: State = State(0x3DC9_3DDA);

/// The pairs that a state deals from number `first` on, as letters.
fn dealt(seed: State, observed: &Observations, first: u32, count: u32) -> String {
    let pools = generate(seed, observed.setup).pools;
    let pair = |number| observed.dealer().pair(&pools, number).map(Pair::letters).unwrap();
    (first..first + count).map(pair).collect::<Vec<_>>().join(" ")
}

#[test]
fn states_are_found_from_pairs_as_by_the_reference() {
    let turn = |text: &str| {
        text.split(' ').map(|pair| pair.chars().rev().collect::<String>()).collect::<Vec<_>>().join(" ")
    };
    let rename = |text: &str| {
        text.chars()
            .map(|c| match c {
                'R' => 'P',
                'P' => 'Y',
                'Y' => 'R',
                c => c,
            })
            .collect::<String>()
    };
    // Setup, level, first pair, pairs, unordered, renamed, with holes.
    let rows: [(Setup, u8, u32, u32, bool, bool, bool); 8] = [
        (Setup::STORY, 0, 0, 8, false, false, false),
        (Setup::STORY, 0, 40, 9, true, false, false),
        (Setup::LESSON, 0, 0, 12, false, true, true),
        (Setup::VERSUS, 0, 0, 10, false, false, false),
        (Setup::VERSUS, 2, 0, 12, false, false, false),
        (Setup::VERSUS, 4, 0, 14, true, false, false),
        (Setup::VERSUS, 1, 2, 13, false, false, true),
        (Setup::STORY, 0, 125, 9, true, true, false),
    ];
    for row in rows {
        let (setup, level, first, count, unordered, relabel, holes) = row;
        let mut observed = Observations { unordered, relabel, ..Observations::empty(setup, Level(level)) };
        let mut text = dealt(SEED, &observed, first, count);
        if unordered {
            text = turn(&text);
        }
        if relabel {
            text = rename(&text);
        }
        if holes {
            text.replace_range(0..1, "?");
        }
        observed.pairs = (first..).zip(parse_pieces(&text).unwrap()).collect();
        let query = Query::new(&observed).unwrap();
        // All states with one low word.
        let low = SEED.0 & 0xFFFF;
        let found =
            find_among(&query, Vectors::widest(), low >> 4..(low >> 4) + 1, &Progress::default(), None)
                .unwrap();
        assert!(found.complete && found.states.contains(&SEED), "{row:?}");
        let states = (0..=0xFFFF).map(|high| State(high << 16 | low));
        assert_eq!(found.states, find_reference(&query, states), "{row:?}");
    }
}

#[test]
fn impossible_pairs_are_rejected_before_the_search() {
    for (setup, level, pieces, message) in [
        (Setup::VERSUS, 0, "RR BB", "it fails at pair 2: blue is not in this pool of 4 colours"),
        (Setup::VERSUS, 2, "RR RR RR RR RB", ""),
        (Setup::VERSUS, 2, "RB", "it fails at pair 1: blue is not in this pool of 4 colours"),
        (Setup::LESSON, 0, "YY RB", "it fails at pair 2: blue is not in this pool of 4 colours"),
    ] {
        let pairs = (0..).zip(parse_pieces(pieces).unwrap()).collect();
        let observed = Observations { pairs, ..Observations::empty(setup, Level(level)) };
        let error = Query::new(&observed).err().map(|why| why.to_string()).unwrap_or_default();
        assert_eq!(error, message, "{pieces}");
    }
}

#[test]
fn generations_with_interrupts_are_found_by_stepping_back() {
    let rows: [(Setup, &[u16]); 10] = [
        (Setup::STORY, &[]),
        (Setup::STORY, &[1]),
        (Setup::STORY, &[130]),
        (Setup::STORY, &[255]),
        (Setup::LESSON, &[77]),
        (Setup::VERSUS, &[]),
        (Setup::VERSUS, &[256]),
        (Setup::VERSUS, &[37]),
        (Setup::VERSUS, &[503]),
        (Setup::VERSUS, &[120, 390]),
    ];
    for (setup, extra) in rows {
        let round = generate_interrupted(SEED, setup, extra);
        let found = origin_after(&round.pools, setup, round.after).unwrap();
        // Neighbouring places may exchange the same bytes: what counts is that the round is the same.
        let again = generate_interrupted(found.before, setup, &found.extra_steps);
        assert_eq!((again.pools, found.wrong), (round.pools, 0), "{extra:?}");
        assert_eq!((found.before, found.extra_steps.len()), (SEED, extra.len()), "{extra:?}");
        // Some frames later.
        for steps in [1, 2, 60, 900] {
            let later = origin_before(&round.pools, setup, round.after.jump(steps), 1000);
            assert_eq!(later, Some(found.clone()), "{extra:?}");
        }
        assert_eq!(origin_before(&round.pools, setup, round.after.jump(1100), 1000), None, "{extra:?}");
        let mut damaged = round.pools;
        damaged[1][100] = if damaged[1][100] == 3 { 4 } else { 3 };
        assert_eq!(
            origin_after(&damaged, setup, round.after).map(|origin| origin.wrong),
            Some(1),
            "{extra:?}"
        );
    }
}

#[test]
fn generations_with_interrupts_are_found_by_the_pools_alone() {
    for (setup, extra, alike) in [(Setup::STORY, vec![], 256), (Setup::VERSUS, vec![50, 300], 1)] {
        let round = generate_interrupted(SEED, setup, &extra);
        let found = origins(&round.pools, setup, &AtomicBool::new(false)).unwrap();
        let exact = found.iter().filter(|origin| origin.wrong == 0 && origin.extra_steps == extra);
        assert!(found.iter().any(|origin| origin.before == SEED), "{extra:?}");
        assert_eq!(exact.count(), alike, "{extra:?}");
    }
    assert_eq!(REACHABLE, 1 << 28);
}
