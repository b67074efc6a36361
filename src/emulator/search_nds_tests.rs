//! The search for a Nintendo DS's main RAM in invented processes.

use super::super::test_ground::{Fake, MODULE, game_ram, search, search_on, search_with, windows_module};
use super::tests::found;
use super::*;
use crate::console::StorageOrder;
use crate::console::nds_header::crc16;
use crate::profile::Library;

const MAPPED: u64 = 0x7F00_0000_0000;
const RAM: u64 = 0x40_0000;
const COPY: u64 = 0x3F_FE00;
/// `frame_counter` of the profile.
const FRAMES: u64 = 0x3F_FC3C;
/// In the header below: where the program stands on the card, where in RAM it is loaded to, where it begins.
const ON_CARD: u64 = 0x4000;
const LOADED: u64 = 0x0;
const ENTRY: u64 = 0x800;
/// 48 bytes of a program.
const PROGRAM: [u8; 48] = {
    let mut program = [0; 48];
    let mut at = 0;
    while at < 48 {
        program[at] = [0xDF, 0x00, 0xA0, 0xE3, 0x04, 0x10, 0x9F, 0xE5][at % 8];
        at += 1;
    }
    program
};

fn profiles() -> Vec<Arc<Profile>> {
    Library::built_in().profiles().to_vec()
}

/// The header of a card as GBATEK describes it, with right checksums.
fn header() -> [u8; 0x160] {
    let mut header = [0; 0x160];
    header[..12].copy_from_slice(b"TEST 20TH\0\0\0");
    header[0x0C..0x10].copy_from_slice(b"TP4J");
    for (at, value) in
        [(0x20, ON_CARD), (0x24, 0x0200_0000 + ENTRY), (0x28, 0x0200_0000 + LOADED), (0x2C, 0x2000)]
    {
        header[at..at + 4].copy_from_slice(&u32::try_from(value).unwrap().to_le_bytes());
    }
    for (at, byte) in (0..).zip(&mut header[0x70..0x80]) {
        *byte = at; // a list of libraries, which commercial games have there
    }
    for (at, byte) in (0..).zip(&mut header[0xC0..0x15C]) {
        *byte = 17_u8.wrapping_mul(at);
    }
    let logo = crc16(&header[0xC0..0x15C]);
    header[0x15C..0x15E].copy_from_slice(&logo.to_le_bytes());
    let all = crc16(&header[..0x15E]);
    header[0x15E..].copy_from_slice(&all.to_le_bytes());
    header
}

/// The game's main RAM, standing still.
fn copy_of_ram(fake: &mut Fake, base: u64) {
    fake.put(base + COPY, &header()).put(base + LOADED + ENTRY, &PROGRAM);
}

fn game(fake: &mut Fake, base: u64) {
    copy_of_ram(fake, base);
    fake.counters.push(HostAddr(base + FRAMES));
}

/// The card's file.
fn card(fake: &mut Fake, at: u64) {
    fake.put(at, &header()).put(at + ON_CARD + ENTRY - LOADED, &PROGRAM);
}

fn place(base: u64) -> (Method, HostAddr, StorageOrder) {
    (Method::ContentAnchor, HostAddr(base), StorageOrder::AsOnBus)
}

#[test]
fn the_copy_of_the_header_leads_to_ram_at_any_place() {
    for base in [MAPPED, MAPPED + 0x10, MAPPED + 0xB_5740, MAPPED + 0x20_0000] {
        let mut fake = Fake::new();
        fake.region(MAPPED, 6 << 20, None);
        game(&mut fake, base);
        let (verdict, said, _) = search(fake, &profiles());
        assert_eq!(found(&verdict), place(base), "{said:?}");
    }
}

#[test]
fn a_card_in_memory_is_not_ram_whatever_stands_in_front_of_it() {
    let with_card = |running: bool| {
        let mut fake = Fake::new();
        fake.region(MAPPED, 16 << 20, None).region(MAPPED + 0x1000_0000, 1 << 20, None);
        // Where the program of the RAM in front of the first card would be, something stands.
        card(&mut fake, MAPPED + 0x50_0000);
        fake.put(MAPPED + 0x50_0000 - COPY + ENTRY, &[0x5A; 64]);
        card(&mut fake, MAPPED + 0x1000_0100); // nothing in front of this one
        if running {
            game(&mut fake, MAPPED + 0x90_0000);
        } else {
            copy_of_ram(&mut fake, MAPPED + 0x90_0000);
        }
        search(fake, &profiles())
    };
    let (verdict, said, _) = with_card(true);
    assert_eq!(found(&verdict), place(MAPPED + 0x90_0000), "{said:?}");
    assert!(said.iter().any(|said| said.contains("1 place looks like the game, 3 occurrences")), "{said:?}");
    let (verdict, said, _) = with_card(false);
    let Verdict::Paused(candidate) = verdict else { panic!("{said:?}") };
    assert_eq!(candidate.ram.base, HostAddr(MAPPED + 0x90_0000));
}

#[test]
fn a_card_alone_is_no_game() {
    let mut fake = Fake::new();
    fake.region(MAPPED, 16 << 20, None);
    card(&mut fake, MAPPED + 0x50_0000);
    let (verdict, said, _) = search(fake, &profiles());
    assert!(matches!(verdict, Verdict::Nothing), "{said:?}");
}

