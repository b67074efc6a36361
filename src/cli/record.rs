//! `record`: samples of an emulator, to a file.

use super::arguments::Global;
use super::exit::{Exit, Failure};
use super::progress::ProgressLine;
use super::session::{Session, Source};
use super::{files, output};
use crate::json::Kind;
use crate::live::{RecordingState, SamplerCommand, View};
use crate::text::{counted, sanitize_line};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Default of --wait.
const DEFAULT_WAIT: Duration = Duration::from_secs(10);
/// How long to wait for the disk at the end.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub struct Arguments {
    /// Recording to write, usually .nsrec
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    source: Source,
}

#[derive(Serialize)]
struct Recorded<'a> {
    #[serde(serialize_with = "crate::file::as_text")]
    file: &'a Path,
    samples: u64,
    bytes: u64,
    elapsed_seconds: f64,
    left_out: u64,
    frames: u64,
    frames_missed: u64,
    emulator: Option<&'a str>,
    profile: Option<&'a str>,
    error: Option<&'a str>,
}

/// The end of a recording that was made.
pub struct Made {
    pub view: Arc<View>,
    /// Since it attached.
    pub elapsed: Duration,
    /// Why it ended early, if the file could not be written further.
    pub failed: Option<Failure>,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let Made { view, elapsed, failed } = make(global, &arguments.source, &arguments.file, arguments.force)?;
    let state = state(&view).ok_or_else(|| nothing(&arguments.file))?;
    print(global, state, &view, elapsed)?;
    if let Some(failed) = failed {
        return Err(failed.into());
    }
    Ok(Exit::from_answer(state.samples > 0))
}

fn nothing(file: &Path) -> Failure {
    files::failure(file, "nothing was recorded")
}

/// Records a running emulator to a file until it ends, the time is over or Ctrl+C.
pub fn make(global: &Global, source: &Source, file: &Path, force: bool) -> anyhow::Result<Made> {
    let bad = |what: &str| files::failure(file, what);
    if source.dump.is_some() || source.replay.is_some() {
        return Err(
            bad("`record` needs a running emulator; `nextscope replay --cut` trims a recording").into()
        );
    }
    files::check(file, force)?;
    let mut started = Instant::now();
    let record = (file.to_owned(), files::overwrite(force));
    let mut session = Session::start_recording(global, source, Some(DEFAULT_WAIT), Some(record))?;
    let mut views = session.sampler.view();
    let mut line = ProgressLine::new();
    let mut view = views.get();
    // The process that was named last.
    let mut recorded = None;
    let failure = loop {
        let over = session.is_over();
        if let Some(newer) = views.next(Duration::from_millis(100)) {
            view = newer;
        }
        if let Some(target) = view.target.as_deref().filter(|target| recorded != Some(target.pid)) {
            if recorded.is_none() {
                session.start_clock();
                started = Instant::now();
            }
            recorded = Some(target.pid);
            line.clear();
            let name = sanitize_line(&target.identity.name);
            output::stderr_line(format_args!("recording {name} ({}), {}", target.pid, target.profile.name));
        }
        if over || state(&view).is_some_and(|state| state.error.is_some()) {
            break None;
        }
        if let Err(failure) = session.check_timeout(&view) {
            break Some(failure);
        }
        if let Some(state) = state(&view) {
            line.show(|| summary(state, started.elapsed()));
        }
    };
    line.clear();
    session.sampler.send(SamplerCommand::Record(None));
    let deadline = Instant::now() + FLUSH_TIMEOUT;
    while !state(&view).is_some_and(|state| state.ended) && Instant::now() < deadline {
        if let Some(newer) = views.next(Duration::from_millis(100)) {
            view = newer;
        }
    }
    let state = state(&view).ok_or_else(|| nothing(file))?;
    let failed = state.error.as_ref().map(|error| bad(error));
    if let (Some(failed), 0) = (&failed, state.samples) {
        return Err(Failure::BadInput(failed.to_string()).into());
    }
    match failure {
        Some(failure) if state.samples == 0 => return Err(failure.into()),
        // The recording is complete up to the failure.
        Some(failure) => output::warning(failure),
        None => {}
    }
    Ok(Made { elapsed: started.elapsed(), failed, view })
}

fn state(view: &View) -> Option<&RecordingState> {
    view.recording.as_ref()
}

fn summary(state: &RecordingState, elapsed: Duration) -> String {
    let left_out = match state.left_out {
        0 => String::new(),
        samples if state.error.is_some() => format!(", {samples} dropped"),
        samples => format!(", {samples} dropped (disk or processor too slow)"),
    };
    let (samples, bytes) = (counted(state.samples, "sample"), counted(state.bytes, "byte"));
    format!("{samples}, {:.1} s, {bytes}{left_out}", elapsed.as_secs_f64())
}

fn print(global: &Global, state: &RecordingState, view: &View, elapsed: Duration) -> anyhow::Result<()> {
    let target = view.target.as_deref();
    if !global.json {
        let missed = match view.totals.frames_missed {
            0 => "no frame missed".to_owned(),
            missed => format!("{} of {} missed", missed, counted(view.totals.frames, "frame")),
        };
        let summary = summary(state, elapsed);
        return output::line(format_args!("{}: {summary}; {missed}", state.path.display()));
    }
    let recorded = Recorded {
        file: &state.path,
        samples: state.samples,
        bytes: state.bytes,
        elapsed_seconds: elapsed.as_secs_f64(),
        left_out: state.left_out,
        frames: view.totals.frames,
        frames_missed: view.totals.frames_missed,
        emulator: target.map(|target| target.identity.name.as_str()),
        profile: target.map(|target| target.profile.id.as_str()),
        error: state.error.as_deref(),
    };
    output::object(Kind::Record, recorded)
}
