//! Addresses found from scratch on the embedded console as it runs, in both byte orders: pools, generator, index, board.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod emulators;

use emulators::unguided::{Game, finds_everything};
use emulators::{Config, Kind};

#[test]
fn what_a_player_sees_leads_to_the_addresses_in_both_byte_orders() {
    let config =
        Config { frames_per_deal: [40, 56], pairs_per_round: 60_000, menu_frames: 5, ..Config::default() };
    std::thread::scope(|scope| {
        for kind in [Kind::Embedded, Kind::EmbeddedUnswapped] {
            scope.spawn(move || finds_everything(kind, &config.rom(), &Game::genesis(40)));
        }
    });
}
