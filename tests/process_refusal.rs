//! Refusals by the real kernel. Most need root, to start processes of other users; without it they report
//! that they were skipped. Yama (`ptrace_scope`) is not in every kernel (a container's or a virtual machine's
//! often lacks it) and is the machine's own setting: its rules are tested with simulated facts in
//! crates/emulator/src/process/rules_tests.rs, and here only when the kernel happens to forbid a sibling.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "a test may panic")]

mod process_target;
mod waiting;

use nextscope::process::{HostAddr, Pid, Process, ReadError, diagnose};
use nix::sys::mman::MapFlags;
use process_target::mapping::Mapping;
use process_target::{
    NOBODY, Target, as_nobody, command, command_through, copy_exe, exe, is_root, page, run_role, send,
    wait_for_exit,
};
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Another number that no distribution gives rights to.
const OTHER: u32 = 65533;

#[test]
fn target() {
    run_role(|role, argument| match role {
        "plain" => be_read(),
        "silent" => {
            nix::sys::prctl::set_dumpable(false).expect("prctl succeeds");
            be_read();
        }
        "set-user-id" => {
            let (real, saved) = (NOBODY.into(), OTHER.into());
            nix::unistd::setresgid(NOBODY.into(), NOBODY.into(), NOBODY.into()).expect("we are root");
            nix::unistd::setresuid(real, saved, saved).expect("we are root");
            be_read();
        }
        "set-group-id" => {
            nix::unistd::setresgid(NOBODY.into(), OTHER.into(), OTHER.into()).expect("we are root");
            nix::unistd::setresuid(NOBODY.into(), NOBODY.into(), NOBODY.into()).expect("we are root");
            be_read();
        }
        "opener" => open(argument),
        "reader" => report(argument),
        "filtered-reader" => {
            process_target::refuse::this_call_by_seccomp(nix::libc::SYS_process_vm_readv);
            report(argument);
        }
        "landlocked-reader" => {
            process_target::refuse::everything_by_landlock();
            report(argument);
        }
        other => panic!("no role {other}"),
    });
}

/// Opens a process and reports the result.
fn open(argument: &str) {
    match Process::open(Pid(argument.parse().expect("a number"))) {
        Ok(_) => send("it is open"),
        Err(error) => send(error.to_string().replace('\n', " ")),
    }
    wait_for_exit();
}

fn be_read() {
    let mut memory = Mapping::anonymous(page(), MapFlags::MAP_PRIVATE);
    memory.write(0, 0xA5);
    send(memory.addr());
    wait_for_exit();
}

/// Reads `pid addr` with both methods and reports the results.
fn report(argument: &str) {
    let (pid, addr) = argument.split_once(' ').expect("two numbers");
    let process = Process::open(Pid(pid.parse().expect("a number"))).expect("everybody may open it");
    let mut byte = [0xEE];
    let memory = process.read_exact(HostAddr(addr.parse().expect("a number")), &mut byte);
    let regions = process.regions().map(|regions| assert!(!regions.is_empty()));
    let describe = |result: Result<(), ReadError>| match result {
        Ok(()) => Value::Null,
        Err(ReadError::Refused(refusal)) => serde_json::to_value(refusal).expect("it can be written"),
        Err(other) => panic!("neither success nor refusal: {other}"),
    };
    let (memory, regions) = (describe(memory), describe(regions));
    assert_eq!(byte[0], if memory.is_null() { 0xA5 } else { 0 });
    send(serde_json::json!({ "memory": memory, "regions": regions }));
    wait_for_exit();
}

enum Reader {
    Nobody,
    RootWithoutCapabilities,
    Root,
}

/// The result if `reader` reads `target`.
fn query(reader: &Reader, target: &mut Target) -> Value {
    let role = format!("reader {} {}", target.pid(), target.receive_addr().0);
    let command = match reader {
        Reader::Nobody => as_nobody(command(&role)),
        Reader::Root => command(&role),
        Reader::RootWithoutCapabilities => {
            command_through("setpriv", &["--bounding-set=-all", "--inh-caps=-all", "--"], &exe(), &role)
        }
    };
    serde_json::from_str(&Target::run(command).receive()).expect("JSON")
}

