//! Windows: reads by `ReadProcessMemory`, regions by `VirtualQueryEx`, refusals by tokens and protection levels.
//!
//! A handle keeps a process number from being given to another process, so an open [`Handle`] is the process's identity.
//!
//! Every call of the system in this file reads. The rights that are asked for (`PROCESS_VM_READ`, `PROCESS_QUERY_INFORMATION`) do not permit
//! writing, stopping or debugging.
//!
//! Wine 10 differs from Windows: it answers `QueryWorkingSetEx` for the calling process only, so that all pages of another process count as
//! touched; and it has no protection levels.

#![allow(unsafe_code, reason = "the system's functions take pointers and handles")]

use super::handle::Failure;
use super::refusal::{Access, RETROARCH_SETTING};
use super::{HostAddr, Launch, Pid, ProcessInfo, Refusal, Region, Remedy, Rule};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsString, c_void};
use std::io;
use std::mem::size_of;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::ptr::from_mut;
use windows_sys::Wdk::System::Threading::{NtQueryInformationProcess, ProcessBasicInformation};
use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_INVALID_PARAMETER, HANDLE, LocalFree, WAIT_TIMEOUT,
};
use windows_sys::Win32::Media::{TIMERR_NOERROR, timeBeginPeriod, timeEndPeriod};
use windows_sys::Win32::Security::{
    EqualSid, GetTokenInformation, TOKEN_ELEVATION, TOKEN_INFORMATION_CLASS, TOKEN_QUERY, TOKEN_USER,
    TokenElevation, TokenUser,
};
use windows_sys::Win32::System::Diagnostics::Debug::ReadProcessMemory;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_IMAGE, MEM_MAPPED, MEMORY_BASIC_INFORMATION, PAGE_EXECUTE, PAGE_EXECUTE_READ,
    PAGE_EXECUTE_READWRITE, PAGE_EXECUTE_WRITECOPY, PAGE_GUARD, PAGE_NOACCESS, PAGE_READWRITE,
    PAGE_WRITECOPY, VirtualQueryEx,
};
use windows_sys::Win32::System::ProcessStatus::{
    K32GetMappedFileNameW, K32QueryWorkingSetEx, PSAPI_WORKING_SET_EX_INFORMATION,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, GetCurrentProcess, GetProcessInformation, OpenProcess,
    OpenProcessToken, PROCESS_ACCESS_RIGHTS, PROCESS_BASIC_INFORMATION, PROCESS_PROTECTION_LEVEL_INFORMATION,
    PROCESS_QUERY_INFORMATION, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE, PROCESS_TERMINATE,
    PROCESS_VM_READ, PROTECTION_LEVEL_NONE, ProcessProtectionLevelInfo, TerminateProcess,
    WaitForSingleObject,
};
use windows_sys::Win32::UI::Shell::CommandLineToArgvW;

/// The page size of x86-64 and of x86, and the smallest on ARM64.
const PAGE: u64 = 4096;
/// Pages asked for in one call of `QueryWorkingSetEx`.
const PAGES_AT_ONCE: usize = 4096;
/// The longest path that the system knows, in 16-bit units.
const LONGEST_PATH: usize = 1 << 15;

#[derive(Debug)]
pub(super) struct Handle(OwnedHandle);

/// Opens a process with these rights.
fn open_process(pid: Pid, rights: PROCESS_ACCESS_RIGHTS) -> io::Result<OwnedHandle> {
    // SAFETY: takes no pointer; the result is checked before it is used.
    let raw = unsafe { OpenProcess(rights, 0, pid.0) };
    if raw.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a handle just opened, which nobody else closes.
    Ok(unsafe { OwnedHandle::from_raw_handle(raw) })
}

fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error().and_then(|code| u32::try_from(code).ok()) == Some(code)
}

fn is_running(handle: &OwnedHandle) -> bool {
    // SAFETY: an open handle with the right SYNCHRONIZE.
    (unsafe { WaitForSingleObject(handle.as_raw_handle(), 0) }) == WAIT_TIMEOUT
}

