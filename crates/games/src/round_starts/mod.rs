//! When a round starts: which frame since power on to press a button in, so that a round is generated from a certain state.
//!
//! A game reads a [`WaitMoment`] from each sample. [`RunReader`] joins the moments of a recording to [`Run`]s, one for each time that the
//! console was switched on, by a clock of the game that counts frames since then. A [`Wait`] compares the runs that wait with the same
//! inputs, and says which states they can start a round from.

mod buttons;
mod clock;
mod moment;
mod opening;
mod reader;
mod run;
#[cfg(test)]
mod tests;
mod wait;

pub use buttons::PadButtons;
pub use clock::PowerOnClock;
pub use moment::{StartReader, WaitMoment};
pub use opening::{Opening, OpeningError, opening};
pub use reader::RunReader;
pub use run::{Generation, Origin, Press, Run};
pub use wait::{Agreement, MeasuredStart, Offer, Wait, waits};
