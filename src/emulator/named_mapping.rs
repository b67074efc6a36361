//! Shared memory to which an emulator gave a name.
//!
//! melonDS keeps the console's memory in one file of shared memory, `melondsfastmem` and the process number, the main
//! RAM at its beginning, and maps parts of it many times more for its translated code (melonDS, ARMJIT_Memory.cpp). On
//! Windows the mapping has no name, and content finds it.

use super::Place;
use super::shared::{longest_view, spot};
use crate::console::{ConsoleId, StorageOrder};
use crate::process::Region;
use std::collections::HashSet;

/// The beginning of the file's name, whose RAM it is, and where in the file that RAM begins.
struct Named {
    starts: &'static str,
    console: ConsoleId,
    offset: u64,
}

const NAMED: &[Named] = &[Named { starts: "melondsfastmem", console: ConsoleId::Nds, offset: 0 }];

impl Named {
    fn is(&self, region: &Region) -> bool {
        // `/memfd:name` is one path component.
        region
            .file_name()
            .is_some_and(|name| name.strip_prefix("memfd:").unwrap_or(&name).starts_with(self.starts))
    }

    /// Where the RAM begins in a view of the file; None when the view does not show its beginning.
    fn place(&self, view: &Region) -> Option<Place> {
        let from_start = self.offset.checked_sub(view.file_offset).filter(|from| *from < view.len)?;
        let len = Some(self.console.domain().len);
        Some(Place { base: view.start.offset(from_start), order: Some(StorageOrder::AsOnBus), len })
    }
}

/// The places that names tell, one for each file, with the files' names.
pub(super) fn places(regions: &[Region]) -> Vec<(String, Place)> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for named in NAMED {
        for view in regions.iter().filter(|region| region.readable && named.is(region)) {
            let Some(mut place) = named.place(view) else { continue };
            place.base = longest_view(regions, place.base);
            if seen.insert(spot(regions, place.base)) {
                found.push((view.file_name().unwrap_or_default(), place));
            }
        }
    }
    found
}

#[cfg(test)]
#[path = "named_mapping_tests.rs"]
mod tests;
