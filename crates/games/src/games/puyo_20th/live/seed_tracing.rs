//! Finds the seed from which the pools of a round come.

use crate::games::puyo_20th::live::Block;
use crate::games::puyo_20th::{
    CALLS, ColorMap, Flaw, Pool, PoolId, Round, RoundSeed, Seed, ShuffleUsed, State, flaws, generate,
    shuffle_used,
};
use crate::live::nearest::nearest as nearest_round;
use crate::live::{Check, CheckId, Mismatch, Status};
use std::sync::Arc;

/// A generated round that differs from RAM in at most this many cells is its origin, with differences: two unrelated
/// rounds differ in more than half of 768 bytes.
const NEAR: usize = 64;
/// The state must follow from the start of a round within this many steps. At ten draws per frame they last half an
/// hour; a wrong state passes once in 4,096 times.
const MAX_STEPS: u32 = 1 << 20;
/// The most steps back to the seed: draws between the generation and the first sample.
const STEPS_BACK: u32 = 4096;
/// Seeds tried per call, about 3 us each.
const SEEDS_AT_ONCE: u32 = 256;

/// How the seed was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// The state was sampled before the pools changed.
    Sampled,
    /// By stepping back from the state after the generation.
    SteppedBack,
    /// By trying all seeds.
    Searched,
}

#[derive(Debug, Clone)]
enum Origin {
    /// Not checked yet.
    Open,
    /// This seed generates exactly this colour map and these pools.
    Verified { seed: Seed, how: How },
    /// This seed generates them with some differences.
    Wrong { seed: Seed },
    /// No sampled state gives the seed: all seeds are tried, this one next.
    Searching { next: u32 },
    /// No seed generates them.
    Impossible,
    /// Another shuffle was used.
    NotModelled,
}

/// A round in RAM.
#[derive(Debug, Clone)]
pub struct RoundTrack {
    pub number: u64,
    origin: Origin,
    /// The states sampled before the pools changed, oldest first.
    states_before: Vec<State>,
    /// The last predicted round before they changed.
    predicted: Option<Arc<Round>>,
    /// The seed of the previous round: a byte may change in the middle of a round.
    earlier: Option<Seed>,
    observed: Option<ObservedRound>,
}

#[derive(Debug, Clone)]
struct ObservedRound {
    map_cells: [u32; 5],
    pools: [Pool; 3],
    state: State,
    flaws: Vec<Flaw>,
}

impl RoundTrack {
    pub fn new(
        number: u64,
        states_before: Vec<State>,
        predicted: Option<Arc<Round>>,
        earlier: Option<Seed>,
    ) -> Self {
        Self { number, origin: Origin::Open, states_before, predicted, earlier, observed: None }
    }

    pub fn settled(&self) -> bool {
        self.observed.is_some()
    }

    pub fn verified(&self) -> bool {
        matches!(self.origin, Origin::Verified { .. })
    }

    /// Whether the round uses a shuffle that is modelled.
    pub fn modelled(&self) -> bool {
        !matches!(self.origin, Origin::NotModelled)
    }

    /// Whether the pools were predicted before they were generated.
    pub fn was_predicted(&self) -> bool {
        let (Some(predicted), Some(observed)) = (&self.predicted, &self.observed) else { return false };
        predicted.pools == observed.pools && predicted.color_map.cells() == observed.map_cells
    }

    /// The seed, if known.
    pub fn seed(&self) -> Option<Seed> {
        match self.origin {
            Origin::Verified { seed, .. } | Origin::Wrong { seed } => Some(seed),
            _ => None,
        }
    }

    /// Checks pools that no longer change.
    pub fn settle(&mut self, now: &Block, frame: u64) -> Vec<Mismatch> {
        let flaws = flaws(now.map_cells, &now.pools);
        let observed = ObservedRound { map_cells: now.map_cells, pools: now.pools, state: now.state, flaws };
        let mut found = Vec::new();
        let used = shuffle_used(now.alternate_shuffle);
        let nearest = (used != ShuffleUsed::Alternate).then(|| self.nearest(&observed)).flatten();
        match nearest {
            _ if used == ShuffleUsed::Alternate => self.origin = Origin::NotModelled,
            Some((round, how, 0)) => {
                self.origin = Origin::Verified { seed: round.seed, how };
                found.extend(self.state_mismatch(&round, &observed, frame));
            }
            Some((round, _, _)) => {
                self.origin = Origin::Wrong { seed: round.seed };
                found.extend(self.difference(&round, &observed, frame));
            }
            None if used == ShuffleUsed::Undecided => self.origin = Origin::NotModelled,
            None => {
                self.origin = Origin::Searching { next: 0 };
                found.extend(observed.flaws.iter().map(|flaw| self.flaw_mismatch(flaw, frame)));
            }
        }
        self.observed = Some(observed);
        found
    }

