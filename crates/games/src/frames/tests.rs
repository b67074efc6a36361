//! What measurements say together, and the timer on moments made by hand.

use super::*;
use crate::profile::{FrameStatus, FrameTimes};
use nextscope_boards::puyo::{FallingPair, Field, Rules, field_from_rows};
use nextscope_boards::{Color, Pair};

fn estimate(values: &[(u32, u32, u32)]) -> Estimate {
    let mut measurement = Measurement::default();
    for (least, most, count) in values {
        for at in 0..*count {
            let frames = Span { least: *least, most: *most };
            measurement.add(&PartTime { part: Part::Next, frames, at: at.into(), held: 0 });
        }
    }
    let times = measurement.times();
    times.into_iter().find(|(part, _)| *part == Part::Next).map(|(_, estimate)| estimate).expect("listed")
}

#[test]
fn one_value_that_fits_everything_is_exact() {
    let exact = estimate(&[(8, 8, 3), (7, 9, 2), (8, 30, 1)]);
    assert_eq!((exact.certainty, exact.value(), exact.count()), (Certainty::Exact, Some(8), 6));
    assert_eq!(exact.possible_within_a_frame, Some(Span { least: 7, most: 9 }));
    // Ranges that only one value fits may be off by a frame like other samples. In BlastEm, 60 frames were seen like this.
    let narrowed = estimate(&[(5, 8, 2), (8, 12, 1)]);
    assert_eq!((narrowed.certainty, narrowed.value()), (Certainty::Few, None));
    let lost = estimate(&[(58, 59, 1), (59, 59, 1), (59, 60, 1)]);
    assert_eq!((lost.certainty, lost.possible), (Certainty::Few, Some(Span { least: 58, most: 60 })));
    let few = estimate(&[(8, 8, 2)]);
    assert_eq!(
        (few.certainty, few.value(), few.possible),
        (Certainty::Few, None, Some(Span { least: 7, most: 9 }))
    );
    let between = estimate(&[(5, 8, 1), (7, 12, 1)]);
    assert_eq!((between.certainty, between.value()), (Certainty::Between, None));
    assert_eq!(between.possible, Some(Span { least: 6, most: 9 }));
}

#[test]
fn samples_inside_a_frame_are_not_taken_for_a_contradiction() {
    let blurred = estimate(&[(23, 23, 1), (24, 24, 40), (25, 25, 2)]);
    assert_eq!((blurred.certainty, blurred.value()), (Certainty::WithinAFrame, Some(24)));
    assert_eq!(blurred.seen.len(), 3, "nothing is averaged away");
    let one_side = estimate(&[(4, 4, 106), (5, 5, 1)]);
    assert_eq!((one_side.certainty, one_side.value()), (Certainty::WithinAFrame, Some(4)));
    // Too often, or too far: two values may be right.
    for values in [
        &[(11, 11, 5), (12, 12, 17)][..],
        &[(23, 23, 20), (24, 24, 40), (25, 25, 20)],
        &[(24, 24, 40), (27, 27, 1)],
        &[(2, 2, 9), (3, 3, 8)],
    ] {
        let contradiction = estimate(values);
        assert_eq!(
            (contradiction.certainty, contradiction.value()),
            (Certainty::Contradiction, None),
            "{values:?}"
        );
    }
    assert_eq!(estimate(&[(2, 2, 9), (3, 3, 8)]).most_frequent(), Some(2));
    assert_eq!(estimate(&[(2, 2, 9), (3, 3, 9)]).most_frequent(), None);
    assert_eq!(estimate(&[]).certainty, Certainty::NotSeen);
}

#[test]
fn a_table_is_of_the_player_who_was_measured_until_the_other_takes_as_long() {
    let text =
        crate::profile::built_in_files().iter().find(|(_, text)| text.contains("[frames]")).expect("one").1;
    let profile = crate::profile::parse(text, "built in").0.expect("valid");
    let old = profile.frames.expect("a table");
    let measure = |next: u32| {
        let mut measurement = Measurement::default();
        let mut add = |part, held| {
            let frames = Span::exactly(held);
            (0..3).for_each(|at| measurement.add(&PartTime { part, frames, at, held }));
        };
        add(Part::Next, next);
        for part in
            [Part::Release, Part::Fall, Part::Lock(0), Part::Lock(1), Part::OnlyChain(0), Part::OnlyChain(1)]
        {
            add(part, 20);
        }
        // A button counts at once.
        add(Part::Press, 1);
        measurement.times()
    };
    let options = TableOptions { only_measured: true, ..TableOptions::default() };
    let written = |times: &Times, old: &FrameTimes, player| {
        let frames = table(times, Some(old), options, player, "run.nsrec").expect("complete");
        crate::profile::with_frames(text, &frames).expect("valid").profile.frames.expect("a table")
    };
    let player = |frames: &FrameTimes| frames.player.map(std::num::NonZeroU8::get);
    let first = written(&measure(7), &old, 1);
    assert_eq!((first.status, player(&first), &first.note), (FrameStatus::Measured, Some(1), &None));
    assert_eq!(player(&written(&measure(7), &first, 1)), Some(1), "once more");
    let both = written(&measure(7), &first, 2);
    assert_eq!(player(&both), None, "equal");
    assert_eq!(player(&written(&measure(7), &both, 1)), None, "still");
    assert_eq!(player(&written(&measure(8), &first, 2)), Some(2), "another time");
    assert_eq!(player(&written(&measure(8), &both, 2)), Some(2), "of both no longer");
}

