//! Following a player who carries a route out: where the pair in play belongs, and whether it still fits.

use super::live::LiveStart;
use crate::puyo::plain::fire;
use crate::puyo::{COLUMNS, Cell, Field, Placement, ROWS, Rules};
use crate::route::Route;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// The board is as planned: the pair in play goes where this step (from 0) says.
    Place(usize),
    /// A pair is on its way down, or a chain runs: nothing can be told before it is over.
    Wait,
    /// A pair, by its number in the round from 0, stands elsewhere than planned.
    Elsewhere(u32),
    /// Garbage fell that the route does not know of.
    Garbage,
    /// Another route is being planned, and none is found yet.
    Anew,
    /// All pairs of the route were put down as planned.
    Done,
    /// What is played is not what the route was made for: another round, or beyond its end.
    Other,
}

impl Advice {
    /// Why another route is needed, in words; None when it is not.
    #[must_use]
    pub fn why_replan(self) -> Option<String> {
        match self {
            Self::Elsewhere(number) => Some(format!("you put pair {} elsewhere", number + 1)),
            Self::Garbage => Some("garbage fell".into()),
            _ => None,
        }
    }
}

/// What a player who stands so has to do to carry out a route whose first pair is number `first` (from 0) of the round.
#[must_use]
pub fn advise(route: &Route, first: u32, seen: &LiveStart) -> Advice {
    let Some(at) = seen.number.checked_sub(first).and_then(|at| usize::try_from(at).ok()) else {
        return Advice::Other;
    };
    let count = route.steps.len();
    if at > count || route.steps.get(at).is_some_and(|step| seen.pairs.first() != Some(&step.pair)) {
        return Advice::Other;
    }
    let here = if at < count { Advice::Place(at) } else { Advice::Done };
    // Nobody can look: taken for granted.
    let Some(board) = &seen.board else { return here };
    let expected = at.checked_sub(1).and_then(|before| route.steps.get(before));
    let expected = expected.map_or(&route.start, |step| &step.after);
    if board == expected {
        return here;
    }
    if !seen.settled || is_on_its_way(expected, board, seen, route.rules) {
        return Advice::Wait;
    }
    if without_garbage(board) == without_garbage(expected) {
        return Advice::Garbage;
    }
    match seen.number.checked_sub(1) {
        Some(number) if at > 0 => Advice::Elsewhere(number),
        // Not even the first board fits.
        _ => Advice::Other,
    }
}

/// Whether a board is the expected one on which the pair in play has just landed somewhere: the next pair is not dealt yet.
fn is_on_its_way(expected: &Field, board: &Field, seen: &LiveStart, rules: Rules) -> bool {
    let Some(pair) = seen.pairs.first() else { return false };
    Placement::ALL.into_iter().any(|placement| {
        let mut field = *expected;
        field.land(*pair, placement, rules);
        if field == *board {
            return true;
        }
        fire(&mut field, rules);
        field == *board
    })
}

fn without_garbage(board: &Field) -> Field {
    let mut field = *board;
    for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row))) {
        if matches!(field.get(column, row), Cell::Ojama | Cell::Hard) {
            field.set(column, row, Cell::Empty);
        }
    }
    field.settle();
    field
}

/// A board that does not fit must stand for so many frames: a pair whose puyos fall apart comes to rest one after the other.
const SURE_AFTER: u64 = 20;

/// Following a player.
#[derive(Debug, Default)]
pub struct Follow {
    /// Whether it is not wanted.
    pub off: bool,
    /// What was said last about a route that did not fit.
    pub said: Option<String>,
    /// A board that does not fit, and the frame in which it was seen first.
    suspect: Option<(u64, Field)>,
}

impl Follow {
    /// Forgets what was said and seen.
    pub fn forget(&mut self) {
        (self.said, self.suspect) = (None, None);
    }

