//! Following a player along a route: one state at a time, computed from the current sample, with one message.
//!
//! | state | when | message beside *Follow along* | the route below | the player's board |
//! |---|---|---|---|---|
//! | not followed | following is off, or the pairs are no player's | none | with its verdict | hidden |
//! | `NotLive` | no game deals pairs to the player | "... is not in a round" | with its verdict | hidden |
//! | `Planning` | no route yet: the first one, or a replan | none; "Replanning: why" for a replan | none | only for a replan |
//! | `Place` | the board matches the plan | none; after a replan "Replanning: why" while it is improved, then "Replanned: why" until the first pair of the new route is placed | with its verdict | with rings |
//! | `Wait` | a pair falls, a chain runs, planned garbage falls, or a mismatch is too recent | as `Place` | with its verdict | shown |
//! | `Elsewhere`, `Garbage` | the board differs: a replan starts at once | "Replanning: why" | hidden | shown |
//! | `Done` | all pairs of the route are placed | "... Plan again for the next pairs" | with its verdict | shown |
//! | `OtherBoard` | the route starts on another board | "... Plan again" | grey, without a verdict | shown |
//! | `EarlierRound` | other pairs, or an earlier number | "This route was for an earlier round ..." | grey, without a verdict | hidden |
//!
//! `EarlierRound` is final once it persists: equal pairs in a later round do not bring the old route back. Only a new plan does, or
//! seeking back in a recording.

use super::live::LiveStart;
use crate::puyo::Field;
use crate::route::{BoardMatch, PlayedBoard, Route};
use nextscope_boards::Pair;

/// A state of the table above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// The player's state is unknown.
    NotLive,
    /// The first route is being planned.
    Planning,
    /// The board matches the plan: place the current pair as in this step (from 0).
    Place(usize),
    /// A pair or planned garbage is falling, or a chain runs; wait until it ends.
    Wait,
    /// A pair was placed differently, given by its number in the round from 0.
    Elsewhere(u32),
    /// The board differs only in garbage: it was not planned, or the game drew other columns than those of the example.
    Garbage,
    /// All pairs of the route are placed.
    Done,
    /// The route starts on another board.
    OtherBoard,
    /// The route was for an earlier round.
    EarlierRound,
}

impl Advice {
    /// Why a replan is needed.
    pub fn why_replan(self) -> Option<String> {
        match self {
            Self::Elsewhere(number) => Some(format!("pair {} was placed differently", number + 1)),
            Self::Garbage => Some("the garbage differs from the plan".into()),
            _ => None,
        }
    }

    /// Whether the route does not apply to the current round or board.
    pub fn is_outdated(self) -> bool {
        matches!(self, Self::OtherBoard | Self::EarlierRound)
    }
}

/// The plan that a player follows.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    pub pairs: &'a [Pair],
    /// Number of the first pair in its round, from 0.
    pub first: u32,
    pub route: Option<&'a Route>,
}

/// The state for the current sample of the player.
pub fn advise(planned: Planned<'_>, live: &LiveStart) -> Advice {
    let Some(at) = live.number.checked_sub(planned.first).and_then(|at| usize::try_from(at).ok()) else {
        return Advice::EarlierRound;
    };
    let left = planned.pairs.get(at..).unwrap_or_default();
    if left.iter().zip(&live.pairs).any(|(planned, dealt)| planned != dealt) {
        return Advice::EarlierRound;
    }
    let Some(route) = planned.route else { return Advice::Planning };
    let here = if at < route.steps.len() { Advice::Place(at) } else { Advice::Done };
    // Boards beyond the route do not matter; if the board cannot be read, assume that it matches.
    let Some(board) = live.board.filter(|_| at <= route.steps.len()) else { return here };
    let last = at.checked_sub(1).and_then(|before| route.steps.get(before));
    let expected = last.map_or(&route.start, |step| &step.after);
    let garbage_falls = last.is_some_and(|step| step.garbage.fell + step.garbage.waiting > 0);
    let LiveStart { settled, in_play, .. } = *live;
    let played =
        PlayedBoard { board, settled, in_play, pair: live.pairs.first().copied(), rules: route.rules };
    match played.compare(expected, garbage_falls) {
        BoardMatch::Planned => return here,
        BoardMatch::Moving => return Advice::Wait,
        // After the last pair there is nothing to plan again.
        BoardMatch::Garbage if at == route.steps.len() => return Advice::Done,
        BoardMatch::Garbage => return Advice::Garbage,
        BoardMatch::Different => {}
    }
    match live.number.checked_sub(1) {
        Some(number) if at > 0 => Advice::Elsewhere(number),
        // Even the first board differs.
        _ => Advice::OtherBoard,
    }
}

/// A mismatching board must persist for this many frames: the puyos of a split pair land one after the other.
const PERSISTS_FOR: u64 = 20;

