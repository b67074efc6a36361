use super::container::MAX_UNPACKED;
use super::*;
use crate::locate::test_fixtures::{RAM, game_ram, profile};
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use nextscope_games::profile::{Anchor, Profile, built_in_profiles};
use nextscope_memory::console::StorageOrder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;
use std::sync::Arc;

fn profiles() -> Vec<Arc<Profile>> {
    vec![Arc::new(profile())]
}

/// A core's state: RAM at an offset, and other bytes.
fn core(at: usize, order: StorageOrder) -> Vec<u8> {
    let mut state: Vec<u8> = (0..at).map(|byte| u8::try_from(byte * 7 % 251).unwrap()).collect();
    let mut ram = game_ram();
    order.reorder(&mut ram);
    state.extend(ram);
    state.extend([0x5A; 1000]);
    state
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut file);
    for (name, bytes) in entries {
        let method = rawzip::CompressionMethod::DEFLATE;
        let (mut entry, config) = archive.new_file(name).compression_method(method).start().unwrap();
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, Compression::fast());
        let mut writer = config.wrap(encoder);
        writer.write_all(bytes).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    file
}

fn rastate(core: &[u8]) -> Vec<u8> {
    let mut file = b"RASTATE\x01".to_vec();
    for (name, bytes) in [(b"ACHV", &b"abc"[..]), (b"MEM ", core), (b"END ", b"")] {
        file.extend(name);
        file.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
        file.extend(bytes);
        file.resize(file.len().next_multiple_of(8), 0);
    }
    file
}

fn rzip(bytes: &[u8], chunk: usize) -> Vec<u8> {
    let mut file = b"#RZIPv\x01#".to_vec();
    file.extend(u32::try_from(chunk).unwrap().to_le_bytes());
    file.extend((bytes.len() as u64).to_le_bytes());
    for piece in bytes.chunks(chunk) {
        let packed = zlib(piece);
        file.extend(u32::try_from(packed.len()).unwrap().to_le_bytes());
        file.extend(packed);
    }
    file
}

fn with_header(magic: &[u8], header: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = magic.to_vec();
    file.resize(header, 0);
    file.extend(bytes);
    file
}

/// Format, offset and order of the RAM that is found.
fn found(file: Vec<u8>) -> (String, usize, StorageOrder) {
    let state = unpack(file).unwrap();
    let found = locate(&state, &profiles()).unwrap().expect("the game's RAM");
    assert_eq!(found.snapshot.all(), game_ram());
    (state.format(), found.at, found.order)
}

#[test]
fn ram_is_found_in_every_format_at_any_offset_and_in_any_order() {
    use StorageOrder::{AsOnBus, SwappedWords};
    for (at, order) in [(0, AsOnBus), (16, SwappedWords), (777, AsOnBus), (1001, SwappedWords)] {
        let core = core(at, order);
        let packed = compress_to_vec(&core[..], CompressionLevel::Fastest);
        for (file, format) in [
            (core.clone(), "file"),
            (gzip(&core), "gzip"),
            (zlib(&core), "zlib"),
            (packed.clone(), "zstd"),
            (rastate(&core), "RetroArch state"),
            (rzip(&core, 10_000), "RZIP"),
            (rzip(&rastate(&core), 128 << 10), "RZIP, in it RetroArch state"),
            (zip(&[("BizState 1.0", b"2"), ("Core.bin", &core)]), "BizHawk state"),
            (zip(&[("Core", &core), ("Input Log.txt", b"")]), "BizHawk state"),
            (
                zip(&[("BizState/BizState 1.txt", b"3"), ("BizState/Core.bin.zst", &packed)]),
                "BizHawk state, in it zstd",
            ),
            (with_header(b"DeSmuME SState\0", 32, &zlib(&core)), "DeSmuME state"),
            (with_header(b"FCSX", 16, &zlib(&core)), "FCEUX state"),
            (with_header(b"MAMESAVE", 32, &zlib(&core)), "MAME state"),
        ] {
            assert_eq!(found(file), (format.to_owned(), at, order), "{format}");
        }
    }
}

/// The arcade's profile has no other anchor.
#[test]
fn pools_alone_identify_ram_at_any_offset() {
    let pools = Profile { anchors: vec![Anchor::Pools], ..profile() };
    for (at, order) in
        [(4096, StorageOrder::SwappedWords), (333, StorageOrder::SwappedWords), (21, StorageOrder::AsOnBus)]
    {
        let state = unpack(rastate(&core(at, order))).unwrap();
        let found = locate(&state, &[Arc::new(pools.clone())]).unwrap().expect("the game's RAM");
        assert_eq!((found.at, found.order), (at, order));
        assert_eq!(found.snapshot.all(), game_ram());
    }
}

#[test]
fn gst_has_ram_at_a_fixed_offset() {
    let mut file = with_header(b"GST", 0x2478, &game_ram());
    file.resize(0x22478, 0);
    let (format, at, order) = found(file.clone());
    assert_eq!(
        (format.as_str(), at, order),
        ("GST state (Genecyst, Gens, Kega)", 0x2478, StorageOrder::AsOnBus)
    );
    // Of an unknown game too.
    let middle = file[0x2478..0x2478 + RAM].len();
    file[0x2478..0x2478 + middle].fill(0x11);
    let state = unpack(file).unwrap();
    let found = locate(&state, &profiles()).unwrap().expect("RAM");
    assert!(found.profile.is_none() && found.snapshot.all() == [0x11; RAM]);
    // But not if it is truncated.
    let state = unpack(with_header(b"GST", 0x2478, &[0; RAM - 1])).unwrap();
    assert!(locate(&state, &profiles()).unwrap().is_none());
}

