//! Closed terminals and pipes, Ctrl+C, control characters in names, and the format of errors.
#![cfg(target_os = "linux")]

use crate::cli_support::{answer, errors, nextscope, status, text};
use crate::waiting::{eventually_ok, within};
use nextscope::demo::{DemoOptions, spawn_program};
use nix::fcntl::OFlag;
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NEXTSCOPE: &str = env!("CARGO_BIN_EXE_nextscope");

/// A terminal: our end, and the program's. No other program that a test starts gets either, or it would stay open.
fn terminal() -> (File, File) {
    let master = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).expect("a terminal");
    grantpt(&master).expect("it is ours");
    unlockpt(&master).expect("it is ours");
    let name = ptsname_r(&master).expect("it has a name");
    let slave = File::options().read(true).write(true).custom_flags(OFlag::O_NOCTTY.bits()).open(name);
    (File::from(OwnedFd::from(master)), slave.expect("its other end"))
}

/// Reads what is written to a terminal until `enough` of it was.
fn read_until(master: &mut File, enough: impl Fn(&str) -> bool) -> String {
    let mut shown = Vec::new();
    eventually_ok(|| {
        let mut bytes = [0; 4096];
        let read = master.read(&mut bytes).expect("the program writes");
        shown.extend(&bytes[..read]);
        let text = String::from_utf8_lossy(&shown).into_owned();
        if enough(&text) { Ok(text) } else { Err(text) }
    })
}

fn nonzero(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has rows and columns")
}

/// What a terminal of these rows and columns shows.
fn parser_of((rows, columns): (u16, u16)) -> vt100::Parser {
    vt100::Parser::new(nonzero(rows), nonzero(columns), 0)
}

/// Reads what is written to a terminal until it shows `enough`.
fn shown_until(master: &mut File, parser: &mut vt100::Parser, enough: impl Fn(&vt100::Screen) -> bool) {
    eventually_ok(|| {
        let mut bytes = [0; 4096];
        let read = master.read(&mut bytes).expect("the program writes");
        parser.process(&bytes[..read]);
        if enough(parser.screen()) { Ok(()) } else { Err(parser.screen().contents()) }
    });
}

/// Sets or asks for something of a terminal.
fn stty(terminal: &File, arguments: &[&str]) -> String {
    let terminal = terminal.try_clone().expect("a file");
    let output =
        Command::new("stty").args(arguments).stdin(terminal).output().expect("stty is part of every system");
    assert!(output.status.success(), "{}", errors(&output));
    text(&output)
}

fn resize(terminal: &File, (rows, columns): (u16, u16)) {
    stty(terminal, &["rows", &rows.to_string(), "cols", &columns.to_string()]);
}

/// A command on a terminal of this size that knows 256 colours.
fn on_terminal(slave: &File, arguments: &[&str], set: &[(&str, &str)]) -> Child {
    let copy = || slave.try_clone().expect("a file");
    let mut command = Command::new(NEXTSCOPE);
    command.args(arguments).stdin(copy()).stdout(copy()).stderr(copy());
    command.env_remove("NO_COLOR").env_remove("COLORTERM").env("TERM", "xterm-256color");
    command.envs(set.iter().copied()).spawn().expect("it runs")
}

/// Reads what a program still writes, or it would wait.
fn rest_of(mut master: File) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = master.read_to_end(&mut rest); // ends with the terminal
        String::from_utf8_lossy(&rest).into_owned()
    })
}

fn wait(child: &mut Child, limit: Duration) -> (Option<i32>, Duration) {
    let began = Instant::now();
    let Some(status) = within(limit, || child.try_wait().expect("our child")) else {
        child.kill().expect("our child");
        child.wait().expect("our child");
        panic!("it went on for {limit:?}");
    };
    (status.code(), began.elapsed())
}

/// Long work, and that of it which a terminal shows once it runs.
const LONG: &[(&[&str], &str)] = &[
    (&["find", "puyo-tsu", "--pieces", "RB"], "searching all states ["),
    (
        &["find", "tetris-1985", "--pieces", "JTOLSJTZIJTOLS", "--variant", "xorshift32"],
        "searching all states [",
    ),
    (&["route", "puyo-20th", "--seed", "0", "--pairs", "40", "--seconds", "60"], "best:"),
    (&["stats", "bounded", "--sweep", "--count", "100000000"], "dealing ["),
    (&["stats", "tgm2", "--count", "1000000000"], "dealing ["),
    (&["ignite", "--build", "65"], "best:"),
];

