//! Garbage: what a chain sends, how much falls after a pair, and into which columns.
//!
//! Sources: for Puyo Puyo and Mean Bean Machine the disassembly of Puyo Puyo for the Mega Drive (Nasina7/puyodisasm, puyo.asm: the loop of a
//! player `loc_00003206`, the fall `loc_00003BB2`, the order of the columns `loc_00003CE0`, the free rows `loc_00003D0E`, the columns
//! `loc_00003D38`, the garbage of a chain `loc_00008592`). For Puyo Puyo Tsu the Puyo Nexus wiki ("Offset rule": what was not offset falls
//! as soon as the chain ends; "Nuisance queue": at most 30 fall at once; "All clear"), and six random columns before each fall as in Puyo
//! Puyo (reference 1.6); that a full column keeps garbage waiting was not looked up in its code.

use super::field::{COLUMNS, Cell, Field, VISIBLE_ROWS};

/// The rows that garbage fills, from the floor: the visible ones and one hidden row (`loc_00003D0E` counts the free cells of 13 rows).
pub const GARBAGE_ROWS: usize = 13;
/// The puyos of a full row.
const ROW: u32 = 6;

/// How a game treats garbage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GarbageRules {
    /// Whether a chain first reduces the garbage that waits for its own player.
    pub offsets: bool,
    /// The most puyos that fall after one pair; the others wait.
    pub most: u32,
    /// What an all clear adds to the garbage of the next chain.
    pub all_clear: u32,
}

impl GarbageRules {
    /// Puyo Puyo Tsu and later games with its rules: offsets, 30 at once, 30 for an all clear.
    pub const TSU: Self = Self { offsets: true, most: 30, all_clear: 30 };
    /// Puyo Puyo and Mean Bean Machine: no offset and no bonus (reference of further games, A.9); 0x1E at once (`loc_00003D38`).
    pub const FIRST: Self = Self { offsets: false, most: 0x1E, all_clear: 0 };
}

/// The garbage of one player between two pairs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct GarbageState {
    /// Puyos that will fall onto the own board.
    pub waiting: u32,
    /// Points that were too few for another puyo.
    pub points: u32,
    /// Whether the last chain left nothing on the board.
    pub cleared: bool,
}

/// What the garbage of a chain was used for, in puyos.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChainGarbage {
    /// Puyos that no longer wait for the own player.
    pub offset: u32,
    /// Puyos for the opponent.
    pub sent: u32,
}

impl GarbageState {
    /// Adds a chain with these points, which may have emptied the board. `target_points` are the points for one puyo.
    pub fn add_chain(
        &mut self,
        points: u32,
        empties: bool,
        target_points: u32,
        rules: GarbageRules,
    ) -> ChainGarbage {
        let (points, target) = (self.points.saturating_add(points), target_points.max(1));
        self.points = points % target;
        let bonus = if std::mem::replace(&mut self.cleared, empties) { rules.all_clear } else { 0 };
        let made = (points / target).saturating_add(bonus);
        let offset = if rules.offsets { made.min(self.waiting) } else { 0 };
        self.waiting -= offset;
        ChainGarbage { offset, sent: made - offset }
    }

    /// The puyos that fall before the next pair.
    pub fn falling(&self, rules: GarbageRules) -> u32 {
        self.waiting.min(rules.most)
    }
}

/// Garbage falling into one set of columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GarbageFall {
    /// The columns that get one puyo more than the others: a bit for each, the left one lowest.
    pub columns: u8,
    /// The board after it.
    pub after: Field,
    /// The puyos for which there was room; the others wait.
    pub fell: u32,
}

/// The puyos of a fall whose columns the game draws: those that are not a full row.
pub fn drawn_columns(puyos: u32) -> u32 {
    puyos % ROW
}

/// Lets garbage fall into each possible set of columns, at most 20. Full rows have a puyo in each column; the other puyos are in different
/// columns, which the game draws.
pub fn garbage_falls(field: &Field, puyos: u32) -> Vec<GarbageFall> {
    let sets = (0..1_u8 << COLUMNS).filter(|columns| columns.count_ones() == drawn_columns(puyos));
    sets.map(|columns| garbage_fall(field, puyos, columns)).collect()
}

/// Lets garbage fall: the full rows, and one puyo more into these columns.
pub fn garbage_fall(field: &Field, puyos: u32, columns: u8) -> GarbageFall {
    let (mut after, mut fell) = (*field, 0);
    for column in 0..COLUMNS {
        let room = GARBAGE_ROWS.saturating_sub(field.height(column));
        let puyos = puyos / ROW + u32::from(columns >> column & 1);
        for _ in 0..room.min(puyos as usize) {
            after.drop(column, Cell::Ojama);
            fell += 1;
        }
    }
    GarbageFall { columns, after, fell }
}

