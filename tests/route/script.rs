//! Exported Lua scripts on our own Genesis cartridge, in a real Lua interpreter (Debian package lua5.4) with a thin layer of BizHawk's functions
//! (`bizhawk.lua`).

use super::console::{board, random_route};
use crate::lua::{self, LUA};
use crate::movies::genesis::{SEED, console, planned};
use nextscope::demo::Buttons;
use nextscope::demo::console::Console;
use nextscope::profile::built_in_profiles;
use nextscope::route::Route;
use nextscope::route::export::{FileOptions, route_file};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const DEALT: u32 = 0xFF_85A6;
/// Longer than any route here takes.
const MOST_FRAMES: u32 = 60_000;

fn script(route: &Route) -> String {
    let profiles = built_in_profiles();
    let profile = profiles.iter().find(|profile| profile.id == "puyo-tsu-genesis").unwrap();
    let options = FileOptions { profile: Some(profile), ..FileOptions::default() };
    String::from_utf8(route_file(Path::new("route.lua"), route, options).unwrap()).unwrap()
}

/// What the emulator does besides running the game.
struct Emulator {
    console: Console,
    /// Of 100 frames, those in which the game neither runs nor reads the controller.
    lag: u32,
    /// Bytes of RAM that the script reads instead of those of the console, from a number of pairs dealt on.
    changed: (u16, BTreeMap<u32, u8>),
}

/// How a run of a script ended.
#[derive(Debug, Default)]
struct Ended {
    log: Vec<String>,
    paused: bool,
    frames: u32,
    lag_frames: u32,
}

impl Emulator {
    fn new(console: Console) -> Self {
        Self { console, lag: 0, changed: (u16::MAX, BTreeMap::new()) }
    }

    fn page(&self, number: u32) -> String {
        let (from, changed) = &self.changed;
        let byte = |address: u32| {
            let there = self.console.word(address).to_be_bytes()[(address & 1) as usize];
            changed.get(&address).filter(|_| self.console.word(DEALT) >= *from).copied().unwrap_or(there)
        };
        let first = 0xFF_0000 + 256 * number;
        (first..first + 256).map(|address| format!("{:02X}", byte(address))).collect()
    }

    /// Runs a script until it ends.
    fn run(&mut self, script: &str) -> Ended {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("route.lua");
        std::fs::write(&file, script).unwrap();
        let layer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/route/bizhawk.lua");
        let mut interpreter = Command::new(LUA)
            .args([&layer, &file])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut answers, questions) =
            (interpreter.stdin.take().unwrap(), BufReader::new(interpreter.stdout.take().unwrap()));
        let mut ended = Ended::default();
        let mut random = 1_u64;
        for line in questions.lines() {
            let line = line.unwrap();
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                "page" => writeln!(answers, "{}", self.page(rest.parse().unwrap())).unwrap(),
                "frame" => {
                    ended.frames += 1;
                    assert!(ended.frames < MOST_FRAMES, "it does not end: {ended:?}");
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    if (random >> 33) % 100 < u64::from(self.lag) {
                        ended.lag_frames += 1;
                    } else {
                        self.console.press(buttons(rest));
                        self.console.run_frame();
                    }
                    writeln!(answers, "ok").unwrap();
                }
                "text" => assert!(rest.starts_with("Nextscope: "), "{rest}"),
                "log" => ended.log.push(rest.into()),
                "pause" => ended.paused = true,
                "end" => break,
                _ => panic!("{line}"),
            }
        }
        assert!(interpreter.wait().unwrap().success());
        ended
    }
}

fn buttons(letters: &str) -> Buttons {
    letters.chars().fold(Buttons::NONE, |held, letter| {
        held | match letter {
            'D' => Buttons::DOWN,
            'L' => Buttons::LEFT,
            'R' => Buttons::RIGHT,
            'A' => Buttons::A,
            'B' => Buttons::B,
            other => panic!("a route does not press {other}"),
        }
    })
}

impl Ended {
    #[track_caller]
    fn assert_complete(&self, route: &Route) {
        let complete =
            format!("Nextscope: the route is complete: {} pairs, every board as planned", route.steps.len());
        assert_eq!(self.log.last(), Some(&complete), "{:?}", self.log);
        assert!(!self.paused);
    }

    /// The reason why the script stopped.
    #[track_caller]
    fn reason(&self) -> &str {
        assert!(self.paused, "{:?}", self.log);
        let last = self.log.last().unwrap();
        last.strip_prefix("Nextscope: stopped. The game differs from the route. ").unwrap()
    }
}

#[test]
fn a_script_plays_a_planned_route_from_power_on_with_and_without_lag() {
    if !lua::is_installed() {
        return;
    }
    for (seed, lag, settings) in [
        (SEED, 0, "menu=60"),
        (0x1234_5678, 0, "menu=1,chain=0,delay=1"),
        (SEED, 25, "menu=20"),
        (0x0BAD_CAFE, 60, "menu=1,chain=3,fall=4096"),
    ] {
        let route = planned(seed, 18);
        assert!(route.chain > 1);
        let mut emulator = Emulator { lag, ..Emulator::new(console(seed, settings)) };
        let ended = emulator.run(&script(&route));
        ended.assert_complete(&route);
        assert_eq!(board(&emulator.console), route.end(), "{seed:08X}");
        assert_eq!(ended.lag_frames > 100, lag > 0, "{ended:?}");
        println!("{seed:08X}: {} pairs, chain {}, {} frames", route.steps.len(), route.chain, ended.frames);
    }
}

