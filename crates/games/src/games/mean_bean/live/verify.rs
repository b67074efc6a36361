//! Compares emulator and model, sample by sample.
//!
//! A generation takes about two frames in versus. Pools that agree in samples two frames apart are complete, because a whole frame lies between
//! these; between samples of consecutive frames there may be nothing but the vertical interrupt. The second versus pool is a copy of the first
//! until its own shuffle is over.

use crate::games::Unit;
use crate::games::mean_bean::live::{CHECKS, Observation, PlayerObservation, Prediction};
use crate::games::mean_bean::seeds::{Origin, describe_extra_steps, origin_before};
use crate::games::mean_bean::{Dealer, Setup, State, generate_interrupted, miscounted, pool_index};
use crate::live::queue::{self, QueueTrack};
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use crate::text::hex;
use nextscope_boards::{Pair, Pool, PoolId};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// Steps back from the state in RAM: more than a minute of frames.
const STEPS_BACK: u32 = 4096;
/// Frames between two samples that have a whole frame between them.
const FRAMES_APART: u64 = 2;
/// Frames for which versus pools that are equal count as unfinished.
const UNFINISHED_FRAMES: u64 = 10;
/// Bytes at the start of the pool into which an opponent writes, and how many.
const WRITTEN: (usize, usize) = (64, 32);

/// Where the vertical interrupt fell into a generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Interrupts {
    /// The round, from 1 since attaching.
    pub round: u64,
    /// The generator's state before the first draw.
    #[serde(serialize_with = "state_as_text")]
    pub before: State,
    /// The mode byte.
    pub mode: u8,
    /// The draws, from 1, before which it stepped the generator.
    pub draws: Vec<u16>,
}

/// Pools whose generation is searched.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub round: u64,
    pub pools: [Pool; 2],
    pub setup: Setup,
}

#[derive(Debug, Clone)]
enum Provenance {
    Verified(Origin),
    Wrong(Origin),
    /// To be searched by the pools alone.
    Unknown,
    /// Nothing generates them, or the search failed.
    NotFound,
    /// The program wrote pairs into them.
    Demo,
}

impl Provenance {
    fn of(origin: Origin) -> Self {
        if origin.wrong == 0 { Self::Verified(origin) } else { Self::Wrong(origin) }
    }
}

#[derive(Debug, Clone)]
struct Settled {
    pools: [Pool; 2],
    setup: Setup,
    miscounted: Option<usize>,
    provenance: Provenance,
}

#[derive(Debug, Clone)]
struct RoundTrack {
    number: u64,
    since: u64,
    settled: Option<Settled>,
}

/// Compares samples with the model and with one another.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    last: Option<(Arc<Observation>, u64)>,
    round: Option<RoundTrack>,
    rounds: u64,
    queues: [QueueTrack; 2],
    /// Whether the opponent wrote its own pairs in this round.
    own_pairs: bool,
    interrupts: Vec<Interrupts>,
}

impl Verifier {
    /// Discards the samples so far after a reset, another game or a lost connection.
    pub fn reset(&mut self) {
        let interrupts = std::mem::take(&mut self.interrupts);
        *self = Self { rounds: self.rounds, interrupts, ..Self::default() };
    }

