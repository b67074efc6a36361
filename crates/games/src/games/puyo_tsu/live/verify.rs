//! Compares emulator and model, sample by sample.
//!
//! A sample can fall into the middle of a generation or of a deal. The generator and the dealer each run inside one
//! pass of the game's main loop, so values that agree in samples of two consecutive frames are complete. Only
//! those are checked.

mod board;
mod round;

use crate::games::Unit;
use crate::games::puyo_tsu::live::{Observation, PlayerObservation, Prediction};
use crate::games::puyo_tsu::seeds::Target;
use crate::games::puyo_tsu::{Dealer, Dealing, Pair, Setup, State, pool_index};
use crate::live::queue::{self, QueueTrack};
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use board::BoardTrack;
pub use round::SearchResult;
use round::{Provenance, RoundTrack};
use std::sync::Arc;

/// Generator states remembered from before a change of the pools: one per frame would be enough, but a fast sampler
/// takes several samples per frame.
const STATES_REMEMBERED: usize = 16;

/// The checks in display order.
const CHECKS: [CheckId; 7] = [
    CheckId::COLOR_SET,
    CheckId::POOL_COUNTS,
    CheckId::POOL_COPIES,
    CheckId::GENERATION,
    CheckId::QUEUE_P1,
    CheckId::QUEUE_P2,
    CheckId::DEALING,
];

/// The checks of the players' boards, if the profile has their addresses.
const BOARDS: [CheckId; 2] = [CheckId::BOARD_P1, CheckId::BOARD_P2];

/// The pools that match the first three pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DealingEvidence {
    OnlyPool3,
    OnlyLevelPool,
    Both,
}

fn observed_queue(player: &PlayerObservation) -> queue::ObservedQueue {
    queue::ObservedQueue {
        pairs: player.queue.to_vec(),
        pairs_dealt: player.pairs_dealt,
        pool_index: Some(player.pool_index),
    }
}

/// The expected queue of a player.
fn expected(now: &Observation, setup: Setup, player: usize) -> Result<queue::Expected, String> {
    let player = &now.players[player];
    let not_modelled = || format!("mode {} or level {} is not modelled", setup.mode, player.level.0);
    if setup.mode & 3 > 1 {
        return Err(not_modelled());
    }
    let deal = |dealing, deal_index| {
        Dealer { mode: setup.mode, level: player.level, dealing }.pair(&now.pools, deal_index)
    };
    let dealt = u32::from(player.pairs_dealt);
    let pairs = (dealt..dealt + 3).map(|deal_index| {
        let right = deal(now.dealing, deal_index).ok_or_else(not_modelled)?;
        let other = Dealing::ALL.into_iter().find(|dealing| *dealing != now.dealing);
        Ok((right, other.and_then(|other| deal(other, deal_index))))
    });
    let pairs = pairs.collect::<Result<Vec<_>, String>>()?;
    Ok(queue::Expected { pairs, pool_index: Some(pool_index(player.pairs_dealt)) })
}

/// The pair in play, by each variant of the dealing.
fn in_play(now: &Observation, setup: Setup, player: usize) -> Vec<Pair> {
    let player = &now.players[player];
    let Some(last) = player.pairs_dealt.checked_sub(1) else { return Vec::new() };
    let dealers = Dealing::ALL.map(|dealing| Dealer { mode: setup.mode, level: player.level, dealing });
    dealers.iter().filter_map(|dealer| dealer.pair(&now.pools, last.into())).collect()
}

/// The variants of the dealing that match the queue at the start of a round.
fn dealing_evidence(now: &Observation, setup: Setup, player: usize) -> Option<DealingEvidence> {
    let player = &now.players[player];
    if !setup.is_versus() || player.pairs_dealt != 0 {
        return None;
    }
    let [code, document] = Dealing::ALL.map(|dealing| {
        let dealer = Dealer { mode: setup.mode, level: player.level, dealing };
        (0..3).zip(player.queue).all(|(n, pair)| dealer.pair(&now.pools, n) == Some(pair))
    });
    match (code, document) {
        (true, true) => Some(DealingEvidence::Both),
        (true, false) => Some(DealingEvidence::OnlyPool3),
        (false, true) => Some(DealingEvidence::OnlyLevelPool),
        (false, false) => None,
    }
}

