//! Compares emulator and model, sample by sample.
//!
//! A sample can fall into the middle of a generation or of a deal. Both take a small part of a frame, so values
//! that agree in samples of two consecutive frames are complete. Only those are checked.

use crate::games::Unit;
use crate::games::puyo_20th::live::seed_tracing::{GENERATOR_CHECKS, RoundTrack};
use crate::games::puyo_20th::live::{Block, Observation, PlayerObservation, Prediction};
use crate::games::puyo_20th::{POOL_PAIRS, Pair, RoundSeed, State};
use crate::live::queue::{self, QueueTrack};
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use std::sync::Arc;

/// Generator states remembered from before a change of the pools.
const STATES_REMEMBERED: usize = 16;

/// Compares samples with the model and with one another.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    last: Option<(Arc<Observation>, u64)>,
    /// The last readable block; the pointer may be invalid now.
    block: Option<Block>,
    states: Vec<State>,
    round: Option<RoundTrack>,
    rounds: u64,
    queues: [QueueTrack; 2],
    queues_known: [bool; 2],
    pointer_error: Option<String>,
    round_seed: RoundSeed,
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
        self.round_seed = now.round_seed;
        self.queues_known = now.players.each_ref().map(Option::is_some);
        let last = self.last.replace((Arc::clone(now), frame));
        let block = match &now.block {
            Ok(block) => block,
            Err(error) => {
                self.pointer_error = Some(error.to_string());
                return found;
            }
        };
        self.pointer_error = None;
        if block.no_round_yet() {
            self.queues.iter().for_each(|queue| queue.end(totals));
            let rounds = self.rounds;
            let last = self.last.take();
            *self = Self {
                rounds,
                last,
                round_seed: self.round_seed,
                queues_known: self.queues_known,
                ..Self::default()
            };
            self.remember(block.state);
            return found;
        }
        let last_block = self.block.replace(block.clone());
        let unchanged = last_block
            .as_ref()
            .is_some_and(|old| old.map_cells == block.map_cells && old.pools == block.pools);
        let follows = last.as_ref().is_some_and(|(old, _)| old.block.is_ok() && old.base == now.base);
        let frame_moved = follows && last.as_ref().is_some_and(|(_, last_frame)| frame != *last_frame);
        if !unchanged {
            self.pools_changed(now, before, totals);
        } else if frame_moved && self.round.as_ref().is_some_and(|round| !round.settled()) {
            self.settle(block, frame, totals, &mut found);
        }
        self.remember(block.state);
        let round =
            self.round.as_ref().filter(|round| round.settled()).map(|round| (round.number, round.modelled()));
        if let Some((round, true)) = round {
            for (number, queue) in self.queues.iter_mut().enumerate() {
                let Some(player) = &now.players[number] else { continue };
                let before = before.and_then(|before| before.players[number].as_ref());
                let sample = queue::Sample {
                    player: number,
                    observed: observed_queue(block, player),
                    expected: expected(block, player),
                    frame,
                    frame_moved,
                    before: before.map(|before| (before.pairs_dealt, before.pairs.as_slice())),
                    round,
                    text: Pair::letters,
                    unit: Unit::Pairs,
                };
                found.extend(queue.step(&sample, totals));
            }
        }
        totals.mismatches += found.len() as u64;
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

    fn pools_changed(&mut self, now: &Observation, before: Option<&Prediction>, totals: &mut Totals) {
        match &mut self.round {
            Some(round) if !round.settled() => {} // still being generated
            round => {
                self.rounds += 1;
                let earlier = round.as_ref().and_then(RoundTrack::seed);
                let predicted = before.map(|before| Arc::clone(&before.if_now));
                *round = Some(RoundTrack::new(self.rounds, self.states.clone(), predicted, earlier));
                for (queue, player) in self.queues.iter_mut().zip(&now.players) {
                    let shown = player.as_ref().zip(now.block.as_ref().ok());
                    queue.restart(shown.map(|(player, block)| observed_queue(block, player)), totals);
                }
            }
        }
    }

    fn settle(&mut self, block: &Block, frame: u64, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let Some(round) = &mut self.round else { return };
        found.extend(round.settle(block, frame));
        totals.rounds += 1;
        totals.rounds_verified += u64::from(round.verified());
        totals.rounds_predicted += u64::from(round.was_predicted());
    }

    /// Tries some seeds for pools of unknown origin. Returns the mismatches found, or None when the verdict did not
    /// change.
    pub fn poll_background(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        let round = self.round.as_mut()?;
        let found = round.poll_background(frame)?;
        totals.rounds_verified += u64::from(round.verified());
        totals.mismatches += found.len() as u64;
        Some(found)
    }

    /// The progress of the search over all seeds, 0 to 1; None when none is running.
    pub fn search_progress(&self) -> Option<f64> {
        self.round.as_ref()?.search_progress()
    }

    /// The number of the current or last round, from 1 since attaching; 0 before the first.
    pub const fn round(&self) -> u64 {
        self.rounds
    }

    /// The results of the checks.
    pub fn verdict(&self) -> Verdict {
        let queues = [CheckId::QUEUE_P1, CheckId::QUEUE_P2];
        let all = |detail: &str| {
            let check = |id| Check { id, status: Status::Nothing, detail: detail.to_owned() };
            Verdict { checks: GENERATOR_CHECKS.into_iter().chain(queues).map(check).collect() }
        };
        if let Some(pointer_error) = &self.pointer_error {
            return all(pointer_error);
        }
        let Some(round) = &self.round else { return all("no round yet") };
        let state = self.block.as_ref().map(|block| block.state);
        let mut checks = round.checks(state, self.round_seed);
        for ((id, queue), known) in queues.into_iter().zip(&self.queues).zip(self.queues_known) {
            checks.push(match (known, round.modelled()) {
                (true, true) => queue.check(id, round.settled()),
                (true, false) => nothing(id, "not modelled: see Generation"),
                (false, _) => nothing(id, "the profile lacks the address of the queue"),
            });
        }
        Verdict { checks }
    }
}

fn nothing(id: CheckId, detail: &str) -> Check {
    Check { id, status: Status::Nothing, detail: detail.into() }
}

fn observed_queue(block: &Block, player: &PlayerObservation) -> queue::ObservedQueue {
    let pairs = player.queue.chunks_exact(2).map(|pair| block.pair(pair[0], pair[1])).collect();
    queue::ObservedQueue { pairs, pairs_dealt: player.pairs_dealt, pool_index: None }
}

/// The expected queue of a player.
fn expected(block: &Block, player: &PlayerObservation) -> Result<queue::Expected, String> {
    let Some(pool) = player.pool else { return Err("there is no pool for this number of colours".into()) };
    let pool = &block.pools[pool.index()];
    let pairs = [0, 1].map(|ahead| {
        let at = 2 * ((usize::from(player.pairs_dealt) + ahead) % POOL_PAIRS);
        (block.pair(pool[at], pool[at + 1]), None)
    });
    Ok(queue::Expected { pairs: pairs.to_vec(), pool_index: None })
}
