//! Verification of RAM that does not change.

use crate::console::Snapshot;
use crate::live::{Data, Mismatch, SampleContext, Totals, Tracker};
use crate::profile::Profile;
use anyhow::Context;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Trackers expect a value to be stable for this many frames.
const FRAMES: u64 = 3;

pub struct VerifiedDump {
    pub tracker: Tracker,
    pub data: Data,
    pub mismatches: Vec<Mismatch>,
}

/// Verifies a RAM dump, as if the game had shown the same RAM for a few frames.
pub fn verify_ram_dump(
    snapshot: &Snapshot,
    profile: &Profile,
    totals: &mut Totals,
) -> anyhow::Result<VerifiedDump> {
    let mut tracker = Tracker::new(profile.game);
    tracker.set_synchronous();
    let mut mismatches = Vec::new();
    let mut last = None;
    for frame in 0..FRAMES {
        let update = tracker.update(&SampleContext { snapshot, profile, frame }, totals);
        mismatches.extend(update.mismatches);
        last = Some((update.observation.map_err(anyhow::Error::msg)?, update.prediction));
    }
    let (observation, mut prediction) = last.context("no sample was taken")?;
    if tracker.prediction().is_some() {
        // The prediction depends on the search in the background.
        let found = tracker.finish(0, totals, &AtomicBool::new(false), |_| {});
        mismatches.extend(found.into_iter().flatten());
        prediction = tracker.prediction();
    }
    let data = Data {
        snapshot: snapshot.clone(),
        taken: Instant::now(),
        frame: 0,
        frames_per_second: 0.0,
        observation: Ok(observation),
        prediction,
        verdict: Arc::new(tracker.verdict()),
    };
    Ok(VerifiedDump { tracker, data, mismatches })
}