impl Handle {
    pub(super) fn open(pid: Pid) -> Result<Self, Failure> {
        let rights = PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | PROCESS_SYNCHRONIZE;
        match open_process(pid, rights) {
            // A process that has ended can be opened while somebody else has a handle to it.
            Ok(handle) if is_running(&handle) => Ok(Self(handle)),
            Ok(_) => Err(Failure::Gone),
            Err(error) if is(&error, ERROR_ACCESS_DENIED) => Err(Failure::Refused),
            Err(error) if is(&error, ERROR_INVALID_PARAMETER) => Err(Failure::Gone),
            Err(error) => Err(Failure::System(error.to_string())),
        }
    }

    pub(super) fn is_running(&self) -> bool {
        is_running(&self.0)
    }

    fn raw(&self) -> HANDLE {
        self.0.as_raw_handle()
    }

    /// The system reads all or nothing. When it reads nothing of several pages, they are tried one by one.
    pub(super) fn read(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), Failure> {
        let in_one_page = addr.0 % PAGE + buf.len() as u64 <= PAGE;
        if !in_one_page && self.read_once(addr, buf).is_ok() {
            return Ok(());
        }
        let mut available = 0;
        while available < buf.len() {
            let at = addr.offset(available as u64);
            let in_page = usize::try_from(PAGE - at.0 % PAGE).unwrap_or(1);
            let end = available.saturating_add(in_page).min(buf.len());
            match self.read_once(at, &mut buf[available..end]) {
                Ok(()) => available = end,
                Err(_) if !self.is_running() => return Err(Failure::Gone),
                // The handle has the right to read, so that this is a process that is ending (STATUS_PROCESS_IS_TERMINATING).
                Err(error) if is(&error, ERROR_ACCESS_DENIED) => return Err(Failure::Gone),
                Err(_) if available == 0 => return Err(Failure::NotMapped),
                Err(_) => return Err(Failure::Short(available)),
            }
        }
        Ok(())
    }

    fn read_once(&self, addr: HostAddr, buf: &mut [u8]) -> io::Result<()> {
        if buf.is_empty() {
            return Ok(());
        }
        let base = usize::try_from(addr.0).map_err(io::Error::other)?;
        let mut got = 0;
        // SAFETY: `buf` is writable for its length, `got` for a number. The address belongs to another process and is never dereferenced here.
        let done = unsafe {
            ReadProcessMemory(
                self.raw(),
                std::ptr::without_provenance::<c_void>(base),
                buf.as_mut_ptr().cast(),
                buf.len(),
                &raw mut got,
            )
        };
        match done {
            0 => Err(io::Error::last_os_error()),
            _ if got < buf.len() => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            _ => Ok(()),
        }
    }

    /// This system has no such call.
    #[expect(clippy::unused_self, reason = "the same as on Linux")]
    pub(super) fn read_series(&self, _parts: &mut [(HostAddr, &mut [u8])]) -> bool {
        false
    }

    /// Of a library of Windows only its beginning is listed: no program has its data there, and in Wine each query is answered by a thread of
    /// the other program, in a third of a millisecond.
    pub(super) fn regions(&self) -> io::Result<Vec<Region>> {
        let mut regions: Vec<Region> = Vec::new();
        let mut files: BTreeMap<usize, Option<PathBuf>> = BTreeMap::new();
        let mut at = 0_usize;
        while let Some(info) = self.query(at) {
            let mut end = info.BaseAddress.addr().checked_add(info.RegionSize);
            if info.State == MEM_COMMIT {
                let allocation = info.AllocationBase.addr();
                let path = if info.Type == MEM_IMAGE || info.Type == MEM_MAPPED {
                    files.entry(allocation).or_insert_with(|| self.mapped_file(allocation)).clone()
                } else {
                    None
                };
                let region = region(&info, path);
                if info.Type == MEM_IMAGE && region.is_of_windows() {
                    end = self.image_end(allocation).or(end);
                }
                regions.push(region);
            }
            let Some(end) = end.filter(|end| *end > at) else { return Ok(regions) };
            at = end;
        }
        // Past the last address; or the process has ended, and the list is empty or incomplete.
        if self.is_running() { Ok(regions) } else { Ok(Vec::new()) }
    }

