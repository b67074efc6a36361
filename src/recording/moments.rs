//! A recording as ground for the research tools.

use super::Recording;
use crate::research::{Moment, Moments};

impl Moments for Recording {
    fn name(&self) -> String {
        Self::name(self).to_owned()
    }

    fn count(&self) -> u64 {
        self.len()
    }

    fn moment(&self, number: u64) -> Result<Moment, String> {
        let sample = self.sample(number).map_err(|error| error.to_string())?;
        Ok(Moment { snapshot: sample.snapshot, frame: sample.frame, elapsed: sample.elapsed })
    }
}
