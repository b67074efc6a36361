//! Modules as they are mapped in a process: their format, build ID and exports.
//!
//! Everything is read from the process's memory and nothing from disk, which also works for a library that was replaced or deleted, or
//! that is in a container's file system. Formats: the ELF-64 object file
//! specification and its GNU extensions; Microsoft's PE format.

use crate::process::{ByteArray, HostAddr, Memory, ReadError, Region};
use object::pod::{Pod, bytes_of_slice_mut, from_bytes};
use object::{LittleEndian as LE, elf, pe};
use std::mem::size_of;
use std::ops::Range;

/// A file that is mapped from its beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Module {
    /// The file's name without folders.
    pub name: String,
    /// Whether it is a library of Windows.
    pub is_of_windows: bool,
    /// The address of the file's first byte.
    pub start: HostAddr,
}

/// The files that are mapped from their beginning, in address order.
pub(super) fn modules(regions: &[Region]) -> Vec<Module> {
    let is_file = |region: &&Region| {
        region.readable && region.file_offset == 0 && region.path.as_ref().is_some_and(|path| path.has_root())
    };
    let module = |region: &Region| {
        Some(Module { name: region.file_name()?, is_of_windows: region.is_of_windows(), start: region.start })
    };
    let mut found: Vec<Module> = regions.iter().filter(is_file).filter_map(module).collect();
    // If segments share a file's first page, it is mapped more than once; the first mapping is the header.
    found.dedup_by(|later, first| later.name == first.name && later.start.0 - first.start.0 < 0x1000_0000);
    found
}

/// The calling convention: the width of addresses, the place of the first argument, and the registers that a call may clobber.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Abi {
    /// 64-bit Linux, macOS and the BSDs: first argument in rdi.
    SysV,
    /// 64-bit Windows: first argument in rcx.
    Win64,
    /// 32-bit Windows: all arguments on the stack, above the return address.
    Cdecl,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ModuleImage {
    /// The difference between addresses in the process and in the file.
    pub bias: u64,
    pub span: Range<u64>,
    /// The calling convention of its functions.
    pub abi: Abi,
    kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Elf { dynamic: Option<Range<u64>>, notes: Vec<Range<u64>> },
    Pe { exports: Option<Range<u64>>, build_id: Option<String> },
}

/// What is read of a module at once: its headers.
const HEADERS: usize = 4096;

/// The most segments read; real files have about ten.
const MAX_SEGMENTS: u64 = 256;

/// The longest table that is read: hostile headers may claim any length.
const MAX_TABLE: u64 = 1 << 20;

/// The build ID of the module mapped at `start`, in hexadecimal, if it has one: see [`ModuleImage::build_id`].
///
/// # Errors
/// Why the module cannot be read, in a sentence.
pub fn build_id(memory: &dyn Memory, start: HostAddr) -> Result<Option<String>, String> {
    Ok(ModuleImage::read(memory, start)?.build_id(memory))
}

fn read<T: Pod + Copy>(memory: &dyn Memory, addr: u64) -> Option<T> {
    // 8-byte words, so that the structure is aligned.
    let mut words = vec![0_u64; size_of::<T>().div_ceil(8)];
    let bytes = bytes_of_slice_mut(&mut words);
    memory.read_exact(HostAddr(addr), &mut bytes[..size_of::<T>()]).ok()?;
    from_bytes::<T>(bytes).ok().map(|(value, _)| *value)
}

fn bytes(memory: &dyn Memory, range: Range<u64>) -> Option<Vec<u8>> {
    let len = range.end.checked_sub(range.start).filter(|len| *len <= MAX_TABLE)?;
    let mut bytes = vec![0; usize::try_from(len).ok()?];
    memory.read_exact(HostAddr(range.start), &mut bytes).ok()?;
    Some(bytes)
}

fn u32_at(memory: &dyn Memory, addr: u64) -> Option<u32> {
    let mut bytes = [0; 4];
    memory.read_exact(HostAddr(addr), &mut bytes).ok()?;
    Some(u32::from_le_bytes(bytes))
}

/// Whether `text` with a terminating zero is at `addr`.
fn has_text(memory: &dyn Memory, addr: u64, text: &str) -> bool {
    let mut found = vec![0xFF; text.len() + 1];
    memory.read_exact(HostAddr(addr), &mut found).is_ok()
        && found.strip_suffix(&[0]).is_some_and(|found| found == text.as_bytes())
}

