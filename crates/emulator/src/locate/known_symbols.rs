//! Emulators that export the variable containing the console's RAM: a table by module and symbol. Unlike a row of `known_builds.toml`, a
//! row here works for every build that has the symbol.

use super::RamLocation;
use super::known_builds::table;
use super::module_image::{Module, ModuleImage};
use crate::process::Memory;
use nextscope_memory::console::{ConsoleId, StorageOrder};
use serde::Deserialize;
use std::sync::LazyLock;

/// One row of `known_symbols.toml`.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Symbol {
    pub module: String,
    pub symbol: String,
    pub name: String,
    pub console: ConsoleId,
    pub offset: u64,
    pub order: StorageOrder,
    pub source: String,
}

static SYMBOLS: LazyLock<Vec<Symbol>> =
    LazyLock::new(|| table("known_symbols.toml", include_str!("known_symbols.toml"), "symbol"));

pub(super) fn of(module: &str) -> impl Iterator<Item = &'static Symbol> {
    let module = module.to_ascii_lowercase();
    SYMBOLS.iter().filter(move |row| module.contains(&row.module))
}

/// The emulator that a library of this name belongs to, for a library loaded by another program.
pub(super) fn emulator_of_library(module: &str) -> Option<&'static str> {
    let library = module.starts_with("lib") && module.contains(".so") || module.ends_with(".dll");
    of(module).next().filter(|_| library).map(|row| row.name.as_str())
}

impl Symbol {
    /// The RAM, if the module has the symbol.
    pub fn location(&self, memory: &dyn Memory, module: &Module) -> Option<RamLocation> {
        let symbol = ModuleImage::read(memory, module.start).ok()?.export(memory, &self.symbol)?;
        let len = self.console.domain().len;
        Some(RamLocation { base: symbol.offset(self.offset), order: Some(self.order), len: Some(len) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_valid() {
        let symbols = &*SYMBOLS;
        assert!(!symbols.is_empty());
        for row in symbols {
            // A shorter word would be part of names that have nothing to do with it.
            assert!(row.module.len() >= 5 && row.module == row.module.to_ascii_lowercase(), "{row:?}");
            assert!(!row.symbol.is_empty() && !row.name.is_empty() && !row.source.is_empty(), "{row:?}");
            assert!(row.console.domain().orders.contains(&row.order), "{row:?}");
        }
    }

    #[test]
    fn rows_are_for_modules_whose_name_has_the_word() {
        let symbols = |module| of(module).map(|row| row.symbol.as_str()).collect::<Vec<_>>();
        assert_eq!(symbols("libdesmume.so"), ["MMU"]);
        assert_eq!(symbols("DeSmuME_0.9.13_x64.exe"), ["MMU"]);
        assert_eq!(symbols("picodrive_libretro.so"), ["PicoMem"]);
        assert!(symbols("libc.so.6").is_empty());
    }

    #[test]
    fn a_library_names_its_emulator_and_a_core_or_program_does_not() {
        assert_eq!(emulator_of_library("libdesmume.so"), Some("DeSmuME"));
        assert_eq!(emulator_of_library("libdesmume.so.0"), Some("DeSmuME"));
        assert_eq!(emulator_of_library("libdesmume.dll"), Some("DeSmuME"));
        assert_eq!(emulator_of_library("desmume-cli"), None);
        assert_eq!(emulator_of_library("libsomething.so"), None);
    }
}
