//! Recognises RAM by the buffer of drawn piece codes.

use crate::games::sega::buffer::{identify, locate};
use crate::games::sega::cells::{self, Cells};
use crate::profile::Profile;
use memchr::memmem;
use nextscope_memory::console::Snapshot;

/// Codes in the wrong byte order look drawn as well: only solving for their state decides.
pub(super) fn codes_match(snapshot: &Snapshot, profile: &Profile, pattern: &[u8], thorough: bool) -> bool {
    let places = [("sequence", Cells::Bytes), ("sequence_words", Cells::Words)];
    let known = places.into_iter().find_map(|(field, cells)| Some((profile.field(field)?, cells)));
    if let Some((field, cells)) = known {
        let Ok(bytes) = field.bytes(snapshot) else { return false };
        let solved = || cells.codes(bytes, 0).is_some_and(|codes| identify(&codes).is_some());
        return cells::places(bytes, cells).next() == Some(0) && (!thorough || solved());
    }
    let ram = snapshot.all();
    contains_codes(ram, pattern) || (cells::looks_drawn(ram) && (!thorough || locate(ram).is_some()))
}

/// Whether these codes are in RAM, as bytes or as 16-bit words.
pub(super) fn contains_codes(ram: &[u8], codes: &[u8]) -> bool {
    let words: Vec<u8> = codes.iter().flat_map(|code| [0, *code]).collect();
    [codes, &words].into_iter().any(|codes| memmem::find(ram, codes).is_some())
}
