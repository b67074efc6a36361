//! The model of Puyo Puyo Tsu against vectors computed from the disassembled routines, forward and backward.

use crate::games::puyo_tsu::{
    Dealer, Dealing, Level, PoolId, Setup, Shuffle, State, flaws, generate, looks_generated,
    reachable_color_sets, state_after, states_before,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors.json")).expect("the vector file is JSON")
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn rows() -> Vec<(Value, State, Setup)> {
    let vectors = vectors();
    let rows = vectors["generator"].as_array().expect("rows").clone();
    assert_eq!(rows.len(), 8);
    rows.into_iter()
        .map(|row| {
            let seed =
                row["seed"].as_str().and_then(|s| u32::from_str_radix(&s[2..], 16).ok()).expect("seed");
            let byte = |key: &str| u8::try_from(row[key].as_u64().expect(key)).expect(key);
            let mode = u8::from(row["mode"] == "versus");
            let setup =
                Setup { mode, rank: byte("rank"), pop_count: byte("pop_count"), shuffle: Shuffle::default() };
            (row, State(seed), setup)
        })
        .collect()
}

#[test]
fn rounds_match_the_vectors() {
    for (row, seed, setup) in rows() {
        let round = generate(seed, setup);
        assert_eq!(hex(round.color_set), row["color_set"].as_str().expect("set").to_lowercase(), "{row}");
        assert_eq!(format!("0x{:08X}", round.after.0), row["state_after"], "{row}");
        assert_eq!(state_after(seed, setup), round.after);
        for (id, key) in PoolId::ALL.into_iter().zip(["AD00", "AE00", "AF00"]) {
            let expected = &row["pools"][key];
            let Some(pool) = round.pool(id) else {
                assert!(expected.is_null(), "{row}");
                continue;
            };
            assert_eq!(hex(&pool[..32]), expected["first32"], "{key} of {row}");
            assert_eq!(hex(Sha256::digest(pool)), expected["sha256"], "{key} of {row}");
        }
    }
}

#[test]
fn walking_back_from_the_state_after_finds_the_seed() {
    for (row, seed, setup) in rows() {
        let found = states_before(generate(seed, setup).after, setup, 100_000).expect("few enough");
        assert!(found.contains(&seed), "{row}");
        for before in &found {
            assert_eq!(state_after(*before, setup), generate(seed, setup).after, "{row}");
        }
    }
}

#[test]
fn dealt_pairs_match_the_vectors() {
    let vectors = vectors();
    let round = generate(State(0x3587_9DE2), Setup::VERSUS);
    let pools = round.pools.map(|pool| pool.expect("versus makes all three"));
    for (key, level) in [("level1", 0), ("level3", 2), ("level5", 4)] {
        let dealer = Dealer { mode: 1, level: Level(level), dealing: Dealing::default() };
        let expected = vectors["dealt_versus_35879DE2"][key].as_str().expect("text");
        let dealt: Vec<String> = (0..16).map(|n| dealer.pair(&pools, n).expect("a pair").codes()).collect();
        assert_eq!(dealt.join(" "), expected, "{key}");
        let again: Vec<String> =
            (128..131).map(|n| dealer.pair(&pools, n).expect("a pair").codes()).collect();
        let pool = &pools[dealer.pool(128).expect("a pool").index()];
        assert_eq!(again[0], format!("{}{}", pool[0], pool[1]), "the loop is in pool order, not reversed");
        assert_eq!(again[2], format!("{}{}", pool[4], pool[5]));
    }
}

#[test]
fn there_are_96_colour_sets_and_the_fifth_is_never_purple() {
    let sets = reachable_color_sets();
    assert_eq!(sets.len(), 96);
    assert!(sets.iter().all(|set| set[4] != 4 && set[5..] == [6, 2, 0]));
}

#[test]
fn generated_rounds_are_consistent_and_one_changed_byte_is_not() {
    for (row, seed, setup) in rows() {
        let round = generate(seed, setup);
        let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
        assert_eq!(flaws(round.color_set, &pools, setup), [], "{row}");
        let recognised = looks_generated(round.color_set, &pools).expect("recognised");
        assert_eq!(recognised.colors(), setup.colors(), "{row}");
        for id in PoolId::ALL.into_iter().filter(|id| round.pool(*id).is_some()) {
            let mut wrong = pools;
            let byte = &mut wrong[id.index()][3];
            *byte = round.color_set[usize::from(*byte == round.color_set[0])];
            assert_ne!(flaws(round.color_set, &wrong, setup), [], "{id} of {row}");
        }
    }
    assert_eq!(looks_generated([0; 8], &[[0; 256]; 3]), None);
}

#[test]
fn the_documents_description_of_the_shuffle_gives_other_pools() {
    let literal = Setup { shuffle: Shuffle::ThreeShuffles, ..Setup::VERSUS };
    let (one, other) = (generate(State(1), Setup::VERSUS), generate(State(1), literal));
    assert_eq!(one.color_set, other.color_set);
    assert_ne!(one.pools, other.pools);
    let pools = other.pools.map(|pool| pool.expect("versus makes all three"));
    assert_eq!(flaws(other.color_set, &pools, literal), []);
    assert!(states_before(other.after, literal, 1_000_000).expect("few enough").contains(&State(1)));
}

#[test]
fn in_story_mode_the_changed_pool_is_named_with_its_byte() {
    let story = Setup { mode: 0, ..Setup::VERSUS };
    let round = generate(State(0x1234_5678), story);
    let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
    for (id, index) in [(PoolId::Three, 143), (PoolId::Four, 0), (PoolId::Four, 255)] {
        let mut wrong = pools;
        let byte = &mut wrong[id.index()][index];
        *byte = round.color_set[usize::from(*byte == round.color_set[0])];
        let found = flaws(round.color_set, &wrong, story);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].place(), (Some(id), Some(index)));
    }
}
