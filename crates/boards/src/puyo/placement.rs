//! The placement of a pair.

use super::field::{COLUMNS, Cell, Field};
use super::rules::Rules;
use crate::Pair;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The position of the child relative to the axis; the numbers are those of the game (reference 1.5, falling puyo +2B).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rotation {
    /// Above it, as pairs appear.
    Up,
    /// To its right.
    Right,
    /// Below it.
    Down,
    /// To its left.
    Left,
}

impl Rotation {
    /// All rotations, clockwise from the initial one.
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// The name.
    pub fn name(self) -> &'static str {
        ["up", "right", "down", "left"][self as usize]
    }

    /// Columns and rows from the axis to the child.
    pub fn offset(self) -> (i8, i8) {
        [(0, 1), (1, 0), (0, -1), (-1, 0)][self as usize]
    }

    /// A quarter turn clockwise.
    #[must_use]
    pub fn clockwise(self) -> Self {
        Self::ALL[(self as usize + 1) % 4]
    }

    /// A quarter turn anticlockwise.
    #[must_use]
    pub fn anticlockwise(self) -> Self {
        Self::ALL[(self as usize + 3) % 4]
    }
}

/// The final position of a pair, with both puyos inside the columns of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Placement {
    column: u8,
    rotation: Rotation,
}

impl Placement {
    /// All placements.
    pub const ALL: [Self; 22] = {
        let mut all = [Self { column: 0, rotation: Rotation::Up }; 22];
        let (mut nth, mut rotation) = (0, 0);
        while rotation < 4 {
            let rotated = Rotation::ALL[rotation];
            let mut column = 0;
            while column < 6 {
                let outside = matches!(rotated, Rotation::Right) && column == 5
                    || matches!(rotated, Rotation::Left) && column == 0;
                if !outside {
                    all[nth] = Self { column, rotation: rotated };
                    nth += 1;
                }
                column += 1;
            }
            rotation += 1;
        }
        all
    };

    /// With the axis in a column, 0 to 5 from the left; None if a puyo would be outside.
    pub fn new(column: usize, rotation: Rotation) -> Option<Self> {
        Self::ALL.into_iter().find(|all| all.column() == column && all.rotation == rotation)
    }

    /// The axis column, 0 to 5 from the left.
    pub fn column(self) -> usize {
        self.column.into()
    }

    /// The position of the child relative to the axis.
    pub fn rotation(self) -> Rotation {
        self.rotation
    }

    /// The child's column.
    pub fn child_column(self) -> usize {
        self.column().saturating_add_signed(self.rotation.offset().0.into())
    }

    /// The index in [`Placement::ALL`], 0 to 21.
    pub fn index(self) -> usize {
        // Placements with the child to the left start at the second column.
        [0, 6, 11, 16][self.rotation as usize] + self.column()
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.column + 1, self.rotation.name())
    }
}

impl Field {
    /// Places a pair: each puyo drops onto the highest cell in its column. Puyos above the rows that the game
    /// stores are lost. Nothing pops yet.
    pub fn land(&mut self, pair: Pair, placement: Placement, rules: Rules) {
        let (axis, child) = ((placement.column(), pair.axis), (placement.child_column(), pair.child));
        let order = if placement.rotation == Rotation::Down { [child, axis] } else { [axis, child] };
        for (column, color) in order {
            if column < COLUMNS && self.height(column) < rules.rows {
                self.drop(column, Cell::Puyo(color));
            }
        }
    }

    /// Whether the next pair has no room to appear: game over. Pairs appear in the third column, in the highest
    /// visible row (reference 1.5: spawn at column 2, row 2 of RAM).
    pub fn is_lost(&self) -> bool {
        self.get(super::reach::SPAWN_COLUMN, super::reach::SPAWN_ROW) != Cell::Empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Color;
    use crate::puyo::to_rows;

    const PAIR: Pair = Pair { axis: Color::RED, child: Color::BLUE };

    #[test]
    fn placements_have_names_and_indices() {
        for (nth, placement) in Placement::ALL.into_iter().enumerate() {
            assert!(placement.column() < COLUMNS && placement.child_column() < COLUMNS);
            assert_eq!(Placement::new(placement.column(), placement.rotation()), Some(placement));
            assert_eq!(placement.index(), nth, "{placement}");
        }
        assert_eq!(Placement::new(0, Rotation::Left), None);
        assert_eq!(Placement::new(5, Rotation::Right), None);
        assert_eq!(Placement::new(6, Rotation::Up), None);
    }

    #[test]
    fn pairs_land_on_the_stack() {
        let place = |column, rotation| Placement::new(column, rotation).expect("inside");
        let mut field = Field::default();
        field.land(PAIR, place(0, Rotation::Up), Rules::TSU);
        field.land(PAIR, place(1, Rotation::Left), Rules::TSU);
        field.land(PAIR, place(2, Rotation::Down), Rules::TSU);
        field.land(PAIR, place(4, Rotation::Right), Rules::TSU);
        assert_eq!(to_rows(&field), ["B.....", "B.R...", "RRB.RB"]);
    }

    #[test]
    fn puyos_above_the_stored_rows_are_lost() {
        let up = Placement::new(0, Rotation::Up).expect("inside");
        for (rules, height) in [(Rules::TSU, 14), (Rules::TWENTIETH, 13)] {
            let mut field = Field::default();
            for _ in 0..12 {
                field.drop(0, Cell::Ojama);
            }
            field.land(PAIR, up, rules);
            assert_eq!(field.height(0), height);
            assert_eq!(field.get(0, 12), Cell::Puyo(Color::RED));
        }
    }
}