/// A memory of which a part was read already.
struct Layered<'a> {
    near: ByteArray,
    far: &'a dyn Memory,
}

impl Memory for Layered<'_> {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        self.near.read_exact(addr, buf).or_else(|_| self.far.read_exact(addr, buf))
    }
}

impl ModuleImage {
    /// Reads the header of the module at `start`; the error says why it cannot be used.
    pub fn read(memory: &dyn Memory, start: HostAddr) -> Result<Self, String> {
        // One read instead of one for each structure. A file may be shorter.
        let mut headers = vec![0; HEADERS];
        if memory.read_exact(start, &mut headers).is_err() {
            headers.clear();
        }
        let memory = &Layered { near: ByteArray { base: start, bytes: headers }, far: memory };
        let mut magic = [0; 4];
        memory.read_exact(start, &mut magic).map_err(|error| error.to_string())?;
        if magic == elf::ELFMAG {
            read_elf(memory, start.0)
        } else if magic[..2] == *b"MZ" {
            read_pe(memory, start.0).unwrap_or_else(|| Err("its header is damaged".into()))
        } else {
            Err("it is neither an ELF nor a PE module".into())
        }
    }

    /// What distinguishes this build of the file from others, in hexadecimal: the linker's Build-ID in ELF; in PE the time stamp and the
    /// size of the image, 8 digits each, by which symbol servers find a file (Microsoft, `SymSrv`).
    pub fn build_id(&self, memory: &dyn Memory) -> Option<String> {
        let notes = match &self.kind {
            Kind::Elf { notes, .. } => notes,
            Kind::Pe { build_id, .. } => return build_id.clone(),
        };
        // A hostile header may name the same megabyte tens of thousands of times.
        let mut left = MAX_TABLE;
        let mut read = |note: &Range<u64>| {
            left = left.checked_sub(note.end.checked_sub(note.start)?)?;
            bytes(memory, note.clone())
        };
        notes.iter().filter_map(&mut read).find_map(|notes| build_id_in(&notes))
    }

    /// The address of an exported function.
    pub fn export(&self, memory: &dyn Memory, name: &str) -> Option<HostAddr> {
        let found = match &self.kind {
            Kind::Elf { dynamic, .. } => self.elf_export(memory, dynamic.clone()?, name)?,
            Kind::Pe { exports, .. } => self.pe_export(memory, exports.clone()?, name)?,
        };
        self.span.contains(&found).then_some(HostAddr(found))
    }

    fn elf_export(&self, memory: &dyn Memory, dynamic: Range<u64>, name: &str) -> Option<u64> {
        let entries = bytes(memory, dynamic)?;
        let mut symbols = None;
        let mut strings = None;
        let mut gnu_hash = None;
        let mut sysv_hash = None;
        for entry in entries.chunks_exact(16) {
            let tag = i64::from_le_bytes(entry[..8].try_into().ok()?);
            let value = u64::from_le_bytes(entry[8..].try_into().ok()?);
            // glibc writes absolute addresses into the mapped table, musl leaves those of the file.
            let value = if self.span.contains(&value) { value } else { self.bias.wrapping_add(value) };
            match elf::DynamicTag(tag) {
                elf::DT_NULL => break,
                elf::DT_SYMTAB => symbols = Some(value),
                elf::DT_STRTAB => strings = Some(value),
                elf::DT_GNU_HASH => gnu_hash = Some(value),
                elf::DT_HASH => sysv_hash = Some(value),
                _ => {}
            }
        }
        let table = Symbols { memory, symbols: symbols?, strings: strings?, name };
        let value = match (gnu_hash, sysv_hash) {
            (Some(hash), _) => table.by_gnu_hash(hash),
            (None, Some(hash)) => table.by_sysv_hash(hash),
            (None, None) => None,
        }?;
        Some(self.bias.wrapping_add(value))
    }