/// Asserts that both methods were refused by `rule`, with a reason that contains `evidence`.
fn assert_refused(answer: &Value, rule: &str, evidence: &str) {
    for way in ["memory", "regions"] {
        let refusal = &answer[way];
        assert_eq!(refusal["rule"]["rule"], rule, "{way}: {refusal}");
        let words = refusal["evidence"].as_str().expect("a refusal has evidence");
        assert!(words.contains(evidence), "{way}: {words}");
        assert!(!refusal["remedies"].as_array().expect("a list").is_empty(), "{way}: no remedy");
    }
}

fn in_container() -> bool {
    ["/.dockerenv", "/run/.containerenv"].iter().any(|mark| Path::new(mark).exists())
        || std::env::var_os("container").is_some()
}

#[test]
fn root_may_read_all_of_them() {
    if !is_root("root_may_read_all_of_them") {
        return;
    }
    for role in ["plain", "silent", "set-user-id", "set-group-id"] {
        let answer = query(&Reader::Root, &mut Target::start(role));
        assert!(answer["memory"].is_null() && answer["regions"].is_null(), "{role}: {answer}");
    }
}

#[test]
fn a_process_of_another_user_is_refused_as_other_user() {
    if !is_root("a_process_of_another_user_is_refused_as_other_user") {
        return;
    }
    let answer = query(&Reader::Nobody, &mut Target::start("plain"));
    assert_refused(&answer, "other-user", "it runs as root (0) and Nextscope as ");
    let rule = &answer["memory"]["rule"];
    assert_eq!(rule["theirs"], "root (0)");
    assert!(rule["ours"].as_str().is_some_and(|ours| ours.contains("65534")), "{rule}");
}

/// The same without root: the first process belongs to root on an ordinary machine.
#[test]
fn the_first_process_of_the_machine_is_refused_to_an_ordinary_user() {
    let owner = std::fs::metadata("/proc/1").map(|file| std::os::unix::fs::MetadataExt::uid(&file));
    if nix::unistd::geteuid().is_root() || owner.ok() != Some(0) {
        eprintln!("not run: needs an ordinary user, and a first process that is root's");
        return;
    }
    let process = Process::open(Pid(1)).expect("it is running");
    let error = process.regions().expect_err("it is root's");
    assert!(error.to_string().contains("it runs as root (0)"), "{error}");
}

#[test]
fn root_without_the_capability_is_refused_the_process_of_another_user() {
    if !is_root("root_without_the_capability_is_refused_the_process_of_another_user") {
        return;
    }
    let answer = query(&Reader::RootWithoutCapabilities, &mut Target::run(as_nobody(command("plain"))));
    if in_container() {
        assert_refused(&answer, "container", "has no CAP_SYS_PTRACE");
    } else {
        assert_refused(&answer, "other-user", "Nextscope as root (0)");
    }
}

#[test]
fn root_without_capabilities_is_refused_a_process_that_has_them() {
    if !is_root("root_without_capabilities_is_refused_a_process_that_has_them") {
        return;
    }
    let answer = query(&Reader::RootWithoutCapabilities, &mut Target::start("plain"));
    if in_container() {
        assert_refused(&answer, "container", "has fewer capabilities than it");
    } else {
        assert_refused(&answer, "protected", "it has capabilities that Nextscope lacks");
    }
}

#[test]
fn a_process_that_forbids_it_or_has_more_rights_is_refused_as_protected() {
    if !is_root("a_process_that_forbids_it_or_has_more_rights_is_refused_as_protected") {
        return;
    }
    // In a folder that every user may enter, unlike the home folder that this program may be built in.
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("it is ours");
    let copy = folder.path().join("target");
    copy_exe(&copy);
    let nobody_with_a_capability = command_through(
        "setpriv",
        &[
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "--inh-caps=+net_raw",
            "--ambient-caps=+net_raw",
            "--",
        ],
        &copy,
        "plain",
    );
    for (command, evidence) in [
        (as_nobody(command("silent")), "it is not dumpable"),
        (command("set-user-id"), "with the rights of user 65533"),
        (command("set-group-id"), "with the rights of group 65533"),
        (nobody_with_a_capability, "it has capabilities that Nextscope lacks (mask 0x2000)"),
    ] {
        assert_refused(&query(&Reader::Nobody, &mut Target::run(command)), "protected", evidence);
    }
}

