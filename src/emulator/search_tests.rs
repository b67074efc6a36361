use super::super::test_ground::{Fake, Live, RAM, game_ram, profile, search, search_with};
use super::*;
use crate::console::{ConsoleAddr, ConsoleId, StorageOrder};
use crate::profile::Anchor;
use StorageOrder::{AsOnBus, SwappedWords};

const HEAP: u64 = 0x5555_0000_0000;
const MAPPED: u64 = 0x7F00_0000_0000;
const HEAP_LEN: usize = 4 << 20;

fn profiles() -> [Arc<Profile>; 1] {
    [Arc::new(profile())]
}

pub(super) fn found(verdict: &Verdict) -> (Method, HostAddr, StorageOrder) {
    match verdict {
        Verdict::Found(candidate, _) => (candidate.method, candidate.ram.base, candidate.ram.order),
        Verdict::Paused(candidate) => panic!("paused at {}", candidate.ram.base),
        Verdict::Ambiguous(places) => panic!("ambiguous: {} places", places.len()),
        Verdict::Nothing => panic!("nothing found"),
        Verdict::Failed(error) => panic!("{error}"),
    }
}

/// Writes the size word of a 64 KiB heap block; the block's address is given back.
fn block(fake: &mut Fake, at: u64) -> u64 {
    fake.put(at + 8, &0x1_0011_u64.to_le_bytes());
    at + 16
}

#[test]
fn a_heap_block_of_the_right_size_is_found_in_both_orders() {
    for order in StorageOrder::OF_16_BIT_BUS {
        let mut fake = Fake::new();
        fake.region(HEAP, HEAP_LEN, Some("[heap]"));
        let base = block(&mut fake, HEAP + 0xA_B5D0);
        fake.game(base, order);
        let (verdict, said, _) = search(fake, &profiles());
        assert_eq!(found(&verdict), (Method::MallocChunk, HostAddr(base), order), "{said:?}");
    }
}

#[test]
fn blocks_of_the_right_size_with_other_content_are_not_taken() {
    let mut fake = Fake::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]"));
    for number in 0..20 {
        let base = block(&mut fake, HEAP + number * 0x1_0010);
        fake.put(base + 0x4AF8, b"COMPILE!");
    }
    // The text at the right places, but blocks that do not sum up.
    let base = block(&mut fake, HEAP + 21 * 0x1_0010);
    let mut ram = game_ram();
    ram[0x4900] ^= 1;
    ram[0xAD80] ^= 1;
    fake.put(base, &ram);
    let (verdict, said, _) = search(fake, &profiles());
    assert!(matches!(verdict, Verdict::Nothing), "{said:?}");
    assert!(said.iter().any(|said| said.contains("21 blocks") && said.contains("no game")), "{said:?}");
}

#[test]
fn content_is_found_at_odd_places_of_any_region_in_both_orders() {
    for (path, offset) in
        [(None, 0x1234_u64), (Some("/usr/lib/core.so"), 0x2), (Some("/memfd:guest (deleted)"), 0xF_FFFE)]
    {
        for order in StorageOrder::OF_16_BIT_BUS {
            let mut fake = Fake::new();
            fake.region(MAPPED, 2 << 20, path);
            fake.game(MAPPED + offset, order);
            let (verdict, said, _) = search(fake, &profiles());
            assert_eq!(
                found(&verdict),
                (Method::ContentAnchor, HostAddr(MAPPED + offset), order),
                "{said:?}"
            );
        }
    }
}

#[test]
fn text_that_is_split_between_two_pieces_is_found() {
    // Pieces are 512 KiB long; the texts stand at 0x4AF8 and 0x4DF8 in RAM.
    for text in [0x4AF8, 0x4DF8] {
        for into in 1..8 {
            let base = MAPPED + 0x8_0000 - text - into;
            if base % 2 == 1 {
                continue; // RAM stands at even addresses
            }
            let mut fake = Fake::new();
            fake.region(MAPPED, 2 << 20, None);
            fake.game(base, SwappedWords);
            let (verdict, said, _) = search(fake, &profiles());
            assert_eq!(found(&verdict).1, HostAddr(base), "{said:?}");
        }
    }
}

#[test]
fn copies_that_stand_still_are_told_from_the_ram_that_moves() {
    let mut fake = Fake::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).region(MAPPED, 2 << 20, None);
    let saved = block(&mut fake, HEAP + 0x1000);
    fake.copy_of_game(saved, SwappedWords);
    fake.copy_of_game(MAPPED + 0x2_0040, SwappedWords).copy_of_game(MAPPED + 0x4_0080, AsOnBus);
    fake.game(MAPPED + 0x6_00C0, SwappedWords);
    let (verdict, said, _) = search(fake, &profiles());
    assert_eq!(
        found(&verdict),
        (Method::ContentAnchor, HostAddr(MAPPED + 0x6_00C0), SwappedWords),
        "{said:?}"
    );
    assert!(
        said.iter().any(|said| said.contains("heap") && said.contains("nothing there moves")),
        "{said:?}"
    );
}