    fn pe_export(&self, memory: &dyn Memory, exports: Range<u64>, name: &str) -> Option<u64> {
        let base = self.span.start;
        let at = |rva: u32| base.wrapping_add(rva.into());
        // Linkers put the tables and names into the directory: one read instead of one for each name.
        let directory = bytes(memory, exports.clone()).unwrap_or_default();
        let directory = ByteArray { base: HostAddr(exports.start), bytes: directory };
        let memory = &Layered { near: directory, far: memory };
        let directory: pe::ImageExportDirectory = read(memory, exports.start)?;
        let names = u64::from(directory.number_of_names.get(LE));
        let table = at(directory.address_of_names.get(LE));
        let pointers = bytes(memory, table..table.checked_add(names.checked_mul(4)?)?)?;
        let index = pointers.chunks_exact(4).position(|pointer| {
            let rva = u32::from_le_bytes([pointer[0], pointer[1], pointer[2], pointer[3]]);
            has_text(memory, at(rva), name)
        })?;
        let ordinals = at(directory.address_of_name_ordinals.get(LE));
        let mut ordinal = [0; 2];
        memory.read_exact(HostAddr(ordinals.wrapping_add(2 * index as u64)), &mut ordinal).ok()?;
        let functions = at(directory.address_of_functions.get(LE));
        let rva = u32_at(memory, functions.wrapping_add(4 * u64::from(u16::from_le_bytes(ordinal))))?;
        // An address inside the directory is a forwarder: text that names another module's function.
        (!exports.contains(&at(rva))).then(|| at(rva))
    }
}

fn read_elf(memory: &dyn Memory, start: u64) -> Result<ModuleImage, String> {
    let damaged = || "its ELF header is damaged".to_owned();
    let header: elf::FileHeader64<LE> = read(memory, start).ok_or_else(damaged)?;
    if header.e_ident.class != elf::ELFCLASS64 {
        return Err("it is a 32-bit module".into());
    }
    if header.e_machine.get(LE) != elf::EM_X86_64 {
        return Err("it is not for x86-64".into());
    }
    let mut notes = Vec::new();
    let mut dynamic = None;
    let mut first = None;
    let mut end = 0_u64;
    for index in 0..u64::from(header.e_phnum.get(LE)).min(MAX_SEGMENTS) {
        let at = header.e_phoff.get(LE).wrapping_add(index * size_of::<elf::ProgramHeader64<LE>>() as u64);
        let segment: elf::ProgramHeader64<LE> = read(memory, start.wrapping_add(at)).ok_or_else(damaged)?;
        let address = segment.p_vaddr.get(LE);
        let segment_end = address.checked_add(segment.p_memsz.get(LE)).ok_or_else(damaged)?;
        match segment.p_type.get(LE) {
            elf::PT_LOAD => {
                first.get_or_insert(address & !0xFFF);
                end = end.max(segment_end);
            }
            elf::PT_DYNAMIC => dynamic = Some(address..segment_end),
            elf::PT_NOTE => notes.push(address..segment_end),
            _ => {}
        }
    }
    let bias = start.wrapping_sub(first.ok_or_else(damaged)?);
    let moved = |range: Range<u64>| range.start.wrapping_add(bias)..range.end.wrapping_add(bias);
    Ok(ModuleImage {
        bias,
        span: start..end.wrapping_add(bias),
        abi: Abi::SysV,
        kind: Kind::Elf { dynamic: dynamic.map(moved), notes: notes.into_iter().map(moved).collect() },
    })
}

fn read_pe(memory: &dyn Memory, start: u64) -> Option<Result<ModuleImage, String>> {
    let dos: pe::ImageDosHeader = read(memory, start)?;
    let at = start.wrapping_add(dos.e_lfanew.get(LE).into());
    let header: pe::ImageNtHeaders64 = read(memory, at)?;
    if header.signature.get(LE) != pe::IMAGE_NT_SIGNATURE {
        return None;
    }
    // The structures of 32 and of 64 bits have the same beginning.
    let (abi, size, headers_len) = match header.file_header.machine.get(LE) {
        pe::IMAGE_FILE_MACHINE_AMD64 => {
            (Abi::Win64, header.optional_header.size_of_image.get(LE), size_of::<pe::ImageNtHeaders64>())
        }
        pe::IMAGE_FILE_MACHINE_I386 => {
            let header: pe::ImageNtHeaders32 = read(memory, at)?;
            (Abi::Cdecl, header.optional_header.size_of_image.get(LE), size_of::<pe::ImageNtHeaders32>())
        }
        _ => return Some(Err("it is neither for x86-64 nor for x86".into())),
    };
    let end = start.checked_add(size.into())?;
    let directory: pe::ImageDataDirectory = read(memory, at.wrapping_add(headers_len as u64))?;
    let exports = match (directory.virtual_address.get(LE), directory.size.get(LE)) {
        (0, _) | (_, 0) => None,
        (at, len) => {
            let at = start.wrapping_add(at.into());
            Some(at..at.checked_add(len.into())?)
        }
    };
    // Linkers that make the same file twice write no time.
    let time = header.file_header.time_date_stamp.get(LE);
    let build_id = (time != 0).then(|| format!("{time:08x}{size:08x}"));
    let kind = Kind::Pe { exports, build_id };
    Some(Ok(ModuleImage { bias: start, span: start..end, abi, kind }))
}

