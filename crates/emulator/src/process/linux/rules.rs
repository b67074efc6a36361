//! Repeats the kernel's decision on the facts: which rule refuses, in words, and the remedies.
//!
//! The order is the kernel's own: `__ptrace_may_access` in kernel/ptrace.c (ids, dumpable), then
//! `cap_ptrace_access_check` in security/commoncap.c, then `yama_ptrace_access_check` in
//! security/yama/yama_lsm.c (Linux 6.x; also documented in ptrace(2)).

use super::facts::{AccessFacts, Named, ReaderFacts, Sandbox, TargetFacts};
use super::{Access, Pid, RETROARCH_SETTING, Refusal, Remedy, Rule, shell_quote};

/// The bit of `CAP_SYS_PTRACE` (linux/capability.h).
const CAP_SYS_PTRACE: u64 = 1 << 19;

/// The command that starts an emulator from Nextscope.
const START: &str = "nextscope start -- EMULATOR GAME";

/// Names the rule that refused `access` to `pid`.
pub(super) fn judge(pid: Pid, access: Access, facts: &AccessFacts) -> Refusal {
    let (rule, evidence) = rule(access, facts);
    let remedies = remedies(pid, &rule, facts);
    Refusal { pid, rule, evidence, remedies }
}

fn rule(access: Access, facts: &AccessFacts) -> (Rule, String) {
    let ours = &facts.ours;
    let Some(theirs) = &facts.theirs else {
        if let Some(value) = &facts.hidepid {
            let text =
                format!("/proc is mounted with hidepid={value}, so the processes of other users are hidden");
            return (Rule::Hidden { value: value.clone() }, text);
        }
        return (Rule::Unknown, "its status in /proc cannot be read either".into());
    };
    if access == Access::Memory && !ours.reads_itself {
        let text = "a seccomp filter forbids the call process_vm_readv, even for our own memory";
        return (Rule::Container, text.into());
    }
    let other_namespace = match (ours.user_namespace, theirs.user_namespace) {
        (Some(ours), Some(theirs)) => ours != theirs,
        _ => theirs.mapped_otherwise,
    };
    let privileged = !other_namespace && ours.effective & CAP_SYS_PTRACE != 0;
    if !privileged && let Some(found) = unprivileged(access, ours, theirs, other_namespace) {
        return found;
    }
    if access == Access::Memory
        && let Some(value) = facts.ptrace_scope
    {
        let meaning = match value {
            1 if !privileged && !theirs.descendant => "a program may read only processes that it started",
            2 if !privileged => "only a program with CAP_SYS_PTRACE may read other processes",
            3.. => "no program may read another one until the machine is restarted",
            _ => "",
        };
        if !meaning.is_empty() {
            let text = format!("kernel.yama.ptrace_scope is {value}, so {meaning}");
            return (Rule::PtraceScope { value }, text);
        }
    }
    match &ours.sandbox {
        Some(sandbox) => (Rule::Container, in_sandbox(sandbox, "may not read it")),
        None => {
            let text = "none of the known rules (user, dumpable, capabilities, ptrace_scope, container) forbids it; \
                        a security module such as SELinux, AppArmor or Landlock may";
            (Rule::Unknown, text.into())
        }
    }
}