#[test]
fn a_closed_pipe_does_not_panic() {
    for (arguments, expected) in
        [(&["replay", "nosuch"][..], 2), (&["watch", "--pid", "4194305"], 3), (&["list", "--nosuch"], 2)]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let status = Command::new(NEXTSCOPE).args(arguments).stderr(writer).stdout(Stdio::null()).status();
        assert_eq!(status.expect("it runs").code(), Some(expected), "{arguments:?}");
    }
}

/// As a child of a shell whose terminal is closed, and as one that no signal tells of it.
#[test]
fn a_closed_terminal_ends_every_command_at_once() {
    let watch: (&[&str], &str) = (&["watch", "--demo"], "Player");
    for (arguments, shows) in LONG.iter().chain([&watch]) {
        for signalled in [false, true] {
            let (mut master, slave) = terminal();
            let mut command = if signalled {
                let mut command = Command::new("setsid");
                command.arg("--ctty").arg(NEXTSCOPE);
                command
            } else {
                Command::new(NEXTSCOPE)
            };
            let copy = || slave.try_clone().expect("a file");
            command.args(*arguments).stdin(copy()).stdout(copy()).stderr(copy());
            let mut child = command.spawn().expect("it runs");
            drop((command, slave));
            read_until(&mut master, |shown| shown.contains(shows));
            drop(master);
            let (status, took) = wait(&mut child, Duration::from_secs(10));
            eprintln!("{arguments:?}: {status:?} after {took:?}");
            assert!(matches!(status, Some(0 | 130)), "{arguments:?}, signalled {signalled}: {status:?}");
        }
    }
}

#[test]
fn ctrl_c_ends_long_work_with_the_results_so_far() {
    for (arguments, shows) in LONG {
        let (mut master, slave) = terminal();
        let mut child = Command::new(NEXTSCOPE)
            .args(*arguments)
            .arg("--json")
            .stdout(Stdio::piped())
            .stderr(slave)
            .spawn()
            .expect("it runs");
        read_until(&mut master, |shown| shown.contains(shows));
        // The answer may be longer than a pipe takes.
        let mut out = child.stdout.take().expect("a pipe");
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            out.read_to_string(&mut text).map(|_| text)
        });
        let raw = Pid::from_raw(i32::try_from(child.id()).expect("a process number"));
        kill(raw, Signal::SIGINT).expect("our child");
        let (status, took) = wait(&mut child, Duration::from_secs(10));
        eprintln!("{arguments:?}: {took:?}");
        assert_eq!(status, Some(130), "{arguments:?}");
        let text = reader.join().expect("a reader").expect("text");
        let result: Value = serde_json::from_str(&text).expect("an object with what was found");
        match arguments[0] {
            "find" => assert_eq!(result["complete"], false, "{result}"),
            "route" => assert_eq!(result["stopped"], true, "{result}"),
            "ignite" => assert_eq!(result["build"]["stopped"], true, "{result}"),
            _ if arguments.contains(&"--sweep") => assert_eq!(result["complete"], false, "{result}"),
            _ => assert_eq!(result["randomizers"][0]["complete"], false, "{result}"),
        }
    }
}

#[test]
fn ctrl_c_ends_a_live_measurement_with_what_was_measured() {
    // The cartridge presses the buttons itself.
    let config = "hand1=controller,robot=1,deal2=60000,menu=1,schedule=versus,pairs=60000,garbage=0";
    let options = DemoOptions { config: config.parse().expect("settings"), ..DemoOptions::default() };
    let console = spawn_program(Path::new(NEXTSCOPE), &options).expect("a console");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("measured.nsrec");
    let child = Command::new(NEXTSCOPE)
        .args(["frames", "measure", "--json", "--pid", &console.pid().to_string(), "--record"])
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    // Some pairs.
    eventually_ok(|| match std::fs::metadata(&file) {
        Ok(about) if about.len() > 40_000 => Ok(()),
        other => Err(format!("{other:?}")),
    });
    let raw = Pid::from_raw(i32::try_from(child.id()).expect("a process number"));
    kill(raw, Signal::SIGINT).expect("our child");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    // Values that were seen once contradict nothing, but one may: a sample in the middle of the game's work.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}: {errors}", output.status);
    let measured: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert!(measured["pairs"].as_u64().is_some_and(|pairs| pairs > 2), "{measured}");
    let again = nextscope(&["frames", "measure", "--json", file.to_str().expect("a path")]);
    let again: Value = serde_json::from_str(&text(&again)).expect("an object");
    assert_eq!(again["parts"], measured["parts"], "the recording is the evidence");
}

