//! `profiles/*.toml`: what stands where in a game's RAM, and how to recognise it.
//!
//! A profile holds addresses, the code holds algorithms: a new regional version or a hack of a game is a
//! file and no code. `parse()` turns text into a [`Profile`] or says with line, column and help what is
//! wrong with it; `Library` holds the built-in profiles and the user's; `Watcher` reloads edited ones.

mod field;
mod model;

pub use field::{Field, FieldKind, FieldValue};
pub use model::{Anchor, Liveness, Origin, Profile, RomHeader, Status};