/// Compares samples with the model and with one another.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    last: Option<(Arc<Observation>, u64)>,
    states: Vec<State>,
    round: Option<RoundTrack>,
    rounds: u64,
    queues: [QueueTrack; 2],
    boards: [BoardTrack; 2],
    /// The round whose pools or queues differ from the model, so that its boards cannot be predicted.
    inconsistent: Option<u64>,
    dealing: Option<Check>,
}

impl Verifier {
    /// Discards the samples so far after a reset, another game or a lost connection.
    pub fn reset(&mut self) {
        *self = Self { rounds: self.rounds, ..Self::default() };
    }

    /// Processes the next sample. `frame` is the number of frames since attaching; `before` is the prediction of the
    /// previous sample, which is compared with the drawn pairs.
    pub fn step(
        &mut self,
        now: &Arc<Observation>,
        frame: u64,
        before: Option<&Prediction>,
        totals: &mut Totals,
    ) -> Vec<Mismatch> {
        let mut found = Vec::new();
        if now.no_round_yet() {
            let rounds = self.rounds;
            *self = Self { rounds, last: Some((Arc::clone(now), frame)), ..Self::default() };
            self.remember(now.state);
            return found;
        }
        let last = self.last.take();
        // After a loaded state or a reset, the counter does not match.
        let follows = last.as_ref().is_some_and(|(old, last_frame)| {
            let passed = frame.wrapping_sub(*last_frame).to_le_bytes()[0];
            now.frame_counter.wrapping_sub(old.frame_counter) == passed
        });
        let frame_moved = last.as_ref().is_some_and(|(_, last_frame)| frame != *last_frame);
        let pools_unchanged =
            last.as_ref().is_some_and(|(old, _)| old.color_set == now.color_set && old.pools == now.pools);
        if !pools_unchanged {
            self.pools_changed(now, totals);
            self.boards.iter_mut().for_each(|board| board.leave_round(totals));
        } else if frame_moved && self.round.as_ref().is_some_and(|round| !round.settled()) {
            self.settle(now, frame, totals, &mut found);
        }
        self.remember(now.state);
        if let Some((round, setup)) =
            self.round.as_ref().and_then(|round| Some((round.number, round.setup()?)))
        {
            for (player, queue) in self.queues.iter_mut().enumerate() {
                let before = before.map(|before| &before.players[player]);
                let sample = queue::Sample {
                    player,
                    observed: observed_queue(&now.players[player]),
                    expected: expected(now, setup, player),
                    frame,
                    frame_moved,
                    before: before.map(|before| (before.pairs_dealt, before.pairs.as_slice())),
                    round,
                    text: Pair::codes,
                    unit: Unit::Pairs,
                };
                found.extend(queue.step(&sample, totals));
            }
            if !found.is_empty() {
                self.inconsistent = Some(round);
            }
            let follows = follows && self.inconsistent != Some(round);
            for (player, board) in self.boards.iter_mut().enumerate() {
                let sample = board::Sample {
                    player,
                    observed: &now.players[player],
                    pop_count: now.setup.pop_count,
                    pairs: in_play(now, setup, player),
                    frame,
                    follows,
                    round,
                };
                found.extend(board.step(&sample, totals));
            }
            self.note_dealing(now, setup);
        }
        totals.mismatches += found.len() as u64;
        self.last = Some((Arc::clone(now), frame));
        found
    }

    fn remember(&mut self, state: State) {
        if self.states.last() != Some(&state) {
            if self.states.len() == STATES_REMEMBERED {
                self.states.remove(0);
            }
            self.states.push(state);
        }
    }

