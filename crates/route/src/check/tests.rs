//! Rounds played by hand, sample by sample.

use super::*;
use crate::{Attack, Route, Start, export::Listing};
use nextscope_boards::Color;
use nextscope_boards::puyo::{Cell, Rotation, Rules};
use nextscope_games::live::RouteStart;

const RED: Pair = Pair { axis: Color::RED, child: Color::RED };
const MIXED: Pair = Pair { axis: Color::BLUE, child: Color::GREEN };
const PAIRS: [Pair; 5] = [RED, MIXED, RED, MIXED, MIXED];
/// The fewest frames of a pair.
const FALLING: u64 = 6;

fn at(column: usize, rotation: Rotation) -> Placement {
    Placement::new(column, rotation).expect("on the board")
}

fn up(column: usize) -> Placement {
    at(column, Rotation::Up)
}

/// Three pairs: a route that pops the reds with the third one.
const PLACES: [fn() -> Placement; 3] = [|| up(0), || at(3, Rotation::Right), || up(1)];

fn places() -> Vec<Placement> {
    PLACES.map(|place| place()).to_vec()
}

fn planned(route: &Route) -> PlannedRoute {
    let json = Listing::of(route, None).expect("reachable").json().expect("JSON");
    PlannedRoute::parse(&json).expect("a route file")
}

fn route(places: &[Placement]) -> Route {
    Route::replay(&Start::empty(PAIRS.to_vec(), Rules::TSU), places).expect("playable")
}

/// A player from a first frame on. The last pair is in play at the end.
struct Player {
    reader: RoundReader,
    frame: u64,
    counted: u64,
}

impl Player {
    fn new() -> Self {
        Self { reader: RoundReader::default(), frame: 1000, counted: 1 }
    }

    fn shows(&mut self, number: u32, board: Field, in_play: bool, settled: bool, frames: u64) {
        for _ in 0..frames {
            self.frame += 1;
            let pairs = PAIRS.into_iter().skip(number as usize).collect();
            let start =
                RouteStart { field: board, rules: Rules::TSU, pairs, in_play, pair_index: number, settled };
            self.reader.sample(self.frame, Some(&start), self.counted);
        }
    }

    fn plays(&mut self, route: &Route) {
        self.shows(0, route.start, false, true, 3);
        for (step, number) in route.steps.iter().zip(0_u32..) {
            let before = number.checked_sub(1).map_or(route.start, |last| route.steps[last as usize].after);
            self.shows(number, before, true, true, FALLING);
            // One puyo of a split pair lands first.
            let mut half = before;
            half.drop(step.placement.column(), Cell::Puyo(step.pair.axis));
            self.shows(number + 1, half, false, true, 2);
            self.shows(number + 1, step.popped, false, false, 4);
            self.shows(number + 1, step.after, false, true, 1);
        }
        let next = u32::try_from(route.steps.len()).expect("few");
        self.shows(next, route.end(), true, true, FALLING);
    }

    fn rounds(self) -> Vec<PlayedRound> {
        self.reader.finish()
    }
}

fn results(checks: &[PairCheck]) -> Vec<PairResult> {
    checks.iter().map(|check| check.result).collect()
}

#[test]
fn a_route_that_is_played_is_as_planned_with_its_frames() {
    let route = route(&places());
    let mut player = Player::new();
    player.plays(&route);
    // The round is left: the board is emptied, the number stays.
    player.shows(3, Field::default(), true, true, 300);
    let rounds = player.rounds();
    let planned = planned(&route);
    assert_eq!((rounds.len(), first_pair(&rounds[0], &planned)), (1, Some(0)));
    let checks = compare(&rounds[0], &planned, 0);
    assert_eq!(results(&checks), [PairResult::AsPlanned; 3]);
    for (check, step) in checks.iter().zip(&route.steps) {
        assert_eq!((check.played, check.dealt), (Some(step.placement), Some(step.pair)));
        assert_eq!(check.after, Some(step.after));
    }
    let frames = |of: fn(&PairCheck) -> Option<SampledFrame>| -> Vec<u64> {
        checks.iter().map(|check| of(check).expect("sampled").frame).collect()
    };
    assert_eq!(frames(|check| check.appeared), [1004, 1017, 1030]);
    assert_eq!(frames(|check| check.landed), [1010, 1023, 1036]);
}

#[test]
fn a_misplaced_pair_and_the_boards_after_it_differ() {
    let mut other = places();
    other[1] = at(4, Rotation::Left);
    let mut player = Player::new();
    player.plays(&route(&other));
    let rounds = player.rounds();
    let planned = planned(&route(&places()));
    let checks = compare(&rounds[0], &planned, 0);
    let differs = PairResult::BoardDiffers;
    assert_eq!(results(&checks), [PairResult::AsPlanned, differs, differs]);
    let played: Vec<_> = checks.iter().map(|check| check.played).collect();
    assert_eq!(played, [Some(up(0)), Some(other[1]), Some(up(1))]);
}

