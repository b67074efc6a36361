//! A memory region of a process.

use super::HostAddr;
use std::path::PathBuf;

/// The folders of the libraries of Windows, and of those that Wine has in their place.
const SYSTEM_FOLDERS: [&str; 4] = ["system32", "syswow64", "x86_64-windows", "i386-windows"];

/// A mapping of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub start: HostAddr,
    /// Length in bytes.
    pub len: u64,
    /// Whether it may be read.
    pub readable: bool,
    /// Whether its process may write it.
    pub writable: bool,
    /// Whether it may be executed.
    pub executable: bool,
    /// The mapped file, or the kernel's name (`[heap]`); None for anonymous memory. The kernel appends ` (deleted)` for a deleted file and
    /// for shared memory.
    pub path: Option<PathBuf>,
    /// The offset of the mapping in that file, in bytes.
    pub file_offset: u64,
    /// The file's inode, 0 if there is none: mappings with equal (device, inode) show the same file.
    pub inode: u64,
    /// The file's device, as the system prints it.
    pub device: String,
}

impl Region {
    /// A readable and writable region, as processes have for their data.
    pub fn data(start: HostAddr, len: u64, path: Option<PathBuf>) -> Self {
        Self {
            start,
            len,
            readable: true,
            writable: true,
            executable: false,
            path,
            file_offset: 0,
            inode: 0,
            device: String::new(),
        }
    }

    /// The first address after the region.
    pub fn end(&self) -> HostAddr {
        self.start.offset(self.len)
    }

    /// Whether `len` bytes at `addr` are inside.
    pub fn contains(&self, addr: HostAddr, len: u64) -> bool {
        addr >= self.start && addr.0.checked_add(len).is_some_and(|end| end <= self.end().0)
    }

    /// Whether this may be the program's data: writable memory, but no device, because reading devices may be slow or have side effects,
    /// and not that of the system's own libraries, of which a program for Windows has tens.
    pub fn may_hold_data(&self) -> bool {
        let path = self.path.as_ref().map(|path| path.to_string_lossy());
        let path = path.as_deref().unwrap_or("");
        let device =
            path.starts_with("/dev/") && !path.starts_with("/dev/shm/") && !path.starts_with("/dev/zero");
        let kernel = path.starts_with("[v"); // [vdso], [vvar], [vsyscall]
        self.readable && self.writable && !device && !kernel && !self.is_of_windows()
    }

    /// Whether this is a part of a library of Windows.
    pub fn is_of_windows(&self) -> bool {
        let folder = self.path.as_ref().and_then(|path| path.parent()?.file_name());
        folder.is_some_and(|folder| SYSTEM_FOLDERS.iter().any(|system| folder.eq_ignore_ascii_case(system)))
    }

    /// The name of the mapped file, without folders and without ` (deleted)`.
    pub fn file_name(&self) -> Option<String> {
        let name = self.path.as_ref()?.file_name()?.to_string_lossy();
        Some(name.strip_suffix(" (deleted)").unwrap_or(&name).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_a_program_is_searched_and_that_of_windows_is_not() {
        let data = |path: &str| Region::data(HostAddr(0), 4096, Some(path.into()));
        for program in ["/emulator/program.exe", "/cores/fceumm_libretro.dll", "[heap]", "/dev/zero"] {
            assert!(data(program).may_hold_data() && !data(program).is_of_windows(), "{program}");
        }
        for system in ["/Windows/System32/ntdll.dll", "/usr/lib/wine/x86_64-windows/ntdll.dll"] {
            assert!(!data(system).may_hold_data() && data(system).is_of_windows(), "{system}");
        }
        assert!(!data("/dev/dri/card0").may_hold_data() && !data("[vvar]").may_hold_data());
        assert!(Region::data(HostAddr(0), 4096, None).may_hold_data());
    }
}
