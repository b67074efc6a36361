//! Following a player who carries a route out: one state at a time, computed from what is seen now, and one message for it.
//!
//! | state | when | message beside "Follow along" | the route below | the player's board |
//! |---|---|---|---|---|
//! | not followed | it is switched off, or the pairs are no player's | none | with its verdict | hidden |
//! | `NotLive` | no game deals the player pairs | "... is not in a round" | with its verdict | hidden |
//! | `Planning` | no route yet: the first one, or another one | none; "Replanning: why" for another one | none | only for another one |
//! | `Place` | the board is as planned | none; "Replanned: why" until the first pair of the new route is placed | with its verdict | with rings |
//! | `Wait` | a pair comes down, a chain runs, or a board that does not fit was not seen long enough | as `Place` | with its verdict | shown |
//! | `Elsewhere`, `Garbage` | the board is another one: another route is planned at once | "Replanning: why" | hidden | shown |
//! | `Done` | all pairs of the route are placed | "... Plan again for the pairs that follow" | with its verdict | shown |
//! | `OtherBoard` | the route begins on another board | "... Plan again" | grey, without a verdict | shown |
//! | `EarlierRound` | other pairs, or an earlier number | "This route was for an earlier round ..." | grey, without a verdict | hidden |
//!
//! `EarlierRound` is final once it was seen for a while: pairs that happen to be the same again do not bring the old route back. Only another
//! plan does, or going back in a recording.

use super::live::LiveStart;
use crate::game::puyo::Pair;
use crate::puyo::plain::fire;
use crate::puyo::{COLUMNS, Cell, Field, Placement, ROWS, Rules};
use crate::route::Route;

/// The state of following, by the table at the top of this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Nobody knows what the player does.
    NotLive,
    /// A route is being planned, and none is found yet.
    Planning,
    /// The board is as planned: the pair in play goes where this step (from 0) says.
    Place(usize),
    /// A pair is on its way down, or a chain runs: nothing can be told before it is over.
    Wait,
    /// A pair, by its number in the round from 0, is elsewhere than planned.
    Elsewhere(u32),
    /// Garbage fell that the route does not know of.
    Garbage,
    /// All pairs of the route were placed.
    Done,
    /// The route begins on another board.
    OtherBoard,
    /// The route was for an earlier round.
    EarlierRound,
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

    /// Whether the route is none for what is played now.
    #[must_use]
    pub fn is_outdated(self) -> bool {
        matches!(self, Self::OtherBoard | Self::EarlierRound)
    }
}

/// What a player carries out.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    /// The pairs that were planned over.
    pub pairs: &'a [Pair],
    /// The number in its round of the first of them, from 0.
    pub first: u32,
    /// The route, once there is one.
    pub route: Option<&'a Route>,
}

