//! Placements as text.

use crate::puyo::Placement;

/// "column 3, child right"; columns count from 1 at the left.
pub fn placement_text(placement: Placement) -> String {
    format!("column {}, child {}", placement.column() + 1, placement.rotation().name())
}
