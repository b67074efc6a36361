//! Randomizers that are declared as data: a generator, how a number is drawn from it, and how the numbers are dealt.
//!
//! [`Randomizer`] is the language: plain values that a profile holds as `[randomizer]`, and that can be enumerated, compared and printed.
//! [`check()`] lists what is wrong with one. [`Program::new`] compiles a checked one, and a [`DeclaredDealer`] deals its pieces or pairs.
//! Built-in models are faster; their declarations in `models` deal the same, so that each is a check of the other.

mod check;
mod compile;
mod deal;
mod dealer;
mod draw;
mod generator;
mod language;
#[cfg(test)]
mod models;
mod shuffle;
#[cfg(test)]
mod tests;
mod text;

pub use check::{Problem, check};
pub use compile::Program;
pub use dealer::DeclaredDealer;
pub use generator::GeneratorState;
pub use language::*;