    /// Processes the next sample. `before` is the prediction of the previous one.
    pub fn step(
        &mut self,
        now: &Arc<Observation>,
        frame: u64,
        before: Option<&Prediction>,
        totals: &mut Totals,
    ) -> Vec<Mismatch> {
        let mut found = Vec::new();
        if now.no_round_yet() {
            self.queues.iter().for_each(|queue| queue.end(totals));
            self.reset();
            self.last = Some((Arc::clone(now), frame));
            return found;
        }
        let last = self.last.replace((Arc::clone(now), frame));
        let frame_moved = last.as_ref().is_some_and(|(_, last_frame)| frame != *last_frame);
        if last.as_ref().is_none_or(|(old, _)| old.pools != now.pools) {
            self.pools_changed(now, frame, totals);
        } else if self.round.as_ref().is_some_and(|round| round.is_complete(now, frame)) {
            self.settle(now, frame, totals, &mut found);
        }
        let settled = self.round.as_ref().and_then(|round| Some((round.number, round.settled.as_ref()?)));
        if let Some((round, _)) = settled {
            for player in 0..2 {
                let Some(observed) = &now.players[player] else { continue };
                let expected = expected(now, player, observed);
                if now.sets_own_pairs(player) && differs(observed, &expected) {
                    // A deal in progress does not last for two frames.
                    let again = last.as_ref().and_then(|(old, _)| old.players[player].as_ref());
                    self.own_pairs |= frame_moved
                        && again.is_some_and(|old| {
                            (old.queue, old.pairs_dealt) == (observed.queue, observed.pairs_dealt)
                        });
                    continue;
                }
                let before = before.and_then(|before| before.players.iter().find(|one| one.player == player));
                let sample = queue::Sample {
                    player,
                    observed: observed_queue(observed),
                    expected,
                    frame,
                    frame_moved,
                    before: before.map(|before| (before.pairs_dealt, before.pairs.as_slice())),
                    round,
                    text: Pair::codes,
                    unit: Unit::Pairs,
                };
                found.extend(self.queues[player].step(&sample, totals));
            }
        }
        totals.mismatches += found.len() as u64;
        found
    }

    fn pools_changed(&mut self, now: &Observation, frame: u64, totals: &mut Totals) {
        match &mut self.round {
            Some(RoundTrack { settled: None, since, .. }) => *since = frame, // still being generated
            Some(RoundTrack { settled: Some(settled), .. })
                if now.sets_own_pairs(1) && is_written(&settled.pools, &now.pools) =>
            {
                self.own_pairs = true;
            }
            round => {
                self.rounds += 1;
                self.own_pairs = false;
                *round = Some(RoundTrack { number: self.rounds, since: frame, settled: None });
                for (queue, player) in self.queues.iter_mut().zip(&now.players) {
                    queue.restart(player.as_ref().map(observed_queue), totals);
                }
            }
        }
    }

    fn settle(&mut self, now: &Observation, frame: u64, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let Some(round) = &mut self.round else { return };
        // Mode and stage may apply to the next round already.
        let setups = std::iter::once(now.setup).chain(Setup::ALL);
        let counted = setups.map(|setup| (miscounted(&now.pools, setup), setup));
        let (miscounted, setup) =
            counted.min_by_key(|(count, _)| count.unwrap_or(usize::MAX)).unwrap_or((None, now.setup));
        let provenance = match origin_before(&now.pools, setup, now.state, STEPS_BACK) {
            Some(origin) => Provenance::of(origin),
            None if now.is_demo() => Provenance::Demo,
            None => Provenance::Unknown,
        };
        round.settled = Some(Settled { pools: now.pools, setup, miscounted, provenance });
        totals.rounds += 1;
        self.conclude(frame, totals, found);
    }

    /// Counts a verified generation, and reports a wrong one.
    fn conclude(&mut self, frame: u64, totals: &mut Totals, found: &mut Vec<Mismatch>) {
        let Some(RoundTrack { number, settled: Some(settled), .. }) = &mut self.round else { return };
        // After missed frames an opponent may have written into the pools already.
        if let Provenance::Wrong(origin) = &settled.provenance
            && self.last.as_ref().is_some_and(|(now, _)| now.sets_own_pairs(1))
            && is_written(&generated(origin, settled.setup), &settled.pools)
        {
            self.own_pairs = true;
            settled.provenance = Provenance::Verified(origin.clone());
        }
        match &settled.provenance {
            Provenance::Verified(origin) => {
                totals.rounds_verified += 1;
                self.interrupts.push(Interrupts {
                    round: *number,
                    before: origin.before,
                    mode: settled.setup.mode,
                    draws: origin.extra_steps.iter().map(|draw| draw + 1).collect(),
                });
            }
            Provenance::Wrong(origin) => found.extend(difference(settled, origin, *number, frame)),
            Provenance::Unknown | Provenance::NotFound | Provenance::Demo => {}
        }
    }