    /// The nearest round of the likely seeds.
    fn nearest(&self, observed: &ObservedRound) -> Option<(Round, How, usize)> {
        let before = self.states_before.iter().rev();
        let before =
            before.flat_map(|&state| RoundSeed::ALL.map(|reading| (reading.seed_from(state), How::Sampled)));
        let behind = std::iter::successors(Some(observed.state.back(CALLS)), |state| Some(state.previous()));
        let behind = behind
            .take(STEPS_BACK as usize)
            .filter_map(|state| Some((Seed::try_from(state.0).ok()?, How::SteppedBack)));
        let again = self.earlier.map(|seed| (seed, How::Sampled));
        nearest(behind.chain(before).chain(again), observed)
    }

    /// Tries some seeds if a search is running. Returns the mismatches once the seed is found or all seeds were tried.
    pub fn poll_background(&mut self, frame: u64) -> Option<Vec<Mismatch>> {
        let Origin::Searching { next } = self.origin else { return None };
        let observed = self.observed.take()?;
        let end = (next + SEEDS_AT_ONCE).min(1 << 16);
        let seeds = (next..end).filter_map(|seed| Seed::try_from(seed).ok());
        let found = match nearest(seeds.map(|seed| (seed, How::Searched)), &observed) {
            Some((round, how, 0)) => {
                self.origin = Origin::Verified { seed: round.seed, how };
                Some(Vec::new())
            }
            Some((round, _, _)) => {
                self.origin = Origin::Wrong { seed: round.seed };
                Some(self.difference(&round, &observed, frame).into_iter().collect())
            }
            None if end == 1 << 16 => {
                self.origin = Origin::Impossible;
                // Flaws of the bytes themselves were reported already.
                Some(if observed.flaws.is_empty() {
                    vec![self.impossible(&observed, frame)]
                } else {
                    Vec::new()
                })
            }
            None => {
                self.origin = Origin::Searching { next: end };
                None
            }
        };
        self.observed = Some(observed);
        found
    }

    /// The progress of the search, 0 to 1; None when none is running.
    pub fn search_progress(&self) -> Option<f64> {
        match self.origin {
            Origin::Searching { next } => Some(f64::from(next) / 65_536.0),
            _ => None,
        }
    }

    fn mismatch(&self, check: CheckId, field: &str, frame: u64) -> Mismatch {
        Mismatch {
            check,
            what: String::new(),
            expected: String::new(),
            actual: String::new(),
            field: field.into(),
            index: None,
            frame,
            round: self.number,
            evidence: None,
            one_of: false,
        }
    }

    /// Checks that the state is the one after the round, or some steps later.
    fn state_mismatch(&self, round: &Round, observed: &ObservedRound, frame: u64) -> Option<Mismatch> {
        (round.after.distance_to(observed.state) >= MAX_STEPS).then(|| Mismatch {
            what: format!(
                "the state does not follow from the seed 0x{:04X}, which leads to {}",
                round.seed, round.after
            ),
            expected: format!("{}, or some draws later", round.after),
            actual: observed.state.to_string(),
            ..self.mismatch(CheckId::SEED, "rng_state", frame)
        })
    }

    fn impossible(&self, observed: &ObservedRound, frame: u64) -> Mismatch {
        Mismatch {
            what: "none of the 65,536 seeds generates this colour map and these pools".into(),
            expected: "pools that the generator can produce".into(),
            actual: digits(&observed.pools[PoolId::Four.index()][..16]),
            ..self.mismatch(CheckId::GENERATION, PoolId::Four.field(), frame)
        }
    }

    /// The first cell at which the model's round and RAM differ.
    fn difference(&self, round: &Round, observed: &ObservedRound, frame: u64) -> Option<Mismatch> {
        let cells = round.color_map.cells();
        if let Some(index) = cells.iter().zip(&observed.map_cells).position(|(a, b)| a != b) {
            return Some(Mismatch {
                what: format!(
                    "colour map, cell {index}: the seed 0x{:04X} gives {}, the emulator has {}",
                    round.seed, cells[index], observed.map_cells[index]
                ),
                expected: map_text(cells),
                actual: map_text(observed.map_cells),
                index: u32::try_from(index).ok(),
                ..self.mismatch(CheckId::COLOR_MAP, "color_map", frame)
            });
        }
        PoolId::ALL.into_iter().find_map(|id| {
            let (model, actual) = (round.pool(id), &observed.pools[id.index()]);
            let index = model.iter().zip(actual).position(|(a, b)| a != b)?;
            let end = (index + 16).min(model.len());
            Some(Mismatch {
                what: format!(
                    "{id}, byte {index}: the seed 0x{:04X} gives {}, the emulator has {}",
                    round.seed, model[index], actual[index]
                ),
                expected: digits(&model[index..end]),
                actual: digits(&actual[index..end]),
                index: u32::try_from(index).ok(),
                ..self.mismatch(CheckId::GENERATION, id.field(), frame)
            })
        })
    }

