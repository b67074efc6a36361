//! The system calls of the process module show that it cannot write to, stop or trace a process.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "a test may panic")]

mod process_target;
mod waiting;

use nextscope::process::{Pid, Process, diagnose, list};
use nix::sys::mman::MapFlags;
use process_target::mapping::Mapping;
use process_target::{Target, command_through, exe, page, run_role, send, wait_for_exit};
use std::process::Command;

#[test]
fn target() {
    run_role(|role, argument| match role {
        "reader" => read(Pid(argument.parse().expect("a number"))),
        _ => {
            send(Mapping::anonymous(page(), MapFlags::MAP_PRIVATE).addr());
            wait_for_exit();
        }
    });
}

/// Every operation of the module on a process.
fn read(pid: Pid) {
    assert!(list().iter().any(|info| info.pid == pid));
    let process = Process::open(pid).expect("it is running");
    let mut page = vec![0; page()];
    let mut read = 0;
    for region in process.regions().expect("it is running").iter().filter(|region| region.readable) {
        for (start, _) in process.touched_ranges(region) {
            read += usize::from(process.read_exact(start, &mut page).is_ok());
        }
    }
    process.check_running().expect("it is running");
    let refusal = diagnose(pid);
    send(format!("{read} pages, {:?}", refusal.rule));
}

#[test]
fn its_system_calls_only_read_the_process() {
    let possible = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !possible.is_ok_and(|status| status.success()) {
        eprintln!("not run: strace is not there, or may not trace");
        return;
    }
    let mut victim = Target::start("victim");
    victim.receive();
    let trace = tempfile::NamedTempFile::new().expect("a file");
    let path = trace.path().to_str().expect("a temporary name is text");
    let role = format!("reader {}", victim.pid());
    let options = ["-f", "-qq", "-s", "200", "-o", path, "--"];
    let mut looker = Target::run(command_through("strace", &options, &exe(), &role));
    assert_ne!(looker.receive().split(' ').next(), Some("0"), "no page was read");
    looker.reap();
    let trace = std::fs::read_to_string(path).expect("strace wrote it");
    let calls = |name: &str| trace.lines().filter(|line| line.contains(name)).count();
    assert!(calls("process_vm_readv(") > 1, "the trace does not show the reads");
    assert!(calls(&format!("/proc/{}/pagemap", victim.pid())) > 0);
    for forbidden in [" process_vm_writev(", " ptrace(", " pidfd_send_signal(", " process_madvise("] {
        assert_eq!(calls(forbidden), 0, "{forbidden}");
    }
    // A thread may signal itself; nothing signals the victim.
    let signal = format!("kill({},", victim.pid());
    for line in trace.lines() {
        assert!(!line.contains(&signal), "{line}");
        let opens = line.contains(" open(") || line.contains(" openat(") || line.contains(" openat2(");
        let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|mode| line.contains(mode));
        assert!(!(opens && writes && line.contains("/proc/")), "{line}");
        assert!(!(opens && line.contains("/mem\"")), "{line}");
    }
}
