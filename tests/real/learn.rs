//! `learn --pid` of our own cartridges in real emulators, as if nobody knew them, and their profiles followed live.

use crate::emulators::session::{STARTED, built_in, live, present, sampler_of, wait};
use crate::emulators::{BeanConfig, Kind, NesConfig, Running};
use crate::sega;
use nextscope::live::View;
use nextscope::process::Pid;
use nextscope::profile::{Profile, parse};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// From the deal to the letter that a player types.
const LATE: Duration = Duration::from_millis(100);

/// A game that is learned.
struct Game {
    rom: Vec<u8>,
    console: &'static str,
    seconds: u64,
    /// A known cell of its pieces, and their codes; else the deals are typed as they come.
    cell: &'static [&'static str],
    /// What is said of it.
    expected: &'static str,
    /// Deals that the learned profile must predict.
    predicted: u64,
}

/// Rules of NES Tetris. The byte of the next piece has the orientations in which pieces come.
fn tetris() -> Game {
    let config = NesConfig { frames_per_deal: 20, pieces_per_game: 1000, ..NesConfig::default() };
    Game {
        rom: config.rom(),
        console: "nes",
        seconds: 22,
        cell: &["--cell", "BF", "--codes", "18,7,14,10,11,2,8"],
        expected: "Rule: certain",
        predicted: 25,
    }
}

/// Each piece is drawn by a generator of its own, which nothing else steps.
fn bloxeed() -> Game {
    let mut rom = sega::bloxeed_rom(Kind::Embedded, 1000, 0, 0);
    rom[0x206..0x208].copy_from_slice(&30_u16.to_be_bytes());
    Game {
        rom,
        console: "genesis",
        seconds: 25,
        cell: &["--cell", "FFC101", "--codes", "0,1,2,3,4,5,6", "--kinds", "IZSOTLJ"],
        expected: "Rule: certain",
        predicted: 20,
    }
}

/// A thousand pieces that are drawn when the game starts; a number says which is in play.
fn sega_tetris() -> Game {
    let mut rom = sega::rom(Kind::Embedded, 0, 0x1989_0614);
    for (at, value) in [(0x206, 30_u16), (0x208, 1000)] {
        rom[at..at + 2].copy_from_slice(&value.to_be_bytes());
    }
    Game {
        rom,
        console: "genesis",
        seconds: 25,
        cell: &["--cell", "FFC101", "--codes", "0,1,2,3,4,5,6", "--kinds", "IZSOTLJ"],
        expected: "Profile: reads the pieces to come: of 1000 entries that do not move",
        predicted: 20,
    }
}

/// Pairs from a pool, of which three are shown.
fn mean_bean() -> Game {
    let (frames_per_deal, only_mode) = ([30, 30], Some(0));
    let config = BeanConfig {
        frames_per_deal,
        only_mode,
        pairs_per_round: 1000,
        rewrites: false,
        ..BeanConfig::default()
    };
    Game {
        rom: config.rom(),
        console: "genesis",
        seconds: 22,
        cell: &[],
        expected: "Profile: reads the pieces to come: the next 3 pairs are read at 0xFFE0A6",
        predicted: 20,
    }
}

/// Writes each deal as a player would, and an empty line at the end.
fn type_deals(pid: Pid, seconds: u64, mut to: ChildStdin) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
    command.args(["watch", "--json", "--pid", &pid.0.to_string()]);
    let mut watch = command.stdout(Stdio::piped()).spawn().unwrap();
    let (until, mut last) = (Instant::now() + Duration::from_secs(seconds), None);
    for line in BufReader::new(watch.stdout.take().unwrap()).lines() {
        let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let player = &line["players"][0];
        if let (Some(next_at), Some(current)) = (player["next_at"].as_u64(), player["current"].as_str())
            && last.replace(next_at).is_some_and(|last| last != next_at)
        {
            std::thread::sleep(LATE);
            writeln!(to, "{current}").unwrap();
        }
        if Instant::now() > until {
            break;
        }
    }
    watch.kill().unwrap();
    watch.wait().unwrap();
    writeln!(to).unwrap();
}

/// The profile that is learned of a running game.
fn learned(running: &Running, game: &Game, name: &str) -> Arc<Profile> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let pid = running.pid();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
    command.args(["learn", "--pid", &pid.0.to_string(), "--console", game.console]).args(game.cell);
    command.arg("-o").arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = if game.cell.is_empty() {
        let mut learn = command.stdin(Stdio::piped()).spawn().unwrap();
        // Not before it asks for them.
        let mut asked = String::new();
        let mut errors = BufReader::new(learn.stderr.take().unwrap());
        errors.read_line(&mut asked).unwrap();
        assert!(asked.starts_with("type the letter"), "{name}: {asked}");
        type_deals(pid, game.seconds, learn.stdin.take().unwrap());
        let mut output = learn.wait_with_output().unwrap();
        errors.read_to_end(&mut output.stderr).unwrap();
        output
    } else {
        command.args(["--seconds", &game.seconds.to_string()]).output().unwrap()
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains(game.expected), "{name}: {text} {output:?}");
    let said = text.lines().filter(|line| line.starts_with("Rule:") || line.starts_with("Profile:"));
    said.for_each(|line| println!("{name}: {line}"));
    Arc::new(parse(&std::fs::read_to_string(&path).unwrap(), "own.toml").0.expect("a profile"))
}

fn learned_and_followed(kind: Kind, game: &Game, known: Vec<Arc<Profile>>) {
    let (running, name) = (kind.start(&game.rom), kind.name());
    let sampler = sampler_of(&running, known);
    let is_under_way = |view: &View| view.totals.pairs_verified > 0 || view.totals.rounds_verified > 0;
    wait(&sampler, STARTED, name, |view| live(view) && is_under_way(view));
    drop(sampler);
    let sampler = sampler_of(&running, vec![learned(&running, game, name)]);
    let followed = |view: &View| view.totals.pairs_verified >= game.predicted;
    let view = wait(&sampler, Duration::from_secs(60), name, followed);
    assert!(view.mismatches.is_empty(), "{name}: {:#?}", view.mismatches);
    println!("{name}: {:?}", view.totals);
}

#[test]
fn an_unknown_game_is_learned_in_real_emulators_and_followed_by_what_was_learned() {
    for kind in present(&[Kind::Fceux, Kind::MednafenNes]) {
        learned_and_followed(kind, &tetris(), built_in());
    }
    for kind in present(&[Kind::Embedded]) {
        learned_and_followed(kind, &bloxeed(), vec![sega::profile("bloxeed", &[])]);
        learned_and_followed(kind, &sega_tetris(), vec![sega::profile("sega-tetris", &[])]);
    }
}

#[test]
fn pairs_that_a_player_types_lead_to_a_profile_that_reads_those_to_come() {
    for kind in present(&[Kind::BlastEmWindow]) {
        learned_and_followed(kind, &mean_bean(), built_in());
    }
}
