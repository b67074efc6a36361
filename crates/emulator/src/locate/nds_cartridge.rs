//! Tells a Nintendo DS's RAM from the game file in an emulator's memory: the file has the same header and the program that is in RAM.

use super::scan::AddressSpace;
use crate::process::HostAddr;
use nextscope_memory::console::{Domain, nds_header};
use std::collections::HashSet;

/// Bytes of the program's entry point that are compared.
const COMPARED: usize = 16;

/// Of several possible bases, retains those whose program is that of a game file in the same memory, if there are any. Memory before such
/// a file may look like RAM, because any nonzero bytes there pass for the program. `hits` are all occurrences of the game code, in RAM
/// and in files.
pub(super) fn retain_loaded(
    space: &dyn AddressSpace,
    domain: &Domain,
    hits: impl Iterator<Item = HostAddr>,
    bases: &mut Vec<HostAddr>,
) {
    if bases.len() < 2 {
        return;
    }
    let read = |at: u64| {
        let mut code = [0; COMPARED];
        space.read_exact(HostAddr(at), &mut code).is_ok().then_some(code)
    };
    let entry_at = |header: u64| {
        let mut bytes = [0; nds_header::LEN];
        space.read_exact(HostAddr(header), &mut bytes).ok()?;
        nds_header::arm9_entry(&bytes, domain)
    };
    let in_files: HashSet<[u8; COMPARED]> = hits
        .filter_map(|hit| {
            let header = hit.0.checked_sub(nds_header::GAME_CODE as u64)?;
            read(header.checked_add(entry_at(header)?.on_cartridge)?)
        })
        .filter(|code| *code != [0; COMPARED])
        .collect();
    let code_in_ram = |base: &HostAddr| {
        let header = base.offset(domain.offset_of(nds_header::COPY)? as u64);
        let in_ram = domain.offset_of(entry_at(header.0)?.in_ram)?;
        read(base.offset(in_ram as u64).0)
    };
    let is_loaded = |base: &HostAddr| code_in_ram(base).is_some_and(|code| in_files.contains(&code));
    if bases.iter().any(is_loaded) {
        bases.retain(is_loaded);
    }
}