/// Two processes of one user, neither the other's child: allowed, unless Yama is active and set to more than
/// 0.
#[test]
fn a_sibling_of_the_same_user_is_refused_only_by_ptrace_scope() {
    let root = nix::unistd::geteuid().is_root();
    let user = |role: &str| if root { as_nobody(command(role)) } else { command(role) };
    let mut target = Target::run(user("plain"));
    let role = format!("reader {} {}", target.pid(), target.receive_addr().0);
    let answer: Value = serde_json::from_str(&Target::run(user(&role)).receive()).expect("JSON");
    assert!(answer["regions"].is_null(), "Yama is not involved: {answer}");
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or("0".into());
    if scope.trim() == "0" {
        assert!(answer["memory"].is_null(), "{answer}");
    } else {
        assert_eq!(answer["memory"]["rule"]["rule"], "ptrace-scope", "{answer}");
        assert_eq!(answer["memory"]["rule"]["value"].to_string(), scope.trim());
    }
}

/// The result if `role` reads `target`, both run by root with these additions to the reader's command.
fn query_as(mut reader: std::process::Command, target: &mut Target, role: &str) -> Value {
    let call = format!("{role} {} {}", target.pid(), target.receive_addr().0);
    reader.env("NEXTSCOPE_TEST_ROLE", call);
    serde_json::from_str(&Target::run(reader).receive()).expect("JSON")
}

#[test]
fn a_seccomp_filter_is_distinguished_from_all_other_rules() {
    let mut target = Target::start("plain");
    let answer = query_as(command("filtered-reader"), &mut target, "filtered-reader");
    assert!(answer["regions"].is_null(), "the list of regions is a file: {answer}");
    let refusal = &answer["memory"];
    assert_eq!(refusal["rule"]["rule"], "container", "{refusal}");
    assert!(
        refusal["evidence"].as_str().expect("words").contains("a seccomp filter forbids the call"),
        "{refusal}"
    );
}

#[test]
fn a_security_module_is_named_as_a_possible_cause() {
    if !process_target::refuse::has_landlock() {
        eprintln!("not run: this kernel has no Landlock");
        return;
    }
    let mut target = Target::start("plain");
    let answer = query_as(command("landlocked-reader"), &mut target, "landlocked-reader");
    let refusal = &answer["memory"];
    // In a container that is the more likely cause.
    let (rule, words) =
        if in_container() { ("container", "may not read it") } else { ("unknown", "Landlock") };
    assert_eq!(refusal["rule"]["rule"], rule, "{refusal}");
    assert!(refusal["evidence"].as_str().expect("words").contains(words), "{refusal}");
}

/// Root makes a namespace in which the user nobody is nobody: the user is the same, the namespace is not, and
/// nobody has no right over it.
#[test]
fn a_program_in_another_user_namespace_is_refused_as_container() {
    if !is_root("a_program_in_another_user_namespace_is_refused_as_container") {
        return;
    }
    let script = "read go && exec setpriv --reuid=65534 --regid=65534 --clear-groups -- \"$@\"";
    let options = ["--user", "--keep-caps", "sh", "-c", script, "sh"];
    let mut target = Target::run(command_through("unshare", &options, &shared_copy().1, "plain"));
    let namespace = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/user")).ok();
    let pid = target.pid().to_string();
    waiting::eventually("a namespace", || namespace(&pid) != namespace("self"));
    for map in ["uid_map", "gid_map"] {
        std::fs::write(format!("/proc/{pid}/{map}"), "65534 65534 1").expect("root may map any user");
    }
    target.send_command("go");
    let answer = query(&Reader::Nobody, &mut target);
    assert_refused(&answer, "container", "it runs in another user namespace than Nextscope");
}

