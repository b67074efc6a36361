//! Emulator against model, sample by sample.
//!
//! A sample can fall into the middle of a generation or of a deal. The generator and the dealer each run inside one
//! pass of the game's main loop, so what two samples show alike on both sides of a step of the frame counter is
//! complete; only such values are judged.

mod board;
mod round;

use super::{Forecast, Observation, PlayerObservation};
use crate::game::puyo_tsu::{Dealer, Dealing, Pair, Setup, State, pool_index};
use crate::live::queue::{self, QueueTrack};
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use crate::seeds::puyo_tsu::Target;
use board::BoardTrack;
pub use round::SearchResult;
use round::{Provenance, RoundTrack};
use std::sync::Arc;

/// The states of the generator remembered from before a change of the pools: one a frame would do, but a sampler
/// that is faster than the game sees some within a frame too.
const STATES_REMEMBERED: usize = 16;

/// The checks, in the order in which they are shown.
const CHECKS: [CheckId; 7] = [
    CheckId::ColorSet,
    CheckId::PoolCounts,
    CheckId::PoolCopies,
    CheckId::Generation,
    CheckId::QueueP1,
    CheckId::QueueP2,
    CheckId::Dealing,
];

/// Those of the players' boards, where the profile says where they stand.
const BOARDS: [CheckId; 2] = [CheckId::BoardP1, CheckId::BoardP2];

/// What the first three pairs tell about where they come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DealingSeen {
    OnlyPool3,
    OnlyLevelPool,
    Both,
}

fn queue_seen(player: &PlayerObservation) -> queue::Seen {
    queue::Seen {
        pairs: player.queue.to_vec(),
        pairs_dealt: player.pairs_dealt,
        pool_index: Some(player.pool_index),
    }
}

/// What a player's queue must hold.
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

/// The pair in play, by every reading of where it comes from.
fn in_play(now: &Observation, setup: Setup, player: usize) -> Vec<Pair> {
    let player = &now.players[player];
    let Some(last) = player.pairs_dealt.checked_sub(1) else { return Vec::new() };
    let dealers = Dealing::ALL.map(|dealing| Dealer { mode: setup.mode, level: player.level, dealing });
    dealers.iter().filter_map(|dealer| dealer.pair(&now.pools, last.into())).collect()
}

/// Which readings the queue of a round that has just begun shows.
fn dealing_seen(now: &Observation, setup: Setup, player: usize) -> Option<DealingSeen> {
    let player = &now.players[player];
    if !setup.is_versus() || player.pairs_dealt != 0 {
        return None;
    }
    let [code, document] = Dealing::ALL.map(|dealing| {
        let dealer = Dealer { mode: setup.mode, level: player.level, dealing };
        (0..3).zip(player.queue).all(|(n, pair)| dealer.pair(&now.pools, n) == Some(pair))
    });
    match (code, document) {
        (true, true) => Some(DealingSeen::Both),
        (true, false) => Some(DealingSeen::OnlyPool3),
        (false, true) => Some(DealingSeen::OnlyLevelPool),
        (false, false) => None,
    }
}

/// Holds samples against the model and against one another.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    last: Option<(Arc<Observation>, u64)>,
    states: Vec<State>,
    round: Option<RoundTrack>,
    rounds: u64,
    queues: [QueueTrack; 2],
    boards: [BoardTrack; 2],
    /// The round in which pools or queues were found to differ from the model: its boards cannot be foretold any more.
    astray: Option<u64>,
    dealing: Option<Check>,
}

impl Verifier {
    /// Forgets what was seen: the emulator was reset, another game came, the connection was lost.
    pub fn restart(&mut self) {
        *self = Self { rounds: self.rounds, ..Self::default() };
    }

