//! Checks by its system calls that a complete session, attached and verifying, only reads the emulator.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "programs/mod.rs"]
mod programs;

use std::process::Command;

#[test]
fn a_session_never_writes_to_traces_or_stops_another_process() {
    if !programs::is_installed("strace", "strace") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls");
    let output = Command::new("strace")
        .args(["-f", "-y", "-o"])
        .arg(&log)
        .args(["-e", "trace=process_vm_readv,process_vm_writev,ptrace,open,openat,openat2,kill,tkill,tgkill,pidfd_open,pidfd_send_signal"])
        .arg(env!("CARGO_BIN_EXE_nextscope"))
        .args(["verify", "--demo", "--pairs", "20", "--seconds", "40", "--json"])
        .output()
        .expect("strace runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let calls = std::fs::read_to_string(&log).unwrap();
    assert!(calls.contains("process_vm_readv("), "the session did read: {}", &calls[..calls.len().min(2000)]);
    for call in calls.lines() {
        for forbidden in ["process_vm_writev(", "ptrace(", "pidfd_send_signal("] {
            assert!(!call.contains(forbidden), "{call}");
        }
        if call.contains("/mem\"") && call.contains("/proc/") {
            assert!(!call.contains("O_RDWR") && !call.contains("O_WRONLY"), "{call}");
        }
    }
}
