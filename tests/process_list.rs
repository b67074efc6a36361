//! The list of processes: full names, no threads. Timing: `cargo bench --bench process`.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "a test may panic")]

mod process_target;
mod waiting;

use nextscope::process::{Pid, ProcessList, list, process_info};
use process_target::{Crowd, Target, run_role, send, wait_for_exit};
use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

#[test]
fn target() {
    run_role(|role, _| {
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
            send("twenty threads run");
            wait_for_exit();
            barrier.wait();
        });
    });
}

/// Waits for its first byte. A process has a command line only when `exec` is over, which is not certain when it has been started.
fn wait_until_it_runs(child: &mut Child) {
    child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("it writes");
}

#[test]
fn a_refreshed_list_has_new_processes_and_no_ended_ones() {
    let mut running = ProcessList::default();
    let before = running.refresh();
    let mut launcher = Command::new("sh");
    launcher.args(["-c", "echo x; read go; exec sleep 60"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut crowd = Crowd(vec![launcher.spawn().expect("a shell")]);
    let pid = Pid(crowd.0[0].id());
    wait_until_it_runs(&mut crowd.0[0]);
    assert!(!before.iter().any(|info| info.pid == pid));
    let found = |running: &mut ProcessList| running.refresh().into_iter().find(|info| info.pid == pid);
    assert_eq!(found(&mut running).expect("the new one").command[0], "sh");
    drop(crowd.0[0].stdin.take().map(|mut go| go.write_all(b"go\n")));
    let launched = || found(&mut running).expect("it runs").command == ["sleep", "60"];
    waiting::eventually("the launched program", launched);
    crowd.0[0].kill().expect("it is ours");
    crowd.0[0].wait().expect("it is ours");
    assert!(found(&mut running).is_none());
    // The cached data of the others equals a new list.
    let (cached, new) = (running.refresh(), list());
    let described = |all: &[nextscope::process::ProcessInfo]| -> Vec<String> {
        all.iter()
            .filter(|info| info.pid == Pid(std::process::id()))
            .map(|info| format!("{info:?}"))
            .collect()
    };
    assert_eq!(described(&cached), described(&new));
}

#[test]
fn a_process_with_many_threads_is_listed_once() {
    let mut target = Target::start("threads");
    target.receive();
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
fn names_longer_than_the_kernel_limit_are_complete_in_exe_and_command() {
    let folder = tempfile::tempdir().expect("a folder");
    // A copy of this program that waits for commands: no program of the system is needed.
    let path = folder.path().join("an-emulator-with-a-long-name");
    process_target::copy_exe(&path);
    let mut target = Target::run(process_target::command_through("env", &[], &path, "threads"));
    target.receive();
    let found = list().into_iter().find(|info| info.pid == target.pid()).expect("it is listed");
    assert_eq!(found.name, "an-emulator-wit", "the kernel stores 15 characters");
    assert_eq!(found.exe.as_deref(), Some(path.as_path()));
    assert_eq!(found.command[0], path.to_string_lossy());
    assert_eq!(found.command[1..3], ["--exact", "target"]);
    assert_eq!(found.user, Some(nix::unistd::getuid().to_string()));
    let alone = process_info(target.pid()).expect("it runs");
    assert_eq!((alone.pid, alone.exe, alone.command), (found.pid, found.exe, found.command));
}

#[test]
fn an_ended_process_is_not_listed() {
    let mut target = Target::start("threads");
    target.receive();
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