    /// The pools whose generation does not end near the state in RAM; None when it is known.
    #[must_use]
    pub(super) fn pending_search(&self) -> Option<Target> {
        let round = self.round.as_ref()?;
        let settled = round.settled.as_ref()?;
        matches!(settled.provenance, Provenance::Unknown).then_some(Target {
            round: round.number,
            pools: settled.pools,
            setup: settled.setup,
        })
    }

    /// Processes the generations found for [`Self::pending_search`]: that which ended last before the state in RAM counts.
    pub(super) fn searched(&mut self, origins: &[Origin], frame: u64, totals: &mut Totals) -> Vec<Mismatch> {
        let mut found = Vec::new();
        let Some(settled) = self.round.as_mut().and_then(|round| round.settled.as_mut()) else {
            return found;
        };
        let now = self.last.as_ref().map(|(now, _)| now.state);
        let age = |origin: &&Origin| (origin.wrong, now.and_then(|now| origin.after.distance(now)));
        settled.provenance = match origins.iter().min_by_key(age) {
            Some(origin) => Provenance::of(origin.clone()),
            None => Provenance::NotFound,
        };
        self.conclude(frame, totals, &mut found);
        totals.mismatches += found.len() as u64;
        found
    }

    /// The number of the current or last round, from 1 since attaching; 0 before the first.
    #[must_use]
    pub const fn round(&self) -> u64 {
        self.rounds
    }

    /// Where the vertical interrupt fell into the generations that were verified.
    #[must_use]
    pub fn interrupts(&self) -> Arc<[Interrupts]> {
        self.interrupts.clone().into()
    }

    /// The results of the checks.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let Some(round) = &self.round else {
            let nothing = |id| Check { id, status: Status::Nothing, detail: "no round yet".into() };
            return Verdict { checks: CHECKS.iter().copied().map(nothing).collect() };
        };
        let [counts, generation] = match &round.settled {
            None => {
                std::array::from_fn(|_| (Status::NotVerified, "the pools are being generated".to_owned()))
            }
            Some(settled) => [settled.counts(), settled.generation()],
        };
        let check = |id, (status, detail)| Check { id, status, detail };
        let complete = round.settled.is_some();
        let mut second = self.queues[1].check(CheckId::QUEUE_P2, complete);
        if self.own_pairs && second.status != Status::Mismatch {
            second.detail = "opponent set its own pairs".into();
        }
        Verdict {
            checks: vec![
                check(CheckId::POOL_COUNTS, counts),
                check(CheckId::GENERATION, generation),
                self.queues[0].check(CheckId::QUEUE_P1, complete),
                second,
            ],
        }
    }
}

impl RoundTrack {
    fn is_complete(&self, now: &Observation, frame: u64) -> bool {
        let unfinished = now.setup.is_versus() && now.pools[0] == now.pools[1];
        let agree_for = frame.saturating_sub(self.since);
        self.settled.is_none() && agree_for >= FRAMES_APART && (!unfinished || agree_for > UNFINISHED_FRAMES)
    }
}

impl Settled {
    fn counts(&self) -> (Status, String) {
        match self.miscounted {
            Some(0) => {
                let [first, second] = self.setup.colors();
                (Status::Verified, format!("pools of {first} and {second} colours, all counts as expected"))
            }
            _ if matches!(self.provenance, Provenance::Wrong(_)) => {
                (Status::Mismatch, "a colour occurs too often, see the mismatch".into())
            }
            Some(count) => (Status::NotVerified, format!("{count} beans are not of the expected colours")),
            None => (Status::NotVerified, "the pools contain other bytes than colours".into()),
        }
    }

