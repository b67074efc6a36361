//! Where the pools of a round come from.

use crate::game::puyo_tsu::{
    Flaw, POOL_SETUPS, Pool, PoolId, Round, Setup, State, flaws, generate, states_before,
};
use crate::live::nearest::nearest as nearest_round;
use crate::live::puyo_tsu::Observation;
use crate::live::{Check, CheckId, Mismatch, Status};
use crate::seeds::puyo_tsu::{MAX_DIFFERENCES, Target};

/// Backward walks hold some hundreds of states; more than this is given up.
const MAX_STATES: usize = 20_000;

/// How the origin of the pools was established.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The state was seen before the pools changed.
    SeenBefore,
    /// It was found by walking back from the state seen afterwards.
    WalkedBack,
    /// It was found by trying all states.
    Searched,
}

/// Where the pools come from.
#[derive(Debug, Clone)]
pub enum Provenance {
    /// Not judged yet.
    Open,
    /// This state gives exactly these pools.
    Verified { before: State, how: How, after_seen: bool },
    /// This state gives them but for a fault.
    Wrong { before: State },
    /// No state at hand gives them.
    Unknown,
    /// No state at all gives them.
    Impossible,
    /// No state at hand gives them, and the search over all states failed.
    SearchFailed,
}

/// What a search over all states found.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// The round it was for.
    pub round: u64,
    /// The states that give these pools exactly, or (when none does) nearly; ascending. None when the search failed.
    pub states: Option<Vec<State>>,
}

/// A round in RAM.
#[derive(Debug, Clone)]
pub struct RoundTrack {
    pub number: u64,
    pub provenance: Provenance,
    states_before: Vec<State>,
    /// The state and setup of the round before: a byte may change in the middle of a round.
    earlier: Option<(State, Setup)>,
    seen: Option<Seen>,
}

#[derive(Debug, Clone)]
struct Seen {
    color_set: [u8; 8],
    pools: [Pool; 3],
    setup: Setup,
    flaws: Vec<Flaw>,
}

impl RoundTrack {
    pub fn new(number: u64, states_before: Vec<State>, earlier: Option<(State, Setup)>) -> Self {
        Self { number, provenance: Provenance::Open, states_before, earlier, seen: None }
    }

    pub fn settled(&self) -> bool {
        self.seen.is_some()
    }

    /// The setup with which the pools were made, once they stand.
    pub fn setup(&self) -> Option<Setup> {
        self.seen.as_ref().map(|seen| seen.setup)
    }

    /// The state and the setup from which the pools were made, where they are known.
    pub fn origin(&self) -> Option<(State, Setup)> {
        match self.provenance {
            Provenance::Verified { before, .. } | Provenance::Wrong { before } => {
                Some((before, self.setup()?))
            }
            _ => None,
        }
    }

    /// Judges pools that stand still.
    pub fn settle(&mut self, now: &Observation, frame: u64) -> Vec<Mismatch> {
        // Mode, rank and options may speak of the next round already; what the pools fit best, they were made with.
        let known = [Some(now.setup), self.earlier.map(|(_, setup)| setup)].into_iter().flatten();
        let others = POOL_SETUPS.into_iter().map(|other| Setup { shuffle: now.setup.shuffle, ..other });
        let setup = known
            .chain(others)
            .min_by_key(|&setup| {
                flaws(now.color_set, &now.pools, setup).iter().map(Flaw::weight).sum::<usize>()
            })
            .unwrap_or(now.setup);
        let flaws = flaws(now.color_set, &now.pools, setup);
        let seen = Seen { color_set: now.color_set, pools: now.pools, setup, flaws };
        let before = self.states_before.iter().rev().copied().map(|state| (state, How::SeenBefore));
        let again = self.earlier.map(|(state, _)| (state, How::SeenBefore));
        let nearest = nearest(before.chain(again), &seen).or_else(|| {
            let walked = states_before(now.state, setup, MAX_STATES).unwrap_or_default();
            nearest(walked.into_iter().map(|state| (state, How::WalkedBack)), &seen)
        });
        let mut found = Vec::new();
        match nearest {
            Some((round, how, 0)) => {
                let after_seen = round.after == now.state;
                self.provenance = Provenance::Verified { before: round.before, how, after_seen };
            }
            Some((round, _, _)) => {
                self.provenance = Provenance::Wrong { before: round.before };
                found.extend(self.difference(&round, &seen, frame));
            }
            None => {
                self.provenance = Provenance::Unknown;
                found.extend(seen.flaws.iter().map(|flaw| self.flaw_mismatch(flaw, frame)));
            }
        }
        self.seen = Some(seen);
        found
    }

    pub fn wanted_search(&self) -> Option<Target> {
        let seen = self.seen.as_ref().filter(|_| matches!(self.provenance, Provenance::Unknown))?;
        Some(Target { round: self.number, color_set: seen.color_set, pools: seen.pools, setup: seen.setup })
    }

