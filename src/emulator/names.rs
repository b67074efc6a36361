//! Emulators by name: their programs' file names, the words of their command lines, the processes that are none.

use super::libretro::is_core_name;
use crate::process::{Pid, ProcessInfo};
use std::path::Path;

/// How a program's file name is held against a word, both in small letters.
enum Like {
    Is(&'static str),
    Starts(&'static str),
}

use Like::{Is, Starts};

/// Names of programs, as their packages and releases install them, and the emulator's own name.
const EMULATORS: &[(Like, &str)] = &[
    (Starts("blastem"), "BlastEm"),
    (Starts("mednafen"), "Mednafen"),
    (Is("mednaffe"), "Mednafen"),
    (Starts("mame"), "MAME"),
    (Starts("retroarch"), RETROARCH),
    (Starts("org.libretro.retroarch"), RETROARCH),
    (Is("ares"), "ares"),
    (Starts("ares-"), "ares"),
    (Starts("genesis_plus_gx"), "Genesis Plus GX"),
    (Starts("genplus"), "Genesis Plus GX"),
    (Starts("gen_sdl"), "Genesis Plus GX"),
    (Starts("picodrive"), "PicoDrive"),
    (Starts("desmume"), "DeSmuME"),
    (Starts("melonds"), "melonDS"),
    (Starts("fceux"), "FCEUX"),
    (Starts("nestopia"), "Nestopia"),
    (Starts("mesen"), "Mesen"),
    (Starts("emuhawk"), "BizHawk"),
    (Starts("jgenesis"), "jgenesis"),
    (Is("fusion"), "Kega Fusion"),
    (Starts("kega"), "Kega Fusion"),
    (Is("gens"), "Gens"),
    (Starts("gens-"), "Gens"),
    (Starts("gens_"), "Gens"),
    (Is("dgen"), "DGen"),
    (Is("exodus"), "Exodus"),
    (Starts("fbneo"), "FinalBurn Neo"),
    (Starts("stable-retro"), "stable-retro"),
];

/// RetroArch's name, which decides whether its network commands are asked.
pub(super) const RETROARCH: &str = "RetroArch";
/// Our own console's name and the argument that makes the program be it.
const EMBEDDED: &str = "Nextscope demo console";
const EMBEDDED_ARGUMENT: &str = "demo-console";
const OURSELVES: &str = "nextscope";

/// Programs that run other programs, so that the command line tells more than the executable.
const RUNNERS: &[&str] =
    &["wine", "mono", "python", "proton", "box64", "qemu-", "java", "dotnet", "ld-linux"];

/// Programs that are none, by the beginning of their names: the system's own, shells, tools, browsers.
const OTHERS: &[&str] = &[
    "init",
    "systemd",
    "(sd-pam)",
    "dbus",
    "sshd",
    "ssh-",
    "xvfb",
    "xorg",
    "xwayland",
    "x11vnc",
    "bash",
    "dash",
    "zsh",
    "fish",
    "login",
    "sudo",
    "su",
    "cron",
    "rsyslog",
    "agetty",
    "getty",
    "cargo",
    "rustc",
    "rust-analyzer",
    "cc1",
    "ld",
    "ld.",
    "gcc",
    "clang",
    "make",
    "git",
    "tmux",
    "screen",
    "less",
    "tail",
    "sleep",
    "cat",
    "strace",
    "gdb",
    "xdotool",
    "pipewire",
    "wireplumber",
    "pulseaudio",
    "gnome-",
    "kwin",
    "plasma",
    "gvfs",
    "at-spi",
    "polkit",
    "networkmanager",
    "wpa_supplicant",
    "containerd",
    "docker",
    "dockerd",
    "runc",
    "tini",
    "dumb-init",
    "snapd",
    "udisks",
    "upower",
    "avahi",
    "cups",
    "colord",
    "ibus",
    "fcitx",
    "xdg-",
    "firefox",
    "chrome",
    "chromium",
    "brave",
    "msedge",
    "opera",
    "code",
    "electron",
    "slack",
    "discord",
    "thunderbird",
    "apt",
    "dpkg",
    "postgres",
    "mysqld",
    "redis",
    "nginx",
    "bwrap",
    "flatpak",
    "gamemoderun",
    "gamescope",
    "pressure-vessel",
    "setpriv",
    "unshare",
];

/// Exact names among the programs that are none: too short to be the beginning of anything.
const OTHERS_EXACT: &[&str] =
    &["sh", "ps", "top", "vi", "vim", "nano", "ssh", "man", "find", "grep", "apt-get"];

/// The last part of a path of this system or of Windows.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The executable's file name, or the first word of the command line; never the name the kernel cuts at 15 letters,
/// unless there is nothing else.
pub(super) fn program(info: &ProcessInfo) -> String {
    let exe = info.exe.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let exe = exe.map(|name| name.strip_suffix(" (deleted)").map_or(name.clone(), str::to_owned));
    let first = || info.command.first().map(|word| file_name(word).to_owned());
    exe.or_else(first).filter(|name| !name.is_empty()).unwrap_or_else(|| info.name.clone())
}

fn known(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let stem = name.strip_suffix(".exe").unwrap_or(&name);
    let fits = |like: &Like| match like {
        Is(word) => stem == *word,
        Starts(word) => stem.starts_with(word),
    };
    EMULATORS.iter().find(|(like, _)| fits(like)).map(|(_, name)| *name)
}

fn runs_others(program: &str) -> bool {
    let program = program.to_ascii_lowercase();
    RUNNERS.iter().any(|runner| program.starts_with(runner))
}

/// The emulator that a process is, by its names; None when they say nothing.
pub(super) fn emulator(info: &ProcessInfo) -> Option<&'static str> {
    if is_embedded(info) {
        return Some(EMBEDDED);
    }
    let program = program(info);
    if let Some(name) = known(&program) {
        return Some(name);
    }
    // A wrapper or a renamed link: what the process was called by.
    let called = info.command.first().and_then(|word| known(file_name(word)));
    if called.is_some() {
        return called;
    }
    if !runs_others(&program) {
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
    known_as_ourselves(info) && info.command.iter().skip(1).any(|word| word == EMBEDDED_ARGUMENT)
}

/// Whether this is our program: it has our name, and no game as its first argument, as an emulator has that somebody calls so too.
fn known_as_ourselves(info: &ProcessInfo) -> bool {
    let program = program(info).to_ascii_lowercase();
    let first = info.command.iter().skip(1).find(|word| !word.starts_with('-'));
    program.strip_suffix(".exe").unwrap_or(&program) == OURSELVES && first.is_none_or(|word| !is_game(word))
}

/// Endings of game files (and of archives that emulators open).
const GAMES: &[&str] = &[
    "md", "gen", "bin", "smd", "68k", "sgd", "32x", "cue", "chd", "iso", "m3u", "nds", "srl", "nes", "fds",
    "unf", "sfc", "smc", "zip", "7z", "rom", "gb", "gbc", "gba",
];

fn is_game(word: &str) -> bool {
    file_name(word).rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && GAMES.iter().any(|game| ending.eq_ignore_ascii_case(game))
    })
}