    /// The pages around an address that are alike. None past the last address.
    fn query(&self, at: usize) -> Option<MEMORY_BASIC_INFORMATION> {
        let mut info = MEMORY_BASIC_INFORMATION::default();
        let len = size_of::<MEMORY_BASIC_INFORMATION>();
        // SAFETY: `info` is writable for `len` bytes.
        let got =
            unsafe { VirtualQueryEx(self.raw(), std::ptr::without_provenance(at), from_mut(&mut info), len) };
        (got != 0).then_some(info)
    }

    /// Where the image of a module ends: its header says so, and is believed when the last page belongs to it.
    fn image_end(&self, base: usize) -> Option<usize> {
        // Microsoft, PE Format: the offset of the signature, then SizeOfImage behind signature and file header, with 32 and with 64 bits.
        const SIGNATURE: usize = 0x3C;
        const SIZE: usize = 4 + 20 + 56;

        let word = |at: usize| {
            let mut bytes = [0; 4];
            self.read_once(HostAddr(at as u64), &mut bytes).ok()?;
            usize::try_from(u32::from_le_bytes(bytes)).ok()
        };
        let header = base.checked_add(word(base + SIGNATURE)?)?;
        let size = word(header.checked_add(SIZE)?)?;
        let last = self.query(base.checked_add(size)?.checked_sub(1)?)?;
        let end = last.BaseAddress.addr().checked_add(last.RegionSize)?;
        (last.AllocationBase.addr() == base).then_some(end)
    }

    /// The file that is mapped at an address, as the system names it (`\Device\HarddiskVolume3\...`).
    fn mapped_file(&self, at: usize) -> Option<PathBuf> {
        let mut name = vec![0_u16; LONGEST_PATH];
        let capacity = u32::try_from(name.len()).ok()?;
        // SAFETY: `name` is writable for `capacity` 16-bit units.
        let len = unsafe {
            K32GetMappedFileNameW(self.raw(), std::ptr::without_provenance(at), name.as_mut_ptr(), capacity)
        };
        let name = name.get(..usize::try_from(len).ok()?).filter(|name| !name.is_empty())?;
        Some(OsString::from_wide(name).into())
    }

    /// The pages in the working set, which a running program uses. A page that was trimmed from it counts as untouched: the system trims
    /// programs that did nothing for long.
    pub(super) fn touched_ranges(&self, region: &Region) -> Option<Vec<(HostAddr, u64)>> {
        let mut ranges: Vec<(HostAddr, u64)> = Vec::new();
        let mut at = region.start;
        while at < region.end() {
            let left = usize::try_from((region.end().0 - at.0).div_ceil(PAGE)).ok()?;
            let addresses = (0..left.min(PAGES_AT_ONCE) as u64).map(|page| at.offset(page * PAGE));
            let mut pages = Vec::with_capacity(PAGES_AT_ONCE);
            for address in addresses {
                let address = std::ptr::without_provenance_mut(usize::try_from(address.0).ok()?);
                pages
                    .push(PSAPI_WORKING_SET_EX_INFORMATION { VirtualAddress: address, ..Default::default() });
            }
            let bytes = u32::try_from(size_of_val(pages.as_slice())).ok()?;
            // SAFETY: `pages` is writable for `bytes` bytes.
            if unsafe { K32QueryWorkingSetEx(self.raw(), pages.as_mut_ptr().cast(), bytes) } == 0 {
                return None;
            }
            for page in &pages {
                // Bit 0: the page is in the working set (PSAPI_WORKING_SET_EX_BLOCK).
                // SAFETY: the union's flags are valid for every value.
                if unsafe { page.VirtualAttributes.Flags } & 1 != 0 {
                    match ranges.last_mut() {
                        Some((start, len)) if start.offset(*len) == at => *len += PAGE,
                        _ => ranges.push((at, PAGE)),
                    }
                }
                at = at.offset(PAGE);
            }
        }
        Some(ranges)
    }
}

