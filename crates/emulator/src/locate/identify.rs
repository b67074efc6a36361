//! Identifies an emulator by its executable, its command line and its loaded modules.

use super::known_symbols::emulator_of_library;
use super::libretro::is_core_name;
use super::module_image::{Module, ModuleImage, modules};
use super::{EmulatorInfo, names};
use crate::process::{Process, ProcessInfo, Region};

/// Identifies an emulator. Fields that the system does not reveal stay empty.
pub fn identify(info: &ProcessInfo, process: &Process) -> EmulatorInfo {
    let regions = process.regions().unwrap_or_default();
    let modules = modules(&regions);
    let mut identity = by_names(info, &modules);
    identity.build_id = executable(info, &regions, &modules)
        .and_then(|module| ModuleImage::read(process, module.start).ok()?.build_id(process));
    identity
}

/// Identifies an emulator without reading its memory.
pub(super) fn by_names(info: &ProcessInfo, modules: &[Module]) -> EmulatorInfo {
    let core = modules.iter().find(|module| is_core_name(&module.name)).map(|module| module.name.clone());
    let library = || modules.iter().find_map(|module| emulator_of_library(&module.name));
    let known = names::emulator(info).or_else(library);
    EmulatorInfo {
        name: known.map_or_else(|| names::program(info), str::to_owned),
        known: known.is_some() || core.is_some(),
        content: names::content(info, known),
        core,
        build_id: None,
    }
}

/// The executable among the modules.
pub(super) fn executable<'a>(
    info: &ProcessInfo,
    regions: &[Region],
    modules: &'a [Module],
) -> Option<&'a Module> {
    let exe = info.exe.as_ref()?;
    let mapped = regions.iter().filter(|region| region.path.as_ref() == Some(exe));
    if let Some(start) = mapped.map(|region| region.start).min() {
        return modules.iter().find(|module| module.start == start);
    }
    // Windows names the device of a mapped file instead of its drive.
    let name = exe.file_name()?.to_str()?;
    modules.iter().find(|module| cfg!(windows) && module.name.eq_ignore_ascii_case(name))
}