#[test]
fn a_header_with_a_wrong_checksum_another_code_or_no_program_does_not_count() {
    let nothing = |change: fn(&mut Fake)| {
        let mut fake = Fake::new();
        fake.region(MAPPED, 6 << 20, None);
        game(&mut fake, MAPPED + 0x1000);
        change(&mut fake);
        let (verdict, said, _) = search(fake, &profiles());
        assert!(matches!(verdict, Verdict::Nothing), "{said:?}");
    };
    nothing(|fake| {
        fake.put(MAPPED + 0x1000 + COPY + 0x30, &[1]);
    });
    nothing(|fake| {
        fake.put(MAPPED + 0x1000 + COPY + 0xD0, &[0xFF]);
    });
    nothing(|fake| {
        fake.put(MAPPED + 0x1000 + COPY + 0x0F, b"E");
    });
    nothing(|fake| {
        fake.put(MAPPED + 0x1000 + ENTRY, &[0; 4]);
    });
}

#[test]
fn arguments_of_homebrew_over_the_header_do_not_hide_it() {
    // As DeSmuME leaves them: mark, address, length.
    let mut fake = Fake::new();
    fake.region(MAPPED, 6 << 20, None);
    game(&mut fake, MAPPED + 0x1000);
    fake.put(MAPPED + 0x1000 + COPY + 0x70, &[0x67, 0x72, 0x61, 0x5F, 0, 0, 0x7E, 0x02, 0x0E, 0, 0, 0]);
    let (verdict, said, _) = search(fake, &profiles());
    assert_eq!(found(&verdict), place(MAPPED + 0x1000), "{said:?}");
}

#[test]
fn ram_that_runs_past_its_mapping_does_not_count() {
    let mut fake = Fake::new();
    fake.region(MAPPED, usize::try_from(RAM).unwrap() - 0x10, None);
    game(&mut fake, MAPPED);
    assert!(matches!(search(fake, &profiles()).0, Verdict::Nothing));
}

/// melonDS: one long view of a shared file and a short one in front of it, whose first page is write-protected.
fn melonds() -> Fake {
    let path = Some("/dev/shm/melondsfastmem77 (deleted)");
    let mut fake = Fake::new();
    fake.region(MAPPED, 0x1000, path).region(MAPPED + 0x1000, 0x3F_F000, path);
    fake.region(MAPPED + 0x1000_0000, 0x10D_C000, path);
    for (region, offset) in fake.regions.iter_mut().zip([0, 0x1000, 0]) {
        (region.inode, region.device, region.file_offset) = (16, "00:1b".into(), offset);
    }
    fake.regions[0].writable = false;
    for view in [MAPPED, MAPPED + 0x1000_0000] {
        fake.put(view + COPY, &header()).put(view + ENTRY, &PROGRAM);
        fake.counters.push(HostAddr(view + FRAMES));
    }
    fake
}

#[test]
fn the_named_mapping_of_melonds_is_one_place_in_its_longest_view() {
    let (verdict, said, _) = search(melonds(), &profiles());
    let expected = (Method::NamedMapping, HostAddr(MAPPED + 0x1000_0000), StorageOrder::AsOnBus);
    assert_eq!(found(&verdict), expected, "{said:?}");
    let (verdict, said, _) =
        search_on(melonds(), &profiles(), |ground| ground.without = &[Method::NamedMapping]);
    assert_eq!(found(&verdict), place(MAPPED + 0x1000_0000), "{said:?}");
}

#[test]
fn the_variable_that_a_module_exports_leads_to_ram() {
    let base = MODULE + 0x2010 + 0xC000;
    let with = |name: &str, symbol: &str| {
        let mut fake = Fake::new();
        fake.region(MODULE, 6 << 20, Some(name)).put(MODULE, &windows_module(&[(symbol, 0x2010)]).bytes);
        game(&mut fake, base);
        let (verdict, said, _) = search(fake, &profiles());
        (found(&verdict), said)
    };
    let by_symbol = (Method::ExportedSymbol, HostAddr(base), StorageOrder::AsOnBus);
    assert_eq!(with("/usr/lib/libdesmume.so", "MMU").0, by_symbol);
    let (by_content, said) = with("/usr/lib/libdesmume.so", "MMU_other");
    assert_eq!(by_content, place(base));
    assert!(said.iter().any(|said| said.contains("libdesmume.so does not export MMU")), "{said:?}");
    assert_eq!(with("/usr/lib/libother.so", "MMU").0, place(base));
}

#[test]
fn a_block_of_four_mebibytes_with_a_mapping_of_its_own_is_found() {
    let mut fake = Fake::new();
    fake.region(MAPPED, 0x40_1000, None).put(MAPPED + 8, &0x40_1002_u64.to_le_bytes());
    game(&mut fake, MAPPED + 0x10);
    let (verdict, said, _) = search(fake, &profiles());
    let expected = (Method::MallocChunk, HostAddr(MAPPED + 0x10), StorageOrder::AsOnBus);
    assert_eq!(found(&verdict), expected, "{said:?}");
}

#[test]
fn a_place_of_known_length_is_read_for_consoles_of_that_length_only() {
    let remembered = |len: Option<u32>| {
        let mut fake = Fake::new();
        fake.region(MAPPED, 6 << 20, None);
        let mut ram = game_ram();
        StorageOrder::SwappedWords.reorder(&mut ram);
        fake.put(MAPPED, &ram);
        let place = Place { base: HostAddr(MAPPED), order: None, len };
        let (_, _, fake) = search_with(fake, &profiles(), vec![place]);
        *fake.read.lock().unwrap()
    };
    // The search of all memory costs the same; what is left is the look at the place.
    let (of_nds, of_any) = (remembered(Some(0x40_0000)), remembered(None));
    assert!(of_any - of_nds >= 0x2_0000, "{of_nds} {of_any}");
}