#[test]
fn rows_are_listed_as_spans() {
    let texts = [&[1][..], &[0], &[0, 1], &[0, 3, 4, 5, 12]].map(rows_text);
    assert_eq!(texts, ["1 row", "0 rows", "0, 1 rows", "0, 3 to 5, 12 rows"]);
}

const PAIR: Pair = Pair { axis: Color::RED, child: Color::BLUE };

fn moment(rows: &[&str], dealt: u16, falling: Option<FallingPair>, held: Held) -> Moment {
    Moment {
        field: Some(field_from_rows(rows).expect("a board")),
        rules: Some(Rules::TSU),
        dealt,
        next: PAIR,
        falling,
        held: Some(held),
        pausing: false,
    }
}

/// A pair in the first column that falls two rows, locks after three frames, and is followed by the next one after five.
fn pair() -> Vec<Moment> {
    let at = |row| Some(FallingPair { column: 0, row, turns: 0 });
    let empty = |row| moment(&["......"], 1, at(row), Held::DOWN);
    let landed = moment(&["B.....", "R....."], 1, None, Held::NONE);
    let mut all = vec![moment(&["......"], 0, None, Held::NONE)];
    all.extend([3, 2, 1, 0, 0, 0].map(empty));
    all.extend([landed; 5]);
    all.push(Moment { dealt: 2, falling: at(11), ..landed });
    all
}

fn measured(moments: &[(u64, Moment)]) -> Vec<(Part, Span)> {
    let mut timer = PartTimer::default();
    moments
        .iter()
        .flat_map(|(frame, moment)| timer.step(*frame, moment))
        .map(|time| (time.part, time.frames))
        .collect()
}

#[test]
fn a_pair_is_timed_from_deal_to_deal() {
    let all: Vec<_> = (100..).zip(pair()).collect();
    let exactly = Span::exactly;
    let expected = [
        (Part::Fall, exactly(1)),
        (Part::Fall, exactly(1)),
        (Part::Lock(0), exactly(3)),
        (Part::Next, exactly(5)),
    ];
    assert_eq!(measured(&all), expected);
    // The first frame on the board is lost: the time to the next pair is an interval, and the lock is left out.
    let lost: Vec<_> = all.iter().filter(|(frame, _)| *frame != 107).copied().collect();
    assert_eq!(measured(&lost)[2..], [(Part::Next, Span { least: 4, most: 5 })]);
}

#[test]
fn a_pair_that_rested_before_tells_nothing_of_the_lock() {
    // It appears on a column, is moved off it, falls a row and locks: some games count all frames in which it rests.
    let rows = ["..O...", "..O..."];
    let at = |column, row| Some(FallingPair { column, row, turns: 1 });
    let step = |falling, held| moment(&rows, 1, falling, held);
    let all = [
        moment(&rows, 0, None, Held::NONE),
        step(at(2, 2), Held::NONE),
        step(at(2, 2), Held::NONE),
        step(at(3, 2), Held::RIGHT),
        step(at(3, 1), Held::DOWN),
        step(at(3, 0), Held::DOWN),
        step(at(3, 0), Held::DOWN),
        moment(&["..O...", "..ORB."], 1, None, Held::DOWN),
    ];
    let numbered = |moments: [Moment; 8]| (0..).zip(moments).collect::<Vec<_>>();
    let parts: Vec<Part> = measured(&numbered(all)).into_iter().map(|(part, _)| part).collect();
    assert_eq!(parts, [Part::Press, Part::Fall]);
    // The same pair, dealt where it does not rest.
    let mut free = all;
    free[1].falling = at(3, 2);
    free[2].falling = at(3, 2);
    free[3].held = Some(Held::NONE);
    assert_eq!(
        measured(&numbered(free)),
        [(Part::Fall, Span::exactly(1)), (Part::Lock(0), Span::exactly(2))]
    );
}

#[test]
fn a_pause_a_lost_board_and_a_long_gap_are_not_timed() {
    let mut paused: Vec<_> = (100..).zip(pair()).collect();
    paused[8].1.pausing = true;
    assert!(measured(&paused).iter().all(|(part, _)| *part != Part::Next));
    let mut cleared: Vec<_> = (100..).zip(pair()).collect();
    if let Some((_, last)) = cleared.last_mut() {
        last.field = Some(Field::default());
    }
    assert!(measured(&cleared).iter().all(|(part, _)| *part != Part::Next));
    let gap = pair()
        .into_iter()
        .enumerate()
        .map(|(nth, moment)| (if nth < 9 { 100 } else { 1000 } + nth as u64, moment));
    assert!(measured(&gap.collect::<Vec<_>>()).iter().all(|(part, _)| *part != Part::Next));
}
