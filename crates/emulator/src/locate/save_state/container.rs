//! Unpacks the container formats of save states, which may be nested.
//!
//! Sizes are limited: lengths in a file are not trusted, and unpacking stops at [`MAX_UNPACKED`].

use super::StateError;
use crate::process::{ByteArray, HostAddr};
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use memchr::memmem;
use nextscope_memory::console::ConsoleId;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder};
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;
use std::sync::Arc;

/// The most bytes unpacked: states of a Nintendo DS have about 20 MiB, those of BizHawk's cores for it several times as many. Growing the
/// buffer needs twice as much.
pub(super) const MAX_UNPACKED: usize = 96 << 20;
/// The deepest nesting of formats: a BizHawk state has three.
const MAX_LAYERS: usize = 4;
/// The most entries of an archive.
const MAX_ENTRIES: usize = 256;

/// RFC 1952, 2.3.1: the two bytes of a gzip file, and deflate.
const GZIP: [u8; 3] = [0x1F, 0x8B, 8];
/// RFC 8878, 3.1.1.
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// PKWARE APPNOTE, 4.3.7.
const ZIP: &[u8] = b"PK\x03\x04";
/// RetroArch, `rzip_stream.c`: magic with version 1, then the chunk size (u32) and the total size (u64), little-endian; each chunk is a
/// length (u32) and a zlib stream.
const RZIP: &[u8] = b"#RZIPv\x01#";
const RZIP_HEADER: usize = 20;
/// RetroArch, `task_save.c`: magic with version 1; each block is a name of four letters, a length (u32, little-endian) and that many bytes,
/// padded to a multiple of 8.
const RASTATE: &[u8] = b"RASTATE\x01";
const RASTATE_RAM: &[u8] = b"MEM ";
const RASTATE_END: &[u8] = b"END ";

/// Formats with a magic, a header of fixed length, and a zlib stream after it.
const WITH_HEADER: [(&[u8], usize, &str); 3] = [
    // DeSmuME, `saves.cpp`, savestate_save: magic, two versions, length, packed length (-1: not packed).
    (b"DeSmuME SState\0", 32, "DeSmuME state"),
    // FCEUX, `state.cpp`, FCEUSS_SaveMS: magic, length, version, packed length (-1: not packed).
    (b"FCSX", 16, "FCEUX state"),
    // MAME, `save.h` and `save.cpp`: magic, version, flags, the machine's name, signature.
    (b"MAMESAVE", 32, "MAME state"),
];

/// Formats that are not packed.
const UNPACKED_FORMATS: [(&[u8], &str); 3] = [
    (b"MDFNSVST", "Mednafen state"),
    // BlastEm, `serialize.c`.
    (b"BLSTSZ\x01\x07", "BlastEm state"),
    // Genesis Plus GX, `state.h`.
    (b"GENPLUS-GX ", "Genesis Plus GX state"),
];

/// Formats with RAM at a fixed offset: 68K RAM in bus order (Bart Trzynadlowski, Sega Genesis emulator save state
/// reference, third edition).
const FIXED: [(&[u8], usize, &str); 2] =
    [(b"GST", 0x2478, "GST state (Genecyst, Gens, Kega)"), (b"KSS\x01", 0x2098, "KGen98 state")];

/// The core's lump of a BizHawk state (BizHawk, `BinaryStateLump.cs`; in version 1.0.0 without an extension, from 1.0.3 on with `.zst` if
/// it is packed), and the lump of a core that saves as text.
const CORE_LUMPS: [&str; 3] = ["Core.bin.zst", "Core.bin", "Core"];
const TEXT_LUMPS: [&str; 2] = ["CoreText.txt.zst", "CoreText.txt"];
/// Part of the states of BizHawk's waterbox cores (`memory_block/mod.rs`).
const WATERBOX: &[u8] = b"ActivatedMemoryBlock";

/// A file, unpacked as far as its formats are known.
#[derive(Debug, Clone)]
pub struct UnpackedState {
    /// Its formats, from the outside in; empty for unknown formats.
    pub formats: Vec<&'static str>,
    /// The unpacked bytes.
    pub bytes: Arc<ByteArray>,
    /// Console and offset of the RAM, if the format defines them.
    pub(super) fixed_offset: Option<(ConsoleId, usize)>,
    /// Whether the core omits pages of memory that were never written.
    pub(super) pages_left_out: bool,
}