    pub fn searched(&mut self, result: &SearchResult, frame: u64) -> Option<Mismatch> {
        let seen = self.seen.as_ref().filter(|_| matches!(self.provenance, Provenance::Unknown))?;
        let Some(states) = &result.states else {
            self.provenance = Provenance::SearchFailed;
            return None;
        };
        match nearest(states.iter().map(|&state| (state, How::Searched)), seen) {
            Some((round, how, 0)) => {
                self.provenance = Provenance::Verified { before: round.before, how, after_seen: false };
                None
            }
            Some((round, _, _)) => {
                let found = self.difference(&round, seen, frame);
                self.provenance = Provenance::Wrong { before: round.before };
                found
            }
            None => {
                self.provenance = Provenance::Impossible;
                let seen = self.seen.as_ref()?;
                seen.flaws.is_empty().then(|| Mismatch {
                    check: CheckId::Generation,
                    what: "none of the 4,294,967,296 states gives these pools".into(),
                    expected: "pools that the generator can make".into(),
                    actual: hex(&seen.pools[1][..16]),
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

    /// The first byte at which the model's round and the RAM part.
    fn difference(&self, round: &Round, seen: &Seen, frame: u64) -> Option<Mismatch> {
        let sets =
            (round.color_set.as_slice(), seen.color_set.as_slice(), "color_set", "colour set".to_owned());
        let pools = PoolId::ALL.into_iter().filter_map(|id| {
            let model = round.pool(id)?;
            Some((model.as_slice(), seen.pools[id.index()].as_slice(), id.field(), id.to_string()))
        });
        let (model, actual, field, name, index) =
            std::iter::once(sets).chain(pools).find_map(|(model, actual, field, name)| {
                let index = model.iter().zip(actual).position(|(a, b)| a != b)?;
                Some((model, actual, field, name, index))
            })?;
        let end = (index + 16).min(model.len());
        Some(Mismatch {
            check: CheckId::Generation,
            what: format!(
                "{name}, byte {index}: the state {} gives {:02X}, the emulator holds {:02X}",
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
        let structural = [CheckId::ColorSet, CheckId::PoolCounts, CheckId::PoolCopies].map(|id| {
            let Some(seen) = &self.seen else {
                return Check { id, status: Status::NotVerified, detail: "the pools are being made".into() };
            };
            match seen.flaws.iter().find(|flaw| check_of(flaw) == id) {
                Some(flaw) => Check { id, status: Status::Mismatch, detail: flaw.to_string() },
                None => Check { id, status: Status::Holds, detail: holds(id, seen.setup) },
            }
        });
        let (status, detail) = match &self.provenance {
            Provenance::Open => (Status::NotVerified, "the pools are being made".to_owned()),
            Provenance::Verified { before, how, after_seen } => {
                let how = match how {
                    How::SeenBefore => "seen before",
                    How::WalkedBack => "found by walking back",
                    How::Searched => "found by trying all states",
                };
                let after = if *after_seen { ", and the state after it" } else { "" };
                (Status::Holds, format!("the state {before} ({how}) gives colour set and pools{after}"))
            }
            Provenance::Wrong { before } => {
                (Status::Mismatch, format!("the state {before} gives other pools, see the mismatch"))
            }
            Provenance::Unknown => (
                Status::NotVerified,
                "the state before the round was not seen; all states are being tried".to_owned(),
            ),
            Provenance::Impossible => (Status::Mismatch, "no state gives these pools".to_owned()),
            Provenance::SearchFailed => (
                Status::NotVerified,
                "the state before the round was not seen, and the search over all states failed: see the log"
                    .to_owned(),
            ),
        };
        let mut checks = structural.to_vec();
        checks.push(Check { id: CheckId::Generation, status, detail });
        checks
    }
}

fn holds(id: CheckId, setup: Setup) -> String {
    match id {
        CheckId::ColorSet => "one of the 96 that can be drawn".into(),
        CheckId::PoolCounts => {
            let colors: Vec<String> = setup.colors().iter().flatten().map(ToString::to_string).collect();
            format!("pools of {} colours, each as often as it must be", colors.join(", "))
        }
        _ if setup.is_versus() => "the first pairs are shared as they must be".into(),
        _ => "both story pools are alike".into(),
    }
}

fn check_of(flaw: &Flaw) -> CheckId {
    match flaw {
        Flaw::ColorSet { .. } => CheckId::ColorSet,
        Flaw::ForeignColor { .. } | Flaw::Count { .. } => CheckId::PoolCounts,
        Flaw::Copy { .. } => CheckId::PoolCopies,
    }
}

/// The candidate whose round comes nearest to what stands in RAM, with the number of bytes that differ.
fn nearest(candidates: impl Iterator<Item = (State, How)>, seen: &Seen) -> Option<(Round, How, usize)> {
    let rounds = candidates.map(|(state, how)| (generate(state, seen.setup), how));
    nearest_round(rounds, MAX_DIFFERENCES, |round| distance(round, seen))
}

fn distance(round: &Round, seen: &Seen) -> usize {
    let differ = |a: &[u8], b: &[u8]| a.iter().zip(b).filter(|(a, b)| a != b).count();
    let pools = PoolId::ALL.into_iter().filter_map(|id| Some((round.pool(id)?, &seen.pools[id.index()])));
    differ(&round.color_set, &seen.color_set) + pools.map(|(model, ram)| differ(model, ram)).sum::<usize>()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
