//! The searches by structure and the RAM search on our own cartridge, run by the embedded console in this
//! process: only what a player sees is known, and the results must match the cartridge's symbols.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use nextscope::console::{ConsoleId, Endian, Snapshot, StorageOrder};
use nextscope::demo::console::Console;
use nextscope::demo::{CartridgeConfig, ROM, Schedule};
use nextscope::process::{ByteArray, HostAddr};
use nextscope::research::{
    Address, Against, CellAddress, Change, Condition, FoundPool, Kind, Part, PoolState, Previous, Recurrence,
    Samples, Search, Settings, Value, ValueType, find_generators, find_pools, find_sequence,
};
use nextscope::task::Progress;

/// The host address of RAM in this test.
const HOST: u64 = 0x7F00_1234_0000;

/// The cartridge's symbols (`tests/cartridges/genesis-tsu/ram.inc`), as offsets in work RAM.
const RNG_STATE: u64 = 0xA134;
const POOLS: u64 = 0xAD00;
const QUEUE: u64 = 0x85A0;
const DEALT: u64 = QUEUE + 6;
const INDEX: u64 = QUEUE + 8;

/// Frames from one pair to the next: a player can count them.
const DEAL: u16 = 8;

fn console(order: StorageOrder) -> Console {
    let config = CartridgeConfig {
        deal_1: Some(DEAL),
        deal_2: Some(11),
        pairs: Some(120),
        schedule: Some(Schedule::Versus),
        menu: Some(5),
        events: Some(128),
        ..CartridgeConfig::default()
    };
    let mut rom = ROM.to_vec();
    config.apply(&mut rom).unwrap();
    Console::with_order(rom, order).unwrap()
}

fn stored(console: &Console) -> ByteArray {
    ByteArray { base: HostAddr(HOST), bytes: console.ram().to_vec() }
}

fn domain(console: &Console, order: StorageOrder) -> Snapshot {
    Snapshot::from_stored(ConsoleId::Genesis.domain(), order, console.ram().to_vec()).unwrap()
}

fn bus(offset: u64) -> Address {
    Address(0xFF_0000 + offset)
}

/// Runs until the pools are in memory.
fn pools(console: &mut Console) -> FoundPool {
    for _ in 0..600 {
        console.run_frame();
        let found = find_pools(&stored(console), &Progress::default()).unwrap();
        if let [one] = &found[..] {
            return one.clone();
        }
    }
    panic!("no pools in 600 frames");
}

#[test]
fn pools_generator_and_queue_are_found_from_scratch() {
    for order in [StorageOrder::AsOnBus, StorageOrder::SwappedWords] {
        let mut console = console(order);
        let found = pools(&mut console);
        assert_eq!(found.address, Address(HOST + POOLS));
        let PoolState::Round { color_sets, .. } = &found.pools else { panic!("{found:?}") };
        let orders: Vec<StorageOrder> = color_sets.iter().map(|near| near.order).collect();
        assert_eq!(orders, [order], "the colour set implies the byte order");

        // In the order that was found, a sample every frame.
        let mut samples = Samples::new(bus(0));
        for frame in 0..400 {
            console.run_frame();
            samples.push(frame, domain(&console, order).all()).unwrap();
        }
        let hits = find_generators(&samples, &Progress::default()).unwrap();
        let tsu = |recurrence: &Recurrence| matches!(recurrence, Recurrence::Calls { name, explained, .. } if name.contains("Tsu") && explained[0].1 >= 3);
        let places: Vec<Address> =
            hits.iter().filter(|hit| tsu(&hit.recurrence)).map(|hit| hit.address).collect();
        assert_eq!(places, [bus(RNG_STATE)], "{hits:?}");

        // The falling pair changes every so many frames; a cell that counts with it is an index or a count.
        let count = |kind, by: i128, console: &mut Console| {
            let ty = ValueType::new(kind, Endian::Big).unwrap();
            let more = Condition::Differs {
                change: Change::Up,
                at_least: false,
                by: Value::Integer(by),
                from: Against::Previous(Previous::LastSearch),
            };
            let now = domain(console, order);
            let first =
                Search::start(&now, Settings::new(ty), &Condition::Unknown, None, &Progress::default());
            let mut search = first.unwrap();
            for _ in 0..8 {
                (0..DEAL).for_each(|_| console.run_frame());
                search.step(&domain(console, order), &more, None, &Progress::default()).unwrap();
            }
            search
        };
        let indices = count(Kind::U8, 2, &mut console);
        let place = |offset| CellAddress { address: bus(offset), part: Part::Whole };
        assert!(indices.contains(place(INDEX)), "{:X?}", indices.rows(0..9));
        assert!(indices.len() <= 3, "{:X?}", indices.rows(0..9));
        let counts = count(Kind::U16, 1, &mut console);
        assert!(counts.contains(place(DEALT)), "{:X?}", counts.rows(0..9));
        assert!(counts.len() <= 3, "{:X?}", counts.rows(0..9));
    }
}

#[test]
fn the_pairs_on_screen_lead_to_the_pool_that_they_come_from() {
    let order = StorageOrder::SwappedWords;
    let mut console = console(order);
    pools(&mut console);
    (0..12 * DEAL).for_each(|_| console.run_frame());
    // The next pair on screen, as letters of the player's own.
    let mut letters = Vec::new();
    for _ in 0..12 {
        let ram = domain(&console, order);
        let at = usize::try_from(QUEUE).unwrap();
        letters.extend(ram.all()[at..at + 2].iter().map(|code| Some(b'a' + code)));
        (0..DEAL).for_each(|_| console.run_frame());
    }
    let hits = find_sequence(&domain(&console, order), &letters, &Progress::default()).unwrap();
    let forward: Vec<_> = hits.iter().filter(|hit| hit.stride == 1).collect();
    assert_eq!(forward.len(), 1, "{hits:?}");
    let from = bus(POOLS)..bus(POOLS + 3 * 256);
    assert!(from.contains(&forward[0].address), "{hits:?}");
    assert!(forward[0].codes.iter().all(|(letter, code)| *letter == b'a' + code));
}
