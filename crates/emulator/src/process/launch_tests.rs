#![allow(clippy::expect_used, reason = "a test may panic")]

use super::*;
use crate::process::system::{SUBREAPERS, Stat};
use crate::process::{HostAddr, Process, list};
use std::time::Duration;

fn sh(script: &str) -> Launch {
    Launch { command: vec!["/bin/sh".into(), "-c".into(), script.into()], ..Launch::default() }
}

/// Polls until there is something, for ten seconds at most.
fn wait<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(Instant::now() < deadline, "timed out");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[expect(clippy::expect_used, reason = "a helper of tests")]
fn kill(pid: Pid) {
    let raw = nix::unistd::Pid::from_raw(i32::try_from(pid.0).expect("a process number"));
    nix::sys::signal::kill(raw, nix::sys::signal::Signal::SIGKILL).expect("it is ours");
}

#[test]
fn the_output_of_a_program_that_ended_is_available() {
    let mut launched =
        Launched::start(&sh("echo one; echo 'no \x1b[31msuch ROM' >&2; exit 3")).expect("a shell");
    let status = wait(|| launched.exit_status());
    assert_eq!(status.code(), Some(3));
    assert_eq!(launched.last_output(), ["one", "no [31msuch ROM"]);
    assert!(launched.process_tree(&list()).is_empty());
}

#[test]
fn long_output_is_truncated() {
    let mut launched =
        Launched::start(&sh("yes 0123456789 | head -c 3000000; echo; echo end")).expect("a shell");
    wait(|| launched.exit_status());
    assert_eq!(launched.last_output().last().map(String::as_str), Some("end"));
    assert!(launched.last_output().len() <= LINES);
    launched.process_tree(&[]);
    assert!(launched.output.metadata().expect("a file").len() < MAX_OUTPUT);
}

#[test]
fn a_missing_program_is_an_error() {
    let launch = Launch { command: vec!["no-such-emulator".into()], ..Launch::default() };
    let error = Launched::start(&launch).expect_err("there is none").to_string();
    assert!(error.starts_with("no-such-emulator cannot be started") && error.contains("PATH"), "{error}");
    assert!(matches!(Launched::start(&Launch::default()), Err(LaunchError::Nothing)));
}

/// A launcher that starts the emulator through another process, and ends: what is left is ours, in the family, readable and reaped.
#[test]
fn orphans_of_a_launcher_are_followed_and_reaped() {
    let mut launched =
        Launched::start(&sh("(sleep 60 & sleep 60 & wait) & exec sleep 0.2")).expect("a shell");
    let first = launched.pid();
    let sleeps = |family: &[ProcessInfo]| -> Vec<Pid> {
        let asleep = |info: &&ProcessInfo| info.command == ["sleep", "60"];
        family.iter().filter(asleep).map(|info| info.pid).collect()
    };
    wait(|| (sleeps(&launched.process_tree(&list())).len() == 2).then_some(()));
    wait(|| launched.exit_status());
    let left = sleeps(&launched.process_tree(&list()));
    assert_eq!(left.len(), 2, "they go on without the one that was started");
    assert!(!left.contains(&first));
    for pid in &left {
        let process = Process::open(*pid).expect("it runs");
        let region = process
            .regions()
            .expect("it is ours")
            .into_iter()
            .find(|region| region.readable)
            .expect("memory");
        process.read_exact(region.start, &mut [0; 16]).expect("it may be read");
        kill(*pid);
    }
    wait(|| launched.process_tree(&list()).is_empty().then_some(()));
    for pid in left {
        assert!(Stat::of(pid).is_none(), "a zombie stayed");
    }
}

#[test]
fn what_is_started_has_a_group_of_its_own_and_outlives_what_started_it() {
    let launched = Launched::start(&sh("sleep 60")).expect("a shell");
    let pid = launched.pid();
    assert_eq!(Stat::of(pid).expect("it runs").group, pid, "Ctrl+C in our terminal does not reach it");
    drop(launched);
    assert_ne!(Stat::of(pid).expect("it runs").state, b'Z', "it goes on");
    kill(pid);
    let raw = nix::unistd::Pid::from_raw(i32::try_from(pid.0).expect("a process number"));
    nix::sys::wait::waitpid(raw, None).expect("it is ours");
}

#[test]
fn in_a_namespace_of_its_own_a_program_keeps_user_and_group_and_may_be_read() {
    if let Some(why) = crate::process::namespace_refusal() {
        eprintln!("not run: {why}");
        return;
    }
    let launch = Launch { in_namespace: true, ..sh("id -u; id -g; sleep 60") };
    let launched = Launched::start(&launch).expect("a namespace");
    let pid = launched.pid();
    let output = wait(|| Some(launched.last_output()).filter(|lines| lines.len() == 2));
    let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
    assert_eq!(output, [user.to_string(), group.to_string()]);
    let namespace = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/user")).expect("it is visible");
    assert_ne!(namespace(&pid.to_string()), namespace("self"));
    let process = Process::open(pid).expect("it runs");
    let region = process
        .regions()
        .expect("we have all rights in it")
        .into_iter()
        .find(|r| r.readable)
        .expect("memory");
    let mut bytes = [0; 4];
    process.read_exact(region.start, &mut bytes).expect("we have all rights in it");
    assert_eq!(&bytes, b"\x7fELF");
    assert!(process.read_exact(HostAddr(0x10), &mut [0]).is_err());
    kill(pid);
}

/// Orphans of processes that have nothing to do with an emulator are not ours to reap.
#[test]
fn orphans_are_adopted_only_while_something_launched_is_followed() {
    let adopted = || {
        // The lock blocks the launches of other tests meanwhile.
        let following = SUBREAPERS.lock().expect("no test panics with it");
        (nix::sys::prctl::get_child_subreaper().expect("a result"), *following > 0)
    };
    let mut launched = Launched::start(&sh("exit 0")).expect("a shell");
    assert_eq!(adopted(), (true, true));
    wait(|| launched.exit_status());
    drop(launched);
    let (adopts, following) = adopted();
    assert_eq!(adopts, following);
}