    /// Takes the next sample. `frame` is the game's own frame count, extended over the wraps of its cell; `before`
    /// is the forecast made from the sample before, against which drawn pairs are held.
    pub fn step(
        &mut self,
        now: &Arc<Observation>,
        frame: u64,
        before: Option<&Forecast>,
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
        // A loaded state or a reset has a count of its own.
        let follows = last.as_ref().is_some_and(|(old, last_frame)| {
            let passed = frame.wrapping_sub(*last_frame).to_le_bytes()[0];
            now.frame_counter.wrapping_sub(old.frame_counter) == passed
        });
        let frame_moved = last.as_ref().is_some_and(|(_, last_frame)| frame != *last_frame);
        let pools_stand =
            last.as_ref().is_some_and(|(old, _)| old.color_set == now.color_set && old.pools == now.pools);
        if !pools_stand {
            self.pools_changed(now, last.is_some());
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
                    seen: queue_seen(&now.players[player]),
                    expected: expected(now, setup, player),
                    frame,
                    frame_moved,
                    before: before.map(|before| (before.pairs_dealt, before.pairs.as_slice())),
                    round,
                    text: Pair::codes,
                };
                found.extend(queue.step(&sample, totals));
            }
            if !found.is_empty() {
                self.astray = Some(round);
            }
            let follows = follows && self.astray != Some(round);
            for (player, board) in self.boards.iter_mut().enumerate() {
                let sample = board::Sample {
                    player,
                    seen: &now.players[player],
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

    fn pools_changed(&mut self, now: &Observation, seen_to_begin: bool) {
        match &mut self.round {
            Some(round) if !round.settled() => {} // still being generated
            round => {
                self.rounds += 1;
                let earlier = round.as_ref().and_then(RoundTrack::origin);
                *round = Some(RoundTrack::new(self.rounds, self.states.clone(), earlier));
                self.dealing = None;
                for (player, queue) in self.queues.iter_mut().enumerate() {
                    *queue = QueueTrack::default();
                    if seen_to_begin {
                        queue.await_fill(queue_seen(&now.players[player]));
                    }
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

    /// The setup with which the pools in RAM were made, once they stand. The cells for mode, rank and options
    /// speak of the next round as soon as somebody leaves the last one.
    #[must_use]
    pub fn pools_setup(&self) -> Option<Setup> {
        self.round.as_ref()?.setup()
    }

    /// A search over all states that would settle where the pools come from, when nothing cheaper did.
    #[must_use]
    pub fn wanted_search(&self) -> Option<Target> {
        self.round.as_ref()?.wanted_search()
    }

    /// Takes the result of a search that [`Self::wanted_search`] asked for; a result for an earlier round is ignored.
    pub fn searched(&mut self, result: &SearchResult, frame: u64, totals: &mut Totals) -> Vec<Mismatch> {
        let Some(round) = self.round.as_mut().filter(|round| round.number == result.round) else {
            return Vec::new();
        };
        let found: Vec<Mismatch> = round.searched(result, frame).into_iter().collect();
        totals.rounds_verified += u64::from(matches!(round.provenance, Provenance::Verified { .. }));
        totals.mismatches += found.len() as u64;
        if !found.is_empty() {
            self.astray = Some(result.round);
        }
        found
    }

    /// Which reading of the first three pairs the queues show, as long as they show it.
    fn note_dealing(&mut self, now: &Observation, setup: Setup) {
        let telling = (0..2).filter(|&player| self.queues[player].stands());
        let seen: Vec<DealingSeen> = telling.filter_map(|player| dealing_seen(now, setup, player)).collect();
        let check =
            |status, detail: &str| Some(Check { id: CheckId::Dealing, status, detail: detail.into() });
        if seen.contains(&DealingSeen::OnlyLevelPool) {
            self.dealing = check(
                Status::Mismatch,
                "all pairs came from the level's pool: the seed document's reading holds, not the code's",
            );
        } else if seen.contains(&DealingSeen::OnlyPool3) {
            self.dealing = check(Status::Holds, "the first three pairs came from the 3-colour pool");
        } else if seen.contains(&DealingSeen::Both) && self.dealing.is_none() {
            self.dealing = check(Status::NotVerified, "both readings give these three pairs");
        }
    }

    /// The round under way, or the last one, counted from 1 since attaching; 0 before the first.
    #[must_use]
    pub const fn round(&self) -> u64 {
        self.rounds
    }

    /// How the checks stand now.
    #[must_use]
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
        checks.push(self.queues[0].check(CheckId::QueueP1, round.settled()));
        checks.push(self.queues[1].check(CheckId::QueueP2, round.settled()));
        checks.push(self.dealing.clone().unwrap_or(Check {
            id: CheckId::Dealing,
            status: Status::NotVerified,
            detail: "seen only at the start of a versus round at level 3 or higher".into(),
        }));
        checks.extend(boards.map(|(id, board)| board.check(id)));
        Verdict { checks }
    }
}
