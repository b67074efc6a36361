//! What is left of a plan when the player's board differs from it.

use super::live::LiveStart;
use super::request::PlanRequest;
use crate::puyo::{Field, Placement};
use crate::route::{Attack, Goal, Route, Start, Step, without_garbage};

/// The request for the remaining pairs and goals, from the player's board. Attacks whose pair was placed are dropped; what of their garbage
/// still waits arrives with the first pair.
pub fn rest(mut request: PlanRequest, route: &Route, live: &LiveStart) -> PlanRequest {
    let placed = live.number.saturating_sub(request.first) as usize;
    let board = live.board.unwrap_or_default();
    let last = placed.checked_sub(1).and_then(|last| last_step(&request, route, last, &board));
    let before = route.steps.iter().take(placed.saturating_sub(1));
    request.goals = remaining(request.goals, before.chain(&last));
    let left = request.start.pairs.len().saturating_sub(placed).max(1);
    let pairs: Vec<_> = live.pairs.iter().copied().take(left).collect();
    let waiting = last.and_then(|step| Attack::new(still_waiting(&step, &board), 1));
    let later = request.attacks.iter().filter_map(|attack| {
        let pair = attack.pair().checked_sub(placed)?;
        Attack::new(attack.puyos(), pair)
    });
    request.attacks =
        waiting.into_iter().chain(later).filter(|attack| attack.pair() <= pairs.len()).collect();
    request.first = live.number;
    request.start = Start { field: board, pairs, ..request.start };
    request
}

/// The step that led to the board, apart from garbage that fell differently: the planned one, or that of another placement. None if no
/// placement explains the board.
fn last_step(request: &PlanRequest, route: &Route, last: usize, board: &Field) -> Option<Step> {
    let left = without_garbage(board);
    let fits = |step: &Step| without_garbage(&step.after) == left;
    let planned = *route.steps.get(last)?;
    if fits(&planned) {
        return Some(planned);
    }
    let before = last.checked_sub(1).and_then(|before| route.steps.get(before));
    let field = before.map_or(route.start, |step| step.after);
    let start = Start { field, pairs: vec![planned.pair], ..request.start.clone() };
    let arrived = before.map_or(0, |step| step.garbage.waiting) + planned.garbage.arrived;
    let attacks: Vec<Attack> = Attack::new(arrived, 1).into_iter().collect();
    Placement::ALL.into_iter().find_map(|placement| {
        let played = Route::replay_against(&start, &attacks, &[placement], &[]).ok()?;
        played.steps.first().copied().filter(fits)
    })
}

/// The garbage that waits after a step, if as much fell as the rules say. Otherwise the attacks are not those that were entered.
fn still_waiting(step: &Step, board: &Field) -> u32 {
    let fell = garbage_count(board).saturating_sub(garbage_count(&step.popped));
    if fell == step.garbage.fell { step.garbage.waiting } else { 0 }
}

fn garbage_count(board: &Field) -> u32 {
    board.count() - without_garbage(board).count()
}

