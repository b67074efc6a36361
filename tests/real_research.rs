//! Addresses found from scratch in real emulators: nothing is known but what a player sees and counts, and what is found must be
//! where the cartridges' symbols are. One of the emulators runs under a name that nobody knows.
//!
//! With `NEXTSCOPE_TEST_MUST=all` an emulator that is missing is a failure; without, it is said to be left out.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod emulators;

use emulators::session::present;
use emulators::unguided::{Game, finds_everything};
use emulators::{Config, Kind, NdsConfig, Pace};

fn genesis(kind: Kind) {
    // Without a brake frames are counted a few at a time.
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
fn in_an_emulator_under_a_name_that_nobody_knows() {
    at_once(&[Kind::Renamed], genesis);
}

#[test]
fn in_ds_emulators() {
    at_once(&[Kind::DesmumeCli(Pace::Console), Kind::RetroArchMelonDs(Pace::Console)], nds);
}
