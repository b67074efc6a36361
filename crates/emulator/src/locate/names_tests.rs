use super::*;
use std::path::PathBuf;

fn process(exe: &str, command: &[&str]) -> ProcessInfo {
    ProcessInfo {
        pid: Pid(100),
        name: file_name(exe).chars().take(15).collect(),
        exe: Some(PathBuf::from(exe)),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        started: 0,
        user: Some("1000".into()),
        parent: None,
    }
}

#[test]
fn emulators_are_recognised_by_program_by_command_and_by_launcher_arguments() {
    let known = |exe: &str, command: &[&str]| emulator(&process(exe, command));
    assert_eq!(known("/usr/games/blastem", &["blastem", "x.md"]), Some("BlastEm"));
    assert_eq!(known("/opt/blastem64-0.6.3/blastem", &[]), Some("BlastEm"));
    assert_eq!(known("/usr/games/mednafen (deleted)", &["mednafen"]), Some("Mednafen"));
    assert_eq!(known("/usr/bin/retroarch", &["retroarch"]), Some("RetroArch"));
    assert_eq!(known("/tmp/.mount_RA/usr/bin/RetroArch-Linux-x86_64.AppImage", &[]), Some("RetroArch"));
    assert_eq!(known("/usr/games/mame", &["mame", "genesis"]), Some("MAME"));
    assert_eq!(known("/usr/bin/mono-sgen", &["mono", "/opt/BizHawk/EmuHawk.exe"]), Some("BizHawk"));
    assert_eq!(
        known("/usr/bin/wine64-preloader", &["C:\\Games\\Fusion.exe", "game.bin"]),
        Some("Kega Fusion")
    );
    assert_eq!(known("/usr/bin/wine64-preloader", &["wine", "Z:\\home\\u\\gens.exe"]), Some("Gens"));
    let windows = process("/usr/lib/wine/wine64-preloader", &["Z:\\games\\host.EXE", "game.md"]);
    assert_eq!((program(&windows).as_str(), emulator(&windows)), ("host.EXE", None));
    assert_eq!(program(&process("/usr/lib/wine/wine64-preloader", &["wine"])), "wine64-preloader");
    assert_eq!(known("/home/u/spreadsheet", &["./spreadsheet", "fusion.md"]), None);
    assert_eq!(known("/usr/bin/area51", &["area51"]), None);
    assert_eq!(known("/usr/bin/python3.11", &["python3", "host.py", "game.md"]), None);
}

#[test]
fn the_embedded_console_is_an_emulator_and_nextscope_is_not() {
    let ours = process("/usr/bin/nextscope", &["nextscope", "watch"]);
    let console = process("/usr/bin/nextscope", &["nextscope", "demo-console", "--speed", "1"]);
    let other = process("/usr/bin/other", &["other", "demo-console"]);
    assert_eq!(emulator(&ours), None);
    assert_eq!(emulator(&console), Some(EMBEDDED));
    assert_eq!(emulator(&other), None);
    // An emulator named nextscope.
    let named = process("/home/u/nextscope", &["./nextscope", "-b", "puyo.md"]);
    assert_eq!(likely_emulators(vec![named], true).len(), 1);
    let left: Vec<_> =
        likely_emulators(vec![ours, console], true).into_iter().map(|info| info.command[1].clone()).collect();
    assert_eq!(left, ["demo-console"]);
}

#[test]
fn the_game_is_the_last_word_with_a_game_extension() {
    let of = |command: &[&str], emulator| content(&process("/bin/x", command), emulator);
    assert_eq!(
        of(&["x", "-L", "core_libretro.so", "/roms/Puyo Tsu.MD"], None).as_deref(),
        Some("Puyo Tsu.MD")
    );
    assert_eq!(of(&["x", "-b", "100", "tsu.bin"], None).as_deref(), Some("tsu.bin"));
    assert_eq!(of(&["x", "C:\\roms\\a.smd"], None).as_deref(), Some("a.smd"));
    assert_eq!(of(&["mame", "puyopuy2", "-video", "none"], Some("MAME")).as_deref(), Some("puyopuy2"));
    assert_eq!(of(&["x", "notes.txt", ".md"], None), None);
}

#[test]
fn likely_emulators_come_first_and_other_programs_are_left_out() {
    let all = [
        process("/usr/bin/bash", &["bash"]),
        process("/usr/lib/systemd/systemd", &["/sbin/init"]),
        process("/usr/bin/Xvfb", &["Xvfb", ":1"]),
        process("/usr/bin/sh", &["sh"]),
        process("/usr/lib/firefox/firefox", &["firefox"]),
        process("/home/u/unknown", &["unknown"]),
        process("/home/u/super-emulator", &["super-emulator", "game.md"]),
        process("/usr/bin/python3", &["python3", "run.py", "--core", "/cores/picodrive_libretro.so"]),
        process("/usr/games/blastem", &["blastem"]),
        process("/kthread", &[]),
    ];
    let names = |processes: Vec<ProcessInfo>| -> Vec<String> { processes.iter().map(program).collect() };
    assert_eq!(names(likely_emulators(all.to_vec(), false)), ["blastem", "python3"]);
    assert_eq!(
        names(likely_emulators(all.to_vec(), true)),
        ["blastem", "python3", "super-emulator", "unknown"]
    );
}

#[test]
fn programs_of_other_users_are_left_out_unless_they_are_emulators_or_the_reader_is_root() {
    let us = ProcessInfo { pid: Pid(std::process::id()), ..process("/usr/bin/nextscope", &["nextscope"]) };
    let theirs = |exe: &str| ProcessInfo { user: Some("1001".into()), ..process(exe, &["x"]) };
    let list = vec![us.clone(), theirs("/usr/bin/unknown"), theirs("/usr/games/mednafen")];
    assert_eq!(likely_emulators(list.clone(), true).len(), 1);
    let mut as_root = list;
    as_root[0].user = Some("0".into());
    assert_eq!(likely_emulators(as_root, true).len(), 2);
}

#[test]
fn a_fork_of_an_emulator_is_no_second_emulator() {
    let emulator = process("/usr/games/blastem", &["blastem", "x.md"]);
    let child = |exe: &str, command: &[&str]| ProcessInfo {
        pid: Pid(101),
        parent: Some(Pid(100)),
        ..process(exe, command)
    };
    let of = |child: &ProcessInfo| forked_from(child, &[emulator.clone(), child.clone()]);
    assert_eq!(of(&child("/usr/games/blastem", &["blastem", "x.md"])), Some(Pid(100)));
    assert_eq!(of(&child("/usr/games/blastem", &["blastem", "y.md"])), None, "started with another game");
    assert_eq!(of(&child("/usr/bin/zenity", &["zenity", "--error"])), None, "another program");
    assert_eq!(of(&emulator), None);
}
