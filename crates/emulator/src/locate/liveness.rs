//! Liveness: whether RAM with matching anchors changes as the game's main loop changes it.

use super::{DetectionMethod, RamLocation, matching_anchors};
use crate::process::Memory;
use nextscope_games::profile::{Anchor, Field, Liveness, Profile};
use nextscope_memory::console::{Ram, ReadPlan, Snapshot, StorageOrder};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A location at which a profile's anchors match.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub method: DetectionMethod,
    pub ram: Ram,
    pub profile: Arc<Profile>,
    pub anchors: Vec<String>,
}

/// The profile that fits best at a location, if any anchor matches there.
pub(super) fn match_profiles(
    memory: &Arc<dyn Memory + Send + Sync>,
    location: RamLocation,
    method: DetectionMethod,
    profiles: &[Arc<Profile>],
) -> Option<Candidate> {
    let mut best: Option<(Fit, Candidate)> = None;
    for profile in profiles {
        let domain = profile.console.domain();
        if location.len.is_some_and(|len| len != domain.len) {
            continue;
        }
        let plan = profile.plan();
        let last = location.base.offset(u64::from(domain.len) - 1);
        // A plan that reads only parts still requires that all of the domain is mapped.
        if !plan.is_full(domain) && memory.read_exact(last, &mut [0]).is_err() {
            continue;
        }
        let orders = location.order.map_or_else(|| profile.orders(), |order: StorageOrder| vec![order]);
        for order in orders {
            let read = Snapshot::read_parts(memory.as_ref(), domain, location.base, order, &plan);
            let Ok(snapshot) = read else { continue };
            let anchors = matching_anchors(&snapshot, profile);
            let fit = Fit::of(profile, &anchors);
            if anchors.is_empty() || best.as_ref().is_some_and(|(other, _)| *other >= fit) {
                continue;
            }
            let ram = Ram { memory: Arc::clone(memory), domain, base: location.base, order };
            best = Some((fit, Candidate { method, ram, profile: Arc::clone(profile), anchors }));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How well a profile fits: profiles of the same game on two boards share anchors, and the one that explains all of RAM is chosen.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Fewer is better: anchors that should match from power-on on and do not. Pools, cells and fields exist from the first round on only.
    missing: std::cmp::Reverse<usize>,
    matching: usize,
}

impl Fit {
    fn of(profile: &Profile, matching: &[String]) -> Self {
        let needs_round = |anchor: &&Anchor| {
            matches!(
                anchor,
                Anchor::Pools
                    | Anchor::PlausibleFields
                    | Anchor::PieceBuffer { .. }
                    | Anchor::RngPair { .. }
                    | Anchor::PlayfieldLayout
            )
        };
        let always = profile.anchors.iter().filter(|anchor| !needs_round(anchor));
        let missing = always.filter(|anchor| !matching.contains(&anchor.to_string())).count();
        Self { missing: std::cmp::Reverse(missing), matching: matching.len() }
    }
}

/// How long a location is watched: a field that changes once a frame changes nine times at 60 Hz.
pub(super) const WATCH_TIME: Duration = Duration::from_millis(150);
/// The shortest and the longest sampling interval. A frame takes 16.7 ms at 60 Hz, and 0.2 ms in an emulator without a speed limit.
const SAMPLE_INTERVALS: [Duration; 2] = [Duration::from_micros(300), Duration::from_millis(4)];
/// The interval grows with the time that a location has been watched: a change is seen late by at most this part of it.
const LATE: u32 = 12;
/// An upper limit: the fastest emulator measured ran 5000 frames a second (RetroArch without sound).
const FRAMES_PER_MS: u128 = 10;
/// Changes required if there are several candidates.
const ENOUGH_CHANGES: u32 = 4;
/// Implausible samples in a row after which the field's value becomes the new reference: a 32-bit field is written in two halves, and a
/// sample in between reads an invalid value once.
const MAX_IMPLAUSIBLE: u32 = 3;

/// Watches all candidates at once and returns, for each, a description of the field that changed, or None. A single candidate is live
/// after one change. Of several, those count that keep changing: a rewind buffer is written now and then.
pub(super) fn watch_liveness(candidates: &[Candidate], limit: Duration) -> Vec<Option<String>> {
    let started = Instant::now();
    let mut watched: Vec<WatchedCandidate> = candidates.iter().map(WatchedCandidate::new).collect();
    let need = if candidates.len() == 1 { 1 } else { ENOUGH_CHANGES };
    loop {
        for one in &mut watched {
            one.sample();
        }
        let most = watched.iter().map(WatchedCandidate::changes).max().unwrap_or(0);
        if most >= need || started.elapsed() >= limit {
            // All games in a process run at the same rate, so a live one has changed at least half as often.
            let enough = most.div_ceil(2).max(if candidates.len() == 1 { 1 } else { 2 });
            return watched.iter().map(|one| one.description(enough)).collect();
        }
        let [shortest, longest] = SAMPLE_INTERVALS;
        std::thread::sleep((started.elapsed() / LATE).clamp(shortest, longest));
    }
}

struct WatchedCandidate<'a> {
    ram: &'a Ram,
    plan: ReadPlan,
    fields: Vec<WatchedField<'a>>,
    /// For profiles without liveness fields: the last sample, and how often it changed.
    last: Option<Snapshot>,
    sample_changes: u32,
}

struct WatchedField<'a> {
    liveness: &'a Liveness,
    field: &'a Field,
    last: Option<(i64, Instant)>,
    first: Option<i64>,
    changes: u32,
    implausible: u32,
}

