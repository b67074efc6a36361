use super::super::test_fixtures::{
    FakeProcess, Live, RAM, game_ram, profile, search, search_changed, search_with,
};
use super::*;
use StorageOrder::{AsOnBus, SwappedWords};
use nextscope_games::profile::Anchor;
use nextscope_memory::console::{ConsoleAddr, ConsoleId, StorageOrder};

const HEAP: u64 = 0x5555_0000_0000;
const MAPPED: u64 = 0x7F00_0000_0000;
const HEAP_LEN: usize = 4 << 20;

fn profiles() -> [Arc<Profile>; 1] {
    [Arc::new(profile())]
}

pub(super) fn found(outcome: &SearchOutcome) -> (DetectionMethod, HostAddr, StorageOrder) {
    match outcome {
        SearchOutcome::Found(candidate, _) => (candidate.method, candidate.ram.base, candidate.ram.order),
        SearchOutcome::Paused(candidate) => panic!("paused at {}", candidate.ram.base),
        SearchOutcome::Ambiguous(locations) => panic!("ambiguous: {} locations", locations.len()),
        SearchOutcome::Nothing => panic!("nothing found"),
        SearchOutcome::Failed(error) => panic!("{error}"),
    }
}

/// Writes the size word of a 64 KiB heap block and returns the block's address.
fn block(fake: &mut FakeProcess, at: u64) -> u64 {
    fake.put(at + 8, &0x1_0011_u64.to_le_bytes());
    at + 16
}

#[test]
fn a_heap_block_of_the_right_size_is_found_in_both_orders() {
    for order in StorageOrder::OF_16_BIT_BUS {
        let mut fake = FakeProcess::new();
        fake.region(HEAP, HEAP_LEN, Some("[heap]"));
        let base = block(&mut fake, HEAP + 0xA_B5D0);
        fake.game(base, order);
        let (outcome, messages, _) = search(fake, &profiles());
        assert_eq!(found(&outcome), (DetectionMethod::MallocChunk, HostAddr(base), order), "{messages:?}");
    }
}

#[test]
fn a_heap_block_of_a_windows_program_is_found_except_soon_after_a_search_without_result() {
    for wait in [None, Some("later".to_owned())] {
        let mut fake = FakeProcess::new();
        fake.region(HEAP, 0x1000, Some("/wine/ntdll.dll")).region(HEAP + 0x10_0000, HEAP_LEN, None);
        // Wine's signature of a heap, and the header of a block of 64 KiB.
        let base = HEAP + 0x14_0000;
        fake.put(HEAP + 0x10_0010, &0xFFEE_FFEE_u32.to_le_bytes());
        fake.put(base - 8, &[0x01, 0x10, 8, 0, 4, 0, b'u', 0]);
        fake.game(base, AsOnBus);
        let (outcome, messages, _) =
            search_changed(fake, &profiles(), |context| context.skip_content.clone_from(&wait));
        if wait.is_none() {
            assert_eq!(
                found(&outcome),
                (DetectionMethod::MallocChunk, HostAddr(base), AsOnBus),
                "{messages:?}"
            );
        } else {
            assert!(matches!(outcome, SearchOutcome::Nothing));
            assert!(messages.contains(&"heap block of the right size: later".to_owned()), "{messages:?}");
        }
    }
}

#[test]
fn blocks_of_the_right_size_with_other_content_are_rejected() {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]"));
    for number in 0..20 {
        let base = block(&mut fake, HEAP + number * 0x1_0010);
        fake.put(base + 0x4AF8, b"COMPILE!");
    }
    // The text at the right offsets, but blocks with wrong checksums.
    let base = block(&mut fake, HEAP + 21 * 0x1_0010);
    let mut ram = game_ram();
    ram[0x4900] ^= 1;
    ram[0xAD80] ^= 1;
    fake.put(base, &ram);
    let (outcome, messages, _) = search(fake, &profiles());
    assert!(matches!(outcome, SearchOutcome::Nothing), "{messages:?}");
    assert!(
        messages.iter().any(|message| message.contains("21 blocks") && message.contains("no known game")),
        "{messages:?}"
    );
}

#[test]
fn content_is_found_at_unaligned_addresses_of_any_region_in_both_orders() {
    for (path, offset) in
        [(None, 0x1234_u64), (Some("/usr/lib/core.so"), 0x2), (Some("/memfd:guest (deleted)"), 0xF_FFFE)]
    {
        for order in StorageOrder::OF_16_BIT_BUS {
            let mut fake = FakeProcess::new();
            fake.region(MAPPED, 2 << 20, path);
            fake.game(MAPPED + offset, order);
            let (outcome, messages, _) = search(fake, &profiles());
            assert_eq!(
                found(&outcome),
                (DetectionMethod::ContentAnchor, HostAddr(MAPPED + offset), order),
                "{messages:?}"
            );
        }
    }
}

