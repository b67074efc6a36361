//! libretro cores: every one, on every system, exports `retro_get_memory_data` and `retro_get_memory_size`. What they
//! would return for the console's main RAM is worked out without running them (libretro.h,
//! `RETRO_MEMORY_SYSTEM_RAM`).

use super::export_eval::evaluate;
use super::image::{Image, Module};
use crate::console::Memory;
use crate::process::HostAddr;

/// The number of the console's main RAM in the libretro interface.
const SYSTEM_RAM: u64 = 2;

/// What a core says about its main RAM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemRam {
    /// Where its first byte stands.
    pub base: HostAddr,
    /// Its length in bytes, where that could be worked out.
    pub len: Option<u64>,
}

/// Whether a module may be a libretro core, by its name: `*_libretro.so` as a rule; other plug-ins are worth a look.
pub(super) fn may_be_core(module: &Module) -> bool {
    let name = module.name.to_ascii_lowercase();
    let plug_in = [".so", ".dll", ".dylib"].iter().any(|ending| name.ends_with(ending));
    name.contains("_libretro") || (plug_in && !name.starts_with("lib") && !name.starts_with("ld-"))
}

/// Whether the name says that it is a libretro core.
pub(super) fn is_core_name(name: &str) -> bool {
    name.to_ascii_lowercase().contains("_libretro")
}

/// Where a libretro core that is mapped at `start`, from a file of that name, has the console's main RAM by its own exports. None when it
/// is no such core.
///
/// # Errors
/// Why that cannot be worked out, in a sentence.
pub fn exported_ram(memory: &dyn Memory, start: HostAddr, name: &str) -> Option<Result<SystemRam, String>> {
    system_ram(memory, &Module { name: name.to_owned(), start })
}

/// Asks a module where its main RAM is; None when it is no libretro core, an error when it cannot be worked out.
pub(super) fn system_ram(memory: &dyn Memory, module: &Module) -> Option<Result<SystemRam, String>> {
    let image = match Image::read(memory, module.start) {
        Ok(image) => image,
        Err(why) => return is_core_name(&module.name).then_some(Err(why)),
    };
    let Some(data) = image.export(memory, "retro_get_memory_data") else {
        return is_core_name(&module.name).then(|| Err("it does not export retro_get_memory_data".into()));
    };
    let ask = |entry| evaluate(memory, entry, image.span.clone(), image.abi, SYSTEM_RAM);
    let len = || ask(image.export(memory, "retro_get_memory_size")?).ok();
    let nothing =
        || Err("it has no main RAM to show (no game is loaded, or the core does not support it)".into());
    Some(match ask(data) {
        Ok(0) => nothing(),
        Ok(_) if len() == Some(0) => nothing(),
        Ok(base) => Ok(SystemRam { base: HostAddr(base), len: len() }),
        Err(stuck) => Err(stuck.to_string()),
    })
}
