//! Recognises emulators by the file names of their programs and by their command lines, and lists programs that are no emulators.

use super::libretro::is_core_name;
use crate::process::{Pid, ProcessInfo};
use std::path::Path;

/// Matches a program's file name, in lower case.
enum NamePattern {
    Exact(&'static str),
    Prefix(&'static str),
}

use NamePattern::{Exact, Prefix};

/// Program names as packages and releases install them, and the emulator's display name.
const EMULATORS: &[(NamePattern, &str)] = &[
    (Prefix("blastem"), "BlastEm"),
    (Prefix("mednafen"), "Mednafen"),
    (Exact("mednaffe"), "Mednafen"),
    (Prefix("mame"), "MAME"),
    (Prefix("retroarch"), RETROARCH),
    (Prefix("org.libretro.retroarch"), RETROARCH),
    (Exact("ares"), "ares"),
    (Prefix("ares-"), "ares"),
    (Prefix("genesis_plus_gx"), "Genesis Plus GX"),
    (Prefix("genplus"), "Genesis Plus GX"),
    (Prefix("gen_sdl"), "Genesis Plus GX"),
    (Prefix("picodrive"), "PicoDrive"),
    (Prefix("desmume"), "DeSmuME"),
    (Prefix("melonds"), "melonDS"),
    (Prefix("fceux"), "FCEUX"),
    (Prefix("nestopia"), "Nestopia"),
    (Prefix("mesen"), "Mesen"),
    (Prefix("emuhawk"), "BizHawk"),
    (Prefix("jgenesis"), "jgenesis"),
    (Exact("fusion"), "Kega Fusion"),
    (Prefix("kega"), "Kega Fusion"),
    (Exact("gens"), "Gens"),
    (Prefix("gens-"), "Gens"),
    (Prefix("gens_"), "Gens"),
    (Exact("dgen"), "DGen"),
    (Exact("exodus"), "Exodus"),
    (Prefix("fbneo"), "FinalBurn Neo"),
    (Prefix("stable-retro"), "stable-retro"),
];

/// RetroArch's name: only RetroArch has network commands.
pub(super) const RETROARCH: &str = "RetroArch";
/// The name of the embedded console, and the argument that starts it.
const EMBEDDED: &str = "Nextscope demo console";
const EMBEDDED_ARGUMENT: &str = "demo-console";
const OURSELVES: &str = "nextscope";

/// Programs that run other programs: the command line names the emulator.
const LAUNCHERS: &[&str] =
    &["wine", "mono", "python", "proton", "box64", "qemu-", "java", "dotnet", "ld-linux"];

/// Prefixes of the names of programs that are no emulators, between spaces: system services, shells, tools, browsers.
const NOT_EMULATORS: &str = "
    init systemd (sd-pam) dbus sshd ssh- xvfb xorg xwayland x11vnc bash dash zsh fish login sudo su cron
    rsyslog agetty getty cargo rustc rust-analyzer rustfmt rustdoc rust-lld clippy-driver cc1 cc1plus ld ld. gcc clang make git tmux screen less tail
    sleep cat strace gdb xdotool pipewire wireplumber pulseaudio gnome- kwin plasma gvfs at-spi polkit
    networkmanager wpa_supplicant containerd docker dockerd runc tini dumb-init snapd udisks upower
    avahi cups colord ibus fcitx xdg- firefox chrome chromium brave msedge opera code electron slack
    discord thunderbird apt dpkg postgres mysqld redis nginx bwrap flatpak gamemoderun gamescope
    pressure-vessel setpriv unshare
    svchost csrss lsass services.exe winlogon wininit smss. dwm. explorer.exe conhost sihost taskhostw
    runtimebroker searchhost startmenuexperiencehost shellexperiencehost textinputhost ctfmon fontdrvhost
    spoolsv dllhost wudfhost audiodg msmpeng securityhealth onedrive widgets cmd. powershell pwsh
    windowsterminal openconsole registry memcompression wineserver winedevice plugplay rpcss start.exe
";

/// Exact names of programs that are no emulators, too short to be prefixes.
const NOT_EMULATORS_EXACT: &[&str] =
    &["sh", "ps", "top", "vi", "vim", "nano", "ssh", "man", "find", "grep", "apt-get"];

/// The last component of a path of this system or of Windows.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The executable's file name, or the first word of the command line. The kernel's name, which is cut at 15 characters, is the last
/// resort.
pub(super) fn program(info: &ProcessInfo) -> String {
    let exe = info.exe.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let exe = exe.map(|name| name.strip_suffix(" (deleted)").map_or(name.clone(), str::to_owned));
    // The programs that Wine runs are all the same for the system.
    let windows = || {
        let word = info.command.iter().map(|word| file_name(word)).find(|word| is_windows_program(word));
        word.map(str::to_owned)
    };
    let wine = exe.as_ref().is_some_and(|name| name.starts_with("wine") && !is_windows_program(name));
    if let Some(program) = wine.then(windows).flatten() {
        return program;
    }
    let first = || info.command.first().map(|word| file_name(word).to_owned());
    exe.or_else(first).filter(|name| !name.is_empty()).unwrap_or_else(|| info.name.clone())
}

fn is_windows_program(name: &str) -> bool {
    name.to_ascii_lowercase().strip_suffix(".exe").is_some_and(|stem| !stem.is_empty())
}

fn known(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let stem = name.strip_suffix(".exe").unwrap_or(&name);
    let matches = |pattern: &NamePattern| match pattern {
        Exact(word) => stem == *word,
        Prefix(word) => stem.starts_with(word),
    };
    EMULATORS.iter().find(|(pattern, _)| matches(pattern)).map(|(_, name)| *name)
}

fn is_launcher(program: &str) -> bool {
    let program = program.to_ascii_lowercase();
    LAUNCHERS.iter().any(|launcher| program.starts_with(launcher))
}

/// The emulator that a process is, by name.
pub(super) fn emulator(info: &ProcessInfo) -> Option<&'static str> {
    if is_embedded(info) {
        return Some(EMBEDDED);
    }
    let program = program(info);
    if let Some(name) = known(&program) {
        return Some(name);
    }
    // A wrapper or a renamed link: the name by which it was started.
    let called = info.command.first().and_then(|word| known(file_name(word)));
    if called.is_some() {
        return called;
    }
    if !is_launcher(&program) {
        return None;
    }
    info.command
        .iter()
        .skip(1)
        .take(4)
        .filter(|word| !word.starts_with('-') && !is_core_name(word) && !is_game(word))
        .find_map(|word| known(file_name(word)))
}

fn is_embedded(info: &ProcessInfo) -> bool {
    is_nextscope(info) && info.command.iter().skip(1).any(|word| word == EMBEDDED_ARGUMENT)
}

/// Whether this is Nextscope itself, and not an emulator of that name with a game as its first argument.
fn is_nextscope(info: &ProcessInfo) -> bool {
    let program = program(info).to_ascii_lowercase();
    let first = info.command.iter().skip(1).find(|word| !word.starts_with('-'));
    program.strip_suffix(".exe").unwrap_or(&program) == OURSELVES && first.is_none_or(|word| !is_game(word))
}

/// Extensions of game files (and of archives that emulators open).
const GAME_EXTENSIONS: &[&str] = &[
    "md", "gen", "bin", "smd", "68k", "sgd", "32x", "cue", "chd", "iso", "m3u", "nds", "srl", "nes", "fds",
    "unf", "sfc", "smc", "zip", "7z", "rom", "gb", "gbc", "gba",
];

fn is_game(word: &str) -> bool {
    file_name(word).rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && GAME_EXTENSIONS.iter().any(|game| extension.eq_ignore_ascii_case(game))
    })
}

