//! Builds whose RAM is at an address fixed at link time: a table by build ID.

use super::RamLocation;
use crate::process::{HostAddr, Memory};
use nextscope_memory::console::{ConsoleId, StorageOrder};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One row of `known_builds.toml`.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Build {
    pub build_id: String,
    pub name: String,
    /// The file's name, if it is a library other than a libretro core.
    pub library: Option<String>,
    pub console: ConsoleId,
    /// The address in the file.
    pub address: u64,
    /// Whether there is a pointer to the RAM at that address instead of the RAM itself.
    #[serde(default)]
    pub pointer: bool,
    pub order: StorageOrder,
    pub source: String,
}

static BUILDS: LazyLock<Vec<Build>> =
    LazyLock::new(|| table("known_builds.toml", include_str!("known_builds.toml"), "build"));

/// The rows of a table of ours. A test checks each file, so parsing cannot fail in a tested build.
pub(super) fn table<T: DeserializeOwned>(file: &str, text: &str, key: &str) -> Vec<T> {
    let rows = toml::from_str::<BTreeMap<String, Vec<T>>>(text).map(|mut table| table.remove(key));
    rows.unwrap_or_else(|error| {
        tracing::error!("{file}: {error}");
        None
    })
    .unwrap_or_default()
}

pub(super) fn of(build_id: &str) -> impl Iterator<Item = &'static Build> {
    BUILDS.iter().filter(move |build| build.build_id == build_id)
}

/// Whether a library of this file name is in the table.
pub(super) fn is_library(name: &str) -> bool {
    BUILDS.iter().any(|build| build.library.as_deref() == Some(name))
}

impl Build {
    /// The RAM of the file loaded with this bias; None for a pointer that is null or cannot be read.
    pub fn location(&self, bias: u64, memory: &dyn Memory) -> Option<RamLocation> {
        let mut base = HostAddr(bias.wrapping_add(self.address));
        if self.pointer {
            let mut bytes = [0; 8];
            memory.read_exact(base, &mut bytes).ok()?;
            base = HostAddr(u64::from_le_bytes(bytes)); // only 64-bit programs are in the table
        }
        let (order, len) = (Some(self.order), Some(self.console.domain().len));
        (base.0 != 0).then_some(RamLocation { base, order, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ByteArray;

    #[test]
    fn the_table_is_valid_and_lists_each_build_once_per_console() {
        let builds = &*BUILDS;
        assert!(!builds.is_empty());
        for (index, build) in builds.iter().enumerate() {
            assert!(
                build.build_id.len() >= 16
                    && build.build_id.bytes().all(|b| b"0123456789abcdef".contains(&b))
            );
            assert!(!build.name.is_empty() && !build.source.is_empty());
            assert!(
                builds[..index].iter().all(|b| b.build_id != build.build_id || b.console != build.console)
            );
        }
    }

    #[test]
    fn the_load_address_is_added_and_may_wrap() {
        let build = BUILDS[0].clone();
        let nothing = ByteArray { base: HostAddr(0), bytes: Vec::new() };
        let base = |bias| build.location(bias, &nothing).map(|location| location.base);
        assert_eq!(base(0x7000_0000), Some(HostAddr(0x7000_0000 + build.address)));
        assert_eq!(base(u64::MAX), Some(HostAddr(build.address - 1)));
        assert!(of(&build.build_id).any(|row| row.console == build.console));
        assert_eq!(of("").count(), 0);
    }

    #[test]
    fn a_pointer_is_followed_unless_it_is_null_or_unreadable() {
        let build = BUILDS.iter().find(|build| build.pointer).unwrap();
        let memory = |bytes: &[u8]| ByteArray { base: HostAddr(0x5000 + build.address), bytes: bytes.into() };
        let base = |bytes: &[u8]| build.location(0x5000, &memory(bytes)).map(|location| location.base);
        assert_eq!(base(&0x1234_5678_u64.to_le_bytes()), Some(HostAddr(0x1234_5678)));
        assert_eq!((base(&[0; 8]), base(&[1, 2])), (None, None));
    }
}
