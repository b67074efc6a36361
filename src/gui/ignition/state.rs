//! The painted field, its ignition, and the undo history. Nothing here draws.

use crate::pochi::{Color, Field, GridCell, Ignition, MAX_STARTS};

/// Maximum number of undo steps.
const MAX_STEPS: usize = 500;

/// A field and its ignition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Painted {
    pub field: Field,
    pub ignition: Option<Ignition>,
}

/// The current state and its history.
#[derive(Debug, Default)]
pub struct State {
    now: Painted,
    before: Vec<Painted>,
    after: Vec<Painted>,
    /// The state before the current stroke.
    stroke: Option<Painted>,
    /// Whether the followed game has an undo step already: it begins with the first field that differs.
    has_follow_step: bool,
}

impl State {
    /// A state without history.
    pub fn of(field: Field, ignition: Option<Ignition>) -> Self {
        Self { now: Painted { field, ignition }, ..Self::default() }
    }

    pub fn now(&self) -> &Painted {
        &self.now
    }

    /// Whether undo and redo are possible.
    pub fn ends(&self) -> (bool, bool) {
        (!self.before.is_empty(), !self.after.is_empty())
    }

    /// Starts a stroke: all changes until its end are one undo step.
    pub fn begin_stroke(&mut self) {
        self.end_stroke();
        self.stroke = Some(self.now.clone());
    }

    pub fn end_stroke(&mut self) {
        if let Some(before) = self.stroke.take() {
            self.remember(before);
        }
    }

    fn remember(&mut self, before: Painted) {
        if before == self.now {
            return;
        }
        if self.before.len() == MAX_STEPS {
            self.before.remove(0);
        }
        self.before.push(before);
        self.after.clear();
    }

    fn change(&mut self, change: impl FnOnce(&mut Painted)) {
        if self.stroke.is_some() {
            return change(&mut self.now);
        }
        let before = self.now.clone();
        change(&mut self.now);
        self.remember(before);
    }

    pub fn undo(&mut self) {
        self.end_stroke();
        if let Some(before) = self.before.pop() {
            self.after.push(std::mem::replace(&mut self.now, before));
        }
    }

    pub fn redo(&mut self) {
        self.end_stroke();
        if let Some(after) = self.after.pop() {
            self.before.push(std::mem::replace(&mut self.now, after));
        }
    }

    /// Paints or erases a cell. An erased block no longer ignites.
    pub fn paint(&mut self, at: GridCell, block: Option<Color>) {
        self.change(|now| {
            now.field.set(at, block);
            if block.is_none() {
                now.douse(at);
            }
        });
    }

    /// Moves the needle; it keeps its colour.
    pub fn put_needle(&mut self, at: GridCell) {
        let color = self.needle().and_then(|(_, color)| color);
        self.ignite(Ignition::Needle { at, color });
    }

    /// Moves the needle to a cell, or removes it from there.
    pub fn toggle_needle(&mut self, at: GridCell) {
        if self.needle().is_some_and(|(needle, _)| needle == at) {
            self.change(|now| now.ignition = None);
        } else {
            self.put_needle(at);
        }
    }

    /// The needle's cell and colour (None for automatic); None if blocks are ignited instead.
    pub fn needle(&self) -> Option<(GridCell, Option<Color>)> {
        match self.now.ignition {
            Some(Ignition::Needle { at, color }) => Some((at, color)),
            _ => None,
        }
    }

    pub fn ignite(&mut self, ignition: Ignition) {
        self.change(|now| now.ignition = Some(ignition));
    }

    /// Toggles a block as ignited, instead of a needle. A block of another colour replaces all others; at most as many as a
    /// needle touches.
    pub fn toggle_ignited(&mut self, at: GridCell) {
        let Some(color) = self.now.field.get(at) else { return };
        self.change(|now| {
            let mut blocks = match now.ignition.take() {
                Some(Ignition::Blocks(blocks)) => blocks,
                _ => Vec::new(),
            };
            let field = &now.field;
            blocks.retain(|block| field.get(*block) == Some(color));
            match blocks.iter().position(|block| *block == at) {
                Some(nth) => drop(blocks.remove(nth)),
                None if blocks.len() < MAX_STARTS => blocks.push(at),
                None => {}
            }
            now.ignition = (!blocks.is_empty()).then_some(Ignition::Blocks(blocks));
        });
    }

