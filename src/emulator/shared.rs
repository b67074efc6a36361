//! Views of the same memory: one RAM that stands in several mappings is one place.

use crate::process::{HostAddr, Region};

/// What tells two places apart: an address, or for shared memory the file and the offset in it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Spot {
    Private(HostAddr),
    Shared { device: String, inode: u64, offset: u64 },
}

/// Where `addr` leads to. melonDS maps one shared-memory file many times, BizHawk's waterbox twice.
pub(super) fn spot(regions: &[Region], addr: HostAddr) -> Spot {
    let after = regions.partition_point(|region| region.start <= addr);
    let region = after.checked_sub(1).and_then(|index| regions.get(index));
    match region.filter(|region| region.holds(addr, 1) && is_shared(region)) {
        Some(region) => Spot::Shared {
            device: region.device.clone(),
            inode: region.inode,
            offset: region.file_offset.wrapping_add(addr.0 - region.start.0),
        },
        None => Spot::Private(addr),
    }
}

/// Shared memory by its name: a library's data has a file too, but each mapping of it is a copy of its own.
fn is_shared(region: &Region) -> bool {
    let Some(path) = region.path.as_ref().map(|path| path.to_string_lossy()) else { return false };
    region.inode != 0
        && ["/dev/shm/", "/memfd:", "/SYSV", "/dev/zero"].iter().any(|start| path.starts_with(start))
}
