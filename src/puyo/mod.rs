//! Puyo boards: what falls, what pops, and what it scores.
//!
//! A [`Field`] is six columns of cells in three planes of bits. [`Rules`] say how many puyos make a group and what a chain is
//! worth. [`plain`] plays a chain as it is told, step by step; [`Simulator`] gives the same chain and score from whole planes at once.

mod bits;
mod field;
mod links;
mod placement;
pub mod plain;
mod reach;
mod rules;
mod simulate;
mod text;
mod wide;

pub use field::{COLUMNS, Cell, Field, ROWS};
pub use placement::{Placement, Rotation};
pub use reach::{Reachable, reachable, reachable_over};
pub use rules::Rules;
pub use simulate::{Fired, Simulator};
pub(crate) use text::DIGITS;
pub use text::{
    CODE_PREFIX, FieldError, Written, field_from_code, field_from_rows, field_from_text, is_link, read_field,
    to_code, to_rows,
};