    fn generation(&self) -> (Status, String) {
        match &self.provenance {
            Provenance::Verified(origin) => (
                Status::Verified,
                format!(
                    "the state {} generates the pools; {}",
                    origin.before,
                    describe_extra_steps(&origin.extra_steps)
                ),
            ),
            Provenance::Wrong(origin) => (
                Status::Mismatch,
                format!("the state {} generates other pools, see the mismatch", origin.before),
            ),
            Provenance::Unknown => (
                Status::NotVerified,
                "no generation ended near the state in RAM; searching all states".into(),
            ),
            Provenance::NotFound => (
                Status::NotVerified,
                "no state generates these pools with at most one interrupt in each shuffle".into(),
            ),
            Provenance::Demo => (Status::NotVerified, "the demo writes its own pairs".into()),
        }
    }
}

fn state_as_text<S: Serializer>(state: &State, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(state)
}

fn observed_queue(player: &PlayerObservation) -> queue::ObservedQueue {
    queue::ObservedQueue {
        pairs: player.queue.to_vec(),
        pairs_dealt: player.pairs_dealt,
        pool_index: Some(player.pool_index),
    }
}

/// The expected queue of a player, or why there is none.
fn expected(
    now: &Observation,
    player: usize,
    observed: &PlayerObservation,
) -> Result<queue::Expected, String> {
    let dealer = Dealer { mode: now.setup.mode, player, level: observed.level };
    let dealt = u32::from(observed.pairs_dealt);
    let pairs = (dealt..dealt + 3).map(|deal_index| Some((dealer.pair(&now.pools, deal_index)?, None)));
    let pairs: Option<Vec<_>> = pairs.collect();
    let pairs = pairs.ok_or_else(|| format!("mode {} has no pool", now.setup.mode))?;
    Ok(queue::Expected { pairs, pool_index: Some(pool_index(observed.pairs_dealt)) })
}

fn differs(observed: &PlayerObservation, expected: &Result<queue::Expected, String>) -> bool {
    expected.as_ref().is_ok_and(|expected| {
        observed.queue.iter().zip(&expected.pairs).any(|(actual, (expected, _))| actual != expected)
    })
}

/// Whether only an opponent's pairs were written into the second pool.
fn is_written(before: &[Pool; 2], now: &[Pool; 2]) -> bool {
    let (start, most) = WRITTEN;
    let changed = before[1].iter().zip(&now[1]).filter(|(one, other)| one != other).count();
    before[0] == now[0] && before[1][start..] == now[1][start..] && changed <= most
}

fn generated(origin: &Origin, setup: Setup) -> [Pool; 2] {
    generate_interrupted(origin.before, setup, &origin.extra_steps).pools
}

/// The first byte at which the model's pools and RAM differ.
fn difference(settled: &Settled, origin: &Origin, round: u64, frame: u64) -> Option<Mismatch> {
    let model = generated(origin, settled.setup);
    let pools = [PoolId::Four, PoolId::Five].into_iter().zip(model.iter().zip(&settled.pools));
    let (id, model, actual, index) = pools.into_iter().find_map(|(id, (model, actual))| {
        let index = model.iter().zip(actual).position(|(a, b)| a != b)?;
        Some((id, model, actual, index))
    })?;
    let end = (index + 16).min(model.len());
    let number = if id == PoolId::Four { 1 } else { 2 };
    Some(Mismatch {
        check: CheckId::GENERATION,
        what: format!(
            "pool {number}, byte {index}: the state {} gives {:02X}, the emulator has {:02X}",
            origin.before, model[index], actual[index]
        ),
        expected: hex(&model[index..end]),
        actual: hex(&actual[index..end]),
        field: id.field().into(),
        index: u32::try_from(index).ok(),
        frame,
        round,
        evidence: None,
        one_of: false,
    })
}
