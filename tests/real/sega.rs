//! Real emulators running our own cartridge with Sega's pieces, without known addresses. The pieces are
//! located, the games are identified and the next ones predicted, the cell with the count or the piece is
//! found, and every injected fault is flagged.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::Kind;
use crate::emulators::session::{Outcome, STARTED, at_once, live, present, ram_of, sampler_of, table, wait};
use crate::waiting::eventually_ok;
use nextscope::console::{ConsoleAddr, ConsoleId, Snapshot};
use nextscope::games::{bloxeed, sega};
use nextscope::live::{CheckId, Status, View};
use nextscope::profile::{Profile, built_in_files, check_file, parse};
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The built ROM.
const ROM: &[u8] = include_bytes!("../cartridges/genesis-sega/genesis-sega.bin");
/// The addresses of the searched cells, and the cartridge's own cells (its `ram.inc`).
const SEQUENCE: ConsoleAddr = ConsoleAddr(0xFF_D2C0);
const SEED: ConsoleAddr = ConsoleAddr(0xFF_E336);
const INDEX: ConsoleAddr = ConsoleAddr(0xFF_C030);
const PIECE: ConsoleAddr = ConsoleAddr(0xFF_C101);
const PIECE_SEED: ConsoleAddr = ConsoleAddr(0xFF_C0A2);
const PIECE_STATE: ConsoleAddr = ConsoleAddr(0xFF_D1B4);
const GAME_NUMBER: ConsoleAddr = ConsoleAddr(0xFF_1000);
const FAULT_COUNT: ConsoleAddr = ConsoleAddr(0xFF_1010);
const FAULT_LOG: ConsoleAddr = ConsoleAddr(0xFF_2000);

/// At 60 frames per second, all at once.
const PACED: [Kind; 5] =
    [Kind::Embedded, Kind::Mednafen, Kind::Mame, Kind::RetroArchGpgx, Kind::RetroArchPicoDrive];

/// At full speed, alone.
const UNTHROTTLED: [Kind; 1] = [Kind::BlastEmUnthrottled];

/// A recipe for System 16, on the Genesis, with these fields.
pub fn profile(id: &str, fields: &[(&str, ConsoleAddr, &str)]) -> Arc<Profile> {
    let (path, text) =
        built_in_files().iter().find(|(path, _)| path.ends_with(&format!("/{id}.toml"))).unwrap();
    // The cartridge draws by the plain table.
    let mut text =
        text.replace("\"system-16\"", "\"genesis\"").replace("table = \"table\"", "table = \"plain\"");
    for (name, address, kind) in fields {
        text += &format!("[fields.{name}]\naddress = {address}\ntype = {kind:?}\nsource = \"a test\"\n");
    }
    let (profile, diagnostics) = parse(&text, path);
    assert_eq!(diagnostics, []);
    let profile = profile.unwrap();
    assert_eq!(profile.console, ConsoleId::Genesis);
    assert!(fields.iter().all(|(name, ..)| profile.field(name).is_some()));
    Arc::new(profile)
}

/// Sega Tetris with so many faults a game, and this seed in the battery RAM.
pub fn rom(kind: Kind, faults: u16, seed: u32) -> Vec<u8> {
    let mut rom = ROM.to_vec();
    assert_eq!(&rom[0x200..0x204], b"NXCS", "the cartridge has its configuration block");
    // At full speed a frame takes as little as 0.2 ms, and a game must last some samples of 14 ms.
    let (frames, pieces) = if kind.is_unthrottled() { (100, 16) } else { (6, 14) };
    for (at, value) in [(0x204, faults), (0x206, frames), (0x208, pieces)] {
        rom[at..at + 2].copy_from_slice(&value.to_be_bytes());
    }
    rom[0x210..0x214].copy_from_slice(&seed.to_be_bytes());
    rom
}

fn seen(view: &View) -> Option<sega::live::Observation> {
    view.data.as_ref()?.observation.as_ref().ok()?.get().cloned()
}

