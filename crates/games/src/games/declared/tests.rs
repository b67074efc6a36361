//! Parts of the language that no built-in model has: generators by published numbers, shuffles and rules by their definitions.

use super::generator::Stepper;
use super::{DeclaredDealer, GeneratorState, Program, Randomizer};
use crate::games::puyo_tsu;
use std::sync::Arc;

/// A randomizer of seven pieces with this generator, and the rest replaced by passages of TOML.
fn parse(generator: &str, rest: &str) -> Randomizer {
    #[derive(serde::Deserialize)]
    struct File {
        randomizer: Randomizer,
    }
    let has = |key: &str| rest.lines().any(|line| line.trim_start().starts_with(key));
    let mut text = "[randomizer]\n".to_owned();
    for (key, default) in [
        ("deals", "\"pieces\""),
        ("kinds", "[\"I\", \"J\", \"L\", \"O\", \"S\", \"T\", \"Z\"]"),
        ("seed", "{ bits = 16 }"),
        ("draw", "{ bits = 16, method = \"modulo\" }"),
        ("deal", "{ kind = \"direct\" }"),
    ] {
        if !has(key) {
            text += &format!("{key} = {default}\n");
        }
    }
    text += &format!("generator = {{ {generator} }}\n{rest}\n");
    toml::from_str::<File>(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).randomizer
}

fn dealer(generator: &str, rest: &str, seed: u64) -> DeclaredDealer {
    let randomizer = parse(generator, rest);
    DeclaredDealer::new(
        Arc::new(Program::new(randomizer).unwrap_or_else(|problems| panic!("{problems:?}"))),
        seed,
    )
}

/// The numbers that draws read after each step.
fn numbers(generator: &str, seed: u64) -> impl Iterator<Item = u64> + use<> {
    let stepper = Stepper::new(&parse(generator, ""));
    let mut state = GeneratorState::default();
    stepper.seed(&mut state, seed);
    std::iter::repeat_with(move || {
        stepper.step(&mut state);
        stepper.number(&state)
    })
}

fn deals(dealer: &mut DeclaredDealer, count: usize) -> Vec<u8> {
    std::iter::repeat_with(|| dealer.deal_number()).take(count).collect()
}

#[test]
fn generators_give_published_numbers() {
    // Park and Miller 1988: from 1, the 10,000th number of the minimal standard generator.
    let minimal = "kind = \"linear\", width = 31, multiplier = 16807, modulus = 0x7FFFFFFF";
    assert_eq!(numbers(minimal, 1).nth(9_999), Some(1_043_618_065));
    // Vigna 2014: xorshift64*, shifts 12, 25, 27, from 1.
    let star = "kind = \"xorshift\", width = 64, shifts = [-12, 25, -27], multiplier = 0x2545F4914F6CDD1D";
    assert_eq!(numbers(star, 1).next(), Some(5_180_492_295_206_395_165));
    // Marsaglia 1999: z = 36969 * (z & 65535) + (z >> 16).
    let carry = "kind = \"multiply-with-carry\", width = 32, multiplier = 36969";
    let z = 362_436_069_u64;
    assert_eq!(numbers(carry, z).next(), Some(36_969 * (z & 0xFFFF) + (z >> 16)));
    // SplitMix64 from 0 (Steele, Lea and Flood 2014).
    assert_eq!(numbers("kind = \"splitmix64\"", 0).next(), Some(0xE220_A839_7B1D_CDAF));
}

#[test]
fn shift_registers_with_known_taps_have_the_longest_period() {
    // x^16 + x^14 + x^13 + x^11 + 1 in each form, as tables of maximal registers write it.
    for (form, direction, taps) in [
        ("fibonacci", "right", 0x002D_u64),
        ("fibonacci", "left", 0xB400),
        ("galois", "right", 0xB400),
        ("galois", "left", 0x002D),
    ] {
        let generator = format!(
            "kind = \"shift-register\", width = 16, form = \"{form}\", direction = \"{direction}\", taps = {taps}"
        );
        let start = 0xACE1;
        let period = numbers(&generator, start).position(|state| state == start).unwrap() + 1;
        assert_eq!(period, 65535, "{form} {direction}");
        let in_eights = numbers(&format!("{generator}, shifts = 8"), start);
        assert!(in_eights.take(100).eq(numbers(&generator, start).skip(7).step_by(8).take(100)));
    }
}