impl UnpackedState {
    /// Its formats, in words.
    pub fn format(&self) -> String {
        if self.formats.is_empty() { "file".to_owned() } else { self.formats.join(", in it ") }
    }
}

/// Unpacks a file; a file of unknown format is returned unchanged.
///
/// # Errors
/// If its format is known, but it is damaged, too long or incomplete.
pub fn unpack(file: Vec<u8>) -> Result<UnpackedState, StateError> {
    let mut formats = Vec::new();
    let mut bytes = file;
    // Nested layers are in memory at the same time.
    let mut limit = MAX_UNPACKED;
    while formats.len() < MAX_LAYERS {
        let Some((format, inside)) = layer(&bytes, limit)? else { break };
        formats.push(format);
        limit = limit.saturating_sub(inside.len());
        bytes = inside;
    }
    // Formats with a header are not always packed.
    let mut plain = UNPACKED_FORMATS.into_iter().chain(WITH_HEADER.map(|(magic, _, name)| (magic, name)));
    let plain = plain.find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| name);
    let fixed = FIXED.iter().find(|(magic, _, _)| bytes.starts_with(magic));
    formats.extend(plain.or(fixed.map(|(_, _, name)| *name)));
    let fixed_offset = fixed.map(|(_, at, _)| (ConsoleId::Genesis, *at));
    let pages_left_out = formats.first() == Some(&BIZHAWK) && memmem::find(&bytes, WATERBOX).is_some();
    let bytes = Arc::new(ByteArray { base: HostAddr(0), bytes });
    Ok(UnpackedState { formats, bytes, fixed_offset, pages_left_out })
}

const BIZHAWK: &str = "BizHawk state";

/// Unpacks the outermost layer and returns its format; None if there is nothing to unpack.
fn layer(bytes: &[u8], limit: usize) -> Result<Option<(&'static str, Vec<u8>)>, StateError> {
    if let Some((_, header, format)) = WITH_HEADER.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        let Some(inside) = bytes.get(*header..).filter(|inside| is_zlib(inside)) else { return Ok(None) };
        return Ok(Some((format, read_all(ZlibDecoder::new(inside), limit, format)?)));
    }
    Ok(if bytes.starts_with(ZIP) {
        Some((BIZHAWK, core_lump(bytes, limit)?))
    } else if bytes.starts_with(RZIP) {
        Some(("RZIP", rzip(bytes, limit)?))
    } else if bytes.starts_with(RASTATE) {
        Some(("RetroArch state", core_block(bytes)?))
    } else if bytes.starts_with(&GZIP) {
        Some(("gzip", read_all(GzDecoder::new(bytes), limit, "gzip")?))
    } else if bytes.starts_with(&ZSTD) {
        let decoder = StreamingDecoder::new(bytes).map_err(|error| damaged("zstd", &error))?;
        Some(("zstd", read_all(decoder, limit, "zstd")?))
    } else if is_zlib(bytes) {
        // Two bytes are weak evidence: RAM may begin with them.
        read_all(ZlibDecoder::new(bytes), limit, "zlib").ok().map(|inside| ("zlib", inside))
    } else {
        None
    })
}

/// RFC 1950, 2.2: deflate with a window of at most 32 KiB, no dictionary, and a check over both bytes.
fn is_zlib(bytes: &[u8]) -> bool {
    let [first, second, ..] = bytes else { return false };
    let both = u16::from_be_bytes([*first, *second]);
    first & 0x0F == 8 && first >> 4 <= 7 && second & 0x20 == 0 && both % 31 == 0
}

fn damaged(format: &'static str, why: &impl std::fmt::Display) -> StateError {
    StateError::Damaged { format, why: why.to_string() }
}

