//! Which pieces can have been drawn between two samples.
//!
//! A draw happens in one of the frames between the last sample before it and the first one after it. The generator's additional
//! steps show whether there was a reroll. This leaves a few frames, usually one.

use crate::game::piece::Piece;
use crate::game::tetris_nes::{Pick, Spawner, State};

/// A draw between two samples.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawWindow {
    /// Steps of the generator minus frames, before the draw.
    pub phase: u16,
    /// The first and last possible frame of the draw.
    pub frames: (u64, u64),
    /// Whether the first frame is unlikely: its pass of the main loop seemed complete.
    pub first_unlikely: bool,
    /// Count and last piece before the draw.
    pub before: Spawner,
    /// Steps of the generator in addition to one per frame.
    pub extra: u16,
    pub how: Pick,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DrawResult {
    /// No other piece was possible.
    Right,
    /// This piece and others were possible.
    Open,
    /// This piece was not possible; these were.
    Wrong(Vec<Piece>),
}

/// The limit of possible frames; beyond it, the result is always open.
const MAX_FRAMES: u64 = 16;

impl DrawWindow {
    fn spawner_in(&self, frame: u64) -> Spawner {
        Spawner { state: State::after_boot(u64::from(self.phase) + frame), ..self.before }
    }

    /// All frames with outcomes that match the steps; `pick` returns the outcome and the additional steps.
    fn outcomes<T: PartialEq>(&self, pick: impl Fn(Spawner) -> (T, u16)) -> Option<Vec<(u64, T)>> {
        let (first, last) = self.frames;
        if last < first || last - first >= MAX_FRAMES {
            return None;
        }
        let each = (first..=last).map(|frame| (frame, pick(self.spawner_in(frame))));
        Some(
            each.filter(|(_, (_, extra))| *extra == self.extra)
                .map(|(frame, (out, _))| (frame, out))
                .collect(),
        )
    }

    fn compare<T: PartialEq + Copy>(
        &self,
        actual: T,
        pick: impl Fn(Spawner) -> (T, u16),
    ) -> Result<bool, Vec<T>> {
        let Some(outcomes) = self.outcomes(pick) else { return Ok(false) };
        if outcomes.iter().all(|(_, outcome)| *outcome != actual) {
            return Err(outcomes.into_iter().map(|(_, outcome)| outcome).collect());
        }
        let unlikely = |frame: u64| self.first_unlikely && frame == self.frames.0;
        let likely: Vec<T> =
            outcomes.iter().filter(|(frame, _)| !unlikely(*frame)).map(|(_, out)| *out).collect();
        Ok(!likely.is_empty() && likely.iter().all(|outcome| *outcome == actual))
    }

    /// Compares the drawn piece with the possible ones.
    pub fn piece(&self, actual: Piece) -> DrawResult {
        let pick = |mut spawner: Spawner| {
            let (piece, again) = spawner.pick_by(self.how);
            (piece, u16::from(again))
        };
        result(self.compare(actual, pick), |piece| piece)
    }

    /// Compares the two pieces at the start of a game; the expected ones are returned by the first of the two.
    pub fn start(&self, current: Piece, next: Piece) -> DrawResult {
        let pick = |mut spawner: Spawner| {
            let (from, pieces) = (spawner.state, spawner.start());
            (pieces, from.distance(spawner.state).unwrap_or(u16::MAX))
        };
        result(self.compare((current, next), pick), |(current, _)| current)
    }

    /// The most steps of a start: one, and two rerolls.
    pub const START_STEPS: u16 = 3;
}

fn result<T>(compared: Result<bool, Vec<T>>, first_piece: impl Fn(T) -> Piece) -> DrawResult {
    match compared {
        Ok(true) => DrawResult::Right,
        Ok(false) => DrawResult::Open,
        Err(possible) => {
            let mut possible: Vec<Piece> = possible.into_iter().map(first_piece).collect();
            possible.dedup();
            DrawResult::Wrong(possible)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::tetris_nes::BOOT_STATE;

    /// A draw from `frame` steps after power-on.
    fn picked(frames: (u64, u64), extra: u16) -> DrawWindow {
        let before = Spawner { state: BOOT_STATE, count: 9, last: 0x0A };
        DrawWindow { phase: 0, frames, first_unlikely: false, before, extra, how: Pick::Code }
    }

    fn right(frame: u64) -> (Piece, u16) {
        let (piece, again) = picked((0, 0), 0).spawner_in(frame).pick();
        (piece, again.into())
    }

    #[test]
    fn in_a_single_frame_only_one_piece_is_right() {
        for frame in 0..2000 {
            let (piece, extra) = right(frame);
            for other in Piece::ALL {
                let found = picked((frame, frame), extra).piece(other);
                if other == piece {
                    assert_eq!(found, DrawResult::Right);
                } else {
                    assert_eq!(found, DrawResult::Wrong(vec![piece]));
                }
            }
        }
    }

    #[test]
    fn in_several_frames_the_pieces_that_match_the_steps_are_open() {
        let mut counts = [0; 3];
        for frame in 0..2000 {
            let (piece, extra) = right(frame);
            let fits: Vec<Piece> = (frame..frame + 3)
                .map(right)
                .filter(|(_, steps)| *steps == extra)
                .map(|(piece, _)| piece)
                .collect();
            for other in Piece::ALL {
                let found = picked((frame, frame + 2), extra).piece(other);
                let expected = match (fits.contains(&other), fits.iter().all(|fit| *fit == other)) {
                    (true, true) => DrawResult::Right,
                    (true, false) => DrawResult::Open,
                    (false, _) => {
                        let mut fits = fits.clone();
                        fits.dedup();
                        DrawResult::Wrong(fits)
                    }
                };
                counts[usize::from(found == DrawResult::Open)] += usize::from(other == piece);
                assert_eq!(found, expected, "frame {frame}");
            }
        }
        assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
    }

    #[test]
    fn an_unlikely_frame_neither_verifies_nor_fails() {
        for frame in 0..2000 {
            let ((first, one), (second, other)) = (right(frame), right(frame + 1));
            if first == second || one != other {
                continue;
            }
            let picked = DrawWindow { first_unlikely: true, ..picked((frame, frame + 1), one) };
            assert_eq!((picked.piece(first), picked.piece(second)), (DrawResult::Open, DrawResult::Right));
        }
    }

    #[test]
    fn too_many_frames_leave_the_result_open() {
        assert_eq!(picked((5, 5 + MAX_FRAMES), 0).piece(Piece::T), DrawResult::Open);
    }
}