    fn flaw_mismatch(&self, flaw: &Flaw, frame: u64) -> Mismatch {
        let (pool, index) = flaw.place();
        let (expected, actual) = match flaw {
            Flaw::ColorMap { actual } => ("1 to 5, each once".into(), map_text(*actual)),
            Flaw::ForeignDigit { actual, .. } => ("a digit of the pool".into(), actual.to_string()),
            Flaw::Count { least, most, actual, .. } => (format!("{least} to {most}"), actual.to_string()),
            Flaw::Copy { expected, actual, .. } => (expected.to_string(), actual.to_string()),
        };
        Mismatch {
            what: flaw.to_string(),
            expected,
            actual,
            index: index.and_then(|index| u32::try_from(index).ok()),
            ..self.mismatch(check_of(flaw), pool.map_or("color_map", PoolId::field), frame)
        }
    }

    /// Checks the source of the seed by the states sampled before the round.
    fn seed_source(&self, expected: RoundSeed) -> Check {
        let check = |status, detail: String| Check { id: CheckId::ROUND_SEED, status, detail };
        let Some(seed) = self.seed() else {
            return check(Status::NotVerified, "the seed of the pools is unknown".into());
        };
        // A sample may have fallen into the generation itself, which sets the state to the seed first.
        let from_seed = State(u32::from(seed));
        let before = self.states_before.iter().rev().find(|state| from_seed.distance_to(**state) >= CALLS);
        let Some(before) = before else {
            return check(Status::NotVerified, "the state before the round was not sampled".into());
        };
        let matches = |reading: &RoundSeed| reading.seed_from(*before) == seed;
        let matching: Vec<&str> = RoundSeed::ALL.iter().filter(|r| matches(r)).map(|r| r.id()).collect();
        match (matches(&expected), matching.as_slice()) {
            (true, [_]) => check(Status::Verified, format!("the round was seeded by {}", expected.id())),
            (true, _) => {
                check(Status::NotVerified, format!("several variants match: {}", matching.join(", ")))
            }
            (false, []) => check(
                Status::NotVerified,
                "the state sampled before the round does not give its seed: there were draws in between"
                    .into(),
            ),
            (false, _) => check(
                Status::Mismatch,
                format!(
                    "the profile has {}, but the round was seeded by {}",
                    expected.id(),
                    matching.join(", ")
                ),
            ),
        }
    }

    pub fn checks(&self, now: Option<State>, expected: RoundSeed) -> Vec<Check> {
        let Some(observed) = &self.observed else {
            let open = |id| Check {
                id,
                status: Status::NotVerified,
                detail: "the pools are being generated".into(),
            };
            return GENERATOR_CHECKS.map(open).to_vec();
        };
        if matches!(self.origin, Origin::NotModelled) {
            let detail = "not modelled: these pools come from an unpublished shuffle";
            let nothing = |id| Check { id, status: Status::Nothing, detail: detail.into() };
            return GENERATOR_CHECKS.map(nothing).to_vec();
        }
        let seed = self.seed();
        let mut checks: Vec<Check> = [CheckId::COLOR_MAP, CheckId::POOL_COUNTS, CheckId::POOL_COPIES]
            .map(|id| structural(id, observed, seed))
            .to_vec();
        let (status, detail) = match &self.origin {
            Origin::Verified { seed, how } => {
                let how = match how {
                    How::Sampled => "sampled before the round",
                    How::SteppedBack => "found by stepping back",
                    How::Searched => "found among all 65,536",
                };
                (Status::Verified, format!("the seed 0x{seed:04X} ({how}) generates colour map and pools"))
            }
            Origin::Wrong { seed } => {
                (Status::Mismatch, format!("the seed 0x{seed:04X} generates another round, see the mismatch"))
            }
            Origin::Searching { next } => (
                Status::NotVerified,
                format!("the state before the round was not sampled; {next} of 65,536 seeds tried"),
            ),
            Origin::Impossible => {
                (Status::Mismatch, "none of the 65,536 seeds generates this round".to_owned())
            }
            Origin::Open | Origin::NotModelled => (Status::NotVerified, String::new()),
        };
        checks.push(Check { id: CheckId::GENERATION, status, detail });
        checks.push(seed_check(seed, observed, now));
        checks.push(self.seed_source(expected));
        checks
    }
}

