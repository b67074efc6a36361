#![allow(clippy::expect_used, reason = "a test may panic")]

use super::*;

#[expect(clippy::expect_used, reason = "a helper of tests")]
fn launch(script: &str) -> LaunchedEmulator {
    let command = ["/bin/sh", "-c", script].map(Into::into).to_vec();
    LaunchedEmulator::start(&Launch { command, ..Launch::default() }).expect("a shell")
}

fn next_event(launched: &mut LaunchedEmulator) -> LaunchEvent {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(event) = launched.poll() {
            return event;
        }
        assert!(Instant::now() < deadline, "no event");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_program_that_a_shell_starts_is_the_emulator() {
    let folder = tempfile::tempdir().expect("a folder");
    let emulator = folder.path().join("blastem");
    std::fs::copy("/bin/sleep", &emulator).expect("a program");
    let mut wrapped = launch(&format!("sh -c '{} 60; true'; true", emulator.display()));
    let LaunchEvent::Runs(pid) = next_event(&mut wrapped) else { panic!("it runs") };
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).expect("it runs");
    assert_eq!(name.trim_end(), "blastem");
    let raw = nix::unistd::Pid::from_raw(i32::try_from(pid.0).expect("a process number"));
    nix::sys::signal::kill(raw, nix::sys::signal::Signal::SIGTERM).expect("it is ours");
    let ended = next_event(&mut wrapped);
    assert!(matches!(&ended, LaunchEvent::Ended { status: None, .. }), "the outer shell succeeds: {ended:?}");
    assert!(wrapped.has_ended() && wrapped.emulator().is_none());
}

#[test]
fn a_launch_that_is_not_detached_is_killed_on_drop() {
    let runs = |pid: Pid| std::path::Path::new(&format!("/proc/{pid}")).exists();
    let attached = launch("sleep 600; true");
    let pid = attached.pid();
    assert!(runs(pid));
    drop(attached);
    assert!(!runs(pid), "it was killed and reaped");
    let mut detached = launch("sleep 600; true");
    detached.detach();
    let pid = detached.pid();
    drop(detached);
    assert!(runs(pid), "it keeps running");
    let group = nix::unistd::Pid::from_raw(i32::try_from(pid.0).expect("a process number"));
    nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL).expect("it is ours");
}

#[test]
fn a_failure_is_described_with_its_last_output() {
    let mut failed = launch("echo no such game >&2; exit 2");
    let ended = next_event(&mut failed);
    let text = ended.describe("emulator");
    assert!(text.starts_with("emulator ended after ") && text.contains("exit status: 2"), "{text}");
    assert!(text.ends_with("\n  no such game"), "{text}");
}