#[test]
fn text_across_a_piece_boundary_is_found() {
    // Pieces are 512 KiB long; the texts are at 0x4AF8 and 0x4DF8 in RAM.
    for text in [0x4AF8, 0x4DF8] {
        for into in 1..8 {
            let base = MAPPED + 0x8_0000 - text - into;
            if base % 2 == 1 {
                continue; // RAM is at even addresses
            }
            let mut fake = FakeProcess::new();
            fake.region(MAPPED, 2 << 20, None);
            fake.game(base, SwappedWords);
            let (outcome, messages, _) = search(fake, &profiles());
            assert_eq!(found(&outcome).1, HostAddr(base), "{messages:?}");
        }
    }
}

#[test]
fn stopped_copies_are_distinguished_from_live_ram() {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).region(MAPPED, 2 << 20, None);
    let saved = block(&mut fake, HEAP + 0x1000);
    fake.stopped_game(saved, SwappedWords);
    fake.stopped_game(MAPPED + 0x2_0040, SwappedWords).stopped_game(MAPPED + 0x4_0080, AsOnBus);
    fake.game(MAPPED + 0x6_00C0, SwappedWords);
    let (outcome, messages, _) = search(fake, &profiles());
    assert_eq!(
        found(&outcome),
        (DetectionMethod::ContentAnchor, HostAddr(MAPPED + 0x6_00C0), SwappedWords),
        "{messages:?}"
    );
    assert!(
        messages.iter().any(|message| message.contains("heap") && message.contains("nothing there changes")),
        "{messages:?}"
    );
}

#[test]
fn a_rewind_buffer_is_not_mistaken_for_ram() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 2 << 20, None);
    fake.game(MAPPED + 0x2_0000, SwappedWords).stopped_game(MAPPED + 0x8_0000, SwappedWords);
    fake.live.push(Live { base: HostAddr(MAPPED + 0x8_0000), order: SwappedWords, frame_ms: 48 });
    let (outcome, messages, _) = search(fake, &profiles());
    assert_eq!(found(&outcome).1, HostAddr(MAPPED + 0x2_0000), "{messages:?}");
}

#[test]
fn two_live_locations_are_ambiguous() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 2 << 20, None);
    fake.game(MAPPED + 0x2_0000, SwappedWords).game(MAPPED + 0x8_0000, SwappedWords);
    let (outcome, messages, _) = search(fake, &profiles());
    let SearchOutcome::Ambiguous(locations) = outcome else { panic!("{messages:?}") };
    assert_eq!(locations.len(), 2);
    assert!(locations.iter().all(|(_, change)| change.is_some()));
}

#[test]
fn views_of_the_same_shared_memory_are_one_location() {
    let mut fake = FakeProcess::new();
    for start in [MAPPED, MAPPED + 0x1000_0000] {
        fake.region(start, 1 << 20, Some("/dev/shm/fastmem77 (deleted)"));
        fake.game(start + 0x3_0000, AsOnBus);
    }
    for region in &mut fake.regions {
        (region.inode, region.device) = (4711, "00:05".into());
    }
    let (outcome, messages, _) = search(fake, &profiles());
    assert_eq!(found(&outcome).1, HostAddr(MAPPED + 0x3_0000), "{messages:?}");
}

#[test]
fn private_mappings_of_the_same_file_are_two_locations() {
    let mut fake = FakeProcess::new();
    for start in [MAPPED, MAPPED + 0x1000_0000] {
        fake.region(start, 1 << 20, Some("/usr/lib/core.data"));
        fake.game(start + 0x3_0000, AsOnBus);
    }
    for region in &mut fake.regions {
        (region.inode, region.device) = (4711, "00:05".into());
    }
    let (outcome, messages, _) = search(fake, &profiles());
    assert!(matches!(outcome, SearchOutcome::Ambiguous(locations) if locations.len() == 2), "{messages:?}");
}

