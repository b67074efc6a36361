#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]

use super::*;
use nextscope_emulator::process::ByteArray;
use nextscope_emulator::process::HostAddr;
use proptest::prelude::*;

fn pieces(text: &str) -> Vec<Option<u8>> {
    text.bytes().map(|piece| (piece != b'?').then_some(piece)).collect()
}

fn noise(len: usize) -> Vec<u8> {
    let next = |state: &u32| Some(state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F));
    std::iter::successors(Some(7u32), next).map(|state| (state >> 24) as u8 & 7).take(len).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_sequence_is_found_under_any_codes_stride_and_direction(
        at in 6000usize..9000,
        stride in 1isize..=64,
        backward: bool,
        first in 0u8..250,
    ) {
        let seen = "RGBYRRGPYBGRPY?BGGRYPBRY";
        let mut bytes = noise(20_000);
        let stride = if backward { -stride } else { stride };
        for (nth, piece) in seen.bytes().enumerate() {
            let code = first.wrapping_add("RGBYP?".find(char::from(piece)).expect("a piece") as u8);
            bytes[at.checked_add_signed(nth as isize * stride).expect("inside")] = code;
        }
        let source = ByteArray { base: HostAddr(0x1000), bytes };
        let hits = find_sequence(&source, &pieces(seen), &Progress::default()).expect("it can be read");
        prop_assert_eq!(hits.len(), 1);
        prop_assert_eq!(hits[0].address, Address(0x1000 + at as u64));
        prop_assert_eq!(hits[0].stride as isize, stride);
        prop_assert_eq!(hits[0].codes[0], (b'R', first));
        prop_assert_eq!(hits[0].codes[4], (b'P', first.wrapping_add(4)));
    }
}

#[test]
fn what_could_be_anywhere_is_not_looked_for() {
    let source = ByteArray { base: HostAddr(0), bytes: vec![0; 4096] };
    for text in ["RGB", "RRRRRRRR", "R?G?B"] {
        let answer = find_sequence(&source, &pieces(text), &Progress::default());
        assert!(matches!(answer, Err(SequenceError::TooLittle { .. })), "{text}");
    }
    let hits = find_sequence(&source, &pieces("RGRG"), &Progress::default()).expect("it can be read");
    assert_eq!(hits, [], "different pieces are different bytes");
}

#[test]
fn a_sequence_across_two_pieces_of_memory_and_at_the_very_ends_is_found() {
    let seen = "ABCABDDBCA";
    let codes = |nth: usize| seen.as_bytes()[nth];
    let mut bytes = vec![0; 3 << 18];
    for nth in 0..10 {
        bytes[nth] = codes(nth);
        bytes[(1 << 18) - 5 + nth] = codes(nth);
        let last = bytes.len() - 10;
        bytes[last + nth] = codes(nth);
    }
    let source = ByteArray { base: HostAddr(0), bytes };
    let hits = find_sequence(&source, &pieces(seen), &Progress::default()).expect("it can be read");
    let places: Vec<u64> = hits.iter().filter(|hit| hit.stride == 1).map(|hit| hit.address.0).collect();
    assert_eq!(places, [0, (1 << 18) - 5, (3 << 18) - 10]);
}
