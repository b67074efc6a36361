use super::super::test_fixtures::FakeProcess;
use super::*;
use nextscope_memory::console::ConsoleId;
use std::sync::Arc;

const HEAP: u64 = 0x5555_0000_0000;
const LEN: u32 = 0x1_0000;

fn counting(fake: &FakeProcess, blocks: &[u64]) -> Vec<u64> {
    let blocks: Vec<HostAddr> = blocks.iter().copied().map(HostAddr).collect();
    let found = counting_blocks(fake, &blocks, LEN, WATCH_TIME).unwrap();
    assert!(found.iter().all(|block| block.changes >= ENOUGH_CHANGES));
    found.into_iter().map(|block| block.base.0).collect()
}

fn fake() -> FakeProcess {
    let mut fake = FakeProcess::new();
    // As fast as a console: at 250 frames a second a busy machine misses more of them than a byte may skip.
    fake.frame_ms = 16;
    fake.region(HEAP, 1 << 20, Some("[heap]"));
    fake
}

#[test]
fn the_block_of_a_running_game_is_distinguished_from_still_ones_and_from_a_copy_written_now_and_then() {
    let (still, copy, game) = (HEAP, HEAP + 0x2_0000, HEAP + 0x4_0000);
    let mut fake = fake();
    fake.stopped_game(still, StorageOrder::SwappedWords);
    assert!(counting(&fake, &[still]).is_empty());
    fake.game(copy, StorageOrder::SwappedWords).game(game, StorageOrder::SwappedWords);
    fake.live[0].frame_ms = 240;
    assert_eq!(counting(&fake, &[still, copy, game]), [game]);
    // Two that run alike cannot be distinguished.
    fake.live[0].frame_ms = 16;
    assert_eq!(counting(&fake, &[still, copy, game]), [copy, game]);
    // A block that vanished is nobody's RAM.
    assert_eq!(counting(&fake, &[HEAP + 0xFF_0000, game]), [game]);
}

#[test]
fn the_offset_is_that_of_the_counter() {
    let mut fake = fake();
    fake.game(HEAP, StorageOrder::AsOnBus);
    let found = counting_blocks(&fake, &[HostAddr(HEAP)], LEN, WATCH_TIME).unwrap();
    assert_eq!(found[0].offset, 0xA069);
}

#[test]
fn random_bytes_do_not_count() {
    // Each look shows a sound buffer: all bytes are new.
    let mut block = Watched { base: HostAddr(0), last: vec![0; 4096], courses: vec![Course::Still; 4096] };
    let mut state = 1_u32;
    for _ in 0..60 {
        let now: Vec<u8> = (0..4096)
            .map(|_| {
                state = state.wrapping_mul(0x41C6_4E6D).wrapping_add(0x3039);
                state.to_be_bytes()[0]
            })
            .collect();
        block.look(&now);
    }
    assert_eq!(block.counting(), None);
}

fn ram(fake: FakeProcess) -> Ram {
    Ram {
        memory: Arc::new(fake),
        domain: ConsoleId::Genesis.domain(),
        base: HostAddr(HEAP),
        order: StorageOrder::AsOnBus,
    }
}

#[test]
fn numbers_show_the_byte_order_unless_there_are_too_few() {
    let with = |words: usize, order: StorageOrder| {
        let mut bytes: Vec<u8> = (0..words).flat_map(|word| [0, 1 + word.to_le_bytes()[0] % 200]).collect();
        order.reorder(&mut bytes);
        let mut fake = fake();
        fake.put(HEAP + 0x100, &bytes);
        order_of_numbers(&ram(fake)).unwrap()
    };
    for order in StorageOrder::OF_16_BIT_BUS {
        assert_eq!(with(100, order), Some(order));
        assert_eq!(with(ORDER_WORDS - 1, order), None);
    }
}

#[test]
fn a_carry_shows_the_byte_order_and_a_counter_of_one_byte_does_not() {
    // The fake's counters of 32 bits count up every 4 ms, the least significant byte first.
    let of = |counter: u64, offset: usize| {
        let mut fake = fake();
        fake.counters.push(HostAddr(HEAP + counter));
        let block = CountingBlock { base: HostAddr(HEAP), offset, changes: 100 };
        order_of_carry(&ram(fake), block, Duration::from_secs(3)).unwrap()
    };
    assert_eq!(of(0x100, 0x100), Some(StorageOrder::SwappedWords));
    // A byte at an odd address whose neighbour does not go on with it.
    assert_eq!(of(0x101, 0x101), None);
    // The high byte of a counter changes too rarely.
    assert_eq!(of(0x100, 0x103), None);
}
