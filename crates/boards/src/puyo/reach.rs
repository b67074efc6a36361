//! The placements that a falling pair can reach.
//!
//! The rules of movement, rows from the floor: a pair appears with its axis in column 2, row 11, the child above it. It moves
//! sideways if both cells are free. A rotation into an occupied cell pushes the axis away from the obstacle: sideways if there is
//! room, upwards from the floor. Between two walls the rotation fails, but the next press rotates the pair by half: the two puyos change
//! places (the quick turn). The axis never rises above row 12. Sources: Puyo Nexus wiki, "Rotation" and "Puyo Puyo Tsu/Rotation,
//! collision and push back" (from the disassembly); the row limit of the axis from the movement of public simulators.

use super::field::{COLUMNS, Cell, Field};
use super::placement::{Placement, Rotation};
use std::sync::OnceLock;

/// The column where the axis appears (reference 1.5: column 2, row 2 of RAM).
pub(super) const SPAWN_COLUMN: usize = 2;
/// Its row from the floor.
pub(super) const SPAWN_ROW: usize = 11;

/// The start position as coordinates of a moving pair.
const SPAWN: (i8, i8) = (2, 11);
const HIGHEST_AXIS: i8 = 12;
/// Columns up to this height never stop a pair: it passes above them. So lower ones count as this high.
const LOW: usize = 10;
/// The number of heights that make a difference: `LOW` to 14.
const HEIGHTS: usize = 5;

/// A set of placements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reachable(u32);

impl Reachable {
    const ALL: Self = Self((1 << Placement::ALL.len()) - 1);

    /// Whether the set contains a placement.
    pub fn has(self, placement: Placement) -> bool {
        self.0 >> placement.index() & 1 == 1
    }

    /// The placements, in the order of [`Placement::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Placement> {
        Placement::ALL.into_iter().filter(move |placement| self.has(*placement))
    }
}

/// The placements that a pair can reach on a board without floating puyos.
pub fn reachable(field: &Field) -> Reachable {
    if field.is_lost() {
        return Reachable::default();
    }
    reachable_over(std::array::from_fn(|column| field.height(column)))
}

/// The reachable placements for these column heights.
pub fn reachable_over(heights: [usize; COLUMNS]) -> Reachable {
    static TABLE: OnceLock<Vec<Reachable>> = OnceLock::new();
    if heights[SPAWN_COLUMN] > SPAWN_ROW {
        return Reachable::default();
    }
    if heights.iter().all(|height| *height <= LOW + 1) {
        return Reachable::ALL;
    }
    let table = TABLE.get_or_init(|| (0..HEIGHTS.pow(6)).map(|nth| walk(heights_of(nth))).collect());
    let nth = heights
        .iter()
        .rev()
        .fold(0, |nth, height| nth * HEIGHTS + height.saturating_sub(LOW).min(HEIGHTS - 1));
    table[nth]
}

