//! Which emulator a process is, from its executable, its command line and the modules it has loaded.

use super::image::{Image, Module, modules};
use super::known_symbols::emulator_of_library;
use super::libretro::is_core_name;
use super::names;
use crate::process::{Process, ProcessInfo, Region};
use serde::{Deserialize, Serialize};

/// What is known of a process as an emulator.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Identity {
    /// The emulator's name ("BlastEm"), or the executable's name when it is none that we know.
    pub name: String,
    /// The libretro core's file name, when there is one.
    pub core: Option<String>,
    /// The game file of the command line, when one is seen.
    pub content: Option<String>,
    /// Whether the name is that of an emulator that we know, or a libretro core is loaded.
    pub known: bool,
    /// The Build-ID of the executable, in hex, when it has one.
    pub build_id: Option<String>,
}

/// Names an emulator. What the system does not let us see is left out.
#[must_use]
pub fn identify(info: &ProcessInfo, process: &Process) -> Identity {
    let regions = process.regions().unwrap_or_default();
    let modules = modules(&regions);
    let mut identity = by_names(info, &modules);
    identity.build_id = executable(info, &regions, &modules)
        .and_then(|module| Image::read(process, module.start).ok()?.build_id(process));
    identity
}

/// Names an emulator without reading its memory.
pub(super) fn by_names(info: &ProcessInfo, modules: &[Module]) -> Identity {
    let core = modules.iter().find(|module| is_core_name(&module.name)).map(|module| module.name.clone());
    let library = || modules.iter().find_map(|module| emulator_of_library(&module.name));
    let known = names::emulator(info).or_else(library);
    Identity {
        name: known.map_or_else(|| names::program(info), str::to_owned),
        known: known.is_some() || core.is_some(),
        content: names::content(info, known),
        core,
        build_id: None,
    }
}

/// The module of the executable itself.
pub(super) fn executable<'a>(
    info: &ProcessInfo,
    regions: &[Region],
    modules: &'a [Module],
) -> Option<&'a Module> {
    let exe = info.exe.as_ref()?;
    let mapped = regions.iter().filter(|region| region.path.as_ref() == Some(exe));
    let start = mapped.map(|region| region.start).min()?;
    modules.iter().find(|module| module.start == start)
}
