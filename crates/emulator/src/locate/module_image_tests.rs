use super::super::test_fixtures::{MODULE as BASE, windows_module};
use super::*;
use crate::process::ByteArray;
use proptest::prelude::*;

/// The libraries of this very process, as files and as mapped memory.
#[cfg(target_os = "linux")]
#[test]
fn exports_and_build_ids_of_real_libraries_agree_with_their_files() {
    use object::{Object, ObjectSymbol};
    let process = crate::process::Process::open(crate::process::Pid(std::process::id())).unwrap();
    let regions = process.regions().unwrap();
    let (mut compared, mut data) = (0, 0);
    for module in modules(&regions) {
        let path = regions.iter().find(|region| region.start == module.start).unwrap().path.clone().unwrap();
        let Ok(bytes) = std::fs::read(path) else { continue };
        let Ok(file) = object::File::parse(&*bytes) else { continue };
        let image = ModuleImage::read(&process, module.start).unwrap();
        let id = file
            .build_id()
            .unwrap()
            .map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        assert_eq!(image.build_id(&process), id, "{}", module.name);
        let mut names = std::collections::BTreeMap::<_, Vec<u64>>::new();
        // Indirect functions (libm's) count as defined too, though `is_definition` leaves them out.
        for symbol in file.dynamic_symbols().filter(|symbol| !symbol.is_undefined()) {
            data += usize::from(
                symbol.kind() == object::SymbolKind::Data
                    && image.export(&process, symbol.name().unwrap()).is_some(),
            );
            names.entry(symbol.name().unwrap().to_owned()).or_default().push(symbol.address());
        }
        for (name, addresses) in &names {
            // Thread-local symbols and absolute ones are numbers, not addresses in the module.
            let Some(found) = image.export(&process, name) else { continue };
            assert!(addresses.contains(&(found.0 - image.bias)), "{name} in {}", module.name);
            compared += 1;
        }
        assert_eq!(image.export(&process, "no_such_function_anywhere"), None);
    }
    assert!(compared > 100, "only {compared} symbols were compared");
    assert!(data > 10, "only {data} variables were found");
}

#[test]
fn exports_of_a_windows_module_are_found_and_forwarders_are_skipped() {
    let memory = windows_module(&[
        ("retro_api", 0x2000),
        ("retro_get_memory_data", 0x2010),
        ("forwarded", 0x1500),
        ("far", 0x9_0000),
    ]);
    let image = ModuleImage::read(&memory, HostAddr(BASE)).unwrap();
    assert_eq!(image.abi, Abi::Win64);
    assert_eq!(image.build_id(&memory), None);
    let mut dated = memory.clone();
    dated.bytes[0x88..0x8C].copy_from_slice(&0x5F2C_8E01_u32.to_le_bytes());
    assert_eq!(build_id(&dated, HostAddr(BASE)), Ok(Some("5f2c8e0100003000".into())));
    assert_eq!(image.export(&memory, "retro_get_memory_data"), Some(HostAddr(BASE + 0x2010)));
    assert_eq!(image.export(&memory, "retro_get_memory"), None);
    assert_eq!(image.export(&memory, "forwarded"), None);
    assert_eq!(image.export(&memory, "far"), None);
    // Reading another process is slow in Wine.
    let counted = Counted(memory, 0.into());
    assert!(image.export(&counted, "forwarded").is_none());
    assert_eq!(counted.1.into_inner(), 0x800, "the directory is read once");
}

/// The same module with a header of 32 bits.
fn with_32_bits(memory: &ByteArray) -> ByteArray {
    let mut memory = memory.clone();
    memory.bytes[0x84..0x86].copy_from_slice(&0x14C_u16.to_le_bytes());
    memory.bytes[0x98..0x9A].copy_from_slice(&0x10B_u16.to_le_bytes());
    // The fields before these are 16 bytes shorter.
    memory.bytes.copy_within(0x98 + 108..0x98 + 120, 0x98 + 92);
    memory.bytes[0x98 + 104..0x98 + 120].fill(0);
    memory
}

