#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]

use super::*;
use nextscope_emulator::process::ByteArray;
use nextscope_emulator::process::HostAddr;
use nextscope_games::games::puyo_20th;
use nextscope_games::games::puyo_tsu::seeds::{self, Impossible, Query};
use nextscope_games::games::puyo_tsu::{POOL_SETUPS, Setup, State, generate, pool_query};

/// Memory full of small numbers, which look a little like pools everywhere.
fn noise(len: usize) -> Vec<u8> {
    let next = |state: &u32| Some(state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F));
    let mut bytes: Vec<u8> =
        std::iter::successors(Some(7u32), next).map(|state| (state >> 24) as u8 % 6).take(len).collect();
    bytes[..len / 2].iter_mut().step_by(3).for_each(|byte| *byte ^= 0x40);
    bytes
}

fn find(bytes: Vec<u8>) -> Vec<FoundPool> {
    let source = ByteArray { base: HostAddr(0x7F00_0000), bytes };
    find_pools(&source, &Progress::default()).expect("it can be read")
}

fn tsu_ram(setup: Setup, order: StorageOrder, at: usize, len: usize) -> Vec<u8> {
    let round = generate(State(0x3587_9DE2), setup);
    let mut bytes = noise(len);
    for (nth, pool) in round.pools.iter().enumerate() {
        if let Some(pool) = pool {
            bytes[at + nth * 256..at + nth * 256 + 256].copy_from_slice(pool);
        }
    }
    bytes[at - 4..at].fill(0x40); // else the story's two pools could begin a byte before
    bytes[at - 0x81E..at - 0x816].copy_from_slice(&round.color_set);
    order.reorder(&mut bytes);
    bytes
}

/// The query of the state search in a byte order.
fn query(found: &FoundPool, order: StorageOrder) -> Option<Result<Query, Impossible>> {
    let PoolState::Round { kind, color_sets, stored, .. } = &found.pools else { return None };
    let mut pools = **stored;
    pools.iter_mut().for_each(|pool| order.reorder(pool));
    let set = color_sets.iter().find(|near| near.order == order).map(|near| near.set);
    Some(pool_query(*kind, &pools, set))
}

#[test]
fn the_pools_of_tsu_are_found_in_every_order_with_their_colour_set() {
    for order in StorageOrder::ALL {
        for setup in POOL_SETUPS {
            let found = find(tsu_ram(setup, order, 0xAD00, 0x1_0000));
            assert_eq!(found.len(), 1, "{order} {setup:?}: {found:?}");
            assert_eq!(found[0].address, Address(0x7F00_AD00));
            let PoolState::Round { kind, color_sets, .. } = &found[0].pools else { panic!("of Tsu") };
            assert_eq!(POOL_SETUPS[kind.number].colors(), setup.colors());
            assert_eq!(color_sets.len(), 1, "{order}: {color_sets:?}");
            assert_eq!(color_sets[0].order, order);
            assert_eq!(color_sets[0].set, generate(State(0x3587_9DE2), setup).color_set);
            let query = query(&found[0], order).expect("of Tsu").expect("a real round");
            assert!(query.fits(&generate(State(0x3587_9DE2), setup)));
        }
    }
}

#[test]
fn a_state_is_found_from_the_pools_found() {
    let found = find(tsu_ram(Setup::VERSUS, StorageOrder::SwappedWords, 0xAD00, 0x1_0000));
    let query = query(&found[0], StorageOrder::SwappedWords).expect("of Tsu").expect("a real round");
    let vectors = nextscope_boards::Vectors::widest();
    let progress = Progress::default();
    let states = seeds::find_in_range(&query, 0x3587_9000, 0x2000, vectors, &progress);
    assert_eq!(states.expect("nobody cancels it"), [State(0x3587_9DE2)]);
}

#[test]
fn every_single_pool_of_20th_is_found_with_its_seed() {
    let round = puyo_20th::generate(0x6119);
    for order in StorageOrder::ALL {
        for id in PoolId::ALL {
            let mut bytes = noise(0x8_0000);
            let at = 0x4_0000 - 128; // across two pieces
            bytes[at..at + 256].copy_from_slice(round.pool(id));
            order.reorder(&mut bytes);
            let found = find(bytes);
            let pools = PoolState::Seeded { pool: id, order, seeds: vec![0x6119] };
            assert_eq!(
                found,
                [FoundPool { game: puyo_20th::ID, address: Address(0x7F00_0000 + at as u64), pools }]
            );
        }
    }
}

#[test]
fn a_pool_with_one_byte_wrong_and_memory_without_pools_give_nothing() {
    let mut bytes = tsu_ram(Setup::VERSUS, StorageOrder::AsOnBus, 0xAD00, 0x1_0000);
    bytes[0xAD00] ^= 1;
    assert_eq!(find(bytes), []);
    assert_eq!(find(vec![0; 0x1_0000]), []);
    assert_eq!(find(noise(0x1_0000)), []);
    let mut round = puyo_20th::generate(1);
    round.pools[1][99] = (round.pools[1][99] + 1) % 4;
    let mut bytes = vec![0; 0x1000];
    bytes[0x100..0x200].copy_from_slice(&round.pools[1]);
    assert_eq!(find(bytes), []);
}

#[test]
fn pools_at_the_very_ends_are_found() {
    let round = puyo_20th::generate(2);
    let bytes = round.pools.concat();
    let found = find(bytes);
    let places: Vec<u64> = found.iter().map(|found| found.address.0 - 0x7F00_0000).collect();
    assert_eq!(places, [0, 256, 512]);
}
