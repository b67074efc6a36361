//! Plans of small tasks with known results.

use super::*;
use nextscope_boards::puyo::{Field, Rules, field_from_rows};
use nextscope_boards::{Color, Pair};
use std::time::Duration;

const R: Color = Color::RED;
const G: Color = Color::GREEN;
const B: Color = Color::BLUE;

fn planned(start: &Start, goal: Goal, width: usize) -> Outcome {
    let limits = Limits { time: None, width, threads: 1, ..Limits::default() };
    plan(start, goal, &limits, &AtomicBool::new(false), &mut |_| {}).expect("a plan")
}

fn pairs(all: &[(Color, Color)]) -> Vec<Pair> {
    all.iter().map(|(axis, child)| Pair { axis: *axis, child: *child }).collect()
}

#[test]
fn the_soonest_all_clear_is_found_or_proven_absent() {
    let start = Start::empty(pairs(&[(R, R), (G, R), (R, G), (G, G)]), Rules::TSU);
    let outcome = planned(&start, Goal::AllClear, 200_000);
    let route = outcome.route.expect("four of each colour");
    assert_eq!(route.steps.len(), 4);
    assert!(route.end().is_empty() && Goal::AllClear.is_met(&route));
    let start = Start::empty(pairs(&[(R, R), (G, R), (R, B), (G, G)]), Rules::TSU);
    let outcome = planned(&start, Goal::AllClear, 2_000_000);
    assert!(
        outcome.route.is_none() && outcome.complete,
        "a single blue puyo remains: every placement was tried"
    );
    assert!(outcome.nodes > 5_000);
    let narrow = planned(&start, Goal::AllClear, 10);
    assert!(narrow.route.is_none() && !narrow.complete, "a partial search proves nothing");
}

#[test]
fn a_chain_triggered_by_one_pair_is_found() {
    // A red puyo in the third column, a green one above it: red pops, and the greens connect.
    let field = field_from_rows(&["G.....", "RG....", "RR.GG."]).expect("a board");
    let start = Start { field, ..Start::empty(pairs(&[(R, G), (B, B)]), Rules::TSU) };
    let outcome = planned(&start, Goal::Chain, 1000);
    let route = outcome.route.expect("something pops");
    assert!(outcome.complete);
    assert_eq!(
        (route.chain, route.score),
        (2, 40 + 50 * 10),
        "four, then five: 8 for the second step, 2 for the fifth"
    );
    assert_eq!(Route::replay(&start, &route.placements()), Ok(route));
}

#[test]
fn the_best_routes_are_those_of_an_exhaustive_search() {
    // Every route of three pairs, by trying all placements.
    let start = Start::empty(pairs(&[(R, R), (R, G), (R, G)]), Rules::TSU);
    let mut all: Vec<Route> = Vec::new();
    for first in Placement::ALL {
        for second in Placement::ALL {
            let ends = Placement::ALL
                .iter()
                .filter_map(|third| Route::replay(&start, &[first, second, *third]).ok());
            let ends = ends.filter(|route| route.steps[2].fired.chain > 0);
            // One for each board after the second pair.
            let best = ends.max_by(|one, other| Goal::Score.compare(one, other));
            if let Some(best) =
                best.filter(|best| all.iter().all(|other| other.steps[1].after != best.steps[1].after))
            {
                all.push(best);
            }
        }
    }
    all.sort_by_key(|route| std::cmp::Reverse(route.score));
    assert!(all.len() > 20, "{}", all.len());
    for most in [1, 2, 10, 20] {
        let limits = Limits { time: None, width: 100_000, routes: most, ..Limits::default() };
        let outcome =
            plan(&start, Goal::Chain, &limits, &AtomicBool::new(false), &mut |_| {}).expect("a plan");
        let found: Vec<&Route> = outcome.route.iter().chain(&outcome.others).collect();
        assert_eq!(found.len(), most);
        let scores =
            |routes: &mut dyn Iterator<Item = &Route>| routes.map(|route| route.score).collect::<Vec<_>>();
        assert_eq!(scores(&mut found.iter().copied()), scores(&mut all.iter().take(most)));
        assert_eq!(
            outcome.route,
            planned(&start, Goal::Chain, 100_000).route,
            "the first is the one of a search for one"
        );
    }
}