#[test]
fn a_rewind_buffer_that_is_written_now_and_then_is_not_taken_for_ram() {
    let mut fake = Fake::new();
    fake.region(MAPPED, 2 << 20, None);
    fake.game(MAPPED + 0x2_0000, SwappedWords).copy_of_game(MAPPED + 0x8_0000, SwappedWords);
    fake.live.push(Live { base: HostAddr(MAPPED + 0x8_0000), order: SwappedWords, frame_ms: 48 });
    let (verdict, said, _) = search(fake, &profiles());
    assert_eq!(found(&verdict).1, HostAddr(MAPPED + 0x2_0000), "{said:?}");
}

#[test]
fn two_places_that_move_alike_are_reported_and_not_guessed_between() {
    let mut fake = Fake::new();
    fake.region(MAPPED, 2 << 20, None);
    fake.game(MAPPED + 0x2_0000, SwappedWords).game(MAPPED + 0x8_0000, SwappedWords);
    let (verdict, said, _) = search(fake, &profiles());
    let Verdict::Ambiguous(places) = verdict else { panic!("{said:?}") };
    assert_eq!(places.len(), 2);
    assert!(places.iter().all(|(_, moved)| moved.is_some()));
}

#[test]
fn views_of_the_same_shared_memory_are_one_place() {
    let mut fake = Fake::new();
    for start in [MAPPED, MAPPED + 0x1000_0000] {
        fake.region(start, 1 << 20, Some("/dev/shm/fastmem77 (deleted)"));
        fake.game(start + 0x3_0000, AsOnBus);
    }
    for region in &mut fake.regions {
        (region.inode, region.device) = (4711, "00:05".into());
    }
    let (verdict, said, _) = search(fake, &profiles());
    assert_eq!(found(&verdict).1, HostAddr(MAPPED + 0x3_0000), "{said:?}");
}

#[test]
fn private_mappings_of_the_same_file_are_two_places() {
    let mut fake = Fake::new();
    for start in [MAPPED, MAPPED + 0x1000_0000] {
        fake.region(start, 1 << 20, Some("/usr/lib/core.data"));
        fake.game(start + 0x3_0000, AsOnBus);
    }
    for region in &mut fake.regions {
        (region.inode, region.device) = (4711, "00:05".into());
    }
    let (verdict, said, _) = search(fake, &profiles());
    assert!(matches!(verdict, Verdict::Ambiguous(places) if places.len() == 2), "{said:?}");
}

#[test]
fn a_region_that_vanishes_while_it_is_read_is_skipped() {
    let mut fake = Fake::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).region(MAPPED, 1 << 20, None).region(
        MAPPED + 0x1000_0000,
        1 << 20,
        None,
    );
    fake.game(MAPPED + 0x1000_0000 + 0x240, SwappedWords);
    fake.vanished = vec![HostAddr(HEAP), HostAddr(MAPPED)];
    let (verdict, said, _) = search(fake, &profiles());
    assert_eq!(found(&verdict).1, HostAddr(MAPPED + 0x1000_0000 + 0x240), "{said:?}");
}

#[test]
fn a_process_that_ends_fails_and_does_not_look_empty() {
    let mut fake = Fake::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]"));
    fake.ends_at = Some(4096);
    let (verdict, _, _) = search(fake, &profiles());
    assert!(matches!(verdict, Verdict::Failed(ReadError::Gone { .. })));
}

#[test]
fn a_stopped_game_is_paused_and_two_of_them_are_not_guessed_between() {
    let mut fake = Fake::new();
    fake.region(MAPPED, 2 << 20, None).copy_of_game(MAPPED + 0x100, SwappedWords);
    let (verdict, said, _) = search(fake, &profiles());
    assert!(matches!(verdict, Verdict::Paused(_)), "{said:?}");
    let mut fake = Fake::new();
    fake.region(MAPPED, 2 << 20, None);
    fake.copy_of_game(MAPPED + 0x100, SwappedWords).copy_of_game(MAPPED + 0x8_0000, SwappedWords);
    let (verdict, said, _) = search(fake, &profiles());
    assert!(matches!(verdict, Verdict::Ambiguous(places) if places.len() == 2), "{said:?}");
}

#[test]
fn of_several_that_stand_still_the_most_trusted_method_counts() {
    let mut fake = Fake::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).region(MAPPED, 2 << 20, None);
    let base = block(&mut fake, HEAP + 0x1000);
    fake.copy_of_game(base, SwappedWords).copy_of_game(MAPPED + 0x100, SwappedWords);
    let (verdict, said, _) = search(fake, &profiles());
    assert!(
        matches!(&verdict, Verdict::Paused(candidate) if candidate.ram.base == HostAddr(base)),
        "{said:?}"
    );
}

#[test]
fn zeros_noise_and_no_profile_end_in_nothing() {
    let mut fake = Fake::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).region(MAPPED, 2 << 20, None);
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    })
    .take(1 << 20)
    .collect();
    fake.put(MAPPED, &noise);
    let (verdict, said, _) = search(fake, &profiles());
    assert!(matches!(verdict, Verdict::Nothing), "{said:?}");
    assert_eq!(said.len(), ORDER.len(), "every method says something: {said:?}");
    let mut fake = Fake::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).game(HEAP, AsOnBus);
    assert!(matches!(search(fake, &[]).0, Verdict::Nothing));
}

