//! Pointer paths in a text file, to follow them again in another run of the same program.
//!
//! A module of a process has another address in every run, so a path from one is written with the module's name:
//! `"game.elf"+0x4010 0x10 0x4` is the pointer there, plus 0x10, and the pointer there, plus 0x4. In a console a path starts at an
//! address: `0xFF0100 0x20`.

use super::pointers::{PointerKind, PointerPath};
use super::source::Address;
use nextscope_emulator::process::Region;
use nextscope_memory::console::Endian;
use std::fmt::Write as _;

const LINE_MOST: usize = 4096;
/// The segments of a file are mapped within this many bytes.
const MODULE_MOST: u64 = 1 << 30;

/// A mapped file of a process and the zero-initialized variables after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The file's name without folders.
    pub name: String,
    /// The address of its first byte.
    pub start: Address,
    /// The length in bytes.
    pub len: u64,
}

/// A file of paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathFile {
    /// The format of a pointer.
    pub kind: PointerKind,
    /// Where the paths led when they were saved.
    pub target: Option<Address>,
    /// The paths.
    pub paths: Vec<PointerPath>,
}

/// An error in a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct PathFileError {
    /// From 1.
    pub line: usize,
    /// The problem and what was expected.
    pub problem: String,
}

/// The modules among the regions of a process, by address.
pub fn modules(regions: &[Region]) -> Vec<Module> {
    let mut found: Vec<(Module, &Region)> = Vec::new();
    for region in regions {
        let (start, len) = (Address(region.start.0), region.len);
        let file = region.path.as_ref().filter(|path| path.has_root() && !path.starts_with("/dev"));
        if let Some((module, last)) = found.last_mut() {
            let same = file.is_some() && last.path == region.path && start.0 - module.start.0 < MODULE_MOST;
            // Zero-initialized variables follow the last segment, in memory without a file.
            let zeros = region.path.is_none() && last.path.is_some() && last.end() == region.start;
            if same || zeros {
                module.len = start.0 + len - module.start.0;
                *last = region;
                continue;
            }
        }
        if let (Some(_), Some(name)) = (file, region.file_name()) {
            found.push((Module { name, start, len }, region));
        }
    }
    found.into_iter().map(|(module, _)| module).collect()
}

impl Module {
    /// The module of an address; modules are ascending.
    pub fn of(modules: &[Self], address: Address) -> Option<&Self> {
        let after = modules.partition_point(|module| module.start <= address);
        let module = modules.get(after.checked_sub(1)?)?;
        (address.0 - module.start.0 < module.len).then_some(module)
    }
}

/// The start of a path as in the file.
pub fn base_text(base: Address, modules: &[Module]) -> String {
    match Module::of(modules, base) {
        Some(module) => format!("\"{}\"+0x{:X}", module.name, base.0 - module.start.0),
        None => base.to_string(),
    }
}

impl PathFile {
    /// The file's text.
    pub fn to_text(&self, modules: &[Module]) -> String {
        let PointerKind { wide, order, mask, alignment } = self.kind;
        let (bytes, order) = (if wide { 8 } else { 4 }, if order == Endian::Big { "be" } else { "le" });
        let mut text = String::from("# Where a path starts, and the offset added after each pointer.\n");
        // Writing into text does not fail.
        let _ = writeln!(text, "pointers {bytes} {order} mask 0x{mask:X} align {alignment}");
        if let Some(target) = self.target {
            let _ = writeln!(text, "target {target}");
        }
        for path in &self.paths {
            text += &base_text(path.base, modules);
            for offset in &path.offsets {
                let _ = write!(text, " 0x{offset:X}");
            }
            text.push('\n');
        }
        text
    }

    /// Parses a file; the modules are those of the current process.
    ///
    /// # Errors
    /// The first line with an error.
    pub fn read(text: &str, modules: &[Module]) -> Result<Self, PathFileError> {
        let mut kind = None;
        let mut target = None;
        let mut paths = Vec::new();
        for (number, line) in text.trim_start_matches('\u{FEFF}').lines().enumerate() {
            let wrong = |problem: String| PathFileError { line: number + 1, problem };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.len() > LINE_MOST {
                return Err(wrong(format!("{} bytes long; a path has at most {LINE_MOST}", line.len())));
            }
            if let Some(rest) = line.strip_prefix("pointers ") {
                kind = Some(pointers(rest).map_err(wrong)?);
            } else if let Some(rest) = line.strip_prefix("target ") {
                target = Some(Address(number_of(rest).map_err(wrong)?));
            } else {
                paths.push(path(line, modules).map_err(wrong)?);
            }
        }
        let problem = "missing pointer format: pointers 8 le mask 0xFFFFFFFFFFFFFFFF align 8";
        let kind = kind.ok_or_else(|| PathFileError { line: 1, problem: problem.into() })?;
        Ok(Self { kind, target, paths })
    }
}

fn number_of(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = match digits {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    number.ok_or_else(|| format!("invalid number `{text}`: expected a number such as 0x1F20"))
}

fn pointers(rest: &str) -> Result<PointerKind, String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let ["4" | "8", "be" | "le", "mask", mask, "align", alignment] = words[..] else {
        return Err(format!("invalid pointer format `{rest}`: expected 4 be mask 0xFFFFFF align 2"));
    };
    let alignment = number_of(alignment)?;
    if !matches!(alignment, 1 | 2 | 4 | 8) {
        return Err(format!("invalid alignment {alignment}: expected 1, 2, 4 or 8"));
    }
    let order = if words[1] == "be" { Endian::Big } else { Endian::Little };
    Ok(PointerKind { wide: words[0] == "8", order, mask: number_of(mask)?, alignment })
}

