//! The prediction. From the moment Start is pressed, all rounds until the options screen comes back are fixed.

use crate::games::dr_mario::live::Observation;
use crate::games::dr_mario::{Levels, Round, State};
use std::sync::Arc;

/// Frames computed ahead on the options screen: one second.
pub const AHEAD: u16 = 60;
/// Rounds computed ahead in a game.
pub const NEXT_ROUNDS: usize = 3;

/// The prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The round in play; None on the options screen.
    pub round: Option<Arc<Round>>,
    /// Capsules that each player threw in this round, if the position is known.
    pub thrown: [Option<u16>; 2],
    /// The rounds after it; on the options screen, the rounds that start if Start is pressed in 1, 2, ... frames.
    pub following: Vec<Arc<Round>>,
}

impl Prediction {
    /// The rounds for each of the coming frames on the options screen. Rounds of `before` are reused.
    pub(super) fn of_options(state: State, levels: Levels, before: Option<&Self>) -> Self {
        let old = |state: State| {
            let rounds = before.filter(|before| before.round.is_none())?;
            rounds
                .following
                .iter()
                .find(|round| round.state == state && round.viruses.levels == levels)
                .map(Arc::clone)
        };
        let states = std::iter::successors(Some(state.step()), |state| Some(state.step()));
        let round = |state| old(state).unwrap_or_else(|| Arc::new(Round::new(state, levels)));
        Self { round: None, thrown: [None; 2], following: states.take(AHEAD.into()).map(round).collect() }
    }

    /// The rounds after the one in play.
    pub(super) fn of_round(round: &Arc<Round>, thrown: [Option<u16>; 2], before: Option<&Self>) -> Self {
        let same = before.filter(|before| before.round.as_ref() == Some(round));
        let following = same.map_or_else(
            || {
                let rounds = std::iter::successors(Some(round.next()), |round| Some(round.next()));
                rounds.take(NEXT_ROUNDS).map(Arc::new).collect()
            },
            |before| before.following.clone(),
        );
        Self { round: Some(Arc::clone(round)), thrown, following }
    }

    /// The state in which the players start, as it is now.
    pub(super) fn starts(observation: &Observation) -> Option<(State, Levels)> {
        let state = Some(observation.state).filter(|state| state.is_reachable())?;
        Some((state, observation.levels()?))
    }
}
