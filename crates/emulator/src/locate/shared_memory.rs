//! Several views of the same shared memory: RAM that is mapped more than once is one location.

use crate::process::{HostAddr, Region};

/// Identifies memory independently of the mapping: an address, or for shared memory the file and the offset in it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum CanonicalAddr {
    Private(HostAddr),
    Shared { device: String, inode: u64, offset: u64 },
}

/// The memory at `addr`. melonDS maps one shared-memory file many times, BizHawk's waterbox twice.
pub(super) fn canonical_addr(regions: &[Region], addr: HostAddr) -> CanonicalAddr {
    let after = regions.partition_point(|region| region.start <= addr);
    let region = after.checked_sub(1).and_then(|index| regions.get(index));
    match region.filter(|region| region.contains(addr, 1) && is_shared(region)) {
        Some(region) => CanonicalAddr::Shared {
            device: region.device.clone(),
            inode: region.inode,
            offset: region.file_offset.wrapping_add(addr.0 - region.start.0),
        },
        None => CanonicalAddr::Private(addr),
    }
}

/// The address of the same byte in the longest mapping of its shared memory; `addr` itself for private memory. melonDS unmaps and remaps
/// its short views while it runs, the long one stays.
pub(super) fn longest_view(regions: &[Region], addr: HostAddr) -> HostAddr {
    let CanonicalAddr::Shared { device, inode, offset } = canonical_addr(regions, addr) else { return addr };
    let same = regions.iter().filter(|region| region.inode == inode && region.device == device);
    let within = |region: &&Region| offset.checked_sub(region.file_offset).is_some_and(|at| at < region.len);
    let longest = same.filter(within).max_by_key(|region| (region.len, std::cmp::Reverse(region.start)));
    longest.map_or(addr, |region| region.start.offset(offset - region.file_offset))
}

/// Whether the name is one of shared memory: a library's data has a file too, but each mapping is a private copy.
fn is_shared(region: &Region) -> bool {
    let Some(path) = region.path.as_ref().map(|path| path.to_string_lossy()) else { return false };
    region.inode != 0
        && ["/dev/shm/", "/memfd:", "/SYSV", "/dev/zero"].iter().any(|start| path.starts_with(start))
}
