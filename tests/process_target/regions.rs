//! Roles with unusual memory, for the tests of regions and for the bench that times them.

use super::mapping::Mapping;
use super::{page, send, wait_for_exit};
use nix::sys::mman::MapFlags;

/// 600 MiB, as DeSmuME maps.
pub const HUGE: usize = 600 << 20;

/// Regions of [`many`], at least.
pub const MANY: usize = 4000;

const PRIVATE: MapFlags = MapFlags::MAP_PRIVATE.union(MapFlags::MAP_NORESERVE);

/// [`HUGE`] bytes of which only the listed pages were touched.
pub fn huge(pages: &str) {
    touch(Mapping::anonymous(HUGE, PRIVATE), pages);
}

/// Writes to the pages listed, reports the address and stays.
pub fn touch(mut memory: Mapping, pages: &str) {
    pages
        .split(' ')
        .for_each(|index| memory.write(index.parse::<usize>().expect("a page") * page() + 123, 1));
    send(memory.addr());
    wait_for_exit();
}

/// [`MANY`] regions, every twentieth of them touched.
pub fn many() {
    // Every second page forbidden, so that no two neighbours are one region.
    let mut memory = Mapping::anonymous(MANY * page(), PRIVATE);
    (1..MANY).step_by(2).for_each(|index| memory.forbid(index * page(), page()));
    (0..MANY).step_by(20).for_each(|index| memory.write(index * page(), 1));
    send(memory.addr());
    wait_for_exit();
}
