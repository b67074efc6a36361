//! The search for a Nintendo DS's main RAM in fake processes.

use super::super::test_fixtures::{
    FakeProcess, MODULE, game_ram, search, search_changed, search_with, windows_module,
};
use super::tests::found;
use super::*;
use nextscope_games::profile::built_in_profiles;
use nextscope_memory::console::StorageOrder;
use nextscope_memory::console::nds_header::crc16;

const MAPPED: u64 = 0x7F00_0000_0000;
const RAM: u64 = 0x40_0000;
const COPY: u64 = 0x3F_FE00;
/// `frame_counter` of the profile.
const FRAMES: u64 = 0x3F_FC3C;
/// In the header below: the program's offset on the cartridge, its offset in RAM, its entry point.
const ON_CARTRIDGE: u64 = 0x4000;
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
    built_in_profiles().into_iter().map(Arc::new).collect::<Vec<_>>()
}

/// A cartridge header as GBATEK describes it, with valid checksums.
fn header() -> [u8; 0x160] {
    let mut header = [0; 0x160];
    header[..12].copy_from_slice(b"TEST 20TH\0\0\0");
    header[0x0C..0x10].copy_from_slice(b"TP4J");
    for (at, value) in
        [(0x20, ON_CARTRIDGE), (0x24, 0x0200_0000 + ENTRY), (0x28, 0x0200_0000 + LOADED), (0x2C, 0x2000)]
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

/// The game's main RAM, not running.
fn stopped_ram(fake: &mut FakeProcess, base: u64) {
    fake.put(base + COPY, &header()).put(base + LOADED + ENTRY, &PROGRAM);
}

fn game(fake: &mut FakeProcess, base: u64) {
    stopped_ram(fake, base);
    fake.counters.push(HostAddr(base + FRAMES));
}

/// The game file.
fn cartridge(fake: &mut FakeProcess, at: u64) {
    fake.put(at, &header()).put(at + ON_CARTRIDGE + ENTRY - LOADED, &PROGRAM);
}

fn by_content_at(base: u64) -> (DetectionMethod, HostAddr, StorageOrder) {
    (DetectionMethod::ContentAnchor, HostAddr(base), StorageOrder::AsOnBus)
}

#[test]
fn the_copy_of_the_header_locates_ram_at_any_address() {
    for base in [MAPPED, MAPPED + 0x10, MAPPED + 0xB_5740, MAPPED + 0x20_0000] {
        let mut fake = FakeProcess::new();
        fake.region(MAPPED, 6 << 20, None);
        game(&mut fake, base);
        let (outcome, messages, _) = search(fake, &profiles());
        assert_eq!(found(&outcome), by_content_at(base), "{messages:?}");
    }
}

#[test]
fn a_game_file_in_memory_is_not_ram_whatever_is_before_it() {
    let with_cartridge = |running: bool| {
        let mut fake = FakeProcess::new();
        fake.region(MAPPED, 16 << 20, None).region(MAPPED + 0x1000_0000, 1 << 20, None);
        // Nonzero bytes where the program of RAM before the first file would be.
        cartridge(&mut fake, MAPPED + 0x50_0000);
        fake.put(MAPPED + 0x50_0000 - COPY + ENTRY, &[0x5A; 64]);
        cartridge(&mut fake, MAPPED + 0x1000_0100); // nothing before this one
        if running {
            game(&mut fake, MAPPED + 0x90_0000);
        } else {
            stopped_ram(&mut fake, MAPPED + 0x90_0000);
        }
        search(fake, &profiles())
    };
    let (outcome, messages, _) = with_cartridge(true);
    assert_eq!(found(&outcome), by_content_at(MAPPED + 0x90_0000), "{messages:?}");
    assert!(
        messages.iter().any(|message| message.contains("1 location looks like the game, 3 occurrences")),
        "{messages:?}"
    );
    let (outcome, messages, _) = with_cartridge(false);
    let SearchOutcome::Paused(candidate) = outcome else { panic!("{messages:?}") };
    assert_eq!(candidate.ram.base, HostAddr(MAPPED + 0x90_0000));
}

#[test]
fn a_game_file_alone_is_no_game() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 16 << 20, None);
    cartridge(&mut fake, MAPPED + 0x50_0000);
    let (outcome, messages, _) = search(fake, &profiles());
    assert!(matches!(outcome, SearchOutcome::Nothing), "{messages:?}");
}

