//! `watch --replay`: prints every sample of a recording, at its speed or another one.

use super::KEY_INTERVAL;
use super::printer::Printer;
use crate::cli::arguments::Global;
use crate::cli::exit::Exit;
use crate::cli::{interrupt, output, ram_file};
use crate::live::ReplayState;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Longer gaps in the recording are shortened to this.
const MAX_WAIT: Duration = Duration::from_secs(1);

pub fn watch(global: &Global, path: &Path, speed: f64, pairs: usize) -> anyhow::Result<Exit> {
    let recording = ram_file::recording(path)?;
    let stop = interrupt::flag();
    let mut verifier = ram_file::verifier(global, path, &recording)?;
    let mut printer = Printer::new(global, pairs)?;
    let (mut due, mut before) = (Instant::now(), Duration::ZERO);
    let mut printed = false;
    while !stop.load(Ordering::Relaxed) && !printer.poll()? {
        let sample = match verifier.step() {
            Ok(Some(sample)) => sample,
            Ok(None) => break,
            Err(error) => {
                output::warning(format_args!("{}: {error}", path.display()));
                continue;
            }
        };
        if speed > 0.0 {
            let passed = sample.sample.elapsed.saturating_sub(before).as_secs_f64() / speed;
            due += Duration::try_from_secs_f64(passed).unwrap_or(MAX_WAIT).min(MAX_WAIT);
            before = sample.sample.elapsed;
            while !stop.load(Ordering::Relaxed) && !printer.poll()? {
                let wait = due.saturating_duration_since(Instant::now()).min(KEY_INTERVAL);
                if wait.is_zero() {
                    break;
                }
                std::thread::sleep(wait);
            }
        }
        let mut view = verifier.view(&sample);
        view.replay = view.replay.map(|replay| ReplayState { speed, ..replay });
        printer.show(&view, "")?;
        printed = true;
    }
    drop(printer);
    if !printed {
        let what = format_args!("{}: the recording has no samples", path.display());
        return output::negative(global.json, what);
    }
    Ok(Exit::Success)
}
