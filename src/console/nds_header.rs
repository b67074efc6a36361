//! The cartridge header of a Nintendo DS and the copy of it that stands in RAM.
//!
//! Source: the header's layout as GBATEK describes it (title, game code, ARM9 program, checksums), and the place to
//! which the firmware copies it, 0x027FFE00; reference: emulators.md.

use super::{ConsoleAddr, Domain, Memory, Snapshot};
use crate::process::HostAddr;

/// Where the copy stands, as an address.
pub(crate) const COPY: ConsoleAddr = ConsoleAddr(0x027F_FE00);
/// Bytes of the header that the checksum at [`HEADER_CRC`] covers.
const CHECKED: usize = 0x15E;
/// The header as far as it is needed.
pub(crate) const LEN: usize = 0x160;
/// The four characters of the game code.
pub(crate) const GAME_CODE: usize = 0x0C;
/// Where the ARM9 program stands on the card, the address at which it begins, the address to which it is loaded.
const ARM9_ON_CARD: usize = 0x20;
const ARM9_ENTRY: usize = 0x24;
const ARM9_LOAD: usize = 0x28;
/// The logo, and the checksum over it.
const LOGO: std::ops::Range<usize> = 0xC0..0x15C;
const LOGO_CRC: usize = 0x15C;
/// The checksum over all in front of it.
const HEADER_CRC: usize = 0x15E;

/// Where DeSmuME writes the arguments that homebrew is started with, whatever it starts, over the copy in RAM: the homebrew
/// library's mark, address and length of the text (libnds, `struct __argv` at 0x02FFFE70, a mirror of 0x027FFE70;
/// DeSmuME, NDSSystem.cpp; seen in 0.9.11 and in py-desmume 0.0.9).
const ARGUMENTS: std::ops::Range<usize> = 0x70..0x74;
const ARGUMENTS_MARK: u32 = 0x5F61_7267;

/// CRC-16 as the cartridge has it: polynomial 0x8005 reflected, beginning with 0xFFFF (GBATEK, BIOS GetCRC16).
pub(crate) fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xA001 } else { crc >> 1 })
    })
}

/// Whether these bytes are a header with this game code and right checksums. Where the arguments of homebrew were
/// written over it, the checksum over all of it cannot be right any more, and that over the logo counts.
pub(crate) fn is_header(header: &[u8], game_code: &str) -> bool {
    let word = |at: usize| Some(u16::from_le_bytes(header.get(at..at + 2)?.try_into().ok()?));
    header.get(GAME_CODE..GAME_CODE + 4) == Some(game_code.as_bytes())
        && header.get(LOGO).map(crc16) == word(LOGO_CRC)
        && (header.get(..CHECKED).map(crc16) == word(HEADER_CRC)
            || header.get(ARGUMENTS) == Some(&ARGUMENTS_MARK.to_le_bytes()))
}

/// The first instructions of the ARM9 program that a header names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Where they stand on the card, in bytes.
    pub on_card: u64,
    /// Where they are loaded to, in main RAM.
    pub in_ram: ConsoleAddr,
}

/// Where the ARM9 program begins that a header names, when that is inside the RAM.
pub(crate) fn arm9_entry(header: &[u8], domain: &Domain) -> Option<Entry> {
    let word = |at: usize| Some(u32::from_le_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let entry = word(ARM9_ENTRY)?;
    let into = entry.wrapping_sub(word(ARM9_LOAD)?);
    let in_ram = ConsoleAddr(entry);
    domain.span(in_ram, 4)?;
    Some(Entry { on_card: u64::from(word(ARM9_ON_CARD)?) + u64::from(into), in_ram })
}

/// Whether the copy stands in RAM and the program that it names was loaded. A snapshot that does not hold the
/// program's beginning says nothing against it.
pub(crate) fn stands(snapshot: &Snapshot, game_code: &str) -> bool {
    let Ok(header) = snapshot.bytes(COPY, LEN) else { return false };
    is_header(header, game_code)
        && arm9_entry(header, snapshot.domain())
            .is_some_and(|entry| snapshot.bytes(entry.in_ram, 4).map_or(true, |code| code != [0; 4]))
}

/// The same for RAM that begins at `base` in a memory, and there the program's beginning must not be zeros.
pub(crate) fn stands_at(
    memory: &(impl Memory + ?Sized),
    base: HostAddr,
    domain: &Domain,
    game_code: &str,
) -> bool {
    let read = |at: ConsoleAddr, buf: &mut [u8]| {
        let span = domain.span(at, buf.len())?;
        memory.read_exact(base.offset(span.start as u64), buf).ok()
    };
    let mut header = [0; LEN];
    let mut code = [0; 4];
    read(COPY, &mut header).is_some()
        && is_header(&header, game_code)
        && arm9_entry(&header, domain).and_then(|entry| read(entry.in_ram, &mut code)).is_some()
        && code != [0; 4]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_the_catalogues() {
        assert_eq!(crc16(b"123456789"), 0x4B37); // CRC-16/MODBUS: the same polynomial, reflection and start
    }
}
