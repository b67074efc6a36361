//! Proof: anchors that stand at a place, and a cell there that moves as the game's main loop moves it.

use super::{Method, Place, anchors_stand};
use crate::console::{Memory, Plan, Ram, Snapshot, StorageOrder};
use crate::profile::{Anchor, Field, Liveness, Profile};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A place at which a profile's anchors stand.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub method: Method,
    pub ram: Ram,
    pub profile: Arc<Profile>,
    pub anchors: Vec<String>,
}

/// The best-fitting profile at a place, when one fits.
pub(super) fn anchored(
    memory: &Arc<dyn Memory + Send + Sync>,
    place: Place,
    method: Method,
    profiles: &[Arc<Profile>],
) -> Option<Candidate> {
    let mut best: Option<(Fit, Candidate)> = None;
    for profile in profiles {
        let domain = profile.console.domain();
        if place.len.is_some_and(|len| len != domain.len) {
            continue;
        }
        let plan = profile.plan();
        let last = place.base.offset(u64::from(domain.len) - 1);
        // What is not read whole must be there whole all the same.
        if !plan.is_whole(domain) && memory.read_exact(last, &mut [0]).is_err() {
            continue;
        }
        let orders = place.order.map_or_else(|| profile.orders(), |order: StorageOrder| vec![order]);
        for order in orders {
            let read = Snapshot::read_parts(memory.as_ref(), domain, place.base, order, &plan);
            let Ok(snapshot) = read else { continue };
            let anchors = anchors_stand(&snapshot, profile);
            let fit = Fit::of(profile, &anchors);
            if anchors.is_empty() || best.as_ref().is_some_and(|(other, _)| *other >= fit) {
                continue;
            }
            let ram = Ram { memory: Arc::clone(memory), domain, base: place.base, order };
            best = Some((fit, Candidate { method, ram, profile: Arc::clone(profile), anchors }));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How well a profile fits: profiles of the same game on two boards share anchors, and the one that explains
/// all it sees is meant.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Minus the anchors that ought to stand from power-on and do not. Pools, cells and fields come with the first round only.
    missing: std::cmp::Reverse<usize>,
    standing: usize,
}

impl Fit {
    fn of(profile: &Profile, standing: &[String]) -> Self {
        let with_a_game = |anchor: &&Anchor| {
            matches!(
                anchor,
                Anchor::Pools
                    | Anchor::PlausibleFields
                    | Anchor::PieceBuffer { .. }
                    | Anchor::RngPair { .. }
                    | Anchor::PlayfieldLayout
            )
        };
        let always = profile.anchors.iter().filter(|anchor| !with_a_game(anchor));
        let missing = always.filter(|anchor| !standing.contains(&anchor.to_string())).count();
        Self { missing: std::cmp::Reverse(missing), standing: standing.len() }
    }
}

/// How long a cell that moves once a frame is waited for: at 60 Hz it moves nine times.
pub(super) const WATCH: Duration = Duration::from_millis(150);
/// Between looks. A frame at 60 Hz lasts 16.7 ms, an emulator without brake makes one in 0.2 ms.
const LOOK_EVERY: Duration = Duration::from_micros(300);
/// The quickest emulator seen made 5000 frames a second (RetroArch without sound).
const FRAMES_PER_MS: u128 = 10;
/// Movements after which one of several places is believed to be alive.
const SURE: u32 = 4;
/// Looks in a row that made no sense before the cell's value is taken as a new start: a 32-bit cell is
/// written in two halves, and a look in between sees nonsense once.
const NONSENSE: u32 = 3;

/// Watches all places at once; for each, the cell that moved, in words, or none. One place is believed after one
/// movement. Of several, those count that keep moving: a buffer of old states is written now and then.
pub(super) fn watch(candidates: &[Candidate], limit: Duration) -> Vec<Option<String>> {
    let started = Instant::now();
    let mut watched: Vec<Watched> = candidates.iter().map(Watched::new).collect();
    let need = if candidates.len() == 1 { 1 } else { SURE };
    loop {
        for one in &mut watched {
            one.look();
        }
        let most = watched.iter().map(Watched::movements).max().unwrap_or(0);
        if most >= need || started.elapsed() >= limit {
            // Frames come at the same pace everywhere in a process, so what is alive has moved half as often at least.
            let enough = most.div_ceil(2).max(if candidates.len() == 1 { 1 } else { 2 });
            return watched.iter().map(|one| one.said(enough)).collect();
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

struct Watched<'a> {
    ram: &'a Ram,
    plan: Plan,
    cells: Vec<Cell<'a>>,
    /// Where no cell is known that moves: what stood there last, and how often it changed.
    whole: Option<Snapshot>,
    changes: u32,
}

struct Cell<'a> {
    liveness: &'a Liveness,
    field: &'a Field,
    last: Option<(i64, Instant)>,
    first: Option<i64>,
    movements: u32,
    nonsense: u32,
}

impl<'a> Watched<'a> {
    fn new(candidate: &'a Candidate) -> Self {
        let cells = candidate.profile.liveness.iter().filter_map(|liveness| {
            let field = candidate.profile.field(&liveness.field)?;
            Some(Cell { liveness, field, last: None, first: None, movements: 0, nonsense: 0 })
        });
        Self {
            ram: &candidate.ram,
            plan: candidate.profile.plan(),
            cells: cells.collect(),
            whole: None,
            changes: 0,
        }
    }

    fn look(&mut self) {
        let Ok(snapshot) = self.ram.sample(&self.plan) else { return };
        if self.cells.is_empty() {
            let changed = self.whole.as_ref().is_some_and(|whole| *whole != snapshot);
            self.changes += u32::from(changed);
            self.whole = Some(snapshot);
            return;
        }
        let now = Instant::now();
        for cell in &mut self.cells {
            if let Some(value) = cell.field.read(&snapshot).ok().and_then(|value| value.number()) {
                cell.see(value, now);
            }
        }
    }

    fn movements(&self) -> u32 {
        self.cells.iter().map(|cell| cell.movements).max().unwrap_or(self.changes)
    }

    fn said(&self, enough: u32) -> Option<String> {
        if self.cells.is_empty() {
            return (self.changes >= enough).then(|| "its content changed".to_owned());
        }
        let cell = self.cells.iter().find(|cell| cell.movements >= enough)?;
        let (first, (last, _)) = (cell.first?, cell.last?);
        Some(format!("{} went from {first} to {last}", cell.field.name))
    }
}

impl Cell<'_> {
    fn see(&mut self, value: i64, now: Instant) {
        let Some((last, since)) = self.last else {
            self.last = Some((value, now));
            self.first = Some(value);
            return;
        };
        if value == last {
            return;
        }
        if plausible(self.liveness, last, value, now.duration_since(since)) {
            self.movements += 1;
            self.nonsense = 0;
            self.last = Some((value, now));
        } else {
            self.nonsense += 1;
            if self.nonsense >= NONSENSE {
                self.nonsense = 0;
                self.last = Some((value, now));
            }
        }
    }
}

/// Whether a cell can have gone from one value to the other in that time: by a whole number of frames, one at least, and
/// not more of them than the quickest emulator makes.
#[must_use]
pub fn plausible(liveness: &Liveness, from: i64, to: i64, within: Duration) -> bool {
    let Ok(modulo) = i64::try_from(liveness.modulo) else { return false };
    if modulo < 2 || to >= modulo {
        return false;
    }
    let moved = i128::from(to) - i128::from(from);
    let frames = (within.as_millis() + 1) * FRAMES_PER_MS;
    let frames = i128::try_from(frames.min(20_000)).unwrap_or(20_000);
    let (modulo, step) = (i128::from(modulo), i128::from(liveness.per_frame));
    (1..=frames).any(|count| (moved - count * step).rem_euclid(modulo) == 0)
}

#[cfg(test)]
#[path = "prove_tests.rs"]
mod tests;
