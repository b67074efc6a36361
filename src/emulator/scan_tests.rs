use super::super::test_ground::Fake;
use super::*;

const START: u64 = 0x7F00_0000_0000;

/// The bytes seen, by address; a byte seen twice must be the same.
fn seen(fake: &Fake, overlap: usize) -> (std::collections::BTreeMap<u64, u8>, Scanned) {
    let mut seen = std::collections::BTreeMap::new();
    let regions: Vec<&Region> = fake.regions.iter().collect();
    let scanned = scan(fake, &regions, overlap, Budget::KNOWN, |piece, at| {
        for (offset, byte) in piece.iter().enumerate() {
            let known = seen.insert(at.0 + offset as u64, *byte);
            assert!(known.is_none_or(|known| known == *byte));
        }
    })
    .unwrap();
    (seen, scanned)
}

#[test]
fn every_byte_is_seen_at_its_address_whatever_the_overlap() {
    for overlap in [0, 1, 63, 4096] {
        let mut fake = Fake::new();
        fake.region(START, PIECE + 4096, None);
        fake.put(START + PIECE as u64 - 1, &[1, 2, 3]);
        let (seen, scanned) = seen(&fake, overlap);
        assert_eq!(seen.len(), PIECE + 4096);
        assert_eq!(scanned.bytes, PIECE as u64 + 4096);
        assert_eq!(seen[&(START + PIECE as u64)], 2);
    }
}

#[test]
fn of_a_region_that_shrank_the_rest_is_still_seen() {
    let mut fake = Fake::new();
    fake.region(START, 3 * 4096, None).put(START + 2 * 4096, &[7]);
    fake.regions[0].len = 64 * 4096;
    let (seen, _) = seen(&fake, 0);
    assert_eq!(seen.len(), 3 * 4096);
    assert_eq!(seen[&(START + 2 * 4096)], 7);
}
