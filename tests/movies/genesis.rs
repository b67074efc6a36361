//! Routes on our own Genesis cartridge, from power on.

use super::PlannedMovie;
use nextscope::demo::console::Console;
use nextscope::demo::{CartridgeConfig, ROM};
use nextscope::games::puyo_tsu::{Dealer, Dealing, Level, Setup, State, generate};
use nextscope::profile::{built_in_files, parse};
use nextscope::puyo::{COLUMNS, Cell, Field, Placement, ROWS, Rules};
use nextscope::route::{FrameTable, Goal, Limits, Route, Start, plan};
use nextscope_boards::{Color, Pair};
use std::sync::atomic::AtomicBool;

/// The state of the generator after a cold boot.
pub const SEED: u32 = 0x3587_9DE2;

const PAIRS_AFTER_THE_CHAIN: u32 = 3;

/// Settings for movies: a pair falls only while Down is held, which is what the planner assumes.
pub const SETTINGS: &str = "fall=0,menu=1";

/// The built-in profile of the game with the durations of the cartridge.
pub fn profile_text() -> String {
    let (_, text) = built_in_files().iter().find(|(path, _)| path.contains("puyo-tsu-genesis")).unwrap();
    let (before, table) = text.split_once("[frames]").expect("a frame table");
    let (_, after) = table.split_once("# The generator").expect("fields after it");
    format!("{before}{}# The generator{after}", include_str!("genesis-frames.toml"))
}

/// The durations of the cartridge.
pub fn table() -> FrameTable {
    FrameTable::of(&parse(&profile_text(), "cartridge.toml").0.expect("a valid profile")).unwrap()
}

/// The pairs that player 1 is dealt in the first round after a cold boot with this state of the generator.
pub fn pairs(seed: u32, count: u32) -> Vec<Pair> {
    let round = generate(State(seed), Setup::VERSUS);
    let dealer = Dealer { mode: 1, level: Level(2), dealing: Dealing::FirstThreeFromPool3 };
    let pools = round.pools.map(Option::unwrap);
    (0..count).map(|nth| dealer.pair(&pools, nth).unwrap()).collect()
}

/// The cartridge with player 1's pairs moved by the controller, and further settings.
pub fn rom(seed: u32, settings: &str) -> Vec<u8> {
    let mut rom = ROM.to_vec();
    let config = format!("hand1=controller,deal2=60000,schedule=versus,level1=2,seed={seed},{settings}");
    config.parse::<CartridgeConfig>().unwrap().apply(&mut rom).unwrap();
    rom
}

pub fn console(seed: u32, settings: &str) -> Console {
    Console::new(rom(seed, settings)).unwrap()
}

/// The route to the longest chain with so many pairs.
pub fn planned(seed: u32, count: u32) -> Route {
    let start = Start::empty(pairs(seed, count), Rules::TSU);
    let limits = Limits { time: None, width: 100, threads: 1, ..Limits::default() };
    plan(&start, Goal::Chain, &limits, &AtomicBool::new(false), &mut |_| {}).unwrap().route.unwrap()
}

/// The same, and some pairs after the chain.
pub fn planned_beyond_the_chain(seed: u32, count: u32) -> Route {
    beyond_the_chain(seed, &planned(seed, count).placements())
}

/// These placements, and some pairs after them.
pub fn beyond_the_chain(seed: u32, placements: &[Placement]) -> Route {
    let count = u32::try_from(placements.len()).unwrap() + PAIRS_AFTER_THE_CHAIN;
    let start = Start::empty(pairs(seed, count), Rules::TSU);
    let route = Route::replay(&start, placements).unwrap();
    super::extended(&start, &route, PAIRS_AFTER_THE_CHAIN as usize)
}

/// The bytes of the cartridge's board.
pub const BOARD_BYTES: usize = 2 * ROWS * COLUMNS;

/// A board from the cartridge's cells, the top row first, two bytes each.
pub fn board(cells: &[u8]) -> Field {
    let mut field = Field::default();
    for (nth, cell) in cells.chunks_exact(2).enumerate() {
        let cell = if cell[0] == 0 { Cell::Empty } else { Cell::Puyo(Color(cell[0] >> 4 & 7)) };
        field.set(nth % COLUMNS, ROWS - 1 - nth / COLUMNS, cell);
    }
    field
}

/// A movie of a route that starts `lead_in` frames after power on.
pub fn movie_of(route: Route, lead_in: u32) -> PlannedMovie {
    PlannedMovie { route, table: table(), lead_in }
}
