//! What ignitions are worth: the library against the vectors, against the document's sentences, and against a plain transcription of
//! the rules that shares nothing with it.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod boards;
mod building;
mod random;
mod sentences;
mod transcription;
mod turned;

use boards::{at, place};
use nextscope::pochi::{Board, Color, Field, Ignition, Rules, Ruleset, evaluate};
use std::collections::BTreeSet;
use transcription::{Answers, At, ignite};

/// The blocks `#` of a grid, the cell `n` of the needle, and the grid as a field with blue blocks.
pub fn read(grid: &str) -> (BTreeSet<At>, Option<At>, Field) {
    let find = |sought: char| {
        let rows = grid.split_whitespace().zip(0i32..);
        rows.flat_map(move |(row, y)| {
            row.chars().zip(0i32..).filter(move |(cell, _)| *cell == sought).map(move |(_, x)| (x, y))
        })
    };
    let field = Field::from_text(&grid.replace('#', "B").replace('n', ".")).expect("a field");
    (find('#').collect(), find('n').next(), field)
}

#[test]
fn every_vector_holds_for_the_transcription_and_for_the_library() {
    let vectors: serde_json::Value =
        serde_json::from_str(include_str!("../../crates/boards/src/pochi/vectors.json")).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let rows: Vec<&str> =
            case["grid"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
        let (blocks, _, field) = read(&rows.join("\n"));
        let number = |value: &serde_json::Value| i32::try_from(value.as_i64().unwrap()).unwrap();
        let ignited: Vec<At> = case["ignited"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| (number(&cell[0]), number(&cell[1])))
            .collect();
        let ignition = Ignition::Blocks(ignited.iter().copied().map(place).collect());
        let fast = Board::values(&field, &ignition, Rules::default()).unwrap();
        assert_eq!(fast.is_none(), rows.len() > 16, "{name}");
        for (ruleset, id) in [(Ruleset::Mvs, "mvs"), (Ruleset::Ps2, "ps2")] {
            let value = case[id]["value"].as_u64().unwrap();
            let tails: Vec<Vec<u64>> = serde_json::from_value(case[id]["tails"].clone()).unwrap();
            let transcribed = ignite(&blocks, &ignited, ruleset == Ruleset::Mvs, Answers::FIRST);
            assert_eq!(
                (transcribed.value, transcribed.values()),
                (value, tails.clone()),
                "{name}, {ruleset}"
            );
            let one = evaluate(&field, &ignition, ruleset, Rules::default()).unwrap();
            let values: Vec<Vec<u64>> = one
                .structures
                .iter()
                .map(|one| one.tails.iter().map(|tail| tail.value.into()).collect())
                .collect();
            assert_eq!((u64::from(one.value), values), (value, tails), "{name}, {ruleset}");
            if let Some(fast) = fast {
                assert_eq!(u64::from(fast.under(ruleset)), value, "{name}, {ruleset}");
            }
        }
    }
}

/// An ignition as the transcription takes it: which blocks there are without the needle's cell, and which of them ignite.
pub fn plainly(
    field: &Field,
    color: Color,
    ignition: &Ignition,
    answers: Answers,
) -> (BTreeSet<At>, Vec<At>) {
    let mut blocks = boards::blocks(field, color);
    match ignition {
        Ignition::Needle { at: needle, .. } => {
            blocks.remove(&at(*needle));
            let starts = transcription::touched(&blocks, at(*needle), answers);
            (blocks, starts)
        }
        Ignition::Blocks(named) => {
            let mut starts: Vec<At> = Vec::new();
            for place in named {
                if !starts.contains(&at(*place)) {
                    starts.push(at(*place));
                }
            }
            (blocks, starts)
        }
    }
}
