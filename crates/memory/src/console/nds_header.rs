//! The cartridge header of a Nintendo DS and its copy in RAM.
//!
//! Source: the header's layout as GBATEK describes it (title, game code, ARM9 program, checksums), and the address
//! to which the firmware copies it, 0x027FFE00; reference: emulators.md.

use super::{ConsoleAddr, Domain, Snapshot};
use crate::{HostAddr, Memory};

/// The address of the copy.
pub const COPY: ConsoleAddr = ConsoleAddr(0x027F_FE00);
/// Bytes of the header that the checksum at [`HEADER_CRC`] covers.
const CHECKED: usize = 0x15E;
/// The length of the part of the header that is used.
pub const LEN: usize = 0x160;
/// The offset of the four characters of the game code.
pub const GAME_CODE: usize = 0x0C;
/// Offsets of the ARM9 program's position on the cartridge, its entry address and its load address.
const ARM9_ON_CARTRIDGE: usize = 0x20;
const ARM9_ENTRY: usize = 0x24;
const ARM9_LOAD: usize = 0x28;
/// The logo, and the checksum over it.
const LOGO: std::ops::Range<usize> = 0xC0..0x15C;
const LOGO_CRC: usize = 0x15C;
/// The checksum over everything before it.
const HEADER_CRC: usize = 0x15E;

/// DeSmuME overwrites this part of the copy in RAM with homebrew arguments, for every program: the homebrew library's magic number, then
/// address and length of the text (libnds, `struct __argv` at 0x02FFFE70, a mirror of 0x027FFE70; DeSmuME, NDSSystem.cpp; observed in
/// 0.9.11 and in py-desmume 0.0.9).
const ARGUMENTS: std::ops::Range<usize> = 0x70..0x74;
const ARGUMENTS_MAGIC: u32 = 0x5F61_7267;

/// The cartridge's CRC-16: polynomial 0x8005 reflected, initial value 0xFFFF (GBATEK, BIOS GetCRC16).
pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xA001 } else { crc >> 1 })
    })
}

/// Whether these bytes are a header with this game code and valid checksums. If homebrew arguments overwrote part of it, the checksum
/// over the whole header is invalid and only the one over the logo counts.
pub fn is_header(header: &[u8], game_code: &str) -> bool {
    let word = |at: usize| Some(u16::from_le_bytes(header.get(at..at + 2)?.try_into().ok()?));
    header.get(GAME_CODE..GAME_CODE + 4) == Some(game_code.as_bytes())
        && header.get(LOGO).map(crc16) == word(LOGO_CRC)
        && (header.get(..CHECKED).map(crc16) == word(HEADER_CRC)
            || header.get(ARGUMENTS) == Some(&ARGUMENTS_MAGIC.to_le_bytes()))
}

/// The entry point of the ARM9 program that a header names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its offset on the cartridge, in bytes.
    pub on_cartridge: u64,
    /// Its address in main RAM.
    pub in_ram: ConsoleAddr,
}

/// The entry point that a header names, if it is inside the RAM.
pub fn arm9_entry(header: &[u8], domain: &Domain) -> Option<Entry> {
    let word = |at: usize| Some(u32::from_le_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let entry = word(ARM9_ENTRY)?;
    let into = entry.wrapping_sub(word(ARM9_LOAD)?);
    let in_ram = ConsoleAddr(entry);
    domain.span(in_ram, 4)?;
    Some(Entry { on_cartridge: u64::from(word(ARM9_ON_CARTRIDGE)?) + u64::from(into), in_ram })
}

/// Whether RAM contains the copy and the program that it names is loaded. A snapshot without the program's entry point is accepted.
pub fn matches(snapshot: &Snapshot, game_code: &str) -> bool {
    let Ok(header) = snapshot.bytes(COPY, LEN) else { return false };
    is_header(header, game_code)
        && arm9_entry(header, snapshot.domain())
            .is_some_and(|entry| snapshot.bytes(entry.in_ram, 4).map_or(true, |code| code != [0; 4]))
}

/// As [`matches()`] for RAM at `base` in a memory; here the program's entry point must be readable and not zero.
pub fn matches_at(memory: &(impl Memory + ?Sized), base: HostAddr, domain: &Domain, game_code: &str) -> bool {
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
    fn the_checksum_is_crc_16_modbus() {
        assert_eq!(crc16(b"123456789"), 0x4B37); // the check value of CRC-16/MODBUS in the catalogues
    }
}