    fn pools_changed(&mut self, now: &Observation, totals: &mut Totals) {
        match &mut self.round {
            Some(round) if !round.settled() => {} // still being generated
            round => {
                self.rounds += 1;
                let earlier = round.as_ref().and_then(RoundTrack::origin);
                *round = Some(RoundTrack::new(self.rounds, self.states.clone(), earlier));
                self.dealing = None;
                for (player, queue) in self.queues.iter_mut().enumerate() {
                    queue.restart(Some(observed_queue(&now.players[player])), totals);
                }
            }
        }
    }

    fn settle(&mut self, now: &Observation, frame: u64, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let Some(round) = &mut self.round else { return };
        found.extend(round.settle(now, frame));
        totals.rounds += 1;
        totals.rounds_verified += u64::from(matches!(round.provenance, Provenance::Verified { .. }));
    }

    /// The setup with which the pools in RAM were generated, once they are complete. The cells for mode, rank and
    /// options apply to the next round as soon as the current one is left.
    pub fn pools_setup(&self) -> Option<Setup> {
        self.round.as_ref()?.setup()
    }

    /// The search over all states that is necessary to find the origin of the pools; None when it is known.
    pub fn pending_search(&self) -> Option<Target> {
        self.round.as_ref()?.pending_search()
    }

    /// Processes the result of a search for [`Self::pending_search`]; a result for an earlier round is ignored.
    pub fn searched(&mut self, result: &SearchResult, frame: u64, totals: &mut Totals) -> Vec<Mismatch> {
        let Some(round) = self.round.as_mut().filter(|round| round.number == result.round) else {
            return Vec::new();
        };
        let found: Vec<Mismatch> = round.searched(result, frame).into_iter().collect();
        totals.rounds_verified += u64::from(matches!(round.provenance, Provenance::Verified { .. }));
        totals.mismatches += found.len() as u64;
        if !found.is_empty() {
            self.inconsistent = Some(result.round);
        }
        found
    }

    /// Determines the variant of the dealing while the queues show the first three pairs.
    fn note_dealing(&mut self, now: &Observation, setup: Setup) {
        let verified = (0..2).filter(|&player| self.queues[player].is_verified());
        let observed: Vec<DealingEvidence> =
            verified.filter_map(|player| dealing_evidence(now, setup, player)).collect();
        let check =
            |status, detail: &str| Some(Check { id: CheckId::DEALING, status, detail: detail.into() });
        if observed.contains(&DealingEvidence::OnlyLevelPool) {
            self.dealing = check(
                Status::Mismatch,
                "all pairs came from the level's pool, as in the seed document and not as in the code",
            );
        } else if observed.contains(&DealingEvidence::OnlyPool3) {
            self.dealing = check(Status::Verified, "the first three pairs came from the 3-colour pool");
        } else if observed.contains(&DealingEvidence::Both) && self.dealing.is_none() {
            self.dealing = check(Status::NotVerified, "these three pairs match both variants");
        }
    }

    /// The number of the current or last round, from 1 since attaching; 0 before the first.
    pub const fn round(&self) -> u64 {
        self.rounds
    }

    /// The results of the checks.
    pub fn verdict(&self) -> Verdict {
        let players = self.last.iter().flat_map(|(last, _)| &last.players);
        let boards = BOARDS.into_iter().zip(&self.boards).zip(players);
        let boards = boards.filter(|(_, player)| player.board.is_some()).map(|(board, _)| board);
        let Some(round) = &self.round else {
            let nothing = |id| Check { id, status: Status::Nothing, detail: "no round yet".into() };
            return Verdict {
                checks: CHECKS.into_iter().chain(boards.map(|(id, _)| id)).map(nothing).collect(),
            };
        };
        let mut checks = round.checks();
        checks.push(self.queues[0].check(CheckId::QUEUE_P1, round.settled()));
        checks.push(self.queues[1].check(CheckId::QUEUE_P2, round.settled()));
        checks.push(self.dealing.clone().unwrap_or(Check {
            id: CheckId::DEALING,
            status: Status::NotVerified,
            detail: "checked only at the start of a versus round at level 3 or higher".into(),
        }));
        checks.extend(boards.map(|(id, board)| board.check(id)));
        Verdict { checks }
    }
}
