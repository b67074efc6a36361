//! The work of the Learn panel on threads of its own: samples of a running game, and the search.

use crate::console::{ConsoleId, Endian};
use crate::gui::repaint;
use crate::recording::Recording;
use crate::research::learn::{Hints, Lesson, Sampling, Series, SeriesError, WrittenDeals};
use crate::research::{Address, MemorySource, RecordingWalk, SourceError};
use crate::task::{Handle, Progress, Task};
use eframe::egui;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Opens the RAM of a running game; that takes a while.
pub type Open = Box<dyn FnOnce() -> Result<MemorySource, SourceError> + Send>;

/// What is sampled.
#[derive(Debug, Clone)]
pub struct Source {
    pub name: String,
    pub console: Option<ConsoleId>,
    pub order: Endian,
    is_live: bool,
}

impl Source {
    /// The source, and a series without samples.
    fn of(sampling: &Sampling) -> Result<(Self, Series), SeriesError> {
        let domain = sampling.source().domain().ok_or(SeriesError::NotConsole)?;
        let source = Self {
            name: sampling.source().name(),
            console: ConsoleId::ALL.iter().copied().find(|id| id.domain() == domain),
            order: domain.endian,
            is_live: sampling.is_live(),
        };
        Ok((source, Series::new(Address(domain.base.0.into()))))
    }
}

/// What the sampling thread shares.
#[derive(Default)]
struct Shared {
    source: Option<Source>,
    samples: usize,
    /// Where a copy of the samples is wanted.
    copy: Option<Sender<Series>>,
    /// The samples at the end.
    series: Option<Arc<Series>>,
}

/// Samples of a running game.
pub struct LiveSamples {
    task: Task<Result<(), String>, Shared>,
    /// How it ended.
    ended: Option<Result<(), String>>,
}

impl LiveSamples {
    pub fn start(ctx: &egui::Context, open: Open) -> Self {
        let task = Task::start("learn samples", repaint::waker(ctx), move |handle| sample(open, handle));
        Self { task, ended: None }
    }

    /// Notices the end.
    pub fn poll(&mut self) {
        if let Some(ended) = self.task.poll() {
            self.ended = Some(ended.unwrap_or_else(|error| Err(format!("The sampling {error}"))));
        }
    }

    pub const fn is_running(&self) -> bool {
        self.ended.is_none()
    }

    /// Why it ended, unless the user ended it.
    pub fn problem(&self) -> Option<&str> {
        self.ended.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// The source, once it is open.
    pub fn source(&self) -> Option<Source> {
        self.task.note().source.clone()
    }

    pub fn samples(&self) -> usize {
        self.task.note().samples
    }

    /// Ends it; the samples stay.
    pub fn end(&self) {
        self.task.progress().stop();
    }

    /// The samples so far, for a search; sampling goes on.
    pub fn supply(&self) -> Option<Supply> {
        let mut shared = self.task.note();
        let source = shared.source.clone()?;
        let series = match &shared.series {
            Some(series) => Samples::All(Arc::clone(series)),
            None => {
                let (send, receive) = channel();
                shared.copy = Some(send);
                Samples::Copy(receive)
            }
        };
        Some(Supply::Live(source, series))
    }
}

fn sample(open: Open, handle: &Handle<Shared>) -> Result<(), String> {
    let opened = open().map_err(|error| format!("Could not start sampling: {error}"));
    let mut sampling = Sampling::new(opened?);
    let (source, mut series) = Source::of(&sampling).map_err(|error| error.to_string())?;
    handle.note().source = Some(source);
    let progress = handle.progress();
    let sampled = sampling.run(&mut series, progress, |series| {
        let mut shared = handle.note();
        shared.samples = series.len();
        if let Some(copy) = shared.copy.take() {
            let _ = copy.send(series.clone()); // the search was given up
        }
        if progress.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let mut shared = handle.note();
    if let Some(copy) = shared.copy.take() {
        let _ = copy.send(series.clone());
    }
    shared.series = Some(Arc::new(series));
    sampled.map_err(|error| format!("Sampling ended: {error}"))
}

/// Where a search has its samples from.
pub enum Supply {
    Live(Source, Samples),
    /// The frames of a recording, from the first to the last one.
    Recording(Arc<Recording>, (Option<u64>, Option<u64>)),
}

/// Samples of a running game.
pub enum Samples {
    /// All of them.
    All(Arc<Series>),
    /// A copy, as soon as the sampling thread has made it.
    Copy(Receiver<Series>),
}

/// What a search found.
pub struct Learned {
    pub lesson: Lesson,
    pub source: Source,
    /// Whether the first deal was said to be the first of a game.
    pub from_start: bool,
}

/// A search; the note is what it does now.
pub type Search = Task<Result<Learned, String>, &'static str>;

/// Searches how the noted deals are made.
pub fn search(ctx: &egui::Context, supply: Supply, deals: WrittenDeals, hints: Hints) -> Search {
    Task::start("learn", repaint::waker(ctx), move |handle| {
        let (source, series, deals) = match supply {
            Supply::Live(source, Samples::All(series)) => (source, Arc::unwrap_or_clone(series), deals),
            Supply::Live(source, Samples::Copy(copy)) => {
                (source, copy.recv().map_err(|_| "The samples are lost. Start again")?, deals)
            }
            Supply::Recording(recording, frames) => {
                *handle.note() = "Reading the recording";
                let (source, series, first) = read(recording, frames, handle.progress())?;
                let sample = |frame: u64| series.sample_of(frame.checked_sub(first)?);
                let deals = deals.in_samples(sample);
                (source, series, deals)
            }
        };
        *handle.note() = "Searching";
        let progress = handle.progress();
        let lesson = Lesson::search(series, source.order, source.is_live, deals, &hints, progress);
        match lesson {
            Ok(lesson) => Ok(Learned { lesson, source, from_start: hints.from_start }),
            // What is said of a search that was stopped is not about the deals.
            Err(_) if progress.is_over() => Err("Stopped before anything was found".into()),
            Err(error) => Err(error.to_string()),
        }
    })
}

/// The samples of a recording, and their first frame.
fn read(
    recording: Arc<Recording>,
    (from, to): (Option<u64>, Option<u64>),
    progress: &Progress,
) -> Result<(Source, Series, u64), String> {
    let index = from.map_or(Some(0), |frame| recording.index_of_frame(frame));
    let index = index.ok_or_else(|| format!("Frame {} is not in the recording", from.unwrap_or_default()))?;
    let first = recording.sample(index).map_err(|error| error.to_string())?.frame;
    let frames = match to {
        Some(to) => to.checked_sub(first).ok_or("The last frame is before the first one")?,
        None => u64::MAX,
    };
    progress.begin(recording.len().saturating_sub(index));
    let source = RecordingWalk::new(recording, index).and_then(MemorySource::recording);
    let mut sampling = Sampling::new(source.map_err(|error| error.to_string())?);
    let (source, mut series) = Source::of(&sampling).map_err(|error| error.to_string())?;
    let read = sampling.run(&mut series, progress, |series| {
        progress.add(1);
        let is_enough = series.frame().is_some_and(|frame| frame >= frames) || progress.is_over();
        if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    read.map_err(|error| error.to_string())?;
    if progress.is_over() {
        return Err("Stopped while the recording was read".into());
    }
    Ok((source, series, first))
}