#[test]
fn lagged_and_table_generators_follow_their_definitions() {
    let fill = "fill = { multiplier = 69069, increment = 1 }";
    for operation in ["add", "subtract", "xor"] {
        let generator = format!(
            "kind = \"lagged\", width = 20, long = 17, short = 5, operation = \"{operation}\", {fill}"
        );
        let mask = (1 << 20) - 1;
        let first = std::iter::successors(Some(77_u64), |x| Some(x.wrapping_mul(69069).wrapping_add(1)));
        let mut all: Vec<u64> = first.take(17).map(|x| x & mask).collect();
        for _ in 0..200 {
            let (long, short) = (all[all.len() - 17], all[all.len() - 5]);
            all.push(
                mask & match operation {
                    "add" => long.wrapping_add(short),
                    "subtract" => long.wrapping_sub(short),
                    _ => long ^ short,
                },
            );
        }
        assert!(numbers(&generator, 77).take(200).eq(all[17..].iter().copied()), "{operation}");
    }
    let table = "kind = \"table\", width = 8, values = [0, 8, 109, 220]";
    assert!(numbers(table, 0).take(5).eq([8, 109, 220, 0, 8]));
    assert!(numbers(table, 2).take(2).eq([220, 0]));
}

#[test]
fn add_rotate_makes_the_draws_of_puyo_tsu() {
    use puyo_tsu::{A7_COLORS, A7_POOLS, State, Step};
    let rest = "rotate = 5, add_state = true, increment = 1";
    let colors = format!("kind = \"add-rotate\", width = 32, addend = {}, {rest}", 4 + A7_COLORS);
    let pools =
        format!("kind = \"add-rotate\", width = 32, addend = {A7_POOLS}, state_mask = 0xFFFF00FF, {rest}");
    for seed in (0..1000_u32).map(|seed| seed.wrapping_mul(0x9E37_79B9)) {
        for (generator, step) in [(&colors, Step::COLOR), (&pools, Step::Pool)] {
            let built_in = std::iter::successors(Some(State(seed)), |state| Some(state.advance(step)));
            let built_in = built_in.skip(1).map(|state| u64::from(state.0));
            assert!(numbers(generator, seed.into()).take(20).eq(built_in.take(20)), "{seed:#X}");
        }
    }
}

/// Minimal standard steps, of which the low 16 bits modulo the limit are drawn.
const GENERATOR: &str = "kind = \"linear\", width = 31, multiplier = 16807, modulus = 0x7FFFFFFF";

/// Draws of [`GENERATOR`] from 5, one after the other.
fn drawn() -> impl FnMut(usize) -> usize {
    let mut numbers = numbers(GENERATOR, 5);
    move |limit| usize::try_from(numbers.next().unwrap() & 0xFFFF).unwrap() % limit
}

