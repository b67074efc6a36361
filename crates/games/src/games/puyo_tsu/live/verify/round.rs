//! Finds the generator state from which the pools of a round come.

use crate::games::puyo_tsu::live::Observation;
use crate::games::puyo_tsu::seeds::{MAX_DIFFERENCES, Target};
use crate::games::puyo_tsu::{
    Flaw, POOL_SETUPS, Pool, PoolId, Round, Setup, State, flaws, generate, states_before,
};
use crate::live::nearest::nearest as nearest_round;
use crate::live::{Check, CheckId, Mismatch, Status};

/// The limit of a backward search, which usually gives some hundreds of states.
const MAX_STATES: usize = 20_000;

/// How the origin of the pools was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The state was sampled before the pools changed.
    Sampled,
    /// By stepping back from the state after the generation.
    SteppedBack,
    /// By trying all states.
    Searched,
}

/// The origin of the pools.
#[derive(Debug, Clone)]
pub enum Provenance {
    /// Not checked yet.
    Open,
    /// This state generates exactly these pools.
    Verified { before: State, how: How, after_seen: bool },
    /// This state generates them with some differences.
    Wrong { before: State },
    /// None of the states tried generates them.
    Unknown,
    /// No state generates them.
    Impossible,
    /// None of the states tried generates them, and the search over all states failed.
    SearchFailed,
}

/// The result of a search over all states.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// The round that was searched.
    pub round: u64,
    /// The states that generate these pools exactly, or nearly when none does; ascending. None when the search failed.
    pub states: Option<Vec<State>>,
}

/// A round in RAM.
#[derive(Debug, Clone)]
pub struct RoundTrack {
    pub number: u64,
    pub provenance: Provenance,
    states_before: Vec<State>,
    /// The state and setup of the previous round: a byte may change in the middle of a round.
    earlier: Option<(State, Setup)>,
    observed: Option<ObservedRound>,
}

#[derive(Debug, Clone)]
struct ObservedRound {
    color_set: [u8; 8],
    pools: [Pool; 3],
    setup: Setup,
    flaws: Vec<Flaw>,
}

impl RoundTrack {
    pub fn new(number: u64, states_before: Vec<State>, earlier: Option<(State, Setup)>) -> Self {
        Self { number, provenance: Provenance::Open, states_before, earlier, observed: None }
    }

    pub fn settled(&self) -> bool {
        self.observed.is_some()
    }

    /// The setup with which the pools were generated, once they are complete.
    pub fn setup(&self) -> Option<Setup> {
        self.observed.as_ref().map(|observed| observed.setup)
    }

    /// The state and setup from which the pools were generated, if known.
    pub fn origin(&self) -> Option<(State, Setup)> {
        match self.provenance {
            Provenance::Verified { before, .. } | Provenance::Wrong { before } => {
                Some((before, self.setup()?))
            }
            _ => None,
        }
    }

    /// Checks pools that no longer change.
    pub fn settle(&mut self, now: &Observation, frame: u64) -> Vec<Mismatch> {
        // Mode, rank and options may already apply to the next round; use the setup that matches the pools best.
        let known = [Some(now.setup), self.earlier.map(|(_, setup)| setup)].into_iter().flatten();
        let others = POOL_SETUPS.into_iter().map(|other| Setup { shuffle: now.setup.shuffle, ..other });
        let setup = known
            .chain(others)
            .min_by_key(|&setup| {
                flaws(now.color_set, &now.pools, setup).iter().map(Flaw::weight).sum::<usize>()
            })
            .unwrap_or(now.setup);
        let flaws = flaws(now.color_set, &now.pools, setup);
        let observed = ObservedRound { color_set: now.color_set, pools: now.pools, setup, flaws };
        let before = self.states_before.iter().rev().copied().map(|state| (state, How::Sampled));
        let again = self.earlier.map(|(state, _)| (state, How::Sampled));
        let nearest = nearest(before.chain(again), &observed).or_else(|| {
            let walked = states_before(now.state, setup, MAX_STATES).unwrap_or_default();
            nearest(walked.into_iter().map(|state| (state, How::SteppedBack)), &observed)
        });
        let mut found = Vec::new();
        match nearest {
            Some((round, how, 0)) => {
                let after_seen = round.after == now.state;
                self.provenance = Provenance::Verified { before: round.before, how, after_seen };
            }
            Some((round, _, _)) => {
                self.provenance = Provenance::Wrong { before: round.before };
                found.extend(self.difference(&round, &observed, frame));
            }
            None => {
                self.provenance = Provenance::Unknown;
                found.extend(observed.flaws.iter().map(|flaw| self.flaw_mismatch(flaw, frame)));
            }
        }
        self.observed = Some(observed);
        found
    }

