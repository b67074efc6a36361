//! Emulators' DLLs for Windows in hosts of our own (tests/windows), on Windows itself or in Wine.
//!
//! With `NEXTSCOPE_TEST_WINDOWS_HOSTS` and `NEXTSCOPE_TEST_WINDOWS_DLLS`, the folders with hosts and DLLs, the tests of real emulators run
//! these in place of the others. On other systems Wine starts them.

use super::{Kind, Pace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A DLL, and the host that loads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dll {
    GenesisPlusGx,
    Fceumm,
    Desmume,
}

/// The folders with hosts and with DLLs, if these are tested.
fn folders() -> Option<[PathBuf; 2]> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    Some([folder("NEXTSCOPE_TEST_WINDOWS_HOSTS")?, folder("NEXTSCOPE_TEST_WINDOWS_DLLS")?])
}

/// What runs in place of `kind` if DLLs are tested; None for what has no counterpart.
pub fn counterpart(kind: Kind) -> Option<Kind> {
    if folders().is_none() {
        return Some(kind);
    }
    match kind {
        Kind::Embedded | Kind::EmbeddedUnswapped => Some(kind),
        Kind::RetroArchGpgx => Some(Kind::Windows(Dll::GenesisPlusGx, Pace::Console)),
        // Seen from Linux it runs at 4,500 frames a second, of which too many are missed for the counts of faults.
        Kind::BlastEmUnthrottled if cfg!(windows) => {
            Some(Kind::Windows(Dll::GenesisPlusGx, Pace::Unthrottled))
        }
        Kind::RetroArchFceumm(pace) => Some(Kind::Windows(Dll::Fceumm, pace)),
        Kind::PyDesmume(pace) => Some(Kind::Windows(Dll::Desmume, pace)),
        _ => None,
    }
}

impl Dll {
    pub fn name(self, pace: Pace) -> &'static str {
        match (self, pace) {
            (Self::GenesisPlusGx, Pace::Console) => "genesis_plus_gx_libretro.dll",
            (Self::GenesisPlusGx, Pace::Unthrottled) => "genesis_plus_gx_libretro.dll, fast",
            (Self::Fceumm, Pace::Console) => "fceumm_libretro.dll",
            (Self::Fceumm, Pace::Unthrottled) => "fceumm_libretro.dll, fast",
            (Self::Desmume, Pace::Console) => "libdesmume.dll",
            (Self::Desmume, Pace::Unthrottled) => "libdesmume.dll, fast",
        }
    }

    /// The host and the DLL.
    fn files(self) -> [PathBuf; 2] {
        let (host, dll) = match self {
            Self::GenesisPlusGx => ("libretro_host.exe", "genesis_plus_gx_libretro.dll"),
            Self::Fceumm => ("libretro_host.exe", "fceumm_libretro.dll"),
            Self::Desmume => ("desmume_host.exe", "libdesmume.dll"),
        };
        let [hosts, dlls] = folders().unwrap_or_default();
        [hosts.join(host), dlls.join(dll)]
    }

    pub fn missing(self) -> Option<String> {
        let missing = self.files().into_iter().find(|file| !file.is_file())?;
        Some(format!("no {}", missing.display()))
    }

    /// What starts it with the ROM at `rom`.
    pub fn command(self, pace: Pace, rom: &Path) -> Command {
        let [host, dll] = self.files();
        let mut command = if cfg!(windows) {
            Command::new(host)
        } else {
            let mut command = Command::new("wine");
            command.arg(host).env("WINEDEBUG", "-all");
            command
        };
        command.arg(dll).arg(rom);
        if pace == Pace::Unthrottled {
            command.arg("0");
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