/// Up to the highest rows and between two walls, where presses are remembered and pairs are pushed away.
#[test]
fn a_script_plays_any_playable_route() {
    if !lua::is_installed() {
        return;
    }
    let (mut state, mut pairs) = (7, 0);
    for seed in 1..=4 {
        let route = random_route(seed, &mut state);
        let mut emulator =
            Emulator { lag: seed * 10, ..Emulator::new(console(seed, "menu=1,fall=0,chain=2")) };
        emulator.run(&script(&route)).assert_complete(&route);
        assert_eq!(board(&emulator.console), route.end(), "seed {seed}");
        pairs += route.steps.len();
    }
    assert!(pairs > 60, "{pairs}");
}

#[test]
fn a_script_stops_at_a_pair_that_the_game_deals_differently() {
    if !lua::is_installed() {
        return;
    }
    let route = planned(SEED, 18);
    // The record of the first fault: its number, and that of the pair in the order of the deals, from 0.
    let mut emulator = Emulator::new(console(SEED, "menu=1,faults=dealt,fault-every=4"));
    let ended = emulator.run(&script(&route));
    let pair = usize::from(emulator.console.word(0xFF_2006));
    let letters = route.steps[pair].pair.letters();
    let expected = format!("pair {}: expected {letters}, the game will deal ", pair + 1);
    assert!(ended.reason().starts_with(&expected), "{expected}: {ended:?}");

    // A pair in play of other colours than the queue had: both puyos blue.
    let mut emulator = Emulator::new(console(SEED, "menu=1"));
    let fourth = route.steps[3].pair.letters();
    let color = if fourth == "BB" { 0 } else { 5 };
    emulator.changed = (4, BTreeMap::from([(0xFF_D108, color), (0xFF_D148, color)]));
    let there = if color == 0 { "RR" } else { "BB" };
    assert_eq!(
        emulator.run(&script(&route)).reason(),
        format!("pair 4: expected {fourth}, there is {there}")
    );
}

#[test]
fn a_script_stops_at_garbage_and_at_another_round() {
    if !lua::is_installed() {
        return;
    }
    let route = planned(SEED, 18);
    let mut emulator = Emulator::new(console(SEED, "menu=1"));
    // Row 12 from the floor, column 6.
    emulator.changed = (6, BTreeMap::from([(0xFF_8000 + 12 * 2 + 10, 0xE0)]));
    let ended = emulator.run(&script(&route));
    assert!(ended.reason().starts_with("the board after pair 5: expected "), "{ended:?}");
    assert!(ended.reason().contains(", there is .....O/"), "{ended:?}");

    // The round ends while pair 4 is moved.
    let ended = Emulator::new(console(SEED, "menu=1,pairs=4")).run(&script(&route));
    let expected =
        "pair 4 (BB), tap 1: the pair is no longer in play: the game counted 4 pairs of the round, now ";
    assert!(ended.reason().starts_with(expected), "{ended:?}");
}

#[test]
fn a_script_with_a_wrong_tap_or_none_stops_before_the_pair_falls() {
    if !lua::is_installed() {
        return;
    }
    let route = planned(SEED, 18);
    let good = script(&route);
    let run = |altered: &str| {
        assert_ne!(altered, good);
        Emulator::new(console(SEED, "menu=1")).run(altered)
    };
    let wrong = run(&good.replacen("{ \"L\", 1, 0 }", "{ \"R\", 1, 0 }", 1));
    let expected = "tap 1: after Right: expected column 2, child up, the pair is in column 4, child up";
    assert!(wrong.reason().ends_with(expected), "{wrong:?}");
    let none =
        run(&good.replacen("taps = { { \"L\", 1, 0 }", "taps = { ", 1).replacen("taps = { ,", "taps = {", 1));
    assert!(none.reason().contains("expected column "), "{none:?}");

    // Another column, consistently: only the board tells.
    let step =
        route.steps.iter().find(|step| step.placement.column() == 2).expect("a pair in the third column");
    let number = route.steps.iter().position(|other| other == step).unwrap() + 1;
    let lines: Vec<String> = good
        .lines()
        .scan(0, |pairs, line| {
            *pairs += usize::from(line.starts_with("  { pair = "));
            let other = "column = 4, child = 0, taps = { { \"R\", 3, 0 }, { \"R\", 4, 0 } }, after = ";
            let altered = line.starts_with("  { pair = ") && *pairs == number;
            let (head, tail) = (line.split_once("column = "), line.split_once("after = "));
            Some(match head.zip(tail).filter(|_| altered) {
                Some(((head, _), (_, tail))) => format!("{head}{other}{tail}"),
                None => line.to_owned(),
            })
        })
        .collect();
    let other = run(&lines.join("\n"));
    assert!(other.reason().starts_with(&format!("the board after pair {number}: expected ")), "{other:?}");
}