fn path(line: &str, modules: &[Module]) -> Result<PointerPath, String> {
    let (base, rest) = if let Some(quoted) = line.strip_prefix('"') {
        let (name, rest) =
            quoted.split_once('"').ok_or("missing quote after the module's name: \"game.elf\"+0x4010")?;
        let rest = rest.strip_prefix('+').ok_or("missing + after the module: \"game.elf\"+0x4010")?;
        let (offset, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let module = modules.iter().find(|module| module.name == name);
        let module = module.ok_or_else(|| format!("the process has no module {name}"))?;
        (module.start.offset(number_of(offset)?), rest)
    } else {
        let (base, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        (Address(number_of(base)?), rest)
    };
    let offsets = rest.split_whitespace().map(number_of).collect::<Result<Vec<_>, _>>()?;
    if offsets.is_empty() {
        return Err("a path needs at least one offset".into());
    }
    Ok(PointerPath { base, offsets })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_emulator::process::HostAddr;
    use std::path::PathBuf;

    fn region(start: u64, len: u64, path: Option<&str>) -> Region {
        Region::data(HostAddr(start), len, path.map(PathBuf::from))
    }

    #[test]
    fn modules_are_files_and_the_zeros_behind_them() {
        let regions = [
            region(0x1000, 0x1000, Some("/opt/my game/game.elf")),
            region(0x2000, 0x1000, Some("/opt/my game/game.elf")),
            region(0x3000, 0x800, None),
            region(0x3800, 0x800, None), // no longer the module's
            region(0x5000, 0x1000, Some("[heap]")),
            region(0x6000, 0x1000, None),
            region(0x8000, 0x1000, Some("/usr/lib/libc.so.6 (deleted)")),
            region(0xA000, 0x1000, Some("/dev/dri/card0")),
        ];
        let found = modules(&regions);
        let listed: Vec<_> = found.iter().map(|m| (m.name.as_str(), m.start.0, m.len)).collect();
        assert_eq!(listed, [("game.elf", 0x1000, 0x2800), ("libc.so.6", 0x8000, 0x1000)]);
        assert_eq!(base_text(Address(0x3010), &found), "\"game.elf\"+0x2010");
        assert_eq!(base_text(Address(0x3800), &found), "0x3800");
    }

    #[test]
    fn paths_are_read_back_relative_to_the_current_modules() {
        let then = [Module { name: "game.elf".into(), start: Address(0x1000), len: 0x2000 }];
        let now = [Module { name: "game.elf".into(), start: Address(0x7000), len: 0x2000 }];
        let file = PathFile {
            kind: PointerKind::NATIVE,
            target: Some(Address(0x1234_5678)),
            paths: vec![
                PointerPath { base: Address(0x1010), offsets: vec![0x20, 0] },
                PointerPath { base: Address(0x9_0000), offsets: vec![4] },
            ],
        };
        let text = file.to_text(&then);
        assert_eq!(PathFile::read(&text, &then), Ok(file.clone()));
        let moved = PathFile::read(&text, &now).unwrap();
        assert_eq!(moved.paths[0], PointerPath { base: Address(0x7010), offsets: vec![0x20, 0] });
        assert_eq!(moved.paths[1], file.paths[1]);
        let console = PathFile {
            kind: PointerKind { wide: false, order: Endian::Big, mask: 0xFF_FFFF, alignment: 2 },
            ..file
        };
        assert_eq!(PathFile::read(&console.to_text(&[]), &[]).unwrap().kind, console.kind);
    }

    #[test]
    fn wrong_lines_are_reported() {
        let kind = "pointers 4 be mask 0xFFFFFF align 2\n";
        for (line, expected) in [
            ("0x10", "line 2: a path needs at least one offset"),
            ("here 0x10", "line 2: invalid number `here`: expected a number such as 0x1F20"),
            ("0x10 0xZZ", "line 2: invalid number `0xZZ`: expected a number such as 0x1F20"),
            ("\"a.so+0x10 4", "line 2: missing quote after the module's name: \"game.elf\"+0x4010"),
            ("\"a.so\" 0x10 4", "line 2: missing + after the module: \"game.elf\"+0x4010"),
            ("\"a.so\"+0x10 4", "line 2: the process has no module a.so"),
            ("pointers 2 be", "line 2: invalid pointer format `2 be`: expected 4 be mask 0xFFFFFF align 2"),
            ("pointers 4 be mask 1 align 3", "line 2: invalid alignment 3: expected 1, 2, 4 or 8"),
            ("target nowhere", "line 2: invalid number `nowhere`: expected a number such as 0x1F20"),
        ] {
            let error = PathFile::read(&format!("{kind}{line}\n"), &[]).expect_err(line);
            assert_eq!(error.to_string(), expected);
        }
        let error = PathFile::read("# nothing\n0x10 4\n", &[]).expect_err("no kind");
        assert!(error.to_string().starts_with("line 1: missing pointer format"));
    }
}
