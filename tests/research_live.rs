//! Addresses found from scratch on the embedded console as it runs, in both byte orders: pools, generator, index, board.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod cli_support;
mod emulators;
mod waiting;

use cli_support::{errors, nextscope, status, text};
use emulators::unguided::{Game, finds_everything};
use emulators::{Config, Kind};

#[test]
fn visible_values_lead_to_the_addresses_in_both_byte_orders() {
    let config =
        Config { frames_per_deal: [40, 56], pairs_per_round: 60_000, menu_frames: 5, ..Config::default() };
    std::thread::scope(|scope| {
        for kind in [Kind::Embedded, Kind::EmbeddedUnswapped] {
            scope.spawn(move || finds_everything(kind, &config.rom(), &Game::genesis(40)));
        }
    });
}

/// A Mega Drive cartridge without a profile: two blocks have the size of its RAM, and one of them counts frames.
#[test]
fn a_game_without_a_profile_is_searched_by_the_consoles_addresses() {
    let mut running = Kind::Embedded.start(include_bytes!("cartridges/genesis-sega/genesis-sega.bin"));
    running.tell("speed 4"); // a game then takes a second
    let pid = running.pid().0.to_string();
    let scan = |more: &[&str]| {
        nextscope(&[&["scan", "--json", "--pid", &pid, "--console", "genesis"], more].concat())
    };
    let output = nextscope(&["scan", "--pid", &pid, "unknown"]);
    assert_eq!((status(&output), errors(&output).contains("`--console`")), (3, true), "{}", errors(&output));
    // Of a paused game no byte counts frames, which would show where its RAM is.
    running.tell("pause");
    let output = scan(&["unknown"]);
    let message = errors(&output);
    assert_eq!((status(&output), message.contains("2 blocks of that size")), (3, true), "{message}");
    let blocks: Vec<&str> =
        message.split([' ', ',', ';']).filter(|word| word.starts_with("0x") && word.len() > 8).collect();
    assert_eq!(blocks.len(), 2, "{message}");
    running.tell("resume");
    let output = nextscope(&["scan", "--pid", &pid, "--console", "genesis", "unknown"]);
    let chosen = text(&output);
    assert!(status(&output) == 0 && chosen.contains("the only one of 2 that counts frames"), "{output:?}");
    let output = scan(&["--ram-address", blocks[0], "unknown"]);
    assert_eq!(status(&output), 2);
    assert!(errors(&output).contains("--swapped") && errors(&output).contains("--unswapped"));
    // The generator shows which block it is and how its bytes are stored.
    let choices = blocks.iter().flat_map(|block| [(block, "--swapped"), (block, "--unswapped")]);
    let found: Vec<String> = std::thread::scope(|scope| {
        let searches: Vec<_> = choices
            .map(|(block, order)| {
                scope.spawn(move || {
                    let output = scan(&["--ram-address", block, order, "rng 400"]);
                    assert!(status(&output) <= 1, "{}", errors(&output));
                    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                    let hits = json["found"].as_array().unwrap().clone();
                    let describe = |hit: &serde_json::Value| {
                        format!("{block} {order} {} {}", hit["address"], hit["generator"])
                    };
                    hits.iter().map(describe).collect::<Vec<String>>()
                })
            })
            .collect();
        searches.into_iter().flat_map(|search| search.join().unwrap()).collect()
    });
    assert_eq!(found.len(), 1, "{found:?}");
    let (block, found) = found[0].split_once(' ').unwrap();
    assert!(chosen.contains(&format!("at {block} (heap block of the right size")), "{chosen}");
    assert!(found.starts_with("--swapped \"0xFFE336\" \"Sega's library: 41 * state"), "{found:?}");
    // The index into the thousand pieces, by the steps of docs/find-addresses.md, started at any moment of a
    // game. One other cell changes as often: it counts down the rest of the game.
    running.tell("speed 1");
    std::thread::scope(|scope| {
        for begin in ["wait 1", "wait 60", "wait 120", "wait 180"] {
            let steps = ["auto 300 <= 40", "changes >= 40", "changes <= 60", "rows 5", "wait 15", "rows 5"];
            let given = [
                "--ram-address",
                block,
                "--swapped",
                "--type",
                "u16",
                "--align",
                "2",
                begin,
                "track",
                "unknown",
            ];
            scope.spawn(move || {
                let output = scan(&[&given[..], &steps].concat());
                assert_eq!(status(&output), 0, "{}", errors(&output));
                let text = String::from_utf8(output.stdout).unwrap();
                let objects =
                    text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
                let tables: Vec<_> =
                    objects.filter_map(|object| object["rows"].as_array().cloned()).collect();
                assert_eq!(tables.len(), 2, "{text}");
                for rows in tables {
                    let cells: Vec<&str> = rows.iter().map(|row| row["address"].as_str().unwrap()).collect();
                    assert_eq!(cells, ["0xFF1014", "0xFFC030"], "started by {begin}");
                }
            });
        }
    });
    for (wrong, says) in [
        (["--ram-address", "12345", "unknown"], "expected 0x and hexadecimal digits"),
        (["--ram-address", "0x10", "--swapped"], "at least one step is required"),
    ] {
        let output = scan(&wrong);
        assert_eq!((status(&output), errors(&output).contains(says)), (2, true), "{}", errors(&output));
    }
    let output = scan(&["--ram-address", "0x10", "--swapped", "unknown"]);
    assert_eq!(status(&output), 3, "{}", errors(&output));
}