    /// Drops all blocks. Ignited blocks are reset: other blocks may be in their cells.
    pub fn fall(&mut self) {
        self.change(|now| {
            let dropped = dropped(&now.field);
            if dropped != now.field && matches!(now.ignition, Some(Ignition::Blocks(_))) {
                now.ignition = None;
            }
            now.field = dropped;
        });
    }

    /// Clears the field to the game's size, without a needle.
    pub fn clear(&mut self) {
        self.change(|now| *now = Painted::default());
    }

    /// Replaces the field; the needle stays if it is inside.
    pub fn replace_field(&mut self, field: Field) {
        self.change(|now| now.replace_field(field));
    }

    /// Starts to follow a game that shows this field. It and the next ones are one undo step.
    pub fn begin_following(&mut self, field: Field) {
        self.has_follow_step = false;
        self.follow_field(field);
    }

    /// Takes the next field of a followed game.
    pub fn follow_field(&mut self, field: Field) {
        self.end_stroke();
        let before = self.now.clone();
        self.now.replace_field(field);
        if self.has_follow_step {
            self.after.clear();
        } else {
            self.has_follow_step = before != self.now;
            self.remember(before);
        }
    }

    /// Replaces field and ignition. A smaller field is aligned to the floor of the game's size.
    pub fn open_field(&mut self, field: Field, ignition: Option<Ignition>) {
        let (field, down) = match field.in_game_size() {
            Some(large) => (large.clone(), large.height() - field.height()),
            None => (field, 0),
        };
        let lower = |at: GridCell| GridCell::new(at.x, at.y.saturating_add(down));
        let ignition = ignition.map(|ignition| match ignition {
            Ignition::Needle { at, color } => Ignition::Needle { at: lower(at), color },
            Ignition::Blocks(blocks) => Ignition::Blocks(blocks.into_iter().map(lower).collect()),
        });
        self.change(|now| *now = Painted { field, ignition });
    }
}

impl Painted {
    /// Sets the field; the needle stays if it is inside.
    fn replace_field(&mut self, field: Field) {
        self.ignition.take_if(|ignition| match ignition {
            Ignition::Needle { at, .. } => !field.has(*at),
            Ignition::Blocks(_) => true,
        });
        self.field = field;
    }

    /// A missing block does not ignite.
    fn douse(&mut self, at: GridCell) {
        if let Some(Ignition::Blocks(blocks)) = &mut self.ignition {
            blocks.retain(|block| *block != at);
        }
        self.ignition.take_if(|ignition| matches!(ignition, Ignition::Blocks(blocks) if blocks.is_empty()));
    }
}

fn dropped(field: &Field) -> Field {
    let mut dropped = field.clone();
    for x in 0..field.width() {
        let blocks: Vec<Color> =
            (0..field.height()).rev().filter_map(|y| field.get(GridCell::new(x, y))).collect();
        for (nth, y) in (0..field.height()).rev().enumerate() {
            dropped.set(GridCell::new(x, y), blocks.get(nth).copied());
        }
    }
    dropped
}