#[test]
fn a_header_with_a_wrong_checksum_another_code_or_no_program_is_rejected() {
    let nothing = |change: fn(&mut FakeProcess)| {
        let mut fake = FakeProcess::new();
        fake.region(MAPPED, 6 << 20, None);
        game(&mut fake, MAPPED + 0x1000);
        change(&mut fake);
        let (outcome, messages, _) = search(fake, &profiles());
        assert!(matches!(outcome, SearchOutcome::Nothing), "{messages:?}");
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
fn a_header_overwritten_with_homebrew_arguments_is_found() {
    // As DeSmuME writes them: magic, address, length.
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 6 << 20, None);
    game(&mut fake, MAPPED + 0x1000);
    fake.put(MAPPED + 0x1000 + COPY + 0x70, &[0x67, 0x72, 0x61, 0x5F, 0, 0, 0x7E, 0x02, 0x0E, 0, 0, 0]);
    let (outcome, messages, _) = search(fake, &profiles());
    assert_eq!(found(&outcome), by_content_at(MAPPED + 0x1000), "{messages:?}");
}

#[test]
fn ram_that_runs_past_its_mapping_is_rejected() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, usize::try_from(RAM).unwrap() - 0x10, None);
    game(&mut fake, MAPPED);
    assert!(matches!(search(fake, &profiles()).0, SearchOutcome::Nothing));
}

/// melonDS: one long view of a shared file and a short one in front of it, whose first page is read-only.
fn melonds() -> FakeProcess {
    let path = Some("/dev/shm/melondsfastmem77 (deleted)");
    let mut fake = FakeProcess::new();
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
fn the_named_mapping_of_melonds_is_one_location_in_its_longest_view() {
    let (outcome, messages, _) = search(melonds(), &profiles());
    let expected = (DetectionMethod::NamedMapping, HostAddr(MAPPED + 0x1000_0000), StorageOrder::AsOnBus);
    assert_eq!(found(&outcome), expected, "{messages:?}");
    let (outcome, messages, _) =
        search_changed(melonds(), &profiles(), |context| context.without = &[DetectionMethod::NamedMapping]);
    assert_eq!(found(&outcome), by_content_at(MAPPED + 0x1000_0000), "{messages:?}");
}

#[test]
fn the_variable_that_a_module_exports_locates_ram() {
    let base = MODULE + 0x2010 + 0xC000;
    let with = |name: &str, symbol: &str| {
        let mut fake = FakeProcess::new();
        fake.region(MODULE, 6 << 20, Some(name)).put(MODULE, &windows_module(&[(symbol, 0x2010)]).bytes);
        game(&mut fake, base);
        let (outcome, messages, _) = search(fake, &profiles());
        (found(&outcome), messages)
    };
    let by_symbol = (DetectionMethod::ExportedSymbol, HostAddr(base), StorageOrder::AsOnBus);
    assert_eq!(with("/usr/lib/libdesmume.so", "MMU").0, by_symbol);
    let (by_content, messages) = with("/usr/lib/libdesmume.so", "MMU_other");
    assert_eq!(by_content, by_content_at(base));
    assert!(
        messages.iter().any(|message| message.contains("libdesmume.so does not export MMU")),
        "{messages:?}"
    );
    assert_eq!(with("/usr/lib/libother.so", "MMU").0, by_content_at(base));
}

#[test]
fn a_block_of_four_mebibytes_with_its_own_mapping_is_found() {
    let mut fake = FakeProcess::new();
    fake.region(MAPPED, 0x40_1000, None).put(MAPPED + 8, &0x40_1002_u64.to_le_bytes());
    game(&mut fake, MAPPED + 0x10);
    let (outcome, messages, _) = search(fake, &profiles());
    let expected = (DetectionMethod::MallocChunk, HostAddr(MAPPED + 0x10), StorageOrder::AsOnBus);
    assert_eq!(found(&outcome), expected, "{messages:?}");
}

#[test]
fn a_location_of_known_length_is_read_for_consoles_of_that_length_only() {
    let remembered = |len: Option<u32>| {
        let mut fake = FakeProcess::new();
        fake.region(MAPPED, 6 << 20, None);
        let mut ram = game_ram();
        StorageOrder::SwappedWords.reorder(&mut ram);
        fake.put(MAPPED, &ram);
        let location = RamLocation { base: HostAddr(MAPPED), order: None, len };
        let (_, _, fake) = search_with(fake, &profiles(), vec![location]);
        *fake.read.lock().unwrap()
    };
    // The content search costs the same; the difference is the reads at the location.
    let (of_nds, of_any) = (remembered(Some(0x40_0000)), remembered(None));
    assert!(of_any - of_nds >= 0x2_0000, "{of_nds} {of_any}");
}
