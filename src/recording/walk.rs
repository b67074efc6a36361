//! A recording as ground for the research tools.

use super::{Recording, Sample};
use crate::console::Snapshot;
use crate::research::{GroundError, Tape};
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
    /// [`GroundError::Wrong`] when there is no such sample or it cannot be read.
    pub fn new(recording: Arc<Recording>, index: u64) -> Result<Self, GroundError> {
        let sample = read(&recording, index)?;
        let begun = sample.elapsed;
        Ok(Self { recording, index, sample, begun, latest: begun })
    }
}

fn read(recording: &Recording, index: u64) -> Result<Sample, GroundError> {
    recording.sample(index).map_err(|error| GroundError::Wrong(error.to_string()))
}

impl Tape for Walk {
    fn name(&self) -> String {
        let Self { recording, index, sample, .. } = self;
        format!("{}, frame {} (sample {index} of {})", recording.name(), sample.frame, recording.len())
    }

    fn now(&self) -> Result<Snapshot, GroundError> {
        Ok(self.sample.snapshot.clone())
    }

    fn begin(&mut self) -> Result<(), GroundError> {
        (self.begun, self.latest) = (self.sample.elapsed, self.sample.elapsed);
        Ok(())
    }

    fn next(&mut self, _: Duration) -> Result<Option<u32>, GroundError> {
        let next = self.index + 1;
        if next >= self.recording.len() {
            let what = format!(
                "the recording ends here, at frame {}, before all was over that was waited for",
                self.sample.frame
            );
            return Err(GroundError::Wrong(what));
        }
        let sample = read(&self.recording, next)?;
        // Another connection counts anew.
        let passed = sample.frame.checked_sub(self.sample.frame).unwrap_or(1);
        self.latest = self.latest.max(sample.elapsed);
        (self.index, self.sample) = (next, sample);
        Ok(Some(u32::try_from(passed).unwrap_or(u32::MAX)))
    }

    fn waited(&self) -> Duration {
        self.latest.saturating_sub(self.begun)
    }
}
