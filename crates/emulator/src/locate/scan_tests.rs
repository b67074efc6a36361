use super::super::test_fixtures::FakeProcess;
use super::*;

const START: u64 = 0x7F00_0000_0000;

/// The scanned bytes, by address; a byte visited twice must be the same.
fn scan_all(fake: &FakeProcess, overlap: usize) -> (std::collections::BTreeMap<u64, u8>, ScanTotals) {
    let mut bytes = std::collections::BTreeMap::new();
    let regions: Vec<&Region> = fake.regions.iter().collect();
    let scanned = scan(fake, &regions, overlap, Budget::KNOWN, |piece, at| {
        for (offset, byte) in piece.iter().enumerate() {
            let known = bytes.insert(at.0 + offset as u64, *byte);
            assert!(known.is_none_or(|known| known == *byte));
        }
    })
    .unwrap();
    (bytes, scanned)
}

#[test]
fn every_byte_is_visited_at_its_address_with_any_overlap() {
    for overlap in [0, 1, 63, 4096] {
        let mut fake = FakeProcess::new();
        fake.region(START, PIECE + 4096, None);
        fake.put(START + PIECE as u64 - 1, &[1, 2, 3]);
        let (bytes, scanned) = scan_all(&fake, overlap);
        assert_eq!(bytes.len(), PIECE + 4096);
        assert_eq!(scanned.bytes, PIECE as u64 + 4096);
        assert_eq!(bytes[&(START + PIECE as u64)], 2);
    }
}

#[test]
fn the_rest_of_a_region_that_shrank_is_still_visited() {
    let mut fake = FakeProcess::new();
    fake.region(START, 3 * 4096, None).put(START + 2 * 4096, &[7]);
    fake.regions[0].len = 64 * 4096;
    let (bytes, _) = scan_all(&fake, 0);
    assert_eq!(bytes.len(), 3 * 4096);
    assert_eq!(bytes[&(START + 2 * 4096)], 7);
}
