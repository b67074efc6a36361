//! The facts on which the kernel decides whether another process may be read, as far as `/proc` shows them.

use super::{Failure, HostAddr, Pid};
use nix::unistd::{Gid, Group, Uid, User};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The facts that determine which rule refused a read.
#[derive(Debug, Clone)]
pub(super) struct AccessFacts {
    pub ours: ReaderFacts,
    /// The process to read; None if its status cannot be read (it ended, or `/proc` hides it).
    pub theirs: Option<TargetFacts>,
    /// `/proc/sys/kernel/yama/ptrace_scope`; None in a kernel without Yama.
    pub ptrace_scope: Option<u32>,
    /// Whether a program can be started in its own user namespace. Tried only if that would help.
    pub namespaces: bool,
    /// The `hidepid=` option of `/proc`, if it hides anything.
    pub hidepid: Option<String>,
}

/// A user or group with its name, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub id: u32,
    /// The name, if the number has one on this system.
    pub name: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct ReaderFacts {
    /// The real user, which `process_vm_readv` checks.
    pub user: Named,
    pub group: Named,
    /// The file-system user and group, which opening a file in `/proc` checks.
    pub fs_ids: (u32, u32),
    /// The effective and the permitted capabilities.
    pub effective: u64,
    pub permitted: u64,
    pub user_namespace: Option<u64>,
    /// Whether it can read its own memory with the same call. The kernel always allows that, so a failure means that a seccomp filter
    /// forbids the call itself.
    pub reads_itself: bool,
    /// The container or sandbox it runs in.
    pub sandbox: Option<Sandbox>,
    pub exe: String,
}

#[derive(Debug, Clone)]
pub(super) struct TargetFacts {
    /// The program's name in the kernel.
    pub name: String,
    /// The real user and group.
    pub user: Named,
    pub group: Named,
    /// The real, effective and saved ids.
    pub uids: [u32; 3],
    pub gids: [u32; 3],
    pub permitted: u64,
    /// The number of its user namespace; None if it is not visible.
    pub user_namespace: Option<u64>,
    /// Whether its user map differs from ours, which everybody may read: then it is in another namespace.
    pub mapped_otherwise: bool,
    /// False if it forbids being read.
    pub dumpable: bool,
    /// Whether one of its ancestors is this process.
    pub descendant: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sandbox {
    Docker,
    Podman,
    Flatpak,
    Snap,
    /// Another one, by the name it sets.
    Other(String),
}

impl AccessFacts {
    pub(super) fn gather(pid: Pid) -> Self {
        let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
        let ptrace_scope = scope.ok().and_then(|text| text.trim().parse().ok());
        Self {
            ours: ReaderFacts::gather(),
            theirs: TargetFacts::gather(pid),
            ptrace_scope,
            namespaces: matches!(ptrace_scope, Some(1 | 2)) && super::user_namespace::refusal().is_none(),
            hidepid: fs::read_to_string("/proc/self/mountinfo").ok().and_then(|mounts| hidepid(&mounts)),
        }
    }
}

impl Named {
    fn user(id: u32) -> Self {
        let name = User::from_uid(Uid::from_raw(id)).ok().flatten().map(|user| user.name);
        Self { id, name }
    }

    fn group(id: u32) -> Self {
        let name = Group::from_gid(Gid::from_raw(id)).ok().flatten().map(|group| group.name);
        Self { id, name }
    }
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} ({})", self.id),
            None => self.id.fmt(f),
        }
    }
}

impl ReaderFacts {
    fn gather() -> Self {
        let status = Status::read(Path::new("/proc/self"));
        let status = status.as_ref();
        let ids = |field| status.and_then(|s| s.ids(field)).unwrap_or_default();
        let (uids, gids) = (ids("Uid"), ids("Gid"));
        let capabilities = |field| status.and_then(|s| s.capabilities(field)).unwrap_or_default();
        Self {
            user: Named::user(uids[0]),
            group: Named::group(gids[0]),
            fs_ids: (uids[3], gids[3]),
            effective: capabilities("CapEff"),
            permitted: capabilities("CapPrm"),
            user_namespace: user_namespace(Path::new("/proc/self")),
            reads_itself: reads_itself(),
            sandbox: Sandbox::detect(Path::new("/"), |name| std::env::var(name).ok()),
            exe: std::env::current_exe()
                .map_or_else(|_| "nextscope".into(), |exe| exe.to_string_lossy().into()),
        }
    }
}

