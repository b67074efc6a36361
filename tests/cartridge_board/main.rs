//! The boards of our own Genesis cartridge, on the embedded console: what its 68000 program drops, moves, pops and counts
//! against the plain chain, and against the rules of its README walked cell by cell here.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod chains;
mod hand;
mod scripts;
#[path = "../waiting/mod.rs"]
mod waiting;

use nextscope::demo::console::Console;
use nextscope::demo::{CartridgeConfig, ROM};
use nextscope::puyo::{COLUMNS, Cell, Field, ROWS, Rules, reference, to_rows};
use nextscope_boards::Color;

const BOARDS: [u32; 2] = [0xFF_8000, 0xFF_8800];
const QUEUES: [u32; 2] = [0xFF_85A0, 0xFF_8DA0];
const PLAYERS: [u32; 2] = [0xFF_D080, 0xFF_D0C0];
const OBJECTS: [u32; 2] = [0xFF_D100, 0xFF_D180];
const PASSES: u32 = 0xFF_1018;
const STATE_ID: u32 = 0xFF_1004;
const PLAY: u8 = 4;

const UP: u8 = 0;
const RIGHT: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 3;

fn byte(console: &Console, address: u32) -> u8 {
    console.word(address).to_be_bytes()[(address & 1) as usize]
}

/// A board in RAM, of which both bytes of each cell say the same.
fn board(word: impl Fn(u32) -> u16, player: usize) -> Field {
    let mut field = Field::default();
    for nth in 0..ROWS * COLUMNS {
        let [cell, drawn] = word(BOARDS[player] + 2 * u32::try_from(nth).unwrap()).to_be_bytes();
        assert_eq!(drawn, if cell == 0 { 0xFF } else { cell });
        let cell = match cell {
            0 => Cell::Empty,
            0x80 | 0x90 | 0xB0 | 0xC0 | 0xD0 => Cell::Puyo(Color(cell >> 4 & 7)),
            0xE0 => Cell::Ojama,
            0xF0 => Cell::Hard,
            _ => panic!("0x{cell:02X} is no cell"),
        };
        field.set(nth % COLUMNS, ROWS - 1 - nth / COLUMNS, cell);
    }
    field
}

fn board_of(console: &Console, player: usize) -> Field {
    board(|address| console.word(address), player)
}

/// What a player's struct counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    score: u32,
    since_garbage: u32,
    chain: u8,
    erased: u16,
}

fn counts(console: &Console, player: usize) -> Counts {
    let at = PLAYERS[player];
    Counts {
        score: console.long(at + 0x0A),
        since_garbage: console.long(at + 0x0E),
        chain: byte(console, at + 0x09),
        erased: console.word(at + 0x16),
    }
}

impl Counts {
    /// Counts a whole chain.
    fn chain(&mut self, steps: &[reference::Step]) {
        let points: u32 = steps.iter().map(|step| step.points).sum();
        let puyos: usize = steps.iter().flat_map(|step| &step.groups).map(|group| group.cells.len()).sum();
        self.score += points;
        self.since_garbage += points;
        self.chain = u8::try_from(steps.len()).unwrap();
        self.erased += u16::try_from(puyos).unwrap();
    }
}

fn rules(console: &Console) -> Rules {
    Rules { group: u32::from(byte(console, 0xFF_480E)), ..Rules::TSU }
}

fn start(config: &str) -> Console {
    let mut rom = ROM.to_vec();
    config.parse::<CartridgeConfig>().expect(config).apply(&mut rom).expect("our cartridge");
    Console::new(rom).expect("it is a ROM")
}

/// Runs to the first pass of play.
fn play(config: &str) -> Console {
    let mut console = start(config);
    for _ in 0..300 {
        console.run_frame();
        if byte(&console, STATE_ID) == PLAY {
            return console;
        }
    }
    panic!("it does not begin to play");
}

/// A pair put down, axis and child in a column each.
fn land(field: &mut Field, colors: [u8; 2], column: usize, rotation: u8) -> u32 {
    let [axis, child] = colors.map(|color| Cell::Puyo(Color(color)));
    let beside = match rotation {
        RIGHT => column + 1,
        LEFT => column - 1,
        _ => column,
    };
    let mut both = [(column, axis), (beside, child)];
    if rotation == DOWN {
        both.reverse();
    }
    both.into_iter().map(|(column, cell)| u32::from(!field.drop(column, cell))).sum()
}

fn pair(console: &Console, player: usize) -> [u8; 2] {
    [0x08, 0x48].map(|at| byte(console, OBJECTS[player] + at))
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Everything that a board can contain, all of it settled, in columns of `least` to `most` cells.
fn random_board(random: &mut Random, least: [usize; COLUMNS], most: [usize; COLUMNS]) -> Field {
    let mut field = Field::default();
    for (column, (least, most)) in least.into_iter().zip(most).enumerate() {
        for _ in 0..least + random.below(most - least + 1) {
            let cell = match random.below(12) {
                0 => Cell::Ojama,
                1 => Cell::Hard,
                other => Cell::Puyo(Color::PAIR_COLORS[other % 4]),
            };
            field.drop(column, cell);
        }
    }
    field
}

fn as_setting(field: &Field) -> String {
    format!("board={}", to_rows(field).join("/"))
}
