//! Addresses found from scratch in a running emulator, by `nextscope scan` alone: its input is what a player sees and can
//! count. The cartridge's own symbols stand for the player's eyes, and at the end say whether what was found is right.

use super::{Kind, Running};
use nextscope::console::{ConsoleAddr, Ram};
use nextscope::emulator::{DetectionOutcome, detect};
use nextscope::profile::Library;
use serde_json::Value;
use std::collections::HashMap;
use std::process::Command;

/// A machine that stops for a moment spoils a search that counts frames; one begins again then.
const TRIES: usize = 4;

/// What differs between the games.
pub struct Game {
    /// The cartridge's symbols.
    symbols: Symbols,
    /// Frames from one pair to the next, which a player can count.
    deal: u16,
    /// The pools' symbols, added up.
    pools: &'static [&'static [&'static str]],
    rng: &'static [&'static str],
    /// What the recurrence is called by.
    recurrence: &'static str,
    /// The next pair and the number of pairs of player 1.
    next: &'static [&'static str],
    count: &'static [&'static str],
    /// What goes up with the pairs: the type of the cell, by how much, which one it is.
    index: (&'static str, u32, &'static [&'static str]),
    /// Player 1's board: what is seen of it begins so many bytes on, has rows of six cells of so many bytes.
    board: (&'static [&'static str], u32, usize, usize),
    /// What tells the colour of a cell that is not empty.
    color: fn(u8) -> u8,
}

impl Game {
    pub fn genesis(deal: u16) -> Self {
        Self {
            symbols: Symbols::read(include_str!("../cartridges/genesis-tsu/ram.inc")),
            deal,
            pools: &[&["PoolA"]],
            rng: &["RngState"],
            recurrence: "rol32(d0 + state + a7, 5) + state + 1",
            next: &["Queue1", "Q_NEXT"],
            count: &["Queue1", "Q_DEALT"],
            index: ("u8", 2, &["Queue1", "Q_INDEX"]),
            // Of 14 rows the upper two are hidden.
            board: (&["Board1"], 2 * 12, 12, 2),
            color: |cell| cell >> 4 & 7,
        }
    }

    pub fn nds(deal: u16) -> Self {
        Self {
            symbols: Symbols::read(include_str!("../cartridges/nds-20th/ram.inc")),
            deal,
            pools: &[
                &["BLOCK_USUAL", "B_POOL_3"],
                &["BLOCK_USUAL", "B_POOL_4"],
                &["BLOCK_USUAL", "B_POOL_5"],
            ],
            rng: &["BLOCK_USUAL", "B_STATE"],
            recurrence: "state * 0x5D588B65 + 0x269EC3",
            next: &["PLAYER_1", "P_QUEUE"],
            count: &["PLAYER_1", "P_DEALT"],
            index: ("u16", 1, &["PLAYER_1", "P_DEALT"]),
            board: (&["BOARD_1"], 0, 13, 1),
            color: |cell| cell,
        }
    }
}

/// The cartridge's symbol table, `ram.inc`.
struct Symbols(HashMap<String, u32>);

impl Symbols {
    fn read(text: &str) -> Self {
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let symbol = |line: &str| {
            let (name, rest) = line.split_once('=')?;
            Some((name.trim().to_owned(), number(rest.split_whitespace().next()?)?))
        };
        Self(text.lines().filter_map(symbol).collect())
    }

    fn at(&self, names: &[&str]) -> u32 {
        names.iter().map(|name| self.0[*name]).sum()
    }
}

/// Who looks at the screen, and types.
struct Player<'a> {
    running: &'a Running,
    game: &'a Game,
    ram: Ram,
    folder: tempfile::TempDir,
}