fn heights_of(mut nth: usize) -> [usize; COLUMNS] {
    std::array::from_fn(|_| {
        let height = LOW + nth % HEIGHTS;
        nth /= HEIGHTS;
        height
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Pose {
    column: i8,
    row: i8,
    rotation: Rotation,
    /// The last rotation failed between two walls: the next one rotates by half.
    stuck: bool,
}

struct Walls([usize; COLUMNS]);

impl Walls {
    fn free(&self, column: i8, row: i8) -> bool {
        let height = usize::try_from(column).ok().and_then(|column| self.0.get(column));
        height.is_some_and(|height| row < 14 && usize::try_from(row).is_ok_and(|row| row >= *height))
    }

    fn pose(&self, column: i8, row: i8, rotation: Rotation) -> Option<Pose> {
        let (across, up) = rotation.offset();
        let fits = row <= HIGHEST_AXIS && self.free(column, row) && self.free(column + across, row + up);
        fits.then_some(Pose { column, row, rotation, stuck: false })
    }

    /// The positions after one press, or after falling a row.
    fn next(&self, at: Pose) -> impl Iterator<Item = Pose> {
        let Pose { column, row, rotation, .. } = at;
        let moved =
            [(-1, 0), (1, 0), (0, -1)].map(|(across, up)| self.pose(column + across, row + up, rotation));
        let turned = [rotation.clockwise(), rotation.anticlockwise()].map(|rotation| self.turn(at, rotation));
        moved.into_iter().chain(turned).flatten()
    }

    fn turn(&self, at: Pose, rotation: Rotation) -> Option<Pose> {
        let Pose { column, row, .. } = at;
        if at.stuck {
            return match at.rotation {
                Rotation::Up => self.pose(column, row + 1, Rotation::Down),
                _ => self.pose(column, row - 1, Rotation::Up),
            };
        }
        let (across, up) = rotation.offset();
        // Away from the obstacle; a pair is never pushed down.
        let pushed = if up > 0 { None } else { self.pose(column - across, row - up, rotation) };
        let turned = self.pose(column, row, rotation).or(pushed);
        turned.or_else(|| (across != 0).then_some(Pose { stuck: true, ..at }))
    }
}

/// All placements that a pair can reach over columns of these heights.
fn walk(heights: [usize; COLUMNS]) -> Reachable {
    let walls = Walls(heights);
    let mut reached = Reachable::default();
    let mut poses: Vec<Pose> = walls.pose(SPAWN.0, SPAWN.1, Rotation::Up).into_iter().collect();
    let mut nth = 0;
    while let Some(pose) = poses.get(nth).copied() {
        nth += 1;
        if let Some(placement) =
            usize::try_from(pose.column).ok().and_then(|column| Placement::new(column, pose.rotation))
        {
            reached.0 |= 1 << placement.index();
        }
        for next in walls.next(pose) {
            if !poses.contains(&next) {
                poses.push(next);
            }
        }
    }
    reached
}

impl Field {
    /// Heights of the columns.
    pub fn heights(&self) -> [usize; COLUMNS] {
        std::array::from_fn(|column| self.height(column))
    }

    /// Whether nothing floats.
    pub fn is_settled(&self) -> bool {
        (0..COLUMNS).all(|column| (0..self.height(column)).all(|row| self.get(column, row) != Cell::Empty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(heights: [usize; COLUMNS]) -> Vec<String> {
        reachable_over(heights).iter().map(|placement| placement.to_string()).collect()
    }

    #[test]
    fn low_boards_obstruct_nothing() {
        assert_eq!(names([0; 6]).len(), 22);
        assert_eq!(names([11; 6]).len(), 22);
        assert_eq!(walk([11; 6]), Reachable::ALL, "the shortcut matches the walk");
        assert_eq!(walk([10, 11, 10, 11, 11, 10]), Reachable::ALL);
    }

    #[test]
    fn a_column_of_thirteen_is_a_wall() {
        let left_off = names([0, 13, 0, 0, 0, 0]);
        assert!(left_off.iter().all(|name| !name.starts_with('1') && !name.starts_with('2')), "{left_off:?}");
        assert!(!left_off.contains(&"3 left".to_owned()));
        assert!(left_off.contains(&"3 up".to_owned()) && left_off.contains(&"6 down".to_owned()));
    }

    #[test]
    fn a_column_of_twelve_is_climbed_from_one_of_eleven() {
        assert!(!names([0, 12, 0, 0, 0, 0]).contains(&"1 up".to_owned()), "no column to climb from");
        assert!(names([0, 12, 11, 0, 0, 0]).contains(&"1 up".to_owned()), "rotated on the third column");
        assert!(names([0, 12, 0, 11, 0, 0]).contains(&"1 up".to_owned()), "rotated on the fourth");
        assert!(names([0, 12, 0, 12, 0, 0]).contains(&"1 up".to_owned()), "quick turn between two walls");
    }

    #[test]
    fn a_full_third_column_leaves_no_placement() {
        assert_eq!(reachable_over([0, 0, 12, 0, 0, 0]), Reachable::default());
        let mut field = Field::default();
        for _ in 0..12 {
            field.drop(2, Cell::Ojama);
        }
        assert!(field.is_lost() && field.is_settled() && reachable(&field) == Reachable::default());
        field.set(0, 3, Cell::Ojama);
        assert!(!field.is_settled());
    }
}