/// The game file on the command line, without its folders.
pub(super) fn content(info: &ProcessInfo, emulator: Option<&str>) -> Option<String> {
    let words = || info.command.iter().skip(1).filter(|word| !word.starts_with('-'));
    let file = words().rfind(|word| is_game(word));
    // MAME's games are words without an extension.
    let machine = || words().next().filter(|_| emulator == Some("MAME"));
    file.or_else(machine).map(|word| file_name(word).to_owned())
}

/// The display names of all known emulators.
pub fn known_emulators() -> Vec<&'static str> {
    let mut names: Vec<_> = EMULATORS.iter().map(|(_, name)| *name).collect();
    names.dedup();
    names
}

/// The processes that may be emulators, the likely ones first: known emulators and libretro hosts, then, if `all` is set, every other
/// program that could be one. System services, shells, tools and browsers are left out, as are this program itself (but not its embedded
/// console) and unknown programs of other users.
pub fn likely_emulators(processes: Vec<ProcessInfo>, all: bool) -> Vec<ProcessInfo> {
    let ourselves = Pid(std::process::id());
    let user = processes.iter().find(|info| info.pid == ourselves).and_then(|info| info.user.clone());
    let mut ranked: Vec<(u8, ProcessInfo)> = processes
        .into_iter()
        .filter_map(|info| rank(&info, ourselves, user.as_deref(), all).map(|rank| (rank, info)))
        .collect();
    ranked.sort_by_key(|(rank, info)| (*rank, info.pid));
    ranked.into_iter().map(|(_, info)| info).collect()
}

/// The process of a process tree that is most likely the emulator: a known emulator if there is one, otherwise a program that is no shell,
/// launcher or tool.
pub fn most_likely_emulator(tree: &[ProcessInfo]) -> Option<Pid> {
    likely_emulators(tree.to_vec(), true).first().map(|info| info.pid)
}

/// The process of which this one is a copy, forked without starting another program: SDL shows a message box in such a process, so that an
/// emulator with an open box would be listed twice.
pub fn forked_from(info: &ProcessInfo, processes: &[ProcessInfo]) -> Option<Pid> {
    let parent = processes.iter().find(|other| Some(other.pid) == info.parent)?;
    let same = parent.exe.is_some() && parent.exe == info.exe && parent.command == info.command;
    same.then_some(parent.pid)
}

/// 0 for known emulators, 1 for hosts of libretro cores, 2 for programs with a game on the command line, 3 for other programs.
fn rank(info: &ProcessInfo, ourselves: Pid, user: Option<&str>, all: bool) -> Option<u8> {
    // Windows does not reveal the command line of an emulator with more rights, which is listed with the reason.
    if emulator(info).is_some() {
        return Some(0);
    }
    if info.command.is_empty() {
        return None; // a kernel thread
    }
    if info.pid == ourselves || is_nextscope(info) {
        return None;
    }
    let program = program(info).to_ascii_lowercase();
    let other = NOT_EMULATORS_EXACT.contains(&program.as_str())
        || NOT_EMULATORS.split_whitespace().any(|other| {
            program.strip_prefix(other).is_some_and(|rest| {
                // "su" is no prefix of "super-emulator".
                other.len() > 4 || rest.is_empty() || !rest.starts_with(|c: char| c.is_ascii_alphabetic())
            })
        });
    if other {
        return None;
    }
    if info.command.iter().any(|word| is_core_name(word)) {
        return Some(1);
    }
    let privileged = matches!(user, Some("0") | None);
    let theirs = info.user.is_some() && info.user.as_deref() != user;
    if !all || (theirs && !privileged) {
        return None;
    }
    Some(if content(info, None).is_some() { 2 } else { 3 })
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