fn region(info: &MEMORY_BASIC_INFORMATION, path: Option<PathBuf>) -> Region {
    let protection = info.Protect & 0xFF;
    let any = |of: &[u32]| of.contains(&protection);
    let execute_and_read = [PAGE_EXECUTE_READ, PAGE_EXECUTE_READWRITE, PAGE_EXECUTE_WRITECOPY];
    let denied = info.Protect & PAGE_GUARD != 0 || any(&[0, PAGE_NOACCESS]);
    Region {
        start: HostAddr(info.BaseAddress.addr() as u64),
        len: info.RegionSize as u64,
        readable: !denied && protection != PAGE_EXECUTE,
        writable: !denied
            && any(&[PAGE_READWRITE, PAGE_WRITECOPY, PAGE_EXECUTE_READWRITE, PAGE_EXECUTE_WRITECOPY]),
        executable: !denied && (any(&execute_and_read) || protection == PAGE_EXECUTE),
        path,
        // An image is mapped from its beginning.
        file_offset: (info.BaseAddress.addr() - info.AllocationBase.addr()) as u64,
        inode: 0,
        device: String::new(),
    }
}

/// Whether a process of that number runs.
pub(super) fn may_run(pid: Pid) -> bool {
    match open_process(pid, PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE) {
        Ok(handle) => is_running(&handle),
        Err(error) => !is(&error, ERROR_INVALID_PARAMETER),
    }
}

/// A process's token, as far as it can be read.
struct Token(OwnedHandle);

impl Token {
    fn of(process: HANDLE) -> Option<Self> {
        let mut token: HANDLE = std::ptr::null_mut();
        // SAFETY: `token` is writable; the result is checked.
        if unsafe { OpenProcessToken(process, TOKEN_QUERY, &raw mut token) } == 0 {
            return None;
        }
        // SAFETY: a handle just opened, which nobody else closes.
        Some(Self(unsafe { OwnedHandle::from_raw_handle(token) }))
    }

    /// What the token says, in words so that it is aligned as every structure needs.
    fn information(&self, class: TOKEN_INFORMATION_CLASS) -> Option<Vec<u64>> {
        let mut data = vec![0_u64; 64];
        let capacity = u32::try_from(size_of_val(data.as_slice())).ok()?;
        let mut len = 0;
        let token = self.0.as_raw_handle();
        // SAFETY: `data` is writable for `capacity` bytes, `len` for a number.
        let done =
            unsafe { GetTokenInformation(token, class, data.as_mut_ptr().cast(), capacity, &raw mut len) };
        (done != 0).then_some(data)
    }

    fn elevated(&self) -> Option<bool> {
        let data = self.information(TokenElevation)?;
        // SAFETY: the system wrote this structure to the beginning of `data`, which is long enough and aligned.
        let elevation: TOKEN_ELEVATION = unsafe { data.as_ptr().cast::<TOKEN_ELEVATION>().read() };
        Some(elevation.TokenIsElevated != 0)
    }

    fn same_user(&self, other: &Self) -> Option<bool> {
        let (one, other) = (self.information(TokenUser)?, other.information(TokenUser)?);
        // SAFETY: the system wrote the structures, whose pointers point into `one` and `other`; both live until the end.
        unsafe {
            let one = one.as_ptr().cast::<TOKEN_USER>().read();
            let other = other.as_ptr().cast::<TOKEN_USER>().read();
            Some(EqualSid(one.User.Sid, other.User.Sid) != 0)
        }
    }
}

/// Whether the system protects the process from everybody, as it does with games that have protection against cheating.
fn is_protected(process: &OwnedHandle) -> bool {
    let mut level = PROCESS_PROTECTION_LEVEL_INFORMATION::default();
    let Ok(len) = u32::try_from(size_of::<PROCESS_PROTECTION_LEVEL_INFORMATION>()) else { return false };
    let class = ProcessProtectionLevelInfo;
    // SAFETY: `level` is writable for `len` bytes.
    let done = unsafe { GetProcessInformation(process.as_raw_handle(), class, (&raw mut level).cast(), len) };
    done != 0 && level.ProtectionLevel != PROTECTION_LEVEL_NONE
}

