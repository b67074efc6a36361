//! Plans under attack, compared with searches that try everything.

use super::super::attack::Attack;
use super::super::goal::Goal;
use super::super::planning::{Limits, Outcome};
use super::super::steps::{Route, Start};
use super::plan_against;
use nextscope_boards::puyo::{Cell, Field, Placement, ROWS, Rules, field_from_rows, reachable, reference};
use nextscope_boards::{Color, Pair};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

const R: Color = Color::RED;
const G: Color = Color::GREEN;
const B: Color = Color::BLUE;

fn pairs(all: &[(Color, Color)]) -> Vec<Pair> {
    all.iter().map(|(axis, child)| Pair { axis: *axis, child: *child }).collect()
}

fn attacks(all: &[&str]) -> Vec<Attack> {
    all.iter().map(|text| text.parse().expect("an attack")).collect()
}

fn planned(start: &Start, attacks: &[Attack], goals: &[Goal], width: usize) -> Outcome {
    let limits = Limits { time: None, width, routes: 3, ..Limits::default() };
    plan_against(start, attacks, goals, &limits, None, &AtomicBool::new(false), &mut |_| {}).expect("a plan")
}

/// A game of the test's own: the rules as the documentation states them, cell by cell, without the code of the planner.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Game {
    field: Field,
    waiting: u32,
    points: u32,
    cleared: bool,
    score: u32,
    chain: u32,
    sent: u32,
}

impl Game {
    fn new(field: Field) -> Self {
        Self { field, waiting: 0, points: 0, cleared: false, score: 0, chain: 0, sent: 0 }
    }

    /// The games after a pair, one for each set of columns; None where the game is lost.
    fn after(
        &self,
        start: &Start,
        pair: usize,
        placement: Placement,
        arrives: u32,
    ) -> Option<Vec<Option<Self>>> {
        if !reachable(&self.field).has(placement) {
            return None;
        }
        let mut game = self.clone();
        game.field.land(start.pairs[pair], placement, start.rules);
        let steps = reference::fire(&mut game.field, start.rules);
        let points: u32 = steps.iter().map(|step| step.points).sum();
        game.score += points;
        game.waiting += arrives;
        let is_first = start.rules == Rules::FIRST;
        if !steps.is_empty() {
            game.chain = game.chain.max(u32::try_from(steps.len()).expect("few"));
            let mut made = (game.points + points) / start.target_points;
            game.points = (game.points + points) % start.target_points;
            made += if game.cleared && !is_first { 30 } else { 0 };
            game.cleared = game.field.count() == 0;
            while made > 0 && game.waiting > 0 && !is_first {
                (made, game.waiting) = (made - 1, game.waiting - 1);
            }
            game.sent += made;
        }
        let falling = game.waiting.min(30);
        let mut games = Vec::new();
        for set in 0..64_u32 {
            if set.count_ones() != falling % 6 {
                continue;
            }
            let mut fallen = game.clone();
            for column in 0..6 {
                let count = falling / 6 + (set >> column & 1);
                for _ in 0..count {
                    if let Some(row) = (0..ROWS - 1).find(|row| fallen.field.get(column, *row) == Cell::Empty)
                    {
                        fallen.field.set(column, row, Cell::Ojama);
                        fallen.waiting -= 1;
                    }
                }
            }
            games.push((fallen.field.get(2, 11) == Cell::Empty).then_some(fallen));
        }
        Some(games)
    }
}

/// All ways to place pairs: the games for all columns, and the share of columns that lost.
struct Everything<'a> {
    start: &'a Start,
    attacks: &'a [Attack],
    goal: Goal,
    /// The greatest share of columns that reach the goal, the fewest pairs for it if that counts, and the most points in the worst of them.
    best: Option<(f64, i64, u32)>,
}

