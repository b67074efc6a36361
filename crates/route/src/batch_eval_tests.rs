//! The vectorized values match the reference implementation on boards of every kind.

use super::*;
use crate::value::value;
use nextscope_boards::Color;
use nextscope_boards::puyo::{Cell, Rules, Simulator};

/// A small deterministic generator: the tests need many reproducible boards.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) % sides
    }
}

/// A board from random play without popping groups, with the given kinds of cells.
fn board(dice: &mut Dice, kinds: &[Cell], simulator: &Simulator) -> Field {
    let mut field = Field::default();
    let puyos = dice.roll(84);
    for _ in 0..puyos {
        let before = field;
        let column = usize::try_from(dice.roll(6)).unwrap_or(0);
        let kind = usize::try_from(dice.roll(kinds.len() as u64)).unwrap_or(0);
        field.drop(column, kinds[kind]);
        if dice.roll(8) > 0 {
            // Mostly without popping groups, so that boards fill.
            let mut fired = field;
            if simulator.fire(&mut fired).chain > 0 {
                field = before;
            }
        } else {
            simulator.fire(&mut field);
        }
    }
    simulator.fire(&mut field);
    field
}

fn compare(weights: &Weights, kinds: &[Cell], boards: usize) {
    let much = 2 * weights.chain;
    let simulator = Simulator::new(Rules::TSU);
    let mut dice = Dice(boards as u64);
    let mut batch = Batch::default();
    let mut waiting = Vec::new();
    let mut promising = 0;
    for nth in 0..boards {
        let mut field = board(&mut dice, kinds, &simulator);
        // Occasionally with a popping group.
        let column = usize::try_from(dice.roll(6)).unwrap_or(0);
        if dice.roll(8) == 0 {
            (0..4).for_each(|_| _ = field.drop(column, kinds[0]));
        }
        batch.push(&field);
        waiting.push(field);
        if batch.is_full() || nth + 1 == boards {
            let plain = waiting.drain(..).map(|field: Field| {
                let pops = simulator.fire(&mut field.clone()).chain > 0;
                (field, pops, if pops { 0 } else { value(&field, &simulator, weights) })
            });
            let plain: Vec<(Field, bool, i32)> = plain.collect();
            promising += plain.iter().filter(|(_, _, expected)| *expected > much).count();
            for vectors in Vectors::all() {
                let evaluated = batch.clone().evaluate(vectors, weights);
                for (lane, (field, pops, expected)) in plain.iter().enumerate() {
                    let name = vectors.name();
                    assert_eq!(evaluated.pops >> lane & 1 == 1, *pops, "{name}: {field:?}");
                    if !pops {
                        assert_eq!(evaluated.values[lane], *expected, "{name}: {field:?}");
                    }
                }
            }
            batch.evaluate(Vectors::widest(), weights);
            assert!(!batch.is_full(), "the batch was emptied");
        }
    }
    assert!(promising > boards / 100, "only {promising} of {boards} boards have a potential chain");
}

const FOUR: [Cell; 4] =
    [Cell::Puyo(Color::RED), Cell::Puyo(Color::GREEN), Cell::Puyo(Color::BLUE), Cell::Puyo(Color::YELLOW)];

#[test]
fn four_colors_match_the_reference() {
    compare(&Weights::CHAIN, &FOUR, 6_000);
}

#[test]
fn three_and_five_colors_garbage_and_hard_blocks_match_the_reference() {
    let purple = Cell::Puyo(Color::PURPLE);
    compare(&Weights::CHAIN, &[FOUR[0], purple, FOUR[2]], 2_001);
    compare(&Weights::CHAIN, &[FOUR[0], FOUR[1], FOUR[2], FOUR[3], purple], 3_000);
    compare(&Weights::CHAIN, &[FOUR[0], FOUR[1], FOUR[2], purple, Cell::Ojama], 3_000);
    let hard = [FOUR[0], FOUR[1], FOUR[0], FOUR[1], FOUR[3], Cell::Ojama, Cell::Hard];
    compare(&Weights::CHAIN, &hard, 2_000);
}

#[test]
fn other_weights_match_the_reference() {
    compare(&Weights { max_chain: 3, cell: -7, ..Weights::CHAIN }, &FOUR, 1_500);
}