#[test]
fn a_region_that_vanishes_while_it_is_read_is_skipped() {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).region(MAPPED, 1 << 20, None).region(
        MAPPED + 0x1000_0000,
        1 << 20,
        None,
    );
    fake.game(MAPPED + 0x1000_0000 + 0x240, SwappedWords);
    fake.vanished = vec![HostAddr(HEAP), HostAddr(MAPPED)];
    let (outcome, messages, _) = search(fake, &profiles());
    assert_eq!(found(&outcome).1, HostAddr(MAPPED + 0x1000_0000 + 0x240), "{messages:?}");
}

#[test]
fn a_process_that_ends_is_an_error() {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]"));
    fake.ends_at = Some(4096);
    let (outcome, _, _) = search(fake, &profiles());
    assert!(matches!(outcome, SearchOutcome::Failed(ReadError::Gone { .. })));
}

#[test]
fn a_stopped_game_is_paused_and_two_of_them_are_ambiguous() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 2 << 20, None).stopped_game(MAPPED + 0x100, SwappedWords);
    let (outcome, messages, _) = search(fake, &profiles());
    assert!(matches!(outcome, SearchOutcome::Paused(_)), "{messages:?}");
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 2 << 20, None);
    fake.stopped_game(MAPPED + 0x100, SwappedWords).stopped_game(MAPPED + 0x8_0000, SwappedWords);
    let (outcome, messages, _) = search(fake, &profiles());
    assert!(matches!(outcome, SearchOutcome::Ambiguous(locations) if locations.len() == 2), "{messages:?}");
}

#[test]
fn of_several_paused_candidates_the_most_trusted_method_wins() {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).region(MAPPED, 2 << 20, None);
    let base = block(&mut fake, HEAP + 0x1000);
    fake.stopped_game(base, SwappedWords).stopped_game(MAPPED + 0x100, SwappedWords);
    let (outcome, messages, _) = search(fake, &profiles());
    assert!(
        matches!(&outcome, SearchOutcome::Paused(candidate) if candidate.ram.base == HostAddr(base)),
        "{messages:?}"
    );
}

#[test]
fn nothing_is_found_in_zeros_in_noise_or_without_profiles() {
    let mut fake = FakeProcess::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).region(MAPPED, 2 << 20, None);
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    })
    .take(1 << 20)
    .collect();
    fake.put(MAPPED, &noise);
    let (outcome, messages, _) = search(fake, &profiles());
    assert!(matches!(outcome, SearchOutcome::Nothing), "{messages:?}");
    assert_eq!(messages.len(), ORDER.len(), "every method reports something: {messages:?}");
    let mut fake = FakeProcess::new();
    fake.region(HEAP, HEAP_LEN, Some("[heap]")).game(HEAP, AsOnBus);
    assert!(matches!(search(fake, &[]).0, SearchOutcome::Nothing));
}

#[test]
fn a_remembered_location_is_tried_first_and_verified() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 2 << 20, None).game(MAPPED + 0x100, SwappedWords);
    let locations = vec![
        RamLocation { base: HostAddr(MAPPED + 0x8000), order: Some(SwappedWords), len: None },
        RamLocation { base: HostAddr(0x10), order: Some(SwappedWords), len: None },
        RamLocation { base: HostAddr(MAPPED + 0x100), order: Some(SwappedWords), len: None },
    ];
    let (outcome, messages, fake) = search_with(fake, &profiles(), locations.clone());
    assert_eq!(found(&outcome).0, DetectionMethod::Remembered, "{messages:?}");
    assert!(*fake.read.lock().unwrap() < 100 * RAM as u64, "nothing was searched");
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 2 << 20, None).game(MAPPED + 0x200, SwappedWords);
    let (outcome, messages, _) = search_with(fake, &profiles(), locations);
    assert_eq!(found(&outcome).0, DetectionMethod::ContentAnchor, "{messages:?}");
}

