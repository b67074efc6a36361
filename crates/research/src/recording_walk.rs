//! A recording as a memory source of the RAM search: steps through its samples.

use super::{RecordingSource, SourceError};
use nextscope_memory::console::Snapshot;
use nextscope_recording::{Recording, Sample};
use std::sync::Arc;
use std::time::Duration;

/// Steps through a recording, without waiting.
#[derive(Debug)]
pub struct RecordingWalk {
    recording: Arc<Recording>,
    index: u64,
    sample: Sample,
    /// The time at which the wait began, and the latest time reached; the next connection may begin earlier.
    started: Duration,
    latest: Duration,
}

impl RecordingWalk {
    /// Starts at the sample of that number.
    ///
    /// # Errors
    /// [`SourceError::Invalid`] if there is no such sample or it cannot be read.
    pub fn new(recording: Arc<Recording>, index: u64) -> Result<Self, SourceError> {
        let sample = read(&recording, index)?;
        let started = sample.elapsed;
        Ok(Self { recording, index, sample, started, latest: started })
    }
}

fn read(recording: &Recording, index: u64) -> Result<Sample, SourceError> {
    recording.sample(index).map_err(|error| SourceError::Invalid(error.to_string()))
}

impl RecordingSource for RecordingWalk {
    fn name(&self) -> String {
        let Self { recording, index, sample, .. } = self;
        format!("{}, frame {} (sample {index} of {})", recording.name(), sample.frame, recording.len())
    }

    fn current(&self) -> Result<Snapshot, SourceError> {
        Ok(self.sample.snapshot.clone())
    }

    fn begin_wait(&mut self) -> Result<(), SourceError> {
        (self.started, self.latest) = (self.sample.elapsed, self.sample.elapsed);
        Ok(())
    }

    fn advance(&mut self, _: Duration) -> Result<Option<u32>, SourceError> {
        let next = self.index + 1;
        if next >= self.recording.len() {
            let what =
                format!("the recording ends at frame {}, before the condition was met", self.sample.frame);
            return Err(SourceError::Invalid(what));
        }
        let sample = read(&self.recording, next)?;
        // Each connection counts frames from 0.
        let passed = sample.frame.checked_sub(self.sample.frame).unwrap_or(1);
        self.latest = self.latest.max(sample.elapsed);
        (self.index, self.sample) = (next, sample);
        Ok(Some(u32::try_from(passed).unwrap_or(u32::MAX)))
    }

    fn time_waited(&self) -> Duration {
        self.latest.saturating_sub(self.started)
    }
}
