//! A recording as ground for the research tools.

use super::{Recording, Sample};
use crate::console::Snapshot;
use crate::research::{RecordingSource, SourceError};
use std::sync::Arc;
use std::time::Duration;

/// Going through a recording from one sample on, as fast as it goes.
#[derive(Debug)]
pub struct Walk {
    recording: Arc<Recording>,
    index: u64,
    sample: Sample,
    /// When the wait began, and how far its time went; another connection may begin earlier.
    begun: Duration,
    latest: Duration,
}

impl Walk {
    /// Begins at the sample of that number.
    ///
    /// # Errors
    /// [`SourceError::Invalid`] when there is no such sample or it cannot be read.
    pub fn new(recording: Arc<Recording>, index: u64) -> Result<Self, SourceError> {
        let sample = read(&recording, index)?;
        let begun = sample.elapsed;
        Ok(Self { recording, index, sample, begun, latest: begun })
    }
}

fn read(recording: &Recording, index: u64) -> Result<Sample, SourceError> {
    recording.sample(index).map_err(|error| SourceError::Invalid(error.to_string()))
}

impl RecordingSource for Walk {
    fn name(&self) -> String {
        let Self { recording, index, sample, .. } = self;
        format!("{}, frame {} (sample {index} of {})", recording.name(), sample.frame, recording.len())
    }

    fn current(&self) -> Result<Snapshot, SourceError> {
        Ok(self.sample.snapshot.clone())
    }

    fn begin_wait(&mut self) -> Result<(), SourceError> {
        (self.begun, self.latest) = (self.sample.elapsed, self.sample.elapsed);
        Ok(())
    }

    fn advance(&mut self, _: Duration) -> Result<Option<u32>, SourceError> {
        let next = self.index + 1;
        if next >= self.recording.len() {
            let what = format!("the recording ended at frame {} before the wait was over", self.sample.frame);
            return Err(SourceError::Invalid(what));
        }
        let sample = read(&self.recording, next)?;
        // Another connection counts anew.
        let passed = sample.frame.checked_sub(self.sample.frame).unwrap_or(1);
        self.latest = self.latest.max(sample.elapsed);
        (self.index, self.sample) = (next, sample);
        Ok(Some(u32::try_from(passed).unwrap_or(u32::MAX)))
    }

    fn time_waited(&self) -> Duration {
        self.latest.saturating_sub(self.begun)
    }
}
