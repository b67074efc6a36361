//! Planned routes on our own Genesis cartridge: the pairs of a seed, a plan, its buttons, and a 68000 program
//! that moves, drops, pops and counts by the same rules but was written independently.

use nextscope::demo::console::Console;
use nextscope::demo::{CartridgeConfig, Playback, ROM, Script};
use nextscope::games::puyo_tsu::{Dealer, Dealing, Level, Setup, State, generate};
use nextscope::profile::FrameStatus;
use nextscope::puyo::{COLUMNS, Cell, Field, Placement, ROWS, Rules, reachable};
use nextscope::route::export::Movie;
use nextscope::route::{FrameTable, Goal, Limits, Route, Start, plan};
use nextscope_boards::{Color, Pair};
use std::sync::atomic::AtomicBool;

const BOARD: u32 = 0xFF_8000;
const DEALT: u32 = 0xFF_85A6;
/// The score without the points for holding Down.
const SCORE: u32 = 0xFF_D08E;
const PASSES: u32 = 0xFF_1018;

/// Passes according to the cartridge's README ("Hands").
fn table() -> FrameTable {
    FrameTable {
        status: FrameStatus::Confirmed,
        press: 1,
        release: 1,
        fall: 1,
        lock: 1,
        split: vec![0],
        chain: vec![24],
        next: 8,
        all_clear: 0,
    }
}

/// The pairs that player 1 is dealt in the first round after a cold boot with this state of the generator.
pub fn pairs(seed: u32, count: u32) -> Vec<Pair> {
    let round = generate(State(seed), Setup::VERSUS);
    let dealer = Dealer { mode: 1, level: Level(2), dealing: Dealing::FirstThreeFromPool3 };
    let pools = round.pools.map(Option::unwrap);
    (0..count).map(|nth| dealer.pair(&pools, nth).unwrap()).collect()
}

pub fn board(console: &Console) -> Field {
    let mut field = Field::default();
    for nth in 0..ROWS * COLUMNS {
        let [cell, _] = console.word(BOARD + 2 * u32::try_from(nth).unwrap()).to_be_bytes();
        let cell = if cell == 0 { Cell::Empty } else { Cell::Puyo(Color(cell >> 4 & 7)) };
        field.set(nth % COLUMNS, ROWS - 1 - nth / COLUMNS, cell);
    }
    field
}

/// Plays the route on the console: every board, every pass and the score are as planned.
fn carried_out(route: &Route, seed: u32) {
    let movie = Movie::of(route, &table(), 0).unwrap();
    let costs = table().costs(route).unwrap();
    let script: Script = movie.console_script().parse().unwrap();
    let mut playback = Playback::new(&script);
    let mut rom = ROM.to_vec();
    let config = format!("hand1=controller,fall=0,deal2=60000,menu=1,schedule=versus,level1=2,seed={seed}");
    config.parse::<CartridgeConfig>().unwrap().apply(&mut rom).unwrap();
    let mut console = Console::new(rom).unwrap();
    let (mut dealt, mut appeared) = (0, 0);
    for _ in 0..60_000 {
        playback.frame(&mut console);
        console.run_frame();
        let now = usize::from(console.word(DEALT));
        if now == dealt {
            continue;
        }
        dealt = now;
        let before = (now - 1).checked_sub(1).map(|nth| &route.steps[nth]);
        assert_eq!(
            board(&console),
            before.map_or(route.start, |step| step.after),
            "seed {seed}, pair {now} appears"
        );
        let passes = console.long(PASSES);
        if let Some(cost) = (now - 1).checked_sub(1).map(|nth| costs[nth]) {
            assert_eq!(passes - appeared, cost.total(), "seed {seed}, pair {}: {cost:?}", now - 1);
        }
        appeared = passes;
        if now > route.steps.len() {
            assert_eq!(console.long(SCORE), route.score, "seed {seed}");
            return;
        }
    }
    panic!("seed {seed}: pair {dealt} of {} is still in the air", route.steps.len());
}

#[test]
fn planned_routes_end_on_the_planned_board() {
    for (seed, goal) in
        [(0x3587_9DE2, Goal::Chain), (0x1234_5678, Goal::ExactChain(5)), (0x0BAD_CAFE, Goal::Points(2000))]
    {
        let start = Start::empty(pairs(seed, 24), Rules::TSU);
        let limits = Limits { time: None, width: 200, threads: 1, ..Limits::default() };
        let outcome = plan(&start, goal, &limits, &AtomicBool::new(false), &mut |_| {}).unwrap();
        let route = outcome.route.expect("a route");
        println!(
            "{seed:08X}: {goal}: {} pairs, chain {}, {} points",
            route.steps.len(),
            route.chain,
            route.score
        );
        assert!(route.chain > 0);
        carried_out(&route, seed);
    }
}

/// A route with placements anywhere that can be reached, up to the highest rows and between two walls, until the game is lost. `state` is that of
/// the generator of random numbers.
pub fn random_route(seed: u32, state: &mut u64) -> Route {
    let start = Start::empty(pairs(seed, 60), Rules::TSU);
    let mut places: Vec<Placement> = Vec::new();
    loop {
        let route = Route::replay(&start, &places).unwrap();
        let reached: Vec<Placement> = reachable(&route.end()).iter().collect();
        if reached.is_empty() || places.len() == start.pairs.len() {
            // The pair that loses the game lands on a board that the cartridge clears before the next one appears.
            places.pop();
            return Route::replay(&start, &places).unwrap();
        }
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        places.push(reached[usize::try_from(*state >> 33).unwrap() % reached.len()]);
    }
}

#[test]
fn any_playable_route_is_played() {
    let (mut state, mut tall) = (7_u64, 0);
    for seed in 1..=12_u32 {
        let route = random_route(seed, &mut state);
        tall +=
            route.steps.iter().filter(|step| step.after.heights().iter().any(|height| *height > 12)).count();
        carried_out(&route, seed);
    }
    assert!(tall > 5, "{tall} boards with puyos in the hidden rows");
}