impl Player<'_> {
    fn cells(&self, at: u32, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.ram.read(ConsoleAddr(at), &mut bytes).expect("the emulator runs");
        bytes
    }

    fn count(&self) -> u32 {
        let bytes = self.cells(self.game.symbols.at(self.game.count), 2);
        let order = self.ram.domain.endian;
        u32::try_from(order.number(&bytes)).unwrap()
    }

    /// Waits until the next pair of player 1 has come up so many times.
    fn pairs(&self, count: u32) {
        let from = self.count();
        let what = format!("{}: a new pair", self.running.kind.name());
        crate::waiting::eventually(&what, || self.count().wrapping_sub(from) >= count);
    }

    /// The next pair, so many times, by letters of his own for the colours; None when one was not seen.
    fn sees(&self, pairs: u32) -> Option<String> {
        let mut seen = String::new();
        self.pairs(1);
        let from = self.count();
        for nth in 0..pairs {
            let next = self.cells(self.game.symbols.at(self.game.next), 2);
            seen.extend(next.iter().map(|code| char::from(b'a' + code)));
            if self.count() != from + nth {
                return None;
            }
            self.pairs(1);
        }
        Some(seen)
    }

    /// The board as a picture: a dot for what is empty, letters for the colours.
    fn paints(&self) -> String {
        let (names, hidden, rows, width) = self.game.board;
        let cells = self.cells(self.game.symbols.at(names) + hidden, rows * 6 * width);
        let letter = |cell: &[u8]| match cell[0] {
            0 => '.',
            cell => char::from(b'a' + (self.game.color)(cell)),
        };
        let row = |row: &[u8]| row.chunks(width).map(letter).collect::<String>() + "\n";
        cells.chunks(6 * width).map(row).collect()
    }

    fn scan(&self, script: &str) -> Vec<Value> {
        let file = self.folder.path().join("steps.txt");
        std::fs::write(&file, script).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_nextscope"))
            .args(["scan", "--json", "--pid", &self.running.pid().0.to_string(), "--script"])
            .arg(&file)
            .output()
            .expect("nextscope runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.is_empty(), "{}: {errors}", self.running.kind.name());
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn addresses(found: &Value) -> Vec<u32> {
    let number = |hit: &Value| u32::from_str_radix(&hit["address"].as_str().unwrap()[2..], 16).unwrap();
    found.as_array().expect("a list").iter().map(number).collect()
}

/// Starts the emulator and finds, without any information that is not on the screen: the pools, the generator with its recurrence,
/// what counts with the pairs, where the pairs seen come from, and the board.
pub fn finds_everything(kind: Kind, rom: &[u8], game: &Game) {
    let mut running = kind.start(rom);
    if matches!(kind, Kind::Embedded | Kind::EmbeddedUnswapped) {
        running.tell("speed 4");
    }
    let name = kind.name();
    let profiles = Library::built_in().profiles().to_vec();
    let ram = crate::waiting::eventually_ok(|| match detect(running.pid(), &profiles).outcome {
        DetectionOutcome::Found(found) => Ok(found.ram),
        outcome => Err(format!("{name}: {outcome:?}")),
    });
    let player = Player { running: &running, game, ram, folder: tempfile::tempdir().unwrap() };
    let at = |names: &[&str]| game.symbols.at(names);
    // A round has begun, and something lies on the board.
    player.pairs(8);

    let pools: Vec<u32> = game.pools.iter().map(|names| at(names)).collect();
    let mut rng = None;
    for _ in 0..TRIES {
        let results = player.scan("pools\nrng 600\n");
        assert_eq!(addresses(&results[0]["found"]), pools, "{name}: {}", results[0]);
        rng = results[1]["found"].as_array().unwrap().first().cloned();
        if let Some(hit) = &rng {
            assert_eq!(addresses(&results[1]["found"]), [at(game.rng)], "{name}: {}", results[1]);
            assert!(hit["generator"].as_str().unwrap().contains(game.recurrence), "{name}: {hit}");
            break;
        }
    }
    let rng = rng.unwrap_or_else(|| panic!("{name}: no generator"));

    let (ty, by, index) = game.index;
    let count = format!("wait {}\nby +{by}\n", game.deal).repeat(8);
    let counted = (0..TRIES).find_map(|_| {
        let results = player.scan(&format!("type {ty}\nunknown\n{count}rows 9\n"));
        let rows = addresses(&results.last().unwrap()["rows"]);
        rows.contains(&at(index)).then_some(rows)
    });
    let counted = counted.unwrap_or_else(|| panic!("{name}: nothing goes up by {by} with the pairs"));
    assert!(counted.len() <= 3, "{name}: {counted:X?}");

    let seen = (0..TRIES).find_map(|_| player.sees(14)).expect("14 pairs in a row are seen");
    let results = player.scan(&format!("sequence {seen}\n"));
    let hits = results[0]["found"].as_array().unwrap().iter().filter(|hit| hit["stride"] == 1);
    let from = addresses(&Value::Array(hits.cloned().collect()));
    let last = pools.last().unwrap() + if pools.len() == 1 { 3 * 256 } else { 256 };
    assert!(from.len() == 1 && (pools[0]..last).contains(&from[0]), "{name}: {seen}: {}", results[0]);

    // While the game is paused, and when enough lies there: now and then the board is emptied.
    let mut picture = String::new();
    for _ in 0..TRIES {
        running.suspend();
        picture = player.paints();
        if picture.chars().filter(char::is_ascii_lowercase).count() >= 10 {
            break;
        }
        running.resume();
        player.pairs(8);
    }
    let file = player.folder.path().join("board.txt");
    std::fs::write(&file, &picture).unwrap();
    let results = player.scan(&format!("board {}\n", file.display()));
    running.resume();
    // On the Genesis the second byte of a cell is the copy last drawn, a board as well.
    let (board, hidden, _, width) = game.board;
    let boards: Vec<u32> = (at(board) + hidden..).take(width).collect();
    assert_eq!(addresses(&results[0]["found"]), boards, "{name}: {picture}{}", results[0]);

    println!(
        "{name}: pools at {pools:X?}; generator at {}, {}, {}; {counted:X?} go up by {by} with the pairs; {} pairs seen are at \
         {:#X}; the board at {:#X}, {}",
        rng["address"].as_str().unwrap(),
        rng["generator"].as_str().unwrap(),
        rng["advances"].as_str().unwrap(),
        seen.len() / 2,
        from[0],
        at(board) + hidden,
        results[0]["found"][0]["column_stride"]
    );
}