    pub fn pending_search(&self) -> Option<Target> {
        let observed = self.observed.as_ref().filter(|_| matches!(self.provenance, Provenance::Unknown))?;
        Some(Target {
            round: self.number,
            color_set: observed.color_set,
            pools: observed.pools,
            setup: observed.setup,
        })
    }

    pub fn searched(&mut self, result: &SearchResult, frame: u64) -> Option<Mismatch> {
        let observed = self.observed.as_ref().filter(|_| matches!(self.provenance, Provenance::Unknown))?;
        let Some(states) = &result.states else {
            self.provenance = Provenance::SearchFailed;
            return None;
        };
        match nearest(states.iter().map(|&state| (state, How::Searched)), observed) {
            Some((round, how, 0)) => {
                self.provenance = Provenance::Verified { before: round.before, how, after_seen: false };
                None
            }
            Some((round, _, _)) => {
                let found = self.difference(&round, observed, frame);
                self.provenance = Provenance::Wrong { before: round.before };
                found
            }
            None => {
                self.provenance = Provenance::Impossible;
                let observed = self.observed.as_ref()?;
                observed.flaws.is_empty().then(|| Mismatch {
                    check: CheckId::GENERATION,
                    what: "none of the 4,294,967,296 states generates these pools".into(),
                    expected: "pools that the generator can produce".into(),
                    actual: hex(&observed.pools[1][..16]),
                    field: PoolId::Four.field().into(),
                    index: None,
                    frame,
                    round: self.number,
                    evidence: None,
                    one_of: false,
                })
            }
        }
    }

    /// The first byte at which the model's round and RAM differ.
    fn difference(&self, round: &Round, observed: &ObservedRound, frame: u64) -> Option<Mismatch> {
        let sets =
            (round.color_set.as_slice(), observed.color_set.as_slice(), "color_set", "colour set".to_owned());
        let pools = PoolId::ALL.into_iter().filter_map(|id| {
            let model = round.pool(id)?;
            Some((model.as_slice(), observed.pools[id.index()].as_slice(), id.field(), id.to_string()))
        });
        let (model, actual, field, name, index) =
            std::iter::once(sets).chain(pools).find_map(|(model, actual, field, name)| {
                let index = model.iter().zip(actual).position(|(a, b)| a != b)?;
                Some((model, actual, field, name, index))
            })?;
        let end = (index + 16).min(model.len());
        Some(Mismatch {
            check: CheckId::GENERATION,
            what: format!(
                "{name}, byte {index}: the state {} gives {:02X}, the emulator has {:02X}",
                round.before, model[index], actual[index]
            ),
            expected: hex(&model[index..end]),
            actual: hex(&actual[index..end]),
            field: field.into(),
            index: u32::try_from(index).ok(),
            frame,
            round: self.number,
            evidence: None,
            one_of: false,
        })
    }

    fn flaw_mismatch(&self, flaw: &Flaw, frame: u64) -> Mismatch {
        let (pool, index) = flaw.place();
        let (expected, actual) = match flaw {
            Flaw::ColorSet { actual } => ("one of 96 sets".into(), hex(actual)),
            Flaw::ForeignColor { actual, .. } => ("a colour of the pool".into(), format!("{actual:02X}")),
            Flaw::Count { least, most, actual, .. } => (format!("{least} to {most}"), actual.to_string()),
            Flaw::Copy { expected, actual, .. } => (format!("{expected:02X}"), format!("{actual:02X}")),
        };
        Mismatch {
            check: check_of(flaw),
            what: flaw.to_string(),
            expected,
            actual,
            field: pool.map_or("color_set", PoolId::field).into(),
            index: index.and_then(|index| u32::try_from(index).ok()),
            frame,
            round: self.number,
            evidence: None,
            one_of: false,
        }
    }