#[test]
fn a_remembered_place_is_tried_first_but_must_prove_itself() {
    let mut fake = Fake::new();
    fake.region(MAPPED, 2 << 20, None).game(MAPPED + 0x100, SwappedWords);
    let places = vec![
        Place { base: HostAddr(MAPPED + 0x8000), order: Some(SwappedWords), len: None },
        Place { base: HostAddr(0x10), order: Some(SwappedWords), len: None },
        Place { base: HostAddr(MAPPED + 0x100), order: Some(SwappedWords), len: None },
    ];
    let (verdict, said, fake) = search_with(fake, &profiles(), places.clone());
    assert_eq!(found(&verdict).0, Method::Remembered, "{said:?}");
    assert!(*fake.read.lock().unwrap() < 100 * RAM as u64, "nothing was searched");
    let mut fake = Fake::new();
    fake.region(MAPPED, 2 << 20, None).game(MAPPED + 0x200, SwappedWords);
    let (verdict, said, _) = search_with(fake, &profiles(), places);
    assert_eq!(found(&verdict).0, Method::ContentAnchor, "{said:?}");
}

#[test]
fn pools_alone_are_found_by_their_structure() {
    let mut profile = profile();
    profile.anchors = vec![Anchor::Pools];
    for order in StorageOrder::OF_16_BIT_BUS {
        for offset in [0x100, 0x7_F5A2, 0x13_1716] {
            let mut fake = Fake::new();
            fake.region(MAPPED, 2 << 20, None).game(MAPPED + offset, order);
            let (verdict, said, _) = search(fake, &[Arc::new(profile.clone())]);
            assert_eq!(
                found(&verdict),
                (Method::ContentAnchor, HostAddr(MAPPED + offset), order),
                "{said:?}"
            );
        }
    }
}

#[test]
fn fixed_bytes_at_an_odd_address_are_found_in_both_orders() {
    let mut profile = profile();
    let ram = game_ram();
    profile.anchors =
        vec![Anchor::Bytes { address: ConsoleAddr(0xFF_AD01), bytes: ram[0xAD01..0xAD20].to_vec() }];
    for order in StorageOrder::OF_16_BIT_BUS {
        let mut fake = Fake::new();
        fake.region(MAPPED, 2 << 20, None).game(MAPPED + 0x5_5552, order);
        let (verdict, said, _) = search(fake, &[Arc::new(profile.clone())]);
        assert_eq!(found(&verdict), (Method::ContentAnchor, HostAddr(MAPPED + 0x5_5552), order), "{said:?}");
    }
}

#[test]
fn of_two_profiles_of_one_game_the_one_that_explains_more_is_meant() {
    let mut arcade = profile();
    arcade.id = "puyo-tsu-arcade".into();
    arcade.console = ConsoleId::SystemC2;
    arcade.anchors = vec![Anchor::Pools];
    let both = [Arc::new(arcade), Arc::new(profile())];
    let chosen = |ram: &[u8]| {
        let mut fake = Fake::new();
        fake.region(MAPPED, 2 << 20, None).game(MAPPED + 0x40, SwappedWords);
        let mut stored = ram.to_vec();
        SwappedWords.reorder(&mut stored);
        fake.put(MAPPED + 0x40, &stored);
        match search(fake, &both).0 {
            Verdict::Found(candidate, _) => candidate.profile.id.clone(),
            _ => panic!("not found"),
        }
    };
    let mut ram = game_ram();
    assert_eq!(chosen(&ram), "puyo-tsu-genesis");
    ram[0x4800..0x4E00].fill(0);
    assert_eq!(chosen(&ram), "puyo-tsu-arcade");
}

#[test]
fn a_budget_that_runs_out_is_said() {
    let mut fake = Fake::new();
    for number in 0..8 {
        fake.region(MAPPED + number * 0x1000_0000, 1 << 20, None);
    }
    let fake = Arc::new(fake);
    let profiles = profiles();
    let budget = Budget { bytes: 3 << 20, time: Duration::from_secs(5) };
    let mut search = Search::new(Ground { budget, ..fake.ground(&profiles) });
    assert!(matches!(search.run(), Verdict::Nothing));
    let last = &search.attempts.last().unwrap().said;
    assert!(last.contains("3 MiB of memory (5 MiB more were left out"), "{last}");
}

#[test]
fn devices_and_read_only_memory_are_left_alone() {
    let mut fake = Fake::new();
    fake.region(MAPPED, 1 << 20, Some("/dev/dri/card0")).region(MAPPED + 0x1000_0000, 1 << 20, None);
    fake.regions[1].writable = false;
    fake.game(MAPPED, AsOnBus).game(MAPPED + 0x1000_0000, AsOnBus);
    let (verdict, _, fake) = search(fake, &profiles());
    assert!(matches!(verdict, Verdict::Nothing));
    assert_eq!(*fake.read.lock().unwrap(), 0);
}
