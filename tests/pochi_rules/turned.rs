//! Boards mirrored and turned.

use crate::boards::{Draw, at, place, rules};
use crate::transcription::{Answers, At};
use nextscope::pochi::{Evaluation, Field, GridCell, Ignition, Ruleset, evaluate};

/// The field and the ignition with every cell moved, in a field of `columns` columns and `rows` rows.
fn moved(field: &Field, ignition: &Ignition, size: (usize, usize), to: fn(At) -> At) -> (Field, Ignition) {
    let mut other = Field::empty(size.0, size.1).unwrap();
    let to = |from: GridCell| place(to(at(from)));
    for cell in field.places() {
        other.set(to(cell), field.get(cell));
    }
    let ignition = match ignition {
        Ignition::Needle { at, color } => Ignition::Needle { at: to(*at), color: *color },
        Ignition::Blocks(blocks) => Ignition::Blocks(blocks.iter().copied().map(to).collect()),
    };
    (other, ignition)
}

/// The values of the tails of all structures, in an order that does not depend on that of the starts.
fn tails(one: &Evaluation) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> =
        one.structures.iter().map(|one| one.tails.iter().map(|tail| tail.value).collect()).collect();
    all.sort();
    all
}

fn worth(field: &Field, ignition: &Ignition, ruleset: Ruleset, answers: Answers) -> (u32, Vec<Vec<u32>>) {
    let one = evaluate(field, ignition, ruleset, rules(answers)).unwrap();
    (one.value, tails(&one))
}

/// So many boards with something to ignite.
fn boards(from: u64, count: u64) -> impl Iterator<Item = (Field, Ignition, Answers)> {
    (from..from + count).filter_map(|seed| {
        let mut draw = Draw::new(seed);
        let field = draw.board();
        let (_, ignition) = draw.ignition(&field)?;
        Some((field, ignition, draw.answers()))
    })
}

#[test]
fn mirrored_boards_are_worth_the_same_with_the_answers_mirrored() {
    let mut needed = 0;
    for (field, ignition, answers) in boards(2 << 32, 3_000) {
        let (other, mirrored) = moved(&field, &ignition, (7, 12), |(x, y)| (6 - x, y));
        let swapped = Answers { from_left: !answers.from_left, ..answers };
        for ruleset in Ruleset::ALL {
            let own = worth(&field, &ignition, ruleset, answers);
            assert_eq!(own, worth(&other, &mirrored, ruleset, swapped), "{ignition:?}\n{}", field.to_text());
            needed += u32::from(own != worth(&other, &mirrored, ruleset, answers));
        }
    }
    // Without the swap they are not always.
    assert!(needed > 20, "{needed}");
}

#[test]
fn boards_upside_down_are_worth_the_same_with_the_answers_upside_down() {
    let mut needed = 0;
    for (field, ignition, mut answers) in boards(3 << 32, 3_000) {
        // Turned over, the block above the needle is the one below.
        answers.block_above = true;
        let (other, turned) = moved(&field, &ignition, (7, 12), |(x, y)| (x, 11 - y));
        let swapped = Answers { from_above: !answers.from_above, ..answers };
        for ruleset in Ruleset::ALL {
            let own = worth(&field, &ignition, ruleset, answers);
            assert_eq!(own, worth(&other, &turned, ruleset, swapped), "{ignition:?}\n{}", field.to_text());
            needed += u32::from(own != worth(&other, &turned, ruleset, answers));
        }
    }
    assert!(needed > 20, "{needed}");
}

#[test]
fn a_quarter_turn_matters_where_waves_cannot_merge() {
    let (mut one_start, mut ps2, mut several) = (0, 0, 0);
    for (field, ignition, mut answers) in boards(4 << 32, 3_000) {
        answers.block_above = true;
        let (other, turned) = moved(&field, &ignition, (12, 7), |(x, y)| (11 - y, x));
        let same =
            |ruleset| worth(&field, &ignition, ruleset, answers) == worth(&other, &turned, ruleset, answers);
        let starts = evaluate(&field, &ignition, Ruleset::Mvs, rules(answers))
            .unwrap()
            .waves
            .first()
            .map_or(0, Vec::len);
        if starts == 1 {
            one_start += 1;
            assert!(same(Ruleset::Mvs), "{ignition:?}\n{}", field.to_text());
        }
        several += u32::from(starts == 2 && !same(Ruleset::Mvs));
        ps2 += u32::from(!same(Ruleset::Ps2));
    }
    assert!(one_start > 500 && several > 20 && ps2 > 200, "{one_start} {several} {ps2}");
}

/// Boards from such a search, and figures 2 and 3: each, and a quarter turn to the right of it.
#[test]
fn these_boards_change_with_a_quarter_turn() {
    let found = [
        ("figure 3", "#..\n##n\n###", Ruleset::Mvs, 7, 6),
        ("a rectangle with the needle on its corner", "n.\n##\n##\n##\n##\n##\n##\n##", Ruleset::Ps2, 15, 35),
        ("a full lump with two starts", "n#.\n###\n###", Ruleset::Mvs, 7, 6),
        ("two starts that share no direction", "#.n#\n####\n###.", Ruleset::Mvs, 12, 13),
        ("a lump with one start", "n.#\n###\n###", Ruleset::Ps2, 13, 8),
        ("two starts on a bridge", "n#.\n###\n#.#", Ruleset::Ps2, 6, 7),
    ];
    for (name, grid, ruleset, upright, turned) in found {
        let (_, needle, field) = crate::read(grid);
        let ignition = Ignition::Needle { at: place(needle.unwrap()), color: None };
        // The turn within a square, so that one function does for all.
        let mut square = Field::empty(12, 12).unwrap();
        for cell in field.places() {
            square.set(cell, field.get(cell));
        }
        let (other, ignition_turned) = moved(&square, &ignition, (12, 12), |(x, y)| (11 - y, x));
        let values = [
            worth(&square, &ignition, ruleset, Answers::FIRST).0,
            worth(&other, &ignition_turned, ruleset, Answers::FIRST).0,
        ];
        assert_eq!(values, [upright, turned], "{name}");
        assert_ne!(upright, turned, "{name}");
    }
}
