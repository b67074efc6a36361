use super::super::test_fixtures::FakeProcess;
use super::*;
use crate::process::HostAddr;

const ARENA: u64 = 0x7F00_0000_0000;
const LEN: usize = 0x10D_C000;

/// Regions as melonDS has them: address, length, offset in the file, name.
fn regions(views: &[(u64, usize, u64, &str)]) -> Vec<Region> {
    let mut fake = FakeProcess::new();
    for (start, len, _, path) in views {
        fake.region(*start, *len, Some(path));
    }
    for (region, (_, _, offset, _)) in fake.regions.iter_mut().zip(views) {
        (region.file_offset, region.inode, region.device) = (*offset, 16, "00:1b".into());
    }
    fake.regions
}

fn bases(regions: &[Region]) -> Vec<HostAddr> {
    locations(regions).into_iter().map(|(_, location)| location.base).collect()
}

const SHM: &str = "/dev/shm/melondsfastmem29316 (deleted)";

#[test]
fn ram_is_at_the_beginning_of_the_longest_view_and_listed_once() {
    // As measured in RetroArch: the first page of the short view is write-protected.
    let found = regions(&[
        (ARENA - 0x4000_0000, 0x1000, 0, SHM),
        (ARENA - 0x4000_0000 + 0x1000, 0x3F_F000, 0x1000, SHM),
        (ARENA, LEN, 0, SHM),
    ]);
    let locations = locations(&found);
    assert_eq!(locations.len(), 1);
    let (name, location) = &locations[0];
    assert_eq!(name, "melondsfastmem29316");
    assert_eq!(
        *location,
        RamLocation { base: HostAddr(ARENA), order: Some(StorageOrder::AsOnBus), len: Some(0x40_0000) }
    );
}

#[test]
fn a_view_without_the_beginning_of_ram_is_ignored() {
    assert!(locations(&regions(&[(ARENA, 0x3F_F000, 0x1000, SHM)])).is_empty());
    assert!(locations(&regions(&[(ARENA, 0x1_0000, 0x100_0000, SHM)])).is_empty());
}

#[test]
fn memfd_names_are_accepted_and_other_names_are_not() {
    for (path, count) in [
        ("/memfd:melondsfastmem (deleted)", 1),
        ("/dev/shm/melondsfastmem", 1),
        ("/dev/shm/fastmem77 (deleted)", 0),
        ("/home/u/melonDS", 0),
    ] {
        assert_eq!(bases(&regions(&[(ARENA, LEN, 0, path)])).len(), count, "{path}");
    }
}