#[test]
fn pools_alone_are_found_by_their_structure() {
    let mut profile = profile();
    profile.anchors = vec![Anchor::Pools];
    for order in StorageOrder::OF_16_BIT_BUS {
        for offset in [0x100, 0x7_F5A2, 0x13_1716] {
            let mut fake = FakeProcess::new();
            fake.region(MAPPED, 2 << 20, None).game(MAPPED + offset, order);
            let (outcome, messages, _) = search(fake, &[Arc::new(profile.clone())]);
            assert_eq!(
                found(&outcome),
                (DetectionMethod::ContentAnchor, HostAddr(MAPPED + offset), order),
                "{messages:?}"
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
        let mut fake = FakeProcess::new();
        fake.region(MAPPED, 2 << 20, None).game(MAPPED + 0x5_5552, order);
        let (outcome, messages, _) = search(fake, &[Arc::new(profile.clone())]);
        assert_eq!(
            found(&outcome),
            (DetectionMethod::ContentAnchor, HostAddr(MAPPED + 0x5_5552), order),
            "{messages:?}"
        );
    }
}

/// A compiler or an editor with our sources in memory.
#[test]
fn fixed_bytes_in_the_memory_of_another_program_are_not_ram() {
    let profiles: Vec<Arc<Profile>> = nextscope_games::profile::built_in_profiles()
        .into_iter()
        .filter(|profile| profile.game.anchors().beside_bytes.is_some())
        .map(Arc::new)
        .collect();
    assert!(!profiles.is_empty());
    for profile in &profiles {
        for anchor in &profile.anchors {
            let Anchor::Bytes { bytes, .. } = anchor else { continue };
            for around in [0, b' ', b'e', 0xFF] {
                let mut fake = FakeProcess::new();
                fake.region(HEAP, HEAP_LEN, Some("[heap]")).put(HEAP, &vec![around; HEAP_LEN]);
                fake.put(HEAP + 0x10_0000, bytes);
                let (outcome, messages, _) = search(fake, std::slice::from_ref(profile));
                assert!(matches!(outcome, SearchOutcome::Nothing), "{around:#X}: {messages:?}");
                assert!(
                    messages.iter().any(|message| message.contains("looks like the game")),
                    "{messages:?}"
                );
            }
        }
    }
}

#[test]
fn of_two_profiles_of_one_game_the_one_with_more_matches_is_chosen() {
    let mut arcade = profile();
    arcade.id = "puyo-tsu-arcade".into();
    arcade.console = ConsoleId::SystemC2;
    arcade.anchors = vec![Anchor::Pools];
    let both = [Arc::new(arcade), Arc::new(profile())];
    let chosen = |ram: &[u8]| {
        let mut fake = FakeProcess::new();
        fake.region(MAPPED, 2 << 20, None).game(MAPPED + 0x40, SwappedWords);
        let mut stored = ram.to_vec();
        SwappedWords.reorder(&mut stored);
        fake.put(MAPPED + 0x40, &stored);
        match search(fake, &both).0 {
            SearchOutcome::Found(candidate, _) => candidate.profile.id.clone(),
            _ => panic!("not found"),
        }
    };
    let mut ram = game_ram();
    assert_eq!(chosen(&ram), "puyo-tsu-genesis");
    ram[0x4800..0x4E00].fill(0);
    assert_eq!(chosen(&ram), "puyo-tsu-arcade");
}

#[test]
fn an_exhausted_budget_is_reported() {
    let mut fake = FakeProcess::new();
    for number in 0..8 {
        fake.region(MAPPED + number * 0x1000_0000, 1 << 20, None);
    }
    let fake = Arc::new(fake);
    let profiles = profiles();
    let budget = Budget { bytes: 3 << 20, time: Duration::from_secs(5) };
    let mut search = Search::new(SearchContext { budget, ..fake.context(&profiles) });
    assert!(matches!(search.run(), SearchOutcome::Nothing));
    let last = &search.attempts.last().unwrap().message;
    assert!(last.contains("3 MiB of memory (5 MiB skipped"), "{last}");
    assert!(!search.timed_out);
}

#[test]
fn on_a_slow_computer_the_next_search_may_take_longer() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 1 << 20, None);
    let fake = Arc::new(fake);
    let profiles = profiles();
    let budget = Budget { time: Duration::ZERO, ..Budget::UNKNOWN };
    let mut search = Search::new(SearchContext { budget, ..fake.context(&profiles) });
    assert!(matches!(search.run(), SearchOutcome::Nothing));
    assert!(search.timed_out);
    let budgets = std::iter::successors(Some(Budget::UNKNOWN), |budget| Some(budget.longer()));
    let times: Vec<u128> = budgets.take(5).map(|budget| budget.time.as_millis()).collect();
    assert_eq!(times, [250, 500, 1000, 2000, 2000]);
}

#[test]
fn devices_and_read_only_memory_are_not_read() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 1 << 20, Some("/dev/dri/card0")).region(MAPPED + 0x1000_0000, 1 << 20, None);
    fake.regions[1].writable = false;
    fake.game(MAPPED, AsOnBus).game(MAPPED + 0x1000_0000, AsOnBus);
    let (outcome, _, fake) = search(fake, &profiles());
    assert!(matches!(outcome, SearchOutcome::Nothing));
    assert_eq!(*fake.read.lock().unwrap(), 0);
}
