//! libretro cores: every core, on every system, exports `retro_get_memory_data` and `retro_get_memory_size`. Their result for the
//! console's main RAM is evaluated without running them (libretro.h, `RETRO_MEMORY_SYSTEM_RAM`).

use super::export_eval::evaluate;
use super::module_image::{Module, ModuleImage};
use crate::process::{HostAddr, Memory};

/// The id of the console's main RAM in the libretro interface.
const SYSTEM_RAM: u64 = 2;

/// A core's main RAM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemRam {
    /// The address of its first byte.
    pub base: HostAddr,
    /// Its length in bytes, if it could be evaluated.
    pub len: Option<u64>,
}

/// Whether a module may be a libretro core: usually `*_libretro.so`, but other plug-ins are checked as well. The
/// libraries of Windows are not: a program has tens of them, and each would take several reads.
pub(super) fn may_be_core(module: &Module) -> bool {
    let name = module.name.to_ascii_lowercase();
    let plug_in = [".so", ".dll", ".dylib"].iter().any(|ending| name.ends_with(ending));
    let other_plug_in =
        plug_in && !module.is_of_windows && !name.starts_with("lib") && !name.starts_with("ld-");
    is_core_name(&name) || other_plug_in
}

pub(super) fn is_core_name(name: &str) -> bool {
    name.to_ascii_lowercase().contains("_libretro")
}

/// The main RAM that a libretro core, mapped at `start` from a file of that name, exports. None if the module is no libretro core.
///
/// # Errors
/// Why it cannot be evaluated, in a sentence.
pub fn exported_ram(memory: &dyn Memory, start: HostAddr, name: &str) -> Option<Result<SystemRam, String>> {
    let image = match ModuleImage::read(memory, start) {
        Ok(image) => image,
        Err(why) => return is_core_name(name).then_some(Err(why)),
    };
    let Some(data) = image.export(memory, "retro_get_memory_data") else {
        return is_core_name(name).then(|| Err("it does not export retro_get_memory_data".into()));
    };
    let call = |entry| evaluate(memory, entry, image.span.clone(), image.abi, SYSTEM_RAM);
    let len = || call(image.export(memory, "retro_get_memory_size")?).ok();
    let nothing =
        || Err("it exports no main RAM (no game is loaded, or the core does not support it)".into());
    Some(match call(data) {
        Ok(0) => nothing(),
        Ok(_) if len() == Some(0) => nothing(),
        Ok(base) => Ok(SystemRam { base: HostAddr(base), len: len() }),
        Err(error) => Err(error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plug_ins_may_be_cores_but_the_libraries_of_windows_are_not_read() {
        let may_be = |is_of_windows: bool, name: &str| {
            may_be_core(&Module { name: name.into(), is_of_windows, start: HostAddr(0) })
        };
        assert!(may_be(false, "fceumm_libretro.dll") && may_be(true, "fceumm_libretro.dll"));
        assert!(may_be(false, "core.dll") && may_be(false, "core.so"));
        assert!(!may_be(true, "ntdll.dll"));
        assert!(!may_be(false, "libc.so") && !may_be(false, "program.exe"));
    }
}
