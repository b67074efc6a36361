//! Emulators' DLLs for Windows in hosts of our own (tests/windows), on Windows itself or in Wine.
//!
//! With `NEXTSCOPE_TEST_WINDOWS_HOSTS` and `NEXTSCOPE_TEST_WINDOWS_DLLS`, the folders with hosts and DLLs, the tests of real emulators run
//! these in place of the others. On other systems Wine starts them.

use super::{Kind, Pace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of tests/windows, and the DLL that it loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    GenesisPlusGx,
    Fceumm,
    Desmume(Bits),
    /// No DLL: a copy of the file that is given as its ROM, in one place of a program.
    Memory(Place, Bits),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Static data of the executable.
    Bss,
    /// A block of the C library's heap.
    Heap,
    /// Pages of their own.
    VirtualAlloc,
    /// What a libretro core exports.
    Core,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    Of64,
    Of32,
}

/// The low byte of the frame counter of the Genesis cartridge, which a [`Host::Memory`] counts.
pub const FRAME_COUNTER: u32 = 0xA069;

/// Frames a second in place of an unthrottled emulator: ten times as fast as the console. The timers of Windows and the cost of a
/// read in Wine do not suffice for the thousands of frames that the hosts can run.
const FAST: &str = "600";

/// The folders with hosts and with DLLs, if these are tested.
fn folders() -> Option<[PathBuf; 2]> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    Some([folder("NEXTSCOPE_TEST_WINDOWS_HOSTS")?, folder("NEXTSCOPE_TEST_WINDOWS_DLLS")?])
}

/// The programs that hold memory, if they are tested.
pub fn memory_hosts() -> Vec<Kind> {
    let places = [Place::Bss, Place::Heap, Place::VirtualAlloc, Place::Core];
    let hosts =
        places.into_iter().flat_map(|place| [Bits::Of64, Bits::Of32].map(|bits| Host::Memory(place, bits)));
    hosts.filter(|_| folders().is_some()).map(|host| Kind::Windows(host, Pace::Console)).collect()
}

/// What runs in place of `kind` if DLLs are tested; None for what has no counterpart.
pub fn counterpart(kind: Kind) -> Option<Kind> {
    if folders().is_none() {
        return Some(kind);
    }
    match kind {
        Kind::Embedded | Kind::EmbeddedUnswapped => Some(kind),
        Kind::RetroArchGpgx => Some(Kind::Windows(Host::GenesisPlusGx, Pace::Console)),
        Kind::BlastEmUnthrottled => Some(Kind::Windows(Host::GenesisPlusGx, Pace::Unthrottled)),
        Kind::RetroArchFceumm(pace) => Some(Kind::Windows(Host::Fceumm, pace)),
        Kind::PyDesmume(pace) => Some(Kind::Windows(Host::Desmume(Bits::Of64), pace)),
        Kind::RetroArchDesmume(Pace::Console) => {
            Some(Kind::Windows(Host::Desmume(Bits::Of32), Pace::Console))
        }
        _ => None,
    }
}

impl Host {
    pub fn name(self, pace: Pace) -> &'static str {
        match (self, pace) {
            (Self::GenesisPlusGx, Pace::Console) => "genesis_plus_gx_libretro.dll",
            (Self::GenesisPlusGx, Pace::Unthrottled) => "genesis_plus_gx_libretro.dll, 600 Hz",
            (Self::Fceumm, Pace::Console) => "fceumm_libretro.dll",
            (Self::Fceumm, Pace::Unthrottled) => "fceumm_libretro.dll, 600 Hz",
            (Self::Desmume(Bits::Of64), Pace::Console) => "libdesmume.dll",
            (Self::Desmume(Bits::Of64), Pace::Unthrottled) => "libdesmume.dll, 600 Hz",
            (Self::Desmume(Bits::Of32), Pace::Console) => "libdesmume.dll, 32 bits",
            (Self::Desmume(Bits::Of32), Pace::Unthrottled) => "libdesmume.dll, 32 bits, 600 Hz",
            (Self::Memory(Place::Bss, Bits::Of64), _) => ".bss",
            (Self::Memory(Place::Bss, Bits::Of32), _) => ".bss, 32 bits",
            (Self::Memory(Place::Heap, Bits::Of64), _) => "heap",
            (Self::Memory(Place::Heap, Bits::Of32), _) => "heap, 32 bits",
            (Self::Memory(Place::VirtualAlloc, Bits::Of64), _) => "VirtualAlloc",
            (Self::Memory(Place::VirtualAlloc, Bits::Of32), _) => "VirtualAlloc, 32 bits",
            (Self::Memory(Place::Core, Bits::Of64), _) => "libretro core",
            (Self::Memory(Place::Core, Bits::Of32), _) => "libretro core, 32 bits",
        }
    }

    /// The host, and the DLL if it loads one.
    fn files(self) -> (PathBuf, Option<PathBuf>) {
        let (host, dll) = match self {
            Self::GenesisPlusGx => ("libretro_host.exe", Some("genesis_plus_gx_libretro.dll")),
            Self::Fceumm => ("libretro_host.exe", Some("fceumm_libretro.dll")),
            Self::Desmume(Bits::Of64) => ("desmume_host.exe", Some("libdesmume.dll")),
            Self::Desmume(Bits::Of32) => ("desmume_host_32.exe", Some("32/libdesmume.dll")),
            Self::Memory(_, Bits::Of64) => ("memory_host.exe", None),
            Self::Memory(_, Bits::Of32) => ("memory_host_32.exe", None),
        };
        let [hosts, dlls] = folders().unwrap_or_default();
        (hosts.join(host), dll.map(|dll| dlls.join(dll)))
    }

    pub fn missing(self) -> Option<String> {
        let (host, dll) = self.files();
        let missing = std::iter::once(host).chain(dll).find(|file| !file.is_file())?;
        Some(format!("no {}", missing.display()))
    }

    /// What starts it with the ROM at `rom`.
    pub fn command(self, pace: Pace, rom: &Path) -> Command {
        let (host, dll) = self.files();
        let mut command = if cfg!(windows) {
            Command::new(host)
        } else {
            let mut command = Command::new("wine");
            command.arg(host).env("WINEDEBUG", "-all");
            command
        };
        match self {
            Self::Memory(place, _) => {
                let place = match place {
                    Place::Bss => "bss",
                    Place::Heap => "heap",
                    Place::VirtualAlloc => "virtual",
                    Place::Core => "core",
                };
                command.arg(place).arg(rom).args([FRAME_COUNTER.to_string(), "1".to_owned()]);
            }
            _ => {
                command.args(dll).arg(rom);
            }
        }
        if pace == Pace::Unthrottled {
            command.arg(FAST);
        }
        command
    }
}

#[cfg(windows)]
mod threads {
    #![allow(unsafe_code)]

    use std::os::windows::io::{AsRawHandle, RawHandle};
    use std::process::Child;

    // Debuggers stop all threads of a process with these two, which have no counterpart among the documented functions.
    #[link(name = "ntdll")]
    unsafe extern "system" {
        fn NtSuspendProcess(process: RawHandle) -> i32;
        fn NtResumeProcess(process: RawHandle) -> i32;
    }

    pub fn suspend(child: &Child) {
        // SAFETY: an open handle with all rights.
        assert_eq!(unsafe { NtSuspendProcess(child.as_raw_handle()) }, 0);
    }

    pub fn resume(child: &Child) {
        // SAFETY: an open handle with all rights.
        assert_eq!(unsafe { NtResumeProcess(child.as_raw_handle()) }, 0);
    }
}

#[cfg(windows)]
pub use threads::{resume, suspend};