/// The cells on the line between two cells, inclusive: a pointer may cross several between two frames.
pub fn line(from: GridCell, to: GridCell) -> Vec<GridCell> {
    let (dx, dy) = (i32::from(to.x) - i32::from(from.x), i32::from(to.y) - i32::from(from.y));
    let steps = dx.abs().max(dy.abs()).max(1);
    let along = |start: u8, delta: i32, step: i32| {
        // Integer rounding to nearest.
        let moved = (2 * delta * step + delta.signum() * steps) / (2 * steps);
        u8::try_from(i32::from(start) + moved).unwrap_or(start)
    };
    let mut cells: Vec<GridCell> =
        (0..=steps).map(|step| GridCell::new(along(from.x, dx, step), along(from.y, dy, step))).collect();
    cells.dedup();
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(state: &State) -> String {
        state.now().field.to_text().lines().last().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_stroke_is_one_step_and_a_step_that_changes_nothing_is_none() {
        let mut state = State::default();
        state.begin_stroke();
        for x in 0..3 {
            state.paint(GridCell::new(x, 11), Some(Color::Red));
        }
        state.end_stroke();
        state.paint(GridCell::new(0, 11), Some(Color::Red));
        state.paint(GridCell::new(6, 11), Some(Color::Blue));
        assert_eq!(text(&state), "RRR...B");
        state.undo();
        assert_eq!(text(&state), "RRR....");
        state.undo();
        assert_eq!((text(&state).as_str(), state.ends()), (".......", (false, true)));
        state.undo();
        state.redo();
        assert_eq!(text(&state), "RRR....");
        state.paint(GridCell::new(1, 11), None);
        assert_eq!((text(&state).as_str(), state.ends()), ("R.R....", (true, false)));
        // A stroke that is still being made can be taken back.
        state.begin_stroke();
        state.paint(GridCell::new(1, 11), Some(Color::Green));
        state.undo();
        assert_eq!(text(&state), "R.R....");
    }

    #[test]
    fn following_is_one_step_also_when_the_game_shows_the_painted_field_first() {
        let field = |rows: &str| Field::from_text(rows).unwrap();
        for first in ["RRRRRB.", "GGGGGB."] {
            let mut state = State::default();
            state.replace_field(field("BB....."));
            state.replace_field(field("RRRRRB."));
            let painted = text(&state);
            state.begin_following(field(first));
            for next in ["YYYYYB.", "GRGRGRG"] {
                state.follow_field(field(next));
            }
            state.undo();
            assert_eq!(text(&state), painted, "{first}");
            state.undo();
            assert_eq!(text(&state), "BB.....");
            state.redo();
            state.redo();
            assert_eq!(text(&state), "GRGRGRG");
        }
    }

    #[test]
    fn the_needle_keeps_its_colour_and_goes_when_it_is_put_where_it_is() {
        let mut state = State::default();
        let (one, other) = (GridCell::new(2, 3), GridCell::new(4, 5));
        state.ignite(Ignition::Needle { at: one, color: Some(Color::Green) });
        state.toggle_needle(other);
        assert_eq!(state.needle(), Some((other, Some(Color::Green))));
        state.toggle_needle(other);
        assert_eq!(state.now().ignition, None);
        state.undo();
        assert_eq!(state.needle(), Some((other, Some(Color::Green))));
    }

    #[test]
    fn blocks_that_ignite_are_of_one_colour_and_not_more_than_a_needle_touches() {
        let mut state = State::default();
        state.replace_field(Field::from_text("RRRRRB.").unwrap());
        for x in [0, 1, 2, 3, 4, 6] {
            state.toggle_ignited(GridCell::new(x, 0));
        }
        let four: Vec<GridCell> = (0..4).map(|x| GridCell::new(x, 0)).collect();
        assert_eq!(state.now().ignition, Some(Ignition::Blocks(four.clone())));
        state.toggle_ignited(four[0]);
        state.paint(four[1], None);
        assert_eq!(state.now().ignition, Some(Ignition::Blocks(four[2..].to_vec())));
        state.toggle_ignited(GridCell::new(5, 0));
        assert_eq!(state.now().ignition, Some(Ignition::Blocks(vec![GridCell::new(5, 0)])));
        state.paint(GridCell::new(5, 0), None);
        assert_eq!(state.now().ignition, None);
    }

    #[test]
    fn blocks_fall_and_an_opened_field_is_placed_on_the_floor() {
        let mut state = State::default();
        let small = Field::from_text("R.\n.G\nB.").unwrap();
        state.open_field(small, Some(Ignition::Blocks(vec![GridCell::new(0, 2)])));
        assert_eq!(state.now().ignition, Some(Ignition::Blocks(vec![GridCell::new(0, 11)])));
        state.put_needle(GridCell::new(1, 9));
        state.fall();
        assert_eq!(text(&state), "BG.....");
        assert_eq!(state.now().field.get(GridCell::new(0, 10)), Some(Color::Red));
        assert_eq!(state.needle(), Some((GridCell::new(1, 9), None)));
        // One that is larger stays as it is, and a needle outside of it goes.
        state.replace_field(Field::from_text("RRRRRRRRR").unwrap());
        assert_eq!((state.now().field.width(), state.now().ignition.is_none()), (9, true));
        state.clear();
        assert_eq!(*state.now(), Painted::default());
    }

    #[test]
    fn a_quick_mouse_leaves_no_gap() {
        let place = GridCell::new;
        assert_eq!(line(place(1, 1), place(1, 1)), [place(1, 1)]);
        assert_eq!(line(place(0, 0), place(3, 0)), [place(0, 0), place(1, 0), place(2, 0), place(3, 0)]);
        let diagonal = line(place(5, 2), place(1, 11));
        assert_eq!((diagonal.first(), diagonal.last()), (Some(&place(5, 2)), Some(&place(1, 11))));
        assert_eq!(diagonal.len(), 10);
        assert!(diagonal.windows(2).all(|two| two[0].x.abs_diff(two[1].x) <= 1 && two[1].y == two[0].y + 1));
    }
}
