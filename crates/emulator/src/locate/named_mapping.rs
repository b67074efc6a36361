//! Shared memory that an emulator named.
//!
//! melonDS stores the console's memory in one shared-memory file, `melondsfastmem` plus the process number, with the main RAM at its
//! beginning, and maps parts of it many more times for its translated code (melonDS, ARMJIT_Memory.cpp). On Windows the mapping has no
//! name, and the content search finds it.

use super::RamLocation;
use super::shared_memory::{canonical_addr, longest_view};
use crate::process::Region;
use nextscope_memory::console::{ConsoleId, StorageOrder};
use std::collections::HashSet;

/// The prefix of the file's name, the console, and the offset of its RAM in the file.
struct Named {
    prefix: &'static str,
    console: ConsoleId,
    offset: u64,
}

const NAMED: &[Named] = &[Named { prefix: "melondsfastmem", console: ConsoleId::Nds, offset: 0 }];

impl Named {
    fn matches(&self, region: &Region) -> bool {
        // `/memfd:name` is one path component.
        region
            .file_name()
            .is_some_and(|name| name.strip_prefix("memfd:").unwrap_or(&name).starts_with(self.prefix))
    }

    /// The RAM in a view of the file; None if the view does not include its beginning.
    fn location(&self, view: &Region) -> Option<RamLocation> {
        let from_start = self.offset.checked_sub(view.file_offset).filter(|from| *from < view.len)?;
        let len = Some(self.console.domain().len);
        Some(RamLocation { base: view.start.offset(from_start), order: Some(StorageOrder::AsOnBus), len })
    }
}

/// The RAM in named shared memory, one location per file, with the file names.
pub(super) fn locations(regions: &[Region]) -> Vec<(String, RamLocation)> {
    let mut listed = HashSet::new();
    let mut found = Vec::new();
    for named in NAMED {
        for view in regions.iter().filter(|region| region.readable && named.matches(region)) {
            let Some(mut location) = named.location(view) else { continue };
            location.base = longest_view(regions, location.base);
            if listed.insert(canonical_addr(regions, location.base)) {
                found.push((view.file_name().unwrap_or_default(), location));
            }
        }
    }
    found
}

#[cfg(test)]
#[path = "named_mapping_tests.rs"]
mod tests;
