//! Chains: the well-known board, and the fast version compared with the plain one on boards of random play.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use nextscope::puyo::reference;
use nextscope::puyo::{COLUMNS, Cell, Field, Fired, Rules, Simulator, field_from_rows};
use nextscope_boards::{Color, Vectors};
use proptest::prelude::*;

fn plainly(field: &mut Field, rules: Rules) -> Fired {
    let steps = reference::fire(field, rules);
    Fired { chain: u32::try_from(steps.len()).unwrap(), score: steps.iter().map(|step| step.points).sum() }
}

#[test]
fn the_well_known_board_counts_nineteen() {
    let text = include_str!("../crates/boards/src/puyo/vectors.json");
    let vector: serde_json::Value = serde_json::from_str(text).unwrap();
    let rows: Vec<&str> =
        vector["rows_top_to_bottom"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
    let board = field_from_rows(&rows).unwrap();
    let known = Fired {
        chain: vector["chain"].as_u64().unwrap().try_into().unwrap(),
        score: vector["score"].as_u64().unwrap().try_into().unwrap(),
    };
    let mut plain = board;
    assert_eq!(plainly(&mut plain, Rules::TSU), known);
    for vectors in Vectors::all() {
        let (name, simulator) = (vectors.name(), Simulator::with(Rules::TSU, vectors));
        let mut fast = board;
        assert_eq!((simulator.fire(&mut fast), fast), (known, plain), "{name}");
        let mut each = [board; 5];
        let mut fired = [Fired::default(); 5];
        simulator.fire_each(&mut each, &mut fired);
        assert_eq!((each, fired), ([plain; 5], [known; 5]), "{name}");
    }
}

/// Boards of random play with this many colours; what just fell has not popped yet.
fn random_play(boards: usize, colors: usize, nuisance: bool, seed: u64) -> Vec<Field> {
    let mut state = seed;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) * below) >> 31
    };
    let mut field = Field::default();
    let mut played = Vec::with_capacity(boards);
    while played.len() < boards {
        let column = usize::try_from(random(COLUMNS as u64)).unwrap();
        let other = match random(4) {
            1 => column + 1,
            3 => column.wrapping_sub(1),
            _ => column,
        };
        if other >= COLUMNS {
            continue;
        }
        let mut full = false;
        for column in [column, other] {
            let cell = match random(8) {
                0 if nuisance => Cell::Ojama,
                1 if nuisance && random(2) == 0 => Cell::Hard,
                _ => Cell::Puyo(Color::PAIR_COLORS[usize::try_from(random(colors as u64)).unwrap()]),
            };
            full |= !field.drop(column, cell);
        }
        if full {
            field = Field::default();
            continue;
        }
        played.push(field);
        reference::fire(&mut field, Rules::TSU);
    }
    played
}

#[test]
fn a_million_boards_agree() {
    let mut steps = 0;
    for (seed, (colors, nuisance)) in
        [(4, false), (4, true), (5, false), (5, true), (3, false)].into_iter().enumerate()
    {
        let boards = random_play(200_000, colors, nuisance, seed as u64);
        let mut plain = boards.clone();
        let known: Vec<Fired> = plain.iter_mut().map(|board| plainly(board, Rules::TSU)).collect();
        steps += known.iter().map(|fired| fired.chain).sum::<u32>();
        for vectors in Vectors::all() {
            let (name, simulator) = (vectors.name(), Simulator::with(Rules::TSU, vectors));
            let mut each = boards.clone();
            let mut fired = vec![Fired::default(); each.len()];
            simulator.fire_each(&mut each, &mut fired);
            for (number, board) in boards.iter().enumerate() {
                let known = (known[number], plain[number]);
                let mut alone = *board;
                assert_eq!((fired[number], each[number]), known, "{name} {board:?}");
                assert_eq!((simulator.fire(&mut alone), alone), known, "{name} {board:?}");
            }
        }
    }
    assert!(steps > 100_000, "many boards pop: {steps}");
}

proptest! {
    /// Any cells at all, floating ones dropped first, and any group size.
    #[test]
    fn any_board_agrees_under_any_rules(
        cells in proptest::collection::vec(0usize..8, COLUMNS * 14),
        group in prop_oneof![Just(4), 2u32..=6],
        first in any::<bool>(),
    ) {
        let mut board = Field::default();
        for (nth, cell) in cells.iter().enumerate() {
            let cell = match cell {
                0..5 => Cell::Puyo(Color::PAIR_COLORS[*cell]),
                5 => Cell::Ojama,
                6 => Cell::Hard,
                _ => Cell::Empty,
            };
            board.set(nth % COLUMNS, nth / COLUMNS, cell);
        }
        board.settle();
        let rules = Rules { group, ..if first { Rules::FIRST } else { Rules::TSU } };
        let mut plain = board;
        let known = plainly(&mut plain, rules);
        for vectors in Vectors::all() {
            let (name, simulator) = (vectors.name(), Simulator::with(rules, vectors));
            let mut fast = board;
            prop_assert_eq!((simulator.fire(&mut fast), fast), (known, plain), "{}", name);
        }
    }
}