/// A program of this name that is the embedded console, until it is dropped.
fn console_named(name: &str) -> (nextscope::demo::DemoProcess, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join(name);
    let _ = std::fs::remove_file(&program);
    std::fs::hard_link(NEXTSCOPE, &program)
        .or_else(|_| std::fs::copy(NEXTSCOPE, &program).map(drop))
        .expect("a copy");
    let console = spawn_program(&program, &DemoOptions::default()).expect("it runs");
    (console, folder)
}

#[test]
fn names_of_processes_cannot_control_the_terminal() {
    let (console, folder) = console_named("a\x1b[31mRED\x1b]0;pwn\x07\n\u{9b}2J\u{202e}b");
    let pid = console.pid().to_string();
    for arguments in [
        &["list", "--pid", &pid, "--why"][..],
        &["watch", "--pid", &pid, "--seconds", "1"],
        &["verify", "--pid", &pid, "--seconds", "1"],
        &["-vv", "verify", "--pid", &pid, "--seconds", "1"],
    ] {
        let output = nextscope(arguments);
        for shown in [text(&output), errors(&output)] {
            let acts = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
            assert!(!shown.contains(acts), "{arguments:?}: {shown:?}");
        }
        assert!(text(&output).contains("RED") || arguments[0] != "list", "{}", text(&output));
    }
    let listed = answer(&["list", "--pid", &pid], 0);
    let program = listed["emulators"][0]["program"].as_str().expect("its path");
    assert!(program.contains("\x1b[31mRED"), "JSON has the name as it is: {program:?}");
    drop(console);
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn an_event_is_one_line_of_standard_error() {
    let (console, folder) = console_named("nextscope-console");
    let output = nextscope(&["-v", "verify", "--pid", &console.pid().to_string(), "--seconds", "1"]);
    let lines = errors(&output);
    assert_eq!(lines.matches("attached to nextscope-console").count(), 1, "{lines}");
    drop(console);
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn too_many_open_files_are_reported() {
    for arguments in ["list", "list --pid $$", "watch --pid $$ --seconds 5"] {
        let script = format!("ulimit -n 5; '{NEXTSCOPE}' {arguments}");
        let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
        let said = errors(&output);
        assert_eq!(status(&output), 3, "{arguments}: {said}");
        assert!(said.to_lowercase().contains("too many open files"), "{arguments}: {said}");
    }
}

#[test]
fn a_process_without_a_game_is_reported_with_the_reason() {
    let mut other = Command::new("sleep").arg("60").spawn().expect("it runs");
    let output = nextscope(&["watch", "--pid", &other.id().to_string(), "--wait", "0.5"]);
    other.kill().expect("our child");
    other.wait().expect("our child");
    assert_eq!(status(&output), 3, "{}", errors(&output));
    assert!(errors(&output).contains(&format!("process {}", other.id())), "{}", errors(&output));
    for shown in [text(&output), errors(&output)] {
        assert!(!shown.contains("nextscope demo"), "that is no advice here: {shown}");
    }
}

#[test]
fn the_demo_on_a_terminal_does_not_advise_to_start_the_demo() {
    let (mut master, slave) = terminal();
    resize(&slave, (24, 80));
    let mut child = Command::new(NEXTSCOPE)
        .args(["demo", "--terminal"])
        .stdin(Stdio::null())
        .stdout(slave.try_clone().expect("a file"))
        .stderr(slave)
        .env("TERM", "xterm-256color")
        .spawn()
        .expect("it runs");
    let mut parser = parser_of((24, 80));
    shown_until(&mut master, &mut parser, |screen| screen.contents().contains("Player 2  now"));
    let shown = parser.screen().contents();
    assert!(!shown.contains("Or try") && shown.contains("Press Ctrl+C to stop"), "{shown}");
    let raw = Pid::from_raw(i32::try_from(child.id()).expect("a process number"));
    kill(raw, Signal::SIGINT).expect("our child");
    let reader = rest_of(master);
    let (status, _) = wait(&mut child, Duration::from_secs(10));
    assert_eq!(status, Some(0), "Ctrl+C is how it ends");
    let rest = reader.join().expect("a reader");
    assert!(!rest.contains("WARN") && rest.contains("\x1b[?1049l"), "{rest}");
}

fn last_row(screen: &vt100::Screen) -> String {
    screen.rows(0, screen.size().1.get()).last().unwrap_or_default()
}

#[test]
fn the_view_fits_the_terminal_follows_its_size_and_obeys_keys() {
    for (size, other) in [((24, 80), (10, 40)), ((10, 40), (24, 80))] {
        let (mut master, slave) = terminal();
        resize(&slave, size);
        let before = stty(&slave, &["-g"]);
        let mut child = on_terminal(&slave, &["watch", "--demo"], &[]);
        let mut parser = parser_of(size);
        let keys = |screen: &vt100::Screen| last_row(screen).starts_with("q quit");
        shown_until(&mut master, &mut parser, |screen| {
            screen.contents().contains("Player 2  now") && keys(screen)
        });
        let screen = parser.screen();
        assert!(screen.alternate_screen() && screen.hide_cursor());
        let first = screen.rows(0, size.1).next().expect("a row");
        assert!(first.starts_with("Player 1  now "), "nothing scrolled: {first:?}");
        let piece = u16::try_from("Player 1  now ".len()).expect("short");
        let cell = screen.cell(0, piece).expect("a piece");
        assert!(cell.contents() == "-" || matches!(cell.bgcolor(), vt100::Color::Idx(16..)), "{cell:?}");

        let mut keyboard = master.try_clone().expect("a file");
        keyboard.write_all(b"2").expect("a key");
        let only = |screen: &vt100::Screen| {
            let shown = screen.contents();
            shown.contains("Player 2  now") && !shown.contains("Player 1")
        };
        shown_until(&mut master, &mut parser, only);
        keyboard.write_all(b"d").expect("a key");
        shown_until(&mut master, &mut parser, |screen| last_row(screen).contains("d less"));

        resize(&slave, other);
        parser.set_size(nonzero(other.0), nonzero(other.1));
        shown_until(&mut master, &mut parser, |screen| {
            last_row(screen).contains("d less")
                && screen.rows(0, other.1).next().is_some_and(|row| row.starts_with("Player 2"))
        });

        keyboard.write_all(b"q").expect("a key");
        let reader = rest_of(master);
        let (status, _) = wait(&mut child, Duration::from_secs(10));
        assert_eq!(status, Some(0));
        assert_eq!(stty(&slave, &["-g"]), before, "the terminal is as it was");
        drop((slave, keyboard));
        parser.process(reader.join().expect("a reader").as_bytes());
        assert!(!parser.screen().alternate_screen() && !parser.screen().hide_cursor());
    }
}

#[test]
fn the_terminal_is_restored_however_the_view_ends() {
    for how in ["Ctrl+C", "Esc", "SIGTERM"] {
        let (mut master, slave) = terminal();
        resize(&slave, (24, 80));
        let before = stty(&slave, &["-g"]);
        let mut child = on_terminal(&slave, &["watch", "--demo"], &[]);
        let mut parser = parser_of((24, 80));
        shown_until(&mut master, &mut parser, |screen| last_row(screen).starts_with("q quit"));
        let mut keyboard = master.try_clone().expect("a file");
        match how {
            "Ctrl+C" => keyboard.write_all(b"\x03").expect("a key"),
            "Esc" => keyboard.write_all(b"\x1b").expect("a key"),
            _ => {
                let raw = Pid::from_raw(i32::try_from(child.id()).expect("a process number"));
                kill(raw, Signal::SIGTERM).expect("our child");
            }
        }
        let reader = rest_of(master);
        let (status, took) = wait(&mut child, Duration::from_secs(10));
        assert!(matches!(status, Some(0 | 1)), "{how}: {status:?} after {took:?}");
        assert_eq!(stty(&slave, &["-g"]), before, "{how}");
        drop((slave, keyboard));
        let rest = reader.join().expect("a reader");
        assert!(rest.contains("\x1b[?1049l") && rest.contains("\x1b[?25h"), "{how}: {rest:?}");
    }
}

#[test]
fn terminals_without_colours_get_letters_and_dumb_ones_lines() {
    let (mut master, slave) = terminal();
    resize(&slave, (24, 80));
    let mut child = on_terminal(&slave, &["watch", "--demo"], &[("NO_COLOR", "1")]);
    let mut parser = parser_of((24, 80));
    shown_until(&mut master, &mut parser, |screen| screen.contents().contains("Player 2  now"));
    for row in 0..24 {
        for column in 0..80 {
            let cell = parser.screen().cell(row, column).expect("a cell");
            let colors = (cell.fgcolor(), cell.bgcolor());
            assert_eq!(colors, (vt100::Color::Default, vt100::Color::Default), "{row}, {column}");
        }
    }
    drop((master, slave));
    wait(&mut child, Duration::from_secs(10));

    let (mut master, slave) = terminal();
    let mut child = on_terminal(&slave, &["watch", "--demo"], &[("TERM", "dumb")]);
    let shown = read_until(&mut master, |shown| shown.contains("Player 2   "));
    assert!(!shown.contains('\x1b'), "{shown:?}");
    drop((master, slave));
    wait(&mut child, Duration::from_secs(10));
}

#[test]
fn without_a_display_the_error_has_a_remedy() {
    let window = |display: Option<&str>| {
        let mut command = Command::new(NEXTSCOPE);
        command.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET").env_remove("DISPLAY");
        if let Some(display) = display {
            command.env("DISPLAY", display);
        }
        command.output().expect("it runs")
    };
    for (display, says) in [
        (None, "no display (DISPLAY and WAYLAND_DISPLAY are not set)"),
        (Some(":4199"), "cannot reach the display (DISPLAY=:4199)"),
    ] {
        let output = window(display);
        let said = errors(&output);
        assert_eq!(status(&output), 3, "{said}");
        assert!(said.contains(says) && said.contains("`nextscope watch`"), "{said}");
        assert!(!said.contains(".rs") && !said.contains("EventLoop"), "{said}");
    }
}

#[test]
fn errors_have_one_format_and_a_suggestion() {
    for (arguments, says) in [
        (&["generate", "puyo-tsuu", "--seed", "1"][..], "tip: a similar game exists: 'puyo-tsu'"),
        (&["find", "puyo-20h", "--pieces", "RB"], "tip: a similar game exists: 'puyo-20th'"),
        (&["stats", "tgm22"], "tip: a similar game exists: 'tgm2'"),
        (&["stats", "tgm1:3-pass"], "tip: a similar variant exists: '3-passes'"),
        (&["route", "puyo-tzu", "--seed", "1"], "tip: a similar game exists: 'puyo-tsu'"),
        (
            &["generate", "tgm1", "--seed", "1", "--variant", "3-pases"],
            "tip: a similar variant exists: '3-passes'",
        ),
        (&["generate", "tgm2", "--seed", "-1"], "invalid seed \"-1\""),
        (&["generate", "tgm2", "--seed", "1", "--count", "abc"], "expected a whole number"),
        (&["generate", "tgm2", "--seed", "1", "--count", "0"], "--count"),
        (&["stats", "tgm2", "--pieces", "abc"], "'--count <N>': expected a whole number"),
        (&["verify", "--demo", "--rounds", "0"], "--rounds"),
        (&["profile", "check", "no-such-file"], "cannot read no-such-file"),
        (&["replay", "no-such-file"], "no-such-file"),
        (&["watch", "--wait", "-1"], "--wait"),
    ] {
        let output = nextscope(arguments);
        let said = errors(&output);
        assert_eq!(status(&output), 2, "{arguments:?}: {said}");
        assert!(said.starts_with("error: ") && said.contains(says), "{arguments:?}: {said}");
        assert!(text(&output).is_empty(), "{arguments:?}");
    }
    let usage = errors(&nextscope(&["find", "puyo-20th"]));
    assert!(
        usage.contains("--dump <FILE> [OPTIONS]") && usage.contains("--state <STATE> [OPTIONS]"),
        "{usage}"
    );
}

#[test]
fn with_json_an_error_is_an_object() {
    for (arguments, status, says, hinted) in [
        (&["profile", "check", "no-such-file"][..], 2, "cannot read no-such-file", false),
        (&["generate", "puyo-tsuu"], 2, "unknown game \"puyo-tsuu\"", true),
        (&["lisst"], 2, "unrecognized subcommand 'lisst'", true),
        (&["watch", "--pid", "4194305"], 3, "no process 4194305", false),
    ] {
        let error = answer(arguments, status);
        assert_eq!((&error["schema"], &error["kind"]), (&1.into(), &"error".into()), "{error}");
        assert_eq!(error["status"], status, "{error}");
        let message = error["message"].as_str().expect("text");
        assert!(message.contains(says) && !message.contains('\n'), "{error}");
        assert_eq!(error["hint"].is_string(), hinted, "{error}");
    }
}

#[test]
fn nothing_is_started_before_all_arguments_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let started = folder.path().join("started");
    let script = format!("touch '{}'; exec sleep 60", started.display());
    for wrong in [
        &["watch", "--rate", "0"][..],
        &["watch", "--seconds=-1"],
        &["verify", "--wait=-1"],
        &["watch", "--profiles", "no-such-folder"],
    ] {
        let output = nextscope(&[wrong, &["--", "sh", "-c", &script]].concat());
        assert_eq!(status(&output), 2, "{wrong:?}: {}", errors(&output));
        assert!(!started.exists(), "{wrong:?}");
    }
}
