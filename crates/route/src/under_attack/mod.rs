//! Plans against known attacks of the opponent: a route is played for all columns that the game may draw for garbage.
//!
//! A [`Scenario`](scenario::Scenario) is what a route comes to for some columns. The [search] expands all scenarios of a route
//! together, so a placement must be possible on each of their boards. Then the best routes are [played] again, with more scenarios.

mod plan;
mod played;
mod scenario;
mod search;

pub use plan::plan_against;

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