/// The reasons for which `OpenProcess` is refused, in the order in which they can be recognised.
pub(super) fn refusal(pid: Pid, _access: Access) -> Refusal {
    let refusal = |rule, evidence: &str, mut remedies: Vec<Remedy>| {
        remedies.push(Remedy::text(RETROARCH_SETTING));
        Refusal { pid, rule, evidence: evidence.into(), remedies }
    };
    let as_administrator = || {
        vec![
            Remedy::text("Close the emulator and start it without \"Run as administrator\""),
            Remedy::text("Or close Nextscope and start it with \"Run as administrator\""),
        ]
    };
    if Handle::open(pid).is_ok() {
        return refusal(Rule::Unknown, "Windows permits opening it now", Vec::new());
    }
    let limited = open_process(pid, PROCESS_QUERY_LIMITED_INFORMATION).ok();
    if limited.as_ref().is_some_and(is_protected) {
        let evidence = "Windows protects this process from every other program, also from administrators";
        return refusal(Rule::Protected, evidence, Vec::new());
    }
    // SAFETY: takes nothing; the result is a constant that need not be closed.
    let ours = Token::of(unsafe { GetCurrentProcess() });
    let theirs = limited.as_ref().and_then(|process| Token::of(process.as_raw_handle()));
    let elevated = |token: &Option<Token>| token.as_ref().and_then(Token::elevated);
    let (we, it) = (elevated(&ours), elevated(&theirs));
    let same_user = ours.as_ref().zip(theirs.as_ref()).and_then(|(ours, theirs)| ours.same_user(theirs));
    if same_user == Some(false) {
        let (ours, theirs) = ("this user".into(), "another user".into());
        let remedies = vec![Remedy::text("Start the emulator and Nextscope as the same user")];
        let rule = Rule::OtherUser { ours, theirs };
        return refusal(rule, "it runs as another user of this computer", remedies);
    }
    match (we, it) {
        (Some(false), Some(true)) => {
            refusal(Rule::Elevated, "it runs as administrator, and Nextscope does not", as_administrator())
        }
        // The token of a process with more rights cannot be read.
        (Some(false), None) => refusal(
            Rule::Elevated,
            "Windows denies access: it probably runs as administrator, and Nextscope does not",
            as_administrator(),
        ),
        _ => refusal(Rule::Protected, "Windows denies access to it", Vec::new()),
    }
}

pub(super) fn namespace_refusal() -> Option<String> {
    Some("only Linux has user namespaces".into())
}

pub(super) fn can_list() -> io::Result<()> {
    Ok(())
}

/// The command line of a process with more rights is not known, that of some others neither; only the system itself has no executable.
/// A list of numbers alone costs as much as the whole.
pub(super) fn process_numbers() -> Option<Vec<u32>> {
    None
}

pub(super) fn is_program(process: &sysinfo::Process) -> bool {
    process.exe().is_some() || !process.cmd().is_empty()
}

/// Timers of a millisecond while this exists. The system's own resolution is 15.6 ms, which is a frame; a finer one costs power, so it is
/// asked for only while an emulator is read (timeBeginPeriod).
#[derive(Debug)]
pub struct FineTimers(bool);

/// The resolution in milliseconds.
const RESOLUTION: u32 = 1;

impl FineTimers {
    /// Asks for timers of a millisecond.
    pub fn request() -> Self {
        // SAFETY: takes a number.
        Self(unsafe { timeBeginPeriod(RESOLUTION) } == TIMERR_NOERROR)
    }
}

impl Drop for FineTimers {
    fn drop(&mut self) {
        if self.0 {
            // SAFETY: takes a number; ends what `new` asked for.
            unsafe { timeEndPeriod(RESOLUTION) };
        }
    }
}

