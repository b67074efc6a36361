//! What save states are packed in: each format gives the bytes inside it, and those may be packed again.
//!
//! Sizes are limited: nothing that a file claims is believed, and what it unpacks to is cut off at [`UNPACKED_MOST`].

use super::StateError;
use crate::console::{ByteArray, ConsoleId};
use crate::process::HostAddr;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use memchr::memmem;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder};
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;
use std::sync::Arc;

/// The most that is unpacked: the states of a Nintendo DS have about 20 MiB, those of BizHawk's cores for it several times as many.
/// Twice of it is needed while it grows.
pub(super) const UNPACKED_MOST: usize = 96 << 20;
/// Formats inside one another at most: a BizHawk state is three.
const LAYERS_MOST: usize = 4;
/// Entries of an archive that are looked at.
const ENTRIES_MOST: usize = 256;

/// RFC 1952, 2.3.1: the two bytes of a gzip file, and deflate.
const GZIP: [u8; 3] = [0x1F, 0x8B, 8];
/// RFC 8878, 3.1.1.
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// PKWARE APPNOTE, 4.3.7.
const ZIP: &[u8] = b"PK\x03\x04";
/// RetroArch, `rzip_stream.c`: mark with version 1, then the size of a chunk (u32) and of all (u64), little-endian; chunks are a
/// length (u32) and a zlib stream.
const RZIP: &[u8] = b"#RZIPv\x01#";
const RZIP_HEADER: usize = 20;
/// RetroArch, `task_save.c`: mark with version 1; blocks are a name of four letters, a length (u32, little-endian) and so many bytes,
/// filled up to a multiple of 8.
const RASTATE: &[u8] = b"RASTATE\x01";
const RASTATE_RAM: &[u8] = b"MEM ";
const RASTATE_END: &[u8] = b"END ";

/// Files with a mark, a header of a fixed length, and a zlib stream behind it.
const BEHIND_HEADERS: [(&[u8], usize, &str); 3] = [
    // DeSmuME, `saves.cpp`, savestate_save: mark, two versions, length, packed length (-1: not packed).
    (b"DeSmuME SState\0", 32, "DeSmuME state"),
    // FCEUX, `state.cpp`, FCEUSS_SaveMS: mark, length, version, packed length (-1: not packed).
    (b"FCSX", 16, "FCEUX state"),
    // MAME, `save.h` and `save.cpp`: mark, version, flags, the machine's name, signature.
    (b"MAMESAVE", 32, "MAME state"),
];

/// Marks of states that are not packed, or no more.
const PLAIN: [(&[u8], &str); 3] = [
    (b"MDFNSVST", "Mednafen state"),
    // BlastEm, `serialize.c`.
    (b"BLSTSZ\x01\x07", "BlastEm state"),
    // Genesis Plus GX, `state.h`.
    (b"GENPLUS-GX ", "Genesis Plus GX state"),
];

/// Formats that say themselves where RAM stands: 68K RAM as on the bus (Bart Trzynadlowski, Sega Genesis emulator save state
/// reference, third edition).
const FIXED: [(&[u8], usize, &str); 2] =
    [(b"GST", 0x2478, "GST state (Genecyst, Gens, Kega)"), (b"KSS\x01", 0x2098, "KGen98 state")];

/// The lump of a BizHawk state that is the core's (BizHawk, `BinaryStateLump.cs`; in version 1.0.0 without an ending, from 1.0.3 on
/// with `.zst` where it is packed), and the one that a core has instead that writes text.
const CORE_LUMPS: [&str; 3] = ["Core.bin.zst", "Core.bin", "Core"];
const TEXT_LUMPS: [&str; 2] = ["CoreText.txt.zst", "CoreText.txt"];
/// Stands in the states of BizHawk's cores that run in its waterbox (`memory_block/mod.rs`).
const WATERBOX: &[u8] = b"ActivatedMemoryBlock";

/// A file, unpacked as far as its formats are known.
#[derive(Debug, Clone)]
pub struct Unpacked {
    /// Its formats, from the outside in; none when it is just bytes.
    pub formats: Vec<&'static str>,
    /// What is inside, by offsets.
    pub bytes: Arc<ByteArray>,
    /// Where the format says that RAM is.
    pub(super) fixed: Option<(ConsoleId, usize)>,
    /// Whether the core left pages of memory out that were never written.
    pub(super) pages_left_out: bool,
}

impl Unpacked {
    /// Its formats in words.
    #[must_use]
    pub fn format(&self) -> String {
        if self.formats.is_empty() { "file".to_owned() } else { self.formats.join(", in it ") }
    }
}

