//! The list of processes: whole names, no threads. How long it takes: `cargo bench --bench process`.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "a test may panic")]

mod process_target;

use nextscope::process::{Pid, ProcessList, list, process_info};
use process_target::{Crowd, Target, play, stay, tell};
use std::collections::HashSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn target() {
    play(|role, _| {
        assert_eq!(role, "threads");
        let barrier = std::sync::Barrier::new(21);
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    barrier.wait();
                    barrier.wait();
                });
            }
            barrier.wait();
            tell("twenty threads run");
            stay();
            barrier.wait();
        });
    });
}

#[test]
fn a_list_that_is_refreshed_has_what_is_new_and_not_what_has_ended() {
    let mut running = ProcessList::default();
    let before = running.refresh();
    let launcher = Command::new("sh").args(["-c", "read go; exec sleep 60"]).stdin(Stdio::piped()).spawn();
    let mut crowd = Crowd(vec![launcher.expect("a shell")]);
    let pid = Pid(crowd.0[0].id());
    assert!(!before.iter().any(|info| info.pid == pid));
    let found = |running: &mut ProcessList| running.refresh().into_iter().find(|info| info.pid == pid);
    assert_eq!(found(&mut running).expect("the new one").command[0], "sh");
    // A launcher becomes the program that it launches.
    drop(crowd.0[0].stdin.take().map(|mut go| std::io::Write::write_all(&mut go, b"go\n")));
    let until = Instant::now() + Duration::from_secs(20);
    while found(&mut running).expect("it runs").command != ["sleep", "60"] {
        assert!(Instant::now() < until, "{:?}", found(&mut running));
        std::thread::yield_now();
    }
    crowd.0[0].kill().expect("it is ours");
    crowd.0[0].wait().expect("it is ours");
    assert!(found(&mut running).is_none());
    // What is told of the others is what a new list says.
    let (kept, new) = (running.refresh(), list());
    let described = |all: &[nextscope::process::ProcessInfo]| -> Vec<String> {
        all.iter()
            .filter(|info| info.pid == Pid(std::process::id()))
            .map(|info| format!("{info:?}"))
            .collect()
    };
    assert_eq!(described(&kept), described(&new));
}

#[test]
fn a_process_with_many_threads_is_listed_once() {
    let mut target = Target::start("threads");
    target.hear();
    let pid = target.pid();
    let threads: HashSet<Pid> = fs::read_dir(format!("/proc/{pid}/task"))
        .expect("it is running")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok().map(Pid))
        .collect();
    assert!(threads.len() > 20, "{}", threads.len());
    let listed: Vec<_> =
        list().into_iter().map(|info| info.pid).filter(|pid| threads.contains(pid)).collect();
    assert_eq!(listed, [pid]);
}

#[test]
fn names_longer_than_the_kernel_keeps_are_whole_in_exe_and_command() {
    let folder = tempfile::tempdir().expect("a folder");
    // A copy of this very program, that waits for orders: no program of the system is needed.
    let path = folder.path().join("an-emulator-with-a-long-name");
    process_target::copy_exe(&path);
    let mut target = Target::run(process_target::command_through("env", &[], &path, "threads"));
    target.hear();
    let found = list().into_iter().find(|info| info.pid == target.pid()).expect("it is listed");
    assert_eq!(found.name, "an-emulator-wit", "the kernel keeps 15 characters");
    assert_eq!(found.exe.as_deref(), Some(path.as_path()));
    assert_eq!(found.command[0], path.to_string_lossy());
    assert_eq!(found.command[1..3], ["--exact", "target"]);
    assert_eq!(found.user, Some(nix::unistd::getuid().to_string()));
    let alone = process_info(target.pid()).expect("it runs");
    assert_eq!((alone.pid, alone.exe, alone.command), (found.pid, found.exe, found.command));
}

#[test]
fn an_ended_process_is_not_listed_and_neither_is_a_name_for_it() {
    let mut target = Target::start("threads");
    target.hear();
    let pid = target.pid();
    assert!(list().iter().any(|info| info.pid == pid));
    target.kill();
    assert!(!list().iter().any(|info| info.pid == pid), "a zombie is listed");
    target.reap();
    assert!(process_info(pid).is_none());
}

#[test]
fn hundreds_of_processes_are_all_listed_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let crowd = Crowd::start(300, &folder.path().join("crowd"));
    let expected: HashSet<Pid> = crowd.0.iter().map(|child| Pid(child.id())).collect();
    let all = list();
    assert!(all.is_sorted_by_key(|info| info.pid));
    let listed: HashSet<Pid> = all.iter().map(|info| info.pid).collect();
    assert!(expected.is_subset(&listed));
}