#[test]
fn two_locations_are_an_error_that_names_both() {
    let mut twice = core(100, StorageOrder::AsOnBus);
    twice.extend(core(0, StorageOrder::SwappedWords));
    let state = unpack(gzip(&twice)).unwrap();
    let StateError::Ambiguous { format, places } = locate(&state, &profiles()).unwrap_err() else { panic!() };
    assert_eq!((format.as_str(), places.len()), ("gzip", 2));
    assert!(places[0].starts_with("68K RAM at 0x64, as on the bus (Puyo Puyo Tsu: "), "{places:?}");
    let second = format!("68K RAM at 0x{:X}, swapped in 16-bit words", 100 + RAM + 1000);
    assert!(places[1].starts_with(&second), "{places:?}");
    // RAM with only one of the two block copies is not accepted, nor is truncated RAM.
    let mut half = core(100, StorageOrder::AsOnBus);
    half[100 + 0x4B00 + 20] ^= 1;
    half[100 + 0xAD00] = 9;
    assert!(locate(&unpack(half).unwrap(), &profiles()).unwrap().is_none());
    let cut = core(100, StorageOrder::AsOnBus)[..100 + RAM - 1].to_vec();
    assert!(locate(&unpack(cut).unwrap(), &profiles()).unwrap().is_none());
}

#[test]
fn a_state_that_may_lack_pages_has_a_caution() {
    let mut core = core(4096, StorageOrder::SwappedWords);
    core[..20].copy_from_slice(b"ActivatedMemoryBlock");
    let state = unpack(zip(&[("Core.bin", &core)])).unwrap();
    assert!(locate(&state, &profiles()).unwrap().unwrap().caution.is_some());
    let state = unpack(gzip(&core)).unwrap();
    assert!(locate(&state, &profiles()).unwrap().unwrap().caution.is_none());
}

#[test]
fn damaged_files_are_errors() {
    let core = core(50, StorageOrder::AsOnBus);
    let error = |file: Vec<u8>| unpack(file).expect_err("damaged").to_string();
    let cut = |mut file: Vec<u8>| {
        file.truncate(file.len() / 2);
        file
    };
    assert!(error(cut(gzip(&core))).starts_with("the gzip is damaged: "));
    assert!(error(cut(rzip(&core, 4096))).starts_with("the RZIP is damaged: "));
    assert_eq!(error(cut(rastate(&core))), "the RetroArch state is damaged: it is truncated");
    assert_eq!(
        error(b"RASTATE\x01END \0\0\0\0".to_vec()),
        "the RetroArch state is damaged: it has no core block"
    );
    assert!(error(cut(zip(&[("Core.bin", &core)]))).starts_with("the zip is damaged: "));
    assert!(
        error(with_header(b"MAMESAVE", 32, &cut(zlib(&core)))).starts_with("the MAME state is damaged: ")
    );
    assert!(
        error(cut(compress_to_vec(&core[..], CompressionLevel::Fastest)))
            .starts_with("the zstd is damaged: ")
    );
    assert_eq!(
        error(zip(&[("word/document.xml", b"")])),
        "it is a zip without a core's lump: not a BizHawk state"
    );
    assert_eq!(
        error(zip(&[("BizState/CoreText.txt.zst", b"")])),
        "its core was saved as text; select binary save states in BizHawk"
    );
    // Bytes that begin like zlib by chance are returned unchanged.
    let plain = unpack(vec![0x78, 0x9C, 1, 2, 3]).unwrap();
    assert!(plain.formats.is_empty() && plain.bytes.bytes == [0x78, 0x9C, 1, 2, 3]);
}

/// Files truncated anywhere, or with a byte changed anywhere, cause no panic.
#[test]
fn no_damaged_file_causes_a_panic() {
    let core = core(50, StorageOrder::AsOnBus);
    let small = &core[..3000];
    for file in [
        rzip(&rastate(small), 1000),
        zip(&[("Core.bin", small)]),
        compress_to_vec(small, CompressionLevel::Fastest),
        with_header(b"FCSX", 16, &zlib(small)),
    ] {
        for at in (0..file.len()).step_by(7) {
            let _ = unpack(file[..at].to_vec());
            let mut other = file.clone();
            other[at] ^= 0xFF;
            let _ = unpack(other);
        }
    }
}

#[test]
fn a_decompression_bomb_is_refused() {
    let zeros = vec![0; MAX_UNPACKED + 1];
    let is_too_long = |file: Vec<u8>| matches!(unpack(file), Err(StateError::TooLong { .. }));
    let (packed, bomb) = (gzip(&zeros), zip(&[("Core.bin", &zeros)]));
    assert!(packed.len() < 1 << 20 && bomb.len() < 1 << 20);
    assert!(is_too_long(packed) && is_too_long(bomb));
    assert!(is_too_long(compress_to_vec(&zeros[..], CompressionLevel::Fastest)));
    // Nested, with each layer within the limit.
    let inner = gzip(&zeros[..MAX_UNPACKED / 2 + 1]);
    let mut filled = inner.clone();
    filled.resize(MAX_UNPACKED / 2 + 1, 0);
    assert!(is_too_long(gzip(&filled)) && unpack(inner).is_ok());
    let mut claimed = rzip(&[1, 2, 3], 1000);
    claimed[12..20].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(is_too_long(claimed));
}

#[test]
fn nothing_is_found_in_other_files() {
    let all = built_in_profiles().into_iter().map(Arc::new).collect::<Vec<_>>();
    for bytes in [
        Vec::new(),
        vec![0; 300_000],
        vec![0xEF; 100_000],
        include_bytes!("../../../../../tests/cartridges/genesis-tsu/genesis-tsu.bin").to_vec(),
    ] {
        let state = unpack(bytes).unwrap();
        assert!(locate(&state, &all).unwrap().is_none());
    }
}