/// A copy of this program that every user may run, and the folder that it is in.
fn shared_copy() -> (std::path::PathBuf, std::path::PathBuf) {
    static COPY: std::sync::OnceLock<(tempfile::TempDir, std::path::PathBuf)> = std::sync::OnceLock::new();
    let (folder, copy) = COPY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("it is ours");
        let copy = folder.path().join("target");
        copy_exe(&copy);
        (folder, copy)
    });
    (folder.path().to_owned(), copy.clone())
}

/// Yama requires `CAP_SYS_PTRACE` in the user namespace of a target that is no descendant. A program that is
/// not dumpable requires the same, also without Yama: in a namespace that its reader has made it may be read,
/// and outside not.
#[test]
fn the_creator_of_a_namespace_has_the_right_that_ptrace_scope_2_requires() {
    if !is_root("the_creator_of_a_namespace_has_the_right_that_ptrace_scope_2_requires") {
        return;
    }
    let copy = shared_copy().1;
    // Everything by one ordinary user: a starter of both, a target that is not dumpable, a reader that is its
    // sibling.
    let as_user = ["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--"];
    let namespace = ["--user", "--map-current-user"];
    let run = |words: &[&[&str]], role: &str| {
        let mut all: Vec<&str> = as_user.to_vec();
        words.iter().for_each(|words| all.extend(*words));
        command_through("setpriv", &all, &copy, role)
    };
    let works = std::process::Command::new("setpriv")
        .args(as_user)
        .args(["unshare", "--user", "--map-current-user", "true"])
        .status();
    if !works.is_ok_and(|status| status.success()) {
        eprintln!("not run: an ordinary user cannot make a user namespace here");
        return;
    }
    let inside: Vec<&str> = ["unshare"].into_iter().chain(namespace).collect();
    let mut without = Target::run(run(&[], "silent"));
    let answer = query_as(run(&[], "reader"), &mut without, "reader");
    assert_refused(&answer, "protected", "it is not dumpable");
    let mut within = Target::run(run(&[&inside], "silent"));
    let answer = query_as(run(&[], "reader"), &mut within, "reader");
    assert!(answer["memory"].is_null() && answer["regions"].is_null(), "{answer}");
}

#[test]
fn a_hidden_process_is_refused_with_the_option_that_hides_it() {
    if !is_root("a_hidden_process_is_refused_with_the_option_that_hides_it") {
        return;
    }
    let copy = shared_copy().1;
    let mut target = Target::start("plain");
    let hides = |how: &str| {
        let script = format!(
            "mount -t proc -o hidepid={how} proc /proc && exec setpriv --reuid=65534 --regid=65534 --clear-groups -- \"$@\""
        );
        let options = ["--mount".to_owned(), "sh".into(), "-c".into(), script, "sh".into()];
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        command_through("unshare", &options, &copy, "opener")
    };
    let works = std::process::Command::new("unshare")
        .args(["--mount", "mount", "-t", "proc", "-o", "hidepid=1", "proc", "/proc"])
        .status();
    if !works.is_ok_and(|status| status.success()) {
        eprintln!("not run: /proc cannot be mounted here");
        return;
    }
    target.receive_addr();
    let query = |how: &str| {
        let mut reader = hides(how);
        reader.env("NEXTSCOPE_TEST_ROLE", format!("opener {}", target.pid()));
        Target::run(reader).receive()
    };
    let one = query("1");
    assert!(one.contains("hidepid=") && one.contains("hidden"), "{one}");
    let two = query("2");
    assert!(two.contains("has ended"), "with 2 it is not listed: {two}");
}

#[test]
fn a_process_that_ends_during_the_diagnosis_is_gone() {
    let mut target = Target::start("plain");
    target.kill();
    target.reap();
    let refusal = diagnose(target.pid());
    assert!(refusal.evidence.contains("its status in /proc cannot be read"), "{refusal}");
}

/// Another user's process that ended is gone, not refused.
#[test]
fn a_zombie_of_another_user_is_gone() {
    if !is_root("a_zombie_of_another_user_is_gone") {
        return;
    }
    let mut target = Target::start("plain");
    let addr = target.receive_addr();
    let pid = target.pid();
    target.kill();
    let role = format!("reader {pid} {}", addr.0);
    let mut reader = as_nobody(command(&role));
    let output = reader.output().expect("it starts");
    let words =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("Gone"), "{words}");
}