/// What remains of the goals after these steps.
fn remaining<'a>(mut goals: Vec<Goal>, steps: impl Iterator<Item = &'a Step>) -> Vec<Goal> {
    // Of the current goal.
    let (mut score, mut sent) = (0, 0);
    for step in steps {
        score += step.fired.score;
        sent += step.garbage.sent;
        let reached = match goals.first() {
            Some(Goal::Points(points)) => score >= *points,
            Some(Goal::Garbage(garbage)) => sent >= *garbage,
            Some(Goal::AllClear) => step.popped.is_empty(),
            Some(Goal::ExactChain(chain)) => step.fired.chain == *chain,
            Some(Goal::Chain | Goal::Score | Goal::PointsPerFrame) => step.fired.chain > 0,
            Some(Goal::Survive) | None => false,
        };
        if reached && goals.len() > 1 {
            goals.remove(0);
            (score, sent) = (0, 0);
        }
    }
    match goals.first_mut() {
        Some(Goal::Points(points)) => *points = points.saturating_sub(score).max(1),
        Some(Goal::Garbage(garbage)) => *garbage = garbage.saturating_sub(sent).max(1),
        _ => {}
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::super::player_tests::{FIRST, MIXED, RED, live, up};
    use super::*;
    use crate::puyo::{COLUMNS, Cell, Fired, Rules};
    use crate::route::StepGarbage;

    fn attacks(texts: &[&str]) -> Vec<Attack> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    /// Four pairs, planned up in the columns 0, 3, `third` and 4.
    fn planned(goals: &[Goal], texts: &[&str], columns: &[u8], third: usize) -> (PlanRequest, Route) {
        let start = Start::empty(vec![RED, MIXED, RED, MIXED], Rules::TSU);
        let attacks = attacks(texts);
        let places = [up(0), up(3), up(third), up(4)];
        let route = Route::replay_against(&start, &attacks, &places, columns).unwrap();
        let (goals, player) = (goals.to_vec(), Some(0));
        (PlanRequest { start, goals, attacks, timing: None, game: None, first: FIRST, player }, route)
    }

    #[test]
    fn attacks_that_are_past_are_dropped_and_others_are_renumbered() {
        let (request, route) = planned(&[Goal::Survive], &["3@2", "6@3", "9@4"], &[0b111], 1);
        // Three other columns were drawn after the second pair.
        let mut board = route.steps[1].popped;
        for column in 3..6 {
            board.drop(column, Cell::Ojama);
        }
        let rest = rest(request, &route, &live(2, board));
        assert_eq!(rest.attacks, attacks(&["6@1", "9@2"]));
        assert_eq!((rest.first, rest.start.field, rest.start.pairs.len()), (12, board, 2));
        assert_eq!(rest.goals, [Goal::Survive]);
    }

    #[test]
    fn garbage_that_still_waits_arrives_with_the_first_pair() {
        // 30 of 35 fall; then the other 5 after the second pair.
        let (request, route) = planned(&[Goal::Chain], &["35@1"], &[0b1_1111], 1);
        assert_eq!(route.steps[0].garbage.waiting, 5);
        // The first pair was placed elsewhere, and the same garbage fell.
        let mut board = Field::default();
        board.land(RED, up(5), Rules::TSU);
        for column in (0..5 * COLUMNS).map(|nth| nth % COLUMNS) {
            board.drop(column, Cell::Ojama);
        }
        let rest = rest(request.clone(), &route, &live(1, board));
        assert_eq!(rest.attacks, attacks(&["5@1"]));
        // Nothing fell: it was not this attack.
        let rest = super::rest(request, &route, &live(1, route.steps[0].popped));
        assert_eq!(rest.attacks, []);
    }

    #[test]
    fn a_chain_of_another_placement_counts_for_the_goal() {
        let (request, route) = planned(&[Goal::Points(100), Goal::AllClear], &[], &[], 5);
        assert_eq!(route.score, 0);
        // Beside the other reds, and a puyo of garbage fell.
        let mut board = route.steps[1].after;
        board.land(RED, up(1), Rules::TSU);
        crate::puyo::reference::fire(&mut board, Rules::TSU);
        board.drop(0, Cell::Ojama);
        let rest = rest(request, &route, &live(3, board));
        assert_eq!(rest.goals, [Goal::Points(60), Goal::AllClear]);
    }

    #[test]
    fn what_was_reached_is_not_planned_again() {
        let (_, route) = planned(&[Goal::Survive], &[], &[], 1);
        let fired = |chain, score| {
            let garbage = StepGarbage { sent: score / 70, ..StepGarbage::default() };
            Step { fired: Fired { chain, score }, garbage, popped: route.steps[0].popped, ..route.steps[0] }
        };
        let left = |goals: &[Goal], steps: &[Step]| remaining(goals.to_vec(), steps.iter());
        assert_eq!(left(&[Goal::Points(1000)], &[fired(2, 400), fired(1, 240)]), [Goal::Points(360)]);
        assert_eq!(left(&[Goal::Points(1000)], &[fired(4, 2000)]), [Goal::Points(1)]);
        assert_eq!(left(&[Goal::Garbage(30)], &[fired(3, 700)]), [Goal::Garbage(20)]);
        assert_eq!(left(&[Goal::AllClear], &[fired(3, 700)]), [Goal::AllClear]);
        let both = [Goal::ExactChain(3), Goal::Points(1000)];
        assert_eq!(left(&both, &[fired(2, 500)]), both);
        assert_eq!(left(&both, &[fired(2, 500), fired(3, 700)]), [Goal::Points(1000)]);
        assert_eq!(left(&both, &[fired(3, 700), fired(2, 300)]), [Goal::Points(700)]);
        let cleared = Step { popped: Field::default(), ..fired(1, 40) };
        assert_eq!(left(&[Goal::AllClear, Goal::Chain], &[cleared]), [Goal::Chain]);
        assert_eq!(left(&[Goal::PointsPerFrame, Goal::Survive], &[fired(1, 40)]), [Goal::Survive]);
    }
}
