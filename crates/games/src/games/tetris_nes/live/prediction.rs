//! The prediction. The generator advances every frame, so the piece after the next one depends on the frame in which the piece in
//! play locks: it is computed for each of the following frames.

use crate::games::piece::Piece;
use crate::games::tetris_nes::Spawner;
use crate::games::tetris_nes::live::{Observation, Work};

/// Frames computed ahead: one second.
pub const AHEAD: usize = 60;

/// The prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The piece in play; None while it is hidden.
    pub current: Option<Piece>,
    /// The next one, which is certain.
    pub next: Piece,
    /// The number of the next piece in the game, 0 = the first.
    pub number: u32,
    /// The generator's current values.
    pub spawner: Spawner,
    /// The piece after the next one, for a draw 1, 2, ... frames from now. Outside of menus, nothing else advances the
    /// generator.
    pub ahead: Vec<Piece>,
    /// Whether the draw of the current frame is over.
    pub frame_done: bool,
}

impl Prediction {
    /// The frames to wait for a piece, 1 or more; None when none of the computed frames draws it.
    pub fn wait_for(&self, piece: Piece) -> Option<usize> {
        self.ahead.iter().position(|ahead| *ahead == piece).map(|frames| frames + 1)
    }
}

/// Computes the prediction; None before the first game, in the demo, and for values that the game cannot produce.
pub fn predict(observation: &Observation) -> Option<Prediction> {
    if !observation.in_play() || !observation.spawner.state.is_reachable() || observation.dealt() == 0 {
        return None;
    }
    let mut spawner = observation.spawner;
    let ahead = std::iter::repeat_with(|| {
        spawner.state = spawner.state.step();
        let mut picking = spawner;
        picking.pick_by(observation.how).0
    });
    Some(Prediction {
        current: observation.current_piece(),
        next: observation.next_piece()?,
        number: observation.dealt(),
        spawner: observation.spawner,
        ahead: ahead.take(AHEAD).collect(),
        frame_done: observation.work == Work::Waits,
    })
}
