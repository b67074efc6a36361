//! Starts a program in its own user namespace (user_namespaces(7)).
//!
//! The creator of a namespace has all capabilities in it, including `CAP_SYS_PTRACE`, which Yama requires if `ptrace_scope` is 1 (for
//! processes that are no descendants) or 2. Inside, the program has our user and group and no other.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Makes the child of `command` enter a new user namespace before it runs.
#[allow(unsafe_code, reason = "between fork and exec")]
pub(super) fn enter(command: &mut Command) {
    let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
    // Built here because nothing may be allocated between fork and exec.
    let maps = [
        (c"/proc/self/setgroups", "deny".to_owned()),
        (c"/proc/self/uid_map", format!("{user} {user} 1")),
        (c"/proc/self/gid_map", format!("{group} {group} 1")),
    ];
    let enter = move || {
        nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWUSER)?;
        for (path, text) in &maps {
            let file = nix::fcntl::open(*path, nix::fcntl::OFlag::O_WRONLY, nix::sys::stat::Mode::empty())?;
            nix::unistd::write(&file, text.as_bytes())?;
        }
        Ok(())
    };
    // SAFETY: runs in the child between fork and exec, where only async-signal-safe functions may be called: it makes system calls (unshare,
    // open, write, close) only, takes no lock and allocates nothing.
    unsafe { command.pre_exec(enter) };
}

/// Why the kernel grants no user namespace; None if it does. This tries it.
pub(super) fn refusal() -> Option<String> {
    let mut trial = Command::new("/bin/sh");
    trial.args(["-c", ":"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    enter(&mut trial);
    let error = match trial.spawn() {
        Ok(mut child) => {
            let _ = child.wait();
            return None;
        }
        Err(error) => error,
    };
    let value = |setting: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/{setting}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    // Debian's own switch, the limit of namespaces(7), Ubuntu's rule since 23.10.
    let rules = [
        ("kernel/unprivileged_userns_clone", 0, "kernel.unprivileged_userns_clone is 0"),
        ("user/max_user_namespaces", 0, "user.max_user_namespaces is 0"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            1,
            "kernel.apparmor_restrict_unprivileged_userns is 1, so AppArmor forbids it for programs without a profile",
        ),
    ];
    let rule = rules.iter().find(|(setting, forbids, _)| value(setting) == Some(*forbids));
    Some(rule.map_or_else(
        || format!("{error} (a container or a security module forbids it)"),
        |(_, _, rule)| format!("{rule} ({error})"),
    ))
}