#[test]
fn a_module_of_32_bits_is_read_as_well() {
    let mut memory = with_32_bits(&windows_module(&[("retro_get_memory_data", 0x2010), ("b", 1)]));
    memory.bytes[0x88..0x8C].copy_from_slice(&0x5F2C_8E01_u32.to_le_bytes());
    let image = ModuleImage::read(&memory, HostAddr(BASE)).unwrap();
    assert_eq!(image.abi, Abi::Cdecl);
    assert_eq!(image.span, BASE..BASE + 0x3000);
    assert_eq!(image.build_id(&memory), Some("5f2c8e0100003000".into()));
    assert_eq!(image.export(&memory, "retro_get_memory_data"), Some(HostAddr(BASE + 0x2010)));
    assert_eq!(image.export(&memory, "retro_get_memory_size"), None);
}

#[test]
fn the_error_names_the_kind_of_unsupported_modules() {
    let error = |bytes: Vec<u8>| {
        ModuleImage::read(&ByteArray { base: HostAddr(BASE), bytes }, HostAddr(BASE)).unwrap_err()
    };
    let mut elf = vec![0; 4096];
    elf[..5].copy_from_slice(b"\x7FELF\x01");
    assert_eq!(error(elf.clone()), "it is a 32-bit module");
    elf[4] = 2;
    assert_eq!(error(elf.clone()), "it is not for x86-64");
    elf[18] = 62;
    assert_eq!(error(elf), "its ELF header is damaged");
    assert_eq!(error(b"MZ".repeat(100)), "its header is damaged");
    let mut arm = windows_module(&[]).bytes;
    arm[0x84..0x86].copy_from_slice(&0xAA64_u16.to_le_bytes());
    assert_eq!(error(arm), "it is neither for x86-64 nor for x86");
    assert_eq!(error(vec![0; 100]), "it is neither an ELF nor a PE module");
}

/// Bytes, and how many of them were read.
struct Counted(ByteArray, std::sync::atomic::AtomicUsize);

impl Memory for Counted {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        self.1.fetch_add(buf.len(), std::sync::atomic::Ordering::Relaxed);
        self.0.read_exact(addr, buf)
    }
}

#[test]
fn a_header_with_a_thousand_note_segments_is_read_in_bounded_time() {
    const HEADERS: u16 = 1000;
    let mut bytes = vec![0_u8; 1 << 20];
    let mut put = |at: usize, data: &[u8]| bytes[at..at + data.len()].copy_from_slice(data);
    put(0, b"\x7FELF\x02\x01\x01");
    put(18, &62_u16.to_le_bytes()); // x86-64
    put(32, &64_u64.to_le_bytes()); // the offset of the segment table
    put(56, &HEADERS.to_le_bytes());
    for index in 0..u64::from(HEADERS) {
        let at = usize::try_from(64 + 56 * index).unwrap();
        put(at, &[if index == 0 { 1 } else { 4 }]); // loaded, and then notes
        put(at + 40, &((1_u64 << 20) - 16).to_le_bytes());
    }
    let memory = Counted(ByteArray { base: HostAddr(0x1000), bytes }, 0.into());
    assert_eq!(build_id(&memory, HostAddr(0x1000)), Ok(None));
    let read = memory.1.into_inner();
    assert!(read < 2 << 20, "{read} bytes were read of a megabyte");
}

proptest! {
    #[test]
    fn no_header_causes_a_panic(
        noise in prop::collection::vec(any::<u8>(), 0..2048),
        kind in 0..4,
        edits in prop::collection::vec((0_usize..0x1800, any::<u8>()), 0..40),
    ) {
        let mut memory = windows_module(&[("retro_get_memory_data", 0x2000), ("b", 1)]);
        match kind {
            0 => {
                memory.bytes[..noise.len()].copy_from_slice(&noise);
                memory.bytes[..20].copy_from_slice(b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3E\0");
                memory.bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
                memory.bytes[56] = 8;
                memory.bytes[57] = 0;
                // Segment types that are read.
                for (index, kind) in [1_u8, 2, 4, 1].into_iter().enumerate() {
                    memory.bytes[64 + 56 * index..68 + 56 * index].copy_from_slice(&[kind, 0, 0, 0]);
                }
            }
            1 => memory.bytes[2..2 + noise.len()].copy_from_slice(&noise),
            2 => memory = with_32_bits(&memory),
            _ => {}
        }
        for (at, byte) in edits {
            memory.bytes[at] = byte;
        }
        if let Ok(image) = ModuleImage::read(&memory, HostAddr(BASE)) {
            let _ = image.build_id(&memory);
            let _ = image.export(&memory, "retro_get_memory_data");
        }
        let _ = build_id_in(&noise);
    }
}
