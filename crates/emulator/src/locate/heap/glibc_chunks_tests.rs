use super::super::blocks;
use super::*;
use crate::locate::scan::Budget;
use crate::locate::test_fixtures::FakeProcess;
use std::time::Duration;

const HEAP: u64 = 0x5555_0000_0000;
const BLOCK: u64 = 0x1_0010;
const HEAP_LEN: u64 = 1 << 20;

/// A heap of chunks of these sizes and a last one, which takes the rest.
fn heap_of(sizes: &[u64]) -> FakeProcess {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, usize::try_from(HEAP_LEN).unwrap(), Some("[heap]"));
    let mut at = 0;
    for size in sizes {
        fake.put(HEAP + at + 8, &(size | 1).to_le_bytes());
        at += size;
    }
    fake.put(HEAP + at + 8, &((HEAP_LEN - at) | 1).to_le_bytes());
    fake
}

fn found(fake: &FakeProcess) -> Option<Vec<u64>> {
    let until = Instant::now() + Duration::from_secs(10);
    let found =
        chunks(fake, &fake.regions[0], until, |word| (word & !FLAGS == BLOCK).then_some(BLOCK)).unwrap();
    found.map(|chunks| chunks.into_iter().map(|(block, _)| block.0 - HEAP).collect())
}

fn read_by(fake: &FakeProcess) -> u64 {
    std::mem::take(&mut *fake.read.lock().unwrap())
}

#[test]
fn a_chain_of_chunks_leads_to_the_blocks_and_long_chunks_are_not_read() {
    let sizes = [0x290, BLOCK, 0x20, BLOCK, 0x4_0000, BLOCK];
    let mut fake = heap_of(&sizes);
    // What looks like a header in a chunk is none.
    fake.put(HEAP + 0x290 + BLOCK + 0x20 + BLOCK + 0x108, &(BLOCK | 1).to_le_bytes());
    let starts = [0x290, 0x290 + BLOCK + 0x20, 0x290 + 2 * BLOCK + 0x20 + 0x4_0000];
    assert_eq!(found(&fake).unwrap(), starts.map(|start| start + 16));
    assert!(read_by(&fake) < 16 * PAGE);
    // The search uses it, and says how long the heap is.
    let (blocks, scanned) = blocks(&fake, &fake.regions, &[0x1_0000], Budget::KNOWN).unwrap();
    assert_eq!(blocks.len(), starts.len());
    assert_eq!(scanned.bytes, HEAP_LEN);
    assert!(read_by(&fake) < 16 * PAGE);
}

#[test]
fn short_chunks_are_read_in_longer_and_longer_pieces() {
    let mut fake = heap_of(&vec![0x20; 0x4000]);
    assert_eq!(found(&fake).unwrap(), [0; 0]);
    fake = heap_of(&[vec![0x20; 0x4000], vec![BLOCK]].concat());
    assert_eq!(found(&fake).unwrap(), [0x8_0010]);
    assert!(read_by(&fake) <= 0x8_0000 + 2 * LONGEST_READ);
}

#[test]
fn a_broken_chain_leaves_the_heap_to_the_plain_search() {
    let plain = |fake: &FakeProcess| blocks(fake, &fake.regions, &[0x1_0000], Budget::KNOWN).unwrap().0;
    for word in [0, 0x10, 0x28 | 1, BLOCK | 2, HEAP_LEN, u64::MAX, HEAP_LEN - 0x100 - BLOCK + 16] {
        let mut fake = heap_of(&[0x100, BLOCK, 0x40]);
        assert_eq!(found(&fake).unwrap(), [0x110]);
        fake.put(HEAP + 0x100 + BLOCK + 8, &word.to_le_bytes());
        assert!(found(&fake).is_none(), "{word:#x}");
        assert_eq!(plain(&fake), [(HostAddr(HEAP + 0x110), 0x1_0000)], "{word:#x}");
    }
}

#[test]
fn a_heap_that_cannot_be_read_and_one_without_time_have_no_chain() {
    let mut fake = heap_of(&[BLOCK]);
    assert!(chunks(&fake, &fake.regions[0], Instant::now(), Some).unwrap().is_none());
    fake.vanished.push(HostAddr(HEAP));
    assert!(found(&fake).is_none());
    fake.ends_at = Some(1);
    assert!(chunks(&fake, &fake.regions[0], Instant::now() + Duration::from_secs(1), Some).is_err());
}
