//! Randomizers that are declared as data: a generator, how a number is drawn from it, and how the numbers are dealt.
//!
//! [`Randomizer`] is the language: plain values that a profile holds as `[randomizer]`, and that can be enumerated, compared and printed.
//! [`check()`] lists what is wrong with one. [`Program::new`] compiles a checked one, and a [`DeclaredDealer`] deals its pieces or pairs.
//! Built-in models are faster; their declarations in `models` deal the same, so that each is a check of the other.

mod check;
#[cfg(test)]
mod command_tests;
mod compile;
mod deal;
mod dealer;
mod definition;
mod draw;
mod find_command;
mod generate_command;
mod generator;
mod kinds;
mod language;
mod live;
#[cfg(test)]
mod models;
mod options;
mod search;
mod shuffle;
mod stats;
#[cfg(test)]
mod tests;
mod text;

pub use check::{Problem, check, check_codes};
pub use compile::Program;
pub use dealer::DeclaredDealer;
pub(crate) use definition::GAME;
pub use definition::ID;
pub use generator::GeneratorState;
pub use kinds::Kinds;
pub use language::*;
