use super::super::blocks;
use super::*;
use crate::locate::scan::Budget;
use crate::locate::test_fixtures::FakeProcess;
use crate::process::HostAddr;

const HEAP: u64 = 0x5555_0000_0000;

fn blocks_of(fake: &FakeProcess) -> Vec<u64> {
    let (found, _) = blocks(fake, &fake.regions, &[0x1_0000], Budget::KNOWN).unwrap();
    found.into_iter().map(|(block, _)| block.0 - HEAP).collect()
}

#[test]
fn the_size_word_of_glibc_matches_with_any_flags_except_the_one_of_a_separate_mapping() {
    assert_eq!(size_word(0x1_0000), 0x1_0010);
    assert_eq!(size_word(0x800), 0x810);
    let mut fake = FakeProcess::new();
    fake.region(HEAP, 2 << 20, Some("[heap]"));
    for (number, flags) in (0..8_u64).enumerate() {
        fake.put(HEAP + 0x1_0010 * number as u64 + 8, &(0x1_0010 | flags).to_le_bytes());
    }
    let expected: Vec<u64> = [0, 1, 4, 5].map(|number| 0x1_0010 * number + 16).to_vec();
    assert_eq!(blocks_of(&fake), expected);
}

#[test]
fn unaligned_blocks_and_blocks_outside_the_heap_are_ignored() {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, 1 << 20, Some("[heap]")).region(HEAP + 0x1000_0000, 1 << 20, None);
    let word = 0x1_0011_u64.to_le_bytes();
    fake.put(HEAP + 0x100, &word).put(HEAP + 0x204, &word).put(HEAP + 0xF_FFF8 - 0xFFF0, &word);
    fake.put(HEAP + 0x1000_0008, &word);
    assert!(blocks_of(&fake).is_empty());
    // The last that fits.
    fake.put(HEAP + 0xF_0000 - 8, &word);
    assert_eq!(blocks_of(&fake), [0xF_0000]);
}

#[test]
fn several_lengths_are_searched_in_one_pass_over_the_heap() {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, 8 << 20, Some("[heap]"));
    fake.put(HEAP + 8, &0x1_0011_u64.to_le_bytes()).put(HEAP + 0x2_0008, &0x40_0011_u64.to_le_bytes());
    let (found, scanned) = blocks(&fake, &fake.regions, &[0x1_0000, 0x40_0000], Budget::KNOWN).unwrap();
    assert_eq!(found, [(HostAddr(HEAP + 0x10), 0x1_0000), (HostAddr(HEAP + 0x2_0010), 0x40_0000)]);
    assert_eq!(scanned.bytes, 8 << 20);
}

#[test]
fn a_long_block_is_found_at_the_beginning_of_its_own_mapping() {
    const LEN: u32 = 0x40_0000;
    assert_eq!(mapped_size_word(LEN), 0x40_1000); // measured: malloc(4 MiB), glibc 2.36
    let found = |word: u64, region_len: usize, path: Option<&str>| {
        let mut fake = FakeProcess::new();
        fake.region(HEAP, region_len, path).put(HEAP + 8, &word.to_le_bytes());
        blocks(&fake, &fake.regions, &[0x1_0000, LEN], Budget::KNOWN).unwrap().0
    };
    assert_eq!(found(0x40_1002, 0x40_1000, None), [(HostAddr(HEAP + 0x10), LEN)]);
    assert_eq!(found(0x40_1002, 0x80_0000, None), [(HostAddr(HEAP + 0x10), LEN)]);
    // Another flag, another length, no room, another kind of mapping; and 64 KiB never get one.
    assert!(found(0x40_1001, 0x40_1000, None).is_empty());
    assert!(found(0x40_2002, 0x40_2000, None).is_empty());
    assert!(found(0x40_1002, 0x40_0000, None).is_empty());
    assert!(found(0x40_1002, 0x40_1000, Some("/usr/lib/libx.so")).is_empty());
    assert!(found(0x1_1002, 0x40_1000, None).is_empty());
}