#[test]
fn more_routes_do_not_change_the_first() {
    let all =
        [(R, G), (G, G), (B, R), (B, B), (G, R), (R, R), (G, B), (B, G), (R, B), (G, G), (R, B), (B, R)];
    let start = Start::empty(pairs(&all), Rules::TWENTIETH);
    for goal in [Goal::Chain, Goal::Score, Goal::Points(700), Goal::Garbage(3), Goal::ExactChain(2)] {
        let one = planned(&start, goal, 300);
        let limits = Limits { time: None, width: 300, routes: 10, ..Limits::default() };
        let ten = plan(&start, goal, &limits, &AtomicBool::new(false), &mut |_| {}).expect("a plan");
        assert_eq!(ten.route, one.route, "{goal}");
        assert!(one.others.is_empty());
        let mut worse = ten.route.iter().chain(&ten.others);
        let mut last = worse.next().expect("a route");
        for route in worse {
            assert!(goal.is_met(route), "{goal}");
            assert!(goal.compare(route, last).is_le(), "{goal}");
            assert_ne!(route.placements(), last.placements());
            last = route;
        }
        assert!(ten.others.len() > 2, "{goal}: {}", ten.others.len());
    }
}

fn planned_goals(start: &Start, goals: &[Goal]) -> Outcome {
    let limits = Limits { time: None, width: 200, ..Limits::default() };
    plan_goals(start, &[], goals, &limits, None, &AtomicBool::new(false), &mut |_| {}).expect("a plan")
}

#[test]
fn goals_are_reached_one_after_another() {
    let all =
        [(R, R), (G, R), (R, G), (G, G), (B, B), (R, B), (B, R), (R, R), (G, B), (G, G), (B, B), (R, G)];
    let start = Start::empty(pairs(&all), Rules::TSU);
    let goals = [Goal::AllClear, Goal::ExactChain(2), Goal::Points(40)];
    let route = planned_goals(&start, &goals).route.expect("a route");
    let alone = planned(&start, goals[0], 200).route.expect("a route to the first goal");
    let cleared = route.steps.iter().position(|step| step.after.is_empty()).expect("an all clear");
    assert_eq!(cleared + 1, alone.steps.len(), "the first goal as soon as alone");
    let chains: Vec<u32> = route.steps[cleared + 1..].iter().map(|step| step.fired.chain).collect();
    let of_two = chains.iter().position(|chain| *chain == 2).expect("a chain of two");
    assert!(of_two + 1 < chains.len() && *chains.last().expect("a step") > 0, "points after it: {chains:?}");
    assert_eq!(Route::replay(&start, &route.placements()), Ok(route));
    // Not in the other order: after the chain no pairs are left for an all clear.
    let few = Start { pairs: start.pairs[..5].to_vec(), ..start.clone() };
    let none = planned_goals(&few, &[Goal::AllClear, Goal::AllClear]);
    assert!(none.route.is_none() && !none.complete);
    assert_eq!(planned_goals(&start, &goals[..1]).route, Some(alone));
}