impl TargetFacts {
    fn gather(pid: Pid) -> Option<Self> {
        let folder = Path::new("/proc").join(pid.to_string());
        let status = Status::read(&folder)?;
        let [uid, effective_uid, saved_uid, _] = status.ids("Uid")?;
        let [gid, effective_gid, saved_gid, _] = status.ids("Gid")?;
        Some(Self {
            name: status.text("Name")?.to_owned(),
            user: Named::user(uid),
            group: Named::group(gid),
            uids: [uid, effective_uid, saved_uid],
            gids: [gid, effective_gid, saved_gid],
            permitted: status.capabilities("CapPrm")?,
            user_namespace: user_namespace(&folder),
            mapped_otherwise: mapped_otherwise(&folder),
            // The files of a process that is not dumpable belong to root instead of its effective user
            // (proc(5)). The folder itself does not: the rule applies only to the files in it.
            dumpable: fs::metadata(folder.join("maps")).map_or(true, |file| file.uid() == effective_uid),
            descendant: is_descendant(pid.0, std::process::id()),
        })
    }
}

impl Sandbox {
    /// Detects sandboxes by their marker files under `root` and by environment variables.
    fn detect(root: &Path, variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        if root.join(".flatpak-info").exists() {
            Some(Self::Flatpak)
        } else if variable("SNAP").is_some_and(|value| !value.is_empty()) {
            Some(Self::Snap)
        } else if root.join("run/.containerenv").exists() {
            Some(Self::Podman)
        } else if root.join(".dockerenv").exists() {
            Some(Self::Docker)
        } else {
            // The name set by systemd-nspawn, LXC and others (systemd's container interface).
            variable("container").filter(|value| !value.is_empty()).map(Self::Other)
        }
    }
}

/// `/proc/PID/status` (proc(5)), which everybody may read.
struct Status(String);

