//! The model of Puyo Puyo!! 20th Anniversary against vectors from the documents and from other programs.

use crate::games::puyo_20th::{
    CALLS, Color, ColorMap, PoolId, Round, State, flaws, generate, looks_generated, pair, seed_before,
    shuffled, state_after,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors.json")).expect("the vector file is JSON")
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn number(text: &Value) -> u32 {
    u32::from_str_radix(&text.as_str().expect("text")[2..], 16).expect("a hexadecimal number")
}

fn digits(pool: &[u8]) -> String {
    pool.iter().map(|&digit| char::from(b'0' + digit)).collect()
}

fn rows() -> Vec<(Value, Round)> {
    let vectors = vectors();
    let rows = vectors["generator"].as_array().expect("rows").clone();
    assert_eq!(rows.len(), 6);
    rows.into_iter()
        .map(|row| {
            let round = generate(u16::try_from(number(&row["seed"])).expect("16 bits"));
            (row, round)
        })
        .collect()
}

#[test]
fn rounds_match_the_vectors() {
    for (row, round) in rows() {
        assert_eq!(round.color_map.letters(), row["color_map"], "{row}");
        assert_eq!(round.after.0, number(&row["state_after"]), "{row}");
        assert_eq!(u64::from(CALLS), row["calls"], "{row}");
        for id in PoolId::ALL {
            let expected = &row["pools"][id.colors().to_string()];
            let digits = digits(round.pool(id));
            assert_eq!(digits[..32], expected["first32"], "{id} of {row}");
            // The file's digests are of the bytes as they are in RAM.
            assert_eq!(hex(Sha256::digest(round.pool(id))), expected["sha256"], "{id} of {row}");
        }
    }
}

#[test]
fn pairs_match_another_implementation_of_the_same_document() {
    // Reference, performance notes, section 1: first eight pairs of the 4-colour pool, real colours.
    for (seed, pairs) in [
        (0x0000, "RR PR PY PY RB BB PB BP"),
        (0x0001, "GP RP PP RB BP GB RR RR"),
        (0x1234, "RG RR GR BB GR GP BR BR"),
        (0x8000, "GP BB RP BG RB BR PP BR"),
        (0xFFFF, "RY YY RP PG RR PG GR PR"),
    ] {
        let round = generate(seed);
        let dealt: Vec<String> =
            (0..8).map(|n| round.pair(PoolId::Four, n).expect("a pair").letters()).collect();
        assert_eq!(dealt.join(" "), pairs, "{seed:04X}");
        assert_eq!(round.pair(PoolId::Four, 128), round.pair(PoolId::Four, 0), "the pool is a loop");
    }
}

/// The digest of all games in seed order, a line of digits each; also checks the seed of each state.
#[test]
fn all_65536_games_match_the_published_digests() {
    // 4: reference 2.4, agreed by another program's queue for the later games; 3 and 5: reference 2.4.
    let expected = [
        (PoolId::Three, "32b3ac895c932733af15564a69079069db8e06b8e80fa39c2993f5fd2d18584b"),
        (PoolId::Four, "264f6f817d7be0f7e77938dcddfb4f02a7264bf261eb0c426e6706b5a11ded1f"),
        (PoolId::Five, "428e36efeeac5245d048d05a164dc2488ce3141adf05ce6910521a2ed61f7f6d"),
    ];
    assert_eq!(expected[1].1, vectors()["all_65536_lines_sha256"]["4"]);
    let mut digests = [const { None::<Sha256> }; 3].map(|_| Sha256::new());
    for seed in 0..=u16::MAX {
        let round = generate(seed);
        for (digest, pool) in digests.iter_mut().zip(&round.pools) {
            digest.update(digits(pool));
            digest.update("\n");
        }
        assert_eq!(state_after(seed), round.after, "{seed:04X}");
        assert_eq!(seed_before(round.after), Some(seed));
        assert_eq!(seed_before(round.after.next()).filter(|&behind| behind == seed), None);
        assert!(looks_generated(round.color_map.cells(), &round.pools), "{seed:04X}");
    }
    for ((id, expected), digest) in expected.into_iter().zip(digests) {
        assert_eq!(hex(digest.finalize()), expected, "{id}");
    }
}

#[test]
fn the_24858th_published_sequence_is_seed_6119() {
    let published = vectors()["published"].clone();
    let round = generate(u16::try_from(number(&published["seed"])).expect("16 bits"));
    assert_eq!(round.seed, 24858 - 1, "the list counts from 1");
    // The list names the four colours of a game R, B, Y, G by the order red, green, blue, yellow, purple
    // without the missing one.
    let game = [Color::RED, Color::GREEN, Color::BLUE, Color::YELLOW, Color::PURPLE];
    let played: Vec<Color> =
        game.into_iter().filter(|&color| round.color_map.digit(color).expect("a digit") < 4).collect();
    let name = |color: Color| ['R', 'B', 'Y', 'G'][played.iter().position(|&c| c == color).expect("played")];
    let text = published["pairs"].as_str().expect("text");
    let dealt: Vec<String> = (0u32..)
        .zip(text.split(' '))
        .map(|(n, _)| round.pair(PoolId::Four, n).expect("a pair"))
        .map(|pair| [name(pair.axis), name(pair.child)].iter().collect())
        .collect();
    assert_eq!(dealt.join(" "), text);
}

#[test]
fn the_documents_example_of_a_map_reads_as_it_says() {
    // "a colormap of YBGRP means that 01201333 corresponds to YB,GY,BR,RR"
    let map = ColorMap::from_cells([4, 3, 2, 1, 5]).expect("a map");
    assert_eq!(map.letters(), "YBGRP");
    let mut pool = [0; 256];
    pool[..8].copy_from_slice(&[0, 1, 2, 0, 1, 3, 3, 3]);
    let read: Vec<String> = (0..4).map(|n| pair(map, &pool, n).expect("a pair").letters()).collect();
    assert_eq!(read, ["YB", "GY", "BR", "RR"]);
    pool[1] = 5;
    assert_eq!(pair(map, &pool, 0), None, "not a colour");
}

#[test]
fn a_pool_by_itself_equals_the_one_of_the_round_except_its_copied_start() {
    let round = generate(0x1234);
    let (five, after) = shuffled(5, State(0x1234).jump(5 + 2 * 656));
    assert_eq!(five[4..], round.pool(PoolId::Five)[4..]);
    assert_eq!(after, round.after);
    assert_eq!(round.after.back(1973), State(0x1234));
    assert_eq!(State(0x1234).distance_to(round.after), 1973);
    assert_eq!(flaws(round.color_map.cells(), &round.pools), []);
}
