//! A real process to read: the test program itself, started again in a role.
//!
//! A test file that uses this runs its roles in `#[test] fn target()`, which does nothing in an ordinary run. A role sends values with
//! [`send`] and waits for commands with [`next_command`]; it ends when its parent does.
#![allow(dead_code, reason = "each test file uses its part")]

use crate::waiting::eventually;
use nextscope::process::{HostAddr, Pid, Process, ReadError};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const ROLE: &str = "NEXTSCOPE_TEST_ROLE";
const PREFIX: &str = "@@ ";
/// The user and group without rights, `nobody` on every distribution.
pub const NOBODY: u32 = 65534;

/// Runs `role(name, argument)` if this program was started for it.
pub fn run_role(role: impl FnOnce(&str, &str)) {
    if let Ok(call) = std::env::var(ROLE) {
        let (name, argument) = call.split_once(' ').unwrap_or((&call, ""));
        role(name, argument);
    }
}

/// In a role: sends a line to the parent.
pub fn send(line: impl std::fmt::Display) {
    println!("{PREFIX}{line}");
    std::io::stdout().flush().expect("the parent reads");
}

/// In a role: the next command, or None if the parent has ended.
pub fn next_command() -> Option<String> {
    let mut line = String::new();
    let got = std::io::stdin().read_line(&mut line).expect("stdin can be read");
    (got > 0).then(|| line.trim_end().to_owned())
}

/// In a role: waits until the parent has ended.
pub fn wait_for_exit() {
    while next_command().is_some() {}
}

/// A process in a role; killed when dropped.
pub struct Target {
    child: Child,
    commands: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// The command for a role, to be wrapped or run as another user.
pub fn command(role: &str) -> Command {
    // By this link instead of its path: another user can run it even without access to the folder.
    wrapped(Command::new("/proc/self/exe"), role)
}

/// As [`command`], started by another program that takes a command line (`setpriv ... --`); `exe` is this
/// program or a copy of it.
pub fn command_through(program: &str, options: &[&str], exe: &Path, role: &str) -> Command {
    let mut command = Command::new(program);
    command.args(options).arg(exe);
    wrapped(command, role)
}

/// Copies this program to `path`, where everybody may run it. Uses another process: a file that this process had open for writing could
/// not be run while another test starts a process that inherits it.
pub fn copy_exe(path: &Path) {
    let copied = Command::new("cp").arg(exe()).arg(path).status().expect("cp starts");
    assert!(copied.success());
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).expect("it is ours");
}

/// This program's file.
pub fn exe() -> PathBuf {
    std::env::current_exe().expect("our path is known")
}

fn wrapped(mut command: Command, role: &str) -> Command {
    command.args(["--exact", "target", "--nocapture", "--test-threads=1"]).env(ROLE, role);
    command
}

/// Runs the command as the user without rights.
pub fn as_nobody(mut command: Command) -> Command {
    command.uid(NOBODY).gid(NOBODY);
    command
}

impl Target {
    pub fn start(role: &str) -> Self {
        Self::run(command(role))
    }

    pub fn run(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let commands = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, commands, output }
    }

    pub fn pid(&self) -> Pid {
        Pid(self.child.id())
    }

    pub fn open(&self) -> Process {
        Process::open(self.pid()).expect("it is running")
    }

    /// The next line that it sends.
    pub fn receive(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            let got = self.output.read_line(&mut line).expect("its output is text");
            assert!(got > 0, "it ended without output");
            if let Some((_, text)) = line.split_once(PREFIX) {
                return text.trim_end().to_owned();
            }
        }
    }

    /// The next line as an address.
    pub fn receive_addr(&mut self) -> HostAddr {
        HostAddr(self.receive().parse().expect("an address"))
    }

    pub fn send_command(&mut self, command: &str) {
        let commands = self.commands.as_mut().expect("it is running");
        writeln!(commands, "{command}").expect("it is running");
    }

    /// Ends it without reaping it: it stays behind as a zombie.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is ours to end");
        let pid = self.child.id();
        eventually("it becomes a zombie", || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
        });
    }

    /// Reaps it.
    pub fn reap(&mut self) {
        self.child.wait().expect("it is ours to reap");
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        drop(self.commands.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether we may switch to other users; prints a note if a test requires it.
pub fn is_root(test: &str) -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root {
        eprintln!("not run: {test} needs root, to start processes of other users");
    }
    root
}

pub fn page() -> usize {
    let size = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE);
    usize::try_from(size.expect("a result").expect("it has one")).expect("it is positive")
}

pub fn is_gone<T>(result: &Result<T, ReadError>) -> bool {
    matches!(result, Err(ReadError::Gone { .. }))
}

pub mod regions;

/// Children that are ended and reaped when dropped.
pub struct Crowd(pub Vec<Child>);