#[test]
fn a_recording_that_ends_early_leaves_pairs_unplayed() {
    let route = route(&places());
    let mut player = Player::new();
    player.shows(0, route.start, true, true, FALLING);
    player.shows(1, route.steps[0].after, true, true, FALLING);
    let mut half = route.steps[0].after;
    half.drop(3, Cell::Puyo(Color::BLUE));
    player.shows(2, half, false, true, 2);
    let rounds = player.rounds();
    let checks = compare(&rounds[0], &planned(&route), 0);
    assert_eq!(results(&checks), [PairResult::AsPlanned, PairResult::Unplayed, PairResult::Unplayed]);
    // The same board for long is no pair that is still landing.
    let mut player = Player::new();
    player.shows(0, route.start, true, true, FALLING);
    player.shows(1, half, false, true, PERSISTS_FOR);
    let checks = compare(&player.rounds()[0], &planned(&route), 0);
    assert_eq!(checks[0].result, PairResult::BoardDiffers);
}

#[test]
fn rounds_are_divided_and_the_one_with_the_pairs_is_found() {
    let route = route(&places());
    let mut player = Player::new();
    player.plays(&route);
    // The pools of the next round are counted while the last pair of this one is still shown.
    player.counted = 2;
    player.shows(3, route.end(), true, true, 10);
    player.plays(&route);
    player.reader.interrupt();
    player.plays(&route);
    let rounds = player.rounds();
    assert_eq!(rounds.iter().map(PlayedRound::first_frame).collect::<Vec<_>>(), [1001, 1059, 1107]);
    let planned = planned(&route);
    assert!(rounds.iter().all(|round| first_pair(round, &planned) == Some(0)));
    let mut other = planned.clone();
    other.pairs[2].pair = MIXED;
    assert_eq!((first_pair(&rounds[0], &other), common_pairs(&rounds[0], &other)), (None, 2));
    let checks = compare(&rounds[0], &other, 0);
    assert_eq!(checks[2].result, PairResult::OtherPair);
    assert_eq!(checks[2].dealt, Some(RED));
}

#[test]
fn a_route_from_the_middle_of_a_round_is_found_by_its_board() {
    let all = route(&places());
    let start =
        Start { field: all.steps[0].after, pairs: PAIRS[1..].to_vec(), rules: Rules::TSU, target_points: 70 };
    let rest = Route::replay(&start, &places()[1..]).expect("playable");
    let mut player = Player::new();
    player.plays(&all);
    let (rounds, planned) = (player.rounds(), planned(&rest));
    assert_eq!(first_pair(&rounds[0], &planned), Some(1));
    assert_eq!(results(&compare(&rounds[0], &planned, 1)), [PairResult::AsPlanned; 2]);
}

#[test]
fn garbage_in_other_drawn_columns_is_as_planned_and_other_garbage_is_not() {
    let start = Start::empty(PAIRS.to_vec(), Rules::TSU);
    let attacks: Vec<Attack> = vec!["2@2".parse().expect("an attack")];
    let with =
        |columns: u8| Route::replay_against(&start, &attacks, &places(), &[columns]).expect("playable");
    let mut player = Player::new();
    player.plays(&with(0b11_0000));
    let rounds = player.rounds();
    let against = |route: &Route| results(&compare(&rounds[0], &planned(route), 0));
    let drawn = against(&with(0b11));
    assert_eq!(drawn[..2], [PairResult::AsPlanned, PairResult::OtherColumns]);
    assert!(drawn[1].is_as_planned());
    let unplanned = against(&route(&places()));
    assert_eq!(unplanned[..2], [PairResult::AsPlanned, PairResult::GarbageDiffers]);
    assert!(!unplanned[1].is_as_planned());
}

#[test]
fn frames_that_were_not_sampled_make_a_range() {
    let route = route(&places());
    let mut player = Player::new();
    player.shows(0, route.start, false, true, 2);
    player.frame += 3;
    player.shows(0, route.start, true, true, FALLING);
    let checks = compare(&player.rounds()[0], &planned(&route), 0);
    assert_eq!(checks[0].appeared, Some(SampledFrame { earliest: 1003, frame: 1006 }));
}

#[test]
fn what_is_no_route_is_refused_with_the_remedy() {
    for (text, what) in [
        ("number,pair", "--out FILE.json"),
        ("{\"schema\": 1, \"kind\": \"route\", \"start\": null, \"steps\": null}", "--steps"),
        ("{\"start\": {\"rows\": [\"......\"]}, \"steps\": []}", "no pairs"),
        ("{\"start\": {\"rows\": [\".\"]}, \"steps\": []}", "first board"),
    ] {
        let error = PlannedRoute::parse(text).expect_err(text).to_string();
        assert!(error.contains(what), "{error}");
    }
    let json = Listing::of(&route(&places()), None).expect("reachable").json().expect("JSON");
    let wrong = json.replacen("\"column\": 1", "\"column\": 7", 1);
    let error = PlannedRoute::parse(&wrong).expect_err("no such column").to_string();
    assert!(error.contains("pair 1") && error.contains("column 7"), "{error}");
}