/// Reads a decoder to its end, up to a limit.
fn read_all(mut decoder: impl Read, limit: usize, format: &'static str) -> Result<Vec<u8>, StateError> {
    let mut all: Vec<u8> = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match decoder.read(&mut piece) {
            Ok(0) => return Ok(all),
            Ok(len) if all.len() + len > limit => return Err(StateError::TooLong { format }),
            Ok(len) => {
                if all.capacity() < all.len() + len {
                    let more = all.len().max(piece.len()).min(limit - all.len());
                    all.reserve_exact(more);
                }
                all.extend_from_slice(&piece[..len]);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(damaged(format, &error)),
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
}

fn rzip(bytes: &[u8], limit: usize) -> Result<Vec<u8>, StateError> {
    const FORMAT: &str = "RZIP";
    let short = || damaged(FORMAT, &"it is truncated");
    let total = bytes.get(12..RZIP_HEADER).and_then(|total| total.try_into().ok()).map(u64::from_le_bytes);
    let total = usize::try_from(total.ok_or_else(short)?).unwrap_or(usize::MAX);
    if total > limit {
        return Err(StateError::TooLong { format: FORMAT });
    }
    let mut all = Vec::new();
    let mut at = RZIP_HEADER;
    while all.len() < total {
        let len = u32_at(bytes, at).filter(|len| *len > 0).ok_or_else(short)?;
        let chunk = bytes.get(at + 4..).and_then(|rest| rest.get(..len)).ok_or_else(short)?;
        let left = total - all.len();
        let read = ZlibDecoder::new(chunk).take(left as u64).read_to_end(&mut all);
        if read.map_err(|error| damaged(FORMAT, &error))? == 0 {
            return Err(short());
        }
        at += 4 + len;
    }
    Ok(all)
}

fn core_block(bytes: &[u8]) -> Result<Vec<u8>, StateError> {
    const FORMAT: &str = "RetroArch state";
    let mut at = RASTATE.len();
    loop {
        let name = bytes.get(at..at + 4);
        let len = u32_at(bytes, at + 4);
        let (Some(name), Some(len)) = (name, len) else {
            return Err(damaged(FORMAT, &"it has no core block"));
        };
        let inside = bytes.get(at + 8..).and_then(|rest| rest.get(..len));
        match (name, inside) {
            (RASTATE_END, _) => return Err(damaged(FORMAT, &"it has no core block")),
            (_, None) => return Err(damaged(FORMAT, &"it is truncated")),
            (RASTATE_RAM, Some(inside)) => return Ok(inside.to_vec()),
            _ => at += 8 + len.next_multiple_of(8),
        }
    }
}

/// The core's lump of a BizHawk state.
fn core_lump(bytes: &[u8], limit: usize) -> Result<Vec<u8>, StateError> {
    let wrong = |error: rawzip::Error| damaged("zip", &error);
    let archive = ZipArchive::from_slice(bytes).map_err(wrong)?;
    let mut entries = archive.entries();
    let mut best: Option<(usize, ZipArchiveEntryWayfinder, CompressionMethod)> = None;
    let mut text = false;
    let mut count = 0;
    while let Some(entry) = entries.next_entry().map_err(wrong)? {
        count += 1;
        if count > MAX_ENTRIES {
            return Err(StateError::NoCore { why: "it has too many entries for a state" });
        }
        let path = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        // Newer versions put everything into a folder.
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        text |= TEXT_LUMPS.contains(&name);
        let rank = CORE_LUMPS.iter().position(|lump| *lump == name);
        if let Some(rank) = rank
            && best.as_ref().is_none_or(|(best, ..)| rank < *best)
        {
            best = Some((rank, entry.wayfinder(), entry.compression_method()));
        }
    }
    let Some((_, wayfinder, method)) = best else {
        return Err(StateError::NoCore {
            why: if text {
                "its core was saved as text; select binary save states in BizHawk"
            } else {
                "it is a zip without a core's lump: not a BizHawk state"
            },
        });
    };
    let entry = archive.get_entry(wayfinder).map_err(wrong)?;
    let data = entry.data();
    if method == CompressionMethod::STORE {
        read_all(entry.verifying_reader(data), limit, BIZHAWK)
    } else if method == CompressionMethod::DEFLATE {
        read_all(entry.verifying_reader(DeflateDecoder::new(data)), limit, BIZHAWK)
    } else {
        Err(damaged("zip", &"its core is compressed with another method than deflate"))
    }
}