#[derive(Debug, Default)]
pub struct RouteFollower {
    pub off: bool,
    /// Why the route was planned again, while relevant.
    pub reason: Option<String>,
    /// A mismatching board and the frame of its first sample.
    suspect: Option<(u64, Field)>,
    /// The frame of the first sample of another round, and whether it persisted.
    other_round: Option<(u64, bool)>,
}

impl RouteFollower {
    /// Resets the state for a new route.
    pub fn reset(&mut self) {
        *self = Self { off: self.off, ..Self::default() };
    }

    /// The state for a sample of this frame. A mismatching board counts only if it persists.
    pub fn update(&mut self, planned: Planned<'_>, live: &LiveStart, frame: u64) -> Advice {
        let advice = match (advise(planned, live), self.other_round) {
            (_, Some((first, true))) if frame >= first => Advice::EarlierRound,
            (advice, _) => advice,
        };
        if advice == Advice::EarlierRound {
            let (first, sure) =
                self.other_round.filter(|(first, _)| frame >= *first).unwrap_or((frame, false));
            let sure = sure || frame - first >= PERSISTS_FOR;
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
        let board = live.board.unwrap_or_default();
        match self.suspect {
            Some((before, suspect)) if suspect == board => {
                if frame.saturating_sub(before) < PERSISTS_FOR {
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
    use super::super::player_tests::{FIRST, MIXED, RED, live, up};
    use super::*;
    use crate::puyo::{Cell, Rules};
    use crate::route::Start;
    use nextscope_boards::Color;

    fn route() -> Route {
        let start = Start::empty(vec![RED, MIXED, RED, MIXED], Rules::TSU);
        Route::replay(&start, &[up(0), up(3), up(1), up(4)]).unwrap()
    }

    fn planned(route: &Route) -> Planned<'_> {
        Planned { pairs: &[RED, MIXED, RED, MIXED], first: FIRST, route: Some(route) }
    }

    #[test]
    fn who_does_as_planned_is_led_to_the_end() {
        let route = route();
        let mut board = route.start;
        for (at, step) in route.steps.iter().enumerate() {
            assert_eq!(advise(planned(&route), &live(at, board)), Advice::Place(at));
            // It has landed, and its chain is over, before the next one is dealt.
            assert_eq!(advise(planned(&route), &live(at, step.landed)), Advice::Wait);
            board = step.after;
            assert_eq!(advise(planned(&route), &live(at, board)), Advice::Wait);
        }
        assert_eq!(advise(planned(&route), &live(4, board)), Advice::Done);
        assert_eq!(
            advise(planned(&route), &live(5, board)),
            Advice::Done,
            "what follows is no matter of the route"
        );
    }

    #[test]
    fn a_misplaced_pair_is_reported_by_number_once_the_next_one_comes() {
        let route = route();
        let mut board = route.start;
        board.land(RED, up(5), Rules::TSU);
        assert_eq!(advise(planned(&route), &live(0, board)), Advice::Wait, "the next pair is not there yet");
        let advice = advise(planned(&route), &live(1, board));
        assert_eq!(advice, Advice::Elsewhere(FIRST));
        assert_eq!(advice.why_replan().as_deref(), Some("pair 11 was placed differently"));
        let mut moving = live(1, board);
        moving.settled = false;
        assert_eq!(advise(planned(&route), &moving), Advice::Wait);
    }

    #[test]
    fn garbage_is_not_taken_for_a_mistake() {
        let route = route();
        let mut board = route.steps[0].after;
        board.drop(4, Cell::Ojama);
        board.drop(0, Cell::Ojama);
        assert_eq!(advise(planned(&route), &live(1, board)), Advice::Garbage);
        let mut board = route.end();
        board.drop(0, Cell::Ojama);
        assert_eq!(advise(planned(&route), &live(4, board)), Advice::Done, "nothing is left to plan");
    }

    #[test]
    fn planned_garbage_may_fall_into_other_columns_than_those_of_the_example() {
        let start = Start::empty(vec![RED, MIXED, RED, MIXED], Rules::TSU);
        let attacks = ["2@2".parse().unwrap()];
        let places = [up(0), up(3), up(1), up(4)];
        let route = Route::replay_against(&start, &attacks, &places, &[0b11]).unwrap();
        let step = &route.steps[1];
        assert_eq!(advise(planned(&route), &live(2, step.after)), Advice::Place(2), "as in the example");
        // It has not fallen yet.
        let landed = LiveStart { in_play: false, ..live(2, step.popped) };
        assert_eq!(advise(planned(&route), &landed), Advice::Wait);
        let mut board = step.popped;
        board.drop(4, Cell::Ojama);
        board.drop(5, Cell::Ojama);
        let falling = LiveStart { in_play: false, ..live(2, board) };
        assert_eq!(advise(planned(&route), &falling), Advice::Wait);
        assert_eq!(advise(planned(&route), &live(2, board)), Advice::Garbage);
        // The second pair is still the one in play: it has landed, and the garbage fell after it.
        assert_eq!(advise(planned(&route), &live(1, board)), Advice::Wait);
        // A pair in another place is a mistake all the same.
        let mut board = route.steps[0].after;
        board.land(MIXED, up(4), Rules::TSU);
        board.drop(0, Cell::Ojama);
        board.drop(1, Cell::Ojama);
        assert_eq!(advise(planned(&route), &live(2, board)), Advice::Elsewhere(FIRST + 1));
    }

    #[test]
    fn another_round_and_other_pairs_are_not_advised() {
        let route = route();
        let mut other = live(0, route.start);
        other.number = 3;
        assert_eq!(advise(planned(&route), &other), Advice::EarlierRound);
        let mut other = live(0, route.start);
        other.pairs[1] = RED;
        assert_eq!(advise(planned(&route), &other), Advice::EarlierRound);
        let unplanned = Planned { route: None, ..planned(&route) };
        assert_eq!(advise(unplanned, &other), Advice::EarlierRound, "also while it is planned");
        assert_eq!(advise(unplanned, &live(1, route.start)), Advice::Planning);
        let mut board = route.start;
        board.drop(0, Cell::Puyo(Color::PURPLE));
        assert_eq!(advise(planned(&route), &live(0, board)), Advice::OtherBoard, "the route began elsewhere");
        let mut blind = live(2, board);
        blind.board = None;
        assert_eq!(advise(planned(&route), &blind), Advice::Place(2), "the board cannot be read");
    }

    #[test]
    fn an_earlier_round_is_over_for_good_and_its_reason_is_dropped() {
        let (route, mut follow) =
            (route(), RouteFollower { reason: Some("garbage fell".into()), ..RouteFollower::default() });
        let mut other = live(0, route.start);
        other.number = 3;
        let here = live(0, route.start);
        assert_eq!(follow.update(planned(&route), &other, 100), Advice::EarlierRound);
        assert_eq!(follow.reason, None);
        assert_eq!(
            follow.update(planned(&route), &here, 101),
            Advice::Place(0),
            "it was live for a moment only"
        );
        assert_eq!(follow.update(planned(&route), &other, 102), Advice::EarlierRound);
        assert_eq!(follow.update(planned(&route), &other, 122), Advice::EarlierRound);
        assert_eq!(
            follow.update(planned(&route), &here, 123),
            Advice::EarlierRound,
            "the same pairs by chance"
        );
        assert_eq!(follow.update(planned(&route), &here, 90), Advice::Place(0), "back in a recording");
        assert_eq!(follow.update(planned(&route), &other, 200), Advice::EarlierRound);
        assert_eq!(follow.update(planned(&route), &other, 300), Advice::EarlierRound);
        follow.reset();
        assert_eq!(follow.update(planned(&route), &here, 301), Advice::Place(0), "another plan");
    }

    #[test]
    fn the_reason_of_another_route_is_shown_until_its_first_pair_is_placed() {
        let (route, mut follow) = (route(), RouteFollower::default());
        let mut board = route.start;
        board.land(RED, up(5), Rules::TSU);
        let wrong = live(1, board);
        follow.update(planned(&route), &wrong, 100);
        assert_eq!(follow.reason, None);
        follow.update(planned(&route), &wrong, 120);
        assert_eq!(follow.reason.as_deref(), Some("pair 11 was placed differently"));
        let again = Planned { route: None, first: FIRST + 1, pairs: &wrong.pairs };
        assert_eq!(follow.update(again, &wrong, 121), Advice::Planning);
        let start = Start { field: board, ..Start::empty(wrong.pairs.clone(), Rules::TSU) };
        let new = Route::replay(&start, &[up(0), up(3)]).unwrap();
        let again = Planned { route: Some(&new), ..again };
        assert_eq!(follow.update(again, &wrong, 130), Advice::Place(0));
        assert!(follow.reason.is_some());
        assert_eq!(follow.update(again, &live(2, new.steps[0].after), 160), Advice::Place(1));
        assert_eq!(follow.reason, None);
    }

    #[test]
    fn a_board_that_does_not_fit_counts_after_a_while() {
        let (route, mut follow) = (route(), RouteFollower::default());
        let mut board = route.start;
        board.land(RED, up(5), Rules::TSU);
        let wrong = live(1, board);
        assert_eq!(follow.update(planned(&route), &wrong, 100), Advice::Wait);
        assert_eq!(follow.update(planned(&route), &wrong, 119), Advice::Wait, "not long enough");
        assert_eq!(follow.update(planned(&route), &wrong, 120), Advice::Elsewhere(FIRST));
        assert_eq!(follow.update(planned(&route), &live(1, route.steps[0].after), 121), Advice::Place(1));
        assert_eq!(follow.update(planned(&route), &wrong, 141), Advice::Wait, "counts again from the start");
    }
}
