//! Which pieces can have been picked between two samples.
//!
//! A pick falls into one of the frames between the last sample before it and the first one after it. How often the generator was
//! stepped beside the frames tells whether a second roll was needed. What is left are a few frames, as a rule one.

use crate::game::piece::Piece;
use crate::game::tetris_nes::{Pick, Spawner, State};

/// A pick, as samples before and after it tell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Picked {
    /// Steps of the generator less frames, before.
    pub phase: u16,
    /// The first and last frame in which it can have been made.
    pub frames: (u64, u64),
    /// Whether the first of them is unlikely: its pass of the main loop seemed to be over.
    pub first_unlikely: bool,
    /// Count and last piece before it.
    pub before: Spawner,
    /// Steps of the generator beside those of the frames.
    pub extra: u16,
    pub how: Pick,
}

/// What came of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Judged {
    /// Only this could be picked, in this frame if there was one only.
    Right,
    /// It could be picked, and others too.
    Open,
    /// It could not be picked; these could.
    Wrong(Vec<Piece>),
}

/// The most frames that are looked through: with so many, nothing is certain.
const FRAMES_MOST: u64 = 16;

impl Picked {
    fn spawner_in(&self, frame: u64) -> Spawner {
        Spawner { state: State::after_boot(u64::from(self.phase) + frame), ..self.before }
    }

    /// All frames with the outcomes that fit the steps, `pick` tells outcome and steps beside the frames'.
    fn outcomes<T: PartialEq>(&self, pick: impl Fn(Spawner) -> (T, u16)) -> Option<Vec<(u64, T)>> {
        let (first, last) = self.frames;
        if last < first || last - first >= FRAMES_MOST {
            return None;
        }
        let each = (first..=last).map(|frame| (frame, pick(self.spawner_in(frame))));
        Some(
            each.filter(|(_, (_, extra))| *extra == self.extra)
                .map(|(frame, (out, _))| (frame, out))
                .collect(),
        )
    }

    fn judge<T: PartialEq + Copy>(
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

    /// Holds the piece that was picked against those that could be.
    pub fn piece(&self, actual: Piece) -> Judged {
        let pick = |mut spawner: Spawner| {
            let (piece, again) = spawner.pick_by(self.how);
            (piece, u16::from(again))
        };
        judged(self.judge(actual, pick), |piece| piece)
    }

    /// The same for the two pieces with which a game starts; the expected ones are told by the first of the two.
    pub fn start(&self, current: Piece, next: Piece) -> Judged {
        let pick = |mut spawner: Spawner| {
            let (from, pieces) = (spawner.state, spawner.start());
            (pieces, from.distance(spawner.state).unwrap_or(u16::MAX))
        };
        judged(self.judge((current, next), pick), |(current, _)| current)
    }

    /// The most steps that a start takes: one, and two second rolls.
    pub const START_STEPS: u16 = 3;
}

fn judged<T>(result: Result<bool, Vec<T>>, told: impl Fn(T) -> Piece) -> Judged {
    match result {
        Ok(true) => Judged::Right,
        Ok(false) => Judged::Open,
        Err(possible) => {
            let mut possible: Vec<Piece> = possible.into_iter().map(told).collect();
            possible.dedup();
            Judged::Wrong(possible)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::tetris_nes::BOOT_STATE;

    /// A pick from `frame` steps after power-on.
    fn picked(frames: (u64, u64), extra: u16) -> Picked {
        let before = Spawner { state: BOOT_STATE, count: 9, last: 0x0A };
        Picked { phase: 0, frames, first_unlikely: false, before, extra, how: Pick::Code }
    }

    fn right(frame: u64) -> (Piece, u16) {
        let (piece, again) = picked((0, 0), 0).spawner_in(frame).pick();
        (piece, again.into())
    }

    #[test]
    fn of_one_frame_only_one_piece_is_right() {
        for frame in 0..2000 {
            let (piece, extra) = right(frame);
            for other in Piece::ALL {
                let judged = picked((frame, frame), extra).piece(other);
                if other == piece {
                    assert_eq!(judged, Judged::Right);
                } else {
                    assert_eq!(judged, Judged::Wrong(vec![piece]));
                }
            }
        }
    }

    #[test]
    fn of_several_frames_each_piece_that_fits_the_steps_is_open_and_no_other() {
        let mut seen = [0; 3];
        for frame in 0..2000 {
            let (piece, extra) = right(frame);
            let fits: Vec<Piece> = (frame..frame + 3)
                .map(right)
                .filter(|(_, steps)| *steps == extra)
                .map(|(piece, _)| piece)
                .collect();
            for other in Piece::ALL {
                let judged = picked((frame, frame + 2), extra).piece(other);
                let expected = match (fits.contains(&other), fits.iter().all(|fit| *fit == other)) {
                    (true, true) => Judged::Right,
                    (true, false) => Judged::Open,
                    (false, _) => {
                        let mut fits = fits.clone();
                        fits.dedup();
                        Judged::Wrong(fits)
                    }
                };
                seen[usize::from(judged == Judged::Open)] += usize::from(other == piece);
                assert_eq!(judged, expected, "frame {frame}");
            }
        }
        assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
    }

    #[test]
    fn an_unlikely_frame_neither_verifies_nor_makes_wrong() {
        for frame in 0..2000 {
            let ((first, one), (second, other)) = (right(frame), right(frame + 1));
            if first == second || one != other {
                continue;
            }
            let picked = Picked { first_unlikely: true, ..picked((frame, frame + 1), one) };
            assert_eq!((picked.piece(first), picked.piece(second)), (Judged::Open, Judged::Right));
        }
    }

    #[test]
    fn too_many_frames_tell_nothing() {
        assert_eq!(picked((5, 5 + FRAMES_MOST), 0).piece(Piece::T), Judged::Open);
    }
}
