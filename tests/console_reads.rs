//! Every read by console addresses compared with an oracle that works byte by byte and shares no code with
//! the library: it takes the Mega Drive's memory map and the storage orders from their definitions.

mod noise;

use nextscope::console::{ConsoleAddr, ConsoleId, Domain, Endian, Ram, ReadPlan, Snapshot, StorageOrder};
use nextscope::process::{ByteArray, HostAddr, Memory, ReadError};
use noise::noise;
use proptest::prelude::*;
use std::sync::Arc;

/// The console's view of stored bytes.
struct Oracle<'a> {
    stored: &'a [u8],
    order: StorageOrder,
    console: Console,
}

#[derive(Debug, Clone, Copy)]
enum Console {
    /// 64 KiB, big-endian, mapped at the last 2 MiB of 24-bit addresses.
    Genesis,
    /// A fictional little-endian one with 32-bit addresses: 16 KiB, mapped at 0x02000000-0x02FFFFFF.
    Little,
}

static LITTLE: Domain = Domain {
    name: "little",
    base: ConsoleAddr(0x0200_0000),
    len: 0x4000,
    address_bits: 32,
    window: (ConsoleAddr(0x0200_0000), ConsoleAddr(0x02FF_FFFF)),
    endian: Endian::Little,
    orders: &StorageOrder::ALL,
};

impl Console {
    fn domain(self) -> &'static Domain {
        match self {
            Self::Genesis => ConsoleId::Genesis.domain(),
            Self::Little => &LITTLE,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::Genesis => 65536,
            Self::Little => 16384,
        }
    }

    /// The offset in RAM that an address refers to.
    fn cell(self, addr: u32) -> Option<usize> {
        match self {
            Self::Genesis => {
                let on_bus = addr as usize % 16_777_216;
                (on_bus >= 14 * 1_048_576).then_some(on_bus % 65536)
            }
            Self::Little => (addr / 0x0100_0000 == 2).then_some(addr as usize % 16384),
        }
    }
}

impl Oracle<'_> {
    /// The bytes that the console reads from `addr` on; None where it has no such RAM.
    fn bytes(&self, addr: u32, len: usize) -> Option<Vec<u8>> {
        let first = self.console.cell(addr)?;
        let mut bytes = Vec::new();
        for index in 0..len {
            let cell = first + index;
            if cell >= self.console.size() {
                return None;
            }
            // Where the byte is counted from the other end of its word.
            let word = match self.order {
                StorageOrder::AsOnBus => 1,
                StorageOrder::SwappedWords => 2,
                StorageOrder::SwappedLongs => 4,
            };
            let host = cell / word * word + (word - 1 - cell % word);
            bytes.push(self.stored[host]);
        }
        Some(bytes)
    }

    fn number(&self, addr: u32, len: usize) -> Option<u64> {
        let mut bytes = self.bytes(addr, len)?;
        if matches!(self.console, Console::Little) {
            bytes.reverse();
        }
        Some(bytes.into_iter().fold(0, |number, byte| number * 256 + u64::from(byte)))
    }

    fn text(&self, addr: u32, len: usize) -> Option<String> {
        let show = |byte| if (b' '..=b'~').contains(&byte) { byte as char } else { '.' };
        Some(self.bytes(addr, len)?.into_iter().map(show).collect())
    }
}

/// Addresses of every kind: documented, sign-extended, mirrored, at the edges, and random.
fn address() -> impl Strategy<Value = u32> {
    prop_oneof![
        0xFF_0000..=0xFF_FFFF_u32,
        0xFFFF_0000..=0xFFFF_FFFF_u32,
        0xE0_0000..=0xFF_FFFF_u32,
        0x0200_0000..=0x02FF_FFFF_u32,
        any::<u32>(),
        (
            prop::sample::select(vec![
                0xE0_0000,
                0xFF_0000,
                0x100_0000,
                0xFFFF_8000,
                0xFFFF_0000,
                0,
                0x0200_0000,
                0x0200_4000,
                0x0300_0000_u32
            ]),
            -9..9_i32
        )
            .prop_map(|(edge, near)| edge.wrapping_add_signed(near)),
    ]
}

