//! What the two kinds of declared games share: from a sample to its fields, to what they are compared with, to the prediction.

use super::ram::Fields;
use crate::live::{Mismatch, ObserveError, SampleContext, Step, Totals, Verdict};
use crate::profile::Profile;
use std::sync::Arc;

/// Compares the samples of one kind of declared games.
pub(super) trait Verify {
    /// What the profile declares, in the form in which it is used.
    type Declared;
    /// The fields at one moment.
    type Observation;
    type Prediction;

    /// What the profile declares, or why it cannot be used.
    fn declared(profile: &Profile) -> Result<Self::Declared, String>;

    /// Reads the fields of a profile.
    ///
    /// # Errors
    /// [`ObserveError`] when the profile lacks a field, or its addresses are outside of the RAM.
    fn observe(declared: &Arc<Self::Declared>, fields: Fields<'_>)
    -> Result<Self::Observation, ObserveError>;

    /// Discards the samples so far.
    fn reset(&mut self);

    /// Processes the next sample.
    fn step(&mut self, now: &Arc<Self::Observation>, frame: u64, totals: &mut Totals) -> Vec<Mismatch>;

    /// The prediction of the last accepted sample.
    fn predict(&self, now: &Self::Observation) -> Option<Self::Prediction>;

    /// The number of the current or last game, from 1 since attaching; 0 before the first.
    fn round(&self) -> u64;

    /// The results of the checks.
    fn verdict(&self) -> Verdict;
}

/// Processes the samples of a game in order.
#[derive(Debug, Clone)]
pub(super) struct Follower<V, D> {
    /// What the profile declares, and the digest of the profile.
    declared: Option<(Arc<D>, String)>,
    pub verifier: V,
}

impl<V: Default, D> Default for Follower<V, D> {
    fn default() -> Self {
        Self { declared: None, verifier: V::default() }
    }
}

impl<D, V: Verify<Declared = D>> Follower<V, D> {
    fn declared(&mut self, profile: &Profile) -> Result<Arc<D>, String> {
        if let Some((declared, digest)) = &self.declared
            && *digest == profile.digest
        {
            return Ok(Arc::clone(declared));
        }
        self.verifier.reset();
        let declared = Arc::new(V::declared(profile)?);
        self.declared = Some((Arc::clone(&declared), profile.digest.clone()));
        Ok(declared)
    }

    pub fn update(
        &mut self,
        sample: &SampleContext<'_>,
        totals: &mut Totals,
    ) -> Step<V::Observation, V::Prediction> {
        let SampleContext { snapshot, profile, frame } = *sample;
        let declared = match self.declared(profile) {
            Ok(declared) => declared,
            Err(error) => return Step::unreadable(&error),
        };
        let observation = match V::observe(&declared, Fields { snapshot, profile }) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.verifier.reset();
                return Step::unreadable(&error);
            }
        };
        let mismatches = self.verifier.step(&observation, frame, totals);
        let prediction = self.verifier.predict(&observation).map(Arc::new);
        Step { observation: Ok(observation), prediction, mismatches }
    }
}
