//! A pair from its deal to the next one: when its board was reached, and the boards of its chain.

use super::part::Span;
use nextscope_boards::Pair;
use nextscope_boards::puyo::{Field, Placement, Rules, garbage_rows, reference};

/// The frames in which an event may have happened: after the last sample before it, and not after the first one that shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    pub least: u64,
    pub most: u64,
}

impl When {
    /// The frames from an earlier event to this one.
    pub fn since(self, earlier: Self) -> Span {
        let frames = |frames: u64| u32::try_from(frames).unwrap_or(u32::MAX);
        Span {
            least: frames(self.least.saturating_sub(earlier.most)),
            most: frames(self.most.saturating_sub(earlier.least)),
        }
    }
}

/// The boards to which a placement leads.
#[derive(Clone, Debug)]
struct Outcome {
    /// The board with the pair, and the one after each step of its chain.
    boards: Vec<Field>,
    /// The rows that things fall after each step.
    rows: Vec<usize>,
    /// The rows that one puyo of the pair falls further than the other.
    alone: usize,
}

/// What a sample shows that happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The pair became part of the board; one of its puyos fell this many rows further than the other.
    Landed { when: When, alone: usize },
    /// A step of the chain, after which things fell this many rows.
    Step { frames: Span, rows: usize },
}

/// How the next pair appeared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Plain,
    /// After a chain of one step, after which things fell this many rows.
    Chain(usize),
    /// The same, and nothing is left on the board.
    AllClear,
    /// Garbage fell this many rows, without a chain.
    Garbage(usize),
}

/// The last board that was reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    outcome: usize,
    index: usize,
    when: When,
    /// Whether this is the board after a step, at the end of the step. It is reached before that if nothing fell.
    ends_step: bool,
}

/// A pair in play.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The board on which it was dealt.
    base: Field,
    outcomes: Vec<Outcome>,
    at: Option<Reached>,
    /// When the pair became part of the board; None if that was not sampled.
    landed: Option<When>,
    /// The last frame in which the next board was certainly not reached.
    until: u64,
    /// Whether frames were lost and the board after them was an intermediate one: it may belong to a later step.
    uncertain: bool,
}

impl Turn {
    /// A pair that was dealt by this frame. None for a board on which something pops or floats.
    pub fn new(frame: u64, base: Field, pair: Pair, rules: Rules) -> Option<Self> {
        let steps = reference::fire(&mut base.clone(), rules);
        (base.is_settled() && steps.is_empty()).then(|| Self {
            base,
            outcomes: outcomes(&base, pair, rules),
            at: None,
            landed: None,
            until: frame,
            uncertain: false,
        })
    }

    /// The board without the pair.
    pub fn base(&self) -> &Field {
        &self.base
    }

    /// Processes a board of the same pair. `follows`: no frame was lost before it.
    pub fn observe(&mut self, frame: u64, follows: bool, field: Option<Field>) -> Option<Progress> {
        if self.at.is_none() && field == Some(self.base) {
            (self.until, self.uncertain) = (frame, false);
            return None;
        }
        let Some((outcome, index)) = field.and_then(|field| self.find(&field)) else {
            // Between two boards. If it follows a sample of the first one, the second is not reached yet.
            self.uncertain |= !follows;
            if !self.uncertain {
                self.until = frame;
            }
            return None;
        };
        let when = When { least: (self.until + 1).min(frame), most: frame };
        (self.until, self.uncertain) = (frame, false);
        let before = self.at;
        if before.is_some_and(|before| before.index == index) {
            return None;
        }
        let Outcome { rows, alone, .. } = &self.outcomes[outcome];
        let rows = index.checked_sub(1).and_then(|step| rows.get(step)).copied();
        self.at = Some(Reached { outcome, index, when, ends_step: rows.is_some_and(|rows| rows > 0) });
        let Some(rows) = rows else {
            self.landed = Some(when);
            return Some(Progress::Landed { when, alone: *alone });
        };
        // Not from the landing on: where a sample falls into the game's work, it may show one kind of event a frame later than the other.
        let before = before.filter(|before| before.index + 1 == index && before.ends_step)?;
        (rows > 0).then(|| Progress::Step { frames: when.since(before.when), rows })
    }

    /// Processes the deal of the next pair, with the board after it. None if the landing or the last board was not sampled, and if the board
    /// is not the last one; Some(None) for a chain of several steps, whose end is a different kind of event.
    pub fn end(&self, dealt: When, field: &Field) -> Option<Option<(Span, Ending)>> {
        let Reached { outcome, index, .. } = self.at?;
        let Outcome { boards, rows, .. } = &self.outcomes[outcome];
        let last = boards.get(index).filter(|_| index + 1 == boards.len())?;
        let landed = self.landed?;
        let ending = match (last == field, rows.as_slice()) {
            (true, []) => Ending::Plain,
            (true, [_]) if last.is_empty() => Ending::AllClear,
            (true, [rows]) => Ending::Chain(*rows),
            (false, []) if last.is_below_garbage_of(field) => Ending::Garbage(garbage_rows(last, field)),
            (same, _) => return (same || last.is_below_garbage_of(field)).then_some(None),
        };
        Some(Some((dealt.since(landed), ending)))
    }

    fn find(&self, field: &Field) -> Option<(usize, usize)> {
        if let Some(Reached { outcome, index, .. }) = self.at {
            let later = self.outcomes[outcome].boards.iter().skip(index).position(|board| board == field)?;
            return Some((outcome, index + later));
        }
        let mut found = (0..).zip(&self.outcomes).filter_map(|(nth, outcome)| {
            Some((nth, outcome.boards.iter().position(|board| board == field)?))
        });
        found.next().filter(|_| found.next().is_none())
    }
}

/// The outcomes of all placements, without duplicates.
fn outcomes(base: &Field, pair: Pair, rules: Rules) -> Vec<Outcome> {
    let mut all: Vec<Outcome> = Vec::new();
    for placement in Placement::ALL {
        let mut landed = *base;
        landed.land(pair, placement, rules);
        // Without one of its puyos it is the board on which the other one is still missing.
        if landed.count() != base.count() + 2 {
            continue;
        }
        if all.iter().any(|known| known.boards.first() == Some(&landed)) {
            continue;
        }
        let mut after = landed;
        let steps = reference::fire(&mut after, rules);
        let mut boards = vec![landed];
        boards.extend(steps.iter().skip(1).map(|step| step.before));
        if !steps.is_empty() {
            boards.push(after);
        }
        let rows = steps.iter().map(reference::Step::rows_fallen).collect();
        let [axis, child] = [placement.column(), placement.child_column()].map(|column| base.height(column));
        all.push(Outcome { boards, rows, alone: axis.abs_diff(child) });
    }
    all
}
