use super::super::blocks;
use super::*;
use crate::locate::scan::Budget;
use crate::locate::test_fixtures::FakeProcess;

const BASE: u64 = 0x4000_0000;
const LEN: u32 = 0x1_0000;
const KEY: u64 = 0x0000_7BB5_17C5_3BB4;

/// A header as Windows stores it: of a block of that many units, with these flags and unused bytes.
fn header(units: u16, flags: u8, unused: u8, key: u64) -> [u8; 8] {
    let [low, high] = units.to_le_bytes();
    (u64::from_le_bytes([low, high, flags, low ^ high ^ flags, 0x12, 0x34, 0, unused]) ^ key).to_le_bytes()
}

fn put_number(fake: &mut FakeProcess, width: Width, at: u64, number: u64) {
    fake.put(at, &number.to_le_bytes()[..width.pointer()]);
}

fn heap_at(layout: &Layout) -> u64 {
    if layout.width == Width::Narrow { 0x18 } else { 0x28 }
}

/// A heap of one segment.
fn heap(layout: &Layout, key: u64) -> FakeProcess {
    let mut fake = FakeProcess::new();
    fake.region(BASE - 0x10_0000, 0x1000, Some("/windows/system32/ntdll.dll")).region(BASE, 8 << 20, None);
    fake.put(BASE + layout.width.unit() as u64, &0xFFEE_FFEE_u32.to_le_bytes());
    put_number(&mut fake, layout.width, BASE + heap_at(layout), BASE);
    put_number(&mut fake, layout.width, BASE + layout.last_entry as u64, BASE + (8 << 20));
    fake.put(BASE + layout.encoding, &key.to_le_bytes());
    fake
}

/// The blocks of [`LEN`] and of 4 MiB, from the beginning of the heap.
fn found(fake: &FakeProcess) -> Vec<(u64, u32)> {
    let (found, _) = blocks(fake, &fake.regions, &[LEN, 4 << 20], Budget::KNOWN).unwrap();
    found.into_iter().map(|(block, len)| (block.0 - BASE, len)).collect()
}

/// A block's length in units, with its header.
fn units(layout: &Layout, len: u32) -> u16 {
    u16::try_from(len as usize / layout.width.unit() + 1).unwrap()
}

fn unit_of(layout: &Layout) -> u8 {
    u8::try_from(layout.width.unit()).unwrap()
}

#[test]
fn a_block_is_found_by_its_header_in_both_widths_with_any_key() {
    for layout in &LAYOUTS {
        for key in [KEY, 0] {
            let mut fake = heap(layout, key);
            let stored = header(units(layout, LEN), BUSY, unit_of(layout), key);
            fake.put(BASE + 0x2_0000 - 8, &stored).put(BASE + 0x8_0000 - 8, &stored);
            assert_eq!(found(&fake), [(0x2_0000, LEN), (0x8_0000, LEN)], "{:?}, {key:#x}", layout.width);
        }
    }
}

#[test]
fn a_block_behind_thousands_of_others_is_found() {
    for layout in &LAYOUTS {
        let mut fake = heap(layout, KEY);
        for number in 0..3000 {
            fake.put(BASE + 0x1_0000 + 0x100 * number - 8, &header(2, BUSY, unit_of(layout), KEY));
        }
        fake.put(BASE + 0x20_0000 - 8, &header(units(layout, LEN), BUSY, unit_of(layout), KEY));
        assert_eq!(found(&fake), [(0x20_0000, LEN)], "{:?}", layout.width);
    }
}

#[test]
fn what_only_looks_like_a_header_is_not_one() {
    for layout in &LAYOUTS {
        let (units, unused) = (units(layout, LEN), unit_of(layout));
        let right = header(units, BUSY, unused, KEY);
        let mut wrong_sum = right;
        wrong_sum[3] ^= 1;
        let wrong = [
            wrong_sum,
            header(units, 0, unused, KEY),
            header(units + 1, BUSY, unused, KEY),
            header(units, BUSY, unused - 1, KEY),
            header(units, BUSY, unused | 0x80, KEY),
            header(units, BUSY, unused, KEY ^ 0x1_0000_0100),
        ];
        for stored in wrong {
            let mut fake = heap(layout, KEY);
            fake.put(BASE + 0x2_0000 - 8, &stored);
            assert_eq!(found(&fake), [], "{:?}: {stored:x?}", layout.width);
        }
        // At an address that is not aligned, at which it would not fit, or after the segment's end.
        let mut fake = heap(layout, KEY);
        fake.put(BASE + 0x2_0004 - 8, &right).put(BASE + (8 << 20) - 0x8000 - 8, &right);
        assert_eq!(found(&fake), []);
        fake.put(BASE + 0x20_0000 - 8, &right);
        assert_eq!(found(&fake), [(0x20_0000, LEN)]);
        put_number(&mut fake, layout.width, BASE + layout.last_entry as u64, BASE + 0x20_0000 - 8);
        assert_eq!(found(&fake), []);
    }
}

#[test]
fn a_long_block_has_an_allocation_of_its_own() {
    for layout in &LAYOUTS {
        let len = 4_u64 << 20;
        let place = BASE + 0x1000_0000;
        let with = |committed: u64, unused: u16| {
            let mut fake = heap(layout, KEY);
            fake.region(place, (4 << 20) + 0x1000, None);
            put_number(&mut fake, layout.width, place + layout.committed as u64, committed);
            let header = header(unused, BUSY | 8, 4, KEY);
            fake.put(place + (layout.virtual_len - HEADER) as u64, &header);
            found(&fake)
        };
        let block = place - BASE + layout.virtual_len as u64;
        assert_eq!(with(len + 0x1000, 0x1000), [(block, 4 << 20)], "{:?}", layout.width);
        assert_eq!(with(len + 0x1000, 0x0FC0), []);
        assert_eq!(with(0, 0x1000), []);
    }
}

#[test]
fn a_heap_that_points_nowhere_has_no_blocks() {
    for layout in &LAYOUTS {
        for pointer in [0, 1, BASE + (8 << 20) - 4, u64::MAX] {
            let mut fake = heap(layout, KEY);
            put_number(&mut fake, layout.width, BASE + heap_at(layout), pointer);
            fake.put(BASE + 0x2_0000 - 8, &header(units(layout, LEN), BUSY, unit_of(layout), KEY));
            assert_eq!(found(&fake), []);
        }
        // And one whose last entry is before its first.
        let mut fake = heap(layout, KEY);
        put_number(&mut fake, layout.width, BASE + layout.last_entry as u64, 1);
        assert_eq!(found(&fake), []);
    }
}
