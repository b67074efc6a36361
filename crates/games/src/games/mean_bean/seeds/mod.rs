//! From pools or pairs back to the state before the round.
//!
//! A draw for the first pool is bits 16 to 23 of the state after its step. They depend on the low 24 bits of the state before, four of
//! which are fixed, so that there are 2^20 different first pools, each of 256 states. [`find`] tests those first: the place from which
//! each observed byte came is traced back through the 256 exchanges, for 256 states at a time, and most states are rejected by the
//! first pair. The draws for the rest of the second versus pool depend on all bits; they are traced for the states that are left. If many
//! are left, the states are gone through in the order of the generator (`in_order`), those that differ in the upper three bits together.
//!
//! [`origin_after`] and [`origins`] find the generation of complete pools, also when the vertical interrupt stepped the generator inside it.

mod in_order;
mod lookup;
mod origin;
mod plan;
mod query;
mod report;
mod run;
mod search;
mod stream;
#[cfg(test)]
mod tests;

pub use origin::{Origin, TOLERANCE, origin_after, origin_before, origins};
pub use query::{Impossible, Observations, Query};
pub use report::{Report, describe_extra_steps};
pub use run::MAX_STATES;
pub use search::{FoundStates, find, find_reference};
