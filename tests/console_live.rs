//! Snapshots of RAM in a running process, in both storage orders.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "a test may panic")]

mod process_target;
mod waiting;

use nextscope::console::{ConsoleAddr, ConsoleId, Ram, Snapshot, StorageOrder};
use nextscope::process::ReadError;
use nix::sys::mman::MapFlags;
use process_target::mapping::Mapping;
use process_target::{Target, page, run_role, send, wait_for_exit};
use std::sync::Arc;

const LEN: usize = 0x1_0000;
/// RAM may begin inside a page, and at an odd address.
const BEGIN: usize = 0x123;

/// The byte of the console at its address 0xFF0000 + `offset`.
fn console_byte(offset: usize) -> u8 {
    let [low, high, ..] = offset.to_le_bytes();
    low.wrapping_mul(7) ^ high.wrapping_mul(13) ^ 0x5A
}

#[test]
fn target() {
    run_role(|role, _| {
        let mut memory = Mapping::anonymous(LEN + page(), MapFlags::MAP_PRIVATE);
        for offset in 0..LEN {
            let host = match (role, offset % 2) {
                ("in-order", _) => offset,
                (_, 0) => offset + 1,
                _ => offset - 1,
            };
            memory.write(BEGIN + host, console_byte(offset));
        }
        send(memory.addr());
        wait_for_exit();
    });
}

#[test]
fn a_snapshot_of_a_running_process_has_the_bytes_in_bus_order() {
    let domain = ConsoleId::Genesis.domain();
    for order in StorageOrder::OF_16_BIT_BUS {
        let mut target = Target::start(match order {
            StorageOrder::AsOnBus => "in-order",
            _ => "swapped",
        });
        let base = target.receive_addr().offset(BEGIN as u64);
        let process = target.open();
        let snapshot = Snapshot::read(&process, domain, base, order).expect("it is running");
        let expected: Vec<u8> = (0..LEN).map(console_byte).collect();
        assert!(snapshot.all() == expected, "{order}");
        for offset in [0, 1, 2, 3, 0x8000, 0x8001, LEN - 5, LEN - 4] {
            let word = [console_byte(offset), console_byte(offset + 1)];
            let long = [word[0], word[1], console_byte(offset + 2), console_byte(offset + 3)];
            let addr = ConsoleAddr(0xFFFF_0000 + u32::try_from(offset).expect("it fits"));
            assert_eq!(snapshot.u16(addr).ok(), Some(u16::from_be_bytes(word)), "{order} {addr}");
            assert_eq!(snapshot.u32(addr).ok(), Some(u32::from_be_bytes(long)), "{order} {addr}");
        }
        // A few bytes straight from the process, at every alignment and at both ends.
        let ram = Ram { memory: Arc::new(process), domain, base, order };
        for offset in [0, 1, 2, 0xFF, 0x100, LEN - 7, LEN - 6, LEN - 1] {
            for len in 0..=(LEN - offset).min(6) {
                let mut buf = vec![0xEE; len];
                ram.read(domain.address_at(offset), &mut buf).expect("it is running");
                assert_eq!(buf, expected[offset..offset + len], "{order} {offset}+{len}");
            }
        }
        target.kill();
        assert!(matches!(ram.snapshot(), Err(ReadError::Gone { .. })));
    }
}