fn clean_run(kind: Kind, seconds: u64) -> Outcome {
    let running = kind.start(&rom(kind, 0, 0));
    let sampler = sampler_of(&running, vec![profile("sega-tetris", &[])]);
    let first = wait(&sampler, STARTED, kind.name(), live);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut index = None;
    let last = wait(&sampler, Duration::from_secs(seconds + 20), kind.name(), |view| {
        index = index.or(seen(view).and_then(|seen| seen.found_index));
        Instant::now() > end && live(view) && seen(view).is_some_and(|seen| seen.buffer.is_some())
    });
    let name = kind.name();
    assert!(last.mismatches.is_empty(), "{name}: without a fault: {:#?}", last.mismatches);
    let found = seen(&last).unwrap();
    assert_eq!(found.buffer.as_ref().map(|buffer| buffer.address), Some(SEQUENCE), "{name}");
    assert_eq!(found.state.map(|(address, _)| address), Some(SEED), "{name}");
    let index = index.unwrap_or_else(|| panic!("{name}: the counter was not found"));
    assert_eq!((index.address, index.piece_at, index.ahead), (INDEX, PIECE, -1), "{name}");
    let totals = last.totals;
    assert!(totals.rounds >= 2 && totals.rounds_verified == totals.rounds, "{name}: {totals:?}");
    assert_eq!(
        totals.rounds_predicted,
        totals.rounds - 1,
        "{name}: every next game was known before it began"
    );
    assert!(totals.pairs_verified >= 5, "{name}: {totals:?}");
    assert_eq!(last.data.as_ref().unwrap().verdict.status(CheckId::GENERATION), Status::Verified, "{name}");
    Outcome::of(kind, &first, &last, 0)
}

#[test]
fn the_pieces_the_state_and_the_count_are_located_on_every_emulator() {
    let mut outcomes = at_once(&present(&PACED), |kind| clean_run(kind, 8));
    outcomes.extend(present(&UNTHROTTLED).into_iter().map(|kind| clean_run(kind, 8)));
    table("Sega's thousand pieces: found by content, games known before they begin", &outcomes);
}

/// The faults that the cartridge logged of the games after `game`, as (game, index).
fn logged(snapshot: &Snapshot, after: u32) -> Vec<(u32, u32)> {
    let count = snapshot.u32(FAULT_COUNT).unwrap();
    let record = |number: u32| FAULT_LOG.offset(number % 256 * 16);
    let indices = count.saturating_sub(256)..count;
    indices
        .map(|number| {
            assert_eq!(snapshot.u32(record(number)).unwrap(), number + 1, "the log is complete");
            let game = snapshot.u32(record(number).offset(4)).unwrap();
            (game, snapshot.u16(record(number).offset(8)).unwrap().into())
        })
        .filter(|(game, _)| *game > after)
        .collect()
}

fn faulty_run(kind: Kind, seconds: u64) -> Outcome {
    let running = kind.start(&rom(kind, 5, 0x1989_0614));
    let sampler = sampler_of(&running, vec![profile("sega-tetris", &[])]);
    let name = kind.name();
    let playing = |view: &View| live(view) && view.totals.rounds > 0;
    let first = wait(&sampler, STARTED, name, playing);
    // The view's snapshot and its count of games are of the same moment.
    let games = |view: &View| ram_of(view).u32(GAME_NUMBER).unwrap();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut steady = None;
    let last = wait(&sampler, Duration::from_secs(seconds + 20), name, |view| {
        // A game that was judged, and whose cells have not changed for some samples.
        let now = live(view).then(|| (games(view), view.totals.rounds));
        let since =
            steady.filter(|(was, _)| now.is_some() && *was == now).map_or_else(Instant::now, |(_, at)| at);
        steady = Some((now, since));
        Instant::now() > end && since.elapsed() > Duration::from_millis(250)
    });
    let skew = u64::from(games(&last)).checked_sub(last.totals.rounds).expect("no game is counted twice");
    let flagged: BTreeSet<(u32, u32)> = last
        .mismatches
        .iter()
        .map(|mismatch| {
            assert_eq!(mismatch.check, CheckId::GENERATION, "{name}: {mismatch:#?}");
            (u32::try_from(mismatch.round + skew).unwrap(), mismatch.index.expect("a place"))
        })
        .collect();
    let made = logged(ram_of(&last), u32::try_from(skew).unwrap());
    let made: BTreeSet<(u32, u32)> = made.into_iter().collect();
    assert_eq!(flagged, made, "{name}: every fault and nothing else");
    assert!(flagged.len() >= 10, "{name}: {} faults", flagged.len());
    Outcome::of(kind, &first, &last, flagged.len())
}

#[test]
fn every_injected_fault_is_flagged_at_its_index_and_no_others_are() {
    let mut outcomes = at_once(&present(&PACED), |kind| faulty_run(kind, 6));
    outcomes.extend(present(&UNTHROTTLED).into_iter().map(|kind| faulty_run(kind, 6)));
    table("Sega's thousand pieces with faults", &outcomes);
    let flagged: usize = outcomes.iter().map(|outcome| outcome.flagged).sum();
    println!("{flagged} faults flagged at their places, none invented");
    assert!(flagged >= 10 * outcomes.len());
}

