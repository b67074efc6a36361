//! Which seed the pools of a round come from.

use super::Block;
use crate::game::puyo_20th::{
    CALLS, ColorMap, Flaw, Pool, PoolId, Round, RoundSeed, Seed, ShuffleUsed, State, flaws, generate,
    shuffle_used,
};
use crate::live::nearest::nearest as nearest_round;
use crate::live::{Check, CheckId, Mismatch, Status};
use std::sync::Arc;

/// A generated round that differs from the cells in RAM by no more than this many is their origin, with a fault: two
/// unrelated rounds differ in more than half of 768 bytes.
const NEAR: usize = 64;
/// Steps of the generator after a round began within which the state is taken to follow from it. Drawn at every frame by
/// ten things it would take half an hour; a wrong state passes one time in 4096.
const STEPS_FOLLOWED: u32 = 1 << 20;
/// Steps that are walked back before the seed itself is looked for: draws between the generation and the first look.
const STEPS_BACK: u32 = 4096;
/// Seeds that are tried in one go: some 3 us each.
const SEEDS_AT_ONCE: u32 = 256;

/// How the seed was established.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// The state was seen before the pools changed.
    SeenBefore,
    /// It was found by walking back from the state seen afterwards.
    WalkedBack,
    /// It was found by trying all seeds.
    Searched,
}

#[derive(Debug, Clone)]
enum Origin {
    /// Not judged yet.
    Open,
    /// This seed gives exactly this colour map and these pools.
    Verified { seed: Seed, how: How },
    /// This seed gives them but for a fault.
    Wrong { seed: Seed },
    /// Nothing seen tells; all seeds are being tried, this one next.
    Searching { next: u32 },
    /// No seed gives them.
    Impossible,
    /// Another shuffle was used.
    NotModelled,
}

/// A round in RAM.
#[derive(Debug, Clone)]
pub struct RoundTrack {
    pub number: u64,
    origin: Origin,
    /// The states seen before the pools changed, oldest first.
    states_before: Vec<State>,
    /// The round that was forecast last before they changed.
    foreseen: Option<Arc<Round>>,
    /// The seed of the round before: a byte may change in the middle of a round.
    earlier: Option<Seed>,
    seen: Option<Seen>,
}

#[derive(Debug, Clone)]
struct Seen {
    map_cells: [u32; 5],
    pools: [Pool; 3],
    state: State,
    flaws: Vec<Flaw>,
}

impl RoundTrack {
    pub fn new(
        number: u64,
        states_before: Vec<State>,
        foreseen: Option<Arc<Round>>,
        earlier: Option<Seed>,
    ) -> Self {
        Self { number, origin: Origin::Open, states_before, foreseen, earlier, seen: None }
    }

    pub fn settled(&self) -> bool {
        self.seen.is_some()
    }

    pub fn verified(&self) -> bool {
        matches!(self.origin, Origin::Verified { .. })
    }

    /// Why nothing can be said about this round, when that is so.
    pub fn modelled(&self) -> bool {
        !matches!(self.origin, Origin::NotModelled)
    }

    /// Whether the pools were forecast before they were made.
    pub fn was_foreseen(&self) -> bool {
        let (Some(foreseen), Some(seen)) = (&self.foreseen, &self.seen) else { return false };
        foreseen.pools == seen.pools && foreseen.color_map.cells() == seen.map_cells
    }

    /// The seed, where it is known.
    pub fn seed(&self) -> Option<Seed> {
        match self.origin {
            Origin::Verified { seed, .. } | Origin::Wrong { seed } => Some(seed),
            _ => None,
        }
    }