/// The checks of the generator, in display order.
pub const GENERATOR_CHECKS: [CheckId; 6] = [
    CheckId::COLOR_MAP,
    CheckId::POOL_COUNTS,
    CheckId::POOL_COPIES,
    CheckId::GENERATION,
    CheckId::SEED,
    CheckId::ROUND_SEED,
];

/// Checks that the state follows from the seed of the pools.
fn seed_check(seed: Option<Seed>, observed: &ObservedRound, now: Option<State>) -> Check {
    let check = |status, detail| Check { id: CheckId::SEED, status, detail };
    let Some(seed) = seed else {
        return check(Status::NotVerified, "the seed of the pools is unknown".into());
    };
    let after = State(u32::from(seed)).jump(CALLS);
    match after.distance_to(observed.state) {
        steps @ 0..MAX_STEPS => {
            let since = now.map_or(steps, |now| after.distance_to(now));
            let since = match since {
                0 => "no draws since".to_owned(),
                1 => "1 draw since".to_owned(),
                since @ ..MAX_STEPS => format!("{since} draws since"),
                _ => "the state was set again since".to_owned(),
            };
            check(Status::Verified, format!("seed 0x{seed:04X}, below 0x10000, {CALLS} draws; {since}"))
        }
        _ => check(
            Status::Mismatch,
            format!("the seed 0x{seed:04X} leads to {after}, the state was {}", observed.state),
        ),
    }
}

fn structural(id: CheckId, observed: &ObservedRound, seed: Option<Seed>) -> Check {
    if let Some(flaw) = observed.flaws.iter().find(|flaw| check_of(flaw) == id) {
        return Check { id, status: Status::Mismatch, detail: flaw.to_string() };
    }
    let (status, detail) = match id {
        CheckId::COLOR_MAP => {
            let letters = ColorMap::from_cells(observed.map_cells).map(ColorMap::letters).unwrap_or_default();
            let model = seed.map(|seed| ColorMap::draw(State(u32::from(seed))).0);
            match model {
                Some(model) if model.cells() != observed.map_cells => {
                    (Status::Mismatch, format!("{letters}, the seed gives {}", model.letters()))
                }
                _ => (Status::Verified, letters),
            }
        }
        CheckId::POOL_COUNTS => {
            (Status::Verified, "pools of 3, 4 and 5 colours, all counts as expected".to_owned())
        }
        _ => (Status::Verified, "the first two pairs are copied as expected".to_owned()),
    };
    Check { id, status, detail }
}

fn check_of(flaw: &Flaw) -> CheckId {
    match flaw {
        Flaw::ColorMap { .. } => CheckId::COLOR_MAP,
        Flaw::ForeignDigit { .. } | Flaw::Count { .. } => CheckId::POOL_COUNTS,
        Flaw::Copy { .. } => CheckId::POOL_COPIES,
    }
}

/// The candidate whose round is nearest to RAM, with the number of cells that differ.
fn nearest(
    candidates: impl Iterator<Item = (Seed, How)>,
    observed: &ObservedRound,
) -> Option<(Round, How, usize)> {
    let mut tried: Vec<Seed> = Vec::new();
    let rounds = candidates.filter_map(|(seed, how)| {
        if how != How::Searched {
            if tried.contains(&seed) {
                return None;
            }
            tried.push(seed);
        }
        Some((generate(seed), how))
    });
    nearest_round(rounds, NEAR, |round| distance(round, observed))
}

fn distance(round: &Round, observed: &ObservedRound) -> usize {
    let pools = round.pools.iter().flatten().zip(observed.pools.iter().flatten());
    let map = round.color_map.cells().into_iter().zip(observed.map_cells);
    pools.filter(|(a, b)| a != b).count() + map.filter(|(a, b)| a != b).count()
}

/// Pool bytes as digits; other bytes as two hexadecimal digits in brackets.
fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if *byte < 10 { byte.to_string() } else { format!("[{byte:02X}]") }).collect()
}

fn map_text(cells: [u32; 5]) -> String {
    let letters = ColorMap::from_cells(cells).map(ColorMap::letters);
    letters.unwrap_or_else(|| cells.map(|cell| format!("{cell:X}")).join(" "))
}
