//! `watch --replay`: every sample of a recording in its time, or as fast as it goes.

use super::super::source;
use super::super::{Exit, Global, output};
use super::{Arguments, Teller};
use crate::live::{Judge, ReplayState};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Where nothing was recorded for longer than this, it is not waited for longer.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

pub fn watch(global: &Global, path: &Path, arguments: &Arguments) -> anyhow::Result<Exit> {
    let speed = arguments.source.speed;
    let recording = source::recording(path)?;
    let given = source::given_profiles(global)?;
    let stop = source::stop_flag();
    let judge = Judge::new(Arc::clone(&recording), given).map_err(|error| source::no_replay(path, error))?;
    let mut judge = judge.stopped_by(&stop);
    let mut teller = Teller::new(global, arguments.pairs.into());
    let (mut due, mut before) = (Instant::now(), Duration::ZERO);
    let mut shown = false;
    while !stop.load(Ordering::Relaxed) {
        let seen = match judge.step() {
            Ok(Some(seen)) => seen,
            Ok(None) => break,
            Err(error) => {
                output::warning(format_args!("{}: {error}", path.display()));
                continue;
            }
        };
        if speed > 0.0 {
            let passed = seen.sample.elapsed.saturating_sub(before).as_secs_f64() / speed;
            due += Duration::try_from_secs_f64(passed).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT);
            before = seen.sample.elapsed;
            while !stop.load(Ordering::Relaxed) {
                let wait = due.saturating_duration_since(Instant::now()).min(Duration::from_millis(100));
                if wait.is_zero() {
                    break;
                }
                std::thread::sleep(wait);
            }
        }
        let mut view = judge.view(&seen);
        view.replay = view.replay.map(|replay| ReplayState { speed, ..replay });
        teller.show(&view, "")?;
        shown = true;
    }
    drop(teller);
    if !shown {
        let what = format_args!("{}: nothing was sampled in this recording", path.display());
        return output::nothing(global.json, what);
    }
    Ok(Exit::Yes)
}
