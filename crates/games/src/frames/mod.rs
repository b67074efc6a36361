//! Durations in a game, measured from what its RAM shows frame by frame.
//!
//! A game reads a [`Moment`] from each sample, [`PartTimer`] turns the moments of a player into durations of parts, and [`Measurement`]
//! collects these and says what each part takes, how often that was seen, and what contradicts it.

mod check;
mod estimate;
mod measurement;
mod moment;
mod part;
mod table;
mod tap;
#[cfg(test)]
mod tests;
mod text;
mod timer;
mod turn;

pub use check::{TimeCheck, TimeDifference};
pub use estimate::{Certainty, Estimate, SeenValue};
pub use measurement::{Measurement, Times};
pub use moment::{Held, MissingField, Moment, MomentReader};
pub use part::{Part, PartTime, Span};
pub use table::{IncompleteTable, TableOptions, rows_text, table};
pub use timer::PartTimer;