/// Unpacks a file; one of no known format stays as it is.
///
/// # Errors
/// When it is of a format that is known, but damaged, too long, or without what belongs in it.
pub fn unpack(file: Vec<u8>) -> Result<Unpacked, StateError> {
    let mut formats = Vec::new();
    let mut bytes = file;
    // One inside the other, they are held at the same time.
    let mut most = UNPACKED_MOST;
    while formats.len() < LAYERS_MOST {
        let Some((format, inside)) = layer(&bytes, most)? else { break };
        formats.push(format);
        most = most.saturating_sub(inside.len());
        bytes = inside;
    }
    // Those with a header are not always packed.
    let mut plain = PLAIN.into_iter().chain(BEHIND_HEADERS.map(|(mark, _, name)| (mark, name)));
    let plain = plain.find(|(mark, _)| bytes.starts_with(mark)).map(|(_, name)| name);
    let fixed = FIXED.iter().find(|(mark, _, _)| bytes.starts_with(mark));
    formats.extend(plain.or(fixed.map(|(_, _, name)| *name)));
    let fixed = fixed.map(|(_, at, _)| (ConsoleId::Genesis, *at));
    let pages_left_out = formats.first() == Some(&BIZHAWK) && memmem::find(&bytes, WATERBOX).is_some();
    let bytes = Arc::new(ByteArray { base: HostAddr(0), bytes });
    Ok(Unpacked { formats, bytes, fixed, pages_left_out })
}

const BIZHAWK: &str = "BizHawk state";

/// The format of some bytes and what is inside; None when there is nothing to unpack.
fn layer(bytes: &[u8], most: usize) -> Result<Option<(&'static str, Vec<u8>)>, StateError> {
    if let Some((_, header, format)) = BEHIND_HEADERS.iter().find(|(mark, ..)| bytes.starts_with(mark)) {
        let Some(inside) = bytes.get(*header..).filter(|inside| is_zlib(inside)) else { return Ok(None) };
        return Ok(Some((format, all_of(ZlibDecoder::new(inside), most, format)?)));
    }
    Ok(if bytes.starts_with(ZIP) {
        Some((BIZHAWK, core_lump(bytes, most)?))
    } else if bytes.starts_with(RZIP) {
        Some(("RZIP", rzip(bytes, most)?))
    } else if bytes.starts_with(RASTATE) {
        Some(("RetroArch state", core_block(bytes)?))
    } else if bytes.starts_with(&GZIP) {
        Some(("gzip", all_of(GzDecoder::new(bytes), most, "gzip")?))
    } else if bytes.starts_with(&ZSTD) {
        let decoder = StreamingDecoder::new(bytes).map_err(|error| damaged("zstd", &error))?;
        Some(("zstd", all_of(decoder, most, "zstd")?))
    } else if is_zlib(bytes) {
        // Two bytes prove little: RAM may begin so.
        all_of(ZlibDecoder::new(bytes), most, "zlib").ok().map(|inside| ("zlib", inside))
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

/// Everything that a decoder gives, as long as it is not too much.
fn all_of(mut decoder: impl Read, most: usize, format: &'static str) -> Result<Vec<u8>, StateError> {
    let mut all: Vec<u8> = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match decoder.read(&mut piece) {
            Ok(0) => return Ok(all),
            Ok(len) if all.len() + len > most => return Err(StateError::TooLong { format }),
            Ok(len) => {
                if all.capacity() < all.len() + len {
                    let more = all.len().max(piece.len()).min(most - all.len());
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

fn rzip(bytes: &[u8], most: usize) -> Result<Vec<u8>, StateError> {
    const FORMAT: &str = "RZIP";
    let short = || damaged(FORMAT, &"it ends in the middle");
    let total = bytes.get(12..RZIP_HEADER).and_then(|total| total.try_into().ok()).map(u64::from_le_bytes);
    let total = usize::try_from(total.ok_or_else(short)?).unwrap_or(usize::MAX);
    if total > most {
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
            return Err(damaged(FORMAT, &"it has no block of the core"));
        };
        let inside = bytes.get(at + 8..).and_then(|rest| rest.get(..len));
        match (name, inside) {
            (RASTATE_END, _) => return Err(damaged(FORMAT, &"it has no block of the core")),
            (_, None) => return Err(damaged(FORMAT, &"it ends in the middle")),
            (RASTATE_RAM, Some(inside)) => return Ok(inside.to_vec()),
            _ => at += 8 + len.next_multiple_of(8),
        }
    }
}

/// The core's lump of a BizHawk state.
fn core_lump(bytes: &[u8], most: usize) -> Result<Vec<u8>, StateError> {
    let wrong = |error: rawzip::Error| damaged("zip", &error);
    let archive = ZipArchive::from_slice(bytes).map_err(wrong)?;
    let mut entries = archive.entries();
    let mut best: Option<(usize, ZipArchiveEntryWayfinder, CompressionMethod)> = None;
    let mut text = false;
    let mut seen = 0;
    while let Some(entry) = entries.next_entry().map_err(wrong)? {
        seen += 1;
        if seen > ENTRIES_MOST {
            return Err(StateError::NoCore { why: "it has too many entries for a state" });
        }
        let path = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        // Newer versions have everything in a folder.
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
                "its core was saved as text; choose binary save states in BizHawk"
            } else {
                "it is a zip without the lump of a core: no BizHawk state"
            },
        });
    };
    let entry = archive.get_entry(wayfinder).map_err(wrong)?;
    let data = entry.data();
    if method == CompressionMethod::STORE {
        all_of(entry.verifying_reader(data), most, BIZHAWK)
    } else if method == CompressionMethod::DEFLATE {
        all_of(entry.verifying_reader(DeflateDecoder::new(data)), most, BIZHAWK)
    } else {
        Err(damaged("zip", &"its core is packed in another way than deflate"))
    }
}