/// The checks that `CAP_SYS_PTRACE` bypasses.
fn unprivileged(
    access: Access,
    ours: &ReaderFacts,
    theirs: &TargetFacts,
    other_namespace: bool,
) -> Option<(Rule, String)> {
    let (uid, gid) = match access {
        Access::Memory => (ours.user.id, ours.group.id),
        Access::Regions => ours.fs_ids,
    };
    // Root in a container lacks this capability; outside, root has it.
    let bare_root = ours.sandbox.as_ref().filter(|_| ours.user.id == 0);
    if theirs.user.id != uid {
        if let Some(sandbox) = bare_root {
            return Some((Rule::Container, in_sandbox(sandbox, "has no CAP_SYS_PTRACE")));
        }
        return Some(other_user(ours.user.to_string(), theirs.user.to_string()));
    }
    if let Some(id) = theirs.uids.iter().find(|id| **id != uid) {
        let text = format!("it runs with the rights of user {id} (set-user-id program)");
        return Some((Rule::Protected, text));
    }
    if theirs.group.id != gid {
        let both = |user: &Named, group: &Named| format!("{user}, group {group}");
        return Some(other_user(both(&ours.user, &ours.group), both(&theirs.user, &theirs.group)));
    }
    if let Some(id) = theirs.gids.iter().find(|id| **id != gid) {
        let text = format!("it runs with the rights of group {id} (set-group-id program)");
        return Some((Rule::Protected, text));
    }
    if !theirs.dumpable {
        let text = "it is not dumpable: its program file has capabilities or may not be read, \
                    or it requested that itself";
        return Some((Rule::Protected, text.into()));
    }
    if other_namespace {
        let text =
            "it runs in another user namespace than Nextscope, and Nextscope has no rights over that one";
        return Some((Rule::Container, text.into()));
    }
    let our_capabilities = match access {
        Access::Memory => ours.permitted,
        Access::Regions => ours.effective,
    };
    let more = theirs.permitted & !our_capabilities;
    if more != 0 {
        if let Some(sandbox) = bare_root {
            return Some((Rule::Container, in_sandbox(sandbox, "has fewer capabilities than it")));
        }
        let text = format!("it has capabilities that Nextscope lacks (mask 0x{more:x})");
        return Some((Rule::Protected, text));
    }
    None
}

fn other_user(ours: String, theirs: String) -> (Rule, String) {
    let text = format!("it runs as {theirs} and Nextscope as {ours}");
    (Rule::OtherUser { ours, theirs }, text)
}

fn in_sandbox(sandbox: &Sandbox, what: &str) -> String {
    let name = match sandbox {
        Sandbox::Docker => "a Docker container",
        Sandbox::Podman => "a Podman container",
        Sandbox::Flatpak => "a Flatpak sandbox",
        Sandbox::Snap => "a snap's sandbox",
        Sandbox::Other(name) => return format!("Nextscope runs in a container ({name}) and {what}"),
    };
    format!("Nextscope runs in {name} and {what}")
}

fn remedies(pid: Pid, rule: &Rule, facts: &AccessFacts) -> Vec<Remedy> {
    let ours = &facts.ours;
    let theirs = facts.theirs.as_ref();
    let retroarch = theirs.is_some_and(|theirs| theirs.name.to_ascii_lowercase().contains("retroarch"));
    let mut list = Vec::new();
    match rule {
        Rule::PtraceScope { value } => {
            if *value == 1 {
                list.push(start_here());
            }
            if *value <= 2 && facts.namespaces {
                list.push(start_in_namespace());
            }
            list.extend(retroarch.then(network_commands));
            if *value <= 2 {
                list.extend(sysctl(ours.sandbox.is_some()));
                list.extend(setcap(ours));
            } else {
                list.push(Remedy::text(
                    "Set kernel.yama.ptrace_scope to 1 or 0 where the system sets it to 3 \
                     (a file in /etc/sysctl.d), then restart the machine",
                ));
            }
        }
        Rule::Hidden { .. } => {
            list.push(Remedy::text("Start the emulator as your own user, so that it is not hidden"));
            list.extend(setcap(ours));
            list.push(Remedy::command(
                "Show all processes until the next restart; permanently: remove hidepid from /etc/fstab",
                "sudo mount -o remount,hidepid=0 /proc",
            ));
        }
        Rule::OtherUser { .. } => {
            list.push(Remedy::text("Start the emulator as your own user"));
            list.extend(retroarch.then(network_commands));
            list.extend(theirs.and_then(|theirs| as_their_user(ours, theirs)));
            list.extend(setcap(ours));
        }
        Rule::Protected => {
            list.extend(retroarch.then(network_commands));
            list.extend(theirs.and_then(|theirs| remove_rights(pid, theirs)));
            list.extend(setcap(ours));
        }
        Rule::Container => list.extend(retroarch.then(network_commands)),
        Rule::Elevated | Rule::SystemPolicy | Rule::Unknown => {
            list.push(Remedy::command("Start the emulator from Nextscope, in the same environment", START));
            list.push(if retroarch { network_commands() } else { Remedy::text(RETROARCH_SETTING) });
            list.push(Remedy::command(
                "Check whether a security module denied it",
                "sudo dmesg | grep -i denied",
            ));
        }
    }
    if let Some(sandbox) = &ours.sandbox {
        list.push(leave_sandbox(sandbox));
    } else if *rule == Rule::Container {
        list.push(Remedy::text("Start both in the same environment, outside any sandbox"));
    }
    list
}

