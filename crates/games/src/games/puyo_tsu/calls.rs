//! Recognizes the generator's state by its movement.
//!
//! The generator mixes in registers of its callers: R' = rol32(d0 + R + a7, 5) + R + 1 (reference 1.1). The sum d0 + a7 is an address in
//! the stack, since d0 is small when it is a limit. So one draw between two samples can be recognized, and so can several equal ones,
//! as in a loop; several different ones cannot.

use crate::games::puyo_tsu::{POOL_SETUPS, State, state_after};
use crate::games::{CallsCheck, ExplainedCalls, KnownGenerator, Movement, StateCell};
use std::ops::Range;

pub(super) const GENERATOR: KnownGenerator = KnownGenerator {
    name: "Puyo Puyo Tsu's: rol32(d0 + state + a7, 5) + state + 1",
    cell: StateCell::Long68000,
    movement: Movement::Calls(CallsCheck { is_possible: moves_most, explain }),
};

/// The stack from which a7 comes (initial stack 0x00FF8000, reference 1.1), with room for the caller's d0.
const STACK: Range<u32> = 0x00FF_7E00..0x00FF_8200;
/// The most equal draws between two samples: the garbage of six columns and a few more.
const ALIKE_MOST: u32 = 8;
/// Up to this many changes a cell may be the state with rounds but no draw.
const ROUNDS_TRIED: usize = 8;

/// Bits of chance in one draw: 2^10 sums of 2^32.
const DRAW_BITS: f64 = 22.0;
/// In several equal draws: any of seven counts.
const ALIKE_BITS: f64 = 19.0;
/// In a round: any of four setups.
const ROUND_BITS: f64 = 30.0;

fn explain(changes: &[(u32, u32)]) -> Option<ExplainedCalls> {
    if !is_stirred(changes) {
        return None;
    }
    let (single, others): (Vec<_>, Vec<_>) =
        changes.iter().partition(|(before, after)| is_draw(*before, *after));
    // A generation takes 517 steps: it is tested only with few changes or after draws were found.
    if single.is_empty() && changes.len() > ROUNDS_TRIED {
        return None;
    }
    let (rounds, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(before, after)| is_round(*before, *after));
    if single.is_empty() && rounds.is_empty() {
        return None;
    }
    let alike = others.iter().filter(|(before, after)| are_alike(*before, *after)).count();
    // Equal increments are a counter that happens to pass the stack's addresses.
    let step = |(before, after): &(u32, u32)| after.wrapping_sub(*before);
    if single.len() > 1 && single.iter().all(|change| step(change) == step(&single[0])) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of samples")]
    let bits = DRAW_BITS * single.len() as f64 + ALIKE_BITS * alike as f64 + ROUND_BITS * rounds.len() as f64;
    Some(ExplainedCalls { counts: vec![("draws", single.len() + alike), ("rounds", rounds.len())], bits })
}

/// Whether three bytes or all change.
fn moves_most(before: u32, after: u32) -> bool {
    (before ^ after).to_be_bytes().iter().filter(|byte| **byte != 0).count() >= 3
}

/// A rotation and two sums change almost every byte; counters and toggles change few.
fn is_stirred(changes: &[(u32, u32)]) -> bool {
    let stirred = |(before, after): &&(u32, u32)| moves_most(*before, *after);
    changes.len() >= 2 && 4 * changes.iter().filter(stirred).count() >= 3 * changes.len()
}

/// d0 + a7, when one step leads from one to the other.
fn added(before: u32, after: u32) -> u32 {
    after.wrapping_sub(before).wrapping_sub(1).rotate_right(5).wrapping_sub(before)
}

fn is_draw(before: u32, after: u32) -> bool {
    STACK.contains(&added(before, after))
}

/// Whether several draws by the same caller lead from one to the other.
fn are_alike(before: u32, after: u32) -> bool {
    STACK.into_iter().any(|sum| {
        let mut state = State(before).stirred(0, sum);
        (2..=ALIKE_MOST).any(|_| {
            state = state.stirred(0, sum);
            state.0 == after
        })
    })
}

fn is_round(before: u32, after: u32) -> bool {
    POOL_SETUPS.iter().any(|setup| state_after(State(before), *setup).0 == after)
}
