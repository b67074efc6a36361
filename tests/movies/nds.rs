//! Routes on our own NDS cartridge, from power on.

use super::PlannedMovie;
use nextscope::games::puyo_20th::{PoolId, generate};
use nextscope::profile::FrameStatus;
use nextscope::puyo::{COLUMNS, Cell, Field, Rules};
use nextscope::route::{FrameTable, Goal, Limits, Start, plan};
use nextscope_boards::Color;
use std::sync::atomic::AtomicBool;

/// The seed of the first round: the upper half of the state at the start (the cartridge's README).
pub const SEED: u16 = 0x2026;

/// Rows of the cartridge's board.
const ROWS: usize = 13;

/// The bytes of the cartridge's board.
pub const BOARD_BYTES: usize = ROWS * COLUMNS;

/// Passes according to the cartridge's README (rules 7 and 8).
pub fn table() -> FrameTable {
    FrameTable {
        status: FrameStatus::Confirmed,
        press: 1,
        release: 1,
        fall: 2,
        lock: 1,
        split: vec![0],
        chain: vec![30],
        next: 12,
        all_clear: 0,
        garbage: None,
    }
}

/// An empty board and the pairs of four colours.
fn start() -> Start {
    let round = generate(SEED);
    let pairs = (0..60).map(|number| round.pair(PoolId::Four, number).unwrap()).collect();
    Start::empty(pairs, Rules::TWENTIETH)
}

/// The movie of a route to this chain and two pairs beyond it, which starts `lead_in` frames after power on.
pub fn planned(chain: u32, lead_in: u32) -> PlannedMovie {
    let start = start();
    let limits = Limits { time: None, width: 100, threads: 1, ..Limits::default() };
    let goal = Goal::ExactChain(chain);
    let chain = plan(&start, goal, &limits, &AtomicBool::new(false), &mut |_| {}).unwrap().route.unwrap();
    PlannedMovie { route: super::extended(&start, &chain, 2), table: table(), lead_in }
}

/// The movie of a random route, until the game is lost.
pub fn random(state: &mut u64, lead_in: u32) -> PlannedMovie {
    PlannedMovie { route: super::random_route(&start(), state), table: table(), lead_in }
}

/// A board from the cartridge's cells, the top row first.
pub fn board(cells: &[u8]) -> Field {
    let colors = [Color::RED, Color::GREEN, Color::BLUE, Color::YELLOW, Color::PURPLE];
    let mut field = Field::default();
    for (nth, cell) in cells.iter().enumerate() {
        let cell = match usize::from(*cell) {
            0 => Cell::Empty,
            number => Cell::Puyo(colors[number - 1]),
        };
        field.set(nth % COLUMNS, ROWS - 1 - nth / COLUMNS, cell);
    }
    field
}
