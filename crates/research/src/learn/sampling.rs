//! Samples of a running game whose counter of frames is not known.
//!
//! An emulator computes a frame in a few milliseconds and then waits for the next one. Memory is read several times a frame; two readings
//! that are equal are the memory between two frames, and a sample if it is not that of the last one. A frame that changes nothing is no
//! sample, and does not matter. How many frames passed is the time between two samples; [`super::frame_counters`] says it exactly.

use super::series::{Series, SeriesError};
use crate::language::Pause;
use crate::memory_source::{MemorySource, MemoryView};
use crate::source::SourceError;
use nextscope_task::Progress;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// A frame: all these consoles have about 60 a second.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// Between two readings.
const READ_EVERY: Duration = Duration::from_micros(1500);
/// An emulator whose memory is never the same in two readings is sampled all the same after this time.
const RESTLESS_AFTER: Duration = Duration::from_millis(25);
/// A call returns after this time, with or without a sample.
const RETURNS_AFTER: Duration = Duration::from_millis(50);

/// What came of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sampled {
    /// A sample was added.
    Added,
    /// Memory has not changed.
    Waiting,
    /// The recording has ended.
    Ended,
}

/// Takes the samples of a source.
#[derive(Debug)]
pub struct Sampling {
    source: MemorySource,
    before: Vec<u8>,
    last: Vec<u8>,
    taken: Option<Instant>,
}

impl Sampling {
    /// Of a console's RAM.
    pub const fn new(source: MemorySource) -> Self {
        Self { source, before: Vec::new(), last: Vec::new(), taken: None }
    }

    /// The source.
    pub const fn source(&self) -> &MemorySource {
        &self.source
    }

    /// Whether the source goes on by itself.
    pub const fn is_live(&self) -> bool {
        matches!(self.source, MemorySource::Console(_) | MemorySource::AnyGame(_))
    }

    /// Adds samples until the recording ends or `each` breaks, which is called after each one, and while none comes.
    ///
    /// # Errors
    /// [`SeriesError`]; what was added before is good.
    pub fn run(
        &mut self,
        series: &mut Series,
        progress: &Progress,
        mut each: impl FnMut(&Series) -> ControlFlow<()>,
    ) -> Result<(), SeriesError> {
        while self.add(series, progress)? != Sampled::Ended {
            if each(series).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn add(&mut self, series: &mut Series, progress: &Progress) -> Result<Sampled, SeriesError> {
        if self.is_live() { self.add_live(series, progress) } else { self.add_recorded(series, progress) }
    }

    fn add_live(&mut self, series: &mut Series, progress: &Progress) -> Result<Sampled, SeriesError> {
        let called = Instant::now();
        while !progress.is_over() && called.elapsed() < RETURNS_AFTER {
            let bytes = self.read()?;
            let passed = self.taken.map(|taken| taken.elapsed());
            let is_restless = passed.is_some_and(|passed| passed > RESTLESS_AFTER);
            let is_still = bytes == self.before;
            if bytes != self.last && (is_still || is_restless) {
                let frames = passed.map_or(0, |passed| frames(passed).max(1));
                let frame = series.frame().map_or(0, |last| last + frames);
                series.push(frame, &bytes)?;
                self.taken = Some(Instant::now());
                (self.last, self.before) = (bytes.clone(), bytes);
                return Ok(Sampled::Added);
            }
            self.before = bytes;
            std::thread::sleep(READ_EVERY);
        }
        Ok(Sampled::Waiting)
    }

    fn add_recorded(&mut self, series: &mut Series, progress: &Progress) -> Result<Sampled, SeriesError> {
        let mut passed = 0;
        if series.frame().is_some() {
            let waited = self.source.wait(Pause::Next, progress, |_, frames| {
                passed += u64::from(frames);
                Ok::<(), SourceError>(())
            });
            match waited {
                Ok(true) => {}
                // The end of a recording is no error.
                Ok(false) | Err(SourceError::Invalid(_)) => return Ok(Sampled::Ended),
                Err(error) => return Err(error.into()),
            }
        }
        let bytes = self.read()?;
        series.push(series.frame().map_or(0, |last| last + passed.max(1)), &bytes)?;
        Ok(Sampled::Added)
    }

    fn read(&self) -> Result<Vec<u8>, SeriesError> {
        let MemoryView::Console(snapshot) = self.source.view()? else { return Err(SeriesError::NotConsole) };
        let mut bytes = vec![0; snapshot.domain().len as usize];
        for (offset, part) in snapshot.parts() {
            let end = offset.saturating_add(part.len());
            bytes.get_mut(offset..end).ok_or(SeriesError::NotConsole)?.copy_from_slice(part);
        }
        Ok(bytes)
    }
}

/// The frames in a time, to the nearest one.
fn frames(time: Duration) -> u64 {
    let half = FRAME / 2;
    u64::try_from((time + half).as_nanos() / FRAME.as_nanos()).unwrap_or(u64::MAX)
}
