//! The tracker of games whose generator is followed.

use super::observe::{Observation, observe};
use super::prediction::Prediction;
use super::verify::Verifier;
use crate::games::declared::{Problem, Program};
use crate::live::{SampleContext, Step, Totals, Verdict};
use std::sync::Arc;

/// Processes the samples of a game in order.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    /// The compiled randomizer, and the digest of the profile that it comes from.
    program: Option<(Arc<Program>, String)>,
    verifier: Verifier,
}

impl Tracker {
    fn program(&mut self, sample: &SampleContext<'_>) -> Result<Arc<Program>, String> {
        let profile = sample.profile;
        if let Some((program, digest)) = &self.program
            && *digest == profile.digest
        {
            return Ok(Arc::clone(program));
        }
        self.verifier.reset();
        let randomizer = profile.randomizer.clone();
        let randomizer = randomizer.ok_or_else(|| format!("profile {} has no [randomizer]", profile.id))?;
        let problems =
            |problems: Vec<Problem>| problems.first().map_or_else(String::new, |one| one.message.clone());
        let program = Arc::new(Program::new(randomizer).map_err(problems)?);
        self.program = Some((Arc::clone(&program), profile.digest.clone()));
        Ok(program)
    }

    pub fn reset(&mut self) {
        self.verifier.reset();
    }

    pub fn update(
        &mut self,
        sample: &SampleContext<'_>,
        totals: &mut Totals,
    ) -> Step<Observation, Prediction> {
        let program = match self.program(sample) {
            Ok(program) => program,
            Err(error) => return Step::unreadable(&error),
        };
        let observation = match observe(&program, sample.snapshot, sample.profile) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.verifier.reset();
                return Step::unreadable(&error);
            }
        };
        let mismatches = self.verifier.step(&observation, sample.frame, totals);
        let prediction = self.verifier.predict(&observation).map(Arc::new);
        Step { observation: Ok(observation), prediction, mismatches }
    }

    pub fn round(&self) -> u64 {
        self.verifier.round()
    }

    pub fn verdict(&self) -> Verdict {
        self.verifier.verdict()
    }
}
