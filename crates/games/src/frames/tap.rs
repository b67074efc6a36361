//! Taps of a falling pair: how long a button is held until the pair moves, and released until the next one does.

use super::moment::Held;
use super::part::{Part, PartTime, Span};
use nextscope_boards::puyo::{FallingPair, Field};

/// Frames after a button was released in which it may still have its effect.
const EFFECT: u32 = 6;

/// The taps of one pair, while no frame is lost.
#[derive(Clone, Debug, Default)]
pub struct Taps {
    tap: Option<Tap>,
    /// Frames since the last effective button was released.
    quiet: Option<u32>,
}

#[derive(Clone, Debug)]
struct Tap {
    button: Held,
    /// Whether the board leaves room for its effect.
    possible: bool,
    /// Frames for which the buttons had been released before it; None after a button without effect.
    released_before: Option<u32>,
    held: u32,
    /// Frames since it was released.
    released: u32,
}

impl Taps {
    /// Processes a frame in which the pair is still falling.
    pub fn observe(
        &mut self,
        frame: u64,
        [before, now]: [Held; 2],
        pairs: [FallingPair; 2],
        base: &Field,
        found: &mut Vec<PartTime>,
    ) {
        let [before, now] = [before.moving(), now.moving()];
        let moved = pairs.map(|pair| (pair.column, pair.turns));
        if now != before && now != Held::NONE {
            if let Some(tap) = self.tap.take() {
                found.extend(tap.without_effect(frame));
            }
            let released_before = self.quiet.take();
            if before == Held::NONE && now.is_single() {
                let possible = is_possible(now, pairs[0], base);
                self.tap = Some(Tap { button: now, possible, released_before, held: 0, released: 0 });
            }
        }
        if let Some(quiet) = &mut self.quiet {
            *quiet = if now == Held::NONE { *quiet + 1 } else { 0 };
        }
        let Some(tap) = &mut self.tap else { return };
        if now == Held::NONE {
            tap.released += 1;
        } else {
            tap.held += 1;
        }
        if moved[0] == moved[1] {
            if tap.released > EFFECT {
                found.extend(self.tap.take().and_then(|tap| tap.without_effect(frame)));
            }
            return;
        }
        if is_effect(tap.button, pairs) {
            // A shorter press than until the effect may do when the button is released before it.
            let frames =
                if tap.released == 0 { Span::exactly(tap.held) } else { Span { least: 1, most: tap.held } };
            found.push(PartTime { part: Part::Press, frames, at: frame, held: 0 });
            if let Some(released) = tap.released_before {
                let frames = Span { least: 1, most: released };
                found.push(PartTime { part: Part::Release, frames, at: frame, held: 0 });
            }
            self.quiet = Some(tap.released);
        } else {
            self.quiet = None;
        }
        self.tap = None;
    }
}

impl Tap {
    /// A tap that did not move a pair which had room: perhaps the buttons had not been released for long enough before it.
    fn without_effect(&self, frame: u64) -> Option<PartTime> {
        let least = self.released_before.filter(|_| self.possible)?.saturating_add(1);
        let frames = Span { least, most: u32::MAX };
        Some(PartTime { part: Part::Release, frames, at: frame, held: self.held })
    }
}

/// Whether a button would move or turn the pair, whatever it falls meanwhile.
fn is_possible(button: Held, pair: FallingPair, base: &Field) -> bool {
    let rows = pair.row.saturating_sub(1)..=pair.row;
    let moved = |row| match button {
        Held::LEFT => pair.column.checked_sub(1).map(|column| FallingPair { column, row, ..pair }),
        Held::RIGHT => Some(FallingPair { column: pair.column + 1, row, ..pair }),
        // Which way it turns is an option of the game.
        _ => None,
    };
    let sideways = button == Held::LEFT || button == Held::RIGHT;
    let turned = |row| (0..4).all(|turns| FallingPair { row, turns, ..pair }.fits(base));
    rows.into_iter()
        .all(|row| if sideways { moved(row).is_some_and(|pair| pair.fits(base)) } else { turned(row) })
}

fn is_effect(button: Held, [from, to]: [FallingPair; 2]) -> bool {
    match button {
        Held::LEFT => to.turns == from.turns && to.column + 1 == from.column,
        Held::RIGHT => to.turns == from.turns && to.column == from.column + 1,
        _ => to.turns != from.turns,
    }
}