#[test]
fn shuffles_follow_their_definitions() {
    let mut seen = Vec::new();
    for method in ["up", "down", "inside-out", "any-up", "any-down", "remaining", "retry", "swaps"] {
        let count = if method == "swaps" { ", count = 9" } else { "" };
        let bag = format!("deal = {{ kind = \"bag\", shuffle = {{ method = \"{method}\"{count} }} }}");
        let mut bags = dealer(GENERATOR, &bag, 5);
        let mut draw = drawn();
        for _ in 0..20 {
            let mut expected: Vec<usize> = (0..7).collect();
            match method {
                "up" => (0..6).for_each(|i| expected.swap(i, i + draw(7 - i))),
                "down" => (1..7).rev().for_each(|i| expected.swap(i, draw(i + 1))),
                "inside-out" => (1..7).for_each(|i| expected.swap(i, draw(i + 1))),
                "any-up" => (0..7).for_each(|i| expected.swap(i, draw(7))),
                "any-down" => (0..7).rev().for_each(|i| expected.swap(i, draw(7))),
                "swaps" => (0..9).for_each(|_| {
                    let (one, two) = (draw(7), draw(7));
                    expected.swap(one, two);
                }),
                "remaining" => {
                    let mut left = std::mem::take(&mut expected);
                    while !left.is_empty() {
                        let at = if left.len() > 1 { draw(left.len()) } else { 0 };
                        expected.push(left.remove(at));
                    }
                }
                _ => {
                    expected.clear();
                    while expected.len() < 6 {
                        let at = draw(7);
                        if !expected.contains(&at) {
                            expected.push(at);
                        }
                    }
                    expected.extend((0..7).find(|at| !expected.contains(at)));
                }
            }
            let dealt: Vec<usize> = deals(&mut bags, 7).into_iter().map(usize::from).collect();
            assert_eq!(dealt, expected, "{method}");
        }
        let start = deals(&mut dealer(GENERATOR, &bag, 5), 70);
        assert!(!seen.contains(&start), "{method} is another shuffle");
        seen.push(start);
    }
}

#[test]
fn a_bag_dealt_as_it_is_shuffled_is_the_bag_that_is_shuffled_ahead() {
    for method in ["up", "down", "remaining", "retry"] {
        let bag = |more: &str| {
            let deal = format!(
                "deal = {{ kind = \"bag\", copies = 2, shuffle = {{ method = \"{method}\" }}, {more} }}"
            );
            deals(&mut dealer(GENERATOR, &deal, 5), 200)
        };
        let from = if method == "down" { "from = \"end\"" } else { "from = \"start\"" };
        assert_eq!(bag("time = \"as-dealt\""), bag(from), "{method}");
    }
    let continued = "deal = { kind = \"bag\", continued = true, shuffle = { method = \"down\" } }";
    let mut draw = drawn();
    let mut cells: Vec<u8> = (0..7).collect();
    let mut bags = dealer(GENERATOR, continued, 5);
    for _ in 0..10 {
        (1..7).rev().for_each(|i| cells.swap(i, draw(i + 1)));
        assert_eq!(deals(&mut bags, 7), cells);
    }
}

#[test]
fn numbers_are_drawn_again_until_they_are_below_the_limit() {
    let rest = "draw = { bits = 3, method = \"rejection\" }";
    let numbers = numbers(GENERATOR, 5).map(|number| number & 7).filter(|number| *number < 7);
    let dealt = deals(&mut dealer(GENERATOR, rest, 5), 100);
    assert!(dealt.into_iter().map(u64::from).eq(numbers.take(100)));
}

#[test]
fn weights_are_a_table_with_repetitions() {
    let weights = deals(&mut dealer(GENERATOR, "weights = [1, 0, 3, 0, 0, 2, 1]", 5), 100);
    let table = "table = [\"I\", \"L\", \"L\", \"L\", \"T\", \"T\", \"Z\"]";
    assert_eq!(weights, deals(&mut dealer(GENERATOR, table, 5), 100));
    assert!(weights.contains(&2) && !weights.contains(&1));
}

#[test]
fn the_first_piece_follows_its_rule_in_every_way_of_dealing() {
    let exclude = "first = { rule = \"exclude\", kinds = [\"I\", \"J\", \"L\", \"O\", \"S\"] }\n";
    let bag =
        |time| format!("deal = {{ kind = \"bag\", shuffle = {{ method = \"up\" }}, time = \"{time}\" }}");
    let history = "deal = { kind = \"history\", length = 2, tries = 3 }".to_owned();
    let mut later = [false; 7];
    for deal in [bag("ahead"), bag("as-dealt"), history, String::new()] {
        for seed in 1..200 {
            let dealt = deals(&mut dealer(GENERATOR, &format!("{exclude}{deal}"), seed), 20);
            assert!(dealt[0] >= 5, "{deal} {seed}");
            dealt[1..].iter().for_each(|kind| later[usize::from(*kind)] = true);
        }
    }
    assert_eq!(later, [true; 7]);
    let among = "first = { rule = \"among\", kinds = [\"Z\", \"J\"] }";
    assert!((1..50).all(|seed| [1, 6].contains(&dealer(GENERATOR, among, seed).deal_number())));
}

