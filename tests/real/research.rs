//! Addresses found from scratch in real emulators: only what a player sees and counts is known, and the
//! results must match the cartridges' symbols. One of the emulators runs under an unknown name.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::session::present;
use crate::emulators::unguided::{Game, finds_everything};
use crate::emulators::{Config, Kind, NdsConfig, NesConfig, Pace, Running};
use crate::waiting::eventually_ok;
use nextscope::console::ConsoleId;
use nextscope::emulator::{
    DetectedGame, DetectionMethod, DetectionOutcome, Detector, LocateRamError, RamQuery, locate_ram,
};
use nextscope::profile::Library;

fn genesis(kind: Kind) {
    // At full speed frames are counted a few at a time.
    let deal = if kind.is_unthrottled() { 400 } else { 40 };
    let config = Config {
        frames_per_deal: [deal, deal / 5 * 7],
        pairs_per_round: 60_000,
        menu_frames: 5,
        event_rate: kind.is_unthrottled().then_some(24),
        ..Config::default()
    };
    finds_everything(kind, &config.rom(), &Game::genesis(deal));
}

fn nds(kind: Kind) {
    let config = NdsConfig {
        frames_per_deal: [40, 56],
        pairs_per_round: 60_000,
        colors: [4, 5],
        ..NdsConfig::default()
    };
    finds_everything(kind, &config.rom(), &Game::nds(40));
}

fn at_once(kinds: &[Kind], each: fn(Kind)) {
    std::thread::scope(|scope| {
        for kind in present(kinds) {
            scope.spawn(move || each(kind));
        }
    });
}

#[test]
fn in_genesis_emulators_of_both_byte_orders() {
    at_once(&[Kind::Mednafen, Kind::RetroArchGpgx], genesis);
}

#[test]
fn in_an_emulator_under_an_unknown_name() {
    at_once(&[Kind::Renamed], genesis);
}

#[test]
fn in_ds_emulators() {
    at_once(&[Kind::DesmumeCli(Pace::Console), Kind::RetroArchMelonDs(Pace::Console)], nds);
}

/// Without any profile: the RAM location that the emulator itself reports is what the search by content
/// finds.
#[test]
fn emulators_that_report_their_ram_location_report_the_right_one() {
    for (kind, console) in [
        (Kind::Mednafen, ConsoleId::Genesis),
        (Kind::RetroArchGpgx, ConsoleId::Genesis),
        (Kind::RetroArchPicoDrive, ConsoleId::Genesis),
        (Kind::DesmumeCli(Pace::Console), ConsoleId::Nds),
        (Kind::RetroArchMelonDs(Pace::Console), ConsoleId::Nds),
        (Kind::PyDesmume(Pace::Console), ConsoleId::Nds),
        (Kind::MednafenNes, ConsoleId::Nes),
        (Kind::Fceux, ConsoleId::Nes),
        (Kind::RetroArchNestopia(Pace::Console), ConsoleId::Nes),
        (Kind::RetroArchFceumm(Pace::Console), ConsoleId::Nes),
    ] {
        for kind in present(&[kind]) {
            let running = started(kind, console);
            let name = kind.name();
            let found = found_by_content(&running, name);
            let located = locate_ram(running.pid(), RamQuery { console, base: None, order: None });
            let located = located.unwrap_or_else(|error| panic!("{name}: {error}"));
            println!(
                "{name}: at {}, {:?}, by {}",
                located.ram.base,
                located.ram.order,
                located.method.unwrap()
            );
            assert_eq!((located.ram.base, located.ram.order), (found.ram.base, found.ram.order), "{name}");
            // It reports nothing for another console.
            let other = if console == ConsoleId::Nds { ConsoleId::Genesis } else { ConsoleId::Nds };
            let other = locate_ram(running.pid(), RamQuery { console: other, base: None, order: None });
            assert!(matches!(other, Err(LocateRamError::Nowhere { .. })), "{name}: {other:?}");
        }
    }
}

/// Our cartridge for a console, in an emulator.
fn started(kind: Kind, console: ConsoleId) -> Running {
    kind.start(&match console {
        ConsoleId::Nds => NdsConfig::default().rom(),
        ConsoleId::Nes => NesConfig::default().rom(),
        _ => Config::default().rom(),
    })
}

fn found_by_content(running: &Running, name: &str) -> Box<DetectedGame> {
    let profiles = Library::built_in().profiles().to_vec();
    eventually_ok(|| {
        let by_content = Detector::without([
            DetectionMethod::LibretroExport,
            DetectionMethod::NamedMapping,
            DetectionMethod::ExportedSymbol,
            DetectionMethod::KnownBuild,
        ])
        .detect(running.pid(), &profiles);
        match by_content.outcome {
            DetectionOutcome::Found(found) => Ok(found),
            outcome => Err(format!("{name}: {outcome:?}")),
        }
    })
}

/// Emulators that report nothing: of their blocks of the right size the one is taken that behaves as the RAM of a running game.
#[test]
fn the_block_that_behaves_as_work_ram_is_the_one_that_the_game_is_in() {
    for (kind, console) in [
        (Kind::Embedded, ConsoleId::Genesis),
        (Kind::EmbeddedUnswapped, ConsoleId::Genesis),
        (Kind::BlastEmWindow, ConsoleId::Genesis),
        (Kind::Mame, ConsoleId::Genesis),
        (Kind::MameNes(Pace::Console), ConsoleId::Nes),
    ] {
        for kind in present(&[kind]) {
            let running = started(kind, console);
            let name = kind.name();
            let found = found_by_content(&running, name);
            let located = locate_ram(running.pid(), RamQuery { console, base: None, order: None });
            let located = located.unwrap_or_else(|error| panic!("{name}: {error}"));
            println!("{name}: {}, {}", located.ram.base, located.behaviour.unwrap_or_default());
            assert_eq!(located.method, Some(DetectionMethod::MallocChunk), "{name}");
            assert_eq!((located.ram.base, located.ram.order), (found.ram.base, found.ram.order), "{name}");
        }
    }
}