    /// Judges pools that stand still.
    pub fn settle(&mut self, now: &Block, frame: u64) -> Vec<Mismatch> {
        let flaws = flaws(now.map_cells, &now.pools);
        let seen = Seen { map_cells: now.map_cells, pools: now.pools, state: now.state, flaws };
        let mut found = Vec::new();
        let used = shuffle_used(now.alternate_shuffle);
        let nearest = (used != ShuffleUsed::Alternate).then(|| self.nearest(&seen)).flatten();
        match nearest {
            _ if used == ShuffleUsed::Alternate => self.origin = Origin::NotModelled,
            Some((round, how, 0)) => {
                self.origin = Origin::Verified { seed: round.seed, how };
                found.extend(self.state_mismatch(&round, &seen, frame));
            }
            Some((round, _, _)) => {
                self.origin = Origin::Wrong { seed: round.seed };
                found.extend(self.difference(&round, &seen, frame));
            }
            None if used == ShuffleUsed::Undecided => self.origin = Origin::NotModelled,
            None => {
                self.origin = Origin::Searching { next: 0 };
                found.extend(seen.flaws.iter().map(|flaw| self.flaw_mismatch(flaw, frame)));
            }
        }
        self.seen = Some(seen);
        found
    }

    /// The seeds that what was seen suggests, the likeliest first.
    fn nearest(&self, seen: &Seen) -> Option<(Round, How, usize)> {
        let before = self.states_before.iter().rev();
        let before = before
            .flat_map(|&state| RoundSeed::ALL.map(|reading| (reading.seed_from(state), How::SeenBefore)));
        let behind = std::iter::successors(Some(seen.state.back(CALLS)), |state| Some(state.previous()));
        let behind = behind
            .take(STEPS_BACK as usize)
            .filter_map(|state| Some((Seed::try_from(state.0).ok()?, How::WalkedBack)));
        let again = self.earlier.map(|seed| (seed, How::SeenBefore));
        nearest(behind.chain(before).chain(again), seen)
    }

    /// Tries some of all seeds, when that is wanted. Something once they are all tried, or the seed is found.
    pub fn work(&mut self, frame: u64) -> Option<Vec<Mismatch>> {
        let Origin::Searching { next } = self.origin else { return None };
        let seen = self.seen.take()?;
        let end = (next + SEEDS_AT_ONCE).min(1 << 16);
        let seeds = (next..end).filter_map(|seed| Seed::try_from(seed).ok());
        let found = match nearest(seeds.map(|seed| (seed, How::Searched)), &seen) {
            Some((round, how, 0)) => {
                self.origin = Origin::Verified { seed: round.seed, how };
                Some(Vec::new())
            }
            Some((round, _, _)) => {
                self.origin = Origin::Wrong { seed: round.seed };
                Some(self.difference(&round, &seen, frame).into_iter().collect())
            }
            None if end == 1 << 16 => {
                self.origin = Origin::Impossible;
                // What is impossible about the bytes themselves was told already.
                Some(if seen.flaws.is_empty() { vec![self.impossible(&seen, frame)] } else { Vec::new() })
            }
            None => {
                self.origin = Origin::Searching { next: end };
                None
            }
        };
        self.seen = Some(seen);
        found
    }

