//! The model against vectors from the disassembled routines, and properties of the generator.

use super::*;
use nextscope_boards::{POOL_LEN, Pair, Pool};
use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}

fn rows<'a>(vectors: &'a Value, key: &str) -> &'a [Value] {
    vectors[key].as_array().unwrap()
}

fn hex(text: &Value) -> u32 {
    u32::from_str_radix(text.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn state(text: &Value) -> State {
    State(hex(text))
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha256(pool: &Pool) -> String {
    digits(&Sha256::digest(pool))
}

fn codes(pairs: impl Iterator<Item = Pair>) -> String {
    pairs.map(Pair::codes).collect::<Vec<_>>().join(" ")
}

fn setup(row: &Value) -> Setup {
    match row["mode"].as_str().unwrap() {
        "versus" => Setup::VERSUS,
        "story" => Setup::STORY,
        "story_lessons" => Setup::LESSON,
        other => panic!("mode {other}"),
    }
}

/// The pools and the state afterwards, as far as the row has them.
fn check_round(round: &Round, row: &Value) {
    assert_eq!(round.after, state(&row["after"]), "{row}");
    for (pool, number) in round.pools.iter().zip(1..) {
        let key = |name: &str| row.get(format!("pool{number}{name}"));
        if let Some(first) = key("_first32") {
            assert_eq!(digits(&pool[..32]), first.as_str().unwrap(), "{row}");
        }
        if let Some(sum) = key("_sha256") {
            assert_eq!(sha256(pool), sum.as_str().unwrap(), "{row}");
        }
        if let Some(all) = key("") {
            assert_eq!(digits(pool), all.as_str().unwrap(), "{row}");
        }
    }
}

#[test]
fn steps_and_bounded_draws_match_the_vectors() {
    let vectors = vectors();
    for row in rows(&vectors, "step") {
        let before = state(&row["state"]);
        let after = before.next();
        assert_eq!(after, state(&row["after"]), "{row}");
        let old = if before.0 == 0 { BOOT_STATE } else { before };
        assert_eq!(old.0 & 0xFFFF_0000 | u32::from(after.drawn()), hex(&row["returned"]), "{row}");
        assert_eq!(u64::from(after.drawn() & 0xFF), row["low_byte"].as_u64().unwrap(), "{row}");
        let bound = u16::try_from(row["bound"].as_u64().unwrap()).unwrap();
        assert_eq!(u64::from(before.random(bound).1), row["bounded"].as_u64().unwrap(), "{row}");
    }
}

#[test]
fn the_states_after_power_on_match_the_vectors() {
    let vectors = vectors();
    let boot = &vectors["boot"];
    let mut at = State(0);
    for expected in rows(boot, "next_states") {
        at = at.next();
        assert_eq!(at, state(expected));
    }
    for (steps, expected) in boot["state_after_steps"].as_object().unwrap() {
        let steps = steps.parse().unwrap();
        assert_eq!(State(0).jump(steps), state(expected), "{steps} steps");
        assert_eq!(BOOT_STATE.distance(state(expected)).map(i64::from), Some(steps));
    }
    assert_eq!(boot["orbit_length"], u64::from(REACHABLE));
}

#[test]
fn rounds_match_the_vectors() {
    let vectors = vectors();
    for row in rows(&vectors, "generate") {
        let setup = setup(row);
        let round = generate(state(&row["state"]), setup);
        check_round(&round, row);
        assert!(looks_generated(&round.pools) && looks_like_pools(&round.pools), "{row}");
        let levels = [("dealt", 0), ("dealt_level0", 0), ("dealt_level1to4", 1), ("dealt_level1to4", 4)];
        for (key, level) in levels {
            let Some(dealt) = row.get(key) else { continue };
            let dealer = Dealer::first_player(setup, Level(level));
            let pairs = (0..20).map(|n| dealer.pair(&round.pools, n).unwrap());
            assert_eq!(codes(pairs), dealt.as_str().unwrap(), "{row}");
        }
    }
}

#[test]
fn the_pool_repeats_as_in_the_vectors() {
    let vectors = vectors();
    let row = &vectors["wrap"];
    let round = generate(state(&row["state"]), setup(row));
    let dealer = Dealer::first_player(setup(row), Level(0));
    let pairs = (0..140).map(|n| dealer.pair(&round.pools, n).unwrap());
    assert_eq!(codes(pairs), row["dealt_140"].as_str().unwrap());
    assert_eq!((pool_index(0), pool_index(125), pool_index(128)), (6, 0, 6));
}

#[test]
fn interrupted_generations_match_the_vectors() {
    let vectors = vectors();
    for row in rows(&vectors, "vertical_interrupt") {
        let extra = match &row["extra_step_before_draw"] {
            Value::Null => Vec::new(),
            Value::Array(draws) => {
                draws.iter().map(|k| u16::try_from(k.as_u64().unwrap()).unwrap()).collect()
            }
            draw => vec![u16::try_from(draw.as_u64().unwrap()).unwrap()],
        };
        check_round(&generate_interrupted(state(&row["state"]), setup(row), &extra), row);
    }
}

#[test]
fn exercise_pairs_match_the_vectors() {
    let vectors = vectors();
    for row in rows(&vectors, "exercise") {
        let level = Level(u8::try_from(row["level"].as_u64().unwrap()).unwrap());
        let (mut at, queue) = exercise_start(state(&row["state"]), level);
        let slots = queue.iter().flat_map(|pair| [pair.axis.0, pair.child.0]).collect::<Vec<u8>>();
        assert_eq!(digits(&slots), row["first_three_slots"].as_str().unwrap(), "{row}");
        let drawn = row["then_drawn_without_other_steps"].as_str().unwrap();
        let pairs = drawn.split(' ').map(|_| {
            let (next, pair) = exercise_pair(at, level);
            at = next;
            pair
        });
        assert_eq!(codes(pairs), drawn, "{row}");
        assert_eq!(at, state(&row["after"]), "{row}");
    }
}

#[test]
fn options_checksums_match_the_vectors() {
    let vectors = vectors();
    let mut checked = 0;
    for row in rows(&vectors, "options_checksum") {
        let words: Vec<u8> = match row["bytes"].as_str().unwrap() {
            "174 x 00" => vec![0; 174],
            "174 x FF" => vec![0xFF; 174],
            "00 01 02 .. AD" => (0..174).collect(),
            text => {
                let bytes: String = text.chars().filter(|c| !c.is_whitespace()).collect();
                let byte = |at: usize| u8::from_str_radix(&bytes[at..at + 2], 16).unwrap();
                (0..bytes.len()).step_by(2).map(byte).collect()
            }
        };
        assert_eq!(words.len(), OPTIONS_LEN - 2, "{row}");
        assert_eq!(u32::from(options_checksum(&words)), hex(&row["checksum"]), "{row}");
        checked += 1;
    }
    assert!(checked >= 8);
    assert!(!has_own_checksum(&[0; OPTIONS_LEN]), "cleared RAM is not the game's");
}

#[test]
fn pools_of_other_content_do_not_look_generated() {
    let mut pools = generate(BOOT_STATE, Setup::STORY).pools;
    assert!(looks_generated(&pools) && looks_like_pools(&pools));
    pools[1][5] = if pools[1][5] == 0 { 1 } else { 0 };
    assert!(!looks_generated(&pools) && looks_like_pools(&pools), "an opponent may write pairs");
    for noise in [[0; POOL_LEN], [2; POOL_LEN], std::array::from_fn(|at| u8::try_from(at).unwrap())] {
        assert!(!looks_generated(&[noise; 2]) && !looks_like_pools(&[noise; 2]));
    }
}

proptest! {
    #[test]
    fn previous_undoes_a_step(high in any::<u32>(), steps in 0_u32..REACHABLE) {
        let before = State(high & !0xF | 0xA);
        prop_assert_eq!(before.next().previous(), before);
        prop_assert!(before.next().is_reachable());
        let far = before.jump(steps.into());
        prop_assert_eq!(far.jump(-i64::from(steps)), before);
        prop_assert_eq!(before.distance(far), Some(steps));
    }

    /// Own finding: a pool of 256 bytes depends on 24 bits of the state, of which four are fixed.
    #[test]
    fn the_high_byte_of_the_state_decides_nothing_in_the_first_pool(low in any::<u32>(), high in any::<u8>()) {
        let one = State(low & !0xF | 0xA);
        let other = State(one.0 & 0xFF_FFFF | u32::from(high) << 24);
        prop_assert_eq!(generate(one, Setup::STORY).pools, generate(other, Setup::STORY).pools);
        prop_assert_eq!(generate(one, Setup::VERSUS).pools[0], generate(other, Setup::VERSUS).pools[0]);
    }
}