impl Everything<'_> {
    fn try_all(&mut self, games: &[(Game, f64)], pair: usize) {
        if pair == self.start.pairs.len() {
            return;
        }
        let arrives: u32 =
            self.attacks.iter().filter(|attack| attack.pair() == pair + 1).map(|attack| attack.puyos()).sum();
        for placement in Placement::ALL {
            let mut next: HashMap<Game, f64> = HashMap::new();
            let mut fired = false;
            for (game, share) in games {
                let Some(after) = game.after(self.start, pair, placement, arrives) else { continue };
                let part = share / f64::from(u32::try_from(after.len()).expect("few"));
                for fallen in after.into_iter().flatten() {
                    fired |= fallen.score > game.score;
                    *next.entry(fallen).or_default() += part;
                }
            }
            let is_end = |game: &Game| match self.goal {
                Goal::Survive => pair + 1 == self.start.pairs.len(),
                Goal::Points(points) => fired && game.score >= points,
                Goal::Garbage(sent) => fired && game.sent >= sent,
                _ => fired && game.chain > 0,
            };
            let ends = || next.iter().filter(|(game, _)| is_end(game));
            let reached: f64 = ends().map(|(_, share)| share).sum();
            let worst = ends().map(|(game, _)| game.score).min().unwrap_or(0);
            if reached > 0.0 {
                let pairs = i64::try_from(pair).expect("few");
                let soonest = if self.goal.is_soonest() { -pairs } else { 0 };
                let found = ((reached * 1e6).round(), soonest, worst);
                if self.best.is_none_or(|best| found > best) {
                    self.best = Some(found);
                }
            }
            let next: Vec<(Game, f64)> = next.into_iter().collect();
            if !next.is_empty() {
                self.try_all(&next, pair + 1);
            }
        }
    }
}

fn compare(start: &Start, attacks: &[Attack], goal: Goal) -> Option<Route> {
    let mut everything = Everything { start, attacks, goal, best: None };
    everything.try_all(&[(Game::new(start.field), 1.0)], 0);
    let outcome = planned(start, attacks, &[goal], 1_000_000);
    assert!(outcome.complete, "{goal}");
    let Some((share, soonest, worst)) = everything.best else {
        assert!(outcome.route.is_none(), "{goal}");
        return None;
    };
    let route = outcome.route.unwrap_or_else(|| panic!("{goal}: there is a route"));
    let outlook = route.outlook.clone().expect("an outlook");
    #[expect(clippy::cast_precision_loss, reason = "few sets")]
    let found = (1e6 * outlook.reached as f64 / outlook.sets as f64).round();
    assert!((found - share).abs() < 0.5, "{goal}: {outlook:?} {share}");
    if goal.is_soonest() {
        assert_eq!(i64::try_from(route.steps.len()).expect("few") - 1, -soonest, "{goal}");
    }
    if outlook.reached == outlook.survived {
        assert_eq!(*outlook.score.start(), worst, "{goal}");
    }
    Some(route)
}

#[test]
fn plans_are_as_good_as_an_exhaustive_search() {
    let field = field_from_rows(&["G.....", "RG....", "RR.GG."]).expect("a board");
    for rules in [Rules::TSU, Rules::FIRST] {
        let start = Start { field, ..Start::empty(pairs(&[(R, G), (B, R)]), rules) };
        for attacks in [attacks(&["8@1"]), attacks(&["2@1", "34@2"]), attacks(&["30@1"])] {
            for goal in [Goal::Chain, Goal::Score, Goal::Survive, Goal::Points(540), Goal::Garbage(1)] {
                compare(&start, &attacks, goal);
            }
        }
    }
}

/// Eleven rows in the third column: garbage in it loses, so only what offsets survives.
fn near_the_end() -> Field {
    let mut rows = vec!["..B..."; 8];
    rows.iter_mut().enumerate().for_each(|(nth, row)| *row = if nth % 2 == 0 { "..B..." } else { "..Y..." });
    rows.extend(["..G...", "..B.G.", "R.Y.G."]);
    field_from_rows(&rows).expect("a board")
}

#[test]
fn survival_counts_the_columns_that_lose() {
    let start = Start { field: near_the_end(), ..Start::empty(pairs(&[(B, R), (G, B)]), Rules::TSU) };
    assert_eq!(start.field.height(2), 11);
    let route = compare(&start, &attacks(&["2@1"]), Goal::Survive).expect("a route for some columns");
    let outlook = route.outlook.expect("an outlook");
    // One of six columns loses, so of fifteen sets of two, five do.
    assert_eq!((outlook.reached, outlook.survived, outlook.sets), (10, 10, 15));
    assert!(outlook.exhaustive && !outlook.is_guaranteed());
    // The same after the last pair, when no other one shows that the game is lost.
    let last = compare(&start, &attacks(&["2@2"]), Goal::Survive).expect("a route for some columns");
    let outlook = last.outlook.expect("an outlook");
    assert_eq!((outlook.reached, outlook.survived, outlook.sets), (10, 10, 15));
    // A full row falls into it for sure.
    assert!(compare(&start, &attacks(&["6@1"]), Goal::Survive).is_none());
    assert!(planned(&start, &attacks(&["6@2"]), &[Goal::Survive], 1000).route.is_none());
}

