//! Random boards: the library agrees with the transcription, whatever the answers to the open questions.

use crate::boards::{Draw, at, rules};
use crate::plainly;
use crate::transcription::{Answers, At, Ignited, ignite};
use nextscope::pochi::{
    Board, Choice, Color, Evaluation, Field, GridCell, Ignition, RuleQuestion, Ruleset, Values, evaluate,
    one_more, rank,
};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};

/// As many boards as the issue asks for.
const BOARDS: u64 = 100_000;

/// Each structure's tails, in an order of their own.
fn ends(transcribed: &Ignited) -> Vec<BTreeSet<&(At, BTreeSet<At>)>> {
    transcribed.tails.iter().map(|tails| tails.iter().collect()).collect()
}

fn places(all: &[GridCell]) -> BTreeSet<At> {
    all.iter().copied().map(at).collect()
}

/// Base, bonus and value, every tail with what it visited, every wave.
fn compare(transcribed: &Ignited, one: &Evaluation, context: &dyn Fn() -> String) {
    let values = (u64::from(one.value), u64::from(one.base), u64::from(one.bonus));
    assert_eq!(values, (transcribed.value, transcribed.base, transcribed.bonus), "{}", context());
    assert_eq!(one.structures.len(), transcribed.tails.len(), "{}", context());
    for (structure, tails) in one.structures.iter().zip(&transcribed.tails) {
        let found: BTreeSet<(At, BTreeSet<At>)> =
            structure.tails.iter().map(|tail| (at(tail.at), places(&tail.visited))).collect();
        assert_eq!(found, tails.iter().cloned().collect(), "{}", context());
        assert!(
            structure.tails.iter().all(|tail| tail.value as usize == tail.visited.len()),
            "{}",
            context()
        );
    }
    let waves: Vec<BTreeSet<At>> =
        one.waves.iter().map(|wave| wave.iter().map(|block| at(block.at)).collect()).collect();
    assert_eq!(waves, transcribed.steps, "{}", context());
}

/// What flipping one answer makes of it is what the openings say; a question that is not among them changes nothing.
fn compare_openings(field: &Field, color: Color, ignition: &Ignition, answers: Answers, one: &Evaluation) {
    let is_mvs = one.ruleset == Ruleset::Mvs;
    let with = |answers: Answers| {
        let (blocks, starts) = plainly(field, color, ignition, answers);
        ignite(&blocks, &starts, is_mvs, answers)
    };
    let own = with(answers);
    let all: Vec<u64> = Answers::all().map(|answers| with(answers).value).collect();
    assert_eq!(Some(u64::from(one.lowest)), all.iter().copied().min(), "{ignition:?}\n{}", field.to_text());
    assert_eq!(Some(u64::from(one.highest)), all.iter().copied().max(), "{ignition:?}\n{}", field.to_text());
    for question in RuleQuestion::ALL {
        let mut other = answers;
        let answer = match question {
            RuleQuestion::VerticalTie => &mut other.from_above,
            RuleQuestion::HorizontalTie => &mut other.from_left,
            RuleQuestion::BlockAbove => &mut other.block_above,
            RuleQuestion::ManyStarts => &mut other.each_its_own,
            RuleQuestion::OnlySingles => &mut other.singles_count,
        };
        let taken = if *answer { Choice::First } else { Choice::Second };
        *answer = !*answer;
        let flipped = with(other);
        let differs = (flipped.value, ends(&flipped)) != (own.value, ends(&own));
        match one.open_questions.iter().find(|opening| opening.question == question) {
            Some(opening) => {
                assert_eq!(opening.taken, taken);
                assert_eq!(
                    u64::from(opening.other_value),
                    flipped.value,
                    "{question:?} {ignition:?}\n{}",
                    field.to_text()
                );
                assert_eq!(opening.mattered, differs, "{question:?} {ignition:?}\n{}", field.to_text());
            }
            None => assert!(!differs, "{question:?} did not come up {ignition:?}\n{}", field.to_text()),
        }
    }
}