/// The command line of a process, read from its memory, where Windows keeps it: sysinfo does not get it from Wine. The offsets are those
/// of 64-bit processes (Microsoft, PEB and RTL_USER_PROCESS_PARAMETERS); a 32-bit process has these structures as well.
pub(super) fn command_line(pid: Pid) -> Option<Vec<String>> {
    const PARAMETERS: u64 = 0x20;
    const COMMAND_LINE: u64 = 0x70;

    let process = Handle::open(pid).ok()?;
    let mut info = PROCESS_BASIC_INFORMATION::default();
    let len = u32::try_from(size_of::<PROCESS_BASIC_INFORMATION>()).ok()?;
    let mut written = 0;
    // SAFETY: `info` is writable for `len` bytes.
    let status = unsafe {
        let info = (&raw mut info).cast();
        NtQueryInformationProcess(process.raw(), ProcessBasicInformation, info, len, &raw mut written)
    };
    if status != 0 {
        return None;
    }
    let pointer = |at: u64| {
        let mut bytes = [0; 8];
        process.read_once(HostAddr(at), &mut bytes).ok().map(|()| u64::from_le_bytes(bytes))
    };
    let parameters = pointer(info.PebBaseAddress.addr() as u64 + PARAMETERS)?;
    // A string in the system's form: its length in bytes in the first two, the address of its text 8 bytes further on.
    let len = pointer(parameters + COMMAND_LINE)? & 0xFFFF;
    let mut bytes = vec![0; usize::try_from(len).ok()?];
    process.read_once(HostAddr(pointer(parameters + COMMAND_LINE + 8)?), &mut bytes).ok()?;
    let mut text: Vec<u16> =
        bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    // The function below makes a line of the name of this program of an empty one.
    if text.is_empty() {
        return None;
    }
    text.push(0);
    let mut count = 0;
    // SAFETY: `text` ends with 0; the result is an array of `count` strings that end with 0, freed below.
    unsafe {
        let words = CommandLineToArgvW(text.as_ptr(), &raw mut count);
        if words.is_null() {
            return None;
        }
        let word = |at: usize| {
            let start: *const u16 = *words.add(at);
            let len = (0..).take_while(|at| *start.add(*at) != 0).count();
            String::from_utf16_lossy(std::slice::from_raw_parts(start, len))
        };
        let list = (0..usize::try_from(count).unwrap_or(0)).map(word).collect();
        LocalFree(words.cast());
        Some(list)
    }
}

/// There is nothing to limit on this system.
pub fn limit_own_heap() {}

/// Puts a program that is to be started into its own process group: Ctrl+C in our console does not reach it. A console program opens no
/// console window.
pub fn detach(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
}

pub(super) fn prepare(command: &mut Command, _launch: &Launch) {
    detach(command);
}

/// The processes that a launched program started.
#[derive(Debug)]
pub(super) struct Family(BTreeSet<Pid>);

impl Family {
    pub(super) fn new() -> Self {
        Self(BTreeSet::new())
    }

    /// Those of `processes` that belong to the launch of `first`.
    pub(super) fn update(
        &mut self,
        first: Pid,
        first_ended: bool,
        processes: &[ProcessInfo],
    ) -> Vec<ProcessInfo> {
        self.0.insert(first);
        // A number may be in use again: a child is younger than its parent's launch. Numbers of ended processes leave the set below.
        for info in processes {
            if info.parent.is_some_and(|parent| self.0.contains(&parent)) {
                self.0.insert(info.pid);
            }
        }
        let running: BTreeSet<Pid> = processes.iter().map(|info| info.pid).collect();
        self.0.retain(|pid| *pid == first || running.contains(pid));
        let belongs = |info: &&ProcessInfo| self.0.contains(&info.pid) && !(first_ended && info.pid == first);
        processes.iter().filter(belongs).cloned().collect()
    }