impl Status {
    fn read(folder: &Path) -> Option<Self> {
        let bytes = fs::read(folder.join("status")).ok()?;
        Some(Self(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn text(&self, field: &str) -> Option<&str> {
        let mut fields = self.0.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(name, _)| *name == field).map(|(_, value)| value.trim())
    }

    fn number(&self, field: &str) -> Option<u32> {
        self.text(field)?.parse().ok()
    }

    /// The real, effective, saved and file-system id.
    fn ids(&self, field: &str) -> Option<[u32; 4]> {
        let ids: Vec<u32> = self.text(field)?.split_whitespace().map_while(|id| id.parse().ok()).collect();
        ids.try_into().ok()
    }

    fn capabilities(&self, field: &str) -> Option<u64> {
        u64::from_str_radix(self.text(field)?, 16).ok()
    }
}

/// The option of the `/proc` that was mounted last, which is the visible one: `22 26 0:21 / /proc rw,nosuid - proc proc rw,hidepid=invisible`
/// (proc(5), proc_pid_mountinfo(5)). 0 and `off` hide nothing.
fn hidepid(mounts: &str) -> Option<String> {
    let proc = mounts.lines().rfind(|line| line.split(' ').nth(4) == Some("/proc"))?;
    let option =
        proc.rsplit_once(" - ")?.1.split([' ', ',']).find_map(|word| word.strip_prefix("hidepid="))?;
    (!["0", "off"].contains(&option)).then(|| option.to_owned())
}

/// The number in `user:[4026531837]`.
fn user_namespace(folder: &Path) -> Option<u64> {
    let link = fs::read_link(folder.join("ns/user")).ok()?;
    link.to_str()?.strip_prefix("user:[")?.strip_suffix(']')?.parse().ok()
}

/// The kernel shows the map of another process in the ids of the reader's namespace (user_namespaces(7)).
fn mapped_otherwise(folder: &Path) -> bool {
    let map = |folder: &Path| fs::read(folder.join("uid_map")).ok();
    matches!((map(folder), map(Path::new("/proc/self"))), (Some(theirs), Some(ours)) if theirs != ours)
}

fn is_descendant(pid: u32, ancestor: u32) -> bool {
    let parent = |pid: u32| Status::read(&Path::new("/proc").join(pid.to_string()))?.number("PPid");
    // Bounded, because processes start and end while the chain is read.
    std::iter::successors(parent(pid), |pid| parent(*pid)).take(1000).any(|pid| pid == ancestor)
}

fn reads_itself() -> bool {
    let known: u64 = 0x4E65_7874_7363_6F70;
    let mut buf = [0; 8];
    let addr = HostAddr(std::ptr::from_ref(&known).addr() as u64);
    !matches!(super::read_raw(Pid(std::process::id()), addr, &mut buf), Err(Failure::Refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_of_this_process_agree_with_the_system() {
        let facts = AccessFacts::gather(Pid(std::process::id()));
        let theirs = facts.theirs.expect("we are running");
        assert_eq!(facts.ours.user.id, nix::unistd::getuid().as_raw());
        assert_eq!(facts.ours.group, theirs.group);
        assert_eq!(theirs.uids[1], nix::unistd::geteuid().as_raw());
        assert_eq!(facts.ours.permitted, theirs.permitted);
        assert_eq!(facts.ours.user_namespace, theirs.user_namespace);
        assert!(facts.ours.user_namespace.is_some() && !theirs.mapped_otherwise);
        assert!(facts.ours.reads_itself && theirs.dumpable);
        assert!(!theirs.descendant, "a process does not descend from itself");
        assert_eq!(facts.ptrace_scope.is_some(), Path::new("/proc/sys/kernel/yama").exists());
    }

    #[test]
    fn a_child_is_a_descendant_and_a_parent_is_not() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep starts");
        let facts = TargetFacts::gather(Pid(child.id())).expect("it is running");
        child.kill().expect("it is ours to end");
        child.wait().expect("it is ours to reap");
        assert!(facts.descendant);
        assert!(!is_descendant(nix::unistd::getppid().as_raw().unsigned_abs(), std::process::id()));
        assert!(TargetFacts::gather(Pid(child.id())).is_none(), "it ended");
    }

    #[test]
    fn sandboxes_are_detected_by_their_markers() {
        let none = |_: &str| None;
        let with = |markers: &[&str]| {
            let root = tempfile::tempdir().expect("a folder");
            for marker in markers {
                let file = root.path().join(marker);
                fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
                fs::write(file, "").expect("a file");
            }
            Sandbox::detect(root.path(), none)
        };
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[".dockerenv"]), Some(Sandbox::Docker));
        assert_eq!(with(&["run/.containerenv"]), Some(Sandbox::Podman));
        assert_eq!(with(&[".flatpak-info", ".dockerenv"]), Some(Sandbox::Flatpak));
        let root = tempfile::tempdir().expect("a folder");
        let with_variable = |variable: &'static str, value: &'static str| {
            Sandbox::detect(root.path(), move |name| (name == variable).then(|| value.to_owned()))
        };
        assert_eq!(with_variable("container", "lxc"), Some(Sandbox::Other("lxc".into())));
        assert_eq!(with_variable("container", ""), None);
        assert_eq!(with_variable("SNAP", "/snap/x/1"), Some(Sandbox::Snap));
    }

    #[test]
    fn hidepid_is_read_from_the_mount_of_proc() {
        let mounts = "1 0 8:1 / / rw - ext4 /dev/sda rw\n22 1 0:21 / /proc rw - proc proc rw\n";
        assert_eq!(hidepid(mounts), None);
        let over = |option: &str| format!("{mounts}90 22 0:99 / /proc rw,relatime - proc none rw,{option}\n");
        assert_eq!(hidepid(&over("gid=4,hidepid=invisible")).as_deref(), Some("invisible"));
        assert_eq!(hidepid(&over("hidepid=1")).as_deref(), Some("1"));
        assert_eq!(hidepid(&over("hidepid=off")), None);
    }

    #[test]
    fn a_status_field_is_found_even_if_the_program_has_the_name_of_a_field() {
        let status = Status("Name:\tUid:\t0\nUid:\t1\t2\t3\t4\nCapPrm:\t0000000000080000\n".into());
        assert_eq!(status.text("Name"), Some("Uid:\t0"));
        assert_eq!(status.ids("Uid"), Some([1, 2, 3, 4]));
        assert_eq!(status.capabilities("CapPrm"), Some(1 << 19));
        assert_eq!(status.ids("Gid"), None);
    }
}