#[test]
fn a_guaranteed_route_survives_all_columns_in_the_plain_game() {
    let all = [(R, G), (G, G), (B, R), (B, B), (G, R), (R, R), (G, B), (B, G), (R, B), (G, G)];
    let start = Start::empty(pairs(&all), Rules::TSU);
    let attacks = attacks(&["33@3", "5@6"]);
    let outcome = planned(&start, &attacks, &[Goal::Survive], 20);
    let found: Vec<Route> = outcome.route.into_iter().chain(outcome.others).collect();
    assert_eq!(found.len(), 3);
    for route in found {
        let outlook = route.outlook.clone().expect("an outlook");
        assert!(outlook.is_guaranteed() && route.steps.len() == all.len(), "{outlook:?}");
        let mut games = vec![Game::new(start.field)];
        for (pair, placement) in route.placements().into_iter().enumerate() {
            let arrives = [33, 5][usize::from(pair == 5)] * u32::from(pair == 2 || pair == 5);
            let after = games.iter().flat_map(|game| {
                game.after(&start, pair, placement, arrives).expect("it can be reached").into_iter()
            });
            games = after.map(|game| game.expect("alive")).collect();
            let mut seen = std::collections::HashSet::new();
            games.retain(|game| seen.insert(game.clone()));
            // The steps of the route are one of the games.
            let step = &route.steps[pair];
            assert!(
                games.iter().any(|game| game.field == step.after && game.waiting == step.garbage.waiting)
            );
            let boards: std::collections::HashSet<Field> = games.iter().map(|game| game.field).collect();
            assert_eq!(route.certainty(pair).after, boards.len() == 1, "pair {pair}");
        }
        let range = |of: fn(&Game) -> u32| games.iter().map(of).min()..=games.iter().map(of).max();
        let same = |found: &std::ops::RangeInclusive<u32>| Some(*found.start())..=Some(*found.end());
        assert_eq!(range(|game| game.score), same(&outlook.score));
        assert_eq!(range(|game| game.sent), same(&outlook.garbage));
        assert_eq!(range(|game| game.chain), same(&outlook.chain));
        assert_eq!(route.steps[2].garbage.fell, 30, "at most thirty fall at once");
        assert!(route.steps[2].garbage.waiting <= 3 && route.steps[2].garbage.arrived == 33);
    }
}

#[test]
fn goals_follow_each_other_under_attack() {
    let all = [(R, R), (G, R), (R, G), (G, G), (B, B), (R, B), (B, R), (R, R)];
    let start = Start::empty(pairs(&all), Rules::TSU);
    let attacks = attacks(&["4@5"]);
    let outcome = planned(&start, &attacks, &[Goal::AllClear, Goal::Survive], 200);
    let route = outcome.route.expect("a route");
    let outlook = route.outlook.clone().expect("an outlook");
    assert_eq!(route.steps.len(), all.len());
    assert!(route.steps.iter().any(|step| step.popped.is_empty()), "an all clear");
    assert!(outlook.is_guaranteed(), "{outlook:?}");
    let limits = Limits { time: None, width: 10, ..Limits::default() };
    let wrong = plan_against(
        &start,
        &attacks,
        &[Goal::Survive, Goal::Chain],
        &limits,
        None,
        &AtomicBool::new(false),
        &mut |_| {},
    );
    assert!(wrong.expect_err("nothing can follow").to_string().contains("no goal can follow"));
}

#[test]
fn results_do_not_depend_on_threads() {
    let all = [(R, G), (G, G), (B, R), (B, B), (G, R), (R, R), (G, B), (B, G)];
    let start = Start::empty(pairs(&all), Rules::TSU);
    let attacks = attacks(&["7@2", "9@4"]);
    let run = |threads| {
        let limits = Limits { time: None, width: 30, threads, ..Limits::default() };
        let cancel = AtomicBool::new(false);
        plan_against(&start, &attacks, &[Goal::Score], &limits, None, &cancel, &mut |_| {})
            .expect("a plan")
            .route
    };
    let one = run(1);
    assert!(one.is_some());
    assert_eq!(one, run(3));
}

#[test]
fn more_combinations_than_fit_are_sampled_and_said_to_be() {
    let all = [(R, G), (B, G), (B, R), (G, B), (R, B), (R, G)];
    let start = Start::empty(pairs(&all), Rules::TSU);
    let route =
        planned(&start, &attacks(&["3@1", "3@2", "3@3", "3@4"]), &[Goal::Survive], 4).route.expect("a route");
    let outlook = route.outlook.expect("an outlook");
    assert!(!outlook.exhaustive && !outlook.is_guaranteed() && outlook.survived > 1000, "{outlook:?}");
}