    /// How much of the seeds is tried, 0 to 1, when that is wanted.
    pub fn outstanding(&self) -> Option<f64> {
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

    /// The state is the one that the round left behind, or some steps on.
    fn state_mismatch(&self, round: &Round, seen: &Seen, frame: u64) -> Option<Mismatch> {
        (round.after.distance_to(seen.state) >= STEPS_FOLLOWED).then(|| Mismatch {
            what: format!(
                "the state does not follow from the seed 0x{:04X}, which leaves {} behind",
                round.seed, round.after
            ),
            expected: format!("{}, or some draws on", round.after),
            actual: seen.state.to_string(),
            ..self.mismatch(CheckId::Seed, "rng_state", frame)
        })
    }

    fn impossible(&self, seen: &Seen, frame: u64) -> Mismatch {
        Mismatch {
            what: "none of the 65,536 games has this colour map and these pools".into(),
            expected: "pools that the generator can make".into(),
            actual: digits(&seen.pools[PoolId::Four.index()][..16]),
            ..self.mismatch(CheckId::Generation, PoolId::Four.field(), frame)
        }
    }

    /// The first cell at which the model's round and the RAM part.
    fn difference(&self, round: &Round, seen: &Seen, frame: u64) -> Option<Mismatch> {
        let cells = round.color_map.cells();
        if let Some(index) = cells.iter().zip(&seen.map_cells).position(|(a, b)| a != b) {
            return Some(Mismatch {
                what: format!(
                    "colour map, cell {index}: the seed 0x{:04X} gives {}, the emulator holds {}",
                    round.seed, cells[index], seen.map_cells[index]
                ),
                expected: map_text(cells),
                actual: map_text(seen.map_cells),
                index: u32::try_from(index).ok(),
                ..self.mismatch(CheckId::ColorMap, "color_map", frame)
            });
        }
        PoolId::ALL.into_iter().find_map(|id| {
            let (model, actual) = (round.pool(id), &seen.pools[id.index()]);
            let index = model.iter().zip(actual).position(|(a, b)| a != b)?;
            let end = (index + 16).min(model.len());
            Some(Mismatch {
                what: format!(
                    "{id}, byte {index}: the seed 0x{:04X} gives {}, the emulator holds {}",
                    round.seed, model[index], actual[index]
                ),
                expected: digits(&model[index..end]),
                actual: digits(&actual[index..end]),
                index: u32::try_from(index).ok(),
                ..self.mismatch(CheckId::Generation, id.field(), frame)
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

    /// Which reading of a round's seed the states seen before the round show.
    fn reading(&self, wanted: RoundSeed) -> Check {
        let check = |status, detail: String| Check { id: CheckId::RoundSeed, status, detail };
        let Some(seed) = self.seed() else {
            return check(Status::NotVerified, "the seed of the pools is not known".into());
        };
        // A sample may have fallen into the generation itself, which sets the state to the seed first.
        let from_seed = State(u32::from(seed));
        let before = self.states_before.iter().rev().find(|state| from_seed.distance_to(**state) >= CALLS);
        let Some(before) = before else {
            return check(Status::NotVerified, "the state before the round was not seen".into());
        };
        let seen = |reading: &RoundSeed| reading.seed_from(*before) == seed;
        let holding: Vec<&str> = RoundSeed::ALL.iter().filter(|r| seen(r)).map(|r| r.id()).collect();
        match (seen(&wanted), holding.as_slice()) {
            (true, [_]) => check(Status::Holds, format!("the round was seeded by {}", wanted.id())),
            (true, _) => check(Status::NotVerified, format!("several readings fit: {}", holding.join(", "))),
            (false, []) => check(
                Status::NotVerified,
                "the state seen before the round does not give its seed: there were draws in between".into(),
            ),
            (false, _) => check(
                Status::Mismatch,
                format!("the profile says {}, the round was seeded by {}", wanted.id(), holding.join(", ")),
            ),
        }
    }

    pub fn checks(&self, now: Option<State>, wanted: RoundSeed) -> Vec<Check> {
        let Some(seen) = &self.seen else {
            let open =
                |id| Check { id, status: Status::NotVerified, detail: "the pools are being made".into() };
            return GENERATOR_CHECKS.map(open).to_vec();
        };
        if matches!(self.origin, Origin::NotModelled) {
            let detail = "not modelled: another shuffle, of which nothing is published, made these pools";
            let nothing = |id| Check { id, status: Status::Nothing, detail: detail.into() };
            return GENERATOR_CHECKS.map(nothing).to_vec();
        }
        let seed = self.seed();
        let mut checks: Vec<Check> = [CheckId::ColorMap, CheckId::PoolCounts, CheckId::PoolCopies]
            .map(|id| structural(id, seen, seed))
            .to_vec();
        let (status, detail) = match &self.origin {
            Origin::Verified { seed, how } => {
                let how = match how {
                    How::SeenBefore => "seen before",
                    How::WalkedBack => "found by walking back",
                    How::Searched => "found among all 65,536",
                };
                (Status::Holds, format!("the seed 0x{seed:04X} ({how}) gives colour map and pools"))
            }
            Origin::Wrong { seed } => {
                (Status::Mismatch, format!("the seed 0x{seed:04X} gives something else, see the mismatch"))
            }
            Origin::Searching { next } => (
                Status::NotVerified,
                format!("the state before the round was not seen; {next} of 65,536 seeds are tried"),
            ),
            Origin::Impossible => (Status::Mismatch, "none of the 65,536 seeds gives this".to_owned()),
            Origin::Open | Origin::NotModelled => (Status::NotVerified, String::new()),
        };
        checks.push(Check { id: CheckId::Generation, status, detail });
        checks.push(seed_check(seed, seen, now));
        checks.push(self.reading(wanted));
        checks
    }
}

/// The checks of what the generator made, in the order in which they are shown.
pub const GENERATOR_CHECKS: [CheckId; 6] = [
    CheckId::ColorMap,
    CheckId::PoolCounts,
    CheckId::PoolCopies,
    CheckId::Generation,
    CheckId::Seed,
    CheckId::RoundSeed,
];

/// The state, seen when the round settled, leads back to the seed of the pools.
fn seed_check(seed: Option<Seed>, seen: &Seen, now: Option<State>) -> Check {
    let check = |status, detail| Check { id: CheckId::Seed, status, detail };
    let Some(seed) = seed else {
        return check(Status::NotVerified, "the seed of the pools is not known".into());
    };
    let after = State(u32::from(seed)).jump(CALLS);
    match after.distance_to(seen.state) {
        steps @ 0..STEPS_FOLLOWED => {
            let since = now.map_or(steps, |now| after.distance_to(now));
            let since = match since {
                0 => "the state is the one that it leaves behind".to_owned(),
                1 => "there was 1 draw since".to_owned(),
                since @ ..STEPS_FOLLOWED => format!("there were {since} draws since"),
                _ => "the state was set anew since".to_owned(),
            };
            check(Status::Holds, format!("seed 0x{seed:04X}, below 0x10000, {CALLS} draws; {since}"))
        }
        _ => check(
            Status::Mismatch,
            format!("the seed 0x{seed:04X} leaves {after} behind, the state was {}", seen.state),
        ),
    }
}

fn structural(id: CheckId, seen: &Seen, seed: Option<Seed>) -> Check {
    if let Some(flaw) = seen.flaws.iter().find(|flaw| check_of(flaw) == id) {
        return Check { id, status: Status::Mismatch, detail: flaw.to_string() };
    }
    let (status, detail) = match id {
        CheckId::ColorMap => {
            let letters = ColorMap::from_cells(seen.map_cells).map(ColorMap::letters).unwrap_or_default();
            let model = seed.map(|seed| ColorMap::draw(State(u32::from(seed))).0);
            match model {
                Some(model) if model.cells() != seen.map_cells => {
                    (Status::Mismatch, format!("{letters}, the seed gives {}", model.letters()))
                }
                _ => (Status::Holds, letters),
            }
        }
        CheckId::PoolCounts => {
            (Status::Holds, "pools of 3, 4 and 5 colours, each as often as it must be".to_owned())
        }
        _ => (Status::Holds, "the first two pairs are shared as they must be".to_owned()),
    };
    Check { id, status, detail }
}

fn check_of(flaw: &Flaw) -> CheckId {
    match flaw {
        Flaw::ColorMap { .. } => CheckId::ColorMap,
        Flaw::ForeignDigit { .. } | Flaw::Count { .. } => CheckId::PoolCounts,
        Flaw::Copy { .. } => CheckId::PoolCopies,
    }
}

/// The candidate whose round comes nearest to what stands in RAM, with the number of cells that differ.
fn nearest(candidates: impl Iterator<Item = (Seed, How)>, seen: &Seen) -> Option<(Round, How, usize)> {
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
    nearest_round(rounds, NEAR, |round| distance(round, seen))
}

fn distance(round: &Round, seen: &Seen) -> usize {
    let pools = round.pools.iter().flatten().zip(seen.pools.iter().flatten());
    let map = round.color_map.cells().into_iter().zip(seen.map_cells);
    pools.filter(|(a, b)| a != b).count() + map.filter(|(a, b)| a != b).count()
}

/// Pool bytes as digits; what is no digit as two hexadecimal digits in brackets.
fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if *byte < 10 { byte.to_string() } else { format!("[{byte:02X}]") }).collect()
}

fn map_text(cells: [u32; 5]) -> String {
    let letters = ColorMap::from_cells(cells).map(ColorMap::letters);
    letters.unwrap_or_else(|| cells.map(|cell| format!("{cell:X}")).join(" "))
}
