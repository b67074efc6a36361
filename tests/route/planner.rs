//! The planner on real games: quality at a small width, and every route checked with the plain simulator.

use nextscope::games::puyo_20th::generate;
use nextscope::puyo::{Cell, Field, Rules, Simulator, reachable, reference};
use nextscope::route::{Goal, Limits, Outcome, Route, Start, plan};
use nextscope_boards::PoolId;
use std::sync::atomic::AtomicBool;

/// The games for the quality measurement: seeds 0x0000 to 0xF337 in steps of 0xCCD, four colours (reference,
/// performance 2).
fn start(nth: u16, pairs: u32) -> Start {
    let round = generate(nth.wrapping_mul(0xCCD));
    let dealt = (0..pairs).map(|number| round.pair(PoolId::Four, number).expect("128 pairs"));
    Start::empty(dealt.collect(), Rules::TWENTIETH)
}

fn planned(start: &Start, goal: Goal, width: usize) -> Outcome {
    let limits = Limits { time: None, width, threads: 2, ..Limits::default() };
    plan(start, goal, &limits, &AtomicBool::new(false), &mut |_| {}).expect("a plan")
}

#[test]
fn narrow_plans_are_as_good_as_the_best_public_search_at_sixteen_times_the_width() {
    // That search reaches 68,918 points with 30 pairs and 113,684 with 40 at width 250 (reference, performance 2).
    let (mut points, mut steps) = (0, 0);
    for nth in 0..20 {
        let start = start(nth, 40);
        let route = planned(&start, Goal::Chain, 60).route.expect("a chain");
        let again = Route::replay(&start, &route.placements()).expect("it can be played");
        assert_eq!(again, route);
        points += route.score;
        steps += route.chain;
    }
    println!("mean of 20 games at width 60: {} points, {} steps", points / 20, f64::from(steps) / 20.0);
    assert!(points / 20 > 100_000, "{}", points / 20);
    assert!(steps >= 20 * 13, "{steps}");
}

#[test]
fn routes_match_step_by_step() {
    let simulator = Simulator::new(Rules::TSU);
    for nth in 0..4 {
        let start = Start { rules: Rules::TSU, ..start(nth, 24) };
        for goal in [Goal::Score, Goal::Points(3000), Goal::ExactChain(4), Goal::Garbage(20)] {
            let route = planned(&start, goal, 80).route.unwrap_or_else(|| panic!("game {nth}: {goal}"));
            assert!(goal.is_met(&route), "game {nth}: {goal}");
            let mut field = start.field;
            for step in &route.steps {
                assert!(reachable(&field).has(step.placement));
                field.land(step.pair, step.placement, start.rules);
                assert_eq!(field, step.landed);
                let (mut plain, mut fast) = (field, field);
                let steps = reference::fire(&mut plain, start.rules);
                let fired = simulator.fire(&mut fast);
                assert_eq!((plain, steps.len()), (fast, fired.chain as usize));
                assert_eq!((fast, fired), (step.after, step.fired));
                field = fast;
            }
        }
    }
}

#[test]
fn with_more_pairs_than_fit_a_board_large_chains_are_built_one_after_another() {
    for nth in 0..3 {
        let start = start(nth, 100);
        let route = planned(&start, Goal::Score, 60).route.expect("a chain");
        assert_eq!(Route::replay(&start, &route.placements()), Ok(route.clone()));
        let large: Vec<usize> =
            (0..route.steps.len()).filter(|step| route.steps[*step].fired.score >= 20_000).collect();
        println!("game {nth}: {} points, large chains with pairs {large:?}", route.score);
        assert!(large.len() >= 2 && large.iter().any(|step| *step > 50), "{large:?}");
        let one = planned(&Start { pairs: start.pairs[..42].to_vec(), ..start }, Goal::Score, 60);
        assert!(route.score > one.route.expect("a chain").score);
    }
}

#[test]
fn garbage_five_colors_and_other_groups_are_planned_for() {
    let mut field = Field::default();
    for column in 0..6 {
        for _ in 0..2 {
            field.drop(column, Cell::Ojama);
        }
    }
    let round = generate(0x1234);
    for (colors, group) in [(PoolId::Five, 4), (PoolId::Three, 5), (PoolId::Three, 3)] {
        let pairs = (0..16).map(|number| round.pair(colors, number).expect("128 pairs")).collect();
        let rules = Rules { group, ..Rules::TSU };
        let start = Start { field, ..Start::empty(pairs, rules) };
        let route = planned(&start, Goal::Score, 25).route.expect("there is a chain");
        assert_eq!(Route::replay(&start, &route.placements()), Ok(route));
    }
}