/// A note is three words (name length, description length, type), then name and description, each padded to
/// 4 bytes; the linker's Build-ID has the name "GNU" and type 3.
fn build_id_in(mut notes: &[u8]) -> Option<String> {
    loop {
        let word = |at: usize| {
            let bytes = notes.get(at..at + 4)?;
            usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
        };
        let (name_len, description_len, kind) = (word(0)?, word(4)?, word(8)?);
        let name = notes.get(12..12_usize.checked_add(name_len)?)?;
        let at = 12 + name_len.next_multiple_of(4);
        let end = at.checked_add(description_len)?;
        let description = notes.get(at..end)?;
        if name == b"GNU\0" && kind == 3 && !description.is_empty() {
            return Some(description.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        notes = notes.get(end.checked_next_multiple_of(4)?..)?;
    }
}

/// The dynamic symbols of an ELF module, and the name to find.
struct Symbols<'a> {
    memory: &'a dyn Memory,
    symbols: u64,
    strings: u64,
    name: &'a str,
}

/// The longest hash chain that is followed; the tables of linkers have chains of a few symbols.
const MAX_CHAIN: u32 = 1 << 12;

impl Symbols<'_> {
    /// The address in the file of symbol `index`, if it has the name and is defined in this module.
    fn value(&self, index: u32) -> Option<u64> {
        let at = self.symbols.wrapping_add(u64::from(index) * size_of::<elf::Sym64<LE>>() as u64);
        let symbol: elf::Sym64<LE> = read(self.memory, at)?;
        let name = self.strings.wrapping_add(symbol.st_name.get(LE).into());
        let defined = symbol.st_shndx.get(LE) != elf::SHN_UNDEF;
        (defined && has_text(self.memory, name, self.name)).then(|| symbol.st_value.get(LE))
    }

    /// `DT_GNU_HASH`: bucket count, first symbol, bloom words, shift; bloom filter; buckets; chains whose last
    /// entry has the lowest bit set (binutils, `elf_gnu_hash`).
    fn by_gnu_hash(&self, table: u64) -> Option<u64> {
        let hash =
            self.name.bytes().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(byte.into()));
        let word = |at: u64| u32_at(self.memory, at);
        let (buckets, first, bloom) = (word(table)?, word(table + 4)?, word(table + 8)?);
        let bucket_table = table.wrapping_add(16 + 8 * u64::from(bloom));
        let chain_table = bucket_table.wrapping_add(4 * u64::from(buckets));
        let start = word(bucket_table.wrapping_add(4 * u64::from(hash.checked_rem(buckets)?)))?;
        for index in start..start.checked_add(MAX_CHAIN)? {
            let entry = word(chain_table.wrapping_add(4 * u64::from(index.checked_sub(first)?)))?;
            if entry | 1 == hash | 1
                && let Some(value) = self.value(index)
            {
                return Some(value);
            }
            if entry & 1 == 1 {
                return None;
            }
        }
        None
    }

    /// `DT_HASH`: bucket count, symbol count, buckets, chains that end with 0 (System V ABI, chapter 5).
    fn by_sysv_hash(&self, table: u64) -> Option<u64> {
        let hash = self.name.bytes().fold(0_u32, |hash, byte| {
            let sum = (hash << 4).wrapping_add(byte.into());
            (sum ^ ((sum & 0xF000_0000) >> 24)) & 0x0FFF_FFFF
        });
        let word = |at: u64| u32_at(self.memory, at);
        let buckets = word(table)?;
        let mut index = word(table.wrapping_add(8 + 4 * u64::from(hash.checked_rem(buckets)?)))?;
        for _ in 0..MAX_CHAIN {
            if index == 0 {
                return None;
            }
            if let Some(value) = self.value(index) {
                return Some(value);
            }
            index = word(table.wrapping_add(8 + 4 * (u64::from(buckets) + u64::from(index))))?;
        }
        None
    }
}

#[cfg(test)]
#[path = "module_image_tests.rs"]
mod tests;
