//! The Nintendo DS card's file in an emulator's memory: it has the same header as RAM, and the program that RAM holds.

use super::scan::Space;
use crate::console::{Domain, nds_header};
use crate::process::HostAddr;
use std::collections::HashSet;

/// Bytes of a program's beginning that are compared.
const BEGINNING: usize = 16;

/// Of several places at which RAM may begin, leaves those that hold the program of a card's file in the same memory, if
/// there are any. Memory in front of such a file may look like RAM at first sight: whatever stands there is taken for
/// the program. `hits` are the game codes seen, in RAM and in files.
pub(super) fn loaded_from_it(
    space: &dyn Space,
    domain: &Domain,
    hits: impl Iterator<Item = HostAddr>,
    bases: &mut Vec<HostAddr>,
) {
    if bases.len() < 2 {
        return;
    }
    let read = |at: u64| {
        let mut beginning = [0; BEGINNING];
        space.read_exact(HostAddr(at), &mut beginning).is_ok().then_some(beginning)
    };
    let entry_at = |header: u64| {
        let mut bytes = [0; nds_header::LEN];
        space.read_exact(HostAddr(header), &mut bytes).ok()?;
        nds_header::arm9_entry(&bytes, domain)
    };
    let on_cards: HashSet<[u8; BEGINNING]> = hits
        .filter_map(|hit| {
            let header = hit.0.checked_sub(nds_header::GAME_CODE as u64)?;
            read(header.checked_add(entry_at(header)?.on_card)?)
        })
        .filter(|beginning| *beginning != [0; BEGINNING])
        .collect();
    let loaded = |base: &HostAddr| {
        let header = base.offset(domain.offset_of(nds_header::COPY)? as u64);
        let in_ram = domain.offset_of(entry_at(header.0)?.in_ram)?;
        read(base.offset(in_ram as u64).0)
    };
    let agrees = |base: &HostAddr| loaded(base).is_some_and(|beginning| on_cards.contains(&beginning));
    if bases.iter().any(agrees) {
        bases.retain(agrees);
    }
}