impl<'a> WatchedCandidate<'a> {
    fn new(candidate: &'a Candidate) -> Self {
        let fields = candidate.profile.liveness.iter().filter_map(|liveness| {
            let field = candidate.profile.field(&liveness.field)?;
            Some(WatchedField { liveness, field, last: None, first: None, changes: 0, implausible: 0 })
        });
        Self {
            ram: &candidate.ram,
            plan: candidate.profile.plan(),
            fields: fields.collect(),
            last: None,
            sample_changes: 0,
        }
    }

    fn sample(&mut self) {
        let Ok(snapshot) = self.ram.sample(&self.plan) else { return };
        if self.fields.is_empty() {
            let changed = self.last.as_ref().is_some_and(|last| *last != snapshot);
            self.sample_changes += u32::from(changed);
            self.last = Some(snapshot);
            return;
        }
        let now = Instant::now();
        for watched in &mut self.fields {
            if let Some(value) = watched.field.read(&snapshot).ok().and_then(|value| value.number()) {
                watched.update(value, now);
            }
        }
    }

    fn changes(&self) -> u32 {
        self.fields.iter().map(|watched| watched.changes).max().unwrap_or(self.sample_changes)
    }

    fn description(&self, enough: u32) -> Option<String> {
        if self.fields.is_empty() {
            return (self.sample_changes >= enough).then(|| "its content changed".to_owned());
        }
        let watched = self.fields.iter().find(|watched| watched.changes >= enough)?;
        let (first, (last, _)) = (watched.first?, watched.last?);
        Some(format!("{} went from {first} to {last}", watched.field.name))
    }
}

impl WatchedField<'_> {
    fn update(&mut self, value: i64, now: Instant) {
        let Some((last, since)) = self.last else {
            self.last = Some((value, now));
            self.first = Some(value);
            return;
        };
        if value == last {
            return;
        }
        if is_plausible_step(self.liveness, last, value, now.duration_since(since)) {
            self.changes += 1;
            self.implausible = 0;
            self.last = Some((value, now));
        } else {
            self.implausible += 1;
            if self.implausible >= MAX_IMPLAUSIBLE {
                self.implausible = 0;
                self.last = Some((value, now));
            }
        }
    }
}

/// Whether a liveness field can have changed from one value to the other in that time: by an integer number of frames, at least one and
/// at most as many as the fastest emulator runs.
pub fn is_plausible_step(liveness: &Liveness, from: i64, to: i64, within: Duration) -> bool {
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
#[path = "liveness_tests.rs"]
mod tests;