    /// Ends the descendants that are known; the caller ends the program itself.
    pub(super) fn kill(&self, child: &Child) {
        for pid in self.0.iter().filter(|pid| pid.0 != child.id()) {
            if let Ok(handle) = open_process(*pid, PROCESS_TERMINATE) {
                // SAFETY: an open handle. The process may have ended already.
                unsafe { TerminateProcess(handle.as_raw_handle(), 1) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Process, ReadError};
    use std::sync::atomic::{AtomicU32, Ordering};

    fn ourselves() -> Process {
        Process::open(Pid(std::process::id())).expect("we are running")
    }

    #[test]
    fn our_own_memory_is_read_exactly() {
        let known: [u64; 600] = std::array::from_fn(|n| n as u64 * 7);
        let mut buf = [0; 4800];
        ourselves().read_exact(HostAddr(known.as_ptr().addr() as u64), &mut buf).expect("it is ours");
        assert!(buf.chunks_exact(8).zip(known).all(|(read, word)| read == word.to_ne_bytes()));
    }

    #[test]
    fn a_read_across_a_hole_says_how_much_there_is() {
        let process = ourselves();
        let regions = process.regions().expect("we are running");
        // The widest one: in Wine, memory that is only reserved can be read, and the narrow holes are.
        let holes = regions.windows(2).filter(|pair| pair[0].readable && pair[0].end() < pair[1].start);
        let widest = holes.max_by_key(|pair| pair[1].start.0 - pair[0].end().0).expect("a hole");
        let end = widest[0].end();
        let mut buf = vec![1; 300];
        let before = HostAddr(end.0 - 100);
        let error = process.read_exact(before, &mut buf).expect_err("a hole");
        assert!(matches!(error, ReadError::Short { available: 100, .. }), "{error}");
        assert!(buf.iter().all(|byte| *byte == 0));
        assert!(matches!(process.read_exact(end, &mut buf), Err(ReadError::NotMapped { .. })));
    }

    #[test]
    fn the_executable_is_among_the_regions() {
        let name = std::env::current_exe().expect("a path").file_name().expect("a name").to_owned();
        let name = name.to_string_lossy().into_owned();
        let regions = ourselves().regions().expect("we are running");
        let header = regions.iter().find(|region| region.file_name().as_ref() == Some(&name));
        let header = header.unwrap_or_else(|| panic!("{name} in {regions:?}"));
        assert!(header.readable && header.file_offset == 0);
        let mut magic = [0; 2];
        ourselves().read_exact(header.start, &mut magic).expect("it is readable");
        assert_eq!(&magic, b"MZ");
        // Data of the program is there, and of each library of Windows its beginning alone.
        static WRITTEN: AtomicU32 = AtomicU32::new(1);
        WRITTEN.store(2, Ordering::Relaxed);
        let written = HostAddr(std::ptr::from_ref(&WRITTEN).addr() as u64);
        assert!(regions.iter().any(|region| region.contains(written, 4) && region.may_hold_data()));
        let libraries: Vec<&Region> = regions.iter().filter(|region| region.is_of_windows()).collect();
        assert!(
            libraries.len() > 3 && libraries.iter().all(|library| library.file_offset == 0),
            "{libraries:?}"
        );
        assert!(regions.windows(2).all(|pair| pair[0].end() <= pair[1].start), "{regions:?}");
    }

    #[test]
    fn the_command_line_is_read_word_by_word() {
        let ours: Vec<String> = std::env::args().collect();
        assert_eq!(command_line(Pid(std::process::id())), Some(ours));
    }

    #[test]
    fn a_process_that_ended_is_gone() {
        let mut child = Command::new("cmd").args(["/c", "exit 0"]).spawn().expect("cmd");
        let pid = Pid(child.id());
        let process = Process::open(pid);
        child.wait().expect("it ends");
        if let Ok(process) = process {
            assert!(matches!(process.check_running(), Err(ReadError::Gone { .. })));
            assert!(matches!(process.read_exact(HostAddr(0x10000), &mut [0]), Err(ReadError::Gone { .. })));
            assert!(matches!(process.regions(), Err(ReadError::Gone { .. })));
        }
        assert!(matches!(Process::open(pid), Err(ReadError::Gone { .. })));
        assert!(matches!(Process::open(Pid(0xFFFF_FFF0)), Err(ReadError::Gone { .. })));
    }
}