/// The cartridge as Bloxeed.
pub fn bloxeed_rom(kind: Kind, pieces: u16, faults: u16, seed: u32) -> Vec<u8> {
    let mut rom = rom(kind, faults, seed);
    // At full speed a piece must last some samples of 14 ms.
    let (frames, pieces) = if kind.is_unthrottled() { (250, 12) } else { (6, pieces) };
    for (at, value) in [(0x206, frames), (0x208, pieces), (0x20A, 1)] {
        rom[at..at + 2].copy_from_slice(&value.to_be_bytes());
    }
    rom
}

fn bloxeed_seen(view: &View) -> Option<bloxeed::live::Observation> {
    view.data.as_ref()?.observation.as_ref().ok()?.get().cloned()
}

fn clean_bloxeed(kind: Kind, seconds: u64) -> Outcome {
    let running = kind.start(&bloxeed_rom(kind, 30, 0, 0));
    let sampler = sampler_of(&running, vec![profile("bloxeed", &[])]);
    let name = kind.name();
    let first = wait(&sampler, STARTED, name, live);
    let end = Instant::now() + Duration::from_secs(seconds);
    let last = wait(&sampler, Duration::from_secs(seconds + 20), name, |view| {
        let found = bloxeed_seen(view).is_some_and(|seen| seen.piece.is_some());
        Instant::now() > end && live(view) && found && view.totals.rounds >= 2
    });
    assert!(last.mismatches.is_empty(), "{name}: without a fault: {:#?}", last.mismatches);
    let observation = bloxeed_seen(&last).unwrap();
    let found = observation.found.unwrap();
    assert_eq!((found.seed, found.state, found.main), (PIECE_SEED, PIECE_STATE, Some(SEED)), "{name}");
    assert_eq!(observation.piece, Some(bloxeed::live::FoundPiece { address: PIECE, behind: 0 }), "{name}");
    let totals = last.totals;
    assert!(totals.rounds_verified == totals.rounds, "{name}: {totals:?}");
    assert_eq!(
        totals.rounds_predicted,
        totals.rounds - 1,
        "{name}: every next game was known before it began"
    );
    assert!(totals.pairs_verified >= 5, "{name}: {totals:?}");
    let verdict = &last.data.as_ref().unwrap().verdict;
    for check in [CheckId::GENERATION, CheckId::SEED, CheckId::PIECES] {
        assert_eq!(verdict.status(check), Status::Verified, "{name}: {check:?}");
    }
    Outcome::of(kind, &first, &last, 0)
}

#[test]
fn pieces_dealt_one_by_one_are_predicted_on_every_emulator() {
    let mut outcomes = at_once(&present(&PACED), |kind| clean_bloxeed(kind, 6));
    outcomes.extend(present(&UNTHROTTLED).into_iter().map(|kind| clean_bloxeed(kind, 4)));
    table("Bloxeed's generators: found by content, pieces known before they are drawn", &outcomes);
}