/// The game file on the command line, without its folders.
pub(super) fn content(info: &ProcessInfo, emulator: Option<&str>) -> Option<String> {
    let words = || info.command.iter().skip(1).filter(|word| !word.starts_with('-'));
    let file = words().rfind(|word| is_game(word));
    // MAME's games are words without ending.
    let machine = || words().next().filter(|_| emulator == Some("MAME"));
    file.or_else(machine).map(|word| file_name(word).to_owned())
}

/// The emulators that are known by name, each once.
#[must_use]
pub fn known_emulators() -> Vec<&'static str> {
    let mut names: Vec<_> = EMULATORS.iter().map(|(_, name)| *name).collect();
    names.dedup();
    names
}

/// The processes that may be emulators, likely ones first: known emulators and libretro hosts, then, when `all` is
/// set, every other program that could be one. System services, shells, tools and browsers are left out, and so are
/// this program itself (but not its embedded console) and what belongs to others and is no known emulator.
#[must_use]
pub fn likely(processes: Vec<ProcessInfo>, all: bool) -> Vec<ProcessInfo> {
    let ourselves = Pid(std::process::id());
    let user = processes.iter().find(|info| info.pid == ourselves).and_then(|info| info.user.clone());
    let mut ranked: Vec<(u8, ProcessInfo)> = processes
        .into_iter()
        .filter_map(|info| rank(&info, ourselves, user.as_deref(), all).map(|rank| (rank, info)))
        .collect();
    ranked.sort_by_key(|(rank, info)| (*rank, info.pid));
    ranked.into_iter().map(|(_, info)| info).collect()
}

/// Of the processes that came of one command, the one that is the emulator: a known one if there is any, else one that is no shell, launcher or
/// tool.
#[must_use]
pub fn most_likely(family: &[ProcessInfo]) -> Option<Pid> {
    likely(family.to_vec(), true).first().map(|info| info.pid)
}

/// 0 for known emulators, 1 for hosts of libretro cores, 2 for programs with a game on the command line, 3 for others.
fn rank(info: &ProcessInfo, ourselves: Pid, user: Option<&str>, all: bool) -> Option<u8> {
    if info.command.is_empty() {
        return None; // a kernel thread
    }
    if emulator(info).is_some() {
        return Some(0);
    }
    if info.pid == ourselves || known_as_ourselves(info) {
        return None;
    }
    let program = program(info).to_ascii_lowercase();
    let other = OTHERS_EXACT.contains(&program.as_str())
        || OTHERS.iter().any(|other| {
            program.strip_prefix(other).is_some_and(|rest| {
                // "su" is no beginning of "super-emulator".
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