    /// What a player has to do who was seen so in that frame. A board that does not fit counts once it has stood for
    /// a while.
    pub fn look(&mut self, route: &Route, first: u32, seen: &LiveStart, frame: u64) -> Advice {
        let advice = advise(route, first, seen);
        if advice.why_replan().is_none() {
            self.suspect = None;
            return advice;
        }
        let board = seen.board.unwrap_or_default();
        match self.suspect {
            Some((before, suspect)) if suspect == board => {
                if frame.saturating_sub(before) < SURE_AFTER {
                    Advice::Wait
                } else {
                    advice
                }
            }
            _ => {
                self.suspect = Some((frame, board));
                Advice::Wait
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::puyo::{Color, Pair};
    use crate::puyo::Rotation;
    use crate::route::Start;

    const RED: Pair = Pair { axis: Color::RED, child: Color::RED };
    const MIXED: Pair = Pair { axis: Color::BLUE, child: Color::GREEN };
    /// The number in the round of the first pair of the route.
    const FIRST: u32 = 10;

    fn up(column: usize) -> Placement {
        Placement::new(column, Rotation::Up).unwrap()
    }

    fn route() -> Route {
        let start = Start::empty(vec![RED, MIXED, RED, MIXED], Rules::TSU);
        Route::replay(&start, &[up(0), up(3), up(1), up(4)]).unwrap()
    }

    /// A player whose pair in play is this one of the route, on that board.
    fn seen(at: usize, board: Field) -> LiveStart {
        let all = [RED, MIXED, RED, MIXED, RED, MIXED, RED];
        LiveStart {
            board: Some(board),
            settled: true,
            pairs: all[at..].to_vec(),
            number: FIRST + u32::try_from(at).unwrap(),
            rules: Rules::TSU,
        }
    }

    #[test]
    fn who_does_as_planned_is_led_to_the_end() {
        let route = route();
        let mut board = route.start;
        for (at, step) in route.steps.iter().enumerate() {
            assert_eq!(advise(&route, FIRST, &seen(at, board)), Advice::Place(at));
            // It has landed, and its chain is over, before the next one is dealt.
            assert_eq!(advise(&route, FIRST, &seen(at, step.landed)), Advice::Wait);
            board = step.after;
            assert_eq!(advise(&route, FIRST, &seen(at, board)), Advice::Wait);
        }
        assert_eq!(advise(&route, FIRST, &seen(4, board)), Advice::Done);
        assert_eq!(advise(&route, FIRST, &seen(5, board)), Advice::Other);
    }

    #[test]
    fn a_pair_that_stands_elsewhere_is_told_with_its_number_once_the_next_one_comes() {
        let route = route();
        let mut board = route.start;
        board.land(RED, up(5), Rules::TSU);
        assert_eq!(advise(&route, FIRST, &seen(0, board)), Advice::Wait, "the next pair is not there yet");
        let advice = advise(&route, FIRST, &seen(1, board));
        assert_eq!(advice, Advice::Elsewhere(FIRST));
        assert_eq!(advice.why_replan().as_deref(), Some("you put pair 11 elsewhere"));
        let mut moving = seen(1, board);
        moving.settled = false;
        assert_eq!(advise(&route, FIRST, &moving), Advice::Wait);
    }

    #[test]
    fn garbage_is_not_taken_for_a_mistake() {
        let route = route();
        let mut board = route.steps[0].after;
        board.drop(4, Cell::Ojama);
        board.drop(0, Cell::Ojama);
        assert_eq!(advise(&route, FIRST, &seen(1, board)), Advice::Garbage);
    }

    #[test]
    fn another_round_and_other_pairs_are_not_advised() {
        let route = route();
        let mut other = seen(0, route.start);
        other.number = 3;
        assert_eq!(advise(&route, FIRST, &other), Advice::Other);
        let mut other = seen(0, route.start);
        other.pairs[0] = MIXED;
        assert_eq!(advise(&route, FIRST, &other), Advice::Other);
        let mut board = route.start;
        board.drop(0, Cell::Puyo(Color::PURPLE));
        assert_eq!(advise(&route, FIRST, &seen(0, board)), Advice::Other, "the route began elsewhere");
        let mut blind = seen(2, board);
        blind.board = None;
        assert_eq!(advise(&route, FIRST, &blind), Advice::Place(2), "nobody can look");
    }

    #[test]
    fn a_board_that_does_not_fit_counts_when_it_stands_for_a_while() {
        let (route, mut follow) = (route(), Follow::default());
        let mut board = route.start;
        board.land(RED, up(5), Rules::TSU);
        let wrong = seen(1, board);
        assert_eq!(follow.look(&route, FIRST, &wrong, 100), Advice::Wait);
        assert_eq!(follow.look(&route, FIRST, &wrong, 119), Advice::Wait, "not long enough");
        assert_eq!(follow.look(&route, FIRST, &wrong, 120), Advice::Elsewhere(FIRST));
        assert_eq!(follow.look(&route, FIRST, &seen(1, route.steps[0].after), 121), Advice::Place(1));
        assert_eq!(follow.look(&route, FIRST, &wrong, 141), Advice::Wait, "anew");
    }
}
