//! What is certain of what is to come. The generator is stepped by every frame, so the piece after the next one depends on the
//! frame in which the piece in play locks: it is told for each of the frames to come.

use super::{Observation, Work};
use crate::game::piece::Piece;
use crate::game::tetris_nes::Spawner;

/// Frames that are looked ahead: a second.
pub const AHEAD: usize = 60;

/// What is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// The piece in play; None while it is hidden.
    pub current: Option<Piece>,
    /// The next one, which is certain.
    pub next: Piece,
    /// The number of the next piece in the game, 0 = the first.
    pub number: u32,
    /// What the pick depends on.
    pub spawner: Spawner,
    /// The piece after the next one, if it is picked so many frames from now, from 1 on. Menus aside, nothing else steps the
    /// generator.
    pub ahead: Vec<Piece>,
    /// Whether the pick of this very frame is over.
    pub frame_done: bool,
}

impl Forecast {
    /// The frames to wait for a piece, 1 or more; None when none of the coming frames picks it.
    #[must_use]
    pub fn wait_for(&self, piece: Piece) -> Option<usize> {
        self.ahead.iter().position(|ahead| *ahead == piece).map(|frames| frames + 1)
    }
}

/// Forecasts from what is there; None before the first game, in the demo, and for cells that the game cannot make.
#[must_use]
pub fn forecast(seen: &Observation) -> Option<Forecast> {
    if !seen.in_play() || !seen.spawner.state.is_reachable() || seen.dealt() == 0 {
        return None;
    }
    let mut spawner = seen.spawner;
    let ahead = std::iter::repeat_with(|| {
        spawner.state = spawner.state.step();
        let mut picking = spawner;
        picking.pick_by(seen.how).0
    });
    Some(Forecast {
        current: seen.current_piece(),
        next: seen.next_piece()?,
        number: seen.dealt(),
        spawner: seen.spawner,
        ahead: ahead.take(AHEAD).collect(),
        frame_done: seen.work == Work::Waits,
    })
}
