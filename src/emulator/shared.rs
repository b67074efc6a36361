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

/// The address of the same byte in the longest mapping of its shared memory; `addr` itself elsewhere. melonDS takes its
/// short views away and makes them anew while it runs, the long one stays.
pub(super) fn longest_view(regions: &[Region], addr: HostAddr) -> HostAddr {
    let Spot::Shared { device, inode, offset } = spot(regions, addr) else { return addr };
    let same = regions.iter().filter(|region| region.inode == inode && region.device == device);
    let within = |region: &&Region| offset.checked_sub(region.file_offset).is_some_and(|at| at < region.len);
    let longest = same.filter(within).max_by_key(|region| (region.len, std::cmp::Reverse(region.start)));
    longest.map_or(addr, |region| region.start.offset(offset - region.file_offset))
}

/// Shared memory by its name: a library's data has a file too, but each mapping of it is a copy of its own.
fn is_shared(region: &Region) -> bool {
    let Some(path) = region.path.as_ref().map(|path| path.to_string_lossy()) else { return false };
    region.inode != 0
        && ["/dev/shm/", "/memfd:", "/SYSV", "/dev/zero"].iter().any(|start| path.starts_with(start))
}