impl Crowd {
    /// Starts sleeping processes; `name` becomes a link to the program, by which they are recognised.
    pub fn start(count: usize, name: &Path) -> Self {
        std::os::unix::fs::symlink("/bin/sleep", name).expect("a link");
        Self((0..count).map(|_| Command::new(name).arg("60").spawn().expect("sleep starts")).collect())
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Mappings made by hand, for roles only: the one place in the tests where unsafe code is needed.
#[allow(unsafe_code)]
pub mod mapping {
    use nix::sys::mman::{self, MapFlags, MmapAdvise, ProtFlags};
    use std::ffi::c_void;
    use std::num::NonZeroUsize;
    use std::os::fd::AsFd;
    use std::ptr::NonNull;

    /// Memory mapped until the process ends.
    pub struct Mapping {
        start: NonNull<c_void>,
        len: usize,
    }

    // SAFETY: it is used through its owner alone, and memory belongs to no thread.
    unsafe impl Send for Mapping {}

    const READ_WRITE: ProtFlags = ProtFlags::PROT_READ.union(ProtFlags::PROT_WRITE);

    impl Mapping {
        /// Anonymous memory, private or shared, in small pages.
        pub fn anonymous(len: usize, flags: MapFlags) -> Self {
            let size = NonZeroUsize::new(len).expect("a length");
            // SAFETY: a new mapping at an address of the kernel's choice touches no other memory.
            let start =
                unsafe { mman::mmap_anonymous(None, size, READ_WRITE, flags) }.expect("memory is there");
            // SAFETY: it is the mapping just made; the advice changes no content. Huge pages would be
            // touched as a whole.
            let _ = unsafe { mman::madvise(start, len, MmapAdvise::MADV_NOHUGEPAGE) };
            Self { start, len }
        }

        /// A shared mapping of the first `len` bytes of a file.
        pub fn of_file(file: impl AsFd, len: usize) -> Self {
            let size = NonZeroUsize::new(len).expect("a length");
            // SAFETY: as above; nobody cuts the file while it is mapped.
            let start = unsafe { mman::mmap(None, size, READ_WRITE, MapFlags::MAP_SHARED, file, 0) };
            Self { start: start.expect("the file can be mapped"), len }
        }

        pub fn addr(&self) -> u64 {
            self.start.addr().get() as u64
        }

        /// Sets the byte at `offset`.
        pub fn write(&mut self, offset: usize, byte: u8) {
            assert!(offset < self.len);
            // SAFETY: inside the mapping, which is writable wherever a role writes, and ours alone.
            unsafe { self.start.cast::<u8>().add(offset).write_volatile(byte) };
        }

        /// Copies `bytes` to `offset`.
        pub fn put(&mut self, offset: usize, bytes: &[u8]) {
            assert!(offset + bytes.len() <= self.len);
            // SAFETY: inside the mapping, which is writable wherever a role writes and no slice of this process overlaps.
            unsafe {
                self.start
                    .cast::<u8>()
                    .add(offset)
                    .copy_from_nonoverlapping(NonNull::from(bytes).cast::<u8>(), bytes.len());
            }
        }

        pub fn read(&self, offset: usize) -> u8 {
            assert!(offset < self.len);
            // SAFETY: inside the mapping, which is readable wherever a role reads.
            unsafe { self.start.cast::<u8>().add(offset).read_volatile() }
        }

        pub fn len(&self) -> usize {
            self.len
        }

        pub fn forbid(&mut self, from: usize, len: usize) {
            assert!(from + len <= self.len);
            // SAFETY: inside the mapping; no reference to its content exists.
            unsafe { mman::mprotect(self.start.byte_add(from), len, ProtFlags::PROT_NONE) }
                .expect("it is mapped");
        }

        pub fn unmap(&mut self, from: usize, len: usize) {
            assert!(from + len <= self.len);
            // SAFETY: inside the mapping; no reference to its content exists.
            unsafe { mman::munmap(self.start.byte_add(from), len) }.expect("it is mapped");
        }
    }
}

/// Ways in which a process can forbid itself to read others, for roles only: nothing but the kernel's own calls can do it.
#[allow(unsafe_code)]
pub mod refuse {
    use nix::libc;

    /// The kernel answers this system call with EPERM from now on (seccomp(2): the number of the call is the first word of
    /// `struct seccomp_data`).
    pub fn this_call_by_seccomp(call: libc::c_long) {
        let step = |code: u32, jt, jf, k| libc::sock_filter {
            code: u16::try_from(code).expect("16 bits"),
            jt,
            jf,
            k,
        };
        let errno = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
        let mut filter = [
            step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
            step(
                libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
                0,
                1,
                u32::try_from(call).expect("a small number"),
            ),
            step(libc::BPF_RET | libc::BPF_K, 0, 0, errno),
            step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: 4, filter: filter.as_mut_ptr() };
        nix::sys::prctl::set_no_new_privs().expect("every process may");
        // SAFETY: the filter is valid for the call, which copies it.
        let done =
            unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) };
        assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
    }

    /// landlock_create_ruleset(2) and landlock_restrict_self(2), the same numbers on every architecture but Alpha.
    const CREATE: libc::c_long = 444;
    const RESTRICT: libc::c_long = 446;

    /// Whether the kernel has Landlock: the call then answers with the version of its interface.
    pub fn has_landlock() -> bool {
        // SAFETY: with this flag the call takes no pointer.
        unsafe { libc::syscall(CREATE, std::ptr::null::<u8>(), 0_usize, 1_u32) > 0 }
    }

    /// This process may do nothing with programs outside from now on: Landlock keeps what it restricts from them, whatever the rules are.
    pub fn everything_by_landlock() {
        // The one right that is handled: to execute files (LANDLOCK_ACCESS_FS_EXECUTE).
        let attributes: u64 = 1;
        nix::sys::prctl::set_no_new_privs().expect("every process may");
        // SAFETY: the attributes are valid for the call, which copies them; the descriptor is its own.
        let done = unsafe {
            let rules = libc::syscall(CREATE, &raw const attributes, size_of::<u64>(), 0_u32);
            libc::syscall(RESTRICT, rules, 0_u32)
        };
        assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
    }
}
