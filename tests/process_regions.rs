//! Regions of real processes, and which of their pages were touched.
//!
//! A 32-bit process cannot be made here without a 32-bit compiler; its list has the same form and is read by
//! the same calls, with addresses below 4 GiB.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "a test may panic")]

mod process_target;
mod waiting;

use nextscope::process::{HostAddr, Process, Region};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::MapFlags;
use process_target::mapping::Mapping;
use process_target::regions::{self, HUGE};
use process_target::{Target, page, run_role, send, wait_for_exit};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const PRIVATE: MapFlags = MapFlags::MAP_PRIVATE.union(MapFlags::MAP_NORESERVE);
const SHARED: MapFlags = MapFlags::MAP_SHARED;

/// File names that a list of regions must preserve byte for byte.
const NAMES: [&[u8]; 6] = [
    b"plain",
    b"with space",
    b"two  spaces and one at the end ",
    b"\xFFnot\xC3utf-8",
    b"line\nfeed",
    b"back\\slash",
];

#[test]
fn target() {
    run_role(|role, argument| match role {
        "huge" => regions::huge(argument),
        "anonymous" => regions::touch(Mapping::anonymous(64 * page(), PRIVATE), argument),
        "shared" => regions::touch(Mapping::anonymous(64 * page(), SHARED), argument),
        "twice" => {
            let file =
                File::from(memfd_create("ram of an emulator", MFdFlags::empty()).expect("a memory file"));
            file.set_len(64 * page() as u64).expect("it can grow");
            let untouched = Mapping::of_file(&file, 64 * page());
            let mut touched = Mapping::of_file(&file, 64 * page());
            touched.write(5 * page(), 1);
            send(untouched.addr());
            send(touched.addr());
            wait_for_exit();
        }
        "files" => {
            let folder = Path::new(argument);
            let maps = NAMES.map(|name| {
                let file = File::options().read(true).write(true).open(folder.join(OsStr::from_bytes(name)));
                Mapping::of_file(file.expect("it was made"), page())
            });
            fs::remove_file(folder.join("plain")).expect("it was made");
            maps.iter().for_each(|map| send(map.addr()));
            wait_for_exit();
        }
        "many" => regions::many(),
        other => panic!("no role {other}"),
    });
}

fn region_of(process: &Process, addr: HostAddr) -> Region {
    let regions = process.regions().expect("it runs");
    regions.into_iter().find(|region| region.contains(addr, 1)).expect("it is mapped")
}

/// The result of `touched` from `base` on, as (first page, pages).
fn touched_pages(process: &Process, base: HostAddr, pages: usize) -> Vec<(u64, u64)> {
    let page = page() as u64;
    // The kernel may join the mapping with a neighbour of the same kind.
    let region = Region { start: base, len: pages as u64 * page, ..region_of(process, base) };
    let ranges = process.touched_ranges(&region);
    ranges.iter().map(|(start, len)| ((start.0 - base.0) / page, len / page)).collect()
}

#[test]
fn only_the_touched_pages_of_600_mb_are_listed() {
    let last = HUGE / page() - 1;
    let mut target = Target::start(&format!("huge 0 5 6 100000 {last}"));
    let base = target.receive_addr();
    let process = target.open();
    let touched = touched_pages(&process, base, HUGE / page());
    assert_eq!(touched, [(0, 1), (5, 2), (100_000, 1), (last as u64, 1)]);
    let regions = process.regions().expect("it runs");
    let bytes: u64 =
        regions.iter().flat_map(|region| process.touched_ranges(region)).map(|(_, len)| len).sum();
    assert!(bytes < 64 << 20, "600 MB are mapped, {bytes} bytes count as touched");
}

#[test]
fn only_the_touched_part_of_a_region_is_listed() {
    for role in ["anonymous", "shared"] {
        let mut target = Target::start(&format!("{role} 3 4 63"));
        let base = target.receive_addr();
        assert_eq!(touched_pages(&target.open(), base, 64), [(3, 2), (63, 1)], "{role}");
    }
}

#[test]
fn memory_mapped_twice_has_one_inode_and_counts_where_it_was_touched() {
    let mut target = Target::start("twice");
    let (untouched, touched) = (target.receive_addr(), target.receive_addr());
    let process = target.open();
    let (a, b) = (region_of(&process, untouched), region_of(&process, touched));
    assert_ne!(a.inode, 0);
    assert_eq!((&a.device, a.inode, a.file_offset), (&b.device, b.inode, b.file_offset));
    assert_eq!(a.path.as_deref(), Some(Path::new("/memfd:ram of an emulator (deleted)")));
    assert_eq!(a.file_name().as_deref(), Some("memfd:ram of an emulator"));
    assert_eq!(touched_pages(&process, touched, 64), [(5, 1)]);
    assert_eq!(touched_pages(&process, untouched, 64), []);
    // Both show the same byte anyway.
    for base in [untouched, touched] {
        let mut byte = [0];
        process.read_exact(base.offset(5 * page() as u64), &mut byte).expect("it is mapped");
        assert_eq!(byte, [1]);
    }
}

#[test]
fn file_names_are_read_byte_for_byte_and_deleted_files_are_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in NAMES {
        fs::write(folder.path().join(OsStr::from_bytes(name)), vec![1; page()]).expect("a file");
    }
    let mut target = Target::start(&format!("files {}", folder.path().display()));
    let addresses = NAMES.map(|_| target.receive_addr());
    let process = target.open();
    for (name, addr) in NAMES.into_iter().zip(addresses) {
        let region = region_of(&process, addr);
        let mut expected = folder.path().join(OsStr::from_bytes(name)).into_os_string();
        if name == b"plain" {
            expected.push(" (deleted)");
            assert_eq!(region.file_name().as_deref(), Some("plain"));
        }
        assert_eq!(region.path.as_ref().map(|path| path.as_os_str()), Some(expected.as_os_str()));
        assert_eq!((region.start, region.len), (addr, page() as u64));
        assert!(region.readable && region.writable && !region.executable);
    }
}

#[test]
fn thousands_of_regions_are_listed_in_order_with_their_touched_pages() {
    let mut target = Target::start("many");
    let base = target.receive_addr();
    let process = target.open();
    let regions = process.regions().expect("it runs");
    assert!(regions.len() >= regions::MANY, "{}", regions.len());
    assert!(regions.windows(2).all(|pair| pair[0].end() <= pair[1].start));
    let end = base.offset((regions::MANY * page()) as u64);
    let ours = regions.iter().filter(|region| region.readable && region.start >= base && region.end() <= end);
    let touched: Vec<_> = ours.flat_map(|region| process.touched_ranges(region)).collect();
    let expected: Vec<_> =
        (0..200).map(|index| (base.offset(index * 20 * page() as u64), page() as u64)).collect();
    assert_eq!(touched, expected);
}
