use super::super::blocks;
use super::*;
use crate::locate::scan::Budget;
use crate::locate::test_fixtures::FakeProcess;

const BASE: u64 = 0x7F_0000_0000;
const LEN: u32 = 0x1_0000;

fn header(units: u16, unused: u16, distance: u16, kind: u8, flags: u8) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..2].copy_from_slice(&units.to_le_bytes());
    bytes[2..4].copy_from_slice(&unused.to_le_bytes());
    bytes[4..6].copy_from_slice(&distance.to_le_bytes());
    bytes[6..].copy_from_slice(&[kind, flags]);
    bytes
}

/// A part of a heap, of which `committed` bytes after its own header are in use.
fn part(width: Width, committed: u64) -> FakeProcess {
    let mut fake = FakeProcess::new();
    fake.region(BASE - 0x10_0000, 0x1000, Some("/wine/x86_64-windows/ntdll.dll")).region(BASE, 8 << 20, None);
    let (unit, pointer) = (width.unit() as u64, width.pointer());
    fake.put(BASE + 4 * unit - 8, &header(0x20, 8, 0, USED, 0));
    let lengths = if width == Width::Wide { 0x10 } else { 0x04 };
    fake.put(BASE + lengths + pointer as u64, &committed.to_le_bytes()[..pointer]);
    fake
}

fn found(fake: &FakeProcess) -> Vec<(u64, u32)> {
    let (found, _) = blocks(fake, &fake.regions, &[LEN, 4 << 20], Budget::KNOWN).unwrap();
    found.into_iter().map(|(block, len)| (block.0 - BASE, len)).collect()
}

/// The header of a block of [`LEN`].
fn right(width: Width) -> [u8; 8] {
    let units = u16::try_from(LEN as usize / width.unit() + 1).unwrap();
    header(units, u16::try_from(width.unit() - HEADER).unwrap(), 7, USED, 0)
}

#[test]
fn a_block_is_found_by_its_header_in_both_widths() {
    for width in Width::ALL {
        let mut fake = part(width, 0x40_0000);
        fake.put(BASE + 0x2_0000 - 8, &right(width)).put(BASE + 0x50_0000 - 8, &right(width));
        // The second one is past the end of what is in use.
        assert_eq!(found(&fake), [(0x2_0000, LEN)], "{width:?}");
    }
}

#[test]
fn a_block_behind_thousands_of_others_is_found() {
    for width in Width::ALL {
        let mut fake = part(width, 0x40_0000);
        for number in 0..3000 {
            fake.put(BASE + 0x1_0000 + 0x100 * number - 8, &header(2, 0, 1, USED, 0));
        }
        fake.put(BASE + 0x20_0000 - 8, &right(width));
        assert_eq!(found(&fake), [(0x20_0000, LEN)], "{width:?}");
    }
}

#[test]
fn the_first_allocation_of_a_heap_is_known_by_the_signature_of_windows() {
    for width in Width::ALL {
        let mut fake = FakeProcess::new();
        fake.region(BASE - 0x10_0000, 0x1000, Some("/wine/ntdll.dll")).region(BASE, 1 << 20, None);
        fake.put(BASE + 0x2_0000 - 8, &right(width));
        assert_eq!(found(&fake), []);
        fake.put(BASE + width.unit() as u64, &0xFFEE_FFEE_u32.to_le_bytes());
        assert_eq!(found(&fake), [(0x2_0000, LEN)], "{width:?}");
    }
}

#[test]
fn what_only_looks_like_a_header_is_not_one() {
    for width in Width::ALL {
        let [units, unused] = [
            u16::try_from(LEN as usize / width.unit() + 1).unwrap(),
            u16::try_from(width.unit() - HEADER).unwrap(),
        ];
        let wrong = [
            header(units, unused, 7, FREE, IS_FREE),
            header(units, unused, 7, USED, IS_FREE),
            header(units, unused + 1, 7, USED, 0),
            header(units - 1, unused, 7, USED, 0),
            header(0, unused, 7, USED, 0),
        ];
        for stored in wrong {
            let mut fake = part(width, 0x40_0000);
            fake.put(BASE + 0x2_0000 - 8, &stored);
            assert_eq!(found(&fake), [], "{width:?}: {stored:x?}");
        }
    }
}

#[test]
fn a_long_block_has_an_allocation_of_its_own() {
    for width in Width::ALL {
        let place = BASE + 0x1000_0000;
        let lengths = if width == Width::Wide { 0x20 } else { 0x0C };
        let block = 4 * width.unit() as u64;
        let with = |len: u64, region_len: usize| {
            let mut fake = part(width, 0x1000);
            fake.region(place, region_len, None);
            fake.put(place + lengths, &len.to_le_bytes()[..width.pointer()]);
            fake.put(place + block - 8, &header(0, 0, 0, LONG, 4));
            found(&fake)
        };
        assert_eq!(with(4 << 20, 5 << 20), [(place - BASE + block, 4 << 20)], "{width:?}");
        assert_eq!(with((4 << 20) + 1, 5 << 20), []);
        assert_eq!(with(4 << 20, 4 << 20), []);
    }
}