#[test]
fn another_route_to_a_goal_is_used_if_the_next_goal_needs_it() {
    // The first pair gets the most points by triggering the chain of two on the left, which the second goal needs.
    let field = field_from_rows(&["G....R", "RG...R", "RR.GGR"]).expect("a board");
    let start = Start { field, ..Start::empty(pairs(&[(R, G), (R, G)]), Rules::TSU) };
    let goals = [Goal::Points(40), Goal::ExactChain(2)];
    let first = planned(&start, goals[0], 200).route.expect("four reds");
    assert_eq!((first.steps.len(), first.chain), (1, 2));
    let rest = Start { field: first.end(), pairs: start.pairs[1..].to_vec(), ..start.clone() };
    let no_chain = planned(&rest, goals[1], 200);
    assert!(no_chain.route.is_none() && no_chain.complete);
    let route = planned_goals(&start, &goals).route.expect("the reds on the right first");
    assert_eq!(route.steps.iter().map(|step| step.fired.chain).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn results_do_not_depend_on_threads() {
    let all =
        [(R, G), (G, G), (B, R), (B, B), (G, R), (R, R), (G, B), (B, G), (R, B), (G, G), (R, B), (B, R)];
    let start = Start::empty(pairs(&all), Rules::TWENTIETH);
    let one = planned(&start, Goal::Score, 300);
    let limits = Limits { time: None, width: 300, threads: 3, ..Limits::default() };
    let three = plan(&start, Goal::Score, &limits, &AtomicBool::new(false), &mut |_| {}).expect("a plan");
    assert_eq!(one.route, three.route);
    assert_eq!(one.nodes, three.nodes);
    assert!(one.route.expect("a route").chain >= 3);
}

#[test]
fn impossible_tasks_are_rejected() {
    let refused = |start: &Start, goal: Goal| {
        let limits = Limits { time: None, ..Limits::default() };
        plan(start, goal, &limits, &AtomicBool::new(false), &mut |_| {}).expect_err("refused").to_string()
    };
    let start = Start::empty(pairs(&[(R, G)]), Rules::TSU);
    assert_eq!(
        refused(&start, Goal::ExactChain(30)),
        "a chain of 30 needs 120 puyos; the board has room for 84"
    );
    assert_eq!(
        refused(&Start::empty(vec![], Rules::TSU), Goal::Chain),
        "no pairs are known: enter the pairs first"
    );
    let mut field = Field::default();
    for column in 0..4 {
        field.drop(column, Cell::Puyo(R));
    }
    assert!(refused(&Start { field, ..start }, Goal::Chain).contains("groups that pop"));
}

#[test]
fn a_chain_longer_than_the_colours_allow_needs_no_search() {
    let field = field_from_rows(&["OO.H..", "RG.G..", "RR.GGO"]).expect("a board");
    // Five red puyos, seven green ones and a blue one.
    let start = Start { field, ..Start::empty(pairs(&[(R, G), (G, R), (B, G)]), Rules::TSU) };
    assert_eq!(start.chain_limit(), 2);
    assert!(planned(&start, Goal::ExactChain(2), 200_000).nodes > 0, "not ruled out");
    let first_one = [Goal::ExactChain(1), Goal::ExactChain(3)];
    for outcome in [planned(&start, Goal::ExactChain(3), 200_000), planned_goals(&start, &first_one)] {
        assert!(outcome.complete && outcome.route.is_none());
        assert_eq!(outcome.nodes, 0);
    }
    let threes = Start { rules: Rules { group: 3, ..Rules::TSU }, ..start };
    assert_eq!(threes.chain_limit(), 3);
}

#[test]
fn a_plan_stops_when_cancelled_or_out_of_time() {
    let all: Vec<(Color, Color)> = (0..40).map(|nth| ([R, G, B][nth % 3], [G, B, B, R][nth % 4])).collect();
    let start = Start::empty(pairs(&all), Rules::TSU);
    let cancel = AtomicBool::new(false);
    let limits = Limits { time: None, width: 100_000, threads: 2, ..Limits::default() };
    let outcome = plan(&start, Goal::Chain, &limits, &cancel, &mut |progress| {
        if progress.depth == 3 {
            cancel.store(true, Ordering::Relaxed);
        }
    });
    let outcome = outcome.expect("a plan");
    assert!(outcome.cancelled && outcome.widths.is_empty());
    assert!(!outcome.complete, "a cancelled plan proves nothing");
    let limits = Limits { time: Some(Duration::from_millis(300)), width: 0, threads: 1, ..Limits::default() };
    let outcome = plan(&start, Goal::Chain, &limits, &AtomicBool::new(false), &mut |_| {}).expect("a plan");
    assert!(outcome.time < Duration::from_secs(3), "{outcome:?}");
}

/// A task small enough for an exhaustive search.
fn small() -> Start {
    Start::empty(pairs(&[(R, R), (G, R), (R, B), (G, G)]), Rules::TSU)
}

#[test]
fn a_plan_cancelled_during_an_exhaustive_search_is_not_complete() {
    for width in [10, 2_000_000] {
        for stop_at in 0..4 {
            let cancel = AtomicBool::new(stop_at == 0);
            let limits = Limits { time: None, width, threads: 1, ..Limits::default() };
            let outcome = plan(&small(), Goal::AllClear, &limits, &cancel, &mut |progress| {
                cancel.fetch_or(progress.depth == stop_at, Ordering::Relaxed);
            });
            let outcome = outcome.expect("a plan");
            assert!(outcome.cancelled && !outcome.complete, "width {width}, at {stop_at}: {outcome:?}");
        }
    }
}

#[test]
fn a_plan_out_of_time_during_an_exhaustive_search_is_not_complete() {
    for goal in [Goal::Chain, Goal::Score, Goal::AllClear] {
        let limits =
            Limits { time: Some(Duration::from_nanos(1)), width: 0, threads: 1, ..Limits::default() };
        let outcome = plan(&small(), goal, &limits, &AtomicBool::new(false), &mut |_| {}).expect("a plan");
        assert!(!outcome.complete && !outcome.cancelled && outcome.route.is_none(), "{goal}: {outcome:?}");
    }
}

#[test]
fn a_cancelled_wider_search_leaves_the_plan_incomplete() {
    let cancel = AtomicBool::new(false);
    let limits = Limits { time: Some(Duration::from_secs(60)), width: 0, threads: 1, ..Limits::default() };
    let all: Vec<(Color, Color)> = (0..8).map(|nth| ([R, G, B][nth % 3], [G, B, B, R][nth % 4])).collect();
    let start = Start::empty(pairs(&all), Rules::TSU);
    let mut widths = Vec::new();
    let outcome = plan(&start, Goal::Points(1_000_000), &limits, &cancel, &mut |progress| {
        if widths.last() != Some(&progress.width) {
            widths.push(progress.width);
        }
        cancel.fetch_or(widths.len() == 2, Ordering::Relaxed);
    });
    let outcome = outcome.expect("a plan");
    assert!(outcome.widths.len() == 1 && widths.len() == 2, "{outcome:?}");
    assert!(outcome.cancelled && !outcome.complete, "{outcome:?}");
}

#[test]
fn a_plan_that_ends_after_a_large_chain_is_not_complete() {
    // A chain of six, 8680 points: the planner does not continue after it.
    let field = field_from_rows(&[".BYRG.", "RGBYRG", "RGBYRG", "RGBYRG"]).expect("a board");
    let start = |all: &[(Color, Color)]| Start { field, ..Start::empty(pairs(all), Rules::TSU) };
    let outcome = planned(&start(&[(R, G), (B, B)]), Goal::Chain, 2_000_000);
    assert_eq!(outcome.route.map(|route| route.chain), Some(6));
    assert!(!outcome.complete, "play after the chain was not tried");
    let last = planned(&start(&[(R, G)]), Goal::Chain, 2_000_000);
    assert!(last.complete && last.route.is_some_and(|route| route.chain == 6), "nothing comes after it");
}

#[test]
fn among_paths_to_one_board_the_one_with_more_points_is_followed() {
    // Both colours pop together, or one after the other: the same board with different points.
    let field = field_from_rows(&["R....G", "RR..GG"]).expect("a board");
    let start = Start { field, ..Start::empty(pairs(&[(R, G), (R, G), (G, R)]), Rules::TSU) };
    let outcome = planned(&start, Goal::Score, 2_000_000);
    let route = outcome.route.expect("something pops");
    assert!(outcome.complete, "{} placements", outcome.nodes);
    let mut best = 0;
    every(&start, &mut Vec::new(), &mut best);
    assert_eq!(route.score, best, "as many as an exhaustive search without pruning");
}

/// The most points of all possible plays.
fn every(start: &Start, placements: &mut Vec<Placement>, best: &mut u32) {
    let Ok(route) = Route::replay(start, placements) else { return };
    *best = (*best).max(route.score);
    if placements.len() < start.pairs.len() {
        for placement in Placement::ALL {
            placements.push(placement);
            every(start, placements, best);
            placements.pop();
        }
    }
}

#[test]
fn the_names_of_colors_do_not_matter() {
    let all = [(R, G), (G, G), (B, R), (B, B), (G, R), (R, R), (G, B), (B, G), (R, B), (G, G)];
    let field = field_from_rows(&["R.....", "RG..GB"]).expect("a board");
    let start = Start { field, ..Start::empty(pairs(&all), Rules::TSU) };
    let purple = field_from_rows(&["P.....", "PG..GB"]).expect("a board");
    let name = |color| if color == R { Color::PURPLE } else { color };
    let renamed: Vec<(Color, Color)> = all.iter().map(|(axis, child)| (name(*axis), name(*child))).collect();
    let other = Start { field: purple, ..Start::empty(pairs(&renamed), Rules::TSU) };
    let (one, other) = (planned(&start, Goal::Chain, 100), planned(&other, Goal::Chain, 100));
    let (one, other) = (one.route.expect("a chain"), other.route.expect("a chain"));
    assert_eq!((one.placements(), one.score), (other.placements(), other.score));
}

#[test]
fn a_limit_of_pairs_does_not_change_the_soonest_route_within_it() {
    const COLORS: [Color; 5] = Color::PAIR_COLORS;
    let mut found = 0;
    for seed in 0..60_u32 {
        let mut state = seed;
        let mut color = |of: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // The last colours of the list: with purple, and with a colour to spare that only later pairs have.
            COLORS[4 - (state >> 24) as usize % of as usize]
        };
        let first: Vec<(Color, Color)> = (0..6).map(|_| (color(4), color(4))).collect();
        let later: Vec<(Color, Color)> = (0..4).map(|_| (color(5), color(5))).collect();
        let start = Start::empty(pairs(&[first, later].concat()), Rules::TSU);
        let goal = Goal::Points(300);
        let limited = |pairs| {
            let limits = Limits { time: None, width: 4, threads: 1, pairs, ..Limits::default() };
            plan(&start, goal, &limits, &AtomicBool::new(false), &mut |_| {}).expect("a plan")
        };
        let Some(route) = limited(usize::MAX).route else { continue };
        found += 1;
        let needed = route.steps.len();
        assert_eq!(limited(needed).route, Some(route), "seed {seed}");
        let fewer = limited(needed - 1);
        assert!(fewer.route.is_none() && !fewer.complete, "seed {seed}");
    }
    assert!(found > 20, "{found} routes");
}

fn frame_table() -> crate::FrameTable {
    let text = include_str!("../../../profiles/puyo-tsu-genesis.toml");
    let profile = nextscope_games::profile::parse(text, "x").0.expect("a profile");
    crate::FrameTable::of(&profile).expect("it has one")
}

/// The best points per frame of all possible plays, as a fraction.
fn best_ratio(
    start: &Start,
    table: &crate::FrameTable,
    placements: &mut Vec<Placement>,
    best: &mut (u32, u32),
) {
    let Ok(route) = Route::replay(start, placements) else { return };
    // A placement may be reachable by falling past the rows where buttons reach it: such routes have no time.
    let Ok(frames) = table.total(&route) else { return };
    if u64::from(route.score) * u64::from(best.1) > u64::from(best.0) * u64::from(frames) {
        *best = (route.score, frames);
    }
    if placements.len() < start.pairs.len() {
        for placement in Placement::ALL {
            placements.push(placement);
            best_ratio(start, table, placements, best);
            placements.pop();
        }
    }
}

#[test]
fn the_most_points_per_frame_are_those_of_an_exhaustive_search() {
    let boards: [&[&str]; 4] =
        [&["G.....", "RG....", "RR.GG."], &["RR.GG.", "RGGBB."], &["R....G", "RR..GG"], &["......"]];
    let mut earlier = 0;
    for (board, queue) in boards.into_iter().zip([
        vec![(R, G), (B, B), (G, B)],
        vec![(G, R), (B, G), (B, R)],
        vec![(R, G), (R, G), (G, R)],
        vec![(R, R), (R, R), (G, B)],
    ]) {
        let field = field_from_rows(board).expect("a board");
        let start = Start { field, ..Start::empty(pairs(&queue), Rules::TSU) };
        let timing = Timing { table: frame_table(), max_frames: None, soonest: false };
        let limits = Limits { time: None, width: 200_000, routes: 5, ..Limits::default() };
        let cancel = AtomicBool::new(false);
        let outcome =
            plan_in_frames(&start, Goal::PointsPerFrame, &limits, Some(&timing), &cancel, &mut |_| {})
                .expect("a plan");
        assert!(outcome.complete, "{board:?}");
        let mut best = (0, 1);
        best_ratio(&start, &timing.table, &mut Vec::new(), &mut best);
        let ratio = |route: &Route| (route.score, timing.table.total(route).expect("reached"));
        let product = |one: (u32, u32), other: (u32, u32)| u64::from(one.0) * u64::from(other.1);
        let route = outcome.route.expect("something pops");
        let found = ratio(&route);
        assert_eq!(product(found, best), product(best, found), "{board:?}: {found:?} instead of {best:?}");
        earlier += usize::from(route.steps.len() < queue.len());
        let mut last = found;
        for other in &outcome.others {
            assert!(product(ratio(other), last) <= product(last, ratio(other)), "the best first");
            last = ratio(other);
        }
    }
    assert!(earlier > 0, "a route ends when more pairs are not worth their time");
}

#[test]
fn points_per_frame_need_a_table_and_points() {
    let start = Start::empty(pairs(&[(R, G), (B, G)]), Rules::TSU);
    let limits = Limits { time: None, width: 100_000, ..Limits::default() };
    let cancel = AtomicBool::new(false);
    let refused = plan(&start, Goal::PointsPerFrame, &limits, &cancel, &mut |_| {}).expect_err("no table");
    assert_eq!(refused.to_string(), "points-per-frame needs a frame table");
    let timing = Timing { table: frame_table(), max_frames: None, soonest: false };
    let none = plan_in_frames(&start, Goal::PointsPerFrame, &limits, Some(&timing), &cancel, &mut |_| {});
    let none = none.expect("a plan");
    assert!(none.route.is_none() && none.complete, "nothing pops, so there is no route");
}

#[test]
fn a_narrow_search_for_points_per_frame_has_more_of_them_than_one_for_the_longest_chain() {
    let timing = Timing { table: frame_table(), max_frames: None, soonest: false };
    let cancel = AtomicBool::new(false);
    let mut sums = [0, 0];
    for seed in 0..40_u32 {
        let mut state = seed * 7919 + 5;
        let mut color = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Color::PAIR_COLORS[(state >> 24) as usize % 4]
        };
        let queue: Vec<(Color, Color)> = (0..12 + seed % 8).map(|_| (color(), color())).collect();
        let start = Start::empty(pairs(&queue), Rules::TSU);
        let limits = Limits { time: None, width: 60, ..Limits::default() };
        for (sum, goal) in sums.iter_mut().zip([Goal::PointsPerFrame, Goal::Chain]) {
            let timing = Some(&timing).filter(|_| goal == Goal::PointsPerFrame);
            let outcome = plan_in_frames(&start, goal, &limits, timing, &cancel, &mut |_| {});
            let route = outcome.expect("a plan").route.expect("something pops");
            *sum += 1000 * route.score / frame_table().total(&route).expect("reached");
        }
    }
    assert!(sums[0] > sums[1], "{sums:?}");
}
