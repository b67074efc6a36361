//! Planned routes on our own Genesis cartridge: the pairs of a seed, a plan, its buttons, and a 68000 program
//! that moves, drops, pops and counts by the same rules but was written independently.

use crate::movies::genesis::{BOARD_BYTES, SETTINGS, console, pairs, table};
use crate::movies::{self, genesis};
use nextscope::demo::console::Console;
use nextscope::demo::{Playback, Script};
use nextscope::puyo::{Field, Rules};
use nextscope::route::export::Movie;
use nextscope::route::{Goal, Limits, Route, Start, plan};
use std::sync::atomic::AtomicBool;

const BOARD: u32 = 0xFF_8000;
const DEALT: u32 = 0xFF_85A6;
/// The score without the points for holding Down.
const SCORE: u32 = 0xFF_D08E;
const PASSES: u32 = 0xFF_1018;

pub fn board(console: &Console) -> Field {
    let words = (0..BOARD_BYTES / 2).map(|nth| console.word(BOARD + 2 * u32::try_from(nth).unwrap()));
    genesis::board(&words.flat_map(u16::to_be_bytes).collect::<Vec<u8>>())
}

/// Plays the route on the console: every board, every pass and the score are as planned.
fn carried_out(route: &Route, seed: u32) {
    let movie = Movie::of(route, &table(), 0).unwrap();
    let costs = table().costs(route).unwrap();
    let script: Script = movie.console_script().parse().unwrap();
    let mut playback = Playback::new(&script);
    let mut console = console(seed, SETTINGS);
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

/// A random route with the pairs of a seed.
pub fn random_route(seed: u32, state: &mut u64) -> Route {
    movies::random_route(&Start::empty(pairs(seed, 60), Rules::TSU), state)
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
