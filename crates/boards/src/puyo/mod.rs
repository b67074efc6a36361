//! Puyo boards: falling, popping and scoring.
//!
//! A [`Field`] is six columns of cells in three bit planes. [`Rules`] define the group size and the points of a
//! chain. [`reference`](mod@reference) plays a chain step by step; [`Simulator`] computes the same chain and score with bit planes.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bits;
mod falling_pair;
mod field;
mod fired;
mod garbage;
mod links;
mod placement;
mod reach;
pub mod reference;
mod rules;
mod simulate;
mod text;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(target_arch = "x86_64")]
pub use avx2::columns_down_by;
pub use falling_pair::FallingPair;
pub use field::{COLUMNS, Cell, Field, ROWS, VISIBLE_ROWS};
pub use fired::Fired;
pub use garbage::{
    ChainGarbage, GARBAGE_ROWS, GarbageFall, GarbageRules, GarbageState, drawn_columns, garbage_fall,
    garbage_falls, garbage_rows,
};
pub use placement::{Placement, Rotation};
pub use reach::{Reachable, reachable, reachable_over};
pub use rules::{ChainPowers, Rules};
pub use simulate::Simulator;
pub use text::{
    BoardNotation, CODE_PREFIX, DIGITS, FieldError, field_from_code, field_from_rows, field_from_text,
    is_link, read_field, to_code, to_rows,
};