    pub fn checks(&self) -> Vec<Check> {
        let structural = [CheckId::COLOR_SET, CheckId::POOL_COUNTS, CheckId::POOL_COPIES].map(|id| {
            let Some(observed) = &self.observed else {
                return Check {
                    id,
                    status: Status::NotVerified,
                    detail: "the pools are being generated".into(),
                };
            };
            match observed.flaws.iter().find(|flaw| check_of(flaw) == id) {
                Some(flaw) => Check { id, status: Status::Mismatch, detail: flaw.to_string() },
                None => Check { id, status: Status::Verified, detail: verified_detail(id, observed.setup) },
            }
        });
        let (status, detail) = match &self.provenance {
            Provenance::Open => (Status::NotVerified, "the pools are being generated".to_owned()),
            Provenance::Verified { before, how, after_seen } => {
                let how = match how {
                    How::Sampled => "sampled before the round",
                    How::SteppedBack => "found by stepping back",
                    How::Searched => "found by trying all states",
                };
                let after = if *after_seen { ", and the state after it" } else { "" };
                (Status::Verified, format!("the state {before} ({how}) generates colour set and pools{after}"))
            }
            Provenance::Wrong { before } => {
                (Status::Mismatch, format!("the state {before} generates other pools, see the mismatch"))
            }
            Provenance::Unknown => (
                Status::NotVerified,
                "the state before the round was not sampled; searching all states".to_owned(),
            ),
            Provenance::Impossible => (Status::Mismatch, "no state generates these pools".to_owned()),
            Provenance::SearchFailed => (
                Status::NotVerified,
                "the state before the round was not sampled, and the search over all states failed: see the log"
                    .to_owned(),
            ),
        };
        let mut checks = structural.to_vec();
        checks.push(Check { id: CheckId::GENERATION, status, detail });
        checks
    }
}

fn verified_detail(id: CheckId, setup: Setup) -> String {
    match id {
        CheckId::COLOR_SET => "one of the 96 possible sets".into(),
        CheckId::POOL_COUNTS => {
            let colors: Vec<String> = setup.colors().iter().flatten().map(ToString::to_string).collect();
            format!("pools of {} colours, all counts as expected", colors.join(", "))
        }
        _ if setup.is_versus() => "the first pairs are copied as expected".into(),
        _ => "both story pools are equal".into(),
    }
}

fn check_of(flaw: &Flaw) -> CheckId {
    match flaw {
        Flaw::ColorSet { .. } => CheckId::COLOR_SET,
        Flaw::ForeignColor { .. } | Flaw::Count { .. } => CheckId::POOL_COUNTS,
        Flaw::Copy { .. } => CheckId::POOL_COPIES,
    }
}

/// The candidate whose round is nearest to RAM, with the number of bytes that differ.
fn nearest(
    candidates: impl Iterator<Item = (State, How)>,
    observed: &ObservedRound,
) -> Option<(Round, How, usize)> {
    let rounds = candidates.map(|(state, how)| (generate(state, observed.setup), how));
    nearest_round(rounds, MAX_DIFFERENCES, |round| distance(round, observed))
}

fn distance(round: &Round, observed: &ObservedRound) -> usize {
    let differ = |a: &[u8], b: &[u8]| a.iter().zip(b).filter(|(a, b)| a != b).count();
    let pools = PoolId::ALL.into_iter().filter_map(|id| Some((round.pool(id)?, &observed.pools[id.index()])));
    differ(&round.color_set, &observed.color_set)
        + pools.map(|(model, ram)| differ(model, ram)).sum::<usize>()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