/// The state when a player is seen so.
#[must_use]
pub fn advise(planned: Planned<'_>, seen: &LiveStart) -> Advice {
    let Some(at) = seen.number.checked_sub(planned.first).and_then(|at| usize::try_from(at).ok()) else {
        return Advice::EarlierRound;
    };
    let left = planned.pairs.get(at..).unwrap_or_default();
    if left.iter().zip(&seen.pairs).any(|(planned, dealt)| planned != dealt) {
        return Advice::EarlierRound;
    }
    let Some(route) = planned.route else { return Advice::Planning };
    let here = if at < route.steps.len() { Advice::Place(at) } else { Advice::Done };
    // Boards beyond its end are no matter of the route; where nobody can look they are taken for granted.
    let Some(board) = seen.board.as_ref().filter(|_| at <= route.steps.len()) else { return here };
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
        _ => Advice::OtherBoard,
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

/// What does not fit must be seen for so many frames: a pair whose puyos fall apart comes to rest one after the other.
const SURE_AFTER: u64 = 20;

/// Following a player.
#[derive(Debug, Default)]
pub struct Follow {
    /// Whether it is switched off.
    pub off: bool,
    /// Why the route was planned again, as long as that is of interest.
    pub reason: Option<String>,
    /// A board that does not fit, and the frame in which it was seen first.
    suspect: Option<(u64, Field)>,
    /// The frame in which another round was seen first, and whether it was seen long enough.
    other_round: Option<(u64, bool)>,
}

impl Follow {
    /// Forgets what was seen: another route is planned.
    pub fn forget(&mut self) {
        *self = Self { off: self.off, ..Self::default() };
    }

    /// The state when a player is seen so in that frame. A board that does not fit counts once it was seen for a while.
    pub fn look(&mut self, planned: Planned<'_>, seen: &LiveStart, frame: u64) -> Advice {
        let advice = match (advise(planned, seen), self.other_round) {
            (_, Some((first, true))) if frame >= first => Advice::EarlierRound,
            (advice, _) => advice,
        };
        if advice == Advice::EarlierRound {
            let (first, sure) =
                self.other_round.filter(|(first, _)| frame >= *first).unwrap_or((frame, false));
            let sure = sure || frame - first >= SURE_AFTER;
            *self = Self { off: self.off, other_round: Some((first, sure)), ..Self::default() };
            return advice;
        }
        self.other_round = None;
        if matches!(advice, Advice::Place(1..) | Advice::Done | Advice::OtherBoard) {
            self.reason = None;
        }
        let Some(reason) = advice.why_replan() else {
            self.suspect = None;
            return advice;
        };
        let board = seen.board.unwrap_or_default();
        match self.suspect {
            Some((before, suspect)) if suspect == board => {
                if frame.saturating_sub(before) < SURE_AFTER {
                    return Advice::Wait;
                }
                self.reason = Some(reason);
                advice
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

    fn planned(route: &Route) -> Planned<'_> {
        Planned { pairs: &[RED, MIXED, RED, MIXED], first: FIRST, route: Some(route) }
    }

    #[test]
    fn who_does_as_planned_is_led_to_the_end() {
        let route = route();
        let mut board = route.start;
        for (at, step) in route.steps.iter().enumerate() {
            assert_eq!(advise(planned(&route), &seen(at, board)), Advice::Place(at));
            // It has landed, and its chain is over, before the next one is dealt.
            assert_eq!(advise(planned(&route), &seen(at, step.landed)), Advice::Wait);
            board = step.after;
            assert_eq!(advise(planned(&route), &seen(at, board)), Advice::Wait);
        }
        assert_eq!(advise(planned(&route), &seen(4, board)), Advice::Done);
        assert_eq!(
            advise(planned(&route), &seen(5, board)),
            Advice::Done,
            "what follows is no matter of the route"
        );
    }

    #[test]
    fn a_pair_that_stands_elsewhere_is_told_with_its_number_once_the_next_one_comes() {
        let route = route();
        let mut board = route.start;
        board.land(RED, up(5), Rules::TSU);
        assert_eq!(advise(planned(&route), &seen(0, board)), Advice::Wait, "the next pair is not there yet");
        let advice = advise(planned(&route), &seen(1, board));
        assert_eq!(advice, Advice::Elsewhere(FIRST));
        assert_eq!(advice.why_replan().as_deref(), Some("you put pair 11 elsewhere"));
        let mut moving = seen(1, board);
        moving.settled = false;
        assert_eq!(advise(planned(&route), &moving), Advice::Wait);
    }

    #[test]
    fn garbage_is_not_taken_for_a_mistake() {
        let route = route();
        let mut board = route.steps[0].after;
        board.drop(4, Cell::Ojama);
        board.drop(0, Cell::Ojama);
        assert_eq!(advise(planned(&route), &seen(1, board)), Advice::Garbage);
    }

    #[test]
    fn another_round_and_other_pairs_are_not_advised() {
        let route = route();
        let mut other = seen(0, route.start);
        other.number = 3;
        assert_eq!(advise(planned(&route), &other), Advice::EarlierRound);
        let mut other = seen(0, route.start);
        other.pairs[1] = RED;
        assert_eq!(advise(planned(&route), &other), Advice::EarlierRound);
        let unplanned = Planned { route: None, ..planned(&route) };
        assert_eq!(advise(unplanned, &other), Advice::EarlierRound, "also while it is planned");
        assert_eq!(advise(unplanned, &seen(1, route.start)), Advice::Planning);
        let mut board = route.start;
        board.drop(0, Cell::Puyo(Color::PURPLE));
        assert_eq!(advise(planned(&route), &seen(0, board)), Advice::OtherBoard, "the route began elsewhere");
        let mut blind = seen(2, board);
        blind.board = None;
        assert_eq!(advise(planned(&route), &blind), Advice::Place(2), "nobody can look");
    }

    #[test]
    fn an_earlier_round_is_over_for_good_and_its_reason_is_dropped() {
        let (route, mut follow) =
            (route(), Follow { reason: Some("garbage fell".into()), ..Follow::default() });
        let mut other = seen(0, route.start);
        other.number = 3;
        let here = seen(0, route.start);
        assert_eq!(follow.look(planned(&route), &other, 100), Advice::EarlierRound);
        assert_eq!(follow.reason, None);
        assert_eq!(
            follow.look(planned(&route), &here, 101),
            Advice::Place(0),
            "it was seen for a moment only"
        );
        assert_eq!(follow.look(planned(&route), &other, 102), Advice::EarlierRound);
        assert_eq!(follow.look(planned(&route), &other, 122), Advice::EarlierRound);
        assert_eq!(
            follow.look(planned(&route), &here, 123),
            Advice::EarlierRound,
            "the same pairs by chance"
        );
        assert_eq!(follow.look(planned(&route), &here, 90), Advice::Place(0), "back in a recording");
        assert_eq!(follow.look(planned(&route), &other, 200), Advice::EarlierRound);
        assert_eq!(follow.look(planned(&route), &other, 300), Advice::EarlierRound);
        follow.forget();
        assert_eq!(follow.look(planned(&route), &here, 301), Advice::Place(0), "another plan");
    }

    #[test]
    fn the_reason_of_another_route_is_shown_until_its_first_pair_is_placed() {
        let (route, mut follow) = (route(), Follow::default());
        let mut board = route.start;
        board.land(RED, up(5), Rules::TSU);
        let wrong = seen(1, board);
        follow.look(planned(&route), &wrong, 100);
        assert_eq!(follow.reason, None);
        follow.look(planned(&route), &wrong, 120);
        assert_eq!(follow.reason.as_deref(), Some("you put pair 11 elsewhere"));
        let again = Planned { route: None, first: FIRST + 1, pairs: &wrong.pairs };
        assert_eq!(follow.look(again, &wrong, 121), Advice::Planning);
        let start = Start { field: board, ..Start::empty(wrong.pairs.clone(), Rules::TSU) };
        let new = Route::replay(&start, &[up(0), up(3)]).unwrap();
        let again = Planned { route: Some(&new), ..again };
        assert_eq!(follow.look(again, &wrong, 130), Advice::Place(0));
        assert!(follow.reason.is_some());
        assert_eq!(follow.look(again, &seen(2, new.steps[0].after), 160), Advice::Place(1));
        assert_eq!(follow.reason, None);
    }

    #[test]
    fn a_board_that_does_not_fit_counts_when_it_stands_for_a_while() {
        let (route, mut follow) = (route(), Follow::default());
        let mut board = route.start;
        board.land(RED, up(5), Rules::TSU);
        let wrong = seen(1, board);
        assert_eq!(follow.look(planned(&route), &wrong, 100), Advice::Wait);
        assert_eq!(follow.look(planned(&route), &wrong, 119), Advice::Wait, "not long enough");
        assert_eq!(follow.look(planned(&route), &wrong, 120), Advice::Elsewhere(FIRST));
        assert_eq!(follow.look(planned(&route), &seen(1, route.steps[0].after), 121), Advice::Place(1));
        assert_eq!(follow.look(planned(&route), &wrong, 141), Advice::Wait, "anew");
    }
}