/// The most rows that a puyo of this garbage fell from the row above the visible ones.
pub fn garbage_rows(before: &Field, after: &Field) -> usize {
    let heights = (0..COLUMNS).map(|column| (before.height(column), after.height(column)));
    let lowest = heights.filter(|(old, new)| old != new).map(|(old, _)| old).min().unwrap_or(0);
    VISIBLE_ROWS.saturating_sub(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puyo::{field_from_rows, to_rows};
    use std::collections::HashSet;

    const TARGET: u32 = 70;

    #[test]
    fn a_chain_offsets_before_it_sends() {
        let mut state = GarbageState { waiting: 5, ..GarbageState::default() };
        // 360 points are 5 puyos and 10 points: exactly what waits.
        assert_eq!(
            state.add_chain(360, false, TARGET, GarbageRules::TSU),
            ChainGarbage { offset: 5, sent: 0 }
        );
        assert_eq!((state.waiting, state.points), (0, 10));
        // The 10 points are carried over: 60 more are a puyo, 59 are not.
        let mut other = state;
        assert_eq!(other.add_chain(59, false, TARGET, GarbageRules::TSU).sent, 0);
        assert_eq!(
            state.add_chain(60, false, TARGET, GarbageRules::TSU),
            ChainGarbage { offset: 0, sent: 1 }
        );
        state.waiting = 100;
        assert_eq!(
            state.add_chain(700, false, TARGET, GarbageRules::TSU),
            ChainGarbage { offset: 10, sent: 0 }
        );
        assert_eq!(state.waiting, 90);
    }

    #[test]
    fn an_all_clear_adds_to_the_next_chain_only() {
        let mut state = GarbageState { waiting: 12, ..GarbageState::default() };
        assert_eq!(state.add_chain(70, true, TARGET, GarbageRules::TSU), ChainGarbage { offset: 1, sent: 0 });
        assert_eq!(
            state.add_chain(70, false, TARGET, GarbageRules::TSU),
            ChainGarbage { offset: 11, sent: 20 }
        );
        assert_eq!(
            state.add_chain(70, false, TARGET, GarbageRules::TSU),
            ChainGarbage { offset: 0, sent: 1 }
        );
    }

    #[test]
    fn the_first_games_neither_offset_nor_reward_an_all_clear() {
        let mut state = GarbageState { waiting: 12, ..GarbageState::default() };
        assert_eq!(
            state.add_chain(150, true, TARGET, GarbageRules::FIRST),
            ChainGarbage { offset: 0, sent: 2 }
        );
        assert_eq!(
            state.add_chain(60, false, TARGET, GarbageRules::FIRST),
            ChainGarbage { offset: 0, sent: 1 }
        );
        assert_eq!((state.waiting, state.points), (12, 0));
    }

    #[test]
    fn thirty_fall_at_once() {
        for rules in [GarbageRules::TSU, GarbageRules::FIRST] {
            let state = |waiting| GarbageState { waiting, ..GarbageState::default() };
            assert_eq!([7, 30, 31, 1000].map(|waiting| state(waiting).falling(rules)), [7, 30, 30, 30]);
        }
    }

    #[test]
    fn full_rows_are_certain_and_the_rest_has_different_columns() {
        let field = field_from_rows(&["R.....", "RG...."]).expect("a board");
        let rows = garbage_falls(&field, 12);
        assert_eq!(rows.len(), 1);
        assert_eq!(to_rows(&rows[0].after), ["O.....", "OO....", "ROOOOO", "RGOOOO"]);
        for (puyos, sets) in [(0, 1), (1, 6), (2, 15), (3, 20), (4, 15), (5, 6), (30, 1), (29, 6)] {
            let falls = garbage_falls(&field, puyos);
            assert_eq!(falls.len(), sets, "{puyos}");
            let boards: HashSet<Field> = falls.iter().map(|fall| fall.after).collect();
            assert_eq!(boards.len(), sets, "{puyos}");
            assert!(falls.iter().all(|fall| fall.fell == puyos && fall.after.count() == 3 + puyos));
        }
    }

    #[test]
    fn a_full_column_keeps_garbage_waiting() {
        let mut field = Field::default();
        for _ in 0..11 {
            field.drop(5, Cell::Ojama);
        }
        let falls = garbage_falls(&field, 18);
        assert_eq!((falls.len(), falls[0].fell), (1, 17));
        assert_eq!((falls[0].after.height(5), falls[0].after.height(0)), (GARBAGE_ROWS, 3));
        // A puyo in the second hidden row leaves no room either.
        field.set(5, 13, Cell::Ojama);
        assert_eq!(garbage_fall(&field, 6, 0).fell, 5);
    }
}
