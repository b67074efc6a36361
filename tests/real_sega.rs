//! Real emulators running our own cartridge with Sega's thousand pieces: nothing is told of where they are. They are found, the
//! games are known and the next ones foretold, the cell that counts is found, and every injected fault is flagged.
//!
//! With `NEXTSCOPE_TEST_MUST=all` an emulator that is missing is a failure; without, it is said to be left out.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod emulators;

use emulators::Kind;
use emulators::session::{Outcome, at_once, live, present, ram_of, sampler_of, table, wait};
use nextscope::console::{ConsoleAddr, ConsoleId, Snapshot};
use nextscope::live::sega;
use nextscope::live::{CheckId, Observation, Status, View};
use nextscope::profile::{BUILT_IN, Profile, parse};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The built ROM.
const ROM: &[u8] = include_bytes!("cartridges/genesis-sega/genesis-sega.bin");
/// Where the cartridge keeps what is to be found, and its own cells (its `ram.inc`).
const SEQUENCE: ConsoleAddr = ConsoleAddr(0xFF_D2C0);
const SEED: ConsoleAddr = ConsoleAddr(0xFF_E336);
const INDEX: ConsoleAddr = ConsoleAddr(0xFF_C030);
const PIECE: ConsoleAddr = ConsoleAddr(0xFF_C101);
const GAME_NUMBER: ConsoleAddr = ConsoleAddr(0xFF_1000);
const FAULT_COUNT: ConsoleAddr = ConsoleAddr(0xFF_1010);
const FAULT_LOG: ConsoleAddr = ConsoleAddr(0xFF_2000);

/// At 60 frames per second, all at once.
const PACED: [Kind; 5] =
    [Kind::Embedded, Kind::Mednafen, Kind::Mame, Kind::RetroArchGpgx, Kind::RetroArchPicoDrive];

/// As fast as it goes, by itself.
const UNTHROTTLED: [Kind; 1] = [Kind::BlastEmUnthrottled];

/// The recipe for System 16, on the Genesis.
fn profile() -> Arc<Profile> {
    let (path, text) = BUILT_IN.iter().find(|(path, _)| path.contains("sega-tetris")).unwrap();
    let (profile, diagnostics) = parse(&text.replace("\"system-16\"", "\"genesis\""), path);
    assert_eq!(diagnostics, []);
    let profile = profile.unwrap();
    assert_eq!((profile.console, profile.fields.len()), (ConsoleId::Genesis, 0));
    Arc::new(profile)
}

fn rom(kind: Kind, faults: u16, seed: u32) -> Vec<u8> {
    let mut rom = ROM.to_vec();
    assert_eq!(&rom[0x200..0x204], b"NXCS", "the cartridge has its configuration block");
    // Without a brake a frame takes as little as 0.2 ms, and a game must last some samples of 14 ms.
    let (frames, pieces) = if kind.is_unthrottled() { (100, 16) } else { (6, 14) };
    for (at, value) in [(0x204, faults), (0x206, frames), (0x208, pieces)] {
        rom[at..at + 2].copy_from_slice(&value.to_be_bytes());
    }
    rom[0x210..0x214].copy_from_slice(&seed.to_be_bytes());
    rom
}

fn seen(view: &View) -> Option<Arc<sega::Observation>> {
    match view.data.as_ref()?.observation.as_ref().ok()? {
        Observation::Sega(seen) => Some(Arc::clone(seen)),
        _ => None,
    }
}

fn clean_run(kind: Kind, seconds: u64) -> Outcome {
    let running = kind.start(&rom(kind, 0, 0));
    let sampler = sampler_of(&running, vec![profile()]);
    let first = wait(&sampler, Duration::from_secs(20), kind.name(), live);
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
        totals.rounds_foreseen,
        totals.rounds - 1,
        "{name}: every next game was known before it began"
    );
    assert!(totals.pairs_verified >= 5, "{name}: {totals:?}");
    assert_eq!(last.data.as_ref().unwrap().verdict.status(CheckId::Generation), Status::Holds, "{name}");
    Outcome::of(kind, &first, &last, 0)
}

#[test]
fn the_pieces_the_state_and_the_count_are_found_on_every_emulator() {
    let mut outcomes = at_once(&present(&PACED), |kind| clean_run(kind, 8));
    outcomes.extend(present(&UNTHROTTLED).into_iter().map(|kind| clean_run(kind, 8)));
    table("Sega's thousand pieces: found by content, games known before they begin", &outcomes);
}

/// The faults that the cartridge logged of the games after `game`, as (game, place).
fn logged(snapshot: &Snapshot, after: u32) -> BTreeSet<(u32, u32)> {
    let count = snapshot.u32(FAULT_COUNT).unwrap();
    let record = |number: u32| FAULT_LOG.offset(number % 256 * 16);
    let kept = count.saturating_sub(256)..count;
    kept.map(|number| {
        assert_eq!(snapshot.u32(record(number)).unwrap(), number + 1, "the log is whole");
        let game = snapshot.u32(record(number).offset(4)).unwrap();
        (game, snapshot.u16(record(number).offset(8)).unwrap().into())
    })
    .filter(|(game, _)| *game > after)
    .collect()
}

fn faulty_run(kind: Kind, seconds: u64) -> Outcome {
    let running = kind.start(&rom(kind, 5, 0x1989_0614));
    let sampler = sampler_of(&running, vec![profile()]);
    let name = kind.name();
    let begun = |view: &View| live(view) && view.totals.rounds > 0;
    let first = wait(&sampler, Duration::from_secs(20), name, begun);
    // The view's snapshot and its count of games are of one moment.
    let games = |view: &View| ram_of(view).u32(GAME_NUMBER).unwrap();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut steady = None;
    let last = wait(&sampler, Duration::from_secs(seconds + 20), name, |view| {
        // A game that was judged, and whose cells have stood for some looks.
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
        .map(|told| {
            assert_eq!(told.check, CheckId::Generation, "{name}: {told:#?}");
            (u32::try_from(told.round + skew).unwrap(), told.index.expect("a place"))
        })
        .collect();
    let made = logged(ram_of(&last), u32::try_from(skew).unwrap());
    assert_eq!(flagged, made, "{name}: every fault and nothing else");
    assert!(flagged.len() >= 10, "{name}: {} faults", flagged.len());
    Outcome::of(kind, &first, &last, flagged.len())
}

#[test]
fn every_injected_fault_is_flagged_at_its_place_and_none_invented() {
    let mut outcomes = at_once(&present(&PACED), |kind| faulty_run(kind, 6));
    outcomes.extend(present(&UNTHROTTLED).into_iter().map(|kind| faulty_run(kind, 6)));
    table("Sega's thousand pieces with faults", &outcomes);
    let flagged: usize = outcomes.iter().map(|outcome| outcome.flagged).sum();
    println!("{flagged} faults flagged at their places, none invented");
    assert!(flagged >= 10 * outcomes.len());
}