#[test]
fn random_boards_are_worth_what_the_transcription_says() {
    let counts: [AtomicU32; 6] = Default::default();
    let count = |nth: usize, counts_it: bool| counts[nth].fetch_add(counts_it.into(), Ordering::Relaxed);
    (0..BOARDS).into_par_iter().for_each(|seed| {
        let mut draw = Draw::new(seed);
        let (field, color, ignition) = loop {
            let field = draw.board();
            if let Some((color, ignition)) = draw.ignition(&field) {
                break (field, color, ignition);
            }
        };
        let answers = draw.answers();
        let (blocks, starts) = plainly(&field, color, &ignition, answers);
        let context = || format!("board {seed}, {ignition:?}, {answers:?}\n{}", field.to_text());
        let fast =
            Board::values(&field, &ignition, rules(answers)).expect("a good ignition").expect("it fits");
        if let Ignition::Needle { at, color: Some(color) } = ignition {
            let board = Board::new(&field).expect("it fits");
            assert_eq!(board.needle(at, color, rules(answers)), fast, "{}", context());
        }
        for ruleset in Ruleset::ALL {
            let transcribed = ignite(&blocks, &starts, ruleset == Ruleset::Mvs, answers);
            assert_eq!(u64::from(fast.under(ruleset)), transcribed.value, "{}", context());
            let one = evaluate(&field, &ignition, ruleset, rules(answers)).expect("a good ignition");
            compare(&transcribed, &one, &context);
            count(2, one.bonus > 0);
            count(3, one.open_questions.iter().any(|opening| opening.mattered));
            count(4, one.structures.len() > 1 && one.max_tails > 1);
            count(5, one.max_tails >= 8);
            if seed % 100 == 0 {
                compare_openings(&field, color, &ignition, answers, &one);
            }
        }
        count(0, starts.len() == 1);
        count(1, starts.len() > 2);
    });
    // Every kind of ignition was among them, and often.
    let counts = counts.map(AtomicU32::into_inner);
    println!(
        "one start, more than two, bonus, open question that matters, several with tails, eight tails: {counts:?}"
    );
    assert!(counts.iter().all(|count| *count > 2_000), "{counts:?}");
}

#[test]
fn rankings_and_blocks_to_add_hold_for_whole_boards() {
    (0..60u64).into_par_iter().for_each(|seed| {
        let mut draw = Draw::new(1 << 32 | seed);
        let (field, answers) = (draw.board(), draw.answers());
        let value = |field: &Field, ignition: &Ignition| {
            let worth = |ruleset| evaluate(field, ignition, ruleset, rules(answers)).expect("good").value;
            Values { mvs: worth(Ruleset::Mvs), ps2: worth(Ruleset::Ps2) }
        };
        for ruleset in Ruleset::ALL {
            let ranked = rank(&field, ruleset, rules(answers));
            assert!(ranked.is_sorted_by_key(|one| {
                (u32::MAX - one.values.under(ruleset), one.at.y, one.at.x, one.color)
            }));
            let by_needle: HashMap<_, _> = ranked.iter().map(|one| ((one.at, one.color), one)).collect();
            assert_eq!(by_needle.len(), ranked.len());
            for at in field.places() {
                for color in Color::ALL {
                    let touches = [(0, -1), (-1, 0), (1, 0), (0, 1)].into_iter().any(|(right, down)| {
                        at.moved(right, down).is_some_and(|beside| field.get(beside) == Some(color))
                    });
                    let found = by_needle.get(&(at, color));
                    assert_eq!(found.is_some(), touches, "{at} {color}\n{}", field.to_text());
                    if let Some(found) = found {
                        let ignition = Ignition::Needle { at, color: Some(color) };
                        assert_eq!(
                            found.values,
                            value(&field, &ignition),
                            "{at} {color}\n{}",
                            field.to_text()
                        );
                        let below = GridCell::new(at.x, at.y + 1);
                        let rests = field.get(at).is_none() && (at.y == 11 || field.get(below).is_some());
                        assert_eq!(found.rests, rests, "{at}");
                    }
                }
            }
        }
        let Some((color, ignition)) = draw.ignition(&field) else { return };
        let mut more = one_more(&field, &ignition, rules(answers)).expect("good");
        for place in field.places().filter(|place| field.get(*place).is_none()) {
            if matches!(ignition, Ignition::Needle { at, .. } if at == place) {
                continue;
            }
            let mut with = field.clone();
            with.set(place, Some(color));
            assert_eq!((place, value(&with, &ignition)), more.remove(0), "{ignition:?}\n{}", field.to_text());
        }
        assert!(more.is_empty());
    });
}