#[test]
fn other_steps_between_deals_count_only_where_they_are_declared() {
    let dealt = |rest: &str, gap: u32| {
        let mut dealer = dealer(GENERATOR, rest, 5);
        dealer.set_gap(gap);
        deals(&mut dealer, 50)
    };
    assert_eq!(dealt("", 3), dealt("", 0));
    let every_fourth: Vec<u8> = dealt("", 0).into_iter().skip(3).step_by(4).collect();
    for rest in ["clock = \"both\"", "other_calls = 3"] {
        assert_eq!(dealt(rest, 3)[..every_fourth.len()], every_fourth, "{rest}");
    }
    // With frames alone a deal reads the state that the frames left.
    assert_eq!(dealt("clock = \"frames\"", 4), dealt("clock = \"both\"", 3));
    assert_eq!(dealt("clock = \"frames\"", 0), [5; 50].map(|seed| seed % 7));
}

#[test]
fn a_generator_that_never_gives_a_number_is_noticed() {
    let fixed = "kind = \"linear\", width = 16, multiplier = 1";
    let mut rejected = dealer(fixed, "draw = { bits = 3, method = \"rejection\" }", 7);
    rejected.deal_number();
    assert!(rejected.is_stuck());
    rejected.restart(6);
    assert_eq!((rejected.deal_number(), rejected.is_stuck()), (6, false));
    let bag = "deal = { kind = \"bag\", shuffle = { method = \"retry\" } }";
    let mut bag = dealer(fixed, bag, 3);
    assert!(!bag.is_stuck());
    let mut dealt = deals(&mut bag, 7);
    dealt.sort_unstable();
    assert_eq!((dealt, bag.is_stuck()), ((0..7).collect(), true));
    let mut first = dealer(fixed, "first = { rule = \"exclude\", kinds = [\"O\"] }", 3);
    first.deal_number();
    assert!(first.is_stuck());
}

/// A file may ask for more draws than there is time for.
#[test]
fn a_deal_that_takes_too_many_draws_is_noticed() {
    let slow = "kind = \"shift-register\", width = 64, form = \"galois\", direction = \"right\", taps = 0xD800000000000000, \
                shifts = 64";
    let swaps = "draw = { bits = 64, method = \"modulo\" }\n\
                 deal = { kind = \"bag\", copies = 16, shuffle = { method = \"swaps\", count = 65535 } }\n\
                 queue = { length = 4096, order = \"reversed\" }";
    let mut dealer = dealer(slow, swaps, 1);
    assert!(!dealer.is_stuck());
    dealer.deal_number();
    assert!(dealer.is_stuck());
}

#[test]
fn a_restarted_dealer_is_a_new_one() {
    let rules = [
        "",
        "deal = { kind = \"history\", length = 4, tries = 2 }",
        "deal = { kind = \"bag\", shuffle = { method = \"down\" } }",
        "deal = { kind = \"bag\", continued = true, shuffle = { method = \"retry\" }, time = \"as-dealt\" }",
        "deal = { kind = \"drought-pool\", copies = 3, length = 2, tries = 4 }",
        "deal = { kind = \"pools\", dealt = 1, pools = [{ kinds = 7, size = 21, shuffle = { method = \"up\" } }] }",
        "queue = { length = 5, order = \"reversed\", then = \"repeat\" }",
    ];
    for rule in rules {
        let mut used = dealer(GENERATOR, rule, 9);
        deals(&mut used, 33);
        used.restart(5);
        assert_eq!(deals(&mut used, 99), deals(&mut dealer(GENERATOR, rule, 5), 99), "{rule}");
    }
}