fn start_here() -> Remedy {
    Remedy::command("Let Nextscope start the emulator: it may read the processes that it started", START)
}

fn start_in_namespace() -> Remedy {
    Remedy::command(
        "Let Nextscope start it in its own user namespace, over which Nextscope has all rights \
         (sound or graphics may fail in it)",
        "nextscope start --in-namespace -- EMULATOR GAME",
    )
}

fn network_commands() -> Remedy {
    Remedy::command(
        "Start RetroArch with its network commands on; Nextscope then reads the RAM over the network",
        "echo 'network_cmd_enable = \"true\"' > ~/network-commands.cfg && \
         retroarch --appendconfig ~/network-commands.cfg",
    )
}

fn sysctl(in_sandbox: bool) -> [Remedy; 2] {
    let host = if in_sandbox { ", on the host" } else { "" };
    [
        Remedy::command(
            format!("Allow it until the next restart{host}"),
            "sudo sysctl kernel.yama.ptrace_scope=0",
        ),
        Remedy::command(
            format!("Allow it permanently{host}"),
            "echo 'kernel.yama.ptrace_scope = 0' | sudo tee /etc/sysctl.d/99-ptrace-scope.conf && \
             sudo sysctl --system",
        ),
    ]
}

/// None if it would not help: we have the capability already, or a container withholds it (a file with a capability outside the bounding
/// set cannot be started).
fn setcap(ours: &ReaderFacts) -> Option<Remedy> {
    let helps = ours.effective & CAP_SYS_PTRACE == 0 && ours.sandbox.is_none();
    helps.then(|| {
        Remedy::command(
            "Give only Nextscope the right; repeat after each update (not on a file system mounted nosuid)",
            format!("sudo setcap cap_sys_ptrace=ep {}", shell_quote(&ours.exe)),
        )
    })
}

fn as_their_user(ours: &ReaderFacts, theirs: &TargetFacts) -> Option<Remedy> {
    let exe = shell_quote(&ours.exe);
    let differs = ours.user.id != theirs.user.id;
    match (&theirs.user, &theirs.group) {
        (user, _) if differs => {
            let user = user.name.clone().unwrap_or_else(|| format!("#{}", user.id));
            let text = "Or run Nextscope as the emulator's user";
            Some(Remedy::command(text, format!("sudo -u {} {exe}", shell_quote(&user))))
        }
        (_, group) => {
            let group = group.name.as_ref()?;
            let text = "Or run Nextscope with the emulator's group";
            Some(Remedy::command(text, format!("sg {} -c {}", shell_quote(group), shell_quote(&exe))))
        }
    }
}

/// How to remove the emulator's extra rights, if they come from its file.
fn remove_rights(pid: Pid, theirs: &TargetFacts) -> Option<Remedy> {
    let exe = format!("\"$(sudo readlink /proc/{pid}/exe)\"");
    let more_than_real = |ids: &[u32; 3]| ids.iter().any(|id| *id != ids[0]);
    if more_than_real(&theirs.uids) || more_than_real(&theirs.gids) {
        let text = "Remove the set-user-id bit of the emulator, then start it again";
        Some(Remedy::command(text, format!("sudo chmod ug-s {exe}")))
    } else if theirs.permitted != 0 {
        let text = "Remove the capabilities of the emulator, then start it again";
        Some(Remedy::command(text, format!("sudo setcap -r {exe}")))
    } else {
        None
    }
}

fn leave_sandbox(sandbox: &Sandbox) -> Remedy {
    match sandbox {
        Sandbox::Docker => Remedy::command(
            "Start the container with these options added",
            "--user=0 --pid=host --cap-add=SYS_PTRACE --security-opt=apparmor=unconfined",
        ),
        Sandbox::Podman => Remedy::command(
            "Start the container with these options added",
            "--user=0 --pid=host --cap-add=SYS_PTRACE",
        ),
        Sandbox::Flatpak => {
            Remedy::text("Install Nextscope outside Flatpak: a Flatpak cannot access the system's processes")
        }
        Sandbox::Snap => Remedy::text("Install a Nextscope that is not a snap"),
        Sandbox::Other(_) => Remedy::text(
            "Give the container CAP_SYS_PTRACE and the host's PID namespace, or run Nextscope outside it",
        ),
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