fn faulty_bloxeed(kind: Kind, seconds: u64) -> Outcome {
    let running = kind.start(&bloxeed_rom(kind, 8, 4, 0x1989_0614));
    let places = [
        ("piece_seed", PIECE_SEED, "u32"),
        ("piece_state", PIECE_STATE, "u32"),
        ("rng_state", SEED, "u32"),
        ("drawn_piece", PIECE, "u8"),
    ];
    let sampler = sampler_of(&running, vec![profile("bloxeed", &places)]);
    let name = kind.name();
    let first = wait(&sampler, STARTED, name, |view| live(view) && view.totals.rounds > 0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut steady = None;
    let last = wait(&sampler, Duration::from_secs(seconds + 20), name, |view| {
        // The last draw was judged.
        let now = bloxeed_seen(view).and_then(|seen| seen.values).filter(|_| live(view));
        let since =
            steady.filter(|(was, _)| now.is_some() && *was == now).map_or_else(Instant::now, |(_, at)| at);
        steady = Some((now, since));
        Instant::now() > end && since.elapsed() > Duration::from_millis(50)
    });
    let games = last.data.as_ref().unwrap().snapshot.u32(GAME_NUMBER).unwrap();
    let skew = u64::from(games).checked_sub(last.totals.rounds).expect("no game is counted twice");
    // The first game was attached to in its middle.
    let flags = last.mismatches.iter().filter(|one| one.round > 1).map(|mismatch| {
        assert_eq!(mismatch.check, CheckId::PIECES, "{name}: {mismatch:#?}");
        (u32::try_from(mismatch.round + skew).unwrap(), mismatch.index.expect("a place"))
    });
    let mut flagged: Vec<(u32, u32)> = flags.collect();
    let mut missed = logged(&last.data.as_ref().unwrap().snapshot, u32::try_from(skew).unwrap() + 1);
    let count = flagged.len();
    flagged.retain(|fault| match missed.iter().position(|made| made == fault) {
        Some(at) => {
            missed.remove(at);
            false
        }
        None => true,
    });
    assert_eq!(flagged, [], "{name}: no false mismatch");
    assert!(missed.len() as u64 <= last.totals.pairs_missed, "{name}: {missed:?}, {:?}", last.totals);
    assert!(count >= 2, "{name}: {count} faults");
    Outcome::of(kind, &first, &last, count)
}

#[test]
fn every_wrong_piece_is_flagged_at_its_index_and_no_others_are() {
    let outcomes = at_once(&present(&PACED), |kind| faulty_bloxeed(kind, 5));
    table("Bloxeed's pieces with faults", &outcomes);
    let flagged: usize = outcomes.iter().map(|outcome| outcome.flagged).sum();
    println!("{flagged} wrong pieces flagged at their places, none invented");
    assert!(flagged >= 5 * outcomes.len());
}

/// `profile locate --pid` with a recipe: its output, and the profile that it writes.
fn located(kind: Kind, id: &str, rom: &[u8]) -> (serde_json::Value, Profile) {
    let folder = tempfile::tempdir().unwrap();
    let (recipes, written) = (folder.path().join("recipes"), folder.path().join("found.toml"));
    std::fs::create_dir(&recipes).unwrap();
    let (_, text) = built_in_files().iter().find(|(path, _)| path.ends_with(&format!("/{id}.toml"))).unwrap();
    std::fs::write(recipes.join("recipe.toml"), text.replace("\"system-16\"", "\"genesis\"")).unwrap();
    let running = kind.start(rom);
    // An emulator takes some time until it runs the game.
    eventually_ok(|| {
        let done = Command::new(env!("CARGO_BIN_EXE_nextscope"))
            .args(["--json", "--profiles"])
            .arg(&recipes)
            .args(["profile", "locate", "--profile", id, "--seconds", "15", "--pid"])
            .arg(running.pid().to_string())
            .arg("--write")
            .arg(&written)
            .output()
            .unwrap();
        if done.status.code() == Some(0) {
            let (profile, checked) = check_file(&written);
            assert_eq!(checked.diagnostics, []);
            return Ok((serde_json::from_slice(&done.stdout).unwrap(), profile.unwrap()));
        }
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{}: {errors}", kind.name());
        Err(format!("{}: {errors}", kind.name()))
    })
}

#[test]
fn locate_finds_the_addresses_in_a_running_game_and_writes_them() {
    let both = |kind: Kind| {
        let name = kind.name();
        let (output, found) = located(kind, "sega-tetris", &rom(kind, 0, 0));
        let at = |address: ConsoleAddr| serde_json::Value::from(address.to_string());
        assert_eq!(
            (&output["sequence"], &output["rng_state"]),
            (&at(SEQUENCE), &at(SEED)),
            "{name}: {output}"
        );
        assert_eq!((&output["index"], &output["wrong"]), (&at(INDEX), &0.into()), "{name}: {output}");
        assert_eq!(found.field("index").map(|field| field.address), Some(INDEX), "{name}");
        let (output, found) = located(kind, "bloxeed", &bloxeed_rom(kind, 20, 0, 0));
        assert_eq!(
            (&output["piece_seed"], &output["piece_state"]),
            (&at(PIECE_SEED), &at(PIECE_STATE)),
            "{name}"
        );
        assert_eq!((&output["rng_state"], &output["piece"]), (&at(SEED), &at(PIECE)), "{name}: {output}");
        assert_eq!(found.field("drawn_piece").map(|field| field.address), Some(PIECE), "{name}");
        println!("{name}: both games located and written");
    };
    let kinds = present(&[Kind::Embedded, Kind::Mednafen]);
    std::thread::scope(|scope| {
        let threads: Vec<_> = kinds.iter().map(|&kind| scope.spawn(move || both(kind))).collect();
        for thread in threads {
            thread.join().unwrap_or_else(|error| std::panic::resume_unwind(error));
        }
    });
}