fn order() -> impl Strategy<Value = StorageOrder> {
    prop::sample::select(StorageOrder::ALL.to_vec())
}

fn console() -> impl Strategy<Value = Console> {
    prop_oneof![3 => Just(Console::Genesis), 1 => Just(Console::Little)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_snapshot_reads_the_bytes_of_the_console(
        seed in any::<u64>(),
        order in order(),
        console in console(),
        addresses in prop::collection::vec((address(), 0..40_usize), 50),
    ) {
        let stored = noise(console.size(), seed);
        let oracle = Oracle { stored: &stored, order, console };
        let snapshot = Snapshot::from_stored(console.domain(), order, stored.clone()).unwrap();
        for (raw, len) in addresses {
            let addr = ConsoleAddr(raw);
            prop_assert_eq!(snapshot.u8(addr).ok().map(u64::from), oracle.number(raw, 1), "{}", addr);
            prop_assert_eq!(snapshot.u16(addr).ok().map(u64::from), oracle.number(raw, 2), "{}", addr);
            prop_assert_eq!(snapshot.u32(addr).ok().map(u64::from), oracle.number(raw, 4), "{}", addr);
            prop_assert_eq!(snapshot.bytes(addr, len).ok().map(<[u8]>::to_vec), oracle.bytes(raw, len));
            prop_assert_eq!(snapshot.text(addr, len).ok(), oracle.text(raw, len));
        }
    }

    #[test]
    fn ram_in_a_memory_reads_the_bytes_of_the_console(
        seed in any::<u64>(),
        order in order(),
        console in console(),
        base in any::<u32>(),
        addresses in prop::collection::vec((address(), 0..40_usize), 50),
    ) {
        let stored = noise(console.size(), seed);
        let oracle = Oracle { stored: &stored, order, console };
        let base = HostAddr(u64::from(base));
        let memory = Arc::new(ByteArray { base, bytes: stored.clone() });
        let ram = Ram { memory, domain: console.domain(), base, order };
        let snapshot = ram.snapshot().unwrap();
        let all = oracle.bytes(console.domain().base.0, stored.len()).unwrap();
        prop_assert_eq!(snapshot.all(), &all[..]);
        for (raw, len) in addresses {
            let mut buf = vec![0xEE; len];
            let read = ram.read(ConsoleAddr(raw), &mut buf);
            let expected = oracle.bytes(raw, len);
            prop_assert_eq!(read.is_ok(), expected.is_some(), "{:08x}+{}", raw, len);
            // The same cell before and after a sample.
            let (mut before, mut after) = (vec![0xEE; len], vec![0xEE; len]);
            let plan = ReadPlan::full(console.domain());
            let sample = ram.sample_between(&plan, ConsoleAddr(raw), &mut before, &mut after);
            prop_assert_eq!(sample.as_ref(), expected.as_ref().map(|_| &snapshot));
            if let Some(expected) = &expected {
                prop_assert_eq!([&before, &after], [expected; 2]);
            }
            prop_assert_eq!(buf, expected.unwrap_or_else(|| vec![0; len]));
        }
    }

    #[test]
    fn a_span_is_refused_exactly_when_it_leaves_the_area(
        console in console(),
        raw in address(),
        len in prop_oneof![0..9_usize, 0..70_000_usize, Just(usize::MAX), Just(usize::MAX - 1)],
    ) {
        let expected = console.cell(raw).filter(|cell| *cell as u128 + len as u128 <= console.size() as u128);
        let span = console.domain().span(ConsoleAddr(raw), len);
        prop_assert_eq!(span.as_ref().map(|span| span.start), expected);
        prop_assert!(span.is_none_or(|span| span.len() == len));
    }

    #[test]
    fn reordering_is_its_own_inverse_and_moves_each_byte_to_its_host_offset(
        order in order(),
        bytes in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let mut moved = bytes.clone();
        order.reorder(&mut moved);
        let complete = bytes.len() - bytes.len() % order.word();
        for (offset, byte) in moved.iter().enumerate().take(complete) {
            prop_assert_eq!(*byte, bytes[order.host_offset(offset)]);
        }
        prop_assert_eq!(&moved[complete..], &bytes[complete..], "an incomplete word at the end is unchanged");
        order.reorder(&mut moved);
        prop_assert_eq!(moved, bytes);
    }

    #[test]
    fn a_byte_array_reads_exactly_its_bytes(
        base in prop_oneof![0..50_u64, any::<u64>(), (u64::MAX - 50)..=u64::MAX],
        bytes in prop::collection::vec(any::<u8>(), 0..40),
        near in -50..50_i64,
        len in 0..50_usize,
    ) {
        let addr = base.wrapping_add_signed(near);
        let array = ByteArray { base: HostAddr(base), bytes: bytes.clone() };
        let mut buf = vec![0xEE; len];
        let result = array.read_exact(HostAddr(addr), &mut buf);
        // One byte at a time, with arithmetic that cannot wrap.
        let at = |index: usize| {
            let offset = u128::from(addr) + index as u128;
            let inside = offset.checked_sub(u128::from(base))?;
            bytes.get(usize::try_from(inside).ok()?).copied()
        };
        let there = (0..len).map_while(at).count();
        if there == len {
            prop_assert!(result.is_ok(), "{:?}", result);
            prop_assert_eq!(buf, (0..len).map_while(at).collect::<Vec<_>>());
        } else {
            prop_assert!(buf.iter().all(|byte| *byte == 0), "a byte beyond the area was read");
            match result {
                Err(ReadError::NotMapped { addr: at, .. }) => prop_assert_eq!((at.0, there), (addr, 0)),
                Err(ReadError::Short { available, requested, .. }) => prop_assert_eq!((available, requested), (there, len)),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}

#[test]
fn every_offset_has_an_address_and_every_mirror_has_the_offset() {
    let domain = ConsoleId::Genesis.domain();
    for offset in 0..0x1_0000_usize {
        let addr = domain.address_at(offset);
        assert_eq!(addr.0, 0xFF_0000 + u32::try_from(offset).expect("it fits"));
        for mirror in [addr.0, addr.0 | 0xFF00_0000, addr.0 & 0xE0_FFFF, addr.0 | 0xAB00_0000] {
            assert_eq!(domain.offset_of(ConsoleAddr(mirror)), Some(offset), "{mirror:08x}");
        }
        assert_eq!(domain.offset_of(ConsoleAddr(addr.0 & 0xDF_FFFF)), None, "the bus below the window");
    }
    assert_eq!(domain.offset_of(ConsoleAddr(0xFFFF_8000)), Some(0x8000), "in the notation of a disassembly");
    assert_eq!(ConsoleId::SystemC2.domain(), domain);
}

#[test]
fn a_dump_of_another_length_is_rejected() {
    for len in [0, 1, 0xFFFF, 0x1_0001, 0x2_0000] {
        for order in StorageOrder::ALL {
            let error = Snapshot::from_stored(ConsoleId::Genesis.domain(), order, vec![0; len]);
            assert_eq!(error.expect_err("it is cut or too long").len, len);
        }
    }
}

#[test]
fn ram_that_is_only_partly_mapped_cannot_be_read() {
    let domain = ConsoleId::Genesis.domain();
    let memory = ByteArray { base: HostAddr(0x1000), bytes: vec![1; 0x1_0000] };
    for (base, got) in [(0x1001, Some(0xFFFF)), (0x1_0FFF, Some(1)), (0x1_1000, None), (0xFFF, None)] {
        match (Snapshot::read(&memory, domain, HostAddr(base), StorageOrder::AsOnBus), got) {
            (Err(ReadError::Short { available, .. }), Some(expected)) => assert_eq!(available, expected),
            (Err(ReadError::NotMapped { .. }), None) => {}
            (other, _) => panic!("{base:x}: {other:?}"),
        }
    }
}
